#include "runs/memset.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "harness/command_line.hpp"
#include "harness/placement.hpp"
#include "harness/ports.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

namespace {

class memset_workload final : public workload {
 public:
  std::string name() const override { return "memset"; }
  std::string description() const override { return "n tasks that each store one number"; }
  std::string unit() const override { return "tasks"; }

  void add_options(CLI::App& command) override {
    command.add_option("--tasks", tasks_, "number of tasks")
        ->type_name("N")
        ->check(whole_number(1, std::uint64_t{1} << 40))
        ->capture_default_str();
    command.add_flag("--bulk", bulk_, "slots that stand for many tasks each");
    command.add_option("--way", way_, "tasks that are the initial set, or spawned by the run")
        ->type_name("seeds|spawn")
        ->check(CLI::IsMember({"seeds", "spawn"}))
        ->capture_default_str();
    add_placement(command, placement_)->capture_default_str();
  }

  void prepare(const options& o) override {
    const memset::variant v{.tasks = tasks_,
                            .bulk = bulk_,
                            .spawned = way_ == "spawn",
                            .parted = placement_of(placement_) == placement::partitioned};
    all_tasks_ = tasks_ + v.spawners();
    runs_ = with_port(o, [&]<class Port>() { return memset::make_runs<Port>(o, v); });
    data_ = placed_array<std::uint64_t>(runs_->data_places(), tasks_, placement_of(placement_));
    contexts_ = contexts_of(runs_->devices(),
                            [&](std::uint32_t d) { return memset::context{data_.on(d)}; });
    seen_.resize(tasks_);
  }

  json parameters() const override {
    return {{"tasks", tasks_}, {"bulk", bulk_}, {"way", way_}, {"data", placement_}};
  }

  outcome run() override {
    data_.fill(0xff);
    outcome o;
    o.report = runs_->run_each(contexts_);
    // Of several copies one has each element, whichever device's task wrote it.
    std::uint64_t right = 0;
    for (std::uint32_t copy = 0; copy != data_.copies(); ++copy) {
      data_.download(seen_, copy);
      for (std::uint64_t i = 0; i != tasks_; ++i)
        right += seen_[i] == i ? 1 : 0;
    }
    // Tasks that only spawn the others are none of the problem's.
    o.tasks = tasks_ - all_tasks_ + o.report.tasks;
    o.result = right;
    o.verified = right == tasks_ && o.report.tasks == all_tasks_;
    if (!o.verified)
      o.fault = std::to_string(right) + " of " + std::to_string(tasks_) +
                " elements are right after " + std::to_string(o.report.tasks) + " tasks";
    return o;
  }

 private:
  std::uint64_t tasks_ = 1u << 20;
  bool bulk_ = false;
  std::string way_ = "seeds";
  std::uint64_t all_tasks_ = 0;  ///< with those that spawn
  std::string placement_ = "main";
  placed_array<std::uint64_t> data_;
  std::vector<memset::context> contexts_;
  std::vector<std::uint64_t> seen_;  ///< after a run
  std::unique_ptr<runs<memset::context, memset::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_memset() {
  return std::make_unique<memset_workload>();
}

}  // namespace mgws::bench
