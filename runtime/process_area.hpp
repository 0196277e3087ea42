/// \file
/// The memory that the processes of a group share: how they find each other by a name, and how each
/// sees that another one is no more.
///
/// A process holds a lock on a byte of the area's file for as long as it is attached. The kernel
/// takes it away when the process ends, however it ends: so who is gone, and an area that nobody
/// uses any more, are told from who is slow without numbers of processes and without clocks. The
/// name is gone as soon as all are there.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mgws/errors.hpp>
#include <mgws/options.hpp>

namespace mgws {

/// One process' mapping of an area. Thread-safe once it is made.
class process_area {
 public:
  /// What is the same in all processes of a group, or they are not of one.
  struct layout {
    std::uint64_t program = 0;      ///< a hash of all that they must agree on
    std::size_t record_bytes = 0;   ///< for each process, which alone writes it; zero at first
    std::size_t payload_bytes = 0;  ///< for all; zero at first
  };

  /// Attaches, and returns when all processes have. \param fill  fill(record): writes into this
  /// process' record what the others are to see by then
  /// \throws not_possible, bad_configuration
  template <class Fill>
  process_area(const process_group& group, const layout& l, Fill&& fill)
      : group_(group),
        file_("/mgws-" + group.name),
        record_bytes_(whole_lines(l.record_bytes)),
        until_(clock::now() + std::chrono::duration_cast<clock::duration>(group.patience)) {
    bytes_ = sizeof(header) + group.ranks * record_bytes_ + whole_lines(l.payload_bytes);
    try {
      if (group.rank == 0) {
        make(l.program);
        fill(record(0));
        head().attached[0].store(1, std::memory_order_release);
        wait_for_all();
      } else {
        while (!attached(l.program, fill))
          detach();
      }
    } catch (...) {
      detach();
      throw;
    }
  }
  process_area(const process_area&) = delete;
  process_area& operator=(const process_area&) = delete;
  ~process_area() { detach(); }

  [[nodiscard]] std::byte* record(std::uint32_t rank) const {
    return at_ + sizeof(header) + rank * record_bytes_;
  }
  [[nodiscard]] std::byte* payload() const { return record(group_.ranks); }
  /// All of it, as it is mapped here.
  [[nodiscard]] std::byte* data() const { return at_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  /// Whether another process of the group is still attached. A call of the system.
  [[nodiscard]] bool alive(std::uint32_t rank) const { return is_locked(rank); }

 private:
  using clock = std::chrono::steady_clock;

  static constexpr std::size_t k_line = 128;
  [[nodiscard]] static constexpr std::size_t whole_lines(std::size_t bytes) {
    return (bytes + k_line - 1) / k_line * k_line;
  }

  /// At the begin of each area, of every version the first two words at least.
  struct alignas(k_line) header {
    /// Last of what rank 0 writes before others may attach.
    std::atomic<std::uint64_t> magic{};
    std::uint64_t version{};
    std::uint64_t program{};
    std::uint64_t bytes{};
    std::uint32_t ranks{};
    /// All are attached, and the name is gone: never seen through a name.
    std::atomic<std::uint32_t> complete{};
    std::array<std::atomic<std::uint32_t>, k_most_domains> attached{};
  };
  static constexpr std::uint64_t k_magic = 0x6d6777735f617265;  // "mgws_are"
  /// Of the layout of areas, records and channels, and of what their words say.
  static constexpr std::uint64_t k_version = 2;
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  [[nodiscard]] header& head() const { return *reinterpret_cast<header*>(at_); }

  // ---- Rank 0 ----

  void make(std::uint64_t program) {
    take_name();
    int e = EINTR;
    while (e == EINTR)
      e = posix_fallocate(fd_, 0, static_cast<off_t>(bytes_));
    if (e != 0) {
      shm_unlink(file_.c_str());
      refuse(detail::sentence({"cannot be made, ", bytes_, " bytes of shared memory"}), e);
    }
    map();
    header& h = *new (at_) header;
    h.version = k_version;
    h.program = program;
    h.bytes = bytes_;
    h.ranks = group_.ranks;
    h.magic.store(k_magic, std::memory_order_release);
  }

  /// Opens a new file of the name. One that a process left behind, which nobody holds, goes.
  void take_name() {
    for (;;) {
      fd_ = shm_open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
      if (fd_ < 0) refuse("cannot be made", errno);
      if (!lock(0)) refuse_twice();
      if (struct stat s{}; fstat(fd_, &s) == 0 && s.st_nlink != 0) {
        if (s.st_size == 0) return;
        shm_unlink(file_.c_str());
      }
      close(fd_);
    }
  }

  void wait_for_all() {
    std::string missing;
    for (pause wait;; wait()) {
      missing.clear();
      for (std::uint32_t r = 1; r != group_.ranks; ++r)
        if (head().attached[r].load(std::memory_order_acquire) == 0 || !is_locked(r))
          missing += (missing.empty() ? "" : ", ") + std::to_string(r);
      if (missing.empty() || clock::now() > until_) break;
    }
    shm_unlink(file_.c_str());
    if (!missing.empty())
      detail::refuse<not_possible>({"of the ", group_.ranks, " processes of group '", group_.name,
                                    "' these did not come in time, by rank: ", missing});
    head().complete.store(1, std::memory_order_release);
  }

  // ---- All others ----

  /// \return whether it is complete; if not, it is one of a process that is gone
  template <class Fill>
  [[nodiscard]] bool attached(std::uint64_t program, Fill& fill) {
    if (!find()) return false;
    const header& h = head();
    if (h.version != k_version)
      detail::refuse<bad_configuration>(
          {"group '", group_.name, "' was made by another version of mgws than this process has"});
    if (h.ranks != group_.ranks)
      detail::refuse<bad_configuration>(
          {"group '", group_.name, "' is of ", h.ranks, " processes, not of ", group_.ranks});
    if (h.program != program || h.bytes != bytes_)
      detail::refuse<bad_configuration>(
          {"the process with rank ", group_.rank, " of group '", group_.name,
           ("' does not run what rank 0 runs: task sets, accumulators, "
            "bridge_slots and own_seeds are to be the same")});
    if (!lock(group_.rank)) refuse_twice();
    fill(record(group_.rank));
    head().attached[group_.rank].store(1, std::memory_order_release);
    for (pause wait; h.complete.load(std::memory_order_acquire) == 0; wait()) {
      if (!is_locked(0)) return false;
      if (clock::now() > until_)
        detail::refuse<not_possible>({"not all of the ", group_.ranks, " processes of group '",
                                      group_.name, "' came in time"});
    }
    return true;
  }

  /// Maps what a living process has made. \return whether there is something yet
  [[nodiscard]] bool find() {
    for (pause wait;; wait()) {
      fd_ = shm_open(file_.c_str(), O_RDWR | O_CLOEXEC, 0);
      if (fd_ < 0 && errno != ENOENT) refuse("cannot be opened", errno);
      struct stat s {};
      if (fd_ >= 0 && is_locked(0) && fstat(fd_, &s) == 0 &&
          static_cast<std::size_t>(s.st_size) >= sizeof(header)) {
        const std::size_t wanted = std::exchange(bytes_, static_cast<std::size_t>(s.st_size));
        map();
        mapped_ = std::exchange(bytes_, wanted);
        if (head().magic.load(std::memory_order_acquire) == k_magic) return true;
      }
      detach();
      if (clock::now() > until_)
        detail::refuse<not_possible>(
            {"no process with rank 0 of group '", group_.name, "' came in time"});
    }
  }

  // ---- All ----

  void map() {
    void* const p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    if (p == MAP_FAILED) refuse("cannot be mapped", errno);
    at_ = static_cast<std::byte*>(p);
    mapped_ = bytes_;
  }
  void detach() noexcept {
    if (at_ != nullptr) munmap(at_, mapped_);
    if (fd_ >= 0) close(fd_);
    at_ = nullptr;
    fd_ = -1;
  }

  /// Locks of a file that was opened once: another opening of the same file sees them, also one of
  /// the same process.
  [[nodiscard]] bool lock(std::uint32_t rank) const {
    struct flock l = byte_of(rank);
    return fcntl(fd_, F_OFD_SETLK, &l) == 0;
  }
  [[nodiscard]] bool is_locked(std::uint32_t rank) const {
    struct flock l = byte_of(rank);
    return fcntl(fd_, F_OFD_GETLK, &l) == 0 && l.l_type != F_UNLCK;
  }
  [[nodiscard]] static struct flock byte_of(std::uint32_t rank) {
    struct flock l {};
    l.l_type = F_WRLCK;
    l.l_whence = SEEK_SET;
    l.l_start = rank;
    l.l_len = 1;
    return l;
  }

  [[noreturn]] void refuse(const std::string& what, int error) const {
    detail::refuse<not_possible>({"the shared memory of group '", group_.name, "' ", what, ": ",
                                  std::system_category().message(error)});
  }
  [[noreturn]] void refuse_twice() const {
    detail::refuse<not_possible>(
        {"group '", group_.name, "' has a process with rank ", group_.rank, " already"});
  }

  /// Waits a little, and more from time to time.
  class pause {
   public:
    void operator()() {
      std::this_thread::sleep_for(time_);
      time_ = std::min<std::chrono::microseconds>(2 * time_, std::chrono::milliseconds(5));
    }

   private:
    std::chrono::microseconds time_{50};
  };

  process_group group_;
  std::string file_;  ///< as shm_open() calls it
  std::size_t record_bytes_;
  std::size_t bytes_ = 0;
  std::size_t mapped_ = 0;
  clock::time_point until_;  ///< for the others to come
  int fd_ = -1;
  std::byte* at_ = nullptr;
};

}  // namespace mgws
