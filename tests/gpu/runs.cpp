#include "gpu/runs.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>

#include <mgws/mgws.hpp>

#include "contract/workload.hpp"
#include "gpu/layout.hpp"
#include "gpu/runtimes.hpp"

namespace gpu_test {

struct doubling_context {
  const std::uint32_t* from;
  std::uint32_t* to;
};

struct placed_context {
  mgws::placed<const std::uint32_t> from;
  mgws::placed<std::uint32_t> to;
};

// What seed_n is asked for is tried without a call: nvcc warns of such a function in a namespace
// without a name.

struct doubled {
  MGWS_FN void operator()(auto& worker, mgws::task_index i) const {
    const doubling_context& c = worker.context();
    c.to[i] = 2 * c.from[i];
  }
};
struct even_doubled {
  MGWS_FN void operator()(auto& worker, mgws::task_index i) const {
    const placed_context& c = worker.context();
    c.to[2 * i] = 2 * c.from[2 * i];
  }
};
/// Between the others, by CPU workers where there are any.
struct odd_doubled {
  static constexpr mgws::affinity affinity = mgws::affinity::prefers_cpu;
  MGWS_FN void operator()(auto& worker, mgws::task_index i) const {
    const placed_context& c = worker.context();
    c.to[2 * i + 1] = 2 * c.from[2 * i + 1];
  }
};

namespace {

using api = mgws::port_devices::api;
using backend = mgws::port_devices::backend<32>;

std::string fault_of(const mgws::report<contract::results>& r, const mgws::options& o,
                     const contract::results& expected) {
  if (r.status != mgws::status::completed) return "not completed";
  if (r.results.get<contract::torn>() != 0) return "torn task";
  if (!(r.results == expected)) return "wrong result";
  if (r.tasks != expected.get<contract::instances>()) return "wrong number of tasks";
  if (o.seed != 0 && r.seed != o.seed) return "another seed";
  if (r.records.size() != (r.statistics ? r.workers.size() : 0)) return "not one record a worker";
  mgws::worker_counts sum;
  for (const auto& w : r.records) {
    const auto& c = w.counts;
    if (c.steals_tried != c.steals_won + c.steals_empty + c.steals_lost)
      return "steals tried do not add up";
    sum.steals_won += c.steals_won;
    sum.slots_stolen += c.slots_stolen;
    sum.stealing_ns += c.stealing_ns;
    sum.slots_released += c.slots_released;
    sum.slots_acquired += c.slots_acquired;
  }
  if (sum.slots_released != sum.slots_acquired + sum.slots_stolen)
    return "released slots were neither acquired nor stolen";
  mgws::steals_from stolen;
  for (const auto& row : r.steal_matrix)
    for (const mgws::steals_from& from : row)
      stolen += from;
  if (stolen.slots != sum.slots_stolen || stolen.won != sum.steals_won ||
      stolen.look_ns + stolen.take_ns + stolen.settle_ns != sum.stealing_ns)
    return "the steal matrix does not add up";
  return "";
}

template <class Statistics, std::uint32_t Lanes,
          mgws::compiled_for For = mgws::compiled_for::any_device>
mixed_outcome run_mixed_with(const mixed_runs& asked) {
  const contract::results expected = contract::expected(1, asked.depth);
  mgws::runtime<contract::mixed, contract::results, contract::pace, Statistics, Lanes, For> rt(
      asked.options);
  rt.keep_seeds(true);
  contract::seed(rt, 1, asked.depth);
  mixed_outcome out;
  for (std::uint32_t i = 0; i != asked.runs && out.fault.empty(); ++i) {
    const auto r = rt.run({.spin = asked.spin});
    out.fault = fault_of(r, asked.options, expected);
    if (!out.fault.empty())
      out.fault += " in run " + std::to_string(i) + ", seed " + std::to_string(r.seed);
    out.shared += std::ranges::count_if(r.workers, [](const auto& w) { return w.tasks != 0; }) > 1;
    for (const auto& w : r.records)
      out.stolen += w.counts.slots_stolen;
    out.last = r;
  }
  return out;
}

struct ran : mgws::sum<std::uint64_t> {};

struct actor {
  std::uint32_t depth;
  MGWS_FN void operator()(auto& worker) const {
    worker.accumulate(ran{}, 1);
    switch (worker.context()) {
      case behaviour::finish:
        if (depth == 0) break;
        worker.spawn(actor{depth - 1});
        worker.spawn(actor{depth - 1});
        break;
      case behaviour::go_on:
        worker.spawn(actor{depth});
        break;
      case behaviour::fail:
        worker.fail(1000 + depth);
        break;
      case behaviour::wait:
        while (!worker.stopping()) {
        }
        break;
      case behaviour::work_long:
        for (int i = 0; i != 20; ++i) {
          const std::uint64_t begin = worker.now();
          while (worker.now() - begin < 50'000'000) {
          }
          worker.heartbeat();
        }
        break;
      case behaviour::crash:
        crash();
        break;
      case behaviour::crash_on:
      case behaviour::stall_on:
        while (worker.device() == depth && worker.context() == behaviour::stall_on &&
               worker.now() != 0) {
        }
        if (worker.device() == depth) crash();
        while (!worker.stopping()) {
        }
        break;
    }
  }
  MGWS_FN void crash() const {
    *reinterpret_cast<volatile std::uint32_t*>(std::uintptr_t{16} + depth) = depth;
  }
};

class gpu_actors final : public actors {
 public:
  explicit gpu_actors(const mgws::options& o) : runtime_(o) {}
  std::uint64_t run(behaviour what, std::uint32_t depth, mgws::run_report& report) override {
    runtime_.clear_seeds();
    const bool many = what == behaviour::crash_on || what == behaviour::stall_on;
    for (std::uint32_t i = 0; i != (many ? runtime_.workers() : 1); ++i)
      runtime_.seed(actor{depth});
    try {
      const auto r = runtime_.run(what);
      report = r;
      return r.get<ran>();
    } catch (const mgws::error&) {
      const auto& failed = runtime_.report_of_failed_run();
      if (failed && failed->tasks == failed->get<ran>()) report = *failed;
      throw;
    }
  }
  void cancel() override { runtime_.cancel(); }

 private:
  mgws::runtime<mgws::task_set<actor>, mgws::accumulators<ran>, behaviour> runtime_;
};

/// Every lane spawns, and no child ends before all are there.
struct burst {
  std::uint32_t children;
  MGWS_FN void operator()(auto& worker) const {
    worker.accumulate(ran{}, 1);
    for (std::uint32_t i = 0; i != children; ++i)
      worker.spawn(burst{0});
  }
};

/// One slot that stands for all others.
template <mgws::shape Width>
struct fan {
  static constexpr mgws::shape width = Width;
  std::uint32_t children;
  MGWS_FN void operator()(auto& worker, mgws::task_index /*i*/) const {
    if (worker.lane() == 0) {
      worker.accumulate(ran{}, 1);
      worker.spawn_n(fan{0}, children);
    }
    const std::uint64_t begin = worker.now();
    while (worker.now() - begin < worker.context()) {
    }
  }
};

template <mgws::shape Width>
fan_outcome run_fan_of(const mgws::options& o, std::uint32_t children, std::uint64_t ns) {
  mgws::runtime<mgws::task_set<fan<Width>>, mgws::accumulators<ran>, std::uint64_t> rt(o);
  rt.keep_seeds(true);
  rt.seed_n(fan<Width>{children}, 1);
  fan_outcome out;
  for (std::uint32_t i = 0; i != 2; ++i) {
    const auto r = rt.run(ns);
    out.ran = r.template get<ran>();
    out.busy = static_cast<std::uint32_t>(
        std::ranges::count_if(r.workers, [](const auto& w) { return w.tasks != 0; }));
  }
  return out;
}

struct visit_context {
  mgws::placed<std::uint32_t> visits;  ///< of the initial tasks, then of those that they spawn
  std::uint32_t initial;
  std::uint32_t long_ns;  ///< that every 97th initial task takes
  bool spawns;
};
struct visit {
  std::uint32_t at;
  MGWS_FN void operator()(auto& worker) const {
    const visit_context& c = worker.context();
    c.visits[at] = c.visits[at] + 1;
    if (at >= c.initial) return;
    if (c.spawns) worker.spawn(visit{at + c.initial});
    if (at % 97 != 0 || c.long_ns == 0) return;
    const std::uint64_t begin = worker.now();
    while (worker.now() - begin < c.long_ns) {
    }
  }
};
template <mgws::shape Width>
struct visit_some {
  static constexpr mgws::shape width = Width;
  std::uint32_t first;
  MGWS_FN void operator()(auto& worker, mgws::task_index i) const {
    if (worker.lane() == 0) visit{first + i}(worker);
  }
};

}  // namespace

int gpus(std::string& why) {
  return static_cast<int>(mgws::gpu_names(why).size());
}

mixed_outcome run_mixed(const mixed_runs& asked) {
  if (asked.together)
    return run_mixed_with<mgws::no_statistics, 128, mgws::compiled_for::together>(asked);
  if (asked.lanes == 128) return run_mixed_with<mgws::worker_statistics, 128>(asked);
  return asked.statistics ? run_mixed_with<mgws::worker_statistics, 32>(asked)
                          : run_mixed_with<mgws::no_statistics, 32>(asked);
}

std::unique_ptr<actors> make_actors(const mgws::options& o) {
  return std::make_unique<gpu_actors>(o);
}

std::uint64_t run_burst(const mgws::options& o, std::uint32_t spawns) {
  mgws::runtime<mgws::task_set<burst>, mgws::accumulators<ran>> rt(o);
  rt.seed(burst{spawns});
  return rt.run().get<ran>();
}

fan_outcome run_fan(const mgws::options& o, std::uint32_t children, std::uint64_t ns, bool warps) {
  return warps ? run_fan_of<mgws::shape::warp>(o, children, ns)
               : run_fan_of<mgws::shape::lane>(o, children, ns);
}

bool arrays_carry_data(const mgws::options& o) {
  constexpr std::uint32_t n = 100'003;
  mgws::runtime<mgws::task_set<doubled>, mgws::accumulators<>, doubling_context> rt(o);
  std::vector<std::uint32_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 7u);
  const mgws::array<std::uint32_t> from(rt.data_memory(), std::span<const std::uint32_t>(numbers));
  mgws::array<std::uint32_t> to(rt.data_memory(), n + 1);
  to.fill(0xab);
  rt.seed_n(doubled{}, n);
  rt.run({from.data(), to.data()});
  std::vector<std::uint32_t> seen(n + 1);
  to.download(seen);
  bool right = seen[n] == 0xabababab;
  for (std::uint32_t i = 0; i != n; ++i)
    right = right && seen[i] == 2 * numbers[i];
  return right;
}

template <template <class, class, class> class Runtime>
bool halves_carried(const mgws::options& o, mgws::placement where) {
  constexpr std::uint32_t n = 50'001;
  Runtime<mgws::task_set<even_doubled, odd_doubled>, mgws::accumulators<>, placed_context> rt(o);
  std::vector<std::uint32_t> numbers(2 * n);
  std::iota(numbers.begin(), numbers.end(), 7u);
  mgws::placed_array<std::uint32_t> from(rt.data_places(), numbers.size(), where);
  mgws::placed_array<std::uint32_t> to(rt.data_places(), numbers.size(), where);
  from.upload(numbers);
  to.fill(0xff);
  std::vector<placed_context> contexts;
  for (std::uint32_t d = 0; d != rt.devices(); ++d)
    contexts.push_back({from.on(d).to_read(), to.on(d)});
  rt.seed_n(even_doubled{}, n);
  rt.seed_n(odd_doubled{}, n);
  rt.run_each(contexts);
  std::vector<std::uint32_t> seen(numbers.size());
  std::uint32_t right = 0;
  for (std::uint32_t copy = 0; copy != to.copies(); ++copy) {
    to.download(seen, copy);
    for (std::uint32_t i = 0; i != seen.size(); ++i)
      right += seen[i] == 2 * numbers[i] ? 1 : 0;
  }
  return right == numbers.size();
}

bool placed_arrays_carry_data(const mgws::options& o, mgws::placement where) {
  return halves_carried<runtime_of_warps>(o, where);
}
bool placed_arrays_carry_data_over_domains(const mgws::options& o, mgws::placement where) {
  return halves_carried<runtime_over_domains>(o, where);
}

std::string run_again(const mgws::options& o, std::uint32_t tasks, bool in_bulk) {
  using by_lane = visit_some<mgws::shape::lane>;
  using by_warp = visit_some<mgws::shape::warp>;
  mgws::runtime<mgws::task_set<visit, by_lane, by_warp>, mgws::accumulators<>, visit_context> rt(o);
  rt.keep_seeds(true);
  constexpr std::uint32_t lengths[] = {1, 45, 1, 20'000, 3, 1, 32, 7};
  for (std::uint32_t i = 0, seeds = 0; i != tasks; ++seeds) {
    const std::uint32_t n = in_bulk ? std::min(lengths[seeds % 8], tasks - i) : 1;
    if (n == 1) {
      rt.seed(visit{i});
    } else if (seeds % 3 == 0) {
      rt.seed_n(by_warp{i}, n);
    } else {
      rt.seed_n(by_lane{i}, n);
    }
    i += n;
  }
  mgws::placed_array<std::uint32_t> visits(rt.data_places(), 2 * tasks, mgws::placement::main);
  visits.fill(0);
  std::uint32_t runs = 0;
  std::uint32_t spawned = 0;
  std::vector<std::uint32_t> seen(2 * tasks);
  const auto run = [&](std::uint32_t long_ns, bool spawns) -> std::string {
    std::vector<visit_context> contexts;
    for (std::uint32_t d = 0; d != rt.devices(); ++d)
      contexts.push_back({visits.on(d), tasks, long_ns, spawns});
    rt.run_each(contexts);
    ++runs;
    if (spawns) ++spawned;
    visits.download(seen, 0);
    for (std::uint32_t i = 0; i != 2 * tasks; ++i)
      if (seen[i] != (i < tasks ? runs : spawned))
        return "run " + std::to_string(runs) + ": task " + std::to_string(i) + " ran " +
               std::to_string(seen[i]) + " times in all";
    return "";
  };
  std::string fault;
  for (const bool spawns : {false, true, false})
    for (const std::uint32_t long_ns : {0u, 0u, 200'000u, 200'000u, 0u})
      if (fault.empty()) fault = run(long_ns, spawns);
  return fault;
}

std::uint32_t most_workers(const mgws::options& o) {
  return mgws::runtime<mgws::task_set<burst>, mgws::accumulators<ran>>(o).workers();
}

namespace {

__global__ void measure(std::uint64_t* out) {
  fill_layout<backend>(out);
}

}  // namespace

layout layout_by_gpu_compiler() {
  layout v(k_layout_entries);
  fill_layout<backend>(v.data());
  return v;
}

layout layout_in_kernel() {
  mgws::gpu::device<api> gpu(0);
  mgws::gpu::area<api> out(gpu, k_layout_entries * sizeof(std::uint64_t));
  measure<<<1, 1, 0, gpu.kernels()>>>(reinterpret_cast<std::uint64_t*>(out.data()));
  api::wait(gpu.kernels());
  layout v(k_layout_entries);
  out.read(v.data(), 0, out.bytes());
  return v;
}

}  // namespace gpu_test
