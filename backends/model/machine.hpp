/// \file
/// The machine that programs under check run on: fibers, weak memory, groups of lanes, and the
/// choices that each state leaves open. The explorer decides which choice is taken.
///
/// A fiber runs by itself until it asks for something that others can see or influence; it is then
/// suspended with a pending request. A state is: every fiber's stack and request, the memory, and
/// the arena. Executing one request of one fiber, with one of its outcomes, is one step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <mgws/backends/fibers/fiber.hpp>
#include <mgws/backends/model/weak_memory.hpp>

namespace mgws::model_backend {

using fibers::fiber_context;
using fibers::prepare_fiber;
using fibers::switch_fiber;

/// Whether time passes between two looks at a clock: never, always, or both are tried.
enum class passing : std::uint8_t { never, always, either };

enum class op : std::uint8_t {
  load,
  store,
  add,
  exchange,
  choose,   ///< a number below `value`, chosen freely
  pause,    ///< waits until another fiber stored something, or nobody else can run
  sleep,    ///< waits for a wake-up, unless the location no longer holds `value`
  wake,     ///< wakes one sleeper (value 1) or all (value 0)
  barrier,  ///< waits for the other lanes of the group
  act,      ///< does something that a check looks at, such as running a task
  done
};

/// What is counted along a run, to say how far the runs of a program went.
enum class milestone : std::uint8_t {
  none,
  epoch,           ///< a batch was published
  steal,           ///< and stolen from
  far_steal,       ///< by a worker of another device
  idle_device,     ///< a worker of a device counted itself idle there
  wide_claim,      ///< initial slots of several steps were claimed at once
  heard_over,      ///< a worker heard from another one that the run is over
  sign_seen,       ///< an owner saw that a thief had found nothing
  given,           ///< slots were written for workers of another domain, or by a producer
  slept,           ///< a worker slept
  stop_working,    ///< a worker saw a request to stop while it worked
  stop_searching,  ///< while it looked for work
  stop_idle,       ///< when it had counted itself idle
  count
};
using milestones = std::array<std::uint16_t, static_cast<std::size_t>(milestone::count)>;

/// For whom a read-modify-write is a load and a store.
enum class torn : std::uint8_t { no, between_devices, for_all };

/// What a fiber asks for.
struct request {
  op kind = op::act;
  memory_order order = memory_order::relaxed;
  bool narrow = false;  ///< device scope
  bool fresh = false;   ///< a load that may not return an old value
  bool half = false;    ///< of a read-modify-write that is one for its device's fibers only
  std::uint8_t step = 0;
  milestone reaches = milestone::none;
  std::uint16_t location = 0;
  std::uint64_t value = 0;
};

/// A lane of a worker, or the host.
struct fiber {
  fiber_context context;
  std::uint64_t stack_hash = 0;
  request pending;
  std::uint64_t result = 0;
  view seen;
  bool paused = false;
  bool asleep = false;
  bool through = false;          ///< may leave the barrier
  std::uint8_t passed_over = 0;  ///< pauses of others since its last step, while it could run
  bool may_stall = false;
  bool stalled = false;  ///< never runs again
  std::uint8_t device = 0;
  std::uint8_t domain = 0;
  std::uint8_t group = 0;
  std::uint8_t lane = 0;
};

/// A barrier's value: it makes lanes wait for each other, and orders no memory.
inline constexpr std::uint64_t k_orders_nothing = 1;

/// Lanes that form one worker.
struct lane_group {
  std::uint8_t first = 0;
  std::uint8_t lanes = 1;
};

/// One way to go on from a state.
struct choice {
  std::uint8_t fiber;
  std::uint8_t outcome;  ///< load: which store, the usual one first; choose: the number
  bool preempts;         ///< a fiber that could go on is interrupted
  bool old;              ///< a load returns an old value
};
/// The outcome of a fiber that stops here for good.
inline constexpr std::uint8_t k_stalls = 0xff;

/// What the program under check must say about its final state: nullptr, or what is wrong.
using final_check = const char* (*)();

class machine {
 public:
  machine();
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  // ---- Setting up a program ----

  /// Forgets the program.
  void clear();
  /// Zeroed memory that belongs to the state.
  void* allocate(std::size_t bytes, std::size_t alignment);
  template <class T>
  T* allocate(std::size_t n) {
    return static_cast<T*>(allocate(n * sizeof(T), alignof(T)));
  }
  /// A shared location. \return its number
  std::uint16_t add_location(std::uint64_t initial, std::string name, std::uint8_t domain = 0);
  /// Whose memory the location is in; for counting steals.
  void lies_on(std::uint16_t location, std::uint8_t device) { locations_[location].home = device; }
  /// Plain memory, 16-byte words, in which races are looked for.
  void watch(const void* at, std::size_t bytes, std::string name);
  /// A worker of one lane, or of several that run the same body.
  /// \param body  called as body(argument, lane)
  void spawn(std::string name, std::uint8_t device, void (*body)(void*, unsigned), void* argument,
             unsigned lanes = 1, std::uint8_t domain = 0);
  void at_end(final_check check) { final_ = check; }
  /// Runs every fiber up to its first request. Call once, after all spawns.
  void start();

  // ---- What fibers call ----

  std::uint64_t call(const request& r);
  /// A plain access of this fiber: reports a race.
  void access(const void* at, bool write);
  /// A violation: the fiber never returns from here.
  [[noreturn]] void fail(const std::string& what);
  [[nodiscard]] fiber& self() { return fibers_[running_]; }
  [[nodiscard]] unsigned self_number() const { return running_; }
  [[nodiscard]] bool on_fiber() const { return on_fiber_; }
  /// Whether a read-modify-write of this location by this fiber must come apart: it is asked for by
  /// a fault, or the location is not coherent for this fiber, or its scope leaves out devices.
  [[nodiscard]] torn tears(std::uint16_t location, bool narrow) const;
  /// Counts it along this run.
  void reach(milestone m) { ++tally_[static_cast<std::size_t>(m)]; }

  // ---- What the explorer calls ----

  /// What can happen next, the usual first; empty: the program has ended, or is stuck.
  void choices(std::vector<choice>& out);
  void take(const choice& c);
  [[nodiscard]] bool all_done() const;
  /// The final check, once all are done.
  void finish();
  /// Identifies the state. \param bounded  whether the running fiber matters, for counting
  [[nodiscard]] std::uint64_t hash(bool bounded);
  void save(std::vector<std::byte>& to);
  void restore(const std::byte* from);

  [[nodiscard]] bool violated() const { return !violation_.empty(); }
  [[nodiscard]] const std::string& violation() const { return violation_; }
  void violate(std::string what) {
    if (violation_.empty()) violation_ = std::move(what);
  }
  /// Whether this fiber is about to choose freely.
  [[nodiscard]] bool chooses(unsigned f) const { return fibers_[f].pending.kind == op::choose; }
  /// What the run so far has reached.
  [[nodiscard]] const milestones& reached() const { return tally_; }
  /// Which fibers have ended, sleep or stall, as bits; and how many there are.
  [[nodiscard]] unsigned out_of_action() const;
  [[nodiscard]] unsigned fibers() const { return fiber_count_; }
  [[nodiscard]] std::uint64_t forgotten_stores() const { return forgotten_; }
  /// The current value, for checks after the end.
  [[nodiscard]] std::uint64_t latest(std::uint16_t l) const { return locations_[l].latest().value; }
  /// If set, a line for every step is appended.
  std::string* trace = nullptr;
  /// Names steps in traces.
  const char* (*step_name)(std::uint8_t) = nullptr;

  // ---- Faults, set by the program before it starts ----

  /// Hardware without coherent read-modify-writes: each is a load and a store.
  bool split_all = false;
  /// Scopes matter only if a program has several devices.
  bool several_devices = false;
  /// The fiber spawned last may stop for good before any of its steps, once.
  void let_stall() { fibers_[fiber_count_ - 1].may_stall = true; }
  [[nodiscard]] bool stalled(unsigned f) const { return fibers_[f].stalled; }
  /// From here on any use of the location is an error: its memory was given back.
  void retire(std::uint16_t location) { locations_[location].retired = true; }
  /// Lanes share memory that is not watched for races: the order in which they leave a barrier is a
  /// choice.
  bool lanes_matter = false;
  /// Of the clock near lanes (team.hpp).
  passing time = passing::never;
  /// A read-modify-write from another domain: an error (a bridge may use loads and stores only).
  bool domains_forbid = true;

 private:
  static constexpr std::size_t k_stack = 64 * 1024;
  /// Nobody is passed over while others pause so often: two that wait for a third one would store,
  /// pause and wake each other for ever.
  static constexpr std::uint8_t k_most_passed_over = 3;
  static constexpr std::size_t k_cleaned = 2048;
  static constexpr std::size_t k_arena = 256 * 1024;

  [[nodiscard]] bool enabled(const fiber& f) const;
  /// Whether a fiber of this device is in the middle of a read-modify-write of the location: then
  /// its neighbours cannot write it.
  [[nodiscard]] bool held(const fiber& f) const;
  [[nodiscard]] static bool out_for_good(const fiber& f) {
    return f.pending.kind == op::done || f.stalled;
  }
  [[nodiscard]] bool local(op k) const {
    return k == op::choose || (k == op::barrier && !lanes_matter);
  }
  [[nodiscard]] unsigned outcomes(const fiber& f) const;
  /// The newest store that a pending load is sure to see some day. One that does not reach the
  /// reader at its scope, or the writer's, may stay in a cache for ever.
  [[nodiscard]] stamp reliable(const fiber& f) const;
  /// The store that a pending load reads.
  [[nodiscard]] stamp loaded(const fiber& f, unsigned outcome) const;
  void offer(unsigned f, bool preempts, std::vector<choice>& out) const;
  void perform(unsigned f, unsigned outcome);
  void append(fiber& f, location& l, unsigned number, std::uint64_t value, memory_order order,
              bool narrow, const message* continued);
  void acquire(fiber& f, const message& m, memory_order order, bool narrow) const;
  [[nodiscard]] bool mutual(const fiber& f, bool narrow, const message& m) const;
  void wake_paused(unsigned by);
  void resume(unsigned f);
  void say_step(unsigned f, unsigned outcome);
  template <class F>
  void pieces(F&& piece);
  static void enter(void* self);

  struct watched_region {
    const std::byte* at;
    std::size_t words;
    unsigned first;
    std::string name;
  };
  struct program {
    void (*body)(void*, unsigned);
    void* argument;
    std::string name;
  };

  std::byte* stacks_;
  std::byte* arena_;
  std::size_t arena_used_ = 0;
  fiber_context scheduler_;
  std::array<program, k_fibers> programs_{};
  std::vector<watched_region> regions_;
  std::vector<std::string> names_;
  final_check final_ = nullptr;
  std::string violation_;
  std::uint64_t forgotten_ = 0;
  bool on_fiber_ = false;

  // The state proper; save() and restore() copy it. The tally does not tell states apart.
  unsigned fiber_count_ = 0;
  unsigned group_count_ = 0;
  unsigned location_count_ = 0;
  unsigned word_count_ = 0;
  unsigned running_ = 0;
  milestones tally_{};
  std::array<fiber, k_fibers> fibers_{};
  std::array<lane_group, k_fibers> groups_{};
  std::array<location, k_locations> locations_{};
  std::array<watched_word, k_words> words_{};
};

/// The one machine: a backend's operations are static functions.
[[nodiscard]] machine& the_machine();

}  // namespace mgws::model_backend
