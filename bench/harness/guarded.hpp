/// \file
/// How the programs end when something is thrown.
#pragma once

#include <functional>

namespace mgws::bench {

/// Calls f and turns what it throws into one sentence on standard error and an exit code.
int guarded(const std::function<int()>& f);

}  // namespace mgws::bench
