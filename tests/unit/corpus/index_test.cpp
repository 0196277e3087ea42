#include "corpus/index.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "catch.hpp"
#include "corpus/synthetic.hpp"
#include "support.hpp"

namespace mgws::bench::test {
namespace {

std::string refusal(const std::filesystem::path& path) {
  return message_of<corpus_error>([&] { static_cast<void>(load_index(path)); });
}

corpus folder_corpus(const temporary_folder& folder) {
  folder.write("texts/a", "first");
  folder.write("texts/b", "");
  folder.write("texts/c", "the third");
  return load_corpus(folder.path() / "texts");
}

std::uint32_t checksum(const void* data, std::size_t size) {
  return static_cast<std::uint32_t>(::crc32_z(0, static_cast<const Bytef*>(data), size));
}

/// The index with a header that `change` changed, with checksums that agree with it: a file that
/// somebody made so, not one that decayed.
std::string forge(std::string index, const std::function<void(index_header&)>& change) {
  index_header header;
  std::memcpy(&header, index.data(), sizeof header);
  change(header);
  header.header_crc32 = checksum(&header, offsetof(index_header, header_crc32));
  std::memcpy(index.data(), &header, sizeof header);
  return index;
}

}  // namespace

TEST_CASE("an index gives back the corpus that it was made from", "[corpus][index]") {
  const temporary_folder folder;
  const corpus original = folder_corpus(folder);
  const auto path = folder.path() / "texts.idx";
  save_index(original, path);

  corpus it = load_corpus(path);
  REQUIRE(articles_of(it) == articles_of(original));
  REQUIRE(it.offsets().back() == it.bytes());
  REQUIRE(contains(it.description(), "index " + path.string() + ", made from folder "));
  REQUIRE(it.description().ends_with(original.description()));

  SECTION("only its first articles") {
    const corpus two = load_corpus(path, {2, {}});
    REQUIRE(articles_of(two) == std::vector<std::string>{"first", ""});
    REQUIRE(two.bytes() == 5);
    REQUIRE(contains(two.description(), "first 2 of 3 articles"));
    REQUIRE(load_corpus(path, {9, {}}).size() == 3);
    REQUIRE(contains(message_of<corpus_error>([&] {
                       static_cast<void>(load_corpus(path, {0, {}}));
                     }),
                     "asked for 0 articles"));
  }
  SECTION("an index of an index is the same again, but for its description") {
    const auto copy = folder.path() / "copy.idx";
    save_index(it, copy);
    REQUIRE(articles_of(load_corpus(copy)) == articles_of(original));
  }
  SECTION("a mapped index keeps its content when it is replaced, and may replace itself") {
    const corpus moved = std::move(it);
    save_index(synthetic_corpus({}).articles, path);
    REQUIRE(articles_of(moved) == articles_of(original));
    save_index(moved, path);
    REQUIRE(articles_of(load_corpus(path)) == articles_of(original));
  }
  SECTION("nothing else is left") {
    REQUIRE(folder.entries() == 2);
  }
}

TEST_CASE("what is no index is refused", "[corpus][index]") {
  const temporary_folder folder;
  REQUIRE(contains(refusal(folder.path() / "missing"), "cannot be opened"));
  REQUIRE(contains(refusal(folder.path()), "is not a regular file"));
  REQUIRE(contains(refusal(folder.write("a", "")), "is not an index"));
  REQUIRE(contains(refusal(folder.write("b", "MGW")), "is not an index"));
  REQUIRE(contains(refusal(folder.write("c", std::string(500, 'x'))), "is not an index"));
}

TEST_CASE("a truncated or damaged index is refused", "[corpus][index]") {
  const temporary_folder folder;
  const auto path = folder.path() / "texts.idx";
  save_index(folder_corpus(folder), path);
  const std::string index = read_file(path);

  for (std::size_t size = k_index_magic.size(); size < index.size(); ++size) {
    const std::string sentence = refusal(folder.write("cut.idx", index.substr(0, size)));
    INFO("cut to " << size << " bytes: " << sentence);
    REQUIRE(contains(sentence, "cut.idx' is truncated"));
  }
  REQUIRE(contains(refusal(folder.write("cut.idx", index.substr(0, index.size() - 1))),
                   "bytes instead of " + std::to_string(index.size())));
  REQUIRE(contains(refusal(folder.write("long.idx", index + "x")), "is a damaged index"));

  const std::size_t text_begin = sizeof(index_header) + 4 * sizeof(std::uint64_t);
  for (std::size_t i = 0; i < text_begin; ++i) {
    std::string damaged = index;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    INFO("byte " << i << " changed");
    REQUIRE(contains(refusal(folder.write("bad.idx", damaged)), "bad.idx' is "));
  }
}

namespace {

constexpr int k_readers = 4;

/// How a process ends that touches an index, with several threads, after `harm` was done to it:
/// what waitpid tells.
struct ending {
  int status = 0;
  std::string said;
};
ending touch_after(const temporary_folder& folder, const std::filesystem::path& path,
                   const std::function<void()>& harm) {
  const auto words = folder.path() / "stderr";
  const pid_t child = ::fork();
  if (child == 0) {
    const int file = ::open(words.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || ::dup2(file, STDERR_FILENO) < 0) ::_exit(70);
    // Catch's own handlers would not be there in a program.
    ::signal(SIGSEGV, SIG_DFL);
    const corpus it = load_index(path);
    harm();
    // All at once, as workers do.
    std::atomic<int> waiting{k_readers};
    std::atomic<bool> right{true};
    std::vector<std::thread> readers;
    for (int i = 0; i != k_readers; ++i)
      readers.emplace_back([&] {
        --waiting;
        while (waiting != 0) {
        }
        if (count_articles_with(it, "third") != 1) right = false;
      });
    for (std::thread& reader : readers)
      reader.join();
    ::_exit(right ? 0 : 71);
  }
  ending of;
  REQUIRE(child > 0);
  REQUIRE(::waitpid(child, &of.status, 0) == child);
  of.said = read_file(words);
  return of;
}

}  // namespace

TEST_CASE("an index that is cut while it is mapped ends the program with a sentence",
          "[corpus][index]") {
  const temporary_folder folder;
  const auto path = folder.path() / "texts.idx";
  save_index(folder_corpus(folder), path);
  const ending untouched = touch_after(folder, path, [] {});
  REQUIRE(WIFEXITED(untouched.status));
  REQUIRE(WEXITSTATUS(untouched.status) == 0);
  REQUIRE(untouched.said.empty());

  const ending cut = touch_after(folder, path, [&] { std::filesystem::resize_file(path, 0); });
  REQUIRE(WIFEXITED(cut.status));
  REQUIRE(WEXITSTATUS(cut.status) == 1);
  REQUIRE(contains(cut.said, "texts.idx' was cut short while it was in use"));
  REQUIRE(std::count(cut.said.begin(), cut.said.end(), '\n') == 1);

  // What is not a map of ours goes on being what it was.
  save_index(folder_corpus(folder), path);
  const ending other = touch_after(folder, path, [&] {
    // A map of somebody else's.
    const int file = ::open(path.c_str(), O_RDWR);
    void* const page = ::mmap(nullptr, 1, PROT_READ, MAP_SHARED, file, 0);
    if (page == MAP_FAILED || ::ftruncate(file, 0) != 0) ::_exit(73);
    ::_exit(*static_cast<const volatile char*>(page));
  });
  REQUIRE(contains(other.said, "cut short") == false);
  REQUIRE_FALSE((WIFEXITED(other.status) && WEXITSTATUS(other.status) == 0));
}

TEST_CASE("offsets of a mapped index that are overwritten lead nowhere else", "[corpus][index]") {
  const temporary_folder folder;
  const auto path = folder.path() / "texts.idx";
  save_index(folder_corpus(folder), path);
  const ending of = touch_after(folder, path, [&] {
    const int file = ::open(path.c_str(), O_WRONLY);
    const std::uint64_t wild[] = {std::uint64_t{1} << 40, std::uint64_t{1} << 41};
    if (::pwrite(file, wild, sizeof wild, sizeof(index_header)) != sizeof wild) ::_exit(72);
  });
  REQUIRE(WIFEXITED(of.status));
  REQUIRE(WEXITSTATUS(of.status) == 0);
}

TEST_CASE("an index with wrong numbers is refused even if its checksums agree", "[corpus][index]") {
  const temporary_folder folder;
  const auto path = folder.path() / "texts.idx";
  save_index(folder_corpus(folder), path);
  const std::string index = read_file(path);
  const auto refusal_of = [&](const std::function<void(index_header&)>& change) {
    return refusal(folder.write("forged.idx", forge(index, change)));
  };

  REQUIRE(contains(refusal_of([](index_header& h) { h.byte_order = 0x04030201; }),
                   "another byte order"));
  REQUIRE(contains(refusal_of([](index_header& h) { h.version = 2; }), "is an index of version 2"));
  const std::string sums = "counts do not add up";
  REQUIRE(contains(refusal_of([](index_header& h) { h.articles = 0; }), sums));
  REQUIRE(contains(refusal_of([](index_header& h) { h.articles = ~std::uint64_t{0}; }), sums));
  REQUIRE(contains(refusal_of([](index_header& h) { h.articles = 1u << 20; }), sums));
  REQUIRE(contains(refusal_of([](index_header& h) { h.text_bytes = ~std::uint64_t{0}; }), sums));
  REQUIRE(contains(refusal_of([](index_header& h) { h.text_bytes += 1; }), sums));
  REQUIRE(contains(refusal_of([](index_header& h) { h.description_bytes -= 1; }), sums));
  REQUIRE(contains(refusal_of([](index_header& h) { h.file_bytes += 1; }), "is truncated"));
  REQUIRE(contains(refusal_of([](index_header& h) { h.offsets_crc32 ^= 1; }),
                   "checksum of its offsets"));

  const auto with_offsets = [&](const std::vector<std::uint64_t>& offsets) {
    std::string changed = index;
    std::memcpy(changed.data() + sizeof(index_header), offsets.data(), 8 * offsets.size());
    return refusal(folder.write("forged.idx", forge(changed, [&](index_header& h) {
                                  h.offsets_crc32 = checksum(offsets.data(), 8 * offsets.size());
                                })));
  };
  REQUIRE(with_offsets({0, 5, 5, 14}).empty());
  REQUIRE(contains(with_offsets({0, 5, 4, 14}), "do not ascend"));
  REQUIRE(contains(with_offsets({0, 5, 15, 14}), "do not ascend"));
  REQUIRE(contains(with_offsets({1, 5, 5, 14}), "do not ascend"));
  REQUIRE(contains(with_offsets({0, 5, 5, 13}), "do not ascend"));
  REQUIRE(contains(with_offsets({0, 5, 5, 15}), "do not ascend"));
}

TEST_CASE("an index that cannot be written leaves nothing behind", "[corpus][index]") {
  const temporary_folder folder;
  const corpus it = synthetic_corpus({}).articles;
  const auto refusal_to_write = [&](const std::filesystem::path& path) {
    return message_of<corpus_write_error>([&] { save_index(it, path); });
  };
  REQUIRE(contains(refusal_to_write(folder.path() / "missing" / "x.idx"), "cannot be written"));
  REQUIRE(contains(refusal_to_write(folder.path()), "exists and is not a regular file"));
  REQUIRE(contains(refusal_to_write("/dev/null"), "exists and is not a regular file"));
  REQUIRE(folder.entries() == 0);

  SECTION("when there is no room") {
    // A limit of the size of files stands for a full disk; the old index must stay as it is.
    const auto path = folder.write("x.idx", "old");
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    rlimit small = before;
    small.rlim_cur = 100'000;
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    const int limited = ::setrlimit(RLIMIT_FSIZE, &small);
    const std::string sentence = refusal_to_write(path);
    ::setrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, handler);
    REQUIRE(limited == 0);
    REQUIRE(contains(sentence, path.string() + "' cannot be written"));
    REQUIRE(read_file(path) == "old");
    REQUIRE(folder.entries() == 1);
  }
}

}  // namespace mgws::bench::test
