/// \file
/// The bridge between coherence domains: groups of workers that cannot share queues, because no
/// read-modify-write is one for all of them (CPU workers and a GPU behind a bus, say). Inside each
/// domain everything is as ever. Between every two of them there is a channel each way, in memory
/// that both reach by loads and stores, every word of it with a single writer.
///
/// A domain of which half is without work asks the others for so many instances. A worker
/// of another one notices that between two tasks, writes up to half of what it reaches into the
/// channel's ring, never its last task, and says so; an inbox (inbox.hpp) is the receiving end. A
/// question that finds nothing stays, and is answered when there is something: domains without
/// work do not ask again and again.
///
/// The end: a domain says of each channel that leads to it how much of that has ended, with all
/// that came of it. When this is all that was ever sent, by one look at all channels, the run is
/// over; unless a domain says that tasks may come to it from outside (inbox.hpp): then all rest.
/// docs/protocol.md has the proof.
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws/core/backend.hpp>
#include <mgws/core/inbox.hpp>
#include <mgws/core/local_queue.hpp>
#include <mgws/core/policy.hpp>
#include <mgws/core/ring.hpp>
#include <mgws/core/run.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// What two domains tell each other. A line for each writer; the giver is the inbox's producer.
template <class B>
struct channel_head {
  inbox_head<B> inbox;

  /// One more than the slots that were taken when the taker found no others, and, in the lowest
  /// bits, how many instances it would like then. Theirs who are behind the taker's gate.
  alignas(B::line) atomic_of<B, std::uint64_t> asked{};
  /// For the host: whether all that came through one has ended.
  [[nodiscard]] static bool all_ended(const inbox_head<B>& i) {
    const std::uint64_t ended = B::load(i.ended, order::acquire, scope::system);
    return ended >> 1 == (B::load(i.written, order::relaxed, scope::system) >> 1) + 1;
  }
  static constexpr unsigned want_bits = 24;
  static constexpr std::uint32_t most_wanted = (1u << want_bits) - 1;
};

/// What the workers of one of the two domains share of a channel, in their own memory.
template <class B>
struct channel_gate {
  /// The taker's is as an inbox's. Behind the giver's is who gives; `written` are the slots that
  /// were sent.
  inbox_gate<B> gate;

  /// The giver's: channel_head::asked, as it was last seen; whether somebody is looking; and when
  /// somebody last did.
  alignas(B::line) atomic_of<B, std::uint64_t> asked{};
  atomic_of<B, std::uint64_t> looked_ns{};
  atomic_of<B, std::uint32_t> looking{};
  /// The giver's, behind the gate: inbox_head::read, as somebody last saw it.
  atomic_of<B, std::uint64_t> read{};
  /// The taker's, behind the gate: the last question, when it was asked and when something came,
  /// and how many instances it wanted and have come.
  atomic_of<B, std::uint64_t> question{};
  atomic_of<B, std::uint64_t> asked_ns{};
  atomic_of<B, std::uint64_t> answered_ns{};
  atomic_of<B, std::uint64_t> came{};
  atomic_of<B, std::uint32_t> want{};
};

/// A worker's end of all channels of its domain. One lane runs all of it.
/// \tparam V  a view; its bridge_gate(c) is a channel_gate of the domain, run_parameters::bridge
///            says where the channels are
template <class P, class V, class Slot>
class bridge_end {
  using B = typename V::backend;
  using head_type = channel_head<B>;
  using gate_type = channel_gate<B>;

 public:
  // ---- Taking ----

  /// Takes some of what another domain has given, each in turn, into an empty local queue, as from
  /// an inbox; if there is none, may ask for some. Never waits.
  /// \param asks  asks(): whether it is time to
  /// \param units  instances that it runs side by side
  /// \param instances  instances(): of what has come into the queue, those that are work
  /// \param answered  answered(domain, gate): what is taken is the first since the question
  template <class Asks, class Regained, class Instances, class Answered>
  [[gnu::noinline]] MGWS_FN std::uint32_t take(const V& view, const run_parameters& run,
                                               Asks&& asks, std::uint32_t units,
                                               local_queue<B, Slot>& local, std::uint32_t least,
                                               std::uint32_t most, Regained&& regained,
                                               Instances&& instances, Answered&& answered) {
    from_ = from_ + 1 < run.domains ? from_ + 1 : 0;
    if (from_ == run.domain) return 0;
    const std::uint32_t c = channel(run, from_, run.domain);
    gate_type& gate = view.bridge_gate(c);
    head_type& head = head_of(run, c);
    const std::uint32_t n = take_through_gate<P, V, 1>(
        gate.gate, head.inbox, slots_of(run, c), run.workers, local, units, least, most, regained,
        [&] {
          if (came(gate, instances())) answered(from_, gate);
        },
        [&](std::uint64_t taken) {
          if (asks()) ask(gate, head, taken, run.workers * units);
        });
    // Those who sleep were not woken by whoever gave: nothing but loads and stores comes over.
    if (n != 0) view.parking().notify_all();
    return n;
  }

  // ---- The first worker ----

  /// Whether tasks may still come: then it counts as having work. Tells the others how far
  /// everything here has ended, and looks how far they are.
  /// \pre this worker has nothing, for good but for what comes from elsewhere
  /// \param idle  idle(): whether all other workers of the domain count as idle
  template <class Idle>
  [[nodiscard]] MGWS_FN bool open(const V& view, const run_parameters& run, Idle&& idle) {
    if (over_) return false;
    bool more = false;
    over_ = tell(view, run, false, idle) && all_ended(view, run, more) && !more;
    return !over_;
  }
  /// The part of it for others, of a domain with open inboxes: tells them. \param more  whether
  /// tasks may come from outside \return whether all that was taken has ended
  template <class Idle>
  MGWS_FN bool tell(const V& view, const run_parameters& run, bool more, Idle&& idle) const {
    bool told = true;
    for (std::uint32_t from = 0; from != run.domains; ++from) {
      if (from == run.domain) continue;
      const std::uint32_t c = channel(run, from, run.domain);
      told = tell_ended<P, V>(view.bridge_gate(c).gate, head_of(run, c).inbox, more, idle) && told;
    }
    return told;
  }
  /// And the part of it for itself: whether nothing is left that ever crossed, here or elsewhere.
  /// \pre as this worker looks, all of its domain count as idle
  [[nodiscard]] MGWS_FN static bool rests(const V& view, const run_parameters& run) {
    bool more = false;
    return all_ended(view, run, more);
  }

  // ---- Giving ----

  /// Whether it is time, between two tasks, to see whether others ask: now and then, where that
  /// takes long.
  [[nodiscard]] MGWS_FN bool is_time(std::uint64_t now) const {
    return !B::host_memory_is_far || now - looked_ns_ >= policy::k_grant_ns;
  }
  /// It is. \return whether it is to look: not when all the others do \param id  among so many
  /// `workers`
  [[nodiscard]] MGWS_FN bool looks([[maybe_unused]] std::uint64_t now,
                                   [[maybe_unused]] std::uint32_t id,
                                   [[maybe_unused]] std::uint32_t workers) {
    if constexpr (B::host_memory_is_far) {
      const bool begins = began_ns_ == 0;
      looked_ns_ = now;
      if (begins) {
        began_ns_ = now;
        looked_ns_ -= policy::k_grant_ns / workers * (workers - id);
        return false;
      }
    }
    return true;
  }
  /// Whether the run is short so far, by this worker's time in it.
  [[nodiscard]] MGWS_FN bool short_so_far() const {
    return B::now() - began_ns_ < policy::k_short_run_ns;
  }
  /// Whether another domain waits for tasks, as far as the workers of this one have noticed.
  [[nodiscard]] MGWS_FN static bool called(const V& view, const run_parameters& run) {
    for (std::uint32_t to = 0; to != run.domains; ++to) {
      if (to == run.domain) continue;
      const gate_type& gate = view.bridge_gate(channel(run, run.domain, to));
      if (pending(B::load(gate.asked, P::bridge_notice, V::global_scope),
                  B::load(gate.gate.written, P::bridge_notice, V::global_scope)))
        return true;
    }
    return false;
  }
  /// Looks at the questions themselves for all workers of the domain. Where they are far away, one
  /// at a time, and seldom.
  [[gnu::noinline]] MGWS_FN static void look(const V& view, const run_parameters& run) {
    for (std::uint32_t to = 0; to != run.domains; ++to) {
      if (to == run.domain) continue;
      const std::uint32_t c = channel(run, run.domain, to);
      gate_type& gate = view.bridge_gate(c);
      if constexpr (B::host_memory_is_far) {
        const std::uint64_t now = B::now();
        const std::uint64_t last = B::load(gate.looked_ns, P::bridge_notice, V::global_scope);
        if (static_cast<std::int64_t>(now - last) < std::int64_t{B::hand_over_ns}) continue;
        if (B::load(gate.looking, P::bridge_notice, V::global_scope) != 0 ||
            B::exchange(gate.looking, 1u, P::bridge_notice, V::global_scope) != 0)
          continue;
        B::store(gate.looked_ns, now, P::bridge_notice, V::global_scope);
      }
      const std::uint64_t asked = B::load(head_of(run, c).asked, P::bridge_ask, scope::system);
      if (asked != B::load(gate.asked, P::bridge_notice, V::global_scope))
        B::store(gate.asked, asked, P::bridge_notice, V::global_scope);
      if constexpr (B::host_memory_is_far)
        B::store(gate.looking, 0u, P::bridge_notice, V::global_scope);
    }
  }
  /// Answers whoever waits. \param unasked  unasked(domain): whether it is given some anyway
  /// \param gather  gather(domain, n, room, put): puts (giving.hpp) slots for about n instances
  /// that this worker can do without, as many as there is room for; returns how many. n is 0 where
  /// nobody waits
  template <class Unasked, class Gather>
  [[gnu::noinline]] MGWS_FN void give(const V& view, const run_parameters& run, Unasked&& unasked,
                                      Gather&& gather) {
    for (std::uint32_t i = 0; i != run.domains; ++i) {
      to_ = to_ + 1 < run.domains ? to_ + 1 : 0;
      if (to_ != run.domain) give_to(view, run, to_, unasked, gather);
    }
  }

 private:
  /// Without a clock (the checker's backend) any time may be over.
  static constexpr std::uint64_t k_between_questions_ns =
      B::hand_over_ns == 0 ? 0 : policy::k_grant_ns;

  [[nodiscard]] MGWS_FN static std::uint32_t channel(const run_parameters& run, std::uint32_t from,
                                                     std::uint32_t to) {
    return from * run.domains + to;
  }
  [[nodiscard]] MGWS_FN static head_type& head_of(const run_parameters& run, std::uint32_t c) {
    return *static_cast<head_type*>(run.bridge[c].head);
  }
  [[nodiscard]] MGWS_FN static ring<Slot> slots_of(const run_parameters& run, std::uint32_t c) {
    return ring<Slot>(static_cast<Slot*>(run.bridge[c].slots), run.bridge_capacity);
  }
  /// Whether nothing was sent since the question. \param sent  slots
  [[nodiscard]] MGWS_FN static bool pending(std::uint64_t asked, std::uint64_t sent) {
    return asked >> head_type::want_bits == sent + 1;
  }

  /// Notes that so many instances have come. \pre behind the gate
  /// \return whether they are the first since the question
  MGWS_FN static bool came(gate_type& gate, std::uint64_t n) {
    const std::uint64_t before = B::load(gate.came, P::bookkeep, V::global_scope);
    B::store(gate.came, before + n, P::bookkeep, V::global_scope);
    if (B::load(gate.answered_ns, P::bookkeep, V::global_scope) != 0) return false;
    B::store(gate.answered_ns, B::now(), P::bookkeep, V::global_scope);
    return true;
  }
  /// Asks, unless that was done, for what lasts for about policy::k_grant_ns; and if not all came
  /// that was asked for the last time, not before that time is over: to hand out crumbs takes their
  /// owners longer than to run them. \pre behind the gate
  MGWS_FN static void ask(gate_type& gate, head_type& head, std::uint64_t taken,
                          std::uint32_t first) {
    if (B::load(gate.question, P::bookkeep, V::global_scope) == taken + 1) return;
    const std::uint64_t now = B::now();
    const std::uint64_t came = B::load(gate.came, P::bookkeep, V::global_scope);
    std::uint32_t want = B::load(gate.want, P::bookkeep, V::global_scope);
    if (came < want) {
      const std::uint64_t asked = B::load(gate.asked_ns, P::bookkeep, V::global_scope);
      if (came != 0 && now - asked < k_between_questions_ns) return;
    } else {
      const std::uint64_t since = B::load(gate.answered_ns, P::bookkeep, V::global_scope);
      want = want == 0 ? first : policy::next_grant(want, now - since);
      if (want > head_type::most_wanted) want = head_type::most_wanted;
    }
    B::store(gate.asked_ns, now, P::bookkeep, V::global_scope);
    B::store(gate.came, std::uint64_t{0}, P::bookkeep, V::global_scope);
    B::store(gate.want, want, P::bookkeep, V::global_scope);
    B::store(gate.question, taken + 1, P::bookkeep, V::global_scope);
    B::store(gate.answered_ns, std::uint64_t{0}, P::bookkeep, V::global_scope);
    B::store(head.asked, (taken + 1) << head_type::want_bits | want, P::bridge_ask, scope::system);
  }

  template <class Unasked, class Gather>
  MGWS_FN static void give_to(const V& view, const run_parameters& run, std::uint32_t domain,
                              Unasked&& unasked, Gather&& gather) {
    const std::uint32_t c = channel(run, run.domain, domain);
    gate_type& g = view.bridge_gate(c);
    head_type& head = head_of(run, c);
    std::uint64_t taken = 0;  // nothing ever, by givers
    if (!enter_gate<P, V>(g.gate, taken)) return;
    const std::uint64_t asked = B::load(g.asked, P::bridge_notice, V::global_scope);
    const std::uint64_t sent = B::load(g.gate.written, P::bridge_notice, V::global_scope);
    const auto most =
        static_cast<std::uint32_t>(pending(asked, sent) ? asked & head_type::most_wanted : 0);
    if (most != 0 || unasked(domain)) {
      const std::uint64_t read = read_by_taker(run, g, head, sent);
      const auto room = static_cast<std::uint32_t>(run.bridge_capacity - (sent - read));
      const ring<Slot> to = slots_of(run, c);
      const auto end = static_cast<std::uint32_t>(sent);
      const std::uint32_t n = gather(domain, most, room, slots_into<B, Slot>{to, end});
      if (n != 0) {
        B::store(g.gate.written, sent + n, P::bridge_notice, V::global_scope);
        B::store(head.inbox.written, (sent + n) << 1, P::inbox_put, scope::system);
      }
    }
    leave_gate<P, V>(g.gate, taken);
  }

  /// How far the taker has copied, or less, if that leaves half of the ring. \pre behind the gate
  [[nodiscard]] MGWS_FN static std::uint64_t read_by_taker(const run_parameters& run, gate_type& g,
                                                           const head_type& head,
                                                           std::uint64_t sent) {
    std::uint64_t read = B::load(g.read, P::bookkeep, V::global_scope);
    if (sent - read > run.bridge_capacity / 2) {
      read = B::load(head.inbox.read, P::inbox_room, scope::system);
      B::store(g.read, read, P::bookkeep, V::global_scope);
    }
    return read;
  }

  /// Whether all that was ever sent has ended, by one look at all channels: first how much has
  /// ended on each, then how much was sent. No channel shows less sent than ended, so that sums
  /// tell. What this domain wrote itself stands in its own memory as well, which is nearer.
  /// \param more  set if a domain said that tasks may come from outside
  [[nodiscard]] [[gnu::noinline]] MGWS_FN static bool all_ended(const V& view,
                                                                const run_parameters& run,
                                                                bool& more) {
    std::uint64_t ended = 0;
    std::uint64_t sent = 0;
    for_all(run, [&](std::uint32_t /*from*/, std::uint32_t to, std::uint32_t c) {
      const std::uint64_t e =
          to == run.domain ? B::load(view.bridge_gate(c).gate.told, P::bookkeep, V::global_scope)
                           : B::load(head_of(run, c).inbox.ended, P::bridge_ended, scope::system);
      ended += e >> 1;
      more = more || (e & 1) != 0;
    });
    for_all(run, [&](std::uint32_t from, std::uint32_t /*to*/, std::uint32_t c) {
      sent +=
          1 + (from == run.domain
                   ? B::load(view.bridge_gate(c).gate.written, P::bridge_notice, V::global_scope)
                   : B::load(head_of(run, c).inbox.written, P::bridge_sent, scope::system) >> 1);
    });
    return ended == sent;
  }
  template <class F>
  MGWS_FN static void for_all(const run_parameters& run, F&& f) {
    for (std::uint32_t from = 0; from != run.domains; ++from)
      for (std::uint32_t to = 0; to != run.domains; ++to)
        if (from != to) f(from, to, channel(run, from, to));
  }

  std::uint32_t from_ = 0;  ///< taken from last
  std::uint32_t to_ = 0;    ///< given to last
  bool over_ = false;
  std::uint64_t began_ns_ = 0;   ///< when it was time first
  std::uint64_t looked_ns_ = 0;  ///< when it was time last
};

}  // namespace mgws
