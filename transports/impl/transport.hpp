/// \file
/// The bodies of transport: where what workers share lies, and how it is brought to its start.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <mgws/transports/transport.hpp>

namespace mgws {

template <class View, class Area>
void transport<View, Area>::reset() {
  for (std::uint32_t m = 0; m != memories_.size(); ++m) {
    if (request_.inboxes != 0)
      std::uninitialized_value_construct_n(
          reinterpret_cast<inbox_head<B>*>(memories_[m].inboxes.data()),
          devices() * request_.inboxes);
    for (std::size_t i = 0; i != k_blocks; ++i)
      memories_[m].blocks[i].reset(start_of(m, i));
  }
}

template <class View, class Area>
void transport<View, Area>::clear_frames() {
  if constexpr (k_returns<view>) {
    if (memories_.size() == 1) return;  // nobody was elsewhere
    std::vector<std::byte> nothing(request_.frame_bytes);
    for (std::uint32_t m = 0; m != memories_.size(); ++m) {
      const device_range& of = request_.devices[m];
      const std::size_t at = (of.queues + devices()) * request_.queue_bytes;
      Area& slots = memories_[m].slots;
      for (std::uint32_t w = 0; w != of.workers && !nothing.empty(); ++w) {
        if (on_host(slots)) {
          std::copy_n(nothing.data(), nothing.size(), slots.data() + at + w * nothing.size());
        } else if constexpr (device_area<Area>) {
          slots.write(at + w * nothing.size(), nothing.data(), nothing.size());
        }
      }
    }
  }
}

template <class View, class Area>
View transport<View, Area>::workers_view(const void* initial_slots) const {
  view v = view_of([](const block<Area>& of) { return of.words().data(); });
  v.initial_ = initial_slots;
  return v;
}

template <class View, class Area>
void transport<View, Area>::look() const {
  for (const memory& m : memories_)
    for (const block<Area>& of : m.blocks)
      of.look();
  take_over_requests();
}

template <class View, class Area>
void transport<View, Area>::take_over_requests() const {
  if constexpr (view::mirrored) {
    const view seen = host_view();
    for (std::uint32_t m = 0; m != memories_.size(); ++m)
      B::store(seen.control(m).stop,
               B::load(seen.host_control(m).stop, order::relaxed, scope::system), order::relaxed,
               scope::system);
  }
}

template <class View, class Area>
void transport<View, Area>::look_at_signals() const {
  if constexpr (!view::mirrored)
    for (const memory& m : memories_)
      m.blocks[index(transport_memory::signals)].look();
}

template <class View, class Area>
View transport<View, Area>::host_view() const {
  return view_of([](const block<Area>& of) { return of.seen(); });
}

template <class View, class Area>
View transport<View, Area>::live_view() const {
  view v = host_view();
  if constexpr (view::mirrored)
    for (auto& b : v.bases_)
      b.control = b.mirror;
  return v;
}

template <class View, class Area>
void transport<View, Area>::stop(std::uint32_t device, stop_reason reason) const {
  const auto word = static_cast<std::uint32_t>(reason);
  const view v = workers_view(nullptr);
  const std::uint32_t m = view::memory_of_device(device);
  auto& request = (view::mirrored ? v.bases_[m].mirror : v.bases_[m].control)->stop;
  const Area& words = memories_[m].blocks[k_requests].words();
  if (on_host(words)) {
    B::store(request, word, order::relaxed, scope::system);
  } else if constexpr (device_area<Area>) {
    static_assert(sizeof request == sizeof word);
    words.write(address(&request) - address(words.data()), &word, sizeof word);
  }
  v.parking().notify_all();
}

template <class View, class Area>
void transport<View, Area>::read_frames(std::uint32_t worker, std::byte* to) const {
  std::uint32_t m = 0;
  while (worker - request_.devices[m].first_worker >= request_.devices[m].workers)
    ++m;
  const device_range& of = request_.devices[m];
  const std::size_t at = (of.queues + devices()) * request_.queue_bytes +
                         (worker - of.first_worker) * request_.frame_bytes;
  const Area& slots = memories_[m].slots;
  if (on_host(slots)) {
    std::copy_n(slots.data() + at, request_.frame_bytes, to);
  } else if constexpr (device_area<Area>) {
    slots.read(to, at, request_.frame_bytes);
  }
}

template <class View, class Area>
std::size_t transport<View, Area>::control_bytes() const {
  std::size_t n = 0;
  for (const memory& m : memories_) {
    n += m.slots.bytes() + m.inboxes.bytes();
    for (const block<Area>& of : m.blocks)
      n += of.bytes();
  }
  return n - queue_bytes();
}

template <class View, class Area>
std::uintptr_t transport<View, Area>::lay_out(view& v, std::uint32_t m, std::size_t part,
                                              std::uintptr_t at, bool construct) const {
  const auto next = [&]<class T>(T*& where, std::size_t n) {
    static_assert(sizeof(T) % sizeof(line) == 0);
    where = reinterpret_cast<T*>(at);
    if (construct) std::uninitialized_value_construct_n(where, n);
    at += n * sizeof(T);
  };
  auto& b = v.bases_[m];
  const bool signals = part == index(transport_memory::signals);
  // Control comes first: look_at_control_behind().
  if (part == index(transport_memory::queues)) {
    // Only the first memory's are used.
    if (m == 0) {
      next(v.global_cells_, request_.global_cells);
      next(v.bridge_gates_, request_.channels);
    }
    return_head<B>* returns = nullptr;
    next(returns, request_.frame_lines == 0 ? 0 : 1);
    next(b.heads, request_.devices[m].queues);
    free_frames<B>* free = nullptr;
    next(free, std::size_t{request_.devices[m].workers} * request_.frame_lines);
  } else {
    worker_progress<B>* progress = nullptr;
    cell<B>* cells = nullptr;
    next(signals ? b.control : b.mirror, 1);
    next(progress, request_.devices[m].workers);
    if (signals) next(cells, devices() * device_cells_);
    if (signals) next(b.gates, devices() * request_.inboxes);
  }
  if (part != index(transport_memory::mirror) && signals == request_.counters_with_signals)
    next(b.dealt, devices());
  return at;
}

}  // namespace mgws
