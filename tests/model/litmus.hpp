/// \file
/// Small programs with a known answer: they show that the checker itself sees what it must.
#pragma once

#include <span>

#include <mgws/backends/model/explorer.hpp>

namespace mgws::model_backend {

struct litmus {
  const char* name;
  const char* about;
  program setup;
  bool must_be_found;  ///< the checker must report it; else it must find nothing
};

std::span<const litmus> all_litmus();

}  // namespace mgws::model_backend
