// Bodies and the tree over them (Barnes and Hut), for the examples.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <mgws/mgws.hpp>

struct vector3 {
  double x, y, z;
  bool operator==(const vector3&) const = default;
};
struct body {
  vector3 at;
  double mass;
};

// Of a tree in depth-first order: a node's first child stands behind it.
struct node {
  body all;                  // the sum of its bodies, at their centre of mass
  double side;               // of its cube; 0: a leaf
  std::uint32_t next;        // the first node behind its subtree
  std::uint32_t first, end;  // its bodies
};

// Adds what a body pulls at a point; itself nothing.
MGWS_FN inline void pull(vector3& sum, const vector3& at, const body& b) {
  constexpr double k_softening = 1e-4;
  const double x = b.at.x - at.x, y = b.at.y - at.y, z = b.at.z - at.z;
  const double square = x * x + y * y + z * z + k_softening;
  const double f = b.mass / (square * sqrt(square));
  sum.x += f * x;
  sum.y += f * y;
  sum.z += f * z;
}
// What all bodies together pull at a point; as one those of a cube that is less than half as wide
// as it is far away.
MGWS_FN inline vector3 force_at(const vector3& at, const node* tree, std::uint32_t nodes,
                                const body* bodies) {
  vector3 sum{};
  for (std::uint32_t i = 0; i != nodes;) {
    const node& n = tree[i];
    const double x = n.all.at.x - at.x, y = n.all.at.y - at.y, z = n.all.at.z - at.z;
    if (n.side == 0) {
      for (std::uint32_t b = n.first; b != n.end; ++b)
        pull(sum, at, bodies[b]);
    } else if (4 * n.side * n.side < x * x + y * y + z * z) {
      pull(sum, at, n.all);
    } else {
      ++i;
      continue;
    }
    i = n.next;
  }
  return sum;
}

// Two clusters of bodies, dense in the middle.
inline std::vector<body> make_bodies(std::size_t n) {
  std::vector<body> bodies(n);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i != n; ++i) {
    vector3 v{normal(random), normal(random), normal(random)};
    const double r = std::exp(normal(random)) / std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    bodies[i] = {{v.x * r + (i % 3 == 0 ? 8 : 0), v.y * r, v.z * r}, 1.0 / static_cast<double>(n)};
  }
  return bodies;
}

// Puts the bodies of a cube into the order of its tree, which it appends.
inline void build(std::vector<node>& tree, std::span<body> all, std::uint32_t first,
                  std::uint32_t end, vector3 centre, double side) {
  const std::size_t here = tree.size();
  node n{{}, end - first <= 8 ? 0 : side, 0, first, end};
  for (const body& b : all.subspan(first, end - first)) {
    n.all.mass += b.mass;
    n.all.at.x += b.mass * b.at.x;
    n.all.at.y += b.mass * b.at.y;
    n.all.at.z += b.mass * b.at.z;
  }
  n.all.at = {n.all.at.x / n.all.mass, n.all.at.y / n.all.mass, n.all.at.z / n.all.mass};
  tree.push_back(n);
  if (n.side != 0) {
    const auto octant = [&](const body& b) {
      return (b.at.x > centre.x ? 4 : 0) + (b.at.y > centre.y ? 2 : 0) +
             (b.at.z > centre.z ? 1 : 0);
    };
    const auto part = all.subspan(first, end - first);
    std::ranges::sort(part, {}, octant);
    for (int o = 0; o != 8; ++o) {
      const auto of = std::ranges::equal_range(part, o, {}, octant);
      if (of.empty()) continue;
      const double x = o & 4 ? side : -side, y = o & 2 ? side : -side, z = o & 1 ? side : -side;
      build(tree, all, static_cast<std::uint32_t>(of.begin() - all.begin()),
            static_cast<std::uint32_t>(of.end() - all.begin()),
            {centre.x + x / 4, centre.y + y / 4, centre.z + z / 4}, side / 2);
    }
  }
  tree[here].next = static_cast<std::uint32_t>(tree.size());
}

// Orders the bodies and makes their tree.
inline std::vector<node> make_tree(std::span<body> bodies) {
  double most = 0;
  for (const body& b : bodies)
    most = std::max({most, std::abs(b.at.x), std::abs(b.at.y), std::abs(b.at.z)});
  std::vector<node> tree;
  build(tree, bodies, 0, static_cast<std::uint32_t>(bodies.size()), {}, 2 * most);
  return tree;
}
