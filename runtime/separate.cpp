// What knows no types of tasks, for programs that are compiled without it (separate.hpp).
#if !defined(MGWS_SEPARATE)
#define MGWS_SEPARATE
#endif
#include <mgws/impl/errors.hpp>
#include <mgws/impl/options.hpp>
#include <mgws/runtime/impl/cpu.hpp>
#include <mgws/runtime/impl/skeleton.hpp>
#include <mgws/runtime/separate.hpp>

namespace mgws {

template <class Queue, unsigned Transports, bool LibraryChecks>
void detail::separate_compiled<Queue, Transports, LibraryChecks>::with_other_options() {}
template struct detail::separate_compiled<transports::queue, detail::built_transports(),
                                          detail::k_library_checks>;

template class transport<cpu_crew_state<false>::view, cpu_backend::area>;
template class transport<cpu_crew_state<true>::view, cpu_backend::area>;
template struct cpu_workers_state<false>;
template struct cpu_workers_state<true>;
template class cpu_workers<false>;
template class run_skeleton<cpu_crew_state<false>>;
template class cpu_workers<true>;
template class run_skeleton<cpu_crew_state<true>>;

}  // namespace mgws
