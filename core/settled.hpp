/// \file
/// What is so when a balanced run has ended by itself: every initial slot is taken, every queue and
/// board is empty, and every claim is completed. For whoever looks when no worker runs any more.
#pragma once

#include <cstdint>

#include <mgws/core/order.hpp>
#include <mgws/core/protocol.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/transport.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// Of a device's initial slots and its board.
template <transport_view V>
[[nodiscard]] MGWS_FN bool device_settled(const V& view, const run_parameters& run,
                                          std::uint32_t device) {
  using B = typename V::backend;
  const auto read = [](const auto& x) { return B::load(x, order::relaxed, scope::system); };
  const initial_part part(run, device);
  const auto& board = view.board(device);
  return read(view.initial_next(device).value) >= part.size() && read(board.busy) == 0 &&
         read(board.taken) == read(board.until);
}

/// Of a queue's control block. \param read  reads one of its words
template <class B, class Read>
[[nodiscard]] MGWS_FN bool head_settled(const queue_head<B>& head, Read&& read) {
  const auto f = protocol::layout::decode(read(head.word));
  bool settled = !f.lock && f.remaining() == 0;
  for (std::uint32_t e = 0; e != 2; ++e)
    settled = settled &&
              read(head.completed[e]) == read(head.claimed[e]) + (f.epoch == e ? f.claimed() : 0);
  return settled;
}
template <class B, class Read>
[[nodiscard]] MGWS_FN bool head_settled(const sdc_head<B>& head, Read&& read) {
  return read(head.lock) == 0 && read(head.tail) == read(head.split) &&
         read(head.completed) == read(head.tail);
}

/// Of a queue.
template <transport_view V>
[[nodiscard]] MGWS_FN bool queue_settled(const V& view, std::uint32_t queue) {
  using B = typename V::backend;
  const auto read = [](const auto& x) { return B::load(x, order::relaxed, scope::system); };
  return head_settled(view.head(queue), read);
}

}  // namespace mgws
