#include "report.hpp"

#include <array>
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

const char* name_of(milestone m) {
  constexpr std::array<const char*, static_cast<std::size_t>(milestone::count)> k_names{
      "nothing",
      "a batch",
      "a steal",
      "a steal across devices",
      "workers idle on their device",
      "a claim of several steps",
      "word of the end heard",
      "a thief's sign seen",
      "slots given",
      "a worker asleep",
      "stop seen at work",
      "stop seen while searching",
      "stop seen while idle"};
  return k_names[static_cast<std::size_t>(m)];
}

namespace {

std::string reached_by(const scenario& s) {
  std::string all;
  for (const milestone m : s.reaches)
    if (m != milestone::none) all += (all.empty() ? "" : ", ") + std::string(name_of(m));
  return all.empty() ? "-" : all;
}

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
      return (m.number == 0 ? std::string("no barrier")
                            : "no barrier " + std::to_string(m.number)) +
             " in `" + m.function + "`";
    case kind::behaviour:
      break;
  }
  return m.change;
}

std::string mutant_line(const tried& t) {
  std::string line =
      std::string("| `") + t.what.name + "` | " + t.what.hazard + " | " + change_of(t.what) + " | ";
  if (t.caught)
    return line + "caught by `" + t.scenario + "` | " + t.seen + " | `" + t.schedule + "` |\n";
  line += std::string("equivalent | ") + t.what.equivalent + "; explored in vain:";
  for (const char* s : t.in_vain)
    line += std::string(s == t.in_vain.front() ? " `" : ", `") + s + '`';
  return line + " | - |\n";
}

/// By what the sizes are: with this they come out the same each time.
std::string builder() {
#if defined(__clang__)
  std::string b = "clang ";
#else
  std::string b = "g++ ";
#endif
  b += __VERSION__;
#if defined(__x86_64__)
  b += " for x86-64";
#else
  b += " for AArch64";
#endif
#if defined(NDEBUG)
  b += ", NDEBUG";
#endif
#if defined(_GLIBCXX_ASSERTIONS)
  b += ", library assertions";
#endif
  return b;
}

const char* k_head = R"(# What the model checker shows

This page is written by the checker itself, `mgws-model --write-docs docs/verification.md`. The test
suite `model` explores everything again, fails if the page no longer says what the run saw, and
replays the page's schedules: each must show its violation with its mutant, and none without.

## How to read it

The checker runs the templates of `core/` as they are, on a backend of its own (`backends/model`)
whose atomics, slot copies, barriers and pauses are steps of an explorer. Mutants are made at core's
policy points, the protocol table and the backend that core is instantiated with: the model's table
names each step, and what a step does is looked up when it runs, so one program holds core and all
its mutants.

**Memory is weak.** Every location keeps its stores; a load may return any that coherence allows;
acquire and release move views of what has been seen (RC11 without fences and sequential
consistency). At device scope, nothing reaches another device for sure, and a read-modify-write is
one for the workers of its device only: others may write between its halves. Two things are left out: a load never sees a store that runs after it
(load buffering), and stores to one location take effect in the order in which they run. Slots are
plain memory with a race detector.

**What must hold** in every run: every task runs exactly once; nobody takes the run as over before
that; claims and completions agree at the end; no data race on a slot, so no reader of a slot that
is used again; no deadlock; and no run that goes on for ever although every worker gets its turn and
sees what others stored (a cycle of usual steps). A run that the host asks to stop at any time, or
whose tasks fail, ends all the same, runs no task twice, leaves no queue locked, and keeps the record
of one failure, the first.

**Stalls, slow starts, full rings and late publication** need no switches: a worker that is not
scheduled and a load that returns an old value are schedules. A thief that never comes back is a
fault (`stalled-thief`). The word's fields are a few bits wide and rings hold 2 slots, so that
everything wraps around: "epochs" is the most batches that one run has published, so that at 10 both
epochs of a word have been used five times.

Each state is visited once; states are told apart by 64-bit hashes, which err with a probability
below 1 in 100 000 in the largest of these explorations.

**A schedule** such as `20:1,5:2` says: 20 times the usual choice, then choice 1, then 5 usual ones,
then choice 2, then usual ones to the end. `mgws-model --replay SCENARIO[/MUTANT] SCHEDULE` prints
it step by step, also under a debugger: all fibers share one system thread.
)";

}  // namespace

std::string verification_page(const run_report& r) {
  std::ostringstream o;
  o << k_head << "\n## Explored without a violation\n\n"
    << "Bound: \"all\" is every schedule and every value that a load may return; \"n\" at most n\n"
       "preemptions and old values together in a run; \"n, any old\" at most n preemptions and "
       "whatever values\nloads may return; \"random\" random priorities from a fixed seed. "
       "No row is bounded by time: each run of one\nbuild finds the same numbers, and the test "
       "compares "
       "them digit by digit. Another build keeps other padding\nin its stacks, by which states are "
       "told "
       "apart: its sizes may differ by two fifths, those of random rows may not.\n\n"
    << k_built_by << " " << builder() << ".\n\n"
    << "\"Reached\" is what the scenario is for: a check fails if no run comes to it.\n\n"
    << "| scenario | what | bound | reached | states | steps | runs to the end | longest | epochs "
       "| "
       "steals |\n"
    << "|---|---|---|---|---|---|---|---|---|---|\n";
  for (const explored& e : r.core) {
    o << "| `" << e.what.name << "` | " << e.what.about << " | ";
    if (e.random) {
      o << "random";
    } else if (e.what.preemptions < 0) {
      o << "all";
    } else {
      o << e.what.preemptions << (e.what.any_old ? ", any old" : "");
    }
    if (!e.random && !e.found.complete) o << ", not finished";
    o << " | " << reached_by(e.what);
    o << " | " << (e.random ? std::string("-") : std::to_string(e.found.states)) << " | "
      << e.found.steps << " | " << e.found.runs << " | " << e.found.longest << " | "
      << e.found.furthest[static_cast<std::size_t>(milestone::epoch)] << " | "
      << e.found.furthest[static_cast<std::size_t>(milestone::steal)] << " |\n";
  }

  o << "\n## Mutants\n\n"
    << "Each changes one thing. \"Hazard\" is the number in docs/protocol.md's list.\n\n"
    << "| mutant | hazard | change | outcome | what is seen | schedule |\n"
    << "|---|---|---|---|---|---|\n";
  for (const tried& t : r.mutants)
    o << mutant_line(t);

  o << "\nWithout a mutant:\n\n";
  for (const unmodelled& u : without_mutant())
    o << "- **" << u.what << ", " << u.about << "**: " << u.reason << "\n";

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

}  // namespace mgws::model_backend
