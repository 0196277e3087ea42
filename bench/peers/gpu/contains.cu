// Articles that contain a word, without a runtime: a warp or a block an article, and pieces of the
// text whatever articles they are of.
#include "peers/gpu/contains.hpp"
#include "peers/gpu/device.hpp"
#include "peers/gpu/find_head.hpp"

namespace mgws::bench::peers::gpu {

namespace {

constexpr unsigned k_whole_warp = ~0u;
/// What a launch may ask for. More threads would leave a lane too few registers.
constexpr int k_most_threads = 512;

struct device_corpus {
  const char* text;
  const unsigned long long* offsets;
  unsigned long long articles;
  unsigned long long bytes;
  needle word;
};

/// One addition a warp, when it ends.
__device__ void add_of_warp(unsigned long long* sum, unsigned long long x) {
  if (threadIdx.x % 32 == 0 && x != 0) atomicAdd(sum, x);
}

/// Whether an article has the word, by the warps of a group, of which this one is `warp` of
/// `warps`. \param found  whether another one of them has found it
template <bool Short, class Found>
__device__ bool search(const device_corpus& c, unsigned long long begin, unsigned long long end,
                       unsigned warp, unsigned warps, Found&& found) {
  if (end - begin < c.word.bytes) return false;
  const positions all = positions::from(c.text, begin, end - c.word.bytes);
  for (unsigned long long first = std::uint64_t{warp} * k_tile_units; first < all.units;
       first += std::uint64_t{warps} * k_tile_units) {
    if (found()) return false;
    const unsigned heads = heads_in_tile<Short>(all, first, c.word);
    bool mine = false;
    if (heads != 0)
      for_each_match(all, first, heads, c.word, [&](unsigned long long) { mine = true; });
    if (__any_sync(k_whole_warp, mine)) return true;
  }
  return false;
}

/// A warp takes `chunk` articles at once, which are at most 31: their bounds are a load of its
/// lanes.
template <bool Counted, bool Short>
__global__ void __launch_bounds__(k_most_threads)
    warp_an_article(device_corpus c, unsigned chunk, unsigned long long* next,
                    unsigned long long* sum) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned long long warps = std::uint64_t{gridDim.x} * (blockDim.x / 32);
  const unsigned long long warp = std::uint64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
  unsigned long long matches = 0;
  const auto take = [&]() -> unsigned long long {
    return lane == 0 ? atomicAdd(next, std::uint64_t{chunk}) : 0;
  };
  unsigned long long first = Counted ? __shfl_sync(k_whole_warp, take(), 0) : warp * chunk;
  while (first < c.articles) {
    // Asked for now, needed when these are searched.
    const unsigned long long following = Counted ? take() : first + warps * chunk;
    const unsigned n = c.articles - first < chunk ? unsigned(c.articles - first) : chunk;
    const unsigned long long bound = lane <= n ? c.offsets[first + lane] : 0;
    for (unsigned i = 0; i != n; ++i) {
      const unsigned long long begin = __shfl_sync(k_whole_warp, bound, i);
      const unsigned long long end = __shfl_sync(k_whole_warp, bound, i + 1);
      matches += search<Short>(c, begin, end, 0, 1, [] { return false; }) ? 1 : 0;
    }
    first = Counted ? __shfl_sync(k_whole_warp, following, 0) : following;
  }
  add_of_warp(sum, matches);
}

/// The warps of a block at the tiles of one article; one barrier an article.
template <bool Counted, bool Short>
__global__ void __launch_bounds__(k_most_threads)
    block_an_article(device_corpus c, unsigned long long* next, unsigned long long* sum) {
  // Of this article and of the next one, in turn.
  __shared__ unsigned long long taken[2];
  __shared__ volatile int found[2];
  const unsigned warp = threadIdx.x / 32;
  unsigned long long matches = 0;
  if (threadIdx.x == 0) {
    taken[0] = Counted ? atomicAdd(next, 1ull) : blockIdx.x;
    found[0] = 0;
  }
  __syncthreads();
  for (unsigned turn = 0;; turn ^= 1) {
    const unsigned long long article = taken[turn];
    if (article >= c.articles) break;
    unsigned long long following = 0;
    if (threadIdx.x == 0) following = Counted ? atomicAdd(next, 1ull) : article + gridDim.x;
    if (search<Short>(c, c.offsets[article], c.offsets[article + 1], warp, blockDim.x / 32,
                      [&] { return __any_sync(k_whole_warp, found[turn] != 0); }))
      found[turn] = 1;
    if (threadIdx.x == 0) {
      taken[turn ^ 1] = following;
      found[turn ^ 1] = 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) matches += found[turn];
  }
  if (threadIdx.x < 32) add_of_warp(sum, matches);
}

/// A warp takes the next piece of the text. Which article a match is in is looked up, for it is
/// seldom; an article counts with the first one.
template <bool Short>
__global__ void __launch_bounds__(k_most_threads)
    warp_a_piece(device_corpus c, unsigned piece, unsigned run, unsigned* seen_in_run,
                 unsigned long long* next, unsigned long long* sum) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned long long end = c.bytes < c.word.bytes ? 0 : c.bytes - c.word.bytes + 1;
  unsigned matches = 0;
  const auto take = [&]() -> unsigned long long {
    return lane == 0 ? atomicAdd(next, std::uint64_t{piece}) : 0;
  };
  unsigned long long first = __shfl_sync(k_whole_warp, take(), 0);
  while (first < end) {
    const unsigned long long following = take();
    const positions all = positions::from(c.text, first, min(first + piece, end) - 1);
    for (unsigned long long tile = 0; tile < all.units; tile += k_tile_units) {
      const unsigned heads = heads_in_tile<Short>(all, tile, c.word);
      if (heads == 0) continue;
      for_each_match(all, tile, heads, c.word, [&](unsigned long long at) {
        unsigned long long low = 0;  // the article that begins last at or before the match
        for (unsigned long long high = c.articles; high - low > 1;) {
          const unsigned long long middle = low + (high - low) / 2;
          (c.offsets[middle] <= at ? low : high) = middle;
        }
        if (at + c.word.bytes <= c.offsets[low + 1] && atomicExch(&seen_in_run[low], run) != run)
          ++matches;
      });
    }
    __syncwarp();
    first = __shfl_sync(k_whole_warp, following, 0);
  }
  add_of_warp(sum, __reduce_add_sync(k_whole_warp, matches));
}

struct launch {
  dim3 blocks;
  int threads;
  device_corpus corpus;
  const contains_tuning& tuning;
  unsigned run;
  unsigned* seen_in_run;
  unsigned long long* next;
  unsigned long long* sum;

  template <class Kernel>
  void resident(Kernel kernel) {
    blocks = dim3(static_cast<unsigned>(resident_blocks(kernel, threads)));
  }

  template <bool Short>
  void operator()(contains_form form) {
    const auto warps = [&](auto kernel) {
      resident(kernel);
      kernel<<<blocks, threads>>>(corpus, tuning.chunk, next, sum);
    };
    const auto whole_blocks = [&](auto kernel) {
      resident(kernel);
      kernel<<<blocks, threads>>>(corpus, next, sum);
    };
    switch (form) {
      case contains_form::warp_static:
        return warps(warp_an_article<false, Short>);
      case contains_form::warp_counter:
        return warps(warp_an_article<true, Short>);
      case contains_form::block_static:
        return whole_blocks(block_an_article<false, Short>);
      case contains_form::block_counter:
        return whole_blocks(block_an_article<true, Short>);
      case contains_form::pieces:
        resident(warp_a_piece<Short>);
        warp_a_piece<Short><<<blocks, threads>>>(corpus, tuning.piece, run, seen_in_run, next, sum);
    }
  }
};

}  // namespace

struct corpus_on_gpu::memory {
  device_array<char> text;
  device_array<unsigned long long> offsets;
  device_array<char> word;
  device_array<unsigned> seen_in_run;
  unsigned runs = 0;
  device_corpus corpus;
};

corpus_on_gpu::corpus_on_gpu(std::string_view text, const std::uint64_t* offsets,
                             std::uint64_t articles, std::string_view word)
    : memory_(new memory{.text = device_array<char>(text.size() + k_text_padding),
                         .offsets = device_array<unsigned long long>(articles + 1),
                         .word = device_array<char>(word.size()),
                         .seen_in_run = device_array<unsigned>(articles + 1),
                         .corpus = {}}) {
  const std::vector<unsigned long long> bounds(offsets, offsets + articles + 1);
  memory_->text.zero();
  memory_->text.upload(text.data(), text.size());
  memory_->offsets.upload(bounds.data(), bounds.size());
  memory_->word.upload(word.data(), word.size());
  memory_->seen_in_run.zero();
  memory_->corpus = {memory_->text.data(), memory_->offsets.data(), articles, text.size(),
                     needle::of(word, memory_->word.data())};
}
corpus_on_gpu::~corpus_on_gpu() = default;

std::vector<contains_run> corpus_on_gpu::search(contains_form form, const contains_tuning& tuning,
                                                repetitions times) {
  device_array<unsigned long long> numbers(2);
  std::vector<unsigned long long> after;
  stopwatch watch;
  std::vector<contains_run> runs;
  for (std::uint32_t run = 0; run != times.warmup + times.repeat; ++run) {
    numbers.zero();
    launch go{{},
              static_cast<int>(tuning.threads),
              memory_->corpus,
              tuning,
              ++memory_->runs,
              memory_->seen_in_run.data(),
              numbers.data(),
              numbers.data() + 1};
    const double seconds = watch.seconds_of([&] {
      if (memory_->corpus.word.head_bytes < 4) {
        go.operator()<true>(form);
      } else {
        go.operator()<false>(form);
      }
    });
    numbers.download(after);
    if (run >= times.warmup) runs.push_back({seconds, after[1]});
  }
  return runs;
}

}  // namespace mgws::bench::peers::gpu
