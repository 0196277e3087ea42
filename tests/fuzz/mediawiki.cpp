// The reader of MediaWiki dumps, with what decompresses them. A dump that is no file of another
// kind is also read as gzip, in two streams: what comes out must be the same.
#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include <zlib.h>

#include "corpus/load.hpp"
#include "corpus/sniff.hpp"
#include "target.hpp"

namespace {

namespace bench = mgws::bench;
using mgws::fuzz::promised;
using bytes = std::span<const std::uint8_t>;

void append_gzip(std::vector<std::uint8_t>& to, bytes from) {
  z_stream stream{};
  promised(deflateInit2(&stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK,
           "zlib has memory");
  const std::size_t begin = to.size();
  to.resize(begin + deflateBound(&stream, from.size()));
  stream.next_in = const_cast<Bytef*>(from.data());
  stream.avail_in = static_cast<uInt>(from.size());
  stream.next_out = to.data() + begin;
  stream.avail_out = static_cast<uInt>(to.size() - begin);
  promised(deflate(&stream, Z_FINISH) == Z_STREAM_END, "what zlib calls a bound is one");
  to.resize(to.size() - stream.avail_out);
  deflateEnd(&stream);
}

std::optional<bench::corpus> load(bytes content, const bench::load_options& options = {}) {
  const mgws::fuzz::memory_file file(content);
  try {
    return bench::load_mediawiki(file.path(), options);
  } catch (const bench::corpus_error& error) {
    promised(!error.fault().empty(), "a refusal says why");
    return std::nullopt;
  }
}

void check(const bench::corpus& it) {
  const auto offsets = it.offsets();
  promised(it.size() != 0 && it.bytes() != 0, "a dump without articles or text is refused");
  promised(offsets.size() == it.size() + 1 && offsets.front() == 0 &&
               offsets.back() == it.bytes() && std::ranges::is_sorted(offsets),
           "offsets ascend through the text");
  std::uint64_t length = 0;
  for (std::size_t i = 0; i != it.size(); ++i)
    length += it.article(i).size();
  promised(length == it.bytes(), "the articles are the text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bytes content(data, size);
  const auto all = load(content);
  if (all) check(*all);
  // Reading stops behind the first article: damage behind it is no fault then, and a dump whose
  // first article has no text is refused where all of it is not.
  const auto first = load(content, {1, {}});
  if (all)
    promised(first ? first->size() == 1 && first->article(0) == all->article(0)
                   : all->article(0).empty(),
             "the first article alone is the same");

  bench::file_kind kind{};
  {
    const mgws::fuzz::memory_file file(content);
    kind = bench::sniff_file(file.path());
  }
  if (kind == bench::file_kind::gzip || kind == bench::file_kind::bzip2) return 0;
  std::vector<std::uint8_t> packed;
  append_gzip(packed, content.first(size / 2));
  append_gzip(packed, content.subspan(size / 2));
  const auto unpacked = load(packed);
  promised(unpacked.has_value() == all.has_value(), "a dump is refused packed if it is plain");
  if (all)
    promised(
        unpacked->text() == all->text() && std::ranges::equal(unpacked->offsets(), all->offsets()),
        "a packed dump has the same articles");
  return 0;
}
