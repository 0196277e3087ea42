// Finishes: tokens by themselves, drawn, given back and counted by two workers and by three; then
// in whole runs, nested, and with workers of two lanes.
#include <mgws/core/purse.hpp>

#include "joins.hpp"
#include "run_program.hpp"

namespace mgws::model_backend {

namespace {

/// A maker and one or two others. The maker's root spawns a task for the next worker, whose task
/// spawns one for the third. There is one frame.
/// \tparam Far   the others are of another device, and scopes matter
/// \tparam Then  what comes after, which may gather
template <unsigned Others, unsigned Rounds, bool Far, class Then = finished>
struct alone {
  using B = backend;
  using P = protocol<small_layout<3, 2, 2>>;
  using transport = host_transport<B, area>;
  using view = transport::view;
  using tasks = task_set<Then>;
  using slot_type = slot<tasks>;
  /// What purses ask of a configuration.
  struct configuration {
    using protocol = P;
    using view = alone::view;
    using backend = B;
    using tasks = alone::tasks;
  };
  using purse_type = purse<configuration>;
  static constexpr unsigned k_workers = 1 + Others;
  /// Of a round: one for each worker, and what comes after them.
  static constexpr unsigned k_of_round = k_workers + 1;

  /// Where a worker is told of its task, and of its finish: as by a slot's publication.
  struct world {
    atomic<std::uint64_t> told[Rounds][k_workers];
    atomic<std::uint64_t> gathered;
  };
  static inline world* w;
  static inline transport* shared;
  static inline view workers_view;
  static inline run_parameters run;
  static inline device_range devices[2];

  static void body(void* argument, unsigned) {
    const auto id = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(argument));
    const worker_place at(run, Far && id != 0 ? 1 : 0, id);
    lane_frames free;
    purse_of_lane<tasks> mine;
    sent_back_of<P, view, tasks> sent(run, at.device);
    frames<configuration> all(workers_view, run, at, free, sent);
    purse_type own(all, mine);
    all.begin(0);
    const auto push = [](auto&& fill) {
      slot_type s;
      fill(s);
      s.template read<Then>().get()(*w);
    };
    for (unsigned round = 0; round != Rounds; ++round) {
      const unsigned first = round * k_of_round;
      std::uint32_t finish = 0;
      B::backoff wait;
      if (id == 0) {
        std::uint32_t number = 0;
        while ((number = all.open_finish(Then{first + k_workers, first}, 1, 0)) == all.none)
          wait.pause();
        finish = number + 1;
      } else {
        while ((finish = static_cast<std::uint32_t>(
                    B::load(w->told[round][id], order::acquire, scope::system))) == 0)
          wait.pause();
      }
      if (own.change(finish, push)) the_machine().fail("a finish that nobody is below ends");
      mine.put(1);
      if (id + 1 != k_workers) {
        mine.take(1, [&] { own.draw(1); });
        B::store(w->told[round][id + 1], std::uint64_t{finish}, order::release, scope::system);
      }
      the_machine().call({.kind = op::act, .value = first + id});
      ghost_run(first + id);
      write_below(first + id);
      if constexpr (tasks::gathers) mine.gathered.template add<contributed>(1);
      static_cast<void>(own.change(0, push));
      all.end();
    }
  }

  static const char* at_end() {
    if (ghost->done != ghost->tasks) return "what comes after a finish never ran";
    return all_frames_free(workers_view, k_workers, &one_frame) ? nullptr : "a frame is not free";
  }

  static void setup(machine& m) {
    new_world(m, Rounds * k_of_round);
    w = new (m.allocate<world>(1)) world{};
    for (unsigned r = 0; r != Rounds; ++r)
      for (unsigned i = 1; i != k_workers; ++i)
        w->told[r][i].track("task " + std::to_string(i) + " of round " + std::to_string(r));
    devices[0] = {0, Far ? 1u : k_workers, 0, 1};
    devices[1] = {1, k_workers - 1, 1, 1};
    run = {};
    run.workers = k_workers;
    run.queues = run.owners = 1;
    run.devices = Far ? 2 : 1;
    run.device = devices;
    run.log_frames = k_log_frames;
    m.several_devices = Far;
    delete shared;
    shared = new transport({.workers = k_workers,
                            .queues = 1,
                            .queue_bytes = sizeof(slot_type),
                            .frame_bytes = sizeof(frame<B, slot_type>) << k_log_frames,
                            .frame_lines = free_frames<B>::lines(1u << k_log_frames)});
    workers_view = shared->workers_view(nullptr);
    for (unsigned i = 0; i != k_workers; ++i)
      track_frames<slot_type>(m, workers_view, i, one_frame(i));
    if constexpr (tasks::gathers) {
      auto* const f = static_cast<frame<B, slot_type>*>(
          workers_view.frame(0, k_log_frames, sizeof(frame<B, slot_type>)));
      gathered_numbers::begin();
      gathered_numbers::track(f->cells.template cell<contributed>(), w->gathered,
                              "what is contributed");
    }
    watch_written(m, Rounds * k_of_round);
    for (std::uintptr_t i = 0; i != k_workers; ++i)
      m.spawn(i == 0 ? "maker" : "other " + std::to_string(i), Far && i != 0 ? 1 : 0, &body,
              reinterpret_cast<void*>(i));
    m.at_end(&at_end);
  }
};

constexpr scenario k_scenarios[] = {
    {"finish", "2 finishes of 2 tasks, one after the other in one frame; 2 workers",
     &alone<1, 2, false>::setup},
    {"finish-3", "2 finishes of 3 tasks; 3 workers", &alone<2, 2, false>::setup},
    {"finish-scopes", "2 finishes of 3 tasks; 3 workers on 2 devices, scopes matter",
     &alone<2, 2, true>::setup},
    {"finish-gathers", "2 finishes of 2 tasks, each of which contributes; 2 workers",
     &alone<1, 2, false, gathering_finished>::setup},
    {"finish-gathers-3", "a finish of 3 tasks that contribute; 3 workers",
     &alone<2, 1, false, gathering_finished>::setup},
    {"finish-gathers-scopes",
     "2 finishes of 2 tasks that contribute; 2 workers on 2 devices, scopes matter",
     &alone<1, 2, true, gathering_finished>::setup},
    {"finish-run",
     "2 workers, counter; task 0 makes a finish of 2 tasks, the second spawned by the first",
     run_of<shape{.tasks = 4, .finishes = true}>,
     -1,
     {milestone::steal}},
    {"finish-run-nested",
     "the same with a finish below it",
     run_of<shape{.tasks = 5, .finishes = true, .nested = true}>,
     3,
     {milestone::steal}},
    {"finish-run-3",
     "3 workers; task 0 makes a finish of 2 tasks",
     run_of<shape{.workers = {3, 0}, .tasks = 4, .finishes = true, .ways = 2}>,
     2,
     {milestone::steal}},
    {"finish-run-devices",
     "the same, 2 workers on 2 devices, hierarchical, scopes matter",
     run_of<shape{.how = termination::hierarchical,
                  .devices = 2,
                  .workers = {1, 1},
                  .tasks = 4,
                  .scopes = true,
                  .finishes = true}>,
     2,
     {milestone::far_steal}},
    {"finish-run-apart",
     "the same with a finish below it, each device with its own memory",
     run_of<shape{.how = termination::hierarchical,
                  .devices = 2,
                  .workers = {1, 1},
                  .tasks = 5,
                  .scopes = true,
                  .apart = true,
                  .finishes = true,
                  .nested = true}>,
     2,
     {milestone::far_steal}},
};

}  // namespace

std::span<const scenario> finish_scenarios() {
  return k_scenarios;
}

}  // namespace mgws::model_backend
