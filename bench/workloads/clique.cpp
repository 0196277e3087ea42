#include "runs/clique.hpp"

#include <memory>
#include <optional>
#include <string>

#include "clique/graph.hpp"
#include "harness/command_line.hpp"
#include "harness/ports.hpp"
#include "harness/width.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

namespace {

class clique_workload final : public workload {
 public:
  std::string name() const override { return "clique"; }
  std::string description() const override { return "a largest clique, by branch and bound"; }
  std::string unit() const override { return "nodes"; }

  void add_options(CLI::App& command) override {
    auto* const graph =
        command
            .add_option("--graph", graph_,
                        "random, or one whose answer is known: hammingN-D, johnsonN-W-D, kellerN")
            ->type_name("NAME")
            ->capture_default_str();
    command.add_option("--file", file_, "a graph in the DIMACS format instead")
        ->type_name("FILE")
        ->excludes(graph);
    command.add_option("--n", n_, "random: vertices")
        ->type_name("N")
        ->check(whole_number(1, clique::k_most_vertices))
        ->capture_default_str();
    command.add_option("--p", p_, "random: the part of all pairs that is joined")
        ->type_name("P")
        ->capture_default_str();
    command.add_option("--graph-seed", graph_seed_, "random: which of them")
        ->type_name("N")
        ->check(whole_number())
        ->capture_default_str();
    command.add_option("--start", start_, "only larger cliques count")
        ->type_name("SIZE")
        ->check(whole_number(0, clique::k_most_vertices))
        ->capture_default_str();
    command
        .add_option("--bound", bound_,
                    "what tasks compare with: the best clique of all workers, or --start alone")
        ->type_name("shared|fixed")
        ->check(CLI::IsMember({"shared", "fixed"}))
        ->capture_default_str();
    command.add_option("--expect", expect_, "the answer, instead of a sequential search")
        ->type_name("SIZE")
        ->check(whole_number(1, clique::k_most_vertices));
    command.add_flag("--sequential", sequential_,
                     "search by one thread first, also where the answer is known");
    command
        .add_option("--width", width_, "lanes of a GPU's worker that run one task: one, or a warp")
        ->type_name("lane|warp")
        ->check(CLI::IsMember({"lane", "warp"}))
        ->default_str("warp on GPUs");
  }
  std::vector<named_file> reads() const override { return {{"--file", file_}}; }
  /// A lane spawns a task for nearly each of its candidates, of which there are hundreds.
  std::uint64_t gpu_spill() const override { return width_ == "lane" ? 1u << 17 : 0; }

  void prepare(const options& o) override {
    if (!(p_ >= 0 && p_ <= 1)) throw bad_configuration("--p must be from 0 to 1");
    std::optional<std::uint32_t> known;
    if (!file_.empty()) {
      given_ = clique::read_dimacs(file_);
    } else if (graph_ == "random") {
      given_ = clique::random_graph(static_cast<std::uint32_t>(n_), p_, graph_seed_);
    } else {
      clique::named_graph named = clique::make_named(graph_);
      given_ = std::move(named.of);
      known = named.largest;
    }
    given_ = given_.ordered();
    if (width_.empty()) width_ = uses_gpus(o) ? "warp" : "lane";
    if (expect_) known = static_cast<std::uint32_t>(*expect_);
    runs_ = with_port(o, [&]<class Port>() {
      return clique::make_runs<Port>(o, {.vertices = given_.vertices(), .width = width_of(width_)});
    });
    // Each device's tasks read them all the time.
    rows_ = placed_array<clique::word>(runs_->data_places(), given_.rows().size(),
                                       placement::replicated);
    rows_.upload(given_.rows());
    best_.emplace(runs_->data_places());
    began_.emplace(runs_->data_places());
    if (!known || sequential_) {
      searched_ = clique::search(given_);
      known_ = searched_->size;
    }
    if (known) known_ = *known;
  }

  json parameters() const override {
    json j;
    if (!file_.empty()) {
      j["file"] = file_;
    } else {
      j["graph"] = graph_;
      if (graph_ == "random") j.update({{"n", n_}, {"p", p_}, {"graph_seed", graph_seed_}});
    }
    j.update({{"start", start_}, {"bound", bound_}, {"width", width_}});
    return j;
  }

  outcome run() override {
    const auto start = static_cast<std::uint32_t>(start_);
    best_->reset(start);
    began_->reset();
    const auto r = runs_->run_each(contexts_of(runs_->devices(), [&](std::uint32_t d) {
      return clique::context{.best = best_->on(d),
                             .began = began_->on(d),
                             .rows = rows_.on(d).at(0, 0),
                             .words = given_.words(),
                             .start = start,
                             .shared = bound_ == "shared"};
    }));
    const std::uint32_t found = best_->value();
    outcome o;
    o.report = r;
    o.tasks = r.get<clique::nodes>();
    o.result = found;
    o.details = {{"vertices", given_.vertices()}, {"edges", given_.edges()}};
    const auto witness = best_->witness();
    if (witness)
      if (const auto s = seconds_to_best(r, began_->value(), witness->ns))
        o.details["seconds_to_optimum"] = *s;
    if (searched_)
      o.details.update({{"sequential_nodes", searched_->nodes},
                        {"sequential_seconds", searched_->seconds},
                        {"sequential_seconds_to_optimum", searched_->seconds_to_optimum}});
    o.fault = fault_of(found, std::max(known_, start), witness);
    if (o.fault.empty() && searched_ && searched_->size != known_)
      o.fault = "the sequential search found " + std::to_string(searched_->size) +
                " vertices instead of " + std::to_string(known_);
    o.verified = o.fault.empty();
    return o;
  }

 private:
  /// What is wrong with what was found; empty if nothing is.
  std::string fault_of(std::uint32_t found, std::uint32_t expected,
                       const std::optional<clique::found>& witness) const {
    if (found != expected)
      return std::to_string(found) + " vertices instead of " + std::to_string(expected);
    if (!witness) return found == start_ ? "" : "a size without a clique";
    std::uint32_t size = 0;
    for (std::uint32_t a = 0; a != given_.vertices(); ++a) {
      if (!witness->all.has(a)) continue;
      ++size;
      for (std::uint32_t b = a + 1; b != given_.vertices(); ++b)
        if (witness->all.has(b) && !given_.joined(a, b))
          return "two of its vertices are not joined";
    }
    return size == found ? "" : "a clique of " + std::to_string(size) + " vertices";
  }

  std::string graph_ = "random";
  std::string file_;
  std::uint64_t n_ = 150;
  double p_ = 0.6;
  std::uint64_t graph_seed_ = 1;
  std::uint64_t start_ = 0;
  std::string bound_ = "shared";
  std::optional<std::uint64_t> expect_;
  bool sequential_ = false;
  std::string width_;

  clique::graph given_;
  std::uint32_t known_ = 0;  ///< vertices of the largest clique
  std::optional<clique::search_result> searched_;
  placed_array<clique::word> rows_;  ///< of the graph, where the tasks reach them
  std::optional<clique::largest> best_;
  std::optional<first_begin> began_;
  std::unique_ptr<runs<clique::context, clique::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_clique() {
  return std::make_unique<clique_workload>();
}

}  // namespace mgws::bench
