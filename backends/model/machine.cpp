#include <cstring>
#include <stdexcept>

#include <sys/mman.h>

#include <mgws/backends/model/machine.hpp>

namespace mgws::model_backend {

namespace {

std::byte* map(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(p);
}

}  // namespace

machine& the_machine() {
  static machine m;
  return m;
}

machine::machine() : stacks_(map(k_stack * k_fibers)), arena_(map(k_arena)) {}

// ---- Setting up ----

void machine::clear() {
  std::memset(arena_, 0, k_arena);
  arena_used_ = 0;
  regions_.clear();
  names_.clear();
  final_ = nullptr;
  violation_.clear();
  forgotten_ = 0;
  on_fiber_ = false;
  fiber_count_ = group_count_ = location_count_ = word_count_ = running_ = 0;
  fibers_ = {};
  groups_ = {};
  words_ = {};
  tally_ = {};
  split_all = several_devices = lanes_matter = false;
  time = passing::never;
  domains_forbid = true;
}

void* machine::allocate(std::size_t bytes, std::size_t alignment) {
  arena_used_ = (arena_used_ + alignment - 1) / alignment * alignment;
  std::byte* p = arena_ + arena_used_;
  arena_used_ += bytes;
  if (arena_used_ > k_arena) throw std::length_error("mgws: the model's arena is too small");
  return p;
}

std::uint16_t machine::add_location(std::uint64_t initial, std::string name, std::uint8_t domain) {
  if (location_count_ == k_locations) throw std::length_error("mgws: too many model locations");
  location& l = locations_[location_count_];
  l = {};
  l.domain = domain;
  l.append({initial, {}, 0, false});
  names_.push_back(std::move(name));
  return static_cast<std::uint16_t>(location_count_++);
}

void machine::watch(const void* at, std::size_t bytes, std::string name) {
  const std::size_t words = bytes / 16;
  if (word_count_ + words > k_words) throw std::length_error("mgws: too many watched words");
  regions_.push_back({static_cast<const std::byte*>(at), words, word_count_, std::move(name)});
  word_count_ += static_cast<unsigned>(words);
}

void machine::spawn(std::string name, std::uint8_t device, void (*body)(void*, unsigned),
                    void* argument, unsigned lanes, std::uint8_t domain) {
  if (fiber_count_ + lanes > k_fibers) throw std::length_error("mgws: too many model fibers");
  lane_group& g = groups_[group_count_];
  g.first = static_cast<std::uint8_t>(fiber_count_);
  g.lanes = static_cast<std::uint8_t>(lanes);
  for (unsigned lane = 0; lane != lanes; ++lane, ++fiber_count_) {
    fiber& f = fibers_[fiber_count_];
    f = {};
    f.device = device;
    f.domain = domain;
    f.group = static_cast<std::uint8_t>(group_count_);
    f.lane = static_cast<std::uint8_t>(lane);
    f.context.low = stacks_ + k_stack * fiber_count_;
    f.context.high = f.context.low + k_stack;
    std::memset(f.context.low, 0, k_stack);
    programs_[fiber_count_] = {body, argument,
                               lanes == 1 ? name : name + "." + std::to_string(lane)};
  }
  ++group_count_;
}

void machine::start() {
  for (unsigned f = 0; f != fiber_count_; ++f) {
    prepare_fiber(fibers_[f].context, &machine::enter, this);
    resume(f);
  }
  running_ = 0;
}

void machine::enter(void* self) {
  auto& m = *static_cast<machine*>(self);
  const unsigned f = m.running_;
  m.programs_[f].body(m.programs_[f].argument, m.fibers_[f].lane);
  m.call({.kind = op::done});
  __builtin_unreachable();
}

// ---- Fibers ----

std::uint64_t machine::call(const request& r) {
  fiber& f = fibers_[running_];
  f.pending = r;
  f.paused = r.kind == op::pause;
  switch_fiber(f.context, scheduler_);
  return fibers_[running_].result;
}

void machine::fail(const std::string& what) {
  violate(what);
  call({.kind = op::done});
  __builtin_unreachable();
}

void machine::resume(unsigned f) {
  running_ = f;
  on_fiber_ = true;
  // What earlier calls left below the stack would show up in the padding of the next ones and keep
  // equal states apart.
  std::byte* const sp = fibers_[f].context.sp;
  std::memset(sp - k_cleaned, 0, k_cleaned);
  switch_fiber(scheduler_, fibers_[f].context);
  on_fiber_ = false;
  hasher h;
  const fiber_context& c = fibers_[f].context;
  if (fibers_[f].pending.kind != op::done)
    h.add_bytes(c.sp, static_cast<std::size_t>(c.high - c.sp));
  fibers_[f].stack_hash = h.value();
}

void machine::access(const void* at, bool write) {
  const auto* p = static_cast<const std::byte*>(at);
  for (const watched_region& r : regions_) {
    if (p < r.at || p >= r.at + r.words * 16) continue;
    const std::size_t index = static_cast<std::size_t>(p - r.at) / 16;
    watched_word& w = words_[r.first + index];
    fiber& f = fibers_[running_];
    const auto race = [&](unsigned other, const char* what) {
      fail("data race on " + r.name + "[" + std::to_string(index) +
           "]: " + programs_[running_].name + (write ? " writes" : " reads") + " what " +
           programs_[other].name + what);
    };
    if (w.write > f.seen.access[w.writer]) race(w.writer, " wrote");
    if (write)
      for (unsigned i = 0; i != fiber_count_; ++i)
        if (i != running_ && w.read[i] > f.seen.access[i]) race(i, " may still be reading");
    const stamp now = ++f.seen.access[running_];
    if (write) {
      w.writer = static_cast<std::uint8_t>(running_);
      w.write = now;
      w.read = {};
    } else {
      w.read[running_] = now;
    }
    return;
  }
}

torn machine::tears(std::uint16_t l, bool narrow) const {
  if (fibers_[running_].domain != locations_[l].domain)
    return domains_forbid ? torn::no : torn::for_all;
  if (split_all) return torn::for_all;
  return narrow && several_devices ? torn::between_devices : torn::no;
}

// ---- Choices ----

bool machine::held(const fiber& f) const {
  for (unsigned i = 0; several_devices && i != fiber_count_; ++i) {
    const fiber& other = fibers_[i];
    if (&other != &f && other.device == f.device && other.pending.half &&
        other.pending.kind == op::store && other.pending.location == f.pending.location)
      return true;
  }
  return false;
}

bool machine::enabled(const fiber& f) const {
  if (f.stalled) return false;
  switch (f.pending.kind) {
    case op::load:
      return !f.pending.half || !held(f);
    case op::store:
    case op::add:
    case op::exchange:
      return !held(f);
    case op::done:
      return false;
    case op::pause:
      return !f.paused;
    case op::sleep:
      return !f.asleep;
    case op::barrier: {
      if (f.through) return true;
      const lane_group& g = groups_[f.group];
      for (unsigned i = 0; i != g.lanes; ++i)
        if (fibers_[g.first + i].pending.kind != op::barrier || fibers_[g.first + i].through)
          return false;
      return true;
    }
    default:
      return true;
  }
}

unsigned machine::outcomes(const fiber& f) const {
  const request& r = f.pending;
  switch (r.kind) {
    case op::choose:
      return static_cast<unsigned>(r.value);
    case op::load: {
      if (r.fresh) return 1;
      const location& l = locations_[r.location];
      const stamp from = std::max(l.oldest, f.seen.store[r.location]);
      return l.newest() - from + 1u + (reliable(f) != l.newest());
    }
    case op::wake: {
      if (r.value == 0) return 1;
      unsigned n = 0;
      for (unsigned i = 0; i != fiber_count_; ++i)
        n += fibers_[i].asleep;
      return std::max(n, 1u);
    }
    default:
      return 1;
  }
}

void machine::offer(unsigned f, bool preempts, std::vector<choice>& out) const {
  const unsigned n = outcomes(fibers_[f]);
  const bool load = fibers_[f].pending.kind == op::load;
  for (unsigned o = 0; o != n; ++o)
    out.push_back(
        {static_cast<std::uint8_t>(f), static_cast<std::uint8_t>(o), preempts, load && o != 0});
  // Nobody stops in the middle of a read-modify-write: it would be none.
  const bool within = fibers_[f].pending.half && fibers_[f].pending.kind == op::store;
  if (fibers_[f].may_stall && !local(fibers_[f].pending.kind) && !within)
    out.push_back({static_cast<std::uint8_t>(f), k_stalls, preempts, false});
}

void machine::choices(std::vector<choice>& out) {
  out.clear();
  // What others cannot see commutes with everything: it needs no alternatives.
  for (unsigned f = 0; f != fiber_count_; ++f)
    if (local(fibers_[f].pending.kind) && enabled(fibers_[f])) return offer(f, false, out);
  for (unsigned f = 0; f != fiber_count_; ++f)
    if (fibers_[f].passed_over >= k_most_passed_over && enabled(fibers_[f])) offer(f, false, out);
  if (!out.empty()) return;
  for (int round = 0; round != 2 && out.empty(); ++round) {
    const fiber& current = fibers_[running_];
    const bool goes_on = enabled(current) && current.pending.kind != op::pause;
    if (goes_on) offer(running_, false, out);
    for (unsigned i = 1; i <= fiber_count_; ++i) {
      const unsigned f = (running_ + i) % fiber_count_;
      if (f == running_ && goes_on) continue;
      if (enabled(fibers_[f])) offer(f, goes_on, out);
    }
    // Time passes: those who pause look again.
    if (out.empty())
      for (unsigned f = 0; f != fiber_count_; ++f)
        fibers_[f].paused = false;
  }
}

bool machine::all_done() const {
  for (unsigned f = 0; f != fiber_count_; ++f)
    if (!out_for_good(fibers_[f])) return false;
  return true;
}

unsigned machine::out_of_action() const {
  unsigned bits = 0;
  for (unsigned f = 0; f != fiber_count_; ++f)
    bits |= static_cast<unsigned>(out_for_good(fibers_[f]) || fibers_[f].asleep) << f;
  return bits;
}

void machine::finish() {
  if (final_ == nullptr) return;
  if (const char* wrong = final_()) violate(wrong);
}

void machine::take(const choice& c) {
  if (trace != nullptr) say_step(c.fiber, c.outcome);
  if (c.outcome == k_stalls) {
    running_ = c.fiber;
    fibers_[c.fiber].stalled = true;
    return;
  }
  perform(c.fiber, c.outcome);
  if (!violated() && !fibers_[c.fiber].asleep) resume(c.fiber);
}

}  // namespace mgws::model_backend
