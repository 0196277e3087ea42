#include "runs/md.hpp"

#include <memory>
#include <string>
#include <vector>

#include <mgws/placement.hpp>

#include "harness/command_line.hpp"
#include "harness/ports.hpp"
#include "harness/width.hpp"
#include "md/atoms.hpp"
#include "md/check.hpp"
#include "md/options.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

namespace {

class md_workload final : public workload {
 public:
  std::string name() const override { return "md"; }
  std::string description() const override {
    return "the forces between atoms that are denser in the middle of a box";
  }
  std::string unit() const override { return "atoms"; }

  void add_options(CLI::App& command) override {
    options_.add_to(command);
    options_.add_tasks_to(command);
    auto* const fed =
        command
            .add_option("--fed", fed_,
                        "the host submits the tasks while the run goes on, so many at once")
            ->type_name("N")
            ->check(whole_number(1, md_options::k_most_atoms));
    command
        .add_option("--inbox-slots", inbox_slots_,
                    "submissions that each device has room for, of --fed")
        ->type_name("N")
        ->check(power_of_two(1, k_most_inbox_slots))
        ->needs(fed)
        ->capture_default_str();
    command
        .add_option("--inboxes-of", inboxes_of_,
                    "whether --fed submits to each device in turn, or to one, where others steal")
        ->type_name("each|one")
        ->check(CLI::IsMember({"each", "one"}))
        ->needs(fed)
        ->capture_default_str();
    add_width(command, width_);
  }

  void prepare(const options& o) override {
    options live = o;
    live.inbox_slots = static_cast<std::uint32_t>(inbox_slots_);
    live.inboxes_of = inboxes_of_ == "one" ? inbox_devices::one : inbox_devices::each;
    runs_ = with_port(live, [&]<class Port>() {
      return md::make_runs<Port>(live, {.tasks = static_cast<std::uint32_t>(options_.tasks()),
                                        .width = width_of(width_),
                                        .fed = static_cast<std::uint32_t>(fed_)});
    });
    const md::atom_system system = md::atom_system::make(options_);
    lengths_ = md::task_lengths::of(system, options_.grain);
    check_ = md::md_check(system.targets, options_.cutoff);
    place(system);
  }

  json parameters() const override {
    json j = options_.parameters();
    j.update({{"width", width_},
              {"tasks", options_.tasks()},
              {"distances", lengths_.distances},
              {"longest_task", lengths_.longest},
              {"shortest_task", lengths_.shortest}});
    if (fed_ != 0)
      j.update({{"fed", fed_}, {"inbox_slots", inbox_slots_}, {"inboxes_of", inboxes_of_}});
    return j;
  }

  outcome run() override {
    pulls_.fill(0xff);  // no numbers
    const auto r = runs_->run_each(contexts_);
    pulls_.download(found_);
    const std::uint64_t neighbours = r.get<md::neighbours_met>();
    const md::md_check::verdict v = check_.of(found_, neighbours);
    outcome o;
    o.report = r;
    o.tasks = r.get<md::atoms_done>();
    o.result = v.right;
    o.details = {{"neighbours", neighbours}, {"energy", v.energy}};
    // The lanes of a wide task share its atoms.
    if (ran_by_one_lane(width_, r))
      o.longest = static_cast<double>(lengths_.longest) / static_cast<double>(lengths_.distances);
    o.fault = v.fault;
    if (o.tasks != options_.atoms || r.tasks != options_.tasks())
      o.fault = std::to_string(o.tasks) + " atoms of " + std::to_string(options_.atoms) + " in " +
                std::to_string(r.tasks) + " tasks of " + std::to_string(options_.tasks());
    o.verified = o.fault.empty();
    return o;
  }

 private:
  /// A copy of what is read on each device; what is written where all reach it.
  void place(const md::atom_system& system) {
    const auto places = runs_->data_places();
    const auto copy = [&places](auto& array, const auto& from) {
      array = {places, from.size(), placement::replicated};
      array.upload(from);
    };
    copy(atoms_, system.atoms);
    copy(begin_, system.begin);
    copy(targets_, system.targets);
    pulls_ = placed_array<md::pull>(places, system.atoms.size(), placement::main);
    found_.resize(system.atoms.size());
    contexts_ = contexts_of(runs_->devices(), [&](std::uint32_t d) {
      return md::context{.all = system.seen_by(atoms_.on(d).at(0, 0), begin_.on(d).at(0, 0)),
                         .targets = targets_.on(d).at(0, 0),
                         .pulls = pulls_.on(d).at(0, 0),
                         .atoms = static_cast<std::uint32_t>(options_.atoms),
                         .grain = static_cast<std::uint32_t>(options_.grain)};
    });
  }

  md_options options_;
  std::uint64_t fed_ = 0;
  std::uint64_t inbox_slots_ = 1024;
  std::string inboxes_of_ = "each";
  std::string width_ = "block";
  md::task_lengths lengths_;
  md::md_check check_;
  placed_array<md::atom> atoms_;  ///< with the others below, where the tasks reach them
  placed_array<std::uint32_t> begin_;
  placed_array<md::atom> targets_;
  placed_array<md::pull> pulls_;
  std::vector<md::pull> found_;  ///< after a run
  std::vector<md::context> contexts_;
  std::unique_ptr<runs<md::context, md::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_md() {
  return std::make_unique<md_workload>();
}

}  // namespace mgws::bench
