/// \file
/// A task that calls everything that a task may call, at each width, and looks whether what it is
/// told can be true. The same source for the tests of CPU and GPU workers, and for the program that
/// is built as a user would.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <mgws/mgws.hpp>

namespace members {

/// Instances that ran; lanes that ran them; what was wrong, as a sum of the bits below, by the
/// largest; the most lanes of any.
struct instances : mgws::sum<std::uint64_t> {};
struct lanes_seen : mgws::sum<std::uint64_t> {};
struct wrong : mgws::maximum<std::uint32_t> {};
struct most_lanes : mgws::maximum<std::uint32_t> {};

struct joins : mgws::sum<std::uint64_t> {};     ///< three for each that was right
struct finishes : mgws::sum<std::uint64_t> {};  ///< that were right
struct waited : mgws::sum<std::uint64_t> {};    ///< tasks of a lower priority
using results =
    mgws::accumulators<instances, lanes_seen, wrong, most_lanes, joins, finishes, waited>;

/// What lanes contribute to what comes after a finish.
struct below_it : mgws::sum<std::uint64_t> {};

struct context {
  std::uint32_t workers;  ///< of the run
  std::uint32_t devices;
  std::uint32_t lanes;  ///< of all workers
  /// For each of these, whether a task is at work there.
  std::uint32_t* at_work;
  std::uint64_t fail_with;  ///< that every instance reports; 0: none does
};

enum fault : std::uint32_t {
  lane_beyond_lanes = 1,
  id_beyond_workers = 2,
  wrong_context = 4,
  any_of_none = 8,
  none_of_all = 16,
  missed_one = 32,  ///< that only the last lane names
  clock_ran_back = 64,
  stops_untold = 128,
  lane_of_another = 256,
  lane_taken = 512,
  scratch_of_another = 1024,
  another_first = 2048,
  value_of_another = 4096,
  wrong_sum = 8192,
};

/// Waits for a value and for a sign that a task is done.
template <mgws::shape Width>
struct both {
  static constexpr auto width = Width;
  static constexpr bool continuation = true;
  std::uint64_t value;
  MGWS_FN void operator()(auto& worker) const {
    if (worker.lane() == 0) worker.accumulate(joins{}, value);
  }
};
template <mgws::shape Width>
struct half {
  static constexpr auto width = Width;
  mgws::place<std::uint64_t> value;
  mgws::place<void> done;
  MGWS_FN void operator()(auto& worker) const {
    if (worker.lane() != worker.lanes() - 1) return;
    worker.deliver(value, 3);
    worker.deliver(done);
  }
};

/// Comes after so many instances of below, all of whose lanes have contributed.
template <mgws::shape Width>
struct after {
  static constexpr auto width = Width;
  static constexpr bool after_finish = true;
  std::uint32_t n;
  mgws::accumulators<below_it> gathered{};
  MGWS_FN void operator()(auto& worker) const {
    if (worker.lane() == 0 && gathered.template get<below_it>() == n * worker.lanes())
      worker.accumulate(finishes{}, 1);
  }
};
template <mgws::shape Width>
struct below {
  static constexpr auto width = Width;
  MGWS_FN void operator()(auto& worker, mgws::task_index /*i*/) const {
    worker.contribute(below_it{}, 1);
  }
};
template <mgws::shape Width>
struct patient {
  static constexpr auto width = Width;
  static constexpr std::uint32_t priority = 1;
  MGWS_FN void operator()(auto& worker) const {
    if (worker.lane() == 0) worker.accumulate(waited{}, 1);
  }
};

/// Spawns one task and a slot of two until the level is 0: 3^level leaves. Each that spawns joins
/// two halves besides, makes three finishes, of two tasks, of three and of none, and spawns a
/// patient task.
template <mgws::shape Width>
struct every_member {
  static constexpr auto width = Width;
  using scratch = std::array<std::uint32_t, 2>;
  std::uint32_t level;

  MGWS_FN void operator()(auto& worker, mgws::task_index /*i*/) const {
    const std::uint64_t began = worker.now();
    const context& told = worker.context();
    const std::uint32_t lane = worker.lane();
    const std::uint32_t lanes = worker.lanes();
    std::uint32_t found = 0;
    if (lane >= lanes) found |= lane_beyond_lanes;
    if (worker.workers() != told.workers || worker.id() >= told.workers ||
        worker.device() >= told.devices)
      found |= id_beyond_workers;
    const std::uint32_t at = worker.global_lane();
    if (worker.global_lanes() != told.lanes || at >= told.lanes || at % lanes != lane ||
        at / (told.lanes / told.workers) != worker.id())
      found |= lane_of_another;
    const mgws::atomic_ref here(told.at_work[at < told.lanes ? at : 0]);
    if (here.exchange(1) != 0) found |= lane_taken;
    if (told.devices == 0) found |= wrong_context;
    if (worker.any(false)) found |= any_of_none;
    worker.sync();
    if (!worker.any(true)) found |= none_of_all;
    if (!worker.any(lane == lanes - 1)) found |= missed_one;
    const std::uint32_t middle = lanes / 2;
    if (worker.first(lane + 1 > middle) != middle || worker.first(false) != lanes)
      found |= another_first;
    const auto shown = worker.broadcast(std::array<std::uint32_t, 3>{lane, ~lane, at}, middle);
    if (shown[0] != middle || shown[1] != ~middle || shown[2] != at - lane + middle)
      found |= value_of_another;
    if (worker.reduce(std::uint64_t{lane} << 40, [](std::uint64_t a, std::uint64_t b) {
          return a + b;
        }) != std::uint64_t{lanes} * (lanes - 1) / 2 << 40)
      found |= wrong_sum;
    // The lanes of a task share it.
    const auto mine = worker.scratch(*this);
    if (lane == 0) mine[1] = told.workers + at;
    worker.sync();
    if (mine.size() != 2 || mine[1] != told.workers + at - lane) found |= scratch_of_another;
    worker.heartbeat();
    if (told.fail_with == 0 && worker.stopping()) found |= stops_untold;
    if (told.fail_with != 0 && lane == 0) worker.fail(told.fail_with);

    worker.accumulate(lanes_seen{}, 1);
    worker.template accumulate<most_lanes>(lanes);
    if (lane == 0) worker.accumulate(instances{}, 1);
    if (level != 0 && lane == lanes - 1) {
      worker.spawn(every_member{level - 1});
      worker.spawn_n(every_member{level - 1}, 2);
      worker.spawn_n(every_member{level - 1}, 0);
      const auto all = worker.join(both<Width>{0}, 2);
      worker.spawn(half<Width>{all.to(&both<Width>::value), {}});
      worker.spawn(half<Width>{{}, all.done()});
      worker.finish(after<Width>{2}, below<Width>{}, below<Width>{});
      worker.finish_n(after<Width>{3}, below<Width>{}, 3);
      worker.finish(after<Width>{0});
      worker.spawn(patient<Width>{});
    }
    worker.release();
    if (worker.now() < began) found |= clock_ran_back;
    worker.accumulate(wrong{}, found);
    here.store(0);
  }
};

/// What is wrong with a run of `n` seeds of `level` on a runtime of these options, at one width;
/// empty if nothing is. \tparam Runtime  Runtime<tasks, accumulators, context>
template <mgws::shape Width, template <class, class, class> class Runtime>
std::string fault_at(const mgws::options& o, std::uint32_t n, std::uint32_t level) {
  using tasks = mgws::task_set<every_member<Width>, half<Width>, both<Width>, after<Width>,
                               below<Width>, patient<Width>>;
  Runtime<tasks, results, context> rt{o};
  rt.seed_n(every_member<Width>{level}, n);
  rt.keep_seeds(true);
  const mgws::array<std::uint32_t> at_work(rt.data_memory(),
                                           std::vector<std::uint32_t>(rt.lanes()));
  context told{rt.workers(), rt.devices(), rt.lanes(), at_work.data(), 0};
  const auto report = rt.run(told);
  std::uint64_t expected = 0;
  std::uint64_t spawned = 0;  // instances that spawn
  for (std::uint64_t of_level = n, i = 0; i <= level; ++i, of_level *= 3) {
    expected += of_level;
    if (i != level) spawned += of_level;
  }
  // A join's three, five below finishes, three after them, one that is patient.
  constexpr std::uint64_t besides = 3 + 5 + 3 + 1;
  if (report.template get<wrong>() != 0)
    return "a task was told what cannot be: " + std::to_string(report.template get<wrong>());
  if (report.template get<joins>() != 3 * spawned)
    return "joins that delivered " + std::to_string(report.template get<joins>()) + " instead of " +
           std::to_string(3 * spawned);
  if (report.template get<finishes>() != 3 * spawned)
    return std::to_string(report.template get<finishes>()) + " finishes that were right, of " +
           std::to_string(3 * spawned);
  if (report.template get<waited>() != spawned)
    return std::to_string(report.template get<waited>()) + " patient tasks instead of " +
           std::to_string(spawned);
  if (report.template get<instances>() != expected || report.tasks != expected + besides * spawned)
    return std::to_string(report.template get<instances>()) + " instances instead of " +
           std::to_string(expected);
  if (report.template get<lanes_seen>() != expected * report.template get<most_lanes>())
    return "not all lanes of a task ran it";
  told.fail_with = 4711;
  try {
    rt.run(told);
  } catch (const mgws::task_failed& e) {
    const auto& failed = rt.report_of_failed_run();
    if (!failed || failed->status != mgws::status::failed || failed->tasks == 0 ||
        failed->template get<instances>() == 0)
      return "nothing was left of a failed run";
    return e.code() == 4711 ? "" : "another code";
  }
  return "a failed task went unnoticed";
}

/// The same at all widths.
template <template <class, class, class> class Runtime>
std::string fault(const mgws::options& o, std::uint32_t n, std::uint32_t level) {
  std::string what = fault_at<mgws::shape::lane, Runtime>(o, n, level);
  if (!what.empty()) return "lane: " + what;
  what = fault_at<mgws::shape::warp, Runtime>(o, n, level);
  if (!what.empty()) return "warp: " + what;
  what = fault_at<mgws::shape::block, Runtime>(o, n, level);
  return what.empty() ? what : "block: " + what;
}

/// mgws::runtime with what a user leaves out left out.
template <class Tasks, class Accumulators, class Context>
using runtime = mgws::runtime<Tasks, Accumulators, Context>;

}  // namespace members
