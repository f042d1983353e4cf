// Convolution, pooling and batch normalization over images (N, C, H, W). A convolution is a matrix product over the unfolded image, so that its
// sums have the product's order (docs/numerics.md) and its gradients follow.
#include <cmath>

#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/pointwise.h"
#include "ops/registry.h"

namespace monograph {
namespace {

// The places of a window over one axis.
struct Axis {
  int64_t size, kernel, stride, padding, dilation, out;
  Axis(int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation, bool ceil, std::string_view op)
      : size(size), kernel(kernel), stride(stride), padding(padding), dilation(dilation) {
    MONOGRAPH_CHECK(kernel > 0 && stride > 0 && dilation > 0 && padding >= 0, Runtime, "[", op,
                    "] kernel size, stride and dilation must be greater than zero and padding not negative");
    int64_t room = size + 2 * padding - dilation * (kernel - 1) - 1;
    out = (room + (ceil ? stride - 1 : 0)) / stride + 1;
    if (ceil && (out - 1) * stride >= size + padding) --out;  // a window starts inside the image or its left padding
    MONOGRAPH_CHECK(room >= 0 && out > 0, Runtime, "[", op, "] Calculated padded input size per channel: ", size + 2 * padding,
                    ". Kernel size: ", dilation * (kernel - 1) + 1, ". Kernel size can't be greater than actual input size");
  }
  // The place in the image of window o's element k, or -1 in the padding.
  int64_t at(int64_t o, int64_t k) const {
    int64_t i = o * stride - padding + k * dilation;
    return i >= 0 && i < size ? i : -1;
  }
};

int64_t pick(const IValue& v, size_t k) { return v.to_ints()[v.to_ints().size() == 1 ? 0 : k]; }

// A number for both axes, or one for each; where the schema says so, none.
void check_pair(const IValue& v, const char* what, std::string_view op, bool or_none = false) {
  const size_t n = v.to_ints().size();
  MONOGRAPH_CHECK(n == 1 || n == 2 || (or_none && n == 0), Runtime, "[", op, "] expected ", what,
                  " to be a single integer value or a list of 2 values, but got ", what, "=", to_string(v.to_ints()));
}

// Only a batch may be without elements: its images have pixels, and channels.
void check_pixels(const Tensor& t, std::string_view op) {
  for (int64_t d = t.dim() == 4 ? 1 : 0; d < t.dim(); ++d)
    MONOGRAPH_CHECK(t.size(d) != 0, Runtime, "[", op,
                    "] Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got: ", to_string(t.sizes()));
}

void check_image(const Tensor& t, std::string_view op) {
  MONOGRAPH_CHECK(t.dim() == 3 || t.dim() == 4, Runtime, "[", op,
                  "] Expected 3D (unbatched) or 4D (batched) input, but got input of size: ", to_string(t.sizes()));
}

// Adds in the dtype's compute type.
template <class T>
T sum_of(T a, T b) {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) return T(static_cast<float>(a) + static_cast<float>(b));
  else return static_cast<T>(a + b);
}

// Calls f(image offset or -1, column offset) for every element of every window of one image of C planes.
template <class F>
void for_windows(int64_t channels, const Axis& h, const Axis& w, F&& f) {
  int64_t column = 0;
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t i = 0; i < h.kernel; ++i)
      for (int64_t j = 0; j < w.kernel; ++j)
        for (int64_t y = 0; y < h.out; ++y)
          for (int64_t x = 0; x < w.out; ++x, ++column) {
            int64_t row = h.at(y, i), col = w.at(x, j);
            f(row < 0 || col < 0 ? -1 : (c * h.size + row) * w.size + col, column);
          }
}

// im2col and col2im share their last four arguments: kernel_size, dilation, padding, stride.
Axis unfold_axis(int64_t size, const IValue* a, size_t k, std::string_view op) {
  const char* names[] = {"kernel_size", "dilation", "padding", "stride"};
  for (size_t i = 0; i < 4; ++i) check_pair(a[i], names[i], op);
  return {size, pick(a[0], k), pick(a[3], k), pick(a[2], k), pick(a[1], k), false, op};
}

void eval_im2col(const Operator& op, const IValue* a, IValue* results) {
  Tensor image = contiguous(a[0].as_tensor());
  MONOGRAPH_CHECK(image.dim() == 4, Runtime, "[", op.name(), "] expected an image of 4 dims, but got size ", to_string(image.sizes()));
  Axis h = unfold_axis(image.size(2), a + 1, 0, op.name()), w = unfold_axis(image.size(3), a + 1, 1, op.name());
  int64_t channels = image.size(1), plane = channels * h.size * w.size, columns = channels * h.kernel * w.kernel * h.out * w.out;
  Tensor out = empty({image.size(0), channels * h.kernel * w.kernel, h.out * w.out}, image.dtype(), image.device());
  results[0] = out;
  dispatch(image.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t n = 0; n < image.size(0); ++n) {
      const T* from = image.data_as<T>() + n * plane;
      T* to = out.data_as<T>() + n * columns;
      for_windows(channels, h, w, [&](int64_t i, int64_t c) { to[c] = i < 0 ? T(0) : from[i]; });
    }
  });
}

void eval_col2im(const Operator& op, const IValue* a, IValue* results) {
  Tensor columns = contiguous(a[0].as_tensor());
  check_pair(a[1], "output_size", op.name());
  Axis h = unfold_axis(pick(a[1], 0), a + 2, 0, op.name()), w = unfold_axis(pick(a[1], 1), a + 2, 1, op.name());
  MONOGRAPH_CHECK(columns.dim() == 3 && columns.size(1) % (h.kernel * w.kernel) == 0 && columns.size(2) == h.out * w.out, Runtime, "[",
                  op.name(), "] columns of size ", to_string(columns.sizes()), " do not fold into an image of size ",
                  to_string(a[1].to_ints()));
  int64_t channels = columns.size(1) / (h.kernel * w.kernel), plane = channels * h.size * w.size;
  Tensor out = "zeros"_op(Dims{columns.size(0), channels, h.size, w.size}, columns.dtype());
  results[0] = out;
  dispatch(columns.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t n = 0; n < columns.size(0); ++n) {
      T* to = out.data_as<T>() + n * plane;
      const T* from = columns.data_as<T>() + n * columns.size(1) * columns.size(2);
      for_windows(channels, h, w, [&](int64_t i, int64_t c) {
        if (i >= 0) to[i] = sum_of(to[i], from[c]);
      });
    }
  });
}

void check_conv2d(const Operator& op, const IValue* a) {
  const Tensor &x = a[0].as_tensor(), &w = a[1].as_tensor();
  check_pair(a[3], "stride", op.name()), check_pair(a[4], "padding", op.name()), check_pair(a[5], "dilation", op.name());
  MONOGRAPH_CHECK(x.dtype() == w.dtype(), Runtime, "[", op.name(), "] Input type (", info(x.dtype()).scalar_type, ") and weight type (",
                  info(w.dtype()).scalar_type, ") should be the same");
  MONOGRAPH_CHECK(w.dim() != 4 || w.size(0) > 0, Runtime, "[", op.name(),
                  "] expected weight to be at least 1 at dimension 0, but got weight of size ", to_string(w.sizes()));
  if (a[2].is_none()) return;
  const Tensor& bias = a[2].as_tensor();
  MONOGRAPH_CHECK(bias.dtype() == x.dtype(), Runtime, "[", op.name(), "] Input type (", info(x.dtype()).scalar_type, ") and bias type (",
                  info(bias.dtype()).scalar_type, ") should be the same");
  MONOGRAPH_CHECK(w.dim() != 4 || bias.sizes() == Dims{w.size(0)}, Runtime, "[", op.name(), "] Given weight of size ", to_string(w.sizes()),
                  ", expected bias to be 1-dimensional with ", w.size(0), " elements, but got bias of size ", to_string(bias.sizes()),
                  " instead");
}

IValue decompose_conv2d(const IValue* a) {
  Tensor x = a[0].to_tensor(), w = a[1].to_tensor();
  check_image(x, "aten::conv2d");
  MONOGRAPH_CHECK(w.dim() == 4, Runtime, "[aten::conv2d] expected a weight of 4 dims, but got size ", to_string(w.sizes()));
  if (x.dim() == 3) return "squeeze"_op("conv2d"_op("unsqueeze"_op(x, 0), a[1], a[2], a[3], a[4], a[5], a[6]), 0);
  int64_t groups = a[6].to_int(), out = w.size(0), k = w.size(1) * w.size(2) * w.size(3);
  MONOGRAPH_CHECK(groups > 0 && out % groups == 0 && w.size(1) * groups == x.size(1), Runtime, "[aten::conv2d] Given groups=", groups,
                  ", weight of size ", to_string(w.sizes()), ", expected input", to_string(x.sizes()), " to have ", w.size(1) * groups,
                  " channels, but got ", x.size(1), " channels instead");
  Axis h(x.size(2), w.size(2), pick(a[3], 0), pick(a[4], 0), pick(a[5], 0), false, "aten::conv2d"),
      v(x.size(3), w.size(3), pick(a[3], 1), pick(a[4], 1), pick(a[5], 1), false, "aten::conv2d");
  Tensor columns = "im2col"_op(x, Dims{w.size(2), w.size(3)}, a[5], a[4], a[3]);
  columns = "reshape"_op(columns, Dims{x.size(0), groups, k, h.out * v.out});
  Tensor product = "matmul"_op("reshape"_op(w, Dims{groups, out / groups, k}), columns);
  Tensor image = "reshape"_op(product, Dims{x.size(0), out, h.out, v.out});
  if (x.size(1) == 0) return "narrow"_op(image, 1, 0, 0);  // as in PyTorch, which gives no channel for none
  return a[2].is_none() ? image : Tensor("add"_op(image, "reshape"_op(a[2], Dims{out, 1, 1})));
}

// Pooling's kernel_size, stride (empty: the kernel's), padding, dilation.
Axis pool_axis(const Tensor& t, int64_t dim, size_t k, const IValue& kernel, const IValue& stride, const IValue& padding, int64_t dilation,
               bool ceil, std::string_view op) {
  check_pair(kernel, "kernel_size", op), check_pair(stride, "stride", op, true), check_pair(padding, "padding", op);
  int64_t size = pick(kernel, k);
  MONOGRAPH_CHECK(pick(padding, k) * 2 <= size, Runtime, "[", op,
                  "] pad should be at most half of effective kernel size, but got pad=", pick(padding, k), ", kernel_size=", size);
  return {t.size(dim), size, stride.to_ints().empty() ? size : pick(stride, k), pick(padding, k), dilation, ceil, op};
}

Dims pooled(const Tensor& t, const Axis& h, const Axis& w) {
  Dims sizes = t.sizes();
  sizes[sizes.size() - 2] = h.out, sizes[sizes.size() - 1] = w.out;
  return sizes;
}

void eval_max_pool(const Operator& op, const IValue* a, IValue* results) {
  Tensor x = contiguous(a[0].as_tensor());
  check_image(x, op.name()), check_pixels(x, op.name());
  check_pair(a[4], "dilation", op.name());
  Axis h = pool_axis(x, -2, 0, a[1], a[2], a[3], pick(a[4], 0), a[5].to_bool(), op.name()),
       w = pool_axis(x, -1, 1, a[1], a[2], a[3], pick(a[4], 1), a[5].to_bool(), op.name());
  Dims sizes = pooled(x, h, w);
  Tensor out = empty(sizes, x.dtype()), index = empty(sizes, DType::i64);
  results[0] = out, results[1] = index;
  dispatch(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_convertible_v<T, float> && !std::is_same_v<T, bool>) {
      int64_t planes = out.numel() / (h.out * w.out), at = 0;
      for (int64_t p = 0; p < planes; ++p)
        for (int64_t y = 0; y < h.out; ++y)
          for (int64_t v = 0; v < w.out; ++v, ++at) {
            const T* from = x.data_as<T>() + p * h.size * w.size;
            int64_t best = -1;
            for (int64_t i = 0; i < h.kernel; ++i)
              for (int64_t j = 0; j < w.kernel; ++j) {
                int64_t row = h.at(y, i), col = w.at(v, j);
                if (row < 0 || col < 0) continue;
                int64_t k = row * w.size + col;
                if (best < 0 || from[k] > from[best] || from[k] != from[k]) best = k;  // the first of the largest; a NaN wins
              }
            out.data_as<T>()[at] = from[best];
            index.data_as<int64_t>()[at] = best;
          }
    } else {
      fail(ErrorKind::NotImplemented, "[", op.name(), "] \"max_pool2d\" not implemented for '", info(x.dtype()).scalar_type, "'");
    }
  });
}

// Calls f(image offset, result offset, 1 / divisor) for every element of every window of an average.
template <class F>
void for_averages(const Tensor& x, const IValue* a, std::string_view op, F&& f) {
  bool ceil = a[3].to_bool(), include = a[4].to_bool();
  Axis h = pool_axis(x, -2, 0, a[0], a[1], a[2], 1, ceil, op), w = pool_axis(x, -1, 1, a[0], a[1], a[2], 1, ceil, op);
  int64_t planes = x.numel() / (h.size * w.size), at = 0;
  auto span = [](const Axis& s, int64_t o) {
    return std::min(o * s.stride - s.padding + s.kernel, s.size + s.padding) - (o * s.stride - s.padding);
  };
  for (int64_t p = 0; p < planes; ++p)
    for (int64_t y = 0; y < h.out; ++y)
      for (int64_t v = 0; v < w.out; ++v, ++at) {
        int64_t inside = 0;
        for (int64_t i = 0; i < h.kernel; ++i)
          for (int64_t j = 0; j < w.kernel; ++j) inside += h.at(y, i) >= 0 && w.at(v, j) >= 0;
        int64_t divisor = !a[5].is_none() ? a[5].to_int() : include ? span(h, y) * span(w, v) : inside;
        MONOGRAPH_CHECK(divisor != 0, Runtime, "[", op, "] divisor must be not zero");
        for (int64_t i = 0; i < h.kernel; ++i)
          for (int64_t j = 0; j < w.kernel; ++j)
            if (int64_t row = h.at(y, i), col = w.at(v, j); row >= 0 && col >= 0) f((p * h.size + row) * w.size + col, at, divisor);
      }
}

void eval_avg_pool(const Operator& op, const IValue* a, IValue* results) {
  Tensor x = contiguous(a[0].as_tensor());
  check_image(x, op.name()), check_pixels(x, op.name());
  bool ceil = a[4].to_bool();
  Axis h = pool_axis(x, -2, 0, a[1], a[2], a[3], 1, ceil, op.name()), w = pool_axis(x, -1, 1, a[1], a[2], a[3], 1, ceil, op.name());
  MONOGRAPH_CHECK(is_floating(x.dtype()), NotImplemented, "[", op.name(), "] \"avg_pool2d\" not implemented for '",
                  info(x.dtype()).scalar_type, "'");
  DType wide = x.dtype() == DType::f64 ? DType::f64 : DType::f32;
  Tensor from = x.dtype() == wide ? x : convert_tensor(x, wide), sums = "zeros"_op(pooled(x, h, w), wide),
         counts = "ones"_op(pooled(x, h, w), wide);
  dispatch(wide, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>)
      for_averages(x, a + 1, op.name(), [&](int64_t i, int64_t o, int64_t divisor) {
        sums.data_as<T>()[o] += from.data_as<T>()[i], counts.data_as<T>()[o] = static_cast<T>(divisor);
      });
  });
  Tensor mean = "div"_op(sums, counts);
  results[0] = wide == x.dtype() ? mean : convert_tensor(mean, x.dtype());
}

void eval_avg_pool_backward(const Operator& op, const IValue* a, IValue* results) {
  Tensor grad = contiguous(a[0].as_tensor());
  const Tensor& x = a[1].as_tensor();
  check_image(x, op.name()), check_pixels(x, op.name());
  Tensor out = "zeros"_op(x.sizes(), grad.dtype());
  dispatch(grad.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>)
      for_averages(out, a + 2, op.name(),
                   [&](int64_t i, int64_t o, int64_t divisor) { out.data_as<T>()[i] += grad.data_as<T>()[o] / static_cast<T>(divisor); });
    else
      fail(ErrorKind::NotImplemented, "[", op.name(), "] gradients are not implemented for '", info(grad.dtype()).scalar_type,
           "'; compute in float32");
  });
  results[0] = out;
}

// Means over windows that together cover a dim: rows first, then columns.
IValue decompose_adaptive(const IValue* a) {
  Tensor x = a[0].to_tensor();
  check_image(x, "aten::adaptive_avg_pool2d");
  const Dims wanted = a[1].to_ints();
  MONOGRAPH_CHECK(wanted.size() == 2 && wanted[0] >= 0 && wanted[1] >= 0, Runtime,
                  "[aten::adaptive_avg_pool2d] expected output_size to have 2 values, none of them negative, but got ", to_string(wanted));
  if (pick(a[1], 0) == 1 && pick(a[1], 1) == 1) return "mean"_op(x, Dims{-1, -2}, true);
  MONOGRAPH_CHECK(x.size(-1) && x.size(-2), Runtime,
                  "[aten::adaptive_avg_pool2d] Expected input to have non-zero size for non-batch dimensions, but input has sizes ",
                  to_string(x.sizes()));
  for (int64_t dim : {-2, -1}) {
    int64_t n = x.size(dim), out = pick(a[1], dim == -2 ? 0 : 1);
    if (n == out) continue;
    if (out == 0) {
      x = "slice"_op(x, dim, 0, 0);
      continue;
    }
    std::vector<IValue> parts;
    parts.reserve(static_cast<size_t>(out));
    for (int64_t i = 0; i < out; ++i)
      parts.push_back("mean"_op("slice"_op(x, dim, i * n / out, ((i + 1) * n + out - 1) / out), Dims{dim}, true));
    x = "cat"_op(IValue::list(std::move(parts)), dim);
  }
  return x.is_same(a[0].as_tensor()) ? "clone"_op(x) : IValue(x);
}

// Parameters have the input's dtype, or float32 beside 16 bits, and an element a channel.
void check_batch_norm(const Operator& op, const IValue* a) {
  const Tensor& x = a[0].as_tensor();
  MONOGRAPH_CHECK(is_floating(x.dtype()), NotImplemented, "[", op.name(), "] \"batch_norm\" not implemented for '",
                  info(x.dtype()).scalar_type, "'; convert the input first, for example x.to(torch.float32)");
  for (size_t k = 1; k < 5; ++k) {
    if (a[k].is_none() || x.dim() < 2) continue;
    const Tensor& t = a[k].as_tensor();
    const std::string& name = op.schema().arguments()[k].name;
    MONOGRAPH_CHECK(t.numel() == x.size(1), Runtime, "[", op.name(), "] ", name, " should contain ", x.size(1), " elements not ",
                    t.numel());
    MONOGRAPH_CHECK(t.dtype() == x.dtype() || (element_size(x.dtype()) == 2 && t.dtype() == DType::f32), Runtime, "[", op.name(),
                    "] expected ", name, " to have scalar type ", info(x.dtype()).scalar_type, ", but got ", info(t.dtype()).scalar_type);
  }
}

IValue decompose_batch_norm(const IValue* a) {
  Tensor x = a[0].to_tensor();
  const DType dtype = x.dtype();
  if (element_size(dtype) == 2) x = "to"_op(x, DType::f32);  // computed in float32, and rounded once
  MONOGRAPH_CHECK(x.dim() >= 2, Runtime, "[aten::batch_norm] expected at least 2 dims, but got size ", to_string(x.sizes()));
  Dims shape(x.sizes().size(), 1);
  shape[1] = x.size(1);
  bool training = a[5].to_bool();
  Tensor mean, var;
  if (training) {
    // A row a channel.
    Tensor rows = "reshape"_op("transpose"_op(x, 0, 1), Dims{x.size(1), -1});
    mean = "mean"_op(rows, Dims{1});
    var = "mean"_op("square"_op("sub"_op(rows, "unsqueeze"_op(mean, 1))), Dims{1});
    int64_t n = x.size(1) ? x.numel() / x.size(1) : 0;
    MONOGRAPH_CHECK(n != 1, Value, "[aten::batch_norm] Expected more than 1 value per channel when training, got input size torch.Size(",
                    to_string(x.sizes()), ")");
    auto update = [&](const IValue& running, const Tensor& now, double factor) {
      if (running.is_none() || n == 0) return;
      GradModeScope no_grad(false);
      "copy_"_op(running, "add"_op("mul"_op(running, 1 - a[6].to_double()), "mul"_op("detach"_op(now), a[6].to_double() * factor)));
    };
    update(a[3], mean, 1), update(a[4], var, static_cast<double>(n) / static_cast<double>(n - 1));
  } else {
    MONOGRAPH_CHECK(!a[3].is_none() && !a[4].is_none(), Runtime,
                    "[aten::batch_norm] Expected running_mean and running_var to be defined when training=False");
    mean = a[3].to_tensor(), var = a[4].to_tensor();
  }
  Tensor scale = "rsqrt"_op("add"_op(var, a[7]));
  if (!a[1].is_none()) scale = "mul"_op(scale, a[1]);
  Tensor y = "mul"_op("sub"_op(x, "reshape"_op(mean, shape)), "reshape"_op(scale, shape));
  if (!a[2].is_none()) y = "add"_op(y, "reshape"_op(a[2], shape));
  return y.dtype() == dtype ? y : Tensor("to"_op(y, dtype));
}

// --- What is known of their results.

Dim windows(const Dim& size, const Dim& kernel, const Dim& stride, const Dim& padding, const Dim& dilation, bool ceil) {
  if (!size || !kernel || !stride || !padding || !dilation) return {};
  SymInt room = *size + SymInt(2) * *padding - *dilation * (*kernel - SymInt(1)) - SymInt(1);
  if (!ceil) return floordiv(room, *stride) + SymInt(1);
  if (!room.is_int() || !stride->is_int()) return {};
  int64_t out = (room.as_int() + stride->as_int() - 1) / stride->as_int() + 1;
  return SymInt(out - ((out - 1) * stride->as_int() >= size->as_int() + padding->as_int()));
}

Dim part(const Shape& list, size_t k) { return list && !list->empty() ? (*list)[list->size() == 1 ? 0 : k] : Dim(); }

void infer_im2col(InferCall& c) {
  const Shape& s = c.sizes(0);
  if (!s || s->size() != 4) return c.like(0, std::vector<Dim>(3));
  std::vector<Dim> grid, kernel;
  for (size_t k = 0; k < 2; ++k) {
    kernel.push_back(part(c.size_list(1), k));
    grid.push_back(windows((*s)[2 + k], kernel[k], part(c.size_list(4), k), part(c.size_list(3), k), part(c.size_list(2), k), false));
  }
  kernel.push_back((*s)[1]);
  c.like(0, std::vector<Dim>{(*s)[0], product(kernel), product(grid)});
}

void infer_col2im(InferCall& c) {
  const Shape& s = c.sizes(0);
  Shape kernel = c.size_list(2), image = c.size_list(1);
  Dim cells = kernel ? product(*kernel) : Dim(),
      channels = s && s->size() == 3 && (*s)[1] && cells ? Dim(floordiv(*(*s)[1], *cells)) : Dim();
  c.like(0, std::vector<Dim>{s && s->size() == 3 ? (*s)[0] : Dim(), channels, part(image, 0), part(image, 1)});
}

void infer_conv2d(InferCall& c) {
  Shape s = c.sizes(0);
  const Shape& w = c.sizes(1);
  if (!s || !w || w->size() != 4 || (s->size() != 3 && s->size() != 4)) return c.like(0, {});
  size_t at = s->size() - 2;
  const Dim& channels = (*s)[at - 1];
  if (!channels || !channels->is_int() || channels->as_int() != 0) (*s)[at - 1] = (*w)[0];
  for (size_t k = 0; k < 2; ++k)
    (*s)[at + k] = windows((*s)[at + k], (*w)[2 + k], part(c.size_list(3), k), part(c.size_list(4), k), part(c.size_list(5), k), false);
  c.like(0, s);
}

// The sizes after pooling with kernel_size, stride, padding at 1, 2, 3.
Shape pooled_shape(const InferCall& c, int dilation, size_t ceil) {
  Shape s = c.sizes(0), kernel = c.size_list(1), stride = c.size_list(2);
  if (!s || s->size() < 3) return {};
  if (stride && stride->empty()) stride = kernel;
  for (size_t k = 0; k < 2; ++k) {
    Dim& d = (*s)[s->size() - 2 + k];
    auto up = c.truth(ceil);
    d = up ? windows(d, part(kernel, k), part(stride, k), part(c.size_list(3), k),
                     dilation < 0 ? Dim(SymInt(1)) : part(c.size_list(static_cast<size_t>(dilation)), k), *up)
           : Dim();
  }
  return s;
}
void infer_max_pool(InferCall& c) {
  Shape s = pooled_shape(c, 4, 5);
  c.like(0, s);
  if (c.op.results() == 2) c.tensor(s, DType::i64);
}
void infer_avg_pool(InferCall& c) { c.like(0, pooled_shape(c, -1, 4)); }

void infer_adaptive(InferCall& c) {
  Shape s = c.sizes(0);
  if (s && s->size() >= 2)
    for (size_t k = 0; k < 2; ++k) (*s)[s->size() - 2 + k] = part(c.size_list(1), k);
  c.like(0, s);
}

}  // namespace

void convolution(Registry& r) {
  r.op("im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor")
      .eval(eval_im2col)
      .infer(infer_im2col)
      .namespaced("_nn")
      .gradient([](GradCall& c) {
        c.set(0, "col2im"_op(c.grad(), Dims{c.sizes(0)[2], c.sizes(0)[3]}, c.value(1), c.value(2), c.value(3), c.value(4)));
      })
      .onnx(none("export the convolution that it is part of"))
      .doc("Each window of the images as a column.");
  r.op("col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor")
      .eval(eval_col2im)
      .infer(infer_col2im)
      .namespaced("_nn")
      .gradient([](GradCall& c) { c.set(0, "im2col"_op(c.grad(), c.value(2), c.value(3), c.value(4), c.value(5))); })
      .onnx(none("im2col, its inverse, has no operator"))
      .doc("Columns added into the images whose windows they are.");
  r.op("conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] dilation=1, SymInt "
       "groups=1) -> Tensor")
      .check(check_conv2d)
      .decompose(decompose_conv2d)
      .contracts(1, Contraction::Terms::AllButFirst)
      .infer(infer_conv2d)
      .onnx("Conv(input, weight, bias, strides=stride, pads=twice(padding), dilations=dilation, group=groups) if rank(input) = 4")
      .doc("Each output channel: the sum over the input channels and the window of weight times input.");
  r.op("max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool "
       "ceil_mode=False) -> (Tensor, Tensor)")
      .eval(eval_max_pool)
      .infer(infer_max_pool)
      .namespaced("_nn")
      .gradient([](GradCall& c) {
        Dims flat(c.sizes(0));
        int64_t width = flat.back();
        flat.resize(flat.size() - 1);
        flat[flat.size() - 1] *= width;
        Tensor g = "gather_backward"_op("flatten"_op(c.grad(), -2), flat, -1, "flatten"_op(c.result(1), -2));
        c.set(0, "reshape"_op(g, c.sizes(0)));
      })
      .kinked()
      .onnx(
          "out: MaxPool(self, kernel_shape=kernel_size, strides=kernel_size, pads=twice(padding), dilations=dilation, ceil_mode=ceil_mode) "
          "| MaxPool(self, kernel_shape=kernel_size, strides=stride, pads=twice(padding), dilations=dilation, ceil_mode=ceil_mode)")
      .doc("The largest element of each window, and its place in the plane.");
  r.op("max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor")
      .infer(infer_max_pool)
      .decompose([](const IValue* a) -> IValue { return "max_pool2d_with_indices"_op(a[0], a[1], a[2], a[3], a[4], a[5]).items()[0]; },
                 Reads::Nothing)
      .onnx(
          "MaxPool(self, kernel_shape=kernel_size, strides=kernel_size, pads=twice(padding), dilations=dilation, ceil_mode=ceil_mode) | "
          "MaxPool(self, kernel_shape=kernel_size, strides=stride, pads=twice(padding), dilations=dilation, ceil_mode=ceil_mode)")
      .doc("The largest element of each window.");
  r.op("avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, "
       "int? divisor_override=None) -> Tensor")
      .eval(eval_avg_pool)
      .infer(infer_avg_pool)
      .namespaced("_nn")
      .gradient([](GradCall& c) {
        c.set(0, "avg_pool2d_backward"_op(c.grad(), c.value(0), c.value(1), c.value(2), c.value(3), c.value(4), c.value(5), c.value(6)));
      })
      .onnx(
          "AveragePool(self, kernel_shape=kernel_size, strides=kernel_size, pads=twice(padding), ceil_mode=ceil_mode, "
          "count_include_pad=count_include_pad) | AveragePool(self, kernel_shape=kernel_size, strides=stride, pads=twice(padding), "
          "ceil_mode=ceil_mode, count_include_pad=count_include_pad)")
      .doc("The mean of each window.");
  r.op("avg_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, bool ceil_mode, bool "
       "count_include_pad, int? divisor_override) -> Tensor")
      .eval(eval_avg_pool_backward)
      .infer([](InferCall& c) { c.like(0, c.sizes(1)); })
      .namespaced("_nn")
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "avg_pool2d"_op(c.grad(), c.value(2), c.value(3), c.value(4), c.value(5), c.value(6), c.value(7)));
        if (c.needs(1)) c.set(1, "zeros_like"_op(c.arg(1)));
      })
      .onnx(none("training only"))
      .doc("The gradient of avg_pool2d.");
  r.op("adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor")
      .decompose(decompose_adaptive)
      .infer(infer_adaptive)
      .namespaced("_nn")
      .onnx("out: GlobalAveragePool(self) if output_size = 1")
      .doc("The means of windows that divide each plane into `output_size` parts.");
  ir::Effects updates;
  updates.reads = updates.writes = ir::Effects::Memory;  // the running statistics, which the schema does not mark
  r.op("batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, "
       "float eps, bool cudnn_enabled) -> Tensor")
      .check(check_batch_norm)
      .decompose(decompose_batch_norm)
      .infer([](InferCall& c) { c.like(0, c.sizes(0)); })
      .effects(updates)
      .onnx(
          "BatchNormalization(input, weight, bias, running_mean, running_var, epsilon=eps) if given(weight), given(bias), training = "
          "False, momentum ~ 0.1, cudnn_enabled ~ True")
      .doc("Each channel centred and scaled, by its own statistics in training, which then move the running ones, else by those.");
}

}  // namespace monograph
