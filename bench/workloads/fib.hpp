/// \file
/// `fib`: the naive Fibonacci function, each call a task, each call above the leaves a join of two.
/// What a join costs, and nothing else.
#pragma once

#include <cstdint>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/frame.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws::bench::fib {

struct context {};

struct result : sum<std::uint64_t> {};

struct add {
  static constexpr bool continuation = true;
  place<std::uint64_t> to;  ///< the root's is nowhere
  std::uint64_t left;
  std::uint64_t right;
  MGWS_FN void operator()(auto& worker) const {
    if (to) {
      worker.deliver(to, left + right);
    } else {
      worker.accumulate(result{}, left + right);
    }
  }
};

struct call {
  std::uint32_t n;
  place<std::uint64_t> to;
  MGWS_FN void operator()(auto& worker) const {
    if (n >= 2) {
      const auto sum = worker.join(add{to, 0, 0}, 2);
      worker.spawn(call{n - 1, sum.to(&add::left)});
      worker.spawn(call{n - 2, sum.to(&add::right)});
    } else if (to) {
      worker.deliver(to, n);
    } else {
      worker.accumulate(result{}, n);
    }
  }
};

}  // namespace mgws::bench::fib
