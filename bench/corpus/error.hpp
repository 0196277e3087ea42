/// \file
/// What a corpus source throws: one sentence that names the path and says what is wrong with it.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace mgws::bench {

/// A corpus cannot be had from what was given. `what()` is one sentence for the user.
class corpus_error : public std::runtime_error {
 public:
  /// The sentence is the quoted path followed by `fault`, for example "is truncated".
  corpus_error(std::filesystem::path path, std::string fault)
      : std::runtime_error(std::string(1, '\'').append(path.string()).append("' ").append(fault)),
        path_(std::move(path)),
        fault_(std::move(fault)) {}

  /// For what has no path, such as the parameters of a synthetic corpus.
  explicit corpus_error(std::string sentence)
      : std::runtime_error(sentence), fault_(std::move(sentence)) {}

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// The sentence without the path, so that a caller can say more about it.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

 private:
  std::filesystem::path path_;
  std::string fault_;
};

/// An index cannot be written: the input was right, this machine does not allow the output.
class corpus_write_error : public corpus_error {
 public:
  using corpus_error::corpus_error;
};

/// "cannot be opened: No such file or directory", from a value of errno.
[[nodiscard]] inline std::string fault_with_errno(const std::string& fault, int error) {
  return fault + ": " + std::generic_category().message(error);
}

}  // namespace mgws::bench
