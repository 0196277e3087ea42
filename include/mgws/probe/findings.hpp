/// \file
/// What a probe is asked and what it found: who there is, what litmus runs showed, what drivers
/// claim, what operations cost. Plain data; nothing here asks a device for anything.
#pragma once

// clang-format off
#include <mgws/language.hpp>  // before all others
// clang-format on

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <mgws/core/probe/measure.hpp>
#include <mgws/core/probe/verdict.hpp>
#include <mgws/options.hpp>

namespace mgws {

/// What a probe is asked.
struct probe_options {
  /// CPU and GPUs, each once; numbers of workers mean nothing. Empty: the CPU and all GPUs.
  std::vector<device_choice> devices{};
  /// Litmus runs only, and fewer rounds of them.
  bool quick = false;
  /// A kernel that has not ended by then is lost (no_progress). All of them end by bounds of their
  /// own, which are far shorter.
  std::chrono::duration<double> timeout{20};
  /// Called with what is being done, on the thread that called probe().
  std::function<void(const std::string& what)> on_progress{};
};

/// One of the devices that a probe was asked about.
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
  /// A position in the list of devices.
  std::uint32_t a = 0;
  /// Another one, not before it. The same: the run was of two workers of one device.
  std::uint32_t b = 0;
  memory_place memory = k_host_memory;
  bool system_scope = true;  ///< else device scope
  litmus what = litmus::fetch_add;
  litmus_outcome outcome{};
  /// Whether the driver says that read-modify-writes there are coherent; nothing where it says
  /// nothing, and for messages.
  std::optional<bool> claim{};
};

/// Two devices' litmus runs on one memory.
/// \param f  all but what and outcome
[[nodiscard]] inline std::array<litmus_finding, k_litmuses> findings_of(
    litmus_finding f, const litmus_outcomes& outcomes) {
  std::array<litmus_finding, k_litmuses> all{};
  for (std::uint32_t k = 0; k != k_litmuses; ++k) {
    all[k] = f;
    all[k].what = static_cast<litmus>(k);
    all[k].outcome = outcomes[k];
  }
  all[static_cast<std::size_t>(litmus::message)].claim.reset();
  return all;
}

/// What something costs a device: one operation; one copy by one worker (all lanes of a GPU's warp)
/// into its local memory; one dependent read in a working set, a rung of the latency ladder.
/// Nanoseconds.
struct cost_finding {
  std::uint32_t device = 0;             ///< a position in the list of devices
  memory_place memory = k_host_memory;  ///< of chase_local the device's: a GPU's shared memory
  bool system_scope = true;             ///< of operations
  measured what = measured::load;
  std::uint64_t bytes = 0;  ///< of a copy, of a working set
  double median = 0;        ///< of several batches
  double least = 0;         ///< of the same
};

/// What a probe found.
struct probe_report {
  std::vector<probed_device> devices{};
  std::string no_gpu{};  ///< why there is no GPU; empty if there are some, or none was asked for
  bool quick = false;    ///< litmus runs only: no costs
  std::vector<litmus_finding> litmus{};
  std::vector<cost_finding> latencies{};
  std::vector<cost_finding> copies{};
  std::vector<cost_finding> ladder{};

  /// "host" or the label of the device whose memory it is.
  [[nodiscard]] std::string label_of(memory_place m) const {
    return m == k_host_memory ? "host" : devices[m].label();
  }
  /// The runs of two devices, in any order, on this memory.
  [[nodiscard]] const litmus_finding* find(std::uint32_t x, std::uint32_t y, memory_place memory,
                                           bool system_scope, mgws::litmus what) const {
    const auto [a, b] = std::minmax({x, y});
    const auto at = std::ranges::find_if(litmus, [&, a = a, b = b](const litmus_finding& f) {
      return f.a == a && f.b == b && f.memory == memory && f.system_scope == system_scope &&
             f.what == what;
    });
    return at == litmus.end() ? nullptr : &*at;
  }
};

/// Names as programs print them and JSON has them.
[[nodiscard]] constexpr const char* name_of(litmus what) {
  constexpr const char* names[] = {"fetch_add", "exchange", "message", "lock"};
  return names[static_cast<std::size_t>(what)];
}
[[nodiscard]] constexpr const char* name_of(litmus_verdict v) {
  constexpr const char* names[] = {"wrong",   "absent",    "never met",
                                   "gave up", "no access", "passed"};
  return names[static_cast<std::size_t>(v)];
}
[[nodiscard]] constexpr const char* name_of(measured what) {
  constexpr const char* names[] = {
      "load",           "load acquire",     "fetch_add", "fetch_add acquire", "fetch_add acq_rel",
      "exchange",       "exchange acquire", "fence",     "store and fence",   "copy",
      "dependent read", "dependent read"};
  return names[static_cast<std::size_t>(what)];
}

/// Why this run does not let its devices share that memory, without a full stop: "GPU 0 and GPU 1
/// lose each other's fetch_add on host memory". Empty if it passed.
[[nodiscard]] inline std::string objection(const litmus_finding& f,
                                           const std::vector<probed_device>& devices) {
  // What two devices do where a run was wrong, and where it showed nothing.
  constexpr const char* wrong[] = {
      " lose each other's fetch_add", " lose or double what they pass by exchange",
      " read stale data behind each other's release store",
      " do not keep each other out by a lock (exchange, release store)"};
  constexpr const char* in_vain[] = {"", " never ran at the same time in the trial of ",
                                     " never took turns in the trial of ",
                                     " wait in vain for each other's "};
  const litmus_verdict v = f.outcome.verdict;
  if (v == litmus_verdict::passed) return "";
  const std::string memory =
      f.memory == k_host_memory ? "host memory" : "the memory of " + devices[f.memory].spoken();
  const std::string a = devices[f.a].spoken();
  // A run may name a GPU twice.
  const bool one = a == devices[f.b].spoken();
  const std::string pair = one ? "two workers of " + a : a + " and " + devices[f.b].spoken();
  std::string text;
  if (v == litmus_verdict::no_access) {
    text = one ? a + " has no access to " : "not both " + pair + " have access to ";
  } else if (v == litmus_verdict::wrong) {
    text = pair + wrong[static_cast<std::size_t>(f.what)] + " on ";
  } else {
    text = pair + in_vain[static_cast<std::size_t>(v)] + name_of(f.what) + " on ";
  }
  text += memory;
  if (f.claim.value_or(false)) text += ", although the driver says that this works";
  return text;
}

}  // namespace mgws
