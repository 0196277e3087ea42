/// \file
/// What the programs' results have in common: where they are written and what stands beside them.
#pragma once

#include <span>
#include <string>

#include <nlohmann/json.hpp>

namespace mgws::bench {

/// The command line as it could be typed again; always UTF-8.
std::string quoted(int argc, char** argv);

/// The processor's name as the system gives it.
std::string processor();

/// As ISO 8601 has it.
std::string now_in_utc();

/// Makes sure before anything is run that a file can be written, because a long run's result must
/// not be lost to a typing error; leaves what is in the file as it is.
/// \throws bad_configuration
void check_writable(const std::string& path, const char* what);

/// A file that a command line names, and the option that names it. Empty, or - : none.
struct named_file {
  const char* option;
  std::string path;
};

/// Makes sure that none of the results goes where another one does, or where something is read
/// from. \throws bad_configuration
void check_apart(std::span<const named_file> read, std::span<const named_file> written);

/// Texts that are not UTF-8 are escaped in it: json_text.hpp.
/// \param path  - for standard output
/// \throws not_possible
void write_json(const std::string& path, const nlohmann::ordered_json& j);

}  // namespace mgws::bench
