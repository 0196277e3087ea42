/// \file
/// Stands before headers of mgws; headers_end.hpp stands behind them. Not guarded: each time
/// counts.
///
/// Core's functions are for the host and for devices, and call the CPU backend's, which are for the
/// host. nvcc warns of each such call, of which it makes nothing as long as nobody runs it on a
/// GPU. Here it is told not to; in the user's own code it goes on.
#include <mgws/language.hpp>

#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20011
#pragma nv_diag_suppress 20012
#pragma nv_diag_suppress 20014
#endif
