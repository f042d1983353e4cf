// Running the compiler and the tools of binutils from a test.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <set>
#include <sstream>
#include <string>

namespace monograph::test {

// What the command writes; it must succeed.
inline std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  EXPECT_EQ(pclose(pipe), 0) << command << "\n" << text;
  return text;
}

// The libraries that a program or shared object asks the dynamic linker for: "libc.so.6", "libm.so.6".
inline std::set<std::string> needed_libraries(const std::string& file) {
  std::set<std::string> found;
  std::istringstream lines(output_of("readelf -d " + file));
  for (std::string line; std::getline(lines, line);)
    if (line.find("(NEEDED)") != std::string::npos) found.insert(line.substr(line.find('[') + 1, line.find(']') - line.find('[') - 1));
  return found;
}

// libc, libm and pthreads, which the C library has in itself, as it has the dynamic linker.
inline void expect_only_c_libraries(const std::string& file) {
  for (const std::string& library : needed_libraries(file))
    EXPECT_TRUE(library.starts_with("libc.so") || library.starts_with("libm.so") || library.starts_with("libpthread.so") ||
                library.starts_with("ld-linux"))
        << file << " needs " << library;
}

}  // namespace monograph::test
