/// \file
/// What drives runs of CPU workers knows no types of tasks (skeleton.hpp), and need not be compiled
/// again in each file of a program: one that is compiled with MGWS_SEPARATE defined expects it in
/// an object of separate.cpp, which it is linked with. Both are compiled with the same options, as
/// far as those are about the standard library or about mgws: else the program is not linked.
#pragma once

#include <mgws/runtime/cpu.hpp>
#include <mgws/runtime/skeleton.hpp>
#include <mgws/transports/queue.hpp>
#include <mgws/transports/table.hpp>

namespace mgws::detail {

/// A bit for each transport that is built.
[[nodiscard]] constexpr unsigned built_transports() {
  unsigned bits = 0;
  for (const transport_row& row : transports::k_built)
    for (unsigned i = 0; i != std::size(transports::k_all); ++i)
      if (transports::k_all[i].kind == row.kind) bits |= 1u << i;
  return bits;
}
#if defined(_GLIBCXX_DEBUG)
inline constexpr bool k_library_checks = true;
#else
inline constexpr bool k_library_checks = false;
#endif

/// What separate.cpp was compiled with, which alone defines the function.
template <class Queue, unsigned Transports, bool LibraryChecks>
struct separate_compiled {
  static void with_other_options();
};
using separate_as_here = separate_compiled<transports::queue, built_transports(), k_library_checks>;

}  // namespace mgws::detail

// A GPU's compiler compiles it with what it makes for the device. And clang leaves out of a class
// that is instantiated the table of virtual functions of one within it.
#if defined(MGWS_SEPARATE) && !defined(__CUDACC__) && !defined(__clang__)
namespace mgws {

namespace detail {
// Of each file: of one that all shared a linker would keep any file's.
[[gnu::used]] static void (*const k_separate)() = &separate_as_here::with_other_options;
}  // namespace detail

extern template class cpu_workers<false>;
extern template class run_skeleton<cpu_crew_state<false>>;
extern template class cpu_workers<true>;
extern template class run_skeleton<cpu_crew_state<true>>;

}  // namespace mgws
#endif
