/// \file
/// Tasks that say on which kind of worker they run (core/affinity.hpp), and spawn each other. What
/// ran where, they count in accumulators: the CPU and a GPU have no word in common.
#pragma once

#include <cstdint>
#include <string>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/runtime.hpp>

#include "contract/kinds.hpp"

namespace affinities {

/// Instances that ran: on a kind that they exclude; of those that exclude or prefer a kind, where
/// they belong; of all others.
struct misplaced : mgws::sum<std::uint64_t> {};
struct for_cpu : mgws::sum<std::uint64_t> {};
struct for_gpu : mgws::sum<std::uint64_t> {};
struct rather_cpu : mgws::sum<std::uint64_t> {};
struct rather_gpu : mgws::sum<std::uint64_t> {};
struct others : mgws::sum<std::uint64_t> {};
using counts = mgws::accumulators<misplaced, for_cpu, for_gpu, rather_cpu, rather_gpu, others>;

using kinds::on_gpu;
using kinds::where;

/// Of any kind: a tree, each of whose leaves spawns some of the others.
template <class Others>
struct branch {
  std::uint32_t depth;
  Others leaf;
  MGWS_FN void operator()(auto& worker) const {
    worker.accumulate(others{}, 1);
    if (depth == 0) return leaf(worker);
    worker.spawn(branch{depth - 1, leaf});
    worker.spawn(branch{depth - 1, leaf});
  }
};

/// A CPU's alone: no code for a GPU.
struct needs_cpu {
  static constexpr mgws::affinity affinity = mgws::affinity::cpu_only;
  void operator()(auto& worker, mgws::task_index /*i*/) const {
    worker.accumulate(for_cpu{}, 1);
    worker.accumulate(misplaced{}, on_gpu(worker) ? 1 : 0);
  }
};
#if defined(MGWS_PORT_OF_GPUS)
/// A GPU's alone: no code for a CPU. Spawns one that is for a CPU.
template <mgws::shape Width>
struct needs_gpu {
  static constexpr mgws::affinity affinity = mgws::affinity::gpu_only;
  static constexpr mgws::shape width = Width;
  __device__ void operator()(auto& worker) const {
    if (worker.lane() != 0) return;
    worker.accumulate(for_gpu{}, 1);
    worker.accumulate(misplaced{}, on_gpu(worker) ? 0 : 1);
    worker.spawn(needs_cpu{});
  }
};
#endif

/// For so long, on whichever kind.
template <mgws::affinity A>
struct rather {
  static constexpr mgws::affinity affinity = A;
  std::uint32_t us;
  MGWS_FN void operator()(auto& worker) const {
    const std::uint64_t begin = worker.now();
    while (worker.now() - begin < us * std::uint64_t{1000}) {
    }
    if constexpr (A == mgws::affinity::prefers_cpu) {
      worker.accumulate(rather_cpu{}, on_gpu(worker) ? 0 : 1);
    } else {
      worker.accumulate(rather_gpu{}, on_gpu(worker) ? 1 : 0);
    }
    worker.accumulate(others{}, 1);
  }
};
using prefers_cpu = rather<mgws::affinity::prefers_cpu>;
using prefers_gpu = rather<mgws::affinity::prefers_gpu>;

/// What a leaf spawns: nothing; so many instances for a CPU, as one slot.
struct nothing {
  MGWS_FN void operator()(auto& /*worker*/) const {}
};
struct some_for_cpu {
  std::uint32_t n;
  MGWS_FN void operator()(auto& worker) const { worker.spawn_n(needs_cpu{}, n); }
};

/// A CPU's alone: spawns tasks that prefer either kind, side by side.
struct spawns_both {
  static constexpr mgws::affinity affinity = mgws::affinity::cpu_only;
  std::uint32_t n;
  std::uint32_t us;
  void operator()(auto& worker) const {
    for (std::uint32_t i = 0; i != n; ++i) {
      worker.spawn(prefers_gpu{us});
      worker.spawn(prefers_cpu{us});
    }
  }
};

/// With no preference among them; and tasks of all kinds.
using tree = branch<some_for_cpu>;
using strict_tasks = mgws::task_set<tree, needs_cpu>;
#if defined(MGWS_PORT_OF_GPUS)
/// What a leaf spawns: so many for a CPU, and for a GPU of two widths, each of which spawns one
/// more for a CPU.
struct some_for_both {
  std::uint32_t n;
  MGWS_FN void operator()(auto& worker) const {
    worker.spawn_n(needs_cpu{}, n);
    for (std::uint32_t i = 0; i != n; ++i) {
      worker.spawn(needs_gpu<mgws::shape::lane>{});
      worker.spawn(needs_gpu<mgws::shape::warp>{});
    }
  }
};
using gpu_tree = branch<some_for_both>;
using tasks = mgws::task_set<gpu_tree, needs_cpu, needs_gpu<mgws::shape::lane>,
                             needs_gpu<mgws::shape::warp>, prefers_cpu, prefers_gpu, spawns_both>;
#else
using tasks = mgws::task_set<tree, needs_cpu, prefers_cpu, prefers_gpu, spawns_both>;
#endif

/// Whether a run of such a tree did what it says. \param leaf  needs_cpu instances of each leaf
/// \param each_gpu  needs_gpu tasks of each leaf
inline std::string fault(const counts& r, std::uint64_t tasks, std::uint32_t depth,
                         std::uint64_t leaf, std::uint64_t each_gpu = 0) {
  const std::uint64_t leaves = std::uint64_t{1} << depth;
  if (r.get<misplaced>() != 0) return std::to_string(r.get<misplaced>()) + " ran where they cannot";
  if (r.get<others>() != 2 * leaves - 1)
    return "nodes of the tree: " + std::to_string(r.get<others>());
  if (r.get<for_cpu>() != leaves * leaf) return "for a CPU: " + std::to_string(r.get<for_cpu>());
  if (r.get<for_gpu>() != leaves * each_gpu)
    return "for a GPU: " + std::to_string(r.get<for_gpu>());
  if (tasks != 2 * leaves - 1 + leaves * (leaf + each_gpu))
    return "tasks: " + std::to_string(tasks);
  return "";
}

}  // namespace affinities
