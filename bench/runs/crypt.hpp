/// \file
/// The runs of `crypt`.
#pragma once

#include <memory>

#include "runs/runs.hpp"
#include "workloads/crypt.hpp"

namespace mgws::bench::crypt {

struct variant {
  bool bulk = false;  ///< a pass as one slot that stands for all its pieces
  shape width = shape::lane;
};
using results = accumulators<ciphered>;

template <class Port>
std::unique_ptr<runs<context, results>> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::crypt
