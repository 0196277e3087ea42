#include "workloads/memset.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "harness/command_line.hpp"
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
    command.add_flag("--bulk", bulk_, "initial slots that stand for many tasks each");
  }

  void prepare(const options& o) override {
    data_.resize(tasks_);
    if (bulk_) {
      auto& rt = ranges_.emplace(o);
      constexpr std::uint64_t most = slot<task_set<memset::store_range>>::max_instances;
      for (std::uint64_t first = 0; first < tasks_; first += most)
        rt.seed_n(memset::store_range{first},
                  static_cast<task_index>(std::min(most, tasks_ - first)));
      rt.keep_seeds(true);
    } else {
      auto& rt = ones_.emplace(o);
      rt.reserve(tasks_);
      for (std::uint64_t i = 0; i != tasks_; ++i)
        rt.seed(memset::store_one{i});
      rt.keep_seeds(true);
    }
  }

  json parameters() const override { return {{"tasks", tasks_}, {"bulk", bulk_}}; }

  outcome run() override {
    std::ranges::fill(data_, ~std::uint64_t{0});
    const memset::context context{data_.data()};
    outcome o;
    if (bulk_) {
      o.report = ranges_->run(context);
    } else {
      o.report = ones_->run(context);
    }
    std::uint64_t right = 0;
    for (std::uint64_t i = 0; i != tasks_; ++i)
      right += data_[i] == i ? 1 : 0;
    o.tasks = o.report.tasks;
    o.result = right;
    o.verified = right == tasks_ && o.report.tasks == tasks_;
    if (!o.verified)
      o.fault = std::to_string(right) + " of " + std::to_string(tasks_) +
                " elements are right after " + std::to_string(o.report.tasks) + " tasks";
    return o;
  }

 private:
  std::uint64_t tasks_ = 1u << 20;
  bool bulk_ = false;
  std::vector<std::uint64_t> data_;
  std::optional<bench_runtime<task_set<memset::store_one>, accumulators<>, memset::context>> ones_;
  std::optional<bench_runtime<task_set<memset::store_range>, accumulators<>, memset::context>>
      ranges_;
};

}  // namespace

std::unique_ptr<workload> make_memset() {
  return std::make_unique<memset_workload>();
}

}  // namespace mgws::bench
