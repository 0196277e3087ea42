#include <filesystem>

#include <sys/stat.h>

#include "catch.hpp"
#include "corpus/load.hpp"
#include "support.hpp"

namespace mgws::bench::test {
namespace {

namespace fs = std::filesystem;

std::string refusal(const fs::path& path, const load_options& options = {}) {
  return message_of<corpus_error>([&] { static_cast<void>(load_corpus(path, options)); });
}

}  // namespace

TEST_CASE("every file of a folder is an article, in the order of the paths", "[corpus][folder]") {
  const temporary_folder folder;
  folder.write("b.txt", "second");
  folder.write("c/deep/er.txt", "third");
  folder.write("a.txt", "first");
  folder.write("d.txt", "");
  const corpus it = load_corpus(folder.path());
  REQUIRE(articles_of(it) == std::vector<std::string>{"first", "second", "third", ""});
  REQUIRE(contains(it.description(), folder.path().string()));
  REQUIRE(contains(it.description(), "4 files"));

  SECTION("only the first so many") {
    const corpus two = load_corpus(folder.path(), {2, {}});
    REQUIRE(articles_of(two) == std::vector<std::string>{"first", "second"});
    REQUIRE(contains(two.description(), "first 2 of 4 files"));
  }
  SECTION("more than there are") {
    REQUIRE(load_corpus(folder.path(), {100, {}}).size() == 4);
  }
  SECTION("none") {
    REQUIRE(contains(refusal(folder.path(), {0, {}}), "asked for 0 articles"));
  }
  SECTION("progress is reported") {
    std::uint64_t articles = 0;
    std::uint64_t bytes = 0;
    static_cast<void>(load_corpus(folder.path(), {{}, [&](std::uint64_t a, std::uint64_t b) {
                                                    articles = a;
                                                    bytes = b;
                                                  }}));
    REQUIRE(articles == 4);
    REQUIRE(bytes == it.bytes());
  }
}

TEST_CASE("gzip files of a folder are decompressed", "[corpus][folder]") {
  const temporary_folder folder;
  const std::string long_text = noise(300'000);
  folder.write("a.1.gz", gzip("a manual page"));
  folder.write("b.1.gz", gzip("two ") + gzip("members"));
  folder.write("c.1", "plain");
  folder.write("d.gz", gzip(long_text));
  folder.write("e.gz", gzip(""));
  REQUIRE(articles_of(load_corpus(folder.path())) ==
          std::vector<std::string>{"a manual page", "two members", "plain", long_text, ""});
}

TEST_CASE("damaged gzip files are refused", "[corpus][folder]") {
  const temporary_folder folder;
  folder.write("a.txt", "right");
  const std::string packed = gzip(noise(10'000));

  const auto truncated = folder.write("page.gz", packed.substr(0, packed.size() / 2));
  REQUIRE(contains(refusal(folder.path()), truncated.string() + "' is truncated"));
  folder.write("page.gz", packed.substr(0, packed.size() - 1));
  REQUIRE(contains(refusal(folder.path()), "is truncated"));
  folder.write("page.gz", "");
  REQUIRE(contains(refusal(folder.path()), "is truncated"));
  folder.write("page.gz", "no gzip at all");
  REQUIRE(contains(refusal(folder.path()), "is corrupt"));
  folder.write("page.gz", packed + "more");
  REQUIRE(contains(refusal(folder.path()), "is corrupt"));
  std::string flipped = packed;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x55);
  folder.write("page.gz", flipped);
  REQUIRE(contains(refusal(folder.path()), "is corrupt"));
}

TEST_CASE("links are followed once", "[corpus][folder]") {
  const temporary_folder folder;
  const temporary_folder elsewhere;
  folder.write("m/real.txt", "real");
  fs::create_symlink("m/real.txt", folder.path() / "link.txt");
  fs::create_symlink("link.txt", folder.path() / "z-link-to-link.txt");
  fs::create_hard_link(folder.path() / "m/real.txt", folder.path() / "m/second-name.txt");
  fs::create_symlink(elsewhere.write("outside.txt", "outside"), folder.path() / "out.txt");
  fs::create_symlink("nowhere", folder.path() / "dangling");
  fs::create_symlink("circle", folder.path() / "circle");
  fs::create_directory_symlink(folder.path(), folder.path() / "m/up");

  const corpus it = load_corpus(folder.path());
  REQUIRE(articles_of(it) == std::vector<std::string>{"real", "outside"});
  REQUIRE(contains(it.description(), "2 files"));
  REQUIRE(contains(it.description(), "3 more paths to the same files"));
  REQUIRE(contains(it.description(), "2 dangling links left out"));
  REQUIRE(contains(it.description(), "1 links to folders left out"));
}

TEST_CASE("a folder that is a link itself is read", "[corpus][folder]") {
  const temporary_folder folder;
  folder.write("texts/a.txt", "text");
  fs::create_directory_symlink("texts", folder.path() / "link");
  REQUIRE(load_corpus(folder.path() / "link").size() == 1);
}

TEST_CASE("a folder without text is refused", "[corpus][folder]") {
  const temporary_folder folder;
  REQUIRE(contains(refusal(folder.path()), "is a folder without any file"));
  fs::create_directory(folder.path() / "sub");
  fs::create_symlink("nowhere", folder.path() / "sub/dangling");
  REQUIRE(contains(refusal(folder.path()), "is a folder without any file"));
  folder.write("a.txt", "");
  REQUIRE(contains(refusal(folder.path()), "is a folder of empty files"));
}

TEST_CASE("what is not text is named and not skipped", "[corpus][folder]") {
  const temporary_folder folder;
  folder.write("a.txt", "text");
  SECTION("a binary file") {
    const auto binary = folder.write("program", std::string_view("ELF\0\1", 5));
    REQUIRE(contains(refusal(folder.path()), binary.string() + "' is not a text file"));
    // Only what is read is judged.
    REQUIRE(load_corpus(folder.path(), {1, {}}).size() == 1);
  }
  SECTION("a pipe") {
    REQUIRE(::mkfifo((folder.path() / "pipe").c_str(), 0600) == 0);
    REQUIRE(contains(refusal(folder.path()), "pipe' is not a text file but a device"));
  }
  SECTION("a file that cannot be read") {
    // A regular file that fails even for root: page 0 of a process is never mapped.
    const fs::path memory = "/proc/self/mem";
    if (fs::is_regular_file(memory)) {
      fs::create_symlink(memory, folder.path() / "b.txt");
      REQUIRE(contains(refusal(folder.path()), "b.txt' cannot be"));
    }
  }
}

}  // namespace mgws::bench::test
