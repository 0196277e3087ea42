#include <cstdint>
#include <iterator>
#include <numeric>
#include <set>
#include <vector>

#include <mgws/backends/cpu/philox.hpp>
#include <mgws/core/target.hpp>

#include "catch.hpp"

using mgws::steal_policy;

namespace {

using selection = mgws::target_selection<mgws::cpu_backend::philox>;

/// Devices with these numbers of queues, one worker a queue.
struct machine {
  explicit machine(const std::vector<std::uint32_t>& queues) {
    for (const auto n : queues) {
      devices.push_back({run.workers, n, run.queues, n});
      run.workers += n;
      run.queues += n;
    }
    run.owners = 1;
    run.devices = static_cast<std::uint32_t>(devices.size());
    run.device = devices.data();
    run.seed = 20;
    run.own_device_threshold = 3u << 30;  // 0.75
  }
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  [[nodiscard]] std::uint32_t device_of(std::uint32_t queue) const {
    std::uint32_t d = 0;
    while (queue >= devices[d].first_queue + devices[d].queues)
      ++d;
    return d;
  }
  selection select(steal_policy policy, std::uint32_t queue) {
    run.steal = policy;
    return {run, device_of(queue), queue, queue};
  }
  std::vector<std::uint32_t> draw(steal_policy policy, std::uint32_t queue, int draws) {
    std::vector<std::uint32_t> seen(run.queues);
    auto s = select(policy, queue);
    REQUIRE(s.any());
    for (int i = 0; i != draws; ++i)
      ++seen.at(s.next());
    return seen;
  }

  mgws::run_parameters run{};
  std::vector<mgws::device_range> devices;
};

/// Chi-square of the counts in [begin, end), without `skip`, against a uniform distribution.
double chi_square(const std::vector<std::uint32_t>& counts, std::uint32_t begin, std::uint32_t end,
                  std::uint32_t skip) {
  double n = 0;
  double cells = 0;
  for (auto i = begin; i != end; ++i) {
    if (i == skip) continue;
    n += counts[i];
    ++cells;
  }
  double sum = 0;
  for (auto i = begin; i != end; ++i) {
    if (i == skip) continue;
    const double off = counts[i] - n / cells;
    sum += off * off / (n / cells);
  }
  return sum;
}

constexpr int k_draws = 80'000;

}  // namespace

TEST_CASE("below: covers [0, n) and nothing else") {
  CHECK(mgws::below(0, 7) == 0);
  CHECK(mgws::below(~0u, 7) == 6);
  CHECK(mgws::below(~0u, 1) == 0);
  CHECK(mgws::below(1u << 31, 2) == 1);
  CHECK(mgws::below((1u << 31) - 1, 2) == 0);
}

TEST_CASE("targets, uniform: any queue but its own, all alike") {
  machine m({5, 1, 3});
  for (std::uint32_t own = 0; own != 9; ++own) {
    const auto seen = m.draw(steal_policy::uniform, own, k_draws);
    CHECK(seen[own] == 0);
    // 7 degrees of freedom: 29.9 is exceeded once in 10,000 streams; the streams are fixed.
    CHECK(chi_square(seen, 0, 9, own) < 29.9);
  }
}

TEST_CASE("targets, two queues: the other one") {
  machine m({2});
  for (const auto policy : {steal_policy::uniform, steal_policy::local, steal_policy::bias})
    for (const std::uint32_t own : {0u, 1u}) {
      const auto seen = m.draw(policy, own, 100);
      CHECK(seen[own] == 0);
      CHECK(seen[1 - own] == 100);
    }
}

TEST_CASE("targets, bias: the own device's share, uniform on both sides") {
  machine m({4, 6});
  for (const std::uint32_t own : {0u, 3u, 4u, 7u, 9u}) {
    const auto seen = m.draw(steal_policy::bias, own, k_draws);
    CHECK(seen[own] == 0);
    const auto& here = m.devices[m.device_of(own)];
    const auto begin = here.first_queue;
    const auto end = begin + here.queues;
    std::uint32_t near = 0;
    for (auto i = begin; i != end; ++i)
      near += seen[i];
    // Standard deviation of the share: 0.0015.
    CHECK(near > 0.742 * k_draws);
    CHECK(near < 0.758 * k_draws);
    CHECK(chi_square(seen, begin, end, own) < 25);
    CHECK(chi_square(seen, begin == 0 ? end : 0, begin == 0 ? 10 : begin, own) < 25);
  }
}

TEST_CASE("targets, bias: a queue alone on its device always goes elsewhere") {
  machine m({1, 3});
  const auto seen = m.draw(steal_policy::bias, 0, 1000);
  CHECK(seen[0] == 0);
  CHECK(seen[1] + seen[2] + seen[3] == 1000);
}

TEST_CASE("targets, bias: the extremes") {
  machine m({3, 3});
  m.run.own_device_threshold = 0;
  const auto away = m.draw(steal_policy::bias, 4, 1000);
  CHECK(away[0] + away[1] + away[2] == 1000);
  m.run.own_device_threshold = ~0u;
  const auto home = m.draw(steal_policy::bias, 4, 1000);
  CHECK(home[3] + home[5] == 1000);
}

TEST_CASE("targets, bias on one device is uniform") {
  machine m({6});
  const auto seen = m.draw(steal_policy::bias, 2, k_draws);
  CHECK(seen[2] == 0);
  CHECK(chi_square(seen, 0, 6, 2) < 24);
}

TEST_CASE("targets, local: only the own device") {
  machine m({3, 4, 1});
  const auto seen = m.draw(steal_policy::local, 5, k_draws);
  CHECK(seen[5] == 0);
  CHECK(seen[3] + seen[4] + seen[6] == static_cast<std::uint32_t>(k_draws));
  CHECK(chi_square(seen, 3, 7, 5) < 19);
  CHECK_FALSE(m.select(steal_policy::local, 7).any());
}

TEST_CASE("targets, several at once: all alike, apart, and of one choice of device") {
  machine m({9, 12});
  const auto seen_from = [&](steal_policy policy, std::uint32_t own) {
    std::vector<std::uint32_t> seen(m.run.queues);
    auto s = m.select(policy, own);
    for (int i = 0; i != k_draws / 4; ++i) {
      std::uint32_t queue[4];
      s.next(queue);
      const std::set<std::uint32_t> different(std::begin(queue), std::end(queue));
      CHECK(different.size() == 4);
      std::set<std::uint32_t> devices;
      for (const std::uint32_t q : queue) {
        ++seen.at(q);
        devices.insert(m.device_of(q));
      }
      if (policy == steal_policy::bias) CHECK(devices.size() == 1);
    }
    return seen;
  };
  const auto anywhere = seen_from(steal_policy::uniform, 10);
  CHECK(anywhere[10] == 0);
  CHECK(chi_square(anywhere, 0, 21, 10) < 45);
  const auto biased = seen_from(steal_policy::bias, 3);
  CHECK(biased[3] == 0);
  CHECK(chi_square(biased, 0, 9, 3) < 26);
  CHECK(chi_square(biased, 9, 21, 3) < 32);
  const auto local = seen_from(steal_policy::local, 3);
  CHECK(local[3] == 0);
  CHECK(std::accumulate(local.begin() + 9, local.end(), 0u) == 0);
}

TEST_CASE("targets: nobody to steal from") {
  machine one({1});
  for (const auto policy :
       {steal_policy::uniform, steal_policy::bias, steal_policy::local, steal_policy::none})
    CHECK_FALSE(one.select(policy, 0).any());
  machine m({3, 3});
  auto s = m.select(steal_policy::none, 1);
  CHECK_FALSE(s.any());
  CHECK(s.next() == mgws::k_no_target);
}

TEST_CASE("targets: a worker's stream depends on seed and worker, on nothing else") {
  machine m({8});
  const auto sequence = [&](std::uint64_t seed, std::uint32_t worker) {
    m.run.seed = seed;
    m.run.steal = steal_policy::uniform;
    selection s(m.run, 0, 0, worker);
    std::vector<std::uint32_t> all;
    for (int i = 0; i != 64; ++i)
      all.push_back(s.next());
    return all;
  };
  CHECK(sequence(1, 0) == sequence(1, 0));
  CHECK(sequence(1, 0) != sequence(2, 0));
  CHECK(sequence(1, 0) != sequence(1, 1));
}

TEST_CASE("damping map: one bit a queue") {
  CHECK(mgws::damping_map::words(1) == 1);
  CHECK(mgws::damping_map::words(32) == 1);
  CHECK(mgws::damping_map::words(33) == 2);
  std::vector<std::uint32_t> words(mgws::damping_map::words(70));
  mgws::damping_map map(words.data());
  for (std::uint32_t q = 0; q != 70; ++q)
    CHECK_FALSE(map.look_first(q));
  for (const std::uint32_t q : {0u, 31u, 32u, 69u})
    map.tried(q, false);
  for (std::uint32_t q = 0; q != 70; ++q)
    CHECK(map.look_first(q) == (q == 0 || q == 31 || q == 32 || q == 69));
  map.tried(31, false);
  map.tried(31, true);
  map.tried(5, true);
  for (std::uint32_t q = 0; q != 70; ++q)
    CHECK(map.look_first(q) == (q == 0 || q == 32 || q == 69));
}

TEST_CASE("damping map: without one, every target is looked at") {
  mgws::damping_map map(nullptr);
  map.tried(3, true);
  CHECK(map.look_first(3));
  map.tried(3, false);
  CHECK(map.look_first(3));
}
