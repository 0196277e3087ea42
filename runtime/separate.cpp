// The drivers of runs of CPU workers, for programs that are compiled without them (separate.hpp).
#include <mgws/runtime/separate.hpp>

namespace mgws {

template class cpu_workers<false>;
template class run_skeleton<cpu_crew_state<false>>;
template class cpu_workers<true>;
template class run_skeleton<cpu_crew_state<true>>;

}  // namespace mgws
