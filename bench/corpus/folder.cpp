#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "corpus/byte_source.hpp"
#include "corpus/load.hpp"

namespace mgws::bench {
namespace {

namespace fs = std::filesystem;

struct folder_listing {
  std::vector<fs::path> files;
  std::uint64_t dangling_links = 0;
  std::uint64_t links_to_folders = 0;
  std::uint64_t repeated_files = 0;
};

/// Adds one entry of the folder that is not a folder itself.
void classify(const fs::directory_entry& entry, folder_listing& listing) {
  std::error_code error;
  const bool is_link = entry.is_symlink(error);
  const fs::file_status target = fs::status(entry.path(), error);
  // A link in a circle is one more way to lead nowhere.
  const bool dangling = target.type() == fs::file_type::not_found ||
                        error == std::errc::too_many_symbolic_link_levels;
  if (is_link && dangling) {
    ++listing.dangling_links;
  } else if (error) {
    throw corpus_error(entry.path(), "cannot be examined: " + error.message());
  } else if (is_link && fs::is_directory(target)) {
    ++listing.links_to_folders;
  } else if (!fs::is_regular_file(target)) {
    throw corpus_error(entry.path(), "is not a text file but a device, a pipe or a socket");
  } else {
    listing.files.push_back(entry.path());
  }
}

/// Leaves one path, the first, of every file that has several.
void remove_repeated(folder_listing& listing) {
  std::set<std::pair<dev_t, ino_t>> seen;
  std::erase_if(listing.files, [&](const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
      throw corpus_error(path, fault_with_errno("cannot be examined", errno));
    }
    const bool repeated = !seen.emplace(status.st_dev, status.st_ino).second;
    if (repeated) ++listing.repeated_files;
    return repeated;
  });
}

folder_listing list_folder(const fs::path& path) {
  folder_listing listing;
  std::error_code error;
  fs::recursive_directory_iterator entry(path, error);
  fs::path here = path;
  while (!error && entry != fs::recursive_directory_iterator()) {
    here = entry->path();
    const bool is_folder = entry->symlink_status(error).type() == fs::file_type::directory;
    if (error) break;
    if (!is_folder) classify(*entry, listing);
    entry.increment(error);
  }
  // An unreadable subfolder fails on the way into it, when `here` still names it.
  if (error) throw corpus_error(here, "cannot be listed: " + error.message());
  std::sort(listing.files.begin(), listing.files.end(),
            [](const fs::path& a, const fs::path& b) { return a.native() < b.native(); });
  remove_repeated(listing);
  return listing;
}

void append_file(const fs::path& path, text_buffer& text) {
  const auto format = path.extension() == ".gz" ? compression::gzip : compression::none;
  const auto source = open_byte_source(path, format);
  while (true) {
    const auto room = text.prepare(std::size_t{1} << 16);
    const std::size_t count = source->read(room);
    if (count == 0) return;
    if (std::memchr(room.data(), 0, count) != nullptr) {
      throw corpus_error(path, "is not a text file: it contains a byte 0");
    }
    text.commit(count);
  }
}

std::string describe(const fs::path& path, const folder_listing& listing, std::uint64_t articles) {
  std::string description = "folder " + path.string();
  if (articles < listing.files.size()) {
    description += ", first " + std::to_string(articles) + " of " +
                   std::to_string(listing.files.size()) + " files";
  } else {
    description += ", " + std::to_string(articles) + " files";
  }
  const auto mention = [&](std::uint64_t count, const char* what) {
    if (count != 0) description += ", " + std::to_string(count) + " " + what;
  };
  mention(listing.repeated_files, "more paths to the same files");
  mention(listing.dangling_links, "dangling links left out");
  mention(listing.links_to_folders, "links to folders left out");
  return description;
}

}  // namespace

corpus load_folder(const std::filesystem::path& path, const load_options& options) {
  if (options.articles == 0) throw corpus_error(path, "was asked for 0 articles");
  const folder_listing listing = list_folder(path);
  if (listing.files.empty()) throw corpus_error(path, "is a folder without any file");

  const std::uint64_t wanted = std::min<std::uint64_t>(
      options.articles.value_or(listing.files.size()), listing.files.size());
  text_buffer text;
  std::vector<std::uint64_t> offsets{0};
  offsets.reserve(wanted + 1);
  for (std::uint64_t i = 0; i < wanted; ++i) {
    append_file(listing.files[i], text);
    offsets.push_back(text.size());
    if (options.on_progress) options.on_progress(i + 1, text.size());
  }
  if (text.size() == 0) throw corpus_error(path, "is a folder of empty files");
  text.shrink_to_fit();
  return {std::move(text), std::move(offsets), describe(path, listing, wanted)};
}

}  // namespace mgws::bench
