/// \file
/// Of a run that has ended, what the host always wants to know: a GPU's threads gather it from
/// thousands of workers' lines, of which the host would have to copy and read each. The vendor's
/// kernel.hpp has the entry that a launch names.
#pragma once

#include <cstdint>

#include <mgws/backends/gpu/moves.hpp>
#include <mgws/core/order.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/settled.hpp>
#include <mgws_port.hpp>

namespace mgws::gpu {

/// What is found, in host memory: of each device a word, behind them of each worker one.
struct survey_words {
  std::uint64_t* unsettled;  ///< not 0: something of the device was not settled (settled.hpp)
  std::uint64_t* executed;   ///< tasks
};

/// The argument of a launch of any number of threads, behind the kernels of all devices.
template <class View>
struct survey_arguments {
  View view;
  run_parameters run;  ///< run.device points to memory of the device
  std::uint32_t device;
  survey_words to;  ///< all zero
  moves behind;     ///< what else the host wants to see
};

/// \param thread  of `threads`
template <class View>
MGWS_FN void survey(const survey_arguments<View>& a, std::uint32_t thread, std::uint32_t threads) {
  using B = typename View::backend;
  const device_range& of = a.run.device[a.device];
  bool settled = thread != 0 || device_settled(a.view, a.run, a.device);
  for (std::uint32_t q = thread; q < of.queues; q += threads)
    settled = settled && queue_settled(a.view, of.first_queue + q);
  if (!settled) a.to.unsettled[a.device] = 1;
  for (std::uint32_t w = of.first_worker + thread; w < of.first_worker + of.workers; w += threads)
    a.to.executed[w] = B::load(a.view.progress(w).executed, order::relaxed, scope::system);
  move(a.behind, thread, threads);
}

}  // namespace mgws::gpu
