#include "contract/crossing.hpp"

#include <string>

#include "gpu/runs.hpp"
#include "gpu/runtimes.hpp"

namespace gpu_test {

std::string fault_of_crossing(const mgws::options& o, std::uint32_t n, std::uint32_t rounds,
                              int runs) {
  runtime_over_domains<crossing::tasks<true>, crossing::results, crossing::where> rt(o);
  for (int i = 0; i != runs; ++i) {
    rt.seed(crossing::rounds<true>{n, rounds});
    const std::string wrong = crossing::fault(rt.run(crossing::where::in(o)).results, n, rounds);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace gpu_test
