/// \file
/// Memory of the CPU backend's areas: zeroed, page-aligned, and taken from the system only where it
/// is touched, so that a generous spill area costs nothing until it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace mgws::cpu_backend {

/// Bytes that the machine has; very many if the system does not say.
[[nodiscard]] inline std::uint64_t memory_of_machine() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || bytes <= 0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes);
}

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

  /// Whether the system gives an area of so many bytes now.
  [[nodiscard]] static bool available(std::size_t bytes) {
    try {
      const area would_be(bytes);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
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
