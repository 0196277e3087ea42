#include "runs/crypt.hpp"

#include <memory>
#include <type_traits>

#include "runs/runtime_runs.hpp"
#include "runs/width.hpp"

namespace mgws::bench::crypt {

namespace {

using runs_t = std::unique_ptr<runs<context, results>>;

template <shape Width, bool Bulk>
runs_t make(const options& o) {
  using work = std::conditional_t<Bulk, pieces<Width>, range<Width>>;
  using tasks = task_set<work, encrypted<Width, Bulk>, start<Width, Bulk>>;
  auto all = std::make_unique<runtime_runs<tasks, context, results>>(o);
  all->runtime().seed(start<Width, Bulk>{});
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
