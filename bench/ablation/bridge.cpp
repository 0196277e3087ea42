// Trees, searches and loops on a GPU alone, with CPU workers beside it, and by two halves of it,
// for builds of core that differ in one rule of the bridge between them (tools/ablate_gpu.py).
// Where there is no GPU, groups of CPU workers take the places.
//
// usage: mgws-ablation-bridge cpu:N|gpu:I [RUNS]
//
// Prints a line of JSON as mgws-ablation does.
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <mgws/mgws.hpp>

#include "ablation/device.hpp"
#include "ablation/measurement.hpp"
#include "ablation/text.hpp"
#include "uts/tree_tables.hpp"
#include "workloads/contains.hpp"
#include "workloads/loop.hpp"
#include "workloads/memset.hpp"
#include "workloads/nqueens.hpp"
#include "workloads/spawn_tree.hpp"
#include "workloads/uts.hpp"

namespace {

using namespace mgws::bench;

template <class Accumulators, class Context, class... Tasks>
using runtime_of =
    mgws::runtime<mgws::task_set<Tasks...>, Accumulators, Context, mgws::no_statistics,
                  mgws::k_gpu_lanes<mgws::task_set<Tasks...>>, mgws::compiled_for::together>;

void run_uts(measurement& m, const std::string& where, bool gpu) {
  using task = uts::children_of<uts::portable_sha1>;
  runtime_of<mgws::accumulators<uts::nodes, uts::leaves, uts::deepest>, uts::tree, task> rt(
      m.options());
  for (const char* const name : gpu ? std::array{"T1L", "T1XL"} : std::array{"T1", "T3"}) {
    const auto* const known = uts::find_named_tree(name);
    const uts::tree_tables tables(known->parameters);
    mgws::placed_array<std::uint32_t> words(rt.data_places(), tables.words().size(),
                                            mgws::placement::replicated);
    words.upload(tables.words());
    std::vector<uts::tree> each;
    for (std::uint32_t d = 0; d != rt.devices(); ++d)
      each.push_back(tables.view(words.on(d).at(0, 0)));
    const uts::node root = tables.view().root();
    m.run_each(
        "uts " + std::string(name) + where, rt, std::span<const uts::tree>(each),
        [&](auto& of) { of.seed_n(task{root}, tables.view().children(root)); },
        [&](const auto& r) { return r.template get<uts::nodes>() + 1 == known->nodes; });
  }
}

void run_nqueens(measurement& m, const std::string& where, bool gpu) {
  using task = nqueens::extend<mgws::shape::lane>;
  const nqueens::board squares(gpu ? 17 : 11);
  runtime_of<mgws::accumulators<nqueens::solutions>, nqueens::context, task> rt(m.options());
  const task first{squares.empty()};
  m.run(
      "nqueens" + where, rt,
      nqueens::context{.squares = squares, .cutoff = squares.usual_cutoff(), .piece = 64},
      [&](auto& of) { of.seed_n(first, std::popcount(first.placed.open)); },
      [&](const auto& r) {
        return squares.with_mirrored(r.template get<nqueens::solutions>()) ==
               nqueens::known_solutions(squares.n());
      });
}

void run_spawn_tree(measurement& m, const std::string& where, bool gpu) {
  using task = spawn_tree::branch<mgws::shape::lane>;
  runtime_of<mgws::accumulators<spawn_tree::visited>, spawn_tree::context, task> rt(m.options());
  const std::uint32_t depth = gpu ? 26 : 18;
  m.run(
      "spawn-tree" + where, rt, spawn_tree::context{.fanout = 2},
      [&](auto& of) { of.seed(task{depth}); },
      [&](const auto& r) {
        return r.template get<spawn_tree::visited>() == (std::uint64_t{2} << depth) - 1;
      });
}

void run_loops(measurement& m, const std::string& where, bool gpu) {
  using unit = loop::units<mgws::shape::lane>;
  runtime_of<mgws::accumulators<loop::results_sum, loop::instances_run>, loop::context, unit> rt(
      m.options());
  const std::uint32_t n = gpu ? 1u << 19 : 1u << 12;
  for (const char* const pattern : {"heavy-last", "geometric"}) {
    const loop_work work{
        .costs = {.pattern = *find_loop_pattern(pattern), .n = n, .base = 16384, .grain = 32}};
    const loop_answer answer = answer_of(work);
    m.run(
        "loop " + std::string(pattern) + where, rt,
        loop::context{.work = work, .leaf = n, .piece = 64},
        [&](auto& of) { of.seed_n(unit{.first = 0}, n); },
        [&](const auto& r) { return r.template get<loop::results_sum>() == answer.sum; });
  }
}

/// \param place  where what is written lies
void run_memset(measurement& m, const std::string& where, mgws::placement place, std::uint32_t n) {
  using task = memset::store_range<false>;
  runtime_of<mgws::accumulators<>, memset::context, task> rt(m.options());
  mgws::placed_array<std::uint64_t> data(rt.data_places(), n, place);
  data.fill(0xff);
  std::vector<memset::context> each;
  for (std::uint32_t d = 0; d != rt.devices(); ++d)
    each.push_back({data.on(d)});
  m.run_each(
      "memset" + where, rt, std::span<const memset::context>(each),
      [&](auto& of) { of.seed_n(task{0}, n); }, [&](const auto& r) { return r.tasks == n; });
  std::vector<std::uint64_t> seen(n);
  data.download(seen);
  for (std::uint32_t i = 0; i != n; ++i)
    if (seen[i] != i)
      throw std::runtime_error("memset" + where + ": an element is not what it should be");
}

/// A text in host memory, by blocks.
void run_contains(measurement& m, const std::string& where, bool gpu) {
  using find = find_by_either;
  runtime_of<mgws::accumulators<contains::matches>, contains::context,
             contains::search<find, mgws::shape::block>,
             contains::search_piece<find, mgws::shape::block>, contains::searched>
      rt(m.options());
  const made_text made(gpu ? 100'000 : 400, gpu ? 1u << 16 : 1u << 12);
  const auto copy = [&]<class T>(std::span<const T> of, std::uint64_t padding) {
    mgws::placed_array<T> there(rt.data_places(), of.size(), mgws::placement::host, {}, padding);
    there.upload(of);
    return there;
  };
  const auto text = copy(std::span<const char>(made.text), find::k_padding);
  const auto offsets = copy(std::span<const std::uint64_t>(made.offsets), 0);
  const auto batches = copy(std::span<const contains::batch>(made.cut.batches), 0);
  const auto word = copy(std::span<const char>(made.word), 0);
  mgws::placed_array<std::uint32_t> found_in(rt.data_places(), made.offsets.size(),
                                             mgws::placement::replicated);
  found_in.upload(std::vector<std::uint32_t>(made.offsets.size()));
  std::vector<contains::context> each;
  for (std::uint32_t d = 0; d != rt.devices(); ++d)
    each.push_back({.parts = {},
                    .text = text.on(d).to_read(),
                    .offsets = offsets.on(d).at(0, 0),
                    .batches = batches.on(d).at(0, 0),
                    .word = needle::of(made.word, word.on(d).at(0, 0)),
                    .piece = made.piece,
                    .found_in = found_in.on(d).at(0, 0),
                    .run = 0});
  m.run_each(
      "contains" + where, rt, std::span<const contains::context>(each),
      [&](auto& of) {
        for (auto& c : each)
          ++c.run;
        for (std::uint64_t b = 0; b != made.cut.size(); ++b)
          of.seed_n(contains::search<find, mgws::shape::block>{b}, 1);
      },
      [&](const auto& r) { return r.template get<contains::matches>() == made.known; });
}

}  // namespace

int main(int argc, char** argv) {
  const auto named = mgws::bench::device_of(argc > 1 ? argv[1] : "");
  if (!named) {
    std::cerr << "usage: mgws-ablation-bridge cpu:N|gpu:I [RUNS]\n";
    return 2;
  }
  const mgws::device_choice here = *named;
  const bool gpu = here.kind == mgws::device_kind::gpu;
  const std::uint32_t processors = std::max(2u, std::thread::hardware_concurrency());
  nlohmann::ordered_json out;
  bool right = true;
  try {
    const std::uint32_t few = gpu ? 4 : 1;
    const std::uint32_t many = gpu ? processors - 1 : 2;
    const auto beside = [](std::uint32_t n) {
      return ", " + std::to_string(n) + " CPU workers beside";
    };
    struct choice {
      std::string where;
      std::vector<mgws::device_choice> devices;
      mgws::domain_split domains = mgws::domain_split::each;
    };
    for (const auto& [where, devices, domains] :
         {choice{", alone", {here}}, choice{beside(few), {{.workers = few}, here}},
          choice{beside(many), {{.workers = many}, here}},
          choice{", halves that share", {here, here}, mgws::domain_split::by_kind},
          choice{", halves", {here, here}}}) {
      mgws::options o;
      o.devices = devices;
      o.domains = domains;
      o.termination = mgws::termination::counter;
      o.timeout = std::chrono::seconds(10);  // a rule that is switched off may end a run nowhere
      measurement m(o, argc > 2 ? std::atoi(argv[2]) : 5);
      run_uts(m, where, gpu);
      run_nqueens(m, where, gpu);
      run_spawn_tree(m, where, gpu);
      run_loops(m, where, gpu);
      run_memset(m, where, mgws::placement::main, gpu ? 1u << 29 : 1u << 18);
      // What CPU workers are as near to as a GPU is.
      run_memset(m, " in host memory" + where, mgws::placement::host, gpu ? 1u << 28 : 1u << 18);
      run_contains(m, " in host memory" + where, gpu);
      out.update(m.out());
      right = right && m.right();
    }
    std::cout << out << '\n';
    return right ? 0 : 1;
  } catch (const std::exception& e) {
    std::cerr << "mgws-ablation-bridge: " << e.what() << '\n';
    return 1;
  }
}
