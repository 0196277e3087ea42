/// \file
/// What mgws::atomic_ref is on HIP's platforms.
#pragma once

#include <mgws/backends/hip/platform.hpp>

#if !defined(__HIP_PLATFORM_NVIDIA__)
#include <mgws/backends/hip/amd/atomics.hpp>
#endif
