#include <algorithm>

#include <mgws/backends/model/machine.hpp>

namespace mgws::model_backend {

// ---- What a load may return ----

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

// ---- Steps ----

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
      if (!out_for_good(fibers_[i]) && fibers_[i].seen.store[number] <= l.oldest) {
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
  reach(r.reaches);
  f.passed_over = 0;
  location& l = locations_[r.location];
  if (r.reaches == milestone::steal && l.home != f.device) reach(milestone::far_steal);
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
        reach(milestone::slept);
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
          if (r.value != k_orders_nothing) fibers_[g.first + i].seen = all;
          fibers_[g.first + i].through = true;
        }
      }
      f.through = false;
      break;
    }
    case op::pause:
      // Of two, one alone cannot go on and on.
      for (unsigned i = 0; fiber_count_ > 2 && i != fiber_count_; ++i)
        if (i != number && enabled(fibers_[i]) && fibers_[i].passed_over < k_most_passed_over)
          ++fibers_[i].passed_over;
      break;
    case op::act:
    case op::done:
      break;
  }
}

}  // namespace mgws::model_backend
