// Keeps the highest dtype of each weight (tensor, 0-d tensor, number); get() combines them.
#include "ops/promotion.h"

namespace monograph {
namespace {

// The complex dtype whose parts have this floating dtype; complex64 for bfloat16, which has none.
DType complex_type(DType t) {
  MONOGRAPH_CHECK(t != DType::f16, Runtime,
                  "a float16 tensor with a complex number gives complex32, which is not implemented; convert it first, for example "
                  "x.to(torch.float32)");
  return t == DType::f64 ? DType::c128 : DType::c64;
}

}  // namespace

DType number_dtype(const IValue& number) {
  if (number.is_bool()) return DType::b1;
  if (number.is_int()) return DType::i64;
  if (number.is_float()) return default_dtype();
  return default_dtype() == DType::f64 ? DType::c128 : DType::c64;
}

void ResultType::add(const IValue& number) { number_.add(monograph::number_dtype(number)); }

DType ResultType::number_dtype(DType dtype) {
  if (is_complex(dtype)) return default_dtype() == DType::f64 ? DType::c128 : DType::c64;
  return is_floating(dtype) ? default_dtype() : dtype;
}

ResultType::Seen ResultType::combine(Seen higher, Seen lower) {
  if (!lower.any) return higher;
  if (!higher.any) return lower;
  if (promotion_category(lower.dtype) <= promotion_category(higher.dtype)) return higher;
  // A complex number beside a floating tensor: the category comes from the number, the width from the tensor.
  if (is_complex(lower.dtype) && is_floating(higher.dtype)) lower.dtype = complex_type(higher.dtype);
  return lower;
}

DType ResultType::get() const { return combine(tensor_, combine(scalar_, number_)).dtype; }

}  // namespace monograph
