/// \file
/// The door of a live run: what threads outside do with its inboxes, whoever works.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <mgws/core/affinity.hpp>
#include <mgws/core/inbox.hpp>
#include <mgws/core/protocol.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>

namespace mgws {

/// One inbox, whatever its slots are of. Any thread.
class inbox_end {
 public:
  inbox_end() = default;
  inbox_end(const inbox_end&) = delete;
  inbox_end& operator=(const inbox_end&) = delete;
  virtual ~inbox_end() = default;

  virtual void close() = 0;
  /// As inbox_writer.
  [[nodiscard]] virtual std::uint64_t written() const = 0;
  [[nodiscard]] virtual bool ended(std::uint64_t written) const = 0;
};

enum class put_outcome : std::uint8_t {
  stored,
  full,
  busy,  ///< another thread is putting into it
};

/// The same, whichever view its workers have.
template <class Slot>
class inbox : public inbox_end {
 public:
  /// \param waits  for other threads that put into it: never busy
  /// \throws not_possible if it is closed
  [[nodiscard]] virtual put_outcome put(const Slot& s, bool waits) = 0;
};

template <class View, class Slot>
class inbox_of final : public inbox<Slot> {
 public:
  /// \param wakes_all  not every worker that sleeps takes from here
  inbox_of(const View& view, std::uint32_t device, std::uint32_t number, std::uint32_t capacity,
           bool wakes_all)
      : view_(view), writer_(view_, device, number, capacity), wakes_all_(wakes_all) {}

  [[nodiscard]] put_outcome put(const Slot& s, bool waits) override {
    {
      std::unique_lock alone(mutex_, std::defer_lock);
      if (waits) {
        alone.lock();
      } else if (!alone.try_lock()) {
        return put_outcome::busy;
      }
      if (closed_) throw not_possible("the live run was closed: nothing can be submitted any more");
      if (!writer_.put([&](Slot& to) { to = s; })) return put_outcome::full;
    }
    if (wakes_all_) {
      view_.parking().notify_all();
    } else {
      view_.parking().notify_one();
    }
    return put_outcome::stored;
  }
  void close() override {
    {
      const std::scoped_lock alone(mutex_);
      closed_ = true;
      writer_.close();
    }
    view_.parking().notify_all();
  }
  [[nodiscard]] std::uint64_t written() const override { return writer_.written(); }
  [[nodiscard]] bool ended(std::uint64_t written) const override { return writer_.ended(written); }

 private:
  View view_;
  std::mutex mutex_;  ///< of who puts; as long as there are inboxes enough nobody waits for it
  inbox_writer<protocol, View, Slot> writer_;
  bool closed_ = false;
  bool wakes_all_;
};

/// Opened by the run, used by producers, closed by one of them; shut when the run is over, which
/// may be before that. What does not depend on the run's tasks.
class live_door_frame {
 public:
  using inboxes = std::vector<std::unique_ptr<inbox_end>>;

  // ---- The run ----

  /// Says that so many domains open their part each, instead of one. Before any does.
  void expect(std::size_t domains) { to_come_ = domains; }
  /// \param part  by number, then by device \param kind  of the workers who take from them
  /// \param of  which of them, with those of other domains of that kind, are put into
  void open(inboxes part, std::uint32_t devices, worker_kind kind, inbox_devices of) {
    const std::scoped_lock lock(mutex_);
    auto& of_kind = where_[static_cast<std::size_t>(kind)];
    of_kind.resize(part.size() / devices);
    for (std::size_t i = 0; i != part.size(); ++i) {
      if (of == inbox_devices::each || of_kind[i / devices].empty())
        of_kind[i / devices].push_back(part[i].get());
      inboxes_.push_back(std::move(part[i]));
    }
    if (--to_come_ != 0) return;
    now_ = state::open;
    changed_.notify_all();
  }
  void shut() {
    const std::scoped_lock lock(mutex_);
    now_ = state::shut;
    changed_.notify_all();
  }
  /// Whether everything that came has ended. \pre open() was called
  [[nodiscard]] bool all_ended() const {
    const std::scoped_lock lock(mutex_);
    for (const auto& i : inboxes_)
      if (!i->ended(i->written())) return false;
    return true;
  }

  // ---- Producers: any thread ----

  /// Waits until the run has begun. \return false if it was over before
  [[nodiscard]] bool opened() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return now_ != state::to_be_opened; });
    return now_ == state::open;
  }
  [[nodiscard]] bool is_shut() const { return now_ == state::shut; }

  /// Waits until everything that was put until now has ended. \return false if the run was over
  /// before
  [[nodiscard]] bool wait_until_ended() const {
    std::vector<std::uint64_t> until;
    for (const auto& i : inboxes_)
      until.push_back(i->written());
    patience wait;
    for (std::size_t i = 0; i != until.size(); ++i)
      for (; !inboxes_[i]->ended(until[i]); wait.pause())
        if (is_shut()) return inboxes_[i]->ended(until[i]);
    return true;
  }
  /// No others will come.
  void close() {
    for (const auto& i : inboxes_)
      i->close();
  }

 protected:
  /// Of a thread that waits for workers: awake for what takes microseconds.
  class patience {
   public:
    void pause() {
      ++pauses_;
      if (!is_long()) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      }
    }
    [[nodiscard]] bool is_long() const { return pauses_ >= 200; }

   private:
    unsigned pauses_ = 0;
  };

  using by_device = std::vector<inbox_end*>;
  /// By number. Where there are both, tasks go to GPUs, which run by far more side by side, but
  /// those that would rather run on the CPU.
  [[nodiscard]] const std::vector<by_device>& to_put_into(affinity a) const {
    const auto& cpu = where_[static_cast<std::size_t>(worker_kind::cpu)];
    const auto& gpu = where_[static_cast<std::size_t>(worker_kind::gpu)];
    return gpu.empty() || (leaves(a, worker_kind::gpu) && !cpu.empty()) ? cpu : gpu;
  }
  /// \throws not_possible if the run is over
  void check_not_shut() const {
    if (is_shut()) throw not_possible("the live run is over: close() says why");
  }

 private:
  enum class state : std::uint8_t { to_be_opened, open, shut };

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<state> now_{state::to_be_opened};
  std::size_t to_come_ = 1;
  inboxes inboxes_;
  std::array<std::vector<by_device>, 2> where_;  ///< of each kind of workers, by number
};

template <class Slot>
class live_door : public live_door_frame {
 public:
  /// \param a  of the slot's task \return false if all that it could be put into is full
  /// \throws not_possible if the run is over
  [[nodiscard]] bool try_put(const Slot& s, affinity a) { return try_put(s, a, true); }
  /// Waits until there is room: in this thread's own inboxes, and if that takes long, in any.
  void put(const Slot& s, affinity a) {
    for (patience wait; !try_put(s, a, wait.is_long());)
      wait.pause();
  }

 private:
  /// \param spreads  into others' inboxes if this thread's own are full
  [[nodiscard]] bool try_put(const Slot& s, affinity a, bool spreads) {
    check_not_shut();
    static std::atomic<std::uint32_t> threads{0};
    // A thread's own inboxes, one of each device that is put into, are those in which it last met
    // nobody; into them it puts in turn.
    thread_local std::uint32_t own = threads++;
    thread_local std::uint32_t turn = own;
    const std::vector<by_device>& all = to_put_into(a);
    const auto put_in_turn = [&](std::uint32_t number, bool waits) {
      const by_device& to = all[number % all.size()];
      put_outcome o = put_outcome::full;
      for (std::size_t tries = 0; tries != to.size() && o == put_outcome::full; ++tries)
        o = static_cast<inbox<Slot>&>(*to[++turn % to.size()]).put(s, waits);
      return o;
    };
    put_outcome o = put_in_turn(own, false);
    for (std::size_t moves = 1; o == put_outcome::busy && moves != all.size(); ++moves)
      o = put_in_turn(++own, false);
    if (o == put_outcome::busy) o = put_in_turn(own, true);  // more threads than inboxes, or chance
    for (std::uint32_t n = 1; spreads && o == put_outcome::full && n != all.size(); ++n)
      o = put_in_turn(own + n, true);
    return o == put_outcome::stored;
  }
};

}  // namespace mgws
