#include "contract/graph.hpp"

#include <string>

#include "gpu/runs.hpp"
#include "gpu/runtimes.hpp"

namespace gpu_test {

std::string fault_of_graph(const mgws::options& o, std::uint32_t nodes) {
  return graphs::fault_at<mgws::shape::lane, mgws::shape::warp, runtime_of_warps>(
      o, graphs::random_graph(nodes, 3 * nodes, 1));
}

std::string fault_of_crossing_graph(const mgws::options& o, std::uint32_t nodes) {
  return graphs::fault_at<mgws::shape::lane, mgws::shape::warp, runtime_over_domains>(
      o, graphs::random_graph(nodes, 3 * nodes, 1));
}

}  // namespace gpu_test
