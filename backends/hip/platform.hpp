/// \file
/// Which of HIP's platforms this is compiled for: AMD's GPUs, which the backend is for, or
/// NVIDIA's, on which it can be verified.
#pragma once

// Defined where the body of a function of both sides is compiled for the GPU.
#if defined(__HIP_DEVICE_COMPILE__) || defined(__CUDA_ARCH__)
#define MGWS_HIP_DEVICE 1
#endif

#if defined(__HIP_PLATFORM_NVIDIA__)
#include <mgws/backends/hip/nvidia/platform.hpp>
#else
#include <mgws/backends/hip/amd/platform.hpp>
#endif
