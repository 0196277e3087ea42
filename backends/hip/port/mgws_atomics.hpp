/// \file
/// The port's operations behind mgws::atomic_ref. The include path chooses the port, as for
/// mgws_port.hpp.
#pragma once

#include <mgws/backends/hip/atomics.hpp>
#include <mgws_port.hpp>

namespace mgws {
inline namespace MGWS_PORT {

using port_atomics = hip_backend::atomics;

}  // namespace MGWS_PORT
}  // namespace mgws
