/// \file
/// Problems that are run some times, and how long each run took.
#pragma once

#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <mgws/options.hpp>

#include "ablation/device.hpp"

namespace mgws::bench {

class measurement {
 public:
  measurement(const mgws::options& o, int runs) : options_(o), runs_(runs) {}

  [[nodiscard]] const mgws::options& options() const { return options_; }

  /// \param seed  adds the first tasks \param right  whether a report's results are
  template <class Runtime, class Context, class Seed, class Right>
  void run(const std::string& problem, Runtime& rt, const Context& context, Seed&& seed,
           Right&& right) {
    run_each(problem, rt, std::span<const Context>(&context, 1), seed, right);
  }
  /// The same with a context for each device.
  template <class Runtime, class Context, class Seed, class Right>
  void run_each(const std::string& problem, Runtime& rt, std::span<const Context> contexts,
                Seed&& seed, Right&& right) {
    auto times = nlohmann::json::array();
    for (int i = 0; i != runs_ + 1; ++i) {  // the first one is to warm up
      seed(rt);
      const auto report = rt.run_each(contexts);
      right_ = right_ && right(report);
      if (i != 0) times.push_back(report.seconds);
    }
    out_[problem] = times;
  }
  [[nodiscard]] bool right() const { return right_; }
  [[nodiscard]] const nlohmann::json& out() const { return out_; }

 private:
  mgws::options options_;
  int runs_;
  nlohmann::json out_;
  bool right_ = true;
};

/// What an ablation program does: runs problems where its first argument says, as often as its
/// second one does, and prints a line of JSON with the times of each in seconds.
/// \param run  run(measurement) \return the program's exit code: 1 after a wrong result
template <class Run>
[[nodiscard]] int ablate(const char* program, int argc, char** argv, Run&& run) {
  const auto where = device_of(argc > 1 ? argv[1] : "");
  if (!where) {
    std::cerr << "usage: " << program << " cpu:N|gpu:I [RUNS]\n";
    return 2;
  }
  mgws::options o;
  o.devices = {*where};
  o.timeout = std::chrono::seconds(10);  // a rule that is switched off may end a run nowhere
  try {
    measurement m(o, argc > 2 ? std::atoi(argv[2]) : 5);
    run(m);
    std::cout << m.out() << '\n';
    return m.right() ? 0 : 1;
  } catch (const std::exception& e) {
    std::cerr << program << ": " << e.what() << '\n';
    return 1;
  }
}

}  // namespace mgws::bench
