// Binding: which overload a call means, and its full list of arguments. One rule for eager Python, C++, the captures and the file readers.
#include "ir/graph.h"
#include "ops/dispatch.h"
#include "ops/symbolic_value.h"

namespace monograph {
namespace {

using ir::TypeKind;

IValue from_literal(ir::ArgRef a) {
  switch (a.kind()) {
    case ir::ArgKind::Bool: return a.as_bool();
    case ir::ArgKind::Int: return a.as_int();
    case ir::ArgKind::Float: return a.as_float();
    case ir::ArgKind::Str: return a.as_str();
    case ir::ArgKind::DType: return a.as_dtype();
    case ir::ArgKind::Device: return a.as_device();
    case ir::ArgKind::MemoryFormat: return a.as_memory_format();
    case ir::ArgKind::Layout: return IValue::layout();
    case ir::ArgKind::List:
    case ir::ArgKind::Tuple: {
      Dims ints;
      for (ir::ArgRef item : a) ints.push_back(item.as_int());
      return ints;
    }
    default: return {};
  }
}

// Whether a number of a graph may stand where a number of this kind is expected: by its example, else by its type; an unknown one may.
bool symbolic_as(const IValue& v, TypeKind kind) {
  if (symbolic_size(v)) return kind == TypeKind::Int || kind == TypeKind::Number || kind == TypeKind::Float;
  const SymbolicValue* number = symbolic_value(v);
  if (!number) return false;
  if (number->hint.is_ints() || number->hint.is_list()) return false;
  if (kind == TypeKind::Number) return !number->node->type().is(TypeKind::List);
  const IValue& hint = number->hint;
  if (!hint.is_none())
    return kind == TypeKind::Float ? hint.is_float() || hint.is_int() : kind == TypeKind::Int ? hint.is_int() : hint.is_bool();
  ir::Type type = number->node->type();
  if (!type || type.is(TypeKind::Number) || type.is(TypeKind::Any)) return true;
  bool is_int = type.is(TypeKind::Int) || type.is(TypeKind::SymInt);
  if (type.is(TypeKind::List)) return false;
  return type.is(kind) || (is_int && (kind == TypeKind::Int || kind == TypeKind::Float));
}

// Whether a value of a graph is known to be no list.
bool is_symbolic_number(const SymbolicValue& v) {
  if (!v.hint.is_none()) return v.hint.is_bool() || v.hint.is_int() || v.hint.is_float() || v.hint.is_complex();
  const ir::Type type = v.node->type();
  return type.is(TypeKind::Bool) || type.is(TypeKind::Int) || type.is(TypeKind::SymInt) || type.is(TypeKind::Float) ||
         type.is(TypeKind::Number);
}

bool to_ints(const IValue& v, int list_size, IValue& out) {
  if (v.is_ints()) {
    out = v;
    return true;
  }
  if (v.is_int() && list_size > 0) {
    out = Dims(static_cast<size_t>(list_size), v.to_int());
    return true;
  }
  if (!v.is_list() && !v.is_tuple()) return false;
  Dims ints;
  for (const IValue& item : v.items()) {
    if (item.is_int()) ints.push_back(item.to_int());
    else if (item.is_object())
      return out = IValue::list(v.items()), true;  // a symbolic size among them: the interpreters above know what to do with it
    else return false;
  }
  out = std::move(ints);
  return true;
}

bool to_list(const IValue& v, const ir::Argument& argument, IValue& out) {
  if (const SymbolicValue* symbolic = symbolic_value(v)) {
    out = v;
    if (!is_symbolic_number(*symbolic)) return true;
    if (argument.list_size <= 0 || !symbolic_as(v, TypeKind::Int)) return false;
    out = IValue::list(std::vector<IValue>(static_cast<size_t>(argument.list_size), v));
    return true;
  }
  ir::Type element = argument.type.is(TypeKind::Optional) ? argument.type.element().element() : argument.type.element();
  if (element.is(TypeKind::Int) || element.is(TypeKind::SymInt)) return to_ints(v, argument.list_size, out);
  if (v.is_ints()) return out = v, element.is(TypeKind::Float) || element.is(TypeKind::Number) || element.is(TypeKind::Variable);
  if (!v.is_list() && !v.is_tuple()) return false;
  ir::Argument inner;
  inner.type = element;
  std::vector<IValue> items;
  for (const IValue& item : v.items()) {
    IValue converted;
    if (!convertible(item, inner, converted)) return false;
    items.push_back(std::move(converted));
  }
  out = IValue::list(std::move(items));
  return true;
}

// A 0-d tensor passes for a number, as in PyTorch, where it is not part of a gradient. Flags are no integers, complex numbers no floats.
bool number_of(const IValue& v, IValue& out, const ir::Type& type) {
  const bool integral = type.is(TypeKind::Int) || type.is(TypeKind::SymInt), floating = type.is(TypeKind::Float);
  if (!v.is_tensor() || v.as_tensor().dim() != 0 || v.as_tensor()->kind != TensorImpl::Kind::Dense) return false;
  const Tensor& t = v.as_tensor();
  if (t.requires_grad() || t.is_meta() || (integral && !is_integral(t.dtype())) || (floating && is_complex(t.dtype()))) return false;
  if (auto* number = dispatch_hooks().number)
    if (IValue symbolic = number(t); !symbolic.is_none()) return out = std::move(symbolic), true;
  out = first_number(t);
  if (floating) out = out.to_double();
  return true;
}

std::string signature(const Operator& op) { return op.text.substr(op.text.find("::") + 2); }

[[noreturn]] void no_match(const OverloadSet& overloads, std::span<const IValue> args, std::span<const Keyword> kwargs) {
  std::string got;
  for (const IValue& v : args) got += (got.empty() ? "" : ", ") + describe(v);
  for (const Keyword& k : kwargs) got += concat(got.empty() ? "" : ", ", k.name, "=", describe(k.value));
  std::string message = concat(overloads.name.substr(overloads.name.find("::") + 2),
                               "() received an invalid combination of arguments - got (", got, "), but expected one of:");
  // Overloads of plain numbers beside those of tensors are TorchScript's; nobody calls them by hand.
  auto by_hand = [](const Operator* op) { return op->python_function || op->python_method; };
  bool some = std::any_of(overloads.overloads.begin(), overloads.overloads.end(), by_hand);
  for (const Operator* op : overloads.overloads)
    if (!some || by_hand(op)) message += "\n * " + signature(*op);
  fail(ErrorKind::Type, message);
}

// Whether the call fits this overload; fills `bound`.
bool fits(const Operator& op, std::span<const IValue> args, std::span<const Keyword> kwargs, bool in_order, Bound& bound) {
  const auto& arguments = op.schema().arguments();
  bound.assign(arguments.size(), {});
  size_t used = 0, positional = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ir::Argument& a = arguments[i];
    const IValue* given = nullptr;
    IValue rest;
    if ((in_order || !a.kwarg_only) && positional < args.size()) {
      given = &args[positional++];
      // x.view(2, 3): the last positional int[] takes all remaining numbers.
      bool last = i + 1 == arguments.size() || arguments[i + 1].kwarg_only || i + 1 > args.size();
      if (a.type.is(TypeKind::List) && (given->is_int() || symbolic_as(*given, TypeKind::Int)) && last && a.list_size < 0) {
        std::vector<IValue> items(args.begin() + static_cast<ptrdiff_t>(positional) - 1, args.end());
        rest = IValue::list(std::move(items));
        given = &rest;
        positional = args.size();
      }
    } else {
      for (const Keyword& k : kwargs)
        if (k.name == a.name || (a.name == "self" && k.name == "input")) given = &k.value, ++used;
    }
    if (given) {
      if (!convertible(*given, a, bound[i])) return false;
    } else if (a.default_value) {
      bound[i] = from_literal((*a.default_value)[0]);
      if (a.list_size > 0 && bound[i].is_int()) bound[i] = Dims(static_cast<size_t>(a.list_size), bound[i].to_int());
    } else {
      return false;
    }
  }
  return positional == args.size() && used == kwargs.size();
}

// Whether the last argument by place is a device, which one of the overloads takes there: all of them take it then, as PyTorch's functions do
// (x.to("cpu", memory_format=...) is the overload that has only keywords).
bool device_by_place(const OverloadSet& overloads, std::span<const IValue> args) {
  if (args.empty()) return false;
  return std::any_of(overloads.overloads.begin(), overloads.overloads.end(), [&](const Operator* op) {
    const auto& arguments = op->schema().arguments();
    if (arguments.size() < args.size() || arguments[args.size() - 1].kwarg_only) return false;
    const ir::Argument& a = arguments[args.size() - 1];
    const ir::Type type = a.type.is(TypeKind::Optional) ? a.type.element() : a.type;
    IValue device;
    return type.is(TypeKind::Device) && !args.back().is_none() && convertible(args.back(), a, device);
  });
}

}  // namespace

IValue first_number(const Tensor& t) {
  return dispatch(t.dtype(), [&](auto zero) -> IValue {
    using T = decltype(zero);
    T x = *t.data_as<T>();
    if constexpr (std::is_same_v<T, bool>) return x;
    else if constexpr (std::is_integral_v<T>) return static_cast<int64_t>(x);
    else if constexpr (std::is_convertible_v<T, float>)
      return static_cast<double>(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(x));
    else return std::complex<double>(x);
  });
}

bool convertible(const IValue& v, const ir::Argument& argument, IValue& out) {
  ir::Type type = argument.type;
  if (type.is(TypeKind::Optional)) {
    if (v.is_none()) return true;
    type = type.element();
  }
  if (type.is(TypeKind::List)) return to_list(v, argument, out);
  bool ok = false;
  switch (type.kind()) {
    case TypeKind::Tensor: ok = v.is_tensor(); break;
    case TypeKind::Number: ok = v.is_number() || symbolic_as(v, TypeKind::Number); break;
    case TypeKind::Int:
    case TypeKind::SymInt:
      // ScalarType parameters are ints in TorchScript and dtypes in Python; both arrive here.
      ok = v.is_int() || (symbolic_value(v) ? symbolic_as(v, TypeKind::Int) : v.is_object());
      break;
    case TypeKind::DType: ok = v.tag() == IValue::Tag::Dtype; break;
    case TypeKind::Float:
      if (v.is_int() || v.is_bool()) return out = v.to_double(), true;
      ok = v.is_float() || symbolic_as(v, TypeKind::Float);
      break;
    case TypeKind::Bool: ok = v.is_bool() || symbolic_as(v, TypeKind::Bool); break;
    case TypeKind::Complex: ok = v.is_number(); break;
    case TypeKind::Str: ok = v.is_string(); break;
    case TypeKind::Device:
      if (v.is_string()) {
        Device d;
        if (!parse_device(v.to_string(), d)) return false;
        return out = d, true;
      }
      ok = v.tag() == IValue::Tag::Device;
      break;
    case TypeKind::Layout: ok = v.tag() == IValue::Tag::Layout; break;
    case TypeKind::MemoryFormat: ok = v.tag() == IValue::Tag::MemoryFormat; break;
    case TypeKind::Generator: ok = v.is_object(); break;
    case TypeKind::Dict: ok = v.is_dict(); break;
    case TypeKind::Any:
    case TypeKind::Variable: ok = true; break;
    default: break;
  }
  if (ok) return out = v, true;
  const bool number = type.is(TypeKind::Int) || type.is(TypeKind::SymInt) || type.is(TypeKind::Number) || type.is(TypeKind::Float);
  return number && number_of(v, out, type);
}

const Operator& bind(const OverloadSet& overloads, std::span<const IValue> args, std::span<const Keyword> kwargs, Bound& bound,
                     bool in_order) {
  for (const Operator* op : overloads.overloads)
    if (fits(*op, args, kwargs, in_order, bound)) return *op;
  if (!in_order && !kwargs.empty() && device_by_place(overloads, args)) {
    std::vector<Keyword> named(kwargs.begin(), kwargs.end());
    named.push_back({"device", args.back()});
    for (const Operator* op : overloads.overloads)
      if (fits(*op, args.first(args.size() - 1), named, in_order, bound)) return *op;
  }
  no_match(overloads, args, kwargs);
}

}  // namespace monograph
