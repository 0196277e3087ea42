#include <mgws/backends/hip/backend.hpp>

using B = mgws::hip_backend::backend<mgws::hip_backend::platform::wavefront == 64 ? 64 : 32>;

#include "operations.hpp"
