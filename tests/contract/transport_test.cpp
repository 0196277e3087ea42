// What core/transport.hpp cannot check: that a view's objects are where the contract wants them.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "platform.hpp"

namespace {

/// Bytes of one object, and whether others that different workers write must be on other lines.
using extent = std::pair<std::uintptr_t, std::uintptr_t>;

template <class T>
extent extent_of(const T& x) {
  const auto at = reinterpret_cast<std::uintptr_t>(&x);
  return {at, at + sizeof(T)};
}

constexpr std::uint32_t k_queues = 5;
constexpr std::uint32_t k_workers = 7;
constexpr std::size_t k_queue_bytes = 4096;

mgws::transport_request request() {
  return {.workers = k_workers,
          .queues = k_queues,
          .queue_bytes = k_queue_bytes,
          .global_cells = 3,
          .device_cells = {4, 0, 2}};
}

template <class View>
std::vector<extent> objects(const View& v) {
  std::vector<extent> all;
  for (std::uint32_t q = 0; q != k_queues; ++q) {
    all.push_back(extent_of(v.head(q)));
    const auto at = reinterpret_cast<std::uintptr_t>(v.slots(q));
    all.emplace_back(at, at + k_queue_bytes);
  }
  for (std::uint32_t i = 0; i != 3; ++i)
    all.push_back(extent_of(v.global_cell(i)));
  for (std::uint32_t i = 0; i != 4; ++i)
    all.push_back(extent_of(v.device_cell(0, i)));
  for (std::uint32_t i = 0; i != 2; ++i)
    all.push_back(extent_of(v.device_cell(2, i)));
  for (std::uint32_t d = 0; d != 3; ++d) {
    all.push_back(extent_of(v.initial_next(d)));
    all.push_back(extent_of(v.board(d)));
    const auto at = reinterpret_cast<std::uintptr_t>(v.board_slot(d));
    all.emplace_back(at, at + k_queue_bytes);
  }
  all.push_back(extent_of(v.control(0)));
  for (std::uint32_t w = 0; w != k_workers; ++w)
    all.push_back(extent_of(v.progress(w)));
  all.push_back(extent_of(v.parking()));
  return all;
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("transport: no two objects share bytes or a line", "",
                        contract::platforms) {
  using B = typename TestType::backend;
  const typename TestType::transport transport(request());
  auto all = objects(transport.workers_view(nullptr));
  std::ranges::sort(all);
  for (std::size_t i = 1; i != all.size(); ++i) {
    REQUIRE(all[i - 1].second <= all[i].first);
    REQUIRE((all[i - 1].second - 1) / B::line != all[i].first / B::line);
  }
}

TEMPLATE_LIST_TEST_CASE("transport: slots are aligned for 16-byte words", "", contract::platforms) {
  const typename TestType::transport transport(request());
  const auto v = transport.workers_view(nullptr);
  for (std::uint32_t q = 0; q != k_queues; ++q)
    CHECK(reinterpret_cast<std::uintptr_t>(v.slots(q)) % 16 == 0);
}

TEMPLATE_LIST_TEST_CASE("transport: every copy of a view reaches the same objects", "",
                        contract::platforms) {
  const typename TestType::transport transport(request());
  int initial = 0;
  const auto v = transport.workers_view(&initial);
  const auto copy = v;
  CHECK(objects(v) == objects(copy));
  CHECK(objects(v) == objects(transport.workers_view(nullptr)));
  CHECK(v.initial_slots() == &initial);
  CHECK(transport.workers_view(nullptr).initial_slots() == nullptr);
}

TEMPLATE_LIST_TEST_CASE("transport: everything is at its start at first and after reset", "",
                        contract::platforms) {
  using B = typename TestType::backend;
  using progress = mgws::worker_progress<B>;
  typename TestType::transport transport(request());
  const auto v = transport.workers_view(nullptr);
  const auto read = [](const auto& x) {
    return B::load(x, mgws::order::relaxed, mgws::scope::system);
  };
  const auto write = [](auto& x) { B::store(x, 9, mgws::order::relaxed, mgws::scope::system); };
  for (int round = 0; round != 3; ++round) {
    bool at_start = true;
    const auto zero = [&](const auto& x) { at_start = at_start && read(x) == 0; };
    for (std::uint32_t q = 0; q != k_queues; ++q) {
      auto& h = v.head(q);
      zero(h.word);
      zero(h.completed[0]);
      zero(h.completed[1]);
      zero(h.claimed[0]);
      zero(h.claimed[1]);
      zero(h.acquired);
    }
    for (std::uint32_t i = 0; i != 3; ++i)
      zero(v.global_cell(i).value);
    for (std::uint32_t i = 0; i != 4; ++i)
      zero(v.device_cell(0, i).value);
    for (std::uint32_t i = 0; i != 2; ++i)
      zero(v.device_cell(2, i).value);
    for (std::uint32_t d = 0; d != 3; ++d) {
      zero(v.initial_next(d).value);
      zero(v.board(d).left);
      zero(v.board(d).taken);
      zero(v.board(d).until);
      zero(v.board(d).busy);
    }
    zero(v.control(0).stop);
    zero(v.control(0).spent[2]);
    zero(v.control(0).over);
    zero(v.control(0).failures);
    zero(v.control(0).kind);
    zero(v.control(0).detail);
    for (std::uint32_t w = 0; w != k_workers; ++w) {
      zero(v.progress(w).executed);
      zero(v.progress(w).beats);
      zero(v.progress(w).now);
      at_start = at_start && read(v.progress(w).target) == progress::no_target;
    }
    CHECK(at_start);

    for (std::uint32_t q = 0; q != k_queues; ++q) {
      auto& h = v.head(q);
      write(h.word);
      write(h.completed[0]);
      write(h.completed[1]);
      write(h.claimed[0]);
      write(h.claimed[1]);
      write(h.acquired);
      std::memset(v.slots(q), 0xff, k_queue_bytes);
    }
    for (std::uint32_t i = 0; i != 3; ++i)
      write(v.global_cell(i).value);
    for (std::uint32_t i = 0; i != 4; ++i)
      write(v.device_cell(0, i).value);
    for (std::uint32_t i = 0; i != 2; ++i)
      write(v.device_cell(2, i).value);
    for (std::uint32_t d = 0; d != 3; ++d) {
      write(v.initial_next(d).value);
      write(v.board(d).left);
      write(v.board(d).taken);
      write(v.board(d).until);
      write(v.board(d).busy);
    }
    write(v.control(0).stop);
    write(v.control(0).spent[2]);
    write(v.control(0).over);
    write(v.control(0).failures);
    write(v.control(0).kind);
    write(v.control(0).detail);
    for (std::uint32_t w = 0; w != k_workers; ++w) {
      write(v.progress(w).executed);
      write(v.progress(w).beats);
      write(v.progress(w).now);
      write(v.progress(w).target);
    }
    transport.reset();
    CHECK(objects(v) == objects(transport.workers_view(nullptr)));
  }
}

TEMPLATE_LIST_TEST_CASE("transport: one scope an object", "", contract::platforms) {
  using view = typename TestType::transport::view;
  static_assert(mgws::transport_view<view>);
  const typename TestType::transport transport(request());
  CHECK(transport.queue_bytes() >= k_queues * k_queue_bytes);
  CHECK(transport.control_bytes() > 0);
}
