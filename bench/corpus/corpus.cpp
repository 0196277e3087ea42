#include "corpus/corpus.hpp"

#include <algorithm>
#include <utility>

namespace mgws::bench {

corpus::corpus(text_buffer text, std::vector<std::uint64_t> offsets, std::string description)
    : memory_(std::move(text)),
      text_(std::get<text_buffer>(memory_).view()),
      offsets_(std::move(offsets)),
      description_(std::move(description)) {}

corpus::corpus(mapped_file file, std::span<const std::byte> text,
               std::vector<std::uint64_t> offsets, std::string description)
    : memory_(std::move(file)),
      text_(text),
      offsets_(std::move(offsets)),
      description_(std::move(description)) {}

corpus::corpus(corpus&& other) noexcept
    : memory_(std::move(other.memory_)),
      text_(std::exchange(other.text_, {})),
      offsets_(std::exchange(other.offsets_, {})),
      description_(std::move(other.description_)) {}

corpus& corpus::operator=(corpus&& other) noexcept {
  if (this == &other) return *this;
  memory_ = std::move(other.memory_);
  text_ = std::exchange(other.text_, {});
  offsets_ = std::exchange(other.offsets_, {});
  description_ = std::move(other.description_);
  return *this;
}

std::uint64_t count_articles_with(const corpus& articles, std::string_view word) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < articles.size(); ++i) {
    if (articles.article(i).find(word) != std::string_view::npos) ++count;
  }
  return count;
}

article_lengths measure_articles(const corpus& articles) {
  if (articles.size() == 0) return {};
  std::vector<std::uint64_t> lengths(articles.size());
  for (std::size_t i = 0; i < lengths.size(); ++i)
    lengths[i] = articles.article(i).size();
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  const auto [shortest, longest] = std::minmax_element(lengths.begin(), lengths.end());
  return {*shortest, *middle, *longest};
}

}  // namespace mgws::bench
