// Binds an eager call: chooses the overload that fits its values (by the rules of ir/bind.h) and converts the arguments to what the operator reads.
#include "ir/bind.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/device_names.h"
#include "ir/graph.h"
#include "ops/dispatch.h"
#include "ops/evaluation_mode.h"
#include "ops/generator_value.h"
#include "ops/symbolic_value.h"
#include "ops/value_kind.h"

namespace monograph::ir {

template <>
struct ReadValue<const IValue*> {
  static TypeKind kind(const IValue* v) {
    if (const auto known = kind_of(v->tag())) return *known;
    if (const SymbolicValue* symbolic = symbolic_value(*v))
      return symbolic->hint.is_none() ? ReadValue<Type>::kind(type_of_value(*symbolic)) : kind(&symbolic->hint);
    if (symbolic_size(*v)) return TypeKind::Int;
    return dynamic_cast<const GeneratorBox*>(v->object()) ? TypeKind::Generator : TypeKind::Class;
  }
  // As in PyTorch, a tensor that requires grad does not stand for a number.
  static Fit as_number(const IValue* v, TypeKind expected) {
    const Tensor& t = v->as_tensor();
    if (t.dim() != 0 || t->kind != TensorImpl::Kind::Dense || t.requires_grad() || t.is_meta()) return Fit::Never;
    return fit_scalar_tensor(t.dtype(), expected);
  }
  static Fit as_device(const IValue* v) {
    return v->is_string() ? Fit::Exact : Fit::Unknown;  // a text that names no device is an error of its own, as in PyTorch
  }
  static Fit as_dict(const IValue*, Type) { return Fit::Exact; }
  template <class F>
  static Fit worst_part(const IValue* v, const F& fit) {
    if (const SymbolicValue* symbolic = symbolic_value(*v)) {
      if (symbolic->hint.is_none()) return ReadValue<Type>::worst_part(type_of_value(*symbolic), fit);
      v = &symbolic->hint;
    }
    static const IValue kInt = 0;
    if (v->is_ints()) return v->to_ints().empty() ? Fit::Exact : fit(&kInt);
    Fit worst = Fit::Exact;
    for (const IValue& part : v->items()) worst = std::min(worst, fit(&part));
    return worst;
  }
  static std::string describe(const IValue* v) {
    if (const SymbolicValue* symbolic = symbolic_value(*v))
      return symbolic->hint.is_none() ? ReadValue<Type>::describe(type_of_value(*symbolic)) : describe(&symbolic->hint);
    if (v->is_ints()) return describe_parts(std::vector<std::string>(v->to_ints().size(), "int"), false);
    if (!v->is_list() && !v->is_tuple()) return v->is_object() ? describe_object(*v) : std::string(word_for(kind(v)));
    std::vector<std::string> parts;
    for (const IValue& part : v->items()) parts.push_back(describe(&part));
    return describe_parts(parts, v->is_tuple());
  }
  // A number that a graph computes is no tensor.
  static constexpr Fit kUnknownAsTensor = Fit::Never;
  static constexpr Fit kIntAsDevice = Fit::Unknown;

 private:
  static std::string describe_object(const IValue& v) {
    const std::string name = v.object()->kind_name();
    return name.empty() ? std::string(word_for(kind(&v))) : name;
  }
};

}  // namespace monograph::ir

namespace monograph {

Tensor wrapped_number(const IValue& v) {
  Tensor t = empty({}, v.is_complex() ? DType::c128 : v.is_float() ? DType::f64 : v.is_int() ? DType::i64 : DType::b1);
  if (v.is_complex()) *t.data_as<std::complex<double>>() = v.to_complex();
  else if (v.is_float()) *t.data_as<double>() = v.to_double();
  else if (v.is_int()) *t.data_as<int64_t>() = v.to_int();
  else *t.data_as<bool>() = v.to_bool();
  t->wrapped_number = true;
  return t;
}

std::optional<IValue> scalar_literal(ir::ArgRef a) {
  switch (a.kind()) {
    case ir::ArgKind::None: return IValue();
    case ir::ArgKind::Bool: return IValue(a.as_bool());
    case ir::ArgKind::Int: return IValue(a.as_int());
    case ir::ArgKind::Float: return IValue(a.as_float());
    case ir::ArgKind::Complex: return IValue(a.as_complex());
    case ir::ArgKind::Str: return IValue(a.as_str());
    case ir::ArgKind::DType: return IValue(a.as_dtype());
    case ir::ArgKind::Device: return IValue(a.as_device());
    case ir::ArgKind::MemoryFormat: return IValue(a.as_memory_format());
    case ir::ArgKind::Layout: return IValue::layout();
    default: return std::nullopt;
  }
}

namespace {

using ir::Fit;
using ir::TypeKind;

// The value of a default: a scalar, or a list of ints.
IValue default_literal(ir::ArgRef a) {
  if (std::optional<IValue> scalar = scalar_literal(a)) return std::move(*scalar);
  if (!a.is(ir::ArgKind::List) && !a.is(ir::ArgKind::Tuple)) return {};
  Dims ints;
  for (ir::ArgRef item : a) ints.push_back(item.as_int());
  return ints;
}

// --- Conversion of what fits.

IValue converted(const IValue& v, ir::Type type, int list_size);

// The number that a tensor with no dims stands for; symbolic where a capture computes it.
IValue number_of(const Tensor& t) {
  if (auto* number = dispatch_hooks().number)
    if (IValue symbolic = number(t); !symbolic.is_none()) return symbolic;
  return first_number(t);
}

IValue list_of(std::vector<IValue> items, ir::Type element) {
  const bool ints = element.is(TypeKind::Int) || element.is(TypeKind::SymInt);
  // A list with a symbolic size stays a list of values, for the capture that made the size.
  if (!ints || !std::ranges::all_of(items, &IValue::is_int)) return IValue::list(std::move(items));
  Dims dims;
  dims.resize(items.size());
  for (size_t k = 0; k < items.size(); ++k) dims[k] = items[k].to_int();
  return dims;
}

// The dtype that a number stands for, as TorchScript writes it.
DType dtype_of_code(int64_t code) {
  for (int k = 0; k < kDTypeCount; ++k)
    if (info(static_cast<DType>(k)).code == code) return static_cast<DType>(k);
  fail(ErrorKind::Runtime, "the number ", code,
       " stands for no dtype that Monograph has; write the dtype itself, for example torch.float32");
}
MemoryFormat memory_format_of_code(int64_t code) {
  MONOGRAPH_CHECK(code >= 0 && code <= static_cast<int64_t>(MemoryFormat::ChannelsLast3d), Runtime, "the number ", code,
                  " stands for no memory format; write the format itself, for example torch.contiguous_format");
  return static_cast<MemoryFormat>(code);
}

IValue converted_list(const IValue& v, ir::Type element, int list_size) {
  if (v.is_ints()) return v;
  // A list of any type is passed as it is, because the operator may append to it.
  if (v.is_list() && element.is(TypeKind::Variable)) return v;
  if (ir::ReadValue<const IValue*>::kind(&v) != TypeKind::List) {
    if (v.is_int() && !element.is(TypeKind::Float)) return Dims(static_cast<size_t>(list_size), v.to_int());
    // A value of unknown type is checked when the graph runs.
    if (symbolic_value(v) && ir::ReadValue<const IValue*>::kind(&v) == TypeKind::Any) return v;
    return list_of(std::vector<IValue>(static_cast<size_t>(list_size), converted(v, element, -1)), element);
  }
  if (symbolic_value(v)) return v;
  std::vector<IValue> items;
  items.reserve(v.items().size());
  for (const IValue& item : v.items()) items.push_back(converted(item, element, -1));
  return list_of(std::move(items), element);
}

IValue converted(const IValue& v, ir::Type type, int list_size) {
  if (type.is(TypeKind::Optional)) {
    if (v.is_none()) return {};
    type = type.element();
  }
  switch (type.kind()) {
    case TypeKind::List: return converted_list(v, type.element(), list_size);
    case TypeKind::Tensor:
      MONOGRAPH_CHECK(
          !v.is_object() || symbolic_value(v) || dispatch_state().top, NotImplemented,
          "a size that a graph computes cannot be used as a tensor here; write it after the tensor (x * n, x + n), or make it a ",
          "tensor with torch.scalar_tensor(n)");
      return v.is_number() ? IValue(wrapped_number(v)) : v;  // a number that a graph computes stays an argument of the node
    case TypeKind::Float: {
      const IValue number = v.is_tensor() ? number_of(v.as_tensor()) : v;
      return number.is_int() || number.is_bool() ? IValue(number.to_double()) : number;
    }
    case TypeKind::Device:
      return v.is_string() ? IValue(with_fallback(device_named(v.to_string()))) : v.is_int() ? IValue(device_numbered(v.to_int())) : v;
    case TypeKind::Int:
    case TypeKind::SymInt: return v.is_tensor() ? number_of(v.as_tensor()) : v.is_bool() ? IValue(int64_t{v.to_bool()}) : v;
    case TypeKind::Number:
    case TypeKind::Complex: return v.is_tensor() ? number_of(v.as_tensor()) : v;
    case TypeKind::Bool: return v.is_none() ? IValue(false) : v.is_int() || v.is_float() ? IValue(v.to_double() != 0) : v;
    case TypeKind::DType: return v.is_int() ? IValue(dtype_of_code(v.to_int())) : v;
    case TypeKind::Layout:
      MONOGRAPH_CHECK(!v.is_int() || v.to_int() == 0, Runtime, "the number ", v.to_int(),
                      " stands for no layout that Monograph has; 0 is strided");
      return v.is_int() ? IValue::layout() : v;
    case TypeKind::MemoryFormat: return v.is_int() ? IValue(memory_format_of_code(v.to_int())) : v;
    default: return v;
  }
}

// --- Calls.

// The values of a call as the rules read them: pointers, so that matching an overload counts no references.
class ValueCall {
 public:
  ValueCall(std::span<const IValue> args, std::span<const Keyword> kwargs, bool in_order, bool by_schema = false)
      : in_order_(in_order), by_schema_(by_schema) {
    const size_t n = args.size() + kwargs.size();
    if (n > kInline) heap_values_.resize(n), values_ = heap_values_.data();
    for (size_t k = 0; k < args.size(); ++k) values_[k] = &args[k];
    for (size_t k = 0; k < kwargs.size(); ++k) values_[args.size() + k] = &kwargs[k].value, keywords_.push_back(kwargs[k].name);
    count_ = n;
  }
  ValueCall(const ValueCall&) = delete;
  ir::Call<const IValue*> call() const {
    return {.values = {values_, count_}, .keywords = keywords_, .in_order = in_order_, .by_schema = by_schema_};
  }

 private:
  static constexpr size_t kInline = 24;
  std::array<const IValue*, kInline> inline_values_;
  std::vector<const IValue*> heap_values_;
  const IValue** values_ = inline_values_.data();
  size_t count_ = 0;
  std::vector<std::string_view> keywords_;
  bool in_order_, by_schema_;
};

// The text of a device raises an error that names the operator.
void check_device(const Operator& op, const ir::Argument& a, const IValue& given) {
  const ir::Type type = a.type.is(TypeKind::Optional) ? a.type.element() : a.type;
  if (type.is(TypeKind::Device)) (void)device_named(given.to_string(), concat(op.base_name(), "(): argument '", a.name, "': "));
}

void fill(const Operator& op, const ir::Call<const IValue*>& call, const ir::ArgumentSources& sources, Bound& bound) {
  const auto& arguments = op.schema().arguments();
  bound.clear();
  bound.reserve(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ir::Argument& a = arguments[i];
    const int64_t value = sources.value[i];
    if (value == ir::ArgumentSources::kDefault) {
      bound.push_back(default_of(a));
    } else if (value == ir::ArgumentSources::kGathered) {
      std::vector<IValue> items;
      for (size_t k = sources.gathered_begin; k < sources.gathered_end; ++k)
        items.push_back(converted(*call.values[k], a.type.element(), -1));
      bound.push_back(list_of(std::move(items), a.type.element()));
    } else {
      const IValue& given = *call.values[static_cast<size_t>(value)];
      if (given.is_string()) [[unlikely]]
        check_device(op, a, given);
      bound.push_back(converted(given, a.type, a.list_size));
    }
  }
}

}  // namespace

IValue default_of(const ir::Argument& a) {
  IValue v = default_literal((*a.default_value)[0]);
  return a.list_size > 0 && v.is_int() ? IValue(Dims(static_cast<size_t>(a.list_size), v.to_int())) : v;
}

IValue first_number(const Tensor& t) {
  return dispatch_any(t.dtype(), [&](auto zero) -> IValue {
    using T = decltype(zero);
    T x = *t.data_as<T>();
    if constexpr (std::is_same_v<T, bool>) return x;
    else if constexpr (std::is_same_v<T, complex_half>) return std::complex<double>(static_cast<std::complex<float>>(x));
    else if constexpr (std::is_same_v<T, uint64_t>) {
      MONOGRAPH_CHECK(x <= static_cast<uint64_t>(INT64_MAX), Runtime,
                      "value cannot be converted to type int64_t without overflow, but it is ", x, "; Tensor.item() of Python gives it");
      return static_cast<int64_t>(x);
    } else if constexpr (std::is_integral_v<T>) return static_cast<int64_t>(x);
    else if constexpr (std::is_convertible_v<T, float>)
      return static_cast<double>(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(x));
    else return std::complex<double>(x);
  });
}

bool is_of_type(const IValue& v, ir::Type type) {
  const IValue* given = &v;
  if (v.is_tensor() && (type.is(TypeKind::Optional) ? type.element() : type).is(TypeKind::Number)) return false;
  return ir::fit(given, type) != Fit::Never;
}
std::string kind_in_words(const IValue& v) { return ir::ReadValue<const IValue*>::describe(&v); }

bool is_default(const ir::Argument& argument, const IValue& v) {
  if (!argument.default_value) return false;
  const IValue usual = default_of(argument);
  if (usual.is_number() && v.is_number()) return usual.to_complex() == v.to_complex();
  if (usual.tag() != v.tag()) return false;
  if (v.is_ints()) return std::ranges::equal(usual.to_ints(), v.to_ints());
  if (v.is_string()) return usual.to_string() == v.to_string();
  if (v.tag() == IValue::Tag::Dtype) return usual.to_dtype() == v.to_dtype();
  if (v.tag() == IValue::Tag::MemoryFormat) return usual.to_memory_format() == v.to_memory_format();
  return v.is_none() || v.tag() == IValue::Tag::Layout;
}

bool convertible(const IValue& v, const ir::Argument& argument, IValue& out) {
  if (ir::fit(static_cast<const IValue*>(&v), argument.type, argument.list_size) == Fit::Never) return false;
  out = converted(v, argument.type, argument.list_size);
  return true;
}

void check_argument(const Operator& op, size_t argument, IValue& value) {
  const ir::Argument& a = op.schema().arguments()[argument];
  using Read = ir::ReadValue<const IValue*>;
  const IValue* given = &value;
  if (ir::fit(given, a.type, a.list_size, op.schema().takes_number_at(argument)) == Fit::Never)
    fail(ErrorKind::Type, ir::wrong_kind_message(op.schema(), argument, Read::describe(given), Read::kind(given)));
  value = converted(value, a.type, a.list_size);
}

// A call in the argument order of PyTorch 1.4: `weights` are the numbers that the schema takes only by keyword.
struct OldOrderCall {
  std::vector<IValue> tensors;
  std::vector<Keyword> weights;
};

// PyTorch still accepts the argument order of PyTorch 1.4 and older. There each keyword-only number of today's schema stood before the tensor that it
// multiplies: with one number, (self, value, ...); with two, (self, beta, alpha, ...) as a method and (beta, self, alpha, ...) as a function, where alpha
// may be missing. Absent where these arguments are no such call.
static std::optional<OldOrderCall> in_old_order(const Operator& op, std::span<const IValue> args) {
  std::vector<std::string_view> names;
  for (const ir::Argument& a : op.schema().arguments()) {
    if (!a.kwarg_only || a.out) continue;
    if (!a.type.is(TypeKind::Number)) return {};
    names.push_back(a.name);
  }
  if (names.empty() || args.empty() || op.alias_of) return {};
  OldOrderCall call;
  for (const IValue& v : args) {
    if (!v.is_number()) call.tensors.push_back(v);
    else if (call.weights.size() < names.size()) call.weights.push_back({names[call.weights.size()], v});
    else return {};
  }
  const size_t count = call.weights.size();
  const bool numbers_first = count > 0 && std::ranges::none_of(args.subspan(std::min(count + 1, args.size())), &IValue::is_number);
  if (!numbers_first || (args.front().is_number() && names.size() < 2)) return {};
  return call;
}

const Operator& bind(const OverloadSet& overloads, std::span<const IValue> args, std::span<const Keyword> kwargs, Bound& bound,
                     BindOptions options) {
  auto among = [&](const Operator& op) { return !options.python || overloads.in_python(op); };
  ir::ArgumentSources sources;
  const ValueCall values(args, kwargs, options.in_order, options.by_schema);
  if (const Operator* op = ir::choose(overloads.overloads, values.call(), sources, Fit::NumberAsTensor, among)) {
    fill(*op, values.call(), sources, bound);
    if (options.sources) *options.sources = std::move(sources);
    return *op;
  }
  for (const Operator* op : overloads.overloads) {
    if (!options.python || options.by_schema || !among(*op)) continue;
    auto reordered = in_old_order(*op, args);
    if (!reordered) continue;
    reordered->weights.insert(reordered->weights.end(), kwargs.begin(), kwargs.end());
    const ValueCall call(reordered->tensors, reordered->weights, false);
    if (const Operator* chosen = ir::choose(overloads.overloads, call.call(), sources, Fit::NumberAsTensor, among)) {
      fill(*chosen, call.call(), sources, bound);
      return *chosen;
    }
  }
  auto listed = [&](const Operator& op) { return overloads.in_python(op); };
  fail(options.by_schema ? ErrorKind::Runtime : ErrorKind::Type, ir::no_match(overloads.overloads, values.call(), listed));
}

}  // namespace monograph
