/// \file
/// mgws-corpus: makes the index of a corpus, which `mgws-bench contains` maps, and says what is in
/// one.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "corpus/corpus.hpp"
#include "corpus/error.hpp"
#include "corpus/index.hpp"
#include "corpus/load.hpp"
#include "corpus/replaced_file.hpp"
#include "corpus/sniff.hpp"
#include "corpus/synthetic.hpp"
#include "harness/command_line.hpp"

namespace {

namespace bench = mgws::bench;

struct command_line {
  std::string source;
  std::string output;
  std::string info;
  std::optional<std::uint64_t> articles;
  std::optional<std::uint64_t> synthetic;
  bench::synthetic_options made;
};

void print_summary(const bench::corpus& articles) {
  const bench::article_lengths lengths = bench::measure_articles(articles);
  fmt::print("source    {}\n", articles.description());
  fmt::print("articles  {}\n", articles.size());
  fmt::print("bytes     {}\n", articles.bytes());
  fmt::print("lengths   {} shortest, {} median, {} longest\n", lengths.shortest, lengths.median,
             lengths.longest);
}

void run(const command_line& options) {
  if (!options.info.empty()) {
    print_summary(bench::load_index(options.info));
  } else if (options.synthetic) {
    bench::synthetic_options made = options.made;
    made.articles = *options.synthetic;
    const bench::synthetic_result result = bench::synthetic_corpus(made);
    bench::save_index(result.articles, options.output);
    print_summary(result.articles);
    fmt::print("matches   {} articles contain \"{}\"\n", result.articles_with_needle, made.needle);
  } else {
    const bench::corpus articles = [&] {
      bench::progress_line progress;
      return bench::load_corpus(options.source,
                                {options.articles, [&](std::uint64_t count, std::uint64_t bytes) {
                                   progress.update(fmt::format("{} articles, {:.1f} MB", count,
                                                               static_cast<double>(bytes) / 1e6));
                                 }});
    }();
    bench::save_index(articles, options.output);
    print_summary(articles);
  }
}

/// Before a source is read, which may take long: makes sure that its index can be written, and that
/// nothing but an older index makes room for it.
void check_output(const command_line& options) {
  namespace fs = std::filesystem;
  const fs::path output = options.output;
  const auto refuse = [&](const std::string& fault) { throw bench::corpus_error(output, fault); };
  std::error_code error;
  const fs::file_status status = fs::status(output, error);
  if (fs::exists(status)) {
    if (!fs::is_regular_file(status)) refuse("exists and is not a regular file");
    if (!options.source.empty() && fs::equivalent(options.source, output, error))
      refuse("is the source: -o needs another name");
    const bench::file_kind kind = bench::sniff_file(output);
    if (kind != bench::file_kind::index && kind != bench::file_kind::empty)
      refuse("exists and is not an index: -o needs another name");
  }
  if (bench::lies_in(options.source, output))
    refuse("would lie in the source, among the articles: -o needs another place");
  try {
    const bench::replaced_file can_be_made(output);
  } catch (const std::system_error& e) {
    refuse("cannot be written: " + e.code().message());
  }
}

/// What is left to check once each option is valid by itself.
void check_combination(const command_line& options) {
  const int sources = (options.source.empty() ? 0 : 1) + (options.synthetic ? 1 : 0) +
                      (options.info.empty() ? 0 : 1);
  if (sources != 1) {
    throw CLI::ValidationError("exactly one of SOURCE, --synthetic and --info is needed");
  }
  if (options.info.empty() == options.output.empty()) {
    throw CLI::ValidationError(options.info.empty() ? "-o INDEX is needed"
                                                    : "--info writes nothing: it excludes -o");
  }
  if (!options.output.empty()) check_output(options);
}

void define_options(CLI::App& app, command_line& options) {
  app.set_help_flag("-h,--help", "print this and exit");
  app.footer(
      "Exit code: 0 done, 1 failed on the way, 2 bad usage or a source that is none, 3 not "
      "possible "
      "here.");
  app.add_option("SOURCE", options.source,
                 "folder of text files, MediaWiki XML dump (.xml, .xml.bz2, .xml.gz) or index");
  app.add_option("-o,--output", options.output, "index to write")
      ->type_name("INDEX")
      ->check(bench::file_name());
  app.add_option("--info", options.info, "say what is in an index")
      ->type_name("INDEX")
      ->check(bench::file_name());
  auto* const articles =
      app.add_option("--articles", options.articles, "only the first N articles of SOURCE")
          ->type_name("N")
          ->check(bench::whole_number(1));
  auto* const synthetic =
      app.add_option("--synthetic", options.synthetic, "make a corpus of N articles")
          ->type_name("N")
          ->check(bench::whole_number(1, bench::k_max_articles));
  articles->excludes(synthetic);
  const auto add = [&](const char* name, auto& value, const char* what, const char* type) {
    return app.add_option(name, value, what)
        ->needs(synthetic)
        ->type_name(type)
        ->capture_default_str();
  };
  add("--seed", options.made.seed, "seed of the synthetic corpus", "S")
      ->check(bench::whole_number());
  add("--mean-bytes", options.made.mean_bytes, "mean length of its articles", "B")
      ->check(bench::whole_number(1, bench::k_max_mean_bytes));
  add("--word", options.made.needle, "word that some articles contain", "W");
  add("--fraction", options.made.fraction, "fraction of articles that contain it", "F");
}

}  // namespace

int main(int argc, char** argv) {
  const auto complain = [](const char* sentence, bench::exit_code code) {
    fmt::print(stderr, "mgws-corpus: {}\n", sentence);
    return static_cast<int>(code);
  };
  CLI::App app("Makes the index of a corpus, for the benchmark `contains`.", "mgws-corpus");
  command_line options;
  try {
    define_options(app, options);
    app.parse(argc, argv);
    check_combination(options);
    run(options);
    return bench::written(bench::k_right);
  } catch (const CLI::Success& request) {
    return bench::written(app.exit(request));
  } catch (const CLI::ParseError& error) {
    return complain(bench::complaint(app, error).c_str(), bench::k_bad_usage);
  } catch (const bench::corpus_write_error& error) {
    return complain(error.what(), bench::k_not_possible);
  } catch (const bench::corpus_error& error) {
    return complain(error.what(), bench::k_bad_usage);
  } catch (const std::bad_alloc&) {
    return complain("there is not enough memory for this corpus", bench::k_not_possible);
  } catch (const std::system_error& error) {
    return complain(error.what(), bench::k_not_possible);
  } catch (const std::exception& error) {
    return complain(error.what(), bench::k_wrong);
  }
}
