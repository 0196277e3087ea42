#include "corpus/file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <string>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "corpus/error.hpp"

namespace mgws::bench {

namespace {

/// What the handler of SIGBUS knows of a map. It runs in the middle of anything, so all that it
/// says is written before `begin` is.
struct watched_map {
  std::atomic<const std::byte*> begin{nullptr};
  std::size_t bytes = 0;
  std::string complaint;
};

class map_watch {
 public:
  static map_watch& of_this_process() {
    // Never destroyed: a thread may touch a map while the process ends.
    static auto* const watch = new map_watch;
    return *watch;
  }
  /// \return false if there are too many
  bool add(const std::filesystem::path& path, std::span<const std::byte> view) {
    const std::scoped_lock lock(mutex_);
    for (watched_map& m : maps_) {
      if (m.begin.load(std::memory_order_relaxed) != nullptr) continue;
      m.bytes = view.size();
      m.complaint = std::string(program_invocation_short_name)
                        .append(": '")
                        .append(path.string())
                        .append("' was cut short while it was in use: make it again\n");
      m.begin.store(view.data(), std::memory_order_release);
      return true;
    }
    return false;
  }
  void remove(std::span<const std::byte> view) noexcept {
    const std::scoped_lock lock(mutex_);
    for (watched_map& m : maps_)
      if (m.begin.load(std::memory_order_relaxed) == view.data())
        m.begin.store(nullptr, std::memory_order_relaxed);
  }

 private:
  map_watch() {
    maps_of_handler = &maps_;
    struct sigaction ours {};
    ours.sa_sigaction = &on_sigbus;
    ours.sa_flags = SA_SIGINFO;
    sigemptyset(&ours.sa_mask);
    ::sigaction(SIGBUS, &ours, &before);
  }

  static void on_sigbus(int /*signal*/, siginfo_t* info, void* /*context*/) {
    const auto* const at = static_cast<const std::byte*>(info->si_addr);
    for (const watched_map& m : *maps_of_handler) {
      const std::byte* const begin = m.begin.load(std::memory_order_acquire);
      if (begin == nullptr || at < begin || at >= begin + m.bytes) continue;
      // Once: all workers may run into the same hole, and the first of them ends the others.
      if (said.test_and_set())
        while (true)
          ::pause();
      static_cast<void>(!::write(STDERR_FILENO, m.complaint.data(), m.complaint.size()));
      ::_exit(1);
    }
    // It is raised again by what raised it, and then met by whoever had it before.
    ::sigaction(SIGBUS, &before, nullptr);
  }

  using maps = std::array<watched_map, mapped_file::k_most_mapped>;
  static inline const maps* maps_of_handler = nullptr;
  static inline struct sigaction before {};
  static inline std::atomic_flag said;

  std::mutex mutex_;
  maps maps_;
};

}  // namespace

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
  if (map_watch::of_this_process().add(path, view_)) return;
  ::munmap(address, size);
  throw corpus_error(path, "cannot be mapped into memory: too many files are");
}

mapped_file::~mapped_file() {
  if (view_.empty()) return;
  map_watch::of_this_process().remove(view_);
  ::munmap(const_cast<std::byte*>(view_.data()), view_.size());
}

mapped_file::mapped_file(mapped_file&& other) noexcept : view_(std::exchange(other.view_, {})) {}

mapped_file& mapped_file::operator=(mapped_file&& other) noexcept {
  std::swap(view_, other.view_);
  return *this;
}

}  // namespace mgws::bench
