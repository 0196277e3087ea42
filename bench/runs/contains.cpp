#include "runs/contains.hpp"

#include <algorithm>
#include <type_traits>

#include "runs/runtime_runs.hpp"
#include "runs/width.hpp"

namespace mgws::bench::contains {

namespace {
using find =
    std::conditional_t<std::is_same_v<this_port, ports::cpu>, find_by_library, find_by_either>;
}  // namespace

template <>
std::unique_ptr<runs<context, results>> make_runs<this_port>(const options& o, const variant& v) {
  return with_width(v.width, [&]<shape Width>() -> std::unique_ptr<runs<context, results>> {
    using all_tasks = tasks<find, Width>;
    auto all = std::make_unique<runtime_runs<all_tasks, context, results>>(o);
    const std::uint64_t most = v.bulk ? std::uint64_t{slot<all_tasks>::max_instances} : 1;
    all->runtime().reserve((v.batches + most - 1) / most);
    for (std::uint64_t first = 0; first < v.batches; first += most)
      all->runtime().seed_n(search<find, Width>{first}, std::min(most, v.batches - first));
    return all;
  });
}

}  // namespace mgws::bench::contains
