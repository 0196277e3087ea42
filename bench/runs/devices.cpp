#include "runs/devices.hpp"

#include <mgws/errors.hpp>
#include <mgws_devices.hpp>

namespace mgws::bench {

template <>
std::vector<std::string> gpus<this_port>(std::string& why) {
  return port_devices::names(why);
}

template <>
std::string why_not_joined<this_port>(const options& o) {
  try {
    port_devices::join(o);
  } catch (const bad_configuration& e) {
    return e.what();
  } catch (const not_possible& e) {
    return e.what();
  }
  return "";
}

}  // namespace mgws::bench
