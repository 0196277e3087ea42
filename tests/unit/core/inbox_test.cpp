// When a producer hears that its slots were read.
#include <cstdint>

#include <mgws/core/inbox.hpp>

#include "catch.hpp"

TEST_CASE("inbox: what a producer knows of is less than half a ring behind") {
  for (const std::uint32_t capacity : {1u, 2u, 4u, 64u})
    for (std::uint32_t n = 1; n <= capacity; ++n) {
      INFO(capacity << " slots, " << n << " at a time");
      std::uint64_t read = 0;
      unsigned times = 0;
      for (std::uint64_t taken = 0; taken < 8 * capacity;) {
        const bool tells = mgws::passes_half(taken, n, capacity);
        taken += n;
        if (tells) {
          read = taken;
          ++times;
        }
        // A ring that looks full has more than half of its slots still to be taken.
        REQUIRE((taken == read || 2 * (taken - read) < capacity));
      }
      CHECK(times >= 8);   // each time a ring was read
      CHECK(times <= 17);  // and no more than twice that often
    }
}
