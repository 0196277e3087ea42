/// \file
/// Which tree a program's user asks for: by name, or by the reference's letters.
#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <mgws/errors.hpp>

#include "uts/parameters.hpp"

namespace mgws::bench::uts {

class tree_choice {
 public:
  /// \return the option that names a tree, for others to exclude
  CLI::Option* add_to(CLI::App& command) {
    auto* const tree =
        command.add_option("--tree", name_, "a named tree: " + names())->type_name("NAME");
    const auto letter = [&](const char* option, auto& value, const char* what, const char* type) {
      command.add_option(option, value, what)
          ->type_name(type)
          ->capture_default_str()
          ->excludes(tree);
    };
    letter("-t", given_.t, "type: 0 binomial, 1 geometric, 2 hybrid, 3 balanced", "N");
    letter("-a", given_.a, "shape: 0 linear, 1 exponential, 2 cyclic, 3 fixed", "N");
    letter("-d", given_.d, "depth", "N");
    letter("-b", given_.b, "children of the root", "B");
    letter("-r", given_.r, "seed", "N");
    letter("-q", given_.q, "binomial: probability of children", "Q");
    letter("-m", given_.m, "binomial: number of children", "N");
    letter("-f", given_.f, "hybrid: where binomial nodes begin, as a part of the depth", "F");
    command.add_option("-g", granularity_, "times that each child is hashed")
        ->type_name("N")
        ->capture_default_str();
    return tree;
  }

  /// What is known of the tree, whether it was named or described; null if it has no name.
  /// \throws bad_configuration
  [[nodiscard]] const named_tree* known() const {
    if (name_.empty()) {
      for (const named_tree& named : named_trees())
        if (named.parameters == given_) return &named;
      return nullptr;
    }
    const named_tree* const known = find_named_tree(name_);
    if (known == nullptr)
      throw bad_configuration("'" + name_ + "' is not a named tree: use one of " + names());
    return known;
  }
  /// \throws bad_configuration
  [[nodiscard]] tree_parameters parameters() const {
    const named_tree* const named = known();
    tree_parameters p = named != nullptr ? named->parameters : given_;
    p.g = granularity_;
    return p;
  }
  /// The tree in a report. \throws bad_configuration
  [[nodiscard]] nlohmann::ordered_json described() const {
    nlohmann::ordered_json j;
    if (const named_tree* const named = known()) j["tree"] = named->name;
    const tree_parameters p = parameters();
    j.update({{"t", p.t},
              {"a", p.a},
              {"d", p.d},
              {"b", p.b},
              {"r", p.r},
              {"q", p.q},
              {"m", p.m},
              {"f", p.f},
              {"g", p.g}});
    return j;
  }

 private:
  static std::string names() {
    std::string all;
    for (const named_tree& named : named_trees())
      all += (all.empty() ? "" : ", ") + std::string(named.name);
    return all;
  }

  std::string name_;
  tree_parameters given_;
  std::int64_t granularity_ = 1;
};

}  // namespace mgws::bench::uts
