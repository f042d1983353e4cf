// Our convolutions beside oneDNN's on one thread, in one interleaved run, and beside what the core can do at most. Inputs are new before each
// timed call; both sides get and give plain NCHW images and weights. oneDNN's figure is the better of two: its kernels for that layout, and
// its own blocked layout with the reorders of images, weights ordered ahead.
//
//   convolution_bench ROUNDS NAME:BATCH:INPUTS:OUTPUTS:KERNEL:STRIDE:PADDING:DILATION:GROUPS:SIZE...
//
// The times are the thread's own processor time, medians. A line `row kernel_NAME: OURS ONEDNN` is for bench/run.py.
#include <time.h>
#include <dnnl.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "bench_inputs.h"
#include "codegen/convolution.h"
#include "core/threads/pool.h"

extern "C" void omp_set_num_threads(int);

namespace monograph {
namespace {

// Links a second of the widest block on operands in the first level of the cache: what the core can do.
double peak(const ConvolutionKernels& kernels) {
  constexpr int64_t kLinks = 64;
  std::vector<float> weight(static_cast<size_t>(kernels.rows * kLinks)), image(4096), out(static_cast<size_t>(kernels.rows * 64)),
      none(12, -0.0f);
  std::vector<int32_t> offsets(kLinks);
  for (int64_t p = 0; p < kLinks; ++p) offsets[static_cast<size_t>(p)] = static_cast<int32_t>(p * kernels.narrow_width * 4);
  double best = 1e9;
  for (int round = 0; round < 200; ++round) {
    const double start = thread_seconds();
    for (int call = 0; call < 200; ++call)
      kernels.narrow[kernels.rows - 1](kLinks, weight.data(), kLinks * 4, image.data(), offsets.data(), out.data(), 256,
                                       kernels.narrow_width, none.data(), 1);
    best = std::min(best, thread_seconds() - start);
  }
  return 200.0 * static_cast<double>(kernels.rows * kernels.narrow_width * kLinks) / best;
}

struct ConvolutionShape {
  std::string name;
  int64_t batch, inputs, outputs, kernel, stride, padding, dilation, groups, size;
  int64_t out() const { return (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1; }
  double links() const {
    int64_t of_output = inputs / groups * kernel * kernel;
    return static_cast<double>(batch * outputs * out() * out() * of_output);
  }
};

class OneDnnConvolution {
 public:
  OneDnnConvolution(const dnnl::engine& engine, const ConvolutionShape& s, std::vector<float>& x, std::vector<float>& w,
                    std::vector<float>& y, bool blocked)
      : engine_(engine), stream_(engine) {
    using memory = dnnl::memory;
    using tag = memory::format_tag;
    constexpr auto f32 = memory::data_type::f32;
    const memory::dims xs{s.batch, s.inputs, s.size, s.size}, ys{s.batch, s.outputs, s.out(), s.out()};
    memory::dims ws{s.outputs, s.inputs, s.kernel, s.kernel};
    if (s.groups > 1) ws = {s.groups, s.outputs / s.groups, s.inputs / s.groups, s.kernel, s.kernel};
    const auto plain_w = s.groups > 1 ? tag::goihw : tag::oihw, image = blocked ? tag::any : tag::nchw;
    dnnl::convolution_forward::primitive_desc pd({dnnl::prop_kind::forward_inference,
                                                  dnnl::algorithm::convolution_direct,
                                                  {xs, f32, image},
                                                  {ws, f32, tag::any},
                                                  {ys, f32, image},
                                                  {s.stride, s.stride},
                                                  {s.dilation - 1, s.dilation - 1},
                                                  {s.padding, s.padding},
                                                  {s.padding, s.padding}},
                                                 engine);
    convolution_ = dnnl::convolution_forward(pd);
    info_ = pd.impl_info_str();
    x_ = memory({xs, f32, tag::nchw}, engine, x.data()), y_ = memory({ys, f32, tag::nchw}, engine, y.data());
    memory weight({ws, f32, plain_w}, engine, w.data());
    x_own_ = pd.src_desc() == x_.get_desc() ? x_ : memory(pd.src_desc(), engine);
    y_own_ = pd.dst_desc() == y_.get_desc() ? y_ : memory(pd.dst_desc(), engine);
    w_ = memory(pd.weights_desc(), engine);
    dnnl::reorder(weight, w_).execute(stream_, weight, w_);
    if (x_own_ != x_) in_ = dnnl::reorder(x_, x_own_);
    if (y_own_ != y_) out_ = dnnl::reorder(y_own_, y_);
    stream_.wait();
  }
  void run() {
    if (x_own_ != x_) in_.execute(stream_, x_, x_own_);
    convolution_.execute(stream_, {{DNNL_ARG_SRC, x_own_}, {DNNL_ARG_WEIGHTS, w_}, {DNNL_ARG_DST, y_own_}});
    if (y_own_ != y_) out_.execute(stream_, y_own_, y_);
    stream_.wait();
  }
  const std::string& info() const { return info_; }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::convolution_forward convolution_;
  dnnl::reorder in_, out_;
  dnnl::memory x_, y_, x_own_, y_own_, w_;
  std::string info_;
};

void compare(const ConvolutionShape& s, int rounds, const ConvolutionKernels& kernels, double most, const dnnl::engine& engine) {
  std::vector<float> x(static_cast<size_t>(s.batch * s.inputs * s.size * s.size)),
      w(static_cast<size_t>(s.outputs * (s.inputs / s.groups) * s.kernel * s.kernel)),
      y(static_cast<size_t>(s.batch * s.outputs * s.out() * s.out())), expected;
  refill(x), refill(w);
  Convolution c;
  c.batch = s.batch, c.groups = s.groups, c.inputs = s.inputs / s.groups, c.outputs = s.outputs / s.groups;
  c.rows = c.columns = {s.size, s.out(), s.kernel, s.stride, -s.padding, s.dilation};
  const int64_t plane = s.size * s.size, result = s.out() * s.out(), taps = s.kernel * s.kernel;
  c.image = x.data(), c.weight = w.data(), c.result = y.data(), c.kernels = &kernels;
  std::copy_n(std::vector<int64_t>{s.inputs * plane, plane, s.size, 1}.data(), 4, c.image_strides);
  std::copy_n(std::vector<int64_t>{s.outputs * result, result, s.out(), 1}.data(), 4, c.result_strides);
  std::copy_n(std::vector<int64_t>{c.outputs * c.inputs * taps, c.inputs * taps, taps, s.kernel, 1}.data(), 5, c.weight_strides);
  char* scratch = static_cast<char*>(std::aligned_alloc(64, static_cast<size_t>((convolution_scratch(c) + 63) / 64 * 64)));
  OneDnnConvolution plain(engine, s, x, w, y, false), blocked(engine, s, x, w, y, true);
  std::vector<Contender> contenders = {{"ours", false, [&] { convolve(c, scratch); }, {}},
                                       {"oneDNN, nchw (" + plain.info() + ")", true, [&] { plain.run(); }, {}},
                                       {"oneDNN, blocked (" + blocked.info() + ")", true, [&] { blocked.run(); }, {}}};
  for (int round = -1; round < rounds; ++round) {
    refill(x);
    for (size_t i = 0; i < contenders.size(); ++i) {
      Contender& contender = contenders[(i + static_cast<size_t>(round + 1)) % contenders.size()];
      const double start = thread_seconds();
      contender.run();
      const double taken = thread_seconds() - start;
      if (round >= 0) contender.seconds.push_back(taken);
      if (i == 0) expected = y;
      for (size_t e = 0; e < y.size(); e += 37)
        if (!(std::abs(y[e] - expected[e]) <= 2.4e-7f * static_cast<float>(c.inputs * taps))) {
          std::printf("%s differs at %zu: %g, %g\n", contender.name.c_str(), e, y[e], expected[e]);
          std::exit(1);
        }
    }
  }
  std::free(scratch);
  std::printf("%s, batch %ld\n", s.name.c_str(), s.batch);
  for (Contender& contender : contenders)
    std::printf("    %-40s %9.1f us  %6.1f GFLOP/s  %3.0f %% of the core's peak\n", contender.name.c_str(), 1e6 * contender.median(),
                2e-9 * s.links() / contender.median(), 100 * s.links() / contender.median() / most);
  std::printf("row kernel_%s: %.9f %.9f\n", s.name.c_str(), contenders[0].median(),
              std::min(contenders[1].median(), contenders[2].median()));
}

int run(int argc, char** argv) {
  omp_set_num_threads(1), set_num_threads(1);
  const ConvolutionKernels& kernels = jit_convolution_kernels(DType::f32, host_isa());
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const double most = peak(kernels);
  std::printf("%s, measured peak of the core: %.1f GFLOP/s\n", std::string(name(host_isa())).c_str(), 2e-9 * most);
  for (int i = 2; i < argc; ++i) {
    ConvolutionShape s{};
    char text[64];
    if (std::sscanf(argv[i], "%63[^:]:%ld:%ld:%ld:%ld:%ld:%ld:%ld:%ld:%ld", text, &s.batch, &s.inputs, &s.outputs, &s.kernel, &s.stride,
                    &s.padding, &s.dilation, &s.groups, &s.size) != 10)
      return std::fprintf(stderr, "not NAME:BATCH:INPUTS:...: %s\n", argv[i]), 2;
    s.name = text;
    compare(s, std::atoi(argv[1]), kernels, most, engine);
  }
  return 0;
}

}  // namespace
}  // namespace monograph

int main(int argc, char** argv) { return monograph::run(argc, argv); }
