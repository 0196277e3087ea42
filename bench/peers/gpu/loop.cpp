#include <utility>

#include <fmt/format.h>

#include "harness/list.hpp"
#include "loop/options.hpp"
#include "peers/gpu/command.hpp"

namespace mgws::bench::peers::gpu {
namespace {

class loop_workload final : public workload {
 public:
  explicit loop_workload(CLI::App& app) {
    options_.add_to(app);
    app.add_option("--form", form_, "kernels: a name, a list, or all")->check(list_of(k_forms));
    app.add_option("--chunk", chunk_, "instances that a warp takes at once, of counter, refilled")
        ->check(whole_number(1, 1u << 30));
    app.add_option("--piece", piece_, "iterations between two looks at the lanes, of refilled")
        ->check(whole_number(1, ~std::uint32_t{0}));
  }

  std::vector<measured> run(const common& c) const override {
    c.warm();
    std::vector<measured> all;
    for (const std::string& form : names_in(form_, k_forms)) {
      for (const std::string& pattern : options_.patterns()) {
        const loop_work work = options_.work(pattern);
        const loop_answer answer = answer_of(work);
        measured m;
        m.parameters = options_.parameters(pattern, answer);
        m.parameters["form"] = form;
        if (form != "plain") m.parameters["chunk"] = chunk_;
        if (form == "refilled") m.parameters["piece"] = piece_;
        m.tasks = work.costs.n;
        for (const loop_run& r : run_loop(work,
                                          form == "plain"      ? loop_form::plain
                                          : form == "refilled" ? loop_form::refilled
                                                               : loop_form::counter,
                                          static_cast<std::uint32_t>(chunk_),
                                          static_cast<std::uint32_t>(piece_), c.times())) {
          m.seconds.push_back(r.seconds);
          m.result = r.sum;
          if (r.sum != answer.sum) m.fault = fmt::format("sum {} instead of {}", r.sum, answer.sum);
        }
        all.push_back(std::move(m));
      }
    }
    return all;
  }

 private:
  inline static const std::vector<std::string> k_forms{"counter", "plain", "refilled"};
  loop_options options_;
  std::string form_ = "all";
  std::uint64_t chunk_ = 32;
  std::uint64_t piece_ = 64;
};

}  // namespace

std::unique_ptr<workload> make_loop(CLI::App& app) {
  return std::make_unique<loop_workload>(app);
}

}  // namespace mgws::bench::peers::gpu
