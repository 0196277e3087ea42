// Forces between many bodies (Barnes and Hut): what is far away pulls as one body at its centre. An
// instance a body walks the tree; those in a dense place take much longer.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <mgws/mgws.hpp>

#include "octree.hpp"

struct context {
  const node* tree;
  std::uint32_t nodes;
  const body* bodies;  // in the order of the tree
  vector3* force;      // on a unit of mass
};

struct walk {
  MGWS_FN void operator()(auto& worker, mgws::task_index i) const {
    const context& c = worker.context();
    c.force[i] = force_at(c.bodies[i].at, c.tree, c.nodes, c.bodies);
  }
};

int main(int argc, char** argv) {
  const std::size_t n = argc > 1 ? std::stoull(argv[1]) : 20'000;
  std::vector<body> bodies = make_bodies(n);
  const std::vector<node> nodes = make_tree(bodies);

  mgws::options o;
  std::string why;
  if (!mgws::gpu_names(why).empty()) o.devices = {{.kind = mgws::device_kind::gpu}};
  mgws::runtime<mgws::task_set<walk>, mgws::accumulators<>, context> rt(o);
  mgws::array<node> tree(rt, nodes.size());
  mgws::array<body> data(rt, n);
  mgws::array<vector3> force(rt, n);
  tree.upload(nodes);
  data.upload(bodies);
  rt.seed_n(walk{}, n);
  const auto report =
      rt.run({tree.data(), static_cast<std::uint32_t>(nodes.size()), data.data(), force.data()});
  std::vector<vector3> found(n);
  force.download(found);

  // Of each 97th body, all others one by one. The error of the forces, root mean square, is below
  // half a percent of theirs.
  double squares = 0, errors = 0;
  for (std::size_t i = 0; i < n; i += 97) {
    vector3 exact{};
    for (const body& b : bodies)
      pull(exact, bodies[i].at, b);
    const vector3 off{found[i].x - exact.x, found[i].y - exact.y, found[i].z - exact.z};
    squares += exact.x * exact.x + exact.y * exact.y + exact.z * exact.z;
    errors += off.x * off.x + off.y * off.y + off.z * off.z;
  }
  const double error = std::sqrt(errors / squares);
  const bool right = errors <= 0.005 * 0.005 * squares;
  std::printf("%zu bodies, %zu nodes, error %.5f, %.4f s: %s\n", n, nodes.size(), error,
              report.seconds, right ? "right" : "WRONG");
  return right ? 0 : 1;
}
