/// \file
/// Scratch memory: what a task may write and read while its call operator runs, near its lanes. A
/// type says what it wants: `using scratch = std::array<element, n>`.
///
/// Lane tasks of a worker of several lanes have theirs interleaved: what lies at one place of each
/// lies side by side, so that lanes that use the same place, or different ones, do not meet in a
/// bank of a GPU's shared memory, however wide the elements are. How far apart one lane's elements
/// are follows from their size, so it is the type that says what they are: those of one type run
/// side by side.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// Elements of type T of which each is so many behind the one before. A random access iterator.
template <class T, std::uint32_t Stride>
class scratch_iterator {
 public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using pointer = T*;
  using iterator_category = std::random_access_iterator_tag;

  scratch_iterator() = default;
  MGWS_FN constexpr explicit scratch_iterator(T* at) : at_(at) {}

  [[nodiscard]] MGWS_FN constexpr T& operator*() const { return *at_; }
  [[nodiscard]] MGWS_FN constexpr T* operator->() const { return at_; }
  [[nodiscard]] MGWS_FN constexpr T& operator[](difference_type n) const {
    return at_[n * difference_type{Stride}];
  }
  MGWS_FN constexpr scratch_iterator& operator+=(difference_type n) {
    at_ += n * difference_type{Stride};
    return *this;
  }
  MGWS_FN constexpr scratch_iterator& operator-=(difference_type n) { return *this += -n; }
  MGWS_FN constexpr scratch_iterator& operator++() { return *this += 1; }
  MGWS_FN constexpr scratch_iterator& operator--() { return *this += -1; }
  MGWS_FN constexpr scratch_iterator operator++(int) {
    const scratch_iterator before = *this;
    ++*this;
    return before;
  }
  MGWS_FN constexpr scratch_iterator operator--(int) {
    const scratch_iterator before = *this;
    --*this;
    return before;
  }
  [[nodiscard]] friend MGWS_FN constexpr scratch_iterator operator+(scratch_iterator i,
                                                                    difference_type n) {
    return i += n;
  }
  [[nodiscard]] friend MGWS_FN constexpr scratch_iterator operator+(difference_type n,
                                                                    scratch_iterator i) {
    return i += n;
  }
  [[nodiscard]] friend MGWS_FN constexpr scratch_iterator operator-(scratch_iterator i,
                                                                    difference_type n) {
    return i -= n;
  }
  [[nodiscard]] friend MGWS_FN constexpr difference_type operator-(scratch_iterator a,
                                                                   scratch_iterator b) {
    return (a.at_ - b.at_) / difference_type{Stride};
  }
  [[nodiscard]] MGWS_FN constexpr bool operator==(const scratch_iterator&) const = default;
  [[nodiscard]] MGWS_FN constexpr auto operator<=>(const scratch_iterator&) const = default;

 private:
  T* at_ = nullptr;
};

/// The scratch memory of one task, as elements of type T. What they hold when a call operator
/// begins means nothing.
template <class T, std::uint32_t Stride>
class scratch_memory {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T> &&
                    alignof(T) <= 16,
                "mgws: scratch memory holds what is trivially copyable and aligned to at most 16 "
                "bytes");

 public:
  MGWS_FN constexpr scratch_memory(T* first, std::uint32_t size) : first_(first), size_(size) {}

  /// As many as the task's type says.
  [[nodiscard]] MGWS_FN constexpr std::uint32_t size() const { return size_; }
  [[nodiscard]] MGWS_FN constexpr T& operator[](std::uint32_t i) const {
    return first_[std::size_t{i} * Stride];
  }
  [[nodiscard]] MGWS_FN constexpr auto begin() const { return scratch_iterator<T, Stride>(first_); }
  [[nodiscard]] MGWS_FN constexpr auto end() const { return begin() + size_; }

 private:
  T* first_;
  std::uint32_t size_;
};

/// Bytes of scratch memory that leave a worker room for its own in what a kernel may declare, 48
/// KB.
inline constexpr std::size_t k_most_scratch = std::size_t{40} << 10;

/// Bytes of a worker of so many lanes and warps for the scratch memory of its tasks, of which those
/// that run side by side are of one width; 0 if none wants any.
template <class Tasks>
[[nodiscard]] constexpr std::size_t scratch_bytes(std::uint32_t lanes, std::uint32_t warps) {
  return std::max({Tasks::scratch(shape::lane) * lanes, Tasks::scratch(shape::warp) * warps,
                   Tasks::scratch(shape::block)});
}

/// Room for that. \tparam Lanes, Warps  of the worker
template <class Tasks, std::uint32_t Lanes, std::uint32_t Warps>
struct scratch_area {
  static constexpr std::size_t size = scratch_bytes<Tasks>(Lanes, Warps);

  alignas(16) std::byte bytes[size];

  /// \tparam Wanted  a task type's `scratch`
  template <class Wanted>
  [[nodiscard]] MGWS_FN auto of_lane(std::uint32_t lane) {
    return scratch_memory<element<Wanted>, Lanes>(first<Wanted>() + lane, elements<Wanted>);
  }
  template <class Wanted>
  [[nodiscard]] MGWS_FN auto of_warp(std::uint32_t warp) {
    constexpr std::size_t bytes_each = Tasks::scratch(shape::warp);
    return scratch_memory<element<Wanted>, 1>(first<Wanted>(warp * bytes_each), elements<Wanted>);
  }
  template <class Wanted>
  [[nodiscard]] MGWS_FN auto of_worker() {
    return scratch_memory<element<Wanted>, 1>(first<Wanted>(), elements<Wanted>);
  }

 private:
  template <class Wanted>
  using element = typename Wanted::value_type;
  template <class Wanted>
  static constexpr auto elements = static_cast<std::uint32_t>(std::tuple_size_v<Wanted>);
  template <class Wanted>
  [[nodiscard]] MGWS_FN element<Wanted>* first(std::size_t at = 0) {
    return reinterpret_cast<element<Wanted>*>(bytes + at);
  }
};

/// Of a worker of one lane; nothing where no task wants any.
template <class Tasks, bool Any>
class scratch_of_worker {
 public:
  template <class Wanted>
  [[nodiscard]] MGWS_FN auto scratch_of_task() {
    return area_.template of_worker<Wanted>();
  }

 private:
  scratch_area<Tasks, 1, 1> area_;
};
template <class Tasks>
class scratch_of_worker<Tasks, false> {};

}  // namespace mgws
