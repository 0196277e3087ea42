// The command line of mgws-bench, up to what a run would be given; no workload is prepared or run.
// The input is the words, one a line.
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mgws/errors.hpp>

#include "harness/json_text.hpp"
#include "harness/output.hpp"
#include "target.hpp"
#include "workloads/invocation.hpp"

namespace {

namespace bench = mgws::bench;
using mgws::fuzz::promised;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words{"mgws-bench"};
  while (!text.empty()) {
    const auto end = text.find('\n');
    // An argument ends at a byte 0.
    words.emplace_back(std::string(text.substr(0, end)).c_str());
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return words;
}

/// What a shell makes of a line, as far as quoted() may use its syntax; none if there is more in
/// it.
std::optional<std::vector<std::string>> read_by_shell(std::string_view line) {
  std::vector<std::string> words;
  bool in_word = false;
  const auto put = [&](std::string_view text) {
    if (!in_word) words.emplace_back();
    in_word = true;
    words.back() += text;
  };
  while (!line.empty()) {
    if (line.front() == ' ') {
      in_word = false;
      line.remove_prefix(1);
    } else if (line.front() == '\'') {
      const auto end = line.find('\'', 1);
      if (end == std::string_view::npos) return std::nullopt;
      put(line.substr(1, end - 1));
      line.remove_prefix(end + 1);
    } else if (line.starts_with("$'")) {
      put("");
      line.remove_prefix(2);
      while (!line.starts_with('\'')) {
        if (line.starts_with("\\x") && line.size() > 4) {
          put(std::string(
              1, static_cast<char>(std::stoi(std::string(line.substr(2, 2)), nullptr, 16))));
          line.remove_prefix(4);
        } else if (line.starts_with('\\') && line.size() > 2) {
          if (line[1] != '\\' && line[1] != '\'') return std::nullopt;
          put(line.substr(1, 1));
          line.remove_prefix(2);
        } else if (line.size() > 1) {
          put(line.substr(0, 1));
          line.remove_prefix(1);
        } else {
          return std::nullopt;
        }
      }
      line.remove_prefix(1);
    } else if (line.front() == '\\' && line.size() > 1) {
      put(line.substr(1, 1));
      line.remove_prefix(2);
    } else {
      if (std::string_view("\t\n\"$`&|;<>()*?[]#~!{}").find(line.front()) != std::string_view::npos)
        return std::nullopt;
      put(line.substr(0, 1));
      line.remove_prefix(1);
    }
  }
  return words;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words = words_of({reinterpret_cast<const char*>(data), size});
  std::vector<char*> argv;
  for (std::string& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  const int argc = static_cast<int>(words.size());

  const std::string line = bench::quoted(argc, argv.data());
  promised(bench::is_utf8(line), "a result's command is UTF-8");
  // The first word is the program's own name.
  const std::string before = bench::quoted(1, argv.data());
  promised(line.starts_with(before), "a result's command begins with the program");
  promised(read_by_shell(line.substr(before.size())) ==
               std::vector<std::string>(words.begin() + 1, words.end()),
           "a result's command can be typed again");

  bench::invocation call(argc, argv.data());
  if (!call.fault().empty() || !call.answer().empty()) return 0;
  promised(!call.chosen().name().empty(), "a workload is chosen");
  bench::settings& s = call.run_settings();
  promised(s.repeat >= 1, "a result needs a run");
  try {
    bench::resolve(s);
  } catch (const mgws::bad_configuration&) {
    return 0;
  } catch (const mgws::not_possible&) {
    return 0;
  }
  const mgws::options& o = s.runtime;
  promised(!o.devices.empty(), "somebody works");
  promised(o.public_queue == s.public_queue && o.local_queue == s.local_queue &&
               o.spill == s.spill && o.owners == s.owners && o.workers == s.workers,
           "a number is not cut");
  promised(o.timeout.count() >= 0, "a time is not negative");
  return 0;
}
