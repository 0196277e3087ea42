/// \file
/// Text, numbers and tables as HTML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "harness/json_text.hpp"

namespace mgws::bench {

/// Any bytes as text of a page, also within quotes: what is not UTF-8, and what no page may have,
/// stands as \xNN.
[[nodiscard]] inline std::string html(std::string_view text) {
  std::string all;
  for (const char c : is_utf8(text) ? std::string(text) : escaped(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      all += "&amp;";
    } else if (c == '<') {
      all += "&lt;";
    } else if (c == '>') {
      all += "&gt;";
    } else if (c == '"') {
      all += "&quot;";
    } else if (c == '\'') {
      all += "&#39;";
    } else if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f) {
      all += fmt::format("\\x{:02x}", byte);
    } else {
      all += c;
    }
  }
  return all;
}

/// Four digits and a unit.
[[nodiscard]] inline std::string time_text(double seconds) {
  if (seconds == 0) return "0";
  if (seconds >= 1) return fmt::format("{:.4g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.4g} ms", seconds * 1e3);
  if (seconds >= 1e-6) return fmt::format("{:.4g} µs", seconds * 1e6);
  return fmt::format("{:.4g} ns", seconds * 1e9);
}

[[nodiscard]] inline std::string percent(double part) {
  return fmt::format("{:.1f} %", part * 100);
}

using table_row = std::vector<std::string>;

/// Cells are HTML already; the first of a row is its name. \param id  "" : none
[[nodiscard]] inline std::string table(const std::string& id, const table_row& headings,
                                       const std::vector<table_row>& rows) {
  std::string all =
      "<div class=\"wide\"><table" + (id.empty() ? "" : " id=\"" + id + "\"") + "><thead><tr>";
  for (const std::string& h : headings)
    all += "<th>" + h + "</th>";
  all += "</tr></thead><tbody>\n";
  for (const table_row& row : rows) {
    all += "<tr>";
    for (std::size_t i = 0; i != row.size(); ++i)
      all += (i == 0 ? "<th>" : "<td>") + row[i] + (i == 0 ? "</th>" : "</td>");
    all += "</tr>\n";
  }
  return all + "</tbody></table></div>\n";
}

[[nodiscard]] inline std::string paragraph(const std::string& text) {
  return "<p>" + text + "</p>\n";
}

}  // namespace mgws::bench
