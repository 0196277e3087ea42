#include "runs/quicksort.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include <mgws/memory.hpp>

#include "harness/command_line.hpp"
#include "harness/ports.hpp"
#include "workloads/all.hpp"

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
    command.add_option("--keys", keys_, "how many are sorted")
        ->type_name("N")
        ->check(whole_number(1, 0xffff'ffff))
        ->capture_default_str();
    command.add_option("--key-seed", seed_, "of the keys, which are random")
        ->type_name("S")
        ->capture_default_str();
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
      return quicksort::make_runs<Port>(o, {.keys = static_cast<std::uint32_t>(keys_)});
    });
    std::mt19937 random(static_cast<std::uint32_t>(seed_));
    input_.resize(keys_);
    std::ranges::generate(input_, [&] {
      const auto k = static_cast<quicksort::key>(random());
      return different_ == 0 ? k : static_cast<quicksort::key>(k % different_);
    });
    sorted_ = input_;
    std::ranges::sort(sorted_);
    const auto memory = runs_->data_places().devices[0];
    data_ = array<quicksort::key>(memory, keys_);
    buffer_ = array<quicksort::key>(memory, keys_);
    tallies_ = array<quicksort::tally>(memory, keys_ / piece_ + 1);
    found_.resize(keys_);
    context_ = {.keys = data_.data(),
                .buffer = buffer_.data(),
                .tallies = tallies_.data(),
                .leaf = static_cast<std::uint32_t>(leaf_),
                .piece = static_cast<std::uint32_t>(piece_)};
  }

  json parameters() const override {
    return {{"keys", keys_},
            {"key_seed", seed_},
            {"different", different_},
            {"leaf", leaf_},
            {"piece", piece_}};
  }

  outcome run() override {
    data_.upload(input_);
    const auto r = runs_->run(context_);
    data_.download(found_);
    outcome o;
    o.report = r;
    o.tasks = keys_;
    const std::uint64_t looked = r.get<quicksort::looked>();
    const std::uint64_t wrong = r.get<quicksort::wrong>();
    const auto first = std::ranges::mismatch(found_, sorted_).in1 - found_.begin();
    o.result = first;
    if (static_cast<std::uint64_t>(first) != keys_) {
      o.fault = "key " + std::to_string(first) + " is not where it belongs";
    } else if (looked != keys_ - 1 || wrong != 0) {
      o.fault = "of " + std::to_string(looked) + " pairs that were looked at after the finish, " +
                std::to_string(wrong) + " were in the wrong order";
    } else {
      o.verified = true;
    }
    return o;
  }

 private:
  std::uint64_t keys_ = 1u << 20;
  std::uint64_t seed_ = 1;
  std::uint64_t different_ = 0;
  std::uint64_t leaf_ = 32;
  std::uint64_t piece_ = 2048;
  std::vector<quicksort::key> input_;
  std::vector<quicksort::key> sorted_;
  std::vector<quicksort::key> found_;  ///< after a run
  array<quicksort::key> data_;
  array<quicksort::key> buffer_;
  array<quicksort::tally> tallies_;
  quicksort::context context_{};
  std::unique_ptr<runs<quicksort::context, quicksort::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_quicksort() {
  return std::make_unique<quicksort_workload>();
}

}  // namespace mgws::bench
