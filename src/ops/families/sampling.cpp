// The operators behind torch.nn.functional.grid_sample and affine_grid. The grid samplers have kernels, for images and for volumes; affine_grid_generator
// decomposes into a matrix product.
#include <array>
#include <string>
#include <vector>

#include "kernels/grid_sample.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/rule.h"

namespace monograph {
namespace {

constexpr int64_t kCubicMode = 2;

// Checks the arguments of a grid sampler. `input`, `grid` and `modes` are the positions of the arguments; interpolation_mode is at `modes`, padding_mode
// behind it.
void check_grid(const RuleCall& c, size_t input, size_t grid, size_t modes, size_t dims) {
  SizesRef x = c.sizes(input), places = c.sizes(grid);
  const auto t = c.dtype(input), u = c.dtype(grid);
  c.check(!t || !u || *t == *u, Runtime, "grid_sampler(): expected input and grid to have the same dtype, but got ", scalar_type(t),
          " and ", scalar_type(u));
  c.check_dtype(t, is_wide_float);
  for (SizesRef s : {x, places})
    c.check(!s.ranked() || s.size() == dims + 2, Runtime, "grid_sampler(): expected ", dims + 2,
            "D input and grid with the same number of dimensions, but got input with sizes ", x, " and grid with sizes ", places);
  if (x.ranked() && places.ranked()) {
    c.check(x[0] == places[0], Runtime, "grid_sampler(): expected grid and input to have same batch size, but got input with sizes ", x,
            " and grid with sizes ", places);
    c.check(places.back() == static_cast<int64_t>(dims), Runtime, "grid_sampler(): expected grid to have size ", dims,
            " in last dimension, but got grid with sizes ", places);
    for (size_t d = 2; d < x.size(); ++d)
      c.check(x[d] > 0, Runtime, "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes ", x,
              " with dimension ", d, " being empty");
  }
  const auto mode = c.integer(modes), padding = c.integer(modes + 1);
  c.check(!mode || (*mode >= 0 && *mode <= kCubicMode), Runtime,
          "expected interpolation_mode 0 (linear), 1 (nearest) or 2 (cubic), but got ", mode.value_or(0));
  c.check(!mode || *mode != kCubicMode || dims == 2, Runtime, "grid_sampler(): bicubic interpolation only supports 4D input");
  c.check(!padding || (*padding >= 0 && *padding <= 2), Runtime, "expected padding_mode 0 (zeros), 1 (border) or 2 (reflection), but got ",
          padding.value_or(0));
}

template <size_t kDims>
void grid_rule(RuleCall& c) {
  check_grid(c, 0, 1, 2, kDims);
  SizesRef x = c.sizes(0), places = c.sizes(1);
  if (!x.ranked() || !places.ranked()) return c.like(0, Sizes(kDims + 2, Size()));
  Sizes out = x;
  for (size_t d = 0; d < kDims; ++d) out.set(2 + d, places[1 + d]);
  c.like(0, out);
}

template <size_t kDims>
void grid_backward_rule(RuleCall& c) {
  check_grid(c, 1, 2, 3, kDims);
  const auto wanted = c.integer(6);
  auto part = [&](size_t i, int64_t bit) { c.result(!wanted || *wanted & bit ? c.sizes(i) : SizesRef(Sizes{0}), c.dtype(i)); };
  part(1, 1), part(2, 2);
}

template <size_t kDims>
void grid_gradient(GradCall& c) {
  const int64_t wanted = (c.needs(0) ? 1 : 0) + (c.needs(1) ? 2 : 0);
  CallResult both = kDims == 2
                        ? "grid_sampler_2d_backward"_op(c.grad(), c.value(0), c.value(1), c.value(2), c.value(3), c.value(4), wanted)
                        : "grid_sampler_3d_backward"_op(c.grad(), c.value(0), c.value(1), c.value(2), c.value(3), c.value(4), wanted);
  if (c.needs(0)) c.set(0, both[0]);
  if (c.needs(1)) c.set(1, both[1]);
}

// Where the coordinates of a grid along one dim of the input lie, in elements, with the padding; and the slope of that.
struct GridPlaces {
  Tensor at, slope;
};
GridPlaces places_in(const Tensor& coordinates, const Size& size, int64_t padding, bool corners) {
  const Tensor n = "to"_op("scalar_tensor"_op(size, DType::i64), coordinates.dtype()), last = "sub"_op(n, 1);
  const Tensor span = corners ? last : n, from_edge = "mul"_op("add"_op(coordinates, 1), "div"_op(span, 2));
  GridPlaces p{corners ? from_edge : Tensor("sub"_op(from_edge, 0.5)), "expand"_op("div"_op(span, 2), sizes_of(coordinates))};
  if (padding == 0) return p;
  if (padding == 2) {
    const Tensor low = corners ? Tensor("mul"_op(n, 0)) : Tensor("sub"_op("mul"_op(n, 0), 0.5)), beyond = "sub"_op(p.at, low);
    const Tensor distance = "abs"_op(beyond), width = "clamp_min"_op(span, 1e-30);
    const Tensor flips = "floor"_op("div"_op(distance, width)), extra = "fmod"_op(distance, width);
    const Tensor even = "eq"_op("remainder"_op(flips, 2), 0);
    p.at = "add"_op("where"_op(even, extra, "sub"_op(span, extra)), low);
    p.slope = "mul"_op(p.slope, "mul"_op("where"_op(even, 1.0, -1.0), "where"_op("lt"_op(beyond, 0), -1.0, 1.0)));
  }
  const Tensor inside = "logical_and"_op("gt"_op(p.at, 0), "lt"_op(p.at, last));
  return {"minimum"_op("clamp_min"_op(p.at, 0), last), "mul"_op(p.slope, "to"_op(inside, coordinates.dtype()))};
}

// The gradients of the gradients of linear sampling. The result is linear in the input, and between two neighbours along a dim it is linear in the place there: its
// slope is the difference of the samples at both neighbours. So all of them are made of samples, and of gradients of samples, with zeros beside the input.
template <size_t kDims>
class SecondGradients {
 public:
  explicit SecondGradients(GradCall& c)
      : c_(c),
        grad_(c.arg(0)),
        input_(c.arg(1)),
        grid_(c.arg(2)),
        mode_(c.value(3).to_int()),
        padding_(c.value(4).to_int()),
        corners_(c.value(5).to_bool()) {
    MONOGRAPH_CHECK(mode_ != kCubicMode, NotImplemented, "[", c.op.name(),
                    "] a second gradient of bicubic sampling is not implemented; use mode=\"bilinear\", or detach() the argument");
  }
  void set() {
    if (const Tensor by_input = c_.grad(0); by_input.defined()) of_input(by_input);
    if (const Tensor by_grid = c_.grad(1); by_grid.defined() && mode_ == 0) of_grid(by_grid);
    for (size_t i = 0; i < 3; ++i)
      if (c_.needs(i) && parts_[i].defined()) c_.set(i, parts_[i]);
  }

 private:
  static Tensor sample(const Tensor& x, const Tensor& grid, int64_t mode, int64_t padding, bool corners) {
    return kDims == 2 ? "grid_sampler_2d"_op(x, grid, mode, padding, corners) : "grid_sampler_3d"_op(x, grid, mode, padding, corners);
  }
  static Tensor gradient(size_t by, const Tensor& g, const Tensor& x, const Tensor& grid, int64_t mode, int64_t padding, bool corners) {
    const int64_t wanted = by == 0 ? 1 : 2;
    return kDims == 2 ? "grid_sampler_2d_backward"_op(g, x, grid, mode, padding, corners, wanted)[by]
                      : "grid_sampler_3d_backward"_op(g, x, grid, mode, padding, corners, wanted)[by];
  }
  void add(size_t i, const Tensor& t) { parts_[i] = parts_[i].defined() ? Tensor("add"_op(parts_[i], t)) : t; }

  // What flows back into the gradient by the input.
  void of_input(const Tensor& flowing) {
    if (c_.needs(0)) add(0, sample(flowing, grid_, mode_, padding_, corners_));
    if (c_.needs(2)) add(2, gradient(1, grad_, flowing, grid_, mode_, padding_, corners_));
  }

  // What flows back into the gradient by the grid.
  void of_grid(const Tensor& flowing) {
    std::vector<GridPlaces> places;
    std::vector<Tensor> shown;  // the places as coordinates
    for (size_t k = 0; k < kDims; ++k) {
      const Size n = size_of(input_, static_cast<int64_t>(1 + kDims - k));
      places.push_back(places_in("select"_op(grid_, -1, static_cast<int64_t>(k)), n, padding_, corners_));
      shown.push_back(coordinate(places[k].at, k));
    }
    for (size_t k = 0; k < kDims; ++k) {
      const Tensor before = "floor"_op(places[k].at);
      std::vector<Tensor> low = shown, high = shown;
      low[k] = coordinate(before, k), high[k] = coordinate("add"_op(before, 1), k);
      along(k, flowing, places, "stack"_op(tensors_of(low), -1), "stack"_op(tensors_of(high), -1));
    }
  }
  void along(size_t k, const Tensor& flowing, const std::vector<GridPlaces>& places, const Tensor& low, const Tensor& high) {
    const Tensor step = "unsqueeze"_op("mul"_op("select"_op(flowing, -1, static_cast<int64_t>(k)), places[k].slope), 1);
    if (c_.needs(0)) add(0, "mul"_op(step, "sub"_op(sample(input_, high, 0, 0, false), sample(input_, low, 0, 0, false))));
    const Tensor g = "mul"_op(grad_, step);
    auto difference = [&](size_t by) {
      return Tensor("sub"_op(gradient(by, g, input_, high, 0, 0, false), gradient(by, g, input_, low, 0, 0, false)));
    };
    if (c_.needs(1)) add(1, difference(0));
    if (!c_.needs(2)) return;
    const Tensor by_places = difference(1);
    std::vector<Tensor> parts;
    for (size_t e = 0; e < kDims; ++e) {
      const Tensor one = "select"_op(by_places, -1, static_cast<int64_t>(e));
      parts.push_back(e == k ? Tensor("zeros_like"_op(one)) : Tensor("mul"_op("div"_op("mul"_op(one, 2), count(e)), places[e].slope)));
    }
    add(2, "stack"_op(tensors_of(parts), -1));
  }
  Tensor count(size_t k) {
    return "to"_op("scalar_tensor"_op(size_of(input_, static_cast<int64_t>(1 + kDims - k)), DType::i64), input_.dtype());
  }
  Tensor coordinate(const Tensor& place, size_t k) { return "sub"_op("div"_op("add"_op("mul"_op(place, 2), 1), count(k)), 1); }

  GradCall& c_;
  Tensor grad_, input_, grid_;
  int64_t mode_, padding_;
  bool corners_;
  std::array<Tensor, 3> parts_;
};

// grid_sampler takes images (4 dims) or volumes (5 dims).
void grid_sampler_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  if (!x.ranked()) return c.unranked(0);
  c.check(x.size() == 4 || x.size() == 5, Runtime,
          "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input with sizes ", x,
          " and grid with sizes ", c.sizes(1));
  x.size() == 5 ? grid_rule<3>(c) : grid_rule<2>(c);
}

// The coordinates, from -1 to 1, of the n elements of a dim. With `corners`, -1 and 1 are the centers of the first and last element; else their outer edges.
// A single element is at 0. For a size that is a symbol, the same numbers are multiplied by a 0 if there is one element, and the zero loses its sign.
Tensor coordinates(const Tensor& like, const Size& n, bool corners) {
  if (n.is_int() && n.as_int() <= 1) return "mul"_op("to"_op(counted(n, like), like.dtype()), 0);
  Tensor places = "linspace"_op(-1, 1, n, like.dtype(), IValue(), like.device());
  if (!corners) places = "div"_op("mul"_op(places, n - 1), n);
  else if (!n.is_int()) places = "mul"_op(places, "clamp_max"_op("scalar_tensor"_op(n - 1, DType::i64), 1));
  return n.is_int() ? places : Tensor("add"_op(places, 0));
}

// Multiplies `theta` by the homogeneous coordinates of each element: its coordinates, those of the last dim first, then a 1.
IValue decompose_affine_grid(const IValue* a) {
  const Tensor theta = a[0].to_tensor();
  const Sizes size = sizes_in(a[1]);
  const bool corners = a[2].to_bool();
  const size_t dims = size.size() - 2;
  Sizes places;
  for (size_t d = 0; d < dims; ++d) places.push_back(size[2 + d]);
  std::vector<Tensor> parts;
  for (size_t d = dims; d-- > 0;) {
    const Tensor line = along(coordinates(theta, places[d], corners), static_cast<int64_t>(d), static_cast<int64_t>(dims));
    parts.push_back("unsqueeze"_op("expand"_op(line, places), -1));
  }
  parts.push_back("new_ones"_op(theta, appended(places, {1})));
  const Tensor base = "reshape"_op("cat"_op(tensors_of(parts), -1), Sizes{element_count(places), static_cast<int64_t>(dims) + 1});
  const Tensor batch = "expand"_op("unsqueeze"_op(base, 0), Sizes{size[0], -1, -1});
  Sizes out{size[0]};
  for (size_t d = 0; d < dims; ++d) out.push_back(places[d]);
  out.push_back(static_cast<int64_t>(dims));
  return "reshape"_op("bmm"_op(batch, "transpose"_op(theta, 1, 2)), out);
}

void affine_grid_rule(RuleCall& c) {
  SizesRef theta = c.sizes(0);
  const Sizes size = c.ints(1);
  if (!size.ranked()) return c.unranked(0);
  c.check(size.size() == 4 || size.size() == 5, Runtime, "AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs, but got size ",
          size);
  const auto dims = static_cast<int64_t>(size.size()) - 2;
  c.check(!theta.ranked() || (theta.size() == 3 && theta[0] == size[0] && theta[1] == dims && theta[2] == dims + 1), Runtime,
          "Expected a batch of ", dims, "D affine matrices of shape Nx", dims, "x", dims + 1, " for size ", size, ". Got ", theta);
  Sizes out{size[0]};
  for (size_t d = 2; d < size.size(); ++d) out.push_back(size[d]);
  out.push_back(dims);
  c.like(0, out);
}

template <size_t kDims>
void add_sampler(Registry& r, const char* schema, const char* backward, const char* samples) {
  r.op(schema)
      .rule(grid_rule<kDims>)
      .kernel(grid_sampler_kernel)
      .contiguous_args()
      .function_only()
      .gradient(grid_gradient<kDims>)
      .onnx(none("write grid_sampler, which is GridSample"))
      .autocast(Autocast::Float32)
      .doc(kDims == 2 ? "grid_sampler of images, of shape (batch, channels, rows, columns)."
                      : "grid_sampler of volumes, of shape (batch, channels, depth, rows, columns).")
      .samples(samples);
  r.op(backward)
      .rule(grid_backward_rule<kDims>)
      .kernel(grid_sampler_backward_kernel)
      .contiguous_args()
      .function_only()
      .gradient([](GradCall& c) { SecondGradients<kDims>(c).set(); })
      .onnx(none("training only"))
      .doc(R"(The gradients of grid_sampler by its input and by its grid.

wanted: Which gradients are computed: 1 that of the input, 2 that of the grid, 3 both.)")
      .samples(none("PyTorch's takes a mask of two bools; gradients_test has the results"))
      .special(Special::OtherSchemaText, "PyTorch's takes a mask of two bools");
}

constexpr const char* kPlanes =
    R"([[t(d, 2, 3, 4, 5), t(d, 2, 3, 2, 2, low=-1.4, high=1.4), m, p, c] for d, m, p, c in [(f32, m, p, c) for m in (0, 1, 2) for p in (0, 1, 2) for c in (False, True)] + [(f64, 0, 0, False), (f64, 2, 2, True)]]
     + [[t(f32, 1, 2, 1, 3), t(f32, 1, 4, 1, 2, low=-2.0, high=2.0), m, p, c] for m in (0, 2) for p in (0, 1, 2) for c in (False, True)]
     + [[t(f32, 4, 5, 2, 1).permute(3, 2, 1, 0), t(f32, 1, 3, 2, 2, low=-1.0, high=1.0), 0, 0, False],
        [t(f32, 0, 2, 3, 3), t(f32, 0, 2, 2, 2), 0, 0, False], [t(f32, 1, 2, 3, 3), t(f32, 1, 0, 2, 2), 0, 0, False],
        [t(f32, 2, 3, 4, 5), t(f32, 1, 3, 2, 2), 0, 0, False], [t(f32, 2, 3, 4, 5), t(f32, 2, 3, 2, 3), 0, 0, False],
        [t(f32, 1, 2, 0, 3), t(f32, 1, 2, 2, 2), 0, 0, False], [t(f32, 1, 2, 3, 3), t(f64, 1, 2, 2, 2), 0, 0, False]])";
constexpr const char* kVolumes =
    R"([[t(d, 2, 2, 3, 4, 5), t(d, 2, 2, 3, 2, 3, low=-1.4, high=1.4), m, p, c] for d, m, p, c in [(f32, m, p, c) for m in (0, 1) for p in (0, 1, 2) for c in (False, True)] + [(f64, 0, 0, False)]]
     + [[t(f32, 1, 1, 2, 3, 3), t(f32, 1, 2, 2, 2, 3), 2, 0, False], [t(f32, 1, 1, 2, 3, 3), t(f32, 1, 2, 2, 2, 2), 0, 0, False]])";

}  // namespace

void sampling(Registry& r) {
  add_sampler<2>(r, "grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
                 "grid_sampler_2d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool "
                 "align_corners, int wanted) -> (Tensor, Tensor)",
                 kPlanes);
  add_sampler<3>(r, "grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
                 "grid_sampler_3d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool "
                 "align_corners, int wanted) -> (Tensor, Tensor)",
                 kVolumes);
  static std::string onnx;
  constexpr const char *kModes[] = {"linear", "nearest", "cubic"}, *kPaddings[] = {"zeros", "border", "reflection"};
  for (int mode = 0; mode < 3; ++mode)
    // Cubic with zeros only: beyond the border ONNX moves the sampling point, PyTorch each of the elements around it.
    for (int padding = 0; padding < (mode == 2 ? 1 : 3); ++padding)
      onnx += concat(onnx.empty() ? "" : " | ", "GridSample(input, grid, mode=\"", kModes[mode], "\", padding_mode=\"", kPaddings[padding],
                     "\", align_corners=align_corners) if opset >= 20, interpolation_mode = ", mode, ", padding_mode = ", padding);
  static const std::string samples = std::string(kPlanes) + " + " + kVolumes;
  r.op("grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor")
      .rule(grid_sampler_rule)
      .function_only()
      .decompose(
          [](const IValue* a) -> IValue {
            if (a[0].as_tensor().dim() == 5) return "grid_sampler_3d"_op(a[0], a[1], a[2], a[3], a[4]);
            return "grid_sampler_2d"_op(a[0], a[1], a[2], a[3], a[4]);
          },
          Reads::Nothing)
      .onnx(onnx.c_str())
      .autocast(Autocast::Float32)
      .special(Special::ReferenceDiffers, "it fails on empty inputs and on sizes of 1")
      .doc(R"(The input read at the places of `grid`, between pixels by interpolation. torch.nn.functional.grid_sample calls it.

input: The images, of shape (batch, channels, rows, columns), or volumes, with a depth before the rows.

>>> x = torch.arange(4.0).reshape(1, 1, 2, 2)
>>> grid = torch.tensor([[[[-1.0, -1.0], [0.0, 0.0], [1.0, 1.0]]]])
>>> torch.grid_sampler(x, grid, 0, 0, True))")
      .samples(samples.c_str());
  r.op("affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners) -> Tensor")
      .rule(affine_grid_rule)
      .function_only()
      .decompose(decompose_affine_grid, Reads::Symbols)
      .onnx(none("decomposes to a product of matrices; AffineGrid has other places where a size is 1"))
      .doc(R"(A grid for grid_sampler: each place of an image or volume of this size, mapped by a matrix.

size: The size of the images or volumes: (batch, channels, rows, columns), or with a depth before the rows.
align_corners: Whether -1 and 1 are the centers of the corner pixels. False: they are their outer edges.

>>> theta = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
>>> torch.affine_grid_generator(theta, [1, 1, 1, 2], False))")
      .samples(
          "[[t(d, 2, 2, 3), [2, 3, *s], c] for d in (f32, f64) for s in ([3, 4], [1, 5], [2, 1]) for c in (False, True)] + [[t(f32, 2, 3, "
          "4), [2, 1, 2, 3, 4], c] for c in (False, True)] + [[t(f32, 2, 3, 4), [2, 1, 2, 3], False], [t(f32, 2, 2, 3), [2, 3, 4], "
          "False]]");
}

}  // namespace monograph
