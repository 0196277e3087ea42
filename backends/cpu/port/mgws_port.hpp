/// \file
/// The CPU port's spelling of the macros that core knows. The include path chooses the port:
/// each backend's `port/` directory holds a header of this name.
#pragma once

/// Marks a function that runs on the port's workers and on the host.
#define MGWS_FN

/// Adds to a number that only the calling worker writes.
#define MGWS_TALLY(number, n) ((number) += (n))

/// The inline namespace that keeps this port's instantiations apart from those of other ports in
/// one program.
#define MGWS_PORT cpu
