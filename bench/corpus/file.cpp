#include "corpus/file.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "corpus/error.hpp"

namespace mgws::bench {

input_file::input_file(std::filesystem::path path) : path_(std::move(path)) {
  do {
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  } while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0) throw corpus_error(path_, fault_with_errno("cannot be opened", errno));
}

input_file::~input_file() {
  ::close(descriptor_);
}

std::size_t input_file::read(std::span<std::byte> into) {
  // Linux moves at most 2 GiB in a call, and other systems refuse to be asked for more.
  constexpr std::size_t most = std::size_t{1} << 30;
  while (true) {
    const ssize_t count = ::read(descriptor_, into.data(), std::min(into.size(), most));
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) throw corpus_error(path_, fault_with_errno("cannot be read", errno));
  }
}

mapped_file::mapped_file(const std::filesystem::path& path) {
  const input_file file(path);
  struct stat status {};
  if (::fstat(file.descriptor(), &status) != 0) {
    throw corpus_error(path, fault_with_errno("cannot be examined", errno));
  }
  if (!S_ISREG(status.st_mode)) throw corpus_error(path, "is not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return;
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (address == MAP_FAILED) {
    throw corpus_error(path, fault_with_errno("cannot be mapped into memory", errno));
  }
  view_ = {static_cast<const std::byte*>(address), size};
}

mapped_file::~mapped_file() {
  if (!view_.empty()) ::munmap(const_cast<std::byte*>(view_.data()), view_.size());
}

mapped_file::mapped_file(mapped_file&& other) noexcept : view_(std::exchange(other.view_, {})) {}

mapped_file& mapped_file::operator=(mapped_file&& other) noexcept {
  std::swap(view_, other.view_);
  return *this;
}

}  // namespace mgws::bench
