/// \file
/// The queue that others steal from, on every transport of this build, by Meson's -Dqueue. A build
/// with another than core's usual one defines MGWS_QUEUE, for itself and for who uses it, as its
/// name (core/queues.hpp).
#pragma once

#include <mgws/core/queues.hpp>

#if !defined(MGWS_QUEUE)
#define MGWS_QUEUE sws
#endif

namespace mgws {

namespace transports {

using queue = queues::MGWS_QUEUE;

}  // namespace transports

/// Control block of a public queue.
template <class B>
using chosen_head = transports::queue::head<B>;

}  // namespace mgws
