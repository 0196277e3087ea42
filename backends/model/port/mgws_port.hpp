/// \file
/// The model port's spelling of the two macros that core knows (see backends/cpu/port).
#pragma once

#define MGWS_FN
#define MGWS_PORT model
