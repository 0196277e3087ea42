/// \file
/// Says in one sentence what is wrong where a compiler is told to take an older language; and
/// whether what knows no types of tasks is compiled here or elsewhere (runtime/separate.hpp).
#pragma once

#if __cplusplus < 202002L
#error mgws needs C++20: compile with -std=c++20
// What comes would be hundreds of complaints about the older language. No compiler goes on when a
// file is not there.
#include <mgws/nothing_else_is_compiled>
#endif

#include <version>

// What knows no types of tasks is compiled elsewhere: with the same options as this file
// (MGWS_SEPARATE), or before, as the library that the packages name (MGWS_LIBRARY), which knows
// nothing of a sanitizer and is for GNU's standard library without its checks. Where that does not
// fit, or with MGWS_HEADER_ONLY, it is compiled here. What a GPU's compiler makes for the device
// belongs to what it makes for the host, and is.
#if defined(__CUDACC__) || defined(MGWS_HEADER_ONLY)
#elif defined(MGWS_SEPARATE)
#define MGWS_COMPILED_APART
#elif !defined(MGWS_LIBRARY) || !defined(__GLIBCXX__) || defined(_GLIBCXX_DEBUG) || \
    !_GLIBCXX_USE_CXX11_ABI || defined(__SANITIZE_THREAD__)
#elif !defined(__has_feature)
#define MGWS_COMPILED_APART
#elif !__has_feature(thread_sanitizer) && !__has_feature(memory_sanitizer)
#define MGWS_COMPILED_APART
#endif

// Before functions that are defined in a header where nothing is compiled elsewhere.
#if defined(MGWS_COMPILED_APART)
#define MGWS_SEPARABLE
#else
#define MGWS_SEPARABLE inline
#endif
