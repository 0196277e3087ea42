// Joins: frames by themselves, made, delivered into, completed by whoever comes last, and used
// again; then in whole runs.
#include "joins.hpp"
#include "run_program.hpp"

namespace mgws::model_backend {

namespace {

/// A maker and one or two others, each with a part of every join. There is one frame.
/// \tparam Far    the others are of another device, and scopes matter
/// \tparam Apart  and each device has a memory of its own, so that what they deliver comes back
template <unsigned Others, unsigned Rounds, bool Far, bool Apart = false>
struct alone {
  using B = backend;
  using P = protocol<small_layout<3, 2, 2>>;
  using transport = mgws::transport<placed_view<B, scope::system_t, Apart ? 2 : 1>, area>;
  using view = typename transport::view;
  using tasks = task_set<joined>;
  using slot_type = slot<tasks>;
  /// What frames ask of a configuration.
  struct configuration {
    using protocol = P;
    using view = alone::view;
    using tasks = alone::tasks;
  };
  using frames_type = frames<configuration>;
  static constexpr unsigned k_workers = 1 + Others;
  static constexpr unsigned k_parts = Others == 1 ? 2 : 3;

  /// Where the maker tells the others of a place: as a slot's publication does.
  struct world {
    atomic<std::uint64_t> told[Rounds];
  };
  static inline world* w;
  static inline transport* shared;
  static inline view workers_view;
  static inline run_parameters run;
  static inline device_range devices[2];

  template <class Fill>
  static void run_continuation(Fill&& fill) {
    slot_type s;
    fill(s);
    s.template read<joined>().get().run();
  }
  /// Takes what others have sent back.
  static void take_returned([[maybe_unused]] frames_type& all) {
    if constexpr (Apart)
      all.take_returned([] {}, [](auto&& fill) { run_continuation(fill); },
                        [](std::uint32_t) { the_machine().fail("nothing awaits what came back"); });
  }
  /// Delivers the part of one worker. The third one delivers no value.
  static void deliver(frames_type& all, unsigned id, unsigned round, place<void> to) {
    const std::uint64_t value = round + 100 * (id + 1);
    to.offset = id == 0 ? offsetof(joined, first) : offsetof(joined, second);
    const bool awaited = all.deliver(
        to,
        [&](slot_type& s) {
          if (id < 2) B::write_plain(s.template as<std::uint64_t>(to.offset), value);
        },
        [&](auto&& fill) { run_continuation(fill); });
    if (!awaited) the_machine().fail("a delivery that is awaited is refused");
  }

  static void body(void* argument, unsigned) {
    const auto id = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(argument));
    const worker_place at(run, Far && id != 0 ? 1 : 0, id);
    lane_frames mine;
    sent_back_of<P, view, tasks> sent(run, at.device);
    frames_type all(workers_view, run, at, mine, sent);
    all.begin(0);
    for (unsigned round = 0; round != Rounds; ++round) {
      if (id == 0) {
        std::uint16_t generation = 0;
        B::backoff wait;
        std::uint32_t number = 0;
        while ((number = all.open(joined{round, 0, 0}, k_parts, generation)) == all.none) {
          take_returned(all);
          wait.pause();
        }
        if (number != 0) the_machine().fail("a frame that is not free");
        B::store(w->told[round], std::uint64_t{generation}, order::release, scope::system);
        deliver(all, id, round, {number, 0, generation});
        // Without work: what it keeps is for others, too.
        all.end();
      } else {
        std::uint64_t generation = 0;
        for (B::backoff wait;
             (generation = B::load(w->told[round], order::acquire, scope::system)) == 0;)
          wait.pause();
        deliver(all, id, round, {0, 0, static_cast<std::uint16_t>(generation)});
      }
    }
    if (Apart && id == 0)
      for (B::backoff wait; ghost->done != ghost->tasks;) {
        take_returned(all);
        wait.pause();
      }
    all.end();
  }

  static const char* at_end() {
    if (ghost->done != ghost->tasks) return "a continuation never ran";
    return all_frames_free(workers_view, k_workers, &one_frame) ? nullptr : "a frame is not free";
  }

  static void setup(machine& m) {
    new_world(m, Rounds);
    w = new (m.allocate<world>(1)) world{};
    for (unsigned i = 0; i != Rounds; ++i)
      w->told[i].track("place " + std::to_string(i));
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
    transport_request request{.workers = k_workers,
                              .queues = 1,
                              .queue_bytes = sizeof(slot_type),
                              .frame_bytes = sizeof(frame<B, slot_type>) << k_log_frames,
                              .frame_lines = free_frames<B>::lines(1u << k_log_frames)};
    if (Apart) request.devices = {devices[0], devices[1]};
    shared = new transport(request);
    workers_view = shared->workers_view(nullptr);
    for (unsigned i = 0; i != k_workers; ++i)
      track_frames<slot_type>(m, workers_view, i, i == 0 ? 1 : 0);
    for (unsigned d = 0; d != run.devices; ++d)
      track_returns(workers_view, d);
    for (std::uintptr_t i = 0; i != k_workers; ++i)
      m.spawn(i == 0 ? "maker" : "other " + std::to_string(i), Far && i != 0 ? 1 : 0, &body,
              reinterpret_cast<void*>(i));
    m.at_end(&at_end);
  }
};

constexpr scenario k_scenarios[] = {
    {"frame", "2 joins of 2 parts, one after the other in one frame; 2 workers",
     &alone<1, 2, false>::setup},
    {"frame-3", "2 joins of 3 parts; 3 workers", &alone<2, 2, false>::setup},
    {"frame-scopes", "2 joins of 2 parts; 2 workers on 2 devices, scopes matter",
     &alone<1, 2, true>::setup},
    {"frame-apart", "the same, each device with its own memory", &alone<1, 2, true, true>::setup},
    {"frame-apart-3", "2 joins of 3 parts; 1 worker and 2 on 2 devices with their own memory",
     &alone<2, 2, true, true>::setup},
    {"join-run",
     "2 workers, counter; task 0 joins 2 tasks, whose results a third is given",
     run_of<shape{.tasks = 4, .joins = true}>,
     -1,
     {milestone::steal}},
    {"join-run-devices",
     "the same on 2 devices, hierarchical, scopes matter",
     run_of<shape{.how = termination::hierarchical,
                  .devices = 2,
                  .workers = {1, 1},
                  .tasks = 4,
                  .scopes = true,
                  .joins = true}>,
     2,
     {milestone::far_steal}},
    {"join-run-apart",
     "the same, each device with its own memory",
     run_of<shape{.how = termination::hierarchical,
                  .devices = 2,
                  .workers = {1, 1},
                  .tasks = 4,
                  .scopes = true,
                  .apart = true,
                  .joins = true}>,
     2,
     {milestone::far_steal}},
    {"join-run-apart-3",
     "the same with 3 workers, 2 on the first device; by votes",
     run_of<shape{.how = termination::tree,
                  .devices = 2,
                  .workers = {2, 1},
                  .tasks = 4,
                  .scopes = true,
                  .apart = true,
                  .joins = true}>,
     1,
     {milestone::far_steal}},
};

}  // namespace

std::span<const scenario> join_scenarios() {
  return k_scenarios;
}

}  // namespace mgws::model_backend
