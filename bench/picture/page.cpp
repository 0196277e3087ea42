#include "picture/page.hpp"

#include <vector>

#include <fmt/format.h>

#include "picture/html.hpp"
#include "picture/sections.hpp"
#include "picture/style.hpp"

namespace mgws::bench {

namespace {

using json = nlohmann::ordered_json;

std::string text_of(const json& value) {
  return html(value.is_string() ? value.get<std::string>()
                                : value.dump(-1, ' ', false, json::error_handler_t::replace));
}

/// All but what is in lists: "n 12, cutoff 3".
std::string list_of(const json& values) {
  std::string all;
  for (const auto& [name, value] : values.items())
    if (!value.is_structured())
      all += (all.empty() ? "" : ", ") + html(name) + " " + text_of(value);
  return all;
}

/// What the imbalance is of, which depends on the number of devices.
std::string imbalance_of(const json& result, const run_report& r) {
  return fmt::format(
      "{:.4f}: standard deviation over mean of the numbers of tasks that {} ran (John et al., "
      "equation 1, who take it of runs without stealing). It counts tasks, not how long they take.",
      result["statistics"]["imbalance"].get<double>(),
      r.devices.size() > 1 ? "the devices" : "the device's workers");
}

std::string facts(const json& result, const std::string& unit, const run_report& r) {
  const json& summary = result["summary"];
  const auto seconds = [&](const char* which) {
    return time_text(summary["seconds"][which].get<double>());
  };
  std::vector<table_row> rows;
  rows.push_back({"command", "<code>" + text_of(result["command"]) + "</code>"});
  rows.push_back({"version", text_of(result["version"]) + ", commit " + text_of(result["commit"])});
  rows.push_back({"date", text_of(result["date"])});
  std::string devices;
  for (const json& d : result["devices"])
    devices +=
        (devices.empty() ? "" : "; ") + text_of(d["name"]) + ", workers " + text_of(d["workers"]);
  rows.push_back({"devices", devices});
  if (const std::string all = list_of(result["parameters"]); !all.empty())
    rows.push_back({"parameters", all});
  rows.push_back({"run", text_of(result["transport"]) + " transport, " +
                             text_of(result["queues"]["protocol"]) + " queues, " +
                             text_of(result["termination"]) + " termination, steal " +
                             text_of(result["steal"]) + ", direct " + text_of(result["direct"]) +
                             ", seed " + text_of(result["seed"])});
  if (result.contains("processes"))
    rows.push_back({"processes", fmt::format("{} share the run; what is drawn is of this one",
                                             result["processes"].size())});
  rows.push_back(
      {"result", text_of(summary["result"]) +
                     (summary["verified"].get<bool>() ? " (right)" : " <strong>(WRONG)</strong>")});
  if (const std::string all = list_of(summary["details"]); !all.empty())
    rows.push_back({"details", all});
  rows.push_back({html(unit), text_of(summary["tasks"])});
  if (summary["tasks"] != summary["tasks_run"])
    rows.push_back({"tasks that ran", text_of(summary["tasks_run"])});
  rows.push_back({"time", fmt::format("{} in the run that is drawn, the last of {}; median {}, {} "
                                      "to {}",
                                      time_text(r.seconds), result["runs"].size(),
                                      seconds("median"), seconds("min"), seconds("max"))});
  rows.push_back({"speed", fmt::format("{:.4g} million {} a second in the median",
                                       summary["tasks_per_second"]["median"].get<double>() / 1e6,
                                       html(unit))});
  std::string busy = percent(r.busy().value_or(0));
  if (const auto lanes = r.lanes()) busy += ", lanes " + percent(*lanes);
  rows.push_back({"busy", busy});
  rows.push_back({"imbalance", imbalance_of(result, r)});
  return table("facts", {}, rows);
}

}  // namespace

std::string page_of(const json& result, const std::string& unit, const run_report& r,
                    queue_sharing sharing) {
  const std::string title =
      fmt::format("{}: {} {} in {}", text_of(result["workload"]),
                  text_of(result["summary"]["tasks"]), html(unit), time_text(r.seconds));
  std::string all = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      title, k_style);
  all += facts(result, unit, r);
  all += section_of_utilisation(r);
  all += section_of_end(r);
  all += section_of_time(r);
  all += section_of_steals(r, sharing);
  all += section_of_lengths(r);
  return all + "</body>\n</html>\n";
}

}  // namespace mgws::bench
