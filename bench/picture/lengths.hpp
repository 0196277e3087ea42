/// \file
/// How long what workers do takes each time, from the events of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <mgws/report.hpp>

namespace mgws::bench {

/// Lengths of time by powers of two.
struct histogram {
  struct bin {
    std::uint64_t count = 0;
    double seconds = 0;
  };
  std::uint32_t first = 0;  ///< bin i has what took from 2^(first + i) ns to twice that
  std::vector<bin> bins;    ///< neither the first nor the last is empty
  std::uint64_t count = 0;
  double seconds = 0;  ///< of all
  double longest = 0;
};

struct lengths {
  histogram working;    ///< from getting work until there is no more
  histogram steps;      ///< of workers of several lanes, as the mean of each time at work
  histogram stealing;   ///< attempts that won
  histogram searching;  ///< until there was work, or none to be expected
  histogram idle;
  histogram answers;  ///< from a domain's question to another one until the first slot was taken
};

/// \param device  whose workers', if not of all
[[nodiscard]] lengths lengths_of(const run_report& r, std::optional<std::uint32_t> device = {});

}  // namespace mgws::bench
