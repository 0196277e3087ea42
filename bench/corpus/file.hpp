/// \file
/// Owners of an open file and of a read-only memory map.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace mgws::bench {

/// An open file for reading.
class input_file {
 public:
  /// Throws `corpus_error` if the file cannot be opened.
  explicit input_file(std::filesystem::path path);
  ~input_file();
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;

  /// Reads up to `into.size()` bytes; 0 only at the end of the file. Throws `corpus_error`.
  [[nodiscard]] std::size_t read(std::span<std::byte> into);

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// A file's bytes in memory, read-only, paged in as they are touched. The file must not be cut
/// while it is mapped: touching a page that is gone is a SIGBUS, and nothing can be thrown out of
/// that. So the first map of a process takes that signal over: a touch of a page that a mapped file
/// has lost ends the process at once, with one sentence and exit code 1; what else raises it goes
/// where it went before. It costs nothing else, where reading the file instead would cost its size
/// in memory and the time to fill that. Bytes changed in place are not noticed, so writers of an
/// index replace it.
class mapped_file {
 public:
  mapped_file() = default;
  /// Throws `corpus_error` if the path is not a regular file or cannot be mapped, or if
  /// `k_most_mapped` are mapped already. An empty file is an empty map.
  explicit mapped_file(const std::filesystem::path& path);
  ~mapped_file();
  mapped_file(mapped_file&& other) noexcept;
  mapped_file& operator=(mapped_file&& other) noexcept;

  [[nodiscard]] std::span<const std::byte> view() const noexcept { return view_; }

  static constexpr std::size_t k_most_mapped = 64;

 private:
  std::span<const std::byte> view_;
};

}  // namespace mgws::bench
