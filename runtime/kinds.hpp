/// \file
/// Of which kind the workers of each coherence domain are, for tasks that say where they are to run
/// (core/affinity.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <mgws/core/affinity.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>

namespace mgws {

/// Of the workers of one domain.
[[nodiscard]] inline worker_kind kind_of(const options& o) {
  return uses_gpus(o) ? worker_kind::gpu : worker_kind::cpu;
}

/// The domains whose workers are of another kind than those of one, as bits.
[[nodiscard]] inline std::uint64_t other_kinds(std::span<const worker_kind> kinds,
                                               std::size_t domain) {
  std::uint64_t others = 0;
  for (std::size_t d = 0; d != kinds.size(); ++d)
    if (kinds[d] != kinds[domain]) others |= std::uint64_t{1} << d;
  return others;
}

/// \throws bad_configuration if there are tasks that no worker may run
template <class Tasks>
void check_affinity(std::span<const worker_kind> kinds) {
  for (const worker_kind k : {worker_kind::cpu, worker_kind::gpu})
    if (!Tasks::all_allow(k) && std::ranges::find(kinds, other(k)) == kinds.end())
      throw bad_configuration(
          k == worker_kind::cpu
              ? "tasks of this set run on GPUs only (affinity::gpu_only), and the options name none"
              : "tasks of this set run on CPU workers only (affinity::cpu_only), and the options "
                "name none");
}

}  // namespace mgws
