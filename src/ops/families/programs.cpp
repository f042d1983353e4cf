// Operators of programs that are no tensor operators: they raise exceptions, print and log, compare with None, count through ranges, make tensors of
// numbers, convert numbers, and call the functions of Python's module math. Only graphs call them.
#include "ops/families/programs.h"
#include "core/device_names.h"
#include "core/generator.h"

#include <cmath>
#include <cstdio>
#include <deque>
#include <numbers>
#include <numeric>

#include "ir/arg.h"
#include "ir/graph.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/objects.h"
#include "ops/rule.h"
#include "ops/torchscript_names.h"

namespace monograph {

OpBuilder ProgramOp::operator()(std::initializer_list<const char*> schemas, EvalFn eval) const {
  OpBuilder b = registry_.op(schemas);
  b.eval(eval)
      .gradient(constant("numbers, strs and lists of them carry no gradient"))
      .onnx(none("values of programs have no form in ONNX"))
      .samples(none("values of programs: test_script.py runs them beside Python"));
  b.function_only();
  b.method_only();
  return b;
}

ir::Effects raising(ir::Effects effects) {
  effects.may_raise = true;
  return effects;
}

bool less_values(const Operator& op, const IValue& a, const IValue& b) {
  if (a.is_string() && b.is_string()) return a.to_string() < b.to_string();
  if (a.is_tuple() && b.is_tuple()) {  // the first items that differ decide
    const std::vector<IValue>&x = a.items(), &y = b.items();
    for (size_t k = 0; k < x.size() && k < y.size(); ++k) {
      if (less_values(op, x[k], y[k])) return true;
      if (less_values(op, y[k], x[k])) return false;
    }
    return x.size() < y.size();
  }
  const bool numbers = (a.is_int() || a.is_float() || a.is_bool()) && (b.is_int() || b.is_float() || b.is_bool());
  MONOGRAPH_CHECK(numbers, Type, "[", op.name(), "] expected two numbers, strs or tuples to compare, but got a ", describe(a), " and a ",
                  describe(b));
  return a.is_float() || b.is_float() ? a.to_double() < b.to_double() : a.to_int() < b.to_int();
}

int64_t int_of_float(const Operator& op, double x) {
  MONOGRAPH_CHECK(x >= -0x1p63 && x < 0x1p63, Value, "[", op.name(), "] cannot convert float ", x, " to a 64-bit integer");
  return static_cast<int64_t>(x);
}

bool same_key(const IValue& a, const IValue& b) {
  if (a.is_string() || b.is_string()) return a.is_string() && b.is_string() && a.to_string() == b.to_string();
  if (a.is_tensor() || b.is_tensor()) return a.is(b);  // as in Python, by their identity
  if (a.is_complex() || b.is_complex()) return a.to_complex() == b.to_complex();
  return a.is_float() || b.is_float() ? a.to_double() == b.to_double() : a.to_int() == b.to_int();
}

namespace {

ErrorKind kind_of(const std::string& exception) {
  if (exception == "ValueError") return ErrorKind::Value;
  if (exception == "TypeError") return ErrorKind::Type;
  if (exception == "IndexError") return ErrorKind::Index;
  if (exception == "KeyError") return ErrorKind::Key;
  if (exception == "NotImplementedError") return ErrorKind::NotImplemented;
  if (exception == "AttributeError") return ErrorKind::Attribute;
  return ErrorKind::Runtime;
}

// As TorchScript: a number is its own hash or that of C++, a tuple mixes those of its items.
size_t hash_of(const Operator& op, const IValue& v) {
  if (v.is_none()) return 0;
  if (v.is_bool()) return std::hash<bool>()(v.to_bool());
  if (v.is_int()) return std::hash<int64_t>()(v.to_int());
  if (v.is_float()) return std::hash<double>()(v.to_double());
  if (v.is_string()) return std::hash<std::string>()(v.to_string());
  MONOGRAPH_CHECK(v.is_tuple(), Type, "[", op.name(), "] expected a number, str or tuple, but got a ", describe(v), ", which has no hash");
  constexpr size_t kGolden = 0x9e3779b9;
  size_t seed = 0;
  for (const IValue& item : v.items()) seed ^= hash_of(op, item) + kGolden + (seed << 6) + (seed >> 2);
  return seed;
}

void raise_exception(const Operator&, const IValue* a, IValue*) {
  const std::string message = a[0].to_string(), exception = a[1].is_none() ? "RuntimeError" : a[1].to_string();
  const ErrorKind kind = kind_of(exception);
  throw RaisedException(kind, kind != ErrorKind::Runtime || exception == "RuntimeError", exception, message);
}

// Reads nested lists of numbers: all numbers in order, and the sizes of the tensor that they make.
struct NestedListReader {
  const Operator& op;
  Dims sizes;
  std::vector<IValue> numbers;

  void read(const IValue& v, size_t depth) {
    if (v.is_number()) {
      MONOGRAPH_CHECK(depth == sizes.size(), Value, "[", op.name(),
                      "] expected nested lists of one depth, but some numbers are nested deeper than others");
      return numbers.push_back(v);
    }
    MONOGRAPH_CHECK(v.is_list() || v.is_ints() || v.is_tuple(), Type, "[", op.name(), "] expected numbers or lists of numbers, but got a ",
                    describe(v));
    const auto n = static_cast<int64_t>(v.is_ints() ? v.to_ints().size() : v.items().size());
    if (depth == sizes.size() && numbers.empty()) sizes.push_back(n);
    MONOGRAPH_CHECK(depth < sizes.size() && sizes[depth] == n, Value, "[", op.name(), "] expected sequence of length ",
                    depth < sizes.size() ? sizes[depth] : 0, " at dim ", depth, " (got ", n, ")");
    for (int64_t k = 0; k < n; ++k)
      read(v.is_ints() ? IValue(v.to_ints()[static_cast<size_t>(k)]) : v.items()[static_cast<size_t>(k)], depth + 1);
  }
};

void make_tensor(const Operator& op, const IValue* a, IValue* out) {
  NestedListReader elements{op, {}, {}};
  elements.read(a[0], 0);
  bool complex = false, floats = elements.numbers.empty(), bools = !elements.numbers.empty();
  for (const IValue& v : elements.numbers) complex |= v.is_complex(), floats |= v.is_float(), bools &= v.is_bool();
  const DType natural = complex ? default_complex_dtype() : floats ? default_dtype() : bools ? DType::b1 : DType::i64;
  const DType dtype = a[1].is_none() ? natural : a[1].to_dtype();
  const DType stored = is_complex(dtype) || complex ? DType::c128 : is_floating(dtype) || floats ? DType::f64 : DType::i64;
  Tensor made = empty(elements.sizes, stored);
  for (size_t k = 0; k < elements.numbers.size(); ++k) {
    const IValue& v = elements.numbers[k];
    if (stored == DType::c128) made.data_as<std::complex<double>>()[k] = v.to_complex();
    else if (stored == DType::f64) made.data_as<double>()[k] = v.to_double();
    else made.data_as<int64_t>()[k] = v.to_int();
  }
  Tensor result = "to"_op(made, dtype);
  if (!a[2].is_none()) result = "to"_op(result, a[2].to_device());
  MONOGRAPH_CHECK(!a[3].to_bool(), NotImplemented, "[", op.name(),
                  "] requires_grad=True is not supported in a graph; call x.requires_grad_() outside of it");
  out[0] = result;
}

// A function of Python's module math from float to float, with its errors.
template <auto F>
void float_function(const Operator& self, const IValue* a, IValue* out) {
  const double x = a[0].to_double(), y = F(x);
  MONOGRAPH_CHECK(!std::isnan(y) || std::isnan(x), Value, "[", self.name(), "] math domain error");
  MONOGRAPH_CHECK(!std::isinf(y) || std::isinf(x), Value, "[", self.name(), "] math range error");
  out[0] = y;
}
// A function of Python's module math from float to int.
template <auto F>
void rounding_function(const Operator& self, const IValue* a, IValue* out) {
  out[0] = int_of_float(self, F(a[0].to_double()));
}

// Rewrites the length of a range, where only loops read it, as the arithmetic that a capture in Python records. A negative count means that the loop does
// not run.
bool range_length_as_arithmetic(ir::Node* n) {
  const ir::Args args = n->copy_args();
  for (const ir::Use* u = n->first_use(); u; u = u->next)
    if (!u->user->is_loop() || u->index != 0 || u->user->arg(0).node() != n) return false;
  if (!args[2].is(ir::ArgKind::Int) || args[2].as_int() == 0 || args[2].as_int() == INT64_MIN || (!args[0].node() && !args[1].node()))
    return false;
  ir::Graph& g = *n->graph();
  const int64_t step = args[2].as_int(), stride = std::abs(step);
  const bool from_zero = args[0].is(ir::ArgKind::Int) && args[0].as_int() == 0;
  g.insert_before(n);
  auto number = [&](const char* name, const auto& a, const auto& b) {
    ir::Node* c = g.call(find_operator(name), ir::Args(a, b));
    g.set_type(c, ir::Type(ir::TypeKind::Int));
    return c;
  };
  ir::Node* count = nullptr;
  if (step == 1) {
    count = from_zero ? args[1].node() : number("aten::sub.int", args[1], args[0]);
  } else {
    count = step > 0 ? number("aten::sub.int", args[1], args[0]) : number("aten::sub.int", args[0], args[1]);
    count = number("aten::floordiv.int", number("aten::sub.int", number("aten::add.int", count, stride), int64_t{1}), stride);
  }
  g.replace_all_uses(n, count);
  g.erase(n);
  return true;
}

bool range_item_as_arithmetic(ir::Node* n) {
  const ir::Args args = n->copy_args();
  if (!args[0].node() || !args[2].is(ir::ArgKind::Int)) return false;
  ir::Graph& g = *n->graph();
  ir::Node* item = args[0].node();
  g.insert_before(n);
  auto number = [&](const char* name, const ir::Args& both) {
    ir::Node* c = g.call(find_operator(name), both);
    g.set_type(c, ir::Type(ir::TypeKind::Int));
    return c;
  };
  if (args[2].as_int() != 1) item = number("aten::mul.int", ir::Args(item, args[2]));
  if (!args[1].is(ir::ArgKind::Int) || args[1].as_int() != 0) item = number("aten::add.int", ir::Args(args[1], item));
  g.replace_all_uses(n, item);
  g.erase(n);
  return true;
}

void control(const ProgramOp& op) {
  ir::Effects raises, prints;
  raises.raises = raises.may_raise = true;
  prints.reads = prints.writes = ir::Effects::Console;
  op({"prim::RaiseException(str msg, str? cls=None) -> ()"}, raise_exception)
      .effects(raises)
      .doc("Raises an exception of this class. PyTorch names none for an assert; then it is a RuntimeError.");
  op({"prim::Print(str line) -> ()"}, [](const Operator&, const IValue* a, IValue*) { print_line(a[0].to_string()); })
      .effects(prints)
      .doc("Writes a line, as Python's print does.");
  op({"warn(str message, int stacklevel=2) -> ()"}, [](const Operator&, const IValue* a, IValue*) { warn_user(a[0].to_string()); })
      .effects(prints)
      .doc("Python's warnings.warn.");
  op({"warn.at(str message, str category, str module, str file, int line) -> ()"},
     [](const Operator&, const IValue* a, IValue*) {
       warn_captured({a[0].to_string(), a[1].to_string(), a[2].to_string(), a[3].to_string(), a[4].to_int()});
     })
      .effects(prints)
      .doc("Python's warnings.warn of a captured program, with its category and place.");
  op({"prim::Write(str text, bool errors) -> ()"},
     [](const Operator&, const IValue* a, IValue*) { write_text(a[0].to_string(), a[1].to_bool()); })
      .effects(prints)
      .doc("Writes a text to standard output or standard error, as print(end=\"\") does.");
  op({"prim::Log(str logger, int level, str message, str file, int line, str function) -> ()"},
     [](const Operator&, const IValue* a, IValue*) {
       log_captured({a[0].to_string(), a[1].to_int(), a[2].to_string(), a[3].to_string(), a[4].to_int(), a[5].to_string()});
     })
      .effects(prints)
      .doc("A message of a captured program to a logger of Python's logging, which decides at each run whether it is shown.");
  for (const char* name : {"prim::Write", "prim::Log", "aten::warn.at"}) no_torchscript(name, "PyTorch has no operator of this name");
  op({"prim::unchecked_cast(t(a) x) -> t(a)"}, [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0]; })
      .effects(ir::Effects::none())
      .doc("The value itself, with a narrower type: the program has checked that it is not None.");
  op({"_unwrap_optional(t(a)? optional) -> t(a)"},
     [](const Operator& self, const IValue* a, IValue* out) {
       MONOGRAPH_CHECK(!a[0].is_none(), Runtime, "[", self.name(), "] expected a value that is not None");
       out[0] = a[0];
     })
      .effects(raising(ir::Effects::none()))
      .doc("The value itself, which may not be None.");
  op({"hash.generic(t value) -> int"},
     [](const Operator& self, const IValue* a, IValue* out) { out[0] = static_cast<int64_t>(hash_of(self, a[0])); })
      .effects(raising({}))
      .doc("A number that is the same for equal numbers, strs and tuples of them, as TorchScript computes it.");
  ir::Effects seeds;
  seeds.reads = seeds.writes = ir::Effects::Random;
  op({"manual_seed(int seed) -> ()"},
     [](const Operator&, const IValue* a, IValue*) { default_generator().manual_seed(static_cast<uint64_t>(a[0].to_int())); })
      .effects(seeds)
      .doc("Restarts the stream of the default generator.");
  op({"__is__(t self, s obj) -> bool"}, [](const Operator&, const IValue* a, IValue* out) { out[0] = same_object(a[0], a[1]); })
      .effects(ir::Effects::none())
      .doc("Whether both are the same object: a value and None, two instances, two members of an enumeration.");
  op({"__isnot__(t self, s obj) -> bool"}, [](const Operator&, const IValue* a, IValue* out) { out[0] = !same_object(a[0], a[1]); })
      .effects(ir::Effects::none())
      .doc("Whether both are not the same object.");
  op({"__range_length(int lo, int hi, int step) -> int"},
     [](const Operator& self, const IValue* a, IValue* out) {
       const int64_t lo = a[0].to_int(), hi = a[1].to_int(), step = a[2].to_int();
       MONOGRAPH_CHECK(step != 0, Value, "[", self.name(), "] range() arg 3 must not be zero");
       const bool some = step > 0 ? lo < hi : lo > hi;
       const uint64_t distance =
           step > 0 ? static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo) : static_cast<uint64_t>(lo) - static_cast<uint64_t>(hi);
       const uint64_t by = step > 0 ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
       out[0] = some ? static_cast<int64_t>((distance - 1) / by + 1) : int64_t{0};
     })
      .effects(raising({}))
      .canonical(&range_length_as_arithmetic)
      .doc("How many numbers range(lo, hi, step) has.");
  op({"__derive_index(int index, int start, int step) -> int"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = a[1].to_int() + a[0].to_int() * a[2].to_int(); })
      .effects(ir::Effects::none())
      .canonical(&range_item_as_arithmetic)
      .doc("The number at a place of a range.");
  op({"tensor(t[] data, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor",
      "tensor.bool(bool t, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor",
      "tensor.int(int t, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor",
      "tensor.float(float t, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor",
      "tensor.complex(complex t, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor"},
     make_tensor)
      .rule([](RuleCall& c) {
        if (!c.eager()) c.other(ir::TypeKind::Tensor);
      })
      .effects(raising({}))
      .doc("A tensor of the numbers of a list.");
  op({"Int.Scalar(Scalar a) -> int"}, [](const Operator& self, const IValue* a,
                                         IValue* out) { out[0] = a[0].is_int() ? a[0].to_int() : int_of_float(self, a[0].to_double()); })
      .effects(raising({}))
      .doc("A number as an int, rounded toward zero.");
  op({"Float.Scalar(Scalar a) -> float"}, [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].to_double(); })
      .effects(raising({}))
      .doc("A number as a float.");
  op({"Complex.Scalar(Scalar a) -> complex"}, [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].to_complex(); })
      .effects({})
      .doc("A number as a complex number.");
  op({"Complex.float_float(float x, float y) -> complex", "Complex.float_int(float x, int y) -> complex",
      "Complex.int_float(int x, float y) -> complex", "Complex.int_int(int x, int y) -> complex",
      "Complex.bool_bool(bool x, bool y) -> complex", "Complex.bool_int(bool x, int y) -> complex",
      "Complex.int_bool(int x, bool y) -> complex", "Complex.bool_float(bool x, float y) -> complex",
      "Complex.float_bool(float x, bool y) -> complex"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = std::complex(a[0].to_complex().real(), a[1].to_complex().real()); })
      .effects({})
      .doc("The complex number of these parts.");
  op({"Bool.Scalar(Scalar a) -> bool"}, [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].to_complex() != 0.0; })
      .effects(raising({}))
      .doc("Whether a number is not zero.");
  op({"prim::device.str(str a) -> Device"},
     [](const Operator& self, const IValue* a, IValue* out) {
       out[0] = with_fallback(device_named(a[0].to_string(), concat("[", self.name(), "] ")));
     })
      .effects(raising({}))
      .doc("The device of this name.");
  op({"prim::device.with_index(str type, int index) -> Device"},
     [](const Operator& self, const IValue* a, IValue* out) {
       out[0] = with_fallback(device_named(concat(a[0].to_string(), ":", a[1].to_int()), concat("[", self.name(), "] ")));
     })
      .effects(raising({}))
      .doc("The device of this kind with this number.");
  op({"prim::dtype(Tensor a) -> ScalarType"}, [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].as_tensor().dtype(); })
      .effects(ir::Effects::none())
      .storage_only(StorageOnly::Taken)
      .doc("The dtype of a tensor.")
      .attribute("dtype");
  op({"prim::number_of_dtype(ScalarType a) -> int"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = int64_t{info(a[0].to_dtype()).code}; })
      .storage_only(StorageOnly::Taken)
      .doc("PyTorch's number of a dtype, as which TorchScript's archives hold it.");
  op({"prim::dtype_of_number(int a) -> ScalarType"},
     [](const Operator& self, const IValue* a, IValue* out) {
       for (int k = 0; k < kDTypeCount; ++k)
         if (info(static_cast<DType>(k)).code == a[0].to_int()) return void(out[0] = static_cast<DType>(k));
       fail(ErrorKind::NotImplemented, "[", self.name(), "] Monograph has no dtype with PyTorch's number ", a[0].to_int());
     })
      .effects(raising({}))
      .doc("The dtype with this number.");
  op({"prim::device(Tensor a) -> Device"}, [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].as_tensor().device(); })
      .effects(ir::Effects::none())
      .storage_only(StorageOnly::Taken)
      .doc("The device of a tensor.")
      .attribute("device");
  EvalFn same = [](const Operator& self, const IValue* a, IValue* out) { out[0] = a[0].is(a[1]) == (self.schema().name() == "aten::eq"); };
  op({"eq.device(Device a, Device b) -> bool", "ne.device(Device a, Device b) -> bool", "eq.dtype(ScalarType a, ScalarType b) -> bool",
      "ne.dtype(ScalarType a, ScalarType b) -> bool", "eq.layout(Layout a, Layout b) -> bool", "ne.layout(Layout a, Layout b) -> bool"},
     same)
      .effects(ir::Effects::none())
      .doc("Whether two devices, dtypes or layouts are the same, or differ.");
}

// The functions of Python's module math. They take floats; an int is converted.
void math_functions(const ProgramOp& op) {
  std::deque<std::string> texts;
  auto text = [&](std::string_view name, std::string_view result) {
    return texts.emplace_back(concat(name, ".float(float a) -> ", result)).c_str();
  };
  struct Row {
    const char* name;
    EvalFn eval;
  };
#define MONOGRAPH_REAL(name) \
  Row { \
    #name, float_function<[](double x) { return std::name(x); }> \
  }
  constexpr Row kReal[] = {MONOGRAPH_REAL(sqrt),  MONOGRAPH_REAL(exp),   MONOGRAPH_REAL(expm1), MONOGRAPH_REAL(log),   MONOGRAPH_REAL(log2),
                           MONOGRAPH_REAL(log10), MONOGRAPH_REAL(log1p), MONOGRAPH_REAL(sin),   MONOGRAPH_REAL(cos),   MONOGRAPH_REAL(tan),
                           MONOGRAPH_REAL(asin),  MONOGRAPH_REAL(acos),  MONOGRAPH_REAL(atan),  MONOGRAPH_REAL(sinh),  MONOGRAPH_REAL(cosh),
                           MONOGRAPH_REAL(tanh),  MONOGRAPH_REAL(asinh), MONOGRAPH_REAL(acosh), MONOGRAPH_REAL(atanh), MONOGRAPH_REAL(fabs),
                           MONOGRAPH_REAL(erf),   MONOGRAPH_REAL(erfc),  MONOGRAPH_REAL(lgamma)};
#undef MONOGRAPH_REAL
  for (const Row& row : kReal) op({text(row.name, "float")}, row.eval).effects(raising({})).doc("math's function of the same name.");
  op({"gamma.float(float a) -> float"}, float_function<[](double x) { return std::tgamma(x); }>).effects(raising({})).doc("math.gamma.");
  op({"degrees.float(float a) -> float"}, float_function<[](double x) { return x * (180.0 / std::numbers::pi); }>)
      .effects(raising({}))
      .doc("math.degrees.");
  op({"radians.float(float a) -> float"}, float_function<[](double x) { return x * (std::numbers::pi / 180.0); }>)
      .effects(raising({}))
      .doc("math.radians.");
  op({"floor.float(float a) -> int"}, rounding_function<[](double x) { return std::floor(x); }>).effects(raising({})).doc("math.floor.");
  op({"ceil.float(float a) -> int"}, rounding_function<[](double x) { return std::ceil(x); }>).effects(raising({})).doc("math.ceil.");
  op({"trunc.float(float a) -> int"}, rounding_function<[](double x) { return std::trunc(x); }>).effects(raising({})).doc("math.trunc.");
  no_torchscript("aten::trunc.float", "TorchScript truncates tensors only");
  no_torchscript("aten::log2.float", "TorchScript has log2 of tensors only");
  op({"isnan.float(float a) -> bool"}, [](const Operator&, const IValue* a, IValue* out) { out[0] = std::isnan(a[0].to_double()); })
      .effects(ir::Effects::none())
      .doc("math.isnan.");
  op({"isinf.float(float a) -> bool"}, [](const Operator&, const IValue* a, IValue* out) { out[0] = std::isinf(a[0].to_double()); })
      .effects(ir::Effects::none())
      .doc("math.isinf.");
  op({"isfinite.float(float a) -> bool"}, [](const Operator&, const IValue* a, IValue* out) { out[0] = std::isfinite(a[0].to_double()); })
      .effects(ir::Effects::none())
      .doc("math.isfinite.");
  op({"atan2.float(float a, float b) -> float"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = std::atan2(a[0].to_double(), a[1].to_double()); })
      .effects(ir::Effects::none())
      .doc("math.atan2.");
  op({"copysign.float(float a, float b) -> float"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = std::copysign(a[0].to_double(), a[1].to_double()); })
      .effects(ir::Effects::none())
      .doc("math.copysign.");
  op({"fmod.float(float a, float b) -> float"},
     [](const Operator& self, const IValue* a, IValue* out) {
       MONOGRAPH_CHECK(a[1].to_double() != 0 && !std::isinf(a[0].to_double()), Value, "[", self.name(), "] math domain error");
       out[0] = std::fmod(a[0].to_double(), a[1].to_double());
     })
      .effects(raising({}))
      .doc("math.fmod.");
  op({"gcd.int(int a, int b) -> int"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = std::gcd(a[0].to_int(), a[1].to_int()); })
      .effects(ir::Effects::none())
      .doc("math.gcd.");
  op({"factorial.int(int a) -> int"},
     [](const Operator& self, const IValue* a, IValue* out) {
       const int64_t n = a[0].to_int();
       MONOGRAPH_CHECK(n >= 0, Value, "[", self.name(), "] factorial() not defined for negative values");
       MONOGRAPH_CHECK(n <= 20, Value, "[", self.name(), "] the factorial of ", n,
                       " does not fit into 64 bits, in which a graph computes integers");
       int64_t product = 1;
       for (int64_t k = 2; k <= n; ++k) product *= k;
       out[0] = product;
     })
      .effects(raising({}))
      .doc("math.factorial.");
}

// The functions of Python's module cmath.
void functions_of_complex(const ProgramOp& op) {
  std::deque<std::string> texts;
  struct Row {
    const char* name;
    EvalFn eval;
  };
#define MONOGRAPH_COMPLEX(name) \
  Row { \
    #name, [](const Operator&, const IValue* a, IValue* out) { out[0] = std::name(a[0].to_complex()); } \
  }
  constexpr Row kRows[] = {MONOGRAPH_COMPLEX(sqrt), MONOGRAPH_COMPLEX(exp),   MONOGRAPH_COMPLEX(log),   MONOGRAPH_COMPLEX(log10),
                           MONOGRAPH_COMPLEX(sin),  MONOGRAPH_COMPLEX(cos),   MONOGRAPH_COMPLEX(tan),   MONOGRAPH_COMPLEX(asin),
                           MONOGRAPH_COMPLEX(acos), MONOGRAPH_COMPLEX(atan),  MONOGRAPH_COMPLEX(sinh),  MONOGRAPH_COMPLEX(cosh),
                           MONOGRAPH_COMPLEX(tanh), MONOGRAPH_COMPLEX(asinh), MONOGRAPH_COMPLEX(acosh), MONOGRAPH_COMPLEX(atanh)};
#undef MONOGRAPH_COMPLEX
  for (const Row& row : kRows)
    op({texts.emplace_back(concat(row.name, ".complex(complex a) -> complex")).c_str()}, row.eval)
        .effects(ir::Effects::none())
        .doc("cmath's function of the same name.");
  op({"angle.complex(complex a) -> float"}, [](const Operator&, const IValue* a, IValue* out) { out[0] = std::arg(a[0].to_complex()); })
      .effects(ir::Effects::none())
      .doc("cmath.phase.");
  op({"polar.float(float a, float b) -> complex"},
     [](const Operator&, const IValue* a, IValue* out) {
       const double length = a[0].to_double(), angle = a[1].to_double();
       out[0] = std::complex(length * std::cos(angle), length * std::sin(angle));
     })
      .effects(ir::Effects::none())
      .doc("cmath.rect.");
  const auto test = [&](const char* schema, const char* doc, auto asks) { op({schema}, asks).effects(ir::Effects::none()).doc(doc); };
  test("isnan.complex(complex a) -> bool", "cmath.isnan.", [](const Operator&, const IValue* a, IValue* out) {
    out[0] = std::isnan(a[0].to_complex().real()) || std::isnan(a[0].to_complex().imag());
  });
  test("isinf.complex(complex a) -> bool", "cmath.isinf.", [](const Operator&, const IValue* a, IValue* out) {
    out[0] = std::isinf(a[0].to_complex().real()) || std::isinf(a[0].to_complex().imag());
  });
  test("isfinite.complex(complex a) -> bool", "cmath.isfinite.", [](const Operator&, const IValue* a, IValue* out) {
    out[0] = std::isfinite(a[0].to_complex().real()) && std::isfinite(a[0].to_complex().imag());
  });
}

}  // namespace

void programs(Registry& r) {
  const ProgramOp op(r);
  control(op);
  functions_of_complex(op);
  math_functions(op);
}

}  // namespace monograph
