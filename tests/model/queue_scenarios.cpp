// A public queue with its owners and its thieves, without the worker's loop: owners release and
// take back in every order, thieves make a fixed number of attempts.
#include <memory>
#include <new>

#include "scenario.hpp"
#include "world.hpp"

namespace mgws::model_backend {

namespace {

struct shape {
  unsigned owners = 1;
  unsigned thieves = 1;
  unsigned tasks = 6;     ///< of all owners
  unsigned attempts = 4;  ///< of each thief
  unsigned ring = 2;
  unsigned local = 2;
  bool devices = false;  ///< thieves on another device than the owners
  bool stalls = false;   ///< each thief may stop for good at any step
  unsigned attempt_bits = 3;
  unsigned field_bits = 2;
};

template <shape S>
struct queue_program {
  using layout = small_layout<S.attempt_bits, S.field_bits, S.field_bits>;
  using P = protocol<layout>;
  using B = backend;
  struct alignas(16) slot_type {
    std::uint64_t content[2];
  };
  using local_type = local_queue<B, slot_type>;

  struct world {
    queue_head<B> head;
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
    public_queue<P, B, slot_type, scope::system_t> queue(w->head, slots(), S.owners, max_batch(),
                                                         scope::system);
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
        if (changed(behaviour::spawn_blocks) && !local.empty()) {
          // A spawn that waits for room, where nobody steals any more.
          for (B::backoff wait; !local.empty(); wait.pause())
            local.took_oldest(queue.release(local.slots(), local.tail(), local.size()).slots);
        }
        consume(local);
        continue;
      }
      const auto got = queue.acquire(local, 0, ~0u, [] {});
      if (got.slots != 0) {
        consume(local);
        continue;
      }
      if (next == last && leaves(queue, got.postponed)) break;
      B::backoff{}.pause();
    }
  }

  static void thief(void* argument, unsigned) {
    const auto number = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(argument));
    local_type local(w->local[S.owners + number], S.local);
    for (unsigned i = 0; i != S.attempts; ++i) {
      std::uint32_t stolen = 0;
      const auto r = steal<P, B, slot_type>(
          w->head, slots(), local, scope::system, !changed(behaviour::no_look), [] {}, [] {},
          stolen);
      if (r == steal_result::won) consume(local);
    }
  }

  /// Every task has run, or lies in the queue, or was claimed by a thief that has stalled.
  static const char* at_end() {
    const auto f = layout::decode(w->head.word.peek());
    if (f.lock) return "a queue was left locked";
    for (std::uint32_t i = f.claimed(); i != f.initial; ++i) {
      const std::uint64_t id = slots().at(f.tail + i).content[0] - 1;
      if (id >= ghost->tasks || ghost->ran[id] != 0) return "the queue holds what is no task";
    }
    std::uint64_t copied = f.claimed();
    for (unsigned e = 0; e != 2; ++e)
      copied += w->head.claimed[e].peek() - w->head.completed[e].peek();
    bool stalled = false;
    for (unsigned i = 0; i != the_machine().fibers(); ++i)
      stalled = stalled || the_machine().stalled(i);
    if (copied != 0 && !stalled) return "claims and completions do not agree at the end";
    return ghost->done + f.remaining() + copied == ghost->tasks ? nullptr : "a task never ran";
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

constexpr scenario k_scenarios[] = {
    {"one-thief", "owner and thief, ring of 2, 5 tasks, 4 attempts",
     &queue_program<shape{.tasks = 5}>::setup},
    {"one-thief-longer",
     "owner and thief, ring of 2, 7 tasks, 5 attempts",
     &queue_program<shape{.tasks = 7, .attempts = 5}>::setup,
     -1,
     {},
     effort::extended},
    {"one-thief-short", "owner and thief, ring of 2, 4 tasks, 3 attempts",
     &queue_program<shape{.tasks = 4, .attempts = 3}>::setup},
    {"stalled-thief", "owner and a thief that may stop for good at any step",
     &queue_program<shape{.tasks = 4, .attempts = 3, .stalls = true}>::setup},
    {"two-devices", "owner and thief on different devices; scopes matter",
     &queue_program<shape{.tasks = 4, .attempts = 3, .devices = true}>::setup},
    {"ring-of-4", "owner and thief, ring of 4, blocks of 2",
     &queue_program<shape{.tasks = 4, .attempts = 3, .ring = 4, .field_bits = 3}>::setup},
    {"large-ring", "owner and thief, ring of 8 and local queues of 2",
     &queue_program<shape{.tasks = 8, .attempts = 2, .ring = 8, .field_bits = 4}>::setup, 1},
    {"few-attempts", "owner and thief, attempts counted in 2 bits",
     &queue_program<shape{.tasks = 3, .attempts = 6, .attempt_bits = 2}>::setup},
    {"two-thieves",
     "owner and two thieves, 3 tasks, 2 attempts each",
     &queue_program<shape{.thieves = 2, .tasks = 3, .attempts = 2}>::setup,
     4,
     {},
     effort::always,
     true},
    {"two-owners", "two owners that share a queue, and a thief; 3 tasks, 2 attempts",
     &queue_program<shape{.owners = 2, .tasks = 3, .attempts = 2}>::setup, 4},
    {"two-owners-scopes", "two owners on one device, a thief on another; scopes matter",
     &queue_program<shape{.owners = 2, .tasks = 2, .attempts = 2, .devices = true}>::setup, 2},
};

}  // namespace

std::span<const scenario> queue_scenarios() {
  return k_scenarios;
}

}  // namespace mgws::model_backend
