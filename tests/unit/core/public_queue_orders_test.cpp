// The public queue's protocol in random orders: of single steps on one thread, and of whole ones by
// threads. Each task is taken exactly once.
#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "public_queue_bench.hpp"
#include "repeats.hpp"
#include "support.hpp"

using namespace unit;

namespace {

/// Owners and thieves in a random order of single steps; a thief may stop between its claim and its
/// completion for as long as it likes. Each task has a number and must be taken exactly once.
class random_steps {
 public:
  random_steps(std::uint64_t seed, std::uint32_t capacity, std::uint32_t local,
               std::uint32_t owners)
      : random_(seed), b_(capacity, local, owners), owners_(owners) {}

  void run(int steps) {
    for (int i = 0; i != steps; ++i)
      step();
    drain();
  }
  [[nodiscard]] bool right() const { return right_; }
  [[nodiscard]] std::uint64_t stolen() const { return stolen_; }
  [[nodiscard]] std::uint64_t postponed() const { return postponed_; }
  [[nodiscard]] bool all_once() const {
    return done_.size() == next_ &&
           std::ranges::all_of(done_, [](const auto& d) { return d.second == 1; });
  }

 private:
  std::uint32_t pick(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  void expect(bool condition) { right_ = right_ && condition; }
  void finish(std::uint64_t value) { ++done_[value]; }

  void step() {
    const std::uint32_t who = pick(owners_);
    auto& local = b_.local(who);
    switch (pick(8)) {
      case 0:
      case 1:
        if (!local.queue.full()) local.push(next_++);
        break;
      case 2:
        if (!local.queue.empty()) release(who, 1 + pick(local.queue.size()));
        break;
      case 3:
        acquire(who);
        break;
      case 4:
        if (!local.queue.empty()) finish(local.pop());
        break;
      case 5: {
        const auto c = b_.add_attempt();
        if (c.block == 0) break;
        claims_.push_back({c, b_.read(c)});
        claimed_ += c.block;
        break;
      }
      case 6:
        if (!claims_.empty()) complete(pick(static_cast<std::uint32_t>(claims_.size())));
        break;
      case 7:
        for (const auto v : b_.steal(pick(2) == 0)) {
          finish(v);
          ++stolen_;
          ++claimed_;
        }
        break;
    }
    check_quiet(who);
  }

  void release(std::uint32_t who, std::uint32_t n) {
    const auto left = b_.word().remaining();
    const auto done = b_.release(n, who);
    if (done.slots != 0) {
      expect(done.was_empty == (left == 0));
    } else {
      ++postponed_;
    }
    // With nobody copying, only a full queue may refuse.
    if (claims_.empty())
      expect(done.slots == std::min({n, b_.slots.capacity() - left, b_.max_batch - left}));
  }
  void acquire(std::uint32_t who) {
    const auto left = b_.word().remaining();
    const auto room = b_.local(who).queue.room();
    const bool one = room != 0 && pick(2) == 0;
    const auto got = b_.acquire(who, one);
    acquired_ += got.slots;
    if (claims_.empty()) {
      expect(!got.postponed);
      expect(got.slots == (one ? std::min(left, 1u) : std::min(left - left / 2, room)));
    }
  }
  void complete(std::uint32_t i) {
    // The slots still hold what they held when they were claimed (hazards 9 and 12).
    const auto now = b_.read(claims_[i].first);
    expect(now == claims_[i].second);
    for (const auto v : claims_[i].second)
      finish(v);
    stolen_ += now.size();
    b_.complete(claims_[i].first);
    claims_.erase(claims_.begin() + i);
  }
  void check_quiet(std::uint32_t who) {
    std::uint64_t given = 0;
    const bool quiet = b_.quiet(given, who);
    expect(quiet == (b_.word().remaining() == 0 && claims_.empty()));
    if (quiet) expect(given == claimed_ + (owners_ > 1 ? acquired_ : 0));
  }
  void drain() {
    while (!claims_.empty())
      complete(0);
    for (std::uint32_t who = 0; who != owners_; ++who)
      while (!b_.local(who).queue.empty())
        finish(b_.local(who).pop());
    while (b_.word().remaining() != 0)
      for (const auto v : b_.steal()) {
        finish(v);
        ++claimed_;
      }
    check_quiet(0);
  }

  std::mt19937_64 random_;
  bench b_;
  std::uint32_t owners_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, std::uint32_t> done_;
  std::vector<std::pair<claim, std::vector<std::uint64_t>>> claims_;
  std::uint64_t claimed_ = 0;
  std::uint64_t acquired_ = 0;
  std::uint64_t stolen_ = 0;
  std::uint64_t postponed_ = 0;
  bool right_ = true;
};

}  // namespace

TEST_CASE(
    "public queue: random steps of owners and stalled thieves lose, double and tear nothing") {
  const std::uint32_t rounds = test::repeats(200);
  std::uint64_t stolen = 0;
  std::uint64_t postponed = 0;
  for (const std::uint32_t owners : {1u, 2u, 4u})
    for (const std::uint32_t capacity : {2u, 4u, 16u})
      for (const std::uint32_t local : {2u, 8u})
        for (std::uint32_t seed = 0; seed != rounds; ++seed) {
          random_steps r(seed, capacity, local, owners);
          r.run(300);
          if (r.right() && r.all_once()) {
            stolen += r.stolen();
            postponed += r.postponed();
            continue;
          }
          INFO("owners " << owners << ", capacity " << capacity << ", local " << local << ", seed "
                         << seed);
          CHECK(r.right());
          REQUIRE(r.all_once());
        }
  // The steps did reach what they are meant to reach.
  CHECK(stolen > 5 * rounds);
  CHECK(postponed > 100);
}

TEST_CASE("public queue, shared: owners in threads of their own, with a thief beside them") {
  const std::uint32_t owners = GENERATE(2u, 4u);
  const std::uint32_t tasks = test::repeats(20'000);
  bench b(8, 8, owners);
  std::atomic<std::uint32_t> working{owners};
  // Written by one thread each; a task that runs twice is in two of them or twice in one.
  std::vector<std::vector<std::uint64_t>> ran(owners + 1);
  std::vector<std::thread> all;
  for (std::uint32_t who = 0; who != owners; ++who)
    all.emplace_back([&, who] {
      auto& local = b.local(who);
      for (std::uint64_t i = 0; i != tasks; ++i) {
        if (local.queue.full()) ran[who].push_back(local.pop());
        local.push(i * owners + who);
        if (i % 3 == 0) b.release(local.queue.size(), who);
        if (i % 7 == 0) {
          while (!local.queue.empty())
            ran[who].push_back(local.pop());
          b.acquire(who);
        }
      }
      while (!local.queue.empty())
        ran[who].push_back(local.pop());
      working.fetch_sub(1);
    });
  all.emplace_back([&] {
    stored_queue thief(8);
    const auto round = [&] {
      std::uint32_t n = 0;
      mgws::steal<P, B, slot>(b.head, b.slots, thief.queue, mgws::scope::system, true, nothing,
                              nothing, n);
      while (!thief.queue.empty())
        ran[owners].push_back(thief.pop());
    };
    while (working.load() != 0)
      round();
    while (b.word().remaining() != 0)
      round();
  });
  for (auto& t : all)
    t.join();
  std::vector<std::uint32_t> times(std::size_t{tasks} * owners);
  for (const auto& v : ran)
    for (const auto value : v)
      ++times.at(value);
  CHECK(std::ranges::count(times, 1u) == static_cast<std::ptrdiff_t>(times.size()));
  CHECK(b.quiet());
}
