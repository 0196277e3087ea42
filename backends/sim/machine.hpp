/// \file
/// The machine that simulated workers run on: fibers, a clock for each worker, and what their
/// operations cost. One system thread; the worker with the least time runs next, so that a run is
/// a function of its parameters and its seed.
///
/// Lanes of a worker run one after the other between two meetings, lane 0 first. A meeting is a
/// ring of switches from lane to lane; nobody waits in a loop. A worker that works or waits has
/// one event in the queue, and costs nothing until that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <mgws/backends/fibers/fiber.hpp>
#include <mgws/backends/sim/costs.hpp>
#include <mgws/backends/sim/event_queue.hpp>
#include <mgws/backends/sim/observer.hpp>
#include <mgws/backends/sim/shared_processor.hpp>

namespace mgws::sim {

/// What a word is, so that the machine knows what follows from a change.
enum class word_kind : std::uint8_t {
  plain,
  queue,      ///< a queue word
  completed,  ///< of a queue: its owners wait for it
  signal,     ///< workers without work look at it: control blocks, the detector's cells
  phase,      ///< worker_progress::now
  initial,    ///< how much of a part of the initial set was handed out
  board       ///< board_head::left
};

/// Where a word lies, and what it is.
struct word_tag {
  static constexpr std::uint16_t with_everybody = 0xffff;
  word_kind kind = word_kind::plain;
  bool looked_at = false;                 ///< signals: somebody has read it
  std::uint16_t device = with_everybody;  ///< in whose memory it lies
  std::uint32_t index = 0;                ///< of the queue, the worker, the part or the board
};

/// A meeting of a worker's lanes. Lanes come in order.
struct meeting {
  std::uint32_t sum;
  std::uint32_t first;
  std::uint64_t mask;
  std::uint64_t work;   ///< iterations of the slowest lane since the meeting before
  std::uint32_t lanes;  ///< that have run tasks
  std::uint32_t spawned;
  std::uint64_t iterations;  ///< of all lanes together
};

/// What is known of a worker after the run.
struct worker_result {
  time_type ended = 0;
  time_type working = 0;  ///< in steps
  std::uint64_t steps = 0;
  std::uint64_t instances = 0;
  std::uint64_t lanes = 0;       ///< that ran tasks, over all steps
  std::uint64_t iterations = 0;  ///< of the slowest lanes, over all steps
  std::uint64_t lane_iterations = 0;
  std::uint64_t leads = 0;          ///< times that the leader was asked
  std::uint64_t looks_skipped = 0;  ///< pauses that were passed over, as nothing had changed
};

/// Room for what a worker's lanes share beside its local queue.
inline constexpr std::size_t k_object_bytes = 4096;

struct worker_state {
  time_type clock = 0;
  std::uint32_t id = 0;
  std::uint32_t device = 0;
  std::uint32_t lane = 0;  ///< the one that runs
  std::uint32_t lanes = 1;
  std::uint32_t round = 0;
  std::uint32_t spawned = 0;  ///< by the lane that runs, since the meeting before
  std::uint64_t spent = 0;    ///< the same in iterations
  bool ran = false;           ///< whether it has run a task since
  bool looking = false;       ///< whether the operation before was a look at some queue
  bool parked = false;
  bool over = false;
  std::uint32_t park_place = 0;
  std::uint32_t processor = 0;
  std::uint32_t rank = 0;     ///< on its processor
  std::uint64_t version = 0;  ///< of the shared words, when the last pause ended
  time_type woke = 0;         ///< when that was
  time_type period = 0;       ///< between two looks of one that is parked
  double crowds = 0;          ///< and the part of its processor's time that they take
  time_type paused = 0;       ///< when it was parked
  time_type last_issue = 0;
  time_type step_began = 0;
  meeting met[2]{};
  std::uint32_t counter = 0;
  alignas(16) std::uint32_t answer[12]{};  ///< of the leader to the others
  std::byte* object = nullptr;
  std::byte* local = nullptr;
  std::byte* reduced = nullptr;
  fibers::fiber_context* fiber = nullptr;  ///< one a lane
  worker_result result;
};

/// What the machine must know of the run that is simulated.
struct world {
  std::uint64_t seed = 1;  ///< of what is left to chance
  std::uint32_t lanes = 1;
  struct device {
    std::uint32_t first_worker;
    std::uint32_t workers;
  };
  std::vector<device> devices;
  std::uint32_t queues = 0;
  std::uint32_t owners = 1;                ///< workers a queue
  std::vector<std::uint32_t> first_owner;  ///< by queue
  std::size_t local_bytes = 0;             ///< of a worker's local queue
  std::size_t reduced_bytes = 0;           ///< of its accumulators

  // Where slots lie that several workers reach, and how many instances one stands for.
  const std::byte* slots = nullptr;  ///< of public queues, one after the other
  std::size_t queue_bytes = 0;
  const std::byte* initial = nullptr;
  std::size_t initial_bytes = 0;
  std::size_t slot_bytes = 16;
  std::uint32_t (*instances)(const void* slot) = nullptr;
  /// Whether a queue word has something to steal.
  std::uint32_t (*available)(std::uint64_t word) = nullptr;
  /// Instances of a part's slots [from, to) as they are claimed, cut to the part.
  std::function<std::uint64_t(std::uint32_t part, std::uint64_t from, std::uint64_t to)> claimed;
  /// Instances that are left of what a board shows when so many of its steps are.
  std::function<std::uint64_t(std::uint32_t board, std::uint64_t steps)> shown;

  bool skips_looks = true;  ///< whether pauses may be passed over that change nothing
};

class machine {
 public:
  machine(const costs& c, world w);
  ~machine();
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  /// Runs body(worker, lane) for every lane of every worker until all have returned.
  /// \return when the last did. \throws std::runtime_error if all wait for each other
  time_type run(std::function<void(std::uint32_t worker, std::uint32_t lane)> body);

  [[nodiscard]] const sim::costs& costs() const { return costs_; }
  [[nodiscard]] const sim::world& world() const { return world_; }
  [[nodiscard]] const worker_result& result(std::uint32_t w) const { return workers_[w].result; }
  [[nodiscard]] sim::observer& watcher() { return observer_; }
  [[nodiscard]] std::uint64_t events() const { return events_; }
  /// Bytes of a lane's stack that were used, at most.
  [[nodiscard]] std::size_t deepest_stack() const;

  // ---- What workers call, through the backend ----

  static machine& the() { return *running_; }
  static worker_state& self() { return *current_; }

  /// Lets every worker go first that is behind the calling one.
  void catch_up() {
    worker_state& w = *current_;
    if (!queue_.empty() && queue_.first().before({w.clock, w.id})) leave(w.clock);
  }
  void pass(time_type t) { current_->clock += t; }
  /// The calling lane's worker works for so many iterations, its lanes side by side.
  void work(std::uint64_t iterations, std::uint64_t all, std::uint32_t lanes,
            std::uint32_t spawned);
  void pause(time_type t, bool longest);
  /// The leader is asked to do something.
  void leads() {
    ++current_->result.leads;
    pass(from_ns(costs_.lead));
    instructions(costs_.lead_issue);
  }
  /// An owner locks its public queue.
  void locks() {
    instructions(costs_.lock_issue);
    pass(from_ns(costs_.unlike));
  }

  void read(word_tag& tag, time_type& busy, double order);
  void write(word_tag& tag, double order);
  void modify(word_tag& tag, time_type& busy, double release, double acquire);
  /// After the change of a word.
  void changed(const word_tag& tag, std::uint64_t before, std::uint64_t after, bool stored);
  void copies(void* to, const void* from, std::size_t bytes);

  /// \param first  whether the calling lane is the first of those that run the task
  void begins_task(bool first);
  void spawns(std::uint64_t instances);

  /// The next lane's turn, at a meeting. Returns when it is the calling lane's again.
  void next_lane() {
    worker_state& w = *current_;
    const std::uint32_t from = w.lane;
    const std::uint32_t to = from + 1 == w.lanes ? 0 : from + 1;
    w.lane = to;
    const std::uint32_t soon = to + k_ahead < w.lanes ? to + k_ahead : 0;
    for (std::size_t line = 0; line != k_lines; ++line)
      __builtin_prefetch(w.fiber[soon].sp + 64 * line);
    fibers::switch_fiber(w.fiber[from], w.fiber[to]);
  }

 private:
  [[nodiscard]] const memory_costs& memory(const word_tag& tag) const {
    const bool own = tag.device == word_tag::with_everybody || tag.device == current_->device;
    return own ? costs_.own : costs_.peer;
  }
  /// Of a lane's stack, fetched so many lanes before its turn.
  static constexpr std::uint32_t k_ahead = 2;
  static constexpr std::size_t k_lines = 6;

  static void enter(void* argument);
  /// Waits until then, while others run.
  void leave(time_type until) {
    queue_.set(current_->id, until);
    run_next();
  }
  void run_next();
  void wake_all(time_type now);
  void wake(std::uint32_t w, time_type now);
  void end_lane();
  void plan(std::uint32_t processor);
  /// The calling worker's leader runs so many instructions.
  void instructions(double n);
  [[nodiscard]] std::uint32_t queue_of(const void* slot) const;
  [[nodiscard]] std::int64_t count(const void* slots, std::size_t bytes) const;

  static inline machine* running_ = nullptr;
  static inline worker_state* current_ = nullptr;

  sim::costs costs_;
  sim::world world_;
  std::vector<worker_state> workers_;
  std::vector<fibers::fiber_context> fibers_;
  std::byte* memory_ = nullptr;  ///< stacks, and what belongs to workers
  std::size_t memory_bytes_ = 0;
  std::vector<shared_processor> processors_;
  event_queue queue_;  ///< of workers, then of processors
  std::vector<std::uint32_t> parked_;
  std::uint64_t version_ = 0;  ///< counts changes that a worker without work might notice
  std::uint32_t stocked_ = 0;  ///< queues and boards that have something for others
  std::uint64_t events_ = 0;
  std::uint32_t left_ = 0;  ///< workers that have not returned
  time_type last_ = 0;
  time_type now_ = 0;  ///< of the event that happens
  fibers::fiber_context main_;
  std::function<void(std::uint32_t, std::uint32_t)> body_;
  sim::observer observer_;
};

/// A task says how long it takes: iterations of a chain.
inline void spend(std::uint64_t iterations) {
  machine::self().spent += iterations;
  if (machine::self().lanes != 1) return;
  machine& m = machine::the();
  worker_state& w = machine::self();
  const std::uint64_t all = w.spent;
  w.spent = 0;
  w.ran = false;
  m.work(all, all, 1, w.spawned);
  w.spawned = 0;
}

}  // namespace mgws::sim
