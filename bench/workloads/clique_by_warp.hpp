/// \file
/// `clique`, a task by the lanes of a warp: a search below a clique, depth first. Each lane has a
/// part of every set, so that a vertex's neighbours are left out of one by one access of all lanes.
/// What is left to do is kept by level; who has searched for a while gives away the oldest.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

#include "workloads/clique.hpp"

namespace mgws::bench::clique {

/// A set whose words of 32 bits the lanes of a task have in turn. \tparam Parts  words of a lane
template <std::uint32_t Parts>
struct part_of_set {
  std::uint32_t bits[Parts];

  [[nodiscard]] MGWS_FN bool any() const {
    std::uint32_t all = 0;
    for (const std::uint32_t b : bits)
      all |= b;
    return all != 0;
  }
};

template <std::uint32_t Words>
struct search_below {
  static constexpr shape width = shape::warp;
  set<Words> chosen;
  set<Words> candidates;  ///< all joined to all chosen
  set<Words> leading;     ///< of them, which lead on, if that is known
  std::uint32_t size;     ///< of what is chosen
  std::uint32_t known;    ///< whether that is known: else they are to be coloured

  MGWS_FN void operator()(auto& worker) const {
    search_of<std::remove_reference_t<decltype(worker)>>(*this, worker).run();
  }

 private:
  template <class Worker>
  class search_of {
    static constexpr std::uint32_t k_lanes = Worker::lanes();
    static constexpr std::uint32_t k_parts = (2 * Words + k_lanes - 1) / k_lanes;
    using part = part_of_set<k_parts>;
    /// Levels of the search that one task has at a time.
    static constexpr std::uint32_t k_levels = 16;
    /// Vertices that are coloured before others get something.
    static constexpr std::uint32_t k_work = 512;

   public:
    MGWS_FN search_of(const search_below& of, Worker& worker)
        : of_(of), worker_(worker), c_(worker.context()), lane_(worker.lane()) {
      for (std::uint32_t k = 0; k != k_parts; ++k)
        column_[k] = c_.rows + (is_in(k) ? number(k) / 2 : 0);
    }

    MGWS_FN void run() {
      if (of_.size == 0 && lane_ == 0) c_.began.improve(worker_.now());
      std::uint32_t best = best_known();
      part candidates;
      for (std::uint32_t k = 0; k != k_parts; ++k) {
        chosen_.bits[k] = is_in(k) ? half(of_.chosen.bits, number(k)) : 0;
        candidates.bits[k] = is_in(k) ? half(of_.candidates.bits, number(k)) : 0;
        branching_[0].bits[k] = is_in(k) ? half(of_.leading.bits, number(k)) : 0;
      }
      std::uint32_t visited = of_.size == 0 && of_.known == 0 ? 1 : 0;
      if (of_.known != 0) {
        candidates_[0] = candidates;
      } else if (!enter(0, candidates, best)) {
        return;
      }
      while (top_ + 1 != bottom_) {
        std::uint32_t v = 0;
        if (!take_last(branching_[top_ % k_levels], v)) {
          if (!is_partial(top_) || !enter(top_, candidates_[top_ % k_levels], best)) --top_;
          continue;
        }
        part& here = candidates_[top_ % k_levels];
        remove(here, v);
        for (std::uint32_t k = 0; k != k_parts; ++k)
          candidates.bits[k] = here.bits[k] & neighbours(v, k);
        path_[top_ % k_levels] = static_cast<std::uint16_t>(v);
        if (!worker_.any(candidates.any())) {
          if (size_at(top_ + 1) > best) keep_chosen();
          continue;
        }
        ++visited;
        best = best_known();
        if (top_ + 1 - bottom_ == k_levels) give_oldest();
        if (enter(top_ + 1, candidates, best)) ++top_;
        if (coloured_ < k_work) continue;
        coloured_ = 0;
        if (worker_.any(worker_.stopping())) break;
        while (top_ != bottom_ && !has_left(bottom_))
          leave_oldest();
        give_half();
        worker_.release();
      }
      if (lane_ == 0) worker_.accumulate(nodes{}, visited);
    }

   private:
    /// The same for all lanes.
    [[nodiscard]] MGWS_FN std::uint32_t best_known() const {
      return worker_.broadcast(bound(c_), 0);
    }
    /// Of this lane's k-th word among those of a set, and whether it is one.
    [[nodiscard]] MGWS_FN std::uint32_t number(std::uint32_t k) const {
      return k * k_lanes + lane_;
    }
    [[nodiscard]] MGWS_FN bool is_in(std::uint32_t k) const { return number(k) < 2 * c_.words; }
    [[nodiscard]] MGWS_FN static std::uint32_t half(const word* words, std::uint32_t n) {
      return static_cast<std::uint32_t>(words[n / 2] >> n % 2 * 32);
    }
    /// Of a word that is none it is some other one's.
    [[nodiscard]] MGWS_FN std::uint32_t neighbours(std::uint32_t v, std::uint32_t k) const {
      return half(column_[k] + v * c_.words, number(k) % 2);
    }
    MGWS_FN void remove(part& from, std::uint32_t v) const {
      for (std::uint32_t k = 0; k != k_parts; ++k)
        if (v / 32 == number(k)) from.bits[k] &= ~(std::uint32_t{1} << v % 32);
    }

    /// Colours what is left at a level. Those vertices lead on for which more colours are needed
    /// than would not lead to a better clique; where any clique would be better, those of the last
    /// colour, and the others later. \return whether there are any
    MGWS_FN bool enter(std::uint32_t level, const part& candidates, std::uint32_t best) {
      const std::uint32_t size = size_at(level);
      part open = candidates;
      part last = open;
      std::uint32_t colours = size;
      for (bool some = true; some && (colours < best || best <= size); ++colours) {
        const part before = open;
        some = take_colour(open);
        for (std::uint32_t k = 0; some && best <= size && k != k_parts; ++k)
          last.bits[k] = before.bits[k] ^ open.bits[k];
      }
      const std::uint32_t at = level % k_levels;
      candidates_[at] = candidates;
      branching_[at] = best <= size ? last : open;
      const bool any = worker_.any(branching_[at].any());
      partial_ = (partial_ & ~(1u << at)) | (best <= size && any ? 1u : 0u) << at;
      return any;
    }
    [[nodiscard]] MGWS_FN bool is_partial(std::uint32_t level) const {
      return (partial_ >> level % k_levels & 1) != 0;
    }
    [[nodiscard]] MGWS_FN bool has_left(std::uint32_t level) const {
      return is_partial(level) || worker_.any(branching_[level % k_levels].any());
    }
    /// Vertices that are chosen at a level.
    [[nodiscard]] MGWS_FN std::uint32_t size_at(std::uint32_t level) const {
      return of_.size + level;
    }

    /// Takes vertices that are not joined out of a set, the first of those that are left one after
    /// the other. \return whether there were any
    [[nodiscard]] MGWS_FN bool take_colour(part& open) {
      part left = open;
      const std::uint32_t before = coloured_;
      for (std::uint32_t k = 0; k != k_parts; ++k)
        for (std::uint32_t from = 0; (from = worker_.first(left.bits[k] != 0)) != k_lanes;) {
          const std::uint32_t bits = worker_.broadcast(left.bits[k], from);
          const std::uint32_t lowest = bits & (~bits + 1);
          if (lane_ == from) {
            left.bits[k] ^= lowest;
            open.bits[k] ^= lowest;
          }
          const std::uint32_t v = 32 * (k * k_lanes + from) + highest(lowest);
          for (std::uint32_t i = k; i != k_parts; ++i)
            left.bits[i] &= ~neighbours(v, i);
          ++coloured_;
        }
      return coloured_ != before;
    }
    [[nodiscard]] MGWS_FN static std::uint32_t highest(std::uint32_t bits) {
      return static_cast<std::uint32_t>(std::bit_width(bits)) - 1;
    }
    /// The last vertex: it has the fewest neighbours.
    [[nodiscard]] MGWS_FN bool take_last(part& from, std::uint32_t& v) const {
      std::uint32_t after = 0;
      for (std::uint32_t k = 0; k != k_parts; ++k)
        if (from.bits[k] != 0) after = 32 * number(k) + highest(from.bits[k]) + 1;
      after = worker_.reduce(after, [](std::uint32_t a, std::uint32_t b) { return a < b ? b : a; });
      if (after == 0) return false;
      v = after - 1;
      remove(from, v);
      return true;
    }

    // ---- What others get ----

    /// Spawns what is left of the oldest level.
    MGWS_FN void give_oldest() {
      if (has_left(bottom_)) {
        const std::uint32_t at = bottom_ % k_levels;
        spawn(candidates_[at], branching_[at], !is_partial(bottom_));
      }
      leave_oldest();
    }
    MGWS_FN void leave_oldest() {
      const std::uint32_t v = path_[bottom_ % k_levels];
      for (std::uint32_t k = 0; k != k_parts; ++k)
        if (v / 32 == number(k)) chosen_.bits[k] |= std::uint32_t{1} << v % 32;
      ++bottom_;
    }
    /// Of the oldest level: spawns the search from half of its vertices, those that come first
    /// there, and keeps that from the others. Whoever got all would be the only one to give some.
    MGWS_FN void give_half() {
      part& mine = branching_[bottom_ % k_levels];
      const std::uint32_t all = above(mine, 0);
      if (all == 0 || (all == 1 && !is_partial(bottom_))) {
        if (top_ != bottom_) give_oldest();
        return;
      }
      const std::uint32_t wanted = (all + 1) / 2;
      // The vertex from which on there are as many.
      std::uint32_t from = 0;
      for (std::uint32_t step = 32 * Words; step != 0; step /= 2)
        if (above(mine, from + step) >= wanted) from += step;
      part theirs = candidates_[bottom_ % k_levels];
      part leading = mine;
      for (std::uint32_t k = 0; k != k_parts; ++k) {
        mine.bits[k] &= not_below(k, from);
        leading.bits[k] ^= mine.bits[k];
        theirs.bits[k] &= ~mine.bits[k];
      }
      if (worker_.any(theirs.any())) spawn(theirs, leading, !is_partial(bottom_));
      partial_ &= ~(1u << bottom_ % k_levels);
    }
    /// How many of a set have this number or a higher one.
    [[nodiscard]] MGWS_FN std::uint32_t above(const part& of, std::uint32_t from) const {
      std::uint32_t n = 0;
      for (std::uint32_t k = 0; k != k_parts; ++k)
        n += static_cast<std::uint32_t>(std::popcount(of.bits[k] & not_below(k, from)));
      return worker_.reduce(n, [](std::uint32_t a, std::uint32_t b) { return a + b; });
    }
    /// Of this lane's k-th word the bits from a vertex on.
    [[nodiscard]] MGWS_FN std::uint32_t not_below(std::uint32_t k, std::uint32_t from) const {
      const std::uint32_t begin = 32 * number(k);
      if (begin >= from) return ~std::uint32_t{0};
      return from - begin >= 32 ? 0 : ~std::uint32_t{0} << (from - begin);
    }

    /// Spawns the search below what is chosen at the oldest level.
    MGWS_FN void spawn(const part& candidates, const part& leading, bool known) {
      search_below below{};
      for (std::uint32_t n = 0; n != 2 * c_.words; ++n) {
        below.chosen.bits[n / 2] |= word_of(chosen_, n);
        below.candidates.bits[n / 2] |= word_of(candidates, n);
        below.leading.bits[n / 2] |= word_of(leading, n);
      }
      below.size = size_at(bottom_);
      below.known = known ? 1 : 0;
      if (lane_ == 0) worker_.spawn(below);
    }
    /// The n-th 32 bits of a set, where they stand in a word.
    [[nodiscard]] MGWS_FN word word_of(const part& of, std::uint32_t n) const {
      return word{worker_.broadcast(of.bits[n / k_lanes], n % k_lanes)} << n % 2 * 32;
    }
    /// Keeps what is chosen with the newest level's vertex.
    MGWS_FN void keep_chosen() const {
      set<Words> all{};
      for (std::uint32_t n = 0; n != 2 * c_.words; ++n)
        all.bits[n / 2] |= word_of(chosen_, n);
      for (std::uint32_t level = bottom_; level != top_ + 1; ++level)
        all.add(path_[level % k_levels]);
      if (lane_ == 0)
        keep(worker_, size_at(top_ + 1), [&](std::uint32_t w) { return all.bits[w]; });
    }

    const search_below& of_;
    Worker& worker_;
    const context& c_;
    const std::uint32_t lane_;
    const word* column_[k_parts];  ///< this lane's word of each row
    std::uint32_t bottom_ = 0;     ///< the oldest level that is not given away
    std::uint32_t top_ = 0;        ///< the newest
    part chosen_;                  ///< at the oldest
    part candidates_[k_levels];
    part branching_[k_levels];
    std::uint16_t path_[k_levels];  ///< which vertex leads on
    std::uint32_t partial_ = 0;     ///< levels of which others are to lead on later, as bits
    std::uint32_t coloured_ = 0;    ///< vertices, since others got something
  };
};

}  // namespace mgws::bench::clique
