// Asks for each transport in turn, and says what came of it.
#include <cstdio>

#include <mgws/mgws.hpp>

struct nothing {
  void operator()(auto& /*worker*/) const {}
};

int main() {
  for (const auto transport : {mgws::transport_kind::automatic, mgws::transport_kind::host,
                               mgws::transport_kind::p2p, mgws::transport_kind::remote}) {
    mgws::options o;
    o.workers = 1;
    o.transport = transport;
    try {
      mgws::runtime<mgws::task_set<nothing>> rt(o);
      rt.seed(nothing{});
      std::printf("%llu task\n", static_cast<unsigned long long>(rt.run().tasks));
    } catch (const mgws::not_possible& e) {
      std::printf("%s\n", e.what());
    }
  }
}
