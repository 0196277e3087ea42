/// \file
/// The options that say which loop is meant, the same for mgws-bench and for the peers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <mgws/errors.hpp>

#include "harness/command_line.hpp"
#include "harness/list.hpp"
#include "loop/instance.hpp"

namespace mgws::bench {

[[nodiscard]] inline const std::vector<std::string>& loop_pattern_names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const auto& known : k_loop_patterns)
      names.emplace_back(known.name);
    return names;
  }();
  return all;
}

struct loop_options {
  std::uint64_t n = std::uint64_t{1} << 20;
  std::uint64_t base = 1024;
  std::string pattern = "uniform";  ///< or several
  std::uint64_t grain = 32;
  std::uint64_t heavy = 0;
  std::uint64_t heavy_cost = 1'000'000;
  std::string heavy_at = "middle";

  /// Ranges and their instances are two types of tasks: a slot holds fewer instances than of one.
  static constexpr std::uint64_t k_most = (std::uint64_t{1} << 31) - 1;

  void add_to(CLI::App& command) {
    const auto number = [&](const char* option, std::uint64_t& value, const char* what,
                            const char* type, std::uint64_t least, std::uint64_t most) {
      command.add_option(option, value, what)
          ->type_name(type)
          ->check(whole_number(least, most))
          ->capture_default_str();
    };
    number("--n", n, "instances", "N", 1, k_most);
    // 256 times as many, which one pattern has, are to fit 32 bits.
    number("--base", base, "iterations of an instance, about, in the mean", "K", 1,
           (std::uint64_t{1} << 24) - 1);
    command.add_option("--pattern", pattern, "how their lengths vary: a name, a list, or all")
        ->type_name("NAME")
        ->check(list_of(loop_pattern_names()))
        ->capture_default_str();
    number("--grain", grain, "neighbours that are equally long", "N", 1, k_most);
    number("--heavy", heavy, "instances of another length, side by side", "COUNT", 0, k_most);
    number("--heavy-cost", heavy_cost, "their iterations", "K", 1, ~std::uint32_t{0});
    command.add_option("--heavy-at", heavy_at, "where they lie")
        ->type_name("first|middle|last")
        ->check(CLI::IsMember({"first", "middle", "last"}))
        ->capture_default_str();
  }

  [[nodiscard]] std::vector<std::string> patterns() const {
    return names_in(pattern, loop_pattern_names());
  }

  /// \throws bad_configuration
  [[nodiscard]] loop_work work(const std::string& of_pattern) const {
    if (heavy > n) throw bad_configuration("--heavy must be at most --n");
    return {.costs = {.pattern = *find_loop_pattern(of_pattern),
                      .n = n,
                      .base = static_cast<std::uint32_t>(base),
                      .grain = static_cast<std::uint32_t>(grain)},
            .heavy_from = heavy_at == "first"  ? 0
                          : heavy_at == "last" ? n - heavy
                                               : (n - heavy) / 2,
            .heavy = heavy,
            .heavy_cost = static_cast<std::uint32_t>(heavy_cost)};
  }

  [[nodiscard]] nlohmann::ordered_json parameters(const std::string& of_pattern,
                                                  const loop_answer& answer) const {
    nlohmann::ordered_json j{{"n", n}, {"base", base}, {"pattern", of_pattern}, {"grain", grain}};
    if (heavy != 0)
      j.update({{"heavy", heavy}, {"heavy_cost", heavy_cost}, {"heavy_at", heavy_at}});
    j.update({{"iterations", answer.iterations}, {"longest", answer.longest}});
    return j;
  }
};

}  // namespace mgws::bench
