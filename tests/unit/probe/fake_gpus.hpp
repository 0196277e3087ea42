/// \file
/// A vendor whose GPUs are threads, for what a host does with GPUs: kernels are functions, memory
/// is the host's, and atomics on a memory can be made to lose updates.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/backends/gpu/probe.hpp>
#include <mgws/backends/gpu/properties.hpp>
#include <mgws/core/order.hpp>

namespace fake {

/// The machine, as a test sets it.
struct machine {
  int gpus = 2;
  bool access = true;      ///< to peers' memory
  bool peer_claim = true;  ///< what the driver says
  bool host_claim = false;
  bool peer_loses = false;  ///< what happens: on GPUs' memory, on host memory
  bool host_loses = false;
  std::atomic<int> launches{0};

  std::mutex mutex;
  std::map<const std::byte*, std::pair<std::size_t, bool>> memory;  ///< size, whether the host's

  /// Whether atomics of two devices there lose updates.
  bool loses(const void* p) {
    if (!peer_loses && !host_loses) return false;
    const std::scoped_lock lock(mutex);
    auto at = memory.upper_bound(static_cast<const std::byte*>(p));
    if (at == memory.begin()) return false;
    --at;
    if (static_cast<const std::byte*>(p) >= at->first + at->second.first) return false;
    return at->second.second ? host_loses : peer_loses;
  }
};
inline machine& the_machine() {
  static machine m;
  return m;
}

/// As a GPU's: a worker of one lane, whose atomics are those of its machine.
struct backend : mgws::cpu_backend::backend {
  template <class T>
  struct alignas(sizeof(T)) atomic {
    T value{};
  };
  struct team {
    static constexpr std::uint32_t k_lanes = 1;
    static constexpr std::uint32_t lane() { return 0; }
  };

  template <class T, class Order, class Scope>
  static T load(const atomic<T>& x, Order /*o*/, Scope /*s*/) {
    return std::atomic_ref<T>(const_cast<T&>(x.value)).load(std::memory_order_acquire);
  }
  template <class T, class Order, class Scope>
  static void store(atomic<T>& x, std::type_identity_t<T> v, Order /*o*/, Scope /*s*/) {
    std::atomic_ref<T>(x.value).store(v, std::memory_order_release);
  }
  template <class T, class Order, class Scope>
  static T exchange(atomic<T>& x, std::type_identity_t<T> v, Order o, Scope s) {
    if (!the_machine().loses(&x))
      return std::atomic_ref<T>(x.value).exchange(v, std::memory_order_acq_rel);
    return torn(x, v, o, s);
  }
  template <class T, class Order, class Scope>
  static T fetch_add(atomic<T>& x, std::type_identity_t<T> v, Order o, Scope s) {
    if (!the_machine().loses(&x))
      return std::atomic_ref<T>(x.value).fetch_add(v, std::memory_order_acq_rel);
    return torn(x, load(x, o, s) + v, o, s);
  }

 private:
  template <class T, class Order, class Scope>
  static T torn(atomic<T>& x, T v, Order o, Scope s) {
    const T was = load(x, o, s);
    std::this_thread::yield();
    store(x, v, o, s);
    return was;
  }
};

struct api {
  struct queue {
    std::vector<std::thread> threads;
    std::atomic<int> running{0};
  };
  using stream = queue*;
  using event = queue**;
  static constexpr const char* vendor = "fake";
  static constexpr const char* name = "fake";

  static int count(std::string& /*why*/) { return the_machine().gpus; }
  static void use(int /*device*/) {}
  static mgws::gpu::properties properties_of(int /*device*/) {
    return {.name = "a thread",
            .multiprocessors = 1,
            .lanes_of_a_warp = 1,
            .shared_bytes = 1u << 16,
            .memory_bytes = 1u << 30,
            .cooperative = true,
            .host_memory_is_mapped = true,
            .host_atomics = the_machine().host_claim};
  }
  static mgws::gpu::peer_properties peers(int /*from*/, int /*to*/) {
    return {the_machine().access, the_machine().peer_claim};
  }
  static void enable_peer(int /*other*/) {}

  static void* allocate(std::size_t bytes, mgws::gpu::reach /*who*/) { return make(bytes, false); }
  static void deallocate(void* p) noexcept { drop(p); }
  static void* allocate_mapped(std::size_t bytes) { return make(bytes, true); }
  static void deallocate_mapped(void* p) noexcept { drop(p); }
  static void copy_to_device(void* to, const void* from, std::size_t n, stream /*s*/) {
    std::memcpy(to, from, n);
  }
  static void copy_to_host(void* to, const void* from, std::size_t n, stream /*s*/) {
    std::memcpy(to, from, n);
  }
  static void fill(void* to, int byte, std::size_t n, stream /*s*/) { std::memset(to, byte, n); }

  static stream make_stream() { return new queue; }
  static void destroy(stream s) noexcept {
    wait(s);
    delete s;
  }
  static void wait(stream s) {
    for (std::thread& t : s->threads)
      t.join();
    s->threads.clear();
  }
  static event make_event() { return new queue*(nullptr); }
  static void destroy(event e) noexcept { delete e; }
  static void record(event e, stream s) { *e = s; }
  static bool done(event e) {
    if ((*e)->running.load(std::memory_order_acquire) != 0) return false;
    wait(*e);
    return true;
  }

  template <class Arguments>
  static void launch(void (*kernel)(Arguments), const Arguments& arguments,
                     const mgws::gpu::grid& grid, stream s) {
    ++the_machine().launches;
    s->running += static_cast<int>(grid.blocks);
    for (std::uint32_t b = 0; b != grid.blocks; ++b)
      s->threads.emplace_back([=] {
        block() = b;
        kernel(arguments);
        s->running.fetch_sub(1, std::memory_order_release);
      });
  }
  static std::uint32_t& block() {
    static thread_local std::uint32_t number = 0;
    return number;
  }

 private:
  static constexpr std::align_val_t k_line{128};
  static void* make(std::size_t bytes, bool host) {
    auto* const p = static_cast<std::byte*>(::operator new(bytes, k_line));
    const std::scoped_lock lock(the_machine().mutex);
    the_machine().memory[p] = {bytes, host};
    return p;
  }
  static void drop(void* p) {
    {
      const std::scoped_lock lock(the_machine().mutex);
      the_machine().memory.erase(static_cast<std::byte*>(p));
    }
    ::operator delete(p, k_line);
  }
};

template <class Scope>
void litmus_entry(mgws::gpu::litmus_arguments a) {
  mgws::gpu::litmus_block<backend, Scope>(a, api::block());
}

/// \tparam Machine  a number for each machine: what a process has found out about one is kept
template <int Machine>
struct port {
  using api = fake::api;
  using probe_backend = backend;
  template <class Scope>
  static constexpr auto litmus_kernel() {
    return &litmus_entry<Scope>;
  }
};

}  // namespace fake
