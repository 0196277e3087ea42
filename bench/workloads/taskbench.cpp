#include "runs/taskbench.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/command_line.hpp"
#include "harness/list.hpp"
#include "harness/ports.hpp"
#include "taskbench/pattern.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

namespace {

constexpr std::uint64_t k_most_nodes = std::uint64_t{1} << 28;
constexpr std::uint64_t k_most_iterations = std::uint64_t{1} << 31;
/// The efficiency that METG is about.
constexpr double k_half = 0.5;

class taskbench_workload final : public workload {
 public:
  std::string name() const override { return "taskbench"; }
  std::string description() const override {
    return "task graphs of Task Bench, and how short their tasks may be";
  }
  std::string unit() const override { return "nodes"; }

  void add_options(CLI::App& command) override {
    command
        .add_option("--pattern", patterns_option_, "what a node depends on: a name, a list, or all")
        ->type_name("trivial|chain|stencil_1d|fft|tree|random_nearest")
        ->check(list_of(k_grid_patterns))
        ->capture_default_str();
    command.add_option("--columns", columns_, "nodes of a step")
        ->type_name("N")
        ->check(whole_number(1, k_most_nodes))
        ->capture_default_str();
    command.add_option("--steps", steps_, "steps")
        ->type_name("N")
        ->check(whole_number(1, k_most_nodes))
        ->capture_default_str();
    command.add_option("--radix", radix_, "random_nearest: a node depends on some of so many")
        ->type_name("N")
        ->check(whole_number(1, 15))
        ->capture_default_str();
    auto* const iterations =
        command.add_option("--iterations", iterations_, "length of a node's chain of operations")
            ->type_name("N")
            ->check(whole_number(0, k_most_iterations))
            ->capture_default_str();
    command
        .add_flag("--metg", metg_,
                  "look for the shortest chain with which the workers are efficient by half")
        ->excludes(iterations);
  }

  void prepare(const options& o) override {
    if (columns_ * steps_ > k_most_nodes)
      throw bad_configuration("--columns times --steps is at most " + std::to_string(k_most_nodes) +
                              ", not " + std::to_string(columns_ * steps_));
    options_ = o;
    patterns_ = names_in(patterns_option_, k_grid_patterns);
    choose(0);
    measure_peak();
  }

  std::size_t variants() const override { return patterns_.size(); }

  void choose(std::size_t variant) override {
    pattern_ = patterns_[variant];
    expected_.clear();
    runs_.reset();
    grid_ = make_task_grid(pattern_, static_cast<std::uint32_t>(columns_),
                           static_cast<std::uint32_t>(steps_), static_cast<std::uint32_t>(radix_));
    taskbench::grid::builder plan;
    for (std::uint32_t n = 0; n != grid_.nodes; ++n) {
      plan.add(taskbench::node{n});
      for (std::uint32_t i = grid_.begin[n]; i != grid_.begin[n + 1]; ++i)
        plan.precede(grid_.before[i], n);
    }
    runs_ = with_port(options_,
                      [&]<class Port>() { return taskbench::make_runs<Port>(options_, plan); });
    const auto places = runs_->data_places();
    begin_ = placed_array<std::uint32_t>(places, grid_.begin.size(), placement::replicated);
    before_ = placed_array<std::uint32_t>(places, grid_.before.size(), placement::replicated);
    values_ = array<std::uint64_t>(places.common(), grid_.nodes);
    begin_.upload(grid_.begin);
    before_.upload(grid_.before);
  }

  json parameters() const override {
    json j{{"pattern", pattern_}, {"columns", columns_}, {"steps", steps_}};
    if (pattern_ == "random_nearest") j["radix"] = radix_;
    if (metg_) {
      j["metg"] = true;
    } else {
      j["iterations"] = iterations_;
    }
    return j;
  }

  outcome run() override { return metg_ ? look_for_metg() : run_with(iterations_); }

 private:
  /// Chains of as many iterations as take milliseconds, several a lane: how many iterations all
  /// lanes together make in a second.
  void measure_peak() {
    const auto best_of = [&](std::uint64_t n, std::uint64_t iterations, int times) {
      std::optional<report<taskbench::results>> best;
      while (times-- > 0) {
        auto r = runs_->run_chains(n, context(0, iterations));
        if (!best || r.seconds < best->seconds) best = std::move(r);
      }
      return *best;
    };
    for (const auto& d : best_of(1, 1, 1).devices)
      lanes_ += std::uint64_t{d.workers} * std::max(1u, d.footprint.lanes);
    const std::uint64_t chains = 8 * lanes_;
    std::uint64_t iterations = 1024;
    constexpr double long_enough = 0.02;
    while (best_of(chains, iterations, 1).seconds < long_enough && iterations < k_most_iterations)
      iterations *= 2;
    peak_ = static_cast<double>(chains * iterations) / best_of(chains, iterations, 5).seconds;
  }

  [[nodiscard]] taskbench::context context(std::uint32_t device, std::uint64_t iterations) const {
    return {.begin = begin_.on(device).at(0, 0),
            .before = before_.on(device).at(0, 0),
            .values = values_.data(),
            .iterations = static_cast<std::uint32_t>(iterations)};
  }

  /// The values of all nodes, by one thread, which jumps over the chains.
  void expect(std::uint64_t iterations) {
    if (!expected_.empty() && expected_of_ == iterations) return;
    expected_of_ = iterations;
    expected_.resize(grid_.nodes);
    const linear_step chain = linear_step{}.times(iterations);
    const taskbench::context c{.begin = grid_.begin.data(),
                               .before = grid_.before.data(),
                               .values = expected_.data(),
                               .iterations = 0};
    for (std::uint32_t n = 0; n != grid_.nodes; ++n) {
      const std::uint64_t h = taskbench::gathered(c, n);
      expected_[n] = taskbench::value_of(h, chain(static_cast<std::uint32_t>(h)));
    }
  }

  outcome run_with(std::uint64_t iterations) {
    values_.fill(0);
    const auto r = runs_->run_each(
        contexts_of(runs_->devices(), [&](std::uint32_t d) { return context(d, iterations); }));
    expect(iterations);
    found_.resize(grid_.nodes);
    values_.download(found_);
    outcome o;
    o.report = r;
    o.tasks = r.tasks;
    std::uint64_t right = 0;
    for (std::uint32_t n = 0; n != grid_.nodes; ++n)
      right += found_[n] == expected_[n] ? 1 : 0;
    o.result = right;
    o.verified = right == grid_.nodes && r.tasks == grid_.nodes;
    if (!o.verified)
      o.fault = "after " + std::to_string(r.tasks) + " tasks " + std::to_string(right) + " of " +
                std::to_string(grid_.nodes) + " nodes had the right value";
    o.details["iterations"] = iterations;
    o.details["kernel_us"] = kernel_us(iterations);
    o.details["efficiency"] = kernel_us(iterations) / granularity_us(o);
    o.details["granularity_us"] = granularity_us(o);
    return o;
  }

  /// What a chain takes a lane while all are busy with such.
  [[nodiscard]] double kernel_us(std::uint64_t iterations) const {
    return static_cast<double>(iterations) * static_cast<double>(lanes_) / peak_ * 1e6;
  }
  /// The lanes' time for each node, kernel or not.
  [[nodiscard]] double granularity_us(const outcome& o) const {
    return o.report.seconds * static_cast<double>(lanes_) / grid_.nodes * 1e6;
  }
  /// Which part of the lanes' time goes into kernels.
  [[nodiscard]] static double efficiency(const outcome& o) {
    return o.details["efficiency"].get<double>();
  }

  /// The best of three runs; the first wrong one if there is one.
  outcome best_with(std::uint64_t iterations, json& points) {
    outcome best = run_with(iterations);
    for (int more = 2; more != 0 && best.verified; --more)
      if (outcome o = run_with(iterations); !o.verified || o.report.seconds < best.report.seconds)
        best = std::move(o);
    points.push_back(best.details);
    return best;
  }

  /// Doubles the chain until half of the time goes into it, then halves the interval to within 5 %.
  outcome look_for_metg() {
    constexpr double too_long = 2;  // seconds of a run
    json points = json::array();
    std::uint64_t too_short = 0;
    outcome best = best_with(1, points);
    std::uint64_t enough = 1;
    while (best.verified && efficiency(best) < k_half && best.report.seconds < too_long &&
           enough <= k_most_iterations / 2) {
      too_short = enough;
      best = best_with(enough *= 2, points);
    }
    const bool found = best.verified && efficiency(best) >= k_half;
    while (found && static_cast<double>(enough) > 1.05 * static_cast<double>(too_short) + 1) {
      const auto middle = std::max(
          too_short + 1, static_cast<std::uint64_t>(std::sqrt(static_cast<double>(too_short) *
                                                              static_cast<double>(enough))));
      if (middle == enough) break;
      outcome o = best_with(middle, points);
      if (!o.verified) return o;
      if (efficiency(o) >= k_half) {
        enough = middle;
        best = std::move(o);
      } else {
        too_short = middle;
      }
    }
    best.details["metg_us"] = found ? json(kernel_us(enough)) : json();
    best.details["points"] = std::move(points);
    return best;
  }

  std::string patterns_option_ = "stencil_1d";
  std::uint64_t columns_ = 256;
  std::uint64_t steps_ = 1000;
  std::uint64_t radix_ = 5;
  std::uint64_t iterations_ = 1000;
  bool metg_ = false;

  options options_;
  std::vector<std::string> patterns_;
  std::string pattern_;  ///< of the chosen variant, as the next
  task_grid grid_;
  placed_array<std::uint32_t> begin_;
  placed_array<std::uint32_t> before_;
  array<std::uint64_t> values_;
  std::unique_ptr<taskbench::graph_runs> runs_;
  std::vector<std::uint64_t> expected_;  ///< values for this many iterations
  std::uint64_t expected_of_ = 0;
  std::vector<std::uint64_t> found_;
  std::uint64_t lanes_ = 0;  ///< of all workers
  double peak_ = 0;          ///< iterations a second of all lanes
};

}  // namespace

std::unique_ptr<workload> make_taskbench() {
  return std::make_unique<taskbench_workload>();
}

}  // namespace mgws::bench
