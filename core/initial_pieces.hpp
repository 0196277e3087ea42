/// \file
/// What the initial set is dealt out in: pieces. Of a seed that stands for many instances a piece
/// is as many as a worker runs side by side, so that no lane stays empty; another seed is one. The
/// pieces of a seed are numbered one behind the other, so that what a worker claims of it is one
/// slot, however much it is, and nothing has to be cut before a run.
///
/// Where each slot is a piece there is nothing to find. Else a table lies behind the slots: with
/// which piece each seed begins; and the pieces in buckets of a power of two, about as many as
/// there are seeds, with the seed in which each begins. To find a piece's seed takes a look there,
/// and some more where a bucket has several seeds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <mgws/core/ring.hpp>
#include <mgws/core/run.hpp>
#include <mgws_port.hpp>

namespace mgws {

template <class B, class Slot>
class initial_pieces {
 public:
  /// \param slots  the seeds', and behind them the table if run.bulk_seeds is not 0
  MGWS_FN initial_pieces(const void* slots, const run_parameters& run)
      : slots_(static_cast<const Slot*>(slots)), run_(run) {}

  /// Whether piece i is slot i.
  [[nodiscard]] MGWS_FN bool are_slots() const { return run_.bulk_seeds == 0; }
  [[nodiscard]] MGWS_FN const Slot* slots() const { return slots_; }

  /// The slot that has a piece.
  [[nodiscard]] MGWS_FN std::uint64_t seed_of(std::uint64_t piece) const {
    if (are_slots()) return piece;
    const std::uint32_t* const bucket = buckets() + (piece >> run_.log_bucket);
    std::uint32_t at = bucket[0];
    for (std::uint32_t last = bucket[1]; at != last;) {
      const std::uint32_t middle = last - (last - at) / 2;
      if (begins()[middle] <= piece) {
        at = middle;
      } else {
        last = middle - 1;
      }
    }
    return at;
  }
  /// About how many instances a piece of a seed stands for. \param log_units  as in write()
  template <class Log>
  [[nodiscard]] MGWS_FN std::uint32_t instances_of_each(std::uint64_t seed, Log&& log_units) const {
    const auto h = slots_[seed].read_header();
    return std::min(h.count(), 1u << log_units(h.type()));
  }
  /// Those of one.
  template <class Log>
  [[nodiscard]] MGWS_FN std::uint32_t instances(std::uint64_t piece, Log&& log_units) const {
    const std::uint64_t seed = seed_of(piece);
    const auto h = slots_[seed].read_header();
    if (are_slots()) return h.count();
    const std::uint32_t log = log_units(h.type());
    const auto left = h.count() - ((piece - begins()[seed]) << log);
    return static_cast<std::uint32_t>(std::min(left, std::uint64_t{1} << log));
  }

  /// Writes slots that stand for n pieces from one on, or for as many of them as `most` slots can.
  /// \param log_units  log2 of the instances of a type that are a step
  /// \param[out] taken  pieces \return slots
  template <class Log>
  MGWS_FN std::uint32_t write(ring<Slot> to, std::uint32_t at, std::uint32_t most,
                              std::uint64_t piece, std::uint32_t n, std::uint32_t& taken,
                              Log&& log_units) const {
    const std::uint64_t seed = seed_of(piece);
    const std::uint64_t seeds = are_slots() ? n : seed_of(piece + n - 1) - seed + 1;
    const auto slots = static_cast<std::uint32_t>(std::min<std::uint64_t>(seeds, most));
    load_slots<B>(to, at, slots_ + seed, slots);
    taken = are_slots() ? slots : n;
    if (are_slots() || slots == 0) return slots;

    const std::uint64_t behind = begins()[seed + slots];
    if (slots != seeds) taken = static_cast<std::uint32_t>(behind - piece);
    const auto instances = [&](const Slot& s, std::uint64_t pieces) {
      return static_cast<std::uint32_t>(pieces << log_units(s.read_header().type()));
    };
    Slot& last = to.at(at + slots - 1);
    if (const std::uint64_t end = piece + taken; end != behind) {
      const auto h = last.read_header();
      last.write_header(Slot::header::make(h.type(), h.first(),
                                           instances(last, end - begins()[seed + slots - 1])));
    }
    Slot& first = to.at(at);
    if (const std::uint64_t before = piece - begins()[seed]; before != 0)
      first.write_header(first.read_header().without_first(instances(first, before)));
    return slots;
  }

 private:
  /// With which piece each seed begins, and where the last one ends.
  [[nodiscard]] MGWS_FN const std::uint64_t* begins() const {
    return reinterpret_cast<const std::uint64_t*>(slots_ + run_.bulk_seeds);
  }
  /// The seed with which each bucket begins, and the last seed.
  [[nodiscard]] MGWS_FN const std::uint32_t* buckets() const {
    return reinterpret_cast<const std::uint32_t*>(begins() + run_.bulk_seeds + 1);
  }

  const Slot* slots_;
  const run_parameters& run_;
};

}  // namespace mgws
