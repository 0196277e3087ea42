#include "runs/bpc.hpp"

#include <algorithm>
#include <memory>

#include "harness/command_line.hpp"
#include "harness/ports.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

namespace {

class bpc_workload final : public workload {
 public:
  std::string name() const override { return "bpc"; }
  std::string description() const override { return "bouncing producer-consumer"; }
  std::string unit() const override { return "tasks"; }

  void add_options(CLI::App& command) override {
    const auto number = [&](const char* option, std::uint64_t& value, const char* what,
                            const char* type, std::uint64_t least) {
      command.add_option(option, value, what)
          ->type_name(type)
          ->check(whole_number(least, 1'000'000'000))
          ->capture_default_str();
    };
    number("--depth", depth_, "producers that spawn", "D", 0);
    number("--consumers", consumers_, "consumers of a producer", "N", 0);
    number("--producer-time", producer_us_, "how long a producer takes", "MICROSECONDS", 0);
    number("--consumer-time", consumer_us_, "how long a consumer takes", "MICROSECONDS", 0);
    command.add_flag("--bulk", bulk_, "a producer's consumers as one slot");
  }

  bool over_processes() const override { return true; }
  void prepare(const options& o) override {
    runs_ = with_port(o, [&]<class Port>() {
      return bpc::make_runs<Port>(o, {.depth = static_cast<std::uint32_t>(depth_)});
    });
  }

  json parameters() const override {
    return {{"depth", depth_},
            {"consumers", consumers_},
            {"producer_microseconds", producer_us_},
            {"consumer_microseconds", consumer_us_},
            {"bulk", bulk_}};
  }

  outcome run() override {
    const auto r = runs_->run(
        {static_cast<std::uint32_t>(consumers_), producer_us_ * 1000, consumer_us_ * 1000, bulk_});
    outcome o;
    o.report = r;
    o.tasks = r.tasks;
    const std::uint64_t produced = r.get<bpc::produced>();
    const std::uint64_t consumed = r.get<bpc::consumed>();
    o.result = produced + consumed;
    o.details = {{"producers", produced}, {"consumers", consumed}};
    // Producers are no chain: each has spawned the next one before its own time begins.
    if (const std::uint64_t all = produced * producer_us_ + consumed * consumer_us_; all != 0)
      o.longest = static_cast<double>(std::max(producer_us_, consumed == 0 ? 0 : consumer_us_)) /
                  static_cast<double>(all);
    o.verified =
        produced == depth_ + 1 && consumed == depth_ * consumers_ && r.tasks == produced + consumed;
    if (!o.verified)
      o.fault = std::to_string(produced) + " producers and " + std::to_string(consumed) +
                " consumers instead of " + std::to_string(depth_ + 1) + " and " +
                std::to_string(depth_ * consumers_);
    return o;
  }

 private:
  std::uint64_t depth_ = 50;
  std::uint64_t consumers_ = 128;
  std::uint64_t producer_us_ = 10;
  std::uint64_t consumer_us_ = 50;
  bool bulk_ = false;
  std::unique_ptr<runs<bpc::context, bpc::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_bpc() {
  return std::make_unique<bpc_workload>();
}

}  // namespace mgws::bench
