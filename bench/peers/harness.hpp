/// \file
/// The common main program: reads the options, makes the peer, runs and times the problem, verifies
/// every run and reports.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pthread.h>

#include <mgws/errors.hpp>

#include "crypt/text.hpp"
#include "harness/command_line.hpp"
#include "harness/output.hpp"
#include "kernels.hpp"
#include "md/atoms.hpp"
#include "md/check.hpp"
#include "options.hpp"
#include "peer.hpp"
#include "report.hpp"
#include "uts/sequential.hpp"
#include "uts/tree_tables.hpp"

namespace mgws::bench::peers {

/// Runtimes that run a child inside its parent need stack for the depth of the tree, far more than
/// a thread has by default. It is address space; memory is taken as it is touched.
inline constexpr std::size_t k_stack_bytes = std::size_t{1} << 30;

/// Calls f on a thread that has such a stack, and makes it the default of threads to come.
template <class F>
void on_deep_stack(F&& f) {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0 ||
      ::pthread_attr_setstacksize(&attributes, k_stack_bytes) != 0 ||
      ::pthread_setattr_default_np(&attributes) != 0) {
    throw std::system_error(std::make_error_code(std::errc::not_enough_memory),
                            "no deep stacks for the threads");
  }
  std::exception_ptr thrown;
  std::thread([&] {
    try {
      f();
    } catch (...) {
      thrown = std::current_exception();
    }
  }).join();
  if (thrown) std::rethrow_exception(thrown);
}

/// Runs `body` with a clock around it.
template <class F>
[[nodiscard]] double seconds_of(F&& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// A problem, ready to be run again and again.
class experiment {
 public:
  experiment(peer& runtime, const options& o) : runtime_(runtime), o_(o) {
    if (o.what == workload::uts) {
      tables_.emplace(o.tree);
      expected_ = expected_tree();
    }
    if (o.what == workload::memset) {
      elements_.resize(o.elements);
      seen_.resize(o.elements);
    }
    if (o.what == workload::loop) {
      work_ = o.loop.work(o.loop.pattern);
      answer_ = answer_of(work_);
    }
    if (o.what == workload::crypt) {
      text_ = crypt_text::make(o.crypt);
      encrypted_.resize(text_.plain.size());
      decrypted_.resize(text_.plain.size());
    }
    if (o.what == workload::md) {
      atoms_ = md::atom_system::make(o.md);
      md_check_ = md::md_check(atoms_.targets, o.md.cutoff);
      pulls_.resize(atoms_.targets.size());
    }
  }

  [[nodiscard]] run_record run() {
    switch (o_.what) {
      case workload::uts:
        return run_uts();
      case workload::nqueens:
        return run_nqueens();
      case workload::memset:
        return run_memset();
      case workload::fib:
        return run_fib();
      case workload::loop:
        return run_loop();
      case workload::crypt:
        return run_crypt();
      case workload::md:
        return run_md();
      default:
        return run_spawn_tree();
    }
  }

 private:
  /// Published where it is; 0 where it is not. Otherwise found by the plain traversal with the
  /// portable hash.
  [[nodiscard]] uts::traversal expected_tree() const {
    uts::tree_parameters tree = o_.tree;
    tree.g = 1;  // hashing more often changes no node
    for (const uts::named_tree& known : uts::named_trees()) {
      if (known.parameters == tree) return {known.nodes, known.depth, known.leaves};
    }
    return uts::traverse<uts::portable_sha1>(uts::tree_tables(tree).view());
  }

  run_record run_uts() {
    run_record r;
    tally found;
    const uts_problem problem{tables_->view(), o_.sha_instructions, o_.how};
    r.seconds = seconds_of([&] { found = runtime_.run_uts(problem); });
    r.tasks = r.result = found.tasks;
    r.depth = found.depth;
    r.leaves = found.found;
    // A tree has leaves: zero stands for what is not published. Depth 0 is published for none.
    const bool any_depth = expected_.depth == 0 && expected_.nodes > 1;
    r.verified = r.result == expected_.nodes && (any_depth || r.depth == expected_.depth) &&
                 (expected_.leaves == 0 || r.leaves == expected_.leaves);
    return r;
  }
  run_record run_nqueens() {
    run_record r;
    tally found;
    const nqueens::board board(static_cast<std::uint32_t>(o_.n));
    const nqueens_problem problem{board, board.search_from(static_cast<std::uint32_t>(o_.cutoff))};
    r.seconds = seconds_of([&] { found = runtime_.run_nqueens(problem); });
    r.tasks = found.tasks;
    r.result = board.with_mirrored(found.found);
    r.verified = r.result == nqueens::known_solutions(board.n());
    return r;
  }
  run_record run_memset() {
    run_record r;
    const std::size_t n = elements_.size();
    // All copying as mgws-bench does it: what is in the caches when a run starts decides its time
    // as much as the runtime.
    std::memset(elements_.data(), 0xff, n * sizeof elements_[0]);
    r.seconds = seconds_of([&] { runtime_.run_memset({elements_, o_.how}); });
    r.tasks = n;
    std::memcpy(seen_.data(), elements_.data(), n * sizeof elements_[0]);
    for (std::size_t i = 0; i != n; ++i) {
      r.result += seen_[i] == i ? 1 : 0;
    }
    r.verified = r.result == n;
    return r;
  }
  run_record run_spawn_tree() {
    run_record r;
    tally found;
    const spawn_tree_problem problem{static_cast<std::uint32_t>(o_.depth),
                                     static_cast<std::uint32_t>(o_.fanout), o_.how};
    r.seconds = seconds_of([&] { found = runtime_.run_spawn_tree(problem); });
    r.tasks = r.result = found.tasks;
    r.verified = r.result == o_.tree_tasks;
    return r;
  }

  run_record run_fib() {
    run_record r;
    std::uint64_t value = 0;
    std::uint64_t next = 1;
    for (std::uint64_t i = 0; i != o_.fib; ++i)
      value = std::exchange(next, value + next);
    r.seconds =
        seconds_of([&] { r.result = runtime_.run_fib(static_cast<std::uint32_t>(o_.fib)); });
    r.tasks = 2 * next - 1;  // calls
    r.verified = r.result == value;
    return r;
  }

  run_record run_loop() {
    run_record r;
    tally found;
    const loop_problem problem{work_, o_.chunk, o_.how};
    r.seconds = seconds_of([&] { found = runtime_.run_loop(problem); });
    r.tasks = found.tasks;
    r.result = found.found;
    r.verified = r.tasks == o_.loop.n && r.result == answer_.sum;
    return r;
  }

  run_record run_crypt() {
    run_record r;
    std::ranges::fill(encrypted_, 0);
    std::ranges::fill(decrypted_, 0);
    const crypt_problem problem{
        {{text_.plain, encrypted_, text_.encrypting}, {encrypted_, decrypted_, text_.decrypting}},
        o_.crypt.grain,
        o_.how};
    r.seconds = seconds_of([&] { runtime_.run_crypt(problem); });
    r.tasks = 2 * text_.plain.size();
    r.result = equal_blocks(decrypted_, text_.plain);
    r.verified = r.result == text_.plain.size() && encrypted_ == text_.encrypted;
    return r;
  }

  run_record run_md() {
    run_record r;
    tally found;
    std::memset(pulls_.data(), 0xff, pulls_.size() * sizeof pulls_[0]);  // no numbers
    const md_problem problem{atoms_.here(), atoms_.targets, pulls_, o_.md.grain, o_.how};
    r.seconds = seconds_of([&] { found = runtime_.run_md(problem); });
    const md::md_check::verdict verdict = md_check_.of(pulls_, found.found);
    r.tasks = found.tasks;
    r.result = verdict.right;
    r.verified = r.tasks == o_.md.atoms && verdict.fault.empty();
    return r;
  }

  peer& runtime_;
  const options& o_;
  std::optional<uts::tree_tables> tables_;
  uts::traversal expected_;
  std::vector<std::uint64_t> elements_;
  std::vector<std::uint64_t> seen_;  ///< after a run
  loop_work work_{};
  loop_answer answer_;
  crypt_text text_;
  std::vector<idea::block> encrypted_;  ///< after a run, as the next
  std::vector<idea::block> decrypted_;
  md::atom_system atoms_;
  md::md_check md_check_;
  std::vector<md::pull> pulls_;  ///< after a run
};

/// Makes a peer of so many threads.
using peer_factory = std::function<std::unique_ptr<peer>(std::size_t workers)>;

[[nodiscard]] inline exit_code run_all(const options& o, const peer_description& who,
                                       const peer_factory& make) {
  if (!o.json.empty() && o.json != "-") check_writable(o.json, "JSON");
  std::vector<run_record> runs;
  bool right = true;
  on_deep_stack([&] {
    const auto runtime = make(o.workers);
    experiment e(*runtime, o);
    for (std::uint64_t i = 0; i != o.warmup + o.repeat; ++i) {
      const run_record r = e.run();
      right = right && r.verified;
      if (i >= o.warmup) runs.push_back(r);
    }
  });
  if (!o.json.empty()) write_json(o.json, report_json(o, who, runs));
  if (o.json != "-") std::fputs(report_text(o, who, runs).c_str(), stdout);
  if (!right) fmt::print(stderr, "{}: wrong result\n", who.program);
  return right ? k_right : k_wrong;
}

/// What main() of each program is.
[[nodiscard]] inline int peer_main(int argc, char** argv, const peer_description& who,
                                   const peer_factory& make) {
  const auto complain = [&](const char* sentence, exit_code code) {
    fmt::print(stderr, "{}: {}\n", who.program, sentence);
    return static_cast<int>(code);
  };
  detail::parser parser(who);
  try {
    return written(run_all(parser.parse(argc, argv), who, make));
  } catch (const CLI::Success& request) {
    return written(parser.app().exit(request));
  } catch (const CLI::ParseError& error) {
    return complain(complaint(parser.app(), error).c_str(), k_bad_usage);
  } catch (const bad_usage& error) {
    return complain(error.what(), k_bad_usage);
  } catch (const bad_configuration& error) {
    return complain(error.what(), k_bad_usage);
  } catch (const std::invalid_argument& error) {
    return complain(error.what(), k_bad_usage);
  } catch (const std::bad_alloc&) {
    return complain("there is not enough memory for this", k_not_possible);
  } catch (const std::exception& error) {
    return complain(error.what(), k_not_possible);
  }
}

}  // namespace mgws::bench::peers
