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
  bool bulk = false;     ///< slots that stand for many tasks each
  bool spawned = false;  ///< during the run; else the tasks are the initial set
  bool parted = false;   ///< elements in several parts

  /// Tasks that run beside those that store: they spawn these.
  [[nodiscard]] std::uint64_t spawners() const {
    constexpr std::uint64_t piece = spawn_each<false>::k_piece;
    return !spawned ? 0 : bulk ? 1 : (tasks + piece - 1) / piece;
  }
};
using results = accumulators<>;

template <class Port>
std::unique_ptr<runs<context, results>> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::memset
