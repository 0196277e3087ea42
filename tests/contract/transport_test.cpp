// What core/transport.hpp cannot check: that a view's objects are where the contract wants them.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <mgws/transports/impl/transport.hpp>
#include <mgws/transports/table.hpp>
#include <mgws/transports/transport.hpp>

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
constexpr std::uint32_t k_channels = 4;
constexpr std::uint32_t k_inboxes = 2;
constexpr std::size_t k_inbox_bytes = 512;

mgws::transport_request request() {
  return {.workers = k_workers,
          .queues = k_queues,
          .queue_bytes = k_queue_bytes,
          .global_cells = 3,
          .device_cells = {4, 0, 2},
          .channels = k_channels,
          .inboxes = k_inboxes,
          .inbox_bytes = k_inbox_bytes};
}

/// Calls f with each word of a queue's control block, of either kind.
template <class B, class F>
void for_each_word(mgws::queue_head<B>& h, F&& f) {
  f(h.word);
  for (int e = 0; e != 2; ++e) {
    f(h.completed[e]);
    f(h.claimed[e]);
  }
  f(h.acquired);
}
template <class B, class F>
void for_each_word(mgws::sdc_head<B>& h, F&& f) {
  f(h.lock);
  f(h.tail);
  f(h.split);
  f(h.completed);
  f(h.acquired);
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
    for (std::uint32_t i = 0; i != k_inboxes; ++i) {
      all.push_back(extent_of(v.inbox(d, i)));
      all.push_back(extent_of(v.inbox_gate(d, i)));
      const auto ring = reinterpret_cast<std::uintptr_t>(v.inbox_slots(d, i));
      all.emplace_back(ring, ring + k_inbox_bytes);
    }
  }
  if constexpr (mgws::bridged_view<View>)
    for (std::uint32_t c = 0; c != k_channels; ++c)
      all.push_back(extent_of(v.bridge_gate(c)));
  all.push_back(extent_of(v.control(0)));
  for (std::uint32_t w = 0; w != k_workers; ++w)
    all.push_back(extent_of(v.progress(w)));
  all.push_back(extent_of(v.parking()));
  return all;
}

void are_apart(std::vector<extent> all, std::size_t line) {
  std::ranges::sort(all);
  for (std::size_t i = 1; i != all.size(); ++i) {
    REQUIRE(all[i - 1].second <= all[i].first);
    REQUIRE((all[i - 1].second - 1) / line != all[i].first / line);
  }
}

/// Memory as if it were a device's: the host is to read and write it through copies alone.
class far_area {
 public:
  far_area() = default;
  explicit far_area(std::size_t bytes, bool on_host = true) : all_(bytes), on_host_(on_host) {}
  [[nodiscard]] std::byte* data() const { return all_.data(); }
  [[nodiscard]] std::size_t bytes() const { return all_.bytes(); }
  [[nodiscard]] bool on_host() const { return on_host_; }
  void write(std::size_t offset, const void* from, std::size_t n) const {
    all_.write(offset, from, n);
  }
  void read(void* to, std::size_t offset, std::size_t n) const { all_.read(to, offset, n); }
  void read_behind(std::byte* to, std::size_t n) const { read(to, 0, n); }
  void assign(const far_area& other) const { write(0, other.data(), bytes()); }

 private:
  mgws::cpu_backend::area all_;
  bool on_host_ = true;
};

struct looking_backend : mgws::cpu_backend::backend {
  static constexpr bool host_looks = true;
};
/// The host needs a mirror.
struct blind_backend : mgws::cpu_backend::backend {
  static constexpr bool host_looks = false;
};

template <class T>
auto read(const T& x) {
  return mgws::cpu_backend::backend::load(x, mgws::order::relaxed, mgws::scope::system);
}
template <class T>
void write(T& x, std::uint32_t n) {
  mgws::cpu_backend::backend::store(x, n, mgws::order::relaxed, mgws::scope::system);
}

}  // namespace

TEMPLATE_TEST_CASE("transport: each device its own memory, at which the host looks through copies",
                   "", looking_backend, blind_backend) {
  using B = TestType;
  using view = mgws::placed_view<B, mgws::scope::system_t, mgws::k_most_gpus>;
  using transport = mgws::transport<view, far_area>;
  static_assert(mgws::device_area<far_area> && mgws::host_side_transport<transport>);
  static_assert(mgws::mirrored_view<view> == !B::host_looks);
  auto asked = request();
  asked.devices = {{0, 3, 0, 2}, {3, 2, 2, 2}, {5, 2, 4, 1}};
  asked.counters_with_signals = GENERATE(false, true);
  std::size_t slots = 0;
  transport t(asked, [&](std::uint32_t m, mgws::transport_memory what, std::size_t bytes) {
    REQUIRE(m < 3);
    if (what == mgws::transport_memory::slots) slots += bytes;
    return far_area(
        bytes, what == mgws::transport_memory::mirror || what == mgws::transport_memory::inboxes);
  });
  CHECK(slots == (k_queues + 3) * k_queue_bytes);
  const view v = t.workers_view(nullptr);
  auto all = objects(v);
  for (const std::uint32_t d : {1u, 2u})
    all.push_back(extent_of(v.control(d)));
  if constexpr (!B::host_looks) {
    for (std::uint32_t d = 0; d != 3; ++d)
      all.push_back(extent_of(v.host_control(d)));
    for (std::uint32_t w = 0; w != k_workers; ++w)
      all.push_back(extent_of(v.host_progress(w)));
  }
  are_apart(all, B::line);

  const auto request_of = [](const view& at, std::uint32_t d) {
    if constexpr (B::host_looks) {
      return read(at.control(d).stop);
    } else {
      return read(at.host_control(d).stop);
    }
  };
  for (int round = 0; round != 2; ++round) {
    write(v.head(3).acquired, 11);
    write(v.global_cell(2).value, 12);
    write(v.device_cell(2, 1).value, 13);
    write(v.initial_next(1).value, 14);
    write(v.board(2).taken, 15);
    write(v.progress(6).executed, 16);
    t.stop(1, mgws::stop_reason::cancelled);
    CHECK(request_of(v, 0) == 0);
    CHECK(request_of(v, 1) == static_cast<std::uint32_t>(mgws::stop_reason::cancelled));
    write(v.control(2).failures, 18);
    t.look_at_control_behind();
    t.take_over_requests();
    const view seen = t.host_view();
    CHECK(read(seen.control(2).failures) == 18);
    CHECK(read(seen.control(1).stop) == static_cast<std::uint32_t>(mgws::stop_reason::cancelled));
    CHECK(read(seen.head(3).acquired) == 0);
    t.look();
    CHECK(&seen.head(3) != &v.head(3));
    CHECK(read(seen.head(3).acquired) == 11);
    CHECK(read(seen.global_cell(2).value) == 12);
    CHECK(read(seen.device_cell(2, 1).value) == 13);
    CHECK(read(seen.initial_next(1).value) == 14);
    CHECK(read(seen.board(2).taken) == 15);
    CHECK(read(seen.progress(6).executed) == 16);
    CHECK(read(seen.progress(5).target) == mgws::worker_progress<B>::no_target);
    // What was asked for is in what the host sees, wherever it was asked.
    CHECK(read(seen.control(1).stop) == static_cast<std::uint32_t>(mgws::stop_reason::cancelled));

    write(v.progress(6).executed, 17);
    if constexpr (!B::host_looks) write(v.host_progress(6).executed, 17);
    CHECK(read(seen.progress(6).executed) == 16);
    t.look_at_signals();
    CHECK(read(t.live_view().progress(6).executed) == 17);

    t.reset();
    t.look();
    CHECK(read(t.host_view().head(3).acquired) == 0);
    CHECK(read(t.host_view().initial_next(1).value) == 0);
    CHECK(read(t.live_view().progress(6).executed) == 0);
    CHECK(request_of(v, 1) == 0);
  }
}

TEST_CASE("transport: the rows of the placement table make sense") {
  namespace rows = mgws::transports;
  for (const mgws::transport_row& row : rows::k_all) {
    INFO(row.name);
    // Counters have no block of their own.
    CHECK((row.counters == row.queues || row.counters == row.signals));
    for (const mgws::transport_row& other : rows::k_all)
      CHECK((row.kind == other.kind) == (std::string(row.name) == other.name));
  }
  // CPU workers can always join one.
  CHECK(
      std::ranges::any_of(rows::k_built, [](const auto& r) { return r.without_gpus == nullptr; }));
}

TEMPLATE_LIST_TEST_CASE("transport: no two objects share bytes or a line", "",
                        contract::platforms) {
  using B = typename TestType::backend;
  const typename TestType::transport transport(request());
  are_apart(objects(transport.workers_view(nullptr)), B::line);
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
      for_each_word(h, zero);
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
      for_each_word(h, write);
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
