// Promotion of dtypes. The operands fall into three groups: tensors with dims, 0-d tensors, Python numbers. Each group keeps the highest dtype that it
// has seen. get() combines the three.
#include "ops/promotion.h"

namespace monograph {
namespace {

// The result's dtype for a floating tensor and a complex number. bfloat16 has no complex dtype; it gives complex64, as in PyTorch.
DType with_complex_number(DType floating) { return floating == DType::f16 ? DType::c32 : complex_type(floating); }

}  // namespace

DType number_dtype(const IValue& number) {
  if (number.is_bool()) return DType::b1;
  if (number.is_int()) return DType::i64;
  return number.is_float() ? default_dtype() : default_complex_dtype();
}

void ResultType::add(const IValue& number) { number_.add(monograph::number_dtype(number)); }

DType ResultType::number_dtype(DType dtype) {
  if (is_complex(dtype)) return default_complex_dtype();
  return is_floating(dtype) ? default_dtype() : dtype;
}

ResultType::Seen ResultType::combine(Seen higher, Seen lower) {
  if (!lower.any) return higher;
  if (!higher.any) return lower;
  if (promotion_category(lower.dtype) <= promotion_category(higher.dtype)) return higher;
  // A complex number beside a floating tensor: the category comes from the number, the width from the tensor.
  if (is_complex(lower.dtype) && is_floating(higher.dtype)) lower.dtype = with_complex_number(higher.dtype);
  return lower;
}

DType ResultType::promoted() const { return combine(tensor_, combine(scalar_, number_)).dtype; }

DType ResultType::get() const {
  const DType dtype = promoted();
  MONOGRAPH_CHECK(dtype != DType::c32 || tensor_.dtype == DType::c32 || scalar_.dtype == DType::c32, Runtime,
                  "a float16 tensor with a complex number gives complex32, which is for storage only; convert it first, for example "
                  "x.to(torch.float32)");
  return dtype;
}

}  // namespace monograph
