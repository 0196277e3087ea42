#include "runs/spawn_tree.hpp"

#include <memory>

#include "harness/command_line.hpp"
#include "harness/ports.hpp"
#include "harness/width.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

namespace {

class spawn_tree_workload final : public workload {
 public:
  std::string name() const override { return "spawn-tree"; }
  std::string description() const override { return "a tree of empty tasks"; }
  std::string unit() const override { return "tasks"; }

  void add_options(CLI::App& command) override {
    command.add_option("--depth", depth_, "levels below the root")
        ->type_name("D")
        ->check(whole_number(0, 1'000'000'000))
        ->capture_default_str();
    command.add_option("--fanout", fanout_, "children of a task")
        ->type_name("F")
        ->check(whole_number(1, 1'000'000'000))
        ->capture_default_str();
    auto* const bulk = command.add_flag("--bulk", bulk_, "a task's children as one slot");
    auto* const finish =
        command.add_flag("--finish", finish_, "all below a finish, whose end a task awaits");
    finish->excludes(bulk);
    add_width(command, width_)->excludes(bulk)->excludes(finish);
  }

  bool over_processes() const override { return true; }
  void prepare(const options& o) override {
    expected_ = count();
    runs_ = with_port(o, [&]<class Port>() {
      return spawn_tree::make_runs<Port>(o, {.depth = static_cast<std::uint32_t>(depth_),
                                             .bulk = bulk_,
                                             .finish = finish_,
                                             .width = width_of(width_)});
    });
  }

  json parameters() const override {
    return {{"depth", depth_},
            {"fanout", fanout_},
            {"bulk", bulk_},
            {"finish", finish_},
            {"width", width_}};
  }

  outcome run() override {
    const auto r = runs_->run({static_cast<std::uint32_t>(fanout_)});
    outcome o;
    o.report = r;
    const std::uint64_t visited = r.get<spawn_tree::visited>();
    o.tasks = o.report.tasks;
    o.result = visited;
    // With a finish, two more: who makes it, and who comes after it.
    o.verified = visited == expected_ && o.tasks == expected_ + (finish_ ? 2 : 0);
    if (!o.verified)
      o.fault = std::to_string(visited) + " tasks instead of " + std::to_string(expected_);
    return o;
  }

 private:
  /// Tasks in the tree. \throws bad_configuration if they cannot be counted in 63 bits
  [[nodiscard]] std::uint64_t count() const {
    std::uint64_t level = 1;
    std::uint64_t all = 1;
    if (fanout_ == 1) return depth_ + 1;
    for (std::uint64_t i = 0; i != depth_; ++i) {
      if (__builtin_mul_overflow(level, fanout_, &level) ||
          __builtin_add_overflow(all, level, &all) || all >> 63 != 0)
        throw bad_configuration("a tree of depth " + std::to_string(depth_) + " and fan-out " +
                                std::to_string(fanout_) + " has too many tasks to count");
    }
    return all;
  }

  std::uint64_t depth_ = 22;
  std::uint64_t fanout_ = 2;
  bool bulk_ = false;
  bool finish_ = false;
  std::uint64_t expected_ = 0;
  std::string width_ = "lane";
  std::unique_ptr<runs<spawn_tree::context, spawn_tree::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_spawn_tree() {
  return std::make_unique<spawn_tree_workload>();
}

}  // namespace mgws::bench
