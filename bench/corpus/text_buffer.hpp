/// \file
/// A growing byte buffer for texts of gigabytes.
///
/// Not a std::vector because of two costs that show at this size: a vector clears bytes that are
/// overwritten at once, and it holds the old and the new block while it grows. realloc moves pages
/// instead of copying them where the system can.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace mgws::bench {

class text_buffer {
 public:
  text_buffer() = default;
  text_buffer(text_buffer&& other) noexcept
      : data_(std::move(other.data_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  text_buffer& operator=(text_buffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<const std::byte> view() const noexcept { return {data_.get(), size_}; }

  /// Room for at least `count` bytes behind the end, uninitialised. `commit` makes them part of
  /// the text. Invalidates views.
  [[nodiscard]] std::span<std::byte> prepare(std::size_t count) {
    if (capacity_ - size_ < count) grow(count);
    return {data_.get() + size_, capacity_ - size_};
  }

  /// Takes the first `count` bytes of what `prepare` gave.
  void commit(std::size_t count) noexcept { size_ += count; }

  /// Forgets what lies behind the first `count` bytes.
  void truncate(std::size_t count) noexcept { size_ = count; }

  /// Gives unused capacity back. Invalidates views.
  void shrink_to_fit() {
    if (capacity_ > size_) reallocate(size_ == 0 ? 1 : size_);
  }

 private:
  struct deallocate {
    void operator()(std::byte* block) const noexcept { std::free(block); }
  };

  void grow(std::size_t count) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 2;
    if (count > most || size_ > most - count) throw std::bad_alloc();
    const std::size_t needed = size_ + count;
    const std::size_t doubled = capacity_ * 2;
    reallocate(needed < doubled ? doubled : needed);
  }

  void reallocate(std::size_t capacity) {
    auto* const block = static_cast<std::byte*>(std::realloc(data_.get(), capacity));
    if (block == nullptr) throw std::bad_alloc();
    // realloc has already freed or reused the old block.
    static_cast<void>(data_.release());
    data_.reset(block);
    capacity_ = capacity;
  }

  std::unique_ptr<std::byte, deallocate> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace mgws::bench
