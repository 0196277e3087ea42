#include <algorithm>
#include <cstring>
#include <limits>

#include <mgws/backends/model/machine.hpp>

namespace mgws::model_backend {

namespace {

/// Of eight locations side by side: most have seen no more than all have.
bool any_newer(const stamp* seen, const stamp* by_all) {
  using eight = stamp __attribute__((vector_size(16)));
  eight a, b;
  std::memcpy(&a, seen, sizeof a);
  std::memcpy(&b, by_all, sizeof b);
  const auto newer = a > b;
  std::uint64_t any[2];
  std::memcpy(any, &newer, sizeof any);
  return (any[0] | any[1]) != 0;
}
static_assert(k_locations % 8 == 0);

}  // namespace

std::uint64_t machine::hash(bool bounded) {
  // Only differences matter: what every fiber that still runs has seen is the past.
  view past;
  past.store.fill(std::numeric_limits<stamp>::max());
  past.access.fill(std::numeric_limits<stamp>::max());
  for (unsigned i = 0; i != fiber_count_; ++i) {
    const fiber& f = fibers_[i];
    if (out_for_good(f)) continue;
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
    for (unsigned eight = 0; eight < location_count_; eight += 8) {
      if (!any_newer(&v.store[eight], &past.store[eight])) continue;
      for (unsigned l = eight; l != eight + 8; ++l)
        if (v.store[l] > past.store[l]) h.add(l << 16 | unsigned(v.store[l] - past.store[l]));
    }
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
    h.add(std::uint64_t{1} << 42 | i << 8 | unsigned(f.stalled) << 7 | unsigned(r.kind));
    if (out_for_good(f)) continue;
    h.add(f.stack_hash);
    h.add(f.passed_over);
    h.add(std::uint64_t{r.location} << 32 | unsigned(r.step) << 16 | unsigned(r.order) << 8 |
          unsigned(r.half) << 5 | unsigned(r.narrow) << 4 | unsigned(f.paused) << 3 |
          unsigned(f.asleep) << 2 | unsigned(f.through) << 1 | unsigned(r.fresh));
    h.add(r.value);
    add_view(f.seen);
  }
  if (bounded) h.add(running_);
  h.add_bytes(arena_, arena_used_);
  return h.value();
}

/// The state, piece by piece, in an order in which a piece says how long the next is.
template <class F>
void machine::pieces(F&& piece) {
  piece(&running_, sizeof running_);
  piece(&tally_, sizeof tally_);
  piece(fibers_.data(), fiber_count_ * sizeof(fiber));
  piece(words_.data(), word_count_ * sizeof(watched_word));
  for (unsigned n = 0; n != location_count_; ++n) {
    location& l = locations_[n];
    piece(&l.oldest, sizeof l.oldest);
    piece(&l.count, sizeof l.count);
    piece(&l.retired, sizeof l.retired);
    piece(l.history.data(), l.count * sizeof(message));
  }
  piece(arena_, arena_used_);
  for (unsigned f = 0; f != fiber_count_; ++f) {
    if (out_for_good(fibers_[f])) continue;
    const fiber_context& c = fibers_[f].context;
    piece(c.sp, static_cast<std::size_t>(c.high - c.sp));
  }
}

void machine::save(std::vector<std::byte>& to) {
  pieces([&](const void* p, std::size_t n) {
    const auto* at = static_cast<const std::byte*>(p);
    to.insert(to.end(), at, at + n);
  });
}

void machine::restore(const std::byte* from) {
  pieces([&](void* p, std::size_t n) {
    std::memcpy(p, from, n);
    from += n;
  });
}

}  // namespace mgws::model_backend
