// Comparing the page of results with a fresh run.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include "report.hpp"

namespace mgws::model_backend {

namespace {

/// What a compiler leaves in the padding of a stack tells states apart, so that another one may
/// find so many times as many, or so many more.
constexpr double k_size_factor = 1.4;
constexpr double k_size_slack = 8;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    all.push_back(line);
  return all;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(" | ", at), line.size());
    all.push_back(line.substr(at, end - at));
    at = end + 3;
  }
  return all;
}

bool is_number(const std::string& s) {
  return !s.empty() && s.find_first_not_of("0123456789") == std::string::npos;
}
bool is_schedule(const std::string& s) {
  return s.size() > 4 && s[0] == '`' && std::isdigit(static_cast<unsigned char>(s[1])) != 0 &&
         s.find_first_not_of("`0123456789:,| ") == std::string::npos;
}

/// Whether two cells agree, of runs by different builds.
bool agree(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (is_number(a) && is_number(b)) {
    const double x = std::atof(a.c_str()) + k_size_slack;
    const double y = std::atof(b.c_str()) + k_size_slack;
    return x < y * k_size_factor && y < x * k_size_factor;
  }
  // Another order of exploration may find another schedule.
  return is_schedule(a) && is_schedule(b);
}

bool is_random(const std::vector<std::string>& cells) {
  return std::find(cells.begin(), cells.end(), "random") != cells.end();
}

/// Whether two lines agree, of runs by different builds. Random schedules do not depend on what
/// tells states apart.
bool lines_agree(const std::string& a, const std::string& b) {
  if (a == b || (a.rfind(k_built_by, 0) == 0 && b.rfind(k_built_by, 0) == 0)) return true;
  const auto x = cells_of(a);
  const auto y = cells_of(b);
  bool same = x.size() == y.size() && !is_random(x) && !is_random(y);
  // What a mutant's line says was seen may be the same error in another slot.
  for (std::size_t k = 0; same && k != x.size(); ++k)
    same = agree(x[k], y[k]) || (x.size() == 6 && k == 4 && same_kind(x[k], y[k]));
  return same;
}

/// The line that says by what build the sizes are.
std::string builder_of(const std::vector<std::string>& lines) {
  for (const std::string& l : lines)
    if (l.rfind(k_built_by, 0) == 0) return l;
  return {};
}

}  // namespace

bool same_kind(const std::string& a, const std::string& b) {
  const auto kind_of = [](const std::string& s) {
    return s.substr(0, s.find_first_of(":0123456789["));
  };
  const std::string x = kind_of(a);
  const std::string y = kind_of(b);
  // A record may hold the beginning only.
  const std::size_t n = std::min(x.size(), y.size());
  return n > 4 && x.compare(0, n, y, 0, n) == 0;
}

std::vector<std::string> differences(const std::string& page, const std::string& fresh) {
  std::vector<std::string> out;
  const auto old_lines = lines_of(page);
  const auto new_lines = lines_of(fresh);
  if (old_lines.size() != new_lines.size())
    out.push_back("it has " + std::to_string(old_lines.size()) + " lines instead of " +
                  std::to_string(new_lines.size()));
  const bool exact = builder_of(old_lines) == builder_of(new_lines);
  for (std::size_t i = 0; i < std::min(old_lines.size(), new_lines.size()) && out.size() < 10;
       ++i) {
    if (exact ? old_lines[i] != new_lines[i] : !lines_agree(old_lines[i], new_lines[i]))
      out.push_back("it says\n  " + old_lines[i] + "\nbut this run\n  " + new_lines[i]);
  }
  return out;
}

std::vector<recorded> recorded_schedules(const std::string& page) {
  std::vector<recorded> all;
  for (const std::string& line : lines_of(page)) {
    const auto cells = cells_of(line);
    const std::string k_caught = "caught by `";
    if (cells.size() != 6 || cells[3].compare(0, k_caught.size(), k_caught) != 0) continue;
    const auto quoted = [](const std::string& s) {
      const auto begin = s.find('`') + 1;
      return s.substr(begin, s.find('`', begin) - begin);
    };
    all.push_back({quoted(cells[0]), quoted(cells[3]), quoted(cells[5]), cells[4]});
  }
  return all;
}

}  // namespace mgws::model_backend
