/// \file
/// What all programs under check share: tasks that know whether they ran, and queues that the
/// mutants know.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include <mgws/backends/model/backend.hpp>
#include <mgws/core/queues.hpp>

namespace mgws::model_backend {

inline constexpr unsigned k_most_tasks = 320;

/// What must hold whatever the schedule: every task runs exactly once.
struct ghost_state {
  std::uint8_t ran[k_most_tasks];
  std::uint32_t tasks;  ///< that the whole program has
  std::uint32_t done;
};
inline ghost_state* ghost = nullptr;

inline void ghost_run(unsigned id) {
  if (id >= ghost->tasks) the_machine().fail("a slot that holds no task was run");
  if (++ghost->ran[id] > 1) the_machine().fail("task " + std::to_string(id) + " ran twice");
  ++ghost->done;
}

/// Fails if the run is called over while a task has not run.
inline void ghost_over() {
  if (ghost->done != ghost->tasks)
    the_machine().fail("a worker takes the run as over while " +
                       std::to_string(ghost->tasks - ghost->done) + " task(s) have not run");
}

inline void new_world(machine& m, unsigned tasks) {
  ghost = m.allocate<ghost_state>(1);
  ghost->tasks = tasks;
  notes_of_fibers = m.allocate<lane_notes>(k_fibers);
  for (auto& q : known_queues)
    q = {};
  for (auto& b : known_boards)
    b = {};
  random_ways = 1;
  pieces_of_step = 1;
  m.step_name = [](std::uint8_t s) { return k_step_names[s]; };
  m.split_all = changed(behaviour::split_operations);
}

/// Makes a queue's atomics shared locations. The owner's books are private if it is alone.
/// \param number  below k_known_queues \param device  of its owners \param domain  likewise
template <class Layout, class B>
void track_queue(queue_head<B>& head, unsigned number, bool shared, unsigned device = 0,
                 std::uint8_t domain = 0) {
  const std::string q = "queue " + std::to_string(number) + " ";
  head.word.track(q + "word", domain);
  if (number >= k_known_queues) throw std::length_error("mgws: too many queues for the model");
  known_queue& k = known_queues[number];
  k.word = &head.word;
  for (unsigned e = 0; e != 2; ++e) {
    head.completed[e].track(q + "completed[" + std::to_string(e) + "]", domain);
    head.completed[e].lies_on(device);
    if (shared) head.claimed[e].track(q + "claimed[" + std::to_string(e) + "]", domain);
    k.completed[e] = &head.completed[e];
    k.claimed[e] = &head.claimed[e];
  }
  if (shared) head.acquired.track(q + "acquired", domain);
  k.shared = shared;
  k.locked = Layout::locked;
  k.epoch_of = [](std::uint64_t w) { return std::uint64_t{Layout::decode(w).epoch}; };
  k.block_of = [](std::uint64_t w) { return std::uint64_t{Layout::decode(w).block()}; };
  k.claimed_of = [](std::uint64_t w) { return std::uint64_t{Layout::decode(w).claimed()}; };
}

/// The same of a queue with a lock, the only one of its program.
template <class Layout, class B>
void track_queue(sdc_head<B>& head, unsigned /*number*/, bool shared, unsigned device = 0) {
  head.lock.track("queue lock");
  head.tail.track("queue tail");
  head.split.track("queue split");
  head.completed.track("queue completed");
  head.completed.lies_on(device);
  if (shared) head.acquired.track("queue acquired");
  known_sdc = {&head.tail, &head.split, &head.completed};
}

}  // namespace mgws::model_backend
