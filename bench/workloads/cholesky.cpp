#include "runs/cholesky.hpp"

#include <memory>
#include <string>
#include <vector>

#include "cholesky/matrix.hpp"
#include "harness/command_line.hpp"
#include "harness/ports.hpp"
#include "harness/width.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

namespace {

constexpr std::uint64_t k_most_side = 512;
constexpr std::uint64_t k_most_rows = 512;
constexpr std::uint64_t k_most_n = std::uint64_t{1} << 16;
/// What a residual may be.
constexpr double k_most_residual = 30;

class cholesky_workload final : public workload {
 public:
  std::string name() const override { return "cholesky"; }
  std::string description() const override {
    return "the Cholesky factorization of a matrix, by tiles, a graph of tasks";
  }
  std::string unit() const override { return "tasks"; }

  void add_options(CLI::App& command) override {
    command.add_option("--n", n_, "rows of the matrix")
        ->type_name("N")
        ->check(whole_number(1, k_most_n))
        ->capture_default_str();
    command.add_option("--tile", side_, "rows of a tile, of which the matrix is made")
        ->type_name("N")
        ->check(whole_number(1, k_most_side))
        ->capture_default_str();
    command.add_option("--matrix-seed", matrix_seed_, "which matrix")
        ->type_name("N")
        ->check(whole_number())
        ->capture_default_str();
    add_width(command, width_);
  }

  void prepare(const options& o) override {
    if (side_ % cholesky::k_block != 0)
      throw bad_configuration("--tile must be a multiple of " + std::to_string(cholesky::k_block) +
                              ", not " + std::to_string(side_));
    if (n_ % side_ != 0 || n_ / side_ > k_most_rows)
      throw bad_configuration("--n must be a multiple of --tile, " + std::to_string(side_) +
                              ", and at most " + std::to_string(k_most_rows) + " of it, not " +
                              std::to_string(n_));
    const std::uint64_t rows = n_ / side_;
    runs_ = with_port(o, [&]<class Port>() {
      return cholesky::make_runs<Port>(
          o, {.rows = static_cast<std::uint32_t>(rows), .width = width_of(width_)});
    });
    given_.resize(rows * (rows + 1) / 2 * side_ * side_);
    found_.resize(given_.size());
    cholesky::fill(in(given_), n(), matrix_seed_);
    elements_ = array<double>(runs_->data_places().common(), given_.size());
  }

  json parameters() const override {
    return {{"n", n_}, {"tile", side_}, {"matrix_seed", matrix_seed_}, {"width", width_}};
  }

  outcome run() override {
    elements_.upload(given_);
    const auto r =
        runs_->run({{.elements = elements_.data(), .side = static_cast<std::uint32_t>(side_)}});
    elements_.download(found_);
    const double residual = cholesky::residual(in(given_), in(found_), n());
    const double size = static_cast<double>(n_);
    const std::uint64_t tasks = cholesky::tasks_of(n_ / side_);
    outcome o;
    o.report = r;
    o.tasks = r.tasks;
    o.result = residual;
    o.details = {{"gflops", size * size * size / 3 / r.seconds * 1e-9}};
    o.verified = r.tasks == tasks && residual <= k_most_residual;
    if (!o.verified)
      o.fault = "after " + std::to_string(r.tasks) + " tasks of " + std::to_string(tasks) +
                " the residual is " + std::to_string(residual) + ", more than " +
                std::to_string(static_cast<int>(k_most_residual)) + " or not a number";
    return o;
  }

 private:
  [[nodiscard]] std::uint32_t n() const { return static_cast<std::uint32_t>(n_); }
  [[nodiscard]] cholesky::tiled in(std::vector<double>& elements) const {
    return {.elements = elements.data(), .side = static_cast<std::uint32_t>(side_)};
  }

  std::uint64_t n_ = 2048;
  std::uint64_t side_ = 64;
  std::uint64_t matrix_seed_ = 1;
  std::string width_ = "block";
  std::vector<double> given_;
  std::vector<double> found_;
  array<double> elements_;
  std::unique_ptr<runs<cholesky::context, cholesky::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_cholesky() {
  return std::make_unique<cholesky_workload>();
}

}  // namespace mgws::bench
