// Runs a recorded body by calling one public operator for each instruction, so that autograd or a capture can record it. Arithmetic between numbers is folded
// as in the generated kernel, so the results have the same bits.
#include "autograd/body.h"

#include <bit>
#include <cmath>

#include "ops/dispatch.h"
#include "ops/elementary/elementary.h"

namespace monograph {
namespace {

// A number rounded to dtype t, in the wider type in which an IValue holds it.
IValue rounded(const IValue& v, DType t) {
  if (!v.is_number() || v.is_complex()) return v;
  if (t == DType::f64) return v.to_double();
  if (is_floating(t)) return static_cast<double>(static_cast<float>(v.to_double()));
  if (t == DType::b1) return v.to_double() != 0;
  return v.is_float() ? static_cast<int64_t>(v.to_double()) : v.to_int();
}

IValue literal(const Ins& n) {
  if (n.t == DType::f64) return std::bit_cast<double>(n.imm);
  if (is_floating(n.t)) return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(n.imm)));
  return n.t == DType::b1 ? IValue(n.imm != 0) : IValue(static_cast<int64_t>(n.imm));
}

class Interpretation {
 public:
  Interpretation(const Body& body, std::span<const IValue> args, const RowSpan* rows, bool complex)
      : body_(body), args_(args), rows_(rows), complex_(complex) {}

  std::vector<IValue> run() {
    values_.reserve(body_.ins.size());
    for (const Ins& n : body_.ins) values_.push_back(value(n));
    std::vector<IValue> results;
    for (const Body::Out& out : body_.outs) {
      if (!is_tensor(out.re)) {
        results.push_back(values_[out.re]);
        continue;
      }
      IValue v = tensor(out.re, body_.ins[out.re].t);
      if (out.arg.uniform && rows_ && !rows_->keepdim)
        for (size_t k = rows_->dims.size(); k-- > 0;) v = "squeeze"_op(v, rows_->dims[k]);
      results.push_back(std::move(v));
    }
    return results;
  }

 private:
  // The dtype of tensors for an instruction of dtype t: complex where a body that was recorded for real numbers runs over complex ones.
  DType tensor_dtype(DType t) const { return complex_ && is_floating(t) ? complex_type(t) : t; }
  Tensor converted(const IValue& v, DType t) const {
    return v.as_tensor().dtype() == tensor_dtype(t) ? v.to_tensor() : Tensor("to"_op(v, tensor_dtype(t)));
  }
  // Value k as a tensor, for operators that take no number there.
  Tensor tensor(uint32_t k, DType t) const {
    return values_[k].is_tensor() ? values_[k].to_tensor() : Tensor("scalar_tensor"_op(values_[k], tensor_dtype(t)));
  }
  bool is_tensor(uint32_t k) const { return values_[k].is_tensor(); }
  [[noreturn]] static void refuse(const Ins& n) {
    fail(ErrorKind::NotImplemented, "instruction ", static_cast<int>(n.fn), " of a body has no public operator");
  }

  IValue value(const Ins& n) {
    auto a = [&]() -> const IValue& { return values_[n.a]; };
    switch (n.fn) {
      case Fn::Arg:
        if (is_complex(n.t) || is_complex(body_.args[n.imm].dtype)) refuse(n);
        return args_[n.imm].is_tensor() ? IValue(converted(args_[n.imm], n.t)) : rounded(args_[n.imm], n.t);
      case Fn::Const: return literal(n);
      case Fn::Count:
        MONOGRAPH_CHECK(rows_ && rows_->count, NotImplemented,
                        "this operator needs the number of elements in the reduced dimensions, but it is not known before the graph runs");
        return *rows_->count;
      case Fn::Convert: return is_tensor(n.a) ? IValue(converted(a(), n.t)) : rounded(a(), n.t);
      case Fn::Add:
      case Fn::Sub:
      case Fn::Mul:
      case Fn::Div:
      case Fn::Lt:
      case Fn::Le:
      case Fn::Eq:
      case Fn::And:
      case Fn::Or:
      case Fn::Xor: return binary(n);
      case Fn::Fma: return fused(n);
      case Fn::Select:
        if (!is_tensor(n.a)) return values_[a().to_bool() ? n.b : n.c];
        if (!is_tensor(n.b) && !is_tensor(n.c)) return "where"_op(a(), tensor(n.b, n.t), tensor(n.c, n.t));
        return "where"_op(a(), values_[n.b], values_[n.c]);
      case Fn::Call: return elementary_call(n);
      case Fn::Reduce: return reduction(n);
      default: return unary(n);
    }
  }

  IValue unary(const Ins& n) {
    if (complex_ && is_floating(n.t) && n.fn != Fn::Neg && n.fn != Fn::Sqrt) refuse(n);
    if (!is_tensor(n.a) && values_[n.a].is_complex())
      return n.fn == Fn::Neg ? IValue(-values_[n.a].to_complex()) : IValue(unary_of(n, tensor(n.a, n.t)));
    if (!is_tensor(n.a)) {
      double x = values_[n.a].to_double();
      if (n.fn == Fn::Not && n.t == DType::b1) return x == 0;
      if (!is_floating(n.t) || n.fn == Fn::Not)
        return n.fn == Fn::Neg ? IValue(-values_[n.a].to_int()) : "item"_op(unary_of(n, tensor(n.a, n.t)));
      return rounded(n.fn == Fn::Neg    ? -x
                     : n.fn == Fn::Abs  ? std::abs(x)
                     : n.fn == Fn::Sqrt ? std::sqrt(x)
                                        : "item"_op(unary_of(n, tensor(n.a, n.t))).to_double(),
                     n.t);
    }
    return unary_of(n, values_[n.a].to_tensor());
  }
  static Tensor unary_of(const Ins& n, const Tensor& a) {
    switch (n.fn) {
      case Fn::Neg: return "neg"_op(a);
      case Fn::Abs: return "abs"_op(a);
      case Fn::Sqrt: return "sqrt"_op(a);
      case Fn::Floor: return "floor"_op(a);
      case Fn::Ceil: return "ceil"_op(a);
      case Fn::Trunc: return "trunc"_op(a);
      case Fn::Rint: return "round"_op(a);
      case Fn::Not: return "bitwise_not"_op(a);
      default: refuse(n);
    }
  }

  // A number beside a tensor becomes the operator's Scalar argument, on the right. Two numbers are folded.
  IValue binary(const Ins& n) {
    const IValue &a = values_[n.a], &b = values_[n.b];
    if (!a.is_tensor() && !b.is_tensor()) return folded(n, a, b);
    if (complex_ && (n.fn == Fn::Lt || n.fn == Fn::Le)) return ordered(n, a, b);
    bool swap = !a.is_tensor();
    const IValue &x = swap ? b : a, &y = swap ? a : b;
    switch (n.fn) {
      case Fn::Add: return "add"_op(x, y);
      case Fn::Sub: return swap ? "rsub"_op(x, y) : "sub"_op(x, y);
      case Fn::Mul: return "mul"_op(x, y);
      case Fn::Div:
        if (!swap) return "div"_op(x, y);
        if (y.is_number() && !y.is_complex() && y.to_double() == 1 && is_floating(n.t)) return "reciprocal"_op(x);
        return "div"_op(tensor(n.a, n.t), x);
      case Fn::Lt: return swap ? "gt"_op(x, y) : "lt"_op(x, y);
      case Fn::Le: return swap ? "ge"_op(x, y) : "le"_op(x, y);
      case Fn::Eq: return "eq"_op(x, y);
      case Fn::And: return "bitwise_and"_op(x, y);
      case Fn::Or: return "bitwise_or"_op(x, y);
      default: return "bitwise_xor"_op(x, y);
    }
  }

  // Complex numbers have only a partial order: a <= b where b - a is real and not negative.
  static IValue ordered(const Ins& n, const IValue& a, const IValue& b) {
    const Tensor difference = b.is_tensor() ? "sub"_op(b, a) : "rsub"_op(a, b);
    if (!is_complex(difference.dtype())) return n.fn == Fn::Lt ? "gt"_op(difference, 0) : "ge"_op(difference, 0);
    const Tensor re = "real"_op(difference), on_axis = "eq"_op("imag"_op(difference), 0);
    return "bitwise_and"_op(n.fn == Fn::Lt ? "gt"_op(re, 0) : "ge"_op(re, 0), on_axis);
  }
  static IValue folded(const Ins& n, std::complex<double> x, std::complex<double> y) {
    switch (n.fn) {
      case Fn::Lt: return (y - x).imag() == 0 && (y - x).real() > 0;
      case Fn::Le: return (y - x).imag() == 0 && (y - x).real() >= 0;
      case Fn::Eq: return x == y;
      case Fn::Add: return x + y;
      case Fn::Sub: return x - y;
      case Fn::Mul: return x * y;
      case Fn::Div: return x / y;
      default: refuse(n);
    }
  }

  // A sum, product or quotient of two floats, computed in double and then rounded to float, is the correctly rounded one.
  static IValue folded(const Ins& n, const IValue& a, const IValue& b) {
    MONOGRAPH_CHECK(a.is_number() && b.is_number(), NotImplemented,
                    "this operator computes with two symbolic numbers, which cannot be recorded; pass one of them as a tensor");
    if (a.is_complex() || b.is_complex()) return folded(n, a.to_complex(), b.to_complex());
    double x = a.to_double(), y = b.to_double();
    bool exact = is_floating(n.t) || (n.fn != Fn::Div && std::abs(x) < 0x1p31 && std::abs(y) < 0x1p31);
    switch (n.fn) {
      case Fn::Lt: return x < y;
      case Fn::Le: return x <= y;
      case Fn::Eq: return x == y;
      case Fn::And:
        if (n.t == DType::b1) return x != 0 && y != 0;
        break;
      case Fn::Or:
        if (n.t == DType::b1) return x != 0 || y != 0;
        break;
      case Fn::Add:
        if (exact) return rounded(x + y, n.t);
        break;
      case Fn::Sub:
        if (exact) return rounded(x - y, n.t);
        break;
      case Fn::Mul:
        if (exact) return rounded(x * y, n.t);
        break;
      case Fn::Div:
        if (exact) return rounded(x / y, n.t);
        break;
      default: break;
    }
    refuse(n);
  }

  // a * b + c with one rounding: add's alpha, or addcmul.
  IValue fused(const Ins& n) {
    const IValue &a = values_[n.a], &b = values_[n.b];
    if (!a.is_tensor() && !b.is_tensor() && !is_tensor(n.c)) refuse(n);
    Tensor c = tensor(n.c, n.t);
    if (!a.is_tensor() && !b.is_tensor()) return "add"_op(c, tensor(n.a, n.t), b);
    if (!b.is_tensor()) return "add"_op(c, a, b);
    if (!a.is_tensor()) return "add"_op(c, b, a);
    return "addcmul"_op(c, a, b);
  }

  IValue elementary_call(const Ins& n) {
    const ElementaryDef& f = elementary(static_cast<Elem>(n.imm));
    const OverloadSet& overloads = find_overloads(f.name);
    if (f.arity == 2) return detail::invoke(overloads, {tensor(n.a, n.t), tensor(n.b, n.t)});
    return detail::invoke(overloads, {tensor(n.a, n.t)});
  }

  IValue reduction(const Ins& n) {
    MONOGRAPH_ASSERT(rows_);
    Tensor x = tensor(n.a, n.t);
    switch (static_cast<Combine>(n.imm)) {
      case Combine::Sum: return "sum"_op(x, rows_->dims, true);
      case Combine::Max: return "amax"_op(x, rows_->dims, true);
      case Combine::Min: return "amin"_op(x, rows_->dims, true);
      default: refuse(n);
    }
  }

  const Body& body_;
  std::span<const IValue> args_;
  const RowSpan* rows_;
  const bool complex_;
  std::vector<IValue> values_;
};

}  // namespace

std::vector<IValue> interpret_body(const Body& body, std::span<const IValue> args, const RowSpan* rows, bool complex) {
  return Interpretation(body, args, rows, complex).run();
}

}  // namespace monograph
