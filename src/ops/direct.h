// Evaluations that the interpreter calls without dispatch and without copies of the arguments: arithmetic and comparisons of numbers, and an element of a list. A
// family states them beside an operator's evaluation, from the same functor.
#pragma once

#include <cmath>
#include <cstring>
#include <type_traits>

#include "ops/record.h"

namespace monograph {

// Of one or two values. False, and nothing is written, where they are not of the types that it is for, and where the operator's own evaluation is to say what is
// wrong with them. An operator of one argument gets it twice. `out` may be one of the arguments.
using DirectFn = bool (*)(const IValue& a, const IValue& b, IValue& out);

// `f` does for arguments of these types what `eval` does.
void state_direct(EvalFn eval, ir::TypeKind a, ir::TypeKind b, DirectFn f);
// Null where none is stated.
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
// The number of a value that holds<T>(): its first bytes, read without a call.
template <class T>
T number_in(const IValue& v) {
  T number;
  std::memcpy(&number, &v, sizeof number);
  return number;
}

template <class F, class A, class B, class C>
bool direct_of_two(const IValue& a, const IValue& b, IValue& out) {
  if (!holds<A>(a) || !holds<B>(b)) return false;
  const C x = static_cast<C>(number_in<A>(a)), y = static_cast<C>(number_in<B>(b));
  if constexpr (requires { F::defined(x, y); })
    if (!F::defined(x, y)) return false;
  out = IValue(F()(x, y));
  return true;
}
template <class F, class A>
bool direct_of_one(const IValue& a, const IValue&, IValue& out) {
  if (!holds<A>(a)) return false;
  const A x = number_in<A>(a);
  if constexpr (requires { F::defined(x); })
    if (!F::defined(x)) return false;
  out = IValue(F()(x));
  return true;
}

template <class F, class A>
void state_direct_of_one(EvalFn eval) {
  state_direct(eval, kKindOf<A>, kKindOf<A>, direct_of_one<F, A>);
}
// Of ints, floats, and one of each. C: what ints are computed in.
template <class F, class C = int64_t>
void state_direct_of_numbers(EvalFn eval) {
  state_direct(eval, ir::TypeKind::Int, ir::TypeKind::Int, direct_of_two<F, int64_t, int64_t, C>);
  state_direct(eval, ir::TypeKind::Float, ir::TypeKind::Float, direct_of_two<F, double, double, double>);
  state_direct(eval, ir::TypeKind::Int, ir::TypeKind::Float, direct_of_two<F, int64_t, double, double>);
  state_direct(eval, ir::TypeKind::Float, ir::TypeKind::Int, direct_of_two<F, double, int64_t, double>);
}

}  // namespace monograph
