// Runs the tests, or says why they cannot be run here, with the exit code by which Meson knows
// that.
#define CATCH_CONFIG_RUNNER
#include <cstdio>
#include <cstdlib>
#include <string>

#include <mgws/errors.hpp>

#include "catch.hpp"
#include "gpu/runs.hpp"

namespace {

int crash() {
  mgws::options o;
  o.devices = {{.kind = mgws::device_kind::gpu}};
  mgws::run_report r;
  try {
    gpu_test::make_actors(o)->run(gpu_test::behaviour::crash, 0, r);
  } catch (const mgws::device_error& e) {
    std::printf("%s\n", e.what());
    const bool named = e.device() == 0 && !e.call().empty() && !e.reason().empty();
    std::fflush(stdout);
    std::_Exit(named ? 0 : 1);
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string why;
  if (gpu_test::gpus(why) == 0) {
    std::printf("skipped: no GPU can be used here: %s\n", why.c_str());
    return 77;
  }
  // A process of its own: it loses the GPU.
  if (argc == 2 && argv[1] == std::string("--crash")) return crash();
  return Catch::Session().run(argc, argv);
}
