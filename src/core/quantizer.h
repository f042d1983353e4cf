// What makes a tensor of integers (quint8, qint8, qint32) one of real numbers: the number is (integer - zero point) * scale, for the whole tensor or for each
// index along one dim. The tensor's views and copies share its Quantizer.
#pragma once

#include <cstdint>

#include "core/tensor.h"

namespace monograph {

// torch.qscheme, in PyTorch's order.
enum class QScheme : uint8_t { PerTensorAffine, PerChannelAffine, PerTensorSymmetric, PerChannelSymmetric, PerChannelAffineFloatQParams };

class Quantizer : public RefCounted {
 public:
  Quantizer(double scale, int64_t zero_point) : scheme(QScheme::PerTensorAffine), scale(scale), zero_point(zero_point) {}
  // `scales` are float64 and `zero_points` int64, of one dim, an element for each index along dim `axis` of the tensor.
  Quantizer(Tensor scales, Tensor zero_points, int64_t axis)
      : scheme(QScheme::PerChannelAffine), scales(std::move(scales)), zero_points(std::move(zero_points)), axis(axis) {}

  const QScheme scheme;
  const double scale = 1;
  const int64_t zero_point = 0;
  const Tensor scales, zero_points;
  const int64_t axis = 0;
  bool per_tensor() const { return scheme == QScheme::PerTensorAffine; }
};

// The quantizer of a quantized tensor. Error where it has none: its dtype is another, or it was made without numbers.
const Quantizer& quantizer_of(const Tensor& t);
// Its numbers as a text that tells it from every other.
std::string text_of(const Quantizer& q);
// Whether both have the same numbers.
bool same_quantizer(const Quantizer& a, const Quantizer& b);
// A tensor over the memory of `integers` (uint8, int8, int32) that stands for real numbers, and the reverse.
Tensor as_quantized(const Tensor& integers, const Ref<Quantizer>& quantizer);
Tensor as_integers(const Tensor& quantized);
// Raises an error where a view with these sizes and strides cannot have the quantizer of `t`.
void check_view_of_quantized(const Tensor& t, bool same_dtype, std::span<const int64_t> sizes, std::span<const int64_t> strides);
// Raises an error where `what`, such as a kind of file, would hold the integers of this dtype without the quantizer.
void check_not_quantized(DType dtype, std::string_view what);

}  // namespace monograph
