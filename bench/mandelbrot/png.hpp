/// \file
/// Pictures of the Mandelbrot set as PNG files, in programs that were built with libpng.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "mandelbrot/picture.hpp"

namespace mgws::bench {

[[nodiscard]] bool can_write_png();

/// Points of the set are black, the others the brighter the longer they took to leave.
/// \param counts  row by row
/// \throws not_possible if the file cannot be written
void write_png(const std::string& path, const picture& p, std::span<const std::uint32_t> counts);

}  // namespace mgws::bench
