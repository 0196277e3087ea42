/// \file
/// A corpus from a path, whatever lies there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "corpus/corpus.hpp"
#include "corpus/error.hpp"

namespace mgws::bench {

struct load_options {
  /// Only the first so many articles; all if the source has fewer. 0 is an error.
  std::optional<std::uint64_t> articles;
  /// Called now and then while a long source is read, with what was read so far. It may throw.
  std::function<void(std::uint64_t articles, std::uint64_t text_bytes)> on_progress;
};

/// Reads the corpus at `path`, which is one of
///  - a folder of text files (`load_folder`),
///  - a MediaWiki XML dump, plain or compressed by bzip2 or gzip (`load_mediawiki`),
///  - an index (`load_index`).
/// What it is, is told by the content and not by the name. Throws `corpus_error`.
[[nodiscard]] corpus load_corpus(const std::filesystem::path& path,
                                 const load_options& options = {});

/// A folder: every file in it and in its subfolders is an article, in the order of their paths
/// compared as bytes. A name that ends in ".gz" is decompressed.
///
/// A link to a file is followed, and a file that is reached again, by a link or under a second
/// name, is one article at the first of its paths: folders of manual pages are full of such links.
/// Links that lead nowhere and links to folders are left out and counted in the description.
/// Everything else that is not text is an error that names it: a byte 0, a device, a file that
/// cannot be read.
[[nodiscard]] corpus load_folder(const std::filesystem::path& path,
                                 const load_options& options = {});

/// A MediaWiki XML dump, read as a stream: only the text of the articles is kept. An article is a
/// page of namespace 0 that is not a redirect; of several revisions the last in the file counts.
/// Reading stops behind the last article that was asked for, so damage behind it is not noticed;
/// damage before it is an error that says how many articles came before.
[[nodiscard]] corpus load_mediawiki(const std::filesystem::path& path,
                                    const load_options& options = {});

}  // namespace mgws::bench
