/// \file
/// mgws-peer-gpu: loops of irregular instances on one GPU, by kernels of their own instead of a
/// runtime: what mgws is to be measured against there.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mgws/errors.hpp>

#include "harness/command_line.hpp"
#include "harness/list.hpp"
#include "harness/size.hpp"
#include "loop/options.hpp"
#include "mandelbrot/check.hpp"
#include "mgws_version.hpp"
#include "peers/gpu/kernels.hpp"

namespace mgws::bench::peers::gpu {
namespace {

using json = nlohmann::ordered_json;

struct common {
  std::uint64_t device = 0;
  std::uint64_t repeat = 5;
  std::uint64_t warmup = 1;
  double busy = 0.5;
  std::string to;
  std::string command;
  std::string gpu;

  void add_to(CLI::App& app) {
    app.add_option("--device", device, "number of the GPU")->check(whole_number(0, 1000));
    app.add_option("--repeat", repeat, "runs that count")->check(whole_number(1, 1'000'000));
    app.add_option("--warmup", warmup, "runs before them")->check(whole_number(0, 1'000'000));
    app.add_option("--busy", busy, "seconds of other work before all runs, for the clocks");
    app.add_option("--json", to, "write the result as JSON; - for standard output");
  }
  [[nodiscard]] repetitions times() const {
    return {static_cast<std::uint32_t>(warmup), static_cast<std::uint32_t>(repeat)};
  }
};

/// The runs of one variant.
struct measured {
  json parameters;
  std::uint64_t tasks = 0;
  std::uint64_t result = 0;
  std::string fault;  ///< empty if all runs were right
  std::vector<double> seconds;
};

json spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return {{"min", values.front()},
          {"median", n % 2 != 0 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2},
          {"max", values.back()}};
}

json json_of(const common& c, const std::string& workload, const measured& m) {
  json runs = json::array();
  for (const double seconds : m.seconds)
    runs.push_back({{"seconds", seconds}});
  return {{"schema", 1},
          {"workload", workload},
          {"parameters", m.parameters},
          {"command", c.command},
          {"version", MGWS_VERSION},
          {"commit", MGWS_COMMIT},
          {"devices", json::array({{{"name", c.gpu}, {"kind", "gpu"}}})},
          {"runtime", "none"},
          {"runs", std::move(runs)},
          {"summary",
           {{"tasks", m.tasks},
            {"verified", m.fault.empty()},
            {"result", m.result},
            {"seconds", spread_of(m.seconds)}}}};
}

int report(const common& c, const std::string& workload, const std::vector<measured>& all) {
  json results = json::array();
  std::string fault;
  for (const measured& m : all) {
    results.push_back(json_of(c, workload, m));
    if (!m.fault.empty()) fault = m.fault;
    if (c.to == "-") continue;
    fmt::print("{} {}: {:.6f} s median of {}, {}\n", workload, m.parameters.dump(),
               results.back()["summary"]["seconds"]["median"].get<double>(), m.seconds.size(),
               m.fault.empty() ? "right" : "WRONG");
  }
  if (!c.to.empty()) {
    const json whole = all.size() == 1 ? results.front()
                                       : json{{"schema", 1},
                                              {"workload", workload},
                                              {"command", c.command},
                                              {"variants", results}};
    std::FILE* const file = c.to == "-" ? stdout : std::fopen(c.to.c_str(), "w");
    if (file == nullptr) throw std::runtime_error("'" + c.to + "' cannot be written");
    fmt::print(file, "{}\n", whole.dump(2));
    if (file != stdout) std::fclose(file);
  }
  if (fault.empty()) return k_right;
  fmt::print(stderr, "{}: wrong result: {}\n", program_name(), fault);
  return k_wrong;
}

class loop_command {
 public:
  explicit loop_command(CLI::App& app) {
    options_.add_to(app);
    app.add_option("--form", form_, "kernels: a name, a list, or all")->check(list_of(k_forms));
    app.add_option("--chunk", chunk_, "instances that a warp takes at once, of counter, refilled")
        ->check(whole_number(1, 1u << 30));
    app.add_option("--piece", piece_, "iterations between two looks at the lanes, of refilled")
        ->check(whole_number(1, ~std::uint32_t{0}));
  }

  int run(const common& c) const {
    std::vector<measured> all;
    for (const std::string& form : names_in(form_, k_forms)) {
      for (const std::string& pattern : options_.patterns()) {
        const loop_work work = options_.work(pattern);
        const loop_answer answer = answer_of(work);
        measured m;
        m.parameters = options_.parameters(pattern, answer);
        m.parameters["form"] = form;
        if (form != "plain") m.parameters["chunk"] = chunk_;
        if (form == "refilled") m.parameters["piece"] = piece_;
        m.tasks = work.costs.n;
        for (const loop_run& r :
             run_loop(work,
                      form == "plain"      ? loop_form::plain
                      : form == "refilled" ? loop_form::refilled
                                           : loop_form::counter,
                      static_cast<std::uint32_t>(chunk_), static_cast<std::uint32_t>(piece_),
                      c.times())) {
          m.seconds.push_back(r.seconds);
          m.result = r.sum;
          if (r.sum != answer.sum) m.fault = fmt::format("sum {} instead of {}", r.sum, answer.sum);
        }
        all.push_back(std::move(m));
      }
    }
    return report(c, "loop", all);
  }

 private:
  inline static const std::vector<std::string> k_forms{"counter", "plain", "refilled"};
  loop_options options_;
  std::string form_ = "all";
  std::uint64_t chunk_ = 32;
  std::uint64_t piece_ = 64;
};

class mandelbrot_command {
 public:
  explicit mandelbrot_command(CLI::App& app) {
    add_size(app, size_);
    app.add_option("--iterations", iterations_, "most of a pixel")
        ->check(whole_number(1, 1'000'000'000));
    app.add_option("--form", form_, "kernels: a name, a list, or all")->check(list_of(k_forms));
  }

  int run(const common& c) const {
    picture p{.iterations = static_cast<std::uint32_t>(iterations_)};
    std::tie(p.width, p.height) = sides_of(size_);
    const picture_check check(p);
    std::vector<measured> all;
    std::vector<std::uint32_t> counts;
    for (const std::string& form : names_in(form_, k_forms)) {
      measured m;
      m.parameters = {{"size", size_}, {"iterations", iterations_}, {"form", form}};
      m.tasks = p.pixels();
      m.seconds = run_mandelbrot(p,
                                 form == "plain-8x16"   ? picture_form::plain_8x16
                                 : form == "plain-32x1" ? picture_form::plain_32x1
                                                        : picture_form::refilled,
                                 c.times(), counts);
      m.result = picture_check::total_of(counts);
      m.fault = check.fault(counts);
      all.push_back(std::move(m));
    }
    return report(c, "mandelbrot", all);
  }

 private:
  inline static const std::vector<std::string> k_forms{"plain-8x16", "plain-32x1", "refilled"};
  std::string size_ = k_default_size;
  std::uint64_t iterations_ = k_default_iterations;
  std::string form_ = "all";
};

int start(int argc, char** argv) {
  CLI::App app{"Loops of irregular instances by kernels of their own.", program_name()};
  app.require_subcommand(1);
  common c;
  c.command = program_name();
  for (int i = 1; i < argc; ++i)
    c.command += std::string(" ") + argv[i];
  CLI::App* const loop = app.add_subcommand("loop", "instances that differ in length");
  CLI::App* const mandelbrot = app.add_subcommand("mandelbrot", "the Mandelbrot set");
  loop_command loops(*loop);
  mandelbrot_command pictures(*mandelbrot);
  c.add_to(*loop);
  c.add_to(*mandelbrot);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    return app.exit(request);
  } catch (const CLI::ParseError& e) {
    fmt::print(stderr, "{}: {}\n", program_name(), e.what());
    return k_bad_usage;
  }
  try {
    c.gpu = use_device(static_cast<std::uint32_t>(c.device));
    warm_clocks(c.busy);
    return *loop ? loops.run(c) : pictures.run(c);
  } catch (const bad_configuration& e) {
    fmt::print(stderr, "{}: {}\n", program_name(), e.what());
    return k_bad_usage;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}: {}\n", program_name(), e.what());
    return k_not_possible;
  }
}

}  // namespace
}  // namespace mgws::bench::peers::gpu

int main(int argc, char** argv) {
  return mgws::bench::peers::gpu::start(argc, argv);
}
