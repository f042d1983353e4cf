// Operators on numbers and on lists of numbers: sizes of tensors, item(), and the arithmetic that programs do with them. Each record has an evaluation; most
// also state a direct evaluation (ops/direct.h) for the interpreter, and their value in terms of symbolic sizes (ops/size_values.h).
#include <cmath>
#include <complex>
#include <deque>
#include <functional>
#include <limits>

#include "ir/graph.h"
#include "ops/direct.h"
#include "ops/dispatch.h"
#include "ops/families/programs.h"
#include "ops/infer.h"
#include "ops/promotion.h"
#include "ops/registry.h"
#include "ops/rule.h"
#include "ops/size_values.h"
#include "ops/tensor_facts.h"
#include "ops/torchscript_names.h"
#include "ops/wrapping_ints.h"

namespace monograph {
namespace {

int64_t wrap(uint64_t v) { return static_cast<int64_t>(v); }
uint64_t bits(int64_t v) { return static_cast<uint64_t>(v); }

// Of operators that are `defined` for ints only where the result has 64 bits. A program of TorchScript has the lowest 64 bits elsewhere, any other an error.
struct AddNumbers {
  static bool defined(int64_t a, int64_t b) {
    int64_t r;
    return !__builtin_add_overflow(a, b, &r);
  }
  static bool defined(double, double) { return true; }
  int64_t operator()(int64_t a, int64_t b) const { return wrap(bits(a) + bits(b)); }
  double operator()(double a, double b) const { return a + b; }
};
struct SubNumbers {
  static bool defined(int64_t a, int64_t b) {
    int64_t r;
    return !__builtin_sub_overflow(a, b, &r);
  }
  static bool defined(double, double) { return true; }
  int64_t operator()(int64_t a, int64_t b) const { return wrap(bits(a) - bits(b)); }
  double operator()(double a, double b) const { return a - b; }
};
struct MulNumbers {
  static bool defined(int64_t a, int64_t b) {
    int64_t r;
    return !__builtin_mul_overflow(a, b, &r);
  }
  static bool defined(double, double) { return true; }
  int64_t operator()(int64_t a, int64_t b) const { return wrap(bits(a) * bits(b)); }
  double operator()(double a, double b) const { return a * b; }
};
void check_fits(bool fits, const Operator& op) {
  MONOGRAPH_CHECK(fits || WrappingInts::on(), Value, "[", op.name(),
                  "] the result does not fit into the 64 bits in which a graph computes integers; compute with floats, or outside of the "
                  "captured function");
}
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
void check_divisor(bool nonzero, std::string_view op) {
  MONOGRAPH_CHECK(nonzero, Runtime, "[", op, "] ZeroDivisionError: division by zero");
}

// The quotient rounded down. The least integer divided by -1 wraps.
int64_t floor_quotient(int64_t a, int64_t b) {
  if (b == -1) return wrap(-bits(a));
  int64_t q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}

struct Negative {
  static bool defined(int64_t a) { return a != std::numeric_limits<int64_t>::min(); }
  static bool defined(double) { return true; }
  int64_t operator()(int64_t a) const { return wrap(-bits(a)); }
  double operator()(double a) const { return -a; }
};
struct FloorQuotient {
  static bool fits(int64_t a, int64_t b) { return b != -1 || Negative::defined(a); }
  static bool defined(int64_t a, int64_t b) { return b != 0 && fits(a, b); }
  static bool defined(double, double b) { return b != 0; }
  int64_t operator()(int64_t a, int64_t b) const { return floor_quotient(a, b); }
  double operator()(double a, double b) const { return std::floor(a / b); }
};
struct Remainder {
  template <class T>
  static bool defined(T, T b) {
    return b != 0;
  }
  int64_t operator()(int64_t a, int64_t b) const {
    // The common case first: neither number is negative.
    if (a >= 0 && b > 0) return a % b;
    return wrap(bits(a) - bits(floor_quotient(a, b)) * bits(b));
  }
  double operator()(double a, double b) const {
    const double m = std::fmod(a, b);
    if (m == 0) return std::copysign(0.0, b);
    return (m < 0) != (b < 0) ? m + b : m;
  }
};
struct Quotient {
  static bool defined(double, double b) { return b != 0; }
  double operator()(double a, double b) const { return a / b; }
};
struct Magnitude {
  static bool defined(int64_t a) { return Negative::defined(a); }
  static bool defined(double) { return true; }
  int64_t operator()(int64_t a) const { return a < 0 ? wrap(-bits(a)) : a; }
  double operator()(double a) const { return std::fabs(a); }
};
struct ToFloat {
  template <class T>
  double operator()(T a) const {
    return static_cast<double>(a);
  }
};
struct ToInt {
  static bool defined(double a) { return a >= -0x1p63 && a < 0x1p63; }
  int64_t operator()(double a) const { return static_cast<int64_t>(a); }
  int64_t operator()(bool a) const { return a; }
};
struct NotZero {
  template <class T>
  bool operator()(T a) const {
    return a != 0;
  }
};
struct Not {
  bool operator()(bool a) const { return !a; }
};
template <template <class> class F>
struct Bitwise {
  int64_t operator()(int64_t a, int64_t b) const { return F<int64_t>()(a, b); }
  bool operator()(bool a, bool b) const { return F<int>()(a, b) != 0; }
};

template <class F>
void unary_arithmetic(const Operator& self, const IValue* a, IValue* out) {
  if (a[0].is_float()) return void(out[0] = F()(a[0].to_double()));
  const int64_t x = a[0].to_int();
  if constexpr (requires { F::defined(x); }) check_fits(F::defined(x), self);
  out[0] = F()(x);
}

int64_t length_of(const IValue& list) { return static_cast<int64_t>(list.is_ints() ? list.to_ints().size() : list.items().size()); }
// Writes element k of the list to `out`; a negative k counts from the end. Returns false if k is out of range.
bool take_element(const IValue& list, int64_t k, IValue& out) {
  const int64_t n = length_of(list);
  if (k < 0) k += n;
  if (k < 0 || k >= n) return false;
  out = list.is_ints() ? IValue(list.to_ints()[static_cast<size_t>(k)]) : list.items()[static_cast<size_t>(k)];
  return true;
}
bool direct_element(const IValue& list, const IValue& place, IValue& out) {
  return holds<int64_t>(place) && (list.is_ints() || list.is_list()) && take_element(list, raw_number<int64_t>(place), out);
}
bool direct_length(const IValue& list, const IValue&, IValue& out) {
  if (!(list.is_ints() || list.is_list())) return false;
  out = length_of(list);
  return true;
}

template <class F>
void arithmetic(const Operator& self, const IValue* a, IValue* out) {
  if (a[0].is_float() || a[1].is_float()) return void(out[0] = F()(a[0].to_double(), a[1].to_double()));
  const int64_t x = a[0].to_int(), y = a[1].to_int();
  if constexpr (requires { F::fits(x, y); }) check_fits(F::fits(x, y), self);
  else if constexpr (requires { F::defined(x, y); }) check_fits(F::defined(x, y), self);
  out[0] = F()(x, y);
}
template <class F>
void division(const Operator& self, const IValue* a, IValue* out) {
  check_divisor(a[1].to_double() != 0, self.name());
  arithmetic<F>(self, a, out);
}
// The exponent is not negative. In PyTorch's scripts a power of ints is a float, which does not wrap, so too large a power raises in scripts too.
int64_t int_power(const Operator& self, int64_t a, int64_t exponent) {
  int64_t power = 1, base = a;
  bool fits = true;
  for (uint64_t n = bits(exponent); n && fits; n >>= 1) {
    if (n & 1) fits = !__builtin_mul_overflow(power, base, &power);
    if (n > 1 && fits) fits = !__builtin_mul_overflow(base, base, &base);
  }
  MONOGRAPH_CHECK(fits, Runtime, "[", self.name(), "] ", a, " to the power of ", exponent,
                  " has more than 64 bits, in which a graph computes with ints; make one of them a float");
  return power;
}
void float_power(const Operator& self, const IValue* a, IValue* out) {
  const double x = a[0].to_double(), y = a[1].to_double();
  check_divisor(x != 0 || !(y < 0), self.name());
  MONOGRAPH_CHECK(!(x < 0) || y == std::floor(y), Runtime, "[", self.name(), "] ", x, " to the power of ", y, " is a complex number");
  out[0] = std::pow(x, y);
}
void power_of_numbers(const Operator& self, const IValue* a, IValue* out) {
  if (a[0].is_int() && a[1].is_int() && a[1].to_int() >= 0) out[0] = int_power(self, a[0].to_int(), a[1].to_int());
  else float_power(self, a, out);
}
// Of numbers of which the program alone says what they are.
template <class F, class OfComplex>
void any_arithmetic(const Operator& self, const IValue* a, IValue* out) {
  if (a[0].is_complex() || a[1].is_complex()) out[0] = OfComplex()(a[0].to_complex(), a[1].to_complex());
  else arithmetic<F>(self, a, out);
}
template <class F>
void of_complex(const Operator&, const IValue* a, IValue* out) {
  out[0] = F()(a[0].to_complex(), a[1].to_complex());
}
using ComplexNumber = std::complex<double>;
template <template <class> class F>
void comparison(const Operator&, const IValue* a, IValue* out) {
  if (a[0].is_float() || a[1].is_float()) out[0] = F<double>()(a[0].to_double(), a[1].to_double());
  else out[0] = F<int64_t>()(a[0].to_int(), a[1].to_int());
}

template <template <class> class F>
void bitwise(const Operator&, const IValue* a, IValue* out) {
  if (a[0].is_bool() && a[1].is_bool()) out[0] = F<int>()(a[0].to_bool(), a[1].to_bool()) != 0;
  else out[0] = F<int64_t>()(a[0].to_int(), a[1].to_int());
}
void check_shift(const Operator& op, int64_t count) {
  MONOGRAPH_CHECK(count >= 0, Value, "[", op.name(), "] negative shift count ", count);
}

// The only element of a tensor, as a number.
IValue only_element(const Operator& op, const Tensor& t) {
  MONOGRAPH_CHECK(t.numel() == 1, Runtime, "[", op.name(), "] a Tensor with ", t.numel(),
                  " elements cannot be converted to Scalar; take one element first, for example x[0]");
  MONOGRAPH_CHECK(!t.is_meta(), Runtime, "[", op.name(), "] a meta tensor has no elements");
  return first_number(t);
}

std::vector<IValue> items_of(const IValue& list) {
  if (!list.is_ints()) return list.items();
  std::vector<IValue> items;
  for (int64_t k : list.to_ints()) items.emplace_back(k);
  return items;
}
IValue list_of(std::vector<IValue> items, bool ints) {
  if (!ints) return IValue::list(std::move(items));
  Dims dims;
  for (const IValue& v : items) dims.push_back(v.to_int());
  return dims;
}

// Rules for lists on a graph: they state the type of the result. Eagerly they give no result, because the evaluation makes the value.
void same_list_rule(RuleCall& c) {
  if (!c.eager()) c.other(c.known(0).type);
}

// Two lists of tensors give a list whose element type covers both.
void joined_list_rule(RuleCall& c) {
  if (c.eager()) return;
  const ir::Type a = c.known(0).type, b = c.known(1).type;
  auto of_tensors = [](ir::Type t) { return t.is(ir::TypeKind::List) && t.element().is(ir::TypeKind::Tensor); };
  c.other(of_tensors(a) && of_tensors(b) ? ir::join(a, b) : a);
}

void item_rule(RuleCall& c) {
  if (c.eager()) return;
  const AbstractValue list = c.known(0);
  const auto k = c.integer(1);
  if (const auto n = list.items ? static_cast<int64_t>(list.items->size()) : 0; list.items && k && *k >= -n && *k < n)
    return c.other((*list.items)[static_cast<size_t>(*k < 0 ? *k + n : *k)].type);
  if (list.type.is(ir::TypeKind::Tuple) && k && *k >= 0 && *k < static_cast<int64_t>(list.type.elements().size()))
    return c.other(list.type.elements()[static_cast<size_t>(*k)]);
  c.other(list.type.is(ir::TypeKind::List) ? list.type.element() : ir::Type());
}

void dict_value_rule(RuleCall& c) {
  if (c.eager()) return;
  const ir::Type dict = c.known(0).type;
  c.other(dict.is(ir::TypeKind::Dict) ? dict.elements()[1] : ir::Type());
}

// --- The values of these numbers and lists, in terms of symbolic sizes (ops/size_values.h).

template <SymInt (*F)(SymInt, SymInt)>
SizeValue divided(SizeCall& c) {
  const Dim by = c.integer(1);
  if (by && by->is_int() && by->as_int() == 0) return {};
  return c.of_integers(F);
}

template <bool Left>
SizeValue shifted(SizeCall& c) {
  const Dim count = c.integer(1);
  if (!count || !count->is_int() || count->as_int() < 0 || count->as_int() >= 62) return {};
  const int64_t power = int64_t{1} << count->as_int();
  return c.of_integers([&](SymInt a, SymInt) { return Left ? a * SymInt(power) : floordiv(a, power); });
}

// Element k of a list; a negative k counts from the end. Absent if k is out of range.
template <class T>
std::optional<T> list_element(const std::vector<T>& list, int64_t k) {
  const auto n = static_cast<int64_t>(list.size());
  return k >= -n && k < n ? std::optional(list[static_cast<size_t>(k < 0 ? k + n : k)]) : std::nullopt;
}

SizeValue size_of_dim_value(SizeCall& c) {
  const auto dim = c.literal(1);
  const std::vector<Dim>* sizes = c.sizes(0);
  return {.integer = sizes && dim ? list_element(*sizes, *dim).value_or(Dim()) : Dim(), .items = {}};
}

SizeValue numel_value(SizeCall& c) { return {.integer = c.sizes(0) ? product(*c.sizes(0)) : Dim(), .items = {}}; }

SizeValue sizes_value(SizeCall& c) {
  if (!c.sizes(0)) return {};
  std::vector<AbstractValue> items;
  for (const Dim& size : *c.sizes(0)) {
    AbstractValue& item = items.emplace_back();
    item.type = ir::TypeKind::Int, item.integer = size;
  }
  return {.integer = {}, .items = std::move(items)};
}

SizeValue element_value(SizeCall& c) {
  const auto place = c.literal(1);
  const auto list = place ? c.items(0) : std::nullopt;
  const auto item = list ? list_element(*list, *place) : std::nullopt;
  return {.integer = item ? item->integer : Dim(), .items = {}};
}

SizeValue joined_value(SizeCall& c) {
  auto items = c.items(0), more = c.items(1);
  if (!items || !more) return {};
  items->insert(items->end(), more->begin(), more->end());
  return {.integer = {}, .items = std::move(items)};
}

SizeValue part_value(SizeCall& c) {
  const auto list = c.items(0);
  for (size_t k = 1; k < 4; ++k)
    if (!c.none(k) && !c.literal(k)) return {};
  if (!list || c.literal(3).value_or(1) == 0) return {};
  std::vector<AbstractValue> items;
  for (int64_t k : slice_places(static_cast<int64_t>(list->size()), c.literal(1), c.literal(2), c.literal(3).value_or(1)))
    items.push_back((*list)[static_cast<size_t>(k)]);
  return {.integer = {}, .items = std::move(items)};
}

// Whether a call may give the tensor itself other sizes: t_(), squeeze_(), resize_(). The sizes of a tensor are then those of the moment at which they were read.
bool sizes_may_change(const ir::Node* tensor) {
  for (const ir::Use* u = tensor->first_use(); u; u = u->next) {
    const auto* op = dynamic_cast<const Operator*>(u->user->info());
    if (!op || u->index != 0 || !(op->effects().writes & ir::Effects::Memory)) continue;
    const std::string_view name = op->name();
    if (name.starts_with("aten::resize_") || name.starts_with("aten::set_") || name.starts_with("aten::as_strided_")) return true;
    if (op->functional && op->functional->schema().may_alias(0, 0)) return true;
  }
  return false;
}

// Rewrites a comparison whose first argument is a literal: `0 < n` becomes `n > 0`, which is how Python evaluates it.
bool move_literal_last(ir::Node* n) {
  if (n->arg_count() != 2 || !n->arg(1).node() || (!n->arg(0).is(ir::ArgKind::Int) && !n->arg(0).is(ir::ArgKind::Float))) return false;
  constexpr std::pair<std::string_view, std::string_view> kSwapped[] = {{"eq", "eq"},
                                                                        {"ne", "ne"},
                                                                        {"lt", "gt"},
                                                                        {"gt", "lt"},
                                                                        {"le", "ge"},
                                                                        {"ge", "le"},
                                                                        {"int", "int"},
                                                                        {"float", "float"},
                                                                        {"int_float", "float_int"},
                                                                        {"float_int", "int_float"}};
  auto swapped = [&](std::string_view part) {
    const auto* at = std::ranges::find(kSwapped, part, [](const auto& pair) { return pair.first; });
    return at->second;
  };
  const std::string_view name = n->info()->name();
  const size_t begin = name.find("::") + 2, dot = name.find('.');
  const std::string other = concat("aten::", swapped(name.substr(begin, dot - begin)), ".", swapped(name.substr(dot + 1)));
  n->graph()->set_args(n, ir::Args(n->arg(1), n->arg(0)));
  n->graph()->set_target(n, n->graph()->resolved(find_operator(other)));
  return true;
}

// The value of a comparison: 1 if it holds for all sizes, 0 if it fails for all sizes, else unknown.
SizeValue truth_value(Truth t) { return {.integer = certainly(t) ? Dim(1) : never(t) ? Dim(0) : Dim(), .items = {}}; }

template <template <class> class F>
SizeValue compared_value(SizeCall& c) {
  const Dim a = c.integer(0), b = c.integer(1);
  return a && b ? truth_value(F<void>()(Size(a), Size(b))) : SizeValue();
}

template <bool kEqual>
SizeValue compared_lists_value(SizeCall& c) {
  const auto a = c.items(0), b = c.items(1);
  if (!a || !b) return {};
  Truth equal = a->size() == b->size();
  for (size_t k = 0; k < std::min(a->size(), b->size()); ++k) {
    const Dim &x = (*a)[k].integer, &y = (*b)[k].integer;
    equal = equal && (x && y ? Size(x) == Size(y) : Truth::unknown());
  }
  return truth_value(kEqual ? equal : !equal);
}

bool truth(const Operator& op, const Tensor& t) {
  MONOGRAPH_CHECK(t.numel() <= 1, Runtime, "[", op.name(),
                  "] Boolean value of Tensor with more than one value is ambiguous; use any() or all()");
  MONOGRAPH_CHECK(t.numel() == 1, Runtime, "[", op.name(), "] Boolean value of Tensor with no values is ambiguous");
  return only_element(op, t).to_complex() != 0.0;
}

// A tensor without dims stands for the number in it where a program gives it for one, as in TorchScript.
void check_stands_for_number(const Operator& op, const Tensor& t) {
  MONOGRAPH_CHECK(
      !t.requires_grad(), Runtime, "[", op.name(),
      "] a tensor that requires grad cannot stand for a number, because its gradient would end there; write float(...) to say so");
  MONOGRAPH_CHECK(t.dim() == 0, Runtime, "[", op.name(), "] a tensor of size ", to_string(t.sizes()),
                  " cannot stand for a number; take one element");
}

// Complex numbers: Python's complex. Those of a complex number and another one are what PyTorch's archives call.
void complex_numbers(const std::function<OpBuilder(const char*, EvalFn)>& op, std::deque<std::string>& texts) {
  const auto binary = [&](const char* name, const char* result, EvalFn eval, std::initializer_list<const char*> others, const char* doc) {
    const auto form = [&](std::string_view overload, std::string_view a, std::string_view b) {
      const std::string& schema = texts.emplace_back(concat(name, ".", overload, "(", a, " a, ", b, " b) -> ", result));
      op(schema.c_str(), eval).effects(raising(ir::Effects::none())).doc(doc);
    };
    form("complex", "complex", "complex");
    for (const char* other : others) form(concat(other, "_complex"), other, "complex"), form(concat("complex_", other), "complex", other);
  };
  binary("add", "complex", of_complex<std::plus<ComplexNumber>>, {"int", "float"}, "The sum of two complex numbers.");
  binary("sub", "complex", of_complex<std::minus<ComplexNumber>>, {"int", "float"}, "The difference of two complex numbers.");
  binary("mul", "complex", of_complex<std::multiplies<ComplexNumber>>, {"int", "float"}, "The product of two complex numbers.");
  const EvalFn quotient = [](const Operator& self, const IValue* a, IValue* out) {
    check_divisor(a[1].to_complex() != 0.0, self.name());
    out[0] = complex_quotient(a[0].to_complex(), a[1].to_complex());
  };
  binary("div", "complex", quotient, {}, "The quotient of two complex numbers.");
  const EvalFn power = [](const Operator&, const IValue* a, IValue* out) { out[0] = std::pow(a[0].to_complex(), a[1].to_complex()); };
  binary("pow", "complex", power, {"float"}, "One complex number to the power of the other.");
  binary("eq", "bool", of_complex<std::equal_to<ComplexNumber>>, {"float"}, "Whether two complex numbers are equal.");
  binary("ne", "bool", of_complex<std::not_equal_to<ComplexNumber>>, {"float"}, "Whether two complex numbers differ.");
  op("neg.complex(complex a) -> complex", [](const Operator&, const IValue* a, IValue* out) { out[0] = -a[0].to_complex(); })
      .effects(ir::Effects::none())
      .doc("The number with the other sign.");
  op("prim::abs.complex(complex a) -> float", [](const Operator&, const IValue* a, IValue* out) { out[0] = std::abs(a[0].to_complex()); })
      .effects(ir::Effects::none())
      .doc("The distance of a number from 0.");
  op("prim::real_part(complex a) -> float", [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].to_complex().real(); })
      .effects(ir::Effects::none())
      .doc("The real part of a number.");
  op("prim::imaginary_part(complex a) -> float", [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].to_complex().imag(); })
      .effects(ir::Effects::none())
      .doc("The imaginary part of a number.");
  for (const char* name : {"prim::real_part", "prim::imaginary_part"}) no_torchscript(name, "TorchScript has no parts of a complex number");
}

}  // namespace

void scalars(Registry& r) {
  std::deque<std::string> texts;  // alive until the registry has copied them
  auto text = [&](auto... parts) { return texts.emplace_back(concat(parts...)).c_str(); };
  // These records give the Python package no methods; `op` gives no functions either. Python's numbers and the class Tensor have their own.
  auto function_and_method = [&](std::initializer_list<const char*> schemas, EvalFn eval) -> OpBuilder {
    OpBuilder b = r.op(schemas);
    b.eval(eval)
        .gradient(constant("numbers carry no gradient"))
        .onnx(none("numbers become tensors when a graph is exported"))
        .samples(none("numbers: interpreter_test and test_script_language.py compute them"));
    return b;
  };
  auto function = [&](std::initializer_list<const char*> schemas, EvalFn eval) -> OpBuilder {
    return function_and_method(schemas, eval).function_only();
  };
  auto op = [&](std::initializer_list<const char*> schemas, EvalFn eval) -> OpBuilder {
    OpBuilder b = function(schemas, eval);
    b.method_only();
    return b;
  };
  auto binary = [&](const char* name, const char* of_ints, const char* of_floats, EvalFn eval) -> OpBuilder {
    return op({text(name, ".int(int a, int b) -> ", of_ints), text(name, ".float(float a, float b) -> ", of_floats),
               text(name, ".int_float(int a, float b) -> ", of_floats), text(name, ".float_int(float a, int b) -> ", of_floats)},
              eval);
  };
  state_direct_of_numbers<AddNumbers>(arithmetic<AddNumbers>);
  state_direct_of_numbers<SubNumbers>(arithmetic<SubNumbers>);
  state_direct_of_numbers<MulNumbers>(arithmetic<MulNumbers>);
  state_direct_of_numbers<Min>(arithmetic<Min>);
  state_direct_of_numbers<Max>(arithmetic<Max>);
  state_direct_of_numbers<FloorQuotient>(division<FloorQuotient>);
  state_direct_of_numbers<Remainder>(division<Remainder>);
  state_direct_of_numbers<std::equal_to<>>(comparison<std::equal_to>);
  state_direct_of_numbers<std::not_equal_to<>>(comparison<std::not_equal_to>);
  state_direct_of_numbers<std::less<>>(comparison<std::less>);
  state_direct_of_numbers<std::less_equal<>>(comparison<std::less_equal>);
  state_direct_of_numbers<std::greater<>>(comparison<std::greater>);
  state_direct_of_numbers<std::greater_equal<>>(comparison<std::greater_equal>);
  auto direct_bits = [](EvalFn eval, auto f) {
    using F = decltype(f);
    state_direct(eval, ir::TypeKind::Int, ir::TypeKind::Int, direct_of_two<F, int64_t, int64_t, int64_t>);
    state_direct(eval, ir::TypeKind::Bool, ir::TypeKind::Bool, direct_of_two<F, bool, bool, bool>);
  };
  direct_bits(bitwise<std::bit_and>, Bitwise<std::bit_and>());
  direct_bits(bitwise<std::bit_or>, Bitwise<std::bit_or>());
  direct_bits(bitwise<std::bit_xor>, Bitwise<std::bit_xor>());
  binary("add", "int", "float", arithmetic<AddNumbers>)
      .commutative()
      .onnx("Add")
      .doc("The sum of two numbers.")
      .size_value([](SizeCall& c) { return c.of_integers([](SymInt a, SymInt b) { return a + b; }); });
  binary("sub", "int", "float", arithmetic<SubNumbers>).onnx("Sub").doc("The difference of two numbers.").size_value([](SizeCall& c) {
    return c.of_integers([](SymInt a, SymInt b) { return a - b; });
  });
  binary("mul", "int", "float", arithmetic<MulNumbers>)
      .commutative()
      .onnx("Mul")
      .doc("The product of two numbers.")
      .size_value([](SizeCall& c) { return c.of_integers([](SymInt a, SymInt b) { return a * b; }); });
  binary("prim::min", "int", "float", arithmetic<Min>).doc("The smaller of two numbers.").size_value([](SizeCall& c) {
    return c.of_integers([](SymInt a, SymInt b) { return min(a, b); });
  });
  binary("prim::max", "int", "float", arithmetic<Max>).doc("The larger of two numbers.").size_value([](SizeCall& c) {
    return c.of_integers([](SymInt a, SymInt b) { return max(a, b); });
  });
  const EvalFn quotient = [](const Operator& self, const IValue* a, IValue* out) {
    check_divisor(a[1].to_double() != 0, self.name());
    out[0] = a[0].to_double() / a[1].to_double();
  };
  state_direct_of_numbers<Quotient, double>(quotient);
  op({"div.int(int a, int b) -> float", "div.float(float a, float b) -> float"}, quotient)
      .effects(raising({}))
      .doc("The quotient of two numbers, a float.");
  binary("floordiv", "int", "float", division<FloorQuotient>)
      .effects(raising({}))
      .doc("The quotient of two numbers rounded down.")
      .size_value(divided<floordiv>);
  binary("remainder", "int", "float", division<Remainder>)
      .effects(raising({}))
      .doc("Python's %: the sign of the divisor.")
      .size_value(divided<mod>);
  op({"pow.int_to_int(int a, int b) -> int"},
     [](const Operator& self, const IValue* a, IValue* out) {
       MONOGRAPH_CHECK(a[1].to_int() >= 0, Runtime, "[", self.name(), "] an int to the power of ", a[1].to_int(),
                       " is not an int; make one of them a float");
       out[0] = int_power(self, a[0].to_int(), a[1].to_int());
     })
      .effects(raising({}))
      .doc("The power of two ints, an int.");
  no_torchscript("aten::pow.int_to_int", "TorchScript's power of two ints is a float; write float(a) ** b");
  op({"pow.float(float a, float b) -> float", "pow.int_float(int a, float b) -> float", "pow.float_int(float a, int b) -> float"},
     float_power)
      .effects(raising({}))
      .doc("One number to the power of the other, as a float, as in Python.");
  auto direct_number = [](EvalFn eval, auto f) {
    state_direct_of_one<decltype(f), int64_t>(eval);
    state_direct_of_one<decltype(f), double>(eval);
    return eval;
  };
  op({"neg.int(int a) -> int", "neg.float(float a) -> float"}, direct_number(unary_arithmetic<Negative>, Negative()))
      .doc("The number with the other sign.")
      .size_value([](SizeCall& c) { return c.of_integers([](SymInt a, SymInt) { return -a; }); });
  binary("eq", "bool", "bool", comparison<std::equal_to>)
      .canonical(&move_literal_last)
      .doc("Whether two numbers are equal.")
      .size_value(compared_value<std::equal_to>);
  binary("ne", "bool", "bool", comparison<std::not_equal_to>)
      .canonical(&move_literal_last)
      .doc("Whether two numbers differ.")
      .size_value(compared_value<std::not_equal_to>);
  op({"eq.bool(bool a, bool b) -> bool"}, comparison<std::equal_to>)
      .doc("Whether two bools are equal.")
      .size_value(compared_value<std::equal_to>);
  op({"ne.bool(bool a, bool b) -> bool"}, comparison<std::not_equal_to>)
      .doc("Whether two bools differ.")
      .size_value(compared_value<std::not_equal_to>);
  op({"eq.int_list(int[] a, int[] b) -> bool"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = std::ranges::equal(a[0].to_ints(), a[1].to_ints()); })
      .doc("Whether two lists have the same numbers: the sizes of tensors.")
      .size_value(compared_lists_value<true>);
  op({"ne.int_list(int[] a, int[] b) -> bool"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = !std::ranges::equal(a[0].to_ints(), a[1].to_ints()); })
      .doc("Whether two lists have other numbers.")
      .size_value(compared_lists_value<false>);
  binary("lt", "bool", "bool", comparison<std::less>)
      .canonical(&move_literal_last)
      .doc("Whether the first number is less.")
      .size_value(compared_value<std::less>);
  binary("le", "bool", "bool", comparison<std::less_equal>)
      .canonical(&move_literal_last)
      .doc("Whether the first number is less or equal.")
      .size_value(compared_value<std::less_equal>);
  binary("gt", "bool", "bool", comparison<std::greater>)
      .canonical(&move_literal_last)
      .doc("Whether the first number is greater.")
      .size_value(compared_value<std::greater>);
  binary("ge", "bool", "bool", comparison<std::greater_equal>)
      .canonical(&move_literal_last)
      .doc("Whether the first number is greater or equal.")
      .size_value(compared_value<std::greater_equal>);
  op({"prim::abs.int(int a) -> int", "prim::abs.float(float a) -> float"}, direct_number(unary_arithmetic<Magnitude>, Magnitude()))
      .doc("The number without its sign.");
  op({"round.float(float a) -> float"}, [](const Operator&, const IValue* a, IValue* out) {
    out[0] = std::nearbyint(a[0].to_double());
  }).doc("The nearest whole number, of two the even one, as a float.");
  auto of_bits = [&](const char* name, EvalFn eval) -> OpBuilder {
    return op({text(name, ".bool(bool a, bool b) -> bool"), text(name, ".int(int a, int b) -> int")}, eval).commutative();
  };
  of_bits("__and__", bitwise<std::bit_and>).doc("Whether both are true, and both are computed; of ints, the bits that both have.");
  of_bits("__or__", bitwise<std::bit_or>).doc("Whether one is true, and both are computed; of ints, the bits that one has.");
  of_bits("__xor__", bitwise<std::bit_xor>).doc("Whether just one is true; of ints, the bits that just one has.");
  op({"__lshift__.int(int a, int b) -> int"},
     [](const Operator& self, const IValue* a, IValue* out) {
       const int64_t x = a[0].to_int(), count = a[1].to_int();
       check_shift(self, count);
       const int64_t shifted = count < 64 ? wrap(bits(x) << count) : 0;
       MONOGRAPH_CHECK(x == 0 || (count < 64 && shifted >> count == x), Value, "[", self.name(), "] ", x, " << ", count,
                       " does not fit into the 64 bits in which a graph computes integers");
       out[0] = shifted;
     })
      .effects(raising({}))
      .doc("The int times a power of two.")
      .size_value(shifted<true>);
  op({"__rshift__.int(int a, int b) -> int"},
     [](const Operator& self, const IValue* a, IValue* out) {
       check_shift(self, a[1].to_int());
       out[0] = a[0].to_int() >> std::min<int64_t>(a[1].to_int(), 63);
     })
      .effects(raising({}))
      .doc("The int divided by a power of two, rounded down.")
      .size_value(shifted<false>);
  complex_numbers([&](const char* schema, EvalFn eval) { return op({schema}, eval); }, texts);
  // Numbers of which the program alone says whether they are ints: what item() gives.
  auto of_any = [&](const char* name, const char* result, EvalFn eval) -> OpBuilder {
    OpBuilder b = op({text(name, ".Scalar_Scalar(Scalar a, Scalar b) -> ", result)}, eval);
    return b.spelled({text(name, "(Scalar a, Scalar b) -> ", result)});
  };
  of_any("add", "Scalar", any_arithmetic<AddNumbers, std::plus<ComplexNumber>>).commutative().doc("The sum of two numbers.");
  of_any("sub", "Scalar", any_arithmetic<SubNumbers, std::minus<ComplexNumber>>).doc("The difference of two numbers.");
  of_any("mul", "Scalar", any_arithmetic<MulNumbers, std::multiplies<ComplexNumber>>).commutative().doc("The product of two numbers.");
  of_any("div", "float", quotient)
      .effects(raising({}))
      .canonical([](ir::Node* n) {  // a trace knows the numbers, and divides floats
        n->graph()->set_target(n, n->graph()->resolved(find_operator("aten::div.float")));
        return true;
      })
      .doc("The quotient of two numbers, a float.");
  op({"pow.Number(Scalar a, Scalar b) -> Scalar"}, power_of_numbers)  // PyTorch's pow.Scalar_Scalar gives a float
      .effects(raising({}))
      .doc("One number to the power of the other, as in Python: an int where both are ints, and the second is not negative.");
  op({"pow.int(int a, int b) -> float", "pow.Scalar_Scalar(Scalar a, Scalar b) -> float"}, float_power)
      .effects(raising({}))
      .doc("One number to the power of the other, as a float.");
  no_torchscript("aten::pow.Number", "TorchScript's power of two ints is a float; write float(a) ** b");
  of_any("floordiv", "Scalar", division<FloorQuotient>).effects(raising({})).doc("The quotient of two numbers rounded down.");
  of_any("remainder", "Scalar", division<Remainder>).effects(raising({})).doc("Python's %: the sign of the divisor.");
  of_any("prim::min", "Scalar", arithmetic<Min>).doc("The smaller of two numbers.");
  of_any("prim::max", "Scalar", arithmetic<Max>).doc("The larger of two numbers.");
  of_any("eq", "bool", comparison<std::equal_to>).doc("Whether two numbers are equal.");
  of_any("ne", "bool", comparison<std::not_equal_to>).doc("Whether two numbers differ.");
  of_any("lt", "bool", comparison<std::less>).doc("Whether the first number is less.");
  of_any("le", "bool", comparison<std::less_equal>).doc("Whether the first number is less or equal.");
  of_any("gt", "bool", comparison<std::greater>).doc("Whether the first number is greater.");
  of_any("ge", "bool", comparison<std::greater_equal>).doc("Whether the first number is greater or equal.");
  op({"neg.Scalar(Scalar a) -> Scalar"}, unary_arithmetic<Negative>).doc("The number with the other sign.");
  op({"prim::abs.Scalar(Scalar a) -> Scalar"}, unary_arithmetic<Magnitude>).doc("The number without its sign.");
  op({"round.Scalar(Scalar a) -> Scalar"}, [](const Operator&, const IValue* a, IValue* out) {
    if (a[0].is_float()) out[0] = std::nearbyint(a[0].to_double());
    else out[0] = a[0];
  }).doc("The nearest whole number, of two the even one. An int stays an int.");

  const EvalFn negation = [](const Operator&, const IValue* a, IValue* out) { out[0] = !a[0].to_bool(); };
  state_direct_of_one<Not, bool>(negation);
  op({"__not__(bool self) -> bool"}, negation).doc("Python's not.");

  op({"Bool.Tensor(Tensor a) -> bool"}, [](const Operator& self, const IValue* a, IValue* out) { out[0] = truth(self, a[0].as_tensor()); })
      .effects(raising({}))
      .doc("The truth of a tensor of one element.");
  auto dtype_of = [](const IValue& a, const IValue& b) {
    ResultType type;
    for (const IValue* v : {&a, &b}) v->is_tensor() ? type.add(v->as_tensor()) : type.add(*v);
    return type.promoted();
  };
  static const auto common = dtype_of;
  function(
      {"result_type.Tensor(Tensor tensor, Tensor other) -> ScalarType", "result_type.Scalar(Tensor tensor, Scalar other) -> ScalarType",
       "result_type.Scalar_Tensor(Scalar scalar, Tensor tensor) -> ScalarType",
       "result_type.Scalar_Scalar(Scalar scalar1, Scalar scalar2) -> ScalarType"},
      [](const Operator&, const IValue* a, IValue* out) { out[0] = common(a[0], a[1]); })
      .storage_only(StorageOnly::Taken)
      .doc("The dtype that arithmetic of the two gives.");
  function({"promote_types(ScalarType type1, ScalarType type2) -> ScalarType"},
           [](const Operator&, const IValue* a, IValue* out) { out[0] = promote_types(a[0].to_dtype(), a[1].to_dtype()); })
      .storage_only(StorageOnly::Taken)
      .doc("The smallest dtype that holds the numbers of both.");
  function({"can_cast(ScalarType from_, ScalarType to) -> bool"},
           [](const Operator&, const IValue* a, IValue* out) { out[0] = can_cast(a[0].to_dtype(), a[1].to_dtype()); })
      .storage_only(StorageOnly::Taken)
      .doc("Whether a result of the first dtype may be written to a tensor of the second.");
  function_and_method({"is_nonzero(Tensor self) -> bool"},
                      [](const Operator& self, const IValue* a, IValue* out) { out[0] = truth(self, a[0].as_tensor()); })
      .effects(raising({}))
      .doc(R"(Whether the only element is not zero.

>>> x = torch.tensor([2.0])
>>> torch.is_nonzero(x))");
  for (const char* schema : {"is_conj(Tensor self) -> bool", "is_neg(Tensor self) -> bool"})
    function_and_method({schema}, [](const Operator&, const IValue*, IValue* out) { out[0] = false; })
        .storage_only(StorageOnly::Taken)
        .doc("Whether the elements are marked as to be conjugated or negated, which no tensor's are: both are computed at once.");
  op({"Bool.int(int a) -> bool", "Bool.float(float a) -> bool"}, direct_number(unary_arithmetic<NotZero>, NotZero()))
      .doc("Whether the number is not zero.");
  op({"Int.Tensor(Tensor a) -> int"},
     [](const Operator& self, const IValue* a, IValue* out) {
       IValue v = only_element(self, a[0].as_tensor());
       out[0] = v.is_float() ? int_of_float(self, v.to_double()) : v.to_int();
     })
      .effects(raising({}))
      .storage_only(StorageOnly::Taken)
      .doc("The only element as an int, rounded toward zero.");
  // Where a program gives a tensor for a number.
  op({"IntImplicit(Tensor a) -> int"},
     [](const Operator& self, const IValue* a, IValue* out) {
       const Tensor& t = a[0].as_tensor();
       check_stands_for_number(self, t);
       MONOGRAPH_CHECK(is_integral(t.dtype(), true), Runtime, "[", self.name(), "] a tensor of dtype ", name(t.dtype()),
                       " cannot stand for an int; write int(...)");
       out[0] = int64_t{only_element(self, t).to_int()};
     })
      .effects(raising({}))
      .storage_only(StorageOnly::Taken)
      .doc("The only element of a tensor of integers, where a tensor stands for an int: the index of a list.");
  op({"FloatImplicit(Tensor a) -> float"},
     [](const Operator& self, const IValue* a, IValue* out) {
       check_stands_for_number(self, a[0].as_tensor());
       out[0] = only_element(self, a[0].as_tensor()).to_double();
     })
      .effects(raising({}))
      .storage_only(StorageOnly::Taken)
      .doc("The only element of a tensor, where a tensor stands for a float.");
  op({"Float.Tensor(Tensor a) -> float"},
     [](const Operator& self, const IValue* a, IValue* out) { out[0] = only_element(self, a[0].as_tensor()).to_double(); })
      .effects(raising({}))
      .storage_only(StorageOnly::Taken)
      .doc("The only element as a float.");
  const EvalFn to_int = [](const Operator& self, const IValue* a, IValue* out) { out[0] = int_of_float(self, a[0].to_double()); };
  state_direct_of_one<ToInt, double>(to_int);
  state_direct_of_one<ToInt, bool>(to_int);
  op({"Int.float(float a) -> int", "Int.bool(bool a) -> int"}, to_int)
      .effects(raising({}))
      .doc("The number as an int, rounded toward zero.");
  const EvalFn to_float = [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].to_double(); };
  state_direct_of_one<ToFloat, int64_t>(to_float);
  state_direct_of_one<ToFloat, bool>(to_float);
  op({"Float.int(int a) -> float", "Float.bool(bool a) -> float"}, to_float).doc("The number as a float.");
  op({"item(Tensor self) -> Scalar"},
     [](const Operator& self, const IValue* a, IValue* out) { out[0] = only_element(self, a[0].as_tensor()); })
      .effects(raising({}))
      .storage_only(StorageOnly::Taken)
      .doc("The only element of a tensor as a number.");

  EvalFn size_of_dim = [](const Operator&, const IValue* a, IValue* out) {
    out[0] = a[0].as_tensor().sizes()[place_of_dim(a[0].as_tensor(), a[1].to_int())];
  };
  EvalFn numel_of = [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].as_tensor().numel(); };
  op({"sym_size.int(Tensor self, int dim) -> SymInt"}, size_of_dim)
      .reads_sizes_alone()
      .onnx("Gather(Shape(self), dim, axis=0)")
      .storage_only(StorageOnly::Taken)
      .doc("One size of a tensor; the canonical form of every size read.")
      .size_value(size_of_dim_value);
  op({"sym_numel(Tensor self) -> SymInt"}, numel_of)
      .reads_sizes_alone()
      .onnx("Size(self)")
      .storage_only(StorageOnly::Taken)
      .doc("The number of elements of a tensor.")
      .size_value(numel_value);
  op({"size.int(Tensor self, int dim) -> int"}, size_of_dim)
      .reads_sizes_alone()
      .canonical([](ir::Node* n) {
        n->graph()->set_target(n, n->graph()->resolved(find_operator("aten::sym_size.int")));
        return true;
      })
      .doc("One size of a tensor.")
      .size_value(size_of_dim_value);
  op({"size(Tensor self) -> int[]"}, [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].as_tensor().sizes(); })
      .reads_sizes_alone()
      .storage_only(StorageOnly::Taken)
      .doc("The sizes of a tensor.")
      .size_value(sizes_value)
      .attribute("shape");
  op({"stride.int(Tensor self, int dim) -> int"},
     [](const Operator&, const IValue* a, IValue* out) {
       out[0] = a[0].as_tensor().strides()[place_of_dim(a[0].as_tensor(), a[1].to_int())];
     })
      .storage_only(StorageOnly::Taken)
      .doc("One stride of a tensor, in elements.");
  op({"storage_offset(Tensor self) -> int"}, [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].as_tensor()->offset; })
      .storage_only(StorageOnly::Taken)
      .doc("Where in its storage a tensor begins, in elements.");
  op({"is_contiguous.memory_format(Tensor self, MemoryFormat memory_format) -> bool"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].as_tensor().is_contiguous(a[1].to_memory_format()); })
      .storage_only(StorageOnly::Taken)
      .doc("Whether the elements lie in memory one after the other in this order.");
  ir::Effects reads_memory;
  reads_memory.reads = ir::Effects::Memory;  // requires_grad_() changes it
  op({"prim::requires_grad(Tensor a) -> bool"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].as_tensor().requires_grad(); })
      .effects(reads_memory)
      .storage_only(StorageOnly::Taken)
      .doc("Whether gradients flow to a tensor.");
  function_and_method({"is_same_size(Tensor self, Tensor other) -> bool"},
                      [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].as_tensor().sizes() == a[1].as_tensor().sizes(); })
      .storage_only(StorageOnly::Taken)
      .doc("Whether two tensors have the same sizes.");
  function({"numel(Tensor self) -> int"}, numel_of)
      .reads_sizes_alone()
      .canonical([](ir::Node* n) {
        n->graph()->set_target(n, n->graph()->resolved(find_operator("aten::sym_numel")));
        return true;
      })
      .storage_only(StorageOnly::Taken)
      .doc("The number of elements of a tensor.")
      .size_value(numel_value);
  function({"is_floating_point(Tensor self) -> bool"},
           [](const Operator&, const IValue* a, IValue* out) { out[0] = is_floating(a[0].as_tensor().dtype()); })
      .storage_only(StorageOnly::Taken)
      .doc("Whether the elements are floating-point numbers.");
  function({"is_complex(Tensor self) -> bool"},
           [](const Operator&, const IValue* a, IValue* out) { out[0] = is_complex(a[0].as_tensor().dtype()); })
      .storage_only(StorageOnly::Taken)
      .doc("Whether the elements are complex numbers.");
  op({"dim(Tensor self) -> int"}, [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].as_tensor().dim(); })
      .reads_sizes_alone()
      .storage_only(StorageOnly::Taken)
      .doc("The number of dims of a tensor.")
      .size_value(
          [](SizeCall& c) { return SizeValue{.integer = c.sizes(0) ? Dim(static_cast<int64_t>(c.sizes(0)->size())) : Dim(), .items = {}}; })
      .attribute("ndim");

  const EvalFn element_at = [](const Operator& self, const IValue* a, IValue* out) {
    MONOGRAPH_CHECK(take_element(a[0], a[1].to_int(), out[0]), Index, "[", self.name(), "] list index ", a[1].to_int(),
                    " is out of range for a list of ", length_of(a[0]));
  };
  state_direct(element_at, ir::TypeKind::List, ir::TypeKind::Int, direct_element);
  op({"__getitem__.t(t[](a) list, int idx) -> t(*)"}, element_at)
      .onnx("SequenceAt")
      .effects(raising({}))
      .rule(item_rule)
      .canonical([](ir::Node* n) {
        const Operator *size = &find_operator("aten::size"), *slice = &find_operator("aten::slice.t"),
                       *unbind = &find_operator("aten::unbind.int");
        ir::Node* list = n->arg(0).node();
        // x.unbind(dim)[i] becomes x.select(dim, i).
        if (list && list->info() == unbind) {
          std::optional<ir::Args> unbound = bound_args(*unbind, *list);
          if (!unbound) return false;
          ir::Args args((*unbound)[0], (*unbound)[1]);
          n->graph()->set_args(n, args.add(n->arg(1)));
          n->graph()->set_target(n, n->graph()->resolved(find_operator("aten::select.int")));
          return true;
        }
        // x.size()[i] and x.shape[i] become x.size(i).
        if (list && list->info() == size && list->arg(0).node() && sizes_may_change(list->arg(0).node())) return false;
        if (!n->arg(1).is(ir::ArgKind::Int)) {
          if (!list || list->info() != size) return false;
          n->graph()->set_args(n, ir::Args(list->arg(0), n->arg(1)));
          n->graph()->set_target(n, n->graph()->resolved(find_operator("aten::sym_size.int")));
          return true;
        }
        // x.shape[i:][k] becomes x.size(i + k), unless an index counts from the end.
        int64_t k = n->arg(1).as_int();
        if (list && list->info() == slice) {
          std::optional<ir::Args> cut = bound_args(*slice, *list);
          auto bound = [&](size_t i, int64_t otherwise) {
            return (*cut)[i].is_none() ? otherwise : (*cut)[i].is(ir::ArgKind::Int) ? (*cut)[i].as_int() : -1;
          };
          if (!cut || k < 0 || bound(1, 0) < 0 || bound(3, 1) != 1 || bound(2, INT64_MAX) <= bound(1, 0) + k) return false;
          k += bound(1, 0), list = (*cut)[0].node();
        }
        if (!list || list->info() != size || (list->arg(0).node() && sizes_may_change(list->arg(0).node()))) return false;
        ir::Args args(list->arg(0), k);
        n->graph()->set_args(n, args);
        n->graph()->set_target(n, n->graph()->resolved(find_operator("aten::sym_size.int")));
        return true;
      })
      .doc("An element of a list.")
      .spelled({"select.t(t[](a) list, int idx) -> t(*)"})
      .size_value(element_value)
      .takes_element();
  op({"__getitem__.Dict_str(Dict(str, t) self, str key) -> t(*)"},
     [](const Operator& self, const IValue* a, IValue* out) {
       for (const auto& [key, value] : a[0].pairs())
         if (key.is_string() && key.to_string() == a[1].to_string()) return void(out[0] = value);
       fail(ErrorKind::Key, "[", self.name(), "] the dict has no key '", a[1].to_string(), "'");
     })
      .effects(raising({}))
      .rule(dict_value_rule)
      .doc("The value of a key of a dict.");
  const EvalFn length = [](const Operator&, const IValue* a, IValue* out) { out[0] = length_of(a[0]); };
  state_direct(length, ir::TypeKind::List, ir::TypeKind::List, direct_length);
  op({"len.t(t[] a) -> int"}, length).reads_sizes_alone().doc("The length of a list.");
  op({"len.Dict_str(Dict(str, t) self) -> int"}, [](const Operator&, const IValue* a, IValue* out) {
    out[0] = static_cast<int64_t>(a[0].pairs().size());
  }).doc("The number of keys of a dict.");
  // Programs join and slice sizes as Python's tuples. A list whose length is not known stays one value in a graph.
  op({"add.t(t[] a, t[] b) -> t[]"},
     [](const Operator&, const IValue* a, IValue* out) {
       std::vector<IValue> items = items_of(a[0]), more = items_of(a[1]);
       items.insert(items.end(), more.begin(), more.end());
       out[0] = list_of(std::move(items), a[0].is_ints() || a[1].is_ints());
     })
      .rule(joined_list_rule)
      .doc("Two lists, one after the other.")
      .size_value(joined_value);
  op({"slice.t(t[] l, int? start=None, int? end=None, int step=1) -> t[]"},
     [](const Operator& self, const IValue* a, IValue* out) {
       std::vector<IValue> items = items_of(a[0]), part;
       int64_t n = static_cast<int64_t>(items.size()), step = a[3].to_int();
       MONOGRAPH_CHECK(step != 0, Value, "[", self.name(), "] slice step cannot be zero");
       for (int64_t k : slice_places(n, a[1].is_none() ? std::nullopt : std::optional(a[1].to_int()),
                                     a[2].is_none() ? std::nullopt : std::optional(a[2].to_int()), step))
         part.push_back(items[static_cast<size_t>(k)]);
       out[0] = list_of(std::move(part), a[0].is_ints());
     })
      .rule(same_list_rule)
      .doc("A part of a list, as Python slices it.")
      .size_value(part_value);
}

}  // namespace monograph
