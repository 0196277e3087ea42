#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <mgws/core/task_set.hpp>

#include "catch.hpp"

namespace {

struct tiny {
  std::uint8_t a;
};
struct empty {};
struct eight {
  std::uint64_t a;
};
struct nine {
  std::array<std::uint8_t, 9> a;
};
struct big {
  std::array<std::uint64_t, 11> a;
};
struct wide {
  static constexpr mgws::shape width = mgws::shape::block;
  alignas(16) std::array<std::uint64_t, 2> a;
};
struct warped {
  static constexpr auto width = mgws::shape::warp;
};

template <std::size_t>
struct numbered {
  std::uint16_t n;
};
template <class>
struct many;
template <std::size_t... I>
struct many<std::index_sequence<I...>> {
  using set = mgws::task_set<numbered<I>...>;
};
template <std::size_t N>
using set_of = typename many<std::make_index_sequence<N>>::set;

template <class Tasks>
void check_headers() {
  using slot = mgws::slot<Tasks>;
  using header = typename slot::header;
  constexpr auto most = static_cast<std::uint32_t>(slot::max_instances);
  for (const std::uint32_t type : {0u, Tasks::size / 2, Tasks::size - 1})
    for (const std::uint32_t first : {0u, 1u, 12345u, most / 2, most - 1, most})
      for (const std::uint32_t count : {1u, 2u, 77u, most / 2, most - 1, most}) {
        const auto h = header::make(type, first, count);
        REQUIRE(h.type() == type);
        REQUIRE(h.first() == first);
        REQUIRE(h.count() == count);
        if (count == 1 || first == most) continue;
        const auto rest = h.without_first();
        REQUIRE(rest.type() == type);
        REQUIRE(rest.first() == first + 1);
        REQUIRE(rest.count() == count - 1);
      }
}

}  // namespace

TEST_CASE("task_set: indices, membership, widths") {
  using set = mgws::task_set<tiny, wide, warped>;
  CHECK(set::size == 3);
  CHECK(set::index<tiny> == 0);
  CHECK(set::index<wide> == 1);
  CHECK(set::index<warped> == 2);
  CHECK(set::contains<warped>);
  CHECK_FALSE(set::contains<big>);
  CHECK(set::largest_task == sizeof(wide));
  CHECK(set::width<tiny> == mgws::shape::lane);
  CHECK(set::width<warped> == mgws::shape::warp);
  CHECK(set::width<wide> == mgws::shape::block);
}

TEST_CASE("task_set: with_type calls for the right type, once") {
  using set = set_of<256>;
  for (std::uint32_t i = 0; i != 256; ++i) {
    std::vector<std::uint32_t> called;
    set::with_type(i, [&]<class T>() { called.push_back(set::index<T>); });
    REQUIRE(called == std::vector<std::uint32_t>{i});
  }
  int alone = 0;
  mgws::task_set<tiny>::with_type(0,
                                  [&]<class T>() { alone += std::is_same_v<T, tiny> ? 1 : 100; });
  CHECK(alone == 1);
}

TEST_CASE("slot: as small as the largest task and the header allow, in 16-byte words") {
  CHECK(sizeof(mgws::slot<mgws::task_set<empty>>) == 16);
  CHECK(sizeof(mgws::slot<mgws::task_set<tiny>>) == 16);
  CHECK(sizeof(mgws::slot<mgws::task_set<eight>>) == 16);
  CHECK(sizeof(mgws::slot<mgws::task_set<nine>>) == 32);
  CHECK(sizeof(mgws::slot<mgws::task_set<tiny, big>>) == 96);
  CHECK(alignof(mgws::slot<mgws::task_set<tiny>>) == 16);
}

TEST_CASE("slot: instances that one slot can stand for") {
  CHECK(mgws::slot<mgws::task_set<eight>>::max_instances == 0xffff'ffffu);
  CHECK(mgws::slot<mgws::task_set<eight, tiny>>::max_instances == (1u << 31) - 1);
  CHECK(mgws::slot<set_of<3>>::max_instances == (1u << 31) - 1);
  CHECK(mgws::slot<set_of<4>>::max_instances == (1u << 31) - 1);
  CHECK(mgws::slot<set_of<5>>::max_instances == (1u << 30) - 1);
  CHECK(mgws::slot<set_of<256>>::max_instances == (1u << 28) - 1);
}

TEST_CASE("slot: headers keep type, first and count apart") {
  check_headers<set_of<1>>();
  check_headers<set_of<2>>();
  check_headers<set_of<3>>();
  check_headers<set_of<5>>();
  check_headers<set_of<17>>();
  check_headers<set_of<256>>();
}

TEST_CASE("slot: the task that goes in comes out, beside its header") {
  using set = mgws::task_set<tiny, nine, big, wide>;
  using slot = mgws::slot<set>;
  big b{};
  for (std::size_t i = 0; i != b.a.size(); ++i)
    b.a[i] = ~(i * 0x0101'0101'0101'0101u);
  slot s;
  s.write(b, 3, 9);
  CHECK(s.read<big>().get().a == b.a);
  CHECK(s.read_header().type() == 2);
  CHECK(s.read_header().first() == 3);
  CHECK(s.read_header().count() == 9);

  const auto kept = s.read<big>();
  const nine n{{1, 2, 3, 4, 5, 6, 7, 8, 9}};
  s.write(n, 0, 1);
  CHECK(s.read<nine>().get().a == n.a);
  CHECK(s.read_header().type() == 1);
  // A copy is the task's own, whatever becomes of the slot.
  CHECK(kept.get().a == b.a);

  s.write_header(slot::header::make(1, 5, 2));
  CHECK(s.read<nine>().get().a == n.a);
  CHECK(s.read_header().first() == 5);

  const wide w{{{1, 2}}};
  s.write(w, 0, 1);
  const auto copy = s.read<wide>();
  CHECK(reinterpret_cast<std::uintptr_t>(&copy.get()) % alignof(wide) == 0);
  CHECK(copy.get().a == w.a);
}
