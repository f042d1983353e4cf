// safetensors files: what is written comes back, hostile headers are refused by name, and a save that fails leaves the old file.
#include "formats/safetensors.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>

#include "core/error.h"
#include "sanitizers.h"
#include "test_errors.h"
#include "test_files.h"

namespace monograph {
namespace {

namespace fs = std::filesystem;

struct SafetensorsFiles : test::FolderTest {
  std::string path = folder / "model.safetensors";
};

// A file's bytes around this header: its length, it, and `data_bytes` zero bytes.
std::string file_of(const std::string& header, size_t data_bytes) {
  const uint64_t length = header.size();
  std::string out(reinterpret_cast<const char*>(&length), sizeof length);
  return out + header + std::string(data_bytes, '\0');
}

Safetensors parse(const std::string& bytes) { return parse_safetensors(bytes.data(), bytes.size(), "x.safetensors"); }

std::string refusal(const std::string& bytes) {
  return test::refusal_of("x.safetensors", [&] { parse(bytes); });
}
#define EXPECT_REFUSED(bytes, part) EXPECT_SAYS(refusal(bytes), part)

TEST(Safetensors, ReadsAPlainFile) {
  std::string bytes =
      file_of(R"({"b":{"dtype":"F32","shape":[2,3],"data_offsets":[4,28]},"__metadata__":{"format":"pt","é":"\n"},)"
              R"("a":{"dtype":"I16","shape":[2],"data_offsets":[0,4]}, "none":{"shape":[0,7],"data_offsets":[28,28],"dtype":"F64"}}  )",
              28);
  const float five = 5;
  std::memcpy(bytes.data() + bytes.size() - 4, &five, 4);
  const Safetensors file = parse(bytes);
  ASSERT_EQ(file.arrays.size(), 3u);
  EXPECT_EQ(file.arrays[0].name, "a");
  EXPECT_EQ(file.arrays[0].dtype, DType::i16);
  const NamedArray* b = file.find("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(b->nbytes, 24u);
  EXPECT_EQ(std::memcmp(static_cast<const char*>(b->data) + 20, &five, 4), 0);
  EXPECT_EQ(file.find("none")->nbytes, 0u);
  EXPECT_EQ(file.find("c"), nullptr);
  EXPECT_EQ(file.metadata, (std::map<std::string, std::string>{{"format", "pt"}, {"é", "\n"}}));
  EXPECT_TRUE(parse(file_of("{}", 0)).arrays.empty());
  EXPECT_EQ(parse(file_of(R"({"scalar":{"dtype":"F64","shape":[],"data_offsets":[0,8]}})", 8)).arrays[0].shape.size(), 0u);
}

TEST(Safetensors, RefusesWrongLengths) {
  EXPECT_REFUSED("", "too few");
  EXPECT_REFUSED("1234567", "too few");
  EXPECT_REFUSED(file_of("", 10), "does not begin with '{'");
  const std::string good = file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8);
  ASSERT_EQ(refusal(good), "");
  for (size_t size = 0; size < good.size(); ++size) EXPECT_NE(refusal(good.substr(0, size)), "") << "cut to " << size;
  EXPECT_REFUSED(good + '\0', "belong to no array");
  for (uint64_t length : {uint64_t{100'000'001}, uint64_t{1} << 32, ~uint64_t{0}, ~uint64_t{0} - 7}) {
    std::string bytes = good;
    std::memcpy(bytes.data(), &length, sizeof length);
    EXPECT_REFUSED(bytes, "are allowed");
  }
  uint64_t length = 99'999'999;
  std::string bytes = good;
  std::memcpy(bytes.data(), &length, sizeof length);
  EXPECT_REFUSED(bytes, "truncated");
}

TEST(Safetensors, RefusesWhatIsNoHeader) {
  const auto entry = [](const std::string& fields) { return file_of("{\"a\":{" + fields + "}}", 8); };
  EXPECT_REFUSED(file_of("[]", 0), "does not begin with '{'");
  EXPECT_REFUSED(file_of("{", 0), "not JSON");
  EXPECT_REFUSED(file_of("{}}", 0), "not JSON");
  EXPECT_REFUSED(file_of("{\"a\xff\":{}}", 0), "not JSON");
  EXPECT_REFUSED(file_of(R"({"a":1})", 0), "expected an object");
  EXPECT_REFUSED(file_of(R"({"a":[]})", 0), "expected an object");
  EXPECT_REFUSED(file_of(R"({"a":{}})", 0), "expected dtype, shape and data_offsets");
  EXPECT_REFUSED(file_of(R"({"__metadata__":{"a":1}})", 0), "expected one text");
  EXPECT_REFUSED(file_of(R"({"__metadata__":{"a":{}}})", 0), "expected one text");
  EXPECT_REFUSED(file_of(R"({"__metadata__":{"a":"1","a":"2"}})", 0), "twice");
  EXPECT_REFUSED(entry(R"("dtype":"F32","shape":[2])"), "expected dtype, shape and data_offsets");
  EXPECT_REFUSED(entry(R"("dtype":"F32","shape":[2],"data_offsets":[0])"), "one number or none");
  EXPECT_REFUSED(entry(R"("dtype":"F32","shape":[2],"data_offsets":[])"), "one number or none");
  EXPECT_REFUSED(entry(R"("dtype":"F32","shape":[2],"data_offsets":[0,8,9])"), "more than 2 numbers");
  EXPECT_REFUSED(entry(R"("dtype":"F32","shape":[2],"shape":[2],"data_offsets":[0,8])"), "unexpected a list");
  EXPECT_REFUSED(entry(R"("dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8])"), "unexpected a text");
  EXPECT_REFUSED(entry(R"("dtype":"F32","shape":[[2]],"data_offsets":[0,8])"), "unexpected a list");
  EXPECT_REFUSED(entry(R"("dtype":"F32","shape":[{}],"data_offsets":[0,8])"), "unexpected an object");
  EXPECT_REFUSED(entry(R"("dtype":"F32","shape":["2"],"data_offsets":[0,8])"), "unexpected a text");
  EXPECT_REFUSED(entry(R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])"), "negative");
  EXPECT_REFUSED(entry(R"("dtype":"F32","shape":[2.0],"data_offsets":[0,8])"), "not whole");
  EXPECT_REFUSED(entry(R"("dtype":"F32","shape":[1e400],"data_offsets":[0,8])"), "header");
  EXPECT_REFUSED(entry(R"("dtype":"F32","shape":[99999999999999999999],"data_offsets":[0,8])"), "not whole or too large");
  EXPECT_REFUSED(entry(R"("dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,8])"), "a number");
  EXPECT_REFUSED(entry(R"("dtype":"F32","shape":null,"data_offsets":[0,8])"), "null");
  EXPECT_REFUSED(entry(R"("dtype":"F32","shape":true,"data_offsets":[0,8])"), "boolean");
  EXPECT_REFUSED(entry(R"("dtype":"F32","strides":[1],"shape":[2],"data_offsets":[0,8])"), "'strides'");
  EXPECT_REFUSED(entry(R"("dtype":"F8_E8M0","shape":[8],"data_offsets":[0,8])"), "'a': its dtype 'F8_E8M0'");
  EXPECT_REFUSED(entry(R"("dtype":"","shape":[2],"data_offsets":[0,8])"), "its dtype");
  std::string ones = "1";
  for (int i = 0; i < 64; ++i) ones += ",1";
  EXPECT_REFUSED(entry(R"("dtype":"F64","shape":[)" + ones + R"(],"data_offsets":[0,8])"), "more than 64");
}

TEST(Safetensors, RefusesRangesThatDoNotFit) {
  const auto two = [](const std::string& first, const std::string& second, size_t bytes) {
    return file_of(
        R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + first + R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + second + "}}",
        bytes);
  };
  ASSERT_EQ(refusal(two("[4,8]", "[0,4]", 8)), "");
  EXPECT_REFUSED(two("[0,4]", "[2,6]", 8), "overlaps");
  EXPECT_REFUSED(two("[0,4]", "[0,4]", 4), "overlaps");
  EXPECT_REFUSED(two("[0,4]", "[5,9]", 9), "belong to no array");
  EXPECT_REFUSED(two("[1,5]", "[5,9]", 9), "belong to no array");
  EXPECT_REFUSED(two("[0,4]", "[4,8]", 7), "'b': its data_offsets");
  EXPECT_REFUSED(two("[0,4]", "[4,9223372036854775807]", 8), "'b': its data_offsets");
  EXPECT_REFUSED(two("[4,0]", "[4,8]", 8), "belong to no array");
  EXPECT_REFUSED(two("[0,4]", "[4,3]", 4), "data_offsets");
  EXPECT_REFUSED(two("[0,5]", "[5,9]", 9), "do not fit");
  EXPECT_REFUSED(file_of(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"a":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})", 8),
                 "twice");
  // Products of sizes that leave 64 bits, also where a zero would bring them back or the rest would be right.
  for (const char* shape :
       {"[4294967296,4294967296,4]", "[2305843009213693952,8]", "[9223372036854775807,9223372036854775807,0]", "[4611686018427387905,4]"}) {
    EXPECT_REFUSED(file_of(std::string(R"({"a":{"dtype":"F32","shape":)") + shape + R"(,"data_offsets":[0,16]}})", 16), "do not fit");
  }
  // The strides of an empty array are products of its sizes too.
  EXPECT_REFUSED(file_of(R"({"a":{"dtype":"F32","shape":[0,4294967296,4294967296],"data_offsets":[0,0]}})", 0), "do not fit");
  ASSERT_EQ(refusal(file_of(R"({"a":{"dtype":"F32","shape":[2,0,3],"data_offsets":[0,0]}})", 0)), "");
  std::string booleans = file_of(R"({"a":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}})", 3);
  ASSERT_EQ(refusal(booleans), "");
  booleans.back() = 2;
  EXPECT_REFUSED(booleans, "neither 0 nor 1");
}

// Text that would make a tree of values out of every byte is refused at its first wrong one.
TEST(Safetensors, RefusesBombsAtOnce) {
  constexpr size_t kBytes = 20'000'000;
  struct rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  std::string deep = "{\"a\":{\"shape\":" + std::string(kBytes, '[');
  EXPECT_REFUSED(file_of(deep, 0), "unexpected a list");
  std::string wide = "{\"a\":{\"shape\":[0";
  while (wide.size() < kBytes) wide += ",0,0,0,0,0,0,0,0";
  EXPECT_REFUSED(file_of(wide, 0), "more than 64");
  EXPECT_REFUSED(file_of("{\"a\":" + std::string(kBytes, '{'), 0), "not JSON");
  EXPECT_REFUSED(file_of("{\"" + std::string(kBytes, 'n') + "\":1}", 0), "...");
  getrusage(RUSAGE_SELF, &after);
#if !defined(MONOGRAPH_ADDRESS_SANITIZER)  // which keeps freed memory for a while
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 20 * (kBytes >> 10)) << "KiB: a few copies of the text, not a tree of it";
#endif
}

// Every single byte of a header changed: refused or read, never worse (the sanitizer build listens).
TEST(Safetensors, SurvivesChangedBytes) {
  const std::string good = file_of(
      R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"BOOL","shape":[],"data_offsets":[8,9]}})",
      9);
  ASSERT_EQ(refusal(good), "");
  std::mt19937 random(7);
  int refused = 0;
  for (size_t i = 0; i < good.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(value);
      refused += !refusal(bytes).empty();
    }
  }
  EXPECT_GT(refused, 10'000);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good;
    for (int k = 0; k < 3; ++k) bytes[random() % bytes.size()] = good[random() % good.size()];
    refusal(bytes);
  }
}

TEST_F(SafetensorsFiles, SavesAndLoadsEveryDType) {
  std::vector<std::vector<char>> data;
  std::vector<NamedArray> arrays;
  std::mt19937 random(3);
  for (int code = 0; code < kPlainDTypeCount; ++code) {
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{}, {3}, {0, 5}, {8, 8}, {2, 3, 5}}) {
      const auto dtype = static_cast<DType>(code);
      const int64_t n = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
      auto& bytes = data.emplace_back(n * element_size(dtype));
      for (char& byte : bytes) byte = static_cast<char>(random() & (dtype == DType::b1 ? 1 : 255));
      arrays.push_back({"layer." + std::to_string(arrays.size()) + "\"\n权重", dtype, shape, bytes.data(), bytes.size()});
    }
  }
  const std::map<std::string, std::string> metadata = {{"format", "pt"}, {"note", "a \"quoted\" line\n"}};
  save_safetensors(path, arrays, metadata);
  const Safetensors file = load_safetensors(path);
  EXPECT_EQ(file.metadata, metadata);
  ASSERT_EQ(file.arrays.size(), arrays.size());
  for (const NamedArray& array : arrays) {
    const NamedArray* read = file.find(array.name);
    ASSERT_NE(read, nullptr) << array.name;
    EXPECT_EQ(read->dtype, array.dtype);
    EXPECT_EQ(read->shape, array.shape);
    ASSERT_EQ(read->nbytes, array.nbytes);
    EXPECT_TRUE(array.nbytes == 0 || std::memcmp(read->data, array.data, array.nbytes) == 0);
    const size_t alignment = array.nbytes % 64 == 0 && array.nbytes > 0 ? 64 : std::min<int64_t>(element_size(array.dtype), 8);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(read->data) % alignment, 0u) << array.name;
  }
  EXPECT_EQ(files(), 1);

  const std::string first = test::read_file(path);
  std::shuffle(arrays.begin(), arrays.end(), random);
  save_safetensors(path, arrays, metadata);
  EXPECT_EQ(test::read_file(path), first) << "the order given does not matter";
}

TEST_F(SafetensorsFiles, SavesOverTheFileThatItReads) {
  const std::vector<float> values(100'000, 1.5f);
  save_safetensors(path, std::vector<NamedArray>{{"w", DType::f32, {100'000}, values.data(), values.size() * 4}});
  Safetensors file = load_safetensors(path);
  static_cast<float*>(const_cast<void*>(file.arrays[0].data))[0] = 9;  // private to the mapping
  EXPECT_EQ(*static_cast<const float*>(load_safetensors(path).arrays[0].data), 1.5f);
  file.arrays[0].name = "renamed";
  save_safetensors(path, file.arrays);
  EXPECT_EQ(static_cast<const float*>(file.arrays[0].data)[99'999], 1.5f) << "the old mapping lives on";
  const Safetensors again = load_safetensors(path);
  EXPECT_EQ(again.arrays[0].name, "renamed");
  EXPECT_EQ(*static_cast<const float*>(again.arrays[0].data), 9);
}

TEST_F(SafetensorsFiles, LinksAndPermissionsStay) {
  const NamedArray empty{"e", DType::f32, {0}, nullptr, 0};
  save_safetensors(path, {&empty, 1});
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  const std::string link = folder / "link";
  fs::create_symlink("model.safetensors", link);
  const NamedArray other{"other", DType::f32, {0}, nullptr, 0};
  save_safetensors(link, {&other, 1});
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_NE(load_safetensors(path).find("other"), nullptr);
  struct stat status{};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(SafetensorsFiles, ErrorsNameTheFile) {
  EXPECT_SAYS(test::error_of([&] { load_safetensors(path); }), path + ": cannot open the file: No such file");
  EXPECT_SAYS(test::error_of([&] { load_safetensors(folder); }), "regular file");
  test::write_file(path, "");
  EXPECT_SAYS(test::error_of([&] { load_safetensors(path); }), path + ": 0 bytes");
  const float x = 0;
  const std::vector<NamedArray> twice = {{"a", DType::f32, {1}, &x, 4}, {"a", DType::f32, {}, &x, 4}};
  EXPECT_SAYS(test::error_of([&] { save_safetensors(path, twice); }), "two arrays named 'a'");
  const NamedArray not_text{"\xff", DType::f32, {1}, &x, 4};
  EXPECT_SAYS(test::error_of([&] { save_safetensors(path, {&not_text, 1}); }), "UTF-8");
  EXPECT_SAYS(test::error_of([&] { save_safetensors(folder / "nowhere" / "f", {}); }), "No such file");
  EXPECT_SAYS(test::error_of([&] { save_safetensors(folder, {}); }), "not a regular file");
  const NamedArray wrong{"w", DType::f32, {2}, &x, 4};
  EXPECT_THROW(save_safetensors(path, {&wrong, 1}), InternalError);
  EXPECT_EQ(files(), 1) << "nothing is left behind";
}

// The disk is full in the middle (here: a limit on the file's size): an error, the old file as it was, nothing beside it.
TEST_F(SafetensorsFiles, AFailedSaveLeavesTheOldFile) {
  const float one = 1;
  save_safetensors(path, std::vector<NamedArray>{{"old", DType::f32, {1}, &one, 4}});
  const std::string before = test::read_file(path);
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {200'000, 200'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::vector<float> large(1'000'000);
    int code = 1;
    try {
      save_safetensors(path, std::vector<NamedArray>{{"new", DType::f32, {1'000'000}, large.data(), 4'000'000}});
    } catch (const Error& error) {
      code = error.kind() == ErrorKind::File ? 0 : 2;
    }
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(test::read_file(path), before);
  EXPECT_EQ(files(), 1);
}

TEST_F(SafetensorsFiles, KilledSavesLeaveAWholeFile) {
  constexpr int64_t kCount = 500'000;
  std::vector<float> values(kCount, 0.0f);
  const auto save = [&](float value) {
    std::fill(values.begin(), values.end(), value);
    save_safetensors(path, std::vector<NamedArray>{{"w", DType::f32, {kCount}, values.data(), kCount * 4}});
  };
  save(0);
  int half_written = 0;
  std::mt19937 random(11);
  for (int i = 0; i < 15; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (float value = 1;; ++value) save(value);
    }
    usleep(1000 + random() % 15'000);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    const Safetensors file = load_safetensors(path);
    const auto* data = static_cast<const float*>(file.arrays.at(0).data);
    for (int64_t k = 1; k < kCount; ++k) ASSERT_EQ(data[k], data[0]) << "of two saves";
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path() == path) continue;
      ++half_written;
      fs::remove(entry.path());
    }
  }
  EXPECT_GT(half_written, 0) << "no kill came in the middle of a save";
}

}  // namespace
}  // namespace monograph
