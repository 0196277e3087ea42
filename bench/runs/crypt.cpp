#include "runs/crypt.hpp"

#include <memory>
#include <type_traits>

#include "runs/runtime_runs.hpp"
#include "runs/width.hpp"

namespace mgws::bench::crypt {

namespace {

using runs_t = std::unique_ptr<runs<context, results>>;

using how = std::conditional_t<std::is_same_v<this_port, ports::cpu>, one_by_one, by_pairs>;

template <shape Width, bool Bulk>
runs_t make(const options& o) {
  using work = std::conditional_t<Bulk, pieces<how, Width>, range<how, Width>>;
  using first = start<how, Width, Bulk>;
  using tasks = task_set<work, encrypted<how, Width, Bulk>, first>;
  auto all = std::make_unique<runtime_runs<tasks, context, results>>(o);
  all->runtime().seed(first{});
  return all;
}

}  // namespace

template <>
runs_t make_runs<this_port>(const options& o, const variant& v) {
  return with_width(v.width, [&]<shape Width>() -> runs_t {
    return v.bulk ? make<Width, true>(o) : make<Width, false>(o);
  });
}

}  // namespace mgws::bench::crypt
