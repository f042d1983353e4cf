// The convolutions' contract: one chain of fused multiply-adds an output in the order of the unfolded image, whatever the kernel, layout, stride,
// blocking and split; and the same of its gradients. Pools against their definition.
#include "kernels/convolution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "codegen/convolution.h"
#include "core/threads/pool.h"
#include "kernels/channel_blocks.h"
#include "kernels/pooling.h"

namespace monograph {
namespace {

std::mt19937_64 generator(7);

int64_t below(int64_t n) { return static_cast<int64_t>(generator() % static_cast<uint64_t>(n)); }
int64_t one_of(std::initializer_list<int64_t> values) { return values.begin()[below(static_cast<int64_t>(values.size()))]; }

template <class T> T random_value() { return static_cast<T>(std::normal_distribution<double>()(generator)); }
template <> half random_value<half>() { return half(random_value<float>()); }
template <> bfloat16 random_value<bfloat16>() { return bfloat16(random_value<float>()); }
template <> std::complex<float> random_value() { return {random_value<float>(), random_value<float>()}; }
template <> int8_t random_value() { return static_cast<int8_t>(generator()); }
template <> int64_t random_value() { return static_cast<int64_t>(generator()); }

// A tensor of 4 dims somewhere in memory: dims in any order, with gaps.
template <class T>
struct TestImage {
  int64_t sizes[4], strides[4];
  std::vector<T> data;
  TestImage(int64_t a, int64_t b, int64_t c, int64_t d, bool plain = false) : sizes{a, b, c, d} {
    int order[4] = {0, 1, 2, 3};
    if (!plain && below(2)) std::shuffle(order, order + 4, generator);
    int64_t step = plain || below(4) ? 1 : 2;
    for (int k = 3; k >= 0; --k) strides[order[k]] = step, step *= sizes[order[k]] + (plain ? 0 : below(2) * below(3));
    data.resize(static_cast<size_t>(step + 1));
    for (T& x : data) x = random_value<T>();
  }
  T& at(int64_t a, int64_t b, int64_t c, int64_t d) {
    return data[static_cast<size_t>(a * strides[0] + b * strides[1] + c * strides[2] + d * strides[3])];
  }
};

// One link of the definition's chain; f16 and bf16 run it in float32.
float link(float a, float b, float acc) { return std::fma(a, b, acc); }
double link(double a, double b, double acc) { return std::fma(a, b, acc); }
float link(half a, half b, float acc) { return std::fma(static_cast<float>(a), static_cast<float>(b), acc); }
float link(bfloat16 a, bfloat16 b, float acc) { return std::fma(static_cast<float>(a), static_cast<float>(b), acc); }
std::complex<float> link(std::complex<float> a, std::complex<float> b, std::complex<float> acc) {
  return {std::fma(-a.imag(), b.imag(), std::fma(a.real(), b.real(), acc.real())),
          std::fma(a.imag(), b.real(), std::fma(a.real(), b.imag(), acc.imag()))};
}
template <class T>
  requires std::is_integral_v<T>
uint64_t link(T a, T b, uint64_t acc) {
  return acc + static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
}
template <class T> using Sum = decltype(link(T(), T(), {}));

template <class T>
T add(T sum, T bias) {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) return T(static_cast<float>(sum) + static_cast<float>(bias));
  else if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(bias));
  else return sum + bias;
}

template <class T> constexpr DType dtype_of = DType::f32;
template <> constexpr DType dtype_of<double> = DType::f64;
template <> constexpr DType dtype_of<half> = DType::f16;
template <> constexpr DType dtype_of<bfloat16> = DType::bf16;
template <> constexpr DType dtype_of<std::complex<float>> = DType::c64;
template <> constexpr DType dtype_of<int8_t> = DType::i8;
template <> constexpr DType dtype_of<int64_t> = DType::i64;

// What this machine runs: plain C++, and the generated kernels up to its instruction set.
std::vector<const ConvolutionKernels*> tables(DType t) {
  const DType chain = t == DType::f64 ? DType::f64 : DType::f32;
  std::vector<const ConvolutionKernels*> tables = {&convolution_kernels(chain, Isa::none)};
  for (Isa isa : {Isa::v3, Isa::v4})
    if (isa <= host_isa()) tables.push_back(&jit_convolution_kernels(chain, isa));
  return tables;
}

// Sizes of one case.
struct ConvolutionCase {
  int64_t batch, groups, inputs, outputs, kernel[2], stride[2], padding[2], dilation[2], size[2], out[2];
  static ConvolutionCase random() {
    ConvolutionCase c{};
    c.batch = one_of({1, 1, 2, 5}), c.groups = one_of({1, 1, 1, 2, 7}), c.inputs = one_of({1, 2, 5, 19}),
    c.outputs = one_of({1, 3, 8, 13, 30});
    if (below(8) == 0) c.groups = 1, c.outputs = 100;
    if (below(4) == 0) c.groups = one_of({3, 16, 20, 37}), c.inputs = c.outputs = 1;
    if (below(8) == 0) c.groups = one_of({1, 1, 2}), c.batch = one_of({1, 2}), c.inputs = one_of({9, 31}), c.outputs = one_of({31, 61});
    for (int k = 0; k < 2;) {
      c.kernel[k] = one_of({1, 2, 3, 5}), c.stride[k] = one_of({1, 1, 2, 3}), c.padding[k] = below(4),
      c.dilation[k] = one_of({1, 1, 2, 3, 4});
      c.size[k] = 1 + below(30);
      const int64_t room = c.size[k] + 2 * c.padding[k] - c.dilation[k] * (c.kernel[k] - 1) - 1;
      if (room >= 0) c.out[k] = room / c.stride[k] + 1, ++k;
    }
    return c;
  }
  ConvolutionAxis axis(int k) const { return {size[k], out[k], kernel[k], stride[k], -padding[k], dilation[k]}; }
  // The place in the image that tap t of window o sees; -1: padding.
  int64_t place(int k, int64_t o, int64_t t) const {
    const int64_t at = o * stride[k] - padding[k] + t * dilation[k];
    return at >= 0 && at < size[k] ? at : -1;
  }
  Convolution describe(DType type) const {
    Convolution c;
    c.type = type, c.batch = batch, c.groups = groups, c.inputs = inputs, c.outputs = outputs, c.rows = axis(0), c.columns = axis(1);
    c.workers = static_cast<int>(1 + below(3));
    return c;
  }
};

std::unique_ptr<char, decltype(&std::free)> memory(int64_t bytes) {
  auto* data = static_cast<char*>(std::aligned_alloc(64, static_cast<size_t>((bytes + 127) / 64 * 64)));
  std::memset(data, 0xff, static_cast<size_t>(bytes));  // NaNs: what is read unwritten shows
  return {data, std::free};
}

template <class T>
void expect_equal(const TestImage<T>& expected, const TestImage<T>& got, const char* what, const ConvolutionKernels& kernels) {
  int64_t different = 0;
  for (size_t e = 0; e < got.data.size(); ++e) different += std::memcmp(&expected.data[e], &got.data[e], sizeof(T)) != 0;
  EXPECT_EQ(different, 0) << what << ", instruction set " << kernels.isa;
}

template <class T>
class ConvolutionOf : public ::testing::Test {};
using ElementTypes = ::testing::Types<float, double, half, bfloat16, std::complex<float>, int8_t, int64_t>;
TYPED_TEST_SUITE(ConvolutionOf, ElementTypes);

TYPED_TEST(ConvolutionOf, IsTheChainForRandomSizesAndLayouts) {
  using T = TypeParam;
  set_num_threads(3);
  for (int round = 0; round < 40; ++round) {
    const ConvolutionCase s = ConvolutionCase::random();
    TestImage<T> image(s.batch, s.groups * s.inputs, s.size[0], s.size[1]),
        weight(s.groups * s.outputs, s.inputs, s.kernel[0], s.kernel[1], below(2)),
        before(s.batch, s.groups * s.outputs, s.out[0], s.out[1], below(2)), bias(s.groups * s.outputs, 1, 1, 1);
    const bool biased = below(2);
    TestImage<T> expected = before;
    for (int64_t n = 0; n < s.batch; ++n)
      for (int64_t o = 0; o < s.groups * s.outputs; ++o)
        for (int64_t y = 0; y < s.out[0]; ++y)
          for (int64_t x = 0; x < s.out[1]; ++x) {
            Sum<T> acc{};
            for (int64_t c = 0; c < s.inputs; ++c)
              for (int64_t i = 0; i < s.kernel[0]; ++i)
                for (int64_t j = 0; j < s.kernel[1]; ++j) {
                  const int64_t row = s.place(0, y, i), column = s.place(1, x, j);
                  const T pixel = row < 0 || column < 0 ? T{} : image.at(n, o / s.outputs * s.inputs + c, row, column);
                  acc = link(weight.at(o, c, i, j), pixel, acc);
                }
            T& out = expected.at(n, o, y, x);
            out = static_cast<T>(acc);
            if (biased) out = add(out, bias.at(o, 0, 0, 0));
          }
    Convolution c = s.describe(dtype_of<T>);
    c.image = image.data.data(), c.weight = weight.data.data();
    std::copy_n(image.strides, 4, c.image_strides), std::copy_n(before.strides, 4, c.result_strides);
    c.weight_strides[0] = s.outputs * weight.strides[0], std::copy_n(weight.strides, 4, c.weight_strides + 1);
    if (biased) c.bias = bias.data.data(), c.bias_stride = bias.strides[0];
    for (const ConvolutionKernels* kernels : tables(c.type)) {
      TestImage<T> got = before;
      c.kernels = kernels, c.result = got.data.data();
      convolve(c, memory(convolution_scratch(c)).get());
      expect_equal(expected, got, "conv2d", *kernels);
    }
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(ConvolutionOf, TheTransposeIsAChainOfTheTapsThatReachAPlace) {
  using T = TypeParam;
  set_num_threads(3);
  for (int round = 0; round < 40; ++round) {
    const ConvolutionCase s = ConvolutionCase::random();  // its images are the results here
    TestImage<T> image(s.batch, s.groups * s.outputs, s.out[0], s.out[1]), weight(s.groups * s.outputs, s.inputs, s.kernel[0], s.kernel[1]),
        before(s.batch, s.groups * s.inputs, s.size[0], s.size[1], below(2));
    TestImage<T> expected = before;
    auto residue = [&](int k, int64_t place, int64_t tap) { return (place + s.padding[k] - tap * s.dilation[k]) % s.stride[k] == 0; };
    auto window = [&](int k, int64_t place, int64_t tap) {
      const int64_t from = place + s.padding[k] - tap * s.dilation[k], o = from / s.stride[k];
      return from >= 0 && o < s.out[k] ? o : -1;
    };
    for (int64_t n = 0; n < s.batch; ++n)
      for (int64_t c = 0; c < s.groups * s.inputs; ++c)
        for (int64_t y = 0; y < s.size[0]; ++y)
          for (int64_t x = 0; x < s.size[1]; ++x) {
            Sum<T> acc{};
            for (int64_t o = 0; o < s.outputs; ++o)
              for (int64_t i = 0; i < s.kernel[0]; ++i)
                for (int64_t j = 0; j < s.kernel[1]; ++j) {
                  if (!residue(0, y, i) || !residue(1, x, j)) continue;
                  const int64_t row = window(0, y, i), column = window(1, x, j), channel = c / s.inputs * s.outputs + o;
                  acc = link(weight.at(channel, c % s.inputs, i, j), row < 0 || column < 0 ? T{} : image.at(n, channel, row, column), acc);
                }
            expected.at(n, c, y, x) = static_cast<T>(acc);
          }
    Convolution c = s.describe(dtype_of<T>);
    std::swap(c.inputs, c.outputs);
    std::swap(c.rows.size, c.rows.out), std::swap(c.columns.size, c.columns.out);
    c.image = image.data.data(), c.weight = weight.data.data();
    std::copy_n(image.strides, 4, c.image_strides), std::copy_n(before.strides, 4, c.result_strides);
    const int64_t* w = weight.strides;
    const int64_t strides[5] = {s.outputs * w[0], w[1], w[0], w[2], w[3]};
    std::copy_n(strides, 5, c.weight_strides);
    for (const ConvolutionKernels* kernels : tables(c.type)) {
      TestImage<T> got = before;
      c.kernels = kernels, c.result = got.data.data();
      convolve_transposed(c, memory(transposed_scratch(c)).get());
      expect_equal(expected, got, "conv_transpose2d", *kernels);
    }
    if (this->HasFailure()) return;
  }
}

template <class T>
class GradientOf : public ::testing::Test {};
using FloatingTypes = ::testing::Types<float, double, half, bfloat16>;
TYPED_TEST_SUITE(GradientOf, FloatingTypes);

TYPED_TEST(GradientOf, TheWeightIsAChainOverTheOutputsOfTheBatch) {
  using T = TypeParam;
  set_num_threads(3);
  for (int round = 0; round < 30; ++round) {
    const ConvolutionCase s = ConvolutionCase::random();
    TestImage<T> image(s.batch, s.groups * s.inputs, s.size[0], s.size[1]), grad(s.batch, s.groups * s.outputs, s.out[0], s.out[1]),
        before(s.groups * s.outputs, s.inputs, s.kernel[0], s.kernel[1]);
    TestImage<T> expected = before;
    for (int64_t o = 0; o < s.groups * s.outputs; ++o)
      for (int64_t c = 0; c < s.inputs; ++c)
        for (int64_t i = 0; i < s.kernel[0]; ++i)
          for (int64_t j = 0; j < s.kernel[1]; ++j) {
            Sum<T> acc{};
            for (int64_t n = 0; n < s.batch; ++n)
              for (int64_t y = 0; y < s.out[0]; ++y)
                for (int64_t x = 0; x < s.out[1]; ++x) {
                  const int64_t row = s.place(0, y, i), column = s.place(1, x, j);
                  const T pixel = row < 0 || column < 0 ? T{} : image.at(n, o / s.outputs * s.inputs + c, row, column);
                  acc = link(pixel, grad.at(n, o, y, x), acc);
                }
            expected.at(o, c, i, j) = static_cast<T>(acc);
          }
    Convolution c = s.describe(dtype_of<T>);
    c.image = image.data.data(), c.weight = grad.data.data();
    std::copy_n(image.strides, 4, c.image_strides), std::copy_n(before.strides, 4, c.result_strides);
    const int64_t* g = grad.strides;
    const int64_t strides[5] = {s.outputs * g[1], g[1], g[0], g[2], g[3]};
    std::copy_n(strides, 5, c.weight_strides);
    for (const ConvolutionKernels* kernels : tables(c.type)) {
      TestImage<T> got = before;
      c.kernels = kernels, c.result = got.data.data();
      convolve_weight_gradient(c, memory(weight_gradient_scratch(c)).get());
      expect_equal(expected, got, "conv2d_weight_backward", *kernels);
    }
    if (this->HasFailure()) return;
  }
}

// Sizes at which every kind of block is full: many tasks, several blocks of links, images in groups.
// The pool may have another number of threads by the time that the kernel runs.
TEST(Convolution, ScratchIsForTheThreadsThatTheRuleCounted) {
  constexpr int64_t kGuard = 4096;
  int64_t sizes[][4] = {{4, 16, 40, 40}, {32, 16, 3, 3}, {4, 32, 38, 38}};
  TestImage<float> image(4, 16, 40, 40, true), weight(32, 16, 3, 3, true), out(4, 32, 38, 38, true), again(4, 32, 38, 38, true);
  int64_t one[] = {1, 1}, zero[] = {0, 0};
  std::vector<KernelArg> args(7);
  auto tensor = [](TestImage<float>& b, int64_t* size) {
    return KernelTensor{reinterpret_cast<char*>(b.data.data()), size, b.strides, 4, DType::f32};
  };
  args[0].kind = args[1].kind = KernelArg::Kind::Tensor;
  args[0].tensor = tensor(image, sizes[0]), args[1].tensor = tensor(weight, sizes[1]);
  for (size_t i : {3, 4, 5}) args[i].kind = KernelArg::Kind::Ints, args[i].ints = {i == 4 ? zero : one, 2};
  args[6].kind = KernelArg::Kind::Int, args[6].integer = 1;
  WindowNumbers numbers{{1, 1}, {0, 0}, {1, 1}, 1};
  auto run = [&](TestImage<float>& result, int threads_of_rule, int threads_of_pool) {
    Convolution c = convolution_of(DType::f32, sizes[0], sizes[1], sizes[2], numbers);
    c.workers = threads_of_rule;
    const int64_t bytes = convolution_scratch(c);
    const auto room = memory(bytes + kGuard);
    std::memset(room.get() + bytes, 0x5a, kGuard);
    const KernelTensor made = tensor(result, sizes[2]);
    KernelCall call;
    call.args = args.data(), call.arg_count = args.size(), call.results = &made, call.result_count = 1;
    call.scratch = room.get(), call.scratch_bytes = bytes, call.threads = threads_of_rule;
    set_num_threads(threads_of_pool);
    EXPECT_EQ(convolution_kernel(call), KernelStatus::Ok);
    EXPECT_TRUE(std::all_of(room.get() + bytes, room.get() + bytes + kGuard, [](char x) { return x == 0x5a; }))
        << "beyond the scratch memory";
    return bytes;
  };
  const int64_t narrow = run(out, 1, 4), wide = run(again, 4, 1);
  EXPECT_LT(narrow, wide);  // or the number of threads would not matter
  out.data.pop_back(), again.data.pop_back();  // of no place
  EXPECT_EQ(out.data, again.data);
}

TEST(Convolution, IsTheChainAtTheSizesOfNetworks) {
  const ConvolutionCase cases[] = {{1, 1, 64, 64, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {56, 56}, {56, 56}},
                                   {8, 1, 100, 70, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {7, 7}, {7, 7}},
                                   {2, 1, 500, 40, {1, 1}, {1, 1}, {0, 0}, {1, 1}, {14, 14}, {14, 14}},
                                   {1, 96, 1, 1, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {112, 112}, {56, 56}},
                                   // Images that are read in place: few outputs of one pixel, the last ones fewer than a vector has.
                                   {3, 1, 70, 2, {1, 1}, {1, 1}, {0, 0}, {1, 1}, {128, 130}, {128, 130}},
                                   {2, 2, 33, 6, {1, 1}, {1, 1}, {0, 0}, {1, 1}, {47, 51}, {47, 51}},
                                   {2, 1, 1, 5, {1, 1}, {1, 1}, {0, 0}, {1, 1}, {61, 61}, {61, 61}}};
  for (const ConvolutionCase& s : cases) {
    TestImage<float> image(s.batch, s.groups * s.inputs, s.size[0], s.size[1], true),
        weight(s.groups * s.outputs, s.inputs, s.kernel[0], s.kernel[1], true),
        got(s.batch, s.groups * s.outputs, s.out[0], s.out[1], true);
    Convolution c = s.describe(DType::f32);
    c.image = image.data.data(), c.weight = weight.data.data(), c.result = got.data.data();
    std::copy_n(image.strides, 4, c.image_strides), std::copy_n(got.strides, 4, c.result_strides);
    c.weight_strides[0] = s.outputs * weight.strides[0], std::copy_n(weight.strides, 4, c.weight_strides + 1);
    for (int workers : {1, 3})
      for (const ConvolutionKernels* kernels : tables(c.type)) {
        std::fill(got.data.begin(), got.data.end(), 0.0f);
        c.kernels = kernels, c.workers = workers;
        Convolution asked = c;
        if (workers > 1) std::fill_n(asked.image_strides, 4, 0), std::fill_n(asked.result_strides, 4, 0);  // a rule knows sizes alone
        const int64_t bytes = convolution_scratch(asked);
        const auto room = memory(bytes + 64);
        std::memset(room.get() + bytes, 0x5a, 64);
        convolve(c, room.get());
        EXPECT_TRUE(std::all_of(room.get() + bytes, room.get() + bytes + 64, [](char b) { return b == 0x5a; }));
        int64_t different = 0;
        for (int sample = 0; sample < 1000; ++sample) {
          const int64_t n = below(s.batch), o = below(s.groups * s.outputs), y = below(s.out[0]), x = below(s.out[1]);
          float acc = 0;
          for (int64_t k = 0; k < s.inputs; ++k)
            for (int64_t i = 0; i < s.kernel[0]; ++i)
              for (int64_t j = 0; j < s.kernel[1]; ++j) {
                const int64_t row = s.place(0, y, i), column = s.place(1, x, j);
                acc =
                    link(weight.at(o, k, i, j), row < 0 || column < 0 ? 0.0f : image.at(n, o / s.outputs * s.inputs + k, row, column), acc);
              }
          different += acc != got.at(n, o, y, x);
        }
        EXPECT_EQ(different, 0) << s.inputs << " channels of " << s.size[0] << ", instruction set " << kernels->isa;
      }
  }
}

// Sizes at which a vector holds output channels (kernels/channel_blocks.h): several blocks of links, rows and images, and a last panel that is not full.
template <class T>
class ManyChannelsOf : public ::testing::Test {};
using Chains = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ManyChannelsOf, Chains);

TYPED_TEST(ManyChannelsOf, IsTheChainAndItsGradientByTheWeight) {
  using T = TypeParam;
  set_num_threads(3);
  const ConvolutionCase cases[] = {{1, 1, 150, 61, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {29, 31}, {29, 31}},
                                   {2, 2, 31, 64, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {57, 40}, {29, 20}},
                                   {1, 1, 64, 32, {3, 2}, {1, 1}, {2, 2}, {2, 3}, {28, 28}, {28, 29}},
                                   {9, 1, 40, 96, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {8, 8}, {8, 8}},
                                   {5, 1, 130, 128, {1, 1}, {1, 1}, {0, 0}, {1, 1}, {7, 7}, {7, 7}},
                                   {1, 1, 72, 64, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {8, 8}, {8, 8}}};
  for (const ConvolutionCase& s : cases) {
    TestImage<T> image(s.batch, s.groups * s.inputs, s.size[0], s.size[1]),
        weight(s.groups * s.outputs, s.inputs, s.kernel[0], s.kernel[1]), got(s.batch, s.groups * s.outputs, s.out[0], s.out[1]),
        bias(s.groups * s.outputs, 1, 1, 1);
    Convolution c = s.describe(dtype_of<T>);
    c.image = image.data.data(), c.weight = weight.data.data(), c.result = got.data.data();
    std::copy_n(image.strides, 4, c.image_strides), std::copy_n(got.strides, 4, c.result_strides);
    c.weight_strides[0] = s.outputs * weight.strides[0], std::copy_n(weight.strides, 4, c.weight_strides + 1);
    c.bias = bias.data.data(), c.bias_stride = bias.strides[0];
    Convolution g = c;  // `got` is the gradient by the outputs there
    const int64_t* grad = got.strides;
    const int64_t strides[5] = {s.outputs * grad[1], grad[1], grad[0], grad[2], grad[3]};
    g.weight = got.data.data(), g.result = weight.data.data(), g.bias = nullptr;
    std::copy_n(strides, 5, g.weight_strides), std::copy_n(weight.strides, 4, g.result_strides);
    auto pixel = [&](int64_t n, int64_t o, int64_t k, int64_t y, int64_t x, int64_t i, int64_t j) {
      const int64_t row = s.place(0, y, i), column = s.place(1, x, j);
      return row < 0 || column < 0 ? T(0) : image.at(n, o / s.outputs * s.inputs + k, row, column);
    };
    const TestImage<T> weights = weight;
    for (int workers : {1, 3})
      for (const ConvolutionKernels* kernels : tables(c.type)) {
        c.kernels = g.kernels = kernels, c.workers = g.workers = workers, weight = weights;
        EXPECT_EQ(ChannelPlan(c, ChannelPlan::Result::Image, true).applies() && ChannelPlan(g, ChannelPlan::Result::Weight).applies(),
                  kernels->panel > 0);
        EXPECT_EQ(ordered_weight_bytes(c) > 0, kernels->panel > 0);
        const int64_t bytes = convolution_scratch(c);  // asked before there is a weight in order
        std::fill(got.data.begin(), got.data.end(), T(0));
        convolve(c, memory(bytes).get());
        const std::vector<T> plain = got.data;
        const auto kept = memory(ordered_weight_bytes(c));
        OrderedWeight ordered;
        if (kernels->panel > 0) ordered = order_weight(c, kept.get()), c.ordered = &ordered;
        std::fill(got.data.begin(), got.data.end(), T(0));
        const auto room = memory(bytes + 64);
        std::memset(room.get() + bytes, 0x5a, 64);
        convolve(c, room.get());
        EXPECT_TRUE(std::all_of(room.get() + bytes, room.get() + bytes + 64, [](char b) { return b == 0x5a; }));
        EXPECT_EQ(std::memcmp(plain.data(), got.data.data(), plain.size() * sizeof(T)), 0) << "with a weight in order";
        c.ordered = nullptr;
        int64_t different = 0;
        for (int sample = 0; sample < 500; ++sample) {
          const int64_t n = below(s.batch), o = below(s.groups * s.outputs), y = below(s.out[0]), x = below(s.out[1]);
          T acc = 0;
          for (int64_t k = 0; k < s.inputs; ++k)
            for (int64_t i = 0; i < s.kernel[0]; ++i)
              for (int64_t j = 0; j < s.kernel[1]; ++j) acc = link(weight.at(o, k, i, j), pixel(n, o, k, y, x, i, j), acc);
          different += acc + bias.at(o, 0, 0, 0) != got.at(n, o, y, x);
        }
        EXPECT_EQ(different, 0) << s.inputs << " channels of " << s.size[0] << ", instruction set " << kernels->isa;
        convolve_weight_gradient(g, memory(weight_gradient_scratch(g)).get());
        different = 0;
        for (int sample = 0; sample < 100; ++sample) {
          const int64_t o = below(s.groups * s.outputs), k = below(s.inputs), i = below(s.kernel[0]), j = below(s.kernel[1]);
          T acc = 0;
          for (int64_t n = 0; n < s.batch; ++n)
            for (int64_t y = 0; y < s.out[0]; ++y)
              for (int64_t x = 0; x < s.out[1]; ++x) acc = link(pixel(n, o, k, y, x, i, j), got.at(n, o, y, x), acc);
          different += acc != weight.at(o, k, i, j);
        }
        EXPECT_EQ(different, 0) << "the gradient for " << s.inputs << " channels of " << s.size[0] << ", instruction set " << kernels->isa;
      }
  }
}

// ---- pools ----

template <class T>
KernelTensor tensor(TestImage<T>& b) {
  return {reinterpret_cast<char*>(b.data.data()), b.sizes, b.strides, 4, dtype_of<T>};
}
KernelArg list(const int64_t* values) {
  KernelArg a;
  a.kind = KernelArg::Kind::Ints, a.ints = {values, 2};
  return a;
}

template <class T>
T least() {
  if constexpr (std::is_integral_v<T>) return std::numeric_limits<T>::lowest();
  else return T(-std::numeric_limits<float>::infinity());
}

template <class T>
class PoolOf : public ::testing::Test {};
using Pooled = ::testing::Types<float, double, half, bfloat16, int8_t>;
TYPED_TEST_SUITE(PoolOf, Pooled);

TYPED_TEST(PoolOf, TheLargestIsTheFirstOfEqualOnesAndANaNWins) {
  using T = TypeParam;
  set_num_threads(2);
  for (int round = 0; round < 150; ++round) {
    ConvolutionCase s = ConvolutionCase::random();
    for (int k = 0; k < 2; ++k) s.padding[k] = std::min(s.padding[k], s.kernel[k] / 2);
    for (int k = 0; k < 2; ++k) {
      const int64_t room = s.size[k] + 2 * s.padding[k] - s.dilation[k] * (s.kernel[k] - 1) - 1;
      if (room < 0) s.kernel[k] = 1, s.padding[k] = 0;
      s.out[k] = (s.size[k] + 2 * s.padding[k] - s.dilation[k] * (s.kernel[k] - 1) - 1) / s.stride[k] + 1;
    }
    TestImage<T> image(s.batch, 3, s.size[0], s.size[1]), values(s.batch, 3, s.out[0], s.out[1], true);
    TestImage<int64_t> places(s.batch, 3, s.out[0], s.out[1], true);
    for (T& x : image.data) {
      if (below(3) == 0) x = T(1);
      if constexpr (!std::is_integral_v<T>)
        if (below(20) == 0) x = T(std::numeric_limits<float>::quiet_NaN());
    }
    KernelArg args[6];
    args[0].kind = KernelArg::Kind::Tensor, args[0].tensor = tensor(image);
    args[1] = list(s.kernel), args[2] = list(s.stride), args[3] = list(s.padding), args[4] = list(s.dilation);
    const KernelTensor results[2] = {tensor(values), tensor(places)};
    KernelCall call;
    call.args = args, call.arg_count = 6, call.results = results, call.result_count = 2;
    max_pool_kernel(call);
    for (int64_t n = 0; n < s.batch; ++n)
      for (int64_t y = 0; y < s.out[0]; ++y)
        for (int64_t x = 0; x < s.out[1]; ++x) {
          // Of a window that sees padding alone: less than anything, where its first tap right of the border would be.
          auto start = [&](int k, int64_t o) {
            int64_t at = o * s.stride[k] - s.padding[k];
            while (at < 0) at += s.dilation[k];
            return at;
          };
          int64_t best = start(0, y) * s.size[1] + start(1, x);
          T value = least<T>();
          bool found = false;
          for (int64_t i = 0; i < s.kernel[0]; ++i)
            for (int64_t j = 0; j < s.kernel[1]; ++j) {
              const int64_t row = s.place(0, y, i), column = s.place(1, x, j);
              if (row < 0 || column < 0) continue;
              const T pixel = image.at(n, 2, row, column);
              if (!found || pixel > value || pixel != pixel) best = row * s.size[1] + column, value = pixel, found = true;
            }
          ASSERT_EQ(places.at(n, 2, y, x), best);
          ASSERT_EQ(std::memcmp(&values.at(n, 2, y, x), &value, sizeof(T)), 0);
        }
  }
}

TEST(Pool, AMeanIsTheSumInOrderDividedOnce) {
  set_num_threads(2);
  for (int round = 0; round < 150; ++round) {
    ConvolutionCase s = ConvolutionCase::random();
    const bool include = below(2);
    for (int k = 0; k < 2; ++k) {
      s.dilation[k] = 1, s.kernel[k] = std::min(s.kernel[k], s.size[k]), s.padding[k] = std::min(s.padding[k], s.kernel[k] / 2);
      s.out[k] = (s.size[k] + 2 * s.padding[k] - s.kernel[k]) / s.stride[k] + 1;
    }
    TestImage<float> image(s.batch, 2, s.size[0], s.size[1]), means(s.batch, 2, s.out[0], s.out[1], true);
    KernelArg args[7];
    args[0].kind = KernelArg::Kind::Tensor, args[0].tensor = tensor(image);
    args[1] = list(s.kernel), args[2] = list(s.stride), args[3] = list(s.padding);
    args[4].kind = args[5].kind = KernelArg::Kind::Bool, args[4].boolean = false, args[5].boolean = include;
    if (below(3) == 0) args[6].kind = KernelArg::Kind::Int, args[6].integer = 5;
    const KernelTensor result = tensor(means);
    KernelCall call;
    call.args = args, call.arg_count = 7, call.results = &result, call.result_count = 1;
    avg_pool_kernel(call);
    for (int64_t n = 0; n < s.batch; ++n)
      for (int64_t y = 0; y < s.out[0]; ++y)
        for (int64_t x = 0; x < s.out[1]; ++x) {
          float sum = 0;
          int64_t inside = 0;
          for (int64_t i = 0; i < s.kernel[0]; ++i)
            for (int64_t j = 0; j < s.kernel[1]; ++j) {
              const int64_t row = s.place(0, y, i), column = s.place(1, x, j);
              if (row >= 0 && column >= 0) sum += image.at(n, 1, row, column), ++inside;
            }
          const int64_t divisor = !args[6].none() ? 5 : include ? s.kernel[0] * s.kernel[1] : inside;
          ASSERT_EQ(means.at(n, 1, y, x), sum / static_cast<float>(divisor));
        }
  }
}

}  // namespace
}  // namespace monograph
