// Generated code against the evaluator, bit for bit: every operation, dtype, form, stride, tail and alignment, between guard pages.
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "codegen/jit.h"
#include "kernel_harness.h"
#include "ops/elementary/elementary.h"
#include "processor.h"

namespace monograph {
namespace {

using test::expect_equal;
using test::Kernels;
using test::OperandLayout;

constexpr Isa kIsas[] = {Isa::v2, Isa::v3, Isa::v4};

Jit& jit(Isa isa) {
  static Jit jits[] = {Jit(std::min(host_isa(), Isa::v2)), Jit(std::min(host_isa(), Isa::v3)), Jit(host_isa())};
  return jits[static_cast<int>(isa) - 1];
}

bool runs(Isa isa) { return isa <= host_isa(); }

// The body's code on every instruction set that the machine runs.
Kernels kernels_of(const Body& body, KernelForm form) {
  Kernels kernels;
  for (Isa isa : kIsas)
    if (runs(isa) && can_emit(body, isa) && test::can_judge(body, isa))
      kernels.push_back({std::string(name(isa)), jit(isa).compile(body, form)});
  return kernels;
}

bool slow() {
  const char* text = std::getenv("MONOGRAPH_SLOW");
  return text != nullptr && *text == '1';
}

template <class F>
Body record(F&& f) {
  Recorder r;
  f(r);
  return expand(r.finish());
}

Body silu(DType t) {
  return record([&](Recorder& r) {
    Num x = r.arg(t);
    r.out(x / (1.0 + exp(-x)), t);
  });
}

Body softmax(DType t) {
  return record([&](Recorder& r) {
    Num x = r.arg(t), e = exp(x - row_max(x));
    r.out(e / row_sum(e), t);
  });
}

Body layer_norm(DType t) {
  return record([&](Recorder& r) {
    Num x = r.arg(t), weight = r.arg(t), bias = r.arg(t), count = convert(row_count(), x.t);
    Num centred = x - row_sum(x) / count;
    Num scale = 1.0 / sqrt(row_sum(centred * centred) / count + 1e-5);
    r.out(centred * scale * weight + bias, t);
    r.out(scale, t, true);
  });
}

Body reduction(Combine c, DType t) {
  return record([&](Recorder& r) {
    Num x = r.arg(t);
    r.out(reduce(c, x), t, true);
  });
}

// ---- proof (a): silu on all inputs

TEST(Silu, AllInputsAreEqualOnEveryPath) {
  const Body body = silu(DType::f32);
  const Kernels kernels = kernels_of(body, KernelForm::Pointwise);
  if (kernels.empty()) GTEST_SKIP() << "no instruction set with generated code";
  for (Isa isa : kIsas)
    if (!runs(isa)) std::printf("[  SKIPPED ] %s: this machine does not run it\n", std::string(name(isa)).c_str());
  const uint64_t step = slow() ? 1 : 256, chunk = 1 << 20;
  std::vector<float> in(chunk), expected(chunk), got(chunk);
  const int64_t inner[] = {4, 4}, outer[] = {0, 0};
  for (uint64_t first = 0; first < uint64_t{1} << 32; first += chunk * step) {
    for (uint64_t i = 0; i < chunk; ++i) in[i] = std::bit_cast<float>(static_cast<uint32_t>(first + i * step + (i % step)));
    char* operands[] = {reinterpret_cast<char*>(expected.data()), reinterpret_cast<char*>(in.data())};
    evaluate(body, KernelForm::Pointwise, operands, inner, static_cast<int64_t>(chunk), outer, 1);
    operands[0] = reinterpret_cast<char*>(got.data());
    for (const auto& [name, fn] : kernels) {
      fn(operands, inner, static_cast<int64_t>(chunk), outer, 1);
      const int64_t at = test::first_difference(DType::f32, operands[0], reinterpret_cast<char*>(expected.data()), chunk * 4);
      ASSERT_EQ(at, -1) << name << " at " << in[static_cast<size_t>(at) / 4];
    }
  }
}

// ---- proof (a): the tree of a sum

// docs/numerics.md, read aloud: blocks of 8192; 64 lanes, in order; halved; blocks combine as a binary counter.
float tree_of_blocks(const std::vector<float>& blocks) {
  std::vector<std::pair<int, float>> stack;
  for (float v : blocks) {
    int level = 0;
    for (; !stack.empty() && stack.back().first == level; ++level) v = stack.back().second + v, stack.pop_back();
    stack.push_back({level, v});
  }
  if (stack.empty()) return 0;
  float sum = stack.back().second;
  for (size_t i = stack.size() - 1; i-- > 0;) sum = stack[i].second + sum;
  return sum;
}

float inner_block(const float* x, int64_t n) {
  float lanes[64] = {};
  for (int64_t i = 0; i < n; ++i) lanes[i % 64] += x[i];
  for (int half = 32; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) lanes[j] += lanes[j + half];
  return lanes[0];
}

float outer_block(const float* x, int64_t n) {
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

constexpr int64_t kSumSizes[] = {
    0, 1, 2, 49, 63, 64, 65, 100, 255, 256, 257, 1000, 8191, 8192, 8193, 3 * 8192, 7 * 8192 + 4711, 20 * 8192 + 1};

TEST(Sum, IsTheTreeOfTheContractAtEveryStride) {
  std::mt19937_64 random(1);
  for (KernelForm form : {KernelForm::Inner, KernelForm::Outer}) {
    const Body body = reduction(Combine::Sum, DType::f32);
    const int64_t block = form == KernelForm::Inner ? kInnerBlock : kOuterBlock;
    for (const auto& [name, fn] : kernels_of(body, form))
      for (int64_t n : kSumSizes) {
        std::vector<float> x(static_cast<size_t>(n)), blocks;
        for (float& v : x) v = static_cast<float>(static_cast<int64_t>(random())) * 0x1p-50f;
        for (int64_t at = 0; at < n; at += block)
          blocks.push_back((form == KernelForm::Inner ? inner_block : outer_block)(x.data() + at, std::min(block, n - at)));
        const float expected = tree_of_blocks(blocks);
        for (int64_t stride : {1, 2, -1, 3, 1027}) {
          const int64_t origin = stride < 0 ? n - 1 : 0;
          std::vector<float> memory(static_cast<size_t>(std::max<int64_t>(1, n * std::abs(stride))));
          for (int64_t i = 0; i < n; ++i) memory[static_cast<size_t>(origin + i * stride)] = x[static_cast<size_t>(i)];
          float sum = -1;
          char* operands[] = {reinterpret_cast<char*>(&sum), reinterpret_cast<char*>(memory.data() + std::max<int64_t>(origin, 0))};
          const int64_t inner[] = {0, stride * 4}, outer[] = {4, 4};
          fn(operands, inner, n, outer, 1);
          ASSERT_EQ(std::bit_cast<uint32_t>(sum), std::bit_cast<uint32_t>(expected)) << name << " n " << n << " stride " << stride;
        }
        std::vector<float> same(static_cast<size_t>(n), 0.1f);
        float sum = -1, one = 0.1f;
        blocks.clear();
        for (int64_t at = 0; at < n; at += block)
          blocks.push_back((form == KernelForm::Inner ? inner_block : outer_block)(same.data() + at, std::min(block, n - at)));
        char* operands[] = {reinterpret_cast<char*>(&sum), reinterpret_cast<char*>(&one)};
        const int64_t inner[] = {0, 0}, outer[] = {4, 4};
        fn(operands, inner, n, outer, 1);
        ASSERT_EQ(sum, tree_of_blocks(blocks)) << name << " n " << n << " stride 0";
      }
  }
}

TEST(Sum, ThreadsThatShareARowAtBlockBordersAgree) {
  std::mt19937_64 random(2);
  const Body body = reduction(Combine::Sum, DType::f32);
  const int64_t n = 37 * kInnerBlock + 99;
  std::vector<float> x(static_cast<size_t>(n));
  for (float& v : x) v = static_cast<float>(static_cast<int64_t>(random())) * 0x1p-50f;
  for (const auto& [name, fn] : kernels_of(body, KernelForm::Inner)) {
    auto sum_of = [&, fn = fn](int64_t begin, int64_t end) {
      float sum = -1;
      char* operands[] = {reinterpret_cast<char*>(&sum), reinterpret_cast<char*>(x.data() + begin)};
      const int64_t inner[] = {0, 4}, outer[] = {4, 4};
      fn(operands, inner, end - begin, outer, 1);
      return sum;
    };
    const float whole = sum_of(0, n);
    for (int64_t share : {1, 2, 4, 16}) {  // blocks a thread: a power of two, so that each share is a subtree
      const int64_t length = share * kInnerBlock;
      std::vector<float> parts(static_cast<size_t>((n + length - 1) / length));
      for (unsigned count : {1u, 2u, 5u}) {
        std::vector<std::thread> threads;
        for (unsigned t = 0; t < count; ++t)
          threads.emplace_back([&, t] {
            for (size_t p = t; p < parts.size(); p += count)
              parts[p] = sum_of(static_cast<int64_t>(p) * length, std::min(n, static_cast<int64_t>(p + 1) * length));
          });
        for (std::thread& t : threads) t.join();
        ASSERT_EQ(tree_of_blocks(parts), whole) << name << " share " << share << " threads " << count;
      }
    }
  }
}

// ---- every operation

// Operations of two arguments of dtype t that are defined for all values.
std::vector<Body> operation_bodies(DType t) {
  std::vector<Body> bodies;
  auto add = [&](auto&& f) {
    bodies.push_back(record([&](Recorder& r) {
      Num x = r.arg(t), y = r.arg(t), v = f(x, y);
      r.out(v, compute_type(v.t) == v.t ? v.t : t);
    }));
  };
  add([](Num x, Num y) { return x + y; });
  add([](Num x, Num y) { return x * y; });
  add([](Num x, Num y) { return x < y; });
  add([](Num x, Num y) { return x <= y; });
  add([](Num x, Num y) { return x == y; });
  add([](Num x, Num y) { return x != y; });
  add([](Num x, Num y) { return where(x < y, x, y); });
  add([](Num x, Num y) { return maximum(x, y); });
  add([](Num x, Num y) { return minimum(x, y); });
  for (DType to : {DType::u8, DType::i8, DType::i16, DType::i32, DType::i64, DType::f16, DType::bf16, DType::f32, DType::f64, DType::b1})
    bodies.push_back(record([&](Recorder& r) { r.out(convert(r.arg(t), to), to); }));
  if (t == DType::b1) {
    add([](Num x, Num y) { return (x & y) | (x ^ ~y); });
    return bodies;
  }
  add([](Num x, Num y) { return x - y; });
  add([](Num x, Num y) { return -x; });
  add([](Num x, Num y) { return abs(x); });
  if (is_floating(t)) {
    add([](Num x, Num y) { return x / y; });
    add([](Num x, Num y) { return sqrt(x); });
    add([](Num x, Num y) { return fma(x, y, x); });
    add([](Num x, Num y) { return fma(x, -y, 1.0 / y); });
    add([](Num x, Num y) { return floor(x) + ceil(y); });
    add([](Num x, Num y) { return trunc(x) + rint(y * 0.5); });
    if (compute_type(t) == t)
      add([](Num x, Num y) { return from_bits(bits(x) ^ bits(y), x.t); });  // a converted NaN's payload is no promise
    return bodies;
  }
  auto count = [t](Num y) { return y & lit_int(t, 8 * element_size(t) - 1); };
  auto divisor = [t](Num y) { return where(y == lit_int(t, 0), lit_int(t, 1), where(y == lit_int(t, -1), lit_int(t, 3), y)); };
  add([&](Num x, Num y) { return (x & y) ^ (x | ~y); });
  add([&](Num x, Num y) { return x << count(y); });
  add([&](Num x, Num y) { return shr(x, count(y)); });
  add([&](Num x, Num y) { return sar(x, count(y)); });
  add([&](Num x, Num y) { return x / divisor(y); });
  add([&](Num x, Num y) { return x % divisor(y); });
  if (t == DType::i32 || t == DType::i64) add([](Num x, Num y) { return mul_hi(x, y); });
  return bodies;
}

constexpr DType kReal[] = {DType::u8,  DType::i8,   DType::i16, DType::i32, DType::i64,
                           DType::f16, DType::bf16, DType::f32, DType::f64, DType::b1};

class Dtypes : public ::testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(All, Dtypes, ::testing::ValuesIn(kReal), [](auto& info) { return std::string(name(info.param)); });

TEST_P(Dtypes, EveryOperationHasTheEvaluatorsBits) {
  std::mt19937_64 random(3);
  for (const Body& body : operation_bodies(GetParam())) {
    const Kernels kernels = kernels_of(body, KernelForm::Pointwise);
    for (int round = 0; round < 20 && !HasFatalFailure(); ++round)
      expect_equal(kernels, body, KernelForm::Pointwise, 777, 1, std::vector<OperandLayout>(body.outs.size() + body.args.size()), random,
                   round % 2);
    if (HasFatalFailure()) return;
  }
}

TEST(Fma, WithoutTheInstructionRoundsOnce) {
  if (!runs(Isa::v2)) GTEST_SKIP() << "no generated code on this machine";
  std::mt19937_64 random(4);
  const Body body = record([](Recorder& r) {
    Num a = r.arg(DType::f32), b = r.arg(DType::f32), c = r.arg(DType::f32);
    r.out(fma(a, b, c), DType::f32);
  });
  KernelFn fn = jit(Isa::v2).compile(body, KernelForm::Pointwise);
  const size_t n = 1 << 16;
  std::vector<float> a(n), b(n), c(n), got(n);
  for (int round = 0; round < 16; ++round) {
    for (size_t i = 0; i < n; ++i) {
      a[i] = std::bit_cast<float>(static_cast<uint32_t>(random()));
      b[i] = std::bit_cast<float>(static_cast<uint32_t>(random()));
      c[i] = std::bit_cast<float>(static_cast<uint32_t>(random()));
      // Near halfway cases: the addend a few places to either side of the product's last place.
      if (round % 2) c[i] = std::ldexp(a[i] * b[i], static_cast<int>(random() % 64) - 40) * (random() % 2 ? 1 : -1);
    }
    char* operands[] = {reinterpret_cast<char*>(got.data()), reinterpret_cast<char*>(a.data()), reinterpret_cast<char*>(b.data()),
                        reinterpret_cast<char*>(c.data())};
    const int64_t inner[] = {4, 4, 4, 4}, outer[] = {0, 0, 0, 0};
    fn(operands, inner, n, outer, 1);
    for (size_t i = 0; i < n; ++i) {
      const float expected = std::fma(a[i], b[i], c[i]);
      ASSERT_TRUE(std::bit_cast<uint32_t>(expected) == std::bit_cast<uint32_t>(got[i]) || (expected != expected && got[i] != got[i]))
          << a[i] << " " << b[i] << " " << c[i];
    }
  }
}

TEST(Half, ConvertsEveryValueAndRoundsLikeTheStorageType) {
  const Body widen = record([](Recorder& r) { r.out(r.arg(DType::f16), DType::f32); });
  const Body narrow = record([](Recorder& r) { r.out(r.arg(DType::f32), DType::f16); });
  const Kernels widening = kernels_of(widen, KernelForm::Pointwise), narrowing = kernels_of(narrow, KernelForm::Pointwise);
  const size_t n = 1 << 16;
  std::vector<uint16_t> halves(n);
  std::vector<float> floats(n);
  const int64_t from_half[] = {4, 2}, to_half[] = {2, 4}, outer[] = {0, 0};
  for (const auto& [name, fn] : widening) {
    for (size_t i = 0; i < n; ++i) halves[i] = static_cast<uint16_t>(i);
    char* operands[] = {reinterpret_cast<char*>(floats.data()), reinterpret_cast<char*>(halves.data())};
    fn(operands, from_half, n, outer, 1);
    for (size_t i = 0; i < n; ++i) {
      const float expected = float_from_half(static_cast<uint16_t>(i));
      ASSERT_TRUE(std::bit_cast<uint32_t>(expected) == std::bit_cast<uint32_t>(floats[i]) ||
                  (expected != expected && floats[i] != floats[i]))
          << name;
    }
  }
  for (const auto& [name, fn] : narrowing)
    for (uint64_t first = 0; first < uint64_t{1} << 32; first += n * 257) {
      for (size_t i = 0; i < n; ++i) floats[i] = std::bit_cast<float>(static_cast<uint32_t>(first + i * 257));
      char* operands[] = {reinterpret_cast<char*>(halves.data()), reinterpret_cast<char*>(floats.data())};
      fn(operands, to_half, n, outer, 1);
      for (size_t i = 0; i < n; ++i) {
        const uint16_t expected = half_from_float(floats[i]);
        ASSERT_TRUE(expected == halves[i] || (floats[i] != floats[i] && (halves[i] & 0x7fff) > 0x7c00)) << name << " " << floats[i];
      }
    }
}

// ---- layouts: every tail, stride and dtype, between guard pages

// Two arguments in, a result of the same dtype out; complex by parts.
Body mixed(DType t) {
  Recorder r;
  if (!is_complex(t)) {
    Num x = r.arg(t), y = r.arg(t);
    r.out(maximum(x, y), t);
    return r.finish();
  }
  const DType part = real_type(t);
  Body body;
  body.args = {{t, false}, {t, false}};
  auto arg = [&](uint64_t k, uint32_t which) { body.ins.push_back({Fn::Arg, part, 0, which, 0, k}); };
  arg(0, 0), arg(0, 1), arg(1, 0), arg(1, 1);
  body.ins.push_back({Fn::Add, part, 0, 2});
  body.ins.push_back({Fn::Sub, part, 1, 3});
  body.outs = {{{t, false}, 4, 5}};
  return body;
}

constexpr DType kAll[] = {DType::u8,   DType::i8,  DType::i16, DType::i32, DType::i64, DType::f16,
                          DType::bf16, DType::f32, DType::f64, DType::b1,  DType::c64, DType::c128};
class Layouts : public ::testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(All, Layouts, ::testing::ValuesIn(kAll), [](auto& info) { return std::string(name(info.param)); });

TEST_P(Layouts, PointwiseAtEveryTailStrideAndSide) {
  std::mt19937_64 random(5);
  const Body body = mixed(GetParam());
  const Kernels kernels = kernels_of(body, KernelForm::Pointwise);
  const int64_t strides[][3] = {{1, 1, 1}, {1, 0, 1}, {1, 1, 0}, {1, 0, 0}, {2, 1, 1}, {1, 2, -1}, {-1, 3, 0}, {3, 17, 1}};
  for (const auto& s : strides)
    for (int64_t n = 0; n <= 130; ++n)
      for (int64_t rows : {1, 3}) {
        std::vector<OperandLayout> layouts;
        for (int64_t inner : s) layouts.push_back({inner, inner == 0 ? 1 : std::abs(inner) * n + (n % 3)});
        expect_equal(kernels, body, KernelForm::Pointwise, n, rows, layouts, random, n % 2 == 0);
        expect_equal(kernels, body, KernelForm::Pointwise, n, rows, layouts, random, n % 2 == 1);
        if (HasFatalFailure()) return;
      }
}

// Reductions and a second phase that uses them.
std::vector<Body> row_bodies(DType t) {
  std::vector<Body> bodies;
  for (Combine c : {Combine::Sum, Combine::Prod, Combine::Max, Combine::Min})
    bodies.push_back(record([&](Recorder& r) {
      Num x = r.arg(t);
      r.out(reduce(c, x), t, true);
    }));
  bodies.push_back(record([&](Recorder& r) {
    Num x = r.arg(t), y = r.arg(t, true), top = maximum(row_max(x), y);
    r.out(where(x < top, x, y), t);
    r.out(top, t, true);
    r.out(row_sum(convert(x == top, DType::i64)), DType::i64, true);
    r.out(row_min(where(x == top, row_index(), row_count())), DType::i64, true);
  }));
  return bodies;
}

TEST_P(Dtypes, RowsAtEveryTailStrideAndSide) {
  std::mt19937_64 random(6);
  for (const Body& body : row_bodies(GetParam())) {
    const size_t outs = body.outs.size(), count = outs + body.args.size();
    for (KernelForm form : {KernelForm::Inner, KernelForm::Outer}) {
      const Kernels kernels = kernels_of(body, form);
      for (int64_t stride : {1, 2, -1, 0, 5})
        for (int64_t n = 0; n <= 130; n += stride == 1 ? 1 : 3) {
          // From five contiguous rows on, each row may be one lane.
          const int64_t rows = form == KernelForm::Outer ? 1 + (n * 7) % 83 : stride == 1 ? 1 + (n * 7) % 39 : 2;
          std::vector<OperandLayout> layouts(count);
          for (size_t k = 0; k < count; ++k) {
            const bool uniform = k < outs ? body.outs[k].arg.uniform : body.args[k - outs].uniform;
            const int64_t inner = k < outs && stride == 0 ? 1 : stride;
            if (uniform) layouts[k] = {0, n % 4 == 1 ? 2 : 1};
            else if (form == KernelForm::Inner) layouts[k] = {inner, inner == 0 ? 1 : std::abs(inner) * n + 1};
            else if (n % 4 == 3) layouts[k] = {inner * rows * 2, 2};
            else layouts[k] = {inner * rows, 1};
          }
          expect_equal(kernels, body, form, n, rows, layouts, random, n % 2 == 0);
          if (HasFatalFailure()) return;
        }
    }
  }
}

// The kernels look for NaNs once a block: beside none, one and many, in whole groups of lanes and behind them, the first NaN and the last zero win.
TEST(Rows, MaxAndMinOfNansAndZeros) {
  std::mt19937_64 random(8);
  for (Combine c : {Combine::Max, Combine::Min}) {
    const Body body = reduction(c, DType::f32);
    for (const auto& [name, fn] : kernels_of(body, KernelForm::Inner))
      for (int64_t n : {1, 49, 63, 64, 65, 128, 200, 1000, 8192, 8256, 30000})
        for (uint64_t one_in : {2, 50, 5000, 100000}) {
          const float usual = c == Combine::Max ? -1.0f : 1.0f;
          std::vector<float> x(static_cast<size_t>(n), usual);
          for (float& v : x)
            if (random() % one_in == 0)
              v = random() % 3 ? random() % 2 ? 0.0f : -0.0f : std::bit_cast<float>(0x7fc00000u | static_cast<uint32_t>(random() % 1000));
          float found = 5, expected = 6;
          for (auto [run, to] : {std::pair(fn, &found), std::pair(KernelFn(nullptr), &expected)}) {
            char* operands[] = {reinterpret_cast<char*>(to), reinterpret_cast<char*>(x.data())};
            const int64_t inner[] = {0, 4}, outer[] = {4, 4};
            run ? run(operands, inner, n, outer, 1) : evaluate(body, KernelForm::Inner, operands, inner, n, outer, 1);
          }
          ASSERT_EQ(std::bit_cast<uint32_t>(found), std::bit_cast<uint32_t>(expected)) << name << " n " << n << " one in " << one_in;
        }
  }
}

TEST(Rows, SoftmaxAndLayerNormInPlaceAndApart) {
  std::mt19937_64 random(7);
  for (DType t : {DType::f32, DType::f64, DType::f16, DType::bf16})
    for (const Body& body : {softmax(t), layer_norm(t)})
      for (KernelForm form : {KernelForm::Inner, KernelForm::Outer}) {
        const Kernels kernels = kernels_of(body, form);
        for (int64_t n : {0, 1, 15, 64, 97, 100, 128, 1000, 8191, 16400})
          for (int64_t stride : {1, 3}) {
            if (n > 1000 && (form == KernelForm::Outer || stride > 1)) continue;
            const int64_t rows = form == KernelForm::Outer ? 1 + n % 90 : n < 1000 ? 1 + (n * 11) % 40 : 3;
            const size_t outs = body.outs.size(), count = outs + body.args.size();
            std::vector<OperandLayout> layouts(count);
            for (size_t k = 0; k < count; ++k) {
              if (k < outs && body.outs[k].arg.uniform) layouts[k] = {0, 1};
              else if (k > outs) layouts[k] = {1, form == KernelForm::Inner ? 0 : 1};  // weight and bias: one row for all, or one a column
              else layouts[k] = form == KernelForm::Inner ? OperandLayout{stride, stride * n} : OperandLayout{stride * rows, stride};
            }
            if (form == KernelForm::Outer)
              for (size_t k = outs + 1; k < count; ++k) layouts[k] = {1, 0};
            for (bool alias : {false, true}) expect_equal(kernels, body, form, n, rows, layouts, random, alias, alias);
            if (HasFatalFailure()) return;
          }
      }
}

// ---- flags and branches

TEST(RaiseIf, ReportsElementsAndNothingElse) {
  const Body body = record([](Recorder& r) {
    Num x = r.arg(DType::i32), y = r.arg(DType::i32), zero = lit_int(DType::i32, 0), bad = y == zero;
    r.out(raise_if(bad, x / where(bad, lit_int(DType::i32, 1), y)), DType::i32);
  });
  for (const auto& [name, fn] : kernels_of(body, KernelForm::Pointwise))
    for (int64_t n = 0; n <= 70; ++n)
      for (int64_t bad = -1; bad < n; ++bad) {
        std::vector<int32_t> x(static_cast<size_t>(n) + 1, 7), y(static_cast<size_t>(n) + 1, 2), out(static_cast<size_t>(n) + 1);
        y[static_cast<size_t>(n)] = 0;  // past the end
        if (bad >= 0) y[static_cast<size_t>(bad)] = 0;
        char* operands[] = {reinterpret_cast<char*>(out.data()), reinterpret_cast<char*>(x.data()), reinterpret_cast<char*>(y.data())};
        const int64_t inner[] = {4, 4, 4}, outer[] = {0, 0, 0};
        ASSERT_EQ(fn(operands, inner, n, outer, 1) != 0, bad >= 0) << name << " n " << n << " bad " << bad;
      }
}

TEST(WhereRare, HasTheValueOfWhere) {
  std::mt19937_64 random(8);
  const Body body = record([](Recorder& r) {
    Num x = r.arg(DType::f32), y = r.arg(DType::f32);
    Num shared = sqrt(abs(x * y));
    Num inner = where_rare(y > 2.0, x / y + shared, x * 3.0);
    Num outer = where_rare(abs(x) > 4.0, inner * inner + y / 7.0, x + shared);
    r.out(outer + where_rare(x < -7.5, -shared, y), DType::f32);
  });
  const Kernels kernels = kernels_of(body, KernelForm::Pointwise);
  for (int64_t n : {1, 16, 17, 1000})
    for (int round = 0; round < 50; ++round) {
      expect_equal(kernels, body, KernelForm::Pointwise, n, 1, {{1, 0}, {1, 0}, {1, 0}}, random, round % 2);
      if (HasFatalFailure()) return;
    }
}

TEST(Elementary, EveryFunctionHasTheEvaluatorsBits) {
  std::mt19937_64 random(9);
  for (int e = 0; e < kElementaryCount; ++e)
    for (DType t : {DType::f32, DType::f64}) {
      const Elem elem = static_cast<Elem>(e);
      const Body body = record([&](Recorder& r) {
        Num x = r.arg(t);
        r.out(elementary(elem).arity == 2 ? call(elem, x, r.arg(t)) : call(elem, x), t);
      });
      const Kernels kernels = kernels_of(body, KernelForm::Pointwise);
      std::vector<OperandLayout> layouts(1 + body.args.size());
      for (int round = 0; round < 8; ++round) expect_equal(kernels, body, KernelForm::Pointwise, 4099, 1, layouts, random, round % 2);
      if (HasFatalFailure()) FAIL() << elementary(elem).name;
    }
}

TEST(Jit, CompilesOnceAndFromAnyThread) {
  Jit fresh;
  if (fresh.isa() == Isa::none) GTEST_SKIP() << "no generated code on this machine";
  std::vector<KernelFn> got(8);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < got.size(); ++t)
    threads.emplace_back(
        [&, t] { got[t] = fresh.compile(reduction(t % 2 ? Combine::Sum : Combine::Prod, DType::f64), KernelForm::Inner); });
  for (std::thread& t : threads) t.join();
  for (size_t t = 0; t < got.size(); ++t) EXPECT_EQ(got[t], got[t % 2]);
  EXPECT_NE(got[0], got[1]);
}

TEST(Jit, HasNoCodeWhereTheInstructionSetHasNone) {
  const Body body = record([](Recorder& r) {
    Num x = r.arg(DType::f64);
    r.out(fma(x, x, x), DType::f64);
  });
  EXPECT_FALSE(can_emit(body, Isa::none));
  EXPECT_FALSE(can_emit(body, Isa::v2));
  EXPECT_TRUE(can_emit(body, Isa::v3));
  if (runs(Isa::v2)) {
    EXPECT_EQ(jit(Isa::v2).compile(body, KernelForm::Pointwise), nullptr);
  }
}

}  // namespace
}  // namespace monograph
