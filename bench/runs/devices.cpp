#include "runs/devices.hpp"

#include <mgws/errors.hpp>
#include <mgws/runtime.hpp>

namespace mgws::bench {

template <>
std::vector<std::string> gpus<this_port>(std::string& why) {
  return gpu_names(why);
}

template <>
std::string why_not_joined<this_port>(const options& o) {
  try {
    join_gpus(o);
  } catch (const bad_configuration& e) {
    return e.what();
  } catch (const not_possible& e) {
    return e.what();
  }
  return "";
}

}  // namespace mgws::bench
