/// \file
/// What a file is, by its first bytes.
#pragma once

#include <filesystem>

namespace mgws::bench {

enum class file_kind { empty, index, bzip2, gzip, xml, other };

/// Throws `corpus_error` if the file cannot be read.
[[nodiscard]] file_kind sniff_file(const std::filesystem::path& path);

}  // namespace mgws::bench
