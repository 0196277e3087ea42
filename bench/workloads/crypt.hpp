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
#include "crypt/idea_lanes.hpp"

namespace mgws::bench::crypt {

using idea::block;

struct context {
  block* texts[3];        ///< plain, encrypted, decrypted; a pass makes of one the next
  idea::subkeys keys[2];  ///< of the passes
  idea::lane_keys lane_keys[2];
  std::uint32_t blocks;  ///< of a text
  std::uint32_t grain;   ///< blocks that a range no longer cuts in two
};

/// Blocks that were encrypted, and that were decrypted.
struct ciphered : sum<std::uint64_t> {};

/// A block after the other, as a CPU has it fastest.
struct one_by_one {
  static constexpr std::uint32_t k_at_once = 1;  ///< blocks that a lane should have at least

  MGWS_FN static void run(auto& worker, std::uint32_t pass, std::uint32_t first,
                          std::uint32_t end) {
    const context& c = worker.context();
    const block* const from = c.texts[pass];
    block* const to = c.texts[pass + 1];
    for (std::uint32_t i = first + worker.lane(); i < end; i += worker.lanes())
      to[i] = idea::cipher(from[i], c.keys[pass]);
  }
};

/// Two at once, for a GPU's lanes. The texts begin at a multiple of 16 bytes.
struct by_pairs {
  static constexpr std::uint32_t k_at_once = 2;
  /// Of all rounds the subkeys would be loaded first, and be more than a lane has registers.
  static constexpr std::uint32_t k_rounds = 2;

  MGWS_FN static void run(auto& worker, std::uint32_t pass, std::uint32_t first,
                          std::uint32_t end) {
    const context& c = worker.context();
    const block* const from = c.texts[pass];
    block* const to = c.texts[pass + 1];
    for (std::uint32_t pair = first / 2 + worker.lane(); pair < (end + 1) / 2;
         pair += worker.lanes()) {
      // At either end one may be another task's.
      const bool both = 2 * pair >= first && 2 * pair + 1 < end;
      const std::uint32_t one = 2 * pair >= first ? 2 * pair : first;
      idea::block_pair p{};
      if (both) {
        p = reinterpret_cast<const idea::block_pair*>(from)[pair];
      } else {
        p.blocks[0] = from[one];
      }
      idea::cipher<k_rounds>(p.blocks, c.lane_keys[pass]);
      if (both) {
        reinterpret_cast<idea::block_pair*>(to)[pair] = p;
      } else {
        to[one] = p.blocks[0];
      }
    }
  }
};

/// Blocks [first, end), which the task's lanes share. \tparam Cipher  one_by_one or by_pairs
template <class Cipher>
MGWS_FN void cipher_blocks(auto& worker, std::uint32_t pass, std::uint32_t first,
                           std::uint32_t end) {
  Cipher::run(worker, pass, first, end);
  if (worker.lane() == 0) worker.accumulate(ciphered{}, end - first);
}

/// Cuts a range of blocks in two until it is short.
template <class Cipher, shape Width>
struct range {
  static constexpr shape width = Width;
  std::uint32_t pass;
  std::uint32_t first;
  std::uint32_t count;

  MGWS_FN void operator()(auto& worker) const {
    if (count <= worker.context().grain)
      return cipher_blocks<Cipher>(worker, pass, first, first + count);
    if (worker.lane() != 0) return;
    const std::uint32_t half = count / 2;
    worker.spawn(range{pass, first, half});
    worker.spawn(range{pass, first + half, count - half});
  }
};

/// All blocks as one slot. An instance is as many as a lane should have at least, or, of a wide
/// task, as the grain.
template <class Cipher, shape Width>
struct pieces {
  static constexpr shape width = Width;
  std::uint32_t pass;

  MGWS_FN static std::uint32_t each(const context& c) {
    return Width == shape::lane ? Cipher::k_at_once : c.grain;
  }
  MGWS_FN static std::uint32_t number(const context& c) { return (c.blocks - 1) / each(c) + 1; }
  MGWS_FN void operator()(auto& worker, task_index i) const { run(worker, i, i + 1); }
  MGWS_FN void operator()(auto& worker, task_index first, task_index end) const
      requires(Width == shape::lane) {
    run(worker, first, end);
  }

 private:
  MGWS_FN void run(auto& worker, std::uint32_t first, std::uint32_t end) const {
    const context& c = worker.context();
    const std::uint32_t begin = first * each(c);
    const std::uint32_t most = (end - first) * each(c);
    const std::uint32_t rest = c.blocks - begin;
    cipher_blocks<Cipher>(worker, pass, begin, begin + (rest < most ? rest : most));
  }
};

/// All is encrypted.
template <class Cipher, shape Width, bool Bulk>
struct encrypted {
  static constexpr bool after_finish = true;
  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    if constexpr (Bulk) {
      worker.spawn_n(pieces<Cipher, Width>{1}, pieces<Cipher, Width>::number(c));
    } else {
      worker.spawn(range<Cipher, Width>{1, 0, c.blocks});
    }
  }
};

template <class Cipher, shape Width, bool Bulk>
struct start {
  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    if constexpr (Bulk) {
      worker.finish_n(encrypted<Cipher, Width, Bulk>{}, pieces<Cipher, Width>{0},
                      pieces<Cipher, Width>::number(c));
    } else {
      worker.finish(encrypted<Cipher, Width, Bulk>{}, range<Cipher, Width>{0, 0, c.blocks});
    }
  }
};

}  // namespace mgws::bench::crypt
