#include "runs/uts.hpp"

#include <memory>
#include <optional>
#include <string>

#include "harness/command_line.hpp"
#include "harness/ports.hpp"
#include "harness/width.hpp"
#include "uts/sequential.hpp"
#include "uts/sha1_x86.hpp"
#include "uts/tree_choice.hpp"
#include "uts/tree_tables.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

namespace {

class uts_workload final : public workload {
 public:
  std::string name() const override { return "uts"; }
  std::string description() const override { return "Unbalanced Tree Search"; }
  std::string unit() const override { return "nodes"; }

  void add_options(CLI::App& command) override {
    auto* const tree = tree_.add_to(command);
    command.add_option("--hash", hash_, "auto: the processor's SHA instructions where it has them")
        ->type_name("auto|portable|x86")
        ->check(CLI::IsMember({"auto", "portable", "x86"}))
        ->capture_default_str();
    command
        .add_option("--expect", expect_,
                    "nodes of a tree without a name, instead of a sequential traversal")
        ->type_name("NODES")
        ->check(whole_number(1))
        ->excludes(tree);
    add_width(command, width_)
        ->excludes(
            command.add_flag("--finish", finish_, "all below a finish, whose end a task awaits"));
  }

  bool over_processes() const override { return true; }
  void prepare(const options& o) override {
    known_ = tree_.known();
    tables_.emplace(tree_.parameters());
    const bool sha = !uses_gpus(o) && uts::has_sha_instructions();
    if (hash_ == "x86" && !sha)
      throw not_possible("the workers' processor has no SHA instructions: use --hash portable");
    if (hash_ == "auto") hash_ = sha ? "x86" : "portable";
    const uts::tree tree = tables_->view();
    const uts::node root = tree.root();
    runs_ = with_port(o, [&]<class Port>() {
      return uts::make_runs<Port>(o, {.root = root,
                                      .children = tree.children(root),
                                      .sha_instructions = hash_ == "x86",
                                      .finish = finish_,
                                      .width = width_of(width_)});
    });
    // Each device's tasks read them all the time.
    words_ = placed_array<std::uint32_t>(runs_->data_places(), tables_->words().size(),
                                         placement::replicated);
    words_.upload(tables_->words());
    if (known_ == nullptr && !expect_)
      reference_ = uts::has_sha_instructions() ? uts::traverse<uts::x86_sha1>(tree)
                                               : uts::traverse<uts::portable_sha1>(tree);
  }

  json parameters() const override {
    json j = tree_.described();
    j.update({{"hash", hash_}, {"finish", finish_}, {"width", width_}});
    return j;
  }

  outcome run() override {
    const auto r = runs_->run_each(contexts_of(
        runs_->devices(), [&](std::uint32_t d) { return tables_->view(words_.on(d).at(0, 0)); }));
    const bool bare = r.get<uts::nodes>() == 0;
    outcome o;
    o.report = r;
    // The root is no task: it is counted here.
    const std::uint64_t nodes = r.get<uts::nodes>() + 1;
    const std::uint64_t leaves = bare ? 1 : r.get<uts::leaves>();
    const std::uint64_t depth = r.get<uts::deepest>();
    o.tasks = nodes;
    o.result = nodes;
    o.details = {{"depth", depth}, {"leaves", leaves}};
    // As if each node took as long. The lanes of a wide task share its children.
    if (!bare && ran_by_one_lane(width_, r))
      o.chain = static_cast<double>(depth) / static_cast<double>(nodes);
    const auto expect = [&](const char* what, std::uint64_t is, std::uint64_t should_be) {
      if (is == should_be) return;
      o.verified = false;
      o.fault += (o.fault.empty() ? "" : ", ") + std::to_string(is) + " " + what + " instead of " +
                 std::to_string(should_be);
    };
    o.verified = true;
    // The root is no task; with a finish, who makes it and who comes after it are two more.
    if (width_ == "lane") expect("tasks", r.tasks + 1, nodes + (finish_ ? 2 : 0));
    if (known_ != nullptr) {
      expect("nodes", nodes, known_->nodes);
      if (known_->depth != 0) expect("depth", depth, known_->depth);
      if (known_->leaves != 0) expect("leaves", leaves, known_->leaves);
    } else if (expect_) {
      expect("nodes", nodes, *expect_);
    } else {
      expect("nodes", nodes, reference_.nodes);
      expect("depth", depth, reference_.depth);
      expect("leaves", leaves, reference_.leaves);
    }
    return o;
  }

 private:
  uts::tree_choice tree_;
  std::string hash_ = "auto";
  std::optional<std::uint64_t> expect_;
  const uts::named_tree* known_ = nullptr;
  uts::traversal reference_;
  std::optional<uts::tree_tables> tables_;
  placed_array<std::uint32_t> words_;  ///< of the tables, where the tasks reach them
  bool finish_ = false;
  std::string width_ = "lane";
  std::unique_ptr<runs<uts::tree, uts::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_uts() {
  return std::make_unique<uts_workload>();
}

}  // namespace mgws::bench
