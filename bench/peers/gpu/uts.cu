// Unbalanced trees without a runtime: by warps with stacks, and level by level.
#include <algorithm>
#include <utility>

#include "peers/gpu/device.hpp"
#include "peers/gpu/families.hpp"
#include "peers/gpu/handover.hpp"
#include "peers/gpu/uts.hpp"

namespace mgws::bench::peers::gpu {

namespace {

/// Families that a warp may have beside those in shared memory; deep trees need them.
constexpr unsigned k_spill = 8192;
/// Steps from one look at whether others wait for work to the next: all look at one word.
constexpr unsigned k_look_after = 2;
/// Families of a level that a warp takes at once, at most.
constexpr unsigned k_most_piece = 64;
constexpr unsigned k_most_threads = 256;

/// The root's children in as many pieces, so that many warps begin at once.
__global__ void give_root(family root, unsigned pieces, handover_view handover) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < pieces;
       i += gridDim.x * blockDim.x) {
    family part = root;
    part.next = static_cast<unsigned>(std::uint64_t{root.end} * i / pieces);
    part.end = static_cast<unsigned>(std::uint64_t{root.end} * (i + 1) / pieces);
    handover.preset(i, part);
  }
}

__global__ void __launch_bounds__(k_most_threads)
    search_by_stacks(uts::tree tree, handover_view handover, uint4* spill, tree_totals* all) {
  extern __shared__ uint4 rings[];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const unsigned warps = blockDim.x / 32;
  family_ring ring(rings + warp * (family_ring::k_bytes / sizeof(uint4)));
  spill += (std::uint64_t{blockIdx.x} * warps + warp) * k_spill * 2;
  unsigned spilled = 0;
  lane_totals totals;
  family mine{};
  bool busy = false;
  unsigned steps = 0;
  for (;;) {
    if (__any_sync(k_whole_warp, !busy)) {
      if (ring.size() == 0 && spilled != 0) {  // back from memory, the newest ones
        const unsigned n = min(spilled, 32u);
        spilled -= n;
        family f{};
        if (lane < n) f = family::of(spill[2 * (spilled + lane)], spill[2 * (spilled + lane) + 1]);
        ring.push(lane < n, f);
      }
      if (ring.size() == 0) {  // half of what a lane still has to visit is its neighbour's
        const bool splits = busy && mine.end - mine.next > 1;
        family half = mine;
        if (splits) mine.end = half.next = mine.next + (mine.end - mine.next + 1) / 2;
        ring.push(splits, half);
      }
      busy = ring.pop(!busy, mine) || busy;
    }
    if (!__any_sync(k_whole_warp, busy)) {
      const unsigned n = handover.receive(mine);  // or the end
      if (n == 0) break;
      busy = lane < n;
      continue;
    }
    // What is left now no lane here wants. Asked for now, needed when the children are hashed.
    const bool asks = ring.size() != 0 && ++steps % k_look_after == 0;
    const bool give = asks && handover.someone_waits();
    family child{};
    if (busy) {
      child = visit_child(tree, mine, totals);
      busy = mine.next != mine.end;
    }
    if (__any_sync(k_whole_warp, give)) handover.give(ring);
    if (ring.size() + 32 > family_ring::k_size) {
      if (spilled + 32 > k_spill) {
        all->incomplete = 1;
      } else {
        ring.move_oldest(32, spill + 2 * spilled);
        spilled += 32;
      }
    }
    if (ring.size() + 32 <= family_ring::k_size) ring.push(child.end != 0, child);
  }
  totals.add_to(all);
}

/// A warp takes pieces of the level; a lane that is done with its family takes the next one of the
/// piece. New families are gathered, so that one addition finds the place of many.
__global__ void __launch_bounds__(k_most_threads)
    visit_level(uts::tree tree, const uint4* from, const unsigned long long* from_size, uint4* to,
                unsigned long long* to_size, unsigned long long room, unsigned piece,
                unsigned long long* next, tree_totals* all) {
  extern __shared__ uint4 rings[];
  const unsigned lane = threadIdx.x % 32;
  family_ring ring(rings + threadIdx.x / 32 * (family_ring::k_bytes / sizeof(uint4)));
  const unsigned long long n = min(*from_size, room);
  unsigned long long first = 0;  // the rest of what the warp has taken
  unsigned long long end = 0;
  bool any_left = true;
  lane_totals totals;
  family mine{};
  bool busy = false;
  const auto flush = [&](unsigned count) {
    unsigned long long at = 0;
    if (lane == 0) at = atomicAdd(to_size, static_cast<unsigned long long>(count));
    at = __shfl_sync(k_whole_warp, at, 0);
    if (at + count <= room) {
      ring.move_oldest(count, to + 2 * at);
    } else {
      all->incomplete = 1;
      ring.forget();
    }
  };
  for (;;) {
    const unsigned idle = __ballot_sync(k_whole_warp, !busy);
    if (idle != 0 && (any_left || first != end)) {
      if (first == end) {
        if (lane == 0) first = atomicAdd(next, std::uint64_t{piece});
        first = __shfl_sync(k_whole_warp, first, 0);
        any_left = first < n;
        first = min(first, n);
        end = min(first + piece, n);
      }
      const unsigned long long at = first + rank_in(idle);
      if (!busy && at < end) {
        mine = family::of(from[2 * at], from[2 * at + 1]);
        busy = true;
      }
      first = min(first + __popc(idle), end);
    } else if (idle == k_whole_warp) {
      break;
    }
    family child{};
    if (busy) {
      child = visit_child(tree, mine, totals);
      busy = mine.next != mine.end;
    }
    ring.push(child.end != 0, child);
    if (ring.size() >= 64) flush(32);
  }
  while (ring.size() != 0)
    flush(min(ring.size(), 32u));
  totals.add_to(all);
}

struct input {
  uts::tree tree;
  family root;
  int threads;
  std::size_t shared;
};

/// One run after the other; `launch` makes all of a run's launches.
template <class Reset, class Launch>
std::vector<uts_run> repeat(const input& in, repetitions times, device_array<tree_totals>& totals,
                            Reset&& reset, Launch&& launch) {
  stopwatch watch;
  std::vector<tree_totals> after;
  std::vector<uts_run> runs;
  for (std::uint32_t run = 0; run != times.warmup + times.repeat; ++run) {
    totals.zero();
    reset();
    const double seconds = watch.seconds_of(launch);
    totals.download(after);
    if (run < times.warmup) continue;
    const tree_totals& t = after.front();
    // The root itself.
    runs.push_back(
        {seconds, t.nodes + 1, t.leaves + (in.root.end == 0 ? 1 : 0), t.depth, t.incomplete == 0});
  }
  return runs;
}

std::vector<uts_run> by_stacks(const input& in, repetitions times) {
  must(cudaFuncSetAttribute(search_by_stacks, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            static_cast<int>(in.shared)),
       "shared memory for the stacks");
  const auto blocks =
      static_cast<unsigned>(resident_blocks(search_by_stacks, in.threads, in.shared));
  const unsigned warps = blocks * static_cast<unsigned>(in.threads) / 32;
  handover shared_work(warps);
  device_array<uint4> spill(std::size_t{warps} * k_spill * 2);
  device_array<tree_totals> totals(1);
  const unsigned pieces = std::min(in.root.end, warps);
  return repeat(
      in, times, totals, [&] { shared_work.reset(pieces); },
      [&] {
        if (in.root.end == 0) return;
        give_root<<<32, 256>>>(in.root, pieces, shared_work.view());
        search_by_stacks<<<blocks, static_cast<unsigned>(in.threads), in.shared>>>(
            in.tree, shared_work.view(), spill.data(), totals.data());
      });
}

std::vector<uts_run> by_levels(const input& in, repetitions times) {
  must(cudaFuncSetAttribute(visit_level, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            static_cast<int>(in.shared)),
       "shared memory for new nodes");
  const auto blocks = static_cast<unsigned>(resident_blocks(visit_level, in.threads, in.shared));
  const unsigned long long warps = std::uint64_t{blocks} * static_cast<unsigned>(in.threads) / 32;
  std::size_t left = 0;
  std::size_t whole = 0;
  must(cudaMemGetInfo(&left, &whole), "memory of the GPU");
  // Nobody knows before how many nodes a level has.
  const unsigned long long room = left / 10 * 4 / sizeof(family);
  device_array<uint4> buffers[2] = {device_array<uint4>(2 * room), device_array<uint4>(2 * room)};
  // Of each level how many families it has, and how many were taken; in turn for four levels.
  constexpr unsigned k_levels = 4;
  device_array<unsigned long long> numbers(2 * k_levels);
  device_array<tree_totals> totals(1);
  const uint4 root[2] = {in.root.first_half(), in.root.second_half()};
  return repeat(
      in, times, totals,
      [&] {
        const unsigned long long one = 1;
        numbers.zero();
        numbers.upload(&one, 1);
        buffers[0].upload(root, 2);
      },
      [&] {
        if (in.root.end == 0) return;
        unsigned long long size = 1;
        for (unsigned level = 0; size != 0; ++level) {
          const unsigned here = 2 * (level % k_levels);
          const unsigned below = 2 * ((level + 1) % k_levels);
          must(cudaMemsetAsync(numbers.data() + below, 0, 2 * sizeof(unsigned long long)),
               "memory of the GPU");
          const auto piece = static_cast<unsigned>(
              std::clamp<unsigned long long>(size / (2 * warps), 1, k_most_piece));
          visit_level<<<blocks, static_cast<unsigned>(in.threads), in.shared>>>(
              in.tree, buffers[level % 2].data(), numbers.data() + here,
              buffers[(level + 1) % 2].data(), numbers.data() + below, room, piece,
              numbers.data() + here + 1, totals.data());
          must(cudaMemcpy(&size, numbers.data() + below, sizeof size, cudaMemcpyDeviceToHost),
               "a level's size");
          size = std::min(size, room);
        }
      });
}

}  // namespace

std::vector<uts_run> run_uts(const uts::tree& tree, std::span<const std::uint32_t> words,
                             uts_form form, std::uint32_t threads, repetitions times) {
  device_array<std::uint32_t> table(std::max<std::size_t>(words.size(), 1));
  table.upload(words.data(), words.size());
  const uts::node root = tree.root();
  input in{tree,
           {root.value, 1, 0, tree.children(root)},
           static_cast<int>(threads),
           threads / 32 * family_ring::k_bytes};
  in.tree.table = table.data();
  return form == uts_form::stacks ? by_stacks(in, times) : by_levels(in, times);
}

}  // namespace mgws::bench::peers::gpu
