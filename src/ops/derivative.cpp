// Goes through the instructions once, in order, and records the derivative of each value with respect to x.
#include "ops/derivative.h"

#include <optional>
#include <vector>

#include "core/error.h"

namespace monograph {
namespace {

using Slope = std::optional<Num>;  // absent: the derivative is 0

Slope sum(Slope a, Slope b) { return !a ? b : !b ? a : Slope(*a + *b); }
Slope times(Slope a, Num factor) { return a ? Slope(*a * factor) : a; }

}  // namespace

Num derivative(Num result, Num x, Num value) {
  Recorder& r = Recorder::current();
  std::vector<Slope> slope(result.id + 1);
  slope[x.id] = lit(x.t, 1.0);
  auto num = [&](uint32_t id) { return Num{id, r.at({id, result.t}).t}; };
  auto own = [&](uint32_t id, DType t) { return id == result.id ? value : Num{id, t}; };
  for (uint32_t i = x.id + 1; i <= result.id; ++i) {
    const Ins n = r.at({i, result.t});  // a copy: recording below grows the list
    if (!is_floating(n.t)) continue;
    auto d = [&](uint32_t operand) { return operand < slope.size() ? slope[operand] : Slope(); };
    switch (n.fn) {
      case Fn::Arg:
      case Fn::Const:
      case Fn::Index:
      case Fn::Count:
      case Fn::Floor:
      case Fn::Ceil:
      case Fn::Trunc:
      case Fn::Rint:
      case Fn::FromBits: break;
      case Fn::Add: slope[i] = sum(d(n.a), d(n.b)); break;
      case Fn::Sub: slope[i] = sum(d(n.a), times(d(n.b), lit(n.t, -1.0))); break;
      case Fn::Mul: slope[i] = sum(times(d(n.a), num(n.b)), times(d(n.b), num(n.a))); break;
      case Fn::Div: {
        Num reciprocal = lit(n.t, 1.0) / num(n.b);
        slope[i] = sum(times(d(n.a), reciprocal), times(d(n.b), -(own(i, n.t) * reciprocal)));
        break;
      }
      case Fn::Neg: slope[i] = times(d(n.a), lit(n.t, -1.0)); break;
      case Fn::Abs: {
        Num a = num(n.a), zero = lit(n.t, 0.0);
        slope[i] = times(d(n.a), where(zero < a, lit(n.t, 1.0), where(a < zero, lit(n.t, -1.0), a)));
        break;
      }
      case Fn::Sqrt: slope[i] = times(d(n.a), lit(n.t, 0.5) / own(i, n.t)); break;
      case Fn::Fma: slope[i] = sum(sum(times(d(n.a), num(n.b)), times(d(n.b), num(n.a))), d(n.c)); break;
      case Fn::Select: {
        Slope a = d(n.b), b = d(n.c);
        Num zero = lit(n.t, 0.0);
        if (a || b) slope[i] = where(num(n.a), a.value_or(zero), b.value_or(zero));
        break;
      }
      case Fn::Convert:
        if (d(n.a)) slope[i] = convert(*d(n.a), n.t);
        break;
      case Fn::RaiseIf: slope[i] = d(n.b); break;
      case Fn::Call: {
        const ElementaryDef& f = elementary(static_cast<Elem>(n.imm));
        Num a = num(n.a), b = f.arity == 2 ? num(n.b) : a, y = own(i, n.t);
        if (d(n.a)) slope[i] = times(d(n.a), f.slope(0, a, b, y));
        if (f.arity == 2 && d(n.b)) slope[i] = sum(slope[i], times(d(n.b), f.slope(1, a, b, y)));
        break;
      }
      default: throw InternalError(concat("a body with instruction ", static_cast<int>(n.fn), " has no derivative; state its slope"));
    }
  }
  return slope[result.id] ? *slope[result.id] : lit(result.t, 0.0);
}

}  // namespace monograph
