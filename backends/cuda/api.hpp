/// \file
/// The CUDA runtime library as the GPU backends' host side uses it: one thin function a call, every
/// failure a device_error that names the call. Host code only; any compiler can read this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <source_location>
#include <string>

#include <cuda_runtime.h>

#include <mgws/backends/gpu/properties.hpp>
#include <mgws/errors.hpp>

namespace mgws::cuda_backend {

struct api {
  using stream = cudaStream_t;
  using event = cudaEvent_t;

  static constexpr const char* vendor = "NVIDIA";
  static constexpr const char* name = "cuda";

  // ---- Devices ----

  /// How many GPUs there are; 0 with a reason in `why` if none can be used.
  static int count(std::string& why) {
    int n = 0;
    const cudaError_t e = cudaGetDeviceCount(&n);
    if (e == cudaSuccess && n != 0) return n;
    why = e == cudaSuccess ? "none is there" : cudaGetErrorString(e);
    static_cast<void>(cudaGetLastError());  // an absent driver is no error of a later call
    return 0;
  }
  /// All later calls of this thread are for this GPU.
  static void use(int device) { check(cudaSetDevice(device), "cudaSetDevice"); }

  static gpu::properties properties_of(int device) {
    cudaDeviceProp p{};
    check(cudaGetDeviceProperties(&p, device), "cudaGetDeviceProperties");
    return {.name = p.name,
            .multiprocessors = static_cast<std::uint32_t>(p.multiProcessorCount),
            .lanes_of_a_warp = static_cast<std::uint32_t>(p.warpSize),
            .shared_bytes = p.sharedMemPerBlockOptin,
            .memory_bytes = p.totalGlobalMem,
            .cooperative = p.cooperativeLaunch != 0,
            .host_memory_is_mapped = p.canMapHostMemory != 0,
            .host_atomics = p.hostNativeAtomicSupported != 0};
  }
  /// Whether `from` can reach the memory of `to`, and whether its atomics there are the memory's.
  static gpu::peer_properties peers(int from, int to) {
    int access = 0;
    int atomics = 0;
    check(cudaDeviceGetP2PAttribute(&access, cudaDevP2PAttrAccessSupported, from, to),
          "cudaDeviceGetP2PAttribute");
    check(cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, from, to),
          "cudaDeviceGetP2PAttribute");
    return {access != 0, atomics != 0};
  }
  /// Lets the GPU in use reach another one's memory.
  static void enable_peer(int other) {
    const cudaError_t e = cudaDeviceEnablePeerAccess(other, 0);
    if (e == cudaErrorPeerAccessAlreadyEnabled) {
      static_cast<void>(cudaGetLastError());
      return;
    }
    check(e, "cudaDeviceEnablePeerAccess");
  }

  // ---- Memory ----

  /// Memory of the GPU in use. \throws std::bad_alloc if it has not so much
  static void* allocate(std::size_t bytes) {
    void* p = nullptr;
    check_allocation(cudaMalloc(&p, bytes), "cudaMalloc");
    return p;
  }
  static void deallocate(void* p) noexcept { static_cast<void>(cudaFree(p)); }

  /// Page-locked host memory that every GPU reaches at the same address as the host.
  static void* allocate_mapped(std::size_t bytes) {
    void* p = nullptr;
    check_allocation(cudaHostAlloc(&p, bytes, cudaHostAllocMapped | cudaHostAllocPortable),
                     "cudaHostAlloc");
    return p;
  }
  static void deallocate_mapped(void* p) noexcept { static_cast<void>(cudaFreeHost(p)); }
  // Page-locked memory at the host's end makes these return at once; the caller waits on the
  // stream in any case.
  static void copy_to_device(void* to, const void* from, std::size_t n, stream s) {
    check(cudaMemcpyAsync(to, from, n, cudaMemcpyHostToDevice, s), "cudaMemcpyAsync to the device");
  }
  static void copy_to_host(void* to, const void* from, std::size_t n, stream s) {
    check(cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToHost, s), "cudaMemcpyAsync to the host");
  }
  static void copy_within(void* to, const void* from, std::size_t n, stream s) {
    check(cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToDevice, s),
          "cudaMemcpyAsync within the device");
  }
  static void fill(void* to, int byte, std::size_t n, stream s) {
    check(cudaMemsetAsync(to, byte, n, s), "cudaMemsetAsync");
  }

  // ---- Streams and events ----

  static stream make_stream() {
    stream s{};
    check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    return s;
  }
  static void destroy(stream s) noexcept { static_cast<void>(cudaStreamDestroy(s)); }
  static void wait(stream s) { check(cudaStreamSynchronize(s), "cudaStreamSynchronize"); }

  static event make_event() {
    event e{};
    check(cudaEventCreate(&e), "cudaEventCreate");
    return e;
  }
  static void destroy(event e) noexcept { static_cast<void>(cudaEventDestroy(e)); }
  static void record(event e, stream s) { check(cudaEventRecord(e, s), "cudaEventRecord"); }
  /// Lets a stream wait for an event, which may be another GPU's.
  static void wait_for(event e, stream s) {
    check(cudaStreamWaitEvent(s, e), "cudaStreamWaitEvent");
  }
  /// Whether everything before the event is done. \throws device_error if it failed
  static bool done(event e) {
    const cudaError_t state = cudaEventQuery(e);
    if (state == cudaErrorNotReady) return false;
    check(state, "the kernel, seen by cudaEventQuery");
    return true;
  }
  static double seconds_between(event begin, event end) {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

  // ---- Kernels ----

  /// Lets a kernel use so much dynamic shared memory, and gives shared memory precedence over the
  /// first-level cache.
  template <class Kernel>
  static void allow_shared(Kernel* kernel, std::size_t bytes) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes)),
          "cudaFuncSetAttribute");
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                               cudaSharedmemCarveoutMaxShared),
          "cudaFuncSetAttribute");
  }
  /// What a kernel takes of a multiprocessor.
  template <class Kernel>
  static gpu::kernel_properties properties_of(Kernel* kernel) {
    cudaFuncAttributes a{};
    check(cudaFuncGetAttributes(&a, kernel), "cudaFuncGetAttributes");
    return {.registers = static_cast<std::uint32_t>(a.numRegs),
            .static_shared_bytes = a.sharedSizeBytes,
            .local_bytes = a.localSizeBytes,
            .most_threads = static_cast<std::uint32_t>(a.maxThreadsPerBlock)};
  }
  /// Blocks of a kernel that one multiprocessor of the GPU in use holds at once.
  template <class Kernel>
  static std::uint32_t resident(Kernel* kernel, std::uint32_t threads, std::size_t shared) {
    int n = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, static_cast<int>(threads),
                                                        shared),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    return static_cast<std::uint32_t>(n);
  }
  /// Starts a kernel of which all blocks run at once, or none does.
  template <class Arguments>
  static void launch(void (*kernel)(Arguments), const Arguments& arguments, std::uint32_t blocks,
                     std::uint32_t threads, std::size_t shared, stream s) {
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))};
    check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(blocks),
                                      dim3(threads), pointers, shared, s),
          "cudaLaunchCooperativeKernel");
  }

 private:
  static void check(cudaError_t e, const char* call,
                    std::source_location at = std::source_location::current()) {
    if (e == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());
    int device = -1;
    static_cast<void>(cudaGetDevice(&device));
    throw device_error(device, call, cudaGetErrorString(e), at.file_name(), at.line());
  }
  static void check_allocation(cudaError_t e, const char* call,
                               std::source_location at = std::source_location::current()) {
    if (e == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      throw std::bad_alloc();
    }
    check(e, call, at);
  }
};

}  // namespace mgws::cuda_backend
