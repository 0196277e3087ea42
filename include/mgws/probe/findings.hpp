/// \file
/// What a probe found: who there is, what litmus runs showed, what drivers claim, what operations
/// cost. Plain data; nothing here asks a device for anything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mgws/core/probe/litmus.hpp>
#include <mgws/core/probe/measure.hpp>
#include <mgws/core/probe/verdict.hpp>
#include <mgws/options.hpp>

namespace mgws {

struct probed_device {
  device_kind kind = device_kind::cpu;
  std::uint32_t index = 0;  ///< which GPU, as the vendor's library counts them
  std::string name{};

  /// As options write it: "cpu", "gpu:0".
  [[nodiscard]] std::string label() const {
    return kind == device_kind::cpu ? "cpu" : "gpu:" + std::to_string(index);
  }
  /// As sentences name it: "the CPU", "GPU 0".
  [[nodiscard]] std::string spoken() const {
    return kind == device_kind::cpu ? "the CPU" : "GPU " + std::to_string(index);
  }
};

/// Whose memory: a position in the list of devices, or the host's. A GPU reaches host memory that
/// is page-locked and mapped; the CPU's own memory is the host's.
using memory_place = std::uint32_t;
inline constexpr memory_place k_host_memory = ~memory_place{0};

/// One litmus run.
struct litmus_finding {
  // Positions in the list of devices, a <= b; equal: two workers of one device.
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  memory_place memory = k_host_memory;
  bool system_scope = true;  ///< else device scope
  litmus what = litmus::fetch_add;
  litmus_outcome outcome{};
  /// Whether the driver says that read-modify-writes there are coherent; nothing where it says
  /// nothing, and for messages.
  std::optional<bool> claim{};
};

/// What one operation costs a device. Nanoseconds; medians and the least over several batches.
struct latency_finding {
  std::uint32_t device = 0;
  memory_place memory = k_host_memory;
  bool system_scope = true;
  measured what = measured::load;
  double median = 0;
  double least = 0;
};

/// One copy by one worker (all lanes of a GPU's warp), into its local memory.
struct copy_finding {
  std::uint32_t device = 0;
  memory_place memory = k_host_memory;
  std::uint64_t bytes = 0;
  double median = 0;  ///< nanoseconds
  double least = 0;
};

/// A rung of the latency ladder: a dependent read in a working set of this size.
struct rung_finding {
  std::uint32_t device = 0;
  memory_place memory = k_host_memory;
  bool local = false;  ///< in the worker's local memory (a GPU's shared memory)
  std::uint64_t bytes = 0;
  double median = 0;  ///< nanoseconds
  double least = 0;
};

struct probe_report {
  std::vector<probed_device> devices{};
  std::string no_gpu{};  ///< why there is no GPU; empty if there are some, or none was asked for
  bool quick = false;    ///< litmus runs only: no costs
  std::vector<litmus_finding> litmus{};
  std::vector<latency_finding> latencies{};
  std::vector<copy_finding> copies{};
  std::vector<rung_finding> ladder{};

  /// "host" or the label of the device whose memory it is.
  [[nodiscard]] std::string label_of(memory_place m) const {
    return m == k_host_memory ? "host" : devices[m].label();
  }
  /// The runs of two devices, in any order, on this memory.
  [[nodiscard]] const litmus_finding* find(std::uint32_t x, std::uint32_t y, memory_place memory,
                                           bool system_scope, mgws::litmus what) const {
    const std::uint32_t a = std::min(x, y);
    const std::uint32_t b = std::max(x, y);
    const auto at = std::ranges::find_if(litmus, [&](const litmus_finding& f) {
      return f.a == a && f.b == b && f.memory == memory && f.system_scope == system_scope &&
             f.what == what;
    });
    return at == litmus.end() ? nullptr : &*at;
  }
};

/// Names as programs print them and JSON has them.
[[nodiscard]] constexpr const char* name_of(litmus what) {
  switch (what) {
    case litmus::fetch_add:
      return "fetch_add";
    case litmus::exchange:
      return "exchange";
    case litmus::message:
      return "message";
    case litmus::lock:
      return "lock";
  }
  return "";
}
[[nodiscard]] constexpr const char* name_of(litmus_verdict v) {
  switch (v) {
    case litmus_verdict::wrong:
      return "wrong";
    case litmus_verdict::absent:
      return "absent";
    case litmus_verdict::gave_up:
      return "gave up";
    case litmus_verdict::never_met:
      return "never met";
    case litmus_verdict::no_access:
      return "no access";
    case litmus_verdict::passed:
      return "passed";
  }
  return "";
}
[[nodiscard]] constexpr const char* name_of(measured what) {
  switch (what) {
    case measured::load:
      return "load";
    case measured::load_acquire:
      return "load acquire";
    case measured::fetch_add:
      return "fetch_add";
    case measured::fetch_add_acquire:
      return "fetch_add acquire";
    case measured::fetch_add_acq_rel:
      return "fetch_add acq_rel";
    case measured::exchange:
      return "exchange";
    case measured::exchange_acquire:
      return "exchange acquire";
    case measured::fence:
      return "fence";
    case measured::store_fence:
      return "store and fence";
    case measured::copy:
      return "copy";
    case measured::chase:
    case measured::chase_local:
      return "dependent read";
  }
  return "";
}

/// Why this run does not let its devices share that memory, without a full stop: "GPU 0 and GPU 1
/// lose each other's fetch_add on host memory". Empty if it passed.
[[nodiscard]] inline std::string objection(const litmus_finding& f,
                                           const std::vector<probed_device>& devices) {
  if (f.outcome.verdict == litmus_verdict::passed) return "";
  const std::string memory =
      f.memory == k_host_memory ? "host memory" : "the memory of " + devices[f.memory].spoken();
  // A run may name a GPU twice.
  const bool one = devices[f.a].label() == devices[f.b].label();
  const std::string pair = one ? "two workers of " + devices[f.a].spoken()
                               : devices[f.a].spoken() + " and " + devices[f.b].spoken();
  const std::string what = name_of(f.what);
  std::string text;
  switch (f.outcome.verdict) {
    case litmus_verdict::no_access:
      text = (one ? devices[f.a].spoken() + " has" : "not both " + pair + " have") + " access to " +
             memory;
      break;
    case litmus_verdict::wrong:
      switch (f.what) {
        case litmus::fetch_add:
          text = pair + " lose each other's fetch_add on " + memory;
          break;
        case litmus::exchange:
          text = pair + " lose or double what they pass by exchange on " + memory;
          break;
        case litmus::message:
          text = pair + " read stale data behind each other's release store on " + memory;
          break;
        case litmus::lock:
          text =
              pair + " do not keep each other out by a lock (exchange, release store) on " + memory;
          break;
      }
      break;
    case litmus_verdict::gave_up:
      text = pair + " wait in vain for each other's " + what + " on " + memory;
      break;
    case litmus_verdict::absent:
      text = pair + " never ran at the same time in the trial of " + what + " on " + memory;
      break;
    case litmus_verdict::never_met:
      text = pair + " never took turns in the trial of " + what + " on " + memory;
      break;
    case litmus_verdict::passed:
      break;
  }
  if (f.claim.value_or(false)) text += ", although the driver says that this works";
  return text;
}

}  // namespace mgws
