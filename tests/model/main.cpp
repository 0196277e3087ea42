// mgws-model: the checker's program.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>

#if defined(__linux__)
#include <sys/personality.h>
#include <unistd.h>
#endif

#include "checks.hpp"
#include "litmus.hpp"
#include "mutants.hpp"
#include "scenario.hpp"

namespace mgws::model_backend {

namespace {

struct arguments : options {
  bool list = false;
  bool only_core = false;
  bool only_mutants = false;
  std::string write;
  std::string check;
  std::string schedules;
  std::string faults;
  std::string replay;
  std::string schedule;
};

int usage() {
  std::puts(
      "usage: mgws-model [options]\n"
      "  --write-docs PATH           write the page of results\n"
      "  --check-docs PATH           compare the page with this run\n"
      "  --check-schedules PATH      only replay the page's schedules, and those kept as tests\n"
      "  --check-comparison PATH     only plant faults in copies of the page: all must be found\n"
      "  --long                      explore larger bounds, for hours if need be\n"
      "  --core-only, --mutants-only one part of the run\n"
      "  --scenario NAME             core in this scenario only\n"
      "  --bound N                   preemptions, instead of the scenario's bound; -1: any number\n"
      "  --any-old                   old values of loads do not count as preemptions\n"
      "  --mutant NAME               this mutant only\n"
      "  --seed N                    of the random schedules\n"
      "  --replay SCENARIO[/MUTANT] SCHEDULE\n"
      "                              one schedule, step by step\n"
      "  --list                      scenarios and mutants");
  return 2;
}

bool parse(int argc, char** argv, arguments& a) {
  for (int i = 1; i < argc; ++i) {
    const std::string s = argv[i];
    const auto value = [&](std::string& to) {
      if (i + 1 == argc) return false;
      to = argv[++i];
      return true;
    };
    std::string number;
    bool right = true;
    if (s == "--long") {
      a.longer = true;
    } else if (s == "--list") {
      a.list = true;
    } else if (s == "--core-only") {
      a.only_core = true;
    } else if (s == "--mutants-only") {
      a.only_mutants = true;
    } else if (s == "--any-old") {
      a.any_old = true;
    } else if (s == "--bound") {
      right = value(number);
      a.bound = std::atoi(number.c_str());
    } else if (s == "--write-docs") {
      right = value(a.write);
    } else if (s == "--check-docs") {
      right = value(a.check);
    } else if (s == "--check-schedules") {
      right = value(a.schedules);
    } else if (s == "--check-comparison") {
      right = value(a.faults);
    } else if (s == "--scenario") {
      right = value(a.scenario);
    } else if (s == "--mutant") {
      right = value(a.mutant);
    } else if (s == "--seed") {
      right = value(number);
      a.seed = std::strtoull(number.c_str(), nullptr, 10);
    } else if (s == "--replay") {
      right = value(a.replay) && value(a.schedule);
    } else {
      right = false;
    }
    if (!right) return false;
  }
  return true;
}

int list() {
  for (const scenario& s : all_scenarios())
    std::printf("%-26s %s\n", s.name, s.about);
  for (const scenario& s : random_scenarios())
    std::printf("%-26s %s\n", s.name, s.about);
  for (const litmus& l : all_litmus())
    std::printf("%-26s %s\n", l.name, l.about);
  for (const mutant& m : all_mutants())
    std::printf("mutant %s\n", m.name);
  return 0;
}

int replay_one(const arguments& a) {
  const auto slash = a.replay.find('/');
  use_core();
  if (slash != std::string::npos && slash + 1 != a.replay.size()) {
    const mutant* m = mutant_named(a.replay.substr(slash + 1));
    if (m == nullptr) return std::puts("no such mutant"), 2;
    use(*m);
  }
  const program p = program_named(a.replay.substr(0, slash));
  if (p == nullptr) return std::puts("no such scenario"), 2;
  std::string trace;
  const findings f = replay(p, a.schedule, &trace);
  // A run that never ends is not worth printing to its end.
  constexpr std::size_t k_most = 60'000;
  if (trace.size() > k_most) trace.resize(k_most);
  std::fputs(trace.c_str(), stdout);
  std::printf("%s\n", f.violated ? f.what.c_str() : "no violation");
  return f.violated ? 1 : 0;
}

int run(const arguments& a) {
  if (a.list) return list();
  if (!a.replay.empty()) return replay_one(a);
  bool right = true;
  if (!a.schedules.empty()) {
    right = check_schedules(a.schedules);
  } else if (!a.faults.empty()) {
    right = check_page_itself(a.faults);
  } else {
    run_report r;
    const bool core = !a.only_mutants && a.mutant.empty();
    const bool mutants = !a.only_core && a.scenario.empty();
    right = check_litmus(r);
    if (core) right = explore_core(a, r) && right;
    if (mutants) right = try_mutants(a, r) && right;
    if (core && a.scenario.empty()) right = check_completeness() && right;
    if (!a.check.empty()) right = check_page(a.check, r) && right;
    if (!a.write.empty()) std::ofstream(a.write) << verification_page(r);
  }
  std::puts(right ? "all as expected" : "NOT as expected");
  return right ? 0 : 1;
}

/// Begins again with everything at the same address each time, where the system lets it: a state is
/// told by the fibers' stacks, too, and where what calls have left there differs from run to run, a
/// few states more or less are told apart.
void fix_addresses([[maybe_unused]] char** argv) {
#if defined(__linux__)
  const int now = personality(0xffffffff);
  if (now == -1 || (now & ADDR_NO_RANDOMIZE) != 0) return;
  if (personality(static_cast<unsigned>(now) | ADDR_NO_RANDOMIZE) == -1) return;
  if ((personality(0xffffffff) & ADDR_NO_RANDOMIZE) == 0) return;
  execv("/proc/self/exe", argv);
#endif
}

}  // namespace

}  // namespace mgws::model_backend

int main(int argc, char** argv) {
  using namespace mgws::model_backend;
  fix_addresses(argv);
  arguments a;
  if (!parse(argc, argv, a)) return usage();
  try {
    return run(a);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "mgws-model: %s\n", e.what());
    return 1;
  }
}
