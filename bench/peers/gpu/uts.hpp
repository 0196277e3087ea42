/// \file
/// mgws-peer-gpu uts: what the kernels' side offers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "peers/gpu/kernels.hpp"
#include "uts/tree.hpp"

namespace mgws::bench::peers::gpu {

enum class uts_form : std::uint8_t {
  stacks,  ///< a warp a stack; those without work are given some of others'
  levels   ///< a kernel a level, from one buffer of nodes into another
};

struct uts_run {
  double seconds;
  std::uint64_t nodes;
  std::uint64_t leaves;
  std::uint64_t depth;
  bool complete;  ///< else a stack or a buffer was too small
};

/// \param tree     over the host's words
/// \param threads  of a block
std::vector<uts_run> run_uts(const uts::tree& tree, std::span<const std::uint32_t> words,
                             uts_form form, std::uint32_t threads, repetitions times);

}  // namespace mgws::bench::peers::gpu
