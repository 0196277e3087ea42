// What drives runs on GPUs and knows no types of tasks, for programs that are compiled without it
// (separate.hpp). Its kernels are small, and for more architectures than one program's.
#if !defined(MGWS_SEPARATE)
#define MGWS_SEPARATE
#endif

// clang-format off
#include <mgws/headers_begin.hpp>  // before all others

#include <mgws/runtime/gpu.hpp>
#include <mgws/runtime/impl/gpu.hpp>
#include <mgws/runtime/impl/skeleton.hpp>
#include <mgws/runtime/separate.hpp>
#include <mgws/transports/impl/transport.hpp>
#include <mgws_devices.hpp>

#include <mgws/headers_end.hpp>  // behind all others
// clang-format on

namespace mgws {
namespace {

template <std::uint32_t Lanes, bool Bridged>
using state = typename gpu_workers<port_devices, Lanes, Bridged>::state_type;
using area = gpu::area<port_devices::api>;

}  // namespace

template void try_to_join<port_devices>(const options& o);

template class gpu_workers<port_devices, 32, false>;
template class gpu_workers<port_devices, 32, true>;
template class gpu_workers<port_devices, 128, false>;
template class gpu_workers<port_devices, 128, true>;

template class run_skeleton<state<32, false>>;
template class run_skeleton<state<32, true>>;
template class run_skeleton<state<128, false>>;
template class run_skeleton<state<128, true>>;

template class transport<state<32, false>::view, area>;
template class transport<state<32, true>::view, area>;
template class transport<state<128, false>::view, area>;
template class transport<state<128, true>::view, area>;

}  // namespace mgws
