/// \file
/// The pairs of backend and transport that the contract tests run on. To add one: a class like
/// `cpu_host` below, and its name in `platforms`.
#pragma once

#include <cstdint>
#include <thread>
#include <tuple>
#include <vector>

#include <mgws/mgws.hpp>

namespace contract {

struct cpu_host {
  using backend = mgws::cpu_backend::backend;
  using transport = mgws::host_transport<backend, mgws::cpu_backend::area>;

  template <class Tasks, class Accumulators = mgws::accumulators<>,
            class Context = mgws::no_context, class Statistics = mgws::no_statistics>
  using runtime = mgws::runtime<Tasks, Accumulators, Context, Statistics>;

  /// Options with which a runtime has these groups of workers.
  static mgws::options groups_of(const std::vector<std::uint32_t>& groups) {
    mgws::options o;
    for (const std::uint32_t n : groups)
      o.devices.push_back({.workers = n});
    return o;
  }

  /// Calls f(i) on n workers side by side, returns when all have returned.
  template <class F>
  static void on_workers(std::uint32_t n, F f) {
    std::vector<std::thread> all;
    for (std::uint32_t i = 0; i != n; ++i)
      all.emplace_back(f, i);
    for (auto& t : all)
      t.join();
  }
};

using platforms = std::tuple<cpu_host>;

}  // namespace contract
