/// \file
/// Whether a picture of the Mandelbrot set is right: all of it would take a processor minutes, so
/// pixels all over it are computed again, and the total of some pictures is known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "loop/pattern.hpp"
#include "mandelbrot/picture.hpp"

namespace mgws::bench {

/// Pixels computed again.
inline constexpr std::uint64_t k_picture_samples = 4096;

/// The iterations of all pixels together, where somebody has computed them.
struct known_picture {
  picture of;
  std::uint64_t total;
};
inline constexpr known_picture k_known_pictures[] = {
    {{256, 192, 1000}, 11'276'222},
    {{1024, 768, 2000}, 356'381'252},
    {{4096, 3072, 20'000}, 56'268'307'338},
};

[[nodiscard]] inline std::optional<std::uint64_t> known_total(const picture& p) {
  for (const auto& [of, total] : k_known_pictures)
    if (of.width == p.width && of.height == p.height && of.iterations == p.iterations) return total;
  return std::nullopt;
}

/// The pixel of a sample: one of each of so many parts of the picture that are about as large.
[[nodiscard]] inline std::uint64_t sampled_pixel(const picture& p, std::uint64_t sample) {
  const std::uint64_t samples = std::min(k_picture_samples, p.pixels());
  const std::uint64_t first = p.pixels() * sample / samples;
  const std::uint64_t end = p.pixels() * (sample + 1) / samples;
  return first + split_mix_64(sample) % (end - first);
}

/// What pixels must be; computed once for all runs.
class picture_check {
 public:
  explicit picture_check(const picture& p)
      : of_(p), samples_(std::min(k_picture_samples, p.pixels())) {
    for (std::uint64_t s = 0; s != samples_.size(); ++s) {
      const std::uint64_t at = sampled_pixel(p, s);
      samples_[s] = p.escape(static_cast<std::uint32_t>(at % p.width),
                             static_cast<std::uint32_t>(at / p.width));
    }
  }

  /// What is wrong with the counts, row by row; empty if nothing is.
  [[nodiscard]] std::string fault(std::span<const std::uint32_t> counts) const {
    std::uint64_t wrong = 0;
    for (std::uint64_t s = 0; s != samples_.size(); ++s)
      wrong += counts[sampled_pixel(of_, s)] != samples_[s] ? 1 : 0;
    if (wrong != 0)
      return std::to_string(wrong) + " of " + std::to_string(samples_.size()) +
             " sampled pixels are wrong";
    const std::uint64_t total = total_of(counts);
    const auto known = known_total(of_);
    if (known && total != *known)
      return std::to_string(total) + " iterations in all instead of " + std::to_string(*known);
    return {};
  }

  [[nodiscard]] static std::uint64_t total_of(std::span<const std::uint32_t> counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }

 private:
  picture of_;
  std::vector<std::uint32_t> samples_;
};

}  // namespace mgws::bench
