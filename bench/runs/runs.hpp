/// \file
/// A workload's runs, cut off from its command line: what reads options and verifies results is
/// compiled once, by the host's compiler; what runs tasks is compiled once for each backend, by
/// that backend's compiler, and knows nothing of command lines.
///
/// A workload `w` has bench/runs/w.hpp, which declares
///     template <class Port> std::unique_ptr<runs<context, results>> make_runs(options, variant);
/// and bench/runs/w.cpp, which defines it for the port that compiles it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/statistics.hpp>
#include <mgws/options.hpp>
#include <mgws/placement.hpp>
#include <mgws/report.hpp>
#include <mgws_port.hpp>

namespace mgws::bench {

/// The ports by the names that they give themselves. A program has one for GPUs, whose vendor only
/// the linker knows.
namespace ports {
struct cpu;
struct gpu;
using cuda = gpu;
using hip = gpu;
}  // namespace ports

/// The port that compiles this file.
using this_port = ports::MGWS_PORT;

/// Statistics are a compile-time policy: Meson's -Dstatistics chooses.
using statistics = std::conditional_t<MGWS_BENCH_STATISTICS, worker_statistics, no_statistics>;

/// The runs of one initial set, which is kept from run to run.
template <class Context, class Results>
class runs {
 public:
  runs() = default;
  runs(const runs&) = delete;
  runs& operator=(const runs&) = delete;
  virtual ~runs() = default;

  report<Results> run(const Context& context) { return run_each({&context, 1}); }
  /// \param contexts  one for each device, or one for all
  virtual report<Results> run_each(std::span<const Context> contexts) = 0;
  [[nodiscard]] virtual std::uint32_t devices() const = 0;
  /// Where the contexts' data can be.
  [[nodiscard]] virtual mgws::data_places data_places() const = 0;
};

/// A context for each device. \param make  make(d) returns the d-th
template <class Make>
[[nodiscard]] auto contexts_of(std::uint32_t devices, Make&& make) {
  std::vector<decltype(make(devices))> all;
  for (std::uint32_t d = 0; d != devices; ++d)
    all.push_back(make(d));
  return all;
}

}  // namespace mgws::bench
