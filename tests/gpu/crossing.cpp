#include "contract/crossing.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "gpu/runs.hpp"
#include "gpu/runtimes.hpp"

namespace gpu_test {

namespace {

template <bool Kinds>
std::string fault_of_calls(auto rt, const mgws::options& o, std::uint32_t n, std::uint32_t rounds,
                           int runs) {
  for (int i = 0; i != runs; ++i) {
    rt->seed(crossing::rounds<Kinds>{n, rounds});
    const std::string wrong = crossing::fault(rt->run(crossing::where::in(o)).results, n, rounds);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

std::string fault_of_crossing(const mgws::options& o, std::uint32_t n, std::uint32_t rounds,
                              int runs) {
  using runtime = runtime_over_domains<crossing::tasks<true>, crossing::results, crossing::where>;
  return fault_of_calls<true>(std::make_unique<runtime>(o), o, n, rounds, runs);
}

std::string fault_after_cancelled(const mgws::options& o, int runs) {
  runtime_of_warps<crossing::tasks<false>, crossing::results, crossing::where> rt(o);
  for (int i = 0; i != runs; ++i) {
    rt.seed(crossing::rounds<false>{24, ~std::uint32_t{0}});
    const auto r = [&] {
      const std::jthread cancels([&](const std::stop_token& ended) {
        std::this_thread::sleep_for(std::chrono::microseconds(25 * (i % 40)));
        for (; !ended.stop_requested(); std::this_thread::sleep_for(std::chrono::microseconds(100)))
          rt.cancel();
      });
      return rt.run(crossing::where::in(o));
    }();
    if (r.status != mgws::status::cancelled) return "not cancelled";
    rt.seed(crossing::rounds<false>{12, 2});
    const std::string wrong = crossing::fault(rt.run(crossing::where::in(o)).results, 12, 2);
    if (!wrong.empty()) return "after " + std::to_string(i + 1) + " that were cancelled, " + wrong;
  }
  return "";
}

std::string fault_of_joins(const mgws::options& o, std::uint32_t n, std::uint32_t rounds,
                           int runs) {
  using runtime = runtime_of_warps<crossing::tasks<false>, crossing::results, crossing::where>;
  return fault_of_calls<false>(std::make_unique<runtime>(o), o, n, rounds, runs);
}

}  // namespace gpu_test
