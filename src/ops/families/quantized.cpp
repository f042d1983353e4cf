// Quantized tensors (core/quantizer.h): how they are made of numbers and of integers, what they tell, and sums and products of them. Their evaluations are
// here and not in kernels, because a result carries a quantizer, which a kernel does not see.
#include "core/quantizer.h"

#include <cmath>

#include "kernels/quantization.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"

namespace monograph {
namespace {

constexpr const char* kNoGradient = "integers do not change by small steps; fake_quantize_per_tensor_affine gives numbers with a gradient";
constexpr const char* kNoSamples = "a file of results has plain tensors: test_quantized_tensors.py compares with PyTorch";
constexpr const char* kNoOnnx = "ONNX has no tensors that carry a scale: QuantizeLinear gives plain integers";

// The range of a quantized dtype's integers.
std::pair<int64_t, int64_t> range_of(DType t) {
  if (t == DType::qu8) return {0, UINT8_MAX};
  return t == DType::qi8 ? std::pair<int64_t, int64_t>{INT8_MIN, INT8_MAX} : std::pair<int64_t, int64_t>{INT32_MIN, INT32_MAX};
}

void check_zero_point(std::string_view op, std::string_view what, int64_t zero_point, DType dtype) {
  const auto [least, most] = range_of(dtype);
  MONOGRAPH_CHECK(zero_point <= most, Runtime, "[", op, "] ", what, " zero_point ", zero_point, " is above upper bound ", most,
                  " of torch.", name(dtype));
  MONOGRAPH_CHECK(zero_point >= least, Runtime, "[", op, "] ", what, " zero_point ", zero_point, " is below lower bound ", least,
                  " of torch.", name(dtype));
}

void check_quantized_dtype(std::string_view op, std::optional<DType> t) {
  MONOGRAPH_CHECK(!t || is_quantized(*t), Runtime, "[", op, "] ScalarType ", info(*t).scalar_type,
                  " is not supported in new_qtensor; expected torch.quint8, torch.qint8 or torch.qint32");
}

Quantization numbers_of(DType dtype, double scale, int64_t zero_point) {
  return {dtype, static_cast<float>(scale), static_cast<int32_t>(zero_point)};
}
Quantization numbers_of(const Tensor& q) {
  const Quantizer& quantizer = quantizer_of(q);
  return numbers_of(q.dtype(), quantizer.scale, quantizer.zero_point);
}

// The elements in the order in which PyTorch's quantized results have them: channels last, or contiguous.
Tensor in_order(const Tensor& x) {
  if (x->contiguous) return x;
  return "contiguous"_op(x, x.is_contiguous(MemoryFormat::ChannelsLast) ? MemoryFormat::ChannelsLast : MemoryFormat::Contiguous);
}
Tensor made_like(const Tensor& ordered, DType dtype) { return empty_strided(ordered.sizes(), ordered.strides(), dtype, ordered.device()); }

void check_float(std::string_view op, std::optional<DType> t) {
  MONOGRAPH_CHECK(!t || *t == DType::f32, Runtime, "[", op, "] Quantize only works on Float Tensor, got ", info(*t).scalar_type,
                  "; convert it first: x.to(torch.float32)");
}

Tensor quantize_per_tensor(std::string_view op, const Tensor& x, double scale, int64_t zero_point, DType dtype) {
  check_float(op, x.dtype());
  check_quantized_dtype(op, dtype);
  check_zero_point(op, "quantize_tensor_per_tensor_affine", zero_point, dtype);
  const Tensor from = in_order(x), integers = made_like(from, underlying_type(dtype));
  quantize_elements(from.data_as<float>(), from.numel(), numbers_of(dtype, scale, zero_point), QuantizedLoop::Tensor, integers.data());
  return as_quantized(integers, make_ref<Quantizer>(scale, zero_point));
}

// Calls f with each run of elements that one scale holds for: the first element, how many, and the index along the dim of the scales.
template <class F>
void each_run(const Tensor& t, int64_t axis, F&& f) {
  const int64_t channels = t.size(axis);
  int64_t inner = 1;
  for (auto d = static_cast<size_t>(axis) + 1; d < t.sizes().size(); ++d) inner *= t.sizes()[d];
  for (int64_t run = 0; inner && run * inner < t.numel(); ++run) f(run * inner, inner, run % channels);
}

// The quantizer of channels, after PyTorch's checks.
Ref<Quantizer> channel_quantizer(std::string_view op, const Tensor& x, const Tensor& scales, const Tensor& zero_points, int64_t axis) {
  MONOGRAPH_CHECK(scales.dim() == 1, Runtime, "[", op, "] scale tensor must have dimension 1, but it has ", scales.dim());
  MONOGRAPH_CHECK(zero_points.dim() == 1, Runtime, "[", op, "] zero_points tensor must have dimension 1, but it has ", zero_points.dim());
  MONOGRAPH_CHECK(scales.numel() == zero_points.numel(), Runtime, "[", op,
                  "] number of elements in scales and zero_points must match, got ", scales.numel(), " and ", zero_points.numel());
  MONOGRAPH_CHECK(!is_floating(zero_points.dtype()), NotImplemented, "[", op,
                  "] zero points of a floating dtype (torch.per_channel_affine_float_qparams) are not there; give int64 ones");
  MONOGRAPH_CHECK(axis >= 0 && axis < x.dim(), Runtime, "[", op,
                  "] Channel axis out of range in per channel affine quantization. Got: ", axis, " Expected: [0, ", x.dim(), ")");
  MONOGRAPH_CHECK(scales.numel() == x.size(axis), Runtime, "[", op, "] length of scales must equal to channel, expected ", x.size(axis),
                  " got, ", scales.numel());
  // Copies, so that a write to the arguments changes no quantized tensor.
  const Tensor held = "clone"_op("contiguous"_op("to"_op(scales, DType::f64))),
               zeros = "clone"_op("contiguous"_op("to"_op(zero_points, DType::i64)));
  return make_ref<Quantizer>(held, zeros, axis);
}

Quantization channel_of(DType dtype, const Quantizer& q, int64_t channel) {
  return numbers_of(dtype, q.scales.data_as<double>()[channel], q.zero_points.data_as<int64_t>()[channel]);
}

void quantize_per_channel(const Operator& op, const IValue* a, IValue* out) {
  const Tensor x = a[0].to_tensor();
  const DType dtype = a[4].to_dtype();
  check_float(op.name(), x.dtype());
  check_quantized_dtype(op.name(), dtype);
  const Ref<Quantizer> quantizer = channel_quantizer(op.name(), x, a[1].to_tensor(), a[2].to_tensor(), a[3].to_int());
  for (int64_t i = 0; i < quantizer->zero_points.numel(); ++i)
    check_zero_point(op.name(), "quantize_tensor_per_channel_affine", quantizer->zero_points.data_as<int64_t>()[i], dtype);
  const Tensor from = "contiguous"_op(x), integers = made_like(from, underlying_type(dtype));
  each_run(from, quantizer->axis, [&](int64_t first, int64_t n, int64_t channel) {
    quantize_elements(from.data_as<float>() + first, n, channel_of(dtype, *quantizer, channel), QuantizedLoop::Channel,
                      integers.data() + first * element_size(dtype));
  });
  out[0] = as_quantized(integers, quantizer);
}

Tensor dequantize(const Tensor& q) {
  if (!is_quantized(q.dtype())) return "to"_op(q, DType::f32);
  const Quantizer& quantizer = quantizer_of(q);
  const Tensor from = in_order(as_integers(q)), numbers = made_like(from, DType::f32);
  if (quantizer.per_tensor()) {
    dequantize_elements(from.data(), from.numel(), numbers_of(q), QuantizedLoop::Tensor, numbers.data_as<float>());
    return numbers;
  }
  each_run(from, quantizer.axis, [&](int64_t first, int64_t n, int64_t channel) {
    dequantize_elements(from.data() + first * element_size(q.dtype()), n, channel_of(q.dtype(), quantizer, channel), QuantizedLoop::Channel,
                        numbers.data_as<float>() + first);
  });
  return numbers;
}

// The scale and zero point by which PyTorch's quantize_per_tensor_dynamic maps what lies between two numbers to a range of integers.
std::pair<double, int64_t> chosen_numbers(float least, float most, int32_t low, int32_t high) {
  least = std::min(least, 0.0f), most = std::max(most, 0.0f);
  double scale = (static_cast<double>(most) - least) / (high - low);
  if (static_cast<float>(scale) == 0.0f || std::isinf(1.0f / static_cast<float>(scale))) scale = 0.1;
  constexpr float kSmallest = 6.1e-5f;
  if (scale < kSmallest) {
    const float before = static_cast<float>(scale);
    scale = kSmallest;
    if (least == 0.0f) most = kSmallest * static_cast<float>(high - low);
    else if (most == 0.0f) least = -kSmallest * static_cast<float>(high - low);
    else least *= kSmallest / before, most *= kSmallest / before;
  }
  const double from_least = low - least / scale, from_most = high - most / scale;
  const double error_least = std::abs(low) - std::abs(least / scale), error_most = std::abs(high) - std::abs(most / scale);
  const double zero_point = error_least < error_most ? from_least : from_most;
  const int64_t nudged = zero_point < low ? low : zero_point > high ? high : static_cast<int64_t>(std::nearbyint(zero_point));
  return {scale, nudged};
}

void quantize_dynamic(const Operator& op, const IValue* a, IValue* out) {
  const Tensor x = a[0].to_tensor();
  const DType dtype = a[1].to_dtype();
  check_float(op.name(), x.dtype());
  MONOGRAPH_CHECK(dtype == DType::qu8 || dtype == DType::qi8, Runtime, "[", op.name(), "] dtype ", info(dtype).scalar_type,
                  " not supported; expected torch.quint8 or torch.qint8");
  const bool reduced = a[2].to_bool(), is_signed = dtype == DType::qi8;
  const int32_t low = is_signed ? (reduced ? -64 : -128) : 0, high = is_signed ? (reduced ? 63 : 127) : (reduced ? 127 : 255);
  const Tensor least = "amin"_op(x, Dims{}), most = "amax"_op(x, Dims{});
  const auto [scale, zero_point] = chosen_numbers(*least.data_as<float>(), *most.data_as<float>(), low, high);
  out[0] = quantize_per_tensor(op.name(), x, scale, zero_point, dtype);
}

double only_number(const Operator& op, const Tensor& t, std::string_view what) {
  MONOGRAPH_CHECK(t.numel() == 1, Runtime, "[", op.name(), "] ", what, ": a Tensor with ", t.numel(),
                  " elements cannot be converted to Scalar");
  return first_number(t).to_double();
}

const Quantizer& per_channel(const Operator& op, const IValue& q) {
  const Quantizer& quantizer = quantizer_of(q.as_tensor());
  MONOGRAPH_CHECK(!quantizer.per_tensor(), Runtime, "[", op.name(),
                  "] Expected quantizer->qscheme() == kPerChannelAffine: this tensor has one "
                  "scale and zero point, x.q_scale() and x.q_zero_point()");
  return quantizer;
}
const Quantizer& per_tensor(const Operator& op, const IValue& q) {
  const Quantizer& quantizer = quantizer_of(q.as_tensor());
  MONOGRAPH_CHECK(quantizer.per_tensor(), Runtime, "[", op.name(),
                  "] Expected quantizer->qscheme() == kPerTensorAffine: this tensor has a scale "
                  "for each index along dim ",
                  quantizer.axis, ", x.q_per_channel_scales() and x.q_per_channel_zero_points()");
  return quantizer;
}

// --- Sums and products.

using QuantizedLoopOf = void (*)(const QuantizedOperand&, const QuantizedOperand&, bool, int64_t, Quantization, char*);

Tensor combined(const Operator& op, QuantizedLoopOf loop, bool relu, const Tensor& a, const Tensor& b, double scale, int64_t zero_point) {
  for (const Tensor* t : {&a, &b})
    MONOGRAPH_CHECK(quantizer_of(*t).per_tensor(), Runtime, "[", op.name(),
                    "] Only per tensor quantization is supported; dequantize() the operand first");
  MONOGRAPH_CHECK(a.dtype() == b.dtype(), Runtime, "[", op.name(), "] operands should have same data type, but they are torch.",
                  name(a.dtype()), " and torch.", name(b.dtype()));
  const Dims sizes = broadcast(a.sizes(), b.sizes(), op.name()).ints();
  const auto spread = [&](const Tensor& t) { return in_order(as_integers("expand"_op(t, sizes))); };
  Tensor left = spread(a), right = spread(b);
  if (left.strides() != right.strides()) left = "contiguous"_op(left), right = "contiguous"_op(right);
  const Tensor integers = made_like(left, left.dtype());
  loop({left.data(), numbers_of(a)}, {right.data(), numbers_of(b)}, relu, left.numel(), numbers_of(a.dtype(), scale, zero_point),
       integers.data());
  return as_quantized(integers, make_ref<Quantizer>(scale, zero_point));
}

template <QuantizedLoopOf kLoop, bool kRelu>
void binary(const Operator& op, const IValue* a, IValue* out) {
  out[0] = combined(op, kLoop, kRelu, a[0].to_tensor(), a[1].to_tensor(), a[2].to_double(), a[3].to_int());
}

// --- Rules: sizes and dtypes on graphs.

void dtype_rule(RuleCall& c, size_t dtype) {
  check_quantized_dtype(c.op.name(), c.dtype_or(dtype, std::nullopt));
  check_float(c.op.name(), c.dtype(0));
  c.result(c.sizes(0), c.dtype_or(dtype, std::nullopt));
}
void int_repr_rule(RuleCall& c) {
  const std::optional<DType> t = c.dtype(0);
  c.result(c.sizes(0), t ? std::optional(underlying_type(*t)) : std::nullopt);
}
void make_rule(RuleCall& c) {
  const std::optional<DType> t = c.dtype(0);
  c.result(c.sizes(0), t ? quantized_type(*t) : std::nullopt);
}
void binary_rule(RuleCall& c) { c.result(broadcast(c.sizes(0), c.sizes(1), c.op.name()), c.dtype(0)); }

}  // namespace

void quantized(Registry& r) {
  const auto differentiable = [&](const char* schema, EvalFn eval, const char* doc) -> OpBuilder {
    OpBuilder b = r.op(schema);
    b.eval(eval).storage_only(StorageOnly::Taken).quantized(Quantized::Taken).onnx(none(kNoOnnx)).doc(doc);
    b.samples(none(kNoSamples));
    return b;
  };
  const auto op = [&](const char* schema, EvalFn eval, const char* doc) {
    return differentiable(schema, eval, doc).gradient(constant(kNoGradient));
  };
  op(
      "quantize_per_tensor(Tensor self, float scale, int zero_point, ScalarType dtype) -> Tensor",
      [](const Operator& self, const IValue* a, IValue* out) {
        out[0] = quantize_per_tensor(self.name(), a[0].to_tensor(), a[1].to_double(), a[2].to_int(), a[3].to_dtype());
      },
      R"(A tensor of integers that stand for the numbers of `self`: each is `round(x / scale) + zero_point`, or the nearest integer that the dtype has.
`dequantize` gives the numbers back, rounded.

scale: The distance between two numbers that integers stand for.
zero_point: The integer that stands for 0.
dtype: torch.quint8, torch.qint8 or torch.qint32.

>>> torch.quantize_per_tensor(torch.tensor([-1.0, 0.0, 1.0]), 0.1, 10, torch.quint8))")
      .rule([](RuleCall& c) { dtype_rule(c, 3); })
      .function_only()
      .operator_out();
  op(
      "quantize_per_tensor.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, ScalarType dtype) -> Tensor",
      [](const Operator& self, const IValue* a, IValue* out) {
        const double scale = only_number(self, a[1].to_tensor(), "scale"), zero_point = only_number(self, a[2].to_tensor(), "zero_point");
        out[0] = quantize_per_tensor(self.name(), a[0].to_tensor(), scale, static_cast<int64_t>(zero_point), a[3].to_dtype());
      },
      "The same, with a scale and a zero point in tensors of one element.")
      .rule([](RuleCall& c) { dtype_rule(c, 3); })
      .function_only()
      .operator_out();
  const auto of_list = [&](const char* schema, DecomposeFn decompose, const char* doc) {
    return r.op(schema).decompose(decompose).function_only().onnx(none(kNoOnnx)).samples(none(kNoSamples)).doc(doc);
  };
  of_list(
      "quantize_per_tensor.tensors(Tensor[] tensors, Tensor scales, Tensor zero_points, ScalarType dtype) -> Tensor[]",
      [](const IValue* a) -> IValue {
        const std::vector<IValue>& tensors = a[0].items();
        const Tensor scales = a[1].to_tensor(), zero_points = a[2].to_tensor();
        const auto count = static_cast<int64_t>(tensors.size());
        MONOGRAPH_CHECK(scales.numel() == count && zero_points.numel() == count, Runtime, "[quantize_per_tensor] expected ", count,
                        " scales and zero points, but got ", scales.numel(), " and ", zero_points.numel());
        std::vector<IValue> results;
        for (int64_t i = 0; i < count; ++i)
          results.push_back(
              "quantize_per_tensor"_op(tensors[static_cast<size_t>(i)], "select"_op(scales, 0, i), "select"_op(zero_points, 0, i), a[3]));
        return IValue::list(std::move(results));
      },
      R"(The same for each tensor of a list, with a scale and a zero point of its own.

scales: A scale for each tensor.
zero_points: A zero point for each tensor.)")
      .operator_out();
  op("quantize_per_channel(Tensor self, Tensor scales, Tensor zero_points, int axis, ScalarType dtype) -> Tensor", quantize_per_channel,
     R"(A tensor of integers that stand for the numbers of `self`, with a scale and a zero point for each index along a dim.

scales: A scale for each index along the dim.
zero_points: A zero point for each index along the dim.
axis: The dim.
dtype: torch.quint8, torch.qint8 or torch.qint32.

>>> torch.quantize_per_channel(torch.tensor([[-1.0, 0.0], [1.0, 2.0]]), torch.tensor([0.1, 0.01]), torch.tensor([10, 0]), 0, torch.quint8))")
      .rule([](RuleCall& c) { dtype_rule(c, 4); })
      .function_only();
  op("quantize_per_tensor_dynamic(Tensor self, ScalarType dtype, bool reduce_range) -> Tensor", quantize_dynamic,
     R"(A tensor of integers that stand for the numbers of `self`, with a scale and a zero point that follow from its smallest and its largest number.

dtype: torch.quint8 or torch.qint8.
reduce_range: Whether to use half of the integers.

>>> torch.quantize_per_tensor_dynamic(torch.tensor([-1.0, 0.0, 1.0]), torch.quint8, False))")
      .rule([](RuleCall& c) { dtype_rule(c, 1); })
      .function_only();
  differentiable(
      "dequantize.self(Tensor self) -> Tensor",
      [](const Operator&, const IValue* a, IValue* out) { out[0] = dequantize(a[0].to_tensor()); },
      R"(The numbers that the integers of a quantized tensor stand for, as a tensor of float32.

>>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 0.0, 0.97]), 0.1, 10, torch.quint8)
>>> torch.dequantize(x))")
      .rule([](RuleCall& c) { c.result(c.sizes(0), DType::f32); })
      .spelled({"dequantize.tensor(Tensor qtensor) -> Tensor"})
      .gradient([](GradCall& c) { c.set(0, c.grad()); });  // of a tensor that is not quantized
  of_list(
      "dequantize.tensors(Tensor[] tensors) -> Tensor[]",
      [](const IValue* a) -> IValue {
        std::vector<IValue> results;
        for (const IValue& t : a[0].items()) results.push_back("dequantize"_op(t));
        return IValue::list(std::move(results));
      },
      "The same for each tensor of a list.")
      .spelled({"dequantize.list(Tensor[] qtensors) -> Tensor[]"});
  op(
      "int_repr(Tensor self) -> Tensor",
      [](const Operator&, const IValue* a, IValue* out) {
        quantizer_of(a[0].as_tensor());
        const Tensor from = in_order(as_integers(a[0].to_tensor()));
        out[0] = "clone"_op(from);
      },
      R"(The integers of a quantized tensor.

>>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 0.0, 1.0]), 0.1, 10, torch.quint8)
>>> torch.int_repr(x))")
      .rule(int_repr_rule);
  op(
      "q_scale(Tensor self) -> float", [](const Operator& self, const IValue* a, IValue* out) { out[0] = per_tensor(self, a[0]).scale; },
      R"(The scale of a quantized tensor.

>>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 0.0, 1.0]), 0.1, 10, torch.quint8)
>>> torch.q_scale(x))");
  op(
      "q_zero_point(Tensor self) -> int",
      [](const Operator& self, const IValue* a, IValue* out) { out[0] = per_tensor(self, a[0]).zero_point; },
      R"(The integer that stands for 0 in a quantized tensor.

>>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 0.0, 1.0]), 0.1, 10, torch.quint8)
>>> torch.q_zero_point(x))");
  op(
      "q_per_channel_scales(Tensor self) -> Tensor",
      [](const Operator& self, const IValue* a, IValue* out) { out[0] = "clone"_op(per_channel(self, a[0]).scales); },
      R"(The scales of a tensor that is quantized along a dim.

>>> x = torch.quantize_per_channel(torch.tensor([[-1.0], [1.0]]), torch.tensor([0.5, 0.25]), torch.tensor([10, 0]), 0, torch.quint8)
>>> torch.q_per_channel_scales(x))")
      .rule([](RuleCall& c) { c.result(Sizes{Size()}, DType::f64); });
  op(
      "q_per_channel_zero_points(Tensor self) -> Tensor",
      [](const Operator& self, const IValue* a, IValue* out) { out[0] = "clone"_op(per_channel(self, a[0]).zero_points); },
      R"(The zero points of a tensor that is quantized along a dim.

>>> x = torch.quantize_per_channel(torch.tensor([[-1.0], [1.0]]), torch.tensor([0.5, 0.25]), torch.tensor([10, 0]), 0, torch.quint8)
>>> torch.q_per_channel_zero_points(x))")
      .rule([](RuleCall& c) { c.result(Sizes{Size()}, DType::i64); });
  op(
      "q_per_channel_axis(Tensor self) -> int",
      [](const Operator& self, const IValue* a, IValue* out) { out[0] = per_channel(self, a[0]).axis; },
      R"(The dim along which a tensor is quantized.

>>> x = torch.quantize_per_channel(torch.tensor([[-1.0], [1.0]]), torch.tensor([0.5, 0.25]), torch.tensor([10, 0]), 0, torch.quint8)
>>> torch.q_per_channel_axis(x))");
  op(
      "qscheme(Tensor self) -> QScheme",
      [](const Operator&, const IValue* a, IValue* out) { out[0] = static_cast<int64_t>(quantizer_of(a[0].as_tensor()).scheme); },
      R"(How a tensor is quantized: torch.per_tensor_affine, or torch.per_channel_affine where each index along a dim has a scale.

>>> x = torch.quantize_per_tensor(torch.tensor([-1.0, 0.0, 1.0]), 0.1, 10, torch.quint8)
>>> x.qscheme())")
      .method_only();
  op(
      "_make_per_tensor_quantized_tensor(Tensor self, float scale, int zero_point) -> Tensor",
      [](const Operator&, const IValue* a, IValue* out) {
        out[0] = as_quantized("clone"_op(a[0].to_tensor()), make_ref<Quantizer>(a[1].to_double(), a[2].to_int()));
      },
      R"(A quantized tensor of these integers.

scale: The distance between two numbers that integers stand for.
zero_point: The integer that stands for 0.

>>> torch._make_per_tensor_quantized_tensor(torch.tensor([0, 10, 20], dtype=torch.uint8), 0.1, 10))")
      .rule(make_rule)
      .function_only();
  op(
      "_make_per_channel_quantized_tensor(Tensor self, Tensor scale, Tensor zero_point, int axis) -> Tensor",
      [](const Operator& self, const IValue* a, IValue* out) {
        const Tensor integers = "contiguous"_op(a[0].to_tensor());
        out[0] =
            as_quantized("clone"_op(integers), channel_quantizer(self.name(), integers, a[1].to_tensor(), a[2].to_tensor(), a[3].to_int()));
      },
      R"(A quantized tensor of these integers, with a scale and a zero point for each index along a dim.

scale: A scale for each index along the dim.
zero_point: A zero point for each index along the dim.
axis: The dim.

>>> torch._make_per_channel_quantized_tensor(torch.tensor([[0], [10]], dtype=torch.uint8), torch.tensor([0.5, 0.25]), torch.tensor([10, 0]), 0))")
      .rule(make_rule)
      .function_only();
  // torch.ops has these, as no function and no method.
  const auto of_two = [&](const char* schema, EvalFn eval, const char* doc) {
    op(schema, eval, doc).rule(binary_rule).function_only().method_only();
  };
  of_two("quantized::add(Tensor qa, Tensor qb, float scale, int zero_point) -> Tensor qc", binary<quantized_sum, false>,
         "The sum of the numbers of two quantized tensors, as a quantized tensor with this scale and zero point.");
  of_two("quantized::add_relu(Tensor qa, Tensor qb, float scale, int zero_point) -> Tensor qc", binary<quantized_sum, true>,
         "The sum of the numbers of two quantized tensors, 0 where it is below 0, as a quantized tensor with this scale and zero point.");
  of_two("quantized::mul(Tensor qa, Tensor qb, float scale, int zero_point) -> Tensor qc", binary<quantized_product, false>,
         "The product of the numbers of two quantized tensors, as a quantized tensor with this scale and zero point.");
  of_two(
      "quantized::mul_relu(Tensor qa, Tensor qb, float scale, int zero_point) -> Tensor qc", binary<quantized_product, true>,
      "The product of the numbers of two quantized tensors, 0 where it is below 0, as a quantized tensor with this scale and zero point.");
}

}  // namespace monograph
