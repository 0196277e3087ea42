// The reader of indexes. A file is read as it is, and once more with checksums and sizes that agree
// with the rest: nobody who tries bytes finds those, but somebody who writes a file can compute
// them.
#include "corpus/index.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

#include <zlib.h>

#include "target.hpp"

namespace {

namespace bench = mgws::bench;
using mgws::fuzz::promised;

std::uint32_t checksum(std::span<const std::uint8_t> bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, bytes.data(), bytes.size()));
}

std::optional<bench::corpus> load(std::span<const std::uint8_t> bytes,
                                  const bench::load_options& options = {}) {
  const mgws::fuzz::memory_file file(bytes);
  try {
    return bench::load_index(file.path(), options);
  } catch (const bench::corpus_error& error) {
    promised(!error.fault().empty(), "a refusal says why");
    return std::nullopt;
  }
}

void check(std::span<const std::uint8_t> bytes) {
  const auto all = load(bytes);
  if (!all) return;
  bench::index_header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  promised(all->size() == header.articles, "as many articles as the header says");
  promised(all->bytes() == header.text_bytes, "as much text as the header says");
  const auto offsets = all->offsets();
  promised(offsets.size() == all->size() + 1 && offsets.front() == 0 &&
               offsets.back() == all->bytes() && std::ranges::is_sorted(offsets),
           "offsets ascend through the text");
  promised(all->bytes() == 0 ||
               std::memcmp(all->data().data(), bytes.data() + sizeof header + offsets.size_bytes(),
                           all->bytes()) == 0,
           "the text is what stands behind the offsets");
  // Reads all of it.
  std::uint64_t length = 0;
  for (std::size_t i = 0; i != all->size(); ++i)
    length += all->article(i).size();
  promised(length == all->bytes(), "the articles are the text");
  promised(bench::measure_articles(*all).longest <= length, "no article is longer than all");

  const auto first = load(bytes, {1, {}});
  promised(first && first->size() == 1 && first->article(0) == all->article(0),
           "the first article alone is the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({data, size});

  std::vector<std::uint8_t> forged(data, data + size);
  bench::index_header header;
  if (size < sizeof header) return 0;
  std::memcpy(&header, data, sizeof header);
  std::memcpy(header.magic, bench::k_index_magic.data(), sizeof header.magic);
  header.byte_order = bench::k_index_byte_order;
  header.version = bench::k_index_version;
  header.file_bytes = size;
  const auto rest = std::span<const std::uint8_t>(forged).subspan(sizeof header);
  constexpr std::size_t each = sizeof(std::uint64_t);
  if (header.articles < rest.size() / each) {
    const auto offsets = rest.first((header.articles + 1) * each);
    header.offsets_crc32 = checksum(offsets);
    // The text ends where the last offset says, wherever that is; what is left may be less than 0.
    std::memcpy(&header.text_bytes, offsets.last(each).data(), each);
    header.description_bytes = rest.size() - offsets.size() - header.text_bytes;
  }
  std::memcpy(forged.data(), &header, sizeof header);
  header.header_crc32 = checksum(
      std::span<const std::uint8_t>(forged).first(offsetof(bench::index_header, header_crc32)));
  std::memcpy(forged.data(), &header, sizeof header);
  check(forged);
  return 0;
}
