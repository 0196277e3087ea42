// The forces of ../barnes_hut.cpp: body by body, and as oneTBB's parallel loop.
#include <cstdint>
#include <string>
#include <vector>

#include <tbb/parallel_for.h>

#include "../octree.hpp"
#include "peer.hpp"

int main(int argc, char** argv) {
  const std::size_t n = argc > 1 ? std::stoull(argv[1]) : 20'000;
  std::vector<body> bodies = make_bodies(n);
  const std::vector<node> tree = make_tree(bodies);
  const auto force = [&](std::size_t i) {
    return force_at(bodies[i].at, tree.data(), static_cast<std::uint32_t>(tree.size()),
                    bodies.data());
  };
  std::vector<vector3> expected(n), found(n);
  return compare(
      [&] {
        for (std::size_t i = 0; i != n; ++i)
          expected[i] = force(i);
      },
      [&] { tbb::parallel_for(std::size_t{0}, n, [&](std::size_t i) { found[i] = force(i); }); },
      [&] { return found == expected; });
}
