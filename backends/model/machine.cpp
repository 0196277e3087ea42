#include <cstring>
#include <limits>
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

const char* order_name(memory_order o) {
  switch (o) {
    case memory_order::relaxed:
      return "relaxed";
    case memory_order::acquire:
      return "acquire";
    case memory_order::release:
      return "release";
    default:
      return "acq_rel";
  }
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
  split_all = several_devices = false;
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

void machine::say(std::uint64_t value) {
  fiber& f = fibers_[running_];
  lane_group& g = groups_[f.group];
  g.said[g.sent % k_backlog] = {value, f.seen};
  ++g.sent;
  for (unsigned i = 1; i != g.lanes; ++i)
    if (static_cast<std::uint8_t>(g.sent - fibers_[g.first + i].received) > k_backlog)
      fail("lane 0 ran " + std::to_string(k_backlog) + " broadcasts ahead of another lane");
}

bool machine::splits(std::uint16_t l, bool narrow) const {
  if (fibers_[running_].domain != locations_[l].domain) return !domains_forbid;
  return split_all || (narrow && several_devices);
}

// ---- Choices ----

bool machine::enabled(const fiber& f) const {
  switch (f.pending.kind) {
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
    case op::receive:
      return groups_[f.group].sent != f.received;
    default:
      return true;
  }
}

stamp machine::reliable(const fiber& f) const {
  const request& r = f.pending;
  const location& l = locations_[r.location];
  stamp s = l.newest();
  if (!several_devices) return s;
  const stamp known = std::max(l.oldest, f.seen.store[r.location]);
  while (s > known && !mutual(f, r.narrow, l.at(s)))
    --s;
  return s;
}

stamp machine::loaded(const fiber& f, unsigned outcome) const {
  const stamp sure = reliable(f);
  const stamp newest = locations_[f.pending.location].newest();
  if (f.pending.fresh || sure == newest) return static_cast<stamp>(newest - outcome);
  return outcome == 0 ? sure : static_cast<stamp>(newest - (outcome - 1));
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
    out.push_back({static_cast<std::uint8_t>(f), static_cast<std::uint8_t>(o),
                   static_cast<std::uint8_t>(preempts + (load && o != 0))});
}

void machine::choices(std::vector<choice>& out) {
  out.clear();
  // What others cannot see commutes with everything: it needs no alternatives.
  for (unsigned f = 0; f != fiber_count_; ++f)
    if (local(fibers_[f].pending.kind) && enabled(fibers_[f])) return offer(f, false, out);
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
    if (fibers_[f].pending.kind != op::done) return false;
  return true;
}

unsigned machine::out_of_action() const {
  unsigned bits = 0;
  for (unsigned f = 0; f != fiber_count_; ++f)
    bits |= static_cast<unsigned>(fibers_[f].pending.kind == op::done || fibers_[f].asleep) << f;
  return bits;
}

void machine::finish() {
  if (final_ == nullptr) return;
  if (const char* wrong = final_()) violate(wrong);
}

void machine::take(const choice& c) {
  if (trace != nullptr) say_step(c.fiber, c.outcome);
  perform(c.fiber, c.outcome);
  if (!violated() && !fibers_[c.fiber].asleep) resume(c.fiber);
}

// ---- Memory ----

bool machine::mutual(const fiber& f, bool narrow, const message& m) const {
  return m.device == f.device || !(narrow || m.narrow);
}

void machine::acquire(fiber& f, const message& m, memory_order order, bool narrow) const {
  if (acquires(order) && mutual(f, narrow, m)) f.seen.join(m.seen);
}

void machine::append(fiber& f, location& l, unsigned number, std::uint64_t value,
                     memory_order order, bool narrow, const message* continued) {
  const auto now = static_cast<stamp>(l.newest() + 1);
  f.seen.store[number] = now;
  message m{value, {}, f.device, narrow};
  if (releases(order)) m.seen = f.seen;
  // A read-modify-write carries on what the store before it released.
  if (continued != nullptr && mutual(f, narrow, *continued)) m.seen.join(continued->seen);
  m.seen.store[number] = now;
  if (l.count == k_history)
    for (unsigned i = 0; i != fiber_count_; ++i)
      if (fibers_[i].pending.kind != op::done && fibers_[i].seen.store[number] <= l.oldest) {
        ++forgotten_;
        break;
      }
  l.append(m);
  wake_paused(running_);
}

void machine::wake_paused(unsigned by) {
  for (unsigned f = 0; f != fiber_count_; ++f)
    if (f != by) fibers_[f].paused = false;
}

void machine::perform(unsigned number, unsigned outcome) {
  running_ = number;
  fiber& f = fibers_[number];
  const request r = f.pending;
  location& l = locations_[r.location];
  if (r.kind <= op::exchange && l.retired) {
    violate(programs_[number].name + " uses " + names_[r.location] + ", which was freed");
    return;
  }
  switch (r.kind) {
    case op::load: {
      const stamp s = loaded(f, outcome);
      const message& m = l.at(s);
      f.seen.store[r.location] = std::max(f.seen.store[r.location], s);
      f.result = m.value;
      acquire(f, m, r.order, r.narrow);
      break;
    }
    case op::store:
      append(f, l, r.location, r.value, r.order, r.narrow, nullptr);
      break;
    case op::add:
    case op::exchange: {
      if (f.domain != l.domain && domains_forbid) {
        violate("read-modify-write of " + names_[r.location] + " from another coherence domain");
        return;
      }
      const message before = l.latest();
      f.seen.store[r.location] = l.newest();
      acquire(f, before, r.order, r.narrow);
      f.result = before.value;
      append(f, l, r.location, r.kind == op::add ? before.value + r.value : r.value, r.order,
             r.narrow, &before);
      break;
    }
    case op::choose:
      f.result = outcome;
      break;
    case op::sleep:
      if (l.latest().value == r.value && !f.through) {
        // Asleep: the request stays pending until somebody wakes the fiber.
        f.asleep = true;
        f.through = true;
        break;
      }
      f.through = false;
      f.seen.store[r.location] = l.newest();
      f.seen.join(l.latest().seen);
      break;
    case op::wake: {
      unsigned skip = outcome;
      for (unsigned i = 0; i != fiber_count_; ++i) {
        if (!fibers_[i].asleep) continue;
        if (r.value == 0 || skip-- == 0) fibers_[i].asleep = false;
        if (r.value != 0 && skip == ~0u) break;
      }
      break;
    }
    case op::barrier: {
      if (!f.through) {
        const lane_group& g = groups_[f.group];
        view all = f.seen;
        for (unsigned i = 0; i != g.lanes; ++i)
          all.join(fibers_[g.first + i].seen);
        for (unsigned i = 0; i != g.lanes; ++i) {
          fibers_[g.first + i].seen = all;
          fibers_[g.first + i].through = true;
        }
      }
      f.through = false;
      break;
    }
    case op::receive: {
      const auto& said = groups_[f.group].said[f.received % k_backlog];
      f.result = said.value;
      f.seen.join(said.seen);
      ++f.received;
      break;
    }
    case op::pause:
    case op::act:
    case op::done:
      break;
  }
}

// ---- States ----

std::uint64_t machine::hash(bool bounded) {
  // Only differences matter: what every fiber that still runs has seen is the past.
  view past;
  past.store.fill(std::numeric_limits<stamp>::max());
  past.access.fill(std::numeric_limits<stamp>::max());
  for (unsigned i = 0; i != fiber_count_; ++i) {
    const fiber& f = fibers_[i];
    if (f.pending.kind == op::done) continue;
    for (unsigned l = 0; l != location_count_; ++l)
      past.store[l] = std::min(past.store[l], f.seen.store[l]);
    for (unsigned k = 0; k != fiber_count_; ++k)
      past.access[k] = std::min(past.access[k], f.seen.access[k]);
  }
  for (unsigned n = 0; n != location_count_; ++n) {
    location& l = locations_[n];
    if (past.store[n] != std::numeric_limits<stamp>::max() && past.store[n] > l.oldest)
      l.forget(past.store[n] - l.oldest);
    past.store[n] = std::max(past.store[n], l.oldest);
  }
  hasher h;
  const auto add_view = [&](const view& v) {
    for (unsigned l = 0; l != location_count_; ++l)
      if (v.store[l] > past.store[l]) h.add(l << 16 | unsigned(v.store[l] - past.store[l]));
    for (unsigned k = 0; k != fiber_count_; ++k)
      if (v.access[k] > past.access[k])
        h.add(1u << 30 | k << 16 | unsigned(v.access[k] - past.access[k]));
  };
  for (unsigned n = 0; n != location_count_; ++n) {
    const location& l = locations_[n];
    h.add(std::uint64_t{1} << 40 | n << 8 | unsigned(l.retired) << 7 | l.count);
    for (unsigned i = 0; i != l.count; ++i) {
      h.add(l.history[i].value);
      h.add(l.history[i].device | unsigned(l.history[i].narrow) << 8);
      add_view(l.history[i].seen);
    }
  }
  for (unsigned i = 0; i != word_count_; ++i) {
    const watched_word& w = words_[i];
    h.add(std::uint64_t{1} << 41 | i);
    if (w.write > past.access[w.writer])
      h.add(1u << 29 | w.writer << 16 | unsigned(w.write - past.access[w.writer]));
    for (unsigned k = 0; k != fiber_count_; ++k)
      if (w.read[k] > past.access[k]) h.add(k << 16 | unsigned(w.read[k] - past.access[k]));
  }
  for (unsigned i = 0; i != fiber_count_; ++i) {
    const fiber& f = fibers_[i];
    const request& r = f.pending;
    h.add(std::uint64_t{1} << 42 | i << 8 | unsigned(r.kind));
    if (r.kind == op::done) continue;
    h.add(f.stack_hash);
    h.add(std::uint64_t{r.location} << 32 | unsigned(r.step) << 16 | unsigned(r.order) << 8 |
          unsigned(r.narrow) << 4 | unsigned(f.paused) << 3 | unsigned(f.asleep) << 2 |
          unsigned(f.through) << 1 | unsigned(r.fresh));
    h.add(r.value);
    add_view(f.seen);
  }
  for (unsigned i = 0; i != group_count_; ++i) {
    const lane_group& g = groups_[i];
    for (unsigned lane = 1; lane < g.lanes; ++lane)
      for (std::uint8_t k = fibers_[g.first + lane].received; k != g.sent; ++k) {
        h.add(lane << 8 | static_cast<std::uint8_t>(g.sent - k));
        h.add(g.said[k % k_backlog].value);
        add_view(g.said[k % k_backlog].seen);
      }
  }
  if (bounded) h.add(running_);
  h.add_bytes(arena_, arena_used_);
  return h.value();
}

void machine::save(std::vector<std::byte>& to) const {
  const auto put = [&](const void* p, std::size_t n) {
    const auto* at = static_cast<const std::byte*>(p);
    to.insert(to.end(), at, at + n);
  };
  put(&running_, sizeof running_);
  put(fibers_.data(), fiber_count_ * sizeof(fiber));
  put(words_.data(), word_count_ * sizeof(watched_word));
  for (unsigned n = 0; n != location_count_; ++n) {
    const location& l = locations_[n];
    put(&l.oldest, sizeof l.oldest);
    put(&l.count, sizeof l.count);
    put(&l.retired, sizeof l.retired);
    put(l.history.data(), l.count * sizeof(message));
  }
  for (unsigned i = 0; i != group_count_; ++i)
    if (groups_[i].lanes > 1) put(&groups_[i], sizeof groups_[i]);
  put(arena_, arena_used_);
  for (unsigned f = 0; f != fiber_count_; ++f) {
    if (fibers_[f].pending.kind == op::done) continue;
    const fiber_context& c = fibers_[f].context;
    put(c.sp, static_cast<std::size_t>(c.high - c.sp));
  }
}

void machine::restore(const std::byte* from) {
  const auto get = [&](void* p, std::size_t n) {
    std::memcpy(p, from, n);
    from += n;
  };
  get(&running_, sizeof running_);
  get(fibers_.data(), fiber_count_ * sizeof(fiber));
  get(words_.data(), word_count_ * sizeof(watched_word));
  for (unsigned n = 0; n != location_count_; ++n) {
    location& l = locations_[n];
    get(&l.oldest, sizeof l.oldest);
    get(&l.count, sizeof l.count);
    get(&l.retired, sizeof l.retired);
    get(l.history.data(), l.count * sizeof(message));
  }
  for (unsigned i = 0; i != group_count_; ++i)
    if (groups_[i].lanes > 1) get(&groups_[i], sizeof groups_[i]);
  get(arena_, arena_used_);
  for (unsigned f = 0; f != fiber_count_; ++f) {
    if (fibers_[f].pending.kind == op::done) continue;
    const fiber_context& c = fibers_[f].context;
    get(c.sp, static_cast<std::size_t>(c.high - c.sp));
  }
}

// ---- Traces ----

void machine::say_step(unsigned number, unsigned outcome) {
  const fiber& f = fibers_[number];
  const request& r = f.pending;
  std::string line = programs_[number].name + ": ";
  const auto hex = [](std::uint64_t v) {
    return v >> 63 != 0 ? "-" + std::to_string(0 - v) : std::to_string(v);
  };
  const std::string where = r.location < names_.size() ? names_[r.location] : "";
  const char* step = step_name != nullptr ? step_name(r.step) : "";
  const location& l = locations_[r.location];
  switch (r.kind) {
    case op::load:
      line += std::string(step) + ": load " + where + " = " + hex(l.at(loaded(f, outcome)).value);
      if (const int behind = l.newest() - loaded(f, outcome); behind != 0)
        line += " (old, " + std::to_string(behind) + " behind)";
      break;
    case op::store:
      line += std::string(step) + ": store " + where + " = " + hex(r.value);
      break;
    case op::add:
      line += std::string(step) + ": add " + where + " + " + hex(r.value) + ", was " +
              hex(l.latest().value);
      break;
    case op::exchange:
      line += std::string(step) + ": exchange " + where + " = " + hex(r.value) + ", was " +
              hex(l.latest().value);
      break;
    case op::choose:
      line += "chooses " + std::to_string(outcome);
      break;
    case op::sleep:
      line += f.through ? "wakes" : "sleeps unless an event came";
      break;
    case op::wake:
      line += r.value == 0 ? "wakes all" : "wakes one";
      break;
    case op::barrier:
      line += "passes the barrier";
      break;
    case op::receive:
      line += "receives";
      break;
    case op::pause:
      line += "has paused";
      break;
    case op::act:
      line += "runs task " + std::to_string(r.value);
      break;
    case op::done:
      line += "ends";
      break;
  }
  if (r.kind <= op::exchange) {
    line += std::string(", ") + order_name(r.order);
    if (r.narrow) line += ", device scope";
  }
  *trace += line + "\n";
}

}  // namespace mgws::model_backend
