/// \file
/// Memory of the CPU backend's areas: zeroed, page-aligned, and taken from the system only where it
/// is touched, so that a generous spill area costs nothing until it is used.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace mgws::cpu_backend {

/// Owns one area. Movable.
class area {
 public:
  area() = default;
  /// \throws std::bad_alloc
  explicit area(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(p);
  }
  area(area&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  area& operator=(area&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~area() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  void write(std::size_t offset, const void* from, std::size_t n) const {
    if (n != 0) std::memcpy(data_ + offset, from, n);
  }
  void read(void* to, std::size_t offset, std::size_t n) const {
    if (n != 0) std::memcpy(to, data_ + offset, n);
  }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace mgws::cpu_backend
