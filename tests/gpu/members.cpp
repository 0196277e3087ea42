#include "contract/members.hpp"

#include <string>

#include "gpu/runs.hpp"
#include "gpu/runtimes.hpp"

namespace gpu_test {

std::string fault_of_members(const mgws::options& o, std::uint32_t n, std::uint32_t level,
                             bool blocks) {
  return blocks ? members::fault<runtime_of_blocks>(o, n, level)
                : members::fault<runtime_of_warps>(o, n, level);
}

}  // namespace gpu_test
