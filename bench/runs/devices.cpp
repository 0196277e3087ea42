#include "runs/devices.hpp"

#include <mgws_devices.hpp>

namespace mgws::bench {

template <>
std::vector<std::string> gpus<this_port>(std::string& why) {
  return port_devices::names(why);
}

}  // namespace mgws::bench
