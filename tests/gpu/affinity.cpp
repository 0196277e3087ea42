#include "contract/affinity.hpp"

#include <string>

#include "gpu/runs.hpp"
#include "gpu/runtimes.hpp"

namespace gpu_test {

namespace {

using runtime_of_both =
    runtime_over_domains<affinities::tasks, affinities::counts, affinities::where>;

}  // namespace

std::string fault_of_affinity(const mgws::options& o, std::uint32_t depth, int runs) {
  runtime_of_both rt(o);
  for (int i = 0; i != runs; ++i) {
    const std::uint32_t n = static_cast<std::uint32_t>(i) % 4;
    rt.seed(affinities::gpu_tree{depth, {n}});
    const auto r = rt.run(affinities::where::in(o));
    const std::string wrong = affinities::fault(r.results, r.tasks, depth, 3 * n, 2 * n);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

preferred run_preferences(const mgws::options& o, std::uint32_t n, std::uint32_t us) {
  runtime_of_both rt(o);
  rt.seed(affinities::spawns_both{n, us});
  const auto r = rt.run(affinities::where::in(o));
  return {r.tasks, r.results.get<affinities::rather_cpu>(),
          r.results.get<affinities::rather_gpu>()};
}

}  // namespace gpu_test
