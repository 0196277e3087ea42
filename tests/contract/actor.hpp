/// \file
/// Tasks that do what the context says, for runs that end before their tasks do.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>

#include "behaviour.hpp"
#include "catch.hpp"
#include "platform.hpp"

namespace contract {

/// What these tasks do is chosen by the context, so that one runtime can be used again.
enum class behaviour : std::uint32_t {
  go_on,          ///< never ends by itself
  finish,         ///< a small tree
  fail,           ///< reports its number
  fail_last,      ///< a chain, of which the last one fails
  throw_last,     ///< and throws
  throw_up,       ///< throws
  stuck,          ///< returns when released
  wait_politely,  ///< returns when the run is stopping
  work_long       ///< takes a while, with heartbeats
};

struct signals {
  std::atomic<bool> entered{false};
  std::atomic<bool> released{false};
  std::atomic<std::uint32_t> left{0};
};

struct orders {
  behaviour what = behaviour::finish;
  signals* shared = nullptr;
};

struct actor {
  std::uint32_t depth;
  void operator()(auto& worker) const {
    const orders& o = worker.context();
    worker.accumulate(count{}, 1);
    switch (o.what) {
      case behaviour::go_on:
        o.shared->entered = true;
        if (depth == 0) break;
        worker.spawn(actor{depth});
        worker.spawn(actor{0});
        break;
      case behaviour::finish:
        if (depth != 0) {
          worker.spawn(actor{depth - 1});
          worker.spawn(actor{depth - 1});
        }
        break;
      case behaviour::fail:
        worker.fail(1000 + depth);
        worker.fail(2000 + depth);
        break;
      case behaviour::fail_last:
      case behaviour::throw_last:
        if (depth != 0) {
          worker.spawn(actor{depth - 1});
        } else if (o.what == behaviour::fail_last) {
          worker.fail(77);
        } else {
          throw std::domain_error("from a task");
        }
        break;
      case behaviour::throw_up:
        if (depth == 3) throw std::domain_error("from a task");
        worker.spawn(actor{depth + 1});
        worker.spawn(actor{depth + 1});
        break;
      case behaviour::stuck:
        while (!o.shared->released)
          std::this_thread::sleep_for(milliseconds(1));
        o.shared->left.fetch_add(1);
        break;
      case behaviour::wait_politely:
        while (!worker.stopping())
          std::this_thread::sleep_for(milliseconds(1));
        break;
      case behaviour::work_long:
        for (int i = 0; i != 60; ++i) {
          std::this_thread::sleep_for(milliseconds(20));
          if (i % 2 == 0) {
            worker.heartbeat();
          } else {
            worker.release();
          }
        }
        break;
    }
  }
};

template <class Platform>
using runtime = typename Platform::template runtime<mgws::task_set<actor>, counts, orders>;

template <class Runtime>
void is_usable(Runtime& rt) {
  rt.clear_seeds();
  rt.seed(actor{7});
  const auto r = rt.run({behaviour::finish, nullptr});
  CHECK(r.status == mgws::status::completed);
  CHECK(r.tasks == nodes(7));
  CHECK(r.template get<count>() == nodes(7));
}

}  // namespace contract
