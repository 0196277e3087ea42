/// \file
/// Graphs for `clique`: by a name that says how they are made, or from a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clique/set.hpp"

namespace mgws::bench::clique {

/// Undirected, without loops.
class graph {
 public:
  graph() = default;
  /// \pre vertices is at most k_most_vertices
  explicit graph(std::uint32_t vertices)
      : vertices_(vertices), words_(words_of(vertices)), rows_(std::size_t{vertices} * words_) {}

  void join(std::uint32_t a, std::uint32_t b) {
    rows_[std::size_t{a} * words_ + b / 64] |= word{1} << b % 64;
    rows_[std::size_t{b} * words_ + a / 64] |= word{1} << a % 64;
  }
  [[nodiscard]] bool joined(std::uint32_t a, std::uint32_t b) const {
    return (row(a)[b / 64] >> b % 64 & 1) != 0;
  }
  [[nodiscard]] std::uint32_t vertices() const { return vertices_; }
  /// Words of a set of its vertices.
  [[nodiscard]] std::uint32_t words() const { return words_; }
  /// The neighbours of a vertex.
  [[nodiscard]] const word* row(std::uint32_t v) const {
    return rows_.data() + std::size_t{v} * words_;
  }
  /// All rows, one behind the other.
  [[nodiscard]] const std::vector<word>& rows() const { return rows_; }
  [[nodiscard]] std::uint64_t edges() const;

  /// The same with other numbers, by which greedy colouring needs few colours: a vertex of the
  /// least degree comes last, and so on in what is left.
  [[nodiscard]] graph ordered() const;

 private:
  std::uint32_t vertices_ = 0;
  std::uint32_t words_ = 0;
  std::vector<word> rows_;
};

/// Each pair with probability p, by a seed.
[[nodiscard]] graph random_graph(std::uint32_t vertices, double p, std::uint64_t seed);

/// A graph of a known kind, and the size of its largest clique where that is known.
struct named_graph {
  graph of;
  std::optional<std::uint32_t> largest;
};
/// hammingN-D: words of N bits, joined if they differ in D or more; johnsonN-W-D: those of W ones
/// alone; kellerN: Keller's graph of that dimension around one of its vertices, as in the DIMACS
/// collection. \throws bad_configuration
[[nodiscard]] named_graph make_named(const std::string& name);

/// A file in the DIMACS format: `p edge VERTICES EDGES`, then `e A B` for each edge, from 1 on.
/// \throws bad_configuration, with the line in question
[[nodiscard]] graph read_dimacs(const std::string& path);

/// A largest clique by one thread: recursion, with the colours of a node's vertices in an array.
struct search_result {
  std::uint32_t size = 0;
  std::uint64_t nodes = 0;
  double seconds = 0;
  double seconds_to_optimum = 0;  ///< when it had the clique
};
[[nodiscard]] search_result search(const graph& g);

}  // namespace mgws::bench::clique
