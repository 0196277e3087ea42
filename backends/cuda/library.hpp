/// \file
/// The CUDA runtime library's names, for gpu::api. Host code only; any compiler can read this
/// header.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include <mgws/backends/gpu/api.hpp>
#include <mgws/backends/gpu/properties.hpp>

namespace mgws::cuda_backend {

struct library {
  static constexpr const char* vendor = "NVIDIA";
  static constexpr const char* name = "cuda";
  using error = cudaError_t;
  using stream = cudaStream_t;
  using event = cudaEvent_t;
  using function_attributes = cudaFuncAttributes;

  static constexpr auto success = cudaSuccess;
  static constexpr auto not_ready = cudaErrorNotReady;
  static constexpr auto out_of_memory = cudaErrorMemoryAllocation;
  static constexpr auto peer_already_enabled = cudaErrorPeerAccessAlreadyEnabled;
  static constexpr auto get_error_string = &cudaGetErrorString;
  static constexpr auto get_last_error = &cudaGetLastError;

  static constexpr auto get_device_count = &cudaGetDeviceCount;
  static constexpr auto get_device = &cudaGetDevice;
  static constexpr auto set_device = &cudaSetDevice;
  static error get_properties(gpu::properties& to, int device) {
    cudaDeviceProp p{};
    const error e = cudaGetDeviceProperties(&p, device);
    to = {.name = p.name,
          .multiprocessors = static_cast<std::uint32_t>(p.multiProcessorCount),
          .lanes_of_a_warp = static_cast<std::uint32_t>(p.warpSize),
          .shared_bytes = p.sharedMemPerBlockOptin,
          .shared_bytes_or_cache = p.sharedMemPerMultiprocessor,
          .shared_bytes_reserved = p.reservedSharedMemPerBlock,
          .memory_bytes = p.totalGlobalMem,
          .cooperative = p.cooperativeLaunch != 0,
          .host_memory_is_mapped = p.canMapHostMemory != 0,
          .host_atomics = p.hostNativeAtomicSupported != 0,
          .managed = p.concurrentManagedAccess != 0};
    return e;
  }
  static constexpr auto p2p_access = cudaDevP2PAttrAccessSupported;
  static constexpr auto p2p_atomics = cudaDevP2PAttrNativeAtomicSupported;
  static constexpr auto get_p2p_attribute = &cudaDeviceGetP2PAttribute;
  static constexpr auto enable_peer_access = &cudaDeviceEnablePeerAccess;

  static error allocate(void** p, std::size_t bytes) { return cudaMalloc(p, bytes); }
  /// All of a GPU's memory is coherent at system scope.
  static error allocate_shared(void** p, std::size_t bytes) { return cudaMalloc(p, bytes); }
  static constexpr auto free = &cudaFree;
  static error allocate_mapped(void** p, std::size_t bytes) {
    return cudaHostAlloc(p, bytes, cudaHostAllocMapped | cudaHostAllocPortable);
  }
  static constexpr auto free_mapped = &cudaFreeHost;
  static error allocate_managed(void** p, std::size_t bytes) {
    return cudaMallocManaged(p, bytes, cudaMemAttachGlobal);
  }
  static error move_pages(void* p, std::size_t bytes, int device, stream s) {
#if CUDART_VERSION >= 13000
    return cudaMemPrefetchAsync(p, bytes, {cudaMemLocationTypeDevice, device}, 0, s);
#else
    return cudaMemPrefetchAsync(p, bytes, device, s);
#endif
  }
  static error register_host(void* p, std::size_t bytes) {
    return cudaHostRegister(p, bytes, cudaHostRegisterMapped | cudaHostRegisterPortable);
  }
  static constexpr auto unregister_host = &cudaHostUnregister;
  static error device_address(void** there, void* p) {
    return cudaHostGetDevicePointer(there, p, 0);
  }
  static constexpr auto host_to_device = cudaMemcpyHostToDevice;
  static constexpr auto device_to_host = cudaMemcpyDeviceToHost;
  static constexpr auto copy = &cudaMemcpyAsync;
  static constexpr auto fill = &cudaMemsetAsync;

  static constexpr auto non_blocking = cudaStreamNonBlocking;
  static constexpr auto create_stream = &cudaStreamCreateWithFlags;
  static constexpr auto destroy_stream = &cudaStreamDestroy;
  static constexpr auto synchronize_stream = &cudaStreamSynchronize;
  static error create_event(event* e) {
    return cudaEventCreate(e);
  }
  static constexpr auto destroy_event = &cudaEventDestroy;
  static error record_event(event e, stream s) {
    return cudaEventRecord(e, s);
  }
  static error wait_for_event(stream s, event e, unsigned flags) {
    return cudaStreamWaitEvent(s, e, flags);
  }
  static constexpr auto query_event = &cudaEventQuery;
  static constexpr auto elapsed_time = &cudaEventElapsedTime;

  /// Of how many blocks fit, nothing is left to the first-level cache; a launch says what is.
  static error allow_shared(const void* kernel, std::size_t bytes) {
    const error e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(bytes));
    if (e != cudaSuccess) return e;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                cudaSharedmemCarveoutMaxShared);
  }
  static error get_function_attributes(function_attributes* a, const void* kernel) {
    return cudaFuncGetAttributes(a, kernel);
  }
  static error occupancy(int* blocks, const void* kernel, int threads, std::size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared);
  }
  static error launch_cooperative(const void* kernel, const gpu::grid& grid, void** arguments,
                                  stream s) {
    cudaLaunchAttribute how[2]{};
    how[0].id = cudaLaunchAttributeCooperative;
    how[0].val.cooperative = 1;
    how[1].id = cudaLaunchAttributePreferredSharedMemoryCarveout;
    const bool prefers = grid.shared_percent != gpu::grid::no_preference;
    if (prefers) how[1].val.sharedMemCarveout = static_cast<unsigned>(grid.shared_percent);
    cudaLaunchConfig_t launch{};
    launch.gridDim = dim3(grid.blocks);
    launch.blockDim = dim3(grid.threads);
    launch.dynamicSmemBytes = grid.shared_bytes;
    launch.stream = s;
    launch.attrs = how;
    launch.numAttrs = prefers ? 2 : 1;
    return cudaLaunchKernelExC(&launch, kernel, arguments);
  }
  static error launch_blocks(const void* kernel, const gpu::grid& grid, void** arguments,
                             stream s) {
    return cudaLaunchKernel(kernel, dim3(grid.blocks), dim3(grid.threads), arguments,
                            grid.shared_bytes, s);
  }
};

using api = gpu::api<library>;

}  // namespace mgws::cuda_backend
