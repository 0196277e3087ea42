/// \file
/// Fibers: each lane of the program under check runs on a stack of its own, all on one system
/// thread. A fiber's stack lies at a fixed address, so that its live part can be copied away and
/// back: that is how the explorer returns to an earlier state without running up to it again.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mgws::model_backend {

/// A stack with the context that is suspended on it.
struct fiber_context {
  std::byte* low = nullptr;   ///< lowest address of the stack
  std::byte* high = nullptr;  ///< one past the highest
  std::byte* sp = nullptr;    ///< where the suspended context was saved; everything above is live
};

/// Prepares `f` to call entry(argument) when it is first switched to; entry must not return.
void prepare_fiber(fiber_context& f, void (*entry)(void*), void* argument);

/// Saves the running context into `from` and continues `to`.
void switch_fiber(fiber_context& from, const fiber_context& to);

}  // namespace mgws::model_backend
