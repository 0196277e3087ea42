/// \file
/// mgws::best: the best value that any task of a run has found so far, and what it was found with.
/// What branch and bound calls the incumbent.
///
///     using heaviest = mgws::best<std::uint64_t, mgws::maximum, packing>;
///     struct context { heaviest::view best; };
///     ...
///     if (bound <= worker.context().best.value()) return;        // in a task: a local load
///     worker.context().best.improve(value, packing{...});        // spreads to all devices
///     ...
///     heaviest best(rt.data_places());
///     for (std::uint32_t d = 0; d != rt.devices(); ++d) contexts.push_back({best.on(d)});
///     rt.run_each(contexts);
///     best.value(), best.witness();                              // after the run
#pragma once

// clang-format off
#include <mgws/language.hpp>  // before all others
// clang-format on

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/order.hpp>
#include <mgws/errors.hpp>
#include <mgws/memory.hpp>
#include <mgws/placement.hpp>
#include <mgws_atomics.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// For values that need no explanation.
struct no_witness {};

namespace detail {

/// A word that many read and few write, alone in its lines.
template <class T>
struct alignas(256) bound_word {
  T value;
};

/// A place for a witness. Who finds it free takes it for as long as a copy lasts.
template <class T, class Witness>
struct witness_place {
  std::uint32_t busy;
  std::uint32_t filled;
  T value;
  Witness witness;
};

/// More than are taken at once, but for a burst: improvements are rare.
inline constexpr std::uint32_t k_witness_places = 32;

}  // namespace detail

/// What one device's tasks hold of an mgws::best. Trivially copyable: goes into a context. Any lane
/// may call any member.
template <class T, template <class> class Which, class Witness>
class best_view {
  static constexpr bool k_largest = std::same_as<Which<T>, maximum<T>>;
  static constexpr bool k_has_witness = !std::same_as<Witness, no_witness>;

 public:
  best_view() = default;

  /// The best value as far as it is known here: a load from the own device's memory. It only ever
  /// gets better, and is late by as long as another device's news take: what is left out by it may
  /// be left out, what is not may have been needless.
  // Members are templates: code of two ports in one program then has two names.
  template <class Port = port_atomics>
  [[nodiscard]] MGWS_FN T value() const {
    return Port::load(*own_, order::relaxed, scope::system);
  }

  /// Whether a is better than b.
  [[nodiscard]] MGWS_FN static constexpr bool better(T a, T b) { return k_largest ? b < a : a < b; }

  /// Makes a value known to all devices if it is better than what is known here, and keeps the
  /// witness, a value or a function that returns one and is called only then.
  /// \return whether it was better
  template <class W, class Port = port_atomics>
  MGWS_FN bool improve(T v, const W& witness) const {
    if (!spread<Port>(v)) return false;
    if constexpr (std::convertible_to<const W&, Witness>) {
      keep<Port>(v, witness);
    } else {
      static_assert(std::is_invocable_r_v<Witness, const W&>,
                    "mgws: improve() takes the witness that the best was declared with, or a "
                    "function that returns one");
      const Witness made = witness();
      keep<Port>(v, made);
    }
    return true;
  }
  /// The same without a witness.
  template <class Port = port_atomics>
  MGWS_FN bool improve(T v) const {
    static_assert(!k_has_witness, "mgws: this best keeps a witness: improve(value, witness)");
    return spread<Port>(v);
  }

 private:
  template <class, template <class> class, class>
  friend class best;

  /// \return what was there before
  template <class Port>
  MGWS_FN static T make_better(T& x, T v) {
    if constexpr (k_largest) {
      return Port::fetch_max(x, v, order::relaxed, scope::system);
    } else {
      return Port::fetch_min(x, v, order::relaxed, scope::system);
    }
  }

  template <class Port>
  MGWS_FN bool spread(T v) const {
    if (!better(v, value<Port>()) || !better(v, make_better<Port>(*own_, v))) return false;
    if (met_ != nullptr) {
      const T elsewhere = make_better<Port>(*met_, v);
      if (better(elsewhere, v)) make_better<Port>(*own_, elsewhere);
    } else {
      for (std::uint32_t d = 0; d != devices_; ++d)
        if (bounds_[d] != own_) make_better<Port>(*bounds_[d], v);
    }
    return true;
  }

  /// A place may have a better one by now: then this one is not wanted. So the best value's witness
  /// is in one of them, and nobody waits but for somebody's copy.
  template <class Port>
  MGWS_FN void keep(T v, const Witness& witness) const {
    bool stands = false;
    for (std::uint32_t i = 0; !stands; i = (i + 1) % detail::k_witness_places) {
      detail::witness_place<T, Witness>& at = places_[i];
      // All that meet here are of one device.
      if (Port::exchange(at.busy, std::uint32_t{1}, order::acquire, scope::device) == 0) {
        if (at.filled == 0 || better(v, at.value)) {
          at.filled = 1;
          at.value = v;
          at.witness = witness;
        }
        Port::store(at.busy, std::uint32_t{0}, order::release, scope::device);
        stands = true;
      }
    }
  }

  T* own_ = nullptr;
  detail::witness_place<T, Witness>* places_ = nullptr;
  T* met_ = nullptr;  ///< in host memory, where devices do not reach each other's
  std::uint32_t devices_ = 0;
  T* bounds_[k_most_parts] = {};  ///< each device's, else
};

/// The best value of a run: a copy on each device, which that device's tasks read, and which
/// whoever improves it writes on all devices; and the witness, what it was found with. Movable;
/// must not outlive a run that uses it, but may outlive the runtime. The host calls nothing of it
/// while a run uses it.
///
/// On GPUs that do not reach each other's memory a device hears of the others' values when it finds
/// a better one itself. Processes that share a run (options::processes) have one each, and do not
/// hear of each other's values: an accumulator, mgws::maximum or mgws::minimum, is of all of them.
///
/// \tparam T        a number of 32 or 64 bits
/// \tparam Which    mgws::maximum or mgws::minimum: which of two values is the better one
/// \tparam Witness  trivially copyable: what is kept with the value
template <class T, template <class> class Which, class Witness = no_witness>
class best {
  static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                "mgws: the value of a best is a number of 32 or 64 bits");
  static_assert(std::same_as<Which<T>, maximum<T>> || std::same_as<Which<T>, minimum<T>>,
                "mgws: the second argument of a best is mgws::maximum or mgws::minimum");
  static_assert(std::is_trivially_copyable_v<Witness>,
                "mgws: the witness of a best must be trivially copyable");

  using place = detail::witness_place<T, Witness>;
  using word = detail::bound_word<T>;

 public:
  using view = best_view<T, Which, Witness>;

  /// Where a runtime's tasks reach it, `rt.data_places()`; nothing found yet.
  /// \throws bad_configuration for more devices than k_most_parts; std::bad_alloc, device_error
  explicit best(const data_places& places) {
    if (places.devices.empty() || places.devices.size() > k_most_parts)
      detail::refuse<bad_configuration>(
          {"a best lies on 1 to ", k_most_parts, " devices, not ", places.devices.size()});
    for (const auto& memory : places.devices) {
      bounds_.emplace_back(memory, 1);
      places_.emplace_back(memory, detail::k_witness_places);
    }
    if (!places.reached) met_ = array<word>(places.host, 1);
    reset();
  }

  /// Forgets what was found; only what is better than `start` will count.
  /// \throws device_error
  void reset(T start = Which<T>::identity()) {
    const word w{start};
    for (auto& of_device : bounds_)
      of_device.upload({&w, 1});
    if (met_.size() != 0) met_.upload({&w, 1});
    for (auto& of_device : places_)
      of_device.fill(0);
  }

  /// For the tasks of a device of the run, the d-th of the options'.
  /// \throws bad_configuration if there is no such device
  [[nodiscard]] view on(std::uint32_t device = 0) const {
    if (device >= bounds_.size())
      detail::refuse<bad_configuration>({"this best lies on ", bounds_.size(),
                                         " devices, counted from 0: none of them is ", device});
    view v;
    v.own_ = &bounds_[device].data()->value;
    v.places_ = places_[device].data();
    if (met_.size() != 0) v.met_ = &met_.data()->value;
    v.devices_ = static_cast<std::uint32_t>(bounds_.size());
    for (std::size_t d = 0; d != bounds_.size(); ++d)
      v.bounds_[d] = &bounds_[d].data()->value;
    return v;
  }

  /// The best value, or where it started. \throws device_error
  [[nodiscard]] T value() const {
    T found{};
    for (std::size_t d = 0; d != bounds_.size(); ++d) {
      word w;
      bounds_[d].download({&w, 1});
      found = d == 0 ? w.value : Which<T>::combine(found, w.value);
    }
    return found;
  }

  /// What the best value was found with; nothing if nothing was better than where it started.
  /// \throws device_error
  [[nodiscard]] std::optional<Witness> witness() const {
    std::optional<place> found;
    for (const auto& of_device : places_) {
      std::vector<place> all(of_device.size());
      of_device.download(all);
      for (const place& p : all)
        if (p.filled != 0 && (!found || view::better(p.value, found->value))) found = p;
    }
    if (!found) return {};
    return found->witness;
  }

 private:
  std::vector<array<word>> bounds_;   ///< a device each
  std::vector<array<place>> places_;  ///< likewise
  array<word> met_;
};

}  // namespace mgws
