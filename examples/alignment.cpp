// Edit distance of two texts: a table in which each number comes of its three neighbours above and
// on the left, filled tile by tile. Which tile comes after which is a graph, made before the run.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <mgws/mgws.hpp>

struct context {
  const char* a;
  const char* b;
  std::uint32_t n;       // letters of each
  std::uint32_t* table;  // (n + 1) rows and columns
};

// What it costs to make the first i letters of a from the first j of b.
MGWS_FN inline std::uint32_t distance_at(const context& c, std::uint32_t i, std::uint32_t j) {
  if (i == 0 || j == 0) return i + j;
  const std::uint32_t* const above = c.table + (i - 1) * (c.n + 1) + j;
  const std::uint32_t left = c.table[i * (c.n + 1) + j - 1];
  const std::uint32_t one = (above[0] < left ? above[0] : left) + 1;
  const std::uint32_t both = above[-1] + (c.a[i - 1] == c.b[j - 1] ? 0 : 1);
  return one < both ? one : both;
}

struct tile {
  static constexpr std::uint32_t k_side = 32;
  std::uint32_t row, column;

  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    for (std::uint32_t i = row * k_side; i != row * k_side + k_side && i <= c.n; ++i)
      for (std::uint32_t j = column * k_side; j != column * k_side + k_side && j <= c.n; ++j)
        c.table[i * (c.n + 1) + j] = distance_at(c, i, j);
  }
};
using tiles = mgws::graph<tile>;

int main(int argc, char** argv) {
  const auto n = argc > 1 ? static_cast<std::uint32_t>(std::stoul(argv[1])) : 2000;
  std::mt19937 random(1);
  std::string a(n, ' ');
  for (char& letter : a)
    letter = "ACGT"[random() % 4];
  std::string b = a;
  for (std::uint32_t i = 0; i != n / 5; ++i) {
    b[random() % n] = 'A';
    std::rotate(b.begin() + static_cast<int>(random() % n), b.end() - 1, b.end());
  }

  tiles::builder plan;
  const std::uint32_t side = n / tile::k_side + 1;
  for (std::uint32_t row = 0; row != side; ++row)
    for (std::uint32_t column = 0; column != side; ++column) {
      const mgws::node_id here = plan.add(tile{row, column});
      if (row != 0) plan.precede(here - side, here);
      if (column != 0) plan.precede(here - 1, here);
    }

  mgws::options o;
  std::string why;
  if (!mgws::gpu_names(why).empty()) o.devices = {{.kind = mgws::device_kind::gpu}};
  mgws::runtime<tiles::tasks, mgws::accumulators<>, context> rt(o);
  mgws::array<char> first(rt, n), second(rt, n);
  mgws::array<std::uint32_t> table(rt, std::size_t{n + 1} * (n + 1));
  first.upload(a);
  second.upload(b);
  tiles all(rt.data_places(), plan);
  all.seed(rt);
  const auto report = rt.run({first.data(), second.data(), n, table.data()});
  std::vector<std::uint32_t> found(table.size());
  table.download(found);

  std::vector<std::uint32_t> expected(table.size());
  const context c{a.data(), b.data(), n, expected.data()};
  for (std::uint32_t i = 0; i <= n; ++i)
    for (std::uint32_t j = 0; j <= n; ++j)
      expected[i * (n + 1) + j] = distance_at(c, i, j);
  std::printf("distance %u of %u letters, %zu tiles, %.4f s: %s\n", found.back(), n, all.size(),
              report.seconds, found == expected ? "right" : "WRONG");
  return found == expected ? 0 : 1;
}
