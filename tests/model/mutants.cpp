#include "mutants.hpp"

namespace mgws::model_backend {

namespace {

using enum memory_order;

constexpr mutant weaker(const char* name, step s, memory_order to, const char* scenario,
                        const char* equivalent = nullptr) {
  return {.name = name,
          .what = kind::order,
          .at = s,
          .order = to,
          .scenario = scenario,
          .equivalent = equivalent};
}
constexpr mutant narrower(const char* name, step s, const char* scenario,
                          const char* equivalent = nullptr) {
  return {.name = name,
          .what = kind::scope,
          .at = s,
          .hazard = "28",
          .scenario = scenario,
          .equivalent = equivalent};
}
constexpr mutant no_barrier(const char* name, const char* function, const char* scenario,
                            const char* hazard = "", int number = 0,
                            const char* equivalent = nullptr) {
  return {.name = name,
          .what = kind::barrier,
          .function = function,
          .number = number,
          .hazard = hazard,
          .scenario = scenario,
          .equivalent = equivalent};
}
constexpr mutant altered(const char* name, model_backend::behaviour b, const char* hazard,
                         const char* change, const char* scenario,
                         const char* equivalent = nullptr) {
  return {.name = name,
          .what = kind::behaviour,
          .behaviour = b,
          .hazard = hazard,
          .change = change,
          .scenario = scenario,
          .equivalent = equivalent};
}

constexpr const char* k_no_load_buffering =
    "the counters change by read-modify-writes only, and those of one location follow the order of "
    "execution wherever loads cannot see stores that depend on them (RC11; hardware that keeps "
    "control dependencies). Kept, because C++20 by its letter allows load buffering";
constexpr const char* k_votes_carry_their_wave =
    "a vote carries the number of its wave, and nothing else is read on the strength of it; a "
    "steal that contradicts a vote would need a cycle of reads and program order, which RC11 "
    "forbids. Kept, because C++20 by its letter allows load buffering";

constexpr const char* k_looking =
    "in this model: whether it is time to look around is a vote of the lanes, who so meet just "
    "before. Kept, because such a meeting orders no memory, and local slots are not watched for "
    "races here";

constexpr const char* k_dealing =
    "in this model: lanes meet between the look at the slot and its change, when they count who is "
    "free, and again before the next look, when they vote. Kept, because such a meeting orders no "
    "memory, and local slots are not watched for races here";

constexpr const char* k_under_lock =
    "what is read and written under the lock is ordered by the lock, at the transport's scope; who "
    "looks without it sees an older split at worst, and waits for nothing on the strength of it";

constexpr mutant k_mutants[] = {
    // ---- Orders, one step weaker ----
    weaker("claim-relaxed", step::claim, relaxed, "one-thief-short"),
    weaker("complete-relaxed", step::complete, relaxed, "one-thief-short"),
    weaker("lock-shared-relaxed", step::lock_shared, relaxed, "run-shared"),
    weaker("check-reuse-relaxed", step::check_reuse, relaxed, "one-thief-short"),
    weaker("check-room-relaxed", step::check_room, relaxed, "one-thief-short"),
    weaker("check-quiet-relaxed", step::check_quiet, relaxed,
           "run-counter run-initial run-hierarchical run-shared", k_no_load_buffering),
    weaker("publish-relaxed", step::publish, relaxed, "one-thief-short"),
    weaker("reopen-relaxed", step::reopen, relaxed, "one-thief-short"),
    weaker("device-idle-up-acquire", step::device_idle_up, acquire,
           "run-hierarchical run-3-hierarchical", k_no_load_buffering),
    weaker("device-idle-up-release", step::device_idle_up, release,
           "run-hierarchical run-3-hierarchical", k_no_load_buffering),
    weaker("vote-relaxed", step::vote, relaxed, "run-tree run-tree-2-devices run-shared-tree",
           k_votes_carry_their_wave),
    weaker("read-vote-relaxed", step::read_vote, relaxed,
           "run-tree run-tree-2-devices run-shared-tree", k_votes_carry_their_wave),

    weaker("sdc-lock-relaxed", step::sdc_lock, relaxed, "sdc-one-thief"),
    weaker("sdc-split-relaxed", step::sdc_split, relaxed, "sdc-one-thief"),
    weaker("sdc-unlock-relaxed", step::sdc_unlock, relaxed, "sdc-one-thief"),
    weaker("sdc-publish-relaxed", step::sdc_publish, relaxed, "sdc-one-thief"),
    weaker("sdc-complete-relaxed", step::sdc_complete, relaxed, "sdc-one-thief"),
    weaker("sdc-check-relaxed", step::sdc_check, relaxed, "sdc-one-thief"),
    weaker("sdc-check-quiet-relaxed", step::sdc_check_quiet, relaxed, "sdc-one-thief"),

    weaker("board-seize-relaxed", step::board_seize, relaxed, "board"),
    weaker("board-show-relaxed", step::board_show, relaxed, "board"),
    weaker("board-claim-relaxed", step::board_claim, relaxed, "board"),
    weaker("board-complete-acquire", step::board_complete, acquire, "board"),
    weaker("board-complete-release", step::board_complete, release, "board"),
    weaker("board-free-relaxed", step::board_free, relaxed, "board"),
    weaker("board-check-relaxed", step::board_check, relaxed, "board-run board-run-devices",
           k_no_load_buffering),

    weaker("frame-look-relaxed", step::frame_look, relaxed, "frame"),
    weaker("frame-deliver-acquire", step::frame_deliver, acquire, "frame"),
    weaker("frame-deliver-release", step::frame_deliver, release, "frame"),
    weaker("frame-free-relaxed", step::frame_free, relaxed, "frame"),
    weaker("frame-take-relaxed", step::frame_take, relaxed, "frame"),

    weaker("finish-return-acquire", step::finish_return, acquire, "finish"),
    weaker("finish-return-release", step::finish_return, release, "finish"),

    weaker("return-part-relaxed", step::return_part, relaxed, "frame-apart"),
    weaker("return-finish-relaxed", step::return_finish, relaxed, "finish-run-apart",
           k_no_load_buffering),
    weaker("return-take-relaxed", step::return_take, relaxed, "frame-apart"),
    weaker("return-settle-relaxed", step::return_settle, relaxed, "join-run-apart",
           k_no_load_buffering),
    weaker("return-check-relaxed", step::return_check, relaxed, "join-run-apart",
           k_no_load_buffering),

    weaker("bridge-ended-relaxed", step::bridge_ended, relaxed, "bridge bridge-spawns bridge-3"),
    weaker("bridge-put-relaxed", step::inbox_put, relaxed, "bridge"),
    weaker("bridge-end-relaxed", step::inbox_end, relaxed, "bridge bridge-spawns bridge-3"),
    weaker("bridge-room-relaxed", step::inbox_room, relaxed, "bridge-again"),
    weaker("inbox-put-relaxed", step::inbox_put, relaxed, "live"),
    weaker("inbox-room-relaxed", step::inbox_room, relaxed, "live-full"),
    weaker("inbox-wait-relaxed", step::inbox_wait, relaxed, "live"),
    weaker("inbox-enter-relaxed", step::inbox_enter, relaxed, "live-full live-closes"),
    weaker("inbox-leave-relaxed", step::inbox_leave, relaxed, "live live-full live-closes"),
    weaker("inbox-look-relaxed", step::inbox_look, relaxed, "live"),
    weaker("inbox-check-relaxed", step::inbox_check, relaxed, "live live-closes"),
    weaker("inbox-read-relaxed", step::inbox_read, relaxed, "live-full"),
    weaker("inbox-end-relaxed", step::inbox_end, relaxed, "live"),
    weaker("idle-up-live-relaxed", step::idle_up_live, relaxed, "live"),
    weaker("idle-read-live-relaxed", step::idle_read_live, relaxed, "live"),

    // ---- Scopes, from system to device ----
    narrower("look-narrow", step::look, "run-scopes-waiting-task"),
    narrower("claim-narrow", step::claim, "two-devices"),
    narrower("complete-narrow", step::complete, "two-devices"),
    narrower("lock-alone-narrow", step::lock_alone, "two-devices"),
    narrower("lock-shared-narrow", step::lock_shared, "two-owners-scopes"),
    narrower("bookkeep-narrow", step::bookkeep,
             "two-owners-scopes run-3-shared-scopes run-3-shared-far board-scopes",
             "owners that share a queue are workers of one device; what a board's takers read lies "
             "behind the word that they claim on"),
    narrower("check-reuse-narrow", step::check_reuse, "two-devices"),
    narrower("check-room-narrow", step::check_room, "two-devices"),
    narrower("check-quiet-narrow", step::check_quiet, "run-scopes"),
    narrower("publish-narrow", step::publish, "two-devices"),
    narrower("reopen-narrow", step::reopen, "two-devices"),
    narrower(
        "snapshot-narrow", step::snapshot, "run-scopes",
        "the look before it has seen the word at system scope, and a location never goes back"),
    narrower("sdc-look-narrow", step::sdc_look, "sdc-hands-over"),
    narrower("sdc-lock-narrow", step::sdc_lock, "sdc-two-devices"),
    narrower("sdc-read-narrow", step::sdc_read,
             "sdc-two-devices sdc-two-owners-scopes sdc-hands-over", k_under_lock),
    narrower("sdc-split-narrow", step::sdc_split, "sdc-two-devices"),
    narrower("sdc-move-narrow", step::sdc_move, "sdc-hands-over"),
    narrower("sdc-take-narrow", step::sdc_take, "sdc-two-devices sdc-two-owners-scopes",
             k_under_lock),
    narrower("sdc-unlock-narrow", step::sdc_unlock, "sdc-two-devices"),
    narrower("sdc-publish-narrow", step::sdc_publish, "sdc-two-devices"),
    narrower("sdc-complete-narrow", step::sdc_complete, "sdc-two-devices"),
    narrower("sdc-check-narrow", step::sdc_check, "sdc-two-devices"),
    narrower("sdc-check-quiet-narrow", step::sdc_check_quiet, "sdc-two-devices"),
    narrower("board-seize-narrow", step::board_seize, "board-scopes"),
    narrower("board-show-narrow", step::board_show, "board-scopes"),
    narrower("board-claim-narrow", step::board_claim, "board-scopes"),
    narrower("board-complete-narrow", step::board_complete, "board-scopes"),
    narrower("board-free-narrow", step::board_free, "board-scopes"),
    narrower("board-check-narrow", step::board_check, "board-run-devices"),
    narrower("frame-open-narrow", step::frame_open, "frame-scopes"),
    narrower("frame-look-narrow", step::frame_look, "frame-scopes"),
    narrower("frame-deliver-narrow", step::frame_deliver, "frame-scopes"),
    narrower("frame-free-narrow", step::frame_free, "frame-scopes"),
    narrower("frame-take-narrow", step::frame_take, "frame-scopes"),
    narrower("finish-draw-narrow", step::finish_draw, "finish-scopes"),
    narrower("finish-return-narrow", step::finish_return, "finish-scopes"),
    narrower("finish-gather-narrow", step::finish_gather, "finish-gathers-scopes"),
    narrower("return-part-narrow", step::return_part, "frame-apart-3"),
    narrower("return-link-narrow", step::return_link, "frame-apart"),
    narrower("return-finish-narrow", step::return_finish, "finish-run-apart"),
    narrower("return-take-narrow", step::return_take, "frame-apart"),
    narrower("return-settle-narrow", step::return_settle, "join-run-apart"),
    narrower("return-check-narrow", step::return_check, "join-run-apart"),
    narrower("bridge-ended-narrow", step::bridge_ended, "bridge"),
    narrower("inbox-put-narrow", step::inbox_put, "live-devices"),
    narrower("inbox-room-narrow", step::inbox_room, "live-full-devices"),
    narrower("inbox-wait-narrow", step::inbox_wait, "live-devices"),
    narrower("inbox-enter-narrow", step::inbox_enter, "live-devices"),
    narrower("inbox-leave-narrow", step::inbox_leave, "live-devices"),
    narrower("inbox-look-narrow", step::inbox_look, "live-devices"),
    narrower("inbox-check-narrow", step::inbox_check, "live-devices"),
    narrower("inbox-read-narrow", step::inbox_read, "live-full-devices"),
    narrower("inbox-end-narrow", step::inbox_end, "live-devices"),
    narrower("idle-up-live-narrow", step::idle_up_live, "live-devices"),
    narrower("idle-read-live-narrow", step::idle_read_live, "live-devices"),
    narrower("load-initial-narrow", step::load_initial, "run-scopes"),
    narrower("idle-up-narrow", step::idle_up, "run-scopes"),
    narrower("idle-down-narrow", step::idle_down, "run-3-scopes"),
    narrower("idle-read-narrow", step::idle_read, "run-scopes"),
    narrower("over-narrow", step::over,
             "run-far-devices run-far-waiting-task run-3-shared-far run-stopped-far",
             "who does not see the word hears the same from the detector, only later"),
    narrower("ask-narrow", step::ask, "run-asking",
             "who does not see the sign keeps for a burst what it would have shared"),
    narrower("stop-narrow", step::stop, "run-stopped-devices"),
    narrower("device-idle-up-narrow", step::device_idle_up,
             "run-3-scopes-hierarchical run-3-shared-scopes",
             "a device's cells are used by its own workers only, of which here two are of one "
             "device; a transport may give them device scope"),
    narrower("device-idle-down-narrow", step::device_idle_down,
             "run-3-scopes-hierarchical run-3-shared-scopes", "as for device-idle-up-narrow"),
    narrower("vote-narrow", step::vote, "run-scopes-tree"),
    narrower("read-vote-narrow", step::read_vote, "run-scopes-tree"),

    // ---- Barriers ----

    no_barrier("no-barrier-in-lane-worker", "lane_worker(", "team-alone team-spill teams", "", 0,
               "the other lanes reach the leader's object through lead() only, which meets first"),
    no_barrier("no-barrier-in-step-1", "::deal(", "team-alone", "", 1),
    no_barrier("no-barrier-in-step-2", "step_of(", "team-alone", "", 1),
    no_barrier("no-barrier-in-step-3", "step_of(", "team-alone", "", 2),
    no_barrier("no-barrier-in-plain-step-1", "::deal(", "team-plain", "", 1, k_looking),
    no_barrier("no-barrier-in-plain-step-2", "step_of(", "team-plain", "", 1),
    no_barrier("no-barrier-in-plain-step-3", "step_of(", "team-plain", "", 2),
    no_barrier("no-barrier-before-pieces", "step_of(", "team-pieces", "", 1),
    no_barrier("no-barrier-behind-pieces", "step_of(", "teams-pieces", "", 2),
    no_barrier("no-barrier-in-dealing-1", "deal_newest(", "team-pieces team-pieces-dealt", "", 1,
               k_dealing),
    no_barrier("no-barrier-in-dealing-2", "deal_newest(", "team-pieces team-pieces-dealt", "", 2,
               k_dealing),
    no_barrier("no-barrier-in-wide-step", "::deal(", "team-wide", "", 1),
    no_barrier("no-barrier-in-rounds", "run_rounds(", "team-rounds team-rounds-end teams-fine", "",
               0,
               "a vote follows, in which a lane that has spawned says so itself; what it adds is "
               "that the clock is read when all lanes have ended, and that nobody reads the number "
               "of what was spawned while another lane adds to it"),
    no_barrier("no-barrier-before-warps", "step_of(", "team-warps team-warps-plain", "", 1),
    no_barrier("no-barrier-behind-warps", "step_of(", "team-warps team-warps-plain", "", 2),
    no_barrier("no-barrier-in-last-round", "pop_newest(", "team-rounds", "", 0),
    no_barrier("no-barrier-in-absorb", "::absorb(", "team-spill", "", 0,
               "a cell of the local ring is always the same lane's, and the leader's part begins "
               "with a meeting; kept, because that depends on how the loop deals cells to lanes"),
    no_barrier("no-barrier-in-settle-1", "::settle(", "team-finishes", "", 1),
    no_barrier("no-barrier-in-settle-2", "::settle(", "team-finishes", "", 2),
    no_barrier("no-barrier-in-release-1", "release_within_task(", "team-wide", "", 1),
    no_barrier("no-barrier-in-release-2", "release_within_task(", "team-wide", "", 2),

    // ---- Hazards ----
    altered("no-look", behaviour::no_look, "1", "adds without looking first", "few-attempts"),
    altered("lock-keeps-tasks", behaviour::lock_keeps_tasks, "2",
            "the lock leaves the batch in the word, thieves claim from a locked word",
            "one-thief-short"),
    altered("available-ignores-lock", behaviour::available_ignores_lock, "2",
            "the look does not count a locked word as empty", "one-thief-short run-shared",
            "the word that the lock exchanges in holds no tasks; see lock-keeps-tasks"),
    altered("block-ignores-lock", behaviour::block_ignores_lock, "2",
            "the claim does not count a locked word as empty", "one-thief-short run-shared",
            "the word that the lock exchanges in holds no tasks; see lock-keeps-tasks"),
    altered("use-looked-at-word", behaviour::use_looked_at_word, "3",
            "acts on the word of the look", "one-thief-short"),
    altered("keep-attempts", behaviour::keep_attempts, "4",
            "unlocks by an add, so that attempts under the lock stay", "one-thief-short"),
    altered("claims-from-look", behaviour::claims_from_look, "4",
            "books the claims of the look before the lock", "one-thief-short"),
    altered("lock-not-taken", behaviour::lock_not_taken, "5",
            "the lock's write is lost (an or over a bus that has none)", "one-thief-short"),
    altered("lock-by-add", behaviour::lock_by_add, "6", "two owners add the lock bit",
            "run-shared"),
    altered("split-operations", behaviour::split_operations, "8",
            "every read-modify-write is a load and a store", "one-thief-short"),
    altered("no-reuse-check", behaviour::no_reuse_check, "9",
            "uses an epoch again while thieves copy", "one-thief-short"),
    altered("release-waits", behaviour::release_waits, "9",
            "an owner waits for thieves of an epoch instead of putting the release off",
            "stalled-thief"),
    altered("reset-counters", behaviour::reset_counters, "10",
            "resets the completion counter after publishing", "one-thief-short"),
    altered("complete-current-epoch", behaviour::complete_current_epoch, "11",
            "completes into the epoch that the word shows now", "one-thief-short"),
    altered("no-room-check", behaviour::no_room_check, "12",
            "free space from what remains, whatever is in flight", "one-thief-short"),
    altered("complete-before-copy", behaviour::complete_before_copy, "13",
            "completes right after the claim", "one-thief-short"),
    altered("wait-before-complete", behaviour::wait_before_complete, "14",
            "a thief waits for the thieves of its own queue before it completes", "crossing"),
    altered("no-room-reserved", behaviour::no_room_reserved, "15",
            "batches larger than twice a thief's local queue", "large-ring"),
    altered("prose-sequence", behaviour::prose_sequence, "16",
            "halves with every attempt, log2 n steps", "one-thief-short"),
    altered("shift-unchecked", behaviour::shift_unchecked, "17",
            "shifts by the attempts without comparing with the steps", "few-attempts"),
    altered("full-width-capacity", behaviour::full_width_capacity, "18",
            "a capacity that the field cannot hold", "one-thief-short"),
    altered("no-quiet-check", behaviour::no_quiet_check, "19",
            "counts itself idle while a thief still copies", "run-counter"),
    altered("complete-before-idle", behaviour::complete_before_idle, "20",
            "completes, then leaves the idle count", "run-counter"),
    altered("idle-after-unlock", behaviour::idle_after_unlock, "21",
            "unlocks, then leaves the idle count", "run-shared"),
    altered("open-set-ignored", behaviour::open_set_ignored, "23",
            "counts itself idle before the initial set is used up", "run-initial"),
    altered("over-unasked", behaviour::over_unasked, "22",
            "takes the run as over though no detector said so", "run-far"),
    altered("vote-not-sticky", behaviour::vote_not_sticky, "24",
            "votes without regard to what was stolen since the last vote", "run-tree-2-devices"),
    altered("queue-freed-early", behaviour::queue_freed_early, "25",
            "a queue is freed when its owner returns", "run-counter"),
    altered("spawn-blocks", behaviour::spawn_blocks, "26", "a spawn waits for room",
            "stalled-thief"),
    altered("torn-look", behaviour::torn_look, "27", "the look reads halves",
            "one-thief-short run-counter",
            "a look is a hint to a thief; of its own word an owner needs the epoch only"),
    altered("torn-snapshot", behaviour::torn_snapshot, "27", "the snapshot reads halves",
            "run-counter run-fanout",
            "the owner's own batch does not change under it, only the attempts do"),
    altered("torn-publish", behaviour::torn_publish, "27", "the publishing store is two",
            "one-thief-short"),
    altered("no-release-in-task", behaviour::no_release_in_task, "29",
            "releases at task boundaries only", "run-waiting-task"),
    altered("no-wake-on-release", behaviour::no_wake_on_release, "29",
            "a release into an empty queue wakes nobody", "run-sleeping-waiting-task"),

    altered("sdc-lock-not-taken", behaviour::sdc_lock_not_taken, "5",
            "the queue with a lock: the lock's write is lost", "sdc-one-thief"),
    altered("sdc-lock-ignored", behaviour::sdc_lock_ignored, "",
            "goes on though another one has the lock", "sdc-one-thief"),
    altered("sdc-split-operations", behaviour::split_operations, "8",
            "the same, every read-modify-write a load and a store", "sdc-one-thief"),
    altered("sdc-unlocked-early", behaviour::sdc_unlocked_early, "",
            "unlocks, then moves the tail or the split", "sdc-one-thief"),
    altered("sdc-keeps-lock", behaviour::sdc_keeps_lock, "",
            "does not unlock if there was nothing to take", "sdc-one-thief"),
    altered("sdc-completes-early", behaviour::sdc_completes_early, "13",
            "completes with the unlock, before the copy", "sdc-one-thief"),
    altered("sdc-tail-first", behaviour::sdc_tail_first, "12",
            "reads the tail before the completions", "sdc-two-thieves"),
    altered("sdc-no-check", behaviour::sdc_no_check, "12",
            "free space from what remains, whatever is in flight", "sdc-one-thief"),
    altered("sdc-no-room-reserved", behaviour::no_room_reserved, "15",
            "shares more than twice a thief's local queue", "sdc-large-ring"),
    altered("sdc-no-quiet-check", behaviour::sdc_no_quiet_check, "19",
            "takes an empty queue as quiet while a thief still copies", "sdc-one-thief"),
    altered("sdc-takes-unlocked", behaviour::sdc_takes_unlocked, "",
            "an owner takes back without the lock", "sdc-one-thief"),

    altered("board-completes-early", behaviour::board_completes_early, "13",
            "completes right after the claim of steps", "board"),
    altered("board-freed-early", behaviour::board_freed_early, "9",
            "frees the board when all is claimed, though not all have read the slot", "board"),
    altered("board-unchecked", behaviour::board_unchecked, "19",
            "counts itself idle while steps that it showed are not taken", "board-run"),
    altered("board-claims-by-look", behaviour::board_claims_by_look, "3",
            "takes the steps that the look showed, not those of the add", "board"),

    altered("frame-counts-by-look", behaviour::frame_counts_by_look, "3",
            "takes the deliveries that the look showed as awaited, not those that its own found",
            "frame"),

    altered("finish-draws-late", behaviour::finish_draws_late, "",
            "tells a finish of the tokens that it draws only when it gives some back", "finish"),
    altered("finish-counts-by-look", behaviour::finish_counts_by_look, "3",
            "takes the tokens that a look showed, not those that its own subtraction found",
            "finish"),
    altered("finish-keeps-tokens", behaviour::finish_keeps_tokens, "",
            "a worker without work keeps its tokens", "finish-run"),
    altered("finish-gathers-late", behaviour::finish_gathers_late, "",
            "gives its tokens back, then what was contributed", "finish-gathers"),

    altered("return-unchecked", behaviour::return_unchecked, "19",
            "counts itself idle while what it sent back to a frame was not taken",
            "join-run-apart"),

    altered("inbox-unchecked", behaviour::inbox_unchecked, "19",
            "the first worker counts itself idle while others have not taken what was submitted",
            "live-closes"),
    altered("inbox-taken-before-idle", behaviour::inbox_taken_before_idle, "20",
            "says that it has taken tasks, then leaves the idle count", "live-closes"),
    altered("inbox-gate-ignored", behaviour::inbox_gate_ignored, "3",
            "a worker that was not the first to come goes behind the gate as well", "live-full"),
    altered("inbox-read-untold", behaviour::inbox_read_untold, "",
            "the producer does not hear that slots were read", "live-half"),
    altered("submit-wakes-nobody", behaviour::submit_wakes_nobody, "29", "a producer wakes nobody",
            "live-sleeping"),

    altered("stop-unseen-idle", behaviour::stop_unseen_idle, "",
            "a worker that has counted itself idle does not look at the request to stop",
            "run-stopped"),
    altered("stop-unseen-asleep", behaviour::stop_unseen_asleep, "",
            "a worker sleeps without a last look at the request to stop", "run-stopped-sleeping"),
    altered("cancel-wakes-nobody", behaviour::cancel_wakes_nobody, "",
            "the host asks to stop and wakes nobody", "run-stopped-sleeping"),
    altered("stop-one-device", behaviour::stop_one_device, "",
            "the host asks the first device's workers only", "run-apart-stopped"),
    altered("all-fail-first", behaviour::all_fail_first, "",
            "each failure is recorded, not the first only", "run-failing"),
    altered("one-idle-speaks", behaviour::one_idle_speaks, "",
            "the first idle worker of a device speaks for all of it", "run-hierarchical-1-device"),
    altered("claims-one", behaviour::claims_one, "",
            "a claim of several initial slots adds one to the counter", "run-far-counter"),

    // ---- A bridge between coherence domains ----
    altered("bridge-sent-ignored", behaviour::bridge_sent_ignored, "22",
            "a domain ends when all have said that what they took has ended, whatever was sent",
            "bridge"),
    altered("bridge-more-ignored", behaviour::bridge_more_ignored, "22",
            "a domain ends when all rest, though tasks may come to one from outside",
            "bridge-live-closes"),
};

}  // namespace

std::vector<memory_order> one_step_weaker(memory_order o) {
  if (o == relaxed) return {};
  if (o == acq_rel) return {acquire, release};
  return {relaxed};
}

const mutant* mutant_named(const std::string& name) {
  for (const mutant& m : all_mutants())
    if (name == m.name) return &m;
  return nullptr;
}

std::span<const mutant> all_mutants() {
  return k_mutants;
}

void use_core() {
  current_settings = {};
}

void use(const mutant& m) {
  use_core();
  switch (m.what) {
    case kind::order:
      current_settings.orders[static_cast<std::size_t>(m.at)] = m.order;
      break;
    case kind::scope:
      current_settings.narrow[static_cast<std::size_t>(m.at)] = true;
      break;
    case kind::barrier:
      current_settings.no_barrier_in = m.function;
      current_settings.barrier_number = m.number;
      break;
    case kind::behaviour:
      current_settings.changed = m.behaviour;
      break;
  }
}

}  // namespace mgws::model_backend
