#include "runs/loop.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/command_line.hpp"
#include "harness/list.hpp"
#include "harness/ports.hpp"
#include "harness/width.hpp"
#include "loop/options.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

namespace {

const std::vector<std::string> k_ways{"seed_n", "seeds", "spawn", "tree"};

loop::way way_of(const std::string& name) {
  return name == "seeds"   ? loop::way::seeds
         : name == "spawn" ? loop::way::spawn
         : name == "tree"  ? loop::way::tree
                           : loop::way::seed_n;
}

class loop_workload final : public workload {
 public:
  std::string name() const override { return "loop"; }
  std::string description() const override { return "a loop whose instances differ in length"; }
  std::string unit() const override { return "instances"; }

  void add_options(CLI::App& command) override {
    loop_.add_to(command);
    command
        .add_option("--way", ways_option_, "how it is put to the runtime: a name, a list, or all")
        ->type_name("seed_n|seeds|spawn|tree")
        ->check(list_of(k_ways))
        ->capture_default_str();
    command
        .add_option("--leaf", leaf_,
                    "instances that a task of the tree does not cut in two [grain]")
        ->type_name("N")
        ->check(whole_number(1, loop_options::k_most));
    add_width(command, width_);
    command
        .add_option("--piece", piece_,
                    "iterations after which a lane task may be put back (resumable) [all]")
        ->type_name("N")
        ->check(whole_number(1, ~std::uint32_t{0}));
  }

  bool over_processes() const override { return true; }
  void prepare(const options& o) override {
    if (piece_ != 0 && width_ != "lane")
      throw bad_configuration("--piece is for instances of a lane each: --width lane");
    if (leaf_ == 0) leaf_ = loop_.grain;
    options_ = o;
    patterns_ = loop_.patterns();
    ways_ = names_in(ways_option_, k_ways);
    answers_.assign(patterns_.size(), std::nullopt);
    choose(0);
  }

  std::size_t variants() const override { return ways_.size() * patterns_.size(); }

  void choose(std::size_t variant) override {
    pattern_ = patterns_[variant % patterns_.size()];
    work_ = loop_.work(pattern_);
    auto& known = answers_[variant % patterns_.size()];
    if (!known) known = answer_of(work_);
    answer_ = *known;
    // A way's patterns share their initial set.
    if (const std::string& way = ways_[variant / patterns_.size()]; !runs_ || way_ != way) {
      way_ = way;
      runs_.reset();
      runs_ = with_port(options_, [&]<class Port>() {
        return loop::make_runs<Port>(options_, {.units = units(),
                                                .way = way_of(way_),
                                                .width = width_of(width_),
                                                .resumable = piece_ != 0});
      });
    }
  }

  json parameters() const override {
    json j = loop_.parameters(pattern_, answer_);
    j.update({{"way", way_}, {"width", width_}});
    if (way_ == "tree") j["leaf"] = leaf_;
    if (piece_ != 0) j["piece"] = piece_;
    return j;
  }

  outcome run() override {
    const auto r = runs_->run({work_, leaf(), static_cast<std::uint32_t>(piece_)});
    outcome o;
    o.report = r;
    const std::uint64_t sum = r.get<loop::results_sum>();
    o.tasks = r.get<loop::instances_run>();
    o.result = sum;
    o.longest = static_cast<double>(answer_.longest) / static_cast<double>(answer_.iterations);
    o.verified = sum == answer_.sum && o.tasks == loop_.n && (way_ == "tree" || r.tasks == tasks());
    if (!o.verified)
      o.fault = std::to_string(o.tasks) + " instances of " + std::to_string(loop_.n) + " in " +
                std::to_string(r.tasks) + " tasks, their sum " + std::to_string(sum) +
                " instead of " + std::to_string(answer_.sum);
    return o;
  }

 private:
  [[nodiscard]] std::uint32_t units() const {
    return width_ == "lane" ? static_cast<std::uint32_t>(loop_.n) : work_.costs.groups;
  }
  /// In units; more than there are where nothing is to be cut.
  [[nodiscard]] std::uint32_t leaf() const {
    if (way_ != "tree") return ~std::uint32_t{0};
    const std::uint64_t of_tree = width_ == "lane" ? leaf_ : leaf_ / loop_.grain;
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(of_tree, 1));
  }
  /// That run in all, but for a tree's.
  [[nodiscard]] std::uint64_t tasks() const {
    return std::uint64_t{units()} + (way_ == "spawn" ? 1 : 0);
  }

  loop_options loop_;
  std::string ways_option_ = "seed_n";
  std::uint64_t leaf_ = 0;
  std::string width_ = "lane";
  std::uint64_t piece_ = 0;
  options options_;
  std::vector<std::string> patterns_;
  std::vector<std::string> ways_;
  std::vector<std::optional<loop_answer>> answers_;  ///< of the patterns, as far as known
  std::string pattern_;                              ///< of the chosen variant, as the next
  std::string way_;
  loop_work work_{};
  loop_answer answer_;
  std::unique_ptr<runs<loop::context, loop::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_loop() {
  return std::make_unique<loop_workload>();
}

}  // namespace mgws::bench
