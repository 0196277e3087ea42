/// \file
/// A vendor's runtime library as the GPU backends' host side uses it: one thin function a call,
/// every failure a device_error that names the call. Host code only; any compiler can read this
/// header.
///
/// CUDA and HIP differ in little but the names of their functions. Each backend's library.hpp has
/// those names; what is done with them stands here, once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <source_location>
#include <string>
#include <vector>

#include <mgws/backends/gpu/port.hpp>
#include <mgws/backends/gpu/properties.hpp>
#include <mgws/errors.hpp>

namespace mgws::gpu {

/// Who reaches a piece of a GPU's memory while kernels run.
enum class reach : std::uint8_t {
  own,    ///< its own GPU alone
  shared  ///< others as well: peers, or the host
};

/// \tparam L  cuda_backend::library or hip_backend::library
template <gpu_library L>
struct api {
  using stream = typename L::stream;
  using event = typename L::event;

  static constexpr const char* vendor = L::vendor;
  static constexpr const char* name = L::name;

  // ---- Devices ----

  /// How many GPUs there are; 0 with a reason in `why` if none can be used.
  static int count(std::string& why) {
    int n = 0;
    const auto e = L::get_device_count(&n);
    if (e == L::success && n != 0) return n;
    why = e == L::success ? "none is there" : L::get_error_string(e);
    static_cast<void>(L::get_last_error());  // an absent driver is no error of a later call
    return 0;
  }
  /// The GPUs' names, in the order of their numbers; if there are none, `why` says the reason.
  static std::vector<std::string> names(std::string& why) {
    std::vector<std::string> all;
    const int n = count(why);
    for (int i = 0; i != n; ++i)
      all.push_back(properties_of(i).name);
    return all;
  }
  /// All later calls of this thread are for this GPU. \throws device_error, which names this GPU:
  /// the call also reports that the GPU has failed
  static void use(int device) {
    const auto e = L::set_device(device);
    if (e != L::success) fail(e, "SetDevice", device, std::source_location::current());
  }

  static properties properties_of(int device) {
    properties p;
    check(L::get_properties(p, device), "GetDeviceProperties");
    return p;
  }
  /// Whether `from` can reach the memory of `to`, and whether its atomics there are the memory's.
  static peer_properties peers(int from, int to) {
    int access = 0;
    int atomics = 0;
    check(L::get_p2p_attribute(&access, L::p2p_access, from, to), "DeviceGetP2PAttribute");
    check(L::get_p2p_attribute(&atomics, L::p2p_atomics, from, to), "DeviceGetP2PAttribute");
    return {access != 0, atomics != 0};
  }
  /// Lets the GPU in use reach another one's memory.
  static void enable_peer(int other) {
    const auto e = L::enable_peer_access(other, 0);
    if (e == L::peer_already_enabled) {
      static_cast<void>(L::get_last_error());
      return;
    }
    check(e, "DeviceEnablePeerAccess");
  }

  // ---- Memory ----

  /// Memory of the GPU in use. \throws std::bad_alloc if it has not so much
  static void* allocate(std::size_t bytes, reach who) {
    void* p = nullptr;
    check_allocation(who == reach::shared ? L::allocate_shared(&p, bytes) : L::allocate(&p, bytes),
                     "Malloc");
    return p;
  }
  static void deallocate(void* p) noexcept { static_cast<void>(L::free(p)); }

  /// Page-locked host memory that every GPU reaches at the same address as the host.
  static void* allocate_mapped(std::size_t bytes) {
    void* p = nullptr;
    check_allocation(L::allocate_mapped(&p, bytes), "HostMalloc");
    return p;
  }
  static void deallocate_mapped(void* p) noexcept { static_cast<void>(L::free_mapped(p)); }
  /// Memory whose pages move to whoever touches them, at one address for the host and all GPUs.
  static void* allocate_managed(std::size_t bytes) {
    void* p = nullptr;
    check_allocation(L::allocate_managed(&p, bytes), "MallocManaged");
    return p;
  }
  /// Moves pages of it to a GPU before they are touched. Advice: a library without that word moves
  /// them when they are.
  static void move_pages(void* p, std::size_t bytes, int device, stream s) {
    if (L::move_pages(p, bytes, device, s) != L::success) static_cast<void>(L::get_last_error());
  }
  /// Makes the host's pages such memory. \throws not_possible, device_error
  static void map_host(void* p, std::size_t bytes) {
    check(L::register_host(p, bytes), "HostRegister");
    void* there = nullptr;
    const auto e = L::device_address(&there, p);
    if (e == L::success && there == p) return;
    unmap_host(p);
    check(e, "HostGetDevicePointer");
    throw not_possible(
        "the GPU reaches memory that processes share at another address than they do: use the CPU "
        "in several processes, or the GPU in one");
  }
  static void unmap_host(void* p) noexcept { static_cast<void>(L::unregister_host(p)); }
  // Page-locked memory at the host's end makes these return at once; the caller waits on the
  // stream in any case.
  static void copy_to_device(void* to, const void* from, std::size_t n, stream s) {
    check(L::copy(to, from, n, L::host_to_device, s), "MemcpyAsync to the device");
  }
  static void copy_to_host(void* to, const void* from, std::size_t n, stream s) {
    check(L::copy(to, from, n, L::device_to_host, s), "MemcpyAsync to the host");
  }
  static void fill(void* to, int byte, std::size_t n, stream s) {
    check(L::fill(to, byte, n, s), "MemsetAsync");
  }

  // ---- Streams and events ----

  static stream make_stream() {
    stream s{};
    check(L::create_stream(&s, L::non_blocking), "StreamCreateWithFlags");
    return s;
  }
  static void destroy(stream s) noexcept { static_cast<void>(L::destroy_stream(s)); }
  static void wait(stream s) { check(L::synchronize_stream(s), "StreamSynchronize"); }

  static event make_event() {
    event e{};
    check(L::create_event(&e), "EventCreate");
    return e;
  }
  static void destroy(event e) noexcept { static_cast<void>(L::destroy_event(e)); }
  static void record(event e, stream s) { check(L::record_event(e, s), "EventRecord"); }
  /// Lets a stream wait for an event, which may be another GPU's.
  static void wait_for(event e, stream s) { check(L::wait_for_event(s, e, 0), "StreamWaitEvent"); }
  /// Whether everything before the event is done. \throws device_error if it failed
  static bool done(event e) {
    const auto state = L::query_event(e);
    if (state == L::not_ready) return false;
    check(state, "EventQuery, which tells of the kernel");
    return true;
  }
  static double seconds_between(event begin, event end) {
    float milliseconds = 0;
    check(L::elapsed_time(&milliseconds, begin, end), "EventElapsedTime");
    return milliseconds * 1e-3;
  }

  // ---- Kernels ----

  /// Lets a kernel use so much dynamic shared memory.
  template <class Kernel>
  static void allow_shared(Kernel* kernel, std::size_t bytes) {
    check(L::allow_shared(address(kernel), bytes), "FuncSetAttribute");
  }
  /// What a kernel takes of a multiprocessor.
  template <class Kernel>
  static kernel_properties properties_of(Kernel* kernel) {
    typename L::function_attributes a{};
    check(L::get_function_attributes(&a, address(kernel)), "FuncGetAttributes");
    return {.registers = static_cast<std::uint32_t>(a.numRegs),
            .static_shared_bytes = a.sharedSizeBytes,
            .local_bytes = a.localSizeBytes,
            .most_threads = static_cast<std::uint32_t>(a.maxThreadsPerBlock)};
  }
  /// Blocks of a kernel that one multiprocessor of the GPU in use holds at once.
  template <class Kernel>
  static std::uint32_t resident(Kernel* kernel, std::uint32_t threads, std::size_t shared) {
    int n = 0;
    check(L::occupancy(&n, address(kernel), static_cast<int>(threads), shared),
          "OccupancyMaxActiveBlocksPerMultiprocessor");
    return static_cast<std::uint32_t>(n);
  }
  /// Starts a kernel of which all blocks run at once, or none does.
  template <class Arguments>
  static void launch(void (*kernel)(Arguments), const Arguments& arguments, const grid& blocks,
                     stream s) {
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))};
    check(L::launch_cooperative(address(kernel), blocks, pointers, s), "LaunchCooperativeKernel");
  }
  /// Starts a kernel whose blocks need nothing of each other, and so need not all fit at once.
  template <class Arguments>
  static void launch_blocks(void (*kernel)(Arguments), const Arguments& arguments,
                            const grid& blocks, stream s) {
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))};
    check(L::launch_blocks(address(kernel), blocks, pointers, s), "LaunchKernel");
  }

 private:
  template <class Kernel>
  static const void* address(Kernel* kernel) {
    return reinterpret_cast<const void*>(kernel);
  }
  static void check(typename L::error e, const char* call,
                    std::source_location at = std::source_location::current()) {
    if (e == L::success) return;
    int device = -1;
    static_cast<void>(L::get_device(&device));
    fail(e, call, device, at);
  }
  [[noreturn]] static void fail(typename L::error e, const char* call, int device,
                                std::source_location at) {
    static_cast<void>(L::get_last_error());
    throw device_error(device, std::string(L::name) + call, L::get_error_string(e), at.file_name(),
                       at.line());
  }
  static void check_allocation(typename L::error e, const char* call,
                               std::source_location at = std::source_location::current()) {
    if (e == L::out_of_memory) {
      static_cast<void>(L::get_last_error());
      throw std::bad_alloc();
    }
    check(e, call, at);
  }
};

}  // namespace mgws::gpu
