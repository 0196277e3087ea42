/// \file
/// Trees on a GPU without a runtime: children that are still to be visited, and a warp whose lanes
/// each visit one child of their family a step.
#pragma once

#include <cstdint>

#include "peers/gpu/device.hpp"
#include "uts/tree.hpp"

namespace mgws::bench::peers::gpu {

constexpr unsigned k_whole_warp = ~0u;

/// The children [next, end) of a node. Two loads or stores of 16 bytes.
struct family {
  uts::state parent;
  std::uint32_t depth;  ///< of the children
  std::uint32_t next;
  std::uint32_t end;

  [[nodiscard]] __host__ __device__ uint4 first_half() const {
    return {parent.word[0], parent.word[1], parent.word[2], parent.word[3]};
  }
  [[nodiscard]] __host__ __device__ uint4 second_half() const {
    return {parent.word[4], depth, next, end};
  }
  [[nodiscard]] __host__ __device__ static family of(const uint4& a, const uint4& b) {
    return {{{a.x, a.y, a.z, a.w, b.x}}, b.y, b.z, b.w};
  }
};
static_assert(sizeof(family) == 32);

struct tree_totals {
  unsigned long long nodes;
  unsigned long long leaves;
  unsigned depth;
  unsigned incomplete;
};

/// What a lane has counted.
struct lane_totals {
  std::uint64_t nodes = 0;
  std::uint64_t leaves = 0;
  std::uint32_t depth = 0;

  /// Called by all lanes of a warp.
  __device__ void add_to(tree_totals* all) {
    for (int away = 16; away != 0; away /= 2) {
      nodes += __shfl_down_sync(k_whole_warp, nodes, away);
      leaves += __shfl_down_sync(k_whole_warp, leaves, away);
    }
    depth = __reduce_max_sync(k_whole_warp, depth);
    if (threadIdx.x % 32 != 0) return;
    if (nodes != 0) atomicAdd(&all->nodes, static_cast<unsigned long long>(nodes));
    if (leaves != 0) atomicAdd(&all->leaves, static_cast<unsigned long long>(leaves));
    if (depth != 0) atomicMax(&all->depth, depth);
  }
};

/// Visits the next child of a lane's family.
/// \return the child's own family, empty if it has no children
[[nodiscard]] __device__ inline family visit_child(const uts::tree& tree, family& mine,
                                                   lane_totals& totals) {
  const uts::state child = tree.child<uts::portable_sha1>(mine.parent, mine.next++);
  const std::uint32_t children = tree.children(child, mine.depth);
  ++totals.nodes;
  if (children == 0) {
    ++totals.leaves;
    totals.depth = max(totals.depth, mine.depth);
  }
  return {child, mine.depth + 1, 0, children};
}

/// The number of a lane among those of a set that are before it.
[[nodiscard]] __device__ inline unsigned rank_in(unsigned lanes) {
  return __popc(lanes & ((1u << threadIdx.x % 32) - 1));
}

/// A warp's families in shared memory, as a ring: the newest are taken to work on, the oldest,
/// which have the largest trees below them, are given away.
class family_ring {
 public:
  static constexpr unsigned k_size = 128;
  static constexpr std::size_t k_bytes = k_size * sizeof(family);

  __device__ explicit family_ring(uint4* memory) : first_(memory), second_(memory + k_size) {}

  [[nodiscard]] __device__ unsigned size() const { return top_ - bottom_; }

  /// Those of the lanes that have `is`, at most as many as there is room for.
  __device__ void push(bool is, const family& f) {
    const unsigned lanes = __ballot_sync(k_whole_warp, is);
    if (is) put(top_ + rank_in(lanes), f);
    top_ += __popc(lanes);
    __syncwarp();
  }
  /// For the lanes that have `wants`, as far as there are any. \return whether this lane got one
  __device__ bool pop(bool wants, family& f) {
    const unsigned lanes = __ballot_sync(k_whole_warp, wants);
    const unsigned rank = rank_in(lanes);
    const bool gets = wants && rank < size();
    if (gets) f = get(top_ - 1 - rank);
    top_ -= min(static_cast<unsigned>(__popc(lanes)), size());
    __syncwarp();
    return gets;
  }
  __device__ void forget() { bottom_ = top_; }
  /// Lane i moves the i-th oldest of n, at most 32, to to[i].
  __device__ void move_oldest(unsigned n, uint4* to) {
    const unsigned lane = threadIdx.x % 32;
    if (lane < n) {
      const family f = get(bottom_ + lane);
      to[2 * lane] = f.first_half();
      to[2 * lane + 1] = f.second_half();
    }
    bottom_ += n;
    __syncwarp();
  }

 private:
  __device__ void put(unsigned i, const family& f) {
    first_[i % k_size] = f.first_half();
    second_[i % k_size] = f.second_half();
  }
  [[nodiscard]] __device__ family get(unsigned i) const {
    return family::of(first_[i % k_size], second_[i % k_size]);
  }

  uint4* first_;
  uint4* second_;
  unsigned bottom_ = 0;
  unsigned top_ = 0;
};

}  // namespace mgws::bench::peers::gpu
