// Where there is no libFuzzer: calls the target with every file of a folder.
//
// usage: TARGET FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "target.hpp"

int main(int argc, char** argv) {
  int inputs = 0;
  if (argc == 2) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string content(std::istreambuf_iterator<char>(file), {});
      std::printf("%s: %zu bytes\n", entry.path().filename().c_str(), content.size());
      std::fflush(stdout);
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
      ++inputs;
    }
  }
  if (inputs == 0) std::fprintf(stderr, "usage: %s FOLDER, with files in it\n", argv[0]);
  return inputs == 0 ? 2 : 0;
}
