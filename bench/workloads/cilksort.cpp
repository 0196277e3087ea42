#include "runs/cilksort.hpp"

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

class cilksort_workload final : public workload {
 public:
  std::string name() const override { return "cilksort"; }
  std::string description() const override { return "a parallel merge sort of 32-bit keys"; }
  std::string unit() const override { return "keys"; }

  void add_options(CLI::App& command) override {
    command.add_option("--keys", keys_, "how many are sorted")
        ->type_name("N")
        ->check(whole_number(1, 0xffff'ffff))
        ->capture_default_str();
    command.add_option("--key-seed", seed_, "of the keys, which are random")
        ->type_name("S")
        ->capture_default_str();
    command.add_option("--sort-leaf", sort_leaf_, "keys that one task sorts by itself")
        ->type_name("N")
        ->check(whole_number(4, 0xffff'ffff))
        ->capture_default_str();
    command.add_option("--merge-leaf", merge_leaf_, "keys that one task merges by itself")
        ->type_name("N")
        ->check(whole_number(2, 0xffff'ffff))
        ->capture_default_str();
  }

  void prepare(const options& o) override {
    runs_ = with_port(o, [&]<class Port>() {
      return cilksort::make_runs<Port>(o, {.keys = static_cast<std::uint32_t>(keys_)});
    });
    std::mt19937 random(static_cast<std::uint32_t>(seed_));
    input_.resize(keys_);
    std::ranges::generate(input_, random);
    sorted_ = input_;
    std::ranges::sort(sorted_);
    const auto memory = runs_->data_places().devices[0];
    data_ = array<cilksort::key>(memory, keys_);
    buffer_ = array<cilksort::key>(memory, keys_);
    found_.resize(keys_);
    context_ = {data_.data(), buffer_.data(), static_cast<std::uint32_t>(sort_leaf_),
                static_cast<std::uint32_t>(merge_leaf_)};
  }

  json parameters() const override {
    return {{"keys", keys_},
            {"key_seed", seed_},
            {"sort_leaf", sort_leaf_},
            {"merge_leaf", merge_leaf_}};
  }

  outcome run() override {
    data_.upload(input_);
    outcome o;
    o.report = runs_->run(context_);
    data_.download(found_);
    o.tasks = keys_;
    const auto wrong = std::ranges::mismatch(found_, sorted_).in1 - found_.begin();
    o.result = wrong;
    o.verified = static_cast<std::uint64_t>(wrong) == keys_;
    if (!o.verified) o.fault = "key " + std::to_string(wrong) + " is not where it belongs";
    return o;
  }

 private:
  std::uint64_t keys_ = 1u << 20;
  std::uint64_t seed_ = 1;
  std::uint64_t sort_leaf_ = 64;
  std::uint64_t merge_leaf_ = 256;
  std::vector<cilksort::key> input_;
  std::vector<cilksort::key> sorted_;
  std::vector<cilksort::key> found_;  ///< after a run
  array<cilksort::key> data_;
  array<cilksort::key> buffer_;
  cilksort::context context_{};
  std::unique_ptr<runs<cilksort::context, cilksort::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_cilksort() {
  return std::make_unique<cilksort_workload>();
}

}  // namespace mgws::bench
