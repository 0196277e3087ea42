// The word of ../text_search.cpp: file by file, and as oneTBB's sums over files and over pieces of
// long ones.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include "../texts.hpp"
#include "peer.hpp"

using range = tbb::blocked_range<std::size_t>;

std::uint64_t count_in_pieces(std::string_view file, std::string_view word) {
  constexpr std::size_t k_piece = 1 << 14;
  if (file.size() <= k_piece) return count(file, word);
  return tbb::parallel_reduce(
      range(0, file.size() - word.size() + 1, k_piece), std::uint64_t{0},
      [&](const range& starts, std::uint64_t sum) {
        return sum + count(file.substr(starts.begin(), starts.size() + word.size() - 1), word);
      },
      std::plus<>{});
}

int main(int argc, char** argv) {
  if (argc > 1 && (argc != 3 || !std::filesystem::is_directory(argv[1]) || *argv[2] == 0)) {
    std::fprintf(stderr, "usage: %s [FOLDER WORD]\n", argv[0]);
    return 2;
  }
  const texts all = argc > 1 ? read_folder(argv[1]) : read_folder(made_up_folder().path());
  const std::string word = argc > 1 ? argv[2] : "anana";
  std::uint64_t expected = 0, found = 0;
  return compare(
      [&] {
        for (std::size_t i = 0; i != all.files(); ++i)
          expected += count(all.file(i), word);
      },
      [&] {
        found = tbb::parallel_reduce(
            range(0, all.files()), std::uint64_t{0},
            [&](const range& files, std::uint64_t sum) {
              for (std::size_t i = files.begin(); i != files.end(); ++i)
                sum += count_in_pieces(all.file(i), word);
              return sum;
            },
            std::plus<>{});
      },
      [&] { return found == expected; });
}
