// A chain of operators as one kernel, made of their records' bodies and compiled by the JIT: the bits of the operators run one by one.
#include <gtest/gtest.h>

#include <cmath>

#include "codegen/jit.h"
#include "core/threads/pool.h"
#include "kernels/launch.h"
#include "ops/dispatch.h"
#include "ops/fuse.h"
#include "ops/pointwise.h"
#include "ops/registry.h"
#include "ops/rows.h"

namespace monograph {
namespace {

// softmax(where(c, silu(x) + 0.5 * y, x), 1), from the six records.
Body chain(DType t) {
  auto body = [&](const char* op) { return find_operator(op).pointwise->record(t); };
  Recorder r;
  Num x = convert(r.arg(t), t), y = convert(r.arg(t), t), c = r.arg(DType::b1);
  Num s = replay(body("aten::silu"), std::vector<Num>{x})[0];
  Body add = body("aten::add.Tensor");
  Num alpha = convert(lit(compute_type(t), 0.5), add.args[2].dtype);
  Num a = replay(add, std::vector<Num>{s, y, alpha})[0];
  Num w = replay(body("aten::where.self"), std::vector<Num>{c, a, x})[0];
  r.out(replay(record_rows(*find_operator("aten::softmax.int").rows, t, t, 1), std::vector<Num>{w})[0], t);
  return expand(r.finish());
}

Tensor eager(const Tensor& x, const Tensor& y, const Tensor& c) {
  return "softmax"_op("where"_op(c, "add"_op("silu"_op(x), y, 0.5), x), 1);
}

// Values with infinities, subnormals, zeros of both signs and, in one row, a NaN.
Tensor sample(Dims sizes, DType t, int seed) {
  Tensor out = empty(sizes);
  for (int64_t k = 0; k < out.numel(); ++k) out.data_as<float>()[k] = 4 * std::sin(static_cast<float>(k * 13 + seed));
  const float edges[] = {0.0f, -0.0f, 1e-40f, -1e-40f, 88.0f, -88.0f, -HUGE_VALF};
  for (int64_t k = 0; k < out.numel() / 3; ++k) out.data_as<float>()[3 * k] = edges[(k + seed) % 7];
  if (out.numel() > 40) out.data_as<float>()[40] = std::nanf("");
  return "to"_op(out, t);
}

Tensor transposed_copy(const Tensor& t) { return "transpose"_op("contiguous"_op("transpose"_op(t, 0, 1)), 0, 1); }

// Every second element along a wider storage, from an odd place.
Tensor spread(const Tensor& t) {
  Tensor wide = empty({t.size(0), 2 * t.size(1) + 1}, t.dtype());
  Tensor view = wide.as_strided(t.sizes(), Dims{2 * t.size(1) + 1, 2}, 1);
  copy_into(view, t);
  return view;
}

bool same_bits(const Tensor& got, const Tensor& want, int64_t& at) {
  Tensor a = contiguous(got), b = contiguous(want), nan_a = "isnan"_op(a), nan_b = "isnan"_op(b);
  int64_t size = element_size(a.dtype());
  for (at = 0; at < a.numel(); ++at) {
    if (nan_a.data_as<bool>()[at] && nan_b.data_as<bool>()[at]) continue;
    if (std::memcmp(a.data() + at * size, b.data() + at * size, static_cast<size_t>(size)) != 0) return false;
  }
  return true;
}

class FusedChain : public testing::TestWithParam<DType> {};

TEST_P(FusedChain, HasTheBitsOfItsOperators) {
  DType t = GetParam();
  Jit jit;
  const Body body = chain(t);
  const int threads = num_threads();
  for (int64_t columns : {1, 7, 16, 33, 64, 257, 1000}) {
    Tensor x = sample({37, columns}, t, 1), y = sample({37, columns}, t, 2), c = "gt"_op(sample({37, columns}, DType::f32, 3), 0.0);
    Tensor expected = eager(x, y, c);
    // Rows that lie in one piece, at a stride, and across: as operands come.
    for (int layout = 0; layout < 4; ++layout) {
      auto laid = [&](const Tensor& v) { return layout == 1 ? spread(v) : layout == 2 ? transposed_copy(v) : v; };
      Tensor a = laid(x), b = layout == 3 ? spread(y) : laid(y), m = laid(c);
      for (int n : {1, 2, 3}) {
        set_num_threads(n);
        Tensor out = empty(x.sizes(), t);
        const int64_t sizes[] = {37, columns}, dims[] = {1};
        for (KernelFn fn : {jit.compile(body, KernelForm::Inner), KernelFn(nullptr)}) {  // generated code; the evaluator
          Kernel kernel{&body, KernelForm::Inner, fn};
          Operand operands[] = {broadcast_operand(out, sizes), broadcast_operand(a, sizes), broadcast_operand(b, sizes),
                                broadcast_operand(m, sizes)};
          ASSERT_EQ(launch_rows(kernel, operands, sizes, dims), 0);
          int64_t at = 0;
          EXPECT_TRUE(same_bits(out, expected, at)) << columns << " columns, layout " << layout << ", " << n << " threads, element " << at;
          if (HasFailure()) return set_num_threads(threads);
        }
      }
    }
  }
  set_num_threads(threads);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, FusedChain, testing::Values(DType::f32, DType::f64, DType::bf16, DType::f16),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace monograph
