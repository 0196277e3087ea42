/// \file
/// The options that every workload of mgws-bench has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include <mgws/options.hpp>

namespace mgws::bench {

/// The options as typed, and after resolve() as the runtime takes them.
struct settings {
  std::string devices = "gpus";
  std::uint64_t workers = 0;  ///< for devices that name no number of their own; 0: not given
  std::string transport;      ///< empty: this build's first that serves the devices
  std::string termination = "hierarchical";
  std::string overflow = "probe";
  std::string steal = "bias=0.75";
  std::string direct;
  std::string domains = "kind";
  std::uint64_t bridge_slots = 1024;
  std::string join;  ///< the group of processes that this one is of; empty: none
  std::uint64_t rank = 0;
  std::uint64_t ranks = 1;
  std::string tasks_in;  ///< empty: with the workers
  std::optional<std::uint64_t> remote_gpu;
  std::uint64_t public_queue = 0;  ///< 0: the devices' default
  std::uint64_t local_queue = 0;   ///< likewise
  std::uint64_t spill = 0;         ///< 0: the devices' default
  std::uint64_t gpu_spill = 0;     ///< where `spill` is 0
  std::uint64_t frames = 0;        ///< 0: the devices' default
  std::uint64_t owners = 1;
  std::uint64_t repeat = 1;
  std::uint64_t warmup = 0;
  double busy = 0;  ///< seconds of runs before all others
  std::uint64_t seed = 0;
  double timeout = 60;
  bool pin = false;
  std::string json;
  std::string trace;
  std::string report;

  /// What the runtime is given.
  mgws::options runtime;
};

/// Adds the options to a workload's command.
void add_options(CLI::App& command, settings& s);

/// Fills `runtime` in. \throws bad_configuration, not_possible
void resolve(settings& s);
/// Whether any of the devices as typed is a GPU. \throws as resolve()
[[nodiscard]] bool asks_for_gpus(const settings& s);

}  // namespace mgws::bench
