#include "harness/output_file.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <mgws/errors.hpp>

namespace mgws::bench {

namespace {

constexpr std::size_t k_buffered = std::size_t{1} << 20;

[[noreturn]] void fail() {
  throw std::system_error(errno, std::generic_category());
}

}  // namespace

output_file::output_file(const std::string& path)
    : name_(path == "-" ? "standard output" : "'" + path + "'") {
  guarded([&] {
    if (path == "-") {
      if (std::fflush(stdout) != 0) fail();
      descriptor_ = STDOUT_FILENO;
      return;
    }
    std::error_code none;
    const auto status = std::filesystem::status(path, none);
    // What /dev/stdout leads to has other writers.
    const bool of_system = path.starts_with("/dev/") || path.starts_with("/proc/");
    if (!of_system &&
        (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status))) {
      try {
        replaced_.emplace(path);
        return;
      } catch (const std::system_error&) {
        // In a folder that takes no new file, one that is there may be writable.
      }
    }
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail();
  });
}

output_file::~output_file() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

template <class Action>
void output_file::guarded(Action&& action) {
  try {
    action();
  } catch (const std::system_error& error) {
    throw not_possible(name_ + " cannot be written: " + error.code().message());
  }
}

void output_file::flush() {
  const auto bytes = std::as_bytes(std::span(buffer_));
  if (replaced_) {
    replaced_->write(bytes);
  } else {
    replaced_file::write_all(descriptor_, bytes);
  }
  buffer_.clear();
}

void output_file::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= k_buffered) guarded([&] { flush(); });
}

void output_file::close() {
  guarded([&] {
    flush();
    if (replaced_) replaced_->keep();
    if (descriptor_ > STDERR_FILENO && ::close(std::exchange(descriptor_, -1)) != 0) fail();
  });
}

}  // namespace mgws::bench
