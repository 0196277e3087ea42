/// \file
/// mgws::graph: tasks that stand ready before a run, and which of them comes before which.
///
///     struct step {
///       std::uint32_t number;
///       MGWS_FN void operator()(auto& worker) const { ... }
///     };
///     using steps = mgws::graph<step>;
///     ...
///     steps::builder plan;
///     const mgws::node_id first = plan.add(step{0}), last = plan.add(step{1});
///     plan.precede(first, last);
///     mgws::runtime<steps::tasks> rt;
///     steps all(rt.data_places(), plan);   // checked, and copied to where the tasks reach it
///     all.seed(rt);
///     rt.run();                            // each node once, after all that precede it
///
/// What a node sees of others, and why: docs/graphs.md.
#pragma once

// clang-format off
#include <mgws/language.hpp>  // before all others
// clang-format on

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <mgws/atomic_ref.hpp>
#include <mgws/core/order.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/errors.hpp>
#include <mgws/memory.hpp>
#include <mgws/placement.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// Number of a node of a graph, in the order in which they were added.
using node_id = std::uint32_t;

namespace detail {

/// What a run knows of a node: its successors are [first, end) of the graph's list of them all.
struct alignas(16) graph_node {
  std::uint32_t first;
  std::uint32_t end;
  std::uint32_t predecessors;
  std::uint32_t type;
};

/// Nodes that precede each other in a cycle, each before the next.
/// \param left  of each node, the predecessors that cannot run either; of some there are any
[[nodiscard]] inline std::string cycle_in(const std::vector<std::uint32_t>& left,
                                          const std::vector<std::pair<node_id, node_id>>& edges) {
  std::vector<node_id> before(left.size());
  for (const auto& [from, to] : edges)
    if (left[from] != 0 && left[to] != 0) before[to] = from;
  node_id at = 0;
  while (left[at] == 0)
    ++at;
  for (std::size_t i = 0; i != left.size(); ++i)
    at = before[at];  // from here on it is in the cycle
  std::vector<node_id> cycle{at};
  for (node_id n = before[at]; n != at; n = before[n])
    cycle.push_back(n);
  constexpr std::size_t most = 8;
  std::string text = std::to_string(at);
  for (std::size_t i = cycle.size(); i-- != 0 && cycle.size() - i <= most;)
    text += ", " + std::to_string(cycle[i]);
  return cycle.size() > most ? text + " and others" : text;
}

}  // namespace detail

/// A graph of tasks without cycles, for the tasks of a runtime. It is the same before each run:
/// what a run counts stands at its start again when the run has ended. Movable; must not outlive a
/// run that uses it, but may outlive the runtime. The host calls nothing of it while a run uses it.
///
/// \tparam Ts  the types of its nodes: plain tasks as a task_set takes them, of any width. A node
///             may do what every task may; it has ended when its call operator has returned, on all
///             lanes, and what it has spawned is not part of it.
template <class... Ts>
class graph {
  using nodes = task_set<Ts...>;

  /// A node's task as bytes.
  struct alignas(std::max({alignof(Ts)...})) cell {
    std::byte task[nodes::largest_task];
  };
  /// As one device reaches it.
  struct view {
    const detail::graph_node* nodes;
    const cell* cells;
    const node_id* successors;
    const node_id* sources;
    /// Of each node, the predecessors that have not ended. They lie in one coherence domain, whose
    /// devices alone reach them.
    std::uint32_t* counts;
    std::uint32_t source_count;
    std::uint32_t home;  ///< which domain that is
    bool at_home;        ///< whether this device is of it
    bool one_device;     ///< in that domain
  };
  struct table {
    view of[k_most_parts];
  };

 public:
  /// That a node which precedes this one has ended, in a coherence domain that does not have the
  /// counts: goes to where they are. No work, and in no report's number of tasks.
  struct end_of_predecessor {
    static constexpr bool goes_home = true;

    MGWS_FN void operator()(auto& worker) const {
      if (!worker.arrives(*this)) return worker.spawn(*this);
      count_down(worker, all, node);
    }
    [[nodiscard]] MGWS_FN std::uint32_t home() const { return domain; }

    const table* all;
    node_id node;
    std::uint32_t domain;
  };

  /// The task that runs a node of type T, for a task_set.
  template <class T>
  struct task {
    static constexpr shape width = nodes::template width<T>;
    using way_home = end_of_predecessor;

    MGWS_FN void operator()(auto& worker) const {
      using worker_type = std::remove_reference_t<decltype(worker)>;
      static_assert(plain_task<T, worker_type> && !resumable_task<T, worker_type>,
                    "mgws: a graph's node needs operator()(worker) const, and cannot be resumable");
      const view& v = all->of[worker.device()];
      const T mine = *reinterpret_cast<const T*>(v.cells[node].task);
      mine(worker);
      worker.sync();  // what all lanes did is before what each does now
      const detail::graph_node ended = v.nodes[node];
      for (std::uint32_t i = ended.first + worker.lane(); i < ended.end; i += worker.lanes()) {
        const node_id next = v.successors[i];
        if constexpr (worker_type::template has_type<end_of_predecessor>) {
          if (!v.at_home && v.nodes[next].predecessors != 1) {
            worker.spawn(end_of_predecessor{all, next, v.home});
            continue;
          }
        }
        count_down(worker, all, next);
      }
    }

    const table* all;
    node_id node;
  };

  /// The nodes' tasks, for a run that has no others.
  using tasks = task_set<task<Ts>...>;
  /// The same with other tasks beside them.
  template <class... Others>
  using tasks_with = task_set<task<Ts>..., Others...>;

  /// What is to become a graph. On the host; the only limit is its memory.
  class builder {
   public:
    /// A node that runs t. \throws bad_configuration for more than 2^32 - 1 of them
    template <class T>
    node_id add(const T& t) {
      static_assert(nodes::template contains<T>, "mgws: add() of a type that the graph has not");
      check_room("nodes", nodes_.size());
      cell c{};
      std::memcpy(c.task, &t, sizeof(T));
      cells_.push_back(c);
      nodes_.push_back({0, 0, 0, nodes::template index<T>});
      return static_cast<node_id>(nodes_.size() - 1);
    }
    /// `after` begins when `before` has ended, and all others that precede it. To say it twice
    /// changes nothing. \throws bad_configuration if there is no such node, if the two are one, or
    /// for the 2^32nd call
    void precede(node_id before, node_id after) {
      for (const node_id n : {before, after})
        if (n >= nodes_.size())
          throw bad_configuration("there is no node " + std::to_string(n) +
                                  " in this graph: it has " + std::to_string(nodes_.size()) +
                                  ", counted from 0");
      if (before == after)
        throw bad_configuration("node " + std::to_string(before) + " cannot precede itself");
      check_room("pairs of nodes", edges_.size());
      edges_.emplace_back(before, after);
    }
    /// Nodes.
    [[nodiscard]] std::size_t size() const { return nodes_.size(); }

   private:
    friend graph;

    static void check_room(const char* what, std::size_t n) {
      if (n >= std::numeric_limits<std::uint32_t>::max())
        throw bad_configuration("a graph has at most " +
                                std::to_string(std::numeric_limits<std::uint32_t>::max()) + " " +
                                what);
    }

    std::vector<detail::graph_node> nodes_;  ///< of which only the types stand
    std::vector<cell> cells_;
    std::vector<std::pair<node_id, node_id>> edges_;
  };

  /// What tasks hold of a graph to start it in a run. Trivially copyable: goes into a task or a
  /// context, and is the same on every device.
  class handle {
   public:
    /// Starts the graph: spawns the nodes that nothing precedes. Called by all lanes of a task.
    /// \pre all nodes of an earlier start have ended: in a run before, or below a finish after
    ///      which this task comes
    MGWS_FN void start(auto& worker) const {
      const view& v = all_->of[worker.device()];
      for (std::uint32_t i = worker.lane(); i < v.source_count; i += worker.lanes())
        spawn_node(worker, all_, v.sources[i], v.nodes[v.sources[i]].type);
    }

   private:
    friend graph;
    const table* all_ = nullptr;
  };

  /// \param places  where a runtime's tasks reach it: `rt.data_places()`
  /// \throws bad_configuration for a builder without nodes, nodes that precede each other in a
  ///         cycle, more devices than k_most_parts; not_possible for devices of one coherence
  ///         domain that do not reach each other's memory, or where processes share the run;
  ///         std::bad_alloc, device_error
  graph(const data_places& places, const builder& plan) {
    check(places, plan);
    std::vector<detail::graph_node> all = plan.nodes_;
    const auto n = all.size();
    std::vector<node_id> successors = successors_of(plan, all);
    check_order(plan, all, successors);
    std::vector<node_id> sources;
    for (std::size_t i = 0; i != n; ++i) {
      counts_at_start_.push_back(all[i].predecessors);
      if (all[i].predecessors != 0) continue;
      sources.push_back(static_cast<node_id>(i));
      source_types_.push_back(all[i].type);
    }

    nodes_ = {places, n, placement::replicated};
    cells_ = {places, n, placement::replicated};
    successors_ = {places, successors.size(), placement::replicated};
    sources_ = {places, sources.size(), placement::replicated};
    const auto domain_of = [&](std::size_t d) {
      return places.domains.empty() ? 0 : places.domains[d];
    };
    const std::size_t home = home_of(places);
    std::size_t devices_at_home = 0;
    for (std::size_t d = 0; d != places.devices.size(); ++d)
      devices_at_home += domain_of(d) == domain_of(home) ? 1 : 0;
    counts_ = {places.devices[home], n};
    table_ = {places.common(), 1};
    nodes_.upload(all);
    cells_.upload(plan.cells_);
    successors_.upload(successors);
    sources_.upload(sources);
    reset();
    table views{};
    for (std::uint32_t d = 0; d != places.devices.size(); ++d)
      views.of[d] = {.nodes = nodes_.on(d).at(0, 0),
                     .cells = cells_.on(d).at(0, 0),
                     .successors = successors_.on(d).at(0, 0),
                     .sources = sources_.on(d).at(0, 0),
                     .counts = counts_.data(),
                     .source_count = static_cast<std::uint32_t>(sources.size()),
                     .home = domain_of(home),
                     .at_home = domain_of(d) == domain_of(home),
                     .one_device = devices_at_home == 1};
    table_.upload({&views, 1});
    source_ids_ = std::move(sources);
  }

  /// Nodes.
  [[nodiscard]] std::size_t size() const { return counts_at_start_.size(); }

  /// Adds the nodes that nothing precedes to the initial set of a runtime's next run, in the order
  /// in which they were added, and forgets what a run that failed has left: once for each run, or
  /// once if the runtime keeps its seeds. \throws device_error
  template <class Runtime>
  void seed(Runtime& rt) {
    reset();
    rt.reserve(source_ids_.size());
    for (std::size_t i = 0; i != source_ids_.size(); ++i)
      nodes::with_type(source_types_[i], [&]<class T>() {
        rt.seed(task<T>{table_.data(), source_ids_[i]});
      });
  }
  /// For tasks that start the graph themselves.
  [[nodiscard]] handle in_tasks() const {
    handle h;
    h.all_ = table_.data();
    return h;
  }

  /// Where seeds are kept, or tasks start the graph: needed before the next run after one that
  /// failed or was cancelled. Forgets which nodes have ended. \throws device_error
  void reset() { counts_.upload(counts_at_start_); }

 private:
  /// A predecessor of a node has ended. Where the counts are.
  template <class Worker>
  MGWS_FN static void count_down(Worker& worker, const table* all, node_id node) {
    const view& v = all->of[worker.device()];
    const detail::graph_node of = v.nodes[node];
    if (of.predecessors != 1 && !(v.one_device ? is_last<scope::device_t>(v.counts[node], of)
                                               : is_last<scope::system_t>(v.counts[node], of)))
      return;
    spawn_node(worker, all, node, of.type);
  }
  template <class Scope>
  [[nodiscard]] MGWS_FN static bool is_last(std::uint32_t& count, const detail::graph_node& of) {
    const atomic_ref<std::uint32_t, Scope> left(count);
    if (left.fetch_sub(1, order::acq_rel) != 1) return false;
    left.store(of.predecessors);  // nobody else comes before the next start
    return true;
  }
  template <class Worker>
  MGWS_FN static void spawn_node(Worker& worker, const table* all, node_id node,
                                 std::uint32_t type) {
    nodes::with_type(type, [&]<class T>() { worker.spawn(task<T>{all, node}); });
  }

  static void check(const data_places& places, const builder& plan) {
    if (plan.size() == 0) throw bad_configuration("a graph needs a node: this one has none");
    if (places.devices.empty())
      throw bad_configuration(
          "a graph needs a memory to lie in: ask the runtime for its data_places()");
    if (places.shared_run)
      throw not_possible(
          "a graph lies in the memory of one process, and its nodes cannot run in others: use a "
          "runtime whose options name no group of processes");
    if (!places.reached && places.domains.empty())
      throw not_possible(
          "a graph's nodes are counted in memory that all devices of the run reach, and these do "
          "not reach each other's: use one of them, or devices with peer access");
  }

  /// The device whose memory has the counts: of several domains' a GPU's, which runs most nodes,
  /// and who counts elsewhere waits for a message.
  static std::size_t home_of(const data_places& places) {
    for (std::size_t d = 0; !places.domains.empty() && d != places.devices.size(); ++d)
      if (places.devices[d] != places.host) return d;
    return 0;
  }

  /// All successors, those of a node side by side in the order of the calls; completes the nodes.
  static std::vector<node_id> successors_of(const builder& plan,
                                            std::vector<detail::graph_node>& all) {
    for (const auto& [before, after] : plan.edges_) {
      ++all[before].end;
      ++all[after].predecessors;
    }
    std::uint32_t next = 0;
    for (detail::graph_node& n : all) {
      n.first = next;
      next += std::exchange(n.end, next);
    }
    std::vector<node_id> successors(plan.edges_.size());
    for (const auto& [before, after] : plan.edges_)
      successors[all[before].end++] = after;
    return successors;
  }

  /// Takes the nodes in an order in which they may run (Kahn, 1962): those that remain wait for
  /// each other.
  static void check_order(const builder& plan, const std::vector<detail::graph_node>& all,
                          const std::vector<node_id>& successors) {
    std::vector<std::uint32_t> left;
    std::vector<node_id> ready;
    for (const detail::graph_node& n : all) {
      if (n.predecessors == 0) ready.push_back(static_cast<node_id>(left.size()));
      left.push_back(n.predecessors);
    }
    for (std::size_t i = 0; i != ready.size(); ++i)
      for (std::uint32_t s = all[ready[i]].first; s != all[ready[i]].end; ++s)
        if (--left[successors[s]] == 0) ready.push_back(successors[s]);
    if (ready.size() == all.size()) return;
    throw bad_configuration("nodes of a graph precede each other in a cycle: " +
                            detail::cycle_in(left, plan.edges_));
  }

  placed_array<detail::graph_node> nodes_;
  placed_array<cell> cells_;
  placed_array<node_id> successors_;
  placed_array<node_id> sources_;
  array<std::uint32_t> counts_;
  array<table> table_;
  std::vector<std::uint32_t> counts_at_start_;
  std::vector<node_id> source_ids_;  ///< nothing precedes them
  std::vector<std::uint32_t> source_types_;
};

}  // namespace mgws
