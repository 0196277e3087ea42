#include "runs/quicksort.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include <mgws/memory.hpp>

#include "harness/command_line.hpp"
#include "harness/ports.hpp"
#include "workloads/all.hpp"
#include "workloads/sorting.hpp"

namespace mgws::bench {

namespace {

class quicksort_workload final : public workload {
 public:
  std::string name() const override { return "quicksort"; }
  std::string description() const override {
    return "a quicksort of 32-bit keys, and a look whether it is one";
  }
  std::string unit() const override { return "keys"; }

  void add_options(CLI::App& command) override {
    keys_.add_options(command);
    command.add_option("--different", different_, "keys that differ, at most; 0: as many as come")
        ->type_name("N")
        ->check(whole_number(0, 0xffff'ffff))
        ->capture_default_str();
    command.add_option("--leaf", leaf_, "keys that one task sorts by itself")
        ->type_name("N")
        ->check(whole_number(1, 0xffff'ffff))
        ->capture_default_str();
    command.add_option("--piece", piece_, "keys that one task parts by itself")
        ->type_name("N")
        ->check(whole_number(1, 0xffff'ffff))
        ->capture_default_str();
  }

  void prepare(const options& o) override {
    runs_ = with_port(o, [&]<class Port>() {
      return quicksort::make_runs<Port>(o, {.keys = static_cast<std::uint32_t>(keys_.count())});
    });
    const auto memory = runs_->data_places().common();
    keys_.prepare(memory, different_);
    tallies_ = array<quicksort::tally>(memory, keys_.count() / piece_ + 1);
    context_ = {.keys = keys_.data(),
                .buffer = keys_.buffer(),
                .tallies = tallies_.data(),
                .leaf = static_cast<std::uint32_t>(leaf_),
                .piece = static_cast<std::uint32_t>(piece_)};
  }

  json parameters() const override {
    return {{"keys", keys_.count()},
            {"key_seed", keys_.seed()},
            {"different", different_},
            {"leaf", leaf_},
            {"piece", piece_}};
  }

  outcome run() override {
    keys_.upload();
    const auto r = runs_->run(context_);
    outcome o;
    o.report = r;
    o.tasks = keys_.count();
    const std::uint64_t looked = r.get<quicksort::looked>();
    const std::uint64_t wrong = r.get<quicksort::wrong>();
    const std::uint64_t first = keys_.first_wrong();
    o.result = first;
    if (first != keys_.count()) {
      o.fault = "key " + std::to_string(first) + " is not where it belongs";
    } else if (looked != keys_.count() - 1 || wrong != 0) {
      o.fault = "of " + std::to_string(looked) + " pairs that were looked at after the finish, " +
                std::to_string(wrong) + " were in the wrong order";
    } else {
      o.verified = true;
    }
    return o;
  }

 private:
  keys_to_sort keys_;
  std::uint64_t different_ = 0;
  std::uint64_t leaf_ = 32;
  std::uint64_t piece_ = 2048;
  array<quicksort::tally> tallies_;
  quicksort::context context_{};
  std::unique_ptr<runs<quicksort::context, quicksort::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_quicksort() {
  return std::make_unique<quicksort_workload>();
}

}  // namespace mgws::bench
