/// \file
/// The GPUs that this program can use.
#pragma once

#include <string>
#include <vector>

#include "runs/runs.hpp"

namespace mgws::bench {

/// Their names, in the order of their numbers; if there are none, \p why says the reason.
template <class Port>
std::vector<std::string> gpus(std::string& why);

}  // namespace mgws::bench
