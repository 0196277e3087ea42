/// \file
/// Memory for what tasks read and write: mgws::array.
///
///     mgws::array<std::uint64_t> data(rt, n);   // where the tasks of rt can reach it
///     data.fill(0);
///     rt.run({data.data()});                    // the context hands the address to the tasks
///     data.download(result.data());
#pragma once

// clang-format off
#include <mgws/language.hpp>  // before all others
// clang-format on

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <mgws/errors.hpp>

namespace mgws {

/// A kind of memory that the workers of a runtime reach, and how the host gets at it. No function
/// may be called while a run uses the memory in question.
class memory_space {
 public:
  memory_space() = default;
  memory_space(const memory_space&) = delete;
  memory_space& operator=(const memory_space&) = delete;
  virtual ~memory_space() = default;

  /// Aligned for every type; contents unspecified. \throws std::bad_alloc, device_error
  [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
  /// \pre allocate() returned p
  virtual void deallocate(void* p) noexcept = 0;
  /// From the host's memory into this one.
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  /// From this memory into the host's.
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;
  /// Sets every byte.
  virtual void fill(void* to, unsigned char byte, std::size_t bytes) = 0;
  /// Whoever reaches this memory is to reach these pages of the host's as well, which somebody else
  /// has taken, until let_go(). \throws not_possible, device_error
  virtual void adopt(void* /*p*/, std::size_t /*bytes*/) {}
  virtual void let_go(void* /*p*/) noexcept {}
};

/// The memory of CPU workers: the host's own.
class host_memory : public memory_space {
 public:
  void* allocate(std::size_t bytes) override {
    return ::operator new (bytes, std::align_val_t{k_alignment});
  }
  void deallocate(void* p) noexcept override {
    ::operator delete (p, std::align_val_t{k_alignment});
  }
  void upload(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void fill(void* to, unsigned char byte, std::size_t bytes) override {
    std::memset(to, byte, bytes);
  }

 private:
  static constexpr std::size_t k_alignment = 256;
};

/// n elements where the tasks of a runtime reach them. Movable; must not outlive a run that uses
/// it, but may outlive the runtime.
template <class T>
class array {
  static_assert(std::is_trivially_copyable_v<T>, "mgws: an array's elements are copied as bytes");

 public:
  array() = default;
  /// Contents unspecified. \throws bad_configuration for more elements than any memory has;
  /// std::bad_alloc, device_error
  array(std::shared_ptr<memory_space> memory, std::size_t n)
      : memory_(std::move(memory)), data_(n == 0 ? nullptr : allocate(n)), size_(n) {}
  /// Where the tasks of a runtime reach it: the first device's memory. Contents unspecified.
  template <class Runtime>
    requires requires(const Runtime& rt) {
      { rt.data_memory() } -> std::convertible_to<std::shared_ptr<memory_space>>;
    }
  array(const Runtime& rt, std::size_t n) : array(rt.data_memory(), n) {}
  /// A copy of what the host has.
  array(std::shared_ptr<memory_space> memory, std::span<const T> from)
      : array(std::move(memory), from.size()) {
    upload(from);
  }

  array(array&& other) noexcept
      : memory_(std::move(other.memory_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  array& operator=(array&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~array() {
    if (data_ != nullptr) memory_->deallocate(data_);
  }

  /// The address for tasks. The host may not follow it where workers are on a GPU.
  [[nodiscard]] T* data() const { return data_; }
  /// Elements.
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Copies the host's elements to the first ones of the array. \throws bad_configuration for more
  /// than there are; device_error
  void upload(std::span<const T> from) {
    check_fits("an upload to", from.size());
    if (!from.empty()) memory_->upload(data_, from.data(), from.size_bytes());
  }
  /// Copies the first elements of the array to the host's. \throws bad_configuration for more than
  /// there are; device_error
  void download(std::span<T> to) const {
    check_fits("a download from", to.size());
    if (!to.empty()) memory_->download(to.data(), data_, to.size_bytes());
  }
  /// Sets every byte.
  void fill(unsigned char byte) {
    if (size_ != 0) memory_->fill(data_, byte, size_ * sizeof(T));
  }

 private:
  [[nodiscard]] T* allocate(std::size_t n) const {
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
    if (n > most / sizeof(T))
      detail::refuse<bad_configuration>(
          {"an array of ", n, " elements of ", sizeof(T), " bytes is larger than any memory"});
    if (memory_ == nullptr) throw bad_configuration("an array needs a memory to lie in");
    return static_cast<T*>(memory_->allocate(n * sizeof(T)));
  }
  void check_fits(const char* what, std::size_t n) const {
    if (n > size_)
      detail::refuse<bad_configuration>(
          {what, " an array of ", size_, " elements cannot have ", n});
  }

  std::shared_ptr<memory_space> memory_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mgws
