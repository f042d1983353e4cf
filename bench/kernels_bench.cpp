// Generated kernels on one core, per element: compiled in the process by the emitter that makes the eager kernels.
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "codegen/jit.h"
#include "ops/elementary/elementary.h"

namespace monograph {
namespace {

Jit& jit() {
  static Jit jit;
  return jit;
}

Body silu(DType t) {
  Recorder r;
  Num x = r.arg(t);
  r.out(x / (1.0 + exp(-x)), t);
  return expand(r.finish());
}

Body softmax() {
  Recorder r;
  Num x = r.arg(DType::f32), e = exp(x - row_max(x));
  r.out(e / row_sum(e), DType::f32);
  return expand(r.finish());
}

Body layer_norm() {
  Recorder r;
  Num x = r.arg(DType::f32), weight = r.arg(DType::f32), bias = r.arg(DType::f32), count = convert(row_count(), x.t);
  Num centred = x - row_sum(x) / count;
  r.out(centred / sqrt(row_sum(centred * centred) / count + 1e-5) * weight + bias, DType::f32);
  return expand(r.finish());
}

Body row_sums() {
  Recorder r;
  r.out(row_sum(r.arg(DType::f32)), DType::f32, true);
  return expand(r.finish());
}

// rows x n elements of the body's dtype; every argument but the first is one row for all.
void run(benchmark::State& state, const Body& body, KernelForm form, int64_t rows, int64_t n) {
  KernelFn fn = jit().compile(body, form);
  if (fn == nullptr) return state.SkipWithError("no generated code on this machine");
  const size_t outs = body.outs.size(), count = outs + body.args.size();
  std::vector<std::vector<char>> memory(count);
  std::vector<char*> operands;
  std::vector<int64_t> inner, outer;
  for (size_t k = 0; k < count; ++k) {
    const BodyArg& arg = k < outs ? body.outs[k].arg : body.args[k - outs];
    const int64_t size = element_size(arg.dtype);
    memory[k].resize(static_cast<size_t>(rows * n * size));
    for (int64_t i = 0; i < rows * n; ++i) {
      const float v = static_cast<float>(i * 2654435761 % 1000003) / 1e5f - 5;
      const uint32_t bits = arg.dtype == DType::bf16 ? bfloat_from_float(v) : std::bit_cast<uint32_t>(v);
      std::memcpy(memory[k].data() + i * size, &bits, static_cast<size_t>(size));
    }
    operands.push_back(memory[k].data());
    const bool one_row = k > outs;
    inner.push_back(arg.uniform ? 0 : form == KernelForm::Outer ? rows * size : size);
    outer.push_back(arg.uniform || form == KernelForm::Outer ? size : one_row ? 0 : n * size);
  }
  for (auto _ : state) benchmark::DoNotOptimize(fn(operands.data(), inner.data(), n, outer.data(), rows));
  state.counters["ns/element"] =
      benchmark::Counter(static_cast<double>(rows * n), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(run, silu_f32, silu(DType::f32), KernelForm::Pointwise, 1, 1 << 14);
BENCHMARK_CAPTURE(run, silu_bf16, silu(DType::bf16), KernelForm::Pointwise, 1, 1 << 14);
BENCHMARK_CAPTURE(run, silu_f32_short_rows, silu(DType::f32), KernelForm::Pointwise, 1024, 13);
BENCHMARK_CAPTURE(run, sum_inner, row_sums(), KernelForm::Inner, 512, 1024);
BENCHMARK_CAPTURE(run, sum_inner_tail, row_sums(), KernelForm::Inner, 512, 1000);
BENCHMARK_CAPTURE(run, sum_outer, row_sums(), KernelForm::Outer, 1024, 512);
BENCHMARK_CAPTURE(run, softmax_512x1024, softmax(), KernelForm::Inner, 512, 1024);
BENCHMARK_CAPTURE(run, softmax_outer, softmax(), KernelForm::Outer, 1024, 512);
BENCHMARK_CAPTURE(run, layer_norm_512x1024, layer_norm(), KernelForm::Inner, 512, 1024);

// What a kernel costs to make: silu, over and over, each time with another constant.
void compile_silu(benchmark::State& state) {
  Jit fresh;
  double constant = 1;
  for (auto _ : state) {
    Recorder r;
    Num x = r.arg(DType::f32);
    r.out(x / (constant + exp(-x)), DType::f32);
    constant += 1;
    benchmark::DoNotOptimize(fresh.compile(expand(r.finish()), KernelForm::Pointwise));
  }
}
BENCHMARK(compile_silu)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace monograph

BENCHMARK_MAIN();
