#include <utility>

#include <mgws/probe/domains.hpp>

#include "probe/output.hpp"

namespace mgws::bench {

namespace {

using json = nlohmann::ordered_json;

const char* scope_of(bool system) {
  return system ? "system" : "device";
}

json litmus_as_json(const probe_report& r, const litmus_finding& f) {
  const litmus_outcome& o = f.outcome;
  json j{{"between", {r.devices[f.a].label(), r.devices[f.b].label()}},
         {"memory", r.label_of(f.memory)},
         {"scope", scope_of(f.system_scope)},
         {"operation", name_of(f.what)},
         {"verdict", name_of(o.verdict)},
         {"operations", o.operations},
         {"wrong", o.wrong},
         {"turns", o.met},
         {"nanoseconds", o.nanoseconds},
         {"driver_says", nullptr}};
  if (f.claim.has_value()) j["driver_says"] = *f.claim;
  return j;
}

json cost_as_json(const probe_report& r, const cost_finding& f) {
  const bool local = f.what == measured::chase_local;
  json j{{"device", r.devices[f.device].label()},
         {"memory", local ? "local" : r.label_of(f.memory)}};
  if (f.bytes != 0) {
    j["bytes"] = f.bytes;
  } else {
    j["scope"] = scope_of(f.system_scope);
    j["operation"] = name_of(f.what);
  }
  j["median"] = f.median;
  j["least"] = f.least;
  return j;
}

json groups_as_json(const probe_report& r, const std::vector<device_group>& groups) {
  json all = json::array();
  for (const device_group& g : groups) {
    json members = json::array();
    for (const std::uint32_t d : g)
      members.push_back(r.devices[d].label());
    all.push_back(std::move(members));
  }
  return all;
}

}  // namespace

json findings_as_json(const probe_report& r) {
  json j;
  j["quick"] = r.quick;
  for (const probed_device& d : r.devices)
    j["devices"].push_back({{"label", d.label()},
                            {"name", d.name},
                            {"kind", d.kind == device_kind::cpu ? "cpu" : "gpu"}});
  j["no_gpu"] = r.no_gpu.empty() ? json(nullptr) : json(r.no_gpu);
  j["litmus"] = json::array();
  for (const litmus_finding& f : r.litmus)
    j["litmus"].push_back(litmus_as_json(r, f));
  const coherence_domains domains = domains_of(r);
  j["domains"] = {{"p2p", groups_as_json(r, domains.p2p)},
                  {"host", groups_as_json(r, domains.host)},
                  {"messages", groups_as_json(r, domains.messages)}};
  j["disagreements"] = json::array();
  for (const litmus_finding& f : disagreements(r))
    j["disagreements"].push_back(litmus_as_json(r, f));
  for (const auto& [name, list] :
       {std::pair{"latencies", &r.latencies}, {"copies", &r.copies}, {"ladder", &r.ladder}}) {
    j[name] = json::array();
    for (const cost_finding& f : *list)
      j[name].push_back(cost_as_json(r, f));
  }
  return j;
}

}  // namespace mgws::bench
