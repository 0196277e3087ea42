/// \file
/// Where a result goes: a file that is there when all of it is, or standard output.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "corpus/replaced_file.hpp"

namespace mgws::bench {

/// A regular file is replaced as a whole by close(): what was there stays if that does not come to
/// pass, and half a result is never left. What is no regular file is written as it comes.
class output_file {
 public:
  /// \param path  - for standard output \throws not_possible
  explicit output_file(const std::string& path);
  ~output_file();
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  /// \throws not_possible, here or in close()
  void write(std::string_view text);
  void close();

 private:
  void flush();
  template <class Action>
  void guarded(Action&& action);

  std::string name_;  ///< for a complaint
  std::string buffer_;
  std::optional<replaced_file> replaced_;
  int descriptor_ = -1;  ///< if it replaces nothing
};

}  // namespace mgws::bench
