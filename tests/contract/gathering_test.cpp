// What the tasks below a finish contribute to what comes after it.
#include "gathering.hpp"

#include <chrono>

#include "behaviour.hpp"
#include "catch.hpp"
#include "repeats.hpp"

TEST_CASE("gathering: nothing is lost, comes twice or late, on one device and on several") {
  for (mgws::options o : contract::small_machines())
    for (const std::uint32_t queue : {2u, 256u}) {
      o.public_queue = o.local_queue = queue;
      REQUIRE(gathering::fault<contract::runtime_of>(o, 256, 3) == "");
      REQUIRE(gathering::fault<contract::runtime_of>(o, 2, 20) == "");
    }
  REQUIRE(gathering::fault<contract::runtime_of>(contract::groups_of({3, 2}), 1u << 15, 2) == "");
}

TEST_CASE("gathering: many small runs, none wrong") {
  for (mgws::options o : contract::small_machines()) {
    o.public_queue = o.local_queue = 2;
    o.timeout = std::chrono::seconds(60);
    const auto runs = static_cast<int>(test::repeats(test::k_full) / 10);
    REQUIRE(gathering::fault<contract::runtime_of>(o, 8, runs) == "");
  }
}
