// mgws-model: the checker's program.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "litmus.hpp"
#include "mutants.hpp"
#include "report.hpp"
#include "scenario.hpp"

namespace mgws::model_backend {

namespace {

struct arguments {
  bool longer = false;
  bool list = false;
  bool only_core = false;
  bool only_mutants = false;
  std::string write;
  std::string check;
  std::string scenario;
  std::string mutant;
  std::string replay;
  std::string schedule;
  std::uint64_t seed = 1;
};

int usage() {
  std::puts(
      "usage: mgws-model [options]\n"
      "  --long                      explore larger bounds, for hours if need be\n"
      "  --write-docs PATH           write the page of results\n"
      "  --check-docs PATH           compare the page with this run, replay its schedules\n"
      "  --scenario NAME             only this scenario\n"
      "  --mutant NAME               only this mutant\n"
      "  --core-only, --mutants-only one part of the run\n"
      "  --seed N                    of the random schedules\n"
      "  --replay SCENARIO[/MUTANT] SCHEDULE\n"
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
    } else if (s == "--write-docs") {
      right = value(a.write);
    } else if (s == "--check-docs") {
      right = value(a.check);
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

std::vector<scenario> all_scenarios() {
  std::vector<scenario> all;
  for (const auto& s : queue_scenarios())
    all.push_back(s);
  for (const auto& s : lane_scenarios())
    all.push_back(s);
  for (const auto& s : run_scenarios())
    all.push_back(s);
  return all;
}

const scenario* find_scenario(const std::vector<scenario>& all, const std::string& name) {
  const auto at = std::find_if(all.begin(), all.end(), [&](auto& s) { return name == s.name; });
  return at == all.end() ? nullptr : &*at;
}
const mutant* find_mutant(const std::string& name) {
  for (const mutant& m : all_mutants())
    if (name == m.name) return &m;
  return nullptr;
}

bool same_kind(const std::string& a, const std::string& b) {
  return a.substr(0, a.find(':')) == b.substr(0, b.find(':'));
}

/// The programs with a known answer, found and replayed. \return whether all were right
bool check_litmus(run_report& r) {
  bool right = true;
  for (const litmus& l : all_litmus()) {
    use_core();
    const findings f = explore(l.setup, {.seconds = 20});
    bool good = f.violated == l.must_be_found && (f.violated || f.complete);
    if (f.violated) {
      const findings again = replay(l.setup, f.schedule, nullptr);
      good = good && again.violated && same_kind(again.what, f.what);
    }
    if (good) {
      r.litmus_right.push_back(l);
    } else {
      std::printf("WRONG: litmus %s: %s\n", l.name, f.violated ? f.what.c_str() : "nothing found");
      right = false;
    }
  }
  std::printf("litmus: %zu of %zu right\n", r.litmus_right.size(), all_litmus().size());
  return right;
}

bool explore_core(const arguments& a, const std::vector<scenario>& all, run_report& r) {
  bool right = true;
  const auto report = [&](const scenario& s, const findings& f, bool random) {
    std::printf("core: %-26s %s%llu states, %llu steps, %llu runs, longest %llu, %.1f s%s\n",
                s.name, random ? "random: " : "", static_cast<unsigned long long>(f.states),
                static_cast<unsigned long long>(f.steps), static_cast<unsigned long long>(f.runs),
                static_cast<unsigned long long>(f.longest), f.seconds,
                random || f.complete ? "" : ", not finished");
    if (f.violated) {
      std::printf("VIOLATION: %s\n  --replay %s %s\n", f.what.c_str(), s.name, f.schedule.c_str());
      right = false;
    }
    std::fflush(stdout);
    r.core.push_back({s, f, random});
  };
  for (scenario s : all) {
    if (!a.scenario.empty() && a.scenario != s.name) continue;
    if (s.when == effort::extended && !a.longer && a.scenario.empty()) continue;
    use_core();
    if (a.longer && s.preemptions >= 0) s.preemptions += 2;
    report(s, explore(s.setup, {.preemptions = s.preemptions, .seconds = a.longer ? 1800. : 60.}),
           false);
  }
  for (const scenario& s : random_scenarios()) {
    if (!a.scenario.empty() && a.scenario != s.name) continue;
    use_core();
    report(s, explore_at_random(s.setup, a.seed, ~0ull, a.longer ? 600. : 10.), true);
  }
  return right;
}

/// Tries one mutant: small bounds first, so that the schedule that shows it is simple.
tried try_mutant(const mutant& m, const std::vector<scenario>& all, bool longer) {
  tried t{.what = m};
  const auto attempt = [&](const scenario& s) {
    ++t.scenarios;
    std::vector<int> bounds{0, 1, 2, 3, 4, -1};
    // Where nothing is expected: one exploration, as far as core itself is explored.
    if (m.equivalent != nullptr) bounds = {s.preemptions};
    for (const int bound : bounds) {
      use(m);
      const findings f = explore(s.setup, {.preemptions = bound, .seconds = longer ? 600. : 60.});
      t.states += f.states;
      if (!f.violated) continue;
      t.caught = true;
      t.scenario = s.name;
      t.seen = f.what;
      t.schedule = f.schedule;
      return;
    }
  };
  for (const scenario& s : all) {
    if (t.caught) break;
    const bool named =
        m.scenario != nullptr &&
        (std::string(" ") + m.scenario + " ").find(std::string(" ") + s.name + " ") !=
            std::string::npos;
    if (named || (longer && s.for_mutants && m.equivalent != nullptr)) attempt(s);
  }
  use_core();
  return t;
}

bool try_mutants(const arguments& a, const std::vector<scenario>& all, run_report& r) {
  bool right = true;
  for (const mutant& m : all_mutants()) {
    if (!a.mutant.empty() && a.mutant != m.name) continue;
    const tried t = try_mutant(m, all, a.longer);
    const bool expected = t.caught == (m.equivalent == nullptr);
    std::printf("%s %-26s ", expected ? "mutant:" : "UNEXPECTED:", m.name);
    if (t.caught) {
      std::printf("caught by %s: %s\n  --replay %s/%s %s\n", t.scenario, t.seen.c_str(), t.scenario,
                  m.name, t.schedule.c_str());
    } else {
      std::printf("not caught (%llu states of %u scenarios)\n",
                  static_cast<unsigned long long>(t.states), t.scenarios);
    }
    std::fflush(stdout);
    right = right && expected;
    r.mutants.push_back(t);
  }
  return right;
}

int replay_one(const arguments& a, const std::vector<scenario>& all) {
  const auto slash = a.replay.find('/');
  const std::string name = a.replay.substr(0, slash);
  use_core();
  if (slash != std::string::npos) {
    const mutant* m = find_mutant(a.replay.substr(slash + 1));
    if (m == nullptr) return std::puts("no such mutant"), 2;
    use(*m);
  }
  program p = nullptr;
  if (const scenario* s = find_scenario(all, name)) p = s->setup;
  for (const scenario& s : random_scenarios())
    if (name == s.name) p = s.setup;
  for (const litmus& l : all_litmus())
    if (name == l.name) p = l.setup;
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

bool check_page(const std::string& path, const std::vector<scenario>& all, const run_report& r) {
  std::ifstream in(path);
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  bool right = true;
  for (const std::string& line : outcome_lines(r))
    if (page.find(line) == std::string::npos) {
      std::printf("%s is out of date, it lacks:\n  %s\n", path.c_str(), line.c_str());
      right = false;
    }
  const auto schedules = recorded_schedules(page);
  for (const recorded& one : schedules) {
    const mutant* m = find_mutant(one.mutant);
    const scenario* s = find_scenario(all, one.scenario);
    bool shown = false;
    if (m != nullptr && s != nullptr) {
      use(*m);
      shown = replay(s->setup, one.schedule, nullptr).violated;
    }
    if (!shown) {
      std::printf("%s: the schedule of %s no longer shows it\n", path.c_str(), one.mutant.c_str());
      right = false;
    }
  }
  use_core();
  std::printf("%s: %zu schedules replayed\n", path.c_str(), schedules.size());
  return right;
}

int run(const arguments& a) {
  const auto all = all_scenarios();
  if (a.list) {
    for (const scenario& s : all)
      std::printf("%-26s %s\n", s.name, s.about);
    for (const scenario& s : random_scenarios())
      std::printf("%-26s %s\n", s.name, s.about);
    for (const mutant& m : all_mutants())
      std::printf("mutant %s\n", m.name);
    return 0;
  }
  if (!a.replay.empty()) return replay_one(a, all);
  run_report r;
  bool right = check_litmus(r);
  if (!a.only_mutants && a.mutant.empty()) right = explore_core(a, all, r) && right;
  if (!a.only_core && a.scenario.empty()) right = try_mutants(a, all, r) && right;
  if (!a.check.empty()) right = check_page(a.check, all, r) && right;
  if (!a.write.empty()) std::ofstream(a.write) << verification_page(r);
  std::puts(right ? "all as expected" : "NOT as expected");
  return right ? 0 : 1;
}

}  // namespace

}  // namespace mgws::model_backend

int main(int argc, char** argv) {
  using namespace mgws::model_backend;
  arguments a;
  if (!parse(argc, argv, a)) return usage();
  try {
    return run(a);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "mgws-model: %s\n", e.what());
    return 1;
  }
}
