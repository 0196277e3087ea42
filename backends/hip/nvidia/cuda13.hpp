/// \file
/// Lets HIP's headers of before CUDA 13 compile for HIP's NVIDIA platform with CUDA 13: to be
/// included before everything else (nvcc -include). For the verification build alone.
///
/// What CUDA 13 has dropped or changed is declared here as those headers call it. mgws uses none of
/// it, and all of it answers that it is not supported.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#if CUDART_VERSION >= 13000

// Members that are gone. The headers copy them between the two vendors' structures.
struct mgws_cuda12_device_prop : cudaDeviceProp {
  int clockRate;
  int computeMode;
  int memoryClockRate;
  int cooperativeMultiDeviceLaunch;
  int kernelExecTimeoutEnabled;
};
#define cudaDeviceProp mgws_cuda12_device_prop
#define cudaDevAttrCooperativeMultiDeviceLaunch static_cast<cudaDeviceAttr>(96)

// Calls with another signature now, or none.
#define MGWS_NOT_IN_CUDA_13(call)         \
  template <class... Arguments>           \
  inline cudaError_t call(Arguments...) { \
    return cudaErrorNotSupported;         \
  }
MGWS_NOT_IN_CUDA_13(cudaMemAdvise)
MGWS_NOT_IN_CUDA_13(cudaMemPrefetchAsync)
MGWS_NOT_IN_CUDA_13(cudaLaunchCooperativeKernelMultiDevice)
MGWS_NOT_IN_CUDA_13(cudaGraphAddDependencies)
MGWS_NOT_IN_CUDA_13(cudaGraphRemoveDependencies)
MGWS_NOT_IN_CUDA_13(cudaGraphGetEdges)
MGWS_NOT_IN_CUDA_13(cudaGraphNodeGetDependencies)
MGWS_NOT_IN_CUDA_13(cudaGraphNodeGetDependentNodes)
MGWS_NOT_IN_CUDA_13(cudaStreamGetCaptureInfo_v2)
MGWS_NOT_IN_CUDA_13(cudaStreamUpdateCaptureDependencies)
MGWS_NOT_IN_CUDA_13(cudaBindTexture)
MGWS_NOT_IN_CUDA_13(cudaBindTexture2D)
MGWS_NOT_IN_CUDA_13(cudaBindTextureToArray)
MGWS_NOT_IN_CUDA_13(cudaUnbindTexture)
MGWS_NOT_IN_CUDA_13(cudaGetTextureAlignmentOffset)
#undef MGWS_NOT_IN_CUDA_13
inline CUresult cuCtxCreate_v4(CUcontext*, unsigned, CUdevice) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
// Votes name their lanes now. All of a warp's take part in those of mgws.
#define __ballot(p) __ballot_sync(0xffffffff, p)
template <class T, int Dimensions, enum cudaTextureReadMode Mode>
struct texture {};

#endif
