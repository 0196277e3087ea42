/// \file
/// What knows no types of tasks need not be compiled again in each file of a program: what drives
/// runs of CPU workers (skeleton.hpp), the host's side of their transport, what options and errors
/// say; and, in separate_gpus.cpp, what drives runs on a port's GPUs, with the kernels that bring
/// words to their start, survey a run's end and try the hardware. Its bodies stand in headers of
/// their own, below impl/, which a file that is compiled with MGWS_COMPILED_APART (language.hpp)
/// does not read: it expects them in objects of these files, the libraries that are installed. Both
/// have the same queue and transports, or are not linked.
///
/// A body within its class would be inline, and what is inline a compiler makes of an extern
/// template all the same, in each file. Of GPUs' classes nothing is declared extern: no body that
/// could be instantiated is seen, and to name them all costs a compiler more.
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

#if defined(MGWS_COMPILED_APART)
namespace mgws {

namespace detail {
// Of each file: of one that all shared a linker would keep any file's.
[[gnu::used]] static void (*const k_separate)() = &separate_as_here::with_other_options;
}  // namespace detail

extern template struct cpu_workers_state<false>;
extern template class cpu_workers<false>;
extern template class run_skeleton<cpu_crew_state<false>>;
extern template struct cpu_workers_state<true>;
extern template class cpu_workers<true>;
extern template class run_skeleton<cpu_crew_state<true>>;
extern template class transport<cpu_crew_state<false>::view, cpu_backend::area>;
extern template class transport<cpu_crew_state<true>::view, cpu_backend::area>;

}  // namespace mgws
#endif
