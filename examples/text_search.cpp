// How often a word stands in the files of a folder: a task a file, which cuts a long one in pieces.
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <mgws/mgws.hpp>

#include "texts.hpp"

struct found : mgws::sum<std::uint64_t> {};
struct context {
  const char* text;
  const std::uint64_t* begin;  // of each file, and of what comes behind the last
  const char* word;
  std::uint64_t length;
};

struct search_piece {
  static constexpr auto width = mgws::shape::warp;
  static constexpr std::uint64_t k_starts = 1 << 14;
  std::uint64_t first, starts;  // of the file: where the word could begin

  // A word that begins in one piece may end in the next one.
  MGWS_FN void operator()(auto& worker, mgws::task_index i) const {
    const std::uint64_t from = i * k_starts;
    search(worker, first + from, starts - from < k_starts ? starts - from : k_starts);
  }
  MGWS_FN static void search(auto& worker, std::uint64_t first, std::uint64_t starts) {
    const context& c = worker.context();
    const char* const text = c.text + first;
    if constexpr (std::remove_reference_t<decltype(worker)>::lanes() == 1) {
      worker.accumulate(found{}, count({text, starts + c.length - 1}, {c.word, c.length}));
    } else {
      for (std::uint64_t at = worker.lane(); at < starts; at += worker.lanes()) {
        std::uint64_t same = 0;
        while (same != c.length && text[at + same] == c.word[same])
          ++same;
        if (same == c.length) worker.accumulate(found{}, 1);
      }
    }
  }
};
struct search_file {
  static constexpr auto width = mgws::shape::warp;
  MGWS_FN void operator()(auto& worker, mgws::task_index i) const {
    const context& c = worker.context();
    const std::uint64_t bytes = c.begin[i + 1] - c.begin[i];
    if (bytes < c.length) return;
    const search_piece all{c.begin[i], bytes - c.length + 1};
    if (all.starts <= search_piece::k_starts)
      return search_piece::search(worker, all.first, all.starts);
    if (worker.lane() == 0)
      worker.spawn_n(all, (all.starts + search_piece::k_starts - 1) / search_piece::k_starts);
  }
};

int main(int argc, char** argv) {
  if (argc > 1 && (argc != 3 || !std::filesystem::is_directory(argv[1]) || *argv[2] == 0)) {
    std::fprintf(stderr, "usage: %s [FOLDER WORD]\n", argv[0]);
    return 2;
  }
  const texts all = argc > 1 ? read_folder(argv[1]) : read_folder(made_up_folder().path());
  const std::string word = argc > 1 ? argv[2] : "anana";

  mgws::options o;
  std::string why;
  if (!mgws::gpu_names(why).empty()) o.devices = {{.kind = mgws::device_kind::gpu}};
  mgws::runtime<mgws::task_set<search_file, search_piece>, mgws::accumulators<found>, context> rt(
      o);
  mgws::array<char> text(rt, all.text.size()), letters(rt, word.size());
  mgws::array<std::uint64_t> begin(rt, all.begin.size());
  text.upload(all.text);
  letters.upload(word);
  begin.upload(all.begin);
  rt.seed_n(search_file{}, all.files());
  const auto report = rt.run({text.data(), begin.data(), letters.data(), word.size()});

  std::uint64_t expected = 0;
  for (std::size_t i = 0; i != all.files(); ++i)
    expected += count(all.file(i), word);
  const bool right = report.get<found>() == expected;
  std::printf("%zu files, %zu bytes, '%s' %llu times, %.4f s: %s\n", all.files(), all.text.size(),
              word.c_str(), static_cast<unsigned long long>(report.get<found>()), report.seconds,
              right ? "right" : "WRONG");
  return right ? 0 : 1;
}
