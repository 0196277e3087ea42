#include "report.hpp"

#include <sstream>

namespace mgws::model_backend {

const char* name_of(memory_order o) {
  switch (o) {
    case memory_order::relaxed:
      return "relaxed";
    case memory_order::acquire:
      return "acquire";
    case memory_order::release:
      return "release";
    case memory_order::acq_rel:
      break;
  }
  return "acq_rel";
}

namespace {

const char* step_name(step s) {
  return k_step_names[static_cast<std::size_t>(s)];
}

std::string change_of(const mutant& m) {
  switch (m.what) {
    case kind::order:
      return std::string("`") + step_name(m.at) + "` " + name_of(m.order) + " instead of " +
             name_of(k_core_orders[static_cast<std::size_t>(m.at)]);
    case kind::scope:
      return std::string("`") + step_name(m.at) + "` at device scope, workers on two devices";
    case kind::barrier:
      return std::string("no barrier in `") + m.function + "`";
    case kind::behaviour:
      break;
  }
  return m.change;
}

/// The part of a mutant's line that does not depend on the order of exploration.
std::string outcome_line(const tried& t) {
  std::string line =
      std::string("| `") + t.what.name + "` | " + t.what.hazard + " | " + change_of(t.what) + " | ";
  if (t.caught) return line + "caught by `" + t.scenario + "` |";
  return line + "equivalent |";
}

const char* k_head = R"(# What the model checker shows

This page is written by the checker itself: `mgws-model --write-docs docs/verification.md`; a test
compares its outcomes with a fresh run and replays its schedules.

The checker runs the templates of `core/` as they are, on a fourth backend (`backends/model`) whose
atomics, slot copies, barriers and pauses are steps of an explorer. Memory is weak: every location
keeps its stores, a relaxed load may return any that coherence allows, acquire and release move
views (RC11 without fences and seq_cst; no load buffering; stores to one location take effect in the
order in which they run). Slots are plain memory with a race detector. Each state is visited once.

What must hold in every run: every task runs exactly once; nobody takes the run as over before that;
claims and completions agree at the end; no data race on a slot (so no reader of a slot that is used
again); no state from which the end cannot be reached by usual steps (deadlock, livelock). A thief
stalled at any point, slow starts, full rings and late publication need no switches: they are
schedules. The fields of the word are a few bits wide, rings hold 2 slots, so that everything wraps
around.

A schedule such as `20:1,5:2` says: 20 times the usual choice, then choice 1, then 5 usual ones,
then choice 2, then usual ones to the end. `mgws-model --replay SCENARIO[/MUTANT] SCHEDULE` prints
it step by step, also under a debugger: all fibers share one system thread.
)";

}  // namespace

std::vector<std::string> outcome_lines(const run_report& r) {
  std::vector<std::string> lines;
  for (const tried& t : r.mutants)
    lines.push_back(outcome_line(t));
  return lines;
}

std::string verification_page(const run_report& r) {
  std::ostringstream o;
  o << k_head << "\n## Explored without a violation\n\n"
    << "\"all\" is every schedule and every value that a load may return; \"n\" at most n "
       "preemptions and\nold values together in a run; \"random\" random priorities. The last "
       "column "
       "counts stores that\nwere forgotten while a fiber could still have read them: a location "
       "keeps "
    << k_history << ".\n\n"
    << "| scenario | what | bound | states | steps | runs to the end | longest | forgotten |\n"
    << "|---|---|---|---|---|---|---|---|\n";
  for (const explored& e : r.core) {
    o << "| `" << e.what.name << "` | " << e.what.about << " | ";
    if (e.random) {
      o << "random";
    } else if (e.what.preemptions < 0) {
      o << (e.found.complete ? "all" : "all, not finished");
    } else {
      o << e.what.preemptions << (e.found.complete ? "" : ", not finished");
    }
    o << " | " << (e.random ? std::string("-") : std::to_string(e.found.states)) << " | "
      << e.found.steps << " | " << e.found.runs << " | " << e.found.longest << " | "
      << e.found.forgotten << " |\n";
  }

  o << "\n## Mutants\n\n"
    << "Each changes one thing. \"Hazard\" is the number in the protocol's list.\n\n"
    << "| mutant | hazard | change | outcome | what is seen | schedule |\n"
    << "|---|---|---|---|---|---|\n";
  for (const tried& t : r.mutants) {
    o << outcome_line(t) << ' ';
    if (t.caught) {
      o << t.seen << " | `" << t.schedule << "` |\n";
    } else {
      o << t.what.equivalent << " | - |\n";
    }
  }

  o << "\nWithout a mutant:\n\n";
  for (const unmodelled& u : hazards_without_mutant())
    o << "- **" << u.hazard << ", " << u.what << "**: " << u.reason << "\n";

  o << "\n## Weakest orders\n\n"
    << "The order of each step of `core/protocol.hpp`, and the mutants of that order. The scope is "
       "the\ntransport's; narrowing it is tried step by step.\n\n"
    << "| step | order | one step weaker | at device scope |\n|---|---|---|---|\n";
  for (std::size_t s = 1; s != k_steps; ++s) {
    std::string weaker;
    std::string narrow;
    for (const tried& t : r.mutants) {
      if (t.what.at != static_cast<step>(s)) continue;
      const std::string text =
          std::string("`") + t.what.name + "` " + (t.caught ? "caught" : "equivalent, see above");
      std::string& to = t.what.what == kind::order ? weaker : narrow;
      if (t.what.what == kind::order || t.what.what == kind::scope)
        to += (to.empty() ? "" : "; ") + text;
    }
    if (weaker.empty()) weaker = "there is none";
    if (narrow.empty()) narrow = "-";
    o << "| `" << k_step_names[s] << "` | " << name_of(k_core_orders[s]) << " | " << weaker << " | "
      << narrow << " |\n";
  }

  o << "\n## The checker itself\n\nPrograms with a known answer, run first:\n\n"
    << "| program | about | the checker |\n|---|---|---|\n";
  for (const litmus& l : r.litmus_right)
    o << "| `" << l.name << "` | " << l.about << " | "
      << (l.must_be_found ? "finds it" : "finds nothing") << " |\n";
  return o.str();
}

std::vector<recorded> recorded_schedules(const std::string& page) {
  std::vector<recorded> all;
  std::istringstream in(page);
  for (std::string line; std::getline(in, line);) {
    const std::string k_caught = " | caught by `";
    const auto by = line.find(k_caught);
    if (by == std::string::npos || line.compare(0, 3, "| `") != 0) continue;
    const auto between = [&](std::size_t from) {
      return line.substr(from, line.find('`', from) - from);
    };
    const auto end = line.rfind("` |");
    const auto begin = line.rfind('`', end - 1) + 1;
    all.push_back({between(3), between(by + k_caught.size()), line.substr(begin, end - begin)});
  }
  return all;
}

}  // namespace mgws::model_backend
