#include "picture/lengths.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace mgws::bench {

namespace {

/// A histogram with a bin for each length that there is.
class collected {
 public:
  /// So many that took so long together.
  void add(std::uint64_t ns, std::uint64_t n = 1) {
    if (n == 0) return;
    const std::uint64_t each = std::max<std::uint64_t>(1, ns / n);
    histogram::bin& bin = bins_[static_cast<std::size_t>(std::bit_width(each)) - 1];
    const double seconds = static_cast<double>(ns) * 1e-9;
    bin.count += n;
    bin.seconds += seconds;
    sum_.count += n;
    sum_.seconds += seconds;
    sum_.longest = std::max(sum_.longest, seconds / static_cast<double>(n));
  }
  [[nodiscard]] histogram cut() const {
    histogram h = sum_;
    const auto some = [](const histogram::bin& b) { return b.count != 0; };
    const auto first = std::ranges::find_if(bins_, some);
    const auto last = std::find_if(bins_.rbegin(), bins_.rend(), some).base();
    if (first == bins_.end()) return h;
    h.first = static_cast<std::uint32_t>(first - bins_.begin());
    h.bins.assign(first, last);
    return h;
  }

 private:
  std::array<histogram::bin, 64> bins_{};
  histogram sum_;
};

}  // namespace

lengths lengths_of(const run_report& r, std::optional<std::uint32_t> device) {
  collected working;
  collected steps;
  collected stealing;
  collected searching;
  collected idle;
  collected answers;
  for (std::size_t w = 0; w != r.records.size(); ++w) {
    if (device && r.workers[w].device != *device) continue;
    for (const trace_event& e : r.records[w].trace) {
      const std::uint64_t ns = e.end_ns - std::min(e.begin_ns, e.end_ns);
      switch (e.what) {
        case trace_event::kind::working:
          working.add(ns);
          steps.add(ns, e.n);
          break;
        case trace_event::kind::searching:
          searching.add(ns);
          break;
        case trace_event::kind::idle:
          idle.add(ns);
          break;
        case trace_event::kind::stolen:
          stealing.add(ns);
          break;
        case trace_event::kind::given:
          answers.add(ns);
          break;
      }
    }
  }
  return {working.cut(), steps.cut(), stealing.cut(), searching.cut(), idle.cut(), answers.cut()};
}

}  // namespace mgws::bench
