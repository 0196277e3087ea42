/// \file
/// The table of mutants: one change of core's protocol each. Every one must be caught by a
/// scenario, or be listed as equivalent with the reason.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <mgws/backends/model/protocol.hpp>

namespace mgws::model_backend {

/// What one mutant changes: one of these.
enum class kind : std::uint8_t { order, scope, barrier, behaviour };

struct mutant {
  const char* name;
  model_backend::kind what;
  step at = step::other;                       ///< order, scope
  memory_order order = memory_order::relaxed;  ///< order: the weaker one
  model_backend::behaviour behaviour = behaviour::none;
  const char* function = nullptr;  ///< barrier: where it is left out
  int number = 0;                  ///< barrier: which of that function; 0: the only one
  const char* hazard = "";         ///< number in the protocol's list of hazards
  const char* change = "";         ///< in words
  /// Scenario that shows it first, if not the small ones in their order.
  const char* scenario = nullptr;
  /// Not nullptr: expected not to be caught, and why.
  const char* equivalent = nullptr;
};

std::span<const mutant> all_mutants();

[[nodiscard]] const mutant* mutant_named(const std::string& name);

/// Hazards and steps that no mutant stands for, and why.
struct unmodelled {
  const char* what;  ///< a hazard's number or a step's name
  const char* about;
  const char* reason;
};
std::span<const unmodelled> without_mutant();

/// What an order is weakened to.
[[nodiscard]] std::vector<memory_order> one_step_weaker(memory_order o);

/// Sets the machine's settings to core as it is, or to a mutant of it.
void use_core();
void use(const mutant& m);

[[nodiscard]] const char* name_of(memory_order o);

}  // namespace mgws::model_backend
