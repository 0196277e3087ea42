#include "gpu/probe.hpp"

#include <chrono>

#include <mgws/probe.hpp>
#include <mgws/runtime/gpu_join.hpp>
#include <mgws/runtime/probe/gpus.hpp>

namespace gpu_test {

namespace {

using mgws::port_devices;
using api = port_devices::api;
using backend = port_devices::probe_backend;
using device = mgws::gpu::device<api>;

struct torn_words : backend {
  template <class T, class Order, class Scope>
  MGWS_FN static T fetch_add(atomic<T>& x, std::type_identity_t<T> v, Order /*o*/, Scope s) {
    const T was = backend::load(x, mgws::order::acquire, s);
    backend::store(x, was + v, mgws::order::release, s);
    return was;
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T exchange(atomic<T>& x, std::type_identity_t<T> v, Order /*o*/, Scope s) {
    const T was = backend::load(x, mgws::order::acquire, s);
    backend::store(x, v, mgws::order::release, s);
    return was;
  }
};
struct open_lock : backend {
  template <class T, class Order, class Scope>
  MGWS_FN static T exchange(atomic<T>& x, std::type_identity_t<T> v, Order o, Scope s) {
    const T was = backend::exchange(x, v, o, s);
    return was == 1 ? 0 : was;
  }
};
struct early_release : backend {
  template <class T, class Order, class Scope>
  MGWS_FN static void store(atomic<T>& x, std::type_identity_t<T> v, Order o, Scope s) {
    backend::store(x, sizeof(T) == 8 && v != 0 ? v + 1 : v, o, s);
  }
};

/// The port with another backend's participants.
template <class B>
struct port_with : port_devices {
  template <class Scope>
  static constexpr auto litmus_kernel() {
    return port_devices::litmus_kernel<Scope, B>();
  }
};

template <class B>
mgws::litmus_outcomes run_with() {
  mgws::gpu_machine<port_with<B>> machine(std::chrono::seconds(20));
  machine.add({.kind = mgws::device_kind::gpu});
  return machine.outcomes({.memory = 0, .system_scope = false},
                          {.rounds = 2000, .looks = 1u << 16});
}

}  // namespace

mgws::probe_report run_probe(const std::vector<mgws::device_choice>& devices, bool quick) {
  mgws::probe_options o;
  o.devices = devices;
  o.quick = quick;
  return mgws::probe(o);
}

std::array<mgws::litmus_outcome, mgws::k_litmuses> run_planted(planted what) {
  switch (what) {
    case planted::nothing:
      return run_with<backend>();
    case planted::torn_words:
      return run_with<torn_words>();
    case planted::open_lock:
      return run_with<open_lock>();
    case planted::early_release:
      return run_with<early_release>();
  }
  return {};
}

mgws::litmus_record run_alone() {
  device gpu(0);
  const mgws::gpu::area<api> board(gpu, sizeof(mgws::litmus_board<backend>));
  const mgws::gpu::area<api> meeting(sizeof(mgws::litmus_meeting<backend>));
  const mgws::gpu::litmus_arguments a{.run = {.board = board.data(),
                                              .meeting = meeting.data(),
                                              .bounds = {.rounds = 100, .looks = 1000}}};
  api::use(gpu.index());
  api::launch(port_devices::litmus_kernel<mgws::scope::system_t>(), a,
              {.threads = backend::team::k_lanes}, gpu.kernels());
  api::wait(gpu.kernels());
  return reinterpret_cast<mgws::litmus_meeting<backend>*>(meeting.data())->books[0][0];
}

std::string why_not_join(std::uint32_t n, const mgws::transport_row& transport) {
  mgws::options o;
  for (std::uint32_t i = 0; i != n; ++i)
    o.devices.push_back({.kind = mgws::device_kind::gpu, .index = i});
  try {
    static_cast<void>(mgws::join_gpus<port_devices>(o, transport));
  } catch (const mgws::not_possible& e) {
    return e.what();
  }
  return "";
}

}  // namespace gpu_test
