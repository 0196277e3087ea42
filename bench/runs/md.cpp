#include "runs/md.hpp"

#include <algorithm>
#include <span>

#include "runs/runtime_runs.hpp"
#include "runs/width.hpp"

namespace mgws::bench::md {

namespace {

template <shape Width>
class of_width final : public runs<context, results> {
 public:
  of_width(const options& o, const variant& v) : all_(o), v_(v) {
    if (v.fed == 0) all_.runtime().seed_n(some_atoms<Width>{0}, v.tasks);
  }
  report<results> run_each(std::span<const context> contexts) override {
    if (v_.fed == 0) return all_.run_each(contexts);
    auto live = all_.runtime().start_each(contexts);
    for (std::uint32_t first = 0; first < v_.tasks; first += std::min(v_.fed, v_.tasks - first))
      live.submit_n(some_atoms<Width>{first}, std::min(v_.fed, v_.tasks - first));
    return live.close();
  }
  [[nodiscard]] std::uint32_t devices() const override { return all_.devices(); }
  [[nodiscard]] mgws::data_places data_places() const override { return all_.data_places(); }

 private:
  runtime_runs<task_set<some_atoms<Width>>, context, results> all_;
  variant v_;
};

}  // namespace

template <>
std::unique_ptr<runs<context, results>> make_runs<this_port>(const options& o, const variant& v) {
  return with_width(v.width, [&]<shape Width>() -> std::unique_ptr<runs<context, results>> {
    return std::make_unique<of_width<Width>>(o, v);
  });
}

}  // namespace mgws::bench::md
