/// \file
/// The CPU port's spelling of the macros that core knows. The include path chooses the port:
/// each backend's `port/` directory holds a header of this name.
#pragma once

#include <mgws/language.hpp>

/// Marks a function that runs on the port's workers and on the host.
#define MGWS_FN

/// Code for GPUs that calls what a user wrote: there the compiler is to say what is for the host
/// alone.
#define MGWS_CALL(call) call

/// Adds to a number that only the calling worker writes.
#define MGWS_TALLY(number, n) ((number) += (n))

/// The inline namespace that keeps this port's instantiations apart from those of other ports in
/// one program.
#define MGWS_PORT cpu
