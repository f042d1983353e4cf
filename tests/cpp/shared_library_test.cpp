// The shared library (libmonograph.so): it exports the public C++ API and nothing else, and needs the system's libraries and zlib only.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "commands.h"

namespace monograph {
namespace {

using test::output_of;

const std::string kLibrary = MONOGRAPH_SHARED_LIBRARY;

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
  // Tensor::softmax, cond, all<void>, Graph::save, the identity of RuntimeError.
  for (const char* part : {"_ZNK9monograph3api6Tensor7softmax", "_ZN9monograph3api4cond", "_ZN9monograph3api3allIv",
                           "_ZNK9monograph3api5Graph4save", "_ZTIN9monograph3api12RuntimeErrorE"})
    EXPECT_TRUE(names.lower_bound(part) != names.end() && names.lower_bound(part)->starts_with(part)) << part;
}

TEST(SharedLibrary, ExportsNothingOfItsOwnInside) {
  const std::regex public_name("_Z(N|NK|NO|TIN|TSN|TVN)9monograph3api.*");
  std::set<std::string> others;
  for (const std::string& name : exported())
    if (!std::regex_match(name, public_name)) others.insert(name);
  EXPECT_EQ(others, std::set<std::string>{"monograph_command"});
}

TEST(SharedLibrary, NeedsTheSystemsLibrariesAndZlib) {
  const std::set<std::string> allowed = {"libz.so.1", "libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6", "ld-linux-x86-64.so.2"};
  for (const std::string& needed : test::needed_libraries(kLibrary)) EXPECT_TRUE(allowed.contains(needed)) << needed;
}

}  // namespace
}  // namespace monograph
