#include "contract/members.hpp"

#include <string>

#include "gpu/runs.hpp"

namespace gpu_test {

namespace {

template <class Tasks, class Accumulators, class Context>
using runtime_of_warps =
    mgws::runtime<Tasks, Accumulators, Context, mgws::no_statistics, 32, mgws::compiled_for::gpus>;
/// Workers of several warps.
template <class Tasks, class Accumulators, class Context>
using runtime_of_blocks =
    mgws::runtime<Tasks, Accumulators, Context, mgws::no_statistics, 128, mgws::compiled_for::gpus>;

}  // namespace

std::string fault_of_members(const mgws::options& o, std::uint32_t n, std::uint32_t level,
                             bool blocks) {
  // Of a block's tasks those of a warp are what the other workers have not.
  return blocks ? members::fault_at<mgws::shape::warp, runtime_of_blocks>(o, n, level)
                : members::fault<runtime_of_warps>(o, n, level);
}

}  // namespace gpu_test
