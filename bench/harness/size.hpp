/// \file
/// The options of pictures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "harness/command_line.hpp"

namespace mgws::bench {

inline constexpr const char* k_default_size = "4096x3072";
inline constexpr std::uint64_t k_default_iterations = 20'000;

/// "4096x3072"; {0, 0} for what is none, or has more pixels than a slot has instances.
[[nodiscard]] inline std::pair<std::uint32_t, std::uint32_t> sides_of(std::string_view text) {
  const std::size_t cross = text.find('x');
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  if (cross == std::string_view::npos || !parse_whole_number(text.substr(0, cross), width) ||
      !parse_whole_number(text.substr(cross + 1), height) || width == 0 || height == 0 ||
      width > 1u << 16 || height > 1u << 14)
    return {};
  return {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)};
}

/// --size
inline CLI::Option* add_size(CLI::App& command, std::string& size) {
  return command.add_option("--size", size, "pixels: width and height")
      ->type_name("WIDTHxHEIGHT")
      ->check(CLI::Validator(
          [](std::string& text) {
            return sides_of(text).first != 0
                       ? std::string()
                       : "'" + text + "' is not a size such as 640x480, at most 65536x16384";
          },
          ""))
      ->capture_default_str();
}

}  // namespace mgws::bench
