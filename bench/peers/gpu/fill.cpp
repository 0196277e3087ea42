#include <utility>

#include <fmt/format.h>

#include "harness/list.hpp"
#include "peers/gpu/command.hpp"

namespace mgws::bench::peers::gpu {

namespace {

class fill_workload final : public workload {
 public:
  explicit fill_workload(CLI::App& app) {
    app.add_option("--tasks", elements_, "elements")
        ->type_name("N")
        ->check(whole_number(1, std::uint64_t{1} << 38))
        ->capture_default_str();
    app.add_option("--form", form_, "kernels: a name, a list, or all")
        ->check(list_of(k_forms))
        ->capture_default_str();
  }

  std::vector<measured> run(const common& c) const override {
    c.warm();
    std::vector<measured> all;
    for (const std::string& form : names_in(form_, k_forms)) {
      measured m;
      m.parameters = {{"tasks", elements_}, {"form", form}};
      m.tasks = elements_;
      m.bytes = elements_ * (form == "slots" ? 24 : 8);
      for (const fill_run& r : run_fill(elements_,
                                        form == "plain"      ? fill_form::plain
                                        : form == "resident" ? fill_form::resident
                                                             : fill_form::slots,
                                        c.times())) {
        m.seconds.push_back(r.seconds);
        m.result = r.right;
        if (r.right != elements_)
          m.fault = fmt::format("{} of {} elements are right", r.right, elements_);
      }
      all.push_back(std::move(m));
    }
    return all;
  }

 private:
  inline static const std::vector<std::string> k_forms{"plain", "resident", "slots"};
  std::uint64_t elements_ = std::uint64_t{1} << 20;
  std::string form_ = "all";
};

}  // namespace

std::unique_ptr<workload> make_fill(CLI::App& app) {
  return std::make_unique<fill_workload>(app);
}

}  // namespace mgws::bench::peers::gpu
