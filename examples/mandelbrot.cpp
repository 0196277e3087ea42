// A picture of the Mandelbrot set as a PNG file. A square whose border has one count is filled, any
// other is cut in four by a cross, whose pixels are then borders (Mariani and Silver).
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <mgws/mgws.hpp>

#include "png.hpp"

// Pixels of the part of the plane with x from -2 to 1 and y from -1.125 to 1.125.
struct picture {
  std::uint32_t width, most;        // most iterations of a pixel
  std::uint32_t* counts = nullptr;  // of tasks: row by row
  [[nodiscard]] MGWS_FN std::uint32_t height() const { return width / 4 * 3; }
  // Iterations until the point is known to be outside, or all.
  [[nodiscard]] MGWS_FN std::uint32_t escape(std::uint32_t column, std::uint32_t row) const {
    const double cx = 3.0 * (column + 0.5) / width - 2;
    const double cy = 3.0 * (row + 0.5) / width - 1.125;
    double x = 0, y = 0;
    std::uint32_t n = 0;
    for (; n != most && x * x + y * y <= 4; ++n) {
      const double next = x * x - y * y + cx;
      y = 2 * x * y + cy;
      x = next;
    }
    return n;
  }
  MGWS_FN void find(std::uint32_t x, std::uint32_t y) const {
    counts[y * width + x] = escape(x, y);
  }
};

// Of (side + 1)^2 pixels, of which those of the border are known.
struct square {
  static constexpr auto width = mgws::shape::warp;
  std::uint32_t left, top, side;

  MGWS_FN void operator()(auto& worker) const {
    const picture c = worker.context();
    std::uint32_t* const at = &c.counts[top * c.width + left];
    const std::uint32_t one = *at, inside = side - 1;
    bool differs = false;
    for (std::uint32_t i = worker.lane(); i <= side; i += worker.lanes())
      differs |= at[i] != one || at[side * c.width + i] != one || at[i * c.width] != one ||
                 at[i * c.width + side] != one;
    if (!worker.any(differs)) {
      for (std::uint32_t y = 1; y != side; ++y)
        for (std::uint32_t x = 1 + worker.lane(); x < side; x += worker.lanes())
          at[y * c.width + x] = one;
      return;
    }
    if (side <= 8) {
      for (std::uint32_t i = worker.lane(); i < inside * inside; i += worker.lanes())
        c.find(left + 1 + i % inside, top + 1 + i / inside);
      return;
    }
    const std::uint32_t half = side / 2;
    for (std::uint32_t i = 1 + worker.lane(); i < side; i += worker.lanes()) {
      c.find(left + i, top + half);
      if (i != half) c.find(left + half, top + i);
    }
    worker.sync();
    for (std::uint32_t i = worker.lane(); i < 4; i += worker.lanes())
      worker.spawn(square{left + i % 2 * half, top + i / 2 * half, half});
  }
};
// What a run begins with: one whose border nobody knows.
struct tile {
  static constexpr auto width = mgws::shape::warp;
  static constexpr std::uint32_t k_side = 64;
  MGWS_FN void operator()(auto& worker, mgws::task_index i) const {
    const picture c = worker.context();
    const std::uint32_t across = c.width / (k_side + 1);
    const std::uint32_t x = i % across * (k_side + 1), y = i / across * (k_side + 1);
    for (std::uint32_t k = worker.lane(); k < k_side; k += worker.lanes()) {
      c.find(x + k, y);
      c.find(x + k_side, y + k);
      c.find(x + k_side - k, y + k_side);
      c.find(x, y + k_side - k);
    }
    worker.sync();
    if (worker.lane() == 0) worker.spawn(square{x, y, k_side});
  }
};

int main(int argc, char** argv) {
  constexpr unsigned long four = 4 * (tile::k_side + 1);  // across, for three down
  const unsigned long width = argc > 1 ? (std::stoul(argv[1]) + four - 1) / four * four : 4 * four;
  const picture p{static_cast<std::uint32_t>(width), 1000};

  mgws::options o;
  std::string why;
  if (!mgws::gpu_names(why).empty()) o.devices = {{.kind = mgws::device_kind::gpu}};
  mgws::runtime<mgws::task_set<tile, square>, mgws::accumulators<>, picture> rt(o);
  std::vector<std::uint32_t> counts(std::size_t{p.width} * p.height());
  mgws::array<std::uint32_t> data(rt, counts.size());
  data.fill(0);
  rt.seed_n(tile{}, counts.size() / (four * four / 16));
  const auto report = rt.run({p.width, p.most, data.data()});
  data.download(counts);

  // What is thinner than a pixel can pass between two of a border, and what it leads to is filled
  // over. And a GPU rounds otherwise, which long orbits show. One pixel of a thousand may be wrong.
  std::size_t looked_at = 0, different = 0;
  for (std::uint32_t y = 3; y < p.height(); y += 7)
    for (std::uint32_t x = 3; x < p.width; x += 7, ++looked_at)
      different += counts[std::size_t{y} * p.width + x] != p.escape(x, y);
  const bool right = different * 1000 <= looked_at;
  std::printf("%u by %u pixels, %llu tasks, %zu of %zu different, %.4f s: %s\n", p.width,
              p.height(), static_cast<unsigned long long>(report.tasks), different, looked_at,
              report.seconds, right ? "right" : "WRONG");
  std::vector<unsigned char> grey(counts.size());
  for (std::size_t i = 0; i != counts.size(); ++i)
    if (counts[i] != p.most)
      grey[i] = static_cast<unsigned char>(255 * std::log1p(counts[i]) / std::log1p(p.most));
  return right && (argc < 3 || write_png(argv[2], p.width, grey)) ? 0 : 1;
}
