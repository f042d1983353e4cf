// The quantizer of a tensor: who may share it.
#include "core/quantizer.h"

#include <bit>

namespace monograph {

const Quantizer& quantizer_of(const Tensor& t) {
  MONOGRAPH_CHECK(is_quantized(t.dtype()), Runtime, "expected a quantized tensor, but its dtype is torch.", name(t.dtype()),
                  "; torch.quantize_per_tensor(x, scale, zero_point, torch.quint8) makes one");
  MONOGRAPH_CHECK(t->quantizer, Runtime, "a tensor of dtype torch.", name(t.dtype()),
                  " without a scale: its elements stand for no numbers; torch.quantize_per_tensor makes one with a scale");
  return static_cast<const Quantizer&>(*t->quantizer);
}

namespace {

Tensor over_memory(const Tensor& t, DType dtype, const Ref<Quantizer>& quantizer) {
  auto impl = make_ref<TensorImpl>();
  impl->storage = t->storage;
  impl->sizes = t.sizes(), impl->strides = t.strides(), impl->offset = t->offset;
  impl->dtype = dtype, impl->device = t.device();
  impl->quantizer = quantizer;
  impl->refresh();
  return Tensor(std::move(impl));
}

}  // namespace

std::string text_of(const Quantizer& q) {
  std::string text;
  const auto add = [&](double scale, int64_t zero_point) { text += concat(" ", std::bit_cast<int64_t>(scale), " ", zero_point); };
  if (q.per_tensor()) add(q.scale, q.zero_point);
  else text += concat(" along ", q.axis);
  for (int64_t i = 0; !q.per_tensor() && i < q.scales.numel(); ++i) add(q.scales.data_as<double>()[i], q.zero_points.data_as<int64_t>()[i]);
  return text;
}

bool same_quantizer(const Quantizer& a, const Quantizer& b) { return text_of(a) == text_of(b); }

Tensor as_quantized(const Tensor& integers, const Ref<Quantizer>& quantizer) {
  const std::optional<DType> dtype = quantized_type(integers.dtype());
  MONOGRAPH_CHECK(dtype, Runtime, "a quantized tensor has integers of uint8, int8 or int32, but got torch.", name(integers.dtype()));
  return over_memory(integers, *dtype, quantizer);
}

Tensor as_integers(const Tensor& quantized) { return over_memory(quantized, underlying_type(quantized.dtype()), nullptr); }

void check_view_of_quantized(const Tensor& t, bool same_dtype, std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  MONOGRAPH_CHECK(same_dtype, NotImplemented,
                  "no view gives a tensor a scale or takes it away: x.int_repr() is a copy of the integers of a quantized tensor, and "
                  "torch.quantize_per_tensor makes a quantized one");
  const bool same = std::ranges::equal(sizes, t.sizes()) && std::ranges::equal(strides, t.strides());
  MONOGRAPH_CHECK(
      same || !t->quantizer || quantizer_of(t).per_tensor(), Runtime,
      "Setting strides is possible only on uniformly quantized tensor: each index along dim ", quantizer_of(t).axis,
      " of this one has a scale of its own, and the view would not keep that; take the view of x.dequantize(), or quantize with "
      "torch.quantize_per_tensor");
}

void check_not_quantized(DType dtype, std::string_view what) {
  MONOGRAPH_CHECK(!is_quantized(dtype), NotImplemented, what, " has no quantized tensors, but got one of torch.", name(dtype),
                  "; give it x.dequantize(), or x.int_repr() with x.q_scale() and x.q_zero_point() beside it");
}

}  // namespace monograph
