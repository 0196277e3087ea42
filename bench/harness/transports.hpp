/// \file
/// Which of a build's transports a program uses where none is named.
#pragma once

#include <string>
#include <vector>

#include <mgws/errors.hpp>

namespace mgws::bench {

/// The first that serves the devices.
/// \param all      the transports of the build, in the order in which it prefers them; not empty
/// \param why_not  why_not(name): why the transport does not; empty if it does
/// \throws not_possible if none does, with what speaks against the first
template <class WhyNot>
[[nodiscard]] std::string first_that_serves(const std::vector<std::string>& all, WhyNot&& why_not) {
  std::string first;
  for (const std::string& name : all) {
    const std::string why = why_not(name);
    if (why.empty()) return name;
    if (first.empty()) first = why;
  }
  throw not_possible((all.size() == 1 ? "the only transport of this build, "
                                      : "no transport of this build serves these devices; ") +
                     all.front() + ": " + first);
}

}  // namespace mgws::bench
