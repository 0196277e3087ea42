// A server: clients that each send requests and wait for the answers, while a run goes on. A
// request is the longest Collatz sequence that begins in a range, which is cut into pieces as it is
// worked on; a join puts the answers of two halves together.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <mgws/mgws.hpp>

MGWS_FN inline std::uint32_t steps_from(std::uint64_t n) {
  std::uint32_t steps = 0;
  for (; n != 1; n = n % 2 == 0 ? n / 2 : 3 * n + 1)
    ++steps;
  return steps;
}

// Where the clients read: in the host's memory.
struct context {
  mgws::placed<std::uint32_t> answers;
};
using answer_ref = mgws::atomic_ref<std::uint32_t, mgws::scope::system_t>;

// The longer of two halves' longest: for the question that they are halves of, or for the client.
struct longer {
  static constexpr bool continuation = true;
  mgws::place<std::uint32_t> to;
  std::uint32_t request;
  std::uint32_t left, right;
  MGWS_FN void operator()(auto& worker) const {
    const std::uint32_t longest = left < right ? right : left;
    if (to) return worker.deliver(to, longest);
    answer_ref(worker.context().answers[request]).store(longest + 1, mgws::order::release);
  }
};

struct question {
  static constexpr std::uint32_t k_piece = 64;
  std::uint64_t first;
  std::uint32_t count;
  std::uint32_t request;
  mgws::place<std::uint32_t> to;  // nowhere: it is all of a request
  MGWS_FN void operator()(auto& worker) const {
    if (to && count <= k_piece) {
      std::uint32_t longest = 0;
      for (std::uint32_t i = 0; i != count; ++i) {
        const std::uint32_t steps = steps_from(first + i);
        longest = steps < longest ? longest : steps;
      }
      return worker.deliver(to, longest);
    }
    const auto both = worker.join(longer{to, request, 0, 0}, 2);
    const std::uint32_t half = count / 2;
    worker.spawn(question{first, half, request, both.to(&longer::left)});
    worker.spawn(question{first + half, count - half, request, both.to(&longer::right)});
  }
};

int main(int argc, char** argv) {
  const auto requests = static_cast<std::uint32_t>(argc > 1 ? std::stoul(argv[1]) : 300);
  constexpr std::uint32_t clients = 3;
  constexpr std::uint32_t range = 3000;

  mgws::options o;
  o.inboxes = clients;
  std::string why;
  if (!mgws::gpu_names(why).empty()) o.devices = {{.kind = mgws::device_kind::gpu}};
  mgws::runtime<mgws::task_set<question, longer>, mgws::accumulators<>, context> rt(o);
  mgws::placed_array<std::uint32_t> answers(rt.data_places(), requests, mgws::placement::host);
  answers.fill(0);
  const mgws::placed<std::uint32_t> reached = answers.on(0);

  auto live = rt.start({reached});
  std::atomic<std::uint32_t> wrong{0};
  std::vector<std::thread> threads;
  for (std::uint32_t c = 0; c != clients; ++c)
    threads.emplace_back([&, c] {
      for (std::uint32_t r = c; r < requests; r += clients) {
        const std::uint64_t first = 1 + std::uint64_t{r} * range;
        live.submit(question{first, range, r, {}});
        std::uint32_t answer = 0;
        while ((answer = answer_ref(reached[r]).load(mgws::order::acquire)) == 0)
          std::this_thread::yield();
        std::uint32_t longest = 0;
        for (std::uint64_t n = first; n != first + range; ++n)
          longest = steps_from(n) < longest ? longest : steps_from(n);
        wrong += answer != longest + 1;
      }
    });
  for (std::thread& t : threads)
    t.join();
  const auto report = live.close();
  std::printf("%u requests of %u clients, %llu tasks on %u workers: %s\n", requests, clients,
              static_cast<unsigned long long>(report.tasks), rt.workers(),
              wrong == 0 ? "right" : "WRONG");
  return wrong == 0 ? 0 : 1;
}
