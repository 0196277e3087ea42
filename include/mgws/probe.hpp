/// \file
/// mgws::probe: finds out, by litmus runs instead of by claims, which devices of this machine may
/// share queues on which memory, and what operations there cost.
///
///     const mgws::probe_report r = mgws::probe();
///     for (const mgws::device_group& g : mgws::domains_of(r).p2p) ...
///
/// What it finds depends on the port that the include path chooses, as with mgws::runtime.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/probe/cpu.hpp>
#include <mgws/probe/domains.hpp>
#include <mgws/probe/findings.hpp>
#include <mgws/probe/gpu.hpp>
#include <mgws_devices.hpp>
#include <mgws_port.hpp>

namespace mgws {

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

namespace detail {

template <class Port>
concept port_with_gpus = requires {
  typename Port::api;
};

/// What a port without GPUs has in place of a gpu_probe.
struct no_gpu_probe {
  template <class... Ts>
  [[noreturn]] explicit no_gpu_probe(Ts&&... /*unused*/) {
    throw not_possible("a GPU cannot be used: this program was built for the CPU only");
  }
  void run_litmus(std::uint64_t /*rounds*/) {}
  void measure() {}
};
template <class Port>
struct gpu_probe_of {
  using type = no_gpu_probe;
};
template <port_with_gpus Port>
struct gpu_probe_of<Port> {
  using type = gpu_probe<Port>;
};

/// \throws bad_configuration
template <class Port>
[[nodiscard]] std::vector<probed_device> devices_to_probe(const probe_options& o,
                                                          std::string& no_gpu) {
  std::vector<probed_device> all;
  for (const device_choice& d : o.devices) {
    all.push_back({.kind = d.kind, .index = d.kind == device_kind::gpu ? d.index : 0});
    for (std::size_t other = 0; other + 1 != all.size(); ++other)
      if (all[other].label() == all.back().label())
        throw bad_configuration("'" + all.back().label() + "' is named twice");
  }
  if (!o.devices.empty()) return all;
  all.push_back({});
  const auto n = static_cast<std::uint32_t>(Port::names(no_gpu).size());
  for (std::uint32_t i = 0; i != n; ++i)
    all.push_back({.kind = device_kind::gpu, .index = i});
  return all;
}

template <class Port>
[[nodiscard]] probe_report probe_devices(const probe_options& o) {
  const auto say = [&](const std::string& what) {
    if (o.on_progress) o.on_progress(what);
  };
  probe_report r;
  r.quick = o.quick;
  r.devices = devices_to_probe<Port>(o, r.no_gpu);
  const auto is_cpu = [](const probed_device& d) { return d.kind == device_kind::cpu; };
  const auto cpu = std::ranges::find_if(r.devices, is_cpu) - r.devices.begin();
  const bool with_cpu = cpu != std::ssize(r.devices);
  const auto cpu_at = static_cast<std::uint32_t>(cpu);
  // Devices that are not there are found before anything is tried.
  std::optional<typename gpu_probe_of<Port>::type> gpus;
  if (!std::ranges::all_of(r.devices, is_cpu)) gpus.emplace(r, o.timeout, say);

  const std::uint64_t rounds = o.quick ? 500 : 5000;
  if (with_cpu) {
    say("litmus runs of threads");
    r.devices[cpu_at].name = "CPU";
    const auto outcomes = litmus_of_threads(bounds_of_thread(rounds));
    for (std::uint32_t k = 0; k != k_litmuses; ++k)
      r.litmus.push_back(
          {.a = cpu_at, .b = cpu_at, .what = static_cast<litmus>(k), .outcome = outcomes[k]});
  }
  if (gpus) gpus->run_litmus(rounds);
  if (o.quick) return r;
  if (with_cpu) {
    say("costs on the CPU");
    measure_cpu(r, cpu_at, k_last_rung);
  }
  if (gpus) gpus->measure();
  return r;
}

}  // namespace detail

inline namespace MGWS_PORT {

/// Not thread-safe, and not while the devices do anything else: the litmus runs need them at once,
/// the costs need them alone. The litmus runs take some hundredths of a second a pair and memory,
/// and a second or more where it is not coherent, because participants then wait for their bounds;
/// the costs take some seconds a GPU.
/// \throws bad_configuration  a device is named twice
/// \throws not_possible       a device is not there
/// \throws device_error       a call or a kernel failed: that GPU is lost to the process
/// \throws no_progress        a kernel did not end within the timeout: leave by std::_Exit
[[nodiscard]] inline probe_report probe(const probe_options& o = {}) {
  return detail::probe_devices<port_devices>(o);
}

}  // namespace MGWS_PORT
}  // namespace mgws
