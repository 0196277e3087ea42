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

std::string fault_of_live_kinds(const mgws::options& o, std::uint32_t rounds) {
  using namespace affinities;
  runtime_of_both rt(o);
  auto live = rt.start(where::in(o));
  for (std::uint32_t round = 0; round != rounds; ++round) {
    live.submit(gpu_tree{3, {1}});
    live.submit_n(needs_cpu{}, 5);
    live.submit(needs_gpu<mgws::shape::lane>{});
    live.wait_idle();
  }
  const auto r = live.close();
  if (r.results.get<misplaced>() != 0) return "some ran where they cannot";
  if (r.results.get<others>() != rounds * 15)
    return "nodes of trees: " + std::to_string(r.results.get<others>());
  if (r.results.get<for_cpu>() != rounds * (8 * 3 + 5 + 1))
    return "for a CPU: " + std::to_string(r.results.get<for_cpu>());
  if (r.results.get<for_gpu>() != rounds * (8 * 2 + 1))
    return "for a GPU: " + std::to_string(r.results.get<for_gpu>());
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
