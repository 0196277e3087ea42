/// \file
/// Fibers: stacks of their own on one system thread, for backends that run many lanes on one
/// processor: the model checker's machine and the simulator's. A fiber's stack lies at a fixed
/// address, so that its live part can be copied away and back: that is how the explorer returns to
/// an earlier state without running up to it again.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" void mgws_fiber_switch(std::byte** save, std::byte* load);

namespace mgws::fibers {

/// A stack with the context that is suspended on it.
struct fiber_context {
  std::byte* low = nullptr;   ///< lowest address of the stack
  std::byte* high = nullptr;  ///< one past the highest, a multiple of 16
  std::byte* sp = nullptr;    ///< where the suspended context was saved; everything above is live
};

/// Prepares `f` to call entry(argument) when it is first switched to; entry must not return.
void prepare_fiber(fiber_context& f, void (*entry)(void*), void* argument);

/// Saves the running context into `from` and continues `to`.
inline void switch_fiber(fiber_context& from, const fiber_context& to) {
  mgws_fiber_switch(&from.sp, to.sp);
}

}  // namespace mgws::fibers
