/// \file
/// Says in one sentence what is wrong where a compiler is told to take an older language.
#pragma once

#if __cplusplus < 202002L
#error mgws needs C++20: compile with -std=c++20
// What comes would be hundreds of complaints about the older language. No compiler goes on when a
// file is not there.
#include <mgws/nothing_else_is_compiled>
#endif
