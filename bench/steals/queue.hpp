/// \file
/// A queue by itself, of either kind (core/queues.hpp), as its one owner and its one thief use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <mgws/core/protocol.hpp>
#include <mgws/core/queues.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws::bench {

struct nothing {
  MGWS_FN void operator()() const {}
};

template <std::size_t Bytes>
struct stolen_task {
  std::uint64_t number;
  std::byte others[Bytes - 8];
  MGWS_FN void operator()(auto& /*worker*/) const {}
};

/// \tparam Q  queues::sws or queues::sdc \tparam Bytes  of a task
template <class B, class Q, std::size_t Bytes>
struct queue_of {
  using task = stolen_task<Bytes>;
  using slot = mgws::slot<mgws::task_set<task>>;
  using head = typename Q::template head<B>;
  using local = mgws::local_queue<B, slot>;
};

/// What the owner does between two steals. \tparam Scope  at which the thief reaches the queue
template <class B, class Q, std::size_t Bytes, class Scope>
class owner {
  using types = queue_of<B, Q, Bytes>;
  using slot = typename types::slot;

 public:
  /// \param local  as many slots as `capacity` says, a power of two
  MGWS_FN owner(typename types::head& head, mgws::ring<slot> shared, slot* local,
                std::uint32_t capacity)
      : shared_(head, shared, 1, shared.capacity(), Scope{}), local_(local, capacity) {}

  /// Twice as many slots as are to be stolen, in as many releases as the local queue demands.
  MGWS_FN void publish(std::uint32_t slots) {
    for (std::uint32_t done = 0; done != 2 * slots;) {
      while (!local_.full() && done + local_.size() != 2 * slots) {
        const typename types::task next{done + local_.size(), {}};
        local_.push().write(next, 0, 1);
      }
      const std::uint32_t n = shared_.release(local_.slots(), local_.tail(), local_.size()).slots;
      local_.took_oldest(n);
      done += n;
      if (n == 0) return;  // which the thief will see
    }
  }
  /// What the thief left. \return whether there was something, and nothing is left
  MGWS_FN bool take_back() {
    const bool some = shared_.acquire(local_, ~0u, ~0u, nothing{}).slots != 0;
    local_.took_oldest(local_.size());
    return some && shared_.looks_empty();
  }

 private:
  typename Q::template queue<mgws::protocol, B, slot, Scope> shared_;
  typename types::local local_;
};

template <class B, class Q, std::size_t Bytes, class Scope>
class thief {
  using types = queue_of<B, Q, Bytes>;
  using slot = typename types::slot;

 public:
  MGWS_FN thief(typename types::head& head, mgws::ring<slot> shared, slot* local,
                std::uint32_t capacity)
      : head_(&head), shared_(shared), stolen_(local, capacity) {}

  /// \param right  whether it brought the oldest half \return nanoseconds
  MGWS_FN std::uint64_t steal(std::uint32_t slots, bool& right) {
    std::uint32_t n = 0;
    const std::uint64_t begin = B::now();
    (void)mgws::steal<mgws::protocol, B, slot>(*head_, shared_, stolen_, Scope{}, true, nothing{},
                                               nothing{}, n);
    const std::uint64_t end = B::now();
    right = n == slots && number(stolen_.oldest()) == 0 && number(stolen_.newest()) == slots - 1;
    stolen_.took_oldest(stolen_.size());
    return end - begin;
  }

 private:
  MGWS_FN static std::uint64_t number(const slot& s) {
    return s.template read<typename types::task>().get().number;
  }

  typename types::head* head_;
  mgws::ring<slot> shared_;
  typename types::local stolen_;
};

/// Another time each time, so that nothing keeps step with the clock's ticks.
/// \param times  of the caller
MGWS_FN inline void wait_a_little(std::uint32_t& times) {
  times = (times + 7) % 32;
  volatile std::uint32_t left = times;
  while (left != 0)
    left = left - 1;
}

/// Steals of a round that are to warm up, before those that count.
[[nodiscard]] constexpr MGWS_FN std::uint32_t warm_ups(std::uint32_t steals) {
  return steals / 8;
}

}  // namespace mgws::bench
