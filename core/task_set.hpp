/// \file
/// Task types, the set of them that a run knows, and the slot that stores one task.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <mgws/core/affinity.hpp>
#include <mgws/core/gathering.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// Number of an instance of a bulk task.
using task_index = std::uint32_t;

/// How many lanes run one task. A task type says it with `static constexpr mgws::shape width`;
/// without it, it is a lane task. A CPU worker has one lane, so there the three are the same.
enum class shape : std::uint8_t {
  lane,  ///< one task a lane, up to as many side by side as the worker has lanes
  warp,  ///< one task a warp, one a warp of the worker side by side
  block  ///< one task at a time for all lanes of the worker
};

/// What the call operator of a resumable task returns: whether it has ended, or wants to be called
/// again to go on.
enum class progress : std::uint8_t { done, again };
/// It has ended.
inline constexpr progress done = progress::done;
/// It is to be called again.
inline constexpr progress again = progress::again;

/// What every task type must be: small, copied as bytes between memories and devices. It must also
/// have a call operator, `void operator()(auto& worker) const` for a plain task or
/// `void operator()(auto& worker, mgws::task_index i) const` for a bulk task, or one of these that
/// returns mgws::progress; that is checked where the worker's type is known.
template <class T>
concept task = std::is_trivially_copyable_v<T> && std::is_object_v<T> && alignof(T) <= 16;

namespace detail {

template <class T>
constexpr shape width_of() {
  if constexpr (requires { T::width; }) {
    static_assert(std::same_as<std::remove_cv_t<decltype(T::width)>, shape>,
                  "mgws: a task type's `width` must be an mgws::shape");
    return T::width;
  } else {
    return shape::lane;
  }
}

/// Whether a task type may wait for others (frame.hpp).
template <class T>
constexpr bool is_continuation() {
  if constexpr (requires { T::continuation; }) {
    static_assert(std::same_as<std::remove_cv_t<decltype(T::continuation)>, bool>,
                  "mgws: a task type's `continuation` must be a bool");
    return T::continuation;
  } else {
    return false;
  }
}

/// Most levels of priority.
inline constexpr std::uint32_t k_most_priorities = 16;

/// Levels of priority that tasks of this type may have, from 0 on (later.hpp).
template <class T>
constexpr std::uint32_t priorities_of() {
  if constexpr (requires { T::priorities; }) {
    static_assert(std::unsigned_integral<std::remove_cv_t<decltype(T::priorities)>> &&
                      T::priorities >= 1 && T::priorities <= k_most_priorities,
                  "mgws: a task type's `priorities` must be a std::uint32_t from 1 to 16");
    static_assert(
        requires(const T& t) {
          { t.priority() } -> std::unsigned_integral;
        },
        "mgws: a task type that says `priorities` needs a member function "
        "`MGWS_FN std::uint32_t priority() const`");
    return T::priorities;
  } else if constexpr (requires { T::priority; }) {
    static_assert(std::unsigned_integral<std::remove_cv_t<decltype(T::priority)>> &&
                      T::priority < k_most_priorities,
                  "mgws: a task type's `priority` must be a std::uint32_t from 0 to 15");
    return T::priority + 1;
  } else {
    static_assert(
        !requires(const T& t) { t.priority(); },
        "mgws: a task type with a function `priority()` says how many levels there are: "
        "`static constexpr std::uint32_t priorities = n`");
    return 1;
  }
}
/// The level of a task: 0 is the highest.
template <class T>
MGWS_FN constexpr std::uint32_t priority_of([[maybe_unused]] const T& t) {
  if constexpr (requires { T::priorities; }) {
    std::uint32_t level = 0;
    MGWS_CALL(level = t.priority();)
    return level < T::priorities ? level : T::priorities - 1;
  } else {
    return priorities_of<T>() - 1;
  }
}

/// Bytes of scratch memory that a task of this type wants (scratch.hpp).
template <class T>
constexpr std::size_t scratch_of() {
  if constexpr (requires { typename T::scratch; }) {
    return sizeof(typename T::scratch);
  } else {
    return 0;
  }
}

}  // namespace detail

/// A task that is called with the numbers of some of its instances, [first, end): a loop of its own
/// keeps what they have in common in registers. How many there are at a time is the worker's
/// choice; of those others cannot take any until the call returns. It may be callable with one
/// number, too, for workers that run instances one by one: the lanes of a GPU.
template <class T, class Worker>
concept range_task = requires(const T& t, Worker& w, task_index i) {
  t(w, i, i);
};

/// A mistake: what has ended of a range nobody could tell.
template <class T, class Worker>
concept resumable_range_task = requires(T& t, Worker& w, task_index i) {
  { t(w, i, i) } -> std::same_as<progress>;
};

/// A resumable task that is called with the number of its instance.
template <class T, class Worker>
concept resumable_bulk_task = requires(T& t, Worker& w, task_index i) {
  { t(w, i) } -> std::same_as<progress>;
};

/// A task that does a bounded piece at a time: its call operator, which may change it, returns
/// `mgws::again` until it is `mgws::done`. Its value is its whole state, so between two pieces it
/// can be in a slot as well as in a lane's registers.
template <class T, class Worker>
concept resumable_task = resumable_bulk_task<T, Worker> || requires(T& t, Worker& w) {
  { t(w) } -> std::same_as<progress>;
};

/// A task of several instances, for which one slot can stand: a range task, or one that is called
/// with the number of one instance.
template <class T, class Worker>
concept bulk_task = range_task<T, Worker> || resumable_bulk_task<T, Worker> ||
    requires(const T& t, Worker& w, task_index i) {
  t(w, i);
};

/// Runs one instance of a task; a plain one has only that. Of a resumable one all pieces, as long
/// as the worker says so between them.
template <class Worker, class T>
MGWS_FN void run_instance(const T& t, Worker& w, task_index i) {
  if constexpr (resumable_bulk_task<T, Worker>) {
    T state = t;
    while (state(w, i) == again && w.between_pieces()) {
    }
  } else if constexpr (resumable_task<T, Worker>) {
    T state = t;
    while (state(w) == again && w.between_pieces()) {
    }
  } else if constexpr (requires { t(w, i); }) {
    t(w, i);
  } else if constexpr (range_task<T, Worker>) {
    t(w, i, i + 1);
  } else {
    t(w);
  }
}

/// The same on the lanes of a GPU's worker, where a task for the host alone is a mistake.
template <class Worker, class T>
MGWS_FN void run_instance_on_lanes(const T& t, Worker& w, task_index i) {
  if constexpr (requires { t(w, i); }) {
    MGWS_CALL(t(w, i);)
  } else if constexpr (range_task<T, Worker>) {
    MGWS_CALL(t(w, i, i + 1);)
  } else {
    MGWS_CALL(t(w);)
  }
}

/// The next piece of an instance of a resumable one.
template <class Worker, class T>
[[nodiscard]] MGWS_FN progress run_piece_on_lanes(T& t, Worker& w, task_index i) {
  progress p = done;
  if constexpr (resumable_bulk_task<T, Worker>) {
    MGWS_CALL(p = t(w, i);)
  } else {
    MGWS_CALL(p = t(w);)
  }
  return p;
}

/// A task that is called once a slot.
template <class T, class Worker>
concept plain_task = !bulk_task<T, Worker> &&
                     (resumable_task<T, Worker> || requires(const T& t, Worker& w) { t(w); });

namespace detail {
/// Stands for a worker where its type is not known yet.
struct any_worker {};
}  // namespace detail

/// The task types of a run, at least one, at most 256.
template <class... Ts>
struct task_set {
  static_assert(sizeof...(Ts) >= 1 && sizeof...(Ts) <= 256,
                "mgws: a task_set holds between 1 and 256 task types");
  static_assert((task<Ts> && ...),
                "mgws: a task type must be trivially copyable and aligned to at most 16 bytes");

  static constexpr std::uint32_t size = sizeof...(Ts);
  static constexpr std::size_t largest_task = std::max({sizeof(Ts)...});

  template <class T>
  static constexpr bool contains = (std::same_as<T, Ts> || ...);
  template <class T>
  static constexpr std::uint32_t index = detail::index_of<T, Ts...>();
  template <class T>
  static constexpr shape width = detail::width_of<T>();
  /// Whether any of the types has this width.
  static constexpr bool has_width(shape s) { return ((width<Ts> == s) || ...); }

  /// Whether any of the types waits for others: `static constexpr bool continuation = true`.
  static constexpr bool has_continuations = (detail::is_continuation<Ts>() || ...);
  /// Whether any of the types comes after a finish: `static constexpr bool after_finish = true`.
  /// Then each task knows below which finish it is.
  static constexpr bool has_finish = (detail::is_after_finish<Ts>() || ...);
  /// What the tasks below a finish contribute to what comes after it: `mgws::accumulators<...>
  /// gathered` of the types that have it, or nothing.
  using gathered = typename detail::gathered_of<Ts...>::type;
  static constexpr bool gathers = (detail::gathers<Ts> || ...);
  static_assert(
      (detail::gathers_only<gathered, Ts>() && ...),
      "mgws: all types of a task_set that come after a finish and have a member `gathered` "
      "have the same `mgws::accumulators<...>` there");
  /// Levels of priority that its tasks have: 1 if no type says `priority` or `priorities`.
  static constexpr std::uint32_t priorities = std::max({detail::priorities_of<Ts>()...});
  static_assert((!((detail::is_continuation<Ts>() || detail::is_after_finish<Ts>()) &&
                   detail::priorities_of<Ts>() > 1) &&
                 ...),
                "mgws: a continuation runs next when its parts have come: it has no priority");
  /// Whether any of the types says `affinity`, whether as a preference; and what the one with this
  /// index says.
  static constexpr bool has_affinity = ((detail::affinity_of<Ts>() != affinity::none) || ...);
  static constexpr bool has_preferences = (prefers(detail::affinity_of<Ts>()) || ...);
  [[nodiscard]] MGWS_FN static constexpr affinity affinity_of(std::uint32_t type) {
    affinity a = affinity::none;
    with_type(type, [&]<class T>() { a = detail::affinity_of<T>(); });
    return a;
  }
  /// Whether tasks of all types may run on workers of this kind.
  [[nodiscard]] static constexpr bool all_allow(worker_kind k) {
    return (allows(detail::affinity_of<Ts>(), k) && ...);
  }
  /// Most bytes of scratch memory that a task of this width wants, rounded up so that one may
  /// follow the other.
  static constexpr std::size_t scratch(shape s) {
    return (std::max({width<Ts> == s ? detail::scratch_of<Ts>() : 0 ...}) + 15) / 16 * 16;
  }

  /// Whether any of the types wants some: `using scratch = std::array<element, n>`.
  static constexpr bool has_scratch = ((detail::scratch_of<Ts>() != 0) || ...);

  /// Both wait in frames.
  static constexpr bool has_frames = has_continuations || has_finish;

  /// Whether any of the types is resumable, on such a worker.
  template <class Worker>
  static constexpr bool has_resumable = (resumable_task<Ts, Worker> || ...);

  /// Calls `f.template operator()<T>()` for the type with this index. For one type no comparison is
  /// left.
  template <class F>
  MGWS_FN static constexpr void with_type(std::uint32_t type, F&& f) {
    if constexpr (size == 1) {
      (f.template operator()<Ts>(), ...);
    } else {
      std::uint32_t at = 0;
      (void)((at++ == type ? (f.template operator()<Ts>(), true) : false) || ...);
    }
  }
};

/// Below which finish a task is: 1 + its frame's number, or 0. Nothing where a task set has none.
struct no_finish {};
template <class Tasks>
using finish_of = std::conditional_t<Tasks::has_finish, std::uint32_t, no_finish>;

/// Storage of one task: the task's bytes, and in the last 8 bytes which type it is and which
/// instances of it the slot stands for; before them its finish, if the set has any. A multiple of
/// 16 bytes, moved as 16-byte words (hazard 27).
template <class Tasks>
struct alignas(16) slot {
  using tasks = Tasks;
  using finish_type = finish_of<Tasks>;

  static constexpr std::size_t finish_bytes = Tasks::has_finish ? sizeof(std::uint32_t) : 0;
  static constexpr std::size_t bytes =
      (Tasks::largest_task + finish_bytes + sizeof(std::uint64_t) + 15) / 16 * 16;
  static constexpr unsigned type_bits = static_cast<unsigned>(std::bit_width(Tasks::size - 1));
  static constexpr unsigned index_bits = (64 - type_bits) / 2;
  /// Most instances that one slot can stand for (2^32 - 1 for a set of one type, 2^28 - 1 for 256).
  static constexpr std::uint64_t max_instances = (std::uint64_t{1} << index_bits) - 1;

  /// Words, so that a compiler for GPUs copies a slot by words: one of bytes it takes apart, each
  /// in a register of its own. They may alias what lies in them, as bytes may.
  using word [[gnu::may_alias]] = std::uint64_t;
  word storage[bytes / sizeof(word)];

  /// The last 8 bytes: type, number of instances left, first of them.
  struct header {
    std::uint64_t value;

    [[nodiscard]] MGWS_FN constexpr task_index first() const {
      return static_cast<task_index>(value & max_instances);
    }
    [[nodiscard]] MGWS_FN constexpr std::uint32_t count() const {
      return static_cast<std::uint32_t>(value >> index_bits & max_instances);
    }
    [[nodiscard]] MGWS_FN constexpr std::uint32_t type() const {
      if constexpr (type_bits == 0) {
        return 0;
      } else {
        return static_cast<std::uint32_t>(value >> (2 * index_bits));
      }
    }
    /// The header without its first n instances: one addition, because count and first are fields.
    [[nodiscard]] MGWS_FN constexpr header without_first(std::uint32_t n = 1) const {
      return {value + n - (std::uint64_t{n} << index_bits)};
    }
    [[nodiscard]] MGWS_FN static constexpr header make(std::uint32_t type, task_index first,
                                                       std::uint32_t count) {
      std::uint64_t v = std::uint64_t{count} << index_bits | first;
      if constexpr (type_bits != 0) v |= std::uint64_t{type} << (2 * index_bits);
      return {v};
    }
  };

  [[nodiscard]] MGWS_FN header read_header() const {
    header h;
    std::memcpy(&h, aligned() + bytes - sizeof h, sizeof h);
    return h;
  }
  MGWS_FN void write_header(header h) { std::memcpy(aligned() + bytes - sizeof h, &h, sizeof h); }

  /// What lies at an offset, and the header, for who writes a slot part by part.
  template <class T>
  [[nodiscard]] MGWS_FN T& as(std::size_t offset = 0) {
    return *reinterpret_cast<T*>(aligned() + offset);
  }
  [[nodiscard]] MGWS_FN header& where_header() { return as<header>(bytes - sizeof(header)); }

  [[nodiscard]] MGWS_FN finish_type finish() const {
    finish_type f{};
    if constexpr (Tasks::has_finish) std::memcpy(&f, aligned() + finish_at, sizeof f);
    return f;
  }
  [[nodiscard]] MGWS_FN std::uint32_t& where_finish() { return as<std::uint32_t>(finish_at); }

  /// Stores `count` instances of the task, beginning with instance `first`.
  template <class T>
  MGWS_FN void write(const T& t, task_index first, std::uint32_t count, finish_type finish = {}) {
    std::memcpy(aligned(), &t, sizeof(T));
    if constexpr (Tasks::has_finish) std::memcpy(aligned() + finish_at, &finish, sizeof finish);
    write_header(header::make(Tasks::template index<T>, first, count));
  }

  /// A private copy of a slot's task: running it may move the slot.
  template <class T>
  struct copy {
    T value;
    [[nodiscard]] MGWS_FN const T& get() const { return value; }
  };
  /// As an object, not as bytes: a compiler then copies by the members' size.
  template <class T>
  [[nodiscard]] MGWS_FN copy<T> read() const {
    return {*reinterpret_cast<const T*>(aligned())};
  }

 private:
  static constexpr std::size_t finish_at = bytes - sizeof(header) - finish_bytes;

  /// The storage, with its alignment where every compiler sees it: a copy by bytes costs a GPU more
  /// than many a task.
  [[nodiscard]] MGWS_FN std::byte* aligned() {
    return static_cast<std::byte*>(__builtin_assume_aligned(storage, 16));
  }
  [[nodiscard]] MGWS_FN const std::byte* aligned() const {
    return static_cast<const std::byte*>(__builtin_assume_aligned(storage, 16));
  }
};

}  // namespace mgws
