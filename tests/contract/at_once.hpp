// Several runs beside each other: for what sleeps nearly all of its time.
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <thread>
#include <vector>

namespace contract {

/// Calls f(0) ... f(n - 1), each on a thread of its own. f makes no assertions.
/// \returns what each threw; "" for those that threw nothing
template <class F>
std::vector<std::string> at_once(std::size_t n, F f) {
  std::vector<std::string> thrown(n);
  std::vector<std::jthread> threads;
  for (std::size_t k = 0; k != n; ++k)
    threads.emplace_back([&thrown, &f, k] {
      try {
        f(k);
      } catch (const std::exception& e) {
        thrown[k] = e.what();
      }
    });
  threads.clear();
  return thrown;
}

}  // namespace contract
