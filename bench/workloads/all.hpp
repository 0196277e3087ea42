/// \file
/// The workloads of mgws-bench.
#pragma once

#include <memory>

#include "harness/workload.hpp"

namespace mgws::bench {

std::unique_ptr<workload> make_memset();
std::unique_ptr<workload> make_contains();
std::unique_ptr<workload> make_uts();
std::unique_ptr<workload> make_bpc();
std::unique_ptr<workload> make_nqueens();
std::unique_ptr<workload> make_spawn_tree();
std::unique_ptr<workload> make_loop();
std::unique_ptr<workload> make_mandelbrot();
std::unique_ptr<workload> make_fib();
std::unique_ptr<workload> make_cilksort();
std::unique_ptr<workload> make_quicksort();
std::unique_ptr<workload> make_quadrature();
std::unique_ptr<workload> make_crypt();
std::unique_ptr<workload> make_dijkstra();
std::unique_ptr<workload> make_clique();
std::unique_ptr<workload> make_knapsack();
std::unique_ptr<workload> make_md();
std::unique_ptr<workload> make_live();
std::unique_ptr<workload> make_taskbench();
std::unique_ptr<workload> make_cholesky();

}  // namespace mgws::bench
