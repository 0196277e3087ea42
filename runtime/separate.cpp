// The drivers of runs of CPU workers, for programs that are compiled without them (separate.hpp).
#include <mgws/runtime/separate.hpp>

namespace mgws {

template <class Queue, unsigned Transports, bool LibraryChecks>
void detail::separate_compiled<Queue, Transports, LibraryChecks>::with_other_options() {}
template struct detail::separate_compiled<transports::queue, detail::built_transports(),
                                          detail::k_library_checks>;

template class cpu_workers<false>;
template class run_skeleton<cpu_crew_state<false>>;
template class cpu_workers<true>;
template class run_skeleton<cpu_crew_state<true>>;

}  // namespace mgws
