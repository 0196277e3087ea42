#include "picture/chart.hpp"

#include <array>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "picture/html.hpp"

namespace mgws::bench {

namespace {

// In units of the drawing, of which a phone's page is about as wide.
constexpr double k_width = 400;
constexpr double k_left = 40;
constexpr double k_behind = 22;
constexpr double k_top = 8;
constexpr double k_bottom = 34;

}  // namespace

time_unit unit_of(double seconds) {
  if (seconds >= 1) return {1, "s"};
  if (seconds >= 1e-3) return {1e-3, "ms"};
  return {1e-6, "µs"};
}

std::vector<tick> ticks_of(double from, double to, int about, double unit) {
  const double wanted = (to - from) / unit / about;
  if (!(wanted > 0)) return {};
  const double power = std::pow(10, std::floor(std::log10(wanted)));
  double step = 10 * power;
  for (const double m : std::array{5.0, 2.0, 1.0})
    if (m * power >= wanted * 0.999) step = m * power;
  std::vector<tick> all;
  for (double i = std::ceil(from / unit / step - 1e-9); i * step <= to / unit + step * 1e-9; ++i)
    all.push_back({i * step * unit, fmt::format("{:.6g}", i * step + 0.0)});  // no -0
  return all;
}

chart::chart(std::string_view id, std::string_view label, range x, range y, double height)
    : id_(id), label_(label), x_(x), y_(y), height_(height) {
  if (x_.from == x_.to) x_.to += 1e-9;  // a run that took no time
  body_ = fmt::format("<rect class=\"room\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                      k_left, k_top, k_width - k_left - k_behind, height_ - k_top - k_bottom);
}

double chart::x(double value) const {
  return k_left + (value - x_.from) / (x_.to - x_.from) * (k_width - k_left - k_behind);
}

double chart::y(double value) const {
  return height_ - k_bottom - (value - y_.from) / (y_.to - y_.from) * (height_ - k_top - k_bottom);
}

void chart::x_axis(std::span<const tick> ticks, std::string_view title) {
  const double base = height_ - k_bottom;
  for (const tick& t : ticks)
    body_ += fmt::format(
        "<path class=\"tick\" d=\"M{0:.2f} {1:.2f}v4\"/>"
        "<text x=\"{0:.2f}\" y=\"{2:.2f}\" text-anchor=\"middle\">{3}</text>\n",
        x(t.at), base, base + 15, html(t.text));
  body_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{}</text>\n",
                       (k_left + k_width - k_behind) / 2, base + 29, html(title));
}

void chart::y_axis(std::span<const tick> ticks) {
  for (const tick& t : ticks)
    body_ += fmt::format(
        "<path class=\"grid\" d=\"M{0} {1:.2f}H{2}\"/>"
        "<text x=\"{3}\" y=\"{4:.2f}\" text-anchor=\"end\">{5}</text>\n",
        k_left, y(t.at), k_width - k_behind, k_left - 4, y(t.at) + 4, html(t.text));
}

void chart::steps(std::string_view colour, std::span<const double> tops) {
  const double width = (x_.to - x_.from) / static_cast<double>(tops.size());
  std::string path = fmt::format("M{:.2f} {:.2f}", x(x_.from), y(y_.from));
  for (std::size_t i = 0; i != tops.size(); ++i)
    path +=
        fmt::format("V{:.2f}H{:.2f}", y(tops[i]), x(x_.from + width * static_cast<double>(i + 1)));
  body_ += fmt::format("<path class=\"{}\" d=\"{}V{:.2f}Z\"/>\n", colour, path, y(y_.from));
}

void chart::line(std::string_view colour, std::span<const double> values) {
  const double width = (x_.to - x_.from) / static_cast<double>(values.size() - 1);
  std::string path;
  for (std::size_t i = 0; i != values.size(); ++i)
    path += fmt::format("{}{:.2f} {:.2f}", i == 0 ? "M" : "L",
                        x(x_.from + width * static_cast<double>(i)), y(values[i]));
  body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", colour, path);
}

void chart::bar(std::string_view colour, range across, range up, std::string_view tip) {
  body_ += fmt::format(
      "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\">", colour,
      x(across.from), y(up.to), x(across.to) - x(across.from), y(up.from) - y(up.to));
  if (!tip.empty()) body_ += "<title>" + html(tip) + "</title>";
  body_ += "</rect>\n";
}

void chart::mark(double at, std::string_view text, int row) {
  // Where there is more room.
  const bool left = x(at) > k_width / 2;
  body_ += fmt::format(
      "<path class=\"mark\" d=\"M{0:.2f} {1}V{2:.2f}\"/>"
      "<text class=\"marked\" x=\"{3:.2f}\" y=\"{4:.2f}\" text-anchor=\"{5}\">{6}</text>\n",
      x(at), k_top, height_ - k_bottom, x(at) + (left ? -3 : 3), k_top + 11 + 13 * row,
      left ? "end" : "start", html(text));
}

std::string chart::figure(std::string_view caption) const {
  return fmt::format(
      "<figure id=\"{}\"><figcaption>{}</figcaption>\n"
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}</svg></figure>\n",
      id_, caption, k_width, height_, html(label_), body_);
}

}  // namespace mgws::bench
