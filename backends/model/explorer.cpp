#include <algorithm>
#include <chrono>
#include <limits>
#include <random>
#include <vector>

#include <mgws/backends/model/explorer.hpp>

namespace mgws::model_backend {

namespace {

using clock = std::chrono::steady_clock;

double since(clock::time_point t) {
  return std::chrono::duration<double>(clock::now() - t).count();
}

void go_further(milestones& furthest, const milestones& reached) {
  for (std::size_t i = 0; i != furthest.size(); ++i)
    furthest[i] = std::max(furthest[i], reached[i]);
}

/// A schedule as text: "12:1,5:2" takes the usual choice twelve times, then choice 1, five times
/// the usual one, then choice 2, then the usual ones to the end. States with one choice only do not
/// count.
class schedule_text {
 public:
  void add(std::size_t taken) {
    if (taken == 0) {
      ++usual_;
      return;
    }
    if (!text_.empty()) text_ += ',';
    text_ += std::to_string(usual_) + ':' + std::to_string(taken);
    usual_ = 0;
  }
  [[nodiscard]] std::string str() const { return text_.empty() ? "0:0" : text_; }

 private:
  std::string text_;
  std::uint64_t usual_ = 0;
};

/// The states visited: open addressing, 16 bytes each.
class visited_states {
 public:
  struct entry {
    std::uint64_t key = 0;
    std::uint32_t depth = 0;  ///< 1 + place on the current path, or 0
    std::int32_t budget = -1;
  };

  visited_states() : table_(1u << 14) {}

  entry& at(std::uint64_t key, bool& fresh) {
    if (key == 0) key = 1;
    if (used_ * 2 > table_.size()) grow();
    entry& e = find(table_, key);
    fresh = e.key == 0;
    if (fresh) {
      e.key = key;
      ++used_;
    }
    return e;
  }

 private:
  static entry& find(std::vector<entry>& t, std::uint64_t key) {
    std::size_t i = (key * 0x9E3779B97F4A7C15ull >> 20) & (t.size() - 1);
    while (t[i].key != 0 && t[i].key != key)
      i = (i + 1) & (t.size() - 1);
    return t[i];
  }
  void grow() {
    std::vector<entry> larger(table_.size() * 2);
    for (const entry& e : table_)
      if (e.key != 0) find(larger, e.key) = e;
    table_.swap(larger);
  }

  std::vector<entry> table_;
  std::size_t used_ = 0;
};

struct frame {
  std::uint64_t key;
  std::size_t first_choice;  ///< in one stack for all frames
  std::size_t snapshot;      ///< likewise
  std::uint32_t count;
  std::uint32_t taken;
  std::int32_t budget;
  std::uint8_t fiber;  ///< that made the step taken
};

class depth_first {
 public:
  depth_first(const limits& l) : limits_(l), m_(the_machine()) {}

  findings run(program p) {
    began_ = clock::now();
    m_.clear();
    p(m_);
    m_.start();
    if (!m_.violated()) descend(limits_.preemptions < 0 ? k_no_bound : limits_.preemptions);
    while (!m_.violated() && !path_.empty()) {
      if (out_of_time()) break;
      if (!next_choice()) continue;
      if (m_.violated()) break;
      descend(budget_);
    }
    if (m_.violated()) {
      out_.violated = true;
      out_.what = m_.violation();
      schedule_text text;
      for (const frame& f : path_)
        if (f.count > 1) text.add(f.taken);
      out_.schedule = text.str();
    }
    out_.complete = path_.empty() && !out_of_time_ && out_.cut == 0 && m_.forgotten_stores() == 0;
    out_.forgotten = m_.forgotten_stores();
    out_.seconds = since(began_);
    return out_;
  }

 private:
  static constexpr std::int32_t k_no_bound = std::numeric_limits<std::int32_t>::max() / 2;
  /// No run of the programs comes near it, unless it never ends.
  static constexpr std::size_t k_longest = 3000;

  bool out_of_time() {
    if ((++ticks_ & 0xff) == 0)
      out_of_time_ = since(began_) > limits_.seconds || out_.states > limits_.states;
    return out_of_time_;
  }

  /// Nothing where nothing is bounded: a known state would be explored again for being reached by
  /// fewer preemptions.
  [[nodiscard]] std::int32_t cost(const choice& c) const {
    return limits_.preemptions < 0 ? 0 : c.preempts + (c.old && limits_.count_old);
  }
  void step(const choice& c) {
    m_.take(c);
    ++out_.steps;
    go_further(out_.furthest, m_.reached());
  }

  /// Takes the next untried choice of the deepest state; pops it if there is none.
  bool next_choice() {
    frame& f = path_.back();
    for (++f.taken; f.taken < f.count; ++f.taken) {
      const choice c = choices_[f.first_choice + f.taken];
      if (cost(c) > f.budget) continue;
      m_.restore(snapshots_.data() + f.snapshot);
      budget_ = f.budget - cost(c);
      f.fiber = c.fiber;
      step(c);
      return true;
    }
    bool fresh;
    seen_.at(f.key, fresh).depth = 0;
    snapshots_.resize(f.snapshot);
    choices_.resize(f.first_choice);
    path_.pop_back();
    return false;
  }

  /// Follows the usual choices until the run ends or meets a known state.
  void descend(std::int32_t budget) {
    const bool bounded = limits_.preemptions >= 0;
    for (;;) {
      m_.choices(now_);
      if (now_.empty()) {
        ++out_.runs;
        out_.longest = std::max<std::uint64_t>(out_.longest, path_.size());
        if (!m_.all_done()) return m_.violate("deadlock: every worker waits for another");
        return m_.finish();
      }
      if (path_.size() > k_longest) {
        if (endless(path_.size() - k_longest / 2))
          m_.violate("livelock: no end after " + std::to_string(k_longest) + " steps");
        ++out_.cut;
        return;
      }
      if (out_of_time()) return;
      const std::uint64_t key = m_.hash(bounded);
      bool fresh;
      auto& entry = seen_.at(key, fresh);
      if (!fresh) {
        if (entry.depth != 0 && endless(entry.depth - 1))
          return m_.violate("livelock: from here on the run repeats itself for ever");
        if (entry.depth != 0 || entry.budget >= budget) return;
      }
      entry.budget = budget;
      entry.depth = static_cast<std::uint32_t>(path_.size() + 1);
      out_.states += fresh;
      out_.choices += now_.size() > 1;
      path_.push_back({key, choices_.size(), snapshots_.size(),
                       static_cast<std::uint32_t>(now_.size()), 0, budget, now_[0].fiber});
      if (now_.size() > 1) {
        choices_.insert(choices_.end(), now_.begin(), now_.end());
        m_.save(snapshots_);
      }
      // The first choice never preempts.
      step(now_[0]);
      if (m_.violated()) return;
    }
  }

  /// Whether the path from `depth` on is a run that never ends: usual choices only, and every fiber
  /// that neither has ended nor sleeps took part.
  [[nodiscard]] bool endless(std::size_t depth) const {
    unsigned ran = m_.out_of_action();
    for (std::size_t i = path_.size(); i-- != depth;) {
      if (path_[i].taken != 0) return false;
      ran |= 1u << path_[i].fiber;
    }
    return ran == (1u << m_.fibers()) - 1;
  }

  const limits limits_;
  machine& m_;
  findings out_;
  clock::time_point began_;
  std::uint64_t ticks_ = 0;
  bool out_of_time_ = false;
  std::int32_t budget_ = 0;
  visited_states seen_;
  std::vector<frame> path_;
  std::vector<choice> choices_;
  std::vector<choice> now_;
  std::vector<std::byte> snapshots_;
};

/// Runs with the machine's program from its start, one choice after the other.
/// \param pick  which of the choices
template <class Pick>
void run_once(machine& m, std::vector<choice>& now, findings& out, std::string& schedule,
              std::uint64_t most_steps, Pick&& pick) {
  schedule_text text;
  std::uint64_t steps = 0;
  for (; !m.violated(); ++steps) {
    m.choices(now);
    if (now.empty()) {
      if (!m.all_done())
        m.violate("deadlock: every worker waits for another");
      else
        m.finish();
      break;
    }
    if (steps > 2 * most_steps) {
      m.violate("livelock: no end after " + std::to_string(steps) + " steps");
      break;
    }
    const std::size_t taken = now.size() == 1 || steps > most_steps ? 0 : pick(now);
    if (now.size() > 1) {
      text.add(taken);
      ++out.choices;
    }
    m.take(now[taken]);
  }
  out.steps += steps;
  go_further(out.furthest, m.reached());
  out.longest = std::max(out.longest, steps);
  ++out.runs;
  schedule = text.str();
}

void conclude(machine& m, findings& out, const std::string& schedule) {
  out.violated = m.violated();
  out.what = m.violation();
  out.forgotten = m.forgotten_stores();
  if (out.violated) out.schedule = schedule;
}

}  // namespace

findings explore(program p, const limits& l) {
  return depth_first(l).run(p);
}

findings explore_at_random(program p, std::uint64_t seed, std::uint64_t runs, double seconds) {
  constexpr std::uint64_t k_most_steps = 20'000;
  const auto began = clock::now();
  machine& m = the_machine();
  m.clear();
  p(m);
  m.start();
  std::vector<std::byte> initial;
  std::vector<choice> now;
  m.choices(now);
  m.save(initial);
  findings out;
  std::mt19937_64 random(seed);
  std::uint64_t length = 200;
  for (std::uint64_t i = 0; i != runs && !out.violated && since(began) < seconds; ++i) {
    m.restore(initial.data());
    std::array<unsigned, k_fibers> priority{};
    for (unsigned f = 0; f != k_fibers; ++f)
      priority[f] = 100 + f;
    // By hand: libraries shuffle differently, and a seed should mean the same everywhere.
    for (unsigned f = m.fibers(); f > 1; --f)
      std::swap(priority[f - 1], priority[random() % f]);
    std::array<std::uint64_t, 4> change{};
    for (auto& c : change)
      c = random() % length;
    std::uint64_t at = 0;
    unsigned lowest = 50;
    const unsigned stale_in_8 = random() % 4;
    std::string schedule;
    run_once(m, now, out, schedule, k_most_steps, [&](const std::vector<choice>& all) {
      ++at;
      unsigned best = all[0].fiber;
      for (const choice& c : all)
        if (priority[c.fiber] > priority[best]) best = c.fiber;
      if (std::find(change.begin(), change.end(), at) != change.end()) priority[best] = lowest--;
      std::size_t first = 0;
      while (all[first].fiber != best)
        ++first;
      std::size_t n = 0;
      while (first + n != all.size() && all[first + n].fiber == best)
        ++n;
      const bool free = m.chooses(best);
      return first + (n > 1 && (free || random() % 8 < stale_in_8) ? random() % n : 0);
    });
    length = std::max<std::uint64_t>(length, at);
    conclude(m, out, schedule);
  }
  out.seconds = since(began);
  return out;
}

findings replay(program p, const std::string& schedule, std::string* trace) {
  machine& m = the_machine();
  m.clear();
  p(m);
  m.start();
  m.trace = trace;
  std::vector<choice> now;
  findings out;
  std::string taken_schedule;
  std::size_t at = 0;
  std::uint64_t usual = 0;
  std::size_t next = 0;
  const auto read = [&] {
    usual = std::numeric_limits<std::uint64_t>::max();
    if (at >= schedule.size()) return;
    std::size_t used = 0;
    usual = std::stoull(schedule.substr(at), &used);
    at += used + 1;
    next = std::stoull(schedule.substr(at), &used);
    at += used + 1;
  };
  read();
  run_once(m, now, out, taken_schedule, 20'000, [&](const std::vector<choice>& all) {
    if (usual-- != 0) return std::size_t{0};
    const std::size_t taken = std::min(next, all.size() - 1);
    read();
    return taken;
  });
  m.trace = nullptr;
  conclude(m, out, taken_schedule);
  return out;
}

}  // namespace mgws::model_backend
