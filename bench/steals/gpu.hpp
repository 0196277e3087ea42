/// \file
/// The same of GPUs: the owner is a block of the first GPU, the thief another one of it, or of the
/// second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mgws::bench {

enum class queue_kind : std::uint8_t { sws, sdc };

/// Steals of so many slots, one after another.
struct steal_round {
  queue_kind queue = queue_kind::sws;
  std::size_t task_bytes = 0;
  std::uint32_t slots = 0;
  std::uint32_t steals = 0;
  bool from_peer = false;
};

class gpu_steals {
 public:
  /// \throws not_possible if there is no GPU
  gpu_steals();
  gpu_steals(const gpu_steals&) = delete;
  gpu_steals& operator=(const gpu_steals&) = delete;
  ~gpu_steals();

  /// The first GPU's, and the second's if it reaches the first one's memory, with its atomics.
  [[nodiscard]] const std::vector<std::string>& names() const;
  /// Nanoseconds of each steal; none if a block's shared memory does not hold so many slots.
  /// \param right  set to false if a steal did not bring what it should, and none follows it
  /// \throws device_error
  [[nodiscard]] std::vector<std::uint64_t> times(const steal_round& r, bool& right);
  /// Nanoseconds between two readings of the first GPU's clock.
  [[nodiscard]] std::vector<std::uint64_t> clock_readings(std::uint32_t n);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace mgws::bench
