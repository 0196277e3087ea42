/// \file
/// A join as the checker's programs make one: two parts, and a continuation that knows what it must
/// have been given. And frames of which the machine watches every access.
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

/// Makes a worker's frames known to the machine; so many of them are free, all others are never.
template <class Slot, class View>
void track_frames(machine& m, const View& v, unsigned worker, unsigned n, unsigned devices) {
  using frame_type = frame<typename View::backend, Slot>;
  const std::string of = " of worker " + std::to_string(worker);
  for (unsigned i = 0; i != n; ++i) {
    const auto number = (worker << k_log_frames) + i;
    auto* const f =
        static_cast<frame_type*>(v.frame(devices, number, k_log_frames, sizeof(frame_type)));
    new (&f->word) decltype(f->word){};
    f->word.track("frame " + std::to_string(i) + of);
    m.watch(&f->slot, sizeof f->slot, "slot of frame " + std::to_string(i) + of);
  }
  auto& taken = v.free_frames(worker, free_frames<typename View::backend>::lines(64))->taken[0];
  taken.plain() = ~std::uint64_t{0} << n;
  taken.track("frames taken" + of);
}
/// After a run of which the first worker had one free frame and the others none.
template <class View>
bool all_frames_free(const View& v, unsigned workers) {
  for (unsigned w = 0; w != workers; ++w)
    if (v.free_frames(w, free_frames<typename View::backend>::lines(64))->taken[0].peek() !=
        ~std::uint64_t{0} << (w == 0 ? 1 : 0))
      return false;
  return true;
}

}  // namespace mgws::model_backend
