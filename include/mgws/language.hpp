/// \file
/// Says in one sentence what is wrong where a compiler is told to take an older language.
#pragma once

#if __cplusplus < 202002L
#error mgws needs C++20: compile with -std=c++20
#endif
