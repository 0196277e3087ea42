// Sorts by quicksort: a task cuts its part in two, hands one half on and goes on with the other.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <mgws/mgws.hpp>

struct context {
  std::uint32_t* keys;
};

struct sort_part {
  std::uint64_t first, end;

  MGWS_FN void operator()(auto& worker) const {
    std::uint32_t* const keys = worker.context().keys;
    std::uint64_t from = first;
    std::uint64_t to = end;
    while (to - from > 32) {
      const std::uint64_t middle = cut(keys, from, to);
      // The smaller half is handed on: then few wait at once.
      if (middle - from < to - middle) {
        worker.spawn(sort_part{from, middle});
        from = middle;
      } else {
        worker.spawn(sort_part{middle, to});
        to = middle;
      }
    }
    insert(keys, from, to);
  }

 private:
  /// Hoare's partition: keys before the result are at most those from it on; neither part is empty.
  MGWS_FN static std::uint64_t cut(std::uint32_t* keys, std::uint64_t from, std::uint64_t to) {
    const std::uint32_t a = keys[from], b = keys[from + (to - from) / 2], c = keys[to - 1];
    const std::uint32_t pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
    for (std::uint64_t i = from, j = to - 1;; ++i, --j) {
      while (keys[i] < pivot)
        ++i;
      while (pivot < keys[j])
        --j;
      // Where all others are smaller than the last one, that is a part by itself.
      if (i >= j) return j + 1 == to ? j : j + 1;
      const std::uint32_t k = keys[i];
      keys[i] = keys[j];
      keys[j] = k;
    }
  }
  MGWS_FN static void insert(std::uint32_t* keys, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from + 1; i < to; ++i) {
      const std::uint32_t k = keys[i];
      std::uint64_t at = i;
      for (; at != from && k < keys[at - 1]; --at)
        keys[at] = keys[at - 1];
      keys[at] = k;
    }
  }
};

int main(int argc, char** argv) {
  const std::size_t n = argc > 1 ? std::stoull(argv[1]) : 1'000'000;
  std::vector<std::uint32_t> keys(n);
  std::uint32_t x = 1;
  for (auto& k : keys)
    k = (x = x * 1664525 + 1013904223) >> 4;
  std::vector<std::uint32_t> expected = keys;

  mgws::options o;
  std::string why;
  if (!mgws::gpu_names(why).empty()) o.devices = {{.kind = mgws::device_kind::gpu}};
  mgws::runtime<mgws::task_set<sort_part>, mgws::accumulators<>, context> rt(o);
  mgws::array<std::uint32_t> data(rt, n);
  data.upload(keys);
  rt.seed(sort_part{0, n});
  const auto report = rt.run({data.data()});
  data.download(keys);

  std::sort(expected.begin(), expected.end());
  std::printf("%zu keys in %.4f s by %u workers: %s\n", n, report.seconds, rt.workers(),
              keys == expected ? "sorted" : "WRONG");
  return keys == expected ? 0 : 1;
}
