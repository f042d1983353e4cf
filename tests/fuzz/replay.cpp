// Stands in for libFuzzer: runs a fuzz target once over every file of the folders named on the command line. With --mutate N it then runs it over N
// files that are mutations of those: bytes changed, taken out, put in, and parts of one file in another.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Bytes = std::vector<uint8_t>;

Bytes mutated(const std::vector<Bytes>& seeds, std::mt19937& random) {
  const auto below = [&](size_t n) { return n == 0 ? 0 : random() % n; };
  Bytes bytes = seeds[below(seeds.size())];
  for (size_t times = 1 + below(4); times-- > 0;) {
    const size_t at = below(bytes.size()), count = std::min(below(9), bytes.size() - at);
    const auto begin = bytes.begin() + static_cast<ptrdiff_t>(at);
    const Bytes& other = seeds[below(seeds.size())];
    const size_t from = below(other.size()), taken = std::min(below(65), other.size() - from);
    switch (below(5)) {
      case 0: bytes.erase(begin, begin + static_cast<ptrdiff_t>(count)); break;
      case 1: bytes.insert(begin, count, static_cast<uint8_t>(random())); break;
      case 2: bytes.insert(begin, other.data() + from, other.data() + from + taken); break;
      default:
        if (!bytes.empty()) bytes[at] = below(2) ? static_cast<uint8_t>(random()) : static_cast<uint8_t>(bytes[at] ^ (1U << below(8)));
    }
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  int files = 0;
  long mutations = 0;
  std::vector<Bytes> seeds;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--mutate" && i + 1 < argc) {
      mutations = std::stol(argv[++i]);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::ifstream in(entry.path(), std::ios::binary);
      std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
      std::fprintf(stderr, "%s\n", entry.path().c_str());
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
      seeds.push_back(std::move(bytes));
      ++files;
    }
  }
  std::mt19937 random(static_cast<unsigned>(mutations));
  for (long k = 0; k < mutations && files > 0; ++k) {
    const Bytes bytes = mutated(seeds, random);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%d seeds, %ld mutations\n", files, mutations);
  return files ? 0 : 1;  // a corpus without seeds is a mistake
}
