/// \file
/// A public queue with its owners and its thieves, without the worker's loop: owners release and
/// take back in every order, thieves make a fixed number of attempts.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <new>
#include <string>

#include <mgws/core/queues.hpp>

#include "scenario.hpp"
#include "world.hpp"

namespace mgws::model_backend {

/// What is left in a queue at the end of a run, and what is wrong with it.
struct queue_rest {
  bool lock;
  std::uint32_t first;   ///< position of the oldest slot that is left
  std::uint32_t left;    ///< slots
  std::uint64_t copied;  ///< slots that were claimed and not completed
};
template <class Layout, class B>
queue_rest rest_of(const queue_head<B>& head) {
  const auto f = Layout::decode(head.word.peek());
  std::uint64_t copied = f.claimed();
  for (unsigned e = 0; e != 2; ++e)
    copied += head.claimed[e].peek() - head.completed[e].peek();
  return {f.lock, f.tail + f.claimed(), f.remaining(), copied};
}
template <class Layout, class B>
queue_rest rest_of(const sdc_head<B>& head) {
  const sdc_glance at{head.tail.peek(), head.split.peek()};
  return {head.lock.peek() != 0, static_cast<std::uint32_t>(at.tail), at.left(),
          at.tail - head.completed.peek()};
}

struct queue_shape {
  unsigned owners = 1;
  unsigned thieves = 1;
  unsigned tasks = 6;     ///< of all owners
  unsigned attempts = 4;  ///< of each thief
  unsigned ring = 2;
  unsigned local = 2;
  bool devices = false;  ///< thieves on another device than the owners
  bool stalls = false;   ///< each thief may stop for good at any step
  /// Owners keep nothing and take nothing back; a thief goes on until so many attempts have won.
  bool hands_over = false;
  unsigned attempt_bits = 3;
  unsigned field_bits = 2;
};

/// \tparam Q  sws or sdc of mgws::queues
template <queue_shape S, class Q = queues::sws>
struct queue_program {
  using layout = small_layout<S.attempt_bits, S.field_bits, S.field_bits>;
  using P = protocol<layout>;
  using B = backend;
  struct alignas(16) slot_type {
    std::uint64_t content[2];
  };
  using local_type = local_queue<B, slot_type>;
  static constexpr bool k_locked = std::same_as<Q, queues::sdc>;

  struct world {
    typename Q::template head<B> head;
    slot_type slots[S.ring];
    slot_type local[S.owners + S.thieves][S.local];
  };
  static inline world* w;

  static ring<slot_type> slots() { return {w->slots, S.ring}; }
  static constexpr std::uint32_t k_max_batch = S.ring < 2 * S.local ? S.ring : 2 * S.local;

  static std::uint32_t max_batch() {
    return changed(behaviour::no_room_reserved) ? S.ring : k_max_batch;
  }

  /// Runs what the local queue holds.
  static void consume(local_type& local) {
    if (local.size() > local.capacity()) the_machine().fail("a local queue overflows");
    for (std::uint32_t i = local.tail(); i != local.head(); ++i) {
      slot_type& s = local.slots().at(i);
      the_machine().access(&s.content[0], false);
      if (s.content[0] == 0) the_machine().fail("an empty slot is run");
      ghost_run(static_cast<unsigned>(s.content[0] - 1));
      s = {};  // what is left behind would keep equal states apart
    }
    local.took_oldest(local.size());
  }

  /// An owner alone goes when its queue is quiet. Others go as soon as they get nothing: where
  /// thieves stall there is nothing to wait for, and two owners that wait for a thief would lock
  /// and unlock for ever.
  template <class Queue>
  static bool leaves(Queue& queue, bool postponed) {
    if (S.owners > 1 || S.stalls) return true;
    std::uint64_t given = 0;
    return !postponed && queue.quiet(given);
  }

  static void owner(void* argument, unsigned) {
    const auto number = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(argument));
    if constexpr (k_locked) notes().own_queue = 1;
    typename Q::template queue<P, B, slot_type, scope::system_t> queue(w->head, slots(), S.owners,
                                                                       max_batch(), scope::system);
    local_type local(w->local[number], S.local);
    unsigned next = S.tasks * number / S.owners;
    const unsigned last = S.tasks * (number + 1) / S.owners;
    for (;;) {
      unsigned made = 0;
      if (next != last)
        made = static_cast<unsigned>(2 - the_machine().call({.kind = op::choose, .value = 3}));
      if (made != 0) {
        for (; made != 0 && next != last; --made, ++next) {
          slot_type& s = local.push();
          the_machine().access(&s.content[0], true);
          s.content[0] = next + 1;
        }
        const auto done = queue.release(local.slots(), local.tail(), local.size());
        local.took_oldest(done.slots);
        if constexpr (S.hands_over) {
          for (B::backoff wait; !local.empty(); wait.pause())
            local.took_oldest(queue.release(local.slots(), local.tail(), local.size()).slots);
        }
        if (changed(behaviour::spawn_blocks) && !local.empty()) {
          // A spawn that waits for room, where nobody steals any more.
          for (B::backoff wait; !local.empty(); wait.pause())
            local.took_oldest(queue.release(local.slots(), local.tail(), local.size()).slots);
        }
        consume(local);
        continue;
      }
      decltype(queue.acquire(local, 0, ~0u, [] {})) got{0, false};
      if constexpr (!S.hands_over) got = queue.acquire(local, 0, ~0u, [] {});
      if (got.slots != 0) {
        consume(local);
        continue;
      }
      if (next == last && leaves(queue, got.postponed)) break;
      B::backoff{}.pause();
    }
    // A quiet queue's memory is its owner's again.
    if constexpr (k_locked && S.owners == 1 && !S.stalls)
      for (slot_type& s : w->slots)
        the_machine().access(&s.content[0], true);
  }

  static void thief(void* argument, unsigned) {
    const auto number = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(argument));
    local_type local(w->local[S.owners + number], S.local);
    for (unsigned i = 0; i != S.attempts;) {
      std::uint32_t stolen = 0;
      const auto r = steal<P, B, slot_type>(
          w->head, slots(), local, scope::system, !changed(behaviour::no_look), [] {}, [] {},
          stolen);
      if (r == steal_result::won) consume(local);
      if (!S.hands_over || r == steal_result::won) {
        ++i;
      } else {
        B::backoff{}.pause();
      }
    }
  }

  /// Every task has run, or lies in the queue, or was claimed by a thief that has stalled.
  static const char* at_end() {
    const queue_rest rest = rest_of<layout>(w->head);
    bool stalled = false;
    for (unsigned i = 0; i != the_machine().fibers(); ++i)
      stalled = stalled || the_machine().stalled(i);
    if (rest.lock && !(k_locked && stalled)) return "a queue was left locked";
    for (std::uint32_t i = 0; i != rest.left; ++i) {
      const std::uint64_t id = slots().at(rest.first + i).content[0] - 1;
      if (id >= ghost->tasks || ghost->ran[id] != 0) return "the queue holds what is no task";
    }
    if (rest.copied != 0 && !stalled) return "claims and completions do not agree at the end";
    return ghost->done + rest.left + rest.copied == ghost->tasks ? nullptr : "a task never ran";
  }

  static void setup(machine& m) {
    new_world(m, S.tasks);
    w = new (m.allocate<world>(1)) world{};
    track_queue<layout>(w->head, 0, S.owners > 1);
    m.watch(w->slots, sizeof w->slots, "slots");
    m.several_devices = S.devices;
    for (unsigned i = 0; i != S.owners; ++i)
      m.spawn("owner " + std::to_string(i), 0, &owner, reinterpret_cast<void*>(std::uintptr_t{i}));
    for (unsigned i = 0; i != S.thieves; ++i) {
      m.spawn("thief " + std::to_string(i), S.devices ? 1 : 0, &thief,
              reinterpret_cast<void*>(std::uintptr_t{i}));
      if constexpr (S.stalls) m.let_stall();
    }
    m.at_end(&at_end);
  }
};

}  // namespace mgws::model_backend
