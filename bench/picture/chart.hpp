/// \file
/// Charts as SVG that stands in a page, whose style sheet has the colours.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mgws::bench {

/// What a time is told in where the largest is this one.
struct time_unit {
  double seconds = 1;
  std::string_view name = "s";
};
[[nodiscard]] time_unit unit_of(double seconds);

struct tick {
  double at = 0;
  std::string text;
};
/// Round numbers from one to another, about so many. \param unit  what 1 is in the text
[[nodiscard]] std::vector<tick> ticks_of(double from, double to, int about, double unit = 1);

/// A plot with axes. What is added later is drawn over what was there.
class chart {
 public:
  struct range {
    double from = 0;
    double to = 1;
  };

  /// \param id     of the figure that it is in
  /// \param label  what it shows, for those who do not see it
  chart(std::string_view id, std::string_view label, range x, range y, double height = 170);

  [[nodiscard]] double x(double value) const;
  [[nodiscard]] double y(double value) const;

  void x_axis(std::span<const tick> ticks, std::string_view title);
  void y_axis(std::span<const tick> ticks);
  /// An area below steps of one width from the range's begin to its end.
  void steps(std::string_view colour, std::span<const double> tops);
  /// A line through points whose x are equally far from each other.
  void line(std::string_view colour, std::span<const double> values);
  void bar(std::string_view colour, range across, range up, std::string_view tip = {});
  /// A line from top to bottom, its text so many lines from the top.
  void mark(double at, std::string_view text, int row);
  void add(std::string_view svg) { body_ += svg; }
  /// The chart as a figure with a caption, which is HTML.
  [[nodiscard]] std::string figure(std::string_view caption) const;

 private:
  std::string id_;
  std::string label_;
  range x_;
  range y_;
  double height_;
  std::string body_;
};

}  // namespace mgws::bench
