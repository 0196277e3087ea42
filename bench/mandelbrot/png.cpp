#include "mandelbrot/png.hpp"

#include <cmath>
#include <string_view>
#include <vector>

#include <mgws/errors.hpp>

#include "harness/output_file.hpp"

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
  // By itself libpng would remove what it cannot write, be it a device.
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, grey.data(), 0, nullptr) == 0)
    throw not_possible("the picture for '" + path + "' cannot be made: " + image.message);
  output_file file(path);
  file.write(std::string_view(bytes).substr(0, size));
  file.close();
}
#else
void write_png(const std::string& /*path*/, const picture& /*p*/,
               std::span<const std::uint32_t> /*counts*/) {}
#endif

}  // namespace mgws::bench
