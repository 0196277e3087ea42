// Joins: a continuation runs once, after all its parts, with what they delivered; and what is said
// of wrong use.
#include <cstdint>
#include <utility>
#include <vector>

#include "behaviour.hpp"
#include "catch.hpp"
#include "repeats.hpp"

namespace {

using contract::count;
using contract::counts;
using contract::is_one_sentence_about;
using contract::throws;

/// Naive Fibonacci: two parts a join, at the deepest 2^n of them.
struct add {
  static constexpr bool continuation = true;
  mgws::place<std::uint64_t> to;
  std::uint64_t left;
  std::uint64_t right;
  void operator()(auto& worker) const {
    if (to) return worker.deliver(to, left + right);
    worker.accumulate(count{}, left + right);
  }
};
struct fibonacci {
  std::uint32_t n;
  mgws::place<std::uint64_t> to;
  void operator()(auto& worker) const {
    if (n < 2) {
      if (to) return worker.deliver(to, n);
      return worker.accumulate(count{}, n);
    }
    const auto sum = worker.join(add{to, 0, 0}, 2);
    worker.spawn(fibonacci{n - 1, sum.to(&add::left)});
    worker.spawn(fibonacci{n - 2, sum.to(&add::right)});
  }
};
constexpr std::uint64_t fib(std::uint32_t n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
constexpr std::uint64_t calls(std::uint32_t n) {
  return n < 2 ? 1 : 1 + calls(n - 1) + calls(n - 2);
}

/// Parts of several types, elements of an array, a part without a value, and a default that stands.
struct several {
  static constexpr bool continuation = true;
  double half;
  std::uint16_t few[3];
  std::uint8_t untouched;
  std::uint64_t many;
  void operator()(auto& worker) const {
    const bool right = half == 0.5 && few[0] == 10 && few[1] == 20 && few[2] == 30 &&
                       untouched == 77 && many == (std::uint64_t{1} << 40);
    worker.accumulate(count{}, right ? 1 : 1000);
  }
};
struct part {
  std::uint32_t which;
  mgws::place<double> half;
  mgws::place<std::uint16_t> few;
  mgws::place<std::uint64_t> many;
  mgws::place<void> done;
  void operator()(auto& worker) const {
    worker.deliver(half, 0.5);
    worker.deliver(few, static_cast<std::uint16_t>(which * 10));
    worker.deliver(many, std::uint64_t{1} << 40);
    worker.deliver(done);
  }
};
struct gather {
  void operator()(auto& worker, mgws::task_index /*i*/) const {
    const auto all = worker.join(several{.half = 0, .few = {}, .untouched = 77, .many = 0}, 6);
    worker.spawn(part{0, all.to(&several::half), {}, {}, {}});
    for (std::uint32_t i = 0; i != 3; ++i)
      worker.spawn(part{i + 1, {}, all.to(&several::few, i), {}, {}});
    worker.spawn(part{0, {}, {}, all.to(&several::many), {}});
    worker.spawn(part{0, {}, {}, {}, all.done()});
    // Of nothing: at once.
    static_cast<void>(worker.join(several{0.5, {10, 20, 30}, 77, std::uint64_t{1} << 40}, 0));
  }
};

/// A chain of joins that all wait until the last one is made.
struct closed {
  static constexpr bool continuation = true;
  void operator()(auto& worker) const { worker.accumulate(count{}, 1); }
};
struct hold {
  std::uint32_t left;
  void operator()(auto& worker) const {
    const auto next = worker.join(closed{}, 1);
    worker.spawn(closing{next.done()});
    if (left != 0) worker.spawn(hold{left - 1});  // newest, so that all of them come first
  }
  struct closing {
    mgws::place<void> to;
    void operator()(auto& worker) const { worker.deliver(to); }
  };
};

/// Who delivers last, and what ran last on each thread: `finisher` delivers after the other part
/// has come, and has spawned something by then that would run next if the continuation did not.
/// Every task says in the end that it was here.
constexpr std::uint64_t nothing_of_a_join = ~std::uint64_t{0};
thread_local std::uint64_t latest = nothing_of_a_join;

struct bystander {
  void operator()(auto& worker) const {
    latest = nothing_of_a_join;
    worker.accumulate(count{}, 1);
  }
};
struct not_next : mgws::sum<std::uint64_t> {};
struct moved : mgws::sum<std::uint64_t> {};
struct right_after {
  static constexpr bool continuation = true;
  std::uint64_t join;
  std::uint32_t maker;
  std::uint32_t last;
  void operator()(auto& worker) const {
    worker.accumulate(not_next{}, last != worker.id() || latest != join ? 1 : 0);
    worker.accumulate(moved{}, maker != last ? 1 : 0);
    worker.accumulate(count{}, 1);
    latest = nothing_of_a_join;
  }
};
struct finisher {
  std::uint64_t join;
  mgws::place<std::uint32_t> last;
  void operator()(auto& worker) const {
    for (int i = 0; i != 3; ++i)
      worker.spawn(bystander{});
    worker.deliver(last, worker.id());
    latest = join;
  }
};
struct beginner {
  std::uint64_t join;
  mgws::place<void> first;
  mgws::place<std::uint32_t> last;
  void operator()(auto& worker) const {
    worker.deliver(first);
    worker.spawn(finisher{join, last});
    // Others get time to steal.
    const auto began = contract::steady_clock::now();
    while (contract::seconds_since(began) < 10e-6) {
    }
    latest = nothing_of_a_join;
  }
};
struct opener {
  std::uint32_t joins;
  void operator()(auto& worker) const {
    for (std::uint32_t n = 0; n != joins; ++n) {
      const auto join = worker.join(right_after{n, worker.id(), 0}, 2);
      worker.spawn(beginner{n, join.done(), join.to(&right_after::last)});
      worker.spawn(bystander{});
    }
    latest = nothing_of_a_join;
  }
};

/// Wrong use.
struct twice {
  void operator()(auto& worker) const {
    const auto once = worker.join(closed{}, 1);
    worker.deliver(once.done());
    worker.deliver(once.done());
  }
};
struct never {
  void operator()(auto& worker, mgws::task_index /*i*/) const {
    static_cast<void>(worker.join(closed{}, 1));
  }
};

}  // namespace

TEMPLATE_LIST_TEST_CASE("joins: results of a recursion, whatever the devices and detectors", "",
                        contract::platforms) {
  using runtime = typename TestType::template runtime<mgws::task_set<fibonacci, add>, counts>;
  const auto groups = GENERATE(std::vector<std::uint32_t>{1}, std::vector<std::uint32_t>{4},
                               std::vector<std::uint32_t>{2, 1, 1});
  const auto termination = GENERATE(mgws::termination::counter, mgws::termination::tree,
                                    mgws::termination::hierarchical);
  for (const std::uint32_t owners : {1u, 4u})
    for (const std::uint32_t queue : {2u, 256u}) {
      mgws::options o = TestType::groups_of(groups);
      o.termination = termination;
      o.owners = owners;
      o.public_queue = o.local_queue = queue;
      o.frames = 64;
      runtime rt{o};
      for (const std::uint32_t n : {1u, 2u, 17u}) {
        rt.seed(fibonacci{n, {}});
        const auto report = rt.run();
        CHECK(report.template get<count>() == fib(n));
        CHECK(report.tasks == calls(n) + (calls(n) - 1) / 2);
      }
    }
}

TEMPLATE_LIST_TEST_CASE("joins: many small runs, none wrong", "", contract::platforms) {
  using runtime = typename TestType::template runtime<mgws::task_set<fibonacci, add>, counts>;
  const auto termination = GENERATE(mgws::termination::counter, mgws::termination::tree,
                                    mgws::termination::hierarchical);
  std::uint32_t wrong = 0;
  for (const std::vector<std::uint32_t>& groups :
       {std::vector<std::uint32_t>{4}, std::vector<std::uint32_t>{2, 2}}) {
    mgws::options o = TestType::groups_of(groups);
    o.termination = termination;
    o.public_queue = o.local_queue = 2;
    o.timeout = std::chrono::seconds(60);
    runtime rt{o};
    rt.keep_seeds(true);
    rt.seed(fibonacci{8, {}});
    for (std::uint32_t i = test::repeats(test::k_full); i != 0; --i)
      wrong += rt.run().template get<count>() != fib(8) ? 1 : 0;
  }
  CHECK(wrong == 0);
}

TEMPLATE_LIST_TEST_CASE("joins: who delivers last runs the continuation, next", "",
                        contract::platforms) {
  using runtime = typename TestType::template runtime<
      mgws::task_set<opener, beginner, finisher, bystander, right_after>,
      mgws::accumulators<count, not_next, moved>>;
  for (const std::uint32_t workers : {1u, 2u, 4u}) {
    runtime rt{TestType::groups_of({workers})};
    std::uint64_t elsewhere = 0;
    for (int runs = 0; runs != 20 && (runs == 0 || (workers != 1 && elsewhere == 0)); ++runs) {
      rt.seed(opener{2000});
      const auto report = rt.run();
      CHECK(report.template get<count>() == 5 * 2000);
      // These tasks are so long that all which a worker has can be stolen, also the newest; but
      // thieves take the oldest first.
      CHECK(report.template get<not_next>() <= (workers == 1 ? 0 : 20));
      elsewhere += report.template get<moved>();
    }
    CHECK((elsewhere != 0) == (workers != 1));
  }
}

TEMPLATE_LIST_TEST_CASE("joins: parts of several types, of none, and no parts", "",
                        contract::platforms) {
  using runtime =
      typename TestType::template runtime<mgws::task_set<gather, part, several>, counts>;
  runtime rt{TestType::groups_of({3})};
  rt.seed_n(gather{}, 1000);
  CHECK(rt.run().template get<count>() == 2000);
}

TEMPLATE_LIST_TEST_CASE(
    "joins: who runs dry takes the frames of others, and says so if none is left", "",
    contract::platforms) {
  using runtime =
      typename TestType::template runtime<mgws::task_set<hold, hold::closing, closed>, counts>;
  mgws::options o = TestType::groups_of({2});
  o.frames = 64;
  o.steal = mgws::steal_policy::none;
  runtime rt{o};
  for (int again = 0; again != 3; ++again) {
    rt.seed(hold{99});  // of 128, half of them the other worker's
    CHECK(rt.run().template get<count>() == 100);
  }
  rt.seed(hold{199});
  CHECK(throws<mgws::out_of_frames>(
      [&] { rt.run(); },
      [](const auto& e) { CHECK(is_one_sentence_about(e.what(), "(option frames: try 128,")); }));
  rt.seed(hold{99});
  CHECK(rt.run().template get<count>() == 100);
}

TEMPLATE_LIST_TEST_CASE("joins: a place that is delivered twice, and a join that never ends", "",
                        contract::platforms) {
  using runtime = typename TestType::template runtime<mgws::task_set<twice, never, closed>, counts>;
  runtime rt{TestType::groups_of({1})};
  rt.seed(twice{});
  CHECK(throws<mgws::bad_join>(
      [&] { rt.run(); },
      [](const auto& e) { CHECK(is_one_sentence_about(e.what(), "awaits nothing")); }));
  rt.seed_n(never{}, 70);
  CHECK(throws<mgws::bad_join>(
      [&] { rt.run(); },
      [](const auto& e) { CHECK(is_one_sentence_about(e.what(), "70 of type 2")); }));
}
