/// \file
/// A run of a CPU and a GPU, in whose place another group of CPU workers stands.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include <mgws/mgws.hpp>

namespace contract {

/// The first device is of CPU workers, the second one is taken for a GPU.
template <class Tasks, class Results, class Context>
class mixed {
  using head = mgws::channel_head<mgws::cpu_backend::backend>;
  using runtime = mgws::bridged_runtime<Tasks, Results, Context, head>;

 public:
  explicit mixed(std::uint32_t cpus, std::uint32_t others, std::uint32_t ring = 64,
                 std::uint32_t spill = 0) {
    mgws::options o;
    o.devices = {{.kind = mgws::device_kind::cpu, .workers = cpus},
                 {.kind = mgws::device_kind::gpu, .index = 0}};
    o.bridge_slots = ring;
    o.spill = spill;
    o.timeout = std::chrono::seconds(60);
    runs_ = std::make_unique<runtime>(o, [&](mgws::options part, const auto& domains) {
      if (part.devices.front().kind == mgws::device_kind::gpu)
        part.devices = {{.kind = mgws::device_kind::cpu, .workers = others}};
      return mgws::detail::make_domain<mgws::port_devices, 32, mgws::compiled_for::together, Tasks,
                                       Results, Context, mgws::worker_statistics>(std::move(part),
                                                                                  domains);
    });
  }
  template <class T>
  void seed(const T& t, std::uint32_t n = 1) {
    runs_->seeds->add(t, n);
  }
  auto run(const Context& of_both) { return runs_->run({&of_both, 1}, {}); }

 private:
  std::unique_ptr<runtime> runs_;
};

}  // namespace contract
