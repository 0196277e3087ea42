/// \file
/// A join as its tasks see it (docs/joins.md): the frame in which a continuation waits for its
/// parts, and the places that name a part of it.
///
/// A frame is a slot that is not complete yet, behind a word that counts the deliveries it waits
/// for. Who delivers last copies the slot into its own local queue: from there on the continuation
/// is a task like any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <mgws/core/backend.hpp>
#include <mgws/core/gathering.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// Where a task delivers its result: a member of a continuation that waits in a frame. Eight bytes
/// to hand on in a task; valid on every device of the run, for one delivery. `place<void>` is for a
/// task that delivers nothing but that it is done. An empty place is nowhere: what is delivered
/// there is dropped, so that a root needs no frame.
template <class Value>
struct alignas(8) place {
  std::uint32_t frame;
  std::uint16_t offset;      ///< of the member, in bytes
  std::uint16_t generation;  ///< of the frame's use; 0: nowhere

  [[nodiscard]] MGWS_FN explicit operator bool() const { return generation != 0; }
};

/// Where a run is over several coherence domains, the upper bits of a frame's number say of which
/// one it is.
inline constexpr unsigned k_log_frames_of_domain = 28;
[[nodiscard]] MGWS_FN constexpr std::uint32_t domain_of_frame(std::uint32_t number) {
  return number >> k_log_frames_of_domain;
}

/// What worker.join() returns: hands out the places of a continuation of type T. To be used within
/// the task that made the join.
template <class T>
class join_places {
  static_assert(sizeof(T) <= std::size_t{1} << 16,
                "mgws: a place knows members of the first 65,536 bytes: put what is larger into an "
                "array, and its index into the continuation");

 public:
  MGWS_FN join_places(std::uint32_t frame, std::uint16_t generation)
      : frame_(frame), generation_(generation) {}

  /// Of a member: worker.deliver() writes it. Its value in the continuation that was given to
  /// join() stands until then.
  template <class Value, class Base>
  [[nodiscard]] MGWS_FN place<Value> to(Value Base::*member) const {
    static_assert(std::is_base_of_v<Base, T>,
                  "mgws: a place is a member of the continuation that was given to join()");
    const somewhere s;
    return at<Value>(s, &(s.then.*member));
  }
  /// Of an element of a member that is an array.
  template <class Value, std::size_t N, class Base>
  [[nodiscard]] MGWS_FN place<Value> to(Value (Base::*member)[N], std::size_t i) const {
    static_assert(std::is_base_of_v<Base, T>,
                  "mgws: a place is a member of the continuation that was given to join()");
    const somewhere s;
    return at<Value>(s, &(s.then.*member)[i]);
  }
  /// For a part without a value.
  [[nodiscard]] MGWS_FN place<void> done() const { return {frame_, 0, generation_}; }

 private:
  /// Where a T might lie: how far its members are from its beginning.
  union somewhere {
    std::byte bytes[sizeof(T)];
    T then;
    MGWS_FN somewhere() : bytes{} {}
  };
  template <class Value>
  [[nodiscard]] MGWS_FN place<Value> at(const somewhere& s, const Value* member) const {
    static_assert(std::is_trivially_copyable_v<Value>,
                  "mgws: what is delivered must be trivially copyable");
    const auto offset = reinterpret_cast<const std::byte*>(member) - s.bytes;
    return {frame_, static_cast<std::uint16_t>(offset), generation_};
  }

  std::uint32_t frame_;
  std::uint16_t generation_;
};

/// In memory that is zero at first.
template <class B, class Slot>
struct alignas(16) frame {
  /// The use's generation above the deliveries that are awaited: none, if a finish waits here. Of a
  /// free frame: the next use's, above the next free one of a lane's list (frames.hpp).
  atomic_of<B, std::uint64_t> word;
  /// Of a finish: tokens that there are (purse.hpp).
  atomic_of<B, std::uint64_t> tokens;
  /// Of a finish: what was contributed (gathering.hpp).
  [[no_unique_address]] gather_cells<typename Slot::tasks::gathered> cells;
  alignas(16) Slot slot;

  [[nodiscard]] static MGWS_FN constexpr std::uint32_t awaited(std::uint64_t word) {
    return static_cast<std::uint32_t>(word);
  }
  [[nodiscard]] static MGWS_FN constexpr std::uint32_t next(std::uint64_t word) {
    return static_cast<std::uint32_t>(word);
  }
  [[nodiscard]] static MGWS_FN constexpr std::uint16_t generation(std::uint64_t word) {
    return static_cast<std::uint16_t>(word >> 32);
  }
  [[nodiscard]] static MGWS_FN constexpr std::uint64_t make(std::uint16_t generation,
                                                            std::uint32_t awaited) {
    return std::uint64_t{generation} << 32 | awaited;
  }
};

/// Which of its frames a worker has not taken, 64 a word: a bit is 0 for each frame that is free.
template <class B>
struct alignas(B::line) free_frames {
  static constexpr std::uint32_t words = B::line / sizeof(std::uint64_t);
  atomic_of<B, std::uint64_t> taken[words]{};

  /// So many lines for so many frames.
  [[nodiscard]] static MGWS_FN constexpr std::uint32_t lines(std::uint32_t frames) {
    return (frames / 64 + words - 1) / words;
  }
};

}  // namespace mgws
