// mgws::array: data that tasks read and write, wherever they run.
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "behaviour.hpp"
#include "catch.hpp"
#include "platform.hpp"

namespace {

struct arrays {
  const std::uint32_t* from;
  std::uint32_t* to;
};

struct doubling {
  void operator()(auto& worker, mgws::task_index i) const {
    worker.context().to[i] = 2 * worker.context().from[i];
  }
};

}  // namespace

TEMPLATE_LIST_TEST_CASE("array: carries data to the tasks and back", "", contract::platforms) {
  constexpr std::uint32_t n = 10'007;
  typename TestType::template runtime<mgws::task_set<doubling>, mgws::accumulators<>, arrays> rt(
      TestType::groups_of({2}));
  std::vector<std::uint32_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 7u);
  mgws::array<std::uint32_t> from(rt, n);
  from.upload(numbers);
  mgws::array<std::uint32_t> to(rt, n + 1);
  to.fill(0xab);
  rt.seed_n(doubling{}, n);
  rt.run({from.data(), to.data()});
  std::vector<std::uint32_t> seen(n + 1);
  to.download(seen);
  CHECK(seen[n] == 0xabababab);
  bool right = true;
  for (std::uint32_t i = 0; i != n; ++i)
    right = right && seen[i] == 2 * numbers[i];
  CHECK(right);
}

TEMPLATE_LIST_TEST_CASE("array: what does not fit is refused in a sentence", "",
                        contract::platforms) {
  using contract::is_one_sentence_about;
  typename TestType::template runtime<mgws::task_set<doubling>, mgws::accumulators<>, arrays> rt(
      TestType::groups_of({1}));
  const auto refused = [](auto&& f, const char* about) {
    CHECK(contract::throws<mgws::bad_configuration>(f, [&](const auto& e) {
      INFO(e.what());
      CHECK(is_one_sentence_about(e.what(), about));
    }));
  };
  for (const std::size_t n : {(std::size_t{1} << 62) + 1, std::size_t{1} << 61, ~std::size_t{0}})
    refused([&] { mgws::array<std::uint32_t>(rt, n); }, "larger than any memory");
  refused([&] { mgws::array<std::uint32_t>(std::shared_ptr<mgws::memory_space>(), 1); },
          "needs a memory");

  mgws::array<std::uint32_t> ten(rt, 10);
  std::vector<std::uint32_t> eleven(11, 7);
  refused([&] { ten.upload(eleven); }, "an upload to an array of 10 elements cannot have 11");
  refused([&] { ten.download(eleven); }, "a download from an array of 10 elements cannot have 11");
  ten.upload(std::span(eleven).first(10));
  mgws::array<std::uint32_t> moved(std::move(ten));
  refused([&] { ten.upload(eleven); }, "array of 0 elements");
  std::vector<std::uint32_t> seen(10);
  moved.download(seen);
  CHECK(seen == std::vector<std::uint32_t>(10, 7));
}

TEMPLATE_LIST_TEST_CASE("array: owns its memory, moves, and may be empty", "",
                        contract::platforms) {
  // The memory outlives the runtime that said where it is.
  std::shared_ptr<mgws::memory_space> memory;
  {
    typename TestType::template runtime<mgws::task_set<doubling>, mgws::accumulators<>, arrays> rt(
        TestType::groups_of({1}));
    memory = rt.data_memory();
  }
  const std::vector<std::uint64_t> numbers{1, 2, 3};
  mgws::array<std::uint64_t> a(memory, std::span<const std::uint64_t>(numbers));
  CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 256 == 0);
  const auto* const at = a.data();
  mgws::array<std::uint64_t> b(std::move(a));
  CHECK(b.data() == at);
  CHECK(b.size() == 3);
  a = std::move(b);
  std::vector<std::uint64_t> seen(3);
  a.download(seen);
  CHECK(seen == numbers);
  // A part.
  a.upload(std::vector<std::uint64_t>{9});
  a.download(seen);
  CHECK(seen == std::vector<std::uint64_t>{9, 2, 3});

  mgws::array<std::uint64_t> none(memory, 0);
  none.fill(1);
  none.upload({});
  none.download({});
  CHECK(none.data() == nullptr);
  const mgws::array<std::uint64_t> nothing;
  CHECK(nothing.size() == 0);
}
