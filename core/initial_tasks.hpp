/// \file
/// Loading the initial task set: a plain array of slots that the workers deal out to themselves in
/// batches through one counter. A batch may be larger than what fits the local queue at once. The
/// set is complete before the run starts, so a worker that found it exhausted may count itself idle
/// (hazards 22 and 23).
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
        workers_(run.workers),
        exhausted_(run.initial_count == 0) {}

  /// Whether none are left, of the own claims neither, by a look.
  [[nodiscard]] MGWS_FN bool exhausted(typename B::group& g) {
    if (claimed()) return false;
    if (!exhausted_)
      exhausted_ =
          g.once([&] { return B::load(next_->value, P::load_initial, V::global_scope) >= count_; });
    return exhausted_;
  }

  /// Whether slots are left that this worker has claimed.
  [[nodiscard]] MGWS_FN bool claimed() const { return mine_ != mine_end_; }

  /// Collective: loads the next slots into an empty local queue. If none are left of the last claim
  /// it claims a quarter of its fair share of what is left, but at least `least` and at most
  /// `most`, and never more than a batch. Returns the number of slots.
  MGWS_FN std::uint32_t load(typename B::group& g, local_queue<B, Slot>& local, std::uint32_t least,
                             std::uint32_t most) {
    if (!claimed() && !claim(g, least, most)) return 0;
    const auto n = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(mine_end_ - mine_, std::max(local.capacity() / 2, 1u)));
    copy_slots<B>(g, local.slots(), local.head(), slots_ + (count_ - mine_ - n), n);
    mine_ += n;
    g.sync();
    local.added_newest(n);
    return n;
  }

 private:
  /// A worker adds at most once in vain: it remembers that the set is exhausted. So the counter
  /// cannot run away.
  MGWS_FN bool claim(typename B::group& g, std::uint32_t least, std::uint32_t most) {
    if (exhausted_) return false;
    // What is left is known from the last claim only: others have taken some since.
    const std::uint64_t share = (count_ - mine_end_) / k_quarters / workers_;
    const std::uint64_t n = std::max<std::uint64_t>(
        std::min<std::uint64_t>({std::max<std::uint64_t>(share, least), most, batch_}), 1);
    const std::uint64_t at =
        g.once([&] { return B::fetch_add(next_->value, n, P::load_initial, V::global_scope); });
    exhausted_ = at + n >= count_;
    if (at >= count_) return false;
    mine_ = at;
    mine_end_ = std::min<std::uint64_t>(at + n, count_);
    return true;
  }

  static constexpr std::uint32_t k_quarters = 4;

  cell<B>* next_;
  const Slot* slots_;
  std::uint64_t count_;
  std::uint32_t batch_;
  std::uint32_t workers_;
  std::uint64_t mine_ = 0;  ///< claimed but not yet loaded: [mine_, mine_end_)
  std::uint64_t mine_end_ = 0;
  bool exhausted_;
};

}  // namespace mgws
