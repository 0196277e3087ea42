// Two coherence domains with one worker each, and what goes between them: by loads and stores only,
// every word with a single writer. A sketch of a mailbox bridge, to check its protocol with the
// same machine; core has no such bridge.
//
// A domain without work raises its request. The other one notices it between two tasks, writes up
// to half of what it holds into its ring, but never its last task, and publishes the grant; it does
// not touch the ring again before the next request, which says that the thief has read it. The end:
// a domain publishes (idle, sent, received) in one word; the run is over when both are idle and the
// sums agree.
#include <algorithm>
#include <new>

#include "scenario.hpp"
#include "world.hpp"

namespace mgws::model_backend {

namespace {

using B = backend;
constexpr auto sys = scope::system;
constexpr unsigned k_ring = 1;
constexpr unsigned k_initial = 4;  ///< tasks that the first domain begins with

struct alignas(16) slot_type {
  std::uint64_t id;
  std::uint64_t unused;
};

struct world {
  atomic<std::uint64_t> request[2];  ///< how many the domain has made
  atomic<std::uint64_t> grant[2];    ///< the request answered, and the number of slots
  atomic<std::uint64_t> status[2];   ///< see status_word
  slot_type ring[2][k_ring];
};
world* w = nullptr;

constexpr std::uint64_t status_word(bool idle, std::uint64_t sent, std::uint64_t received) {
  return std::uint64_t{idle} << 16 | sent << 8 | received;
}

/// The only worker of a domain.
struct domain {
  unsigned me;
  std::uint64_t held[8]{};
  unsigned size = 0;
  std::uint64_t made = 0;    ///< requests
  std::uint64_t served = 0;  ///< requests of the other domain
  bool asking = false;
  std::uint64_t said = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;

  [[nodiscard]] unsigned other() const { return 1 - me; }

  void say(bool idle) {
    const std::uint64_t now = status_word(idle, sent, received);
    if (now == said) return;
    said = now;
    B::store(w->status[me], now, order::release, sys);
  }

  void run_newest() {
    const auto id = static_cast<unsigned>(held[--size]);
    the_machine().call({.kind = op::act, .value = id});
    ghost_run(id);
    // The first task has two children, and only it.
    for (unsigned child = k_initial; id == 0 && child != ghost->tasks; ++child)
      held[size++] = child;
  }

  void serve() {
    const std::uint64_t asked = B::load(w->request[other()], order::acquire, sys);
    const unsigned half = (size + changed(behaviour::mailbox_gives_last)) / 2;
    const unsigned n = std::min(half, k_ring);
    if (asked == served || n == 0) return;
    served = asked;
    for (unsigned i = 0; i != n; ++i) {
      the_machine().access(&w->ring[me][i], true);
      w->ring[me][i].id = held[i];
    }
    for (unsigned i = n; i != size; ++i)
      held[i - n] = held[i];
    size -= n;
    sent += n;
    if (changed(behaviour::mailbox_grant_by_add)) {
      // What a bus without atomics cannot do.
      B::fetch_add(w->request[other()], 0, order::relaxed, sys);
    }
    const std::uint64_t granted = asked << 8 | n;
    if (changed(behaviour::mailbox_grant_relaxed)) {
      B::store(w->grant[me], granted, order::relaxed, sys);
    } else {
      B::store(w->grant[me], granted, order::release, sys);
    }
  }

  void ask() {
    if (asking) return;
    asking = true;
    ++made;
    // Release: the ring has been read.
    if (changed(behaviour::mailbox_request_relaxed)) {
      B::store(w->request[me], made, order::relaxed, sys);
    } else {
      B::store(w->request[me], made, order::release, sys);
    }
  }

  void receive() {
    const std::uint64_t granted = B::load(w->grant[other()], order::acquire, sys);
    if (!asking || granted >> 8 != made) return;
    asking = false;
    for (unsigned i = 0; i != (granted & 0xff); ++i) {
      the_machine().access(&w->ring[other()][i], false);
      held[size++] = w->ring[other()][i].id;
      ++received;
    }
    // No longer idle, before anything that it receives can be sent on.
    if (!changed(behaviour::mailbox_idle_kept)) say(false);
  }

  /// \return whether both domains are idle and nothing is on its way, in two successive scans
  bool over() {
    for (int scan = 0; scan != 2; ++scan) {
      const std::uint64_t theirs = B::load(w->status[other()], order::acquire, sys);
      if (theirs >> 16 == 0) return false;
      if (sent + (theirs >> 8 & 0xff) != received + (theirs & 0xff)) return false;
    }
    return true;
  }

  void run() {
    for (B::backoff wait;;) {
      serve();
      if (size != 0) {
        run_newest();
        continue;
      }
      ask();
      receive();
      if (size != 0) continue;
      say(true);
      if (over()) break;
      wait.pause();
    }
    ghost_over();
  }
};

void body(void* argument, unsigned) {
  domain d{.me = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(argument))};
  if (d.me == 0)
    for (; d.size != k_initial; ++d.size)
      d.held[d.size] = d.size;
  d.run();
}

void setup(machine& m) {
  new_world(m, k_initial + 2);
  w = new (m.allocate<world>(1)) world{};
  for (unsigned d = 0; d != 2; ++d) {
    const auto of = " of domain " + std::to_string(d);
    const auto number = static_cast<std::uint8_t>(d);
    w->request[d].track("request" + of, number);
    w->grant[d].track("grant" + of, number);
    w->status[d].track("status" + of, number);
    m.watch(w->ring[d], sizeof w->ring[d], "ring" + of);
  }
  for (unsigned d = 0; d != 2; ++d)
    m.spawn("domain " + std::to_string(d), static_cast<std::uint8_t>(d), &body,
            reinterpret_cast<void*>(std::uintptr_t{d}), 1, static_cast<std::uint8_t>(d));
  m.at_end(
      []() -> const char* { return ghost->done == ghost->tasks ? nullptr : "a task never ran"; });
}

constexpr scenario k_scenarios[] = {
    {"mailbox-bridge", "two domains, requests, grants and rings of 1 slot; 6 tasks", &setup},
};

}  // namespace

std::span<const scenario> mailbox_scenarios() {
  return k_scenarios;
}

}  // namespace mgws::model_backend
