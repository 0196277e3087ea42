// What the protocol's list of hazards and steps has and no mutant stands for.
#include "mutants.hpp"

namespace mgws::model_backend {

namespace {

constexpr unmodelled k_unmodelled[] = {
    {"7", "a compare-and-swap lock starves under adds",
     "it cannot be written: the backend's contract has no compare-and-swap."},
    {"22", "the host injects after idle = N; workers that never started",
     "it cannot be written: the initial set is complete before the launch, and the detectors know "
     "the number of workers, so one that starts late is one that has not counted itself. Late "
     "starts are schedules of every whole run above."},
    {"gather", "its two barriers", "two lanes never have a slot to move; not explored."},
    {"beat", "the order and scope of what is reported",
     "relaxed already; read by the host only, as plain numbers."},
    {"bridge_ask", "its scope", "who does not see a question only keeps its work and does it."},
    {"bridge_notice", "its scope",
     "it is seen by the workers of one domain, who are of one device in these scenarios; and as "
     "above."},
    {"elsewhere",
     "a worker counts itself idle with a task that it cannot run, or gives away one that only it "
     "can",
     "core asks queues that only their worker touches, so there is no operation to alter. With "
     "core's text altered (`tools/mutate_core.py`) `bridge-kinds` finds the first, a run that "
     "ended too early; by hand it found the second, a task that ran where it cannot."},
    {"homeward",
     "tokens of a finish that come home for fewer tasks than went; a delivery that goes to a "
     "domain where its frame is not; a worker that counts itself idle before it has gone",
     "there is no operation of its own to alter: what goes home is a slot. With core altered by "
     "hand `bridge-finish-bulk` found the first and `bridge-join-bulk` the third, runs that ended "
     "too early, and `bridge-join-3` the second, one that never ended."},
    {"bridge_rests", "an inbox is said to have ended when its own domain rests",
     "there is no operation of its own to alter: these are the look at the idle count and at the "
     "channels. With the latter left out (`tools/mutate_core.py`) `bridge-live` finds it."},
    {"resumable tasks",
     "what goes on is dropped, or begins anew; free lanes are dealt one instance twice, more than "
     "there are, the same one, or a slot that stays",
     "a worker's lanes alone touch what they deal. With core's text altered "
     "(`tools/mutate_core.py`) `teams-pieces`, `team-pieces-dealt` and `team-pieces-even` find "
     "each of the six."},
    {"bridge_sent", "its scope",
     "tried in `bridge`, and nothing was found: what counts is seen by `bridge_ended`. Whether "
     "nothing can be, was not shown."},
};

}  // namespace

std::span<const unmodelled> without_mutant() {
  return k_unmodelled;
}

}  // namespace mgws::model_backend
