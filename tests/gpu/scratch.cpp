#include "contract/scratch.hpp"

#include <string>

#include "gpu/runs.hpp"
#include "gpu/runtimes.hpp"

namespace gpu_test {

std::string fault_of_scratch(const mgws::options& o, std::uint32_t n, int runs, bool blocks) {
  return blocks ? scratch::fault<runtime_of_blocks>(o, n, runs)
                : scratch::fault<runtime_of_warps>(o, n, runs);
}

}  // namespace gpu_test
