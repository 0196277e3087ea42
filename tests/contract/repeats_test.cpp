// Many small runs in which all workers race at the start and at the end: where a protocol that is
// nearly right shows itself.
#include "repeats.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "platform.hpp"
#include "workload.hpp"

namespace {

using mgws::overflow_policy;
using mgws::termination;

struct variant {
  std::vector<std::uint32_t> groups;
  overflow_policy overflow;
  std::uint32_t queue;
};

}  // namespace

TEMPLATE_LIST_TEST_CASE("repeats: every detector with every number of owners, no wrong result", "",
                        contract::platforms) {
  using runtime =
      typename TestType::template runtime<contract::mixed, contract::results, contract::pace>;
  const auto [name, detector] =
      GENERATE(std::pair{"counter", termination::counter}, std::pair{"tree", termination::tree},
               std::pair{"hierarchical", termination::hierarchical});
  const std::uint32_t owners = GENERATE(1u, 2u, 4u);
  const std::uint32_t runs = test::repeats(test::k_full);
  const std::vector<variant> variants{{{4}, overflow_policy::probe, 8},
                                      {{2, 2}, overflow_policy::damping, 2},
                                      {{4}, overflow_policy::damping, 64},
                                      {{2, 1, 1}, overflow_policy::probe, 4}};
  constexpr std::uint32_t k_depth = 3;
  const contract::results expected = contract::expected(3, k_depth);
  REQUIRE(expected.get<contract::instances>() > 100);

  std::uint32_t done = 0;
  std::uint32_t wrong = 0;
  std::uint32_t shared = 0;
  for (std::size_t v = 0; v != variants.size(); ++v) {
    mgws::options o = TestType::groups_of(variants[v].groups);
    o.termination = detector;
    o.owners = owners;
    o.overflow = variants[v].overflow;
    o.public_queue = variants[v].queue;
    o.local_queue = variants[v].queue;
    o.spill = 1024;
    // A run that hangs is a wrong one; nothing here takes a thousandth of this.
    o.timeout = std::chrono::seconds(60);
    runtime rt(o);
    contract::seed(rt, 3, k_depth);
    rt.keep_seeds(true);
    const auto share =
        static_cast<std::uint32_t>((v + 1) * runs / variants.size() - v * runs / variants.size());
    for (std::uint32_t i = 0; i != share; ++i, ++done) {
      const auto r = rt.run({.spin = 400, .gives_way = 16});
      shared += std::ranges::count_if(r.workers, [](const auto& w) { return w.tasks != 0; }) > 1;
      if (r.results == expected && r.tasks == expected.get<contract::instances>() &&
          r.status == mgws::status::completed)
        continue;
      ++wrong;
      UNSCOPED_INFO("wrong run " << i << " of variant " << v << ", seed " << r.seed);
    }
  }
  std::printf("%s, %u owners: %u runs of %llu tasks, %u of them on several workers\n", name, owners,
              done, static_cast<unsigned long long>(expected.get<contract::instances>()), shared);
  CHECK(done == runs);
  // Runs that one worker did alone would show nothing.
  CHECK(shared >= runs / 4);
  REQUIRE(wrong == 0);
}
