/// \file
/// `quadrature`: adaptive quadrature, an interval a task that asks for two values of a function and
/// is done or joins its halves (quadrature/simpson.hpp). By joins, values and errors are added as
/// one thread does; or each lane sums up those of the intervals that it does not halve.
#pragma once

#include <cstdint>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/frame.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

#include "quadrature/simpson.hpp"

namespace mgws::bench::quadrature {

using context = problem;

struct integral : sum<double> {};
struct estimated : sum<double> {};

/// To the sums of all workers.
MGWS_FN void add_to_sums(auto& worker, const part& p) {
  worker.accumulate(integral{}, p.value);
  worker.accumulate(estimated{}, p.error);
}
/// To the join that waits for it; for the whole's none does.
MGWS_FN void hand_on(auto& worker, const place<part>& to, const part& p) {
  if (to) {
    worker.deliver(to, p);
  } else {
    add_to_sums(worker, p);
  }
}

/// Whether an interval may be halved; if not, the run ends. A recursion that was cut off would be a
/// wrong result.
[[nodiscard]] MGWS_FN bool may_be_halved(auto& worker, const interval& i) {
  if (i.depth != worker.context().depth) return true;
  worker.fail(i.depth);
  return false;
}

struct add {
  static constexpr bool continuation = true;
  place<part> to;  ///< the whole's is nowhere
  part left, right;
  MGWS_FN void operator()(auto& worker) const { hand_on(worker, to, left + right); }
};

struct joined_interval {
  interval all;
  place<part> to;
  MGWS_FN void operator()(auto& worker) const {
    const halves h = halves::of(worker.context(), all);
    if (h.good) {
      hand_on(worker, to, h.both);
    } else if (may_be_halved(worker, all)) {
      const auto both = worker.join(add{to, {}, {}}, 2);
      worker.spawn(joined_interval{h.left, both.to(&add::left)});
      worker.spawn(joined_interval{h.right, both.to(&add::right)});
    }
  }
};

struct summed_interval {
  interval all;
  MGWS_FN void operator()(auto& worker) const {
    const halves h = halves::of(worker.context(), all);
    if (h.good) {
      add_to_sums(worker, h.both);
    } else if (may_be_halved(worker, all)) {
      worker.spawn(summed_interval{h.left});
      worker.spawn(summed_interval{h.right});
    }
  }
};

}  // namespace mgws::bench::quadrature
