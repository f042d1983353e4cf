// The C library of kernels (libmonograph_kernels.a): it needs libc, libm and pthreads only, and has what its header declares.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "commands.h"

namespace monograph {
namespace {

namespace fs = std::filesystem;
using test::output_of;

const std::string kLibrary = MONOGRAPH_C_LIBRARY, kSource = MONOGRAPH_SOURCE;

struct CLibrary : testing::Test {
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "monograph_c_library_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { fs::remove_all(folder); }
  std::string path(const char* name) const { return folder / name; }
  fs::path folder;
};

TEST_F(CLibrary, AProgramInCLinksAndRuns) {
  const std::string program = path("kernels");
  output_of("cc -std=c11 -pedantic-errors -Wall -Wextra -Werror -Wno-cast-function-type -O1 -ffp-contract=off -D_DEFAULT_SOURCE -I" +
            kSource + "/include " + kSource + "/tests/c/kernels.c -o " + program + " " + kLibrary + " -lm -lpthread");
  EXPECT_EQ(output_of(program), "0 failures\n");
  EXPECT_EQ(output_of("MONOGRAPH_MAX_ISA=none " + program), "0 failures\n");
  test::expect_only_c_libraries(program);
}

// Not only what one program uses: everything.
TEST_F(CLibrary, AllOfItNeedsTheCLibrariesOnly) {
  const std::string whole = path("whole.so");
  output_of("cc -shared -o " + whole + " -Wl,-z,defs -Wl,--whole-archive " + kLibrary + " -Wl,--no-whole-archive -lm -lpthread");
  test::expect_only_c_libraries(whole);
}

// A linker takes nothing out of an archive for a weak reference, so that products would run in plain C++ without a word.
TEST_F(CLibrary, ComesWithItsGeneratedKernels) {
  std::ofstream(path("one.c"))
      << "#include <monograph/kernels.h>\nint main(void) { monograph_product p = {0}; return monograph_matmul(&p); }\n";
  output_of("cc -I" + kSource + "/include " + path("one.c") + " -o " + path("one") + " " + kLibrary + " -lm -lpthread");
  const std::string symbols = output_of("nm " + path("one"));
  for (const char* table : {"monograph_matmul_f32_v3", "monograph_matmul_f64_v4", "monograph_convolution_f32_v3"})
    EXPECT_NE(symbols.find(table), std::string::npos) << table;
  // A program that multiplies does not get the loops of all operators.
  EXPECT_EQ(symbols.find("monograph_kernel_tables"), std::string::npos);
}

std::set<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i) found.insert((*i)[1]);
  return found;
}

TEST_F(CLibrary, HasTheFunctionsOfItsHeader) {
  std::stringstream header;
  header << std::ifstream(kSource + "/include/monograph/kernels.h").rdbuf();
  const auto declared = matches(header.str(), std::regex(R"(\n[a-z0-9_]+ (monograph_(?:c2|r2|[a-z_])+)\()"));
  EXPECT_GT(declared.size(), 40u);
  const std::string symbols = output_of("nm --defined-only " + kLibrary);
  // What C may call: all kernels, and the functions beside them. Generated loops have names with a dot or a number.
  const auto defined = matches(symbols, std::regex(R"( T (monograph_(?:c2|r2|[a-z_])+)\n)"));
  EXPECT_EQ(declared, defined);
  const auto in_the_test = matches((std::stringstream() << std::ifstream(kSource + "/tests/c/kernels.c").rdbuf()).str(),
                                   std::regex(R"(\(any\)(monograph_(?:c2|r2|[a-z_])+))"));
  EXPECT_EQ(declared, in_the_test);
}

}  // namespace
}  // namespace monograph
