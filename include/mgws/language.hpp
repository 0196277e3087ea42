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

// What knows no types of tasks is compiled elsewhere, if this is defined: with the same options as
// this file (MGWS_SEPARATE), or before, as the library that the packages name (MGWS_LIBRARY).
#if defined(MGWS_HEADER_ONLY)
// Here.
#elif defined(MGWS_SEPARATE)
#define MGWS_COMPILED_APART
#elif !defined(MGWS_LIBRARY) || !defined(__GLIBCXX__) || defined(_GLIBCXX_DEBUG) || \
    !_GLIBCXX_USE_CXX11_ABI || defined(__SANITIZE_THREAD__)
// Here: the library is for GNU's standard library without its checks, and what it does no thread or
// memory sanitizer would see.
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
