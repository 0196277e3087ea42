#ifndef MGWS_TESTS_SANITIZERS_HPP
#define MGWS_TESTS_SANITIZERS_HPP
// What this is compiled with, which g++ says by a macro and Clang by a feature.

#if defined(__SANITIZE_ADDRESS__)
#define MGWS_TESTED_BY_ADDRESS 1
#endif
#if defined(__SANITIZE_THREAD__)
#define MGWS_TESTED_BY_THREAD 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MGWS_TESTED_BY_ADDRESS 1
#endif
#if __has_feature(thread_sanitizer)
#define MGWS_TESTED_BY_THREAD 1
#endif
#endif

#endif
