/// \file
/// The readable dump of a run that makes no progress.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>

#include <mgws/core/queues.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/transport.hpp>
#include <mgws/errors.hpp>

namespace mgws {

inline const char* name_of(phase p) {
  constexpr const char* names[] = {"starting", "working", "searching", "idle", "finished"};
  const auto i = static_cast<std::size_t>(p);
  return i < std::size(names) ? names[i] : "unknown";
}

namespace detail {

template <class P, class B, class Read, class Say>
void say_queue(const queue_head<B>& head, Read&& read, Say&& say) {
  const auto f = P::layout::decode(read(head.word));
  say({f.remaining(), " of ", f.initial, " slots left at ", f.tail, ", ", f.attempts,
       " attempts, epoch ", f.epoch, f.lock ? ", locked" : ""});
  for (std::uint32_t e = 0; e != 2; ++e) {
    const std::uint64_t open = f.epoch == e ? f.claimed() : 0;
    say({"; epoch ", e, " claimed ", read(head.claimed[e]) + open, " completed ",
         read(head.completed[e])});
  }
}
template <class P, class B, class Read, class Say>
void say_queue(const sdc_head<B>& head, Read&& read, Say&& say) {
  const sdc_glance at{read(head.tail), read(head.split)};
  say({at.left(), " slots left at ", at.tail, read(head.lock) != 0 ? ", locked" : "", "; claimed ",
       at.tail, " completed ", read(head.completed)});
}

}  // namespace detail

/// Reads everything with relaxed loads while the workers go on: each value is true, together they
/// may not be of one moment.
/// \param all  else only what workers say of themselves, because the rest cannot be read
template <class P, transport_view V>
[[gnu::cold, gnu::noinline]] std::string dump(const V& view, const run_parameters& run,
                                              std::uint32_t global_cells, bool all = true) {
  using B = typename V::backend;
  const auto read = [](const auto& x) { return B::load(x, order::relaxed, scope::system); };
  std::string out;
  const auto say = [&](std::initializer_list<detail::piece> pieces) {
    out += detail::sentence(pieces);
  };
  if (all) {
    // A counter runs past its end when workers find nothing left.
    std::uint64_t handed_out = 0;
    for (std::uint32_t d = 0; d != run.devices; ++d) {
      const initial_part part(run, d);
      handed_out += std::min<std::uint64_t>(read(view.initial_next(d).value), part.size());
    }
    say({"pieces of the initial set handed out: ", handed_out, " of ", run.initial_count,
         "\ntermination cells:"});
    for (std::uint32_t i = 0; i != global_cells; ++i)
      say({" ", read(view.global_cell(i).value)});
    say({"  (workers: ", run.workers, ", devices: ", run.devices, ")\n"});
    for (std::uint32_t d = 0; d != run.devices; ++d) {
      const auto& board = view.board(d);
      const auto left = -static_cast<std::int64_t>(read(board.left));
      if (read(board.busy) != 0)
        say({"board ", d, ": ", std::max<std::int64_t>(left, 0), " steps left, ", read(board.taken),
             " taken of ", read(board.until), " over the run\n"});
    }
    for (std::uint32_t q = 0; q != run.queues; ++q) {
      say({"queue ", q, ": "});
      detail::say_queue<P>(view.head(q), read, say);
      out += '\n';
    }
  }
  for (std::uint32_t w = 0; w != run.workers; ++w) {
    const auto& p = view.progress(w);
    say({"worker ", w, ": ", name_of(static_cast<phase>(read(p.now))), ", ", read(p.executed),
         " tasks run, ", read(p.local), " slots local and ", read(p.spilled),
         " spilled when it last searched, last target "});
    if (const auto t = read(p.target); t == worker_progress<B>::no_target) {
      out += "none\n";
    } else {
      say({"queue ", t, "\n"});
    }
  }
  return out;
}

}  // namespace mgws
