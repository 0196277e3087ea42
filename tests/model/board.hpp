/// \file
/// A device's board as the machine watches it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "world.hpp"

namespace mgws::model_backend {

/// \param domain  whose workers alone reach it
template <class V>
void track_board(machine& m, const V& v, unsigned device, std::size_t slot_bytes,
                 std::uint8_t domain = 0) {
  auto& board = v.board(device);
  const std::string b = "board " + std::to_string(device) + " ";
  board.left.track(b + "left", domain);
  board.taken.track(b + "taken", domain);
  board.until.track(b + "until", domain);
  board.busy.track(b + "busy", domain);
  known_boards[device] = {&board.left, &board.taken, &board.busy};
  m.watch(v.board_slot(device), slot_bytes, "slot of board " + std::to_string(device));
}

}  // namespace mgws::model_backend
