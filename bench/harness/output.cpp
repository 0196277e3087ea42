#include "harness/output.hpp"

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <mgws/errors.hpp>

#include "harness/command_line.hpp"
#include "harness/json_text.hpp"

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
    throw bad_configuration("'" + path + "' cannot be written: the " + what +
                            " needs another place");
  std::fclose(file);
  if (!existed) std::filesystem::remove(path, ignored);
}

void write_json(const std::string& path, const nlohmann::ordered_json& j) {
  const std::string text = json_text(j);
  std::FILE* const file = path == "-" ? stdout : std::fopen(path.c_str(), "w");
  bool right = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
               std::fflush(file) == 0;
  if (file != nullptr && file != stdout) right = std::fclose(file) == 0 && right;
  if (!right) throw bad_configuration("the JSON could not be written to '" + path + "'");
}

}  // namespace mgws::bench
