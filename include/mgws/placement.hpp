/// \file
/// Where the data of tasks lies when several devices work: mgws::placed_array.
///
///     struct context { mgws::placed<std::uint64_t> data; };
///     mgws::placed_array<std::uint64_t> data(rt.data_places(), n, mgws::placement::partitioned);
///     std::vector<context> contexts;
///     for (std::uint32_t d = 0; d != rt.devices(); ++d) contexts.push_back({data.on(d)});
///     rt.run_each(contexts);   // the workers of device d are given contexts[d]; data[i] for all i
///
/// The initial set is dealt out by device as well: with tasks in the order of the elements that
/// they work on, a device begins with those whose data is its own.
#pragma once

// clang-format off
#include <mgws/language.hpp>  // before all others
// clang-format on

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mgws/errors.hpp>
#include <mgws/memory.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// Where the elements of a placed_array lie.
enum class placement : std::uint8_t {
  main,         ///< all in the first device's memory, where the others reach it; else as `managed`,
                ///< or as `host` where there is no such
  replicated,   ///< each device has a copy, and its tasks use that: for what is only read
  partitioned,  ///< a range of the elements on each device, in their order; all reach all
  host,         ///< in host memory that all devices reach
  managed       ///< in pages that move to whoever touches them, a GPU or the host
};

/// The memories that a runtime's tasks reach.
struct data_places {
  std::vector<std::shared_ptr<memory_space>> devices;  ///< each device's own
  std::shared_ptr<memory_space> host;                  ///< the host's, mapped for all devices
  std::shared_ptr<memory_space> managed{};  ///< whose pages move to whoever touches them, if any
  bool reached = true;                      ///< each device's memory by the tasks of all others
  /// Of each device, which coherence domain it belongs to; empty: there is one (docs/bridge.md).
  std::vector<std::uint32_t> domains{};
  bool shared_run = false;  ///< whether tasks run in other processes, too, which reach none of it

  /// A memory that all tasks reach: the first device's, if the others do; else one whose pages
  /// move; else the host's.
  [[nodiscard]] const std::shared_ptr<memory_space>& common() const {
    return reached ? devices.front() : managed != nullptr ? managed : host;
  }
};

/// Most parts of a placed array: most devices of a run that places data on each.
inline constexpr std::uint32_t k_most_parts = 16;
/// Most elements that a partition cuts.
inline constexpr std::uint64_t k_most_partitioned = std::uint64_t{1} << 48;

/// Cuts [0, n) into contiguous parts of nearly equal size: element i belongs to part i * parts / n,
/// or, next to a cut, to its neighbour: it is found without a division. Trivially copyable; a
/// default one has everything in part 0.
class partition {
 public:
  partition() = default;
  /// \pre n is at most k_most_partitioned, parts at least 1 and at most k_most_parts
  partition(std::uint64_t n, std::uint32_t parts)
      : factor_(n == 0 || parts == 1 ? 0 : (std::uint64_t{parts} << k_fraction) / n) {}

  /// \pre i < n
  [[nodiscard]] MGWS_FN std::uint32_t part_of(std::uint64_t i) const {
    return static_cast<std::uint32_t>(i * factor_ >> k_fraction);
  }
  /// The first element that belongs to this part or one behind it, which may lie beyond n.
  [[nodiscard]] std::uint64_t begin(std::uint32_t part) const {
    if (part == 0) return 0;
    if (factor_ == 0) return ~std::uint64_t{0};
    return ((std::uint64_t{part} << k_fraction) + factor_ - 1) / factor_;
  }

 private:
  /// Parts and fraction together fit 64 bits; i * factor_ is below parts.
  static constexpr unsigned k_fraction = 59;

  std::uint64_t factor_ = 0;  ///< parts an element, in 2^-59
};

/// What one device's tasks hold of a placed array: where each part begins, as this device reaches
/// it. Trivially copyable: goes into a context.
template <class T>
class placed {
 public:
  placed() = default;
  /// All of it in one piece, which every device reaches at this address.
  explicit placed(T* all) { fill(all); }
  /// The same for tasks that only read.
  [[nodiscard]] placed<const T> to_read() const {
    placed<const T> v;
    v.parts_ = parts_;
    std::copy(std::begin(origin_), std::end(origin_), v.origin_);
    return v;
  }

  [[nodiscard]] MGWS_FN T& operator[](std::uint64_t i) const { return *at(parts_.part_of(i), i); }

  /// Element i, whose part the caller knows: for arrays whose cuts the caller chose.
  [[nodiscard]] MGWS_FN T* at(std::uint32_t part, std::uint64_t i) const {
    return origin_[part] + i;
  }

 private:
  template <class>
  friend class placed;
  template <class>
  friend class placed_array;

  void fill(T* all) { std::fill(std::begin(origin_), std::end(origin_), all); }

  /// Where element 0 would lie if the part began with it. Pointers, though no object need be there:
  /// a GPU's compiler takes a kernel's argument to point to global memory, and a number to
  /// anything.
  T* origin_[k_most_parts] = {};
  partition parts_;
};

/// n elements, placed. Movable; must not outlive a run that uses it, but may outlive the runtime.
template <class T>
class placed_array {
 public:
  placed_array() = default;
  /// Contents unspecified.
  /// \param cuts   partitioned: part d is [cuts[d], cuts[d + 1]), one for each device, the first
  ///               from 0 and the last to n, and elements are reached by placed::at() alone; empty:
  ///               nearly equal parts
  /// \param slack  elements behind each part that may be read, contents unspecified
  /// \throws bad_configuration for more devices than k_most_parts, cuts that are not such or of
  ///         what is not partitioned, sizes that no memory has; not_possible for managed memory
  ///         that a GPU does not have; std::bad_alloc, device_error
  placed_array(const data_places& places, std::uint64_t n, placement where,
               std::vector<std::uint64_t> cuts = {}, std::size_t slack = 0)
      : where_(where != placement::main || places.reached ? where
               : places.managed != nullptr                ? placement::managed
                                                          : placement::host),
        size_(n) {
    check_places(places);
    const auto devices = static_cast<std::uint32_t>(places.devices.size());
    if (where == placement::partitioned) {
      check_cuts(cuts, devices);
      if (cuts.empty()) {
        parts_ = partition(n, devices);
        for (std::uint32_t d = 0; d != devices; ++d)
          cuts.push_back(std::min(parts_.begin(d), n));
      }
      begins_ = std::move(cuts);
    } else {
      if (!cuts.empty())
        throw bad_configuration(
            "cuts are for data that is partitioned: in any other placement it lies in one piece");
      begins_.assign(where == placement::replicated ? devices : 1, 0);
    }
    for (std::uint32_t p = 0; p != begins_.size(); ++p) {
      const std::uint64_t elements = end(p) - begins_[p];
      if (slack > ~std::size_t{0} - elements)
        detail::refuse<bad_configuration>(
            {"a slack of ", slack, " elements is larger than any memory"});
      pieces_.emplace_back(where_ == placement::host      ? places.host
                           : where_ == placement::managed ? places.managed
                                                          : places.devices[p],
                           elements + slack);
    }
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// For the tasks of a device of the run, the d-th of the options'.
  /// \throws bad_configuration if a copy on each device was made, and none on this one
  [[nodiscard]] placed<T> on(std::uint32_t device) const {
    check_has_copy(device);
    placed<T> v;
    if (pieces_.empty()) return v;
    v.parts_ = parts_;
    if (where_ == placement::partitioned) {
      for (std::size_t p = 0; p != pieces_.size(); ++p)
        v.origin_[p] = reinterpret_cast<T*>(address(p) - begins_[p] * sizeof(T));
    } else {
      v.fill(pieces_[where_ == placement::replicated ? device : 0].data());
    }
    return v;
  }

  /// Copies the host's elements to their places, to every copy.
  /// \throws bad_configuration unless it is all of them; device_error
  void upload(std::span<const T> from) {
    check_all("an upload to", from.size());
    for (std::size_t p = 0; p != pieces_.size(); ++p)
      pieces_[p].upload(from.subspan(begins_[p], end(p) - begins_[p]));
  }
  /// \param device  replicated: whose copy
  /// \throws bad_configuration unless it is all of them, or if there is no such copy; device_error
  void download(std::span<T> to, std::uint32_t device = 0) const {
    check_all("a download from", to.size());
    check_has_copy(device);
    if (where_ == placement::replicated) return pieces_[device].download(to);
    for (std::size_t p = 0; p != pieces_.size(); ++p)
      pieces_[p].download(to.subspan(begins_[p], end(p) - begins_[p]));
  }
  /// Sets every byte, of every copy.
  void fill(unsigned char byte) {
    for (auto& piece : pieces_)
      piece.fill(byte);
  }
  /// Copies that there are: one for each device if replicated, else one.
  [[nodiscard]] std::uint32_t copies() const {
    return where_ == placement::replicated ? static_cast<std::uint32_t>(pieces_.size()) : 1;
  }

 private:
  void check_places(const data_places& places) const {
    if (where_ > placement::managed)
      detail::refuse<bad_configuration>(
          {"there is no placement with the number ", static_cast<unsigned>(where_)});
    if (where_ == placement::partitioned && !places.reached)
      throw bad_configuration(
          "data cannot be partitioned over devices of which one does not reach the other's memory, "
          "as the CPU and a GPU do not: replicate it, or keep it in managed or in host memory");
    if (places.devices.size() > k_most_parts)
      detail::refuse<bad_configuration>(
          {"data can be placed on at most ", k_most_parts, " devices"});
    if (where_ == placement::managed && places.managed == nullptr && !places.devices.empty())
      throw not_possible(
          "a GPU of this run has no memory whose pages move to whoever touches them while a kernel "
          "runs: keep the data in host memory, or replicate it");
    if (where_ == placement::host ? places.host == nullptr : places.devices.empty())
      throw bad_configuration(
          "data needs a memory to be placed in: ask the runtime for its data_places()");
  }
  void check_cuts(const std::vector<std::uint64_t>& cuts, std::uint32_t devices) const {
    if (cuts.empty() && size_ > k_most_partitioned)
      detail::refuse<bad_configuration>(
          {"at most ", k_most_partitioned, " elements can be cut into equal parts, not ", size_});
    if (cuts.empty()) return;
    if (cuts.size() != devices)
      detail::refuse<bad_configuration>(
          {"data that is partitioned over ", devices, devices == 1 ? " device" : " devices",
           " needs a cut for each, where its part begins, not ", cuts.size()});
    if (cuts.front() != 0 || cuts.back() > size_ || !std::ranges::is_sorted(cuts))
      detail::refuse<bad_configuration>(
          {"cuts must ascend from 0 to at most the number of elements, ", size_});
  }
  void check_all(const char* what, std::size_t n) const {
    if (n != size_)
      detail::refuse<bad_configuration>(
          {what, " a placed array takes all of its ", size_, " elements, not ", n});
  }
  void check_has_copy(std::uint32_t device) const {
    if (where_ == placement::replicated && device >= pieces_.size())
      detail::refuse<bad_configuration>({"device ", device, " has no copy of this data: ",
                                         pieces_.size(), " have one, counted from 0"});
  }

  [[nodiscard]] std::uint64_t end(std::size_t p) const {
    return where_ == placement::partitioned && p + 1 != begins_.size() ? begins_[p + 1] : size_;
  }
  [[nodiscard]] std::uintptr_t address(std::size_t p) const {
    return reinterpret_cast<std::uintptr_t>(pieces_[p].data());
  }

  placement where_ = placement::main;
  std::uint64_t size_ = 0;
  partition parts_;
  std::vector<std::uint64_t> begins_;  ///< of the pieces
  std::vector<array<T>> pieces_;
};

}  // namespace mgws
