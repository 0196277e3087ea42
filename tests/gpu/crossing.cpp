#include "contract/crossing.hpp"

#include <memory>
#include <string>

#include "gpu/runs.hpp"
#include "gpu/runtimes.hpp"

namespace gpu_test {

namespace {

template <bool Kinds>
std::string fault_of_calls(auto rt, const mgws::options& o, std::uint32_t n, std::uint32_t rounds,
                           int runs) {
  for (int i = 0; i != runs; ++i) {
    rt->seed(crossing::rounds<Kinds>{n, rounds});
    const std::string wrong = crossing::fault(rt->run(crossing::where::in(o)).results, n, rounds);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

std::string fault_of_crossing(const mgws::options& o, std::uint32_t n, std::uint32_t rounds,
                              int runs) {
  using runtime = runtime_over_domains<crossing::tasks<true>, crossing::results, crossing::where>;
  return fault_of_calls<true>(std::make_unique<runtime>(o), o, n, rounds, runs);
}

std::string fault_of_joins(const mgws::options& o, std::uint32_t n, std::uint32_t rounds,
                           int runs) {
  using runtime = runtime_of_warps<crossing::tasks<false>, crossing::results, crossing::where>;
  return fault_of_calls<false>(std::make_unique<runtime>(o), o, n, rounds, runs);
}

}  // namespace gpu_test
