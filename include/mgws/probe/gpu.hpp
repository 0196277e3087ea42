/// \file
/// The GPUs' part of a probe: litmus runs of every pair on every memory, and what operations cost.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mgws/backends/gpu/device.hpp>
#include <mgws/core/order.hpp>
#include <mgws/errors.hpp>
#include <mgws/probe/cost.hpp>
#include <mgws/probe/cpu.hpp>
#include <mgws/probe/findings.hpp>
#include <mgws/probe/gpu_litmus.hpp>

namespace mgws {

/// Fills a report's findings in that have to do with its GPUs.
/// \tparam Port  as gpu_litmus, and measure_kernel<Scope>()
template <class Port>
class gpu_probe {
  using api = typename Port::api;
  using B = typename Port::probe_backend;
  using device = gpu::device<api>;
  using area = probe_area<api>;
  using seconds = std::chrono::duration<double>;

 public:
  /// Opens the report's GPUs, puts their names in, and lets them reach each other's memory where
  /// they can. \throws not_possible, device_error
  gpu_probe(probe_report& r, seconds timeout, std::function<void(const std::string&)> say)
      : report_(r), timeout_(timeout), say_(std::move(say)) {
    gpus_.resize(r.devices.size());
    for (std::uint32_t d = 0; d != r.devices.size(); ++d) {
      if (r.devices[d].kind == device_kind::cpu) continue;
      gpus_[d] = std::make_unique<device>(r.devices[d].index);
      r.devices[d].name = gpus_[d]->properties().name;
      if (!gpus_[d]->properties().host_memory_is_mapped)
        throw not_possible(gpus_[d]->properties().name + " cannot reach host memory");
    }
    const std::uint32_t n = count();
    access_.assign(n, std::vector<bool>(n, false));
    claims_.assign(n, std::vector<bool>(n, false));
    for (std::uint32_t from = 0; from != n; ++from) {
      if (!is_gpu(from)) continue;
      access_[from][from] = true;
      for (std::uint32_t to = 0; to != n; ++to) {
        if (from == to || !is_gpu(to)) continue;
        const gpu::peer_properties can = api::peers(gpus_[from]->index(), gpus_[to]->index());
        access_[from][to] = can.access;
        claims_[from][to] = can.atomics;
        api::use(gpus_[from]->index());
        if (can.access) api::enable_peer(gpus_[to]->index());
      }
    }
    litmus_.emplace(timeout);
  }

  /// All pairs with a GPU in them, on all memories.
  /// \throws no_progress, device_error
  void run_litmus(std::uint64_t rounds) {
    bounds_.rounds = rounds;
    bounds_.looks = std::uint64_t{1} << 18;
    const std::uint32_t n = count();
    std::vector<area> boards(n);
    for (std::uint32_t d = 0; d != n; ++d) {
      if (!is_gpu(d)) continue;
      boards[d] = gpu_litmus<Port>::board_on(*gpus_[d]);
      litmus_->template prepare<scope::device_t>(*gpus_[d]);
      litmus_->template prepare<scope::system_t>(*gpus_[d]);
    }
    const area on_host = gpu_litmus<Port>::board_on_host();
    for (std::uint32_t a = 0; a != n; ++a)
      for (std::uint32_t b = a; b != n; ++b) {
        if (!is_gpu(a) && !is_gpu(b)) continue;
        say_("litmus runs of " + report_.devices[a].label() + " and " + report_.devices[b].label());
        try_pair(a, b, k_host_memory, on_host);
        if (!is_gpu(a) || !is_gpu(b)) continue;
        for (std::uint32_t m = 0; m != n; ++m)
          if (is_gpu(m)) try_pair(a, b, m, boards[m]);
      }
  }

  /// What operations, copies and dependent reads cost each GPU on each memory that it reaches.
  /// \throws no_progress, device_error
  void measure() {
    wake();
    measure_words();
    measure_ladder();
  }

 private:
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(gpus_.size()); }
  [[nodiscard]] bool is_gpu(std::uint32_t d) const { return gpus_[d] != nullptr; }
  [[nodiscard]] bool reaches(std::uint32_t d, memory_place m) const {
    return m == k_host_memory || (is_gpu(d) && access_[d][m]);
  }

  /// What the drivers say about a's and b's read-modify-writes on m.
  [[nodiscard]] std::optional<bool> claim(std::uint32_t a, std::uint32_t b, memory_place m) const {
    if (m == k_host_memory) {
      if (a == b) return {};
      return (!is_gpu(a) || gpus_[a]->properties().host_atomics) &&
             (!is_gpu(b) || gpus_[b]->properties().host_atomics);
    }
    if (a == m && b == m) return {};
    return (a == m || claims_[a][m]) && (b == m || claims_[b][m]);
  }

  void try_pair(std::uint32_t a, std::uint32_t b, memory_place m, const area& board) {
    if (!reaches(a, m) || !reaches(b, m)) {
      litmus_outcomes none{};
      for (litmus_outcome& o : none)
        o.verdict = litmus_verdict::no_access;
      note(a, b, m, true, none);
      return;
    }
    if (!is_gpu(a) || !is_gpu(b)) {
      const device& gpu = is_gpu(a) ? *gpus_[a] : *gpus_[b];
      note(a, b, m, true,
           litmus_->run_with_thread(gpu, *board, bounds_, bounds_of_thread(bounds_.rounds)));
      return;
    }
    const device& one = *gpus_[a];
    const device& two = *gpus_[b];
    if (a == b)
      note(a, b, m, false, litmus_->template run<scope::device_t>(one, two, *board, bounds_));
    note(a, b, m, true, litmus_->template run<scope::system_t>(one, two, *board, bounds_));
  }

  void note(std::uint32_t a, std::uint32_t b, memory_place m, bool system_scope,
            const litmus_outcomes& outcomes) {
    for (std::uint32_t k = 0; k != k_litmuses; ++k) {
      const auto what = static_cast<litmus>(k);
      report_.litmus.push_back({.a = a,
                                .b = b,
                                .memory = m,
                                .system_scope = system_scope,
                                .what = what,
                                .outcome = outcomes[k],
                                .claim = what == litmus::message ? std::nullopt : claim(a, b, m)});
    }
  }

  /// Runs a measurement on a GPU.
  template <class Scope>
  [[nodiscard]] std::vector<std::uint64_t> run(std::uint32_t d, measurement m) const {
    const device& gpu = *gpus_[d];
    const area out = make_probe_area<api>(gpu, k_litmus_line + m.batches * sizeof(std::uint64_t));
    m.sink = reinterpret_cast<std::uint64_t*>(out->data());
    m.results = reinterpret_cast<std::uint64_t*>(out->data() + k_litmus_line);
    api::use(gpu.index());
    const auto ended = api::make_event();
    api::launch(Port::template measure_kernel<Scope>(), m, 1, B::team::k_lanes, k_copy_piece,
                gpu.kernels());
    api::record(ended, gpu.kernels());
    wait_for_kernel<api>(
        ended, std::chrono::steady_clock::now() +
                   std::chrono::duration_cast<std::chrono::steady_clock::duration>(timeout_));
    api::destroy(ended);
    std::vector<std::uint64_t> results(m.batches);
    out->read(results.data(), k_litmus_line, results.size() * sizeof(std::uint64_t));
    return results;
  }

  /// An idle GPU's clock is slow. Keeps each busy until it no longer is.
  void wake() {
    for (std::uint32_t d = 0; d != count(); ++d) {
      if (!is_gpu(d)) continue;
      const area word = make_probe_area<api>(*gpus_[d], k_litmus_line);
      const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
      while (std::chrono::steady_clock::now() < until)
        static_cast<void>(run<scope::device_t>(d, {.what = measured::fetch_add,
                                                   .batches = 1,
                                                   .count = 1u << 14,
                                                   .memory = word->data()}));
    }
  }

  void measure_words() {
    const probe_effort e{};
    const area on_host = make_probe_area<api>(k_copy_span);
    std::vector<area> own(count());
    for (std::uint32_t d = 0; d != count(); ++d)
      if (is_gpu(d)) own[d] = make_probe_area<api>(*gpus_[d], k_copy_span);
    for (std::uint32_t d = 0; d != count(); ++d) {
      if (!is_gpu(d)) continue;
      say_("costs on " + report_.devices[d].label());
      for (std::uint32_t m = 0; m <= count(); ++m) {
        const memory_place place = m == count() ? k_host_memory : m;
        if (place != k_host_memory && !access_[d][m]) continue;
        std::byte* const memory = place == k_host_memory ? on_host->data() : own[m]->data();
        measure_operations(report_, d, place, false, e, memory,
                           [&](const measurement& x) { return run<scope::device_t>(d, x); });
        measure_operations(report_, d, place, true, e, memory,
                           [&](const measurement& x) { return run<scope::system_t>(d, x); });
        measure_copies(report_, d, place, e, memory,
                       [&](const measurement& x) { return run<scope::device_t>(d, x); });
      }
    }
  }

  void measure_ladder() {
    const probe_effort e{.batches = 3};
    for (std::uint32_t d = 0; d != count(); ++d) {
      if (!is_gpu(d)) continue;
      const area chain = chain_on(gpus_[d].get(), make_chain(k_local_rung));
      measure_rung(report_, d, d, true, k_local_rung, e, chain->data(),
                   [&](const measurement& x) { return run<scope::device_t>(d, x); });
    }
    for (std::uint64_t bytes = k_first_rung; bytes <= k_last_rung; bytes *= 4) {
      say_("dependent reads in " + std::to_string(bytes >> 10) + " KiB");
      const auto image = make_chain(bytes);
      for (std::uint32_t m = 0; m <= count(); ++m) {
        const memory_place place = m == count() ? k_host_memory : m;
        if (place != k_host_memory && !is_gpu(m)) continue;
        area chain;
        try {
          chain = chain_on(place == k_host_memory ? nullptr : gpus_[m].get(), image);
        } catch (const std::bad_alloc&) {
          continue;  // a rung less
        }
        for (std::uint32_t d = 0; d != count(); ++d)
          if (is_gpu(d) && reaches(d, place))
            measure_rung(report_, d, place, false, bytes, e, chain->data(),
                         [&](const measurement& x) { return run<scope::device_t>(d, x); });
      }
    }
  }

  /// \param owner  a GPU, or nullptr: the host
  [[nodiscard]] static area chain_on(const device* owner, const std::vector<std::uint64_t>& image) {
    const std::size_t bytes = image.size() * sizeof image.front();
    area chain =
        owner != nullptr ? make_probe_area<api>(*owner, bytes) : make_probe_area<api>(bytes);
    chain->write(0, image.data(), bytes);
    return chain;
  }

  probe_report& report_;
  seconds timeout_;
  std::function<void(const std::string&)> say_;
  std::optional<gpu_litmus<Port>> litmus_;  ///< once there are GPUs
  litmus_bounds bounds_;
  std::vector<std::unique_ptr<device>> gpus_;  ///< by position; null: the CPU
  // [from][to], by position
  std::vector<std::vector<bool>> access_;
  std::vector<std::vector<bool>> claims_;
};

}  // namespace mgws
