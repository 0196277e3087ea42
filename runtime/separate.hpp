/// \file
/// What drives runs of CPU workers knows no types of tasks (skeleton.hpp), and need not be compiled
/// again in each file of a program: one that is compiled with MGWS_SEPARATE defined expects it in
/// an object of separate.cpp, which it is linked with. Both are compiled with the same options, as
/// far as those are about the standard library or about mgws.
#pragma once

#include <mgws/runtime/cpu.hpp>
#include <mgws/runtime/skeleton.hpp>

// A GPU's compiler compiles it with what it makes for the device.
#if defined(MGWS_SEPARATE) && !defined(__CUDACC__) && !defined(__HIPCC__)
namespace mgws {

extern template class cpu_workers<false>;
extern template class run_skeleton<cpu_crew_state<false>>;
extern template class cpu_workers<true>;
extern template class run_skeleton<cpu_crew_state<true>>;

}  // namespace mgws
#endif
