/// \file
/// The probe: litmus runs of every two devices on every memory, and what operations cost each.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include <mgws/errors.hpp>
#include <mgws/probe/findings.hpp>
#include <mgws/runtime/probe/cost.hpp>
#include <mgws/runtime/probe/gpus.hpp>

namespace mgws {

/// Fills a report's findings in.
/// \tparam Machine  cpu_machine, gpu_machine
template <class Machine>
class prober {
 public:
  /// \param r        its devices become the machine's
  /// \param machine  all devices have been added
  prober(probe_report& r, Machine& machine, const probe_options& o)
      : report_(r), machine_(machine), options_(o), places_{k_host_memory} {
    r.devices = machine.devices();
    for (std::uint32_t d = 0; d != count(); ++d)
      places_.push_back(d);
  }

  /// Litmus runs of every two devices, and of two workers of each.
  /// \throws not_possible, no_progress, device_error
  void try_pairs(std::uint64_t rounds) {
    const litmus_bounds bounds{.rounds = rounds, .looks = std::uint64_t{1} << 18};
    for (std::uint32_t a = 0; a != count(); ++a)
      for (std::uint32_t b = a; b != count(); ++b) {
        say("litmus runs of " + spoken(a) + (a == b ? "" : " and " + spoken(b)));
        for (const memory_place m : places_) {
          if (!concerns(a, b, m)) continue;
          const bool reached = machine_.reach(a, m) && machine_.reach(b, m);
          for (const bool system : {false, true}) {
            if (!system && !(reached && a == b && is_gpu(a))) continue;
            litmus_finding f{.a = a, .b = b, .memory = in_report(m), .system_scope = system};
            f.claim = machine_.claim(f);
            litmus_outcomes outcomes;
            outcomes.fill({.verdict = litmus_verdict::no_access});
            if (reached) outcomes = machine_.outcomes(f, bounds);
            std::ranges::copy(findings_of(f, outcomes), std::back_inserter(report_.litmus));
          }
        }
      }
  }

  /// What operations, copies and dependent reads cost each device on each memory that it reaches.
  /// \throws no_progress, device_error
  void measure_costs() {
    for (std::uint32_t d = 0; d != count(); ++d)
      if (is_gpu(d)) wake(d);
    for (std::uint32_t d = 0; d != count(); ++d) {
      say("costs on " + spoken(d));
      for (const memory_place m : places_)
        if (concerns(d, d, m) && machine_.reach(d, m)) measure_words(d, m);
      if (is_gpu(d))
        measure_rung(d, d, measured::chase_local, k_local_rung,
                     machine_.memory(d, make_chain(k_local_rung)).get());
    }
    for (std::uint64_t bytes = k_first_rung; bytes <= k_last_rung; bytes *= 4) {
      say("dependent reads in " + std::to_string(bytes >> 10) + " KiB");
      const std::vector<std::uint64_t> image = make_chain(bytes);
      for (const memory_place m : places_)
        try {
          std::shared_ptr<std::byte> chain;
          for (std::uint32_t d = 0; d != count(); ++d) {
            if (!concerns(d, d, m) || !machine_.reach(d, m)) continue;
            if (!chain) chain = machine_.memory(m, image);
            measure_rung(d, m, measured::chase, bytes, chain.get());
          }
        } catch (const std::bad_alloc&) {  // a rung less
        }
    }
  }

  /// \param f       whose, and at which scope
  /// \param memory  8 zero bytes that the device reaches
  void measure_operations(cost_finding f, std::byte* memory) {
    using enum measured;
    for (const measured what : {load, load_acquire, fetch_add, fetch_add_acquire, fetch_add_acq_rel,
                                exchange, exchange_acquire, store_fence, fence}) {
      f.what = what;
      add_cost(report_.latencies, f, memory);
    }
  }

 private:
  [[nodiscard]] std::uint32_t count() const {
    return static_cast<std::uint32_t>(report_.devices.size());
  }
  [[nodiscard]] bool is_gpu(std::uint32_t d) const {
    return d < count() && report_.devices[d].kind == device_kind::gpu;
  }
  [[nodiscard]] std::string spoken(std::uint32_t d) const { return report_.devices[d].spoken(); }
  void say(const std::string& what) const {
    if (options_.on_progress) options_.on_progress(what);
  }
  /// The CPU's own memory is the host's.
  [[nodiscard]] memory_place in_report(memory_place m) const {
    return is_gpu(m) ? m : k_host_memory;
  }

  /// Whether the two have to do with that memory: threads alone meet in the processor's own, with
  /// GPUs in what these reach of the host's.
  [[nodiscard]] bool concerns(std::uint32_t a, std::uint32_t b, memory_place m) const {
    if (is_gpu(m)) return is_gpu(a) && is_gpu(b);
    return (m == k_host_memory) == (is_gpu(a) || is_gpu(b));
  }
  /// An idle GPU's clock is slow. Keeps it busy until it no longer is.
  void wake(std::uint32_t d) const {
    const auto word = machine_.memory(d, std::vector<std::uint64_t>(k_litmus_line / 8));
    const measurement busy{
        .what = measured::fetch_add, .batches = 1, .count = 1u << 14, .memory = word.get()};
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    while (std::chrono::steady_clock::now() < until)
      static_cast<void>(machine_.measure(d, false, busy));
  }

  /// \param f       all but the times
  /// \param memory  what a measurement of it needs
  void add_cost(std::vector<cost_finding>& list, cost_finding f, std::byte* memory) const {
    const auto [batches, count] = effort_of(f.what, report_.devices[f.device].kind);
    put_times(f,
              machine_.measure(f.device, f.system_scope,
                               {.what = f.what,
                                .batches = batches,
                                .count = count,
                                .memory = memory,
                                .bytes = f.bytes,
                                .span = k_copy_span}),
              count);
    list.push_back(f);
  }
  void measure_words(std::uint32_t d, memory_place m) {
    const auto memory = machine_.memory(m, std::vector<std::uint64_t>(k_copy_span / 8));
    for (const bool system : {false, true}) {
      cost_finding f{.device = d, .memory = in_report(m), .system_scope = system};
      if (system || is_gpu(d)) measure_operations(f, memory.get());
      if (system == is_gpu(d)) continue;
      f.what = measured::copy;
      for (f.bytes = 64; f.bytes <= 1u << 16; f.bytes *= 4)
        add_cost(report_.copies, f, memory.get());
    }
  }
  void measure_rung(std::uint32_t d, memory_place m, measured what, std::uint64_t bytes,
                    std::byte* chain) {
    cost_finding f{.device = d, .memory = in_report(m), .system_scope = !is_gpu(d)};
    f.what = what;
    f.bytes = bytes;
    add_cost(report_.ladder, f, chain);
  }

  probe_report& report_;
  Machine& machine_;
  const probe_options& options_;
  std::vector<memory_place> places_;
};

template <class Port>
concept port_with_gpus = requires {
  typename Port::api;
};

/// \throws bad_configuration
template <class Port>
[[nodiscard]] std::vector<probed_device> devices_to_probe(const probe_options& o,
                                                          std::string& no_gpu) {
  std::vector<probed_device> all;
  for (const device_choice& d : o.devices) {
    const probed_device named{.kind = d.kind, .index = d.kind == device_kind::gpu ? d.index : 0};
    if (std::ranges::any_of(all, [&](const auto& x) { return x.label() == named.label(); }))
      detail::refuse<bad_configuration>({"'", named.label(), "' is named twice"});
    all.push_back(named);
  }
  if (!o.devices.empty()) return all;
  all.push_back({});
  const auto n = static_cast<std::uint32_t>(Port::names(no_gpu).size());
  for (std::uint32_t i = 0; i != n; ++i)
    all.push_back({.kind = device_kind::gpu, .index = i});
  return all;
}

/// As probe().
template <class Port>
[[nodiscard]] probe_report probe_devices(const probe_options& o) {
  using machine_type = std::conditional_t<port_with_gpus<Port>, gpu_machine<Port>, cpu_machine>;
  machine_type machine(o.timeout);
  probe_report r;
  r.quick = o.quick;
  // Devices that are not there are found before anything is tried.
  for (const probed_device& d : devices_to_probe<Port>(o, r.no_gpu))
    machine.add(d);
  prober p(r, machine, o);
  p.try_pairs(o.quick ? 500 : 5000);
  if (!o.quick) p.measure_costs();
  return r;
}

}  // namespace mgws
