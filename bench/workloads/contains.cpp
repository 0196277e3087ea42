#include "runs/contains.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "corpus/corpus.hpp"
#include "corpus/load.hpp"
#include "corpus/synthetic.hpp"
#include "harness/command_line.hpp"
#include "harness/placement.hpp"
#include "harness/ports.hpp"
#include "harness/width.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

namespace {

class contains_workload final : public workload {
 public:
  std::string name() const override { return "contains"; }
  std::string description() const override { return "articles of a corpus that contain a word"; }
  std::string unit() const override { return "articles"; }

  void add_options(CLI::App& command) override {
    auto* const path =
        command
            .add_option("--corpus", path_,
                        "folder of text files, MediaWiki dump (.xml, .bz2), or mgws-corpus index")
            ->type_name("PATH");
    auto* const articles =
        command.add_option("--articles", articles_, "only the first N articles of the corpus")
            ->type_name("N")
            ->check(whole_number(1));
    auto* const synthetic =
        command.add_option("--synthetic", synthetic_, "instead of a corpus: make N articles")
            ->type_name("N")
            ->check(whole_number(1, k_max_articles))
            ->excludes(path);
    articles->needs(path);
    const auto made = [&](const char* option, auto& value, const char* what, const char* type) {
      return command.add_option(option, value, what)
          ->type_name(type)
          ->capture_default_str()
          ->needs(synthetic);
    };
    made("--mean-bytes", made_.mean_bytes, "mean length of a made article", "B")
        ->check(whole_number(1, k_max_mean_bytes));
    made("--fraction", made_.fraction, "fraction of made articles that contain the word", "F");
    made("--corpus-seed", made_.seed, "seed of the made corpus", "S")->check(whole_number());
    command.add_option("--word", word_, "the word")->type_name("W")->capture_default_str();
    command.add_flag("--bulk", bulk_, "initial slots that stand for many tasks each");
    command
        .add_option("--piece", piece_,
                    "bytes of a task: articles together, or a part of a longer one; 0: an article")
        ->type_name("B")
        ->check(whole_number(0, k_most_piece))
        ->default_str(fmt::format("by blocks {}, or {} in host memory, else {}, and less of a "
                                  "short text",
                                  k_of_block.most, k_over_bus.most, k_of_others.most));
    add_width(command, width_)->default_str("block on GPUs");
    add_placement(command, placement_)->default_str("replicated over several GPUs, else main");
  }

  std::vector<named_file> reads() const override { return {{"--corpus", path_}}; }

  bool over_processes() const override { return true; }
  void prepare(const options& o) override {
    if (word_.empty()) throw bad_configuration("--word needs at least one letter");
    if (path_.empty() == !synthetic_)
      throw bad_configuration("contains needs --corpus PATH or --synthetic N");
    if (synthetic_) {
      made_.articles = *synthetic_;
      made_.needle = word_;
      corpus_.emplace(std::move(synthetic_corpus(made_).articles));
    } else {
      load_options load;
      progress_line progress;
      load.articles = articles_;
      load.on_progress = [&](std::uint64_t count, std::uint64_t) {
        progress.update("reading: " + std::to_string(count) + " articles");
      };
      corpus_.emplace(load_corpus(path_, load));
    }
    expected_ = count_articles_with(*corpus_, word_);
    if (width_.empty()) width_ = uses_gpus(o) ? "block" : "warp";
    const task_bytes& of_task = width_ != "block"      ? k_of_others
                                : placement_ == "host" ? k_over_bus
                                                       : k_of_block;
    const std::uint64_t together =
        piece_.value_or(std::clamp(corpus_->bytes() / of_task.tasks, of_task.least, of_task.most));
    longest_ = together == 0 ? contains::k_whole : piece_.value_or(std::max(together, k_cut));
    longest_first_ = together != 0 && o.direct == direct_mode::off && !is_of_group(o);
    cut_ = contains::cut_text::of(corpus_->offsets(), word_.size(), longest_, together);
    longest_bytes_ = cut_.longest(corpus_->offsets(), longest_);

    runs_ = with_port(o, [&]<class Port>() {
      return contains::make_runs<Port>(
          o, {.batches = cut_.size(), .bulk = bulk_, .width = width_of(width_)});
    });
    // The text is only read: a copy is what costs least.
    if (placement_.empty())
      placement_ = uses_gpus(o) && runs_->devices() > 1 ? "replicated" : "main";
    place(uses_gpus(o));
  }

  json parameters() const override {
    json j{{"word", word_},      {"bulk", bulk_},
           {"width", width_},    {"piece", longest_ == contains::k_whole ? 0 : longest_},
           {"data", placement_}, {"corpus", corpus_->description()}};
    if (articles_) j["articles"] = *articles_;
    if (synthetic_)
      j["synthetic"] = {{"articles", made_.articles},
                        {"mean_bytes", made_.mean_bytes},
                        {"fraction", made_.fraction},
                        {"seed", made_.seed}};
    return j;
  }

  outcome run() override {
    for (contains::context& c : contexts_)
      ++c.run;
    const auto r = runs_->run_each(contexts_);
    const std::uint64_t found = r.get<contains::matches>();
    outcome o;
    o.report = r;
    o.tasks = corpus_->size();
    o.result = found;
    o.details = {{"articles", corpus_->size()},
                 {"bytes", corpus_->bytes()},
                 {"batches", cut_.size()},
                 {"articles_in_pieces", cut_.articles_in_pieces},
                 {"pieces", cut_.pieces}};
    // As if each byte took as long. The lanes of a wide task share its text.
    if (corpus_->bytes() != 0 && ran_by_one_lane(width_, r))
      o.longest = static_cast<double>(longest_bytes_) / static_cast<double>(corpus_->bytes());
    o.verified = found == expected_ && o.report.tasks == cut_.tasks();
    if (!o.verified)
      o.fault = fmt::format("{} articles found in {} tasks, a plain scan finds {} in {}", found,
                            o.report.tasks, expected_, cut_.tasks());
    return o;
  }

 private:
  static constexpr std::uint64_t k_most_piece = std::uint64_t{1} << 40;
  /// Bytes of a task, unless it is told otherwise.
  struct task_bytes {
    std::uint64_t most;
    std::uint64_t tasks;  ///< into which a text is cut that is shorter than so many of these
    std::uint64_t least;  ///< but not finer: before a task reads, it waits for where
  };
  /// A few hundred microseconds where all read; some two for each worker of a GPU; some 5 us.
  static constexpr task_bytes k_of_block{1 << 20, 1536, 1 << 14};
  /// Where all wait for a bus, a millisecond; a CPU beside it needs some 20 us.
  static constexpr task_bytes k_over_bus{1 << 16, 1536, 1 << 14};
  /// Some 60 us of a warp that has the memory to itself.
  static constexpr task_bytes k_of_others{1 << 17, 4096, 1 << 11};
  /// An article that has no more is not cut: parts of one need a finish.
  static constexpr std::uint64_t k_cut = 1 << 16;

  /// Puts the corpus where the tasks are to read it. Partitioned, a batch stays whole.
  void place(bool on_gpus) {
    const auto places = runs_->data_places();
    const placement where = placement_of(placement_);
    const std::uint32_t devices = runs_->devices();
    const std::span<const std::uint64_t> offsets = corpus_->offsets();
    partition parts;
    std::vector<std::uint64_t> cuts;
    if (where == placement::partitioned) {
      parts = partition(cut_.size(), devices);
      for (std::uint32_t d = 0; d != devices; ++d) {
        const std::uint64_t first = parts.begin(d);
        cuts.push_back(first < cut_.size() ? offsets[cut_.batches[first].first] : corpus_->bytes());
      }
    }
    if (longest_first_) cut_.put_longest_first(offsets, parts, cuts.empty() ? 1 : devices);
    // A batch's articles are searched by one device.
    found_in_ = placed_array<std::uint32_t>(places, corpus_->size(), placement::replicated);
    found_in_.upload(std::vector<std::uint32_t>(corpus_->size()));
    // The CPU's workers read the corpus as it is, in a mapped file perhaps.
    if (!on_gpus && where == placement::main) {
      contexts_.assign(devices, {parts, placed<const char>(corpus_->text().data()), offsets.data(),
                                 cut_.batches.data(), needle::of(word_, word_.data()), longest_,
                                 found_in_.on(0).at(0, 0), 0});
      return;
    }
    text_ = placed_array<char>(places, corpus_->bytes(), where, cuts, find_by_lanes::k_padding);
    text_.upload(corpus_->text());
    // What is small and read for every article is near in any case.
    const placement of_rest = where == placement::partitioned ? placement::replicated : where;
    offsets_ = placed_array<std::uint64_t>(places, offsets.size(), of_rest);
    offsets_.upload(offsets);
    batches_ = placed_array<contains::batch>(places, cut_.size(), of_rest);
    batches_.upload(cut_.batches);
    word_copy_ = placed_array<char>(places, word_.size(), of_rest);
    word_copy_.upload(word_);
    contexts_ = contexts_of(devices, [&](std::uint32_t d) {
      return contains::context{parts,
                               text_.on(d).to_read(),
                               offsets_.on(d).at(0, 0),
                               batches_.on(d).at(0, 0),
                               needle::of(word_, word_copy_.on(d).at(0, 0)),
                               longest_,
                               found_in_.on(d).at(0, 0),
                               0};
    });
  }

  std::string path_;
  std::optional<std::uint64_t> articles_;
  std::optional<std::uint64_t> synthetic_;
  synthetic_options made_;
  std::string word_ = "zwischen";
  bool bulk_ = false;
  std::optional<std::uint64_t> piece_;
  std::uint64_t longest_ = 0;        ///< that is not cut
  std::uint64_t longest_bytes_ = 0;  ///< of a task
  /// Of a static share of the batches the longest must not be together; and of processes that share
  /// a run, whose parts of the text may be others, all number the batches alike.
  bool longest_first_ = false;
  contains::cut_text cut_;
  std::optional<corpus> corpus_;
  std::uint64_t expected_ = 0;
  /// Empty: what reads fastest. A text for each lane would have them read far apart, and wait for
  /// the longest.
  std::string width_;
  std::string placement_;  ///< empty: what suits the devices
  std::vector<contains::context> contexts_;
  placed_array<char> text_;  ///< with the others below, unless the tasks read the corpus itself
  placed_array<std::uint64_t> offsets_;
  placed_array<contains::batch> batches_;
  placed_array<char> word_copy_;
  placed_array<std::uint32_t> found_in_;
  std::unique_ptr<runs<contains::context, contains::results>> runs_;
};

}  // namespace

std::unique_ptr<workload> make_contains() {
  return std::make_unique<contains_workload>();
}

}  // namespace mgws::bench
