/// \file
/// What workloads that sort have in common: random 32-bit keys, where tasks sort them, and where
/// the first one is that is not where it belongs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include <CLI/CLI.hpp>

#include <mgws/memory.hpp>

#include "harness/command_line.hpp"

namespace mgws::bench {

class keys_to_sort {
 public:
  using key = std::uint32_t;

  void add_options(CLI::App& command) {
    command.add_option("--keys", count_, "how many are sorted")
        ->type_name("N")
        ->check(whole_number(1, 0xffff'ffff))
        ->capture_default_str();
    command.add_option("--key-seed", seed_, "of the keys, which are random")
        ->type_name("S")
        ->capture_default_str();
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

  /// \param different  keys that differ, at most; 0: as many as come
  template <class Memory>
  void prepare(const Memory& memory, std::uint64_t different = 0) {
    std::mt19937 random(static_cast<std::uint32_t>(seed_));
    input_.resize(count_);
    std::ranges::generate(input_, [&] {
      const auto k = static_cast<key>(random());
      return different == 0 ? k : static_cast<key>(k % different);
    });
    sorted_ = input_;
    std::ranges::sort(sorted_);
    data_ = array<key>(memory, count_);
    buffer_ = array<key>(memory, count_);
    found_.resize(count_);
  }
  /// As many keys each: what is to be sorted, and room beside it.
  [[nodiscard]] key* data() const { return data_.data(); }
  [[nodiscard]] key* buffer() const { return buffer_.data(); }

  /// Before a run.
  void upload() { data_.upload(input_); }
  /// After it. \return the first key that is not where it belongs, or their number
  [[nodiscard]] std::uint64_t first_wrong() {
    data_.download(found_);
    return static_cast<std::uint64_t>(std::ranges::mismatch(found_, sorted_).in1 - found_.begin());
  }

 private:
  std::uint64_t count_ = 1u << 20;
  std::uint64_t seed_ = 1;
  std::vector<key> input_;
  std::vector<key> sorted_;
  std::vector<key> found_;  ///< after a run
  array<key> data_;
  array<key> buffer_;
};

}  // namespace mgws::bench
