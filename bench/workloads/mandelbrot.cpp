#include "runs/mandelbrot.hpp"

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "harness/command_line.hpp"
#include "harness/list.hpp"
#include "harness/output.hpp"
#include "harness/ports.hpp"
#include "harness/size.hpp"
#include "mandelbrot/check.hpp"
#include "mandelbrot/png.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

namespace {

const std::vector<std::string> k_pixel_ways{"seed_n", "spawn"};

class mandelbrot_workload final : public workload {
 public:
  std::string name() const override { return "mandelbrot"; }
  std::string description() const override { return "the Mandelbrot set, a lane a pixel"; }
  std::string unit() const override { return "pixels"; }

  void add_options(CLI::App& command) override {
    add_size(command, size_);
    command.add_option("--iterations", iterations_, "most of a pixel")
        ->type_name("N")
        ->check(whole_number(1, 1'000'000'000))
        ->capture_default_str();
    command.add_option("--way", way_, "how pixels are put to the runtime: a name, a list, or all")
        ->type_name("seed_n|spawn")
        ->check(list_of(k_pixel_ways))
        ->capture_default_str();
    command.add_option("--order", order_, "of the pixels: tiles of 8 by 4, or rows")
        ->type_name("tiles|rows")
        ->check(CLI::IsMember({"tiles", "rows"}))
        ->capture_default_str();
    command
        .add_option("--piece", piece_,
                    "iterations after which a pixel may be put back (resumable) [all]")
        ->type_name("N")
        ->check(whole_number(1, ~std::uint32_t{0}));
    command.add_option("--image", image_, "write the last run's picture as PNG")
        ->type_name("FILE")
        ->check(file_name());
  }

  std::vector<named_file> writes() const override { return {{"--image", image_}}; }

  void prepare(const options& o) override {
    if (!image_.empty()) {
      if (!can_write_png())
        throw not_possible("--image needs a program that was built with libpng");
      check_writable(image_, "image");
    }
    std::tie(context_.of.width, context_.of.height) = sides_of(size_);
    context_.of.iterations = static_cast<std::uint32_t>(iterations_);
    context_.order = tiles::of(context_.of);
    context_.piece = static_cast<std::uint32_t>(piece_);
    context_.tiled = order_ == "tiles";
    options_ = o;
    ways_ = names_in(way_, k_pixel_ways);
    counts_.resize(context_.of.pixels());
    check_.emplace(context_.of);
    choose(0);
  }

  std::size_t variants() const override { return ways_.size(); }

  void choose(std::size_t variant) override {
    way_ = ways_[variant];
    data_ = {};
    runs_.reset();
    runs_ = with_port(options_, [&]<class Port>() {
      return mandelbrot::make_runs<Port>(
          options_,
          {.instances = static_cast<std::uint32_t>(
               context_.tiled ? context_.order.numbers(context_.of) : context_.of.pixels()),
           .spawned = way_ == "spawn",
           .resumable = piece_ != 0});
    });
    data_ = placed_array<std::uint32_t>(runs_->data_places(), counts_.size(), placement::main);
  }

  json parameters() const override {
    json j{{"size", size_}, {"iterations", iterations_}, {"way", way_}, {"order", order_}};
    if (piece_ != 0) j["piece"] = piece_;
    return j;
  }

  outcome run() override {
    data_.fill(0xff);
    const auto r = runs_->run_each(contexts_of(runs_->devices(), [&](std::uint32_t d) {
      mandelbrot::context c = context_;
      c.counts = data_.on(d);
      return c;
    }));
    data_.download(counts_, 0);
    outcome o;
    o.report = r;
    o.tasks = counts_.size();
    const std::uint64_t total = picture_check::total_of(counts_);
    o.result = total;
    o.fault = check_->fault(counts_);
    // What tasks added up and what they wrote: a pixel that ran twice shows in one of them alone.
    if (const std::uint64_t ran = r.get<mandelbrot::iterations_run>(); ran != total)
      o.fault = std::to_string(ran) + " iterations ran, and pixels have " + std::to_string(total);
    o.verified = o.fault.empty();
    o.longest = static_cast<double>(iterations_) / static_cast<double>(total);
    if (!image_.empty()) write_png(image_, context_.of, counts_);
    return o;
  }

 private:
  std::string size_ = k_default_size;
  std::uint64_t iterations_ = k_default_iterations;
  std::string way_ = "seed_n";
  std::string order_ = "tiles";
  std::uint64_t piece_ = 0;
  std::string image_;
  options options_;
  std::vector<std::string> ways_;
  mandelbrot::context context_{};
  std::optional<picture_check> check_;
  placed_array<std::uint32_t> data_;
  std::vector<std::uint32_t> counts_;  ///< of the last run
  std::unique_ptr<runs<mandelbrot::context, mandelbrot::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_mandelbrot() {
  return std::make_unique<mandelbrot_workload>();
}

}  // namespace mgws::bench
