// Our matrix product beside oneDNN's on one thread, in one interleaved run: inputs are new before each timed call, both sides have their
// best configuration (weights packed ahead, and as the model stores them), results are compared.
//
//   matmul_bench [--isa v3] [rounds [MxKxN...]]      default: MiniLM's four products, and some that are harder
//   matmul_bench --blocks                            the register blocks alone
//   matmul_bench --peak                              the core's peak
//
// `--isa v3` limits both sides to x86-64-v3 (AVX2).
// The times are the thread's own processor time, medians; `ratio` is oneDNN's best over ours: above 1 we are faster.
#include <time.h>
#include <dnnl.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench_inputs.h"
#include "codegen/matmul.h"
#include "core/threads/pool.h"

extern "C" void omp_set_num_threads(int);

namespace monograph {
namespace {

struct ProductSizes {
  int64_t m, k, n;
};

// A oneDNN primitive over our buffers; weights in a format of its own are reordered once, here.
class OneDnnProduct {
 public:
  OneDnnProduct(dnnl::engine engine, const ProductSizes& s, std::vector<float>& a, std::vector<float>& b, std::vector<float>& bt,
                std::vector<float>& c, dnnl::memory::format_tag weights, bool inner_product)
      : stream_(engine) {
    using tag = dnnl::memory::format_tag;
    constexpr auto f32 = dnnl::memory::data_type::f32;
    const bool ours = weights == tag::any;
    // inner_product's weights are N x K: "ab" there is the transposed layout, which a linear layer stores.
    const dnnl::memory::dims dims = inner_product ? dnnl::memory::dims{s.n, s.k} : dnnl::memory::dims{s.k, s.n};
    dnnl::memory::desc source({s.m, s.k}, f32, tag::ab), weight(dims, f32, weights), result({s.m, s.n}, f32, tag::ab);
    dnnl::memory::desc chosen;
    if (inner_product) {
      dnnl::inner_product_forward::primitive_desc pd({dnnl::prop_kind::forward_inference, source, weight, result}, engine);
      chosen = pd.weights_desc(), primitive_ = dnnl::inner_product_forward(pd), info_ = pd.impl_info_str();
    } else {
      dnnl::matmul::primitive_desc pd({source, weight, result}, engine);
      chosen = pd.weights_desc(), primitive_ = dnnl::matmul(pd), info_ = pd.impl_info_str();
    }
    dnnl::memory plain(dnnl::memory::desc(dims, f32, inner_product || weights == tag::ba ? (inner_product ? tag::ab : tag::ba) : tag::ab),
                       engine, inner_product || weights == tag::ba ? bt.data() : b.data());
    dnnl::memory used = plain;
    if (ours) {
      used = dnnl::memory(chosen, engine);
      dnnl::reorder(plain, used).execute(stream_, plain, used);
      stream_.wait();
    }
    arguments_ = {{DNNL_ARG_SRC, dnnl::memory(source, engine, a.data())},
                  {DNNL_ARG_WEIGHTS, used},
                  {DNNL_ARG_DST, dnnl::memory(result, engine, c.data())}};
  }
  void run() { primitive_.execute(stream_, arguments_), stream_.wait(); }
  const std::string& info() const { return info_; }

 private:
  dnnl::stream stream_;
  dnnl::primitive primitive_;
  std::unordered_map<int, dnnl::memory> arguments_;
  std::string info_;
};

// The core's peak: fused multiply-adds of registers alone, in vectors of 32 bytes (v3) or 64 (v4). GFLOP/s.
double peak(Isa isa) {
  constexpr int kTurns = 100000, kChains = 12;
  if (isa < Isa::v3) return 0;
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    const double start = thread_seconds();
    for (int turn = 0; turn < kTurns; ++turn) {
      if (isa == Isa::v4)
        asm volatile(".irp r,0,1,2,3,4,5,6,7,8,9,10,11\n vfmadd231ps %%zmm12, %%zmm12, %%zmm\\r\n .endr" ::
                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11");
      else
        asm volatile(".irp r,0,1,2,3,4,5,6,7,8,9,10,11\n vfmadd231ps %%ymm12, %%ymm12, %%ymm\\r\n .endr" ::
                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11");
    }
    best = std::min(best, thread_seconds() - start);
  }
  return 2e-9 * (isa == Isa::v4 ? 16 : 8) * kChains * kTurns / best;
}

double compare(const ProductSizes& s, int rounds, const MatmulKernels& kernels, const dnnl::engine& engine, const std::string& prefix) {
  std::vector<float> a(s.m * s.k), b(s.k * s.n), bt(s.k * s.n), c(s.m * s.n), expected;
  refill(a), refill(b);
  for (int64_t p = 0; p < s.k; ++p)
    for (int64_t j = 0; j < s.n; ++j) bt[j * s.k + p] = b[p * s.n + j];
  PackedMatrix packed = PackedMatrix::pack(DType::f32, b.data(), s.k, s.n, s.n, 1, &kernels);
  Matmul x;
  x.m = s.m, x.n = s.n, x.k = s.k, x.kernels = &kernels;
  x.a = a.data(), x.a_row = s.k, x.a_col = 1, x.c = c.data(), x.c_row = s.n, x.c_col = 1;
  Matmul with_packed = x, plain = x, transposed = x;
  with_packed.packed = &packed;
  plain.b = b.data(), plain.b_row = s.n, plain.b_col = 1;
  transposed.b = bt.data(), transposed.b_row = 1, transposed.b_col = s.k;

  using tag = dnnl::memory::format_tag;
  OneDnnProduct any(engine, s, a, b, bt, c, tag::any, false), kn(engine, s, a, b, bt, c, tag::ab, false),
      nk(engine, s, a, b, bt, c, tag::ba, false);
  OneDnnProduct inner_any(engine, s, a, b, bt, c, tag::any, true), inner_nk(engine, s, a, b, bt, c, tag::ab, true);
  std::vector<Contender> contenders = {
      {"ours, packed", false, [&] { matmul(with_packed); }, {}},
      {"ours, [k,n]", false, [&] { matmul(plain); }, {}},
      {"ours, [n,k]", false, [&] { matmul(transposed); }, {}},
      {"oneDNN matmul, any (" + any.info() + ")", true, [&] { any.run(); }, {}},
      {"oneDNN matmul, [k,n] (" + kn.info() + ")", true, [&] { kn.run(); }, {}},
      {"oneDNN matmul, [n,k] (" + nk.info() + ")", true, [&] { nk.run(); }, {}},
      {"oneDNN inner product, any (" + inner_any.info() + ")", true, [&] { inner_any.run(); }, {}},
      {"oneDNN inner product, [n,k] (" + inner_nk.info() + ")", true, [&] { inner_nk.run(); }, {}},
  };
  for (int round = -2; round < rounds; ++round) {
    refill(a);
    for (size_t i = 0; i < contenders.size(); ++i) {
      Contender& contender = contenders[(i + static_cast<size_t>(round + 2)) % contenders.size()];
      const double start = thread_seconds();
      contender.run();
      const double taken = thread_seconds() - start;
      if (round >= 0) contender.seconds.push_back(taken);
      if (i == 0) expected = c;
      for (size_t e = 0; e < c.size(); e += 37)
        if (!(std::abs(c[e] - expected[e]) <= 1.2e-7f * static_cast<float>(s.k) * 2)) {
          std::printf("%s differs at %zu: %g, %g\n", contender.name.c_str(), e, c[e], expected[e]);
          std::exit(1);
        }
    }
  }
  const double gflop = 2e-9 * static_cast<double>(s.m * s.k * s.n);
  double best[2] = {1e9, 1e9};
  for (Contender& contender : contenders) best[contender.library] = std::min(best[contender.library], contender.median());
  std::printf("%5ld x %4ld x %4ld\n", s.m, s.k, s.n);
  for (Contender& contender : contenders)
    std::printf("    %-52s %9.1f us  %6.1f GFLOP/s  %5.1f GB/s of weights\n", contender.name.c_str(), 1e6 * contender.median(),
                gflop / contender.median(), 4e-9 * static_cast<double>(s.k * s.n) / contender.median());
  auto ratio = [&](size_t ours, std::initializer_list<size_t> theirs) {
    double least = 1e9;
    for (size_t t : theirs) least = std::min(least, contenders[t].median());
    return least / contenders[ours].median();
  };
  std::printf("    ratio: best of each %.3f; weights ahead %.3f; [k,n] as it lies %.3f; [n,k] as it lies %.3f\n", best[1] / best[0],
              ratio(0, {3, 4, 5, 6, 7}), ratio(1, {4}), ratio(2, {5, 7}));
  std::printf("row product_%s%ldx%ldx%ld: %.9f %.9f\n", prefix.c_str(), s.m, s.k, s.n, best[0], best[1]);
  return best[1] / best[0];
}

// The register blocks alone, on data in the caches: GFLOP/s of each.
void blocks(Isa isa) {
  const MatmulKernels& kernels = jit_matmul_kernels(DType::f32, isa);
  std::printf("%s: the core's peak %.1f GFLOP/s; rows, panels: GFLOP/s\n", std::string(name(isa)).c_str(), peak(isa));
  const int64_t k = 256, panel = kernels.columns;
  std::vector<float> a(kMaxMatmulRows * 400), b(k * panel * kMaxMatmulPanels), c(kMaxMatmulRows * panel * kMaxMatmulPanels);
  refill(a), refill(b);
  for (int rows = 1; rows <= kernels.rows; ++rows) {
    std::printf("%2d rows:", rows);
    for (int panels = 1; panels <= kMaxMatmulPanels; ++panels) {
      MatmulKernelFn f = kernels.blocks[rows - 1][panels - 1];
      if (!f) continue;  // not made
      const int64_t n = panels * panel;
      double best = 1e9;
      for (int round = 0; round < 30; ++round) {
        const double start = thread_seconds();
        for (int i = 0; i < 50; ++i) f(k, a.data(), 400 * 4, b.data(), panel * 4, k * panel * 4, 0, c.data(), n * 4, n, 0, nullptr);
        best = std::min(best, (thread_seconds() - start) / 50);
      }
      std::printf("  %d: %6.1f", panels, 2e-9 * static_cast<double>(rows * n * k) / best);
    }
    std::printf("\n");
  }
}

int run(int argc, char** argv) {
  Isa isa = host_isa();
  std::string prefix;  // of the rows' names
  if (argc > 1 && std::string(argv[1]) == "--peak") return std::printf("peak %.1f GFLOP/s\n", peak(isa)), 0;
  if (argc > 1 && std::string(argv[1]) == "--blocks") {
    for (Isa each : {Isa::v3, Isa::v4})
      if (each <= isa) blocks(each);
    return 0;
  }
  if (argc > 2 && std::string(argv[1]) == "--isa") {
    if (std::string(argv[2]) == "v3") isa = Isa::v3, setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
    prefix = std::string(argv[2]) + "_";
    argc -= 2, argv += 2;
  }
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 101;
  std::vector<ProductSizes> sizes = {{128, 384, 1152}, {128, 384, 384}, {128, 384, 1536}, {128, 1536, 384},   {64, 784, 512},
                                     {1, 768, 2304},   {1, 768, 3072},  {4, 768, 768},    {1024, 1024, 1024}, {128, 32, 128}};
  if (argc > 2) sizes.clear();
  for (int i = 2; i < argc; ++i) {
    ProductSizes s{};
    if (std::sscanf(argv[i], "%ldx%ldx%ld", &s.m, &s.k, &s.n) != 3) return std::fprintf(stderr, "not MxKxN: %s\n", argv[i]), 2;
    sizes.push_back(s);
  }
  omp_set_num_threads(1);
  set_num_threads(1);
  const MatmulKernels& kernels = jit_matmul_kernels(DType::f32, isa);
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  double product = 1;
  for (const ProductSizes& s : sizes) product *= compare(s, rounds, kernels, engine, prefix);
  std::printf("%s, geometric mean of the best ratios: %.3f\n", std::string(name(isa)).c_str(),
              std::pow(product, 1.0 / static_cast<double>(sizes.size())));
  return 0;
}

}  // namespace
}  // namespace monograph

int main(int argc, char** argv) { return monograph::run(argc, argv); }
