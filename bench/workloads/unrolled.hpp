/// \file
/// A loop whose steps are known when it is compiled.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <mgws_port.hpp>

namespace mgws::bench {

/// Calls f(i) for i = 0 ... N - 1, each a constant: so an array that f indexes stays in registers.
template <std::uint32_t N, class F>
MGWS_FN constexpr void unrolled(const F& f) {
  [&]<std::uint32_t... I>(std::integer_sequence<std::uint32_t, I...>) {
    (f(std::integral_constant<std::uint32_t, I>{}), ...);
  }
  (std::make_integer_sequence<std::uint32_t, N>{});
}

}  // namespace mgws::bench
