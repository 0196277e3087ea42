/// \file
/// Options that name one thing of several, a list of them, or all: one command then runs the
/// variants one after the other, which on a GPU saves starting a process for each.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace mgws::bench {

/// Accepts names out of `known`, separated by commas, each once, or "all".
[[nodiscard]] inline CLI::Validator list_of(const std::vector<std::string>& known) {
  return CLI::Validator(
      [known](std::string& text) {
        std::string all;
        for (const std::string& name : known)
          all += (all.empty() ? "" : ", ") + name;
        std::vector<std::string> seen;
        for (std::size_t at = 0; text != "all" && at <= text.size();) {
          const std::size_t end = std::min(text.find(',', at), text.size());
          const std::string name = text.substr(at, end - at);
          if (std::ranges::find(known, name) == known.end())
            return "'" + name + "' is none of " + all + ", or all";
          if (std::ranges::find(seen, name) != seen.end()) return "'" + name + "' is named twice";
          seen.push_back(name);
          at = end + 1;
        }
        return std::string();
      },
      "");
}

/// The names in a text that list_of accepts.
[[nodiscard]] inline std::vector<std::string> names_in(const std::string& text,
                                                       const std::vector<std::string>& known) {
  if (text == "all") return known;
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    names.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

}  // namespace mgws::bench
