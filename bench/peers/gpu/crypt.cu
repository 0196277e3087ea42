// IDEA over a text, without a runtime: a kernel a pass, whose subkeys are its argument and so in
// constant memory. From a copy in shared memory the compiler takes as many as it can into
// registers.
#include <algorithm>

#include "crypt/idea_lanes.hpp"
#include "peers/gpu/crypt.hpp"
#include "peers/gpu/device.hpp"

namespace mgws::bench::peers::gpu {

namespace {

/// What a thread loads or stores at once.
template <std::uint32_t Blocks>
struct alignas(Blocks * sizeof(idea::block)) unit {
  idea::block blocks[Blocks];
};

/// \param n  units in the text
/// \tparam Units   that a thread has at once, each the neighbour of another thread's
/// \tparam Shared  whether the subkeys are copied into shared memory
template <std::uint32_t Blocks, std::uint32_t Units, bool Shared>
__global__ void __launch_bounds__(k_most_crypt_threads)
    cipher_units(const __grid_constant__ idea::lane_keys keys, const idea::block* text,
                 idea::block* made, std::uint64_t n) {
  const auto* const from = reinterpret_cast<const unit<Blocks>*>(text);
  auto* const to = reinterpret_cast<unit<Blocks>*>(made);
  __shared__ idea::lane_keys copy;
  if constexpr (Shared) {
    if (threadIdx.x == 0) copy = keys;
    __syncthreads();
  }
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; first < n;
       first += Units * threads) {
    idea::block mine[Blocks * Units] = {};
#pragma unroll
    for (std::uint32_t u = 0; u != Units; ++u) {
      if (first + u * threads >= n) break;
      const unit<Blocks> loaded = from[first + u * threads];
#pragma unroll
      for (std::uint32_t i = 0; i != Blocks; ++i)
        mine[u * Blocks + i] = loaded.blocks[i];
    }
    idea::cipher<idea::subkeys::rounds>(mine, Shared ? copy : keys);
#pragma unroll
    for (std::uint32_t u = 0; u != Units; ++u) {
      if (first + u * threads >= n) break;
      unit<Blocks> stored;
#pragma unroll
      for (std::uint32_t i = 0; i != Blocks; ++i)
        stored.blocks[i] = mine[u * Blocks + i];
      to[first + u * threads] = stored;
    }
  }
}

/// A kernel for texts of one length.
struct launch {
  void (*kernel)(idea::lane_keys, const idea::block*, idea::block*, std::uint64_t);
  unsigned blocks;
  unsigned threads;
  std::uint64_t units;

  template <std::uint32_t Blocks, std::uint32_t Units, bool Shared>
  [[nodiscard]] static launch of(std::uint64_t text_blocks, const crypt_form& form) {
    launch made{cipher_units<Blocks, Units, Shared>, 0, form.threads,
                (text_blocks + Blocks - 1) / Blocks};
    const std::uint64_t each = std::uint64_t{form.threads} * Units;
    std::uint64_t blocks = (made.units + each - 1) / each;
    if (form.resident)
      blocks = std::min<std::uint64_t>(
          blocks, resident_blocks(made.kernel, static_cast<int>(form.threads)));
    made.blocks = static_cast<unsigned>(blocks);
    return made;
  }
  template <bool Shared>
  [[nodiscard]] static launch of(std::uint64_t text_blocks, const crypt_form& form) {
    if (form.bytes == 8) return of<1, 1, Shared>(text_blocks, form);
    if (form.bytes == 16) return of<2, 1, Shared>(text_blocks, form);
    return of<2, 2, Shared>(text_blocks, form);
  }

  void operator()(const idea::lane_keys& keys, const device_array<idea::block>& from,
                  const device_array<idea::block>& to) const {
    kernel<<<blocks, threads>>>(keys, from.data(), to.data(), units);
  }
};

}  // namespace

std::vector<double> run_crypt(const std::vector<idea::block>& plain,
                              const idea::subkeys& encrypting, const idea::subkeys& decrypting,
                              const crypt_form& form, repetitions times,
                              const look_at_texts& seen) {
  const idea::lane_keys encrypting_keys = idea::for_lanes(encrypting);
  const idea::lane_keys decrypting_keys = idea::for_lanes(decrypting);
  const launch pass =
      form.shared ? launch::of<true>(plain.size(), form) : launch::of<false>(plain.size(), form);
  // The last unit is whole.
  const std::size_t room = (plain.size() + 1) / 2 * 2;
  device_array<idea::block> plain_there(room);
  device_array<idea::block> encrypted_there(room);
  device_array<idea::block> decrypted_there(room);
  plain_there.zero();
  plain_there.upload(plain.data(), plain.size());
  std::vector<idea::block> encrypted;
  std::vector<idea::block> decrypted;
  stopwatch watch;
  std::vector<double> runs;
  for (std::uint32_t run = 0; run != times.warmup + times.repeat; ++run) {
    // What the last run has left would be right.
    encrypted_there.zero();
    decrypted_there.zero();
    const double seconds = watch.seconds_of([&] {
      pass(encrypting_keys, plain_there, encrypted_there);
      pass(decrypting_keys, encrypted_there, decrypted_there);
    });
    if (run < times.warmup) continue;
    runs.push_back(seconds);
    encrypted_there.download(encrypted);
    decrypted_there.download(decrypted);
    encrypted.resize(plain.size());
    decrypted.resize(plain.size());
    seen(encrypted, decrypted);
  }
  return runs;
}

}  // namespace mgws::bench::peers::gpu
