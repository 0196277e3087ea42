/// \file
/// `uts`: Unbalanced Tree Search. A task is a node's children: instance i hashes child i and spawns
/// that child's children as one bulk slot, so that every instance does exactly one hash.
#pragma once

#include <cstdint>
#include <cstring>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

#include "uts/tree.hpp"

namespace mgws::bench::uts {

struct nodes : sum<std::uint64_t> {};
struct leaves : sum<std::uint64_t> {};
struct deepest : maximum<std::uint64_t> {};

/// A node as a task holds it. Of each word that is copied at once, no part is written alone: what a
/// task spawns is read back at once, and a processor then waits for stores that it cannot forward.
/// For the same reason a hasher reads it where it lies, without a copy between.
class packed_node {
 public:
  MGWS_FN explicit packed_node(const node& n)
      : rest_(std::uint64_t{n.depth} << 32 | n.value.word[4]) {
    std::memcpy(head_, n.value.word, sizeof head_);
  }
  [[nodiscard]] MGWS_FN const std::uint32_t* first_words() const { return head_; }
  [[nodiscard]] MGWS_FN std::uint32_t last_word() const {
    return static_cast<std::uint32_t>(rest_);
  }
  [[nodiscard]] MGWS_FN std::uint32_t depth() const {
    return static_cast<std::uint32_t>(rest_ >> 32);
  }

 private:
  std::uint32_t head_[4];
  std::uint64_t rest_;
};

/// \tparam Hasher  portable_sha1, or x86_sha1 where the processor has the instructions
template <class Hasher>
struct children_of {
  packed_node parent;

  MGWS_FN explicit children_of(const node& n) : parent(n) {}

  MGWS_FN void operator()(auto& worker, task_index i) const {
    const std::uint32_t depth = parent.depth() + 1;
    const std::uint32_t n = visit(worker, i, depth);
    worker.accumulate(nodes{}, 1);
    if (n != 0) return;
    worker.accumulate(leaves{}, 1);
    worker.accumulate(deepest{}, depth);  // the deepest node is a leaf
  }
  /// In line, as what it calls is: the worker's loop over short families is a call shorter.
  [[gnu::always_inline]] MGWS_FN void operator()(auto& worker, task_index first,
                                                 task_index end) const {
    const std::uint32_t depth = parent.depth() + 1;
    std::uint32_t childless = 0;
    for (task_index i = first; i != end; ++i)
      childless += visit(worker, i, depth) == 0 ? 1 : 0;
    worker.accumulate(nodes{}, end - first);
    worker.accumulate(leaves{}, childless);
    if (childless != 0) worker.accumulate(deepest{}, depth);
  }

 private:
  /// \return the number of the child's children
  [[gnu::always_inline]] MGWS_FN std::uint32_t visit(auto& worker, task_index i,
                                                     std::uint32_t depth) const {
    const tree& t = worker.context();
    const state child = t.template child<Hasher>(parent, i);
    const std::uint32_t n = t.children(child, depth);
    if (n != 0) worker.spawn_n(children_of{node{child, depth}}, n);
    return n;
  }
};

/// The whole tree below a finish: what that costs.
struct after_tree {
  static constexpr bool after_finish = true;
  MGWS_FN void operator()(auto& /*worker*/) const {}
};
template <class Hasher>
struct finished_tree {
  node root;
  std::uint32_t children;
  MGWS_FN void operator()(auto& worker) const {
    worker.finish_n(after_tree{}, children_of<Hasher>{root}, children);
  }
};

/// A node by itself, its lanes side by side at its children: what lane tasks are compared with.
template <class Hasher, shape Width>
struct wide_node {
  static constexpr shape width = Width;
  node self;

  MGWS_FN void operator()(auto& worker) const {
    const tree& t = worker.context();
    const std::uint32_t n = t.children(self);
    for (std::uint32_t i = worker.lane(); i < n; i += worker.lanes()) {
      const node child{t.template child<Hasher>(self.value, i), self.depth + 1};
      worker.accumulate(nodes{}, 1);
      worker.accumulate(deepest{}, child.depth);
      if (t.children(child) == 0) {
        worker.accumulate(leaves{}, 1);
      } else {
        worker.spawn(wide_node{child});
      }
    }
  }
};

}  // namespace mgws::bench::uts
