/// \file
/// Shared numbers, and operations on them as requests to the machine.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <mgws/backends/model/machine.hpp>
#include <mgws/backends/model/protocol.hpp>

namespace mgws::model_backend {

inline constexpr std::uint16_t k_untracked = 0xffff;

/// A number that several fibers use. Tracked: its operations are steps of the machine. Not tracked:
/// a plain value, for what is private to one fiber or only reported (heartbeats, statistics).
template <class T>
class atomic {
 public:
  constexpr atomic(T v = {}) : plain_(v) {}  // NOLINT: as std::atomic
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  void track(std::string name, std::uint8_t domain = 0) {
    location_ = the_machine().add_location(plain_, std::move(name), domain);
  }
  void lies_on(unsigned device) {
    the_machine().lies_on(location_, static_cast<std::uint8_t>(device));
  }
  [[nodiscard]] bool tracked() const { return location_ != k_untracked; }
  [[nodiscard]] std::uint16_t location() const { return location_; }
  /// For checks, and the host: the value as it stands, seen by nobody.
  [[nodiscard]] T peek() const {
    return tracked() ? static_cast<T>(the_machine().latest(location_)) : plain_;
  }
  [[nodiscard]] T& plain() const { return plain_; }

 private:
  mutable T plain_;
  std::uint16_t location_ = k_untracked;
};

/// Pieces of the initial set that a worker runs side by side: a larger claim is one of several
/// steps.
inline std::uint64_t pieces_of_step = 1;

/// The request of an operation at an order and scope of core's.
template <class Scope, class Order>
[[nodiscard]] request make_request(op kind, std::uint16_t location, std::uint64_t v, Order o) {
  constexpr step s = step_of<Order>::value;
  return {.kind = kind,
          .order = model_order(o),
          .narrow = std::same_as<Scope, scope::device_t> ||
                    current_settings.narrow[static_cast<std::size_t>(s)],
          .fresh = false,
          .step = static_cast<std::uint8_t>(s),
          .reaches = s == step::publish || s == step::sdc_publish     ? milestone::epoch
                     : s == step::complete || s == step::sdc_complete ? milestone::steal
                     : s == step::device_idle_up                      ? milestone::idle_device
                     : s == step::inbox_put                           ? milestone::given
                     : s == step::load_initial && kind == op::add && v > pieces_of_step
                         ? milestone::wide_claim
                         : milestone::none,
          .location = location,
          .value = v};
}

/// A read-modify-write: one step, or two where it is not coherent.
inline std::uint64_t modify(request r) {
  machine& m = the_machine();
  const torn comes_apart = m.tears(r.location, r.narrow);
  if (comes_apart == torn::no) return m.call(r);
  const milestone reaches = std::exchange(r.reaches, milestone::none);
  r.half = comes_apart == torn::between_devices;
  const bool adds = r.kind == op::add;
  const std::uint64_t v = r.value;
  r.kind = op::load;
  r.fresh = true;
  const std::uint64_t before = m.call(r);
  r.kind = op::store;
  r.fresh = false;
  r.reaches = reaches;
  r.value = adds ? before + v : v;
  m.call(r);
  return before;
}

}  // namespace mgws::model_backend
