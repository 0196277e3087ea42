#include "runs/fib.hpp"

#include <memory>
#include <utility>

#include "harness/command_line.hpp"
#include "harness/ports.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

namespace {

class fib_workload final : public workload {
 public:
  std::string name() const override { return "fib"; }
  std::string description() const override {
    return "the naive Fibonacci function, each call a task that joins two";
  }
  std::string unit() const override { return "calls"; }

  void add_options(CLI::App& command) override {
    command.add_option("--n", n_, "argument of the first call")
        ->type_name("N")
        ->check(whole_number(0, k_most))
        ->capture_default_str();
  }

  bool over_processes() const override { return true; }
  void prepare(const options& o) override {
    runs_ = with_port(o, [&]<class Port>() {
      return fib::make_runs<Port>(o, {.n = static_cast<std::uint32_t>(n_)});
    });
  }

  json parameters() const override { return {{"n", n_}}; }

  outcome run() override {
    // fibonacci(n) of n calls makes 2 fibonacci(n + 1) - 1 in all, of which half but one join.
    std::uint64_t value = 0;
    std::uint64_t next = 1;
    for (std::uint64_t i = 0; i != n_; ++i)
      value = std::exchange(next, value + next);
    const std::uint64_t calls = 2 * next - 1;
    const auto r = runs_->run({});
    outcome o;
    o.report = r;
    o.tasks = calls;
    o.result = r.get<fib::result>();
    o.verified = r.get<fib::result>() == value && r.tasks == calls + (calls - 1) / 2;
    if (!o.verified)
      o.fault = std::to_string(r.get<fib::result>()) + " instead of " + std::to_string(value) +
                ", after " + std::to_string(r.tasks) + " tasks";
    return o;
  }

 private:
  static constexpr std::uint64_t k_most = 60;

  std::uint64_t n_ = 25;
  std::unique_ptr<runs<fib::context, fib::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_fib() {
  return std::make_unique<fib_workload>();
}

}  // namespace mgws::bench
