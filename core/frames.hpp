/// \file
/// The frames of a run as one lane uses them: takes one for a join, delivers into it, gives it
/// back.
///
/// Each worker has as many, in its device's memory, and marks which are free. A lane keeps free
/// ones for itself as long as it has work, and needs no atomic operation for them: up to 64 that it
/// has taken at a time, and of its own worker's those that it has freed, up to its part of them.
/// What is given back elsewhere becomes free for all; who runs dry looks at its own worker's, then
/// at those of the other workers of its device.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <mgws/core/bits.hpp>
#include <mgws/core/frame.hpp>
#include <mgws/core/returns.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/core/transport.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// Free frames that a lane has to itself.
struct lane_frames {
  std::uint64_t free = 0;    ///< of one word, which bit by bit
  std::uint32_t word = 0;    ///< among all workers' words
  std::uint32_t newest = 0;  ///< that it has freed: a list through frames of its worker
  std::uint32_t listed = 0;  ///< how many there are
};
struct no_frames {};

/// What a lane keeps while tasks run: nothing where no task type is a continuation.
template <class Tasks>
using frames_of_lane = std::conditional_t<Tasks::has_frames, lane_frames, no_frames>;

/// \tparam C  a configuration (worker_base.hpp) whose task set has continuations or a finish
template <class C>
class frames {
  using P = typename C::protocol;
  using V = typename C::view;
  using B = typename V::backend;
  using slot_type = slot<typename C::tasks>;
  using finish_type = typename slot_type::finish_type;
  using frame_type = frame<B, slot_type>;
  using free_type = free_frames<B>;
  using sent_type = sent_back_of<P, V, typename C::tasks>;
  /// Of a frame's word and of those that say which are free; of everything else of a frame.
  static constexpr auto k_scope = V::frame_scope;
  static constexpr auto k_wide_scope = V::queue_scope;
  static constexpr bool k_returned = k_returns<V>;

 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// \param sent  what the worker has sent back to other devices
  MGWS_FN frames(const V& view, const run_parameters& run, const worker_place& place,
                 lane_frames& mine, sent_type& sent)
      : view_(view), run_(run), place_(place), mine_(mine), sent_(sent) {}

  /// Before the first task. \param lane  of the worker
  MGWS_FN void begin(std::uint32_t lane) {
    mine_ = {};
    mine_.word = (place_.id << log_words()) + (lane & (words() - 1));
  }
  /// Without work: whoever looks finds every frame free that is.
  MGWS_FN void end() {
    if (mine_.free != 0) give_back(mine_.word, mine_.free);
    mine_.free = 0;
    for (; mine_.listed != 0; --mine_.listed) {
      const std::uint32_t number = mine_.newest;
      mine_.newest = frame_type::next(B::load(at(number).word, P::frame_open, k_scope));
      give_back(number / 64, bit_of(number));
    }
  }

  /// Whether a frame is of this coherence domain.
  [[nodiscard]] MGWS_FN bool has(std::uint32_t number) const {
    return domain_of_frame(number) == run_.domain;
  }

  /// A frame that holds the continuation and awaits so many deliveries. \return its number, or
  /// `none` \param below  the continuation's own finish
  template <class T>
  [[nodiscard]] MGWS_FN std::uint32_t open(const T& then, std::uint32_t parts,
                                           std::uint16_t& generation, finish_type below = {}) {
    const std::uint32_t number = hold(then, below, generation);
    if (number == none) return none;
    B::store(at(number).word, frame_type::make(generation, parts), P::frame_open, k_scope);
    return named(number);
  }

  /// A delivery. \return false if nothing awaits it \pre has(to.frame)
  /// \param write  write(slot): writes the value into it, at its offset
  /// \param push   push(fill): adds a slot to the run, which fill(slot) completes
  template <class Write, class Push>
  [[nodiscard]] MGWS_FN bool deliver(place<void> to, Write&& write, Push&& push) {
    const std::uint32_t number = within(to.frame);
    frame_type& f = at(number);
    const bool near = is_near(number);
    std::uint64_t seen = 0;
    bool last = false;
    if (near) {
      seen = B::load(f.word, P::frame_look, k_scope);
      if (frame_type::generation(seen) != to.generation || frame_type::awaited(seen) == 0)
        return false;
      // Who is last need not say so: everybody else has delivered, and has been seen to. And its
      // value need not go by the frame.
      last = frame_type::awaited(seen) == 1;
    }
    if (!last) {
      write(f.slot);
      if (!near) return send_back(view_, run_, sent_, number, to.generation);
      seen = B::fetch_add(f.word, ~std::uint64_t{0}, P::frame_deliver, k_scope);
      if (frame_type::awaited(seen) != 1) return frame_type::awaited(seen) != 0;
    }
    // By value, as what it has and what write() has would otherwise be in memory.
    push([from = &f.slot, last, write](slot_type& complete) {
      complete = B::read_plain(*from);
      if (last) write(complete);
    });
    free(number, to.generation);
    return true;
  }

  // ---- Of a finish (purse.hpp) ----

  /// A frame that holds what comes after a finish of so many tokens, at least one. \return its
  /// number, or `none` \param below  the finish below which that is itself
  template <class T>
  [[nodiscard]] MGWS_FN std::uint32_t open_finish(const T& then, std::uint64_t tokens,
                                                  finish_type below) {
    std::uint16_t generation = 0;
    const std::uint32_t number = hold(then, below, generation);
    if (number == none) return none;
    if constexpr (C::tasks::gathers)
      at(number).cells.template begin<typename B::atomics>(P::frame_open, k_wide_scope);
    B::store(at(number).tokens, tokens, P::frame_open, k_wide_scope);
    return named(number);
  }
  /// Adds to a finish's tokens. \return how many there were
  template <class Order>
  MGWS_FN std::uint64_t add_tokens(std::uint32_t number, std::uint64_t n, Order order) {
    return B::fetch_add(at(within(number)).tokens, n, order, k_wide_scope);
  }
  /// Combines what was contributed into a finish's.
  template <class A>
  MGWS_FN void gather(std::uint32_t number, typename A::value_type v) {
    at(within(number))
        .cells.template combine<typename B::atomics, A>(v, P::finish_gather, k_wide_scope);
  }
  /// Adds the continuation of a finish that has no token left to the run. The frame is free for
  /// all, and not for this lane: nothing that it keeps changes. \param push  as deliver()
  /// \return false if it goes back to the frame's device, where it is added
  template <class Push>
  MGWS_FN bool complete(std::uint32_t of, Push&& push) {
    const std::uint32_t number = within(of);
    if constexpr (k_returned)
      if (!is_near(number)) {
        return_head<B>& list = list_of(view_, run_, number);
        B::fetch_add(list.pending, std::uint64_t{1}, P::bookkeep, k_wide_scope);
        put_on_list(view_, list, at(number), sent_, number, P::return_finish);
        return false;
      }
    end_finish(number, push);
    return true;
  }

  // ---- What comes back from other devices (returns.hpp) ----

  /// Takes all that has come back to this worker's device, for a lane that keeps no frames.
  /// \param regained  called before it counts as taken (hazard 20)
  /// \param push      as deliver()
  /// \param unasked   unasked(number): something came that the frame did not await
  template <class Regained, class Push, class Unasked>
  MGWS_FN void take_returned(Regained&& regained, Push&& push,
                             Unasked&& unasked) requires(k_returned) {
    return_head<B>& list = view_.returns(place_.device);
    if (B::load(list.newest, P::look, k_wide_scope) == 0) return;
    std::uint64_t newest = B::exchange(list.newest, std::uint64_t{0}, P::bookkeep, k_wide_scope);
    if (newest == 0) return;
    regained();
    std::uint64_t taken = 0;
    while (newest != 0) {
      const auto number = static_cast<std::uint32_t>(newest - 1);
      auto& word = at(number).tokens;
      // Who has put it there says what was there before in its next step.
      for (typename B::backoff wait;
           !returned_parts::is_linked(B::load(word, P::look, k_wide_scope));)
        wait.pause();
      const std::uint64_t parts = B::exchange(word, std::uint64_t{0}, P::return_take, k_wide_scope);
      newest = returned_parts::before(parts);
      taken += std::max(returned_parts::count(parts), 1u);
      if (returned_parts::count(parts) == 0) {
        end_finish(number, push);
      } else if (!arrive(number, parts, push)) {
        unasked(named(number));
      }
    }
    B::fetch_add(list.pending, std::uint64_t{0} - taken, P::return_settle, k_wide_scope);
  }

 private:
  /// Whether this worker reaches a frame's word.
  [[nodiscard]] MGWS_FN bool is_near(std::uint32_t number) const {
    if constexpr (k_returned) return sent_.is_near(number >> run_.log_frames);
    return true;
  }
  /// A delivery to a frame of another device, which was written. Out of line, as all that is
  /// seldom, and without `this` (see find_free()). \return false if too many wait
  [[nodiscard]] [[gnu::noinline]] MGWS_FN static bool send_back(const V& view,
                                                                const run_parameters& run,
                                                                sent_type& sent,
                                                                std::uint32_t number,
                                                                std::uint16_t generation) {
    return_head<B>& list = list_of(view, run, number);
    frame_type& f = frame_of(view, run, number);
    B::fetch_add(list.pending, std::uint64_t{1}, P::bookkeep, k_wide_scope);
    const std::uint64_t before =
        B::fetch_add(f.tokens, returned_parts::one(generation), P::return_part, k_wide_scope);
    // Who is not the first leaves it at that: the frame is on the list, or on its way there.
    if (returned_parts::count(before) == 0)
      put_on_list(view, list, f, sent, number, P::return_link);
    return returned_parts::count(before) < returned_parts::most;
  }
  [[nodiscard]] MGWS_FN static return_head<B>& list_of(const V& view, const run_parameters& run,
                                                       std::uint32_t number) {
    std::uint32_t d = 0;
    while ((number >> run.log_frames) - run.device[d].first_worker >= run.device[d].workers)
      ++d;
    return view.returns(d);
  }
  template <class Order>
  MGWS_FN static void put_on_list(const V& view, return_head<B>& list, frame_type& f,
                                  sent_type& sent, std::uint32_t number, Order link) {
    sent.put();
    const std::uint64_t before =
        B::exchange(list.newest, std::uint64_t{number} + 1, P::bookkeep, k_wide_scope);
    B::fetch_add(f.tokens, returned_parts::linked(before), link, k_wide_scope);
    view.parking().notify_all();
  }
  /// Deliveries that have come back to a frame. \return false if it does not await them
  template <class Push>
  [[nodiscard]] MGWS_FN bool arrive(std::uint32_t number, std::uint64_t parts, Push&& push) {
    frame_type& f = at(number);
    const std::uint32_t n = returned_parts::count(parts);
    std::uint64_t seen = B::load(f.word, P::frame_look, k_scope);
    if (!returned_parts::are_of(parts, frame_type::generation(seen)) ||
        frame_type::awaited(seen) < n)
      return false;
    if (frame_type::awaited(seen) != n)
      seen = B::fetch_add(f.word, std::uint64_t{0} - n, P::frame_deliver, k_scope);
    if (frame_type::awaited(seen) != n) return frame_type::awaited(seen) > n;
    push([&](slot_type& complete) { complete = B::read_plain(f.slot); });
    end_use(number, frame_type::generation(seen));
    return true;
  }
  template <class Push>
  MGWS_FN void end_finish(std::uint32_t number, Push&& push) {
    frame_type& f = at(number);
    push([&](slot_type& s) {
      s = B::read_plain(f.slot);
      if constexpr (C::tasks::gathers)
        C::tasks::with_type(s.read_header().type(), [&]<class T>() {
          if constexpr (detail::gathers<T>)
            B::write_plain(
                s.template as<T>().gathered,
                f.cells.template values<typename B::atomics>(P::finish_gather, k_wide_scope));
        });
    });
    end_use(number, frame_type::generation(B::load(f.word, P::frame_open, k_scope)));
  }
  /// Makes a frame free for all. \param generation  of the use that ends
  MGWS_FN void end_use(std::uint32_t number, std::uint16_t generation) {
    B::store(at(number).word, next_use(generation, 0), P::frame_open, k_scope);
    give_back(number / 64, bit_of(number));
  }
  /// Whoever is told of a frame is told its domain with it.
  [[nodiscard]] MGWS_FN std::uint32_t named(std::uint32_t number) const {
    if constexpr (bridged_view<V>) return run_.domain << k_log_frames_of_domain | number;
    return number;
  }
  [[nodiscard]] MGWS_FN static std::uint32_t within(std::uint32_t number) {
    if constexpr (bridged_view<V>) return number & ((1u << k_log_frames_of_domain) - 1);
    return number;
  }
  /// Takes a free frame and puts the continuation there. \return its number, or `none`
  /// \param generation  set to that of this use
  template <class T>
  [[nodiscard]] MGWS_FN std::uint32_t hold(const T& then, [[maybe_unused]] finish_type below,
                                           std::uint16_t& generation) {
    const std::uint32_t number = take_one(generation);
    if (number == none) return none;
    slot_type& s = at(number).slot;
    B::write_plain(s.template as<T>(), then);
    if constexpr (C::tasks::has_finish) B::write_plain(s.where_finish(), below);
    B::write_plain(s.where_header(), slot_type::header::make(C::tasks::template index<T>, 0, 1));
    return number;
  }
  /// A free frame: that which this lane has freed last, or another one. \return its number, or
  /// `none`
  [[nodiscard]] MGWS_FN std::uint32_t take_one(std::uint16_t& generation) {
    const bool listed = mine_.listed != 0;
    if (!listed && mine_.free == 0) {
      const found f = find_free(view_, run_, place_, mine_.word);
      if (f.free == 0) return none;
      mine_.word = f.word;
      mine_.free = f.free;
    }
    std::uint32_t number = mine_.newest;
    if (!listed) {
      number = mine_.word * 64 + lowest_bit(mine_.free);
      mine_.free &= mine_.free - 1;
    }
    const std::uint64_t word = B::load(at(number).word, P::frame_open, k_scope);
    if (listed) {
      mine_.newest = frame_type::next(word);
      --mine_.listed;
    }
    generation = std::max<std::uint16_t>(frame_type::generation(word), 1);
    return number;
  }
  /// The word of a free frame. \param generation  of the use that ends: the next one has another,
  /// so that a place which was delivered twice is noticed
  [[nodiscard]] MGWS_FN static std::uint64_t next_use(std::uint16_t generation,
                                                      std::uint32_t next) {
    return frame_type::make(static_cast<std::uint16_t>(generation + 1), next);
  }
  /// \param generation  of the use that ends
  MGWS_FN void free(std::uint32_t number, std::uint16_t generation) {
    const bool keeps = number >> run_.log_frames == place_.id && lists_more();
    B::store(at(number).word, next_use(generation, mine_.newest), P::frame_open, k_scope);
    if (keeps) {
      mine_.newest = number;
      ++mine_.listed;
    } else if (number / 64 == mine_.word) {
      mine_.free |= bit_of(number);
    } else {
      give_back(number / 64, bit_of(number));
    }
  }
  /// Whether a lane lists fewer frames than its part of its worker's. That of a worker of one lane
  /// may list all.
  [[nodiscard]] MGWS_FN bool lists_more() const {
    if constexpr (team_backend<B>) {
      constexpr std::uint32_t lanes = B::team::k_lanes;
      const std::uint32_t of_worker = 1u << run_.log_frames;
      return mine_.listed < (of_worker > lanes ? of_worker / lanes : 1);
    }
    return true;
  }
  [[nodiscard]] MGWS_FN static std::uint64_t bit_of(std::uint32_t number) {
    return std::uint64_t{1} << number % 64;
  }
  [[nodiscard]] MGWS_FN std::uint32_t log_words() const { return run_.log_frames - 6u; }
  [[nodiscard]] MGWS_FN std::uint32_t words() const { return 1u << log_words(); }

  [[nodiscard]] MGWS_FN static frame_type& frame_of(const V& view, const run_parameters& run,
                                                    std::uint32_t number) {
    return *static_cast<frame_type*>(view.frame(number, run.log_frames, sizeof(frame_type)));
  }
  [[nodiscard]] MGWS_FN frame_type& at(std::uint32_t number) const {
    return frame_of(view_, run_, number);
  }
  /// \param word  among all workers' words
  [[nodiscard]] MGWS_FN static auto& taken(const V& view, const run_parameters& run,
                                           std::uint32_t word) {
    const std::uint32_t log_words = run.log_frames - 6u;
    const std::uint32_t within = word & ((1u << log_words) - 1);
    free_type* const of =
        view.free_frames(word >> log_words, free_type::lines(1u << run.log_frames));
    return of[within / free_type::words].taken[within % free_type::words];
  }
  MGWS_FN void give_back(std::uint32_t word, std::uint64_t bits) {
    B::fetch_add(taken(view_, run_, word), ~bits + 1, P::frame_free, k_scope);
  }

  /// Free frames of one word: none, if no bit is 1.
  struct found {
    std::uint32_t word;
    std::uint64_t free;
  };
  /// All free frames of some word, for a lane that has none. By value: what a lane keeps is in
  /// memory if its address goes to what is not inlined. \param last  the word whose it had
  [[nodiscard]] [[gnu::noinline]] MGWS_FN static found find_free(const V& view,
                                                                 const run_parameters& run,
                                                                 const worker_place& place,
                                                                 std::uint32_t last) {
    const device_range& here = run.device[place.device];
    const std::uint32_t log_words = run.log_frames - 6u;
    const std::uint32_t words = 1u << log_words;
    const std::uint32_t own = place.id << log_words;
    const std::uint32_t first = last - own < words ? last - own : 0;
    for (std::uint32_t w = 0; w != here.workers; ++w) {
      const std::uint32_t of =
          here.first_worker + (place.id - here.first_worker + w) % here.workers;
      for (std::uint32_t i = 0; i != words; ++i) {
        const std::uint32_t word = (of << log_words) + (first + i) % words;
        auto& bits = taken(view, run, word);
        if (~B::load(bits, P::frame_open, k_scope) == 0) continue;
        const std::uint64_t free = ~B::exchange(bits, ~std::uint64_t{0}, P::frame_take, k_scope);
        if (free != 0) return {word, free};
      }
    }
    return {last, 0};
  }

  const V& view_;
  const run_parameters& run_;
  const worker_place& place_;
  lane_frames& mine_;
  sent_type& sent_;
};

}  // namespace mgws
