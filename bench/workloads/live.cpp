#include "runs/live.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "harness/command_line.hpp"
#include "harness/ports.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

namespace {

class live_workload final : public workload {
 public:
  std::string name() const override { return "live"; }
  std::string description() const override {
    return "tasks that threads submit to a run that goes on, and how long that takes";
  }
  std::string unit() const override { return "tasks"; }

  void add_options(CLI::App& command) override {
    command.add_option("--tasks", tasks_, "tasks that are submitted as fast as it goes")
        ->type_name("N")
        ->check(whole_number(0, std::uint64_t{1} << 40))
        ->capture_default_str();
    command.add_option("--instances", instances_, "tasks that one submission stands for")
        ->type_name("N")
        ->check(whole_number(1, std::uint64_t{1} << 28))
        ->capture_default_str();
    command.add_option("--producers", producers_, "threads that submit, each a part")
        ->type_name("N")
        ->check(whole_number(1, 256))
        ->capture_default_str();
    command
        .add_option("--trips", trips_,
                    "before that: tasks one at a time, until the host sees each one's answer")
        ->type_name("N")
        ->check(whole_number(0, 1u << 24))
        ->capture_default_str();
    command
        .add_option("--arrivals", arrivals_,
                    "after these: tasks one at a time, until each one's first instruction")
        ->type_name("N")
        ->check(whole_number(0, 1u << 24))
        ->capture_default_str();
    command.add_option("--inboxes", inboxes_, "rings of each device; 0: one a producer")
        ->type_name("N")
        ->check(whole_number(0, k_most_inboxes))
        ->capture_default_str();
    command
        .add_option("--inboxes-of", inboxes_of_,
                    "whose rings are used: each device's in turn, or one's, where others steal")
        ->type_name("each|one")
        ->check(CLI::IsMember({"each", "one"}))
        ->capture_default_str();
    command.add_option("--inbox-slots", inbox_slots_, "submissions that each has room for")
        ->type_name("N")
        ->check(whole_number(1, k_most_inbox_slots))
        ->capture_default_str();
  }

  bool over_processes() const override { return true; }
  void prepare(const options& o) override {
    if (is_of_group(o) && (trips_ != 0 || arrivals_ != 0))
      throw bad_configuration(
          std::string(trips_ != 0 ? "--trips" : "--arrivals") +
          ": the answers come into the memory of one process, and with --join the tasks may run in "
          "any");
    if (arrivals_ != 0 && o.devices.size() > 1)
      throw bad_configuration("--arrivals: each device has a clock of its own");
    options live = o;
    live.inboxes = static_cast<std::uint32_t>(
        inboxes_ != 0 ? inboxes_ : std::min<std::uint64_t>(producers_, k_most_inboxes));
    live.inbox_slots = static_cast<std::uint32_t>(inbox_slots_);
    live.inboxes_of = inboxes_of_ == "one" ? inbox_devices::one : inbox_devices::each;
    runs_ = with_port(live, [&]<class Port>() {
      return live::make_runs<Port>(live, {.tasks = tasks_,
                                          .instances = static_cast<std::uint32_t>(instances_),
                                          .producers = static_cast<std::uint32_t>(producers_),
                                          .trips = static_cast<std::uint32_t>(trips_),
                                          .arrivals = static_cast<std::uint32_t>(arrivals_)});
    });
    words_ =
        placed_array<std::uint64_t>(runs_->data_places(), live::context::k_words, placement::host);
    contexts_ =
        contexts_of(runs_->devices(), [&](std::uint32_t d) { return live::context{words_.on(d)}; });
  }

  json parameters() const override {
    return {{"tasks", tasks_},           {"instances", instances_},    {"producers", producers_},
            {"trips", trips_},           {"arrivals", arrivals_},      {"inboxes", inboxes_},
            {"inboxes_of", inboxes_of_}, {"inbox_slots", inbox_slots_}};
  }

  outcome run() override {
    words_.fill(0);
    const auto r = runs_->run_each(contexts_);
    outcome o;
    o.report = r;
    o.tasks = r.tasks;
    o.result = r.get<live::result>();
    const live::measured& m = runs_->last();
    const std::uint64_t submitted = tasks_ + trips_ + arrivals_ + m.comparisons;
    o.verified = r.tasks == submitted && r.get<live::result>() == r.tasks;
    if (!o.verified)
      o.fault = std::to_string(r.tasks) + " tasks ran instead of " + std::to_string(submitted);
    if (!m.submits) return o;
    o.details = {{"submitted_seconds", m.submitted}, {"done_seconds", m.done}};
    if (tasks_ != 0) o.details["tasks_per_second"] = static_cast<double>(tasks_) / m.done;
    if (!m.trips.empty()) o.details["trip_seconds"] = spread(m.trips);
    if (!m.arrival_trips.empty())
      o.details["arrival_seconds"] = {{"trip", spread(m.arrival_trips)},
                                      {"at_least", spread(m.arrived_at_least)},
                                      {"at_most", spread(m.arrived_at_most)}};
    return o;
  }

 private:
  static json spread(std::vector<double> of) {
    std::ranges::sort(of);
    const auto at = [&](double part) {
      return of[static_cast<std::size_t>(part * static_cast<double>(of.size() - 1))];
    };
    return {{"min", of.front()}, {"median", at(0.5)}, {"p99", at(0.99)}, {"max", of.back()}};
  }

  std::uint64_t tasks_ = 1u << 20;
  std::uint64_t instances_ = 1;
  std::uint64_t producers_ = 1;
  std::uint64_t trips_ = 0;
  std::uint64_t arrivals_ = 0;
  std::uint64_t inboxes_ = 0;
  std::string inboxes_of_ = "each";
  std::uint64_t inbox_slots_ = 1024;
  placed_array<std::uint64_t> words_;
  std::vector<live::context> contexts_;
  std::unique_ptr<live::live_runs> runs_;
};

}  // namespace

std::unique_ptr<workload> make_live() {
  return std::make_unique<live_workload>();
}

}  // namespace mgws::bench
