/// \file
/// Choosing the queue to steal from, and remembering which had nothing.
#pragma once

#include <cstdint>

#include <mgws/core/run.hpp>
#include <mgws_port.hpp>

namespace mgws {

inline constexpr std::uint32_t k_no_target = ~std::uint32_t{0};

/// A number in [0, n) from 32 random bits; the bias is below n / 2^32.
[[nodiscard]] MGWS_FN constexpr std::uint32_t below(std::uint32_t random, std::uint32_t n) {
  return static_cast<std::uint32_t>(std::uint64_t{random} * n >> 32);
}

/// Chooses targets for one worker (MGWS section 5.5): uniformly, or first whether from the own
/// device and then uniformly there or elsewhere. Its own queue is never chosen.
template <class Random>
class target_selection {
 public:
  MGWS_FN target_selection(const run_parameters& run, std::uint32_t device, std::uint32_t own_queue,
                           std::uint32_t worker)
      : random_(run.seed, worker),
        policy_(run.devices == 1 && run.steal == steal_policy::bias ? steal_policy::uniform
                                                                    : run.steal),
        threshold_(run.own_device_threshold),
        own_queue_(own_queue),
        queues_(run.queues),
        first_(run.device[device].first_queue),
        here_(run.device[device].queues) {}

  /// Whether there is any queue that could be chosen.
  [[nodiscard]] MGWS_FN bool any() const {
    switch (policy_) {
      case steal_policy::none:
        return false;
      case steal_policy::local:
        return here_ > 1;
      default:
        return queues_ > 1;
    }
  }

  /// \pre any()
  [[nodiscard]] MGWS_FN std::uint32_t next() {
    if (policy_ == steal_policy::none) return k_no_target;
    std::uint32_t q[1];
    next(q);
    return q[0];
  }
  /// Several of one choice of device, evenly apart; each alone is chosen as next() does.
  template <std::uint32_t N>
  MGWS_FN void next(std::uint32_t (&queue)[N]) {
    // One place for each number: on a GPU a generator is a hundred instructions.
    bool here = policy_ == steal_policy::local;
    if (policy_ == steal_policy::bias)
      here = here_ == queues_ || (here_ > 1 && random_.next() < threshold_);
    const bool elsewhere = policy_ == steal_policy::bias && !here;
    const std::uint32_t first = here ? first_ : 0;
    const std::uint32_t others = here ? here_ - 1 : elsewhere ? queues_ - here_ : queues_ - 1;
    std::uint32_t random = random_.next();
    for (std::uint32_t& chosen : queue) {
      const std::uint32_t q = first + below(random, others);
      chosen = elsewhere ? (q < first_ ? q : q + here_) : (q < own_queue_ ? q : q + 1);
      random += k_apart<N>;
    }
  }

 private:
  template <std::uint32_t N>
  static constexpr std::uint32_t k_apart = ~std::uint32_t{0} / N + 1;

  Random random_;
  steal_policy policy_;
  std::uint32_t threshold_;
  std::uint32_t own_queue_;
  std::uint32_t queues_;
  std::uint32_t first_;
  std::uint32_t here_;
};

/// Steal damping (SWS section 4.3): one bit a queue in the worker's local memory, set while the
/// queue had nothing when last tried. Such a queue is looked at before an attempt is added to its
/// word. A worker adds at most one attempt in vain to an epoch before the bit is set, and then one
/// more for every look that showed work; so an epoch sees at most its steps and twice the workers.
class damping_map {
 public:
  static constexpr std::uint32_t k_bits = 32;
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t words(std::uint32_t queues) {
    return (queues + k_bits - 1) / k_bits;
  }

  /// \param words  zeroed, `words(queues)` of them, or nullptr: then every target is looked at
  MGWS_FN explicit damping_map(std::uint32_t* words) : words_(words) {}

  [[nodiscard]] MGWS_FN bool look_first(std::uint32_t queue) const {
    return words_ == nullptr || (words_[queue / k_bits] >> queue % k_bits & 1) != 0;
  }
  /// \param won  whether it had work
  MGWS_FN void tried(std::uint32_t queue, bool won) {
    if (words_ == nullptr) return;
    std::uint32_t& word = words_[queue / k_bits];
    const std::uint32_t bit = 1u << queue % k_bits;
    word = won ? word & ~bit : word | bit;
  }

 private:
  std::uint32_t* words_;
};

}  // namespace mgws
