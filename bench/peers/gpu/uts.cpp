#include "peers/gpu/uts.hpp"

#include <utility>

#include <fmt/format.h>

#include <mgws/errors.hpp>

#include "harness/list.hpp"
#include "peers/gpu/command.hpp"
#include "uts/sequential.hpp"
#include "uts/sha1_x86.hpp"
#include "uts/tree_choice.hpp"
#include "uts/tree_tables.hpp"

namespace mgws::bench::peers::gpu {

namespace {

/// What must come out; 0 where that is not known.
struct answer {
  std::uint64_t nodes;
  std::uint64_t depth;
  std::uint64_t leaves;
};

class uts_workload final : public workload {
 public:
  explicit uts_workload(CLI::App& app) {
    tree_.add_to(app);
    app.add_option("--form", form_, "kernels: a name, a list, or all")
        ->check(list_of(k_forms))
        ->capture_default_str();
    app.add_option("--threads", threads_, "threads of a block, a multiple of 32")
        ->check(whole_number(32, 256))
        ->capture_default_str();
  }

  void check() const override {
    if (threads_ % 32 != 0) throw bad_configuration("--threads must be a multiple of 32");
    try {
      uts::validate(tree_.parameters());
    } catch (const std::invalid_argument& e) {
      throw bad_configuration(e.what());
    }
  }

  std::vector<measured> run(const common& c) const override {
    const uts::tree_tables tables(tree_.parameters());
    const answer expected = answer_of(tree_.known(), tables.view());
    c.warm();
    std::vector<measured> all;
    for (const std::string& form : names_in(form_, k_forms)) {
      measured m;
      m.parameters = tree_.described();
      m.parameters.update({{"form", form}, {"threads", threads_}});
      for (const uts_run& r : run_uts(tables.view(), tables.words(),
                                      form == "stacks" ? uts_form::stacks : uts_form::levels,
                                      static_cast<std::uint32_t>(threads_), c.times())) {
        m.seconds.push_back(r.seconds);
        m.tasks = m.result = r.nodes;
        if (const std::string fault = fault_of(r, expected); !fault.empty()) m.fault = fault;
      }
      all.push_back(std::move(m));
    }
    return all;
  }

 private:
  static answer answer_of(const uts::named_tree* known, const uts::tree& tree) {
    if (known != nullptr) return {known->nodes, known->depth, known->leaves};
    const uts::traversal t = uts::has_sha_instructions() ? uts::traverse<uts::x86_sha1>(tree)
                                                         : uts::traverse<uts::portable_sha1>(tree);
    return {t.nodes, t.depth, t.leaves};
  }
  static std::string fault_of(const uts_run& r, const answer& expected) {
    if (!r.complete) return "a stack or a level was too large for the memory set aside";
    if (r.nodes != expected.nodes)
      return fmt::format("{} nodes instead of {}", r.nodes, expected.nodes);
    if (expected.depth != 0 && r.depth != expected.depth)
      return fmt::format("depth {} instead of {}", r.depth, expected.depth);
    if (expected.leaves != 0 && r.leaves != expected.leaves)
      return fmt::format("{} leaves instead of {}", r.leaves, expected.leaves);
    return {};
  }

  inline static const std::vector<std::string> k_forms{"stacks", "levels"};
  uts::tree_choice tree_;
  std::string form_ = "all";
  std::uint64_t threads_ = 128;
};

}  // namespace

std::unique_ptr<workload> make_uts(CLI::App& app) {
  return std::make_unique<uts_workload>(app);
}

}  // namespace mgws::bench::peers::gpu
