#include "contract/gathering.hpp"

#include <string>

#include "gpu/runs.hpp"
#include "gpu/runtimes.hpp"

namespace gpu_test {

std::string fault_of_gathering(const mgws::options& o, std::uint32_t end, int runs, bool blocks) {
  return blocks ? gathering::fault<runtime_of_blocks>(o, end, runs)
                : gathering::fault<runtime_of_warps>(o, end, runs);
}

}  // namespace gpu_test
