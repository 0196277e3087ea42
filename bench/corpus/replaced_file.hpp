/// \file
/// A file that takes the place of another one when it is complete, and not before.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace mgws::bench {

/// Where a path leads through links, whether or not anything is there.
[[nodiscard]] inline std::filesystem::path resolved(std::filesystem::path path) {
  namespace fs = std::filesystem;
  std::error_code none;
  // What is not there stays relative otherwise.
  if (const fs::path whole = fs::absolute(path, none); !path.empty() && !none) path = whole;
  constexpr int most_links = 40;
  for (int i = 0; i != most_links && fs::is_symlink(fs::symlink_status(path, none)); ++i)
    path = path.parent_path() / fs::read_symlink(path, none);
  const fs::path all = fs::weakly_canonical(path, none);
  return all.empty() ? path : all;
}

/// Whether a path leads into a folder, or would if anything were there.
[[nodiscard]] inline bool lies_in(const std::filesystem::path& folder,
                                  const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (!fs::is_directory(folder, none)) return false;
  const fs::path below = resolved(path).lexically_relative(fs::canonical(folder, none));
  return !below.empty() && *below.begin() != "..";
}

/// A link stays one: what it leads to is replaced. A reader never sees half of it, and what is
/// mapped keeps its content. Until keep() it has no name, where the file system can do that, so
/// that nothing is left behind however the process ends; elsewhere it has one beside the target,
/// and goes with its owner.
class replaced_file {
 public:
  /// \throws std::system_error if no file can be made there
  explicit replaced_file(const std::filesystem::path& target) : target_(resolved(target)) {
    const std::filesystem::path folder =
        target_.has_parent_path() ? target_.parent_path() : std::filesystem::path(".");
    // A name is given by way of /proc.
    if (::access("/proc/self/fd", X_OK) == 0)
      descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) return;
    with_free_name([&] {
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      return descriptor_ >= 0;
    });
  }
  ~replaced_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  replaced_file(const replaced_file&) = delete;
  replaced_file& operator=(const replaced_file&) = delete;

  /// \throws std::system_error
  void write(std::span<const std::byte> bytes) { write_all(descriptor_, bytes); }

  /// Puts it in the target's place. \throws std::system_error
  void keep() {
    // Some file systems report that they are full no earlier than here.
    if (::fsync(descriptor_) != 0) fail();
    if (path_.empty()) {
      const std::string open_file = "/proc/self/fd/" + std::to_string(descriptor_);
      with_free_name([&] {
        return ::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) ==
               0;
      });
    }
    if (::close(std::exchange(descriptor_, -1)) != 0) fail();
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail();
    path_.clear();
  }

  /// \throws std::system_error
  static void write_all(int descriptor, std::span<const std::byte> bytes) {
    // Linux moves at most 2 GiB in a call.
    constexpr std::size_t most = std::size_t{1} << 30;
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor, bytes.data(), std::min(bytes.size(), most));
      if (count > 0) {
        bytes = bytes.subspan(static_cast<std::size_t>(count));
      } else if (count < 0 && errno != EINTR) {
        fail();
      }
    }
  }

 private:
  [[noreturn]] static void fail() { throw std::system_error(errno, std::generic_category()); }

  /// \param take  take(): whether a file of the name path_ is ours now, else errno says why not
  template <class Take>
  void with_free_name(Take&& take) {
    // Of two processes that write the same file, the last one wins with a complete one.
    const std::string stem = target_.native() + "." + std::to_string(::getpid()) + ".";
    for (int attempt = 0;; ++attempt) {
      path_ = stem + std::to_string(attempt) + ".tmp";
      if (take()) return;
      if (errno == EEXIST || errno == EINTR) continue;
      const int error = errno;
      path_.clear();  // another's, or nobody's
      errno = error;
      fail();
    }
  }

  std::filesystem::path target_;
  std::filesystem::path path_;  ///< while it has a name of its own
  int descriptor_ = -1;
};

}  // namespace mgws::bench
