/// \file
/// Whether a text contains a word, byte for byte: by the CPU's library, and by the lanes of a GPU's
/// worker side by side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include <mgws/atomic_ref.hpp>
#include <mgws/core/bits.hpp>
#include <mgws_port.hpp>

namespace mgws::bench {

/// What is searched for.
struct needle {
  const char* word;
  std::size_t bytes;
  std::uint32_t head;  ///< its first bytes, at most 4, the first one lowest
  std::uint32_t mask;  ///< the bits of these

  /// \param word  not empty \param copy  where the tasks read it
  [[nodiscard]] static needle of(std::string_view word, const char* copy) {
    needle n{copy, word.size(), 0, 0};
    for (std::size_t i = 0; i != std::min<std::size_t>(word.size(), 4); ++i) {
      n.head |= std::uint32_t{static_cast<unsigned char>(word[i])} << 8 * i;
      n.mask |= std::uint32_t{0xff} << 8 * i;
    }
    return n;
  }
};

/// Texts that follow each other: the i-th is [at(i), at(i + 1)) of what begins at `begin`.
struct texts_in_line {
  const char* begin;             ///< of the first
  const std::uint64_t* offsets;  ///< of each, and the end of the last, from somewhere before it
  std::uint64_t number;
  std::uint32_t* found_in;  ///< of each, the last run that found the word there; lanes write it
  std::uint32_t run;        ///< this one

  [[nodiscard]] MGWS_FN std::size_t at(std::uint64_t i) const { return offsets[i] - offsets[0]; }
  /// The text in which a position is: the last one that begins at or before it.
  [[nodiscard]] MGWS_FN std::uint64_t text_at(std::size_t position) const {
    // Eight parts at once, for the loads of one round do not wait for each other.
    constexpr std::uint64_t k_parts = 8;
    std::uint64_t low = 0;
    for (std::uint64_t n = number; n > 1;) {
      const std::uint64_t part = (n + k_parts - 1) / k_parts;
      std::uint64_t begun = 0;  // parts behind the first
      for (std::uint64_t k = 1; k != k_parts; ++k)
        begun += k * part < n && at(low + k * part) <= position ? 1 : 0;
      low += begun * part;
      n = std::min(part, n - begun * part);
    }
    return low;
  }
};

struct find_by_library {
  [[nodiscard]] static bool has(auto& /*worker*/, const char* text, std::size_t bytes,
                                const needle& n) {
    return memmem(text, bytes, n.word, n.bytes) != nullptr;
  }
  /// How many of the texts have it.
  [[nodiscard]] static std::uint64_t count(auto& worker, const texts_in_line& t, const needle& n) {
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i != t.number; ++i)
      found += has(worker, t.begin + t.at(i), t.at(i + 1) - t.at(i), n) ? 1 : 0;
    return found;
  }
};

/// By the lanes of a task. Each lane reads aligned 16-byte units, its neighbours the neighbouring
/// ones, and compares the 16 positions that begin in each with the needle's first bytes; where any
/// of these agrees it compares the rest.
struct find_by_lanes {
  /// Bytes behind a text that may be read, whatever they are. In front of it, up to 15 are.
  static constexpr std::size_t k_padding = 32;

  /// Collective: the lanes stop together.
  [[nodiscard]] MGWS_FN static bool has(auto& worker, const char* text, std::size_t bytes,
                                        const needle& n) {
    const aligned_text all(text, bytes);
    bool found = false;
    all.scan(worker, n, [&](std::size_t first, std::size_t apart, std::uint32_t heads) {
      if (!worker.any(heads != 0)) return false;
      bool here = false;
      for (; heads != 0; heads &= heads - 1)
        all.each_match(first + lowest_bit(heads) * apart, n, [&](std::size_t) { here = true; });
      found = worker.any(here);
      return found;
    });
    return found;
  }

  /// How many of the texts have it that no other lane counts. Collective. They are read as one:
  /// where one ends and the next begins costs nothing. And where first bytes are costs little: a
  /// lane looks closer when it sees others, or at the end, as by then most lanes do.
  [[nodiscard]] MGWS_FN static std::uint64_t count(auto& worker, const texts_in_line& t,
                                                   const needle& n) {
    const aligned_text all(t.begin, t.at(t.number));
    std::uint64_t found = 0;
    const auto look_closer = [&](std::size_t unit) {
      all.each_match(unit, n, [&](std::size_t position) {
        const std::uint64_t text = t.text_at(position);
        if (position + n.bytes > t.at(text + 1)) return;  // it ends in the next one
        const mgws::atomic_ref<std::uint32_t, scope::device_t> seen(t.found_in[text]);
        found += seen.exchange(t.run) != t.run ? 1 : 0;
      });
    };
    constexpr std::size_t none = ~std::size_t{0};
    std::size_t waits = none;  // a unit with first bytes
    all.scan(worker, n, [&](std::size_t first, std::size_t apart, std::uint32_t heads) {
      for (; heads != 0; heads &= heads - 1) {
        if (waits != none) look_closer(waits);
        waits = first + lowest_bit(heads) * apart;
      }
      worker.sync();  // what is read at once lies together
      return false;
    });
    if (waits != none) look_closer(waits);
    return found;
  }

 private:
  struct alignas(16) unit {
    std::uint32_t word[4];
  };
  /// Units a lane looks at at once.
  static constexpr std::uint32_t k_units = 4;

  /// A text as units, of which the first has positions in front of it.
  class aligned_text {
   public:
    MGWS_FN aligned_text(const char* text, std::size_t bytes)
        : skew_(reinterpret_cast<std::uintptr_t>(text) % sizeof(unit)),
          units_(reinterpret_cast<const unit*>(text - skew_)),
          bytes_(bytes) {}

    /// Calls look(first, apart, heads) again and again until the text has no more, or it returns
    /// true: by all lanes equally often. Of the units first, first + apart, ... there is a bit in
    /// `heads` for each that has the first bytes.
    MGWS_FN void scan(auto& worker, const needle& n, auto&& look) const {
      if (n.bytes > bytes_) return;
      const std::size_t count = (skew_ + bytes_ - n.bytes) / sizeof(unit) + 1;
      const std::size_t apart = worker.lanes();
      for (std::size_t first = worker.lane(); first - worker.lane() < count;
           first += k_units * apart) {
        // All loads before the first comparison: the memory is far away.
        unit read[k_units];
        std::uint32_t behind[k_units];
        each_unit([&](std::uint32_t k) {
          const std::size_t i = first + k * apart;
          read[k] = i < count ? units_[i] : unit{};
          behind[k] = i < count ? units_[i + 1].word[0] : 0;
        });
        // All positions without a branch between them, then one for all.
        std::uint32_t heads = 0;
        each_unit([&](std::uint32_t k) {
          if (has_head(read[k], behind[k], n)) heads |= 1u << k;
        });
        if (look(first, apart, heads)) return;
      }
    }

    /// Calls f(position in the text) for each place in a unit where the needle begins.
    MGWS_FN void each_match(std::size_t i, const needle& n, auto&& f) const {
      const unit here = units_[i];
      const std::uint32_t behind = units_[i + 1].word[0];
      for (std::uint32_t places = heads_in(here, behind, n); places != 0; places &= places - 1) {
        // In front of the text: larger than any position.
        const std::size_t at = sizeof here * i + lowest_bit(places) - skew_;
        if (at <= bytes_ - n.bytes && rest_agrees(text() + at, n)) f(at);
      }
    }

   private:
    [[nodiscard]] MGWS_FN const char* text() const {
      return reinterpret_cast<const char*>(units_) + skew_;
    }

    std::size_t skew_;
    const unit* units_;
    std::size_t bytes_;
  };

  /// Without a loop: what they index stays in registers.
  MGWS_FN static void each_unit(auto&& f) {
    [&]<std::uint32_t... k>(std::integer_sequence<std::uint32_t, k...>) {
      (f(k), ...);
    }
    (std::make_integer_sequence<std::uint32_t, k_units>());
  }

  /// In which of the positions that begin in a unit the needle's first bytes are, a bit for each.
  /// \param behind  the four bytes behind the unit
  [[nodiscard]] MGWS_FN static std::uint32_t heads_in(const unit& u, std::uint32_t behind,
                                                      const needle& n) {
    std::uint32_t places = 0;
    for (std::uint32_t p = 0; p != sizeof(unit); ++p)
      places |= begins_at(u, behind, p, n) ? 1u << p : 0;
    return places;
  }
  /// Whether in any.
  [[nodiscard]] MGWS_FN static bool has_head(const unit& u, std::uint32_t behind, const needle& n) {
    bool any = false;
    for (std::uint32_t p = 0; p != sizeof(unit); ++p)
      any |= begins_at(u, behind, p, n);
    return any;
  }
  [[nodiscard]] MGWS_FN static bool begins_at(const unit& u, std::uint32_t behind, std::uint32_t p,
                                              const needle& n) {
    const std::uint32_t w = p / 4;
    const std::uint64_t window = std::uint64_t{w == 3 ? behind : u.word[w + 1]} << 32 | u.word[w];
    return ((static_cast<std::uint32_t>(window >> 8 * (p % 4)) ^ n.head) & n.mask) == 0;
  }

  /// Behind the first bytes.
  [[nodiscard]] MGWS_FN static bool rest_agrees(const char* text, const needle& n) {
    for (std::size_t i = sizeof n.head; i < n.bytes; ++i)
      if (text[i] != n.word[i]) return false;
    return true;
  }
};

/// For a run over both: on a CPU by the library, on a GPU by lanes.
struct find_by_either {
  static constexpr std::size_t k_padding = find_by_lanes::k_padding;

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  using here = find_by_lanes;
#else
  using here = find_by_library;
#endif
  /// As the others'.
  [[nodiscard]] MGWS_FN static bool has(auto& worker, const char* text, std::size_t bytes,
                                        const needle& n) {
    return here::has(worker, text, bytes, n);
  }
  [[nodiscard]] MGWS_FN static std::uint64_t count(auto& worker, const texts_in_line& t,
                                                   const needle& n) {
    return here::count(worker, t, n);
  }
};

}  // namespace mgws::bench
