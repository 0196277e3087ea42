// Runs the tests, or says why they cannot be run here, with the exit code by which Meson knows
// that.
#define CATCH_CONFIG_RUNNER
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/wait.h>

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

mgws::options on_two(double timeout) {
  mgws::options o;
  o.devices = {{.kind = mgws::device_kind::gpu}, {.kind = mgws::device_kind::gpu, .index = 1}};
  o.timeout = std::chrono::duration<double>(timeout);
  return o;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Of two GPUs one fails: an error names it, soon, and the other one does not go on.
int crash_of_two(int device) {
  const auto actors = gpu_test::make_actors(on_two(20));
  const auto begin = std::chrono::steady_clock::now();
  mgws::run_report r;
  bool right = false;
  try {
    actors->run(gpu_test::behaviour::crash_on, static_cast<std::uint32_t>(device), r);
  } catch (const mgws::device_error& e) {
    std::printf("after %.2f s: %s\n", seconds_since(begin), e.what());
    right = e.device() == device && !e.call().empty() && seconds_since(begin) < 5;
  }
  // The runtime says so instead of trying again.
  try {
    actors->run(gpu_test::behaviour::finish, 3, r);
    right = false;
  } catch (const mgws::not_possible&) {
  }
  std::fflush(stdout);
  std::_Exit(right ? 0 : 1);
}

/// Of two GPUs one never ends: the watchdog's error names it, within the timeout and some seconds.
int stall_of_two(int device) {
  const auto actors = gpu_test::make_actors(on_two(1));
  const auto begin = std::chrono::steady_clock::now();
  mgws::run_report r;
  bool right = false;
  try {
    actors->run(gpu_test::behaviour::stall_on, static_cast<std::uint32_t>(device), r);
  } catch (const mgws::no_progress& e) {
    std::printf("after %.2f s: %s\n", seconds_since(begin), e.what());
    const std::string what = e.what();
    right = what.find("GPU " + std::to_string(device)) != std::string::npos &&
            what.find("GPU " + std::to_string(1 - device)) == std::string::npos &&
            e.lost_workers() != 0 && seconds_since(begin) < 5;
  }
  std::fflush(stdout);
  std::_Exit(right ? 0 : 1);
}

/// Both GPUs work, together.
int two_work() {
  mgws::run_report r;
  try {
    const std::uint64_t ran =
        gpu_test::make_actors(on_two(20))->run(gpu_test::behaviour::finish, 12, r);
    return ran == (2u << 12) - 1 ? 0 : 1;
  } catch (const mgws::not_possible& e) {
    std::printf("skipped: %s\n", e.what());
    return 77;
  }
}

/// Each in a process of its own, and after each a process that finds both GPUs as they were. This
/// process uses no GPU.
int failures_of_two(const std::string& self) {
  const auto child = [&](const std::string& what) {
    const int status = std::system((self + " " + what).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  };
  const int at_first = child("--two-work");
  if (at_first != 0) return at_first;
  int failed = 0;
  for (const char* const what :
       {"--crash-of-two=1", "--crash-of-two=0", "--stall-of-two=1", "--stall-of-two=0"})
    for (const char* const each : {what, "--two-work"}) {
      if (child(each) == 0) continue;
      std::printf("FAILED: %s%s\n", each,
                  each == what ? "" : (" after " + std::string(what)).c_str());
      ++failed;
    }
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc == 2 ? argv[1] : "";
  if (mode == "--failures-of-two") return failures_of_two(argv[0]);
  std::string why;
  if (gpu_test::gpus(why) == 0) {
    std::printf("skipped: no GPU can be used here: %s\n", why.c_str());
    return 77;
  }
  // A process of its own: it loses the GPU.
  if (mode == "--crash") return crash();
  if (mode == "--two-work") return two_work();
  for (const int device : {0, 1}) {
    if (mode == "--crash-of-two=" + std::to_string(device)) return crash_of_two(device);
    if (mode == "--stall-of-two=" + std::to_string(device)) return stall_of_two(device);
  }
  return Catch::Session().run(argc, argv);
}
