// What the host concludes from books and board.
#include <cstdint>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/core/probe/verdict.hpp>
#include <mgws/probe/findings.hpp>

#include "catch.hpp"

namespace {

using host = mgws::cpu_backend::backend;
using mgws::litmus;
using mgws::litmus_end;
using mgws::litmus_record;
using mgws::litmus_verdict;

/// Two participants that took turns in 10 operations each, on values from `first` on.
struct right_run {
  mgws::litmus_board<host> board;
  litmus_record records[2];

  explicit right_run(std::uint64_t first) {
    for (std::uint64_t i = 0; i != 20; ++i) {
      ++records[i % 2].done;
      ++records[i % 2].met;
      records[i % 2].sum += first + i;
    }
    for (litmus_record& r : records)
      r.end = litmus_end::finished;
    board.counter = 20;
    board.box = 21;
    for (std::uint64_t& word : board.guarded)
      word = 20;
  }
  [[nodiscard]] mgws::litmus_outcome judged(litmus what) const {
    return mgws::judge<host>(what, records, board);
  }
};

}  // namespace

TEST_CASE("probe: right books pass") {
  CHECK(right_run(0).judged(litmus::fetch_add).verdict == litmus_verdict::passed);
  CHECK(right_run(1).judged(litmus::exchange).verdict == litmus_verdict::passed);
  CHECK(right_run(0).judged(litmus::message).verdict == litmus_verdict::passed);
  CHECK(right_run(0).judged(litmus::lock).verdict == litmus_verdict::passed);
  CHECK(right_run(0).judged(litmus::lock).operations == 20);
}

TEST_CASE("probe: each thing that can be wrong is") {
  right_run lost(0);
  lost.board.counter = 17;
  CHECK(lost.judged(litmus::fetch_add).verdict == litmus_verdict::wrong);
  CHECK(lost.judged(litmus::fetch_add).wrong == 3);

  right_run seen_twice(0);
  seen_twice.records[1].sum -= 1;  // a value twice, another never; the count is right
  CHECK(seen_twice.judged(litmus::fetch_add).verdict == litmus_verdict::wrong);

  right_run no_token(1);
  no_token.board.box = 0;
  CHECK(no_token.judged(litmus::exchange).verdict == litmus_verdict::wrong);
  right_run two_tokens(1);
  two_tokens.records[0].faults = 1;
  CHECK(two_tokens.judged(litmus::exchange).verdict == litmus_verdict::wrong);

  right_run stale(0);
  stale.records[1].faults = 5;
  CHECK(stale.judged(litmus::message).verdict == litmus_verdict::wrong);
  CHECK(stale.judged(litmus::message).wrong == 5);

  right_run both_inside(0);
  both_inside.board.guarded[3] = 19;
  CHECK(both_inside.judged(litmus::lock).verdict == litmus_verdict::wrong);
}

TEST_CASE("probe: the worst comes first") {
  right_run r(0);
  r.records[0].end = litmus_end::gave_up;
  CHECK(r.judged(litmus::fetch_add).verdict == litmus_verdict::gave_up);
  r.records[0].met = r.records[1].met = 0;
  CHECK(r.judged(litmus::fetch_add).verdict == litmus_verdict::never_met);
  r.board.counter = 19;
  CHECK(r.judged(litmus::fetch_add).verdict == litmus_verdict::wrong);
  r.records[1].end = litmus_end::never_began;
  CHECK(r.judged(litmus::fetch_add).verdict == litmus_verdict::absent);
  CHECK(mgws::litmus_outcome{}.verdict == litmus_verdict::absent);
}
