/// \file
/// The devices that a program of this port can use besides the CPU: none.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/runtime/base.hpp>
#include <mgws_port.hpp>

namespace mgws {
inline namespace MGWS_PORT {

struct port_devices {
  /// The GPUs' names; if there are none, \p why says the reason.
  static std::vector<std::string> names(std::string& why) {
    why = "this program was built for the CPU only";
    return {};
  }

  /// Called for options that name a GPU, as make().
  [[noreturn]] static void join(const options& /*o*/) { refuse(); }

  /// Called for options that name a GPU.
  template <class Tasks, class Accumulators, class Context, class Statistics>
  [[noreturn]] static std::unique_ptr<runtime_base<Tasks, Accumulators, Context>> make(
      const options& /*o*/) {
    refuse();
  }

 private:
  [[noreturn]] static void refuse() {
    throw not_possible("a GPU cannot be used: this program was built for the CPU only");
  }
};

}  // namespace MGWS_PORT
}  // namespace mgws
