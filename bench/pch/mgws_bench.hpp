// What takes the compiler longest in every file of mgws-bench.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
