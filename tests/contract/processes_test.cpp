// Processes that share a run.
#include "processes.hpp"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "behaviour.hpp"
#include "catch.hpp"
#include "crossing.hpp"
#include "repeats.hpp"

namespace {

using namespace contract;

struct each {
  void operator()(auto& worker, mgws::task_index /*i*/) const { worker.accumulate(count{}, 1); }
};
/// Counts only where the numbers are those of 3 workers, 2 of them in the second process.
struct says_who {
  void operator()(auto& worker, mgws::task_index /*i*/) const {
    const std::uint32_t first = *worker.context() == 0 ? 0 : 1;
    if (worker.workers() == 3 && worker.device() == 0 && worker.id() >= first &&
        worker.global_lane() == worker.id() && worker.id() < first + 1 + first)
      worker.accumulate(count{}, 1);
  }
};
template <class... Ts>
using joined_of = mgws::runtime<mgws::task_set<Ts...>, counts, const std::uint32_t*,
                                mgws::no_statistics, 32, mgws::compiled_for::together>;
using joined = joined_of<tree, throws_up, again_and_again, each, takes, says_who>;

}  // namespace

TEST_CASE("processes: trees and bulk, by two and three, over rings of all sizes") {
  for (const std::uint32_t ranks : {2u, 3u})
    for (const std::uint32_t slots : {1u, 1024u}) {
      INFO(ranks << " processes, " << slots << " slots");
      const std::string name = fresh_name();
      children all(ranks, [&](std::uint32_t rank) {
        auto o = of_group(name, rank, ranks, 1 + rank % 2);
        o.bridge_slots = slots;
        joined rt(o);
        bool right = true;
        for (std::uint32_t i = 0; i != 3; ++i) {
          rt.seed(tree{14});
          const auto r = rt.run();
          right = right && r.get<count>() == nodes(14) && r.tasks == nodes(14) &&
                  r.processes.size() == ranks && r.devices.size() == 1 &&
                  r.processes[rank].process == static_cast<std::uint64_t>(getpid()) &&
                  r.processes[rank].tasks == r.devices[0].tasks;
          rt.seed_n(each{}, 20'000);
          right = right && rt.run().get<count>() == 20'000;
        }
        return right;
      });
      CHECK(all.wrong() == 0);
    }
}

TEST_CASE("processes: joins and finishes, by two and three") {
  using waiting = mgws::runtime<crossing::tasks<false>, crossing::results, crossing::where,
                                mgws::no_statistics, 32, mgws::compiled_for::together>;
  for (const std::uint32_t ranks : {2u, 3u})
    for (const std::uint32_t slots : {1u, 64u}) {
      INFO(ranks << " processes, " << slots << " slots");
      const std::string name = fresh_name();
      children all(ranks, [&, repeats = test::repeats(200)](std::uint32_t rank) {
        auto o = of_group(name, rank, ranks, 1 + rank % 2);
        o.bridge_slots = slots;
        waiting rt(o);
        rt.seed(crossing::rounds<false>{17, 3});
        bool right = crossing::fault(rt.run().results, 17, 3).empty();
        for (std::uint32_t i = 0; i != repeats; ++i) {
          rt.seed(crossing::rounds<false>{i % 8, 2});
          right = right && crossing::fault(rt.run().results, i % 8, 2).empty();
        }
        return right;
      });
      CHECK(all.wrong() == 0);
    }
}

TEST_CASE("processes: what one cannot do soon, the other one is given") {
  const std::string name = fresh_name();
  children all(2, [&](std::uint32_t rank) {
    auto o = of_group(name, rank, 2);
    o.processes.own_seeds = true;
    joined rt(o);
    if (rank == 0)
      for (std::uint32_t i = 0; i != 60; ++i)
        rt.seed(takes{1000});
    const auto r = rt.run();
    return r.get<count>() == 60 && r.processes[1].tasks != 0;
  });
  CHECK(all.wrong() == 0);
}

TEST_CASE("processes: many short runs") {
  const std::string name = fresh_name();
  children all(2, [&, repeats = test::repeats(1000)](std::uint32_t rank) {
    joined rt(of_group(name, rank, 2, 1 + rank));
    std::uint64_t wrong = 0;
    for (std::uint32_t i = 0; i != repeats; ++i) {
      rt.seed(tree{i % 6});
      wrong += rt.run().get<count>() != nodes(i % 6);
    }
    return wrong == 0;
  });
  CHECK(all.wrong() == 0);
}

TEST_CASE("processes: with each detector that is asked for, small queues and policies") {
  for (const auto detector :
       {mgws::termination::counter, mgws::termination::tree, mgws::termination::hierarchical}) {
    const std::string name = fresh_name();
    children all(2, [&](std::uint32_t rank) {
      auto o = of_group(name, rank, 2, 2);
      o.termination = detector;
      o.public_queue = o.local_queue = 2;
      o.overflow = mgws::overflow_policy::damping;
      o.owners = 2;
      joined rt(o);
      rt.seed(tree{12});
      return rt.run().get<count>() == nodes(12);
    });
    CHECK(all.wrong() == 0);
  }
}

TEST_CASE("processes: workers are numbered through all of them, devices within each") {
  const std::string name = fresh_name();
  children all(2, [&](std::uint32_t rank) {
    joined rt(of_group(name, rank, 2, 1 + rank));
    rt.seed_n(says_who{}, 10'000);
    return rt.workers() == 3 && rt.devices() == 1 && rt.run(&rank).get<count>() == 10'000;
  });
  CHECK(all.wrong() == 0);
}

TEST_CASE("processes: initial sets are one, or each has its own") {
  const std::string name = fresh_name();
  children all(2, [&](std::uint32_t rank) {
    joined rt(of_group(name, rank, 2));
    bool right = true;
    for (std::uint32_t i = 0; i != 3; ++i) {
      rt.seed_n(each{}, 10 + rank);
      right = right && throws_about<mgws::bad_configuration>(
                           [&] { rt.run(); }, "10 instances in rank 0, 11 in rank 1");
      rt.keep_seeds(true);
      rt.seed_n(each{}, 100);
      right = right && rt.run().get<count>() == 100 && rt.run().get<count>() == 100;
      rt.keep_seeds(false);
      rt.clear_seeds();
      right = right && rt.run().tasks == 0;
    }
    return right;
  });
  CHECK(all.wrong() == 0);

  const std::string other = fresh_name();
  children own(2, [&](std::uint32_t rank) {
    auto o = of_group(other, rank, 2);
    o.processes.own_seeds = true;
    joined rt(o);
    rt.seed_n(each{}, 10 + rank);
    return rt.run().get<count>() == 21 && rt.run().get<count>() == 0;
  });
  CHECK(own.wrong() == 0);
}

TEST_CASE("processes: one that fails ends the run of all, and the next run is right") {
  const std::string name = fresh_name();
  children all(3, [&](std::uint32_t rank) {
    auto o = of_group(name, rank, 3);
    o.processes.own_seeds = true;
    joined rt(o);
    bool right = true;
    for (std::uint32_t i = 0; i != 5; ++i) {
      // It may run anywhere: that process says it, and the others repeat it.
      if (rank == 0) rt.seed(again_and_again{});
      if (rank == 1) rt.seed(throws_up{});
      try {
        rt.run();
        right = false;
      } catch (const std::exception& e) {
        const auto& part = rt.report_of_failed_run();
        right = right && std::string(e.what()).ends_with("thrown by a task") && part &&
                part->status == mgws::status::failed && part->tasks - part->get<count>() <= 1;
      }
      if (rank == 2) rt.seed(tree{10});
      const auto r = rt.run();
      right = right && r.get<count>() == nodes(10) && !rt.report_of_failed_run();
    }
    return right;
  });
  CHECK(all.wrong() == 0);
}

TEST_CASE("processes: cancelled by one of them, at any time") {
  const std::string name = fresh_name();
  children all(2, [&, repeats = test::repeats(100)](std::uint32_t rank) {
    joined rt(of_group(name, rank, 2));
    bool right = true;
    for (std::uint32_t i = 0; i != repeats; ++i) {
      rt.seed(again_and_again{});
      std::atomic<bool> ended{false};
      std::thread stopper([&] {
        if (i % 2 != rank) return;
        std::this_thread::sleep_for(std::chrono::microseconds(50 * (i % 40)));
        while (!ended) {
          rt.cancel();
          std::this_thread::sleep_for(milliseconds(1));
        }
      });
      const auto r = rt.run();
      ended = true;
      stopper.join();
      right = right && r.status == mgws::status::cancelled;
    }
    return right;
  });
  CHECK(all.wrong() == 0);
}

TEST_CASE("processes: one that is killed ends the run of the others, with a sentence") {
  for (const std::uint32_t victim : {0u, 2u}) {
    const std::string name = fresh_name();
    children all(3, [&](std::uint32_t rank) {
      joined rt(of_group(name, rank, 3));
      rt.seed(tree{10});
      bool right = rt.run().get<count>() == nodes(10);
      rt.seed(again_and_again{});
      if (rank == victim) {
        std::thread([] {
          std::this_thread::sleep_for(milliseconds(50));
          kill(getpid(), SIGKILL);
        }).detach();
      }
      right = right && throws<mgws::process_failed>(
                           [&] { rt.run(); },
                           [&](const auto& e) {
                             right =
                                 e.rank() == victim &&
                                 is_one_sentence_about(e.what(), "is gone, and with it the tasks");
                           });
      rt.seed(tree{3});
      return right && throws_about<mgws::error>([&] { rt.run(); }, "is gone");
    });
    CHECK(all.wrong() == 0);
  }
}

TEST_CASE("processes: one that ends before a run ends it for the others") {
  const std::string name = fresh_name();
  children all(2, [&](std::uint32_t rank) {
    joined rt(of_group(name, rank, 2));
    rt.seed(tree{10});
    if (rt.run().get<count>() != nodes(10)) return false;
    if (rank == 0) return true;
    rt.seed(tree{10});
    return throws_about<mgws::process_failed>([&] { rt.run(); }, "rank 0");
  });
  CHECK(all.wrong() == 0);
}

TEST_CASE("processes: one that is stopped for a while slows the run down") {
  const std::string name = fresh_name();
  children all(2, [&](std::uint32_t rank) {
    joined rt(of_group(name, rank, 2));
    for (std::uint32_t i = 0; i != 40; ++i) {
      rt.seed(tree{12});
      if (rt.run().get<count>() != nodes(12)) return false;
    }
    return true;
  });
  for (std::uint32_t i = 0; i != 4; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
    all.signal(i % 2, SIGSTOP);
    std::this_thread::sleep_for(milliseconds(30));
    all.signal(i % 2, SIGCONT);
  }
  CHECK(all.wrong() == 0);
}

TEST_CASE("processes: an area that was left behind is taken over") {
  const std::string name = fresh_name();
  const auto right = [&](std::uint32_t rank) {
    joined rt(of_group(name, rank, 3));
    rt.seed(tree{10});
    return rt.run().get<count>() == nodes(10);
  };
  // Rank 0 waits for two others, of whom one waits with it, and is killed.
  children all(2, right);
  std::this_thread::sleep_for(milliseconds(100));
  all.signal(0, SIGKILL);
  std::this_thread::sleep_for(milliseconds(20));
  CHECK(shm_unlink(("/mgws-" + name).c_str()) == 0);
  CHECK(close(shm_open(("/mgws-" + name).c_str(), O_RDWR | O_CREAT | O_EXCL, 0600)) == 0);
  REQUIRE(truncate(("/dev/shm/mgws-" + name).c_str(), 5000) == 0);
  all.start(0, right);
  all.start(2, right);
  CHECK(all.wrong() == 0);
  CHECK(shm_unlink(("/mgws-" + name).c_str()) != 0);  // a group leaves no name
}

TEST_CASE("processes: groups of the same name, one after the other, and a rank that comes twice") {
  const std::string name = fresh_name();
  const auto right = [&](std::uint32_t rank) {
    joined rt(of_group(name, rank, 2));
    rt.seed(takes{100'000});
    return rt.run().get<count>() == 1;
  };
  children first(2, right);
  std::this_thread::sleep_for(milliseconds(50));
  children second(2, right);
  CHECK(first.wrong() == 0);
  CHECK(second.wrong() == 0);

  const std::string other = fresh_name();
  children alone(1, [&](std::uint32_t rank) {
    auto o = of_group(other, rank, 2);
    o.processes.patience = std::chrono::duration<double>(1);
    return throws_about<mgws::not_possible>([&] { joined rt(o); },
                                            "did not come in time, by rank: 1");
  });
  std::this_thread::sleep_for(milliseconds(300));
  CHECK(throws_about<mgws::not_possible>([&] { joined rt(of_group(other, 0, 2)); },
                                         "has a process with rank 0 already"));
  CHECK(alone.wrong() == 0);
}

TEST_CASE("processes: those that do not fit are refused") {
  const std::string name = fresh_name();
  children zero(1, [&](std::uint32_t rank) {
    joined rt(of_group(name, rank, 2));
    rt.seed(tree{10});
    return rt.run().get<count>() == nodes(10);
  });
  CHECK(throws_about<mgws::bad_configuration>([&] { joined rt(of_group(name, 1, 3)); },
                                              "is of 2 processes, not of 3"));
  auto o = of_group(name, 1, 2);
  o.bridge_slots = 64;
  CHECK(throws_about<mgws::bad_configuration>([&] { joined rt(o); }, "are to be the same"));
  CHECK(throws_about<mgws::bad_configuration>(
      [&] { joined_of<tree, again_and_again> rt(of_group(name, 1, 2)); }, "are to be the same"));
  zero.start(1, [&](std::uint32_t rank) {
    joined rt(of_group(name, rank, 2));
    rt.seed(tree{10});
    return rt.run().get<count>() == nodes(10);
  });
  CHECK(zero.wrong() == 0);
}

TEST_CASE("processes: an area of another version") {
  const std::string name = fresh_name();
  const int file = shm_open(("/mgws-" + name).c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  REQUIRE(file >= 0);
  const std::uint64_t words[] = {0x6d6777735f617265, 99};
  REQUIRE(ftruncate(file, 8192) == 0);
  REQUIRE(write(file, words, sizeof words) == sizeof words);
  auto o = of_group(name, 1, 2);
  o.processes.patience = std::chrono::duration<double>(0.05);
  // Nobody has it: it counts as left behind.
  CHECK(throws_about<mgws::not_possible>([&] { joined rt(o); }, "no process with rank 0"));
  struct flock l {};
  l.l_type = F_WRLCK;
  l.l_whence = SEEK_SET;
  l.l_len = 1;
  REQUIRE(fcntl(file, F_OFD_SETLK, &l) == 0);
  CHECK(throws_about<mgws::bad_configuration>([&] { joined rt(o); }, "another version of mgws"));
  close(file);
  shm_unlink(("/mgws-" + name).c_str());
}

TEST_CASE("processes: what is refused, in one sentence") {
  const auto refused = [](mgws::options o, const std::string& about) {
    return throws_about<mgws::error>([&] { joined rt(o); }, about);
  };
  CHECK(refused(of_group("a", 2, 2), "ranks of 2 processes are 0 to 1, not 2"));
  CHECK(refused(of_group("a", 0, 0), "1 to 16 processes, not of 0"));
  CHECK(refused(of_group("a", 0, 17), "1 to 16 processes, not of 17"));
  for (const char* const name : {"", "a/b", ".. /x"})
    CHECK(refused(of_group(name, 0, 2), "the name of a group"));
  auto o = of_group("a", 0, 2);
  o.processes.patience = std::chrono::duration<double>(-1);
  CHECK(refused(o, "patience"));
  o = of_group("a", 0, 2);
  o.devices = {{.workers = 1}, {.workers = 1}};
  o.domains = mgws::domain_split::each;
  CHECK(refused(o, "one coherence domain"));
  o = of_group("a", 0, 2);
  o.direct = mgws::direct_mode::one;
  CHECK(refused(o, "cannot be over several coherence domains"));
  CHECK(throws_about<mgws::error>(
      [&] { mgws::runtime<mgws::task_set<tree>, counts> rt(of_group("a", 0, 2)); },
      "compiled_for::together"));
  children all(2, [name = fresh_name()](std::uint32_t rank) {
    using steps = mgws::graph<takes>;
    mgws::runtime<steps::tasks, counts, mgws::no_context, mgws::no_statistics, 32,
                  mgws::compiled_for::together>
        rt(of_group(name, rank, 2));
    steps::builder plan;
    plan.add(takes{1});
    return throws_about<mgws::not_possible>([&] { steps(rt.data_places(), plan); }, "one process");
  });
  CHECK(all.wrong() == 0);
  joined alone(of_group("", 0, 1));
  alone.seed(tree{3});
  CHECK(alone.run().get<count>() == nodes(3));
}
