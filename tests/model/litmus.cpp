#include "litmus.hpp"

#include <new>

#include "world.hpp"

namespace mgws::model_backend {

namespace {

using B = backend;
using atomic_word = atomic<std::uint64_t>;
constexpr auto sys = scope::system;
constexpr auto dev = scope::device;

struct world {
  atomic_word x, y, z;
  alignas(16) std::uint64_t data[2];
  alignas(16) std::uint64_t more[2];
  std::uint64_t seen[4];
};
world* w = nullptr;

using body = void (*)(void*, unsigned);

world* fresh(machine& m) {
  w = new (m.allocate<world>(1)) world{};
  w->x.track("x");
  w->y.track("y");
  w->z.track("z");
  m.watch(w->data, 16, "data");
  m.watch(w->more, 16, "more");
  m.split_all = false;
  return w;
}
void write(std::uint64_t v) {
  the_machine().access(w->data, true);
  w->data[0] = v;
}
std::uint64_t read() {
  the_machine().access(w->data, false);
  return w->data[0];
}
void wait_for(const atomic_word& a, std::uint64_t v, auto order) {
  for (backoff b; B::load(a, order, sys) < v; b.pause()) {
  }
}

// ---- Message passing ----

template <class Store, class Load, class Scope = scope::system_t>
void message_passing(machine& m) {
  fresh(m);
  m.several_devices = true;
  m.spawn(
      "writer", 0,
      [](void*, unsigned) {
        write(1);
        B::store(w->x, 1, Store{}, Scope{});
      },
      nullptr);
  m.spawn(
      "reader", 1,
      [](void*, unsigned) {
        if (B::load(w->x, Load{}, Scope{}) == 1 && read() != 1) the_machine().fail("old data");
      },
      nullptr);
}

// ---- Release sequences ----

template <bool Modify>
void release_sequence(machine& m) {
  fresh(m);
  m.spawn(
      "writer", 0,
      [](void*, unsigned) {
        write(1);
        B::store(w->x, 1, order::release, sys);
      },
      nullptr);
  m.spawn(
      "between", 0,
      [](void*, unsigned) {
        if (B::load(w->x, order::relaxed, sys) != 1) return;
        if constexpr (Modify) {
          B::fetch_add(w->x, 1, order::relaxed, sys);
        } else {
          B::store(w->x, 2, order::relaxed, sys);
        }
      },
      nullptr);
  m.spawn(
      "reader", 0,
      [](void*, unsigned) {
        if (B::load(w->x, order::acquire, sys) == 2) read();
      },
      nullptr);
}

// ---- Two locations ----

void store_buffering(machine& m) {
  fresh(m);
  m.spawn(
      "a", 0,
      [](void*, unsigned) {
        B::store(w->x, 1, order::release, sys);
        w->seen[0] = 1 + B::load(w->y, order::acquire, sys);
      },
      nullptr);
  m.spawn(
      "b", 0,
      [](void*, unsigned) {
        B::store(w->y, 1, order::release, sys);
        w->seen[1] = 1 + B::load(w->x, order::acquire, sys);
      },
      nullptr);
  m.at_end(
      []() -> const char* { return w->seen[0] == 1 && w->seen[1] == 1 ? "both read 0" : nullptr; });
}

void load_buffering(machine& m) {
  fresh(m);
  m.spawn(
      "a", 0,
      [](void*, unsigned) {
        w->seen[0] = B::load(w->y, order::relaxed, sys);
        B::store(w->x, 1, order::relaxed, sys);
      },
      nullptr);
  m.spawn(
      "b", 0,
      [](void*, unsigned) {
        w->seen[1] = B::load(w->x, order::relaxed, sys);
        B::store(w->y, 1, order::relaxed, sys);
      },
      nullptr);
  m.at_end(
      []() -> const char* { return w->seen[0] == 1 && w->seen[1] == 1 ? "both read 1" : nullptr; });
}

void coherence(machine& m) {
  fresh(m);
  m.spawn(
      "writer", 0,
      [](void*, unsigned) {
        for (std::uint64_t v = 1; v != 4; ++v)
          B::store(w->x, v, order::relaxed, sys);
      },
      nullptr);
  m.spawn(
      "reader", 0,
      [](void*, unsigned) {
        std::uint64_t last = 0;
        for (int i = 0; i != 4; ++i) {
          const auto now = B::load(w->x, order::relaxed, sys);
          if (now < last) the_machine().fail("a location went backwards");
          last = now;
        }
      },
      nullptr);
}

template <bool Split>
void counting(machine& m) {
  fresh(m);
  m.split_all = Split;
  for (int i = 0; i != 2; ++i)
    m.spawn(
        "counter", 0, [](void*, unsigned) { B::fetch_add(w->x, 1, order::relaxed, sys); }, nullptr);
  m.at_end([]() -> const char* { return w->x.peek() == 2 ? nullptr : "an addition was lost"; });
}

/// Additions at device scope, and one for all: whole for the fibers of one device.
/// \tparam Devices  that they are on, in turn
template <unsigned Devices>
void counting_narrow(machine& m) {
  fresh(m);
  m.several_devices = true;
  for (unsigned i = 0; i != 2; ++i)
    m.spawn(
        "counter", static_cast<std::uint8_t>(i % Devices),
        [](void*, unsigned) { B::fetch_add(w->x, 1, order::relaxed, dev); }, nullptr);
  m.spawn(
      "counter for all", 0, [](void*, unsigned) { B::fetch_add(w->x, 1, order::relaxed, sys); },
      nullptr);
  m.at_end([]() -> const char* { return w->x.peek() == 3 ? nullptr : "an addition was lost"; });
}

// ---- Plain accesses ----

void planted_race(machine& m) {
  fresh(m);
  m.spawn(
      "reader", 0,
      [](void*, unsigned) {
        read();
        B::fetch_add(w->x, 1, order::relaxed, sys);
      },
      nullptr);
  m.spawn(
      "writer", 0,
      [](void*, unsigned) {
        if (B::load(w->x, order::acquire, sys) == 1) write(1);
      },
      nullptr);
}

// ---- Runs that do not end ----

void deadlock(machine& m) {
  fresh(m);
  static event_count* lot;
  lot = new (m.allocate<event_count>(1)) event_count{};
  lot->track();
  m.spawn(
      "sleeper", 0,
      [](void*, unsigned) {
        // The classic mistake: looks, then prepares to sleep.
        if (B::load(w->x, order::acquire, sys) == 1) return;
        lot->wait(lot->prepare());
      },
      nullptr);
  m.spawn(
      "waker", 0,
      [](void*, unsigned) {
        B::store(w->x, 1, order::release, sys);
        lot->notify_all();
      },
      nullptr);
}

void sleep_well(machine& m) {
  fresh(m);
  static event_count* lot;
  lot = new (m.allocate<event_count>(1)) event_count{};
  lot->track();
  m.spawn(
      "sleeper", 0,
      [](void*, unsigned) {
        const auto t = lot->prepare();
        if (B::load(w->x, order::acquire, sys) == 1) return lot->cancel(t);
        lot->wait(t);
      },
      nullptr);
  m.spawn(
      "waker", 0,
      [](void*, unsigned) {
        B::store(w->x, 1, order::release, sys);
        lot->notify_all();
      },
      nullptr);
}

template <bool Told>
void waiting(machine& m) {
  fresh(m);
  m.spawn(
      "waiter", 0, [](void*, unsigned) { wait_for(w->x, 1, order::relaxed); }, nullptr);
  m.spawn(
      "other", 0,
      [](void*, unsigned) {
        if constexpr (Told) B::store(w->x, 1, order::relaxed, sys);
      },
      nullptr);
}

/// Two that write for ever and never get anywhere.
void busy_for_ever(machine& m) {
  fresh(m);
  for (int i = 0; i != 2; ++i)
    m.spawn(
        "busy", 0,
        [](void*, unsigned) {
          for (backoff b; B::load(w->y, order::relaxed, sys) == 0; b.pause()) {
            while (B::exchange(w->x, 1, order::acquire, sys) == 1)
              b.pause();
            B::store(w->x, 0, order::release, sys);
          }
        },
        nullptr);
}

// ---- Lanes ----

template <bool Barrier>
void two_lanes(machine& m) {
  fresh(m);
  m.spawn(
      "worker", 0,
      [](void*, unsigned lane) {
        if (lane == 1) write(1);
        if constexpr (Barrier) the_machine().call({.kind = op::barrier});
        if (lane == 0) read();
      },
      nullptr, 2);
}

// ---- Two coherence domains and a mailbox ----

/// Requests travel in x (written by the thief's domain only), grants in y (by the victim's only),
/// a slot in `data`. Two rounds, so that the slot is used again.
/// \tparam Grant  the order of the grant; \tparam Add  raise the request by a read-modify-write of
/// the other domain's word, which a bus without atomics cannot do
template <class Grant, bool Add>
void mailbox(machine& m) {
  w = new (m.allocate<world>(1)) world{};
  w->x.track("request", 1);
  w->y.track("grant", 0);
  m.watch(w->data, 16, "mailbox slot");
  m.spawn(
      "victim", 0,
      [](void*, unsigned) {
        for (std::uint64_t round = 1; round != 3; ++round) {
          wait_for(w->x, round, order::acquire);
          write(100 + round);
          if constexpr (Add) {
            B::fetch_add(w->x, 0, order::relaxed, sys);
          }
          B::store(w->y, round, Grant{}, sys);
        }
      },
      nullptr, 1, 0);
  m.spawn(
      "thief", 1,
      [](void*, unsigned) {
        for (std::uint64_t round = 1; round != 3; ++round) {
          B::store(w->x, round, order::release, sys);
          wait_for(w->y, round, order::acquire);
          if (read() != 100 + round) the_machine().fail("a grant without its tasks");
        }
      },
      nullptr, 1, 1);
}

using relaxed = order::relaxed_t;
using acquire = order::acquire_t;
using release = order::release_t;

constexpr litmus k_litmus[] = {
    {"message-passing-relaxed", "data after a relaxed flag: a race",
     &message_passing<relaxed, acquire>, true},
    {"message-passing-relaxed-load", "the same with a relaxed load",
     &message_passing<release, relaxed>, true},
    {"message-passing", "data after release and acquire", &message_passing<release, acquire>,
     false},
    {"message-passing-narrow", "release and acquire at device scope, across devices",
     &message_passing<release, acquire, scope::device_t>, true},
    {"release-sequence", "a read-modify-write continues a release sequence",
     &release_sequence<true>, false},
    {"release-sequence-broken", "another fiber's store does not", &release_sequence<false>, true},
    {"store-buffering", "both loads may miss both stores", &store_buffering, true},
    {"load-buffering", "loads that see later stores are not explored", &load_buffering, false},
    {"coherence", "a location never goes backwards", &coherence, false},
    {"atomic-add", "read-modify-writes are indivisible", &counting<false>, false},
    {"split-add", "unless the fault says otherwise", &counting<true>, true},
    {"narrow-add", "at device scope they are so for fibers of one device", &counting_narrow<1>,
     false},
    {"narrow-add-far", "and not for those of two", &counting_narrow<2>, true},
    {"planted-race", "a write after a reader that released nothing", &planted_race, true},
    {"lost-wake-up", "sleeps without a second look", &deadlock, true},
    {"event-count", "sleeps after a second look", &sleep_well, false},
    {"never-told", "waits for a store that never comes", &waiting<false>, true},
    {"told", "waits for a relaxed store", &waiting<true>, false},
    {"busy-for-ever", "two that lock and unlock without end", &busy_for_ever, true},
    {"no-barrier", "a lane reads what another wrote", &two_lanes<false>, true},
    {"barrier", "the same behind a barrier", &two_lanes<true>, false},
    {"mailbox", "two domains, single-writer request and grant words", &mailbox<release, false>,
     false},
    {"mailbox-relaxed-grant", "the grant does not carry the slot", &mailbox<relaxed, false>, true},
    {"mailbox-read-modify-write", "an atomic of the other domain", &mailbox<release, true>, true},
};

}  // namespace

std::span<const litmus> all_litmus() {
  return k_litmus;
}

}  // namespace mgws::model_backend
