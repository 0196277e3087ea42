/// \file
/// The initial tasks of a run, as the host collects them and as they are dealt out.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mgws/core/affinity.hpp>
#include <mgws/core/initial_pieces.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/core/widths.hpp>
#include <mgws/errors.hpp>

namespace mgws {

/// \param what  is to be done with several tasks instead
/// \throws bad_configuration if a slot cannot stand for so many instances
template <class Slot>
void check_instances(std::uint64_t count, const char* what) {
  if (count > Slot::max_instances)
    detail::refuse<bad_configuration>({"a slot of this task set stands for at most ",
                                       Slot::max_instances, " instances, not ", count, ": ", what,
                                       " several, of tasks that know where their part begins"});
}

/// Movable, and empty after it was moved from.
template <class Tasks>
class initial_set {
 public:
  using slot_type = slot<Tasks>;

  initial_set() = default;
  initial_set(initial_set&&) noexcept = default;
  initial_set& operator=(initial_set&&) noexcept = default;

  /// Adds `count` instances of a task. \throws bad_configuration if a slot cannot stand for so many
  template <class T>
  void add(const T& t, std::uint64_t count) {
    static_assert(Tasks::template contains<T>,
                  "mgws: seed of a task type that is not in the task_set");
    check_instances<slot_type>(count, "seed");
    if (count == 0) return;
    slots_.emplace_back().write(t, 0, static_cast<std::uint32_t>(count));
    this->count(slots_.back());
    dealt_for_ = 0;
    ++version_;
  }
  void reserve(std::size_t n) { slots_.reserve(slots_.size() + n); }
  void clear() {
    slots_ = {};
    table_ = {};
    pieces_ = 0;
    instances_ = 0;
    of_width_ = {};
    dealt_for_ = 0;
    ++version_;
  }

  /// The set as workers claim it (initial_pieces.hpp), and in the parameters what they have to know
  /// of it. Valid until the set is changed.
  [[nodiscard]] std::span<const slot_type> deal(run_parameters& run, const units_of_widths& units) {
    if (dealt_for_ != units.lane) make_table(units);
    run.initial_count = pieces_;
    run.bulk_seeds = table_.empty() ? 0 : slots_.size();
    run.log_bucket = log_bucket_;
    run.pieces_of_seed = 1;
    run.pieces_of_step = 1;
    run.steps_of_piece = 1;
    if (pieces_ != 0) {
      const auto pieces = static_cast<double>(pieces_);
      run.pieces_of_seed = static_cast<std::uint32_t>(pieces_ / slots_.size());
      run.pieces_of_step = static_cast<std::uint32_t>(
          std::clamp(pieces / steps(units), 1.0, static_cast<double>(units.most())));
      run.steps_of_piece = static_cast<float>(steps(units) / pieces);
    }
    return table_.empty() ? slots_ : table_;
  }

  /// Instances [begin, end) of the set, in the order in which they were added.
  [[nodiscard]] initial_set part(std::uint64_t begin, std::uint64_t end) const {
    initial_set some;
    some.version_ = version_;
    std::uint64_t at = 0;
    for (const slot_type& s : slots_) {
      const auto h = s.read_header();
      const std::uint64_t from = std::max(begin, at);
      const std::uint64_t to = std::min(end, at + h.count());
      if (from < to) {
        some.slots_.push_back(s);
        some.slots_.back().write_header(
            slot_type::header::make(h.type(), static_cast<task_index>(h.first() + (from - at)),
                                    static_cast<std::uint32_t>(to - from)));
        some.count(some.slots_.back());
      }
      at += h.count();
    }
    return some;
  }

  /// The i-th of as many parts as there are weights, in their proportion: of tasks that say where
  /// they are to run, only among those of that kind; of others only among GPUs, if there are any: a
  /// CPU's part would be some thousandth, and one of its tasks may take longer than the run.
  /// \param kinds  of the parts' workers
  [[nodiscard]] initial_set share(std::span<const double> weights,
                                  std::span<const worker_kind> kinds, std::size_t i) const {
    if constexpr (!Tasks::has_affinity) {
      return share_of_all(weights_of(worker_kind::gpu, weights, kinds), i);
    } else {
      initial_set mine;
      mine.version_ = version_;
      for (const worker_kind k : {worker_kind::gpu, worker_kind::cpu}) {
        const initial_set some = for_kind(k).share_of_all(weights_of(k, weights, kinds), i);
        for (const slot_type& slot : some.slots_) {
          mine.slots_.push_back(slot);
          mine.count(slot);
        }
      }
      return mine;
    }
  }

  [[nodiscard]] std::uint64_t instances() const { return instances_; }
  /// Instances that a worker runs side by side, on average.
  [[nodiscard]] double side_by_side(const units_of_widths& units) const {
    return instances_ == 0 ? 1 : static_cast<double>(instances_) / steps(units);
  }
  /// Differs whenever what deal() returns differs.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] std::size_t bytes() const {
    return (slots_.capacity() + table_.capacity()) * sizeof(slot_type);
  }

 private:
  /// The tasks that begin on that kind.
  [[nodiscard]] initial_set for_kind(worker_kind k) const {
    initial_set those;
    for (const slot_type& s : slots_) {
      const auto h = s.read_header();
      const bool cpu = leaves(Tasks::affinity_of(h.type()), worker_kind::gpu);
      if (cpu != (k == worker_kind::cpu)) continue;
      those.slots_.push_back(s);
      those.count(s);
    }
    return those;
  }
  /// Those of the parts of one kind, if there are any, else of all.
  [[nodiscard]] static std::vector<double> weights_of(worker_kind k,
                                                      std::span<const double> weights,
                                                      std::span<const worker_kind> kinds) {
    std::vector<double> some(weights.begin(), weights.end());
    if (std::ranges::find(kinds, k) != kinds.end())
      for (std::size_t p = 0; p != some.size(); ++p)
        if (kinds[p] != k) some[p] = 0;
    return some;
  }
  [[nodiscard]] initial_set share_of_all(std::span<const double> weights, std::size_t i) const {
    double all = 0;
    for (const double w : weights)
      all += w;
    const auto until = [&](std::size_t n) {
      double sum = 0;
      for (const double w : weights.first(n))
        sum += w;
      return n == weights.size() ? instances_
                                 : static_cast<std::uint64_t>(
                                       std::llround(static_cast<double>(instances_) * sum / all));
    };
    return part(until(i), until(i + 1));
  }

  /// A slot of the set has been added.
  void count(const slot_type& s) {
    const auto h = s.read_header();
    instances_ += h.count();
    Tasks::with_type(h.type(), [&]<class T>() {
      of_width_[static_cast<std::size_t>(Tasks::template width<T>)] += h.count();
    });
  }
  /// Steps of a worker that the set is.
  [[nodiscard]] double steps(const units_of_widths& units) const {
    double all = 0;
    for (const shape w : {shape::lane, shape::warp, shape::block})
      all += static_cast<double>(of_width_[static_cast<std::size_t>(w)]) / units.of(w);
    return all;
  }

  /// A step of each seed is a piece.
  void make_table(const units_of_widths& units) {
    dealt_for_ = 0;  // should memory run out
    table_ = {};
    pieces_ = slots_.size();
    log_bucket_ = 0;
    std::vector<std::uint64_t> begins;
    if (instances_ != slots_.size()) {
      begins.resize(slots_.size() + 1);
      pieces_ = 0;
      std::array<std::uint32_t, Tasks::size> steps{};  // instances, by type
      for (std::uint32_t t = 0; t != Tasks::size; ++t)
        Tasks::with_type(t, [&]<class T>() { steps[t] = units.of(Tasks::template width<T>); });
      for (std::size_t i = 0; i != slots_.size(); ++i) {
        begins[i] = pieces_;
        const auto h = slots_[i].read_header();
        pieces_ += (h.count() - 1) / steps[h.type()] + 1;
      }
      begins.back() = pieces_;
    }
    if (pieces_ != slots_.size()) append_table(begins);
    dealt_for_ = units.lane;
  }
  void append_table(const std::vector<std::uint64_t>& begins) {
    const std::uint64_t seeds = slots_.size();
    log_bucket_ = static_cast<std::uint8_t>(std::bit_width(pieces_ / seeds) - 1);
    std::vector<std::uint32_t> buckets;
    std::uint64_t seed = 0;
    for (std::uint64_t first = 0; first <= pieces_; first += std::uint64_t{1} << log_bucket_) {
      while (begins[seed + 1] <= first && seed + 1 != seeds)
        ++seed;
      buckets.push_back(static_cast<std::uint32_t>(seed));
    }
    buckets.push_back(static_cast<std::uint32_t>(seeds - 1));
    const auto a = std::as_bytes(std::span(begins));
    const auto b = std::as_bytes(std::span(buckets));
    const std::size_t slots = seeds + (a.size() + b.size() - 1) / sizeof(slot_type) + 1;
    table_.reserve(slots);
    table_ = slots_;
    table_.resize(slots);
    auto* const behind = reinterpret_cast<std::byte*>(table_.data() + seeds);
    std::memcpy(behind, a.data(), a.size());
    std::memcpy(behind + a.size(), b.data(), b.size());
  }

  std::vector<slot_type> slots_;
  std::vector<slot_type> table_;  ///< the same and the table, where there is one
  std::uint32_t dealt_for_ = 0;   ///< units of lanes that its pieces are for; 0: there are none yet
  std::uint64_t pieces_ = 0;
  std::uint8_t log_bucket_ = 0;
  std::uint64_t instances_ = 0;
  std::array<std::uint64_t, 3> of_width_{};  ///< of these, by their shape
  std::uint64_t version_ = 0;
};

}  // namespace mgws
