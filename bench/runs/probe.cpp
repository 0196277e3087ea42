#include "runs/probe.hpp"

namespace mgws::bench {

template <>
probe_report run_probe<this_port>(const probe_options& o) {
  return probe(o);
}

}  // namespace mgws::bench
