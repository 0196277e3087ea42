/// \file
/// A corpus in memory: the articles' text in one contiguous piece, and where each begins.
///
/// This is the form in which a device gets it: article i is text[offset[i], offset[i + 1]).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "corpus/file.hpp"
#include "corpus/text_buffer.hpp"

namespace mgws::bench {

/// Owns its memory or a memory map, whichever the source gave. A corpus that was moved from is
/// empty. Views stay valid when the corpus is moved.
class corpus {
 public:
  /// Takes a text that was read or made. `offsets` are the ascending beginnings of the articles
  /// and, last, the size of the text.
  corpus(text_buffer text, std::vector<std::uint64_t> offsets, std::string description);

  /// Takes a mapped file; `text` lies in it. The offsets are a copy that has been checked: a file
  /// that is changed in place must not lead out of the map.
  corpus(mapped_file file, std::span<const std::byte> text, std::vector<std::uint64_t> offsets,
         std::string description);

  corpus(corpus&& other) noexcept;
  corpus& operator=(corpus&& other) noexcept;

  /// Number of articles.
  [[nodiscard]] std::size_t size() const noexcept {
    return offsets_.empty() ? 0 : offsets_.size() - 1;
  }
  /// Size of the text.
  [[nodiscard]] std::size_t bytes() const noexcept { return text_.size(); }

  [[nodiscard]] std::span<const std::byte> data() const noexcept { return text_; }
  [[nodiscard]] std::string_view text() const noexcept {
    return {reinterpret_cast<const char*>(text_.data()), text_.size()};
  }
  /// size() + 1 entries; the first is 0 and the last is bytes().
  [[nodiscard]] std::span<const std::uint64_t> offsets() const noexcept { return offsets_; }

  [[nodiscard]] std::string_view article(std::size_t index) const noexcept {
    return text().substr(offsets_[index], offsets_[index + 1] - offsets_[index]);
  }

  /// Where the corpus came from, and what was left out, in words.
  [[nodiscard]] const std::string& description() const noexcept { return description_; }

 private:
  std::variant<text_buffer, mapped_file> memory_;
  std::span<const std::byte> text_;
  std::vector<std::uint64_t> offsets_;
  std::string description_;
};

/// Number of articles that contain `word` as a substring of bytes, upper and lower case apart.
/// Sequential and plain on purpose: it is what a parallel result is verified against.
[[nodiscard]] std::uint64_t count_articles_with(const corpus& articles, std::string_view word);

/// How even the work is. All 0 for an empty corpus.
struct article_lengths {
  std::uint64_t shortest = 0;
  std::uint64_t median = 0;  ///< the upper one of an even number
  std::uint64_t longest = 0;
};

[[nodiscard]] article_lengths measure_articles(const corpus& articles);

}  // namespace mgws::bench
