// Runs the tests, or says why they cannot be run here, with the exit code by which Meson knows
// that.
#define CATCH_CONFIG_RUNNER
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <sys/wait.h>
#include <unistd.h>

#include <mgws/errors.hpp>

#include "catch.hpp"
#include "gpu/runs.hpp"
#include "repeats.hpp"

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

// ---- Processes that share a run, one of them on a GPU ----

/// One of them: short runs, each against the exact result. \param place  its rank, and with 'c' its
/// workers are the processor's
int process_of(const std::string& group, std::uint32_t ranks, const std::string& place) {
  mgws::options o;
  o.timeout = std::chrono::seconds(20);
  o.domains = mgws::domain_split::by_kind;
  const auto rank = static_cast<std::uint32_t>(place[0] - '0');
  o.processes = {.name = group, .rank = rank, .ranks = ranks};
  o.devices = {{.kind = place[1] == 'c' ? mgws::device_kind::cpu : mgws::device_kind::gpu,
                .workers = place[1] == 'c' ? 2u : 0u}};
  const std::uint32_t runs = test::repeats(1'000);
  const auto out =
      gpu_test::run_mixed({.options = o, .depth = 5, .runs = runs, .spin = 50, .together = true});
  const auto& all = out.last.processes;
  const std::uint64_t tasks = rank < all.size() ? all[rank].tasks : 0;
  std::printf("process %s of %u: %u runs, %llu of the last one's %llu tasks%s%s\n", place.c_str(),
              ranks, runs, static_cast<unsigned long long>(tasks),
              static_cast<unsigned long long>(out.last.tasks), out.fault.empty() ? "" : ": ",
              out.fault.c_str());
  return out.fault.empty() && all.size() == ranks ? 0 : 1;
}

/// This process works on no GPU.
int processes(const std::string& self) {
  int failed = 0;
  for (const std::string& all : {std::string("cg"), std::string("gc"), std::string("cgc")}) {
    const std::string group = "test-gpu-" + std::to_string(getpid()) + "-" + all;
    std::string script;
    for (std::size_t rank = 0; rank != all.size(); ++rank)
      script += self + " --process=" + group + ":" + std::to_string(all.size()) + ":" +
                std::to_string(rank) + all[rank] + " & p" + std::to_string(rank) + "=$!; ";
    for (std::size_t rank = 0; rank != all.size(); ++rank)
      script += "wait $p" + std::to_string(rank) + " || bad=1; ";
    if (std::system((script + "exit ${bad:-0}").c_str()) == 0) continue;
    std::printf("FAILED: the processes %s\n", all.c_str());
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
  if (mode == "--processes") return processes(argv[0]);
  constexpr std::string_view one = "--process=";
  if (mode.starts_with(one)) {
    const std::size_t ranks = mode.find(':');
    const std::size_t place = mode.rfind(':');
    return process_of(mode.substr(one.size(), ranks - one.size()),
                      static_cast<std::uint32_t>(mode[ranks + 1] - '0'), mode.substr(place + 1));
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
