#include <tuple>
#include <utility>

#include "harness/list.hpp"
#include "harness/size.hpp"
#include "mandelbrot/check.hpp"
#include "peers/gpu/command.hpp"

namespace mgws::bench::peers::gpu {
namespace {

class mandelbrot_workload final : public workload {
 public:
  explicit mandelbrot_workload(CLI::App& app) {
    add_size(app, size_);
    app.add_option("--iterations", iterations_, "most of a pixel")
        ->check(whole_number(1, 1'000'000'000));
    app.add_option("--form", form_, "kernels: a name, a list, or all")->check(list_of(k_forms));
  }

  std::vector<measured> run(const common& c) const override {
    picture p{.iterations = static_cast<std::uint32_t>(iterations_)};
    std::tie(p.width, p.height) = sides_of(size_);
    const picture_check check(p);
    c.warm();
    std::vector<measured> all;
    std::vector<std::uint32_t> counts;
    for (const std::string& form : names_in(form_, k_forms)) {
      measured m;
      m.parameters = {{"size", size_}, {"iterations", iterations_}, {"form", form}};
      m.tasks = p.pixels();
      m.seconds = run_mandelbrot(p,
                                 form == "plain-8x16"   ? picture_form::plain_8x16
                                 : form == "plain-32x1" ? picture_form::plain_32x1
                                                        : picture_form::refilled,
                                 c.times(), counts);
      m.result = picture_check::total_of(counts);
      m.fault = check.fault(counts);
      all.push_back(std::move(m));
    }
    return all;
  }

 private:
  inline static const std::vector<std::string> k_forms{"plain-8x16", "plain-32x1", "refilled"};
  std::string size_ = k_default_size;
  std::uint64_t iterations_ = k_default_iterations;
  std::string form_ = "all";
};

}  // namespace

std::unique_ptr<workload> make_mandelbrot(CLI::App& app) {
  return std::make_unique<mandelbrot_workload>(app);
}

}  // namespace mgws::bench::peers::gpu
