#include <algorithm>
#include <cstring>
#include <new>
#include <random>
#include <stdexcept>
#include <utility>

#include <sys/mman.h>

#include <mgws/backends/sim/machine.hpp>
#include <mgws/backends/sim/placement.hpp>
#include <mgws/core/run.hpp>

namespace mgws::sim {

namespace {

/// A leader runs core's search, on top of what its tasks need.
constexpr std::size_t k_leader_stack = std::size_t{24} << 10;
/// Not a power of two: the tops of a worker's stacks would share few lines of the cache.
constexpr std::size_t k_lane_stack = (std::size_t{2} << 10) + 192;
/// Looks that one who waits may pass over, if nothing that it would look at has changed.
constexpr time_type k_most_skipped = 16;
constexpr std::uint64_t k_canary = 0x6d6777735f73696d;

constexpr std::size_t rounded(std::size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

std::uint32_t workers_of(const world& w) {
  return w.devices.back().first_worker + w.devices.back().workers;
}
std::uint32_t processors_of(const world& w, const costs& c) {
  return static_cast<std::uint32_t>(w.devices.size()) * c.multiprocessors * c.schedulers;
}

}  // namespace

machine::machine(const sim::costs& c, sim::world w)
    : costs_(c),
      world_(std::move(w)),
      workers_(workers_of(world_)),
      fibers_(workers_.size() * world_.lanes),
      processors_(processors_of(world_, c)),
      queue_(static_cast<std::uint32_t>(workers_.size() + processors_.size())),
      observer_(static_cast<std::uint32_t>(workers_.size()), world_.queues) {
  const std::size_t stacks = rounded(k_leader_stack + (world_.lanes - 1) * k_lane_stack);
  const std::size_t own =
      stacks + k_object_bytes + rounded(world_.local_bytes) + rounded(world_.reduced_bytes) + 64;
  memory_bytes_ = own * workers_.size();
  void* p = mmap(nullptr, memory_bytes_, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<std::byte*>(p);
  // A step of a worker touches each of its stacks, and then those of another.
  madvise(p, memory_bytes_, MADV_HUGEPAGE);
  for (std::uint32_t q = 0; q != world_.queues; ++q)
    for (std::uint32_t o = 0; o != world_.owners; ++o)
      if (world_.first_owner[q] + o < workers_.size()) observer_.owns(world_.first_owner[q] + o, q);
  for (std::uint32_t d = 0; d != world_.devices.size(); ++d) {
    const auto seats = c.multiprocessors == 0
                           ? std::vector<seat>{}
                           : seats_of(world_.devices[d].workers, c.multiprocessors, c.schedulers);
    for (std::uint32_t rank = 0; rank != world_.devices[d].workers; ++rank) {
      const std::uint32_t id = world_.devices[d].first_worker + rank;
      worker_state& me = workers_[id];
      me.id = id;
      me.device = d;
      me.lanes = world_.lanes;
      if (c.multiprocessors != 0) {
        me.processor = d * c.multiprocessors * c.schedulers + seats[rank].scheduler;
        me.rank = seats[rank].rank;
      }
      std::byte* at = memory_ + own * id;
      me.fiber = &fibers_[std::size_t{id} * world_.lanes];
      for (std::uint32_t l = 0; l != world_.lanes; ++l) {
        const std::size_t bytes = l == 0 ? k_leader_stack : k_lane_stack;
        me.fiber[l].low = at;
        me.fiber[l].high = at + bytes;
        at += bytes;
      }
      at = memory_ + own * id + stacks;
      me.object = at;
      me.local = me.object + k_object_bytes;
      me.reduced = me.local + rounded(world_.local_bytes);
    }
  }
}

machine::~machine() {
  munmap(memory_, memory_bytes_);
}

time_type machine::run(std::function<void(std::uint32_t, std::uint32_t)> body) {
  body_ = std::move(body);
  running_ = this;
  left_ = static_cast<std::uint32_t>(workers_.size());
  std::mt19937_64 chance(world_.seed);
  for (worker_state& w : workers_) {
    for (std::uint32_t l = 0; l != w.lanes; ++l) {
      std::memcpy(w.fiber[l].low, &k_canary, sizeof k_canary);
      fibers::prepare_fiber(w.fiber[l], &enter, &w);
    }
    const std::uint32_t rank = w.id - world_.devices[w.device].first_worker;
    const double late = costs_.jitter * static_cast<double>(chance() >> 11) * 0x1p-53;
    w.clock = from_ns(costs_.launch + costs_.begin + costs_.apart * rank + costs_.stagger * w.rank +
                      late);
    queue_.set(w.id, w.clock);
  }
  current_ = nullptr;
  while (left_ != 0) {
    if (queue_.empty()) throw std::runtime_error("all simulated workers wait for each other");
    run_next();
  }
  running_ = nullptr;
  observer_.ends(last_);
  for (const worker_state& w : workers_)
    for (std::uint32_t l = 0; l != w.lanes; ++l)
      if (std::memcmp(w.fiber[l].low, &k_canary, sizeof k_canary) != 0)
        throw std::runtime_error("a simulated lane's stack was too small");
  return last_ + from_ns(costs_.end);
}

std::size_t machine::deepest_stack() const {
  std::size_t most = 0;
  for (const worker_state& w : workers_)
    for (std::uint32_t l = 1; l < w.lanes; ++l) {
      const std::byte* p = w.fiber[l].low + sizeof k_canary;
      while (p != w.fiber[l].high && *p == std::byte{0})
        ++p;
      most = std::max(most, static_cast<std::size_t>(w.fiber[l].high - p));
    }
  return most;
}

void machine::enter(void* argument) {
  auto* const w = static_cast<worker_state*>(argument);
  const std::uint32_t lane = w->lane;
  running_->body_(w->id, lane);
  running_->end_lane();
}

void machine::end_lane() {
  worker_state& w = *current_;
  if (w.lane + 1 != w.lanes) next_lane();
  // All lanes have come here; this is the last.
  w.over = true;
  w.result.ended = w.clock;
  last_ = std::max(last_, w.clock);
  observer_.idles(w.clock, w.id, false);
  --left_;
  if (left_ == 0 || queue_.empty()) {
    current_ = nullptr;
    fibers::switch_fiber(w.fiber[w.lane], main_);
  }
  run_next();
}

void machine::run_next() {
  ++events_;
  const event_queue::event e = queue_.first();
  now_ = e.at;
  std::uint32_t id = e.actor;
  if (id >= workers_.size()) {
    const auto p = static_cast<std::uint32_t>(id - workers_.size());
    id = processors_[p].end(e.at);
    plan(p);
  } else {
    queue_.remove(id);
  }
  worker_state* const before = current_;
  worker_state& next = workers_[id];
  next.clock = e.at;
  if (next.parked) {
    // It has passed over all that it may.
    next.parked = false;
    parked_[next.park_place] = parked_.back();
    workers_[parked_.back()].park_place = next.park_place;
    parked_.pop_back();
    next.result.looks_skipped +=
        static_cast<std::uint64_t>((next.clock - next.paused) / next.period);
    if (next.crowds != 0) {
      processors_[next.processor].crowd(now_, -next.crowds);
      plan(next.processor);
    }
  }
  if (before == &next) return;
  current_ = &next;
  fibers::switch_fiber(before == nullptr ? main_ : before->fiber[before->lane],
                       next.fiber[next.lane]);
}

void machine::plan(std::uint32_t p) {
  const auto actor = static_cast<std::uint32_t>(workers_.size() + p);
  if (processors_[p].idle()) {
    queue_.remove(actor);
  } else {
    queue_.set(actor, processors_[p].next_end());
  }
}

void machine::work(std::uint64_t iterations, std::uint64_t all, std::uint32_t lanes,
                   std::uint32_t spawned) {
  worker_state& w = *current_;
  w.looking = false;
  const auto n = static_cast<double>(iterations);
  const double cycle = 1000 / costs_.ghz;
  const double latency =
      n * costs_.iteration_latency + costs_.step_latency + spawned * costs_.slot_latency;
  const double issue = n * costs_.iteration_issue + costs_.step_issue + spawned * costs_.slot_issue;
  catch_up();
  const time_type began = w.clock;
  if (processors_.empty()) {
    w.clock += static_cast<time_type>(latency * cycle);
    catch_up();
  } else {
    processors_[w.processor].begin(w.clock, w.id, latency * cycle, issue / latency);
    plan(w.processor);
    run_next();
  }
  ++w.result.steps;
  w.result.lanes += lanes;
  w.result.iterations += iterations;
  w.result.lane_iterations += all;
  w.result.working += w.clock - began;
  observer_.stepped(w.id, w.clock - began);
}

void machine::instructions(double n) {
  if (n == 0 || processors_.empty()) return;
  worker_state& w = *current_;
  const double cycle = 1000 / costs_.ghz;
  shared_processor& p = processors_[w.processor];
  w.clock +=
      static_cast<time_type>(p.interrupt(w.clock, n * costs_.instruction * cycle, n * cycle));
  if (!p.idle()) plan(w.processor);
}

void machine::pause(time_type t, bool longest) {
  worker_state& w = *current_;
  w.looking = false;
  instructions(costs_.search_issue);
  w.clock += t;
  if (longest && world_.skips_looks && stocked_ == 0 && w.version == version_ && w.clock > w.woke) {
    w.parked = true;
    w.park_place = static_cast<std::uint32_t>(parked_.size());
    parked_.push_back(w.id);
    w.paused = w.clock;
    w.period = w.clock - w.woke;
    if (!processors_.empty()) {
      w.crowds = costs_.search_issue * 1000 / costs_.ghz / static_cast<double>(w.period);
      processors_[w.processor].crowd(now_, w.crowds);
      plan(w.processor);
    }
    leave(w.clock + k_most_skipped * w.period);
  } else {
    catch_up();
  }
  w.version = version_;
  w.woke = w.clock;
}

/// At its next look.
void machine::wake(std::uint32_t id, time_type now) {
  const worker_state& w = workers_[id];
  if (!w.parked) return;
  const time_type since = std::max<time_type>(now - w.paused, 0);
  queue_.set(id, w.paused + (since + w.period - 1) / w.period * w.period);
}

void machine::wake_all(time_type now) {
  ++version_;
  for (const std::uint32_t id : parked_)
    wake(id, now);
}

void machine::read(word_tag& tag, time_type& busy, double order) {
  worker_state& w = *current_;
  const memory_costs& m = memory(tag);
  const bool others = tag.kind == word_kind::queue && world_.first_owner[tag.index] != w.id;
  const bool look = order == 0 && (others || tag.kind == word_kind::board);
  tag.looked_at = true;
  if (look && w.looking) {
    // On its way while the look before is.
    w.last_issue += from_ns(m.next_look);
    w.clock = std::max(w.clock, w.last_issue + from_ns(m.load));
    return;
  }
  if (tag.kind != word_kind::plain) catch_up();
  w.looking = look;
  const time_type start = std::max(w.clock, busy);
  busy = start + from_ns(m.load_interval);
  w.last_issue = start;
  w.clock = start + from_ns(m.load + order);
}

void machine::write(word_tag& tag, double order) {
  worker_state& w = *current_;
  w.looking = false;
  w.clock += from_ns(order);
  if (tag.kind != word_kind::plain) catch_up();
  w.clock += from_ns(memory(tag).store);
}

void machine::modify(word_tag& tag, time_type& busy, double release, double acquire) {
  worker_state& w = *current_;
  w.looking = false;
  const memory_costs& m = memory(tag);
  w.clock += from_ns(release);
  catch_up();
  const time_type start = std::max(w.clock, busy);
  busy = start + from_ns(m.interval);
  w.clock = start + from_ns(m.modify + acquire);
  instructions(costs_.modify_issue);
  if (tag.kind == word_kind::completed) w.clock += from_ns(costs_.unlike);
}

void machine::changed(const word_tag& tag, std::uint64_t before, std::uint64_t after, bool stored) {
  worker_state& w = *current_;
  switch (tag.kind) {
    case word_kind::queue: {
      const bool some = world_.available(after) != 0;
      if (observer_.is_stocked(tag.index) == some) return;
      stocked_ += some ? 1u : ~0u;
      const std::uint32_t first = world_.first_owner[tag.index];
      const auto owners =
          std::min(world_.owners, static_cast<std::uint32_t>(workers_.size()) - first);
      observer_.stocked(w.clock, tag.index, some, first, owners);
      if (some) wake_all(w.clock);
      return;
    }
    case word_kind::completed:
      for (std::uint32_t o = 0; o != world_.owners; ++o)
        if (world_.first_owner[tag.index] + o < workers_.size()) {
          wake(world_.first_owner[tag.index] + o, w.clock);
          --workers_[world_.first_owner[tag.index] + o].version;
        }
      return;
    case word_kind::signal:
      if (before != after && tag.looked_at) wake_all(w.clock);
      return;
    case word_kind::phase: {
      const auto p = static_cast<phase>(after);
      observer_.idles(w.clock, w.id, p == phase::searching || p == phase::idle);
      return;
    }
    case word_kind::initial:
      if (!stored)
        observer_.holds(w.clock, w.id,
                        static_cast<std::int64_t>(world_.claimed(tag.index, before, after)));
      return;
    case word_kind::board: {
      const auto left = [&](std::uint64_t word) {
        return static_cast<std::int64_t>(word) < 0
                   ? static_cast<std::int64_t>(world_.shown(tag.index, std::uint64_t{0} - word))
                   : 0;
      };
      const std::int64_t was = stored ? 0 : left(before);
      const std::int64_t is = left(after);
      if (was != is) observer_.holds(w.clock, w.id, was - is);
      if ((was != 0) == (is != 0)) return;
      stocked_ += is != 0 ? 1u : ~0u;
      if (is != 0) wake_all(w.clock);
      return;
    }
    case word_kind::plain:
      return;
  }
}

std::uint32_t machine::queue_of(const void* slot) const {
  const auto* p = static_cast<const std::byte*>(slot);
  if (p < world_.slots || p >= world_.slots + world_.queues * world_.queue_bytes)
    return world_.queues;
  return static_cast<std::uint32_t>(static_cast<std::size_t>(p - world_.slots) /
                                    world_.queue_bytes);
}

std::int64_t machine::count(const void* slots, std::size_t bytes) const {
  std::int64_t n = 0;
  for (std::size_t i = 0; i < bytes; i += world_.slot_bytes)
    n += world_.instances(static_cast<const std::byte*>(slots) + i);
  return n;
}

void machine::copies(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  worker_state& w = *current_;
  w.looking = false;
  const std::uint32_t out = queue_of(from);
  const std::uint32_t in = queue_of(to);
  const auto device_of = [&](std::uint32_t q) {
    return q == world_.queues ? w.device : workers_[world_.first_owner[q]].device;
  };
  const bool own = device_of(out) == w.device && device_of(in) == w.device;
  const memory_costs& m = own ? costs_.own : costs_.peer;
  catch_up();
  std::memcpy(to, from, bytes);
  w.clock += from_ns(m.copy + m.copy_kib * static_cast<double>(bytes) / 1024);
  instructions(costs_.copy_issue);
  if (out != world_.queues && in == world_.queues) observer_.holds(w.clock, w.id, count(to, bytes));
  if (out == world_.queues && in != world_.queues)
    observer_.holds(w.clock, w.id, -count(to, bytes));
}

void machine::begins_task(bool first) {
  worker_state& w = *current_;
  w.ran = true;
  if (!first) return;
  ++w.result.instances;
  observer_.holds(w.clock, w.id, -1);
}

void machine::spawns(std::uint64_t instances) {
  worker_state& w = *current_;
  ++w.spawned;
  observer_.holds(w.clock, w.id, static_cast<std::int64_t>(instances));
}

}  // namespace mgws::sim
