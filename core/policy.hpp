/// \file
/// Policy: what is fast, as against protocol, what must hold (docs/protocol.md). Every
/// tuning constant of core stands here, with its unit and its reason; docs/tuning.md has the
/// measurements behind each.
///
/// One rule is behind all of it: **while some worker is idle, no worker keeps work to itself that
/// it will not have begun within k_delta_ns or one step, whichever is longer.** Then a run takes no
/// longer than work / workers + the longest chain + little, as for any list schedule. From the rule
/// follows how much may be private (pace), how much is claimed at a time (claim_of), and what is
/// made stealable when (holdings::share).
///
/// A *step* is what a worker runs side by side: one instance on a CPU, up to as many as it has
/// lanes on a GPU. Nothing can interrupt it.
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws_port.hpp>

namespace mgws::policy {

// ---- Time ----

/// How long what a worker has to itself should last, in nanoseconds. Long against a release, a
/// steal or a claim (0.1 us on a CPU, 2 to 5 us on a GPU), short against a run.
inline constexpr std::uint32_t k_delta_ns = 20'000;
/// Steps that last so many times what it takes to hand work over are coarse: then nothing is kept
/// behind the one that runs, and each is fetched by itself. Of shorter ones the next is kept.
inline constexpr std::uint32_t k_coarse = 16;
/// How far apart, in nanoseconds, a worker of several lanes looks whether its public queue has run
/// out: the invariant's delta is spent there and on the way of a thief. It tells by a clock near
/// its lanes, whose rate it measures over so many nanoseconds at least.
inline constexpr std::uint32_t k_look_ns = k_delta_ns / 2;
inline constexpr std::uint32_t k_clock_ns = 1'000;

/// Full steps of slots that a worker of several lanes keeps of tasks that spawn, as far as they
/// last no longer than k_delta_ns: an older one waits for all that newer ones spawn, nobody knows
/// how long. Fewer are not worth a release.
inline constexpr std::uint32_t k_sure_steps = 3;

// ---- How much at a time ----

/// A claim on something shared is at most one of this many parts of a worker's equal share of what
/// is left (guided self-scheduling: Polychronopoulos and Kuck, 1987), so that what is claimed last
/// is small.
inline constexpr std::uint32_t k_claims_of_share = 2;

/// Slots that a release should have, as far as there are instances for them: thieves take half of
/// the slots, and of pieces of equal length that is half of the work. Four thieves find some.
inline constexpr std::uint32_t k_pieces = 8;

/// A bulk slot of more steps than so many for each worker of the device, which would take longer
/// than k_delta_ns, is shown on the device's board if that is free: to halve it and halve it again
/// until everybody has some takes a steal for each halving. Of fewer there is less than a claim
/// each.
inline constexpr std::uint32_t k_shown_steps = 2;

/// Tokens of a finish that a lane draws at a time, besides those that it needs: more than it spawns
/// before it has work no more, or nearly, so that it draws seldom.
inline constexpr std::uint64_t k_tokens_drawn = std::uint64_t{1} << 20;

/// How long, in nanoseconds, what one coherence domain gives another is to last there: some hundred
/// times what it takes to come over, and short beside what a run takes. Who was given less than it
/// asked for does not ask again before that; and where it takes long to look whether others ask, a
/// worker does so once in that time.
inline constexpr std::uint64_t k_grant_ns = 1'000'000;
/// A run over a GPU and CPU workers is short while it is younger than so many nanoseconds. Of a
/// short run it is a good part that the end waits for what a grant has left over on the slower
/// side, or for a thread to wake up, of longer ones it is at most a fiftieth: so in it those who
/// are slower by far are given nothing of which nobody knows how long it will last, and idle
/// threads stay awake.
inline constexpr std::uint64_t k_short_run_ns = 50 * k_grant_ns;
/// While nobody knows how long a task takes on the slower side, what is left of the initial set is
/// to last so many times as long as a grant and as a step: a CPU worker may need several of a GPU's
/// steps for one task of all lanes, or for data that has to come over first.
inline constexpr std::uint32_t k_unknown_there = 8;
/// How many instances to ask for next, where `last` of them lasted for so long (slow start).
[[nodiscard]] MGWS_FN constexpr std::uint32_t next_grant(std::uint32_t last, std::uint64_t ns) {
  if (ns < k_grant_ns / 2) return 2 * last;
  return ns > 2 * k_grant_ns && last > 1 ? last / 2 : last;
}

// ---- Signs of life ----

/// How far apart, in nanoseconds, a worker brings the host's copy of its sign of life up to date,
/// where there is one.
inline constexpr std::uint64_t k_mirror_interval_ns = 1'000'000;
/// Short tasks between two signs of life: a store, which a loop over instances would notice most.
/// Of instances, a part of a burst between two bounds; the upper one is also the most that a range
/// task is called with.
inline constexpr std::uint32_t k_tasks_per_sign = 8;
inline constexpr std::uint32_t k_signs_per_burst = 8;
inline constexpr std::uint32_t k_least_instances_per_sign = 64;
inline constexpr std::uint32_t k_most_instances_per_sign = 512;

// ---- Workers of one lane ----

/// Slots by which the local queue may grow while a task runs before its spawns look whether others
/// want some (hazard 29: the task may run for long).
inline constexpr std::uint32_t k_growth = 16;
/// Spawns of one coarse task that are made stealable one by one; handing out tiny ones so would
/// cost more than running them.
inline constexpr std::uint32_t k_eager_releases = 256;

/// How long steps take, and what follows from it: how many of them a worker may keep to itself.
/// \tparam Longest     a burst's steps at most
/// \tparam HandOverNs  what it takes to get work from elsewhere or to give it away
template <std::uint32_t Longest, std::uint32_t HandOverNs>
class pace {
 public:
  /// Whether nothing is to be private but what runs. True until a step has shown otherwise: what is
  /// not known strands nothing.
  [[nodiscard]] MGWS_FN bool coarse() const { return full_ == 1; }
  /// Steps that last k_delta_ns, by the longest that was seen lately, with the one that runs: the
  /// invariant allows one step more, so that it is two at least if they are not coarse.
  [[nodiscard]] MGWS_FN std::uint32_t full() const { return full_; }
  /// Steps of tasks that spawn to keep to oneself besides the one that runs (k_sure_steps).
  [[nodiscard]] MGWS_FN std::uint32_t sure() const {
    return full_ <= k_sure_steps ? full_ - 1 : k_sure_steps;
  }
  /// Steps to keep to oneself when more is shared: one after each restart(), then twice as many
  /// each time, up to full().
  [[nodiscard]] MGWS_FN std::uint32_t steps() const { return steps_ < full_ ? steps_ : full_; }
  /// Whether that is all that it ever will be.
  [[nodiscard]] MGWS_FN bool settled() const { return steps_ >= full_; }
  /// Steps that last about as long as it takes to get them, so that fewer are not worth the way.
  [[nodiscard]] MGWS_FN std::uint32_t least() const { return least_; }

  /// The longest step that was seen lately, in nanoseconds; 0: none has run.
  [[nodiscard]] MGWS_FN float step_ns() const { return step_ns_; }

  /// What is to run now came from elsewhere, and need not be like what ran before (slow start).
  MGWS_FN void restart() { steps_ = 1; }

  /// The clock as steps begin to run; and time since that was not spent on them.
  MGWS_FN void begins(std::uint64_t now) { since_ = now; }
  MGWS_FN void exclude(std::uint64_t ns) { since_ += ns; }

  /// So many steps have run since, at least one.
  MGWS_FN void ran(float steps, std::uint64_t now) {
    // Floating point, because a GPU divides integers in forty instructions, and this is between
    // steps.
    const float each = static_cast<float>(now - since_) / steps;
    since_ = now;
    // Up at once, down by halves: a maximum that is slowly forgotten.
    step_ns_ = std::max(each, (step_ns_ + each) / 2);
    const float per_ns = 1.0f / (step_ns_ + 1.0f);
    full_ = least_ = 1;
    if (step_ns_ <= static_cast<float>(k_coarse * HandOverNs)) {
      full_ = std::clamp(static_cast<std::uint32_t>(static_cast<float>(k_delta_ns) * per_ns), 2u,
                         Longest);
      least_ = std::clamp(static_cast<std::uint32_t>(static_cast<float>(HandOverNs) * per_ns), 1u,
                          full_);
    }
    steps_ = steps_ < Longest / 2 ? 2 * steps_ : Longest;
  }

 private:
  std::uint64_t since_ = 0;
  float step_ns_ = 0;
  std::uint32_t full_ = 1;
  std::uint32_t least_ = 1;
  std::uint32_t steps_ = 1;
};

/// How many of `left` pieces (or slots) one of those who share them claims: a guided part, within
/// bounds that are given in steps, and in whole steps.
/// \param share           of one: 1 / workers
/// \param pieces_of_step  at least 1
/// \param far             the counter is, and each claim costs: the whole share, and no upper bound
[[nodiscard]] MGWS_FN inline std::uint32_t claim_of(std::uint64_t left, float share,
                                                    std::uint32_t pieces_of_step,
                                                    std::uint32_t least, std::uint32_t most,
                                                    bool far = false) {
  const float steps =
      std::min(static_cast<float>(left) * share, 0x1p31f) / static_cast<float>(pieces_of_step);
  const auto whole = static_cast<std::uint32_t>(steps);
  const std::uint32_t guided = far ? whole : std::min(whole / k_claims_of_share, most);
  return std::max(guided, least) * pieces_of_step;
}

}  // namespace mgws::policy
