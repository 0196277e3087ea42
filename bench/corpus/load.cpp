#include "corpus/load.hpp"

#include <array>
#include <string_view>
#include <system_error>

#include "corpus/byte_source.hpp"
#include "corpus/index.hpp"
#include "corpus/sniff.hpp"

namespace mgws::bench {

file_kind sniff_file(const std::filesystem::path& path) {
  std::array<std::byte, 64> buffer;
  input_file file(path);
  std::size_t size = 0;
  while (size < buffer.size()) {
    const std::size_t count = file.read(std::span(buffer).subspan(size));
    if (count == 0) break;
    size += count;
  }
  const std::string_view head(reinterpret_cast<const char*>(buffer.data()), size);
  if (head.empty()) return file_kind::empty;
  if (head.starts_with(k_index_magic)) return file_kind::index;
  if (head.starts_with("BZh")) return file_kind::bzip2;
  if (head.starts_with("\x1f\x8b")) return file_kind::gzip;
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  const std::string_view text =
      head.starts_with(byte_order_mark) ? head.substr(byte_order_mark.size()) : head;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '<' ? file_kind::xml : file_kind::other;
}

corpus load_corpus(const std::filesystem::path& path, const load_options& options) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw corpus_error(path, "does not exist");
  }
  if (error) throw corpus_error(path, "cannot be examined: " + error.message());
  if (std::filesystem::is_directory(status)) return load_folder(path, options);
  if (!std::filesystem::is_regular_file(status)) {
    throw corpus_error(path, "is neither a folder nor a regular file");
  }
  switch (sniff_file(path)) {
    case file_kind::index:
      return load_index(path, options);
    case file_kind::xml:
    case file_kind::bzip2:
    case file_kind::gzip:
      return load_mediawiki(path, options);
    case file_kind::empty:
      throw corpus_error(path, "is an empty file");
    case file_kind::other:
      break;
  }
  throw corpus_error(path,
                     "is not a corpus: neither a folder of text files, nor a MediaWiki XML dump "
                     "(.xml, .xml.bz2, .xml.gz), nor an index made by mgws-corpus");
}

}  // namespace mgws::bench
