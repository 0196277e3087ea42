/// \file
/// The index: a corpus in a file that is mapped instead of read, so that a benchmark over a large
/// dump starts at once.
///
/// Layout, in the byte order of the machine that wrote it (a file of the other order is refused):
///
///     0   8  magic "MGWSCRP1"
///     8   4  0x01020304, which tells the byte order
///    12   4  version, 1
///    16   8  n, number of articles
///    24   8  t, size of the text
///    32   8  d, size of the description
///    40   8  size of the file, 64 + 8 (n + 1) + t + d
///    48   4  CRC-32 of the offsets
///    52   4  0
///    56   4  0
///    60   4  CRC-32 of the bytes 0 to 59
///    64      n + 1 offsets of 8 bytes, the text, the description
///
/// The checksums cover what a wrong value would turn into a read out of bounds. The text has none:
/// checking it would read all of it, which the map is there to avoid. The offsets are copied, 8
/// bytes an article, so that they stay what was checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "corpus/corpus.hpp"
#include "corpus/load.hpp"

namespace mgws::bench {

inline constexpr std::string_view k_index_magic = "MGWSCRP1";
inline constexpr std::uint32_t k_index_byte_order = 0x01020304;
inline constexpr std::uint32_t k_index_version = 1;

struct index_header {
  char magic[8];
  std::uint32_t byte_order;
  std::uint32_t version;
  std::uint64_t articles;
  std::uint64_t text_bytes;
  std::uint64_t description_bytes;
  std::uint64_t file_bytes;
  std::uint32_t offsets_crc32;
  std::uint32_t reserved[2];
  std::uint32_t header_crc32;
};
static_assert(sizeof(index_header) == 64 && offsetof(index_header, header_crc32) == 60);

/// Maps an index. Throws `corpus_error` if it is not one, is damaged or is truncated. If it is
/// truncated later, while it is mapped, the process ends with a sentence (mapped_file).
[[nodiscard]] corpus load_index(const std::filesystem::path& path,
                                const load_options& options = {});

/// Writes an index, under another name beside `path` first and renamed when it is complete: a
/// reader never sees half an index, and an index that is mapped keeps its content. Throws
/// `corpus_write_error` if that is not possible; nothing is left behind then.
void save_index(const corpus& articles, const std::filesystem::path& path);

}  // namespace mgws::bench
