/// \file
/// Ends what headers_begin.hpp has begun.
#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif
