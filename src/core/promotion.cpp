// Promotion by category and then by width. It is apart from dtype.cpp, which the C library has: what cannot be promoted raises.
#include "core/dtype.h"
#include "core/error.h"

namespace monograph {
namespace {

bool is_wide_unsigned(DType t) { return t == DType::u16 || t == DType::u32 || t == DType::u64; }

}  // namespace

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  for (DType t : {a, b})
    MONOGRAPH_CHECK(!is_float8(t), Runtime, "Promotion for Float8 Types is not supported, attempted to promote ", info(a).scalar_type,
                    " and ", info(b).scalar_type, "; convert one first, for example x.to(torch.float32)");
  for (DType t : {a, b})
    MONOGRAPH_CHECK(!is_quantized(t), Runtime, "promoteTypes with quantized numbers is not handled yet, to promote ", info(a).scalar_type,
                    " and ", info(b).scalar_type, "; x.dequantize() is a tensor of torch.float32");
  MONOGRAPH_CHECK(!is_integral(a) || !is_integral(b) || (!is_wide_unsigned(a) && !is_wide_unsigned(b)), Runtime,
                  "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote ", info(a).scalar_type, " and ",
                  info(b).scalar_type, "; convert one first, for example x.to(torch.int64)");
  int ca = promotion_category(a), cb = promotion_category(b);
  if (ca < cb) std::swap(a, b), std::swap(ca, cb);  // a has the higher category
  if (ca == 3) {                                    // complex: its precision must hold the other's
    bool wide = a == DType::c128 || b == DType::c128 || b == DType::f64;
    bool narrow = a == DType::c32 && (b == DType::f16 || cb < 2);
    return wide ? DType::c128 : narrow ? DType::c32 : DType::c64;
  }
  if (ca != cb) return a;
  if (ca == 2) {
    if (a == DType::f64 || b == DType::f64) return DType::f64;
    return DType::f32;  // two different ones of f16, bf16, f32
  }
  if (info(a).size == info(b).size) return DType::i16;  // u8 with i8
  if (info(a).size < info(b).size) std::swap(a, b);
  return a;
}

}  // namespace monograph
