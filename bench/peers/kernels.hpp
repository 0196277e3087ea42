/// \file
/// The work of one task of each workload, the same for every runtime: how a child gets spawned is
/// an argument.
#pragma once

#include <cstdint>

#include "peer.hpp"
#include "uts/sha1_x86.hpp"
#include "uts/tree.hpp"
#include "workloads/nqueens_board.hpp"

namespace mgws::bench::peers {

/// memset: element i receives i. That is more than a pattern to copy: each task needs its number.
inline void write_element(std::uint64_t* elements, std::uint64_t i) {
  elements[i] = i;
}

inline void count_node(bool leaf, std::uint32_t depth) {
  tally& counts = *mine;
  ++counts.tasks;
  if (leaf) {
    ++counts.found;
    if (depth > counts.depth) counts.depth = depth;
  }
}

/// uts in form `each`: a task is one node. It counts itself and spawns its children; spawn(child,
/// last) is told which of them is the last.
template <class Hasher, class Spawn>
void visit_node(const uts::tree& tree, const uts::node& node, Spawn&& spawn) {
  const std::uint32_t children = tree.children(node);
  count_node(children == 0, node.depth);
  for (std::uint32_t i = 0; i != children; ++i) {
    spawn(uts::node{tree.child<Hasher>(node.value, i), node.depth + 1}, i + 1 == children);
  }
}

/// A node that has children, and all of them: what mgws keeps as one slot.
struct family {
  uts::state parent;
  std::uint32_t depth;  ///< of the children
  std::uint32_t count;
};

/// uts in form `range`: a task is one family. Childless children are only counted, each other one
/// spawns the task that is its family.
template <class Hasher, class Spawn>
void visit_family(const uts::tree& tree, const family& of, Spawn&& spawn) {
  for (std::uint32_t i = 0; i != of.count; ++i) {
    const uts::state child = tree.child<Hasher>(of.parent, i);
    const std::uint32_t children = tree.children(child, of.depth);
    count_node(children == 0, of.depth);
    if (children != 0) spawn(family{child, of.depth + 1, children});
  }
}

/// Counts the root, and starts with its family if it has one.
template <class Start>
void start_with_family(const uts::tree& tree, Start&& start) {
  const uts::node root = tree.root();
  const std::uint32_t children = tree.children(root);
  count_node(children == 0, 0);
  if (children != 0) start(family{root.value, 1, children});
}

/// Calls f.template operator()<Hasher>().
template <class F>
decltype(auto) with_hasher(bool sha_instructions, F&& f) {
  if (sha_instructions) return f.template operator()<uts::x86_sha1>();
  return f.template operator()<uts::portable_sha1>();
}

/// nqueens: a task is one placement. Above the cut-off it spawns one for each square of its next
/// row that is to be tried, from the cut-off on it counts its completions.
template <class Spawn>
void visit_placement(const nqueens_problem& problem, const nqueens::placement& placed,
                     Spawn&& spawn) {
  ++mine->tasks;
  const nqueens::board& board = problem.board;
  const std::uint32_t rows = board.rows(placed);
  if (rows == board.n()) {
    ++mine->found;
    return;
  }
  if (rows >= problem.cutoff) {
    mine->found += nqueens::count_completions(board, placed);
    return;
  }
  std::uint32_t open = placed.open;
  while (open != 0) {
    const std::uint32_t square = open & (~open + 1);
    open ^= square;
    spawn(board.place(placed, square), open == 0);
  }
}

/// spawn-tree: a task counts itself and spawns `fanout` children, down to the last depth.
template <class Spawn>
void visit_empty(const spawn_tree_problem& problem, std::uint32_t depth, Spawn&& spawn) {
  ++mine->tasks;
  if (depth == problem.depth) return;
  for (std::uint32_t i = 0; i != problem.fanout; ++i) {
    spawn(depth + 1, i + 1 == problem.fanout);
  }
}

/// loop: the instances [first, end), one after the other.
inline void run_instances(const loop_problem& problem, std::uint64_t first, std::uint64_t end) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = first; i != end; ++i)
    sum += run_chain(problem.work, i);
  mine->tasks += end - first;
  mine->found += sum;
}

/// crypt: the blocks [first, end) of a pass.
inline void cipher_blocks(const crypt_pass& pass, std::uint64_t first, std::uint64_t end) {
  for (std::uint64_t i = first; i != end; ++i)
    pass.to[i] = idea::cipher(pass.from[i], pass.keys);
}

/// md: the atoms [first, end).
inline void pull_atoms(const md_problem& problem, std::uint64_t first, std::uint64_t end) {
  std::uint64_t neighbours = 0;
  for (std::uint64_t i = first; i != end; ++i) {
    std::uint32_t pairs = 0;
    problem.pulls[i] = problem.all.on(problem.targets[i], pairs);
    neighbours += pairs;
  }
  mine->tasks += end - first;
  mine->found += neighbours;
}

}  // namespace mgws::bench::peers
