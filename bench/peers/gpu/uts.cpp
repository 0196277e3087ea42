#include "peers/gpu/uts.hpp"

#include <utility>

#include <fmt/format.h>

#include <mgws/errors.hpp>

#include "harness/list.hpp"
#include "peers/gpu/command.hpp"
#include "uts/parameters.hpp"
#include "uts/sequential.hpp"
#include "uts/sha1_x86.hpp"
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
    auto* const tree =
        app.add_option("--tree", tree_, "a named tree: " + names())->type_name("NAME");
    const auto letter = [&](const char* option, auto& value, const char* what) {
      app.add_option(option, value, what)->capture_default_str()->excludes(tree);
    };
    letter("-t", given_.t, "type: 0 binomial, 1 geometric, 2 hybrid, 3 balanced");
    letter("-a", given_.a, "shape: 0 linear, 1 exponential, 2 cyclic, 3 fixed");
    letter("-d", given_.d, "depth");
    letter("-b", given_.b, "children of the root");
    letter("-r", given_.r, "seed");
    letter("-q", given_.q, "binomial: probability of children");
    letter("-m", given_.m, "binomial: number of children");
    letter("-f", given_.f, "hybrid: where binomial nodes begin, as a part of the depth");
    app.add_option("-g", granularity_, "times that each child is hashed")->capture_default_str();
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
      uts::validate(parameters());
    } catch (const std::invalid_argument& e) {
      throw bad_configuration(e.what());
    }
  }

  std::vector<measured> run(const common& c) const override {
    const uts::tree_parameters parameters = this->parameters();
    const uts::named_tree* const known = known_tree();
    const uts::tree_tables tables(parameters);
    const answer expected = answer_of(known, tables.view());
    c.warm();
    std::vector<measured> all;
    for (const std::string& form : names_in(form_, k_forms)) {
      measured m;
      if (known != nullptr) m.parameters["tree"] = known->name;
      m.parameters.update({{"t", parameters.t},
                           {"a", parameters.a},
                           {"d", parameters.d},
                           {"b", parameters.b},
                           {"r", parameters.r},
                           {"q", parameters.q},
                           {"m", parameters.m},
                           {"f", parameters.f},
                           {"g", parameters.g},
                           {"form", form},
                           {"threads", threads_}});
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
  static std::string names() {
    std::string all;
    for (const uts::named_tree& named : uts::named_trees())
      all += (all.empty() ? "" : ", ") + std::string(named.name);
    return all;
  }
  /// The one that was named or described; null if the tree has no name.
  [[nodiscard]] const uts::named_tree* known_tree() const {
    if (tree_.empty()) {
      for (const uts::named_tree& named : uts::named_trees())
        if (named.parameters == given_) return &named;
      return nullptr;
    }
    const uts::named_tree* const known = uts::find_named_tree(tree_);
    if (known == nullptr)
      throw bad_configuration("'" + tree_ + "' is not a named tree: use one of " + names());
    return known;
  }
  [[nodiscard]] uts::tree_parameters parameters() const {
    uts::tree_parameters p = given_;
    if (const uts::named_tree* const known = known_tree()) p = known->parameters;
    p.g = granularity_;
    return p;
  }
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
  std::string tree_;
  uts::tree_parameters given_;
  std::int64_t granularity_ = 1;
  std::string form_ = "all";
  std::uint64_t threads_ = 128;
};

}  // namespace

std::unique_ptr<workload> make_uts(CLI::App& app) {
  return std::make_unique<uts_workload>(app);
}

}  // namespace mgws::bench::peers::gpu
