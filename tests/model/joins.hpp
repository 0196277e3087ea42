/// \file
/// A join as the checker's programs make one: two parts, and a continuation that knows what it must
/// have been given. A finish: tasks that write, and one after them that reads. And frames of which
/// the machine watches every access.
#pragma once

#include <cstdint>
#include <new>
#include <string>

#include <mgws/core/frames.hpp>

#include "world.hpp"

namespace mgws::model_backend {

inline constexpr std::uint8_t k_log_frames = 6;

/// Races are looked for by words of 16 bytes: no two parts share one.
struct joined {
  static constexpr bool continuation = true;
  std::uint32_t task;  ///< its own number
  alignas(16) std::uint64_t first;
  alignas(16) std::uint64_t second;

  void operator()(auto& /*worker*/) const { run(); }
  void run() const {
    the_machine().call({.kind = op::act, .value = task});
    ghost_run(task);
    if (first != task + 100 || second != task + 200)
      the_machine().fail("a continuation is not given what was delivered");
  }
};
struct joined_part {
  std::uint16_t task;
  std::uint16_t value;
  place<std::uint64_t> to;

  void operator()(auto& worker) const {
    the_machine().call({.kind = op::act, .value = task});
    ghost_run(task);
    worker.deliver(to, value);
  }
};
/// Task `root` makes three: two parts and what they are for.
void join_two(auto& worker, unsigned root) {
  const auto continued = root + 3;
  const auto all = worker.join(joined{continued, 0, 0}, 2);
  const auto part = [&](unsigned i, place<std::uint64_t> to) {
    worker.spawn(joined_part{static_cast<std::uint16_t>(root + i),
                             static_cast<std::uint16_t>(continued + 100 * i), to});
  };
  part(1, all.to(&joined::first));
  part(2, all.to(&joined::second));
}

/// What the tasks below a finish write, a word of 16 bytes each.
struct alignas(16) written {
  std::uint64_t value;
};
inline written* all_written = nullptr;
inline void watch_written(machine& m, unsigned n) {
  all_written = m.allocate<written>(n);
  m.watch(all_written, n * sizeof(written), "what the tasks below a finish write");
}
/// Task i writes its cell.
inline void write_below(unsigned i) {
  backend::write_plain(all_written[i].value, std::uint64_t{100} + i);
}
/// What comes after tasks [first, end) reads theirs.
inline void read_after(unsigned first, unsigned end) {
  for (; first != end; ++first) {
    if (ghost->ran[first] == 0) the_machine().fail("a finish ends before the tasks below it");
    if (backend::read_plain(all_written[first].value) != 100 + first)
      the_machine().fail("what comes after a finish does not see what was done below it");
  }
}

/// Which number what comes after a finish has, and from which on it has waited for tasks.
struct finished {
  static constexpr bool after_finish = true;
  std::uint32_t task;
  std::uint32_t from;

  void operator()(auto& /*worker*/) const {
    the_machine().call({.kind = op::act, .value = task});
    ghost_run(task);
    read_after(from, task);
    write_below(task);
  }
};
/// The same, given how many have contributed: each task before it.
struct contributed : sum<std::uint64_t> {};
struct gathering_finished : finished {
  accumulators<contributed> gathered{};

  void operator()(auto& worker) const {
    finished::operator()(worker);
    if (gathered.get<contributed>() != task - from)
      the_machine().fail("what comes after a finish is not given what was contributed");
  }
};
/// A task below a finish. It may spawn another one, or make a finish of its own with it.
struct below_finish {
  std::uint16_t task;
  std::uint16_t spawns;  ///< a task; 0: none
  bool nested;

  void operator()(auto& worker) const {
    the_machine().call({.kind = op::act, .value = task});
    ghost_run(task);
    write_below(task);
    if (spawns == 0) return;
    const below_finish next{spawns, 0, false};
    if (nested) {
      worker.finish(finished{spawns + 1u, spawns}, next);
    } else {
      worker.spawn(next);
    }
  }
};
/// Task 0 makes a finish of two tasks, or of two and of what comes after the second of them.
void finish_two(auto& worker, bool nested) {
  worker.finish(finished{nested ? 4u : 3u, 1}, below_finish{1, 2, nested});
}
/// Task 0 makes a finish of three tasks at once, the first of which spawns a fourth. Task 5 runs
/// after it.
void finish_four(auto& worker) {
  worker.finish(finished{5, 1}, below_finish{1, 4, false}, below_finish{2, 0, false},
                below_finish{3, 0, false});
}
/// Task 0 makes two finishes, side by side, of tasks 1 and 3. Tasks 2 and 4 run after them.
void two_finishes(auto& worker) {
  worker.finish(finished{2, 1}, below_finish{1, 0, false});
  worker.finish(finished{4, 3}, below_finish{3, 0, false});
}

/// The same with tasks 1 to 4 as instances of one slot: below a finish, and as parts of a join
/// without values.
struct instance_below {
  void operator()(auto& /*worker*/, task_index i) const {
    const unsigned task = i + 1;
    the_machine().call({.kind = op::act, .value = task});
    ghost_run(task);
    write_below(task);
  }
};
struct instance_part {
  place<void> to;

  void operator()(auto& worker, task_index i) const {
    instance_below{}(worker, i);
    worker.deliver(to);
  }
};
struct joined_instances {
  static constexpr bool continuation = true;

  void operator()(auto& /*worker*/) const {
    the_machine().call({.kind = op::act, .value = 5});
    ghost_run(5);
    read_after(1, 5);
  }
};
void finish_instances(auto& worker) {
  worker.finish_n(finished{5, 1}, instance_below{}, 4);
}
void join_instances(auto& worker) {
  worker.spawn_n(instance_part{worker.join(joined_instances{}, 4).done()}, 4);
}

/// Makes a worker's frames known to the machine; so many of them are free, all others are never.
/// \param domain  whose workers alone reach them
template <class Slot, class View>
void track_frames(machine& m, const View& v, unsigned worker, unsigned n, std::uint8_t domain = 0) {
  using frame_type = frame<typename View::backend, Slot>;
  const std::string of = " of worker " + std::to_string(worker) +
                         (domain == 0 ? "" : " of domain " + std::to_string(unsigned{domain}));
  for (unsigned i = 0; i != n; ++i) {
    const auto number = (worker << k_log_frames) + i;
    auto* const f = static_cast<frame_type*>(v.frame(number, k_log_frames, sizeof(frame_type)));
    new (&f->word) decltype(f->word){};
    f->word.track("frame " + std::to_string(i) + of, domain);
    if constexpr (Slot::tasks::has_finish || k_returns<View>) {
      new (&f->tokens) decltype(f->tokens){};
      f->tokens.track("tokens of frame " + std::to_string(i) + of, domain);
    }
    m.watch(&f->slot, sizeof f->slot, "slot of frame " + std::to_string(i) + of);
  }
  auto& taken = v.free_frames(worker, free_frames<typename View::backend>::lines(64))->taken[0];
  taken.plain() = ~std::uint64_t{0} << n;
  taken.track("frames taken" + of, domain);
}
/// Makes known what comes back to frames of a device from others.
template <class View>
void track_returns(const View& v, unsigned device) {
  if constexpr (k_returns<View>) {
    const std::string of = " of device " + std::to_string(device);
    v.returns(device).newest.track("newest frame that came back" + of);
    v.returns(device).pending.track("frames that came back" + of);
  }
}
/// After a run before which each worker had so many free frames: frames_of(worker).
template <class View, class Frames>
bool all_frames_free(const View& v, unsigned workers, Frames&& frames_of) {
  for (unsigned w = 0; w != workers; ++w)
    if (v.free_frames(w, free_frames<typename View::backend>::lines(64))->taken[0].peek() !=
        ~std::uint64_t{0} << frames_of(w))
      return false;
  return true;
}
/// The first worker has one and the others none.
inline unsigned one_frame(unsigned worker) {
  return worker == 0 ? 1 : 0;
}

}  // namespace mgws::model_backend
