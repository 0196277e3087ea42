#include "gpu/probe.hpp"

#include <chrono>
#include <memory>

#include <mgws/probe.hpp>
#include <mgws/runtime/gpu_peers.hpp>

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
  const device gpu(0);
  const mgws::gpu_litmus<port_with<B>> litmus(std::chrono::seconds(20));
  litmus.template prepare<mgws::scope::device_t>(gpu);
  const auto board = mgws::gpu_litmus<port_with<B>>::board_on(gpu);
  mgws::litmus_bounds bounds;
  bounds.rounds = 2000;
  bounds.looks = 1u << 16;
  return litmus.template run<mgws::scope::device_t>(gpu, gpu, *board, bounds);
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
  const device gpu(0);
  const mgws::gpu::area<api> board(gpu, sizeof(mgws::litmus_board<backend>));
  const mgws::gpu::area<api> meeting(sizeof(mgws::litmus_meeting<backend>));
  const mgws::gpu::area<api> books(sizeof(mgws::litmus_books));
  mgws::gpu::litmus_arguments a{.board = board.data(),
                                .meeting = meeting.data(),
                                .books = reinterpret_cast<mgws::litmus_books*>(books.data())};
  a.bounds.rounds = 100;
  a.bounds.looks = 1000;
  api::use(gpu.index());
  api::launch(port_devices::litmus_kernel<mgws::scope::system_t>(), a, 1, backend::team::k_lanes, 0,
              gpu.kernels());
  api::wait(gpu.kernels());
  return a.books->of[0][0];
}

std::string why_not_join(std::uint32_t n, mgws::transport_kind transport) {
  std::vector<std::shared_ptr<device>> gpus;
  for (std::uint32_t i = 0; i != n; ++i)
    gpus.push_back(std::make_shared<device>(i));
  try {
    mgws::join_peers<port_devices>(gpus, transport);
  } catch (const mgws::not_possible& e) {
    return e.what();
  }
  return "";
}

}  // namespace gpu_test
