#include "runs/devices.hpp"

#include <mgws/runtime.hpp>

namespace mgws::bench {

template <>
std::vector<std::string> gpus<this_port>(std::string& why) {
  return gpu_names(why);
}

template <>
std::string why_not_joined<this_port>(const options& o) {
  return mgws::why_not_joined(o);
}

}  // namespace mgws::bench
