#include "contract/atomics.hpp"

#include <string>

#include "contract/best.hpp"
#include "contract/live.hpp"
#include "gpu/runs.hpp"
#include "gpu/runtimes.hpp"

namespace gpu_test {

std::string fault_of_atomics(const mgws::options& o, std::uint32_t lanes, mgws::shape width) {
  switch (width) {
    case mgws::shape::lane:
      return atomics::fault_at<mgws::shape::lane, mgws::scope::device_t, runtime_of_warps>(o,
                                                                                           lanes);
    case mgws::shape::warp:
      return atomics::fault_at<mgws::shape::warp, mgws::scope::system_t, runtime_of_warps>(
          o, lanes / 32);
    default:
      return atomics::fault_at<mgws::shape::block, mgws::scope::system_t, runtime_of_blocks>(
          o, lanes / 128);
  }
}

std::string fault_of_best(const mgws::options& o, std::uint32_t lanes) {
  return bests::fault_at<mgws::shape::lane, std::uint32_t, mgws::maximum, runtime_of_warps>(o,
                                                                                            lanes);
}

std::string fault_of_live_run(const mgws::options& o, std::uint32_t producers,
                              std::uint32_t rounds) {
  return lives::fault<runtime_over_domains>(o, producers, rounds);
}

}  // namespace gpu_test
