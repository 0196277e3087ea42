// Which transport a program takes where none is named.
#include "harness/transports.hpp"

#include <string>
#include <vector>

#include <mgws/errors.hpp>

#include "catch.hpp"

using mgws::bench::first_that_serves;

TEST_CASE("transports: the first that serves the devices, and no further one is asked") {
  std::vector<std::string> asked;
  const auto only = [&](const std::string& right) {
    return [&asked, right](const std::string& name) {
      asked.push_back(name);
      return name == right ? std::string() : "nothing for " + name;
    };
  };
  CHECK(first_that_serves({"remote", "p2p", "host"}, only("remote")) == "remote");
  CHECK(asked == std::vector<std::string>{"remote"});
  CHECK(first_that_serves({"remote", "p2p", "host"}, only("host")) == "host");
  CHECK(asked.size() == 4);
}

TEST_CASE("transports: where none serves, the first one's reason is said") {
  const auto none = [](const std::string& name) { return "no memory for " + name; };
  try {
    static_cast<void>(first_that_serves({"p2p", "host"}, none));
    FAIL("chosen");
  } catch (const mgws::not_possible& e) {
    CHECK(std::string(e.what()) ==
          "no transport of this build serves these devices; p2p: no memory for p2p");
  }
}
