/// \file
/// The devices that a program of this port can use besides the CPU: none.
#pragma once

#include <string>
#include <vector>

#include <mgws_port.hpp>

namespace mgws {
inline namespace MGWS_PORT {

struct port_devices {
  /// The GPUs' names; if there are none, \p why says the reason.
  static std::vector<std::string> names(std::string& why) {
    why = "this program was built for the CPU only";
    return {};
  }
};

}  // namespace MGWS_PORT
}  // namespace mgws
