/// \file
/// What a GPU port supplies, as concepts: the set that core's algorithm, the groups of
/// groups.hpp and the runtime's host side ask for, no more and no less. Nothing in it is optional:
/// what is misspelt or missing is a compile error that names it. docs/porting.md says in which
/// order to write it.
///
/// - `gpu_intrinsics`: what a thread can do with the others of its block; for groups.hpp and others
/// - `gpu_operations`: atomic operations; for backend.hpp
/// - `gpu_vendor`: those, random numbers, and two facts; for backend.hpp
/// - `gpu_library`: the vendor's runtime library; for api.hpp
/// - `gpu_kernels`: the entries that launches name, and for which GPUs; for the runtime, the probe
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <mgws/backends/gpu/properties.hpp>
#include <mgws/core/backend.hpp>
#include <mgws/core/order.hpp>

namespace mgws {
struct options;
}  // namespace mgws

namespace mgws::gpu {

namespace detail {
struct any_tag;
}  // namespace detail

/// Device code only; the host's copies are there to be compiled, never called. "Of a warp" and "of
/// the block": called by all its threads together.
template <class I>
concept gpu_intrinsics = requires(std::uint32_t n, std::uint32_t& word, bool p, void* to,
                                  const void* from) {
  /// Threads of a warp (a wavefront), and an unsigned integer with a bit for each.
  { I::warp_lanes } -> std::convertible_to<std::uint32_t>;
  requires std::unsigned_integral<typename I::mask>;
  requires sizeof(typename I::mask) * 8 >= I::warp_lanes;
  /// The calling thread's number in its block.
  { I::thread() } -> std::same_as<std::uint32_t>;
  /// Barriers of a warp, of the block, which also order accesses to all memory among those that
  /// meet.
  I::sync_warp();
  I::sync_block();
  /// Of a warp: the value that lane n passes. Orders nothing.
  { I::shuffle(n, n) } -> std::same_as<std::uint32_t>;
  /// Of a warp: the sum over this lane and those below it; the lanes for which p holds; the lanes
  /// that are named by any lane for which p holds.
  { I::sum_to_here(n) } -> std::same_as<std::uint32_t>;
  { I::ballot(p) } -> std::same_as<typename I::mask>;
  { I::named(n, p) } -> std::same_as<typename I::mask>;
  /// Of the block: for how many threads p holds. A barrier.
  { I::count_of_block(p) } -> std::same_as<std::uint32_t>;
  /// Any thread, on a word in shared memory: adds and returns what was there; sets bits. Both
  /// indivisible among the threads of the block.
  { I::add(word, n) } -> std::same_as<std::uint32_t>;
  I::set_bits(word, n);
  /// One thread of the block at a time: copies n words of 16 bytes, which have arrived when it
  /// returns; the same into shared memory, of words that nobody has written since the launch. Once
  /// before those, by one thread, with a barrier after it: prepare_copies().
  I::copy(to, from, n);
  I::load_words(to, from, n);
  I::prepare_copies();
  /// Shared memory: one object of a type for each tag; what the launch asked for.
  { I::template shared<detail::any_tag, std::uint64_t>() } -> std::same_as<std::uint64_t&>;
  { I::dynamic_shared() } -> std::same_as<std::byte*>;
  /// How many warps of the same scheduler are before this thread's, if the hardware deals warps out
  /// to several schedulers in turn; else 0.
  { I::rank_on_scheduler() } -> std::same_as<std::uint32_t>;
  /// Waits at least about so many nanoseconds, off the schedulers' way.
  I::sleep(n);
  /// Nanoseconds, the same clock for all threads of a device; never runs backwards.
  { I::now() } -> std::same_as<std::uint64_t>;
  /// The multiprocessor's own clock, which wraps.
  { I::ticks() } -> std::same_as<std::uint32_t>;
};

/// Each one indivisible access of a plain, naturally aligned T in any memory that the GPU reaches,
/// at exactly the order and scope of the call.
template <class O, class T>
concept gpu_operations_on = requires(T& x, const T& c, T v) {
  { O::load(c, order::relaxed, scope::device) } -> std::same_as<T>;
  { O::load(c, order::acquire, scope::device) } -> std::same_as<T>;
  { O::load(c, order::relaxed, scope::system) } -> std::same_as<T>;
  { O::load(c, order::acquire, scope::system) } -> std::same_as<T>;
  O::store(x, v, order::relaxed, scope::device);
  O::store(x, v, order::release, scope::device);
  O::store(x, v, order::relaxed, scope::system);
  O::store(x, v, order::release, scope::system);
  { O::exchange(x, v, order::relaxed, scope::device) } -> std::same_as<T>;
  { O::exchange(x, v, order::acquire, scope::device) } -> std::same_as<T>;
  { O::exchange(x, v, order::relaxed, scope::system) } -> std::same_as<T>;
  { O::exchange(x, v, order::acquire, scope::system) } -> std::same_as<T>;
  { O::fetch_add(x, v, order::relaxed, scope::device) } -> std::same_as<T>;
  { O::fetch_add(x, v, order::acquire, scope::device) } -> std::same_as<T>;
  { O::fetch_add(x, v, order::release, scope::device) } -> std::same_as<T>;
  { O::fetch_add(x, v, order::acq_rel, scope::device) } -> std::same_as<T>;
  { O::fetch_add(x, v, order::relaxed, scope::system) } -> std::same_as<T>;
  { O::fetch_add(x, v, order::acquire, scope::system) } -> std::same_as<T>;
  { O::fetch_add(x, v, order::release, scope::system) } -> std::same_as<T>;
  { O::fetch_add(x, v, order::acq_rel, scope::system) } -> std::same_as<T>;
};
template <class O>
concept gpu_operations =
    gpu_operations_on<O, std::uint32_t> && gpu_operations_on<O, std::uint64_t> && requires {
  /// Acquire and release, for the probe's costs; core asks for no fence.
  O::fence(scope::device);
  O::fence(scope::system);
};

/// The device side of a port besides its intrinsics.
template <class V>
concept gpu_vendor =
    gpu_operations<typename V::operations> && random_stream<typename V::random> && requires {
  /// What the port's mgws::atomic_ref is made of: finishes gather numbers by it.
  typename V::atomics;
  /// How far apart any two looks of all workers at the stop request are to be, in nanoseconds.
  { V::stop_interval_ns } -> std::convertible_to<std::uint64_t>;
  /// Whether the host reads and writes device memory while a kernel runs. If not, workers tell it
  /// what they do through a second record in its own memory.
  { V::host_looks } -> std::convertible_to<bool>;
};

/// The vendor's runtime library, under names of ours; api.hpp says what is done with each. Every
/// call returns an `error`, which is `success` or another one.
template <class L>
concept gpu_library =
    std::equality_comparable<typename L::error> && std::default_initializable<typename L::stream> &&
    std::default_initializable<typename L::event> &&
    !std::same_as<typename L::stream, typename L::event> &&
    requires(typename L::error e, typename L::stream s, typename L::event v, int* number, int i,
             std::size_t n, void* to, const void* from, void** place, properties& found,
             typename L::function_attributes& of_kernel, const grid& blocks, float* milliseconds) {
  { L::vendor } -> std::convertible_to<const char*>;
  { L::name } -> std::convertible_to<const char*>;
  /// Errors that are answers.
  { L::success } -> std::convertible_to<typename L::error>;
  { L::not_ready } -> std::convertible_to<typename L::error>;
  { L::out_of_memory } -> std::convertible_to<typename L::error>;
  { L::peer_already_enabled } -> std::convertible_to<typename L::error>;
  { L::get_error_string(e) } -> std::convertible_to<const char*>;
  { L::get_last_error() } -> std::same_as<typename L::error>;
  /// GPUs; later calls of the thread are for the one that was set.
  { L::get_device_count(number) } -> std::same_as<typename L::error>;
  { L::get_device(number) } -> std::same_as<typename L::error>;
  { L::set_device(i) } -> std::same_as<typename L::error>;
  { L::get_properties(found, i) } -> std::same_as<typename L::error>;
  { L::get_p2p_attribute(number, L::p2p_access, i, i) } -> std::same_as<typename L::error>;
  { L::get_p2p_attribute(number, L::p2p_atomics, i, i) } -> std::same_as<typename L::error>;
  { L::enable_peer_access(i, 0u) } -> std::same_as<typename L::error>;
  /// Memory of the GPU: for itself; coherent at system scope while kernels run. Host memory that
  /// every GPU reaches at the host's address.
  { L::allocate(place, n) } -> std::same_as<typename L::error>;
  { L::allocate_shared(place, n) } -> std::same_as<typename L::error>;
  { L::free(to) } -> std::same_as<typename L::error>;
  { L::allocate_mapped(place, n) } -> std::same_as<typename L::error>;
  { L::free_mapped(to) } -> std::same_as<typename L::error>;
  /// Memory for properties::managed, freed as the GPU's own; advice to move its pages to a GPU.
  { L::allocate_managed(place, n) } -> std::same_as<typename L::error>;
  { L::move_pages(to, n, i, s) } -> std::same_as<typename L::error>;
  /// Host memory that somebody else took: page-locked, and where the GPUs reach it.
  { L::register_host(to, n) } -> std::same_as<typename L::error>;
  { L::unregister_host(to) } -> std::same_as<typename L::error>;
  { L::device_address(place, to) } -> std::same_as<typename L::error>;
  { L::copy(to, from, n, L::host_to_device, s) } -> std::same_as<typename L::error>;
  { L::copy(to, from, n, L::device_to_host, s) } -> std::same_as<typename L::error>;
  { L::fill(to, i, n, s) } -> std::same_as<typename L::error>;
  /// Streams and events.
  { L::create_stream(&s, L::non_blocking) } -> std::same_as<typename L::error>;
  { L::destroy_stream(s) } -> std::same_as<typename L::error>;
  { L::synchronize_stream(s) } -> std::same_as<typename L::error>;
  { L::create_event(&v) } -> std::same_as<typename L::error>;
  { L::destroy_event(v) } -> std::same_as<typename L::error>;
  { L::record_event(v, s) } -> std::same_as<typename L::error>;
  { L::wait_for_event(s, v, 0u) } -> std::same_as<typename L::error>;
  { L::query_event(v) } -> std::same_as<typename L::error>;
  { L::elapsed_time(milliseconds, v, v) } -> std::same_as<typename L::error>;
  /// Kernels.
  { L::allow_shared(from, n) } -> std::same_as<typename L::error>;
  { L::get_function_attributes(&of_kernel, from) } -> std::same_as<typename L::error>;
  { of_kernel.numRegs } -> std::convertible_to<int>;
  { of_kernel.sharedSizeBytes } -> std::convertible_to<std::size_t>;
  { of_kernel.localSizeBytes } -> std::convertible_to<std::size_t>;
  { of_kernel.maxThreadsPerBlock } -> std::convertible_to<int>;
  { L::occupancy(number, from, i, n) } -> std::same_as<typename L::error>;
  { L::launch_cooperative(from, blocks, place, s) } -> std::same_as<typename L::error>;
  { L::launch_blocks(from, blocks, place, s) } -> std::same_as<typename L::error>;
};

/// GPUs that run the same code: what with_gpus() below calls its function with. Their kernels,
/// `P::template kernel<Config>()`, clock_kernel, move_kernel and survey_kernel, are not asked for:
/// who asks for a kernel whose type is not written down has it compiled.
template <class P>
concept gpus_of_a_run =
    /// No worker has fewer lanes.
    std::convertible_to<decltype(P::k_least_lanes), std::uint32_t> &&
    team_backend<typename P::template backend<P::k_least_lanes>> && requires {
  typename P::api;
};

namespace detail {
struct any_run {
  template <gpus_of_a_run P>
  int operator()() const {
    return 0;
  }
};
}  // namespace detail

/// Entries that launches name, as functions of what they are compiled for, and the GPUs.
template <class P>
concept gpu_kernels = team_backend<typename P::probe_backend> &&
    requires(const options& o, std::string& why) {
  typename P::api;
  P::template litmus_kernel<scope::device_t>();
  P::template litmus_kernel<scope::system_t>();
  P::template measure_kernel<scope::device_t>();
  P::template measure_kernel<scope::system_t>();
  /// The GPUs' names; if there are none, why.
  { P::names(why) } -> std::same_as<std::vector<std::string>>;
  /// Calls the function with those that checked options name.
  { P::with_gpus(o, detail::any_run{}) } -> std::same_as<int>;
};

}  // namespace mgws::gpu
