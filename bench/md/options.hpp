/// \file
/// The options of `md`, the same for mgws-bench and for the peers.
#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "harness/command_line.hpp"
#include "md/atoms.hpp"

namespace mgws::bench {

struct md_options : md::choice {
  static constexpr std::uint64_t k_most_atoms = std::uint64_t{1} << 24;

  void add_to(CLI::App& command) {
    command.add_option("--atoms", atoms, "atoms in the box")
        ->type_name("N")
        ->check(whole_number(1, k_most_atoms))
        ->capture_default_str();
    command.add_option("--density", density, "more of them in the middle, or as many everywhere")
        ->type_name("gaussian|uniform")
        ->check(CLI::IsMember({"gaussian", "uniform"}))
        ->capture_default_str();
    command
        .add_option(
            "--cutoff", cutoff,
            "distance from which on atoms do nothing to each other, in Lennard-Jones' sigma")
        ->type_name("R")
        ->check(number_between(1, 1000))
        ->capture_default_str();
    command
        .add_option("--search", search,
                    "whose distance is computed: that of those in cells near by, or of all")
        ->type_name("cells|all")
        ->check(CLI::IsMember({"cells", "all"}))
        ->capture_default_str();
    command
        .add_option(
            "--pattern", pattern,
            "of which blocks of 128 atoms, in the order of the tasks, forces are computed: of "
            "all, of every second, of the first half, of three of four, of one of four")
        ->type_name("P0|P1|P2|P3|P4")
        ->check(CLI::IsMember({"P0", "P1", "P2", "P3", "P4"}))
        ->capture_default_str();
    command.add_option("--atoms-seed", atoms_seed, "which atoms, and in which random order")
        ->type_name("S")
        ->check(whole_number())
        ->capture_default_str();
  }

  /// Where they are not given by what runs the tasks.
  void add_tasks_to(CLI::App& command) {
    command.add_option("--order", order, "full cells first, or any atom after any other")
        ->type_name("sorted|random")
        ->check(CLI::IsMember({"sorted", "random"}))
        ->capture_default_str();
    command.add_option("--grain", grain, "atoms of a task, one after the other in that order")
        ->type_name("N")
        ->check(whole_number(1, k_most_atoms))
        ->capture_default_str();
  }

  [[nodiscard]] nlohmann::ordered_json parameters() const {
    return {{"atoms", atoms},     {"density", density},      {"cutoff", cutoff},
            {"search", search},   {"order", order},          {"grain", grain},
            {"pattern", pattern}, {"atoms_seed", atoms_seed}};
  }
};

}  // namespace mgws::bench
