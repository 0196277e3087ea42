/// \file
/// The search of `knapsack` by one thread: the same tasks, the newest first, on a stack.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "workloads/knapsack.hpp"

namespace mgws::bench::knapsack {

struct search_result {
  std::uint64_t value = 0;
  std::uint64_t nodes = 0;
  double seconds = 0;
};

/// Stands for a worker.
class searcher {
  struct incumbent {
    std::uint64_t* best;
    [[nodiscard]] std::uint64_t value() const { return *best; }
    void improve(std::uint64_t v, const auto& /*witness*/) const {
      if (v > *best) *best = v;
    }
  };
  struct nobody {
    void improve(std::uint64_t /*ns*/) const {}
  };
  struct alone {
    incumbent best;
    nobody began;
    const std::uint64_t* weights;
    const std::uint64_t* values;
    std::uint32_t n;
  };

 public:
  using task = decide<shape::lane>;

  /// \param weights, values  n + 1 sums, as context has them
  searcher(const std::uint64_t* weights, const std::uint64_t* values, std::uint32_t n)
      : context_{{&found_.value}, {}, weights, values, n} {}
  searcher(const searcher&) = delete;
  searcher& operator=(const searcher&) = delete;

  search_result run(std::uint64_t capacity) {
    const auto begin = std::chrono::steady_clock::now();
    stack_.push_back({.taken = {}, .room = capacity, .value = 0, .level = 0});
    while (!stack_.empty()) {
      const task next = stack_.back();
      stack_.pop_back();
      next(*this);
    }
    found_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return found_;
  }

  // ---- What the task calls ----

  [[nodiscard]] const alone& context() const { return context_; }
  [[nodiscard]] static constexpr std::uint32_t lane() { return 0; }
  [[nodiscard]] static constexpr std::uint32_t lanes() { return 1; }
  [[nodiscard]] static std::uint64_t now() { return 0; }
  void spawn(const task& t) { stack_.push_back(t); }
  void accumulate(nodes /*which*/, std::uint64_t n) { found_.nodes += n; }

 private:
  search_result found_;
  alone context_;
  std::vector<task> stack_;
};

}  // namespace mgws::bench::knapsack
