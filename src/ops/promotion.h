// Type promotion (torch.result_type): the dtype in which an operator computes on tensors and Python numbers.
#pragma once

#include "core/ivalue.h"

namespace monograph {

// Collects the operands of a call. Tensors with dims take precedence over 0-d tensors, and these over Python numbers, unless the other one has a higher
// category (bool < integer < floating < complex).
class ResultType {
 public:
  void add(const Tensor& t) { add(t.dtype(), t->wrapped_number ? Weight::Number : t.dim() == 0 ? Weight::Scalar : Weight::Tensor); }
  void add(const IValue& number);  // a Python number
  enum class Weight : uint8_t { Tensor, Scalar, Number };
  // With Weight::Number, the dtype of a number in a tensor counts as the Python number would: float32 as the default dtype.
  void add(DType dtype, Weight weight) {
    if (weight == Weight::Number) number_.add(number_dtype(dtype));
    else (weight == Weight::Tensor ? tensor_ : scalar_).add(dtype);
  }
  DType get() const;  // raises where the operands give complex32, in which no operator computes
  DType promoted() const;  // torch.result_type, which only names the dtype

 private:
  struct Seen {
    DType dtype = DType::b1;
    bool any = false;
    void add(DType t) {
      dtype = any ? promote_types(dtype, t) : t;
      any = true;
    }
  };
  static DType number_dtype(DType dtype);
  static Seen combine(Seen higher, Seen lower);
  Seen tensor_, scalar_, number_;
};

// The dtype of a Python number: bool, int64, the default dtype, or its complex counterpart.
DType number_dtype(const IValue& number);

// The end of an error about an unsupported dtype: it names a dtype that the operator's rule takes.
template <class Rule>
std::string conversion_hint(const Rule& rule) {
  for (DType t : {DType::f32, DType::i64, DType::b1})
    if (rule.takes(t)) return concat("; convert the argument first, for example x.to(torch.", name(t), ")");
  return "";
}

}  // namespace monograph
