/// \file
/// A piece of memory that workers write and the host looks at: brought to its start before each
/// run, and copied to the host after it where the host cannot read it.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

namespace mgws {

/// Owner of zeroed memory that workers reach.
template <class A>
concept transport_area = std::movable<A> && std::default_initializable<A> && requires(const A& a) {
  { a.data() } -> std::same_as<std::byte*>;
  { a.bytes() } -> std::same_as<std::size_t>;
};

/// The same where it may be a device's: if it is not on_host(), the host uses copies to get at it,
/// also while workers run.
template <class A>
concept device_area = transport_area<A> && std::constructible_from<A, std::size_t> &&
    requires(const A& a, void* to, const void* from, std::size_t n) {
  { a.on_host() } -> std::same_as<bool>;
  a.write(n, from, n);
  a.read(to, n, n);
  /// Takes over the bytes of an area of the same kind and size, before the next kernel of its
  /// device begins, and before what is written or read once the crew has been told of it.
  a.assign(a);
  /// Copies the first n bytes to the host's memory behind all that its device has been given to do.
  a.read_behind(static_cast<std::byte*>(to), n);
};

template <transport_area Area>
[[nodiscard]] bool on_host([[maybe_unused]] const Area& a) {
  if constexpr (device_area<Area>) {
    return a.on_host();
  } else {
    return true;
  }
}

template <transport_area Area>
class block {
 public:
  block() = default;
  /// \param make   make(): the memory, called again for as much beside it
  /// \param start  start(at, there): writes what there is at the start of a run, at an address of
  /// the
  ///               host's memory that is aligned for everything; the workers will have it `there`
  template <class Make, class Start>
  block(Make&& make, Start&& start) : words_(make()) {
    if constexpr (device_area<Area>) {
      if (words_.on_host() || words_.bytes() == 0) return;
      at_start_ = make();
      copy_ = Area(words_.bytes());
      start(copy_.data(), words_.data());
      at_start_.write(0, copy_.data(), copy_.bytes());
    }
  }

  /// As the workers reach it.
  [[nodiscard]] const Area& words() const { return words_; }
  /// As the host last saw it; the memory itself, if that is the host's.
  [[nodiscard]] std::byte* seen() const { return (on_host(words_) ? words_ : copy_).data(); }

  /// \param start  as above \pre no worker is running
  template <class Start>
  void reset(Start&& start) const {
    if (words_.bytes() == 0) return;
    if (on_host(words_)) {
      start(words_.data(), words_.data());
    } else if constexpr (device_area<Area>) {
      words_.assign(at_start_);
    }
  }
  /// Now, also while workers run.
  void look() const {
    if constexpr (device_area<Area>)
      if (!words_.on_host()) words_.read(copy_.data(), 0, words_.bytes());
  }
  /// At its first n bytes, once the device has done what it has been given to do so far.
  void look_behind(std::size_t n) const requires device_area<Area> {
    if (!words_.on_host()) words_.read_behind(copy_.data(), n);
  }

  [[nodiscard]] std::size_t bytes() const {
    return words_.bytes() + at_start_.bytes() + copy_.bytes();
  }

 private:
  Area words_{};
  // Where the host cannot read and write them:
  Area at_start_{};  ///< beside them: bringing them back is a copy on the spot
  Area copy_{};
};

}  // namespace mgws
