#include "corpus/corpus.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "catch.hpp"
#include "corpus/load.hpp"
#include "support.hpp"

namespace mgws::bench::test {

static_assert(std::is_nothrow_move_constructible_v<corpus>);
static_assert(std::is_nothrow_move_assignable_v<corpus>);
static_assert(!std::is_copy_constructible_v<corpus>);

namespace {

corpus make_corpus(const std::vector<std::string_view>& articles) {
  text_buffer text;
  std::vector<std::uint64_t> offsets{0};
  for (const std::string_view article : articles) {
    const auto room = text.prepare(article.size() + 1);
    std::transform(article.begin(), article.end(), room.begin(),
                   [](char c) { return static_cast<std::byte>(c); });
    text.commit(article.size());
    offsets.push_back(text.size());
  }
  return {std::move(text), std::move(offsets), "made"};
}

}  // namespace

TEST_CASE("a corpus gives its articles", "[corpus]") {
  const corpus it = make_corpus({"one", "", "three"});
  REQUIRE(it.size() == 3);
  REQUIRE(it.bytes() == 8);
  REQUIRE(it.text() == "onethree");
  REQUIRE(it.data().size() == 8);
  REQUIRE(it.offsets().size() == 4);
  REQUIRE(articles_of(it) == std::vector<std::string>{"one", "", "three"});
  REQUIRE(it.description() == "made");
}

TEST_CASE("views survive the move of a corpus", "[corpus]") {
  corpus first = make_corpus({"one", "two"});
  const std::string_view article = first.article(1);
  corpus second = std::move(first);
  REQUIRE(second.article(1).data() == article.data());
  REQUIRE(first.size() == 0);  // NOLINT: what a corpus is after a move is specified
  REQUIRE(first.bytes() == 0);

  corpus third = make_corpus({"other"});
  third = std::move(second);
  REQUIRE(third.article(1).data() == article.data());
  REQUIRE(third.size() == 2);
  REQUIRE(second.size() == 0);
}

TEST_CASE("articles with a word are counted, and not matches", "[corpus]") {
  const corpus it = make_corpus({"cat cat cat", "Cat", "concatenate", "ca", "t cat"});
  REQUIRE(count_articles_with(it, "cat") == 3);
  REQUIRE(count_articles_with(it, "Cat") == 1);
  REQUIRE(count_articles_with(it, "dog") == 0);
  // Over the border of two articles there is no match.
  REQUIRE(count_articles_with(it, "cat") != count_articles_with(it, "ca"));
  REQUIRE(count_articles_with(it, "cat t") == 0);
  REQUIRE(count_articles_with(it, "a word longer than every article") == 0);
}

TEST_CASE("the lengths of articles are measured", "[corpus]") {
  const article_lengths lengths = measure_articles(make_corpus({"12345", "1", "123", "12"}));
  REQUIRE(lengths.shortest == 1);
  REQUIRE(lengths.median == 3);
  REQUIRE(lengths.longest == 5);
  REQUIRE(measure_articles(make_corpus({})).longest == 0);
}

TEST_CASE("a path that is no corpus is refused by its name", "[corpus]") {
  const temporary_folder folder;
  const auto refusal = [](const std::filesystem::path& path) {
    return message_of<corpus_error>([&] { static_cast<void>(load_corpus(path)); });
  };
  const auto missing = folder.path() / "missing";
  REQUIRE(refusal(missing) == "'" + missing.string() + "' does not exist");
  REQUIRE(contains(refusal(folder.write("empty", "")), "is an empty file"));
  REQUIRE(contains(refusal(folder.write("notes.txt", "Dear diary")), "is not a corpus"));
  REQUIRE(contains(refusal(folder.write("bad.idx", "MGWSCRPX and so on")), "is not a corpus"));
  REQUIRE(contains(refusal("/dev/null"), "is neither a folder nor a regular file"));
  // A name too long for the system fails on the first look at it.
  REQUIRE(contains(refusal(folder.path() / std::string(5000, 'x')), "cannot be examined"));
}

}  // namespace mgws::bench::test
