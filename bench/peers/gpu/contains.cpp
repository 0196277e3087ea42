#include "peers/gpu/contains.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include <mgws/errors.hpp>

#include "corpus/corpus.hpp"
#include "corpus/load.hpp"
#include "corpus/synthetic.hpp"
#include "harness/list.hpp"
#include "peers/gpu/command.hpp"

namespace mgws::bench::peers::gpu {

namespace {

class contains_workload final : public workload {
 public:
  explicit contains_workload(CLI::App& app) {
    auto* const path =
        app.add_option("--corpus", path_,
                       "folder of text files, MediaWiki dump (.xml, .bz2), or mgws-corpus index")
            ->type_name("PATH");
    app.add_option("--articles", articles_, "only the first N articles of the corpus")
        ->type_name("N")
        ->check(whole_number(1))
        ->needs(path);
    auto* const synthetic =
        app.add_option("--synthetic", synthetic_, "instead of a corpus: make N articles")
            ->type_name("N")
            ->check(whole_number(1, k_max_articles))
            ->excludes(path);
    const auto made = [&](const char* option, auto& value, const char* what) {
      return app.add_option(option, value, what)->capture_default_str()->needs(synthetic);
    };
    made("--mean-bytes", made_.mean_bytes, "mean length of a made article")
        ->check(whole_number(1, k_max_mean_bytes));
    made("--fraction", made_.fraction, "fraction of made articles that contain the word");
    made("--corpus-seed", made_.seed, "seed of the made corpus")->check(whole_number());
    app.add_option("--word", word_, "the word")->capture_default_str();
    app.add_option("--form", form_, "kernels: a name, a list, or all")
        ->check(list_of(names()))
        ->capture_default_str();
    app.add_option("--threads", threads_, "threads of a block: a warp, or several")
        ->check(whole_number(32, 512))
        ->capture_default_str();
    app.add_option("--chunk", chunk_, "articles that a warp takes at once")
        ->check(whole_number(1, 31))
        ->capture_default_str();
    app.add_option("--piece", piece_, "bytes that a warp takes at once, of pieces")
        ->check(whole_number(1, 1u << 30))
        ->capture_default_str();
  }

  void check() const override {
    if (word_.empty()) throw bad_configuration("--word needs at least one letter");
    if (path_.empty() == !synthetic_)
      throw bad_configuration("contains needs --corpus PATH or --synthetic N");
    if (threads_ % 32 != 0) throw bad_configuration("--threads must be a multiple of 32");
  }

  std::vector<measured> run(const common& c) const override {
    const corpus articles = read();
    const std::uint64_t expected = count_articles_with(articles, word_);
    corpus_on_gpu copy(articles.text(), articles.offsets().data(), articles.size(), word_);
    c.warm();
    std::vector<measured> all;
    for (const std::string& form : names_in(form_, names())) {
      measured m;
      m.parameters = {{"word", word_}, {"corpus", articles.description()}, {"form", form}};
      m.parameters["threads"] = threads_;
      if (form.starts_with("warp")) m.parameters["chunk"] = chunk_;
      if (form == "pieces") m.parameters["piece"] = piece_;
      m.tasks = articles.size();
      m.bytes = articles.bytes();
      for (const contains_run& r : copy.search(form_of(form),
                                               {.threads = static_cast<std::uint32_t>(threads_),
                                               .chunk = static_cast<std::uint32_t>(chunk_),
                                               .piece = static_cast<std::uint32_t>(piece_)},
                                               c.times())) {
        m.seconds.push_back(r.seconds);
        m.result = r.articles;
        if (r.articles != expected)
          m.fault = fmt::format("{} articles found, a plain scan finds {}", r.articles, expected);
      }
      all.push_back(std::move(m));
    }
    return all;
  }

 private:
  struct named_form {
    const char* name;
    contains_form form;
  };
  static constexpr named_form k_forms[] = {{"warp-static", contains_form::warp_static},
                                           {"warp-counter", contains_form::warp_counter},
                                           {"block-static", contains_form::block_static},
                                           {"block-counter", contains_form::block_counter},
                                           {"pieces", contains_form::pieces}};

  static const std::vector<std::string>& names() {
    static const std::vector<std::string> all = [] {
      std::vector<std::string> of;
      for (const named_form& f : k_forms)
        of.emplace_back(f.name);
      return of;
    }();
    return all;
  }
  static contains_form form_of(const std::string& name) {
    for (const named_form& f : k_forms)
      if (name == f.name) return f.form;
    throw std::logic_error("an unknown form");
  }

  [[nodiscard]] corpus read() const {
    if (!synthetic_) {
      load_options load;
      load.articles = articles_;
      return load_corpus(path_, load);
    }
    synthetic_options made = made_;
    made.articles = *synthetic_;
    made.needle = word_;
    return std::move(synthetic_corpus(made).articles);
  }

  std::string path_;
  std::optional<std::uint64_t> articles_;
  std::optional<std::uint64_t> synthetic_;
  synthetic_options made_;
  std::string word_ = "zwischen";
  std::string form_ = "all";
  std::uint64_t threads_ = 256;
  std::uint64_t chunk_ = 4;
  std::uint64_t piece_ = 16384;
};

}  // namespace

std::unique_ptr<workload> make_contains(CLI::App& app) {
  return std::make_unique<contains_workload>(app);
}

}  // namespace mgws::bench::peers::gpu
