// The public queue's protocol, one step at a time on one thread: what owner and thieves see of each
// other at every point where they could meet.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include <mgws/core/public_queue.hpp>

#include "catch.hpp"
#include "repeats.hpp"
#include "support.hpp"

using namespace unit;
using mgws::steal_result;

namespace {

using head_type = mgws::queue_head<B>;
using owner_type = mgws::public_queue<P, B, slot, mgws::scope::system_t>;

const auto nothing = [] {};

/// A claim of which the copy is not done yet: what a slow thief is between two instructions.
struct claim {
  layout::fields batch;
  std::uint32_t block;
};

/// A public queue with its owners, each with a local queue.
struct bench {
  explicit bench(std::uint32_t capacity, std::uint32_t local_capacity = 64,
                 std::uint32_t owners = 1)
      : storage(capacity, make_slot(~0ull)),
        slots(storage.data(), capacity),
        max_batch(std::min(capacity, 2 * local_capacity)) {
    for (std::uint32_t i = 0; i != owners; ++i) {
      this->owners.push_back(
          std::make_unique<owner_type>(head, slots, owners, max_batch, mgws::scope::system));
      locals.push_back(std::make_unique<stored_queue>(local_capacity));
    }
  }
  bench(const bench&) = delete;
  bench& operator=(const bench&) = delete;

  owner_type& owner(std::uint32_t i = 0) { return *owners[i]; }
  stored_queue& local(std::uint32_t i = 0) { return *locals[i]; }
  [[nodiscard]] layout::fields word() const { return layout::decode(head.word.load()); }

  /// Pushes tasks with these values and releases all that there is room for.
  owner_type::released publish(std::uint64_t first, std::uint32_t n, std::uint32_t who = 0) {
    for (std::uint32_t i = 0; i != n; ++i)
      local(who).push(first + i);
    return release(local(who).queue.size(), who);
  }
  owner_type::released release(std::uint32_t n, std::uint32_t who = 0) {
    auto& q = local(who).queue;
    const auto done = owner(who).release(g, q.slots(), q.tail(), n);
    q.took_oldest(done.slots);
    return done;
  }
  owner_type::acquired acquire(std::uint32_t who = 0, bool only_one = false) {
    return owner(who).acquire(g, local(who).queue, only_one ? 1 : ~0u, nothing);
  }
  bool quiet(std::uint64_t& given, std::uint32_t who = 0) { return owner(who).quiet(g, given); }
  bool quiet() {
    std::uint64_t given = 0;
    return quiet(given);
  }

  /// The thief's half up to the claim.
  claim add_attempt() {
    const auto f = layout::decode(head.word.fetch_add(layout::one_attempt));
    return {f, f.lock ? 0 : mgws::steal_sequence::block(f.initial, f.attempts)};
  }
  std::vector<std::uint64_t> read(const claim& c) const {
    std::vector<std::uint64_t> values;
    for (std::uint32_t i = 0; i != c.block; ++i)
      values.push_back(value_of(slots.at(c.batch.tail + c.batch.claimed() + i)));
    return values;
  }
  /// The thief's half after the copy.
  void complete(const claim& c) { head.completed[c.batch.epoch].fetch_add(c.block); }

  /// A whole attempt into an empty queue. \return the values
  std::vector<std::uint64_t> steal(bool look_first = true, steal_result* result = nullptr) {
    stored_queue thief(std::max(2u, max_batch / 2));
    std::uint32_t n = 0;
    bool regained = false;
    const auto before = std::array{head.completed[0].load(), head.completed[1].load()};
    bool early = false;
    const auto r = mgws::steal<P, B, slot>(
        g, head, slots, thief.queue, mgws::scope::system, look_first,
        [&] {
          regained = true;
          early = head.completed[0].load() == before[0] && head.completed[1].load() == before[1];
        },
        n);
    if (result != nullptr) *result = r;
    CHECK(regained == (r == steal_result::won));
    CHECK(early == regained);  // counted busy before the owner can see the block as done
    std::vector<std::uint64_t> values;
    if (r != steal_result::won) return values;
    CHECK(n == thief.queue.size());
    while (!thief.queue.empty())
      values.push_back(thief.pop());
    std::ranges::reverse(values);
    return values;
  }

  B::group g;
  head_type head;
  std::vector<slot> storage;
  ring slots;
  std::uint32_t max_batch;
  std::vector<std::unique_ptr<owner_type>> owners;
  std::vector<std::unique_ptr<stored_queue>> locals;
};

std::vector<std::uint64_t> values(std::uint64_t first, std::uint32_t n) {
  std::vector<std::uint64_t> v(n);
  for (std::uint32_t i = 0; i != n; ++i)
    v[i] = first + i;
  return v;
}

}  // namespace

TEST_CASE("public queue: what thieves, completions and owners touch lies on different lines") {
  head_type h;
  const auto line_of = [](const auto& x) { return reinterpret_cast<std::uintptr_t>(&x) / B::line; };
  CHECK(line_of(h.word) != line_of(h.completed[0]));
  CHECK(line_of(h.word) != line_of(h.claimed[0]));
  CHECK(line_of(h.completed[1]) != line_of(h.claimed[0]));
}

TEST_CASE("public queue: released in order, stolen oldest first by the sequence") {
  bench b(256, 256);
  const auto done = b.publish(0, 150);
  CHECK(done.slots == 150);
  CHECK(done.was_empty);
  std::uint64_t next = 0;
  for (const std::uint32_t block : {75, 37, 19, 9, 5, 2, 1, 1, 1}) {
    CHECK(b.steal() == values(next, block));
    next += block;
  }
  steal_result r{};
  CHECK(b.steal(true, &r).empty());
  CHECK(r == steal_result::empty);
  CHECK(b.quiet());
}

TEST_CASE("public queue: a look at an empty or locked queue adds nothing") {
  bench b(8);
  steal_result r{};
  b.steal(true, &r);
  CHECK(r == steal_result::empty);
  CHECK(b.word().attempts == 0);

  b.head.word = layout::locked;
  b.steal(true, &r);
  CHECK(r == steal_result::empty);
  CHECK(b.head.word == layout::locked);
}

TEST_CASE("public queue: an attempt without a look claims nothing where nothing is") {
  bench b(8);
  steal_result r{};
  b.steal(false, &r);
  CHECK(r == steal_result::lost);
  b.head.word = layout::locked;
  b.steal(false, &r);
  CHECK(r == steal_result::lost);
  CHECK(layout::decode(b.head.word).lock);
  CHECK(b.head.completed[0] + b.head.completed[1] == 0);
}

TEST_CASE("public queue: attempts under the lock vanish with the next word that is published") {
  // The owner is stopped under the lock by hand: its exchange, then a thief's add, then its store.
  bench b(8);
  b.publish(0, 4);
  const auto before = b.head.word.exchange(layout::locked);
  CHECK(b.add_attempt().block == 0);
  b.head.word = before;
  CHECK(b.word().attempts == 0);
  CHECK(b.steal() == values(0, 2));
}

TEST_CASE(
    "public queue: acquire takes the newest half, or one, and reports busy before it unlocks") {
  bench b(16);
  b.publish(0, 9);
  bool locked = false;
  const auto got = b.owner().acquire(b.g, b.local().queue, ~0u,
                                     [&] { locked = layout::decode(b.head.word).lock; });
  CHECK(locked);
  CHECK(got.slots == 5);
  for (const std::uint64_t v : {8, 7, 6, 5, 4})
    CHECK(b.local().pop() == v);
  CHECK(b.acquire(0, true).slots == 1);
  CHECK(b.local().pop() == 3);
  CHECK(b.steal() == values(0, 1));
  CHECK(b.acquire().slots == 1);
  CHECK(b.acquire().slots == 1);
  CHECK(b.acquire().slots == 0);
  CHECK(b.local().pop() == 1);
  CHECK(b.local().pop() == 2);
  CHECK(b.quiet());
}

TEST_CASE("public queue: acquire takes no more than the local queue holds") {
  bench b(16, 8);
  b.publish(0, 8);
  b.publish(8, 8);
  REQUIRE(b.word().remaining() == 16);
  b.local().push(100);
  b.local().push(101);
  CHECK(b.acquire().slots == 6);
  CHECK(b.local().queue.full());
  CHECK(b.acquire(0, true).slots == 0);
  CHECK(b.acquire(0, false).slots == 0);
  CHECK(b.local().queue.size() == 8);
}

TEST_CASE("public queue: a release adds to what is left") {
  bench b(16);
  b.publish(0, 4);
  CHECK(b.steal() == values(0, 2));
  const auto done = b.publish(4, 3);
  CHECK(done.slots == 3);
  CHECK_FALSE(done.was_empty);
  CHECK(b.word().initial == 5);
  CHECK(b.word().attempts == 0);
  CHECK(b.steal() == values(2, 2));
  CHECK(b.steal() == values(4, 1));
  CHECK(b.steal() == values(5, 1));
  CHECK(b.steal() == values(6, 1));
  CHECK(b.quiet());
}

TEST_CASE("public queue: an epoch is not used again while a thief of its last life copies") {
  bench b(8);
  b.publish(0, 4);
  const auto slow = b.add_attempt();  // of epoch e
  CHECK(slow.block == 2);
  // The next epoch may begin: it is the other one.
  CHECK(b.publish(4, 1).slots == 1);
  CHECK(b.word().epoch != slow.batch.epoch);
  const auto word = b.head.word.load();
  // But then neither release nor acquire: the owner puts it off, and the word stays untouched.
  CHECK(b.publish(5, 1).slots == 0);
  CHECK(b.acquire().postponed);
  CHECK(b.acquire().slots == 0);
  CHECK(b.head.word == word);
  CHECK_FALSE(b.quiet());
  // Others go on stealing meanwhile.
  CHECK(b.steal() == values(2, 1));
  CHECK(b.read(slow) == values(0, 2));
  b.complete(slow);
  CHECK(b.release(1).slots == 1);
  CHECK(b.word().epoch == slow.batch.epoch);
}

TEST_CASE("public queue: a completion goes to the epoch of the claim, not to the current one") {
  bench b(8);
  b.publish(0, 4);
  const auto slow = b.add_attempt();
  b.publish(4, 2);
  // A thief of the new epoch completes at once; the slow one of the old one has not.
  CHECK(b.steal() == values(2, 2));
  CHECK(b.acquire().postponed);
  b.complete(slow);
  CHECK(b.acquire().slots == 1);
}

TEST_CASE("public queue: slots in flight are not free") {
  bench b(4);
  b.publish(0, 4);
  const auto slow = b.add_attempt();
  REQUIRE(b.read(slow) == values(0, 2));
  // Two slots remain, two are being read: there is no room, whatever the word says.
  b.publish(10, 2);
  CHECK(b.read(slow) == values(0, 2));
  CHECK(b.word().remaining() == 2);
  CHECK(b.local().queue.size() == 2);
  b.complete(slow);
  CHECK(b.release(2).slots == 2);
  CHECK(b.steal() == values(2, 2));
  CHECK(b.steal() == values(10, 1));
}

TEST_CASE("public queue: a full ring is full, not empty") {
  for (const std::uint32_t capacity : {2u, 4u, 64u}) {
    bench b(capacity);
    CHECK(b.publish(0, capacity).slots == capacity);
    CHECK(b.word().remaining() == capacity);
    CHECK_FALSE(b.owner().looks_empty(b.g));
    CHECK(b.publish(1000, 1).slots == 0);
    CHECK(b.word().remaining() == capacity);
    CHECK(b.steal() == values(0, capacity / 2));
    CHECK(b.release(1).slots == 1);
  }
}

TEST_CASE("public queue: a batch never exceeds twice a thief's local queue") {
  bench b(64, 4);
  CHECK(b.max_batch == 8);
  b.publish(0, 4);
  b.publish(4, 4);
  CHECK(b.word().remaining() == 8);
  b.publish(8, 4);
  CHECK(b.word().remaining() == 8);
  CHECK(b.steal().size() == 4);
  CHECK(b.release(4).slots == 4);
}

TEST_CASE("public queue: a lock that changes nothing gives back the word as it was") {
  bench b(8, 4);
  b.publish(0, 4);
  CHECK(b.steal() == values(0, 2));
  const auto slow = b.add_attempt();
  for (std::uint64_t v = 10; v != 14; ++v)
    b.local().push(v);
  const auto before = b.head.word.load();
  // No room in the local queue, so the acquire gives up under the lock.
  const auto got = b.acquire();
  CHECK(got.slots == 0);
  CHECK_FALSE(got.postponed);
  CHECK(b.head.word == before);
  CHECK(b.head.claimed[0] + b.head.claimed[1] == 0);
  // The attempts were kept: the next thief takes the next block, not one that was taken before.
  CHECK(b.steal() == values(3, 1));
  b.complete(slow);
  CHECK(b.quiet());
}

TEST_CASE("public queue: attempts beyond the last step do not pile up over a reopened epoch") {
  bench b(8, 4);
  b.publish(0, 1);
  b.steal();
  for (int i = 0; i != 100; ++i)
    b.steal(false);
  CHECK(b.word().attempts == 101);
  // With one slot more there would be something to acquire; an empty queue is not even locked.
  CHECK(b.acquire().slots == 0);
  bench shared(8, 4, 2);
  shared.publish(0, 1);
  shared.steal();
  for (int i = 0; i != 100; ++i)
    shared.steal(false);
  std::uint64_t given = 0;
  CHECK(shared.quiet(given));
  CHECK(given == 1);
  CHECK(shared.word().attempts == mgws::steal_sequence::steps(1));
  CHECK(shared.word().remaining() == 0);
}

TEST_CASE("public queue: quiet only when empty and every copy is done, in both epochs") {
  const std::uint32_t owners = GENERATE(1u, 2u, 4u);
  bench b(8, 64, owners);
  CHECK(b.quiet());
  b.publish(0, 2);
  CHECK_FALSE(b.quiet());
  const auto first = b.add_attempt();
  CHECK_FALSE(b.quiet());
  b.publish(2, 1);
  const auto second = b.add_attempt();
  const auto third = b.add_attempt();
  REQUIRE(b.word().remaining() == 0);
  CHECK_FALSE(b.quiet());
  b.complete(second);
  b.complete(third);
  CHECK_FALSE(b.quiet());
  b.complete(first);
  std::uint64_t given = 0;
  CHECK(b.quiet(given));
  CHECK(given == 3);
}

TEST_CASE("public queue, shared: an owner sees what another one was given") {
  bench b(16, 16, 2);
  b.publish(0, 4, 0);
  std::uint64_t given = 77;
  CHECK(b.acquire(1).slots == 2);
  CHECK(b.local(1).pop() == 3);
  CHECK(b.steal() == values(0, 1));
  CHECK(b.steal() == values(1, 1));
  CHECK(b.quiet(given, 0));
  CHECK(given == 4);
  CHECK(b.quiet(given, 1));
  CHECK(given == 4);
}

TEST_CASE("public queue, shared: an epoch in use is put off under the lock, attempts kept") {
  bench b(8, 16, 2);
  b.publish(0, 4, 0);
  const auto slow = b.add_attempt();
  b.publish(4, 3, 1);
  b.add_attempt();
  const auto before = b.head.word.load();
  CHECK(b.acquire(0).postponed);
  CHECK(b.acquire(1).postponed);
  CHECK(b.publish(9, 1, 0).slots == 0);
  CHECK(b.head.word == before);
  b.complete(slow);
  CHECK(b.acquire(1).slots == 2);
}

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
    B::group g;
    stored_queue thief(8);
    const auto round = [&] {
      std::uint32_t n = 0;
      mgws::steal<P, B, slot>(g, b.head, b.slots, thief.queue, mgws::scope::system, true, nothing,
                              n);
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
