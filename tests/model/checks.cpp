#include "checks.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include <mgws/backends/model/backend.hpp>

#include "litmus.hpp"
#include "mutants.hpp"
#include "regressions.hpp"
#include "scenario.hpp"

namespace mgws::model_backend {

namespace {

/// States after which an exploration is given up: some minutes, and 2 GiB.
constexpr std::uint64_t k_states = 60'000'000;
constexpr std::uint64_t k_states_long = 1'000'000'000;
constexpr std::uint64_t k_random_runs = 10'000;
constexpr std::uint64_t k_random_runs_long = 2'000'000;

constexpr const char* k_how_to_renew =
    "If core has changed on purpose: mgws-model --write-docs docs/verification.md, and read what "
    "is different.";

unsigned long long ull(std::uint64_t v) {
  return v;
}

void print(const char* name, const findings& f, bool random) {
  std::printf(
      "core: %-26s %s%llu states, %llu steps, %llu runs, longest %llu, %u epochs, %u steals", name,
      random ? "random: " : "", ull(f.states), ull(f.steps), ull(f.runs), ull(f.longest),
      f.furthest[static_cast<std::size_t>(milestone::epoch)],
      f.furthest[static_cast<std::size_t>(milestone::steal)]);
  if (f.forgotten != 0) std::printf(", %llu stores forgotten", ull(f.forgotten));
  if (f.cut != 0) std::printf(", %llu runs cut", ull(f.cut));
  std::printf(", %.1f s%s\n", f.seconds, random || f.complete ? "" : ", NOT FINISHED");
  if (f.violated)
    std::printf("VIOLATION: %s\n  --replay %s %s\n", f.what.c_str(), name, f.schedule.c_str());
  std::fflush(stdout);
}

/// Whether some run came to everything that the scenario is for.
bool reaches_all(const scenario& s, const findings& f) {
  bool all = true;
  for (const milestone m : s.reaches) {
    if (m == milestone::none || f.furthest[static_cast<std::size_t>(m)] != 0) continue;
    std::printf("VACUOUS: %s: %s in no run\n", s.name, name_of(m));
    all = false;
  }
  return all;
}

bool named(const char* names, const char* name) {
  return names != nullptr &&
         (std::string(" ") + names + " ").find(std::string(" ") + name + " ") != std::string::npos;
}

/// Tries one mutant: small bounds first, so that the schedule that shows it is simple.
tried try_mutant(const mutant& m, const options& o) {
  tried t{.what = m};
  for (const scenario& s : all_scenarios()) {
    if (t.caught) break;
    if (!named(m.scenario, s.name) && !(o.longer && m.equivalent != nullptr)) continue;
    std::vector<int> bounds{0, 1, 2, 3, 4, -1};
    // Where nothing is expected: one exploration, as far as core itself is explored.
    if (m.equivalent != nullptr) bounds = {s.preemptions};
    for (const int bound : bounds) {
      use(m);
      const findings f = explore(s.setup, {.preemptions = bound, .states = k_states});
      t.states += f.states;
      if (!f.violated) continue;
      t.caught = true;
      t.scenario = s.name;
      t.seen = f.what;
      t.schedule = f.schedule;
      break;
    }
    if (!t.caught) t.in_vain.push_back(s.name);
  }
  use_core();
  return t;
}

std::string contents(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

bool check_litmus(run_report& r) {
  bool right = true;
  for (const litmus& l : all_litmus()) {
    use_core();
    const findings f = explore(l.setup, {.states = k_states});
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

bool explore_core(const options& o, run_report& r) {
  bool right = true;
  for (scenario s : all_scenarios()) {
    if (!o.scenario.empty() && o.scenario != s.name) continue;
    if (s.when == effort::extended && !o.longer && o.scenario.empty()) continue;
    if (o.longer && s.preemptions >= 0) s.preemptions += 2;
    if (o.bound != -2) s.preemptions = o.bound;
    s.any_old = s.any_old || o.any_old;
    use_core();
    const findings f = explore(s.setup, {.preemptions = s.preemptions,
                                         .count_old = !s.any_old,
                                         .states = o.longer ? k_states_long : k_states});
    print(s.name, f, false);
    right = right && !f.violated && (f.complete || o.longer) && reaches_all(s, f);
    r.core.push_back({s, f, false});
  }
  for (const scenario& s : random_scenarios()) {
    if (!o.scenario.empty() && o.scenario != s.name) continue;
    use_core();
    const findings f =
        explore_at_random(s.setup, o.seed, o.longer ? k_random_runs_long : k_random_runs, 1e9);
    print(s.name, f, true);
    right = right && !f.violated;
    r.core.push_back({s, f, true});
  }
  return right;
}

bool try_mutants(const options& o, run_report& r) {
  bool right = true;
  for (const mutant& m : all_mutants()) {
    if (!o.mutant.empty() && o.mutant != m.name) continue;
    const tried t = try_mutant(m, o);
    const bool expected = m.equivalent == nullptr ? t.caught : !t.caught && !t.in_vain.empty();
    std::printf("%s %-26s ", expected ? "mutant:" : "UNEXPECTED:", m.name);
    if (t.caught) {
      std::printf("caught by %s: %s\n  --replay %s/%s %s\n", t.scenario, t.seen.c_str(), t.scenario,
                  m.name, t.schedule.c_str());
    } else {
      std::printf("not caught (%llu states of %zu scenarios)\n", ull(t.states), t.in_vain.size());
    }
    std::fflush(stdout);
    right = right && expected;
    r.mutants.push_back(t);
  }
  return right;
}

bool check_completeness() {
  bool right = true;
  const auto lacks = [&](const std::string& what) {
    std::printf("no mutant, and no reason: %s\n", what.c_str());
    right = false;
  };
  const auto any = [](auto&& wanted) {
    return std::any_of(all_mutants().begin(), all_mutants().end(), wanted);
  };
  std::set<std::string> excused;
  for (const unmodelled& u : without_mutant())
    excused.insert(u.what);

  for (int hazard = 1; hazard <= 29; ++hazard) {
    const std::string number = std::to_string(hazard);
    if (!any([&](const mutant& m) { return number == m.hazard; }) && !excused.contains(number))
      lacks("hazard " + number);
  }
  for (std::size_t s = 1; s != k_steps; ++s) {
    const std::string name = k_step_names[s];
    for (const memory_order weaker : one_step_weaker(k_core_orders[s]))
      if (!any([&](const mutant& m) {
            return m.what == kind::order && m.at == static_cast<step>(s) && m.order == weaker;
          }))
        lacks("`" + name + "` " + name_of(weaker));
    if (!any([&](const mutant& m) {
          return m.what == kind::scope && m.at == static_cast<step>(s);
        }) &&
        !excused.contains(name))
      lacks("`" + name + "` at device scope");
  }
  std::set<std::string> barriers;  // of whatever instance of their function
  std::map<std::string, int> number_in;
  for (const barrier_site& b : barriers_seen) {
    if (b.function == nullptr) break;
    if (std::string(b.file).find("core/") == std::string::npos) continue;
    barriers.insert(b.file + (":" + std::to_string(b.line)));
    const int number = ++number_in[b.function];
    if (!any([&](const mutant& m) {
          return m.what == kind::barrier && std::strstr(b.function, m.function) != nullptr &&
                 (m.number == 0 ? 1 : m.number) == number;
        }))
      lacks("barrier " + std::to_string(number) + " of " + b.function);
  }
  std::printf("mutants: %zu, for %zu barriers among others\n", all_mutants().size(),
              barriers.size());
  return right;
}

bool check_page(const std::string& path, const run_report& r) {
  const std::string fresh = verification_page(r);
  const auto differs = differences(contents(path), fresh);
  for (const std::string& d : differs)
    std::printf("%s is out of date: %s\n", path.c_str(), d.c_str());
  if (!differs.empty()) std::puts(k_how_to_renew);
  return differs.empty();
}

bool check_page_itself(const std::string& path) {
  return check_comparison(contents(path));
}

bool check_schedules(const std::string& path) {
  auto kept = recorded_schedules(contents(path));
  bool right = !kept.empty();
  for (const regression& g : all_regressions())
    kept.push_back({g.mutant == nullptr ? "" : g.mutant, g.scenario, g.schedule, g.shows});
  for (const recorded& one : kept) {
    const auto wrong = [&](const std::string& why) {
      std::printf("--replay %s/%s %s: %s\n", one.scenario.c_str(), one.mutant.c_str(),
                  one.schedule.c_str(), why.c_str());
      right = false;
    };
    const program p = program_named(one.scenario);
    const mutant* m = mutant_named(one.mutant);
    if (p == nullptr || (m == nullptr && !one.mutant.empty())) {
      wrong("there is none such");
      continue;
    }
    if (m != nullptr) {
      use(*m);
      const findings f = replay(p, one.schedule, nullptr);
      if (!f.violated) {
        wrong("no longer shows " + one.shows);
      } else if (!same_kind(f.what, one.shows)) {
        wrong("shows " + f.what + " instead of " + one.shows);
      }
    }
    use_core();
    if (const findings f = replay(p, one.schedule, nullptr); f.violated)
      wrong("core itself: " + f.what);
  }
  std::printf("%zu schedules replayed, each also without its mutant\n", kept.size());
  if (!right) std::puts(k_how_to_renew);
  return right;
}

}  // namespace mgws::model_backend
