/// \file
/// Problems that are run some times, and how long each run took.
#pragma once

#include <span>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <mgws/options.hpp>

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

}  // namespace mgws::bench
