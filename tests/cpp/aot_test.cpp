// A linear layer with silu as a shared object without C++: a generated kernel, tests/c/linear_layer.c and the C library. What it needs, and its bits beside the
// JIT's.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "codegen/jit.h"
#include "codegen/matmul.h"
#include "codegen/target.h"
#include "commands.h"
#include "core/error.h"
#include "ops/elementary/elementary.h"

namespace monograph {
namespace {

namespace fs = std::filesystem;
using test::output_of;

Body silu_of_sum(DType t) {
  Recorder r;
  Num acc = r.arg(t), bias = r.arg(t), x = acc + bias;
  r.out(x / (1.0 + exp(-x)), t);
  return expand(r.finish());
}

template <class T>
std::vector<T> values(int64_t n) {
  static std::mt19937_64 generator(8);
  std::vector<T> v(static_cast<size_t>(n));
  for (T& x : v) x = static_cast<T>(std::normal_distribution<double>()(generator));
  return v;
}

template <class T>
struct Layer {
  DType type;
  int64_t in, out;
  std::vector<T> weight, bias;
  Body epilogue;  // of the product and the bias
  Layer(DType type, int64_t in, int64_t out)
      : type(type), in(in), out(out), weight(values<T>(in * out)), bias(values<T>(out)), epilogue(silu_of_sum(type)) {}
  // The same with the JIT's kernels: the product by the driver, and after it the epilogue.
  std::vector<T> expected(const std::vector<T>& x, int64_t rows) const {
    static Jit jit;
    std::vector<T> y(static_cast<size_t>(rows * out));
    Matmul product;
    product.type = type, product.m = rows, product.k = in, product.n = out;
    product.a = x.data(), product.a_row = in, product.a_col = 1;
    product.b = weight.data(), product.b_row = 1, product.b_col = in;
    product.c = y.data(), product.c_row = out, product.c_col = 1;
    product.kernels = &jit_matmul_kernels(type, host_isa());
    matmul(product);
    char* result = reinterpret_cast<char*>(y.data());
    char* const operands[] = {result, result, const_cast<char*>(reinterpret_cast<const char*>(bias.data()))};
    const int64_t inner[] = {sizeof(T), sizeof(T), sizeof(T)}, row = out * static_cast<int64_t>(sizeof(T)), outer[] = {row, row, 0};
    EXPECT_EQ(jit.compile(epilogue, KernelForm::Pointwise)(operands, inner, out, outer, rows), 0);
    return y;
  }
};

// A folder of its own for each test, removed at its end.
class Aot : public ::testing::Test {
 protected:
  void SetUp() override {
    if (host_isa() < Isa::v3) GTEST_SKIP() << "the code needs x86-64-v3";
    std::string name = fs::temp_directory_path() / "monograph_aot_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    if (library_) dlclose(library_);
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  void write(const char* name, const void* bytes, size_t size) const {
    std::ofstream(folder_ / name, std::ios::binary).write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  }
  // Compiles and links the layer for x86-64-v3, loads it and returns its function.
  template <class T>
  void* link(const Layer<T>& layer) {
    const PackedMatrix packed =
        PackedMatrix::pack(layer.type, layer.weight.data(), layer.in, layer.out, 1, layer.in, &jit_matmul_kernels(layer.type, Isa::v3));
    write("weight", packed.data(), static_cast<size_t>(packed.bytes()));
    write("bias", layer.bias.data(), layer.bias.size() * sizeof(T));
    const KernelRequest epilogue{layer.epilogue, KernelForm::Pointwise};
    const KernelRequest* const requests[] = {&epilogue};
    const std::string object = compile_object("epilogue", requests, Isa::v3);
    write("epilogue.o", object.data(), object.size());
    const std::string folder = folder_.string();
    // Threads of the library's pool may outlive dlclose.
    output_of(concat(
        "cc -std=gnu11 -Wall -Wextra -Werror -O1 -fPIC -fvisibility=hidden -shared -Wl,-z,defs -Wl,-z,nodelete -I" MONOGRAPH_SOURCE
        "/include -DTYPE=",
        sizeof(T) == 4 ? "float -DDTYPE=MONOGRAPH_FLOAT32" : "double -DDTYPE=MONOGRAPH_FLOAT64", " -DISA=", static_cast<int>(Isa::v3),
        " -DIN=", layer.in, " -DOUT=", layer.out, " -DEPILOGUE=", kernel_symbol(hash(layer.epilogue), KernelForm::Pointwise, Isa::v3),
        " -DWEIGHT='\"", folder, "/weight\"' -DBIAS='\"", folder, "/bias\"' -o ", path(), " " MONOGRAPH_SOURCE "/tests/c/linear_layer.c ",
        folder, "/epilogue.o " MONOGRAPH_C_LIBRARY " -Wl,--exclude-libs,ALL -lm -lpthread"));
    library_ = dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library_, nullptr) << dlerror();
    return library_ ? dlsym(library_, "silu_linear") : nullptr;
  }
  std::string path() const { return (folder_ / "layer.so").string(); }

 private:
  fs::path folder_;
  void* library_ = nullptr;
};

TEST_F(Aot, LinksNothingButTheCLibraries) {
  const Layer<float> layer(DType::f32, 20, 30);
  ASSERT_NE(link(layer), nullptr);
  test::expect_only_c_libraries(path());
  // Nothing but the function is exported.
  std::istringstream defined(output_of("nm -D --defined-only " + path()));
  std::string address, kind, symbol, all;
  while (defined >> address >> kind >> symbol) all += symbol + " ";
  EXPECT_EQ(all, "silu_linear ");
}

template <class T>
void compare(const Layer<T>& layer, void* function) {
  ASSERT_NE(function, nullptr);
  for (int64_t rows : {0, 1, 2, 5, 6, 7, 13, 128, 200}) {
    const std::vector<T> x = values<T>(rows * layer.in), expected = layer.expected(x, rows);
    std::vector<T> y(expected.size() + 1, T(42));
    ASSERT_EQ(reinterpret_cast<int32_t (*)(const T*, T*, int64_t)>(function)(x.data(), y.data(), rows), 0);
    EXPECT_EQ(std::memcmp(y.data(), expected.data(), expected.size() * sizeof(T)), 0) << rows << " rows";
    EXPECT_EQ(y.back(), T(42));
  }
}

TEST_F(Aot, HasTheBitsOfTheJit) {
  const Layer<float> layer(DType::f32, 70, 53);
  compare(layer, link(layer));
}

TEST_F(Aot, HasTheBitsOfTheJitAcrossBlocks) {
  const Layer<float> layer(DType::f32, 900, 301);
  compare(layer, link(layer));
}

TEST_F(Aot, HasTheBitsOfTheJitInDouble) {
  const Layer<double> layer(DType::f64, 250, 77);
  compare(layer, link(layer));
}

// Beside the definition, so that the JIT and the object are not wrong together: the product by its chain, silu in double precision.
TEST_F(Aot, IsSiluOfTheLinearLayer) {
  const int64_t in = 64, out = 40, rows = 9;
  const Layer<float> layer(DType::f32, in, out);
  void* function = link(layer);
  ASSERT_NE(function, nullptr);
  const std::vector<float> x = values<float>(rows * in);
  std::vector<float> y(static_cast<size_t>(rows * out));
  reinterpret_cast<int32_t (*)(const float*, float*, int64_t)>(function)(x.data(), y.data(), rows);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < out; ++j) {
      float acc = 0;
      for (int64_t p = 0; p < in; ++p) acc = std::fma(x[i * in + p], layer.weight[j * in + p], acc);
      const double sum = acc + layer.bias[j], expected = sum / (1 + std::exp(-sum));
      // exp is within 2 ulp, the sum and the quotient round once each.
      EXPECT_NEAR(y[i * out + j], expected, 4 * std::abs(expected) * 0x1p-23) << i << "," << j;
    }
}

}  // namespace
}  // namespace monograph
