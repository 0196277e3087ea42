/// \file
/// The model backend: mgws::backend, with every operation that others can see handed to the
/// machine, and the mutants that change what an operation does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include <mgws/backends/model/changed_operations.hpp>
#include <mgws/backends/model/machine.hpp>
#include <mgws/backends/model/operations.hpp>
#include <mgws/backends/model/protocol.hpp>
#include <mgws/core/backend.hpp>

namespace mgws::model_backend {

/// The barriers that workers of several lanes have met at, for saying that none was overlooked.
struct barrier_site {
  const char* file;
  const char* function;
  unsigned line;
};
inline constexpr unsigned k_barriers = 256;
inline barrier_site barriers_seen[k_barriers];
/// Notes the barrier. \return whether a mutant leaves it out
[[nodiscard]] inline bool left_out(const std::source_location& where) {
  const char* function = where.function_name();
  const char* skip = current_settings.no_barrier_in;
  const bool named = skip != nullptr && std::strstr(function, skip) != nullptr;
  int number = 1;
  bool known = false;
  for (barrier_site& b : barriers_seen) {
    if (b.function == nullptr) b = {where.file_name(), function, where.line()};
    const bool same = std::strcmp(b.function, function) == 0;
    known = same && b.line == where.line();
    if (known) break;
    number += same;
  }
  if (!known) the_machine().fail("there are more barriers than the model can tell apart");
  return named &&
         (current_settings.barrier_number == 0 || current_settings.barrier_number == number);
}

/// How the random numbers of target selection are chosen: among so many values, all of them.
inline std::uint32_t random_ways = 1;

/// Random numbers as choices. The usual choice goes through the values in turn, so that a run that
/// only makes usual choices tries every target.
class random {
 public:
  random(std::uint64_t /*seed*/, std::uint64_t /*stream*/) {}
  std::uint32_t next() {
    if (random_ways == 1) return 0;
    const auto chosen = the_machine().call({.kind = op::choose, .value = random_ways});
    last_ = static_cast<std::uint32_t>((last_ + 1 + chosen) % random_ways);
    return last_ * (~std::uint32_t{0} / random_ways + 1);
  }

 private:
  std::uint32_t last_ = 0;
};

/// Patience for one pause.
class backoff {
 public:
  void pause() {
    the_machine().call({.kind = op::pause});
    exhausted_ = true;
  }
  [[nodiscard]] bool exhausted() const { return exhausted_; }

 private:
  bool exhausted_ = false;
};

/// Workers that never sleep.
struct no_parking {
  static constexpr bool sleeps = false;
  using ticket = std::uint64_t;
  static ticket prepare() { return 0; }
  static void cancel(ticket) {}
  static void wait(ticket) {}
  static void notify_one() {}
  static void notify_all() {}
  static void track() {}
};

/// The event count of the CPU backend's parking, without the time-out that would hide a lost
/// wake-up. The mutex there is a read-modify-write of `events_` here.
class event_count {
 public:
  static constexpr bool sleeps = true;
  using ticket = std::uint64_t;

  void track() {
    sleepers_.track("sleepers");
    events_.track("events");
  }
  ticket prepare() {
    if (mutated()) notes().to_sleep = 1;
    add(sleepers_, 1);
    return add(events_, 0);
  }
  void cancel(ticket) {
    if (mutated()) notes().to_sleep = 0;
    add(sleepers_, ~std::uint64_t{0});
  }
  void wait(ticket t) {
    if (mutated()) notes().to_sleep = 0;
    the_machine().call({.kind = op::sleep, .location = events_.location(), .value = t});
    add(sleepers_, ~std::uint64_t{0});
  }
  void notify_one() { notify(1); }
  void notify_all() { notify(0); }

 private:
  void notify(std::uint64_t how) {
    if (how == 1 && changed(behaviour::no_wake_on_release)) return;
    if (add(sleepers_, 0) == 0) return;
    add(events_, 1);
    the_machine().call({.kind = op::wake, .value = how});
  }
  static std::uint64_t add(const atomic<std::uint64_t>& x, std::uint64_t v) {
    return the_machine().call(
        {.kind = op::add, .order = memory_order::acq_rel, .location = x.location(), .value = v});
  }

  atomic<std::uint64_t> sleepers_{};
  atomic<std::uint64_t> events_{};
};

/// What finishes gather: plain numbers in their frames, each of which has a shared number of the
/// machine in its place.
struct gathered_numbers {
  static constexpr unsigned k_most = 4;
  static inline const std::uint64_t* at[k_most];
  static inline atomic<std::uint64_t>* shared[k_most];
  static inline unsigned known = 0;

  static void begin() { known = 0; }
  static void track(const std::uint64_t& x, atomic<std::uint64_t>& as, std::string name) {
    if (known == k_most) the_machine().fail("there are more numbers than the model can gather");
    as.track(std::move(name));
    at[known] = &x;
    shared[known++] = &as;
  }
  [[nodiscard]] static atomic<std::uint64_t>& of(const std::uint64_t& x) {
    for (unsigned i = 0; i != known; ++i)
      if (at[i] == &x) return *shared[i];
    the_machine().fail("a number is gathered that the model does not know");
    return *shared[0];
  }
};
/// Of those numbers, a backend's operations on shared ones. Only sums are explored.
template <class B>
struct gathering_atomics {
  template <class Order, class Scope>
  static std::uint64_t load(const std::uint64_t& x, Order o, Scope s) {
    return B::load(gathered_numbers::of(x), o, s);
  }
  template <class Order, class Scope>
  static void store(std::uint64_t& x, std::uint64_t v, Order o, Scope s) {
    B::store(gathered_numbers::of(x), v, o, s);
  }
  template <class Order, class Scope>
  static std::uint64_t fetch_add(std::uint64_t& x, std::uint64_t v, Order o, Scope s) {
    return B::fetch_add(gathered_numbers::of(x), v, o, s);
  }
};

template <class Parking>
struct basic_backend {
  template <class T>
  using atomic = model_backend::atomic<T>;
  using atomics = gathering_atomics<basic_backend>;
  using random = model_backend::random;
  using backoff = model_backend::backoff;
  using parking = Parking;

  static constexpr std::size_t line = 16;
  static constexpr std::uint32_t hand_over_ns = 0;
  static constexpr std::uint32_t longest_burst = 8192;
  static constexpr std::uint32_t looks_at_once = 1;
  static constexpr bool owners_listen = true;
  static constexpr bool host_memory_is_far = false;
  static constexpr std::uint64_t stop_interval_ns = 0;

  template <class T, class Order, class Scope>
  static T load(const atomic<T>& x, Order o, Scope /*s*/) {
    if (!x.tracked()) return x.plain();
    const request r = make_request<Scope>(op::load, x.location(), 0, o);
    const std::uint64_t v = mutated() ? changed_load(r) : the_machine().call(r);
    note_loaded<step_of<Order>::value>(v);
    return static_cast<T>(v);
  }
  template <class T, class Order, class Scope>
  static void store(atomic<T>& x, std::type_identity_t<T> v, Order o, Scope /*s*/) {
    if (!x.tracked()) {
      x.plain() = v;
      return;
    }
    const request r = make_request<Scope>(op::store, x.location(), v, o);
    if (mutated()) {
      changed_store(r);
    } else {
      the_machine().call(r);
    }
  }
  template <class T, class Order, class Scope>
  static T exchange(atomic<T>& x, std::type_identity_t<T> v, Order o, Scope /*s*/) {
    if (!x.tracked()) return std::exchange(x.plain(), v);
    const request r = make_request<Scope>(op::exchange, x.location(), v, o);
    return static_cast<T>(mutated() ? changed_exchange(r) : modify(r));
  }
  template <class T, class Order, class Scope>
  static T fetch_add(atomic<T>& x, std::type_identity_t<T> v, Order o, Scope /*s*/) {
    if (!x.tracked()) {
      const T before = x.plain();
      x.plain() = static_cast<T>(before + v);
      return before;
    }
    const request r = make_request<Scope>(op::add, x.location(), v, o);
    return static_cast<T>(mutated() ? changed_add(r) : modify(r));
  }

  static void copy_words(void* to, const void* from, std::size_t n) {
    auto* t = static_cast<std::byte*>(to);
    const auto* f = static_cast<const std::byte*>(from);
    for (; n != 0; --n, t += 16, f += 16) {
      the_machine().access(f, false);
      the_machine().access(t, true);
      std::memcpy(t, f, 16);
    }
  }
  /// Races are looked for by words of 16 bytes.
  template <class T>
  static void write_plain(T& to, const T& value) {
    touch(&to, sizeof to, true);
    to = value;
  }
  template <class T>
  static T read_plain(const T& from) {
    touch(&from, sizeof from, false);
    return from;
  }
  static void load_words(void* to, const void* from, std::size_t n) { copy_words(to, from, n); }
  static std::uint32_t reserve(std::uint32_t& count, std::uint32_t n) {
    const std::uint32_t before = count;
    count += n;
    return before;
  }
  /// Time stands still: tasks are coarse until the first sample shows that they took none.
  static std::uint64_t now() { return 0; }

 private:
  static void touch(const void* at, std::size_t n, bool write) {
    const auto begin = reinterpret_cast<std::uintptr_t>(at) / 16 * 16;
    for (std::uintptr_t word = begin; word < reinterpret_cast<std::uintptr_t>(at) + n; word += 16)
      the_machine().access(reinterpret_cast<const void*>(word), write);
  }
};

using backend = basic_backend<no_parking>;
using sleeping_backend = basic_backend<event_count>;
static_assert(mgws::backend<backend> && mgws::backend<sleeping_backend>);

/// Memory of the host transport's areas: in the machine's arena.
class area {
 public:
  area() = default;
  explicit area(std::size_t bytes)
      : data_(static_cast<std::byte*>(the_machine().allocate(bytes, 16))), bytes_(bytes) {}
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace mgws::model_backend
