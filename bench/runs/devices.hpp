/// \file
/// The GPUs that this program can use, and what can join them.
#pragma once

#include <string>
#include <vector>

#include <mgws/options.hpp>

#include "runs/runs.hpp"

namespace mgws::bench {

/// Their names, in the order of their numbers; if there are none, \p why says the reason.
template <class Port>
std::vector<std::string> gpus(std::string& why);

/// Why the GPUs that these options name cannot be joined by their transport; empty if they can.
/// \throws device_error, no_progress
template <class Port>
std::string why_not_joined(const options& o);

}  // namespace mgws::bench
