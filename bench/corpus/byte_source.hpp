/// \file
/// Bytes of a file in order, decompressed on the way.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace mgws::bench {

enum class compression { none, gzip, bzip2 };

class byte_source {
 public:
  virtual ~byte_source() = default;
  byte_source(const byte_source&) = delete;
  byte_source& operator=(const byte_source&) = delete;

  /// Reads up to `into.size()` bytes, at least 1 unless the end is reached; 0 at the end. Throws
  /// `corpus_error` that names the path when the file cannot be read or its compressed data are
  /// corrupt or end early.
  [[nodiscard]] virtual std::size_t read(std::span<std::byte> into) = 0;

 protected:
  byte_source() = default;
};

/// Opens a file. Compressed files may be several streams one behind the other, as `bzip2` of many
/// cores and `cat a.gz b.gz` make them: the bytes of all are delivered.
[[nodiscard]] std::unique_ptr<byte_source> open_byte_source(const std::filesystem::path& path,
                                                            compression format);

}  // namespace mgws::bench
