#include "runs/nqueens.hpp"

#include <memory>

#include "harness/command_line.hpp"
#include "harness/ports.hpp"
#include "harness/width.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

namespace {

class nqueens_workload final : public workload {
 public:
  std::string name() const override { return "nqueens"; }
  std::string description() const override { return "all solutions of the n-queens problem"; }
  std::string unit() const override { return "tasks"; }

  void add_options(CLI::App& command) override {
    command.add_option("--n", n_, "queens, and squares of a side")
        ->type_name("N")
        ->check(whole_number(1, nqueens::k_max_n))
        ->capture_default_str();
    command
        .add_option("--cutoff", cutoff_,
                    "queens placed by tasks; the rest without [8 less than N, at least 1]")
        ->type_name("K")
        ->check(whole_number(1, nqueens::k_max_n));
    add_width(command, width_);
  }

  void prepare(const options& o) override {
    const auto n = static_cast<std::uint32_t>(n_);
    if (cutoff_ == 0) cutoff_ = n > 9 ? n - 8 : 1;
    if (cutoff_ > n) throw bad_configuration("--cutoff must be at most --n");
    context_ = {n, static_cast<std::uint32_t>(cutoff_)};
    runs_ = with_port(
        o, [&]<class Port>() { return nqueens::make_runs<Port>(o, {.width = width_of(width_)}); });
  }

  json parameters() const override { return {{"n", n_}, {"cutoff", cutoff_}, {"width", width_}}; }

  outcome run() override {
    const auto r = runs_->run(context_);
    outcome o;
    o.report = r;
    o.tasks = r.tasks;
    const std::uint64_t found = r.get<nqueens::solutions>();
    const std::uint64_t known = nqueens::known_solutions(context_.n);
    o.result = found;
    o.verified = found == known;
    if (!o.verified)
      o.fault = std::to_string(found) + " solutions instead of " + std::to_string(known);
    return o;
  }

 private:
  std::uint64_t n_ = 12;
  std::uint64_t cutoff_ = 0;
  std::string width_ = "lane";
  nqueens::context context_{};
  std::unique_ptr<runs<nqueens::context, nqueens::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_nqueens() {
  return std::make_unique<nqueens_workload>();
}

}  // namespace mgws::bench
