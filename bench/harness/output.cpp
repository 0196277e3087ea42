#include "harness/output.hpp"

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <mgws/errors.hpp>

#include "harness/command_line.hpp"
#include "harness/json_text.hpp"
#include "harness/output_file.hpp"

namespace mgws::bench {

std::string quoted(int argc, char** argv) {
  std::string all = program_name();
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789-_=:,./+@%") == std::string::npos;
    all += ' ';
    if (plain) {
      all += word;
      continue;
    }
    if (!is_utf8(word)) {
      // As a shell reads it back, byte for byte.
      all += "$'" + escaped(word, "\\'") + "'";
      continue;
    }
    all += '\'';
    for (const char c : word)
      all += c == '\'' ? std::string("'\\''") : std::string(1, c);
    all += '\'';
  }
  return all;
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "unknown processor";
}

std::string now_in_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%FT%TZ", &parts)};
}

void check_writable(const std::string& path, const char* what) {
  std::error_code ignored;
  const bool existed = std::filesystem::exists(path, ignored);
  std::FILE* const file = std::fopen(path.c_str(), "a");
  if (file == nullptr)
    throw bad_configuration("'" + path +
                            "' cannot be written: " + std::generic_category().message(errno) +
                            ": the " + what + " needs another place");
  std::fclose(file);
  // A link that led nowhere is to lead there again.
  if (!existed) std::filesystem::remove(std::filesystem::canonical(path, ignored), ignored);
}

namespace {

/// Whether two paths lead to one file, which need not be there yet. A device is none.
bool same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(a, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return false;
  if (fs::equivalent(a, b, error) && !error) return true;
  return resolved(a) == resolved(b);
}

}  // namespace

void check_apart(std::span<const named_file> read, std::span<const named_file> written) {
  const auto named = [](const named_file& f) { return !f.path.empty() && f.path != "-"; };
  for (const named_file& w : written) {
    if (!named(w)) continue;
    for (const named_file& r : read) {
      if (!named(r)) continue;
      if (same_file(r.path, w.path))
        throw bad_configuration(std::string(w.option) + " would overwrite '" + r.path +
                                "', which " + r.option + " reads");
      if (lies_in(r.path, w.path))
        throw bad_configuration(std::string(w.option) + " would write '" + w.path + "' into '" +
                                r.path + "', which " + r.option + " reads");
    }
    for (const named_file& other : written)
      if (&other < &w && named(other) && same_file(other.path, w.path))
        throw bad_configuration(std::string(other.option) + " and " + w.option +
                                " name the same file, '" + w.path + "'");
  }
}

void write_json(const std::string& path, const nlohmann::ordered_json& j) {
  output_file file(path);
  file.write(json_text(j));
  file.close();
}

}  // namespace mgws::bench
