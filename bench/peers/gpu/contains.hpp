/// \file
/// mgws-peer-gpu contains: what the kernels' side offers.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "peers/gpu/kernels.hpp"

namespace mgws::bench::peers::gpu {

enum class contains_form : std::uint8_t {
  warp_static,    ///< as many warps as are resident; each has every so many-th article
  warp_counter,   ///< each takes the next articles from one counter
  block_static,   ///< the same with a block an article
  block_counter,  ///< and here
  pieces          ///< a warp takes the next piece of the text, of whatever articles
};

struct contains_tuning {
  std::uint32_t threads;  ///< of a block, a multiple of 32, at most 512
  std::uint32_t chunk;    ///< articles that a warp takes at once, at most 31
  std::uint32_t piece;    ///< bytes that a warp takes at once
};

struct contains_run {
  double seconds;
  std::uint64_t articles;  ///< that have the word
};

/// A corpus in the GPU's memory: article i is text[offsets[i], offsets[i + 1]).
class corpus_on_gpu {
 public:
  corpus_on_gpu(std::string_view text, const std::uint64_t* offsets, std::uint64_t articles,
                std::string_view word);
  ~corpus_on_gpu();

  std::vector<contains_run> search(contains_form form, const contains_tuning& tuning,
                                   repetitions times);

 private:
  struct memory;
  std::unique_ptr<memory> memory_;
};

}  // namespace mgws::bench::peers::gpu
