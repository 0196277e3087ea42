// The most valuable items that fit, by branch and bound: mgws::best is the bound that all tasks
// read, and keeps the items that it was found with.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <mgws/mgws.hpp>

struct item {
  std::uint32_t weight, value;
};
// The items that are taken, a bit each.
using heaviest = mgws::best<std::uint64_t, mgws::maximum, std::uint64_t>;

struct context {
  heaviest::view best;
  const item* items;  // the most valuable by weight first
  std::uint32_t n;
};

// What may be decided about the items from `next` on. A task goes through so much of it by itself,
// with an item before without it, and spawns what it has not come to.
struct decide {
  static constexpr int k_most = 512;
  std::uint64_t taken, room, value;
  std::uint32_t next;

  MGWS_FN void operator()(auto& worker) const {
    const context c = worker.context();
    decide at = *this;
    for (int i = 0; i != k_most; ++i) {
      const bool better = at.value + at.most(c) > c.best.value();
      if (better && at.next != c.n) {
        if (c.items[at.next].weight <= at.room) at.take(c);
        ++at.next;
        continue;
      }
      if (better) c.best.improve(at.value, at.taken);
      // Back to the last item that was taken here, and on without it.
      do {
        if (at.next == next) return;
        --at.next;
      } while ((at.taken >> at.next & 1) == 0);
      at.taken &= ~(std::uint64_t{1} << at.next);
      at.room += c.items[at.next].weight;
      at.value -= c.items[at.next++].value;
    }
    // The newest task runs first: the one that goes on from here.
    decide left = *this;
    for (; left.next != at.next; ++left.next)
      if (at.taken >> left.next & 1) {
        worker.spawn(decide{left.taken, left.room, left.value, left.next + 1});
        left.take(c);
      }
    worker.spawn(left);
  }

  MGWS_FN void take(const context& c) {
    taken |= std::uint64_t{1} << next;
    room -= c.items[next].weight;
    value += c.items[next].value;
  }
  // What the items left may add: all that fit in their order, and the part of the next that does.
  MGWS_FN std::uint64_t most(const context& c) const {
    std::uint64_t left = room, sum = 0;
    for (std::uint32_t i = next; i != c.n; ++i) {
      if (c.items[i].weight > left) return sum + left * c.items[i].value / c.items[i].weight;
      left -= c.items[i].weight;
      sum += c.items[i].value;
    }
    return sum;
  }
};

int main(int argc, char** argv) {
  const std::size_t n = std::min(argc > 1 ? std::stoul(argv[1]) : 40, 64ul);
  std::vector<item> items(n);
  std::uint64_t room = 0;
  std::uint32_t x = 7;
  for (item& i : items) {
    i.weight = 1 + ((x = x * 1664525 + 1013904223) >> 16) % 1000;
    i.value = i.weight + 100;
    room += i.weight;
  }
  room /= 2;
  std::sort(items.begin(), items.end(), [](const item& a, const item& b) {
    return std::uint64_t{a.value} * b.weight > std::uint64_t{b.value} * a.weight;
  });

  mgws::options o;
  std::string why;
  if (!mgws::gpu_names(why).empty()) o.devices = {{.kind = mgws::device_kind::gpu}};
  mgws::runtime<mgws::task_set<decide>, mgws::accumulators<>, context> rt(o);
  mgws::array<item> data(rt, n);
  data.upload(items);
  heaviest best(rt.data_places());
  rt.seed(decide{0, room, 0, 0});
  const auto report = rt.run({best.on(), data.data(), static_cast<std::uint32_t>(n)});

  // The optimum by dynamic programming, and whether these items are one.
  std::vector<std::uint64_t> optimum(room + 1);
  for (const item& i : items)
    for (std::uint64_t r = room; r >= i.weight; --r)
      optimum[r] = std::max(optimum[r], optimum[r - i.weight] + i.value);
  std::uint64_t weight = 0, value = 0;
  for (std::size_t i = 0; i != n; ++i)
    if (best.witness().value_or(0) >> i & 1) {
      weight += items[i].weight;
      value += items[i].value;
    }
  const bool right = best.value() == optimum[room] && value == best.value() && weight <= room;
  std::printf("%zu items worth %llu, weighing %llu of %llu, %llu tasks in %.4f s: %s\n", n,
              static_cast<unsigned long long>(value), static_cast<unsigned long long>(weight),
              static_cast<unsigned long long>(room), static_cast<unsigned long long>(report.tasks),
              report.seconds, right ? "optimal" : "WRONG");
  return right ? 0 : 1;
}
