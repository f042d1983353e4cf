// What tests that write files share: a folder of their own, and whole files as bytes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace monograph::test {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write_file(const std::filesystem::path& path, std::string_view bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// A folder that is there, empty, while each test runs.
class FolderTest : public ::testing::Test {
 protected:
  FolderTest() {
    std::string name = std::filesystem::temp_directory_path() / "monograph_test_XXXXXX";
    if (!mkdtemp(name.data())) throw std::filesystem::filesystem_error("mkdtemp", name, std::error_code(errno, std::generic_category()));
    folder = name;
  }
  ~FolderTest() override { std::filesystem::remove_all(folder); }
  ptrdiff_t files() const { return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()); }

  std::filesystem::path folder;
};

}  // namespace monograph::test
