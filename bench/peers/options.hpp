/// \file
/// The programs' command line: the workloads' options have the names that mgws-bench gives them.
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "crypt/text.hpp"
#include "harness/command_line.hpp"
#include "loop/options.hpp"
#include "md/options.hpp"
#include "peer.hpp"
#include "uts/parameters.hpp"
#include "uts/sha1_x86.hpp"
#include "workloads/nqueens_board.hpp"

namespace mgws::bench::peers {

/// An option or a combination of options makes no sense; what() is one sentence.
struct bad_usage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct options {
  workload what = workload::uts;
  std::string workload_name;
  form how = form::each;
  bool has_form = false;
  std::string tree_name;
  uts::tree_parameters tree;
  bool sha_instructions = false;
  std::uint64_t n = 12;
  std::uint64_t cutoff = 0;
  std::uint64_t elements = std::uint64_t{1} << 20;
  std::uint64_t depth = 22;
  std::uint64_t fanout = 2;
  std::uint64_t tree_tasks = 0;  ///< of spawn-tree
  std::uint64_t fib = 25;        ///< argument of its first call
  loop_options loop;
  std::uint64_t chunk = 32;  ///< of loop
  crypt_options crypt;
  md_options md;
  std::uint64_t workers = 1;
  std::uint64_t repeat = 1;
  std::uint64_t warmup = 0;
  std::string json;
  std::string command;
};

/// Tasks of a spawn-tree; empty if there are 2^63 or more.
[[nodiscard]] inline std::optional<std::uint64_t> spawn_tree_tasks(std::uint64_t depth,
                                                                   std::uint64_t fanout) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  if (fanout == 0) return 1;
  if (fanout == 1) return depth < most ? std::optional(depth + 1) : std::nullopt;
  std::uint64_t tasks = 1;
  std::uint64_t level = 1;
  for (std::uint64_t i = 0; i != depth; ++i) {
    if (level > (most - tasks) / fanout) return std::nullopt;
    level *= fanout;
    tasks += level;
  }
  return tasks;
}

namespace detail {

/// Stricter than CLI11, which reads -1 as 2^64 - 1, 010 as 8, and cuts what is too large.
template <class Number>
std::string refuse_number(const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const bool octal = std::is_integral_v<Number> && text.size() > sign + 1 && text[sign] == '0';
  if (error == std::errc() && at == end && !octal) return {};
  return fmt::format("'{}' is not a {}", text,
                     std::is_integral_v<Number> ? "whole number in range" : "number");
}

template <class Number>
CLI::Option* add_number(CLI::App& app, const char* name, Number& value, const char* what) {
  return app.add_option(name, value, what)
      ->type_name("N")
      ->check(CLI::Validator([](std::string& text) { return refuse_number<Number>(text); }, ""));
}

inline void require_range(std::string_view option, std::uint64_t least, std::uint64_t most,
                          std::uint64_t given) {
  if (given >= least && given <= most) return;
  throw bad_usage(fmt::format("{} must be from {} to {}, not {}", option, least, most, given));
}

/// As a shell would need it.
inline std::string quoted(std::string_view word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("-_./=,:+@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return std::string(word);
  std::string result = "'";
  for (const char c : word) {
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return result + "'";
}

/// The parser, and what it reads into before everything is checked.
class parser {
 public:
  explicit parser(const peer_description& who) : who_(who) {
    app_.set_help_flag("-h,--help", "print this and exit");
    app_.require_subcommand(1);
    given_.workers = who.parallel ? std::max(1u, std::thread::hardware_concurrency()) : 1;
    add_uts();
    add_nqueens();
    add_memset();
    add_spawn_tree();
    add_fib();
    add_loop();
    add_crypt();
    add_md();
  }

  options parse(int argc, const char* const* argv) {
    app_.parse(argc, argv);
    for (int i = 0; i != argc; ++i) {
      given_.command += (i == 0 ? "" : " ") + quoted(argv[i]);
    }
    check();
    return given_;
  }
  [[nodiscard]] CLI::App& app() { return app_; }

 private:
  CLI::App& add(workload what, const std::string& name, const char* description) {
    CLI::App& sub = *app_.add_subcommand(name, description);
    sub.callback([this, what, name] {
      given_.what = what;
      given_.workload_name = name;
    });
    if (std::ranges::find(who_.with_range_form, what) != who_.with_range_form.end()) {
      sub.add_option("--form", form_, "each: a task each; range: the runtime may chunk")
          ->check(CLI::IsMember({"each", "range"}))
          ->capture_default_str();
      sub.parse_complete_callback([this] { given_.has_form = true; });
    }
    add_number(sub, "--workers", given_.workers, "threads")->capture_default_str();
    add_number(sub, "--repeat", given_.repeat, "runs that count")->capture_default_str();
    add_number(sub, "--warmup", given_.warmup, "runs before them")->capture_default_str();
    sub.add_option("--json", given_.json, "write the report to FILE, or - for standard output")
        ->type_name("FILE")
        ->check(file_name(true));
    return sub;
  }

  void add_uts() {
    CLI::App& sub = add(workload::uts, "uts", "Unbalanced Tree Search");
    auto& p = given_.tree;
    auto* tree = sub.add_option("--tree", given_.tree_name, "a named tree: T1, T3, T1L, ...");
    const auto letter = [&](const char* name, auto& value, const char* what) {
      add_number(sub, name, value, what)->capture_default_str()->excludes(tree);
    };
    letter("-t", p.t, "type: 0 binomial, 1 geometric, 2 hybrid, 3 balanced");
    letter("-a", p.a, "shape: 0 linear, 1 exponential, 2 cyclic, 3 fixed");
    letter("-d", p.d, "depth");
    letter("-b", p.b, "children of the root");
    letter("-r", p.r, "seed");
    letter("-q", p.q, "binomial: probability of children");
    letter("-m", p.m, "binomial: number of children");
    letter("-f", p.f, "hybrid: fraction of the depth that is geometric");
    add_number(sub, "-g", granularity_, "times that each child is hashed")->capture_default_str();
    sub.add_option("--hash", hash_, "auto: the processor's SHA instructions where it has them")
        ->check(CLI::IsMember({"auto", "portable", "x86"}))
        ->capture_default_str();
  }
  void add_nqueens() {
    CLI::App& sub = add(workload::nqueens, "nqueens", "all solutions of the n-queens problem");
    add_number(sub, "--n", given_.n, "queens")->capture_default_str();
    cutoff_ = add_number(sub, "--cutoff", given_.cutoff, "queens placed by tasks (as mgws-bench)");
  }
  void add_memset() {
    CLI::App& sub = add(workload::memset, "memset", "each task writes one array element");
    add_number(sub, "--tasks", given_.elements, "elements")->capture_default_str();
  }
  void add_spawn_tree() {
    CLI::App& sub = add(workload::spawn_tree, "spawn-tree", "a tree of empty tasks");
    add_number(sub, "--depth", given_.depth, "of the last tasks; the root has 0")
        ->capture_default_str();
    add_number(sub, "--fanout", given_.fanout, "children of each other task")
        ->capture_default_str();
  }

  void add_fib() {
    CLI::App& sub = add(workload::fib, "fib", "the naive Fibonacci function, each call a task");
    add_number(sub, "--n", given_.fib, "argument of the first call")->capture_default_str();
  }

  void add_loop() {
    CLI::App& sub = add(workload::loop, "loop", "a loop whose instances differ in length");
    given_.loop.add_to(sub);
    add_number(sub, "--chunk", given_.chunk, "instances that a thread takes at once, or at least")
        ->capture_default_str();
  }

  void add_crypt() {
    given_.crypt.add_to(
        add(workload::crypt, "crypt", "a text is encrypted by IDEA, and decrypted"));
  }

  void add_md() {
    CLI::App& sub =
        add(workload::md, "md", "the forces between atoms that are denser in the middle");
    given_.md.add_to(sub);
    given_.md.add_tasks_to(sub);
  }

  void check() {
    if (!who_.parallel && given_.workers != 1) {
      throw bad_usage("this program has no threads: --workers must be 1");
    }
    require_range("--workers", 1, 1024, given_.workers);
    require_range("--repeat", 1, 1'000'000, given_.repeat);
    require_range("--warmup", 0, 1'000'000, given_.warmup);
    given_.how = form_ == "range" ? form::range : form::each;
    switch (given_.what) {
      case workload::uts:
        return check_uts();
      case workload::nqueens:
        require_range("--n", 1, nqueens::k_max_n, given_.n);
        if (cutoff_->count() == 0)
          given_.cutoff = std::min<std::uint64_t>(
              given_.n, nqueens::board(static_cast<std::uint32_t>(given_.n)).usual_cutoff());
        return require_range("--cutoff", 0, given_.n, given_.cutoff);
      case workload::memset:
        return require_range("--tasks", 1, std::uint64_t{1} << 40, given_.elements);
      case workload::spawn_tree: {
        // A chain as deep as this still fits the threads' stacks, see harness.hpp.
        require_range("--depth", 0, 1'000'000, given_.depth);
        require_range("--fanout", 0, std::numeric_limits<std::uint32_t>::max(), given_.fanout);
        const auto tasks = spawn_tree_tasks(given_.depth, given_.fanout);
        if (!tasks) throw bad_usage("--depth and --fanout make a tree of 2^63 tasks or more");
        given_.tree_tasks = *tasks;
        return;
      }
      case workload::fib:
        return require_range("--n", 0, 60, given_.fib);
      case workload::loop:
        if (given_.loop.patterns().size() != 1) throw bad_usage("--pattern must be one pattern");
        if (given_.loop.heavy > given_.loop.n) throw bad_usage("--heavy must be at most --n");
        return require_range("--chunk", 1, loop_options::k_most, given_.chunk);
      case workload::crypt:
        if (given_.crypt.size % sizeof(idea::block) != 0)
          throw bad_usage("--size must be a multiple of 8: a text of whole blocks");
        return;
      case workload::md:
        return;
    }
  }
  void check_uts() {
    if (!given_.tree_name.empty()) {
      const auto* known = uts::find_named_tree(given_.tree_name);
      if (known == nullptr) {
        std::string names;
        for (const auto& tree : uts::named_trees()) {
          names += fmt::format("{}{}", names.empty() ? "" : ", ", tree.name);
        }
        throw bad_usage(fmt::format("no tree is called {}; there are {}", given_.tree_name, names));
      }
      given_.tree = known->parameters;
    }
    given_.tree.g = granularity_;
    if (hash_ == "x86" && !uts::has_sha_instructions()) {
      throw std::runtime_error("this processor has no SHA instructions: use --hash portable");
    }
    given_.sha_instructions = hash_ != "portable" && uts::has_sha_instructions();
  }

  const peer_description& who_;
  options given_;
  std::int64_t granularity_ = 1;
  std::string form_ = "each";
  std::string hash_ = "auto";
  CLI::Option* cutoff_ = nullptr;
  CLI::App app_{"The benchmarks of mgws on another runtime: " + who_.runtime,
                std::string(who_.program)};
};

}  // namespace detail
}  // namespace mgws::bench::peers
