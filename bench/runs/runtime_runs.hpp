/// \file
/// Runs on the runtime of the port that compiles this file.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include <mgws/runtime.hpp>

#include "runs/runs.hpp"

namespace mgws::bench {
/// Two compilers' code of one name would be one class to the linker.
inline namespace MGWS_PORT {

/// What the programs' runtimes are compiled for: the devices of this port alone, because a
/// program's CPU workers are those of its CPU port; with MGWS_BENCH_TOGETHER CPU workers and GPUs
/// in one run.
inline constexpr auto k_for = MGWS_BENCH_TOGETHER                     ? compiled_for::together
                              : std::is_same_v<this_port, ports::cpu> ? compiled_for::cpu
                                                                      : compiled_for::gpus;

/// \tparam Lanes  of a GPU's worker
template <class Tasks, class Context, class Results, std::uint32_t Lanes = k_gpu_lanes<Tasks>>
class runtime_runs final : public runs<Context, Results> {
 public:
  explicit runtime_runs(const options& o) : runtime_(o) { runtime_.keep_seeds(true); }

  /// To seed.
  [[nodiscard]] auto& runtime() { return runtime_; }
  report<Results> run_each(std::span<const Context> contexts) override {
    return runtime_.run_each(contexts);
  }
  [[nodiscard]] std::uint32_t devices() const override { return runtime_.devices(); }
  [[nodiscard]] mgws::data_places data_places() const override { return runtime_.data_places(); }

 private:
  mgws::runtime<Tasks, Results, Context, statistics, Lanes, k_for> runtime_;
};

}  // namespace MGWS_PORT
}  // namespace mgws::bench
