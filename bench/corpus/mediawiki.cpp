#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <expat.h>

#include "corpus/byte_source.hpp"
#include "corpus/load.hpp"
#include "corpus/sniff.hpp"

namespace mgws::bench {
namespace {

/// Turns the elements of a dump into articles. Expat calls it from C, so nothing may be thrown
/// through it: an exception is kept and the parser stopped.
class page_collector {
 public:
  page_collector(XML_Parser parser, std::uint64_t wanted) : parser_(parser), wanted_(wanted) {
    XML_SetUserData(parser, this);
    XML_SetElementHandler(
        parser,
        [](void* self, const XML_Char* name, const XML_Char**) {
          static_cast<page_collector*>(self)->guarded([&](page_collector& it) { it.start(name); });
        },
        [](void* self, const XML_Char*) {
          static_cast<page_collector*>(self)->guarded([](page_collector& it) { it.end(); });
        });
    XML_SetCharacterDataHandler(parser, [](void* self, const XML_Char* data, int size) {
      static_cast<page_collector*>(self)->guarded([&](page_collector& it) {
        it.characters(std::string_view(data, static_cast<std::size_t>(size)));
      });
    });
  }

  /// All articles that were wanted are there.
  [[nodiscard]] bool complete() const { return articles() == wanted_; }
  [[nodiscard]] std::uint64_t articles() const { return offsets_.size() - 1; }
  [[nodiscard]] std::uint64_t text_bytes() const { return offsets_.back(); }
  [[nodiscard]] bool is_dump() const { return is_dump_; }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  [[nodiscard]] corpus take(std::string description) {
    text_.truncate(text_bytes());
    text_.shrink_to_fit();
    return {std::move(text_), std::move(offsets_), std::move(description)};
  }

 private:
  // Elements that matter, by where they stand; `other` is everything else.
  enum class element : unsigned char { other, dump, page, ns, redirect, revision, text };

  static element classify(element parent, std::string_view name) {
    switch (parent) {
      case element::dump:
        return name == "page" ? element::page : element::other;
      case element::page:
        if (name == "ns") return element::ns;
        if (name == "redirect") return element::redirect;
        return name == "revision" ? element::revision : element::other;
      case element::revision:
        return name == "text" ? element::text : element::other;
      default:
        return element::other;
    }
  }

  template <class Action>
  void guarded(Action action) noexcept {
    // Expat may still deliver an event or two after it was stopped.
    if (failure_ || complete()) return;
    try {
      action(*this);
    } catch (...) {
      failure_ = std::current_exception();
    }
    if (failure_ || complete()) XML_StopParser(parser_, XML_FALSE);
  }

  void start(std::string_view name) {
    if (path_.empty()) {
      is_dump_ = name == "mediawiki";
      path_.push_back(is_dump_ ? element::dump : element::other);
      return;
    }
    const element it = classify(path_.back(), name);
    path_.push_back(it);
    if (it == element::page) {
      ns_.clear();
      is_redirect_ = false;
      text_.truncate(text_bytes());
    } else if (it == element::redirect) {
      is_redirect_ = true;
    } else if (it == element::text) {
      text_.truncate(text_bytes());
    }
  }

  void end() {
    const element it = path_.back();
    path_.pop_back();
    if (it == element::page && ns_ == "0" && !is_redirect_) offsets_.push_back(text_.size());
  }

  void characters(std::string_view data) {
    if (path_.empty()) return;
    if (path_.back() == element::ns) {
      ns_ += data;
    } else if (path_.back() == element::text) {
      std::memcpy(text_.prepare(data.size()).data(), data.data(), data.size());
      text_.commit(data.size());
    }
  }

  XML_Parser parser_;
  std::uint64_t wanted_;
  std::vector<element> path_;
  std::string ns_;
  bool is_redirect_ = false;
  bool is_dump_ = true;
  // Behind the last offset stands the text of the page that is being read.
  text_buffer text_;
  std::vector<std::uint64_t> offsets_{0};
  std::exception_ptr failure_;
};

struct free_parser {
  void operator()(XML_Parser parser) const noexcept { XML_ParserFree(parser); }
};
using parser_handle = std::unique_ptr<std::remove_pointer_t<XML_Parser>, free_parser>;

std::string xml_fault(XML_Parser parser, bool at_end) {
  const XML_Error error = XML_GetErrorCode(parser);
  if (error == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
  const std::string where = "line " + std::to_string(XML_GetCurrentLineNumber(parser));
  if (at_end) return "is truncated: its XML ends early, in " + where;
  return "is not well-formed XML: " + std::string(XML_ErrorString(error)) + " in " + where;
}

/// Of compressed data the checksum comes last: what is wrong in a block of bzip2 is XML that makes
/// no sense first. So reads on to where that must have come out; a block has at most 47 MB. \throws
/// corpus_error if the data are corrupt
void read_past_block(byte_source& source) {
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  for (std::size_t left = std::size_t{64} << 20; left != 0;) {
    const std::size_t n = source.read(std::span(buffer).first(std::min(buffer.size(), left)));
    if (n == 0) return;
    left -= n;
  }
}

void parse(const std::filesystem::path& path, byte_source& source, compression format,
           XML_Parser parser, page_collector& pages, const load_options& options) {
  constexpr int chunk = 1 << 20;
  for (bool at_end = false; !at_end && !pages.complete();) {
    void* const buffer = XML_GetBuffer(parser, chunk);
    if (buffer == nullptr) throw std::bad_alloc();
    const std::size_t size =
        source.read(std::span(static_cast<std::byte*>(buffer), std::size_t{chunk}));
    at_end = size == 0;
    const auto status = XML_ParseBuffer(parser, static_cast<int>(size), at_end ? 1 : 0);
    pages.rethrow();
    const bool malformed = pages.is_dump() && status != XML_STATUS_OK && !pages.complete();
    const std::string fault = malformed ? xml_fault(parser, at_end) : std::string();
    if ((malformed || !pages.is_dump()) && !at_end && format != compression::none)
      read_past_block(source);
    if (!pages.is_dump()) return;
    if (malformed) throw corpus_error(path, fault);
    if (options.on_progress) options.on_progress(pages.articles(), pages.text_bytes());
  }
}

compression format_of(const std::filesystem::path& path) {
  switch (sniff_file(path)) {
    case file_kind::bzip2:
      return compression::bzip2;
    case file_kind::gzip:
      return compression::gzip;
    default:
      return compression::none;
  }
}

}  // namespace

corpus load_mediawiki(const std::filesystem::path& path, const load_options& options) {
  if (options.articles == 0) throw corpus_error(path, "was asked for 0 articles");
  const parser_handle parser(XML_ParserCreate(nullptr));
  if (!parser) throw std::bad_alloc();
  // No file has 2^64 - 1 articles: the value stands for all.
  page_collector pages(parser.get(), options.articles.value_or(~std::uint64_t{0}));
  const compression format = format_of(path);
  const auto source = open_byte_source(path, format);
  try {
    parse(path, *source, format, parser.get(), pages, options);
  } catch (const corpus_error& error) {
    throw corpus_error(path, error.fault() + " (" + std::to_string(pages.articles()) +
                                 " articles read until then)");
  }
  if (!pages.is_dump()) {
    throw corpus_error(path, "is XML but not a MediaWiki dump: its root is not <mediawiki>");
  }
  if (pages.articles() == 0) {
    throw corpus_error(path,
                       "is a MediaWiki dump without any article: no page is in namespace 0 and "
                       "not a redirect");
  }
  if (pages.text_bytes() == 0) {
    throw corpus_error(path, "is a MediaWiki dump without any text in its articles");
  }
  return pages.take("MediaWiki dump " + path.string() + (pages.complete() ? ", first " : ", ") +
                    std::to_string(pages.articles()) + " articles");
}

}  // namespace mgws::bench
