/// \file
/// mgws-bench WORKLOAD [options]: runs a workload, verifies its result and says how long it took.
#include <cstdio>

#include "harness/command_line.hpp"
#include "harness/driver.hpp"
#include "harness/guarded.hpp"
#include "harness/output.hpp"
#include "workloads/invocation.hpp"

int main(int argc, char** argv) {
  namespace bench = mgws::bench;
  bench::invocation call(argc, argv);
  if (!call.fault().empty()) {
    std::fprintf(stderr, "%s: %s\n", bench::program_name(), call.fault().c_str());
    return bench::k_bad_usage;
  }
  if (!call.answer().empty()) {
    std::fputs(call.answer().c_str(), stdout);
    return bench::written(bench::k_right);
  }
  return bench::guarded(
      [&] { return bench::drive(call.chosen(), call.run_settings(), bench::quoted(argc, argv)); });
}
