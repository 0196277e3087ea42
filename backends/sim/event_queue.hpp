/// \file
/// What happens next: at most one event for each of a fixed number of actors, earliest first, of
/// two at one time that of the lower number.
#pragma once

#include <cstdint>
#include <vector>

#include <mgws/backends/sim/costs.hpp>

namespace mgws::sim {

/// A heap of four children a node that knows where each actor's event is.
class event_queue {
 public:
  struct event {
    time_type at;
    std::uint32_t actor;
    [[nodiscard]] bool before(const event& o) const {
      return at < o.at || (at == o.at && actor < o.actor);
    }
  };

  explicit event_queue(std::uint32_t actors) : place_(actors, k_nowhere) { heap_.reserve(actors); }

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  /// \pre !empty()
  [[nodiscard]] const event& first() const { return heap_.front(); }
  [[nodiscard]] bool has(std::uint32_t actor) const { return place_[actor] != k_nowhere; }

  /// The actor's event is then, wherever it was before.
  void set(std::uint32_t actor, time_type at) {
    std::uint32_t i = place_[actor];
    if (i == k_nowhere) {
      i = static_cast<std::uint32_t>(heap_.size());
      heap_.push_back({at, actor});
      up(i, {at, actor});
      return;
    }
    const event e{at, actor};
    if (e.before(heap_[i])) {
      up(i, e);
    } else {
      down(i, e);
    }
  }
  void remove(std::uint32_t actor) {
    const std::uint32_t i = place_[actor];
    if (i == k_nowhere) return;
    place_[actor] = k_nowhere;
    const event last = heap_.back();
    heap_.pop_back();
    if (i == heap_.size()) return;
    if (i != 0 && last.before(heap_[(i - 1) / 4])) {
      up(i, last);
    } else {
      down(i, last);
    }
  }

 private:
  static constexpr std::uint32_t k_nowhere = ~std::uint32_t{0};

  void put(std::uint32_t i, const event& e) {
    heap_[i] = e;
    place_[e.actor] = i;
  }
  void up(std::uint32_t i, event e) {
    while (i != 0) {
      const std::uint32_t parent = (i - 1) / 4;
      if (!e.before(heap_[parent])) break;
      put(i, heap_[parent]);
      i = parent;
    }
    put(i, e);
  }
  void down(std::uint32_t i, event e) {
    const auto n = static_cast<std::uint32_t>(heap_.size());
    for (;;) {
      const std::uint32_t begin = 4 * i + 1;
      if (begin >= n) break;
      const std::uint32_t end = begin + 4 < n ? begin + 4 : n;
      std::uint32_t least = begin;
      for (std::uint32_t c = begin + 1; c < end; ++c)
        if (heap_[c].before(heap_[least])) least = c;
      if (!heap_[least].before(e)) break;
      put(i, heap_[least]);
      i = least;
    }
    put(i, e);
  }

  std::vector<event> heap_;
  std::vector<std::uint32_t> place_;  ///< by actor
};

}  // namespace mgws::sim
