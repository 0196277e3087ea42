#include "runs/cholesky.hpp"

#include <span>

#include "runs/runtime_runs.hpp"
#include "runs/width.hpp"

namespace mgws::bench::cholesky {

namespace {

template <shape Width>
class of_width final : public runs<context, results> {
 public:
  of_width(const options& o, std::uint32_t rows)
      : all_(o), graph_(all_.data_places(), plan_of<Width>(rows)) {
    graph_.seed(all_.runtime());
  }
  report<results> run_each(std::span<const context> contexts) override {
    return all_.run_each(contexts);
  }
  [[nodiscard]] std::uint32_t devices() const override { return all_.devices(); }
  [[nodiscard]] mgws::data_places data_places() const override { return all_.data_places(); }

 private:
  runtime_runs<typename factorization<Width>::tasks, context, results> all_;
  factorization<Width> graph_;
};

}  // namespace

template <>
std::unique_ptr<runs<context, results>> make_runs<this_port>(const options& o, const variant& v) {
  return with_width(v.width, [&]<shape Width>() -> std::unique_ptr<runs<context, results>> {
    return std::make_unique<of_width<Width>>(o, v.rows);
  });
}

}  // namespace mgws::bench::cholesky
