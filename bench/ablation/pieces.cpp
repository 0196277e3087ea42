// The same for resumable tasks: loops whose instances are unlike from lane to lane, pixels of the
// Mandelbrot set and queens (main.cpp, tools/ablate_gpu.py --program pieces).
//
// usage: mgws-ablation-pieces cpu:N|gpu:I [RUNS]
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <mgws/mgws.hpp>

#include "ablation/measurement.hpp"
#include "workloads/loop.hpp"
#include "workloads/mandelbrot.hpp"
#include "workloads/nqueens.hpp"

namespace {

using namespace mgws::bench;

#if defined(__CUDACC__) || defined(__HIPCC__)
constexpr auto k_for = mgws::compiled_for::gpus;
#else
constexpr auto k_for = mgws::compiled_for::cpu;
#endif

template <class Accumulators, class Context, class... Tasks>
using runtime_of =
    mgws::runtime<mgws::task_set<Tasks...>, Accumulators, Context, mgws::no_statistics,
                  mgws::k_gpu_lanes<mgws::task_set<Tasks...>>, k_for>;

[[nodiscard]] bool on_gpu(const measurement& m) {
  return m.options().devices.front().kind == mgws::device_kind::gpu;
}

void run_loops(measurement& m) {
  runtime_of<mgws::accumulators<loop::results_sum, loop::instances_run>, loop::context,
             loop::resumable_units>
      rt(m.options());
  struct problem {
    const char* pattern;
    unsigned log_n;
    std::uint32_t base;
  };
  // A processor's worker has one lane, a GPU hundreds of thousands.
  const unsigned fewer = on_gpu(m) ? 0 : 10;
  for (const problem p : {problem{"geometric", 24, 64}, problem{"geometric", 22, 1024},
                          problem{"heavy-last", 22, 1024}, problem{"one-long", 22, 1024}}) {
    const std::uint32_t n = 1u << (p.log_n - fewer);
    const loop_work work{
        .costs = {.pattern = *find_loop_pattern(p.pattern), .n = n, .base = p.base, .grain = 1}};
    const loop_answer answer = answer_of(work);
    m.run(
        "loop " + std::to_string(p.base) + " " + p.pattern, rt,
        loop::context{.work = work, .leaf = 1, .piece = 256},
        [&](auto& of) { of.seed_n(loop::resumable_units{.first = 0}, n); },
        [&](const auto& r) { return r.template get<loop::results_sum>() == answer.sum; });
  }
}

void run_mandelbrot(measurement& m) {
  runtime_of<mgws::accumulators<mandelbrot::iterations_run>, mandelbrot::context,
             mandelbrot::resumable_pixels>
      rt(m.options());
  const picture of = on_gpu(m) ? picture{2048, 1536, 5000} : picture{64, 48, 1000};
  const std::uint32_t pixels = of.width * of.height;
  mgws::array<std::uint32_t> counts(rt, pixels);
  std::vector<std::uint32_t> found(pixels);
  m.run(
      "mandelbrot", rt,
      mandelbrot::context{.of = of,
                          .order = {},
                          .tiled = false,
                          .counts = mgws::placed<std::uint32_t>(counts.data()),
                          .piece = 256},
      [&](auto& to) {
        counts.fill(0xff);
        to.seed_n(mandelbrot::resumable_pixels{.first = 0}, pixels);
      },
      [&](const auto& r) {
        counts.download(found);
        std::uint64_t all = 0;
        for (std::uint32_t i = 0; i != pixels; ++i) {
          all += found[i];
          if (i % 997 == 0 && found[i] != of.escape(i % of.width, i / of.width)) return false;
        }
        return all == r.template get<mandelbrot::iterations_run>();
      });
}

void run_queens(measurement& m) {
  using task = nqueens::extend<mgws::shape::lane>;
  // By as many lanes as the workload's (bench/runs/nqueens.cpp).
  mgws::runtime<mgws::task_set<task>, mgws::accumulators<nqueens::solutions>, nqueens::context,
                mgws::no_statistics, 32, k_for>
      rt(m.options());
  struct problem {
    std::uint32_t n;
    std::uint64_t solutions;
  };
  const std::vector<problem> problems =
      on_gpu(m) ? std::vector<problem>{{16, 14'772'512}, {17, 95'815'104}}
                : std::vector<problem>{{9, 352}};
  for (const problem& p : problems) {
    const nqueens::board squares(p.n);
    const task first{squares.empty()};
    m.run(
        "queens " + std::to_string(p.n), rt,
        nqueens::context{.squares = squares, .cutoff = squares.usual_cutoff(), .piece = 256},
        [&](auto& of) { of.seed_n(first, std::popcount(first.placed.open)); },
        [&](const auto& r) {
          return squares.with_mirrored(r.template get<nqueens::solutions>()) == p.solutions;
        });
  }
}

}  // namespace

int main(int argc, char** argv) {
  return mgws::bench::ablate("mgws-ablation-pieces", argc, argv, [](measurement& m) {
    run_loops(m);
    run_mandelbrot(m);
    run_queens(m);
  });
}
