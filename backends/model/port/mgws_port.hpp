/// \file
/// The model port's spelling of the macros that core knows (see backends/cpu/port).
#pragma once

#define MGWS_FN
#define MGWS_CALL(call) call
#define MGWS_TALLY(number, n) ((number) += (n))
#define MGWS_PORT model
