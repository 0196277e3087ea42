// The shortest round trip through some towns, by branch and bound, best first: of the ways that
// were begun, those go on first that promise the shortest trip.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <mgws/mgws.hpp>

constexpr std::uint32_t k_most = 16;
using shortest = mgws::best<std::uint32_t, mgws::minimum>;

struct context {
  shortest::view best;
  const std::uint32_t* lengths;  // from town to town
  const std::uint32_t* least;    // the shortest road from each
  std::uint32_t n;
  std::uint32_t first;  // what the way of no road promises
  std::uint32_t step;   // how much more is a level further
};
struct visited : mgws::sum<std::uint64_t> {};

// A way from town 0 to one that it has come to.
struct way {
  static constexpr std::uint32_t priorities = 16;
  std::uint16_t seen;  // towns, a bit each
  std::uint8_t at, level;
  std::uint32_t length, promises;  // no trip that begins so is shorter

  MGWS_FN std::uint32_t priority() const { return level; }

  MGWS_FN void operator()(auto& worker) const {
    const context c = worker.context();
    if (promises >= c.best.value()) return;  // a shorter trip was found since
    worker.accumulate(visited{}, 1);
    const std::uint32_t* const roads = c.lengths + at * c.n;
    if (seen == (1u << c.n) - 1) {
      c.best.improve(length + roads[0]);
      return;
    }
    for (std::uint32_t to = 1; to != c.n; ++to) {
      if ((seen >> to & 1) != 0) continue;
      const std::uint32_t more = promises + roads[to] - c.least[at];
      if (more >= c.best.value()) continue;
      const std::uint32_t further = (more - c.first) / c.step;
      worker.spawn(way{static_cast<std::uint16_t>(seen | 1u << to), static_cast<std::uint8_t>(to),
                       static_cast<std::uint8_t>(further < 15 ? further : 15), length + roads[to],
                       more});
    }
  }
};

// By dynamic programming over the sets of towns (Held and Karp, 1962).
std::uint32_t held_karp(const std::vector<std::uint32_t>& lengths, std::uint32_t n) {
  std::vector<std::uint32_t> reach(std::size_t{n} << n, ~0u / 2);
  reach[std::size_t{1} * n] = 0;
  for (std::size_t seen = 1; seen < std::size_t{1} << n; seen += 2)
    for (std::uint32_t at = 0; at != n; ++at)
      for (std::uint32_t to = 1; to != n; ++to)
        if ((seen >> at & 1) != 0 && (seen >> to & 1) == 0) {
          std::uint32_t& there = reach[(seen | std::size_t{1} << to) * n + to];
          there = std::min(there, reach[seen * n + at] + lengths[at * n + to]);
        }
  std::uint32_t least = ~0u;
  for (std::uint32_t at = 1; at != n; ++at)
    least = std::min(least, reach[((std::size_t{1} << n) - 1) * n + at] + lengths[at * n]);
  return least;
}

int main(int argc, char** argv) {
  const auto n = static_cast<std::uint32_t>(
      std::clamp(argc > 1 ? std::stoul(argv[1]) : 13, 3ul, std::size_t{k_most}));
  std::vector<double> place;
  std::uint32_t x = 7;
  for (std::uint32_t i = 0; i != 2 * n; ++i)
    place.push_back((x = x * 1664525 + 1013904223) >> 16);
  std::vector<std::uint32_t> lengths(n * n), least(n, ~0u);
  std::uint32_t first = 0;
  for (std::uint32_t a = 0; a != n; ++a) {
    for (std::uint32_t b = 0; b != n; ++b) {
      lengths[a * n + b] = static_cast<std::uint32_t>(
          std::hypot(place[2 * a] - place[2 * b], place[2 * a + 1] - place[2 * b + 1]));
      if (a != b) least[a] = std::min(least[a], lengths[a * n + b]);
    }
    first += least[a];
  }

  mgws::options o;
  std::string why;
  if (!mgws::gpu_names(why).empty()) o.devices = {{.kind = mgws::device_kind::gpu}};
  mgws::runtime<mgws::task_set<way>, mgws::accumulators<visited>, context> rt(o);
  mgws::array<std::uint32_t> roads(rt, lengths.size()), nearest(rt, n);
  roads.upload(lengths);
  nearest.upload(least);
  shortest best(rt.data_places());
  rt.seed(way{1, 0, 0, 0, first});
  const auto report =
      rt.run({best.on(), roads.data(), nearest.data(), n, first, std::max(first / 16, 1u)});

  const bool right = best.value() == held_karp(lengths, n);
  std::printf("%u towns, a round trip of %u, %llu ways in %.4f s: %s\n", n, best.value(),
              static_cast<unsigned long long>(report.results.get<visited>()), report.seconds,
              right ? "the shortest" : "WRONG");
  return right ? 0 : 1;
}
