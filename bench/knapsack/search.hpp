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
  double seconds_to_optimum = 0;  ///< when it had the value
};

/// Stands for a worker.
class searcher {
  struct incumbent {
    searcher* self;
    [[nodiscard]] std::uint64_t value() const { return self->found_.value; }
    void improve(std::uint64_t v, const auto& /*witness*/) const {
      if (v <= self->found_.value) return;
      self->found_.value = v;
      self->found_.seconds_to_optimum = self->since_begin();
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
      : context_{{this}, {}, weights, values, n} {}
  searcher(const searcher&) = delete;
  searcher& operator=(const searcher&) = delete;

  search_result run(std::uint64_t capacity) {
    stack_.push_back({.taken = {}, .room = capacity, .value = 0, .level = 0});
    while (!stack_.empty()) {
      const task next = stack_.back();
      stack_.pop_back();
      next(*this);
    }
    found_.seconds = since_begin();
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
  [[nodiscard]] double since_begin() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  search_result found_;
  alone context_;
  std::vector<task> stack_;
};

}  // namespace mgws::bench::knapsack
