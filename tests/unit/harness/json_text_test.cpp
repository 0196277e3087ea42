// JSON of texts that are not Unicode: a result is written all the same, nothing of it is lost, and
// it says where.
#include "harness/json_text.hpp"

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "catch.hpp"

namespace bench = mgws::bench;
using json = nlohmann::ordered_json;

TEST_CASE("json: what is UTF-8 is told as the library does") {
  // Each pair of bytes, and each of those that tell overlong forms, surrogates and what is beyond
  // Unicode from the rest, before one or two that continue it.
  const auto agrees = [](const std::string& text) {
    bool takes = true;
    try {
      static_cast<void>(json(text).dump());
    } catch (const json::exception&) {
      takes = false;
    }
    return bench::is_utf8(text) == takes;
  };
  bool right = agrees("");
  for (int a = 0; a != 256; ++a)
    for (int b = 0; b != 256; ++b) {
      const std::string two{static_cast<char>(a), static_cast<char>(b)};
      right = right && agrees(two) && agrees(two.substr(0, 1)) && agrees(two + "\x80") &&
              agrees(two + "\xbf\x80") && agrees(two + "\x80\xc0") && agrees("a" + two + "z");
    }
  CHECK(right);
}

TEST_CASE("json: texts that are not UTF-8 are escaped, and it is said which") {
  const json j{{"word",
                "Stra\xdf"
                "e\\\x80"},
               {"path", "a\\b"},
               {"runs", {{{"result", "\xff"}}, {{"result", "stra\u00dfe"}}}}};
  const json out = json::parse(bench::json_text(j));
  CHECK(out["word"] == "Stra\\xdfe\\\\\\x80");
  CHECK(out["path"] == "a\\b");
  CHECK(out["runs"][0]["result"] == "\\xff");
  CHECK(out["runs"][1]["result"] == "stra\u00dfe");
  CHECK(out["escaped"] == json{"/word", "/runs/0/result"});
}

TEST_CASE("json: what is Unicode is written as it is") {
  const json j{{"word", "zwischen \u00dc \U0001f600"}, {"n", {1, 2.5, nullptr}}};
  CHECK(bench::json_text(j) == j.dump(2) + "\n");
}
