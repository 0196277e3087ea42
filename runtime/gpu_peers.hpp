/// \file
/// Lets the GPUs of a run share queues, or says why they cannot: litmus runs decide, whatever the
/// driver claims.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <mgws/backends/gpu/device.hpp>
#include <mgws/core/order.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/probe/findings.hpp>
#include <mgws/probe/gpu_litmus.hpp>
#include <mgws/transports/view.hpp>

namespace mgws {

/// Short litmus runs of two GPUs, or of two workers of one, about a millisecond a pair and memory,
/// whose outcomes are kept for the life of the process: hardware does not change. What showed
/// nothing, because something else kept a GPU busy, is tried again the next time.
/// \tparam Port  as gpu_litmus
template <class Port>
class peer_litmus {
  using api = typename Port::api;
  using gpus = std::vector<std::shared_ptr<gpu::device<api>>>;

 public:
  explicit peer_litmus(const gpus& all) : gpus_(all) {}

  /// Why two GPUs of the list must not share queues in this memory, for a sentence; empty if
  /// nothing speaks against it. Thread-safe: one trial of the process at a time.
  /// \tparam Scope  at which they would reach the queues
  /// \param a, b    positions in the list; of one GPU, at one position or two, it is two workers
  /// \param memory  a position in the list, or k_host_memory
  /// \pre   both reach the memory
  /// \throws no_progress, device_error
  template <class Scope>
  [[nodiscard]] std::string against(std::uint32_t a, std::uint32_t b, memory_place memory) {
    const std::scoped_lock lock(kept().mutex);
    constexpr bool system = std::is_same_v<Scope, scope::system_t>;
    const key k{std::min(gpus_[a]->index(), gpus_[b]->index()),
                std::max(gpus_[a]->index(), gpus_[b]->index()),
                memory == k_host_memory ? -1 : gpus_[memory]->index(), system};
    const auto at = kept().outcomes.find(k);
    const litmus_outcomes outcomes =
        at != kept().outcomes.end() ? at->second : run<Scope>(a, b, memory);
    if (conclusive(outcomes)) kept().outcomes[k] = outcomes;
    for (std::uint32_t w = 0; w != k_litmuses; ++w) {
      const litmus_finding f{.a = a,
                             .b = b,
                             .memory = memory,
                             .system_scope = system,
                             .what = static_cast<litmus>(w),
                             .outcome = outcomes[w],
                             .claim = claim(a, b, memory, static_cast<litmus>(w))};
      if (f.outcome.verdict != litmus_verdict::passed) return objection(f, names());
    }
    return "";
  }

 private:
  using key = std::tuple<int, int, int, bool>;
  struct memo {
    std::mutex mutex;
    std::map<key, litmus_outcomes> outcomes;
  };
  static memo& kept() {
    static memo of_this_process;
    return of_this_process;
  }

  [[nodiscard]] std::optional<bool> claim(std::uint32_t a, std::uint32_t b, memory_place memory,
                                          litmus what) const {
    if (what == litmus::message) return {};
    const auto claims = [&](std::uint32_t from) {
      if (memory == k_host_memory) return gpus_[from]->properties().host_atomics;
      return gpus_[from]->index() == gpus_[memory]->index() ||
             api::peers(gpus_[from]->index(), gpus_[memory]->index()).atomics;
    };
    return claims(a) && claims(b);
  }
  [[nodiscard]] std::vector<probed_device> names() const {
    std::vector<probed_device> all;
    for (const auto& gpu : gpus_)
      all.push_back({.kind = device_kind::gpu,
                     .index = static_cast<std::uint32_t>(gpu->index()),
                     .name = gpu->properties().name});
    return all;
  }

  /// Whether the runs show what the hardware does: something wrong, or that all is right.
  [[nodiscard]] static bool conclusive(const litmus_outcomes& all) {
    const auto found = [&](litmus_verdict v) {
      return [v](const litmus_outcome& o) { return o.verdict == v; };
    };
    return std::ranges::any_of(all, found(litmus_verdict::wrong)) ||
           std::ranges::all_of(all, found(litmus_verdict::passed));
  }

  template <class Scope>
  [[nodiscard]] litmus_outcomes run(std::uint32_t a, std::uint32_t b, memory_place memory) {
    if (!litmus_) litmus_.emplace(std::chrono::seconds(20));
    for (const std::uint32_t gpu : {a, b})
      if (prepared_.insert({gpus_[gpu]->index(), std::is_same_v<Scope, scope::system_t>}).second)
        litmus_->template prepare<Scope>(*gpus_[gpu]);
    const auto board = memory == k_host_memory ? gpu_litmus<Port>::board_on_host()
                                               : gpu_litmus<Port>::board_on(*gpus_[memory]);
    litmus_bounds bounds;
    bounds.rounds = 256;
    bounds.looks = 1u << 14;
    const auto outcomes = litmus_->template run<Scope>(*gpus_[a], *gpus_[b], *board, bounds);
    if (conclusive(outcomes)) return outcomes;
    // Nothing wrong, but something kept one of them waiting, perhaps other work on its GPU.
    bounds.looks = 1u << 18;
    return litmus_->template run<Scope>(*gpus_[a], *gpus_[b], *board, bounds);
  }

  const gpus& gpus_;
  std::optional<gpu_litmus<Port>> litmus_;
  std::set<std::pair<int, bool>> prepared_;  ///< GPUs that have the kernel of system scope, or not
};

/// Work stealing needs more than access: read-modify-writes there that are the memory's own, and
/// plain data that is there when the word before it says so.
/// \tparam Port  as gpu_litmus
/// \return whether each reaches the memory of the others
/// \throws bad_configuration, not_possible, which names the pair, the memory and the operation;
/// no_progress, device_error
template <class Port>
bool join_peers(const std::vector<std::shared_ptr<gpu::device<typename Port::api>>>& gpus,
                transport_kind transport) {
  using api = typename Port::api;
  const auto number = [](const auto& gpu) { return "GPU " + std::to_string(gpu->index()); };
  if (gpus.size() == 1) return true;
  if (gpus.size() > k_most_gpus)
    throw bad_configuration("at most " + std::to_string(k_most_gpus) + " GPUs can share a run");

  const auto n = static_cast<std::uint32_t>(gpus.size());
  peer_litmus<Port> litmus(gpus);
  const auto instead = [&](std::uint32_t a, std::uint32_t b) {
    return gpus[a]->index() == gpus[b]->index() ? "name " + number(gpus[a]) + " once"
                                                : std::string("name one GPU");
  };
  const bool in_host = transport == transport_kind::host;
  if (in_host)
    for (std::uint32_t a = 0; a != n; ++a)
      for (std::uint32_t b = a + 1; b != n; ++b)
        if (const std::string why = litmus.template against<scope::system_t>(a, b, k_host_memory);
            !why.empty())
          throw not_possible(why + ": over several GPUs use the p2p transport, or " +
                             instead(a, b));
  bool reached = true;
  for (const auto& from : gpus) {
    api::use(from->index());
    for (const auto& to : gpus) {
      if (from->index() == to->index()) continue;
      if (api::peers(from->index(), to->index()).access) {
        api::enable_peer(to->index());
      } else if (in_host) {
        reached = false;
      } else {
        throw not_possible(number(from) + " has no access to the memory of " + number(to) +
                           ", which stealing between them needs: name one GPU");
      }
    }
  }
  if (in_host) return reached;
  for (std::uint32_t a = 0; a != n; ++a)
    for (std::uint32_t b = a + 1; b != n; ++b)
      for (std::uint32_t memory = 0; memory != n; ++memory)
        if (const std::string why = litmus.template against<scope::system_t>(a, b, memory);
            !why.empty())
          throw not_possible(why + ", which stealing between them needs: " + instead(a, b));
  return true;
}

}  // namespace mgws
