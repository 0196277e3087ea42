#include "scenario.hpp"

#include "litmus.hpp"

namespace mgws::model_backend {

std::vector<scenario> all_scenarios() {
  std::vector<scenario> all;
  for (const auto some : {queue_scenarios(), sdc_scenarios(), crossing_scenarios(), run_scenarios(),
                          board_scenarios(), join_scenarios(), finish_scenarios(), live_scenarios(),
                          team_scenarios(), bridge_scenarios()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

program program_named(const std::string& name) {
  for (const scenario& s : all_scenarios())
    if (name == s.name) return s.setup;
  for (const scenario& s : random_scenarios())
    if (name == s.name) return s.setup;
  for (const litmus& l : all_litmus())
    if (name == l.name) return l.setup;
  return nullptr;
}

}  // namespace mgws::model_backend
