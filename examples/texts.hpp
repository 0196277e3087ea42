// The files of a folder, for the examples.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

// File i is text[begin[i]] to before text[begin[i + 1]].
struct texts {
  std::string text;
  std::vector<std::uint64_t> begin{0};
  [[nodiscard]] std::size_t files() const { return begin.size() - 1; }
  [[nodiscard]] std::string_view file(std::size_t i) const {
    return std::string_view(text).substr(begin[i], begin[i + 1] - begin[i]);
  }
};

// Everything below a folder that can be read.
inline texts read_folder(const std::filesystem::path& folder) {
  texts all;
  const auto options = std::filesystem::directory_options::skip_permission_denied;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, options)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    all.text.append(std::istreambuf_iterator<char>(file), {});
    all.begin.push_back(all.text.size());
  }
  return all;
}

// A folder of made-up texts, the longest of which is more than half of all. Gone at its end.
class made_up_folder {
 public:
  made_up_folder() {
    std::string name = std::filesystem::temp_directory_path() / "texts-XXXXXX";
    if (mkdtemp(name.data()) == nullptr)
      throw std::filesystem::filesystem_error("mkdtemp", name, {});
    path_ = name;
    constexpr std::string_view words[] = {"task", "banana", "steals", "the",
                                          "of",   "ananas", "worker", "\n"};
    std::uint32_t x = 1;
    for (int i = 0; i != 200; ++i) {
      std::string text;
      while (text.size() < 8'000'000u / (i + 1) / (i + 1)) {
        x = x * 1664525 + 1013904223;
        text.append(words[x >> 29]).append(x >> 20 & 3 ? " " : "");
      }
      std::ofstream(path_ / std::to_string(i)) << text;
    }
  }
  ~made_up_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  made_up_folder(const made_up_folder&) = delete;
  made_up_folder& operator=(const made_up_folder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// How often a word stands in a text, where it may overlap itself.
inline std::uint64_t count(std::string_view text, std::string_view word) {
  std::uint64_t n = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    ++n;
  return n;
}
