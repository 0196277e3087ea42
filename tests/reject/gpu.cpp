// What a GPU port supplies, with one thing less or one misspelt. Without a macro it is complete.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <mgws/backends/gpu/api.hpp>
#include <mgws/backends/gpu/backend.hpp>
#include <mgws/backends/gpu/port.hpp>
#include <mgws_atomics.hpp>

namespace {

// The name that a macro takes away is another one then.
#ifdef NO_SHUFFLE
#define shuffle shufle
#endif
#ifdef NO_LOAD_WORDS
#define load_words load_word
#endif
#ifdef NO_RANK_ON_SCHEDULER
#define rank_on_scheduler rank_on_sheduler
#endif
#ifdef NO_PREPARE_COPIES
#define prepare_copies prepare_copy
#endif
struct intrinsics {
  static constexpr std::uint32_t warp_lanes = 32;
#ifdef NARROW_MASK
  using mask = std::uint16_t;
#else
  using mask = std::uint32_t;
#endif
  static std::uint32_t thread() {
    return 0;
  }
  static void sync_warp() {}
  static void sync_block() {}
  static std::uint32_t shuffle(std::uint32_t v, std::uint32_t) {
    return v;
  }
  static std::uint32_t sum_to_here(std::uint32_t v) {
    return v;
  }
  static mask ballot(bool p) {
    return p ? 1 : 0;
  }
  static mask named(std::uint32_t, bool p) {
    return p ? 1 : 0;
  }
  static std::uint32_t count_of_block(bool p) {
    return p ? 1 : 0;
  }
  static std::uint32_t add(std::uint32_t& counter, std::uint32_t n) {
    return counter += n, counter - n;
  }
  static void set_bits(std::uint32_t& word, std::uint32_t bits) {
    word |= bits;
  }
  static void copy(void* to, const void* from, std::uint32_t words) {
    std::memcpy(to, from, words * 16);
  }
  static void load_words(void* to, const void* from, std::uint32_t words) {
    copy(to, from, words);
  }
  static void prepare_copies() {}
  template <class Tag, class T>
  static T& shared() {
    alignas(T) static std::byte it[sizeof(T)];
    return reinterpret_cast<T&>(it);
  }
  static std::byte* dynamic_shared() {
    return nullptr;
  }
  static std::uint32_t rank_on_scheduler() {
    return 0;
  }
  static void sleep(std::uint32_t) {}
#ifdef CLOCK_OF_32_BITS
  static std::uint32_t now() {
    return 0;
  }
#else
  static std::uint64_t now() {
    return 0;
  }
#endif
  static std::uint32_t ticks() {
    return 0;
  }
};
#undef shuffle
#undef load_words
#undef rank_on_scheduler
#undef prepare_copies

struct operations {
  template <class T, class O, class S>
  static T load(const T& x, O, S) {
    return x;
  }
#ifdef STORE_WITHOUT_SYSTEM_SCOPE
  template <class T, class O>
  static void store(T& x, T v, O, mgws::scope::device_t) {
    x = v;
  }
#else
  template <class T, class O, class S>
  static void store(T& x, T v, O, S) {
    x = v;
  }
#endif
  template <class T, class O, class S>
  static T exchange(T& x, T v, O, S) {
    const T before = x;
    x = v;
    return before;
  }
  template <class T, class O, class S>
  static T fetch_add(T& x, T v, O, S) {
    x += v;
    return x - v;
  }
#ifndef NO_FENCE
  template <class S>
  static void fence(S) {}
#endif
};

struct random_numbers {
  random_numbers(std::uint64_t, std::uint64_t) {}
  std::uint32_t next() { return 4; }
};

struct vendor {
#ifndef NO_ATOMICS
  using atomics = mgws::port_atomics;
#endif
  using operations = ::operations;
  using random = random_numbers;
  static constexpr std::uint64_t stop_interval_ns = 0;
#ifdef NO_HOST_LOOKS
  static constexpr bool host_look = true;
#else
  static constexpr bool host_looks = true;
#endif
};

using backend = mgws::gpu::backend<vendor, mgws::gpu::warp_team<intrinsics>>;
static_assert(mgws::team_backend<backend>);

#ifdef NO_QUERY_EVENT
#define query_event query_events
#endif
#ifdef NO_FREE_MAPPED
#define free_mapped free_map
#endif
#ifdef NO_MOVE_PAGES
#define move_pages move_page
#endif
#ifdef NO_REGISTER_HOST
#define register_host registers_host
#endif
#ifdef NO_COOPERATIVE_LAUNCH
#define launch_cooperative launch
#endif
struct library {
  static constexpr const char* vendor = "Nobody";
  static constexpr const char* name = "no";
  enum class error { none, busy, memory, enabled };
#ifdef EVENTS_ARE_STREAMS
  using stream = int;
  using event = int;
#else
  using stream = int*;
  using event = long*;
#endif
  struct function_attributes {
    int numRegs = 0;
    std::size_t sharedSizeBytes = 0;
    std::size_t localSizeBytes = 0;
    int maxThreadsPerBlock = 0;
  };
  static constexpr auto success = error::none;
  static constexpr auto not_ready = error::busy;
  static constexpr auto out_of_memory = error::memory;
  static constexpr auto peer_already_enabled = error::enabled;
  static const char* get_error_string(error) {
    return "";
  }
  static error get_last_error() {
    return success;
  }
  static error get_device_count(int*) {
    return success;
  }
  static error get_device(int*) {
    return success;
  }
  static error set_device(int) {
    return success;
  }
  static error get_properties(mgws::gpu::properties&, int) {
    return success;
  }
  static constexpr int p2p_access = 0;
  static constexpr int p2p_atomics = 1;
  static error get_p2p_attribute(int*, int, int, int) {
    return success;
  }
  static error enable_peer_access(int, unsigned) {
    return success;
  }
  static error allocate(void**, std::size_t) {
    return success;
  }
  static error allocate_shared(void**, std::size_t) {
    return success;
  }
  static error free(void*) {
    return success;
  }
  static error allocate_mapped(void**, std::size_t) {
    return success;
  }
  static error free_mapped(void*) {
    return success;
  }
  static error allocate_managed(void**, std::size_t) {
    return success;
  }
  static error move_pages(void*, std::size_t, int, stream) {
    return success;
  }
  static error register_host(void*, std::size_t) {
    return success;
  }
  static error unregister_host(void*) {
    return success;
  }
  static error device_address(void**, void*) {
    return success;
  }
  static constexpr int host_to_device = 0;
  static constexpr int device_to_host = 1;
  static error copy(void*, const void*, std::size_t, int, stream) {
    return success;
  }
  static error fill(void*, int, std::size_t, stream) {
    return success;
  }
  static constexpr unsigned non_blocking = 1;
  static error create_stream(stream*, unsigned) {
    return success;
  }
  static error destroy_stream(stream) {
    return success;
  }
  static error synchronize_stream(stream) {
    return success;
  }
  static error create_event(event*) {
    return success;
  }
  static error destroy_event(event) {
    return success;
  }
  static error record_event(event, stream) {
    return success;
  }
  static error wait_for_event(stream, event, unsigned) {
    return success;
  }
  static error query_event(event) {
    return success;
  }
  static error elapsed_time(float*, event, event) {
    return success;
  }
  static error allow_shared(const void*, std::size_t) {
    return success;
  }
  static error get_function_attributes(function_attributes*, const void*) {
    return success;
  }
  static error occupancy(int*, const void*, int, std::size_t) {
    return success;
  }
  static error launch_cooperative(const void*, const mgws::gpu::grid&, void**, stream) {
    return success;
  }
  static error launch_blocks(const void*, const mgws::gpu::grid&, void**, stream) {
    return success;
  }
};
#undef query_event
#undef free_mapped
#undef move_pages
#undef register_host
#undef launch_cooperative

using api = mgws::gpu::api<library>;
static_assert(api::vendor != nullptr);

#ifdef NO_MEASURE_KERNEL
#define measure_kernel measuring_kernel
#endif
#ifdef NO_NAMES
#define names name
#endif
#ifdef NO_LEAST_LANES
#define k_least_lanes k_fewest_lanes
#endif
#ifdef NO_WITH_GPUS
#define with_gpus with_gpu
#endif
struct devices {
  using api = ::api;
#ifndef NO_BACKEND_BY_LANES
  template <std::uint32_t Lanes>
  using backend = ::backend;
#endif
  using probe_backend = ::backend;
  template <class Scope>
  static void (*litmus_kernel())() {
    return nullptr;
  }
  template <class Scope>
  static void (*measure_kernel())() {
    return nullptr;
  }
  static std::vector<std::string> names(std::string& /*why*/) {
    return {};
  }
  static constexpr std::uint32_t k_least_lanes = 32;
  template <class F>
  static auto with_gpus(const mgws::options& /*o*/, F&& f) {
    return f.template operator()<devices>();
  }
};
#undef measure_kernel
#undef names
#undef k_least_lanes
#undef with_gpus
static_assert(mgws::gpu::gpu_kernels<devices>);

}  // namespace
