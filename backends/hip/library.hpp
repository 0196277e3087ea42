/// \file
/// The HIP runtime library's names, for gpu::api. Host code only; any compiler can read this header
/// with __HIP_PLATFORM_AMD__ defined.
#pragma once

#include <cstddef>
#include <cstdint>

#include <hip/hip_runtime_api.h>

#include <mgws/backends/gpu/api.hpp>
#include <mgws/backends/gpu/properties.hpp>

namespace mgws::hip_backend {

struct library {
#if defined(__HIP_PLATFORM_NVIDIA__)
  static constexpr const char* vendor = "HIP-on-NVIDIA";
#else
  static constexpr const char* vendor = "AMD";
#endif
  static constexpr const char* name = "hip";
  using error = hipError_t;
  using stream = hipStream_t;
  using event = hipEvent_t;
  using function_attributes = hipFuncAttributes;

  static constexpr auto success = hipSuccess;
  static constexpr auto not_ready = hipErrorNotReady;
  static constexpr auto out_of_memory = hipErrorOutOfMemory;
  static constexpr auto peer_already_enabled = hipErrorPeerAccessAlreadyEnabled;
  static const char* get_error_string(error e) {
    return hipGetErrorString(e);
  }
  static error get_last_error() {
    return hipGetLastError();
  }

  static error get_device_count(int* n) {
    return hipGetDeviceCount(n);
  }
  static error get_device(int* device) {
    return hipGetDevice(device);
  }
  static error set_device(int device) {
    return hipSetDevice(device);
  }
  static error get_properties(gpu::properties& to, int device) {
    hipDeviceProp_t p{};
    const error e = hipGetDeviceProperties(&p, device);
    to = {.name = p.name,
          .multiprocessors = static_cast<std::uint32_t>(p.multiProcessorCount),
          .lanes_of_a_warp = static_cast<std::uint32_t>(p.warpSize),
          .shared_bytes = shared_bytes(p, device),
          .memory_bytes = p.totalGlobalMem,
          .cooperative = p.cooperativeLaunch != 0,
          .host_memory_is_mapped = p.canMapHostMemory != 0,
          // Whether the bus carries atomic operations is for the probe to find out.
          .host_atomics = false,
          .managed = managed(device)};
    return e;
  }
  static constexpr auto p2p_access = hipDevP2PAttrAccessSupported;
  static constexpr auto p2p_atomics = hipDevP2PAttrNativeAtomicSupported;
  static error get_p2p_attribute(int* value, hipDeviceP2PAttr what, int from, int to) {
    return hipDeviceGetP2PAttribute(value, what, from, to);
  }
  static error enable_peer_access(int device, unsigned flags) {
    return hipDeviceEnablePeerAccess(device, flags);
  }

  /// Coarse-grained: coherent within the GPU while a kernel runs, and with others between kernels.
  static error allocate(void** p, std::size_t bytes) {
    return hipMalloc(p, bytes);
  }
  /// Fine-grained: coherent at system scope while kernels run. In coarse-grained memory AMD's
  /// system-scope operations weaken or vanish without a word.
  static error allocate_shared(void** p, std::size_t bytes) {
#if defined(__HIP_PLATFORM_NVIDIA__)
    return hipMalloc(p, bytes);  // there is one kind only
#else
    return hipExtMallocWithFlags(p, bytes, hipDeviceMallocFinegrained);
#endif
  }
  static error free(void* p) {
    return hipFree(p);
  }
  static error allocate_mapped(void** p, std::size_t bytes) {
#if defined(__HIP_PLATFORM_NVIDIA__)
    return hipHostMalloc(p, bytes, hipHostMallocMapped | hipHostMallocPortable);
#else
    return hipHostMalloc(p, bytes,
                         hipHostMallocMapped | hipHostMallocPortable | hipHostMallocCoherent);
#endif
  }
  static error free_mapped(void* p) {
    return hipHostFree(p);
  }
  static error allocate_managed(void** p, std::size_t bytes) {
    return hipMallocManaged(p, bytes, hipMemAttachGlobal);
  }
  static error move_pages(void* p, std::size_t bytes, int device, stream s) {
    return hipMemPrefetchAsync(p, bytes, device, s);
  }
  static error register_host(void* p, std::size_t bytes) {
    return hipHostRegister(p, bytes, hipHostRegisterMapped | hipHostRegisterPortable);
  }
  static error unregister_host(void* p) {
    return hipHostUnregister(p);
  }
  static error device_address(void** there, void* p) {
    return hipHostGetDevicePointer(there, p, 0);
  }
  static constexpr auto host_to_device = hipMemcpyHostToDevice;
  static constexpr auto device_to_host = hipMemcpyDeviceToHost;
  static error copy(void* to, const void* from, std::size_t n, hipMemcpyKind kind, stream s) {
    return hipMemcpyAsync(to, from, n, kind, s);
  }
  static error fill(void* to, int byte, std::size_t n, stream s) {
    return hipMemsetAsync(to, byte, n, s);
  }

  static constexpr unsigned non_blocking = hipStreamNonBlocking;
  static error create_stream(stream* s, unsigned flags) {
    return hipStreamCreateWithFlags(s, flags);
  }
  static error destroy_stream(stream s) {
    return hipStreamDestroy(s);
  }
  static error synchronize_stream(stream s) {
    return hipStreamSynchronize(s);
  }
  static error create_event(event* e) {
    return hipEventCreate(e);
  }
  static error destroy_event(event e) {
    return hipEventDestroy(e);
  }
  static error record_event(event e, stream s) {
    return hipEventRecord(e, s);
  }
  static error wait_for_event(stream s, event e, unsigned flags) {
    return hipStreamWaitEvent(s, e, flags);
  }
  static error query_event(event e) {
    return hipEventQuery(e);
  }
  static error elapsed_time(float* milliseconds, event begin, event end) {
    return hipEventElapsedTime(milliseconds, begin, end);
  }

  static error allow_shared(const void* kernel, std::size_t bytes) {
    return hipFuncSetAttribute(kernel, hipFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes));
  }
  static error get_function_attributes(function_attributes* a, const void* kernel) {
    return hipFuncGetAttributes(a, kernel);
  }
  static error occupancy(int* blocks, const void* kernel, int threads, std::size_t shared) {
    return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared);
  }
  /// AMD's shared memory is not cut out of a cache; of NVIDIA's HIP has nothing to say.
  static error launch_cooperative(const void* kernel, const gpu::grid& grid, void** arguments,
                                  stream s) {
    return hipLaunchCooperativeKernel(kernel, dim3(grid.blocks), dim3(grid.threads), arguments,
                                      static_cast<unsigned>(grid.shared_bytes), s);
  }
  static error launch_blocks(const void* kernel, const gpu::grid& grid, void** arguments,
                             stream s) {
    return hipLaunchKernel(kernel, dim3(grid.blocks), dim3(grid.threads), arguments,
                           grid.shared_bytes, s);
  }

 private:
  static std::size_t shared_bytes(const hipDeviceProp_t& p, int device) {
#if defined(__HIP_PLATFORM_NVIDIA__)
    // HIP has no word for shared memory that must be asked for.
    int bytes = 0;
    if (cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) ==
        cudaSuccess)
      return static_cast<std::size_t>(bytes);
#endif
    static_cast<void>(device);
    return p.sharedMemPerBlock;
  }
  static bool managed(int device) {
    int there = 0;
    return hipDeviceGetAttribute(&there, hipDeviceAttributeConcurrentManagedAccess, device) ==
               hipSuccess &&
           there != 0;
  }
};

using api = gpu::api<library>;

}  // namespace mgws::hip_backend
