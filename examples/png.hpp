// Grey pictures as PNG files, for the examples, by libpng.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <png.h>

// The pixels row by row. Returns whether the file was written; if not, says why.
inline bool write_png(const std::string& path, std::uint32_t width,
                      const std::vector<unsigned char>& pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = static_cast<std::uint32_t>(pixels.size()) / width;
  image.format = PNG_FORMAT_GRAY;
  if (png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr) != 0) return true;
  std::fprintf(stderr, "%s: %s\n", path.c_str(), image.message);
  return false;
}
