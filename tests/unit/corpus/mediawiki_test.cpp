#include <string>

#include "catch.hpp"
#include "corpus/load.hpp"
#include "support.hpp"

namespace mgws::bench::test {
namespace {

std::string page(const std::string& ns, const std::string& text, const std::string& more = "") {
  return "  <page>\n    <title>A title</title>\n    <ns>" + ns + "</ns>\n    <id>1</id>\n" + more +
         "    <revision>\n      <id>2</id>\n      <comment>a comment</comment>\n"
         "      <text bytes=\"1\" xml:space=\"preserve\">" +
         text + "</text>\n    </revision>\n  </page>\n";
}

std::string dump(const std::string& pages) {
  return "<mediawiki xmlns=\"http://www.mediawiki.org/xml/export-0.11/\" xml:lang=\"en\">\n"
         "  <siteinfo><sitename>Test</sitename><text>no article</text></siteinfo>\n" +
         pages + "</mediawiki>\n";
}

const std::string k_redirect = "    <redirect title=\"Elsewhere\" />\n";

std::string refusal(const std::filesystem::path& path, const load_options& options = {}) {
  return message_of<corpus_error>([&] { static_cast<void>(load_corpus(path, options)); });
}

using texts = std::vector<std::string>;

}  // namespace

TEST_CASE("the articles of a dump are its pages in namespace 0", "[corpus][mediawiki]") {
  const temporary_folder folder;
  const auto path = folder.write(
      "dump.xml", dump(page("0", "first &lt;b&gt; &amp;\n'''bold'''") + page("1", "a discussion") +
                       page("0", "#REDIRECT [[Elsewhere]]", k_redirect) + page("10", "a template") +
                       page("0", "zw\xc3\xb6lf") + page("0", "")));
  const corpus it = load_corpus(path);
  REQUIRE(articles_of(it) == texts{"first <b> &\n'''bold'''", "zw\xc3\xb6lf", ""});
  REQUIRE(contains(it.description(), "MediaWiki dump " + path.string() + ", 3 articles"));
}

TEST_CASE("the last revision of a page counts", "[corpus][mediawiki]") {
  const temporary_folder folder;
  const auto path = folder.write(
      "dump.xml", dump("<page><ns>0</ns><revision><text>old</text></revision>"
                       "<revision><text>new</text></revision></page>"
                       "<page><ns>0</ns><revision><text>old</text></revision>"
                       "<revision><text deleted=\"deleted\" /></revision></page>"
                       "<page><ns>0</ns><upload><text>not in a revision</text></upload></page>"));
  REQUIRE(articles_of(load_corpus(path)) == texts{"new", "", ""});
}

TEST_CASE("a redirect is one wherever it says so", "[corpus][mediawiki]") {
  const temporary_folder folder;
  const auto path =
      folder.write("dump.xml", dump("<page><revision><text>gone</text></revision><ns>0</ns>"
                                    "<redirect title=\"x\"/></page>" +
                                    page("0", "kept")));
  REQUIRE(articles_of(load_corpus(path)) == texts{"kept"});
}

TEST_CASE("compressed dumps are read", "[corpus][mediawiki]") {
  const temporary_folder folder;
  const std::string xml = dump(page("0", noise(3'000'000)) + page("0", "last"));
  const texts expected{noise(3'000'000), "last"};
  REQUIRE(articles_of(load_corpus(folder.write("dump.xml", xml))) == expected);
  REQUIRE(articles_of(load_corpus(folder.write("dump.xml.bz2", bzip2(xml)))) == expected);
  REQUIRE(articles_of(load_corpus(folder.write("dump.xml.gz", gzip(xml)))) == expected);
  // The content decides, not the name.
  REQUIRE(articles_of(load_corpus(folder.write("dump.xml", bzip2(xml)))) == expected);

  SECTION("of many streams, cut anywhere") {
    std::string packed;
    constexpr std::size_t piece = 70'001;
    for (std::size_t i = 0; i < xml.size(); i += piece)
      packed += bzip2(xml.substr(i, piece));
    packed += bzip2("");
    REQUIRE(articles_of(load_corpus(folder.write("multistream.xml.bz2", packed))) == expected);
  }
}

TEST_CASE("reading stops behind the last article wanted", "[corpus][mediawiki]") {
  const temporary_folder folder;
  const std::string whole = dump(page("0", "one") + page("1", "no") + page("0", "two") +
                                 page("0", "three") + page("0", "four"));
  const auto path = folder.write("dump.xml", whole);
  const corpus two = load_corpus(path, {2, {}});
  REQUIRE(articles_of(two) == texts{"one", "two"});
  REQUIRE(contains(two.description(), "first 2 articles"));
  REQUIRE(load_corpus(path, {4, {}}).size() == 4);
  REQUIRE(load_corpus(path, {400, {}}).size() == 4);
  REQUIRE(contains(refusal(path, {0, {}}), "asked for 0 articles"));

  // What lies behind is not looked at, in whichever way it is damaged.
  const std::string head = whole.substr(0, whole.find("three"));
  REQUIRE(load_corpus(folder.write("cut.xml", head), {2, {}}).size() == 2);
  REQUIRE(load_corpus(folder.write("bad.xml", head + "</wrong>"), {2, {}}).size() == 2);
  const auto streams = folder.write("bad.bz2", bzip2(head + noise(2'000'000)) + "garbage");
  REQUIRE(load_corpus(streams, {2, {}}).size() == 2);
}

TEST_CASE("truncated dumps are refused with the articles read until then", "[corpus][mediawiki]") {
  const temporary_folder folder;
  std::string pages;
  for (int i = 0; i < 20; ++i)
    pages += page("0", noise(100'000));
  const std::string xml = dump(pages);

  SECTION("XML") {
    const auto path = folder.write("dump.xml", xml.substr(0, xml.size() / 2));
    const std::string sentence = refusal(path);
    REQUIRE(contains(sentence, path.string() + "' is truncated: its XML ends early"));
    REQUIRE(contains(sentence, "(9 articles read until then)"));
  }
  SECTION("XML without its last tag") {
    const auto path = folder.write("dump.xml", xml.substr(0, xml.size() - 5));
    REQUIRE(contains(refusal(path), "(20 articles read until then)"));
  }
  SECTION("a bzip2 stream") {
    const std::string packed = bzip2(xml);
    const auto path = folder.write("dump.xml.bz2", packed.substr(0, packed.size() / 2));
    const std::string sentence = refusal(path);
    REQUIRE(contains(sentence, path.string() + "' is truncated: its bzip2 data end early"));
    REQUIRE(contains(sentence, " articles read until then)"));
    REQUIRE(!contains(sentence, "(0 articles"));
    REQUIRE(!contains(sentence, "(20 articles"));
    // Enough of it is whole for the first articles.
    REQUIRE(load_corpus(path, {3, {}}).size() == 3);
  }
  SECTION("a bzip2 stream without its last byte") {
    const std::string packed = bzip2(xml);
    const auto path = folder.write("dump.xml.bz2", packed.substr(0, packed.size() - 1));
    REQUIRE(contains(refusal(path), "is truncated"));
  }
  SECTION("one stream of several") {
    const auto path = folder.write("dump.xml.bz2", bzip2(xml.substr(0, xml.size() / 2)));
    REQUIRE(contains(refusal(path), "is truncated: its XML ends early"));
  }
}

TEST_CASE("corrupt dumps are refused", "[corpus][mediawiki]") {
  const temporary_folder folder;
  const std::string xml = dump(page("0", "one") + page("0", noise(500'000)));

  std::string packed = bzip2(xml);
  REQUIRE(contains(refusal(folder.write("dump.bz2", packed + "garbage")), "is corrupt"));
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
  const std::string sentence = refusal(folder.write("dump.bz2", packed));
  REQUIRE(contains(sentence, "is corrupt: it holds bytes that are not valid bzip2 data"));
  REQUIRE(contains(sentence, "articles read until then)"));

  // A block's checksum comes after its text, which says nonsense to the parser by then.
  std::string pages;
  for (int i = 0; i < 2000; ++i)
    pages += page("0", "article " + std::to_string(i));
  const std::string right = bzip2(dump(pages));
  for (std::size_t from_end = 20; from_end < 220; from_end += 5) {
    std::string wrong = right;
    char& byte = wrong[wrong.size() - from_end];
    byte = static_cast<char>(byte ^ 0xff);
    const std::string said = refusal(folder.write("dump.bz2", wrong));
    INFO(from_end << " bytes from the end: " << said);
    REQUIRE(contains(said, "is corrupt: it holds bytes that are not valid bzip2 data"));
  }

  const auto bad = folder.write("dump.xml", dump(page("0", "one") + "<page></wrong>"));
  REQUIRE(contains(refusal(bad), "is not well-formed XML: mismatched tag in line"));
  REQUIRE(contains(refusal(bad), "(1 articles read until then)"));
  REQUIRE(contains(refusal(folder.write("bad.bz2", bzip2(dump(page("0", "one") + "</wrong>")))),
                   "is not well-formed XML: mismatched tag in line"));
  REQUIRE(contains(refusal(folder.write("html.bz2", bzip2("<html/>"))), "not a MediaWiki dump"));
  REQUIRE(contains(refusal(folder.write("b.bz2", bzip2(""))), "is truncated"));
  REQUIRE(contains(refusal(folder.write("c.bz2", bzip2("plain text"))), "is not well-formed XML"));
}

TEST_CASE("XML that holds no articles is refused", "[corpus][mediawiki]") {
  const temporary_folder folder;
  REQUIRE(contains(refusal(folder.write("page.xml", "<html><page/></html>")),
                   "is XML but not a MediaWiki dump"));
  REQUIRE(contains(refusal(folder.write("a.xml", dump(page("1", "text")))), "without any article"));
  REQUIRE(contains(refusal(folder.write("b.xml", dump(page("0", "text", k_redirect)))),
                   "without any article"));
  REQUIRE(contains(refusal(folder.write("c.xml", dump(page("0", "")))), "without any text"));
}

TEST_CASE("an exception of the progress report passes through", "[corpus][mediawiki]") {
  const temporary_folder folder;
  const auto path = folder.write("dump.xml", dump(page("0", "one")));
  const load_options options{
      {}, [](std::uint64_t, std::uint64_t) { throw std::logic_error("interrupted"); }};
  REQUIRE(message_of<std::logic_error>([&] { static_cast<void>(load_corpus(path, options)); }) ==
          "interrupted");
}

}  // namespace mgws::bench::test
