#include "corpus/index.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <zlib.h>

#include "corpus/replaced_file.hpp"

namespace mgws::bench {
namespace {

std::uint32_t crc32_of(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint32_t crc32_of_header(const index_header& header) {
  return crc32_of(std::as_bytes(std::span(&header, 1)).first(offsetof(index_header, header_crc32)));
}

std::string differing_sizes(std::uint64_t actual, std::uint64_t expected) {
  return "it has " + std::to_string(actual) + " bytes instead of " + std::to_string(expected);
}

/// The header, once nothing in it can lead out of the file.
index_header check_header(const std::filesystem::path& path, std::span<const std::byte> file) {
  const auto magic_bytes = std::as_bytes(std::span(k_index_magic));
  if (file.size() < magic_bytes.size() ||
      !std::equal(magic_bytes.begin(), magic_bytes.end(), file.begin())) {
    throw corpus_error(path, "is not an index made by mgws-corpus: it does not begin with " +
                                 std::string(k_index_magic));
  }
  if (file.size() < sizeof(index_header)) {
    throw corpus_error(path, "is truncated: it ends within the header of the index");
  }
  index_header header;
  std::memcpy(&header, file.data(), sizeof header);
  if (header.byte_order != k_index_byte_order) {
    throw corpus_error(path, "is an index that a machine of another byte order wrote");
  }
  if (header.version != k_index_version) {
    throw corpus_error(path, "is an index of version " + std::to_string(header.version) +
                                 " where version " + std::to_string(k_index_version) +
                                 " is understood");
  }
  if (header.header_crc32 != crc32_of_header(header)) {
    throw corpus_error(path, "is a damaged index: the checksum of its header is wrong");
  }
  if (file.size() < header.file_bytes) {
    throw corpus_error(path, "is truncated: " + differing_sizes(file.size(), header.file_bytes));
  }
  if (file.size() > header.file_bytes) {
    throw corpus_error(path,
                       "is a damaged index: " + differing_sizes(file.size(), header.file_bytes));
  }
  // One after the other, each within what is left, so that no sum can overflow.
  std::uint64_t left = file.size() - sizeof header;
  bool fits = header.articles >= 1 && header.articles < left / sizeof(std::uint64_t);
  if (fits) left -= (header.articles + 1) * sizeof(std::uint64_t);
  fits = fits && header.text_bytes <= left && header.description_bytes == left - header.text_bytes;
  if (!fits) throw corpus_error(path, "is a damaged index: its counts do not add up to its size");
  return header;
}

void check_offsets(const std::filesystem::path& path, const index_header& header,
                   std::span<const std::uint64_t> offsets) {
  if (crc32_of(std::as_bytes(offsets)) != header.offsets_crc32) {
    throw corpus_error(path, "is a damaged index: the checksum of its offsets is wrong");
  }
  if (offsets.front() != 0 || offsets.back() != header.text_bytes ||
      !std::is_sorted(offsets.begin(), offsets.end())) {
    throw corpus_error(path, "is a damaged index: its offsets do not ascend through the text");
  }
}

}  // namespace

corpus load_index(const std::filesystem::path& path, const load_options& options) {
  if (options.articles == 0) throw corpus_error(path, "was asked for 0 articles");
  mapped_file file(path);
  const std::span<const std::byte> bytes = file.view();
  const index_header header = check_header(path, bytes);

  std::vector<std::uint64_t> offsets(header.articles + 1);
  const std::size_t offset_bytes = offsets.size() * sizeof offsets.front();
  std::memcpy(offsets.data(), bytes.data() + sizeof header, offset_bytes);
  check_offsets(path, header, offsets);

  const std::uint64_t count = std::min(options.articles.value_or(header.articles), header.articles);
  offsets.resize(count + 1);
  const auto after_header = bytes.subspan(sizeof header + offset_bytes);
  const auto text = after_header.first(offsets.back());
  const auto origin = after_header.subspan(header.text_bytes);

  std::string description = "index " + path.string();
  if (count < header.articles) {
    description +=
        ", first " + std::to_string(count) + " of " + std::to_string(header.articles) + " articles";
  }
  description += ", made from ";
  description.append(reinterpret_cast<const char*>(origin.data()), origin.size());
  return {std::move(file), text, std::move(offsets), std::move(description)};
}

void save_index(const corpus& articles, const std::filesystem::path& path) {
  if (articles.size() == 0) throw corpus_write_error(path, "was to hold an empty corpus");
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  // The rename would put the index in the place of, say, /dev/null.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw corpus_write_error(path, "exists and is not a regular file");
  }

  const std::span<const std::byte> offsets = std::as_bytes(articles.offsets());
  const std::span<const std::byte> description = std::as_bytes(std::span(articles.description()));
  index_header header{};
  std::memcpy(header.magic, k_index_magic.data(), sizeof header.magic);
  header.byte_order = k_index_byte_order;
  header.version = k_index_version;
  header.articles = articles.size();
  header.text_bytes = articles.bytes();
  header.description_bytes = description.size();
  header.file_bytes = sizeof header + offsets.size() + articles.bytes() + description.size();
  header.offsets_crc32 = crc32_of(offsets);
  header.header_crc32 = crc32_of_header(header);

  try {
    replaced_file file(path);
    file.write(std::as_bytes(std::span(&header, 1)));
    file.write(offsets);
    file.write(articles.data());
    file.write(description);
    file.keep();
  } catch (const std::system_error& error) {
    throw corpus_write_error(path, fault_with_errno("cannot be written", error.code().value()));
  }
}

}  // namespace mgws::bench
