// The forces of a step of molecular dynamics without a runtime, as Chen, Villa, Krishnamoorthy and
// Gao have them beside their task queues: one launch, and a launch for each chunk; and what one
// writes today, resident blocks with a counter.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <latch>
#include <thread>

#include "peers/gpu/device.hpp"
#include "peers/gpu/md.hpp"

namespace mgws::bench::peers::gpu {

namespace {

using md::atom;
using md::neighbourhood;
using md::pull;
using host_clock = std::chrono::steady_clock;

constexpr unsigned k_whole_warp = ~0u;

struct device_atoms {
  neighbourhood all;
  const atom* targets;
  pull* pulls;
  unsigned long long* neighbours;
};

/// A range of atoms.
struct range {
  unsigned first;
  unsigned end;
  [[nodiscard]] unsigned tasks() const {
    return (end - first + k_atoms_of_task - 1) / k_atoms_of_task;
  }
};

/// The thread's atom of a task. \return its neighbours
__device__ unsigned run_task(const device_atoms& a, const range& r, unsigned task) {
  const unsigned i = r.first + task * k_atoms_of_task + threadIdx.x;
  unsigned neighbours = 0;
  if (i < r.end) a.pulls[i] = a.all.on(a.targets[i], neighbours);
  return neighbours;
}

/// One addition a warp. Called by all its lanes.
__device__ void add_of_warp(unsigned long long* sum, unsigned long long x) {
  for (int away = 16; away != 0; away /= 2)
    x += __shfl_down_sync(k_whole_warp, x, away);
  if (threadIdx.x % 32 == 0 && x != 0) atomicAdd(sum, x);
}

__global__ void __launch_bounds__(k_atoms_of_task) block_a_task(device_atoms a, range r) {
  add_of_warp(a.neighbours, run_task(a, r, blockIdx.x));
}

__global__ void __launch_bounds__(k_atoms_of_task)
    take_from_counter(device_atoms a, range r, unsigned tasks, unsigned* next) {
  // Of this task and of the next one, in turn.
  __shared__ unsigned taken[2];
  unsigned long long neighbours = 0;
  if (threadIdx.x == 0) taken[0] = atomicAdd(next, 1u);
  __syncthreads();
  for (unsigned turn = 0; taken[turn] < tasks; turn ^= 1) {
    if (threadIdx.x == 0) taken[turn ^ 1] = atomicAdd(next, 1u);
    neighbours += run_task(a, r, taken[turn]);
    __syncthreads();
  }
  add_of_warp(a.neighbours, neighbours);
}

int select(std::uint32_t device) {
  must(cudaSetDevice(static_cast<int>(device)), "the GPU");
  return static_cast<int>(device);
}

/// One GPU, its copy of the atoms, and which of them it has done in a run.
class one_gpu {
 public:
  one_gpu(const neighbourhood& all, std::size_t cells, const std::vector<atom>& targets,
          std::uint32_t device)
      : device_(select(device)),
        atoms_(targets.size()),
        begin_(cells + 1),
        targets_(targets.size()),
        pulls_(targets.size()),
        numbers_(1),
        next_(1),
        all_(all) {
    atoms_.upload(all.atoms, targets.size());
    begin_.upload(all.begin, cells + 1);
    targets_.upload(targets.data(), targets.size());
    all_.atoms = atoms_.data();
    all_.begin = begin_.data();
    resident_ = static_cast<unsigned>(resident_blocks(take_from_counter, k_atoms_of_task));
  }

  void use() const { must(cudaSetDevice(device_), "the GPU"); }
  void forget() {
    use();
    pulls_.set_bytes(0xff);  // no numbers
    numbers_.zero();
    next_.zero();
    done_.clear();
    must(cudaDeviceSynchronize(), "the GPU");
  }
  void launch(md_form form, range r) {
    done_.push_back(r);
    if (form == md_form::counter) {
      take_from_counter<<<std::min(resident_, r.tasks()), k_atoms_of_task>>>(
          on_device(), r, r.tasks(), next_.data());
    } else {
      block_a_task<<<r.tasks(), k_atoms_of_task>>>(on_device(), r);
    }
    must(cudaGetLastError(), "a kernel's launch");
  }
  /// What it has done; returns the neighbours.
  [[nodiscard]] std::uint64_t collect(std::vector<pull>& all) const {
    use();
    for (const range& r : done_)
      must(cudaMemcpy(all.data() + r.first, pulls_.data() + r.first,
                      (r.end - r.first) * sizeof(pull), cudaMemcpyDeviceToHost),
           "a result of the GPU");
    std::vector<unsigned long long> neighbours;
    numbers_.download(neighbours);
    return neighbours.front();
  }

 private:
  [[nodiscard]] device_atoms on_device() const {
    return {all_, targets_.data(), pulls_.data(), numbers_.data()};
  }

  int device_;
  device_array<atom> atoms_;
  device_array<std::uint32_t> begin_;
  device_array<atom> targets_;
  device_array<pull> pulls_;
  device_array<unsigned long long> numbers_;
  device_array<unsigned> next_;
  neighbourhood all_;
  unsigned resident_ = 0;
  std::vector<range> done_;
};

}  // namespace

struct md_on_gpus::memory {
  unsigned atoms;
  std::vector<std::unique_ptr<one_gpu>> gpus;

  /// The part of a GPU, of whole tasks.
  [[nodiscard]] range part(std::size_t gpu) const {
    const std::uint64_t tasks = range{0, atoms}.tasks();
    const auto from = [&](std::size_t g) {
      const std::uint64_t first = tasks * g / gpus.size() * k_atoms_of_task;
      return static_cast<unsigned>(std::min<std::uint64_t>(first, atoms));
    };
    return {from(gpu), from(gpu + 1)};
  }
  /// All that a GPU does in a run.
  void work(std::size_t gpu, md_form form, std::uint32_t chunk, std::atomic<std::uint64_t>& next) {
    if (form != md_form::chunks) {
      if (const range r = part(gpu); r.first != r.end) gpus[gpu]->launch(form, r);
    } else {
      for (std::uint64_t first; (first = next.fetch_add(chunk)) < atoms;) {
        const std::uint64_t end = std::min<std::uint64_t>(first + chunk, atoms);
        gpus[gpu]->launch(form, {static_cast<unsigned>(first), static_cast<unsigned>(end)});
        must(cudaDeviceSynchronize(), "a kernel");
      }
    }
  }
  /// A thread for each GPU, which all begin at once.
  double seconds_of_all(md_form form, std::uint32_t chunk, std::atomic<std::uint64_t>& next) {
    std::latch ready(static_cast<std::ptrdiff_t>(gpus.size()) + 1);
    std::vector<std::exception_ptr> thrown(gpus.size());
    std::vector<host_clock::time_point> ends(gpus.size());
    std::vector<std::thread> threads;
    for (std::size_t gpu = 0; gpu != gpus.size(); ++gpu)
      threads.emplace_back([&, gpu] {
        ready.arrive_and_wait();
        try {
          gpus[gpu]->use();
          work(gpu, form, chunk, next);
          must(cudaDeviceSynchronize(), "a kernel");
          ends[gpu] = host_clock::now();
        } catch (...) {
          thrown[gpu] = std::current_exception();
        }
      });
    ready.arrive_and_wait();
    const auto begin = host_clock::now();
    for (std::thread& t : threads)
      t.join();
    for (const std::exception_ptr& e : thrown)
      if (e) std::rethrow_exception(e);
    return std::chrono::duration<double>(*std::ranges::max_element(ends) - begin).count();
  }
};

md_on_gpus::md_on_gpus(const neighbourhood& all, std::size_t cells,
                       const std::vector<atom>& targets, std::uint32_t first, std::uint32_t gpus)
    : memory_(new memory{.atoms = static_cast<unsigned>(targets.size()), .gpus = {}}) {
  for (std::uint32_t gpu = 0; gpu != gpus; ++gpu)
    memory_->gpus.push_back(std::make_unique<one_gpu>(all, cells, targets, first + gpu));
}
md_on_gpus::~md_on_gpus() = default;

std::vector<double> md_on_gpus::run(md_form form, std::uint32_t chunk, repetitions times,
                                    const look& seen) {
  std::vector<double> all;
  std::vector<pull> found(memory_->atoms);
  memory_->gpus.front()->use();
  stopwatch watch;
  for (std::uint32_t run = 0; run != times.warmup + times.repeat; ++run) {
    for (const auto& gpu : memory_->gpus)
      gpu->forget();
    std::atomic<std::uint64_t> next = 0;
    double seconds = 0;
    if (memory_->gpus.size() == 1) {
      seconds = watch.seconds_of([&] { memory_->work(0, form, chunk, next); });
    } else {
      seconds = memory_->seconds_of_all(form, chunk, next);
    }
    std::uint64_t neighbours = 0;
    for (const auto& gpu : memory_->gpus)
      neighbours += gpu->collect(found);
    seen(found, neighbours);
    if (run >= times.warmup) all.push_back(seconds);
  }
  return all;
}

}  // namespace mgws::bench::peers::gpu
