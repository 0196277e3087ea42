// A queue word whose fields need 65 bits. Without the macro they need 64.
#include <mgws/core/word.hpp>

#ifdef BITS_65
using layout = mgws::word_layout<24, 19, 20>;
#else
using layout = mgws::word_layout<24, 19, 19>;
#endif

static_assert(layout::max_capacity == (1u << 19) - 1);
