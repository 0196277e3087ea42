#include "clique/graph.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <numeric>
#include <sstream>

#include <mgws/errors.hpp>

#include "harness/command_line.hpp"

namespace mgws::bench::clique {

namespace {

/// A mix of 64 bits in which each depends on all (Steele, Lea, Flood: SplitMix64).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

template <class Joined>
graph all_pairs(const std::vector<std::uint32_t>& labels, Joined&& joined) {
  graph g(static_cast<std::uint32_t>(labels.size()));
  for (std::uint32_t a = 0; a != g.vertices(); ++a)
    for (std::uint32_t b = a + 1; b != g.vertices(); ++b)
      if (joined(labels[a], labels[b])) g.join(a, b);
  return g;
}

std::uint32_t differing_bits(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(std::popcount(a ^ b));
}

void check_size(const std::string& name, std::uint64_t vertices) {
  if (vertices == 0 || vertices > k_most_vertices)
    throw bad_configuration("'" + name + "' would have " + std::to_string(vertices) +
                            " vertices: a graph has from 1 to " + std::to_string(k_most_vertices));
}

/// Largest codes of n bits with even distance d (Brouwer's tables): A(n, 4).
std::optional<std::uint32_t> largest_code(std::uint32_t n, std::uint32_t d) {
  if (d == 1) return 1u << n;
  if (d == 2) return 1u << (n - 1);
  if (d == 3) return largest_code(n + 1, 4);
  constexpr std::uint32_t four[] = {2, 2, 4, 8, 16, 20, 40, 72};
  if (d == 4 && n >= 4 && n < 4 + std::size(four)) return four[n - 4];
  return {};
}

named_graph hamming(const std::string& name, std::uint64_t n, std::uint64_t d) {
  check_size(name, n < 20 ? std::uint64_t{1} << n : ~std::uint64_t{0});
  if (d < 1 || d > n)
    throw bad_configuration("'" + name + "' asks for a distance that words of " +
                            std::to_string(n) + " bits do not have");
  std::vector<std::uint32_t> labels(std::size_t{1} << n);
  std::iota(labels.begin(), labels.end(), 0u);
  return {all_pairs(labels,
                    [d](std::uint32_t a, std::uint32_t b) { return differing_bits(a, b) >= d; }),
          largest_code(static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(d))};
}

named_graph johnson(const std::string& name, std::uint64_t n, std::uint64_t ones, std::uint64_t d) {
  if (n > 32 || ones > n || ones < 1)
    throw bad_configuration("'" + name + "' asks for words that there are none of");
  double number = 1;
  for (std::uint64_t i = 0; i != ones; ++i)
    number = number * static_cast<double>(n - i) / static_cast<double>(i + 1);
  check_size(name, static_cast<std::uint64_t>(std::llround(std::min(number, 1e9))));
  std::vector<std::uint32_t> labels;
  // The next larger number with as many ones.
  for (std::uint64_t x = (std::uint64_t{1} << ones) - 1; x < std::uint64_t{1} << n;) {
    labels.push_back(static_cast<std::uint32_t>(x));
    const std::uint64_t low = x & (~x + 1);
    const std::uint64_t carried = x + low;
    x = carried | ((x ^ carried) / low) >> 2;
  }
  named_graph g{all_pairs(labels, [d](std::uint32_t a,
                                      std::uint32_t b) { return differing_bits(a, b) >= d; }),
                {}};
  // Pairs of which no two have an element in common.
  if (ones == 2 && d > 2 && d <= 4) g.largest = static_cast<std::uint32_t>(n / 2);
  return g;
}

/// Words of N digits below 4, joined if they differ in two places or more, and in one of them by
/// two; of these the neighbours of one word, of which all have the same.
named_graph keller(const std::string& name, std::uint64_t n) {
  const auto joined = [n](std::uint32_t a, std::uint32_t b) {
    std::uint32_t differ = 0;
    bool by_two = false;
    for (std::uint64_t i = 0; i != n; ++i, a /= 4, b /= 4) {
      differ += a % 4 != b % 4 ? 1 : 0;
      by_two = by_two || (a + 2 - b) % 4 == 0;
    }
    return differ >= 2 && by_two;
  };
  if (n < 2 || n > 5) check_size(name, n < 2 ? 0 : 3361);
  std::vector<std::uint32_t> labels;
  for (std::uint32_t x = 1; x != std::uint32_t{1} << 2 * n; ++x)
    if (joined(0, x)) labels.push_back(x);
  constexpr std::uint32_t largest[] = {1, 4, 11, 27};
  return {all_pairs(labels, joined), largest[n - 2]};
}

/// One thread's search.
class searcher {
 public:
  explicit searcher(const graph& g) : g_(g) {}

  search_result run() {
    members all{};
    for (std::uint32_t v = 0; v != g_.vertices(); ++v)
      all.add(v);
    extend(all, 0);
    best_.seconds = since_begin();
    return best_;
  }

 private:
  /// \param size  of the clique whose common neighbours these are
  void extend(members& candidates, std::uint32_t size) {
    ++best_.nodes;
    // Of those that may lead to a larger one, in the order of their colours.
    std::uint16_t order[k_most_vertices];
    std::uint16_t colours[k_most_vertices];
    std::uint32_t last = 0;
    members open;
    members left;
    copy(open, candidates);
    for (std::uint16_t colour = 1; any(open); ++colour) {
      copy(left, open);
      for (std::uint32_t w = 0; w != g_.words(); ++w)
        while (left.bits[w] != 0) {
          const auto v = static_cast<std::uint32_t>(64 * w + std::countr_zero(left.bits[w]));
          open.remove(v);
          left.remove(v);
          for (std::uint32_t k = w; k != g_.words(); ++k)
            left.bits[k] &= ~g_.row(v)[k];
          if (size + colour <= best_.size) continue;
          order[last] = static_cast<std::uint16_t>(v);
          colours[last++] = colour;
        }
    }
    members next;
    while (last-- != 0) {
      if (size + colours[last] <= best_.size) return;
      const std::uint32_t v = order[last];
      for (std::uint32_t w = 0; w != g_.words(); ++w)
        next.bits[w] = candidates.bits[w] & g_.row(v)[w];
      if (any(next)) {
        extend(next, size + 1);
      } else if (size + 1 > best_.size) {
        best_.size = size + 1;
        best_.seconds_to_optimum = since_begin();
      }
      candidates.remove(v);
    }
  }
  [[nodiscard]] double since_begin() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  void copy(members& to, const members& from) const { std::copy_n(from.bits, g_.words(), to.bits); }
  [[nodiscard]] bool any(const members& s) const {
    return std::any_of(s.bits, s.bits + g_.words(), [](word w) { return w != 0; });
  }

  const graph& g_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  search_result best_;
};

}  // namespace

std::uint64_t graph::edges() const {
  std::uint64_t ends = 0;
  for (const word w : rows_)
    ends += static_cast<std::uint64_t>(std::popcount(w));
  return ends / 2;
}

graph graph::ordered() const {
  std::vector<std::uint32_t> degree(vertices_);
  for (std::uint32_t v = 0; v != vertices_; ++v)
    for (std::uint32_t w = 0; w != words_; ++w)
      degree[v] += static_cast<std::uint32_t>(std::popcount(row(v)[w]));
  std::vector<std::uint32_t> number(vertices_, ~0u);
  for (std::uint32_t last = vertices_; last-- != 0;) {
    std::uint32_t least = ~0u;
    for (std::uint32_t v = 0; v != vertices_; ++v)
      if (number[v] == ~0u && (least == ~0u || degree[v] < degree[least])) least = v;
    number[least] = last;
    for (std::uint32_t v = 0; v != vertices_; ++v)
      degree[v] -= joined(least, v) ? 1 : 0;
  }
  graph g(vertices_);
  for (std::uint32_t a = 0; a != vertices_; ++a)
    for (std::uint32_t b = a + 1; b != vertices_; ++b)
      if (joined(a, b)) g.join(number[a], number[b]);
  return g;
}

graph random_graph(std::uint32_t vertices, double p, std::uint64_t seed) {
  graph g(vertices);
  for (std::uint64_t a = 0; a != vertices; ++a)
    for (std::uint64_t b = a + 1; b != vertices; ++b) {
      const std::uint64_t random = mixed(mixed(seed) ^ (a << 32 | b));
      if (static_cast<double>(random >> 11) * 0x1p-53 < p)
        g.join(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
    }
  return g;
}

named_graph make_named(const std::string& name) {
  const std::size_t digits = name.find_first_of("0123456789");
  const std::string kind = name.substr(0, digits);
  std::vector<std::uint64_t> numbers;
  bool right = digits != std::string::npos && name.back() != '-';
  std::istringstream rest(right ? name.substr(digits) : "");
  for (std::string number; right && std::getline(rest, number, '-');) {
    numbers.push_back(0);
    right = number.size() < 10 && parse_whole_number(number, numbers.back());
  }
  if (right && kind == "hamming" && numbers.size() == 2)
    return hamming(name, numbers[0], numbers[1]);
  if (right && kind == "johnson" && numbers.size() == 3)
    return johnson(name, numbers[0], numbers[1], numbers[2]);
  if (right && kind == "keller" && numbers.size() == 1) return keller(name, numbers[0]);
  throw bad_configuration("'" + name +
                          "' is not a graph: use random, hammingN-D, johnsonN-W-D or kellerN");
}

graph read_dimacs(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw bad_configuration("'" + path + "' cannot be read: " + std::strerror(errno));
  std::optional<graph> g;
  std::uint64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const auto wrong = [&](const std::string& what) {
      return bad_configuration("'" + path + "', line " + std::to_string(number) + ": " + what);
    };
    std::istringstream words(line);
    std::string what;
    if (!(words >> what) || what == "c") continue;
    if (what == "p") {
      std::string format, vertices;
      std::uint64_t n = 0;
      if (g || !(words >> format >> vertices) || (format != "edge" && format != "col") ||
          !parse_whole_number(vertices, n))
        throw wrong("not the one line 'p edge VERTICES EDGES' of a graph");
      if (n == 0 || n > k_most_vertices)
        throw wrong(vertices + " vertices: a graph has from 1 to " +
                    std::to_string(k_most_vertices));
      g.emplace(static_cast<std::uint32_t>(n));
      continue;
    }
    std::string from, to;
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    if (what != "e" || !g || !(words >> from >> to) || !parse_whole_number(from, a) ||
        !parse_whole_number(to, b) || a == 0 || b == 0 || a > g->vertices() || b > g->vertices() ||
        a == b)
      throw wrong("not an edge, 'e A B', between two vertices of the graph");
    g->join(static_cast<std::uint32_t>(a - 1), static_cast<std::uint32_t>(b - 1));
  }
  if (in.bad()) throw bad_configuration("'" + path + "' cannot be read: " + std::strerror(errno));
  if (!g) throw bad_configuration("'" + path + "' has no line 'p edge VERTICES EDGES'");
  return *g;
}

search_result search(const graph& g) {
  return searcher(g).run();
}

}  // namespace mgws::bench::clique
