// .npy files: every dtype and order comes back, hostile headers are refused by name.
#include "formats/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "capture/writer.h"
#include "test_errors.h"
#include "test_files.h"

namespace monograph {
namespace {

std::string npy(const std::string& header, const std::string& data, int version = 1) {
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version), out += '\0';
  for (size_t k = 0; k < (version == 1 ? 2u : 4u); ++k) out += static_cast<char>(header.size() >> 8 * k & 255);
  return out + header + data;
}
std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }\n";
}
Tensor parse(const std::string& bytes) { return parse_npy(bytes.data(), bytes.size(), "x.npy"); }
std::string refusal(const std::string& bytes) {
  return test::refusal_of("x.npy", [&] { parse(bytes); });
}

struct NpyFiles : test::FolderTest {
  void SetUp() override { capture::use_operators(); }
};

TEST_F(NpyFiles, EveryDtypeAndShapeComesBack) {
  const std::string path = folder / "x.npy";
  for (int t = 0; t < kPlainDTypeCount; ++t) {
    const auto dtype = static_cast<DType>(t);
    if (dtype == DType::bf16 || dtype == DType::c32 || element_size(dtype) == 1 && is_floating(dtype)) {
      EXPECT_THROW(save_npy(path, empty({1}, dtype)), Error);
      continue;
    }
    for (const Dims& shape : {Dims{}, Dims{3}, Dims{2, 3}, Dims{0, 2}, Dims{2, 1, 2, 1, 2, 1, 2}}) {
      Tensor x = empty(shape, dtype);
      for (size_t k = 0; k < x.nbytes(); ++k) x.data()[k] = dtype == DType::b1 ? static_cast<char>(k & 1) : static_cast<char>(k * 37);
      save_npy(path, x);
      for (const Tensor& y : {load_npy(path), parse(test::read_file(path))}) {
        EXPECT_EQ(y.dtype(), dtype);
        ASSERT_EQ(y.sizes(), shape);
        EXPECT_TRUE(x.nbytes() == 0 || std::memcmp(x.data(), y.data(), x.nbytes()) == 0) << name(dtype);
      }
    }
  }
}

TEST_F(NpyFiles, ViewsAreSavedAsTheyRead) {
  Tensor x = empty({2, 3});
  for (int k = 0; k < 6; ++k) x.data_as<float>()[k] = static_cast<float>(k);
  save_npy(folder / "x.npy", x.as_strided(Dims{3, 2}, Dims{1, 3}, 0));
  Tensor y = load_npy(folder / "x.npy");
  EXPECT_EQ(std::vector<float>(y.data_as<float>(), y.data_as<float>() + 6), (std::vector<float>{0, 3, 1, 4, 2, 5}));
}

TEST_F(NpyFiles, WritesToALoadedArrayNeverReachTheFile) {
  const std::string path = folder / "x.npy";
  Tensor x = empty({4});
  std::fill_n(x.data_as<float>(), 4, 1.0f);
  save_npy(path, x);
  load_npy(path).data_as<float>()[0] = 7;
  EXPECT_EQ(load_npy(path).data_as<float>()[0], 1);
}

TEST(Npy, ByteAndMemoryOrder) {
  EXPECT_EQ(parse(npy(header(">i4", "(1,)"), std::string("\0\0\1\2", 4))).data_as<int32_t>()[0], 258);
  EXPECT_EQ(parse(npy(header("<i4", "(1,)"), std::string("\2\1\0\0", 4), 2)).data_as<int32_t>()[0], 258);
  Tensor f = parse(npy(header("|i1", "(2, 3)", true), std::string("\1\2\3\4\5\6"), 3));
  EXPECT_EQ(f.sizes(), (Dims{2, 3}));
  EXPECT_EQ(f.strides(), (Dims{1, 2}));
  EXPECT_EQ(parse(npy(header("<f4", "()"), std::string(4, '\0'))).dim(), 0);
}

TEST(Npy, HostileBytesAreRefused) {
  const std::string four(4, '\0');
  EXPECT_SAYS(refusal("hello"), "not a .npy file");
  EXPECT_SAYS(refusal("\x93NUMPY"), "cut off");
  EXPECT_SAYS(refusal(npy(header("<f4", "(1,)"), four, 4)), "version 4");
  EXPECT_SAYS(refusal(npy(header("<f4", "(2,)"), four)), "asks for 8 bytes of data, but 4 are there");
  EXPECT_SAYS(refusal(npy(header("<f4", "(1,)"), four + four)), "but 8 are there");
  EXPECT_SAYS(refusal(npy(header("<f4", "(4611686018427387904, 4)"), four)), "more bytes than there can be");
  EXPECT_SAYS(refusal(npy(header("<f4", "(0, 9223372036854775807)"), "")), "more bytes than there can be");
  EXPECT_SAYS(refusal(npy(header("<f4", "(99999999999999999999,)"), four)), "an entry that is not a size");
  EXPECT_SAYS(refusal(npy(header("<f4", "(-1,)"), four)), "an entry that is not a size");
  EXPECT_SAYS(refusal(npy(header("<f4", "(1"), four)), "header");
  EXPECT_SAYS(refusal(npy(header("|O", "(1,)"), four)), "Python objects");
  EXPECT_SAYS(refusal(npy(header("<f1", "(1,)"), four)), "has no tensor dtype");
  EXPECT_SAYS(refusal(npy(header("<U1", "(1,)"), four)), "'<U1' has no tensor dtype");
  EXPECT_SAYS(refusal(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", four)), "structured");
  EXPECT_SAYS(refusal(npy("{'descr': '<f4', 'shape': (1,), }", four)), "not all of");
  EXPECT_SAYS(refusal(npy("{'descr': '<f4', 'descr': '<f4', 'shape': (1,), }", four)), "repeated key");
  // Bytes that are not UTF-8 stand escaped in the message.
  EXPECT_SAYS(refusal(npy("{'d\xff': '<f4', }", four)), "repeated key 'd\\xff'");
  EXPECT_SAYS(refusal(npy(header("<\xff", "(1,)"), four)), "'<\\xff' has no tensor dtype");
  EXPECT_SAYS(refusal(npy(header("<f4", "(1,)") + "x", four)), "after its end");
  EXPECT_SAYS(refusal(npy(header("|b1", "(4,)"), std::string("\0\1\2\1", 4))), "element 2 is 2");
  std::string cut = npy(header("<f4", "(1,)"), "");
  EXPECT_SAYS(refusal(cut.substr(0, 30)), "cut off in its header");
  std::string shape = "(";
  for (int k = 0; k < 65; ++k) shape += "1,";
  EXPECT_SAYS(refusal(npy(header("<f4", shape + ")"), four)), "more than 64 dims");
}

TEST(Npy, AnyChangeOfAByteIsAnArrayOrAnError) {
  const std::string good = npy(header("<f4", "(2, 3)"), std::string(24, '\1'));
  std::mt19937 random(1);
  int refused = 0;
  for (int k = 0; k < 20000; ++k) {
    std::string bad = good;
    for (int edits = 1 + static_cast<int>(random() % 3); edits-- > 0;) bad[random() % bad.size()] = static_cast<char>(random());
    try {
      Tensor t = parse(bad);
      EXPECT_LE(t.nbytes(), bad.size());
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace monograph
