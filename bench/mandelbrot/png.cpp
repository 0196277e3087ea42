#include "mandelbrot/png.hpp"

#include <cmath>
#include <vector>

#include <mgws/errors.hpp>

#if MGWS_BENCH_PNG
#include <png.h>
#endif

namespace mgws::bench {

bool can_write_png() {
  return MGWS_BENCH_PNG;
}

#if MGWS_BENCH_PNG
void write_png(const std::string& path, const picture& p, std::span<const std::uint32_t> counts) {
  std::vector<unsigned char> grey(counts.size());
  for (std::size_t i = 0; i != counts.size(); ++i) {
    // Most points leave soon; equal factors are equal steps.
    const double part = std::log1p(counts[i]) / std::log1p(p.iterations);
    grey[i] = counts[i] == p.iterations ? 0 : static_cast<unsigned char>(std::lround(part * 255));
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = p.width;
  image.height = p.height;
  image.format = PNG_FORMAT_GRAY;
  if (png_image_write_to_file(&image, path.c_str(), 0, grey.data(), 0, nullptr) == 0)
    throw bad_configuration("'" + path + "' cannot be written: " + image.message);
}
#else
void write_png(const std::string& /*path*/, const picture& /*p*/,
               std::span<const std::uint32_t> /*counts*/) {}
#endif

}  // namespace mgws::bench
