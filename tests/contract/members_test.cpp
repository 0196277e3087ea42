// Everything that a task may call, at every width, through the door that users have.
#include "members.hpp"

#include <string>

#include "catch.hpp"

TEST_CASE("a task of any width may call everything, and is told what is so", "[members]") {
  for (const std::uint32_t workers : {1u, 2u, 5u}) {
    mgws::options o;
    o.devices = {{.workers = workers}};
    INFO(workers << " workers");
    REQUIRE(members::fault<members::runtime>(o, 100, 4) == "");
  }
  mgws::options groups;
  groups.devices = {{.workers = 2}, {.workers = 1}};
  REQUIRE(members::fault<members::runtime>(groups, 100, 4) == "");
}
