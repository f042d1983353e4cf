// A linear layer with silu as a shared object, linked with the C library of kernels: what it needs, and its bits beside the JIT's.
#include "codegen/aot.h"

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
#include "commands.h"
#include "ops/elementary/elementary.h"

namespace monograph {
namespace {

namespace fs = std::filesystem;
using test::output_of;

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
  // Links the object, loads it and returns its function.
  void* link(const std::string& object, const std::string& symbol) {
    std::ofstream(folder_ / "layer.o", std::ios::binary) << object;
    // Threads of the library's pool may outlive dlclose.
    output_of("cc -shared -Wl,-z,defs -Wl,-z,nodelete -o " + path() + " " + (folder_ / "layer.o").string() +
              " " MONOGRAPH_C_LIBRARY " -lm -lpthread");
    library_ = dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library_, nullptr) << dlerror();
    return library_ ? dlsym(library_, symbol.c_str()) : nullptr;
  }
  std::string path() const { return (folder_ / "layer.so").string(); }

 private:
  fs::path folder_;
  void* library_ = nullptr;
};

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
  AotLinear aot;
  std::vector<T> weight, bias;
  Layer(DType type, int64_t in, int64_t out) : weight(values<T>(in * out)), bias(values<T>(out)) {
    aot = {"silu_linear", type, in, out, weight.data(), bias.data(), silu_of_sum(type)};
  }
  // The same with the JIT's kernels: the product by the driver, and after it the epilogue.
  std::vector<T> expected(const std::vector<T>& x, int64_t rows) const {
    static Jit jit;
    std::vector<T> y(static_cast<size_t>(rows * aot.out));
    Matmul product;
    product.type = aot.type, product.m = rows, product.k = aot.in, product.n = aot.out;
    product.a = x.data(), product.a_row = aot.in, product.a_col = 1;
    product.b = weight.data(), product.b_row = 1, product.b_col = aot.in;
    product.c = y.data(), product.c_row = aot.out, product.c_col = 1;
    product.kernels = &jit_matmul_kernels(aot.type, host_isa());
    matmul(product);
    char* out = reinterpret_cast<char*>(y.data());
    char* const operands[] = {out, out, const_cast<char*>(reinterpret_cast<const char*>(bias.data()))};
    const int64_t inner[] = {sizeof(T), sizeof(T), sizeof(T)}, row = aot.out * static_cast<int64_t>(sizeof(T)), outer[] = {row, row, 0};
    EXPECT_EQ(jit.compile(aot.epilogue, KernelForm::Pointwise)(operands, inner, aot.out, outer, rows), 0);
    return y;
  }
};

TEST_F(Aot, LinksNothingButTheCLibraries) {
  const Layer<float> layer(DType::f32, 20, 30);
  ASSERT_NE(link(aot_object(layer.aot, Isa::v3), "silu_linear"), nullptr);
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
    const std::vector<T> x = values<T>(rows * layer.aot.in), expected = layer.expected(x, rows);
    std::vector<T> y(expected.size() + 1, T(42));
    ASSERT_EQ(reinterpret_cast<int32_t (*)(const T*, T*, int64_t)>(function)(x.data(), y.data(), rows), 0);
    EXPECT_EQ(std::memcmp(y.data(), expected.data(), expected.size() * sizeof(T)), 0) << rows << " rows";
    EXPECT_EQ(y.back(), T(42));
  }
}

TEST_F(Aot, HasTheBitsOfTheJit) {
  const Layer<float> layer(DType::f32, 70, 53);
  compare(layer, link(aot_object(layer.aot, Isa::v3), "silu_linear"));
}

TEST_F(Aot, HasTheBitsOfTheJitAcrossBlocks) {
  const Layer<float> layer(DType::f32, 900, 301);
  compare(layer, link(aot_object(layer.aot, Isa::v3), "silu_linear"));
}

TEST_F(Aot, HasTheBitsOfTheJitInDouble) {
  const Layer<double> layer(DType::f64, 250, 77);
  compare(layer, link(aot_object(layer.aot, Isa::v3), "silu_linear"));
}

// Beside the definition, so that the JIT and the object are not wrong together: the product by its chain, silu in double precision.
TEST_F(Aot, IsSiluOfTheLinearLayer) {
  const int64_t in = 64, out = 40, rows = 9;
  const Layer<float> layer(DType::f32, in, out);
  void* function = link(aot_object(layer.aot, Isa::v3), "silu_linear");
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
