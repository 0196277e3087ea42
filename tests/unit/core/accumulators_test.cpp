#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <mgws/core/accumulators.hpp>

#include "catch.hpp"

namespace {

struct total : mgws::sum<std::uint64_t> {};
struct small_total : mgws::sum<std::uint8_t> {};
struct highest : mgws::maximum<double> {};
struct lowest : mgws::minimum<std::int32_t> {};
/// Not one of ours: an accumulator is whatever has a neutral element and a way to combine.
struct all_bits {
  using value_type = std::uint32_t;
  static constexpr value_type identity() { return 0; }
  static constexpr value_type combine(value_type a, value_type b) { return a | b; }
};
using all = mgws::accumulators<total, small_total, highest, lowest, all_bits>;

struct unbalanced {
  using value_type = int;
  static constexpr value_type identity() { return 0; }
};

static_assert(mgws::accumulator<total> && mgws::accumulator<all_bits>);
static_assert(!mgws::accumulator<unbalanced>);
static_assert(std::is_trivially_copyable_v<all>);
static_assert(all::contains<total> && !all::contains<unbalanced>);

}  // namespace

TEST_CASE("accumulators: begin neutral") {
  const all a;
  CHECK(a.get<total>() == 0);
  CHECK(a.get<highest>() == std::numeric_limits<double>::lowest());
  CHECK(a.get<lowest>() == std::numeric_limits<std::int32_t>::max());
  CHECK(a.get<all_bits>() == 0);
}

TEST_CASE("accumulators: add and merge, each apart from the others") {
  all a;
  a.add<total>(5);
  a.add<total>(1);
  a.add<small_total>(250);
  a.add<small_total>(10);
  a.add<highest>(-3.5);
  a.add<lowest>(-7);
  a.add<lowest>(9);
  a.add<all_bits>(0x10);
  CHECK(a.get<total>() == 6);
  CHECK(a.get<small_total>() == 4);
  CHECK(a.get<highest>() == -3.5);
  CHECK(a.get<lowest>() == -7);

  all b;
  b.add<total>(100);
  b.add<highest>(2);
  b.add<all_bits>(0x01);
  b.merge(a);
  CHECK(b.get<total>() == 106);
  CHECK(b.get<highest>() == 2);
  CHECK(b.get<lowest>() == -7);
  CHECK(b.get<all_bits>() == 0x11);

  // As bytes, the way results come from a device.
  all c;
  std::memcpy(static_cast<void*>(&c), &b, sizeof b);
  CHECK(c.get<total>() == 106);
}

TEST_CASE("accumulators: merging a neutral one changes nothing; there may be none") {
  all a;
  a.add<total>(3);
  a.add<lowest>(4);
  a.merge(all{});
  CHECK(a.get<total>() == 3);
  CHECK(a.get<lowest>() == 4);
  mgws::accumulators<> none;
  none.merge({});
}
