// Two queues of two owners each: one owner publishes, the other steals from the other queue and
// then takes from its own.
#include <new>

#include "scenario.hpp"
#include "world.hpp"

namespace mgws::model_backend {

namespace {

using B = backend;
using layout = small_layout<3, 2, 2>;
using P = protocol<layout>;

struct alignas(16) slot_type {
  std::uint64_t content[2];
};
using local_type = local_queue<B, slot_type>;
using queue_type = public_queue<P, B, slot_type, scope::system_t>;

constexpr unsigned k_ring = 2;
constexpr unsigned k_pairs = 2;

struct world {
  queue_head<B> head[k_pairs];
  slot_type slots[k_pairs][k_ring];
  slot_type local[2 * k_pairs][2];
};
world* w = nullptr;

ring<slot_type> slots_of(unsigned queue) {
  return {w->slots[queue], k_ring};
}
queue_type queue_of(unsigned number) {
  return {w->head[number], slots_of(number), 2, k_ring, scope::system};
}

void consume(local_type& local) {
  for (std::uint32_t i = local.tail(); i != local.head(); ++i)
    ghost_run(static_cast<unsigned>(local.slots().at(i).content[0] - 1));
  local.took_oldest(local.size());
}

void publisher(void* argument, unsigned) {
  const auto number = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(argument));
  local_type local(w->local[number], 2);
  local.push().content[0] = number + 1;
  auto queue = queue_of(number);
  local.took_oldest(queue.release(local.slots(), local.tail(), local.size()).slots);
  consume(local);
}

void thief(void* argument, unsigned) {
  const auto number = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(argument));
  const unsigned other = k_pairs - 1 - number;
  notes().own_queue = 1 + number;
  local_type local(w->local[k_pairs + number], 2);
  std::uint32_t stolen = 0;
  (void)steal<P, B, slot_type>(
      w->head[other], slots_of(other), local, scope::system, true, [] {}, [] {}, stolen);
  consume(local);
  auto queue = queue_of(number);
  (void)queue.acquire(local, 0, 2, [] {});
  consume(local);
}

const char* at_end() {
  std::uint32_t left = 0;
  for (const auto& head : w->head) {
    const auto f = layout::decode(head.word.peek());
    if (f.lock) return "a queue was left locked";
    left += f.remaining();
    if (head.completed[0].peek() + head.completed[1].peek() !=
        head.claimed[0].peek() + head.claimed[1].peek() + f.claimed())
      return "claims and completions do not agree at the end";
  }
  return ghost->done + left == ghost->tasks ? nullptr : "a task never ran";
}

void setup(machine& m) {
  new_world(m, k_pairs);
  w = new (m.allocate<world>(1)) world{};
  for (unsigned q = 0; q != k_pairs; ++q) {
    track_queue<layout>(w->head[q], q, true);
    m.watch(w->slots[q], sizeof w->slots[q], "slots of queue " + std::to_string(q));
  }
  for (unsigned q = 0; q != k_pairs; ++q)
    m.spawn("publisher " + std::to_string(q), 0, &publisher,
            reinterpret_cast<void*>(std::uintptr_t{q}));
  for (unsigned q = 0; q != k_pairs; ++q)
    m.spawn("thief " + std::to_string(q), 0, &thief, reinterpret_cast<void*>(std::uintptr_t{q}));
  m.at_end(&at_end);
}

constexpr scenario k_scenarios[] = {
    {"crossing", "two queues of two owners, one of whom steals from the other queue", &setup, 4},
};

}  // namespace

std::span<const scenario> crossing_scenarios() {
  return k_scenarios;
}

}  // namespace mgws::model_backend
