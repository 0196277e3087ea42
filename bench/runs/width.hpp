/// \file
/// How many lanes run one task of a workload: an option where the workload has variants.
#pragma once

#include <mgws/core/task_set.hpp>

namespace mgws::bench {

/// Calls f.template operator()<Width>() for a width that is known at run time.
template <class F>
auto with_width(shape width, F&& f) {
  switch (width) {
    case shape::warp:
      return f.template operator()<shape::warp>();
    case shape::block:
      return f.template operator()<shape::block>();
    case shape::lane:
      break;
  }
  return f.template operator()<shape::lane>();
}

}  // namespace mgws::bench
