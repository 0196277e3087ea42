#include "sim/loop_tasks.hpp"
#include "sim/simulate.hpp"
#include "sim/tasks.hpp"
#include "sim/workloads.hpp"

namespace mgws::bench::sim {

namespace {

template <class... Tasks>
using simulated_set = task_set<simulated<Tasks>...>;

template <class Tasks>
outcome go(const setup& s, initial_set<Tasks>& seeds, const loop::context& c, loop::results& r) {
  const timed<loop::context> context{c};
  return simulate(s, seeds, context, r);
}

template <shape Width>
outcome simulate_way(const setup& s, const loop::context& c, loop_way way, loop::results& r) {
  const auto n = static_cast<std::uint32_t>(c.costs.n);
  const auto start_with = [&]<class Tasks, class T>(const T& first, std::uint32_t instances) {
    initial_set<Tasks> seeds;
    seeds.add(simulated<T>{first}, instances);
    return go(s, seeds, c, r);
  };
  using namespace loop;
  switch (way) {
    case loop_way::seeds: {
      initial_set<simulated_set<unit<Width>>> seeds;
      seeds.reserve(n);
      for (std::uint32_t i = 0; i != n; ++i)
        seeds.add(simulated<unit<Width>>{{i}}, 1);
      return go(s, seeds, c, r);
    }
    case loop_way::spawn:
      return start_with.template operator()<simulated_set<root<Width>, units<Width>>>(
          root<Width>{n}, 1);
    case loop_way::tree:
      return start_with.template operator()<simulated_set<range<Width>, units<Width>>>(
          range<Width>{0, n}, 1);
    case loop_way::nested: {
      initial_set<simulated_set<row<Width>, units<Width>>> seeds;
      std::uint32_t first = 0;
      for (const std::uint32_t count : rows_of(n)) {
        seeds.add(simulated<row<Width>>{{first, count}}, 1);
        first += count;
      }
      return go(s, seeds, c, r);
    }
    case loop_way::seed_n:
      break;
  }
  return start_with.template operator()<simulated_set<units<Width>>>(units<Width>{0}, n);
}

}  // namespace

result simulate_loop(const setup& s, const loop_costs& costs, loop_way way, shape width,
                     std::uint32_t leaf, std::uint8_t* ran) {
  const bool by_lanes = width == shape::lane;
  result out;
  out.work.instances = costs.n;
  out.work.iterations = costs.total() * (by_lanes ? 1 : s.lanes);
  out.work.longest = costs.longest();
  out.work.chain = out.work.longest;
  std::uint64_t numbers = 0;
  for (std::uint64_t i = 0; i != costs.n; ++i)
    numbers += split_mix_64(static_cast<std::uint32_t>(i));
  loop::results r;
  const loop::context c{.costs = costs, .leaf = leaf, .ran = ran};
  out.outcome =
      by_lanes ? simulate_way<shape::lane>(s, c, way, r) : simulate_way<shape::warp>(s, c, way, r);
  out.verified = r.get<loop::instances>() == costs.n && r.get<loop::numbers>() == numbers;
  return out;
}

}  // namespace mgws::bench::sim
