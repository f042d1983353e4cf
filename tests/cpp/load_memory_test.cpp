// What jit::load may take in memory: archives that describe far more values than they have bytes, and honest ones. The limit is 4 times the file plus 64 MiB.
// Python's loaders have the same tests in tests/python/test_load_memory.py.
#include <gtest/gtest.h>
#include <malloc.h>

#include <fstream>
#include <sstream>
#include <utility>

#include "monograph/script.h"
#include "sanitizers.h"
#include "test_files.h"
#include "zip_bytes.h"

using namespace monograph;
using namespace std::string_literals;

namespace {

constexpr size_t kSize = 3'000'000;
constexpr int64_t kMiB = int64_t{1} << 20;

std::string many(const std::string& unit) {
  std::string out;
  out.reserve(kSize);
  while (out.size() + unit.size() <= kSize) out += unit;
  return out;
}

std::string archive_of(const std::string& pickle, const std::string& constants = "\x80\x02).") {
  return test::zip_bytes({{"a/data.pkl", pickle},
                          {"a/version", "3"},
                          {"a/constants.pkl", constants},
                          {"a/code/__torch__.py", "class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n"}});
}

// Of the process, in bytes: "VmRSS:" is what it holds now, "VmHWM:" the most since forget_peak().
int64_t bytes_of_process(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;)
    if (word == name) {
      int64_t kibibytes = 0;
      file >> kibibytes;
      return kibibytes * 1024;
    }
  return 0;
}
void forget_peak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;
}

// What loading takes beside what the process held before, and the error.
struct Loaded {
  int64_t bytes;
  std::string said;
};
template <class F>
Loaded loading(F&& load) {
  forget_peak();
  const int64_t before = bytes_of_process("VmRSS:");
  std::string said;
  try {
    load();
  } catch (const Exception& e) {
    said = e.what();
  }
  return {bytes_of_process("VmHWM:") - before, said};
}

void expect_within(int64_t bytes, size_t file) {
#if !defined(MONOGRAPH_ADDRESS_SANITIZER) && !defined(MONOGRAPH_THREAD_SANITIZER)  // which take memory of their own
  // The pages of the file count too, and so does the message.
  EXPECT_LT(bytes, 5 * static_cast<int64_t>(file) + 72 * kMiB);
#else
  (void)bytes, (void)file;
#endif
}

const std::pair<const char*, std::string> kHostile[] = {
    {"empty lists", "\x80\x02](" + many("]") + "e."},
    {"lists in lists", "\x80\x02](" + many("](]e") + "e."},
    {"marks and lists", "\x80\x02" + many("](") + "."},
    {"tuples of one", "\x80\x02](" + many("K\x01\x85") + "e."},
    {"dicts of one", "\x80\x02](" + many("}K\x01Ns") + "e."},
    {"empty texts", "\x80\x04](" + many("\x8c\0"s) + "e."},
    {"None", "\x80\x02(" + many("N") + "t."},
};

class LoadMemory : public test::FolderTest {};

TEST_F(LoadMemory, HostileArchivesAreRefusedWithinTheLimit) {
  jit::load("tests/data/torchscript/cnn.pt");  // what the first load keeps for good
  for (const auto& [name, pickle] : kHostile)
    for (const bool constants : {false, true}) {
      SCOPED_TRACE(name);
      const std::string bytes = constants ? archive_of("\x80\x02N.", pickle) : archive_of(pickle);
      test::write_file(folder / "hostile.pt", bytes);
      const Loaded file = loading([&] { jit::load(folder / "hostile.pt"); });
      const std::string limit = std::to_string(4 * static_cast<int64_t>(bytes.size()) + 64 * kMiB);
      const std::string member = constants ? "constants.pkl" : "data.pkl";
      EXPECT_NE(file.said.find(member + ": reading it would take more than " + limit + " bytes"), std::string::npos) << file.said;
      EXPECT_NE(file.said.find("MONOGRAPH_LOAD_MEMORY"), std::string::npos) << file.said;
      expect_within(file.bytes, bytes.size());
      std::istringstream stream(bytes);
      const Loaded read = loading([&] { jit::load(stream); });
      EXPECT_NE(read.said.find("reading it would take more than " + limit), std::string::npos) << read.said;
      expect_within(read.bytes, 2 * bytes.size());  // the stream's bytes are read into memory first
    }
}

TEST_F(LoadMemory, DeflatedMembersCount) {
  std::string code = "class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n" + std::string(100 << 20, '\n');
  const std::string bytes = test::zip_bytes({{"a/data.pkl", "\x80\x02N."},
                                             {"a/version", "3"},
                                             {"a/constants.pkl", "\x80\x02)."},
                                             {"a/code/__torch__.py", std::exchange(code, {}), true}});
  test::write_file(folder / "bomb.pt", bytes);
  const Loaded bomb = loading([&] { jit::load(folder / "bomb.pt"); });
  EXPECT_NE(bomb.said.find("the code would inflate to far more than the file"), std::string::npos) << bomb.said;
  expect_within(bomb.bytes, bytes.size());
}

TEST_F(LoadMemory, TheEnvironmentVariableSetsTheLimit) {
  test::write_file(folder / "lists.pt", archive_of(kHostile[0].second));
  setenv("MONOGRAPH_LOAD_MEMORY", "100000", 1);
  const Loaded small = loading([&] { jit::load(folder / "lists.pt"); });
  setenv("MONOGRAPH_LOAD_MEMORY", "1000000000", 1);
  const Loaded large = loading([&] { jit::load(folder / "lists.pt"); });
  unsetenv("MONOGRAPH_LOAD_MEMORY");
  EXPECT_NE(small.said.find("more than 100000 bytes of memory, the limit that MONOGRAPH_LOAD_MEMORY sets"), std::string::npos)
      << small.said;
  EXPECT_EQ(large.said.find("MONOGRAPH_LOAD_MEMORY"), std::string::npos) << large.said;  // it is read, and holds no module
  EXPECT_NE(large.said, "");
}

}  // namespace
