/// \file
/// mgws-peer-gpu: irregular problems on one GPU, by kernels of their own instead of a runtime: what
/// mgws is to be measured against there.
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <mgws/errors.hpp>

#include "harness/command_line.hpp"
#include "peers/gpu/command.hpp"
#include "peers/gpu/kernels.hpp"

namespace mgws::bench::peers::gpu {
namespace {

struct named_workload {
  const char* name;
  const char* description;
  std::unique_ptr<workload> (*make)(CLI::App&);
};
constexpr named_workload k_workloads[] = {
    {"loop", "instances that differ in length", make_loop},
    {"mandelbrot", "the Mandelbrot set", make_mandelbrot},
    {"contains", "articles of a corpus that contain a word", make_contains},
    {"crypt", "a text is encrypted by IDEA, and decrypted", make_crypt},
    {"fill", "each element of an array receives its number", make_fill},
    {"md", "the forces between atoms that are denser in the middle of a box", make_md},
    {"nqueens", "all solutions of the n-queens problem", make_nqueens},
    {"uts", "Unbalanced Tree Search", make_uts},
};

int start(int argc, char** argv) {
  CLI::App app{"Irregular problems by kernels of their own.", program_name()};
  app.require_subcommand(1);
  common c;
  c.command = program_name();
  for (int i = 1; i < argc; ++i)
    c.command += std::string(" ") + argv[i];
  std::vector<std::unique_ptr<workload>> all;
  for (const named_workload& w : k_workloads) {
    CLI::App* const command = app.add_subcommand(w.name, w.description);
    all.push_back(w.make(*command));
    c.add_to(*command);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    return app.exit(request);
  } catch (const CLI::ParseError& e) {
    fmt::print(stderr, "{}: {}\n", program_name(), e.what());
    return k_bad_usage;
  }
  try {
    for (std::size_t i = 0; i != all.size(); ++i) {
      if (!app.got_subcommand(k_workloads[i].name)) continue;
      all[i]->check();
      c.gpu = use_device(static_cast<std::uint32_t>(c.device));
      return report(c, k_workloads[i].name, all[i]->run(c));
    }
  } catch (const bad_configuration& e) {
    fmt::print(stderr, "{}: {}\n", program_name(), e.what());
    return k_bad_usage;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}: {}\n", program_name(), e.what());
  }
  return k_not_possible;
}

}  // namespace
}  // namespace mgws::bench::peers::gpu

int main(int argc, char** argv) {
  return mgws::bench::peers::gpu::start(argc, argv);
}
