#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/driver.hpp"
#include "harness/output_file.hpp"
#include "harness/queue_owner.hpp"

namespace mgws::bench {

namespace {

const char* event_name(trace_event::kind k) {
  switch (k) {
    case trace_event::kind::working:
      return "working";
    case trace_event::kind::searching:
      return "searching";
    case trace_event::kind::idle:
      return "idle";
    case trace_event::kind::stolen:
      return "steal";
    case trace_event::kind::given:
      return "question";
  }
  return "";
}

/// A name as JSON has it, in its quotes.
std::string in_json(const std::string& name) {
  return nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void write_trace(const std::string& path, const run_report& report, queue_sharing sharing) {
  output_file out(path);
  const auto microseconds = [&](std::uint64_t ns) {
    return static_cast<double>(ns - std::min(ns, report.began_ns)) / 1000;
  };
  out.write("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
  for (std::uint32_t d = 0; d != report.devices.size(); ++d)
    out.write(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}},)"
                          "\n",
                          d, in_json(report.devices[d].name)));
  std::uint64_t arrow = 0;
  std::uint64_t questions = 0;
  for (std::uint32_t w = 0; w != report.workers.size(); ++w) {
    const auto& worker = report.workers[w];
    out.write(fmt::format(
        R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"worker {}"}}}},)"
        "\n",
        worker.device, w, w));
    if (!report.statistics) continue;
    for (const trace_event& e : report.records[w].trace) {
      const double begin = microseconds(e.begin_ns);
      const double length = static_cast<double>(e.end_ns - e.begin_ns) / 1000;
      if (e.what == trace_event::kind::given) {
        // On a track of its own: it may have begun while this worker did something else.
        for (const auto& [phase, at] : {std::pair{'b', begin}, std::pair{'e', begin + length}})
          out.write(fmt::format(
              R"({{"ph":"{}","name":"question","cat":"question","id":{},"pid":{},"tid":{},"ts":{:.3f},"args":{{"domain":{},"slots":{}}}}},)"
              "\n",
              phase, questions, worker.device, w, at, e.queue, e.n));
        ++questions;
        continue;
      }
      if (e.what != trace_event::kind::stolen) {
        const std::string steps = e.n == 0 ? "" : fmt::format(R"(,"args":{{"steps":{}}})", e.n);
        out.write(
            fmt::format(R"({{"ph":"X","name":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f}{}}},)"
                        "\n",
                        event_name(e.what), worker.device, w, begin, length, steps));
        continue;
      }
      const std::uint32_t from = owner_of(report, w, e.queue, sharing);
      out.write(fmt::format(
          R"({{"ph":"X","name":"steal","pid":{0},"tid":{1},"ts":{2:.3f},"dur":{3:.3f},"args":{{"slots":{4},"queue":{5},"from":{8}}}}},)"
          "\n"
          R"({{"ph":"s","name":"steal","cat":"steal","id":{6},"pid":{7},"tid":{8},"ts":{2:.3f}}},)"
          "\n"
          R"({{"ph":"f","bp":"e","name":"steal","cat":"steal","id":{6},"pid":{0},"tid":{1},"ts":{9:.3f}}},)"
          "\n",
          worker.device, w, begin, length, e.n, e.queue, arrow, report.workers[from].device, from,
          begin + length));
      ++arrow;
    }
  }
  out.write("{\"ph\":\"M\",\"name\":\"trace_end\",\"pid\":0,\"args\":{}}\n]}\n");
  out.close();
}

}  // namespace mgws::bench
