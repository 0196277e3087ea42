// Resumable tasks on workers of several lanes, on lanes that are threads: each does all of its
// pieces once and in order, though lanes take others while some go on.
#include "catch.hpp"
#include "contract/resumable.hpp"
#include "lanes_world.hpp"

namespace {

using namespace lanes_on_threads;

/// \param moved  receives how many pieces ran elsewhere than the one before
template <class B>
std::string fault(const sizes& s, mgws::termination termination, std::uint32_t n,
                  std::uint64_t& moved) {
  world<B, pieces::tasks, pieces::results> w(s);
  pieces::results should;
  for (std::uint32_t k = 0; k != 3; ++k) {
    const pieces::root r{100 * k, n};
    w.seed(r);
    pieces::expect(should, r);
  }
  w.seed(pieces::bulk{7, {}}, n);
  for (std::uint32_t k = 0; k != n; ++k)
    pieces::expect(should, 7 + k, false);
  const auto o = w.run(termination);
  if (o.failed != mgws::failure::none) return "the run failed";
  if (o.executed != should.get<pieces::ended>()) return std::to_string(o.executed) + " executed";
  moved += o.results.template get<pieces::moved>();
  return pieces::difference(o.results, should);
}

template <class B>
std::string fault_of_waiting(const sizes& s, std::uint32_t n) {
  world<B, pieces::waiting, pieces::results> w(s);
  pieces::results should;
  pieces::expect(should, 5, n);
  w.seed(pieces::phase{5, n});
  const auto o = w.run(k_counter);
  if (o.failed != mgws::failure::none) return "the run failed";
  return pieces::difference(o.results, should);
}

}  // namespace

TEST_CASE("lanes: resumable tasks do all of their pieces, beside tasks of all widths") {
  for (const std::uint32_t workers : {1u, 2u, 3u})
    for (const std::uint32_t local : {8u, 32u}) {
      INFO(workers << " workers, " << local << " local slots");
      const sizes s{.workers = workers, .local = local, .shared = 16, .spill = 4096};
      std::uint64_t moved = 0;
      CHECK(fault<four>(s, k_counter, 20, moved) == "");
      CHECK(fault<one_warp>(s, mgws::termination::hierarchical, 20, moved) == "");
      // Sooner or later one that has begun is stolen.
      for (int i = 0; workers != 1 && moved == 0 && i != 1000; ++i)
        REQUIRE(fault<four>(s, k_counter, 20, moved) == "");
      CHECK((moved != 0) == (workers != 1));
    }
}

TEST_CASE("lanes: resumable tasks below finishes, and as continuations") {
  for (const std::uint32_t workers : {1u, 3u})
    CHECK(fault_of_waiting<four>({.workers = workers, .local = 16, .spill = 4096, .frames = 256},
                                 20) == "");
}
