// torch.result_type: which dtype an operator on tensors and Python numbers computes in.
#pragma once

#include "core/ivalue.h"

namespace monograph {

// Collects operands. Tensors with dims outweigh 0-d tensors, which outweigh Python numbers, unless the lighter one is of a higher
// category (bool < integer < floating < complex).
class ResultType {
 public:
  void add(const Tensor& t) { add(t.dtype(), t->wrapped_number ? Weight::Number : t.dim() == 0 ? Weight::Scalar : Weight::Tensor); }
  void add(const IValue& number);  // a Python number
  enum class Weight : uint8_t { Tensor, Scalar, Number };
  // A number of a tensor's dtype counts as the Python number that it is made of.
  void add(DType dtype, Weight weight) {
    if (weight == Weight::Number) number_.add(number_dtype(dtype));
    else (weight == Weight::Tensor ? tensor_ : scalar_).add(dtype);
  }
  DType get() const;

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

// The dtype a Python number brings: bool, int64, the default dtype, or its complex counterpart.
DType number_dtype(const IValue& number);

// The way out of an error about a dtype that an operator does not have: the first of these that its rule takes.
template <class Rule>
std::string conversion_hint(const Rule& rule) {
  for (DType t : {DType::f32, DType::i64, DType::b1})
    if (rule.takes(t)) return concat("; convert the argument first, for example x.to(torch.", name(t), ")");
  return "";
}

}  // namespace monograph
