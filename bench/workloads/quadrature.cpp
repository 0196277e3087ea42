#include "runs/quadrature.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/command_line.hpp"
#include "harness/ports.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

namespace {

using quadrature::k_integrands;
using quadrature::part;

class quadrature_workload final : public workload {
 public:
  std::string name() const override { return "quadrature"; }
  std::string description() const override {
    return "adaptive quadrature by Simpson's rule, each interval a task that joins its halves";
  }
  std::string unit() const override { return "intervals"; }

  void add_options(CLI::App& command) override {
    const std::vector<std::string> names(k_integrands.begin(), k_integrands.end());
    command
        .add_option("--function", function_,
                    "what is integrated: peaks of different widths, waves that become shorter, or "
                    "a root whose slope is infinite at one end")
        ->type_name("peaks|wave|root")
        ->check(CLI::IsMember(names))
        ->capture_default_str();
    command.add_option("--tolerance", tolerance_, "most that the integral may be off")
        ->type_name("E")
        ->check(number_between(1e-12, 0.1))
        ->capture_default_str();
    command
        .add_option("--depth", depth_,
                    "how often an interval may be halved; a tolerance that needs more is refused")
        ->type_name("N")
        ->check(whole_number(1, k_most_depth))
        ->capture_default_str();
    command.add_option("--way", way_, "halves are joined, or each lane sums up what it finds")
        ->type_name("join|sum")
        ->check(CLI::IsMember({"join", "sum"}))
        ->capture_default_str();
  }

  bool over_processes() const override { return true; }
  void prepare(const options& o) override {
    const auto f = static_cast<quadrature::integrand>(std::ranges::find(k_integrands, function_) -
                                                      k_integrands.begin());
    problem_ = {.f = f, .tolerance = tolerance_, .depth = static_cast<std::uint32_t>(depth_)};
    exact_ = quadrature::closed_form(f);
    known_.emplace(problem_);
    if (!known_->found())
      throw bad_configuration("with --tolerance " + in_short(tolerance_) + " an interval of " +
                              function_ + " would be halved more than --depth " +
                              std::to_string(depth_) +
                              " times: allow more, or tolerate more if its values are no more "
                              "exact than that");
    runs_ = with_port(o, [&]<class Port>() {
      return quadrature::make_runs<Port>(
          o, {.join = way_ == "join", .all = quadrature::interval::whole(f)});
    });
  }

  json parameters() const override {
    return {{"function", function_}, {"tolerance", tolerance_}, {"depth", depth_}, {"way", way_}};
  }

  outcome run() override {
    const auto r = runs_->run(problem_);
    const part found{r.get<quadrature::integral>(), r.get<quadrature::estimated>()};
    outcome o;
    o.report = r;
    o.tasks = known_->intervals();
    o.result = found.value;
    o.details = {{"off", std::fabs(found.value - exact_)},
                 {"estimated", found.error},
                 {"depth", known_->depth()}};
    o.fault = fault_of(found, r.tasks);
    o.verified = o.fault.empty();
    return o;
  }

 private:
  static constexpr std::uint64_t k_most_depth = 200;

  /// What is wrong with what was found; empty if nothing is.
  std::string fault_of(const part& found, std::uint64_t tasks) const {
    // One interval less are halved than are not.
    const std::uint64_t intervals = known_->intervals();
    const std::uint64_t expected = intervals + (way_ == "join" ? (intervals - 1) / 2 : 0);
    if (tasks != expected)
      return std::to_string(tasks) + " tasks instead of " + std::to_string(expected);
    const part& known = *known_->found();
    if (!near(found.value, known.value, known_->magnitude()) ||
        !near(found.error, known.error, known.error))
      return in_short(found.value) + ", with errors of " + in_short(found.error) +
             ", where one thread found " + in_short(known.value) + ", with " +
             in_short(known.error);
    // Also false if one is not a number.
    if (found.error <= tolerance_ && std::fabs(found.value - exact_) <= tolerance_) return "";
    return in_short(found.value) + ", with errors of " + in_short(found.error) + ", instead of " +
           in_short(exact_) + " within " + in_short(tolerance_);
  }
  /// Joins add in the order in which one thread does, so that nothing differs, on any device. Sums
  /// of n values in another order differ by n roundings of their sizes' sum at most.
  bool near(double found, double known, double magnitude) const {
    if (way_ == "join") return found == known;
    return std::fabs(found - known) <= static_cast<double>(known_->intervals()) * magnitude *
                                           std::numeric_limits<double>::epsilon();
  }

  std::string function_ = "peaks";
  double tolerance_ = 1e-9;
  std::uint64_t depth_ = 100;
  std::string way_ = "join";
  quadrature::problem problem_;
  double exact_ = 0;
  std::optional<quadrature::recursion> known_;
  std::unique_ptr<runs<quadrature::context, quadrature::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_quadrature() {
  return std::make_unique<quadrature_workload>();
}

}  // namespace mgws::bench
