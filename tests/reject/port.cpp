// A backend with one operation less than core needs. Without a macro it has them all.
#include <cstddef>
#include <cstdint>

#include <mgws/backends/cpu/backend.hpp>

namespace {

using reference = mgws::cpu_backend::backend;

struct parking {
  static constexpr bool sleeps = false;
  struct ticket {};
  ticket prepare() { return {}; }
  void cancel(ticket) {}
  void wait(ticket) {}
  void notify_one() {}
#ifndef NO_NOTIFY_ALL
  void notify_all() {}
#endif
};

struct random_numbers {
  random_numbers(std::uint64_t, std::uint64_t) {}
#ifdef RANDOM_OF_64_BITS
  std::uint64_t next() {
    return 4;
  }
#else
  std::uint32_t next() {
    return 4;
  }
#endif
};

struct port {
  template <class T>
  using atomic = reference::atomic<T>;
  using random = random_numbers;
  using backoff = reference::backoff;
  using parking = ::parking;
#ifndef NO_LINE
  static constexpr std::size_t line = 64;
#endif
#ifndef NO_STOP_INTERVAL
  static constexpr std::uint64_t stop_interval_ns = 0;
  static constexpr std::uint32_t hand_over_ns = 0;
  static constexpr std::uint32_t longest_burst = 64;
  static constexpr std::uint32_t looks_at_once = 1;
  static constexpr bool owners_listen = false;
#endif
#ifndef NO_HOST_MEMORY_IS_FAR
  static constexpr bool host_memory_is_far = false;
#endif

#ifdef NO_SYSTEM_SCOPE
  template <class T, class O>
  static T load(const atomic<T>& x, O o, mgws::scope::device_t s) {
    return reference::load(x, o, s);
  }
#elif defined NO_ACQUIRE_LOAD
  template <class T, class S>
  static T load(const atomic<T>& x, mgws::order::relaxed_t o, S s) {
    return reference::load(x, o, s);
  }
#elif !defined NO_LOAD
  template <class T, class O, class S>
  static T load(const atomic<T>& x, O o, S s) {
    return reference::load(x, o, s);
  }
#endif
#ifndef NO_STORE
  template <class T, class O, class S>
  static void store(atomic<T>& x, std::type_identity_t<T> v, O o, S s) {
    reference::store(x, v, o, s);
  }
#endif
#ifndef NO_EXCHANGE
  template <class T, class O, class S>
  static T exchange(atomic<T>& x, std::type_identity_t<T> v, O o, S s) {
    return reference::exchange(x, v, o, s);
  }
#endif
#ifndef NO_FETCH_ADD
  template <class T, class O, class S>
  static T fetch_add(atomic<T>& x, std::type_identity_t<T> v, O o, S s) {
    return reference::fetch_add(x, v, o, s);
  }
#endif
#ifndef NO_COPY_WORDS
  static void copy_words(void*, const void*, std::size_t) {}
#endif
#ifndef NO_WRITE_PLAIN
  template <class T>
  static void write_plain(T&, const T&) {}
#endif
#ifndef NO_READ_PLAIN
  template <class T>
  static T read_plain(const T& from) {
    return from;
  }
#endif
#ifndef NO_LOAD_WORDS
  static void load_words(void*, const void*, std::size_t) {}
#endif
#ifndef NO_RESERVE
  static std::uint32_t reserve(std::uint32_t&, std::uint32_t) {
    return 0;
  }
#endif
#ifndef NO_NOW
  static std::uint64_t now() {
    return 0;
  }
#endif
};

}  // namespace

static_assert(mgws::backend<port>);
