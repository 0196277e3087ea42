// What a user of the library writes for GPUs, built with the flags that pkg-config tells: runs
// everything that a task may call on GPU 0 and on the CPU, with some of the transports.
//
// Exit code: 0 right, 1 wrong, 77 right on the CPU, and there is no GPU.
#include <cstdint>
#include <cstdio>
#include <string>

#include "members.hpp"

namespace {

/// Lane tasks; other widths are for tests/gpu.
std::string fault(const mgws::options& o, std::uint32_t n, std::uint32_t level) {
  return members::fault_at<mgws::shape::lane, members::runtime>(o, n, level);
}

}  // namespace

int main() {
  mgws::options cpu;
  cpu.devices = {{.workers = 2}};
  const std::string on_cpu = fault(cpu, 100, 4);
  if (!on_cpu.empty()) {
    std::printf("on the CPU: %s\n", on_cpu.c_str());
    return 1;
  }
  mgws::options gpu;
  gpu.devices = {{.kind = mgws::device_kind::gpu}};
  try {
    const std::string on_gpu = fault(gpu, 100'000, 4);
    std::printf("on the GPU: %s\n", on_gpu.empty() ? "right" : on_gpu.c_str());
    return on_gpu.empty() ? 0 : 1;
  } catch (const mgws::not_possible& e) {
    std::printf("skipped: %s\n", e.what());
    return 77;
  }
}
