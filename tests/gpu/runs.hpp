/// \file
/// What the tests ask of a GPU's runtime. The functions are compiled by the GPU's compiler, which
/// reads no test framework; the tests by the host's, which reads no kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <mgws/core/task_set.hpp>
#include <mgws/options.hpp>
#include <mgws/placement.hpp>
#include <mgws/report.hpp>

namespace gpu_test {

/// The GPUs that can be used; if there are none, `why` says the reason.
int gpus(std::string& why);

/// Runs of the mixed workload of tests/contract/workload.hpp, each against the exact result.
struct mixed_runs {
  mgws::options options;
  std::uint32_t depth = 3;
  std::uint32_t runs = 1;
  std::uint32_t spin = 0;  ///< most iterations of a task
  bool statistics = false;
  std::uint32_t lanes = 32;  ///< of a worker: 32 or 128
  bool together = false;     ///< CPU workers and GPUs in one run; without statistics, of 128 lanes
};
struct mixed_outcome {
  std::string fault;         ///< the first thing that was wrong; empty if nothing was
  std::uint32_t shared = 0;  ///< runs in which several workers ran tasks
  std::uint64_t stolen = 0;  ///< slots, as far as they were counted
  mgws::run_report last;
};
mixed_outcome run_mixed(const mixed_runs& asked);

/// Tasks that do not end well; what comes of them is an exception.
enum class behaviour : std::uint32_t {
  finish,     ///< a small tree
  go_on,      ///< never ends by itself
  fail,       ///< reports 1000 and its depth
  wait,       ///< returns when the run is stopping
  work_long,  ///< takes a second, with heartbeats
  crash,      ///< writes where nothing is: the process loses the GPU
  // Many tasks, which do that on the device whose number is the depth, and else wait.
  crash_on,
  stall_on  ///< goes on for ever, whether the run is stopping or not
};
/// One runtime, used again and again.
class actors {
 public:
  virtual ~actors() = default;
  /// \param report  of a run that failed, too, if there is one that agrees with the tasks' count
  /// \return tasks that ran, as they themselves counted
  virtual std::uint64_t run(behaviour what, std::uint32_t depth, mgws::run_report& report) = 0;
  virtual void cancel() = 0;
};
std::unique_ptr<actors> make_actors(const mgws::options& o);

/// A task that spawns so many others. \return tasks that ran
std::uint64_t run_burst(const mgws::options& o, std::uint32_t spawns);

/// A task that spawns so many others as one slot, each of which lasts so long; the second run of
/// two, when it is known how long they take.
struct fan_outcome {
  std::uint64_t ran = 0;   ///< tasks, as they themselves counted
  std::uint32_t busy = 0;  ///< workers that ran any
};
fan_outcome run_fan(const mgws::options& o, std::uint32_t children, std::uint64_t ns, bool warps);

/// Whether mgws::array takes data to the tasks and back.
bool arrays_carry_data(const mgws::options& o);

/// The same for mgws::placed_array, over all devices of the options.
bool placed_arrays_carry_data(const mgws::options& o, mgws::placement where);
bool placed_arrays_carry_data_over_domains(const mgws::options& o, mgws::placement where);

/// Runs the same initial tasks again and again, which take short, then long, then spawn.
/// \param in_bulk  seeds stand for some of them, by lanes and by warps, or for one
/// \return what was wrong, if anything was
std::string run_again(const mgws::options& o, std::uint32_t tasks, bool in_bulk);

/// Runs in which tasks of each width call everything that a task may call (contract/members.hpp).
/// \param blocks  by workers of several warps \return what was wrong, if anything was
std::string fault_of_members(const mgws::options& o, std::uint32_t n, std::uint32_t level,
                             bool blocks);

/// Runs in which so many lanes do everything that an mgws::atomic_ref can do to the same words
/// (contract/atomics.hpp): those of a lane's width at device scope, wider ones at system scope.
/// \return what was wrong, if anything was
std::string fault_of_atomics(const mgws::options& o, std::uint32_t lanes, mgws::shape width);

/// Runs in which so many lanes find better and better values (contract/best.hpp). \return what was
/// wrong, if anything was
std::string fault_of_best(const mgws::options& o, std::uint32_t lanes);

/// A live run, of one coherence domain or several, to which so many threads submit at once, in so
/// many rounds after which they wait (contract/live.hpp). \return what was wrong, or nothing
std::string fault_of_live_run(const mgws::options& o, std::uint32_t producers,
                              std::uint32_t rounds);

/// Runs of resumable tasks of all widths, below finishes and as continuations, too
/// (contract/resumable.hpp). \param blocks  by workers of several warps \return what was wrong, or
/// nothing
std::string fault_of_resumable(const mgws::options& o, std::uint32_t n, int runs, bool blocks);

/// Runs of tasks of all widths below finishes that contribute numbers (contract/gathering.hpp).
/// \param end  1 more than the tasks of one finish, a power of two \param blocks  by workers of
/// several warps \return what was wrong, or nothing
std::string fault_of_gathering(const mgws::options& o, std::uint32_t end, int runs, bool blocks);

/// Runs over CPU workers and GPUs of tasks that say where they can run, of which some are compiled
/// for one kind only (contract/affinity.hpp). \return what was wrong, or nothing
std::string fault_of_affinity(const mgws::options& o, std::uint32_t depth, int runs);
/// A live run of such tasks, of so many rounds after each of which it waits. \return what was
/// wrong, or nothing
std::string fault_of_live_kinds(const mgws::options& o, std::uint32_t rounds);
/// A task on a CPU spawns n tasks that prefer the CPU and n that prefer a GPU, each for so long.
struct preferred {
  std::uint64_t tasks = 0;
  std::uint64_t on_cpu = 0;  ///< of those that prefer it
  std::uint64_t on_gpu = 0;
};
preferred run_preferences(const mgws::options& o, std::uint32_t n, std::uint32_t us);

/// Runs over CPU workers and GPUs of so many rounds, one after the other by finishes, of calls that
/// join (contract/crossing.hpp). \return what was wrong, or nothing
std::string fault_of_crossing(const mgws::options& o, std::uint32_t n, std::uint32_t rounds,
                              int runs);
/// The same on GPUs alone, which are one domain.
std::string fault_of_joins(const mgws::options& o, std::uint32_t n, std::uint32_t rounds, int runs);
/// Runs of them that are cancelled, at any time, and one after each that is not. \return what was
/// wrong with a run, or nothing
std::string fault_after_cancelled(const mgws::options& o, int runs);

/// Runs of tasks of many priorities and of all widths, below finishes, too
/// (contract/priorities.hpp). \param blocks  by workers of several warps \return what was wrong, or
/// nothing
std::string fault_of_priorities(const mgws::options& o, std::uint32_t n, int runs, bool blocks);

/// Runs in which a lane spawns n tasks of one level, with spill areas that have less room.
std::string fault_of_crowd(const mgws::options& o, std::uint32_t level, std::uint32_t n);

/// What is wrong with the scratch memory of tasks that run side by side (contract/scratch.hpp).
std::string fault_of_scratch(const mgws::options& o, std::uint32_t n, int runs, bool blocks);

/// Runs of a random task graph of lane and warp tasks (contract/graph.hpp). \return what was wrong,
/// or nothing
std::string fault_of_graph(const mgws::options& o, std::uint32_t nodes);
/// The same where the nodes may be those of several coherence domains.
std::string fault_of_crossing_graph(const mgws::options& o, std::uint32_t nodes);

/// Workers of a runtime with these options.
std::uint32_t most_workers(const mgws::options& o);

/// Sizes and offsets of what host and device share (layout.hpp).
using layout = std::vector<std::uint64_t>;
layout layout_in_kernel();
layout layout_by_gpu_compiler();

}  // namespace gpu_test
