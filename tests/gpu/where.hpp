/// \file
/// The devices that tests run on, as far as the machine has them.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <mgws/errors.hpp>
#include <mgws/options.hpp>

#include "catch.hpp"
#include "gpu/runs.hpp"

namespace gpu_test::where {

inline mgws::options on_gpu(std::uint32_t workers) {
  mgws::options o;
  o.devices = {{.kind = mgws::device_kind::gpu, .workers = workers}};
  // A run that hangs is a wrong one; nothing here takes a thousandth of this.
  o.timeout = std::chrono::seconds(20);
  return o;
}

/// \return whether there are two GPUs that can work together; if not, says why
inline bool two_gpus(mgws::options& o) {
  o = on_gpu(0);
  o.devices.push_back({.kind = mgws::device_kind::gpu, .index = 1});
  try {
    gpu_test::most_workers(o);
    return true;
  } catch (const mgws::not_possible& e) {
    WARN("skipped: " << e.what());
    return false;
  }
}

/// One GPU that works as two devices: its workers steal from each other as those of two GPUs do,
/// but for the link between them.
inline mgws::options one_gpu_twice() {
  auto o = on_gpu(0);
  o.devices.push_back(o.devices.front());
  return o;
}

/// Two devices, as far as there are some.
inline std::vector<mgws::options> two_devices() {
  std::vector<mgws::options> all{one_gpu_twice()};
  if (mgws::options two; two_gpus(two)) all.push_back(two);
  return all;
}

inline std::string described(const mgws::options& o) {
  return "devices " + std::to_string(o.devices.size()) + ", the last GPU " +
         std::to_string(o.devices.back().index) + ", transport " +
         std::to_string(static_cast<int>(o.transport)) + ", termination " +
         std::to_string(static_cast<int>(o.termination)) + ", overflow " +
         std::to_string(static_cast<int>(o.overflow)) + ", steal " +
         std::to_string(static_cast<int>(o.steal)) + ", owners " + std::to_string(o.owners) +
         ", workers " + std::to_string(o.devices.front().workers) + ", public " +
         std::to_string(o.public_queue) + ", local " + std::to_string(o.local_queue) + ", direct " +
         std::to_string(static_cast<int>(o.direct));
}

/// One GPU with each of these numbers of workers (0: as many as are resident), and two devices.
inline std::vector<mgws::options> one_and_two(std::initializer_list<std::uint32_t> workers) {
  std::vector<mgws::options> all;
  for (const std::uint32_t n : workers)
    all.push_back(on_gpu(n));
  for (const mgws::options& two : two_devices())
    all.push_back(two);
  return all;
}

}  // namespace gpu_test::where
