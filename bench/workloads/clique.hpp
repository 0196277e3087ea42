/// \file
/// `clique`: a largest clique of a graph, by branch and bound. A task is a clique and the vertices
/// that may extend it; greedy colouring bounds by how many (Tomita and Seki, 2003), on sets that
/// are bits of words (San Segundo et al., 2011).
#pragma once

#include <cstddef>
#include <cstdint>

#include <mgws/best.hpp>
#include <mgws/core/accumulators.hpp>
#include <mgws/core/bits.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

#include "clique/set.hpp"
#include "workloads/first_begin.hpp"

namespace mgws::bench::clique {

/// A clique, and when it was found, by the device's clock.
struct found {
  members all;
  std::uint64_t ns;
};
using largest = mgws::best<std::uint32_t, maximum, found>;

struct context {
  largest::view best;
  first_begin::view began;
  const word* rows;     ///< of the graph
  std::uint32_t words;  ///< of a row
  std::uint32_t start;  ///< only larger cliques count
  bool shared;          ///< whether tasks look at the best one; else at the start
};

/// Cliques whose extensions were coloured, or found not worth it by that.
struct nodes : sum<std::uint64_t> {};

/// Vertices of candidates in the order of their colours, first to last: visit(v, colours, open) is
/// called for each, with the colours used so far, its own among them, and what comes behind it;
/// ends when it returns false. \return colours
template <std::uint32_t Words, class Visit>
MGWS_FN std::uint32_t colour(const context& c, const set<Words>& candidates, Visit&& visit) {
  set<Words> open = candidates;
  set<Words> left;
  std::uint32_t colours = 0;
  for (std::uint32_t first = 0; first != c.words;) {
    if (open.bits[first] == 0) {
      ++first;
      continue;
    }
    ++colours;
    for (std::uint32_t w = first; w != c.words; ++w)
      left.bits[w] = open.bits[w];
    for (std::uint32_t w = first; w != c.words; ++w)
      while (left.bits[w] != 0) {
        const std::uint32_t v = 64 * w + lowest_bit(left.bits[w]);
        open.remove(v);
        left.remove(v);
        const word* const row = c.rows + std::size_t{v} * c.words;
        for (std::uint32_t k = w; k != c.words; ++k)
          left.bits[k] &= ~row[k];
        if (!visit(v, colours, open)) return colours;
      }
  }
  return colours;
}

/// What no larger clique is looked for than.
[[nodiscard]] MGWS_FN inline std::uint32_t bound(const context& c) {
  return c.shared ? c.best.value() : c.start;
}

/// Keeps a clique if it is the largest so far. \param word_of  word_of(w): its vertices
template <class WordOf>
MGWS_FN void keep(auto& worker, std::uint32_t size, WordOf&& word_of) {
  const context& c = worker.context();
  c.best.improve(size, [&] {
    found better{.all = {}, .ns = worker.now()};
    for (std::uint32_t w = 0; w != c.words; ++w)
      better.all.bits[w] = word_of(w);
    return better;
  });
}

/// A lane's: spawns what a vertex after the other is extended to, so that the last, of the highest
/// colour, runs first.
template <std::uint32_t Words>
struct extend {
  set<Words> chosen;
  set<Words> candidates;  ///< all joined to all chosen
  std::uint32_t size;     ///< of what is chosen
  std::uint32_t most;     ///< more of the candidates are in no clique

  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    if (size == 0) c.began.improve(worker.now());
    const std::uint32_t best = bound(c);
    if (size + most <= best) return;
    worker.accumulate(nodes{}, 1);
    extend mine{};
    colour(c, candidates, [&](std::uint32_t v, std::uint32_t colours, const set<Words>& open) {
      if (size + colours > best) {
        const word* const row = c.rows + std::size_t{v} * c.words;
        if (mine.become(*this, c, v, row, open, colours)) {
          worker.spawn(mine);
        } else {
          keep(worker, size + 1, [&](std::uint32_t w) { return mine.chosen.bits[w]; });
        }
      }
      return true;
    });
  }

 private:
  /// This is what a vertex extends another to. \return whether that has candidates
  MGWS_FN bool become(const extend& from, const context& c, std::uint32_t v, const word* row,
                      const set<Words>& open, std::uint32_t colours) {
    word any = 0;
    for (std::uint32_t w = 0; w != c.words; ++w) {
      chosen.bits[w] = from.chosen.bits[w];
      candidates.bits[w] = from.candidates.bits[w] & row[w] & ~open.bits[w];
      any |= candidates.bits[w];
    }
    chosen.add(v);
    size = from.size + 1;
    most = colours - 1;
    return any != 0;
  }
};

}  // namespace mgws::bench::clique
