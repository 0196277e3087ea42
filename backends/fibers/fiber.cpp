#include <cstring>

#include <mgws/backends/fibers/fiber.hpp>

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "mgws: fibers know x86-64 and AArch64 only"
#endif

extern "C" void mgws_fiber_enter();

// Only what a called function must preserve is saved: a switch is an ordinary call to the compiler.
#if defined(__x86_64__)
asm(R"(
.text
.globl mgws_fiber_switch
mgws_fiber_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.globl mgws_fiber_enter
mgws_fiber_enter:
  movq %r12, %rdi
  callq *%r13
  ud2
)");
#else
asm(R"(
.text
.globl mgws_fiber_switch
mgws_fiber_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.globl mgws_fiber_enter
mgws_fiber_enter:
  mov x0, x19
  blr x20
  brk #0
)");
#endif

namespace mgws::fibers {

void prepare_fiber(fiber_context& f, void (*entry)(void*), void* argument) {
  const auto put = [](std::byte* at, auto value) {
    const auto bits = reinterpret_cast<std::uint64_t>(value);
    std::memcpy(at, &bits, sizeof bits);
  };
#if defined(__x86_64__)
  // As if mgws_fiber_switch had saved six registers above its return address; the call in
  // mgws_fiber_enter then finds the stack aligned to 16.
  f.sp = f.high - 72;
  std::memset(f.sp, 0, 72);
  put(f.sp + 16, entry);              // r13
  put(f.sp + 24, argument);           // r12
  put(f.sp + 48, &mgws_fiber_enter);  // return address
#else
  f.sp = f.high - 160;
  std::memset(f.sp, 0, 160);
  put(f.sp + 0, argument);            // x19
  put(f.sp + 8, entry);               // x20
  put(f.sp + 88, &mgws_fiber_enter);  // x30
#endif
}

}  // namespace mgws::fibers
