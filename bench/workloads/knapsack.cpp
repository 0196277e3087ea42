#include "runs/knapsack.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/command_line.hpp"
#include "harness/ports.hpp"
#include "harness/width.hpp"
#include "knapsack/items.hpp"
#include "knapsack/search.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

namespace {

class knapsack_workload final : public workload {
 public:
  std::string name() const override { return "knapsack"; }
  std::string description() const override {
    return "the most valuable items that fit, by branch and bound";
  }
  std::string unit() const override { return "nodes"; }

  void add_options(CLI::App& command) override {
    command.add_option("--items", items_, "items")
        ->type_name("N")
        ->check(whole_number(1, knapsack::k_most_items))
        ->capture_default_str();
    command
        .add_option("--kind", kind_,
                    "how an item's value has to do with its weight: the more, the harder")
        ->type_name("uncorrelated|weakly|strongly")
        ->check(CLI::IsMember({"uncorrelated", "weakly", "strongly"}))
        ->capture_default_str();
    command.add_option("--range", range_, "largest weight")
        ->type_name("N")
        ->check(whole_number(1, 10'000'000))
        ->capture_default_str();
    command.add_option("--items-seed", items_seed_, "which items")
        ->type_name("N")
        ->check(whole_number())
        ->capture_default_str();
    command.add_option("--expect", expect_, "the largest value, instead of dynamic programming")
        ->type_name("VALUE")
        ->check(whole_number(0));
    command.add_flag("--sequential", sequential_, "search by one thread first, too");
    command
        .add_option("--width", width_, "lanes of a GPU's worker that run one task: one, or a warp")
        ->type_name("lane|warp")
        ->check(CLI::IsMember({"lane", "warp"}))
        ->capture_default_str();
  }

  void prepare(const options& o) override {
    given_ = knapsack::make_instance(kind_, static_cast<std::uint32_t>(items_),
                                     static_cast<std::uint32_t>(range_), items_seed_);
    constexpr std::uint64_t most_steps = 20'000'000'000;
    const bool too_many = items_ * given_.capacity > most_steps;
    if (too_many && !expect_ && !sequential_)
      throw bad_configuration("items times capacity, " + std::to_string(items_ * given_.capacity) +
                              ", are too many steps of dynamic programming: give --expect VALUE, "
                              "or --sequential");
    runs_ = with_port(o, [&]<class Port>() {
      return knapsack::make_runs<Port>(o, {.capacity = given_.capacity, .width = width_of(width_)});
    });
    std::vector<std::uint64_t> sums(2 * (items_ + 1));
    for (std::size_t i = 0; i != items_; ++i) {
      sums[i + 1] = sums[i] + given_.items[i].weight;
      sums[items_ + 1 + i + 1] = sums[items_ + 1 + i] + given_.items[i].value;
    }
    // Each device's tasks read them all the time.
    sums_ = placed_array<std::uint64_t>(runs_->data_places(), sums.size(), placement::replicated);
    sums_.upload(sums);
    best_.emplace(runs_->data_places());
    began_.emplace(runs_->data_places());
    if (sequential_)
      searched_ = knapsack::searcher(sums.data(), sums.data() + items_ + 1,
                                     static_cast<std::uint32_t>(items_))
                      .run(given_.capacity);
    known_ = expect_ ? *expect_ : too_many ? searched_->value : knapsack::optimum(given_);
  }

  json parameters() const override {
    return {{"items", items_},
            {"kind", kind_},
            {"range", range_},
            {"items_seed", items_seed_},
            {"width", width_}};
  }

  outcome run() override {
    best_->reset();
    began_->reset();
    const auto r = runs_->run_each(contexts_of(runs_->devices(), [&](std::uint32_t d) {
      const std::uint64_t* const sums = sums_.on(d).at(0, 0);
      return knapsack::context{.best = best_->on(d),
                               .began = began_->on(d),
                               .weights = sums,
                               .values = sums + items_ + 1,
                               .n = static_cast<std::uint32_t>(items_)};
    }));
    const std::uint64_t found = best_->value();
    outcome o;
    o.report = r;
    o.tasks = r.get<knapsack::nodes>();
    o.result = found;
    const auto witness = best_->witness();
    o.details = {{"capacity", given_.capacity}};
    if (witness)
      if (const auto s = seconds_to_best(r, began_->value(), witness->ns))
        o.details["seconds_to_optimum"] = *s;
    if (searched_)
      o.details.update({{"sequential_nodes", searched_->nodes},
                        {"sequential_seconds", searched_->seconds},
                        {"sequential_seconds_to_optimum", searched_->seconds_to_optimum}});
    o.fault = fault_of(found, witness);
    if (o.fault.empty() && searched_ && searched_->value != known_)
      o.fault = "the sequential search found a value of " + std::to_string(searched_->value) +
                " instead of " + std::to_string(known_);
    o.verified = o.fault.empty();
    return o;
  }

 private:
  /// What is wrong with what was found; empty if nothing is.
  std::string fault_of(std::uint64_t found, const std::optional<knapsack::found>& witness) const {
    if (found != known_)
      return "a value of " + std::to_string(found) + " instead of " + std::to_string(known_);
    std::uint64_t weight = 0;
    std::uint64_t value = 0;
    for (std::uint32_t i = 0; witness && i != items_; ++i) {
      if ((witness->taken.bits[i / 64] >> i % 64 & 1) == 0) continue;
      weight += given_.items[i].weight;
      value += given_.items[i].value;
    }
    if (value != found) return "items whose value is " + std::to_string(value);
    return weight <= given_.capacity ? "" : "items that do not fit";
  }

  std::uint64_t items_ = 80;
  std::string kind_ = "strongly";
  std::uint64_t range_ = 10'000;
  std::uint64_t items_seed_ = 2;
  std::optional<std::uint64_t> expect_;
  bool sequential_ = false;
  std::string width_ = "lane";

  knapsack::instance given_;
  std::uint64_t known_ = 0;
  std::optional<knapsack::search_result> searched_;
  placed_array<std::uint64_t> sums_;  ///< where the tasks reach them
  std::optional<knapsack::heaviest> best_;
  std::optional<first_begin> began_;
  std::unique_ptr<runs<knapsack::context, knapsack::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_knapsack() {
  return std::make_unique<knapsack_workload>();
}

}  // namespace mgws::bench
