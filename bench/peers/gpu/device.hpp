/// \file
/// What the kernels of mgws-peer-gpu have in common: errors, memory, clocks.
#pragma once

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "peers/gpu/kernels.hpp"

namespace mgws::bench::peers::gpu {

inline void must(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

/// n elements in the GPU's memory.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t n) : size_(n) {
    must(cudaMalloc(&data_, n * sizeof(T)), "memory of the GPU");
  }
  ~device_array() { cudaFree(data_); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  void zero() { set_bytes(0); }
  void set_bytes(int value) {
    must(cudaMemset(data_, value, size_ * sizeof(T)), "memory of the GPU");
  }
  void upload(const T* from, std::size_t n) {
    must(cudaMemcpy(data_, from, n * sizeof(T), cudaMemcpyHostToDevice), "an input of the GPU");
  }
  void download(std::vector<T>& to) const {
    to.resize(size_);
    must(cudaMemcpy(to.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost),
         "a result of the GPU");
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

/// A GPU's clock around what is launched in between.
class stopwatch {
 public:
  stopwatch() {
    must(cudaEventCreate(&begin_), "an event");
    must(cudaEventCreate(&end_), "an event");
  }
  ~stopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;

  template <class Launch>
  [[nodiscard]] double seconds_of(Launch&& launch) {
    must(cudaDeviceSynchronize(), "the GPU");
    must(cudaEventRecord(begin_), "an event");
    launch();
    must(cudaGetLastError(), "a kernel's launch");
    must(cudaEventRecord(end_), "an event");
    must(cudaEventSynchronize(end_), "a kernel");
    float milliseconds = 0;
    must(cudaEventElapsedTime(&milliseconds, begin_, end_), "an event");
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t begin_{};
  cudaEvent_t end_{};
};

/// Blocks of a kernel that are resident at once. \param shared  bytes of memory that a launch adds
template <class Kernel>
[[nodiscard]] int resident_blocks(Kernel kernel, int threads, std::size_t shared = 0) {
  int device = 0;
  int multiprocessors = 0;
  int blocks = 0;
  must(cudaGetDevice(&device), "the GPU");
  must(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "the GPU");
  must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared),
       "the kernel");
  if (blocks == 0) throw std::runtime_error("the kernel does not fit the GPU");
  return multiprocessors * blocks;
}

}  // namespace mgws::bench::peers::gpu
