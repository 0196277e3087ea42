#include "runs/dijkstra.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <mgws/memory.hpp>

#include "dijkstra/graph.hpp"
#include "harness/command_line.hpp"
#include "harness/ports.hpp"
#include "harness/width.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

namespace {

class dijkstra_workload final : public workload {
 public:
  std::string name() const override { return "dijkstra"; }
  std::string description() const override {
    return "distances in a graph from one node to all others, bucket by bucket";
  }
  std::string unit() const override { return "edges"; }

  void add_options(CLI::App& command) override {
    const auto number = [&](const char* option, std::uint64_t& value, const char* what,
                            const char* type, std::uint64_t most) {
      return command.add_option(option, value, what)->type_name(type)->check(whole_number(1, most));
    };
    command.add_option("--graph", kind_, "from any node to any, or few hubs and many leaves")
        ->type_name("random|rmat")
        ->check(CLI::IsMember({"random", "rmat"}))
        ->capture_default_str();
    // Those in a list are instances of a task that has a few types beside it.
    number("--nodes", nodes_, "nodes", "N", (1u << 28) - 1)->capture_default_str();
    number("--degree", degree_, "edges a node, in the mean", "D", 1u << 20)->capture_default_str();
    number("--weights", weights_, "edges are of length 1 to this", "W", dijkstra::k_most_distance)
        ->capture_default_str();
    command.add_option("--graph-seed", graph_seed_, "which graph")
        ->type_name("S")
        ->check(whole_number())
        ->capture_default_str();
    number("--delta", delta_,
           "distances of a bucket [weights by degree; with --order priority: weights by 4]", "N",
           dijkstra::k_most_distance);
    command
        .add_option(
            "--order", order_,
            "nodes are visited bucket by bucket in phases, or by tasks without: by priority, "
            "the oldest first, or the newest first")
        ->type_name("buckets|priority|oldest|newest")
        ->check(CLI::IsMember({"buckets", "priority", "oldest", "newest"}))
        ->capture_default_str();
    command
        .add_option("--width", width_,
                    "lanes of a GPU's worker that share a node's edges: one, or a warp")
        ->type_name("lane|warp")
        ->check(CLI::IsMember({"lane", "warp"}))
        ->capture_default_str();
  }

  void prepare(const options& o) override {
    if (uses_bridge(o) && uses_gpus(o))
      throw not_possible(
          "the tasks of dijkstra update distances by atomic operations, which a CPU and a GPU have "
          "not in common: run it on devices of one coherence domain");
    if (nodes_ > dijkstra::k_most_distance / weights_)
      throw bad_configuration("--nodes times --weights must be at most 2^31: a distance's 32 bits");
    // So that of each node about one edge is short: Meyer and Sanders'.
    // Without phases an edge leads a few levels further at most.
    if (delta_ == 0) delta_ = std::max<std::uint64_t>(weights_ / (by_phases() ? degree_ : 4), 1);
    const auto nodes = static_cast<std::uint32_t>(nodes_);
    const dijkstra::graph graph =
        dijkstra::make_graph(kind_, nodes, static_cast<std::uint32_t>(degree_),
                             static_cast<std::uint32_t>(weights_), graph_seed_);
    known_ = dijkstra::distances(graph);
    for (std::uint32_t v = 0; v != nodes; ++v)
      if (known_[v] != dijkstra::k_unreached) edges_reached_ += graph.begin[v + 1] - graph.begin[v];
    found_.resize(nodes);

    runs_ = with_port(o, [&]<class Port>() {
      return dijkstra::make_runs<Port>(o, {.width = width_of(width_), .phases = by_phases()});
    });
    // From the end of one bucket an edge leads so many buckets further.
    const std::uint64_t buckets = (weights_ - 1) / delta_ + 2;
    const auto memory = runs_->data_places().common();
    begin_ = array<std::uint64_t>(memory, graph.begin.size());
    begin_.upload(graph.begin);
    edges_ = array<dijkstra::edge>(memory, graph.edges.size());
    edges_.upload(graph.edges);
    distances_ = array<std::uint32_t>(memory, nodes);
    awaited_ = array<std::uint32_t>(memory, nodes);
    lists_ = array<dijkstra::node>(memory, by_phases() ? buckets * nodes : 1);
    counts_ = array<dijkstra::counter>(memory, buckets);
    context_ = {.begin = begin_.data(),
                .edges = edges_.data(),
                .distances = distances_.data(),
                .awaited = awaited_.data(),
                .lists = lists_.data(),
                .counts = counts_.data(),
                .nodes = nodes,
                .delta = static_cast<std::uint32_t>(delta_),
                .buckets = static_cast<std::uint32_t>(buckets),
                .tasks = tasks_of(order_)};
  }

  json parameters() const override {
    return {{"graph", kind_},
            {"nodes", nodes_},
            {"degree", degree_},
            {"weights", weights_},
            {"graph_seed", graph_seed_},
            {"delta", delta_},
            {"order", order_},
            {"width", width_}};
  }

  outcome run() override {
    distances_.fill(0xff);
    awaited_.fill(by_phases() ? 0 : 0xff);
    counts_.fill(0);
    const auto r = runs_->run(context_);
    distances_.download(found_);
    outcome o;
    o.report = r;
    o.tasks = edges_reached_;
    std::uint64_t sum = 0;
    std::uint64_t reached = 0;
    for (const std::uint32_t distance : found_) {
      if (distance == dijkstra::k_unreached) continue;
      sum += distance;
      ++reached;
    }
    o.result = sum;
    const std::uint64_t relaxed = r.get<dijkstra::relaxed>();
    o.details = {
        {"reached", reached}, {"buckets", r.get<dijkstra::phases>()}, {"relaxed", relaxed}};
    const auto wrong = std::ranges::mismatch(found_, known_);
    if (wrong.in1 != found_.end()) {
      o.fault = "node " + std::to_string(wrong.in1 - found_.begin()) + " is at a distance of " +
                std::to_string(*wrong.in2) + ", not of " + std::to_string(*wrong.in1);
    } else if (relaxed < edges_reached_) {
      o.fault = std::to_string(relaxed) + " edges were relaxed of " +
                std::to_string(edges_reached_) + " that were reached";
    } else {
      o.verified = true;
    }
    return o;
  }

 private:
  [[nodiscard]] bool by_phases() const { return order_ == "buckets"; }
  [[nodiscard]] static dijkstra::which tasks_of(const std::string& order) {
    if (order == "priority") return dijkstra::which::priority;
    if (order == "oldest") return dijkstra::which::oldest;
    return order == "newest" ? dijkstra::which::newest : dijkstra::which::buckets;
  }

  std::string kind_ = "random";
  std::uint64_t nodes_ = 1u << 18;
  std::uint64_t degree_ = 8;
  std::uint64_t weights_ = 255;
  std::uint64_t graph_seed_ = 1;
  std::uint64_t delta_ = 0;
  std::string order_ = "buckets";
  std::string width_ = "lane";

  std::vector<std::uint32_t> known_;  ///< distances, as the next
  std::vector<std::uint32_t> found_;  ///< after a run
  std::uint64_t edges_reached_ = 0;   ///< that lead away from nodes that are

  array<std::uint64_t> begin_;  ///< where the tasks reach it, as the next
  array<dijkstra::edge> edges_;
  array<std::uint32_t> distances_;
  array<std::uint32_t> awaited_;
  array<dijkstra::node> lists_;
  array<dijkstra::counter> counts_;
  dijkstra::context context_{};
  std::unique_ptr<runs<dijkstra::context, dijkstra::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_dijkstra() {
  return std::make_unique<dijkstra_workload>();
}

}  // namespace mgws::bench
