// Workers of as many lanes as the library has none of.
#include <mgws/mgws.hpp>

struct number {
  MGWS_FN void operator()(auto& /*worker*/) const {}
};

int main() {
  mgws::runtime<mgws::task_set<number>, mgws::accumulators<>, mgws::no_context, mgws::no_statistics,
                64>
      rt;
  rt.run();
}
