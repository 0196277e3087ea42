#include "picture/steals.hpp"

#include <algorithm>

namespace mgws::bench {

steals_of_workers steals_of(const run_report& r, queue_sharing sharing, std::uint32_t most) {
  steals_of_workers s;
  s.workers = static_cast<std::uint32_t>(r.workers.size());
  s.each = std::max(1u, (s.workers + most - 1) / most);
  s.rows = (s.workers + s.each - 1) / s.each;
  s.slots.resize(std::size_t{s.rows} * s.rows);
  for (std::uint32_t w = 0; w != s.workers; ++w)
    for (const trace_event& e : r.records[w].trace) {
      if (e.what != trace_event::kind::stolen) continue;
      const std::uint32_t owner = owner_of(r, w, e.queue, sharing);
      s.slots[std::size_t{w / s.each} * s.rows + owner / s.each] += e.n;
      s.all_slots += e.n;
      ++s.steals;
    }
  return s;
}

}  // namespace mgws::bench
