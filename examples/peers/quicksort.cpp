// The keys of ../quicksort.cpp, by the standard library and by oneTBB's.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <tbb/parallel_sort.h>

#include "peer.hpp"

int main(int argc, char** argv) {
  std::vector<std::uint32_t> expected(argc > 1 ? std::stoull(argv[1]) : 1'000'000);
  std::uint32_t x = 1;
  for (auto& k : expected)
    k = (x = x * 1664525 + 1013904223) >> 4;
  std::vector<std::uint32_t> found = expected;
  return compare([&] { std::sort(expected.begin(), expected.end()); },
                 [&] { tbb::parallel_sort(found.begin(), found.end()); },
                 [&] { return found == expected; });
}
