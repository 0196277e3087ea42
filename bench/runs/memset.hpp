/// \file
/// The runs of `memset`.
#pragma once

#include <cstdint>
#include <memory>

#include "runs/runs.hpp"
#include "workloads/memset.hpp"

namespace mgws::bench::memset {

struct variant {
  std::uint64_t tasks = 0;
  bool bulk = false;    ///< initial slots that stand for many tasks each
  bool parted = false;  ///< elements in several parts
};
using results = accumulators<>;

template <class Port>
std::unique_ptr<runs<context, results>> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::memset
