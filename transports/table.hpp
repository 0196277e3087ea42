/// \file
/// The placement table: all transports, and those that were built, by Meson's -Dtransports. A build
/// with fewer than all defines MGWS_TRANSPORTS, for itself and for who uses it, as their names with
/// a + between them, in the order in which it prefers them.
#pragma once

#include <cstddef>
#include <iterator>

#include <mgws/transports/host.hpp>
#include <mgws/transports/p2p.hpp>
#include <mgws/transports/remote.hpp>
#include <mgws/transports/row.hpp>

#if !defined(MGWS_TRANSPORTS)
#define MGWS_TRANSPORTS p2p + host + remote
#endif

namespace mgws::transports {

inline constexpr transport_row k_all[] = {p2p, host, remote};
struct list {
  transport_row rows[std::size(k_all)]{};
  std::size_t n = 0;

  [[nodiscard]] constexpr const transport_row* begin() const { return rows; }
  [[nodiscard]] constexpr const transport_row* end() const { return rows + n; }
  friend constexpr list operator+(list l, const transport_row& r) {
    l.rows[l.n++] = r;
    return l;
  }
};

/// With host among them: it is the one that every device may join.
inline constexpr list k_built = list{} + MGWS_TRANSPORTS;

}  // namespace mgws::transports
