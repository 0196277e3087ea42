/// \file
/// Tasks of many priorities of all kinds: none is lost and none runs twice, whoever runs them and
/// wherever they waited. The same source for the tests of CPU and GPU workers.
#pragma once

#include <cstdint>
#include <string>

#include <mgws/mgws.hpp>

#include "contract/workload.hpp"

namespace levels {

using mgws::shape;
using mgws::task_index;

struct ran : mgws::sum<std::uint64_t> {};
struct known_by : mgws::sum<std::uint64_t> {};
using results = mgws::accumulators<ran, known_by>;

/// What a task is called, and how many generations come after it.
struct name {
  std::uint64_t value;
  std::uint32_t left;

  MGWS_FN std::uint32_t level() const { return static_cast<std::uint32_t>(value % 5); }
  MGWS_FN std::uint32_t children() const {
    return left == 0 ? 0 : static_cast<std::uint32_t>(value / 5 % 6);
  }
  MGWS_FN name child(std::uint32_t i) const { return {contract::mix(value + i), left - 1}; }
  /// Which kind of task a child is.
  MGWS_FN std::uint32_t kind() const { return static_cast<std::uint32_t>(value / 64 % 8); }
};

MGWS_FN void report(auto& worker, std::uint64_t value) {
  worker.accumulate(ran{}, 1);
  worker.accumulate(known_by{}, contract::mix(value));
}
MGWS_FN void spawn_children(auto& worker, const name& of);

/// A level that its value says, of five.
template <shape Width>
struct varied {
  static constexpr shape width = Width;
  static constexpr std::uint32_t priorities = 5;
  name who;
  MGWS_FN std::uint32_t priority() const { return who.level(); }
  MGWS_FN void operator()(auto& worker) const {
    if (worker.lane() != 0) return;
    report(worker, who.value);
    spawn_children(worker, who);
  }
};
/// Always the same one.
struct patient {
  static constexpr std::uint32_t priority = 2;
  name who;
  MGWS_FN void operator()(auto& worker) const {
    report(worker, who.value);
    spawn_children(worker, who);
  }
};
/// Many instances that wait as one slot; and a level beyond the last, which counts as that.
struct many {
  static constexpr std::uint32_t priorities = 3;
  std::uint64_t first;
  MGWS_FN std::uint32_t priority() const { return static_cast<std::uint32_t>(first % 7); }
  MGWS_FN void operator()(auto& worker, task_index i) const { report(worker, first + i); }
};
/// Waits before its first piece only.
struct in_pieces {
  static constexpr std::uint32_t priority = 1;
  name who;
  std::uint32_t done;
  MGWS_FN mgws::progress operator()(auto& worker) {
    if (++done < 1 + who.value % 9) return mgws::again;
    report(worker, who.value);
    spawn_children(worker, who);
    return mgws::done;
  }
};
/// Of the highest level, as any that says nothing.
struct plain {
  name who;
  MGWS_FN void operator()(auto& worker) const {
    report(worker, who.value);
    spawn_children(worker, who);
  }
};
MGWS_FN void spawn_children(auto& worker, const name& of) {
  for (std::uint32_t i = 0; i != of.children(); ++i) {
    const name c = of.child(i);
    switch (c.kind()) {
      case 0:
        worker.spawn(plain{c});
        break;
      case 1:
        worker.spawn(patient{c});
        break;
      case 2:
        worker.spawn(varied<shape::warp>{c});
        break;
      case 3:
        worker.spawn(varied<shape::block>{c});
        break;
      case 4:
        worker.spawn(in_pieces{c, 0});
        break;
      case 5:
        worker.spawn_n(many{c.value}, c.value % 100);
        break;
      default:
        worker.spawn(varied<shape::lane>{c});
    }
  }
}
inline void expect(results& r, const name& who) {
  if (who.kind() == 5) {
    for (std::uint32_t i = 0; i != who.value % 100; ++i) {
      r.add<ran>(1);
      r.add<known_by>(contract::mix(who.value + i));
    }
    return;
  }
  r.add<ran>(1);
  r.add<known_by>(contract::mix(who.value));
  for (std::uint32_t i = 0; i != who.children(); ++i)
    expect(r, who.child(i));
}

/// As many roots as its number says, of all levels, without a pause.
struct root {
  std::uint32_t first;
  std::uint32_t n;
  std::uint32_t generations;
  MGWS_FN static name root_of(std::uint32_t i, std::uint32_t generations) {
    std::uint64_t value = contract::mix(i);
    return {value - value / 64 % 8 * 64, generations};  // of the kind `plain`
  }
  MGWS_FN void operator()(auto& worker) const {
    for (std::uint32_t i = first; i != first + n; ++i)
      worker.spawn(varied<shape::lane>{root_of(i, generations)});
  }
};
using tasks = mgws::task_set<root, plain, patient, many, in_pieces, varied<shape::lane>,
                             varied<shape::warp>, varied<shape::block>>;

// ---- Below finishes, and after them ----

struct wave {
  static constexpr bool after_finish = true;
  std::uint32_t left;
  std::uint32_t n;
  MGWS_FN void operator()(auto& worker) const;
};
struct drop {
  static constexpr std::uint32_t priorities = 2;
  std::uint64_t value;
  std::uint32_t left;
  MGWS_FN std::uint32_t priority() const { return left % 2; }
  MGWS_FN void operator()(auto& worker) const {
    report(worker, value);
    for (std::uint32_t i = 0; left != 0 && i != 2; ++i)
      worker.spawn(drop{2 * value + i, left - 1});
  }
};
MGWS_FN void wave::operator()(auto& worker) const {
  if (left != 0) worker.finish(wave{left - 1, n}, drop{1, n}, drop{left, 3});
}
using waves = mgws::task_set<wave, drop>;
inline void expect(results& r, const drop& d) {
  r.add<ran>(1);
  r.add<known_by>(contract::mix(d.value));
  for (std::uint32_t i = 0; d.left != 0 && i != 2; ++i)
    expect(r, drop{2 * d.value + i, d.left - 1});
}

// ---- More of one level than its queue has room for ----

struct crowd {
  static constexpr std::uint32_t priorities = 4;
  std::uint32_t level;
  std::uint32_t number;
  std::uint32_t n;
  MGWS_FN std::uint32_t priority() const { return level; }
  MGWS_FN void operator()(auto& worker) const {
    report(worker, number);
    for (std::uint32_t i = 1; i <= n; ++i)
      worker.spawn(crowd{level, i, 0});
  }
};
/// \return what was wrong, or nothing
template <template <class, class, class> class Runtime>
std::string fault_of_crowd(const mgws::options& o, std::uint32_t level, std::uint32_t n, int runs) {
  Runtime<mgws::task_set<crowd>, results, mgws::no_context> rt(o);
  results should;
  for (std::uint32_t i = 0; i <= n; ++i) {
    should.add<ran>(1);
    should.add<known_by>(contract::mix(i));
  }
  for (int i = 0; i != runs; ++i) {
    rt.seed(crowd{level, 0, n});
    const results is = rt.run().results;
    if (is.get<ran>() != n + 1) return std::to_string(is.get<ran>()) + " tasks ran";
    if (is.get<known_by>() != should.get<known_by>()) return "others than there were";
  }
  return "";
}

/// \tparam Runtime  a template <Tasks, Accumulators, Context>
/// \return what was wrong, or nothing
template <template <class, class, class> class Runtime>
std::string fault(const mgws::options& o, std::uint32_t n, std::uint32_t generations, int runs) {
  const auto differs = [](const results& is, const results& should) {
    if (is.get<ran>() != should.get<ran>())
      return std::to_string(is.get<ran>()) + " tasks instead of " +
             std::to_string(should.get<ran>());
    return std::string(is.get<known_by>() == should.get<known_by>() ? ""
                                                                    : "others than there were");
  };
  Runtime<tasks, results, mgws::no_context> all(o);
  Runtime<waves, results, mgws::no_context> waits(o);
  results should;
  for (std::uint32_t i = 0; i != 3 * n; ++i)
    expect(should, root::root_of(i, generations));
  results of_waves;
  for (std::uint32_t left = 4; left != 0; --left) {
    expect(of_waves, drop{1, 8});
    expect(of_waves, drop{left, 3});
  }
  for (int i = 0; i != runs; ++i) {
    for (std::uint32_t k = 0; k != 3; ++k)
      all.seed(root{k * n, n, generations});
    std::string wrong = differs(all.run().results, should);
    if (!wrong.empty()) return wrong;
    waits.seed(wave{4, 8});
    wrong = differs(waits.run().results, of_waves);
    if (!wrong.empty()) return "with finishes: " + wrong;
  }
  return "";
}

}  // namespace levels
