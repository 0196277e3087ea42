/// \file
/// The plain sequential traversal: what every parallel one is compared with. Depth first with an
/// explicit stack, so that no tree is too deep for it. An entry is a node with its children still
/// to visit, and an entry leaves the stack when its last child is taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tree.hpp"

namespace mgws::bench::uts {

/// What a traversal found. The root has depth 0.
struct traversal {
  std::uint64_t nodes = 0;
  std::uint32_t depth = 0;
  std::uint64_t leaves = 0;

  friend bool operator==(const traversal&, const traversal&) = default;
};

/// Visits every node of the tree.
template <class Hasher>
[[nodiscard]] traversal traverse(const tree& given) {
  struct entry {
    state parent;
    std::uint32_t depth;  // of the children
    std::uint32_t next;
    std::uint32_t count;
  };
  static_assert(sizeof(entry) == 32);

  const tree described = given;  // a local copy may live in registers across calls
  traversal found{.nodes = 1, .depth = 0, .leaves = 0};
  const node root = described.root();
  const std::uint32_t root_children = described.children(root);
  if (root_children == 0) {
    found.leaves = 1;
    return found;
  }

  std::vector<entry> stack(1024);
  stack[0] = {root.value, 1, 0, root_children};
  std::size_t size = 1;
  while (size != 0) {
    entry& top = stack[size - 1];
    const std::uint32_t depth = top.depth;
    const state child = described.child<Hasher>(top.parent, top.next);
    if (++top.next == top.count) --size;
    ++found.nodes;
    const std::uint32_t children = described.children(child, depth);
    if (children == 0) {
      ++found.leaves;
      if (depth > found.depth) found.depth = depth;  // the deepest node is a leaf
      continue;
    }
    if (size == stack.size()) stack.resize(2 * size);
    stack[size++] = {child, depth + 1, 0, children};
  }
  return found;
}

}  // namespace mgws::bench::uts
