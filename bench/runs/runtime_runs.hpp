/// \file
/// Runs on the runtime of the port that compiles this file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include <mgws/runtime/cpu.hpp>
#include <mgws_devices.hpp>

#include "runs/runs.hpp"

namespace mgws::bench {

template <class Tasks, class Context, class Results>
class runtime_runs final : public runs<Context, Results> {
 public:
  explicit runtime_runs(const options& o) : devices_(make(o)) { devices_->keep_seeds(true); }

  [[nodiscard]] initial_set<Tasks>& seeds() { return devices_->seeds(); }
  report<Results> run_each(std::span<const Context> contexts) override {
    return devices_->run_each(contexts);
  }
  [[nodiscard]] std::uint32_t devices() const override { return devices_->devices(); }
  [[nodiscard]] mgws::data_places data_places() const override { return devices_->data_places(); }

 private:
  using base = runtime_base<Tasks, Results, Context>;

  /// Not mgws::runtime, which would bring the CPU's workers into every GPU's file once more.
  static std::unique_ptr<base> make(const options& o) {
    if constexpr (std::is_same_v<this_port, ports::cpu>) {
      return std::make_unique<cpu_runtime<Tasks, Results, Context, statistics>>(o);
    } else {
      return port_devices::make<Tasks, Results, Context, statistics>(o);
    }
  }

  std::unique_ptr<base> devices_;
};

}  // namespace mgws::bench
