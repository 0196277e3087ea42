/// \file
/// What a fuzz target is made of. Each defines LLVMFuzzerTestOneInput, which libFuzzer calls with
/// what it makes up and replay.cpp with the files of a folder. Input may be refused, by the
/// exceptions that the reader documents; whatever else is thrown ends the program, and so does a
/// sanitizer or a promise that was not kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace mgws::fuzz {

/// A promise of the code under test.
inline void promised(bool kept, const char* what) {
  if (kept) return;
  std::fprintf(stderr, "not kept: %s\n", what);
  std::abort();
}

/// A regular file that lies in memory, for readers that want a path.
class memory_file {
 public:
  explicit memory_file(std::span<const std::uint8_t> content)
      : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
    if (descriptor_ < 0) give_up("memfd_create");
    while (!content.empty()) {
      const ssize_t n = ::write(descriptor_, content.data(), content.size());
      if (n < 0) give_up("write");
      content = content.subspan(static_cast<std::size_t>(n));
    }
  }
  ~memory_file() { ::close(descriptor_); }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  [[noreturn]] static void give_up(const char* what) {
    std::perror(what);
    std::abort();
  }

  int descriptor_;
};

}  // namespace mgws::fuzz
