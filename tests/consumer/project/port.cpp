// Compiled with the dependency of the port for AMD GPUs.
#include <string_view>

#include <mgws_port.hpp>

#define MGWS_TEXT_OF(x) #x
#define MGWS_TEXT(x) MGWS_TEXT_OF(x)
static_assert(std::string_view(MGWS_TEXT(MGWS_PORT)) == "hip");
