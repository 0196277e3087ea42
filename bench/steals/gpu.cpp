// Compiled by a GPU's compiler.
#include "steals/gpu.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <mgws/backends/gpu/device.hpp>
#include <mgws/core/order.hpp>
#include <mgws_devices.hpp>

#include "steals/queue.hpp"

namespace mgws::bench {
inline namespace MGWS_PORT {

using B = port_devices::probe_backend;
using api = port_devices::api;
using device = gpu::device<api>;
using area = gpu::area<api>;

/// What one launch gets. Owner and thief take turns by a word.
struct turns {
  void* head;
  void* shared;                        ///< 2 * slots slots
  B::atomic<std::uint32_t>* turn;      ///< at first 0, the owner's
  std::uint64_t* times;                ///< of the thief, for each steal that counts
  B::atomic<std::uint32_t>* mistakes;  ///< of both
  std::uint32_t slots;
  std::uint32_t capacity;  ///< of the local queues
  std::uint32_t steals;
  std::uint32_t first;  ///< 0: the first block is the owner; 1: it is the thief
};

constexpr std::uint64_t k_patience_ns = 2'000'000'000;

/// \return whether it came to that in time
MGWS_FN inline bool await(const B::atomic<std::uint32_t>& turn, std::uint32_t which) {
  const std::uint64_t begin = B::now();
  while (B::load(turn, order::acquire, scope::system) != which)
    if (B::now() - begin > k_patience_ns) return false;
  return true;
}

/// Each side's books lie in shared memory, as a leader's do.
template <class Q, std::size_t Bytes, class Scope>
MGWS_FN void run_turns(const turns& a, bool owns) {
  using types = queue_of<B, Q, Bytes>;
  using slot = typename types::slot;
  using side_owner = owner<B, Q, Bytes, Scope>;
  using side_thief = thief<B, Q, Bytes, Scope>;
  auto& head = *static_cast<typename types::head*>(a.head);
  const mgws::ring<slot> shared(static_cast<slot*>(a.shared), 2 * a.slots);
  auto* const local = static_cast<slot*>(B::team::local_memory());
  const std::uint32_t warm = warm_ups(a.steals);
  std::uint32_t mistakes = 0;
  if (owns) {
    auto& mine = *::new (B::team::object<side_owner>()) side_owner(head, shared, local, a.capacity);
    for (std::uint32_t i = 0; i != warm + a.steals && mistakes == 0; ++i) {
      mine.publish(a.slots);
      B::store(*a.turn, 2 * i + 1, order::release, scope::system);
      if (!await(*a.turn, 2 * i + 2) || !mine.take_back()) ++mistakes;
    }
  } else {
    auto& mine = *::new (B::team::object<side_thief>()) side_thief(head, shared, local, a.capacity);
    std::uint32_t waits = 0;
    for (std::uint32_t i = 0; i != warm + a.steals && mistakes == 0; ++i) {
      bool right = await(*a.turn, 2 * i + 1);
      if (right) {
        wait_a_little(waits);
        const std::uint64_t t = mine.steal(a.slots, right);
        if (i >= warm) a.times[i - warm] = t;
      }
      if (!right) ++mistakes;
      B::store(*a.turn, 2 * i + 2, order::release, scope::system);
    }
  }
  if (mistakes != 0) B::fetch_add(*a.mistakes, mistakes, order::relaxed, scope::system);
}

/// The leaders alone: the other lanes of a worker wait while it steals.
template <class Q, std::size_t Bytes, class Scope>
__global__ void __launch_bounds__(B::team::k_lanes) take_turns(const turns a) {
  if (B::team::lane() == 0) B::intrinsics::prepare_copies();
  B::team::sync();
  if (B::team::lane() == 0) run_turns<Q, Bytes, Scope>(a, a.first + blockIdx.x == 0);
}

struct clock_times {
  std::uint64_t* times;
  std::uint32_t n;
};
__global__ void read_clock(const clock_times a) {
  std::uint32_t waits = 0;
  for (std::uint32_t i = 0; i != a.n; ++i) {
    wait_a_little(waits);
    const std::uint64_t begin = B::now();
    a.times[i] = B::now() - begin;
  }
}

using entry = void (*)(turns);
struct kernel {
  entry start;
  std::size_t slot_bytes;
};

template <class Q, std::size_t Bytes, class Scope>
kernel kernel_of() {
  return {&take_turns<Q, Bytes, Scope>, sizeof(typename queue_of<B, Q, Bytes>::slot)};
}
template <class Q, std::size_t Bytes>
kernel kernel_at(bool peer) {
  return peer ? kernel_of<Q, Bytes, scope::system_t>() : kernel_of<Q, Bytes, scope::device_t>();
}
kernel kernel_for(const steal_round& r) {
  const bool small = r.task_bytes == 24;
  if (r.queue == queue_kind::sws)
    return small ? kernel_at<queues::sws, 24>(r.from_peer)
                 : kernel_at<queues::sws, 192>(r.from_peer);
  return small ? kernel_at<queues::sdc, 24>(r.from_peer) : kernel_at<queues::sdc, 192>(r.from_peer);
}

constexpr std::size_t k_line = B::line;
template <class T>
constexpr std::size_t k_lines = (sizeof(T) + k_line - 1) / k_line* k_line;
/// Of either kind.
constexpr std::size_t k_head_bytes = std::max(k_lines<queue_head<B>>, k_lines<sdc_head<B>>);

}  // namespace MGWS_PORT

struct gpu_steals::state {
  std::vector<std::unique_ptr<device>> gpus;
  std::vector<std::string> names;
};

gpu_steals::gpu_steals() : state_(std::make_unique<state>()) {
  std::string why;
  const int n = api::count(why);
  state_->gpus.push_back(std::make_unique<device>(0));
  if (n > 1 && api::peers(1, 0).access && api::peers(1, 0).atomics) {
    state_->gpus.push_back(std::make_unique<device>(1));
    api::use(1);
    api::enable_peer(0);
  }
  for (const auto& gpu : state_->gpus)
    state_->names.push_back(gpu->properties().name);
}
gpu_steals::~gpu_steals() = default;

const std::vector<std::string>& gpu_steals::names() const {
  return state_->names;
}

std::vector<std::uint64_t> gpu_steals::times(const steal_round& r, bool& right) {
  device& owner = *state_->gpus.front();
  device& thief = *state_->gpus.at(r.from_peer ? 1 : 0);
  const kernel k = kernel_for(r);
  const auto fits = [&](std::size_t capacity) {
    return capacity * k.slot_bytes + api::properties_of(k.start).static_shared_bytes <=
           owner.properties().shared_bytes;
  };
  std::uint32_t capacity = std::bit_ceil(2 * r.slots);
  if (!fits(capacity)) capacity /= 2;
  if (!fits(capacity)) return {};

  const std::size_t turn = k_head_bytes;
  const std::size_t slots = k_head_bytes + 2 * k_line;
  const area queue(owner, slots + 2 * std::size_t{r.slots} * k.slot_bytes, gpu::reach::shared);
  const area times(thief, r.steals * sizeof(std::uint64_t));
  auto* const at = queue.data();
  turns a{.head = at,
          .shared = at + slots,
          .turn = reinterpret_cast<B::atomic<std::uint32_t>*>(at + turn),
          .times = reinterpret_cast<std::uint64_t*>(times.data()),
          .mistakes = reinterpret_cast<B::atomic<std::uint32_t>*>(at + turn + k_line),
          .slots = r.slots,
          .capacity = capacity,
          .steals = r.steals,
          .first = 0};
  gpu::grid blocks{.blocks = r.from_peer ? 1u : 2u,
                   .threads = B::team::k_lanes,
                   .shared_bytes = capacity * k.slot_bytes};
  const auto start = [&](const device& gpu) {
    api::use(gpu.index());
    api::allow_shared(k.start, blocks.shared_bytes);
    api::launch(k.start, a, blocks, gpu.kernels());
  };
  start(owner);
  if (r.from_peer) {
    a.first = 1;
    start(thief);
  }
  owner.settle();
  thief.settle();
  std::uint32_t mistakes = 0;
  owner.read(&mistakes, a.mistakes, sizeof mistakes);
  right = right && mistakes == 0;
  std::vector<std::uint64_t> found(r.steals);
  thief.read(found.data(), a.times, r.steals * sizeof(std::uint64_t));
  return found;
}

std::vector<std::uint64_t> gpu_steals::clock_readings(std::uint32_t n) {
  device& gpu = *state_->gpus.front();
  const area times(gpu, n * sizeof(std::uint64_t));
  const clock_times a{reinterpret_cast<std::uint64_t*>(times.data()), n};
  api::use(gpu.index());
  api::launch(&read_clock, a, {}, gpu.kernels());
  gpu.settle();
  std::vector<std::uint64_t> found(n);
  gpu.read(found.data(), a.times, n * sizeof(std::uint64_t));
  return found;
}

}  // namespace mgws::bench
