/// \file
/// What the tests of the corpus share: a folder that disappears, and files to put into it.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <bzlib.h>
#include <stdlib.h>
#include <zlib.h>

#include "corpus/corpus.hpp"

namespace mgws::bench::test {

class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "mgws-corpus-").string();
    name.append(6, 'X');  // mkdtemp puts the folder's own letters there
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder");
    // Where /tmp is a link, a canonical path makes the paths in messages comparable.
    path_ = std::filesystem::canonical(name);
  }
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Writes a file, and the folders on its way.
  std::filesystem::path write(const std::filesystem::path& name, std::string_view content) const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream stream(file, std::ios::binary);
    stream.write(content.data(), static_cast<std::streamsize>(content.size()));
    if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
    return file;
  }

  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_),
                                                  std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline std::string bzip2(std::string content) {
  std::string packed(content.size() + content.size() / 50 + 1024, '\0');
  auto size = static_cast<unsigned>(packed.size());
  if (BZ2_bzBuffToBuffCompress(packed.data(), &size, content.data(),
                               static_cast<unsigned>(content.size()), 1, 0, 0) != BZ_OK) {
    throw std::runtime_error("cannot compress");
  }
  packed.resize(size);
  return packed;
}

inline std::string gzip(std::string content) {
  std::string packed(content.size() + content.size() / 50 + 1024, '\0');
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("cannot compress");
  }
  stream.next_in = reinterpret_cast<Bytef*>(content.data());
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("cannot compress");
  return packed;
}

/// Text that compresses badly, so that a compressed file of it can be cut in its middle.
inline std::string noise(std::size_t size) {
  std::string text(size, ' ');
  std::uint64_t state = 1;
  for (char& c : text) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    c = static_cast<char>('a' + (state >> 60));
  }
  return text;
}

inline std::vector<std::string> articles_of(const corpus& it) {
  std::vector<std::string> articles;
  for (std::size_t i = 0; i < it.size(); ++i)
    articles.emplace_back(it.article(i));
  return articles;
}

/// The sentence of the `Error` that `action` throws, or "" if it throws none.
template <class Error, class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace mgws::bench::test
