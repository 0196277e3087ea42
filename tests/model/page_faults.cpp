// Whether the comparison of pages would see a fault: copies of a page with one planted must differ
// from it.
#include <cstdio>
#include <regex>

#include "report.hpp"

namespace mgws::model_backend {

namespace {

/// One way to falsify a page: each place that matches is changed by itself, or all at once.
struct fault {
  const char* what;
  const char* pattern;
  std::string (*change)(const std::smatch&);
  bool all_at_once = false;
  /// Whether a page by another build shows it too, which may differ in sizes.
  bool by_others = true;
};

std::string number(const std::smatch& m, unsigned long long n) {
  return m.str(1) + std::to_string(n);
}
std::string cut_by_a_third(const std::smatch& m) {
  const auto n = std::stoull(m.str(2));
  return number(m, n - n / 3);
}
std::string one_more(const std::smatch& m) {
  return number(m, std::stoull(m.str(2)) + 1);
}
std::string nothing(const std::smatch&) {
  return {};
}

constexpr const char* k_count = R"((\| )(\d+)(?= \|))";

constexpr fault k_faults[] = {
    {"every count cut by a third", k_count, &cut_by_a_third, true},
    {"one count cut by a third", k_count, &cut_by_a_third, false, false},
    {"one large count cut by a third", R"((\| )(\d{4,})(?= \|))", &cut_by_a_third},
    {"one count larger by 1", k_count, &one_more, false, false},
    {"a row missing", R"(\n\| `[^\n]*)", &nothing},
    {"a row twice", R"(\n\| `[^\n]*)", [](const std::smatch& m) { return m.str() + m.str(); }},
    {"another scenario", R"(caught by `)", [](const std::smatch& m) { return m.str() + "un-"; }},
    {"a caught mutant that is not", R"(caught by `[^`]*`)",
     [](const std::smatch&) { return std::string("equivalent"); }},
    {"a mutant that is not caught and is", R"(\| equivalent)",
     [](const std::smatch&) { return std::string("| caught by `run-counter`"); }},
    {"another violation", R"(data race on|livelock: |task \d+ ran twice)",
     [](const std::smatch&) { return std::string("deadlock: "); }},
    {"another bound", R"(\| all \|)", [](const std::smatch&) { return std::string("| 3 |"); }},
    {"an exploration that was not finished", R"((\| all|\| \d) \|)",
     [](const std::smatch& m) { return m.str(1) + ", not finished |"; }},
    {"another order", R"(\| (acquire|release|acq_rel) \|)",
     [](const std::smatch&) { return std::string("| relaxed |"); }},
    {"a litmus program found nothing", R"(finds it)",
     [](const std::smatch&) { return std::string("finds nothing"); }},
};

/// The page as another build would have written it.
std::string by_another_build(const std::string& page) {
  const auto at = page.find(k_built_by);
  return page.substr(0, at) + k_built_by + " another compiler" + page.substr(page.find('\n', at));
}

/// \return how many of the pages with this fault are taken for the page
std::size_t overlooked(const std::string& page, const std::string& fresh, const fault& f,
                       std::size_t& planted) {
  const std::regex pattern(f.pattern);
  std::size_t n = 0;
  std::string all;
  std::size_t kept = 0;
  for (std::sregex_iterator i(page.begin(), page.end(), pattern), end; i != end; ++i) {
    const auto at = static_cast<std::size_t>(i->position());
    const std::string changed = f.change(*i);
    if (changed == i->str()) continue;  // a third of too few
    if (f.all_at_once) {
      all += page.substr(kept, at - kept) + changed;
      kept = at + static_cast<std::size_t>(i->length());
      continue;
    }
    ++planted;
    n += differences(page.substr(0, at) + changed + i->suffix().str(), fresh).empty();
  }
  if (f.all_at_once && kept != 0) {
    ++planted;
    n += differences(all + page.substr(kept), fresh).empty();
  }
  return n;
}

}  // namespace

bool check_comparison(const std::string& page) {
  bool right = true;
  const auto wrong = [&](const std::string& what) {
    std::printf("the comparison of pages %s\n", what.c_str());
    right = false;
  };
  if (page.find(k_built_by) == std::string::npos) {
    wrong("does not know by what build the page is");
    return false;
  }
  const std::string other = by_another_build(page);
  if (!differences(page, page).empty() || !differences(page, other).empty())
    wrong("finds a difference where there is none");
  std::size_t planted = 0;
  for (const fault& f : k_faults) {
    const std::size_t before = planted;
    if (overlooked(page, page, f, planted) != 0) wrong(std::string("overlooks ") + f.what);
    if (planted == before) wrong(std::string("has no place for ") + f.what);
    if (f.by_others && overlooked(page, other, f, planted) != 0)
      wrong(std::string("by another build overlooks ") + f.what);
  }
  std::printf("comparison of pages: %zu faults planted\n", planted);
  return right;
}

}  // namespace mgws::model_backend
