/// \file
/// How the sentences of errors are put together.
#pragma once

#include <initializer_list>
#include <string>

#include <mgws/errors.hpp>

namespace mgws::detail {

[[gnu::cold]] MGWS_SEPARABLE std::string sentence(std::initializer_list<piece> pieces) {
  std::string all;
  for (const piece& p : pieces)
    p.append_to(all);
  return all;
}

}  // namespace mgws::detail
