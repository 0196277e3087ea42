#include "peers/gpu/md.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <mgws/errors.hpp>

#include "harness/list.hpp"
#include "md/atoms.hpp"
#include "md/check.hpp"
#include "md/options.hpp"
#include "peers/gpu/command.hpp"

namespace mgws::bench::peers::gpu {

namespace {

/// The paper's Solution 1, 2 and 3, and what one writes today.
const std::vector<std::string> k_md_forms{"sorted", "random", "chunks", "counter"};

class md_workload final : public workload {
 public:
  explicit md_workload(CLI::App& app) {
    options_.add_to(app);
    app.add_option("--form", form_, "kernels: a name, a list, or all")
        ->check(list_of(k_md_forms))
        ->capture_default_str();
    app.add_option("--chunk", chunk_, "atoms of a launch, of chunks: a multiple of 128")
        ->check(whole_number(1, md_options::k_most_atoms))
        ->capture_default_str();
    app.add_option("--gpus", gpus_, "GPUs that share the atoms, from --device on")
        ->check(whole_number(1, 64))
        ->capture_default_str();
  }

  void check() const override {
    if (chunk_ % k_atoms_of_task != 0)
      throw bad_configuration("--chunk must be a multiple of 128, the atoms of a block");
  }

  std::vector<measured> run(const common& c) const override {
    std::vector<measured> all;
    for (const char* const order : {"sorted", "random"}) {
      const std::vector<std::string> forms = forms_in(order);
      if (forms.empty()) continue;
      md_options o = options_;
      o.order = order;
      const md::atom_system system = md::atom_system::make(o);
      const md::md_check check(system.targets, o.cutoff);
      md_on_gpus gpus(system.here(), system.begin.size() - 1, system.targets,
                      static_cast<std::uint32_t>(c.device), static_cast<std::uint32_t>(gpus_));
      c.warm();
      for (const std::string& form : forms)
        all.push_back(measure(gpus, check, o, form, c.times()));
    }
    return all;
  }

 private:
  [[nodiscard]] std::vector<std::string> forms_in(const std::string& order) const {
    std::vector<std::string> forms = names_in(form_, k_md_forms);
    std::erase_if(forms,
                  [&](const std::string& f) { return (f == "random") != (order == "random"); });
    return forms;
  }
  [[nodiscard]] measured measure(md_on_gpus& gpus, const md::md_check& check, const md_options& o,
                                 const std::string& form, repetitions times) const {
    measured m;
    m.parameters = o.parameters();
    m.parameters["grain"] = k_atoms_of_task;
    m.parameters["form"] = form;
    m.parameters["gpus"] = gpus_;
    if (form == "chunks") m.parameters["chunk"] = chunk_;
    m.tasks = o.atoms;
    m.seconds = gpus.run(form == "chunks"    ? md_form::chunks
                         : form == "counter" ? md_form::counter
                                             : md_form::launch,
                         static_cast<std::uint32_t>(chunk_), times,
                         [&](const std::vector<md::pull>& found, std::uint64_t neighbours) {
                           const auto verdict = check.of(found, neighbours);
                           m.result = verdict.right;
                           if (!verdict.fault.empty()) m.fault = verdict.fault;
                         });
    return m;
  }

  md_options options_;
  std::string form_ = "all";
  std::uint64_t chunk_ = 15'360;
  std::uint64_t gpus_ = 1;
};

}  // namespace

std::unique_ptr<workload> make_md(CLI::App& app) {
  return std::make_unique<md_workload>(app);
}

}  // namespace mgws::bench::peers::gpu
