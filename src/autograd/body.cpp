// Bodies in public operators: the slope of a pointwise operator, or the operator itself, as something that can be differentiated again.
#include "autograd/engine.h"
#include "ops/dispatch.h"

namespace monograph {
namespace {

// A literal as a 0-d tensor that weighs as little in promotion as a Python number.
Tensor number_tensor(const Ins& n) {
  Tensor t;
  if (is_floating(n.t)) {
    double v = n.t == DType::f64 ? std::bit_cast<double>(n.imm) : std::bit_cast<float>(static_cast<uint32_t>(n.imm));
    t = "scalar_tensor"_op(v, DType::f64);
  } else {
    t = n.t == DType::b1 ? Tensor("scalar_tensor"_op(n.imm != 0, DType::b1))
                         : Tensor("scalar_tensor"_op(static_cast<int64_t>(n.imm), DType::i64));
  }
  t->wrapped_number = true;
  return t;
}

Tensor apply(const Ins& n, const std::vector<Tensor>& v, std::span<const IValue> args) {
  auto a = [&] { return v[n.a]; };
  auto b = [&] { return v[n.b]; };
  auto c = [&] { return v[n.c]; };
  switch (n.fn) {
    case Fn::Arg: {
      const IValue& x = args[n.imm];
      if (x.is_tensor()) return x.as_tensor();
      Tensor t = "scalar_tensor"_op(x, x.is_float() ? DType::f64 : DType::i64);
      t->wrapped_number = true;
      return t;
    }
    case Fn::Const: return number_tensor(n);
    case Fn::Add: return "add"_op(a(), b());
    case Fn::Sub: return "sub"_op(a(), b());
    case Fn::Mul: return "mul"_op(a(), b());
    case Fn::Div: return "div"_op(a(), b());
    case Fn::Neg: return "neg"_op(a());
    case Fn::Abs: return "abs"_op(a());
    case Fn::Sqrt: return "sqrt"_op(a());
    case Fn::Fma: return "add"_op("mul"_op(a(), b()), c());
    case Fn::Floor: return "floor"_op(a());
    case Fn::Ceil: return "ceil"_op(a());
    case Fn::Trunc: return "trunc"_op(a());
    case Fn::Rint: return "round"_op(a());
    case Fn::Lt: return "lt"_op(a(), b());
    case Fn::Le: return "le"_op(a(), b());
    case Fn::Eq: return "eq"_op(a(), b());
    case Fn::And: return "bitwise_and"_op(a(), b());
    case Fn::Or: return "bitwise_or"_op(a(), b());
    case Fn::Xor: return "bitwise_xor"_op(a(), b());
    case Fn::Not: return "bitwise_not"_op(a());
    case Fn::Select: return "where"_op(a(), b(), c());
    case Fn::Convert: return is_floating(n.t) && is_floating(a().dtype()) ? a() : Tensor("to"_op(a(), n.t));
    case Fn::Call: {
      const ElementaryDef& f = elementary(static_cast<Elem>(n.imm));
      const OverloadSet& overloads = find_overloads(f.name);
      if (f.arity == 2) return detail::invoke(overloads, {a(), b()}).to_tensor();
      return detail::invoke(overloads, {a()}).to_tensor();
    }
    default: throw InternalError(concat("instruction ", static_cast<int>(n.fn), " of a body has no public operator"));
  }
}

}  // namespace

Tensor interpret_body(const Body& body, std::span<const IValue> args) {
  std::vector<Tensor> values;
  values.reserve(body.ins.size());
  for (const Ins& n : body.ins) values.push_back(apply(n, values, args));
  return values[body.outs[0].re];
}

}  // namespace monograph
