#include "corpus/byte_source.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include <bzlib.h>
#include <zlib.h>

#include "corpus/error.hpp"
#include "corpus/file.hpp"

namespace mgws::bench {
namespace {

enum class step_result { more, end_of_stream, corrupt };

// Both libraries count in 32 bits.
constexpr std::size_t k_most_bytes_per_step = std::size_t{1} << 30;

/// zlib and libbz2 have the same interface under two sets of names; a codec is what differs.
struct gzip_codec {
  static constexpr const char* name = "gzip";
  z_stream stream{};

  void begin() {
    stream = {};
    // 16: a gzip header is required, instead of zlib's.
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  void end() { inflateEnd(&stream); }

  step_result step(std::span<std::byte>& in, std::span<std::byte>& out) {
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int result = inflate(&stream, Z_NO_FLUSH);
    in = in.last(stream.avail_in);
    out = out.last(stream.avail_out);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_STREAM_END) return step_result::end_of_stream;
    // Z_BUF_ERROR: nothing could be done without more input, which is not a fault of the data.
    return result == Z_OK || result == Z_BUF_ERROR ? step_result::more : step_result::corrupt;
  }
};

struct bzip2_codec {
  static constexpr const char* name = "bzip2";
  bz_stream stream{};

  void begin() {
    stream = {};
    if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  void end() { BZ2_bzDecompressEnd(&stream); }

  step_result step(std::span<std::byte>& in, std::span<std::byte>& out) {
    stream.next_in = reinterpret_cast<char*>(in.data());
    stream.avail_in = static_cast<unsigned>(in.size());
    stream.next_out = reinterpret_cast<char*>(out.data());
    stream.avail_out = static_cast<unsigned>(out.size());
    const int result = BZ2_bzDecompress(&stream);
    in = in.last(stream.avail_in);
    out = out.last(stream.avail_out);
    if (result == BZ_MEM_ERROR) throw std::bad_alloc();
    if (result == BZ_STREAM_END) return step_result::end_of_stream;
    return result == BZ_OK ? step_result::more : step_result::corrupt;
  }
};

template <class Codec>
class compressed_source final : public byte_source {
 public:
  explicit compressed_source(const std::filesystem::path& path)
      : file_(path), buffer_(std::size_t{1} << 18) {
    codec_.begin();
    in_stream_ = true;
  }
  ~compressed_source() override {
    if (in_stream_) codec_.end();
  }

  std::size_t read(std::span<std::byte> into) override {
    const std::span<std::byte> wanted = into.first(std::min(into.size(), k_most_bytes_per_step));
    std::span<std::byte> out = wanted;
    while (out.size() == wanted.size() && !wanted.empty()) {
      if (input_.empty() && !end_of_file_) {
        input_ = std::span(buffer_).first(file_.read(buffer_));
        end_of_file_ = input_.empty();
      }
      if (!in_stream_) {
        if (end_of_file_) return 0;
        codec_.begin();
        in_stream_ = true;
      }
      switch (codec_.step(input_, out)) {
        case step_result::more:
          if (end_of_file_ && out.size() == wanted.size()) {
            throw corpus_error(file_.path(), fault("is truncated: its ", " data end early"));
          }
          break;
        case step_result::end_of_stream:
          codec_.end();
          in_stream_ = false;
          break;
        case step_result::corrupt:
          throw corpus_error(file_.path(),
                             fault("is corrupt: it holds bytes that are not valid ", " data"));
      }
    }
    return wanted.size() - out.size();
  }

 private:
  static std::string fault(const char* before, const char* after) {
    return std::string(before) + Codec::name + after;
  }

  input_file file_;
  std::vector<std::byte> buffer_;
  std::span<std::byte> input_;
  Codec codec_;
  bool in_stream_ = false;
  bool end_of_file_ = false;
};

class plain_source final : public byte_source {
 public:
  explicit plain_source(const std::filesystem::path& path) : file_(path) {}
  std::size_t read(std::span<std::byte> into) override { return file_.read(into); }

 private:
  input_file file_;
};

}  // namespace

std::unique_ptr<byte_source> open_byte_source(const std::filesystem::path& path,
                                              compression format) {
  switch (format) {
    case compression::gzip:
      return std::make_unique<compressed_source<gzip_codec>>(path);
    case compression::bzip2:
      return std::make_unique<compressed_source<bzip2_codec>>(path);
    case compression::none:
      break;
  }
  return std::make_unique<plain_source>(path);
}

}  // namespace mgws::bench
