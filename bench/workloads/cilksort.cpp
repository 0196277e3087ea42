#include "runs/cilksort.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include "harness/command_line.hpp"
#include "harness/ports.hpp"
#include "workloads/all.hpp"
#include "workloads/sorting.hpp"

namespace mgws::bench {

namespace {

class cilksort_workload final : public workload {
 public:
  std::string name() const override { return "cilksort"; }
  std::string description() const override { return "a parallel merge sort of 32-bit keys"; }
  std::string unit() const override { return "keys"; }

  void add_options(CLI::App& command) override {
    keys_.add_options(command);
    command.add_option("--sort-leaf", sort_leaf_, "keys that one task sorts by itself, on a CPU")
        ->type_name("N")
        ->check(whole_number(4, 0xffff'ffff))
        ->capture_default_str();
    command
        .add_option("--merge-leaf", merge_leaf_,
                    "keys that one task merges; where a GPU takes part at most " +
                        std::to_string(cilksort::k_tile) + ", and a multiple of " +
                        std::to_string(cilksort::k_together))
        ->type_name("N")
        ->check(whole_number(2, 0xffff'ffff))
        ->capture_default_str();
  }

  void prepare(const options& o) override {
    runs_ = with_port(o, [&]<class Port>() {
      return cilksort::make_runs<Port>(o, {.keys = static_cast<std::uint32_t>(keys_.count())});
    });
    keys_.prepare(runs_->data_places().common());
    context_ = {keys_.data(), keys_.buffer(), static_cast<std::uint32_t>(sort_leaf_),
                static_cast<std::uint32_t>(merge_leaf_)};
    if (uses_gpus(o)) cilksort::suit_lanes(context_);
  }

  json parameters() const override {
    return {{"keys", keys_.count()},
            {"key_seed", keys_.seed()},
            {"sort_leaf", context_.sort_leaf},
            {"merge_leaf", context_.merge_leaf}};
  }

  outcome run() override {
    keys_.upload();
    outcome o;
    o.report = runs_->run(context_);
    o.tasks = keys_.count();
    const std::uint64_t wrong = keys_.first_wrong();
    o.result = wrong;
    o.verified = wrong == keys_.count();
    if (!o.verified) o.fault = "key " + std::to_string(wrong) + " is not where it belongs";
    return o;
  }

 private:
  keys_to_sort keys_;
  std::uint64_t sort_leaf_ = 64;
  std::uint64_t merge_leaf_ = cilksort::k_tile;
  cilksort::context context_{};
  std::unique_ptr<runs<cilksort::context, cilksort::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_cilksort() {
  return std::make_unique<cilksort_workload>();
}

}  // namespace mgws::bench
