#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <mgws/errors.hpp>

#include "harness/list.hpp"
#include "peers/gpu/command.hpp"
#include "workloads/nqueens_board.hpp"

namespace mgws::bench::peers::gpu {

namespace {

class nqueens_workload final : public workload {
 public:
  explicit nqueens_workload(CLI::App& app) {
    app.add_option("--n", n_, "queens, and squares of a side")
        ->type_name("N")
        ->check(whole_number(4, nqueens::k_max_n))
        ->capture_default_str();
    app.add_option("--cutoff", cutoff_,
                   "queens of the placements that lanes search below [at most 7]")
        ->type_name("K")
        ->check(whole_number(2, 10));
    app.add_option("--threads", threads_, "threads of a block, a multiple of 32")
        ->check(whole_number(32, 1024))
        ->capture_default_str();
    app.add_option("--form", form_, "kernels: a name, a list, or all")
        ->check(list_of(k_forms))
        ->capture_default_str();
  }

  void check() const override {
    if (cutoff_ > n_ - 2) throw bad_configuration("--cutoff must be at most two less than --n");
    if (threads_ % 32 != 0) throw bad_configuration("--threads must be a multiple of 32");
  }

  std::vector<measured> run(const common& c) const override {
    const std::uint64_t cutoff = cutoff_ != 0 ? cutoff_ : std::min<std::uint64_t>(7, n_ - 2);
    const auto n = static_cast<std::uint32_t>(n_);
    const std::uint64_t known = nqueens::known_solutions(n);
    c.warm();
    std::vector<measured> all;
    for (const std::string& form : names_in(form_, k_forms)) {
      measured m;
      m.parameters = {{"n", n_}, {"cutoff", cutoff}, {"form", form}, {"threads", threads_}};
      for (const queens_run& r :
           run_queens(n, form == "counter" ? queens_form::counter : queens_form::stride,
                      static_cast<std::uint32_t>(cutoff), static_cast<std::uint32_t>(threads_),
                      c.times())) {
        m.seconds.push_back(r.seconds);
        m.tasks = r.placements;
        m.result = r.solutions;
        if (r.solutions != known)
          m.fault = fmt::format("{} solutions instead of {}", r.solutions, known);
      }
      all.push_back(std::move(m));
    }
    return all;
  }

 private:
  inline static const std::vector<std::string> k_forms{"counter", "stride"};
  std::uint64_t n_ = 12;
  std::uint64_t cutoff_ = 0;
  std::uint64_t threads_ = 128;
  std::string form_ = "all";
};

}  // namespace

std::unique_ptr<workload> make_nqueens(CLI::App& app) {
  return std::make_unique<nqueens_workload>(app);
}

}  // namespace mgws::bench::peers::gpu
