// A reader with a fault, which must be found: that the others are right means something then.
#include <cstring>

#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4 || std::memcmp(data, "mgws", 4) != 0) return 0;
  mgws::fuzz::promised(size < 5 || data[4] != 'X', "no X behind the word");
  return 0;
}
