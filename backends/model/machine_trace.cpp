#include <string>

#include <mgws/backends/model/machine.hpp>

namespace mgws::model_backend {

namespace {

const char* order_name(memory_order o) {
  switch (o) {
    case memory_order::relaxed:
      return "relaxed";
    case memory_order::acquire:
      return "acquire";
    case memory_order::release:
      return "release";
    default:
      return "acq_rel";
  }
}

}  // namespace

void machine::say_step(unsigned number, unsigned outcome) {
  const fiber& f = fibers_[number];
  const request& r = f.pending;
  std::string line = programs_[number].name + ": ";
  if (outcome == k_stalls) {
    *trace += line + "stalls for good\n";
    return;
  }
  const auto number_of = [](std::uint64_t v) {
    return v >> 63 != 0 ? "-" + std::to_string(0 - v) : std::to_string(v);
  };
  const std::string where = r.location < names_.size() ? names_[r.location] : "";
  const char* step = step_name != nullptr ? step_name(r.step) : "";
  const location& l = locations_[r.location];
  switch (r.kind) {
    case op::load:
      line +=
          std::string(step) + ": load " + where + " = " + number_of(l.at(loaded(f, outcome)).value);
      if (const int behind = l.newest() - loaded(f, outcome); behind != 0)
        line += " (old, " + std::to_string(behind) + " behind)";
      break;
    case op::store:
      line += std::string(step) + ": store " + where + " = " + number_of(r.value);
      break;
    case op::add:
      line += std::string(step) + ": add " + where + " + " + number_of(r.value) + ", was " +
              number_of(l.latest().value);
      break;
    case op::exchange:
      line += std::string(step) + ": exchange " + where + " = " + number_of(r.value) + ", was " +
              number_of(l.latest().value);
      break;
    case op::choose:
      line += "chooses " + std::to_string(outcome);
      break;
    case op::sleep:
      line += f.through ? "wakes" : "sleeps unless an event came";
      break;
    case op::wake:
      line += r.value == 0 ? "wakes all" : "wakes one";
      break;
    case op::barrier:
      line += "passes the barrier";
      break;
    case op::pause:
      line += "has paused";
      break;
    case op::act:
      line += "runs task " + std::to_string(r.value);
      break;
    case op::done:
      line += "ends";
      break;
  }
  if (r.kind <= op::exchange) {
    line += std::string(", ") + order_name(r.order);
    if (r.narrow) line += ", device scope";
  }
  *trace += line + "\n";
}

}  // namespace mgws::model_backend
