/// \file
/// `crypt`: IDEA over a text, as Java Grande's benchmark of that name does it and Chatterjee et al.
/// on GPUs ("Dynamic Task Parallelism with a GPU Work-Stealing Runtime System", LCPC 2011): all
/// blocks are encrypted; after the finish of that, all are decrypted.
#pragma once

#include <cstdint>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

#include "crypt/idea.hpp"

namespace mgws::bench::crypt {

using idea::block;

struct context {
  block* texts[3];        ///< plain, encrypted, decrypted; a pass makes of one the next
  idea::subkeys keys[2];  ///< of the passes
  std::uint32_t blocks;   ///< of a text
  std::uint32_t grain;    ///< blocks that a range no longer cuts in two
};

/// Blocks that were encrypted, and that were decrypted.
struct ciphered : sum<std::uint64_t> {};

/// Blocks [first, end), which the task's lanes share.
MGWS_FN void cipher_blocks(auto& worker, std::uint32_t pass, std::uint32_t first,
                           std::uint32_t end) {
  const context& c = worker.context();
  const block* const from = c.texts[pass];
  block* const to = c.texts[pass + 1];
  for (std::uint32_t i = first + worker.lane(); i < end; i += worker.lanes())
    to[i] = idea::cipher(from[i], c.keys[pass]);
  if (worker.lane() == 0) worker.accumulate(ciphered{}, end - first);
}

/// Cuts a range of blocks in two until it is short.
template <shape Width>
struct range {
  static constexpr shape width = Width;
  std::uint32_t pass;
  std::uint32_t first;
  std::uint32_t count;

  MGWS_FN void operator()(auto& worker) const {
    if (count <= worker.context().grain) return cipher_blocks(worker, pass, first, first + count);
    if (worker.lane() != 0) return;
    const std::uint32_t half = count / 2;
    worker.spawn(range{pass, first, half});
    worker.spawn(range{pass, first + half, count - half});
  }
};

/// All blocks as one slot. An instance is one block, or, of a wide task, as many as the grain.
template <shape Width>
struct pieces {
  static constexpr shape width = Width;
  std::uint32_t pass;

  MGWS_FN static std::uint32_t number(const context& c) {
    return Width == shape::lane ? c.blocks : (c.blocks - 1) / c.grain + 1;
  }
  MGWS_FN void operator()(auto& worker, task_index i) const {
    const context& c = worker.context();
    const std::uint32_t each = Width == shape::lane ? 1 : c.grain;
    const std::uint32_t first = i * each;
    const std::uint32_t rest = c.blocks - first;
    cipher_blocks(worker, pass, first, first + (rest < each ? rest : each));
  }
  MGWS_FN void operator()(auto& worker, task_index first, task_index end) const
      requires(Width == shape::lane) {
    cipher_blocks(worker, pass, first, end);
  }
};

/// All is encrypted.
template <shape Width, bool Bulk>
struct encrypted {
  static constexpr bool after_finish = true;
  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    if constexpr (Bulk) {
      worker.spawn_n(pieces<Width>{1}, pieces<Width>::number(c));
    } else {
      worker.spawn(range<Width>{1, 0, c.blocks});
    }
  }
};

template <shape Width, bool Bulk>
struct start {
  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    if constexpr (Bulk) {
      worker.finish_n(encrypted<Width, Bulk>{}, pieces<Width>{0}, pieces<Width>::number(c));
    } else {
      worker.finish(encrypted<Width, Bulk>{}, range<Width>{0, 0, c.blocks});
    }
  }
};

}  // namespace mgws::bench::crypt
