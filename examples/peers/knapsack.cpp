// The items of ../knapsack.cpp, by branch and bound: recursively, and by oneTBB's task_group.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <tbb/task_group.h>

#include "peer.hpp"

struct item {
  std::uint32_t weight, value;
};
// With the best value that anybody has found.
struct problem {
  std::vector<item> items;
  std::uint64_t room = 0;
  std::atomic<std::uint64_t> best{0};

  // What the items from one on may add.
  [[nodiscard]] std::uint64_t most(std::size_t next, std::uint64_t left) const {
    std::uint64_t sum = 0;
    for (; next != items.size(); ++next) {
      if (items[next].weight > left) return sum + left * items[next].value / items[next].weight;
      left -= items[next].weight;
      sum += items[next].value;
    }
    return sum;
  }
  // Whether it is worth deciding about the next item.
  [[nodiscard]] bool goes_on(std::size_t next, std::uint64_t left, std::uint64_t value) {
    std::uint64_t known = best.load(std::memory_order_relaxed);
    if (value + most(next, left) <= known) return false;
    if (next != items.size()) return true;
    while (known < value && !best.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
    }
    return false;
  }
};

void recursively(problem& p, std::size_t next, std::uint64_t left, std::uint64_t value) {
  if (!p.goes_on(next, left, value)) return;
  const item i = p.items[next];
  if (i.weight <= left) recursively(p, next + 1, left - i.weight, value + i.value);
  recursively(p, next + 1, left, value);
}
// The last `cut` items are nobody's task.
void in_tasks(problem& p, tbb::task_group& all, std::size_t cut, std::size_t next,
              std::uint64_t left, std::uint64_t value) {
  if (next + cut > p.items.size()) return recursively(p, next, left, value);
  if (!p.goes_on(next, left, value)) return;
  const item i = p.items[next];
  all.run([=, &p, &all] { in_tasks(p, all, cut, next + 1, left, value); });
  if (i.weight <= left) in_tasks(p, all, cut, next + 1, left - i.weight, value + i.value);
}

int main(int argc, char** argv) {
  const std::size_t n = std::min(argc > 1 ? std::stoul(argv[1]) : 40, 64ul);
  // Of the cuts that were tried, from 0 to 54, the fastest. With 0 each decision is a task.
  const std::size_t cut = argc > 2 ? std::stoul(argv[2]) : 24;
  problem alone, shared;
  std::uint32_t x = 7;
  for (std::size_t k = 0; k != n; ++k) {
    const std::uint32_t weight = 1 + ((x = x * 1664525 + 1013904223) >> 16) % 1000;
    alone.items.push_back({weight, weight + 100});
    alone.room += weight;
  }
  alone.room /= 2;
  std::ranges::sort(alone.items, [](const item& a, const item& b) {
    return std::uint64_t{a.value} * b.weight > std::uint64_t{b.value} * a.weight;
  });
  shared.items = alone.items;
  shared.room = alone.room;
  return compare([&] { recursively(alone, 0, alone.room, 0); },
                 [&] {
                   tbb::task_group all;
                   in_tasks(shared, all, cut, 0, shared.room, 0);
                   all.wait();
                 },
                 [&] { return shared.best == alone.best; });
}
