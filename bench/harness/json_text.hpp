/// \file
/// JSON as it is written. Words, paths and descriptions of indexes are whatever bytes the user has;
/// JSON holds Unicode alone, and a result must not be lost to one letter of an older encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace mgws::bench {

/// Length of the UTF-8 sequence that the text begins with (RFC 3629: no overlong form, no
/// surrogate); 0 if it begins with none.
[[nodiscard]] inline std::size_t utf8_sequence(std::string_view text) {
  const auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
  };
  const auto within = [&](std::size_t i, int least, int most) {
    return at(i) >= least && at(i) <= most;
  };
  const std::uint8_t first = at(0);
  if (text.empty()) return 0;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return within(1, 0x80, 0xbf) ? 2 : 0;
  if ((first & 0xf0) == 0xe0)
    return within(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf) &&
                   within(2, 0x80, 0xbf)
               ? 3
               : 0;
  if (first >= 0xf0 && first <= 0xf4)
    return within(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf) &&
                   within(2, 0x80, 0xbf) && within(3, 0x80, 0xbf)
               ? 4
               : 0;
  return 0;
}

[[nodiscard]] inline bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t n = utf8_sequence(text);
    if (n == 0) return false;
    text.remove_prefix(n);
  }
  return true;
}

/// The text with each byte that is no part of UTF-8 as \xNN and these characters behind a
/// backslash. Nothing is lost if a backslash is one of them.
[[nodiscard]] inline std::string escaped(std::string_view text, std::string_view special = "\\") {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string all;
  while (!text.empty()) {
    const std::size_t n = utf8_sequence(text);
    if (n == 0) {
      const auto byte = static_cast<std::uint8_t>(text.front());
      all.append("\\x").append({digits[byte >> 4], digits[byte & 15]});
    } else {
      if (special.find(text.front()) != std::string_view::npos) all += '\\';
      all += text.substr(0, n);
    }
    text.remove_prefix(n == 0 ? 1 : n);
  }
  return all;
}

namespace detail {

/// Escapes what is not UTF-8 in j. \param where  its JSON pointer; \param found  more of them
inline void escape_strings(nlohmann::ordered_json& j, const std::string& where,
                           nlohmann::ordered_json& found) {
  if (j.is_string()) {
    const auto& text = j.get_ref<const std::string&>();
    if (is_utf8(text)) return;
    j = escaped(text);
    found.push_back(where);
  } else if (j.is_structured()) {
    for (auto& [key, value] : j.items())
      escape_strings(value, where + "/" + key, found);
  }
}

}  // namespace detail

/// What is written. Strings that are not UTF-8 are escaped(), and those alone; `escaped` of the
/// whole lists where they stand, as JSON pointers.
[[nodiscard]] inline std::string json_text(nlohmann::ordered_json j) {
  auto found = nlohmann::ordered_json::array();
  detail::escape_strings(j, "", found);
  if (!found.empty() && j.is_object()) j["escaped"] = std::move(found);
  return j.dump(2) + "\n";
}

}  // namespace mgws::bench
