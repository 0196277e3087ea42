#include "contract/priorities.hpp"

#include <string>

#include "gpu/runs.hpp"
#include "gpu/runtimes.hpp"

namespace gpu_test {

std::string fault_of_priorities(const mgws::options& o, std::uint32_t n, int runs, bool blocks) {
  return blocks ? levels::fault<runtime_of_blocks>(o, n, 6, runs)
                : levels::fault<runtime_of_warps>(o, n, 6, runs);
}

std::string fault_of_crowd(const mgws::options& o, std::uint32_t level, std::uint32_t n) {
  return levels::fault_of_crowd<runtime_of_warps>(o, level, n, 3);
}

}  // namespace gpu_test
