// Adaptive quadrature: Simpson's rule, an interval cut in half where two halves say something else
// than the whole. The integrand has peaks of very different widths, so that nobody knows beforehand
// where the work lies. A join adds what two halves found.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include <mgws/mgws.hpp>

constexpr int k_peaks = 40;
MGWS_FN inline double centre(int i) {
  return (i + 0.37) / k_peaks;
}
MGWS_FN inline double width(int i) {
  return 1.0 / (1 << (4 + i % 14));
}
MGWS_FN inline double f(double x) {
  double sum = 0;
  for (int i = 0; i != k_peaks; ++i) {
    const double t = (x - centre(i)) / width(i);
    sum += 1 / (width(i) * (1 + t * t));
  }
  return sum;
}
// Its integral from 0 to 1.
double exact() {
  double sum = 0;
  for (int i = 0; i != k_peaks; ++i)
    sum += std::atan((1 - centre(i)) / width(i)) - std::atan(-centre(i) / width(i));
  return sum;
}

struct integral : mgws::sum<double> {};
struct intervals : mgws::sum<std::uint64_t> {};

struct add {
  static constexpr bool continuation = true;
  mgws::place<double> to;  // nowhere: this is all
  double left, right;
  MGWS_FN void operator()(auto& worker) const {
    if (to) return worker.deliver(to, left + right);
    worker.accumulate(integral{}, left + right);
  }
};

struct interval {
  double a, b;
  double fa, fm, fb;
  double tolerance;  // of what it contributes
  mgws::place<double> to;
  MGWS_FN void operator()(auto& worker) const {
    worker.accumulate(intervals{}, 1);
    const double m = (a + b) / 2;
    const double fl = f((a + m) / 2);
    const double fr = f((m + b) / 2);
    const double whole = (b - a) / 6 * (fa + 4 * fm + fb);
    const double halves = (b - a) / 12 * (fa + 4 * fl + 2 * fm + 4 * fr + fb);
    const double off = (halves - whole) / 15;
    if (to && (off < 0 ? -off : off) <= tolerance) return worker.deliver(to, halves + off);
    const auto sum = worker.join(add{to, 0, 0}, 2);
    worker.spawn(interval{a, m, fa, fl, fm, tolerance / 2, sum.to(&add::left)});
    worker.spawn(interval{m, b, fm, fr, fb, tolerance / 2, sum.to(&add::right)});
  }
};

int main(int argc, char** argv) {
  const double tolerance = argc > 1 ? std::stod(argv[1]) : 1e-8;
  mgws::options o;
  std::string why;
  if (!mgws::gpu_names(why).empty()) o.devices = {{.kind = mgws::device_kind::gpu}};
  mgws::runtime<mgws::task_set<interval, add>, mgws::accumulators<integral, intervals>> rt(o);
  rt.seed(interval{0, 1, f(0), f(0.5), f(1), tolerance, {}});
  const auto report = rt.run();
  const double off = std::abs(report.get<integral>() - exact());
  std::printf("%.12f from %llu intervals, off by %.1e, in %.3f ms: %s\n", report.get<integral>(),
              static_cast<unsigned long long>(report.get<intervals>()), off, report.seconds * 1e3,
              off <= tolerance ? "right" : "WRONG");
  return off <= tolerance ? 0 : 1;
}
