// Mistakes with mgws::atomic_ref, and a port that lacks an operation of it. Without a macro it is
// right.
#include <cstdint>
#include <string>

#include <mgws/atomic_ref.hpp>

struct alignas(8) bound_and_place {
  float bound;
  std::uint32_t place;
};
struct misaligned {
  float bound;
  std::uint32_t place;
};

struct incomplete_atomics : mgws::port_atomics {
#ifdef NO_COMPARE_EXCHANGE
  template <class T, class... A>
  static void compare_exchange(T&, A...) = delete;
#endif
#ifdef NO_FETCH_MAX
  template <class T, class... A>
  static void fetch_max(T&, A...) = delete;
#endif
#ifdef NO_FETCH_XOR
  template <class T, class... A>
  static void fetch_xor(T&, A...) = delete;
#endif
};
static_assert(mgws::atomics_on_integers<incomplete_atomics, std::uint64_t>);

int main() {
  std::uint32_t number = 1;
  double real = 1;
  bound_and_place two{};
  std::uint32_t* pointer = &number;
  mgws::atomic_ref to_number(number);
  mgws::atomic_ref to_real(real);
  mgws::atomic_ref to_two(two);
  mgws::atomic_ref to_pointer(pointer);
  mgws::atomic_ref<std::uint32_t, mgws::scope::device_t> on_one_device(number);
  to_number.fetch_or(on_one_device.load());
  to_real.fetch_min(to_real.load(mgws::order::acquire));
  to_two.store(to_two.load(), mgws::order::release);
  to_pointer.exchange(pointer, mgws::order::acq_rel);
#ifdef CONST
  const std::uint32_t fixed = 1;
  return static_cast<int>(mgws::atomic_ref(fixed).load());
#endif
#ifdef NOT_TRIVIALLY_COPYABLE
  std::string text;
  mgws::atomic_ref to_text(text);
#endif
#ifdef ONE_BYTE
  bool flag = false;
  mgws::atomic_ref(flag).store(true);
#endif
#ifdef MISALIGNED
  misaligned both{};
  mgws::atomic_ref to_both(both);
#endif
#ifdef SCOPE_OF_ANOTHER_KIND
  mgws::atomic_ref<std::uint32_t, std::uint32_t> of_a_number(number);
#endif
#ifdef ADDS_A_POINTER
  to_pointer.fetch_add(pointer);
#endif
#ifdef OR_OF_A_REAL
  to_real.fetch_or(1.0);
#endif
#ifdef LOAD_RELEASES
  return static_cast<int>(to_number.load(mgws::order::release));
#endif
#ifdef STORE_ACQUIRES
  to_number.store(1, mgws::order::acquire);
#endif
#ifdef ORDER_OF_ANOTHER_KIND
  to_number.fetch_add(1, 5);
#endif
}
