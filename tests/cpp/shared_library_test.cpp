// The shared library (libmonograph.so): it exports the public API and nothing else, and needs the system's libraries and zlib only.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "commands.h"

namespace monograph {
namespace {

using test::output_of;

const std::string kLibrary = MONOGRAPH_SHARED_LIBRARY, kSource = MONOGRAPH_SOURCE;

std::set<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i) found.insert((*i)[1]);
  return found;
}

std::set<std::string> exported() {
  return matches(output_of("nm -D --defined-only " + kLibrary), std::regex(R"([0-9a-f]* [A-Za-z] ([^\n]+)\n)"));
}

TEST(SharedLibrary, ExportsThePublicApi) {
  const std::set<std::string> names = exported();
  // Tensor::softmax, cond, Graph::save, the identity of RuntimeError.
  for (const char* part : {"_ZNK9monograph3api6Tensor7softmax", "_ZN9monograph3api4cond", "_ZNK9monograph3api5Graph4save",
                           "_ZTIN9monograph3api12RuntimeErrorE"})
    EXPECT_TRUE(names.lower_bound(part) != names.end() && names.lower_bound(part)->starts_with(part)) << part;
}

TEST(SharedLibrary, ExportsNothingOfItsOwnInside) {
  std::stringstream header;
  header << std::ifstream(kSource + "/include/monograph/kernels.h").rdbuf();
  std::set<std::string> in_c = matches(header.str(), std::regex(R"(\n[a-z0-9_]+ (monograph_[a-z_]+)\()"));
  in_c.insert("monograph_command");
  const std::regex in_cpp("_Z(N|NK|TIN|TSN|TVN)9monograph3api.*");
  std::set<std::string> seen;
  for (const std::string& name : exported())
    if (!std::regex_match(name, in_cpp)) {
      EXPECT_TRUE(in_c.contains(name)) << name;
      seen.insert(name);
    }
  EXPECT_EQ(seen, in_c);
}

TEST(SharedLibrary, NeedsTheSystemsLibrariesAndZlib) {
  const std::set<std::string> allowed = {"libz.so.1", "libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6", "ld-linux-x86-64.so.2"};
  for (const std::string& needed : test::needed_libraries(kLibrary))
    EXPECT_TRUE(allowed.contains(needed)) << needed;
}

}  // namespace
}  // namespace monograph
