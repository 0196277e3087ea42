/// \file
/// What a runtime under comparison implements: one function a workload. Everything else that the
/// programs do (options, timing, verification, output) is common to them, see harness.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crypt/idea.hpp"
#include "loop/instance.hpp"
#include "md/forces.hpp"
#include "uts/tree.hpp"
#include "workloads/nqueens_board.hpp"

namespace mgws::bench::peers {

enum class workload : std::uint8_t { uts, nqueens, memset, spawn_tree, fib, loop, crypt, md };

/// How a problem is put to a runtime, where it offers a choice.
enum class form : std::uint8_t {
  each,  ///< one task for each node or element
  range  ///< the runtime is given ranges (elements, or one node's children) and may chunk them;
         ///< of loop: `each` is pieces of --chunk, `range` pieces no shorter than that, or
         ///< equal shares; of crypt and md the same with --grain
};

/// What one thread has counted. On cache lines of its own: no thread ever writes another's.
struct alignas(128) tally {
  std::uint64_t tasks = 0;
  std::uint64_t found = 0;  ///< leaves, solutions, neighbours, or the sum of the loop's results
  std::uint32_t depth = 0;  ///< of the deepest leaf
};

/// Where the calling thread counts. A plain pointer, because it is read in every task: whoever
/// brings a thread into a run sets it first.
inline constinit thread_local tally* mine = nullptr;

/// The tallies of all threads of a peer.
class tallies {
 public:
  explicit tallies(std::size_t threads) : all_(threads) {}

  /// Makes the calling thread count under this number.
  void enter(std::size_t thread) { mine = &all_[thread]; }

  /// The sum, or the maximum of depths; every tally is zero afterwards. Only between runs.
  [[nodiscard]] tally take() {
    tally sum;
    for (tally& one : all_) {
      sum.tasks += one.tasks;
      sum.found += one.found;
      sum.depth = std::max(sum.depth, one.depth);
      one = {};
    }
    return sum;
  }

 private:
  std::vector<tally> all_;
};

struct uts_problem {
  uts::tree tree;
  bool sha_instructions;
  form how;
};

/// What is found is without the mirror images.
struct nqueens_problem {
  nqueens::board board;
  std::uint32_t cutoff;  ///< with so many queens, placements are completed without tasks
};

struct memset_problem {
  std::span<std::uint64_t> elements;
  form how;
};

struct spawn_tree_problem {
  std::uint32_t depth;
  std::uint32_t fanout;
  form how;
};

struct loop_problem {
  loop_work work;
  std::uint64_t chunk;  ///< instances that a thread takes at once, or at least
  form how;
};

/// One pass over all blocks, which are to be encrypted or decrypted.
struct crypt_pass {
  std::span<const idea::block> from;
  std::span<idea::block> to;  ///< as many
  const idea::subkeys& keys;
};
struct crypt_problem {
  crypt_pass passes[2];  ///< the second begins when the first has ended
  std::uint64_t grain;   ///< blocks that a thread takes at once, or at least
  form how;
};

/// The atoms in the order of the tasks, and what each receives.
struct md_problem {
  md::neighbourhood all;
  std::span<const md::atom> targets;
  std::span<md::pull> pulls;  ///< as many
  std::uint64_t grain;        ///< atoms that a thread takes at once, or at least
  form how;
};

/// What is known about a peer before it exists.
struct peer_description {
  std::string_view program;
  std::string runtime;  ///< name and version
  bool parallel;
  std::vector<workload> with_range_form;
};

/// A runtime with its threads. Each function runs its problem once, from start to end, and returns
/// what all threads have counted; memset and crypt need to count nothing.
class peer {
 public:
  peer() = default;
  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;
  virtual ~peer() = default;

  virtual tally run_uts(const uts_problem& problem) = 0;
  virtual tally run_nqueens(const nqueens_problem& problem) = 0;
  virtual void run_memset(const memset_problem& problem) = 0;
  virtual tally run_spawn_tree(const spawn_tree_problem& problem) = 0;
  /// \return fibonacci(n), naively: each call a task, which waits for the two that it makes
  virtual std::uint64_t run_fib(std::uint32_t n) = 0;
  virtual tally run_loop(const loop_problem& problem) = 0;
  virtual void run_crypt(const crypt_problem& problem) = 0;
  virtual tally run_md(const md_problem& problem) = 0;
};

}  // namespace mgws::bench::peers
