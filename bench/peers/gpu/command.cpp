#include "peers/gpu/command.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "mgws_version.hpp"

namespace mgws::bench::peers::gpu {

namespace {

json spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return {{"min", values.front()},
          {"median", n % 2 != 0 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2},
          {"max", values.back()}};
}

json json_of(const common& c, const std::string& workload, const measured& m) {
  json runs = json::array();
  for (const double seconds : m.seconds)
    runs.push_back({{"seconds", seconds}});
  json j{{"schema", 1},
         {"workload", workload},
         {"parameters", m.parameters},
         {"command", c.command},
         {"version", MGWS_VERSION},
         {"commit", MGWS_COMMIT},
         {"devices", json::array({{{"name", c.gpu}, {"kind", "gpu"}}})},
         {"runtime", "none"},
         {"runs", std::move(runs)},
         {"summary",
          {{"tasks", m.tasks},
           {"verified", m.fault.empty()},
           {"result", m.result},
           {"seconds", spread_of(m.seconds)}}}};
  if (m.bytes != 0) {
    std::vector<double> rates;
    for (const double seconds : m.seconds)
      rates.push_back(m.bytes / seconds);
    j["summary"]["bytes_per_second"] = spread_of(rates);
  }
  return j;
}

}  // namespace

void common::add_to(CLI::App& app) {
  app.add_option("--device", device, "number of the GPU")->check(whole_number(0, 1000));
  app.add_option("--repeat", repeat, "runs that count")->check(whole_number(1, 1'000'000));
  app.add_option("--warmup", warmup, "runs before them")->check(whole_number(0, 1'000'000));
  app.add_option("--busy", busy, "seconds of other work before all runs, for the clocks");
  app.add_option("--json", to, "write the result as JSON; - for standard output");
}

int report(const common& c, const std::string& workload, const std::vector<measured>& all) {
  json results = json::array();
  std::string fault;
  for (const measured& m : all) {
    results.push_back(json_of(c, workload, m));
    if (!m.fault.empty()) fault = m.fault;
    if (c.to == "-") continue;
    const double seconds = results.back()["summary"]["seconds"]["median"].get<double>();
    fmt::print("{} {}: {:.6f} s median of {}, {}{}\n", workload, m.parameters.dump(), seconds,
               m.seconds.size(),
               m.bytes == 0 ? "" : fmt::format("{:.1f} GB/s, ", m.bytes / seconds * 1e-9),
               m.fault.empty() ? "right" : "WRONG");
  }
  if (!c.to.empty()) {
    const json whole = all.size() == 1 ? results.front()
                                       : json{{"schema", 1},
                                              {"workload", workload},
                                              {"command", c.command},
                                              {"variants", results}};
    std::FILE* const file = c.to == "-" ? stdout : std::fopen(c.to.c_str(), "w");
    if (file == nullptr) throw std::runtime_error("'" + c.to + "' cannot be written");
    fmt::print(file, "{}\n", whole.dump(2));
    if (file != stdout) std::fclose(file);
  }
  if (fault.empty()) return k_right;
  fmt::print(stderr, "{}: wrong result: {}\n", program_name(), fault);
  return k_wrong;
}

}  // namespace mgws::bench::peers::gpu
