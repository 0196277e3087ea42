#include "runs/taskbench.hpp"

#include <span>

#include "runs/runtime_runs.hpp"

namespace mgws::bench::taskbench {

namespace {

class of_this_port final : public graph_runs {
 public:
  of_this_port(const options& o, const grid::builder& plan)
      : all_(o), grid_(all_.data_places(), plan) {}

  report<results> run_each(std::span<const context> contexts) override {
    all_.runtime().clear_seeds();
    grid_.seed(all_.runtime());
    return all_.run_each(contexts);
  }
  report<results> run_chains(std::uint64_t n, const context& c) override {
    all_.runtime().clear_seeds();
    all_.runtime().seed_n(lone_chain{}, n);
    return all_.run(c);
  }
  [[nodiscard]] std::uint32_t devices() const override { return all_.devices(); }
  [[nodiscard]] mgws::data_places data_places() const override { return all_.data_places(); }

 private:
  runtime_runs<grid::tasks_with<lone_chain>, context, results> all_;
  grid grid_;
};

}  // namespace

template <>
std::unique_ptr<graph_runs> make_runs<this_port>(const options& o, const grid::builder& plan) {
  return std::make_unique<of_this_port>(o, plan);
}

}  // namespace mgws::bench::taskbench
