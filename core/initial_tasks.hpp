/// \file
/// Loading the initial task set: a plain array of slots that the workers deal out to themselves in
/// batches through one counter. The set is complete before the run starts, so a worker that found
/// it exhausted may count itself idle (hazards 22 and 23).
///
/// Dealt out from its end: a worker runs the newest of its tasks first, so that it walks through
/// the whole set in one direction.
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws/core/local_queue.hpp>
#include <mgws/core/protocol.hpp>
#include <mgws/core/transport.hpp>
#include <mgws_port.hpp>

namespace mgws {

template <class P, transport_view V, class Slot>
class initial_tasks {
  using B = typename V::backend;

 public:
  MGWS_FN initial_tasks(const V& view, const run_parameters& run)
      : next_(&view.initial_next()),
        slots_(static_cast<const Slot*>(view.initial_slots())),
        count_(run.initial_count),
        batch_(run.initial_batch),
        exhausted_(run.initial_count == 0) {}

  /// Whether none are left, by a look.
  [[nodiscard]] MGWS_FN bool exhausted(typename B::group& g) {
    if (!exhausted_)
      exhausted_ =
          g.once([&] { return B::load(next_->value, P::load_initial, V::global_scope) >= count_; });
    return exhausted_;
  }

  /// Collective: loads the next batch into an empty local queue. Returns the number of slots.
  MGWS_FN std::uint32_t load(typename B::group& g, local_queue<B, Slot>& local) {
    if (exhausted_) return 0;
    // A look first: the counter cannot run away however often exhausted workers ask.
    const std::uint64_t at = g.once([&] {
      const auto seen = B::load(next_->value, P::load_initial, V::global_scope);
      if (seen >= count_) return seen;
      return B::fetch_add(next_->value, std::uint64_t{batch_}, P::load_initial, V::global_scope);
    });
    if (at >= count_) {
      exhausted_ = true;
      return 0;
    }
    const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(batch_, count_ - at));
    const Slot* const from = slots_ + (count_ - at - n);
    const std::uint32_t straight = std::min(n, local.slots().until_wrap(local.head()));
    constexpr std::size_t words = sizeof(Slot) / 16;
    B::copy_words(g, &local.slots().at(local.head()), from, straight * words);
    B::copy_words(g, &local.slots().at(local.head() + straight), from + straight,
                  (n - straight) * words);
    g.sync();
    local.added_newest(n);
    return n;
  }

 private:
  cell<B>* next_;
  const Slot* slots_;
  std::uint64_t count_;
  std::uint32_t batch_;
  bool exhausted_;
};

}  // namespace mgws
