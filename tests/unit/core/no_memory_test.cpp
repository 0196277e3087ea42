// Runs in a process that is given no more memory, at any of its threads: an error of run(), or
// none, and never the end of the process.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>

#include <mgws/mgws.hpp>

#include "catch.hpp"

namespace {

/// Whether threads other than the test's own get memory, and how often that one still does.
std::atomic<bool> refused_to_others{false};
std::atomic<std::uint64_t> refusals{0};
thread_local bool is_test = false;
thread_local std::uint64_t left = ~std::uint64_t{0};

void* give(std::size_t bytes, std::size_t alignment) {
  const bool refused = is_test ? left == 0 : refused_to_others.load();
  if (is_test && left != 0 && left != ~std::uint64_t{0}) --left;
  void* p = nullptr;
  if (refused || ::posix_memalign(&p, alignment, bytes == 0 ? 1 : bytes) != 0) {
    ++refusals;
    throw std::bad_alloc();
  }
  return p;
}

}  // namespace

void* operator new(std::size_t bytes) {
  return give(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return give(bytes, static_cast<std::size_t>(alignment));
}
// Sanitizers have their own of these, whose memory ours must not free.
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  try {
    return give(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t /*bytes*/) noexcept {
  std::free(p);
}
void operator delete(void* p, std::align_val_t /*alignment*/) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(p);
}

namespace {

struct wants {
  bool memory = false;
};
struct tree {
  std::uint32_t depth;
  void operator()(auto& worker) const {
    if (worker.context().memory && depth == 3) {
      const auto taken = std::make_unique<std::uint64_t>(depth);
      if (*taken != depth) worker.fail(1);
    }
    if (depth == 0) return;
    worker.spawn(tree{depth - 1});
    worker.spawn(tree{depth - 1});
  }
};
constexpr std::uint64_t k_tasks = (1u << 13) - 1;
using runtime = mgws::runtime<mgws::task_set<tree>, mgws::accumulators<>, wants>;

mgws::options of_three(bool pin) {
  mgws::options o;
  o.devices = {{.workers = 3}};
  o.pin = pin;
  return o;
}

void fall_asleep() {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace

TEST_CASE("no memory: threads of a runtime need none to wait and to be woken") {
  is_test = true;
  const bool pin = GENERATE(false, true);
  runtime rt(of_three(pin));
  rt.keep_seeds(true);
  rt.seed(tree{12});
  CHECK(rt.run().tasks == k_tasks);
  refused_to_others = true;
  for (int i = 0; i != 20; ++i) {
    fall_asleep();
    CHECK(rt.run().tasks == k_tasks);
  }
  refused_to_others = false;
}

TEST_CASE("no memory: a task that gets none ends its run with an error") {
  is_test = true;
  // Pinned: all workers are threads of the pool.
  runtime rt(of_three(true));
  rt.keep_seeds(true);
  rt.seed(tree{12});
  refused_to_others = true;
  CHECK_THROWS_AS(rt.run({.memory = true}), std::bad_alloc);
  refused_to_others = false;
  CHECK(rt.run({.memory = true}).tasks == k_tasks);
}

TEST_CASE("no memory: wherever the caller gets none, run() says so and the next run is right") {
  is_test = true;
  runtime rt(of_three(false));
  rt.keep_seeds(true);
  rt.seed(tree{12});
  bool refused = true;
  std::uint64_t tries = 0;
  for (; refused && tries != 1000; ++tries) {
    refusals = 0;
    left = tries;
    try {
      static_cast<void>(rt.run());
    } catch (const std::bad_alloc&) {
    }
    left = ~std::uint64_t{0};
    refused = refusals != 0;
    CHECK(rt.run().tasks == k_tasks);
  }
  // Some memory is needed, and then enough is enough.
  CHECK(tries > 1);
  CHECK_FALSE(refused);
}
