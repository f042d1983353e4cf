// Direct evaluations: fast versions of an operator's evaluation that the interpreter calls without dispatch and without copying the arguments. They exist for
// arithmetic and comparisons of numbers, and for the element and the length of a list. A family states them from the same functor as the evaluation.
#pragma once

#include <cmath>
#include <cstring>
#include <type_traits>

#include "ops/record.h"

namespace monograph {

// Evaluates an operator of one or two arguments; with one argument, `a` and `b` are the same. Returns false and writes nothing if the values have other types,
// or if they are an error that the operator's evaluation must report. `out` may be one of the arguments.
using DirectFn = bool (*)(const IValue& a, const IValue& b, IValue& out);

// States that `f` does the same as `eval` for arguments of these types.
void state_direct(EvalFn eval, ir::TypeKind a, ir::TypeKind b, DirectFn f);
// The direct evaluation of an operator; null if none is stated.
DirectFn direct_evaluation(const Operator& op);

template <class T>
inline constexpr IValue::Tag kTagOf = std::is_same_v<T, bool>     ? IValue::Tag::Bool
                                      : std::is_same_v<T, double> ? IValue::Tag::Float
                                                                  : IValue::Tag::Int;
template <class T>
inline constexpr ir::TypeKind kKindOf = std::is_same_v<T, bool>     ? ir::TypeKind::Bool
                                        : std::is_same_v<T, double> ? ir::TypeKind::Float
                                                                    : ir::TypeKind::Int;

template <class T>
bool holds(const IValue& v) {
  return v.tag() == kTagOf<T>;
}
// The number in a value for which holds<T>() is true. It is read from the first bytes of the value, without a function call.
template <class T>
T raw_number(const IValue& v) {
  T number;
  std::memcpy(&number, &v, sizeof number);
  return number;
}

template <class F, class A, class B, class C>
bool direct_of_two(const IValue& a, const IValue& b, IValue& out) {
  if (!holds<A>(a) || !holds<B>(b)) return false;
  const C x = static_cast<C>(raw_number<A>(a)), y = static_cast<C>(raw_number<B>(b));
  if constexpr (requires { F::defined(x, y); })
    if (!F::defined(x, y)) return false;
  out = IValue(F()(x, y));
  return true;
}
template <class F, class A>
bool direct_of_one(const IValue& a, const IValue&, IValue& out) {
  if (!holds<A>(a)) return false;
  const A x = raw_number<A>(a);
  if constexpr (requires { F::defined(x); })
    if (!F::defined(x)) return false;
  out = IValue(F()(x));
  return true;
}

template <class F, class A>
void state_direct_of_one(EvalFn eval) {
  state_direct(eval, kKindOf<A>, kKindOf<A>, direct_of_one<F, A>);
}
// For two ints, two floats, and one of each. Two ints are computed in C.
template <class F, class C = int64_t>
void state_direct_of_numbers(EvalFn eval) {
  state_direct(eval, ir::TypeKind::Int, ir::TypeKind::Int, direct_of_two<F, int64_t, int64_t, C>);
  state_direct(eval, ir::TypeKind::Float, ir::TypeKind::Float, direct_of_two<F, double, double, double>);
  state_direct(eval, ir::TypeKind::Int, ir::TypeKind::Float, direct_of_two<F, int64_t, double, double>);
  state_direct(eval, ir::TypeKind::Float, ir::TypeKind::Int, direct_of_two<F, double, int64_t, double>);
}

}  // namespace monograph
