#include "runs/nqueens.hpp"

#include <memory>
#include <string>

#include "harness/command_line.hpp"
#include "harness/ports.hpp"
#include "harness/width.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

namespace {

class nqueens_workload final : public workload {
 public:
  std::string name() const override { return "nqueens"; }
  std::string description() const override { return "all solutions of the n-queens problem"; }
  std::string unit() const override { return "tasks"; }

  void add_options(CLI::App& command) override {
    command.add_option("--n", n_, "queens, and squares of a side")
        ->type_name("N")
        ->check(whole_number(1, nqueens::k_max_n))
        ->capture_default_str();
    command
        .add_option("--cutoff", cutoff_,
                    "queens placed by tasks; below, a task searches by itself, " +
                        std::to_string(nqueens::k_search_rows) +
                        " rows at most [8 less than N; of 16 queens or more 9, 10, 11; at least 2]")
        ->type_name("K")
        ->check(whole_number(1, nqueens::k_max_n));
    command.add_option("--piece", piece_, "steps of a lane's search between two looks around")
        ->type_name("N")
        ->check(whole_number(1, 1u << 20))
        ->capture_default_str();
    add_width(command, width_);
  }

  bool over_processes() const override { return true; }
  void prepare(const options& o) override {
    const auto n = static_cast<std::uint32_t>(n_);
    const nqueens::board squares(n);
    if (cutoff_ > n_) throw bad_configuration("--cutoff must be at most --n");
    cutoff_ = cutoff_ == 0 ? squares.usual_cutoff()
                           : squares.search_from(static_cast<std::uint32_t>(cutoff_));
    constexpr std::uint64_t at_once = nqueens::k_steps_at_once;
    piece_ = (piece_ + at_once - 1) / at_once * at_once;
    context_ = {squares, static_cast<std::uint32_t>(cutoff_), static_cast<std::uint32_t>(piece_)};
    runs_ = with_port(o, [&]<class Port>() {
      return nqueens::make_runs<Port>(o, {.squares = squares, .width = width_of(width_)});
    });
  }

  json parameters() const override {
    return {{"n", n_}, {"cutoff", cutoff_}, {"piece", piece_}, {"width", width_}};
  }

  outcome run() override {
    const auto r = runs_->run(context_);
    outcome o;
    o.report = r;
    o.tasks = r.tasks;
    const nqueens::board& squares = context_.squares;
    const std::uint64_t found = squares.with_mirrored(r.get<nqueens::solutions>());
    const std::uint64_t known = nqueens::known_solutions(squares.n());
    o.result = found;
    o.verified = found == known;
    if (!o.verified)
      o.fault = std::to_string(found) + " solutions instead of " + std::to_string(known);
    return o;
  }

 private:
  std::uint64_t n_ = 12;
  std::uint64_t cutoff_ = 0;
  std::string width_ = "lane";
  std::uint64_t piece_ = 256;
  nqueens::context context_{nqueens::board(1), 0, 0};
  std::unique_ptr<runs<nqueens::context, nqueens::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_nqueens() {
  return std::make_unique<nqueens_workload>();
}

}  // namespace mgws::bench
