/// \file
/// The text of `crypt` and its options, the same for mgws-bench and for the peers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <CLI/CLI.hpp>

#include <mgws/errors.hpp>

#include "crypt/idea.hpp"
#include "harness/command_line.hpp"
#include "loop/pattern.hpp"

namespace mgws::bench {

struct crypt_options {
  std::uint64_t size = std::uint64_t{1} << 23;
  std::uint64_t grain = 64;
  std::uint64_t text_seed = 1;

  /// Blocks are instances of a task that has a few types beside it.
  static constexpr std::uint64_t k_most_blocks = (std::uint64_t{1} << 28) - 1;

  void add_to(CLI::App& command) {
    add_text_to(command);
    command.add_option("--grain", grain, "blocks of 8 bytes that are no longer cut in two")
        ->type_name("N")
        ->check(whole_number(1, k_most_blocks))
        ->capture_default_str();
  }
  /// Those that say what the text is.
  void add_text_to(CLI::App& command) {
    command.add_option("--size", size, "bytes of text, a multiple of 8")
        ->type_name("BYTES")
        ->check(whole_number(sizeof(idea::block), k_most_blocks * sizeof(idea::block)))
        ->capture_default_str();
    command.add_option("--text-seed", text_seed, "of the text and the key, which are random")
        ->type_name("S")
        ->check(whole_number())
        ->capture_default_str();
  }
  /// \throws bad_configuration
  [[nodiscard]] std::size_t blocks() const {
    if (size % sizeof(idea::block) != 0)
      throw bad_configuration("--size must be a multiple of 8: a text of whole blocks");
    return size / sizeof(idea::block);
  }
};

/// A text, its key, and what it is encrypted: found by one thread, which multiplies in another way
/// than tasks do.
struct crypt_text {
  idea::subkeys encrypting;
  idea::subkeys decrypting;
  std::vector<idea::block> plain;
  std::vector<idea::block> encrypted;

  /// \throws bad_configuration
  [[nodiscard]] static crypt_text make(const crypt_options& o) {
    const auto number = [&](std::uint64_t i) {
      return split_mix_64(split_mix_64(o.text_seed) + i);
    };
    crypt_text made{.encrypting = idea::to_encrypt(number(0), number(1)),
                    .decrypting = idea::to_decrypt(made.encrypting),
                    .plain = std::vector<idea::block>(o.blocks()),
                    .encrypted = std::vector<idea::block>(o.blocks())};
    for (std::size_t i = 0; i != made.plain.size(); ++i) {
      made.plain[i] = number(2 + i);
      made.encrypted[i] = idea::cipher<idea::by_remainder>(made.plain[i], made.encrypting);
    }
    return made;
  }
};

/// The blocks that two texts have in common up to the first one that differs.
[[nodiscard]] inline std::uint64_t equal_blocks(const std::vector<idea::block>& a,
                                                const std::vector<idea::block>& b) {
  return static_cast<std::uint64_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace mgws::bench
