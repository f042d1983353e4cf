// Fake quantization: numbers as they would be after quantize and dequantize, with a gradient. They are made of ordinary operators on numbers.
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"

namespace monograph {
namespace {

// The scale and zero point of a call: numbers, or tensors that broadcast against the argument. They count as float32, as in PyTorch.
struct FakeNumbers {
  IValue inverse, scale, zero_point;
  int64_t least, most;
  bool of_channels = false;
};

FakeNumbers numbers_of(double scale, int64_t zero_point, int64_t least, int64_t most) {
  const auto as_float = static_cast<float>(scale);
  return {double{1.0f / as_float}, double{as_float}, zero_point, least, most};
}
FakeNumbers numbers_of(const Tensor& scale, const Tensor& zero_point, int64_t least, int64_t most) {
  const Tensor as_float = "to"_op(scale, DType::f32);
  return {"reciprocal"_op(as_float), as_float, "to"_op(zero_point, DType::f32), least, most};
}

FakeNumbers numbers_in(const IValue* a) {
  const int64_t least = a[3].to_int(), most = a[4].to_int();
  return a[1].is_tensor() ? numbers_of(a[1].to_tensor(), a[2].to_tensor(), least, most)
                          : numbers_of(a[1].to_double(), a[2].to_int(), least, most);
}
FakeNumbers channel_numbers_in(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const int64_t axis = a[3].to_int();
  FakeNumbers n = numbers_of(along(a[1].to_tensor(), axis, x.dim()), along(a[2].to_tensor(), axis, x.dim()), a[4].to_int(), a[5].to_int());
  n.of_channels = true;
  return n;
}

// The integers of the numbers. A NaN is below every integer, and so is, for channels, what an int64 cannot hold, as in PyTorch.
Tensor integers(const Tensor& x, const FakeNumbers& n) {
  const Tensor wide = x.dtype() == DType::f16 || x.dtype() == DType::bf16 ? Tensor("to"_op(x, DType::f32)) : x;
  const Tensor q = "add"_op("round"_op("mul"_op(wide, n.inverse)), n.zero_point);
  return "where"_op(n.of_channels ? "lt"_op("abs"_op(q), 0x1p63) : "eq"_op(q, q), q, static_cast<double>(n.least - 1));
}

IValue faked(const Tensor& x, const FakeNumbers& n) {
  const Tensor kept = "to"_op("clamp"_op(integers(x, n), n.least, n.most), DType::f32);
  return "to"_op("mul"_op("sub"_op(kept, n.zero_point), n.scale), x.dtype());
}

// The gradient passes where the integer is in the range.
Tensor passed(const Tensor& g, const Tensor& x, const FakeNumbers& n) {
  const Tensor q = integers(x, n);
  return "mul"_op(g, "logical_and"_op("ge"_op(q, n.least), "le"_op(q, n.most)));
}

void check_range(RuleCall& c, size_t least) {
  const auto from = c.integer(least), to = c.integer(least + 1);
  c.check(!from || !to || *from <= *to, Runtime, "`quant_min` should be less than or equal to `quant_max`.");
  c.check_dtype(c.dtype(0), [](DType t) { return is_floating(t); });
  c.like_layout(0, c.dtype(0));
}
void channel_rule(RuleCall& c) {
  const std::optional<int64_t> axis = c.integer(3);
  if (axis && c.sizes(0).ranked()) {
    const auto rank = static_cast<int64_t>(c.sizes(0).size());
    c.check(*axis >= 0 && *axis < rank, Runtime, "`axis` must be between 0 and number of dimensions of input");
    for (size_t k : {size_t{1}, size_t{2}})
      if (c.sizes(k).ranked() && c.sizes(k).size() == 1)
        c.check(c.sizes(k)[0] == c.sizes(0)[static_cast<size_t>(*axis)], Runtime,
                "dimensions of scale and zero-point are not consistent with input tensor");
  }
  check_range(c, 4);
}

}  // namespace

void fake_quantization(Registry& r) {
  const None samples = none("test_quantized_tensors.py compares with PyTorch, at the edges of integers too");
  const char* no_onnx = "decomposes to ordinary operators";
  const char* const per_tensor[] = {
      "fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> Tensor",
      "fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max) -> "
      "Tensor"};
  for (const char* schema : per_tensor)
    r.op(schema)
        .autocast(schema == per_tensor[0] ? Autocast::Float32 : Autocast::None)
        .rule([](RuleCall& c) { check_range(c, 3); })
        .decompose([](const IValue* a) { return faked(a[0].to_tensor(), numbers_in(a)); }, Reads::Nothing)
        .gradient([](GradCall& c) {
          const IValue a[] = {c.value(0), c.value(1), c.value(2), c.value(3), c.value(4)};
          if (c.needs(0)) c.set(0, passed(c.grad(), a[0].to_tensor(), numbers_in(a)));
        })
        .function_only()
        .onnx(none(no_onnx))
        .samples(samples)
        .doc(
            R"(The numbers of `self` as they are after quantizing: rounded to multiples of `scale`, and cut to what the integers stand for. The gradient passes where
nothing was cut.

scale: The distance between two numbers that integers stand for.
zero_point: The integer that stands for 0.
quant_min: The smallest integer.
quant_max: The largest integer.

>>> torch.fake_quantize_per_tensor_affine(torch.tensor([-1.0, 0.04, 0.97, 30.0]), 0.1, 10, 0, 255))");
  r.op("fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> Tensor")
      .rule(channel_rule)
      .decompose([](const IValue* a) { return faked(a[0].to_tensor(), channel_numbers_in(a)); })
      .gradient([](GradCall& c) {
        const IValue a[] = {c.value(0), c.value(1), c.value(2), c.value(3), c.value(4), c.value(5)};
        if (c.needs(0)) c.set(0, passed(c.grad(), a[0].to_tensor(), channel_numbers_in(a)));
      })
      .function_only()
      .onnx(none(no_onnx))
      .samples(samples)
      .doc(R"(The numbers of `self` as they are after quantizing, with a scale and a zero point for each index along a dim.

scale: A scale for each index along the dim.
zero_point: A zero point for each index along the dim.
axis: The dim.
quant_min: The smallest integer.
quant_max: The largest integer.

>>> torch.fake_quantize_per_channel_affine(torch.tensor([[-1.0, 0.04], [0.97, 30.0]]), torch.tensor([0.1, 0.5]), torch.tensor([10, 0], dtype=torch.int32), 0, 0, 255))");
}

}  // namespace monograph
