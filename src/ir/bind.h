// Binding: from what a call gives, by position and by keyword, to the places of a schema.
//
// One set of rules serves every caller. The rules decide which argument a value is for, whether the value is allowed there, and which overload a call
// means. They also write the error if none fits. They are templates over how a value is read. Types and arguments of a graph are read here, values of
// a running program in src/ops/binding.cpp.
//
//   torch.sum(x, axis=1)        places {x, 1, default, default} of sum.dim_IntList
//   x.view(2, 3)                the last int[] gathers the remaining numbers
//   torch.softmax(x, "a")       softmax(): argument 'dim' (position 2) must be int, not str
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ivalue.h"
#include "core/tensor.h"
#include "ir/arg.h"
#include "ir/schema.h"

namespace monograph::ir {

class Graph;
class Node;

// How well a value fits an argument, from worst to best. A call fits a schema as well as the worst of its values.
enum class Fit : uint8_t {
  Never,
  NumberAsTensor,  // a number where a tensor is expected, of an operator that takes such
  Unknown,  // what is known of the value does not decide: it is checked when it runs
  Exact,
};

// The kind of a value that its tag tells; nothing of an object, which must be looked at.
inline std::optional<TypeKind> kind_of(IValue::Tag tag) {
  using Tag = IValue::Tag;
  switch (tag) {
    case Tag::None: return TypeKind::None;
    case Tag::Bool: return TypeKind::Bool;
    case Tag::Int: return TypeKind::Int;
    case Tag::Float: return TypeKind::Float;
    case Tag::Complex: return TypeKind::Complex;
    case Tag::Dtype: return TypeKind::DType;
    case Tag::Device: return TypeKind::Device;
    case Tag::MemoryFormat: return TypeKind::MemoryFormat;
    case Tag::Layout: return TypeKind::Layout;
    case Tag::Tensor: return TypeKind::Tensor;
    case Tag::Str: return TypeKind::Str;
    case Tag::Ints:
    case Tag::List:
    case Tag::Tuple: return TypeKind::List;
    case Tag::Dict: return TypeKind::Dict;
    case Tag::Object: break;
  }
  return std::nullopt;
}

// How the rules read a value. A specialization has these static members:
//
//   TypeKind kind(v)                 what it is, of a tuple List; Any where that is not known
//   Fit as_number(v, TypeKind)       whether this tensor passes for a number of this kind
//   Fit as_device(v)                 whether this str names a device
//   Fit as_dict(v, Type)             whether this dict has such keys and values
//   Fit worst_part(v, fit)           the worst fit(part) of this list's parts, whose type may be another readable one
//   std::string describe(v)          in words
//   Fit kUnknownAsTensor             how well a value of unknown kind fits a tensor
//   Fit kIntAsDevice                 how well an int fits a device: the number of a GPU
template <class V>
struct ReadValue;

inline constexpr bool is_number(TypeKind k) {
  return k == TypeKind::Int || k == TypeKind::Float || k == TypeKind::Bool || k == TypeKind::Complex || k == TypeKind::Number ||
         k == TypeKind::SymInt || k == TypeKind::SymFloat || k == TypeKind::SymBool;
}
// Whether any number of this kind is one of the expected kind, as it is or converted. Flags are no integers, complex numbers no floats.
Fit fit_number(TypeKind given, TypeKind expected);
// The same of a tensor without dims, by its dtype.
Fit fit_scalar_tensor(DType dtype, TypeKind expected);

template <class V>
Fit fit(const V& v, Type expected, int list_size = -1, bool number_as_tensor = false) {
  using Read = ReadValue<V>;
  TypeKind given = Read::kind(v);
  if (expected.is(TypeKind::Optional)) {
    if (given == TypeKind::None) return Fit::Exact;
    expected = expected.element();
  }
  const TypeKind kind = expected.kind();
  if (kind == TypeKind::Any || kind == TypeKind::Variable || kind == TypeKind::Opaque) return Fit::Exact;
  if (given == TypeKind::Any) return kind == TypeKind::Tensor ? Read::kUnknownAsTensor : Fit::Unknown;
  if (kind == TypeKind::List) {
    if (given == TypeKind::List) return Read::worst_part(v, [&](const auto& part) { return fit(part, expected.element()); });
    return list_size > 0 ? fit(v, expected.element()) : Fit::Never;
  }
  if (kind == TypeKind::Tensor) {
    if (given == TypeKind::Tensor) return Fit::Exact;
    return number_as_tensor && is_number(given) ? Fit::NumberAsTensor : Fit::Never;
  }
  if (is_number(kind)) return given == TypeKind::Tensor ? Read::as_number(v, kind) : fit_number(given, kind);
  if (kind == TypeKind::Device && given == TypeKind::Str) return Read::as_device(v);
  if (kind == TypeKind::Device && given == TypeKind::Int) return Read::kIntAsDevice;
  if (kind == TypeKind::Dict && given == TypeKind::Dict) return Read::as_dict(v, expected);
  if (kind == TypeKind::Union) return Fit::Unknown;
  if (kind == TypeKind::Tuple || kind == TypeKind::NamedTuple) return given == TypeKind::List ? Fit::Exact : Fit::Never;
  return given == kind ? Fit::Exact : Fit::Never;
}

// Whether TorchScript has a number for values of this type.
inline bool has_code(const Type& type) {
  const TypeKind kind = (type.is(TypeKind::Optional) ? type.element() : type).kind();
  return kind == TypeKind::DType || kind == TypeKind::Layout || kind == TypeKind::MemoryFormat;
}

// The same by the rules of torch.ops, which reads every value as the schema says: flags and ints stand for each other, and ints for dtypes, layouts and memory
// formats. A tensor is no Scalar there, and one int is no SymInt[2].
template <class V>
Fit fit_by_schema(const V& v, Type expected, int list_size = -1, bool number_as_tensor = false) {
  using Read = ReadValue<V>;
  const TypeKind given = Read::kind(v);
  if (expected.is(TypeKind::Optional)) {
    if (given == TypeKind::None) return Fit::Exact;
    expected = expected.element();
  }
  const TypeKind kind = expected.kind();
  if (kind == TypeKind::List && given == TypeKind::List)
    return Read::worst_part(v, [&](const auto& part) { return fit_by_schema(part, expected.element()); });
  if (kind == TypeKind::List && expected.element().is(TypeKind::SymInt)) list_size = -1;
  if (kind == TypeKind::Number && given == TypeKind::Tensor) return Fit::Never;
  if (const Fit usual = fit(v, expected, list_size, number_as_tensor); usual != Fit::Never) return usual;
  const bool flag = given == TypeKind::Bool, number = given == TypeKind::Int || given == TypeKind::Float;
  if (kind == TypeKind::Int || kind == TypeKind::SymInt) return flag ? Fit::Unknown : Fit::Never;
  if (kind == TypeKind::Bool) return number || given == TypeKind::None ? Fit::Unknown : Fit::Never;
  return has_code(expected) && given == TypeKind::Int ? Fit::Unknown : Fit::Never;
}

// What a call gives.
template <class V>
struct Call {
  std::span<const V> values;  // those without a keyword first
  std::span<const std::string_view> keywords;  // of the last values
  bool in_order = false;  // keyword-only arguments are taken by position too: as TorchScript and C++ write calls
  bool codes = false;  // ints may stand for dtypes, layouts and memory formats, as TorchScript writes them
  bool device_last = false;  // the last value by position is the device, also of a schema that has a keyword for it
  bool by_schema = false;  // as torch.ops: arguments have the schema's names only, no list is gathered, and values fit by fit_by_schema
  size_t positional() const { return values.size() - keywords.size(); }
};

// Which of a call's values stands for each argument.
struct ArgumentSources {
  static constexpr int64_t kDefault = -1, kGathered = -2;
  Dims value;  // an index into the call's values
  size_t gathered_begin = 0, gathered_end = 0;  // the values that one argument gathers: the sizes of x.view(2, 3)
};

// Why a call does not fit a schema.
struct Misfit {
  enum class Reason : uint8_t { None, TooMany, UnknownKeyword, GivenTwice, Missing, WrongKind };
  Reason reason = Reason::None;
  size_t value = 0;  // of the call
  size_t argument = 0;  // of the schema
  explicit operator bool() const { return reason != Reason::None; }
};

// The argument that a keyword means, by its own name or by those that PyTorch takes for it: input= for self, axis= for dim. -1 where there is none.
int argument_named(const FunctionSchema& schema, std::string_view keyword);

// Whether argument i takes this value and those behind it as one list. As in PyTorch, only the first argument does, or the first one after a tensor.
template <class V>
bool gathers(const std::vector<Argument>& arguments, size_t i, const Call<V>& call, size_t k) {
  const Argument& a = arguments[i];
  if (i > 1 || (i == 1 && !arguments[0].type.is(TypeKind::Tensor))) return false;
  if (!a.type.is(TypeKind::List) || a.list_size >= 0 || (i + 1 < arguments.size() && !arguments[i + 1].kwarg_only)) return false;
  const Type element = a.type.element();
  if (!element.is(TypeKind::Int) && !element.is(TypeKind::SymInt)) return false;
  const TypeKind kind = ReadValue<V>::kind(call.values[k]);
  if (kind == TypeKind::List) return false;
  if (k + 1 < call.positional()) return fit(call.values[k], element) >= Fit::Unknown;
  return kind != TypeKind::Any && fit(call.values[k], element) >= Fit::Unknown;
}

template <class V>
Misfit place(const FunctionSchema& schema, const Call<V>& call, ArgumentSources& sources) {
  using Reason = Misfit::Reason;
  const auto& arguments = schema.arguments();
  sources.value.resize(arguments.size());
  std::fill(sources.value.begin(), sources.value.end(), ArgumentSources::kDefault);
  const size_t positional = call.positional();
  size_t k = 0;
  for (size_t i = 0; i < arguments.size() && k < positional; ++i) {
    if (arguments[i].kwarg_only && !call.in_order) break;
    if (!call.by_schema && gathers(arguments, i, call, k)) {
      sources.value[i] = ArgumentSources::kGathered;
      sources.gathered_begin = k, sources.gathered_end = k = positional;
    } else {
      sources.value[i] = static_cast<int64_t>(k++);
    }
  }
  if (const int device = schema.index_of("device"); call.device_last && k + 1 == positional && device >= 0) {
    if (int64_t& value = sources.value[static_cast<size_t>(device)]; value == ArgumentSources::kDefault) value = static_cast<int64_t>(k++);
  }
  if (k < positional && !schema.is_vararg()) return {Reason::TooMany, k, 0};
  for (size_t n = 0; n < call.keywords.size(); ++n) {
    const int at = call.by_schema ? schema.index_of(call.keywords[n]) : argument_named(schema, call.keywords[n]);
    if (at < 0 && schema.is_vararg()) continue;
    if (at < 0) return {Reason::UnknownKeyword, positional + n, 0};
    int64_t& value = sources.value[static_cast<size_t>(at)];
    if (value != ArgumentSources::kDefault) return {Reason::GivenTwice, positional + n, static_cast<size_t>(at)};
    value = static_cast<int64_t>(positional + n);
  }
  for (size_t i = 0; i < arguments.size(); ++i)
    if (sources.value[i] == ArgumentSources::kDefault && !arguments[i].default_value) return {Reason::Missing, 0, i};
  return {};
}

// How well the call fits; where it does not, why.
template <class V>
Fit fit(const FunctionSchema& schema, const Call<V>& call, ArgumentSources& sources, Misfit& why) {
  why = place(schema, call, sources);
  if (why) return Fit::Never;
  Fit worst = Fit::Exact;
  const auto& arguments = schema.arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument& a = arguments[i];
    if (sources.value[i] == ArgumentSources::kDefault) continue;
    const bool gathered = sources.value[i] == ArgumentSources::kGathered;
    const size_t begin = gathered ? sources.gathered_begin : static_cast<size_t>(sources.value[i]);
    const size_t end = gathered ? sources.gathered_end : begin + 1;
    for (size_t k = begin; k < end; ++k) {
      Fit one = gathered         ? fit(call.values[k], a.type.element())
                : call.by_schema ? fit_by_schema(call.values[k], a.type, a.list_size, schema.takes_number_at(i))
                                 : fit(call.values[k], a.type, a.list_size, schema.takes_number_at(i));
      if (call.codes && has_code(a.type) && ReadValue<V>::kind(call.values[k]) == TypeKind::Int) one = Fit::Unknown;
      worst = std::min(worst, one);
      if (one != Fit::Never) continue;
      why = {Misfit::Reason::WrongKind, k, i};
      return Fit::Never;
    }
  }
  return worst;
}

// Whether the last value by position is a device that one of the overloads takes there: all of them take it then, as PyTorch's functions do
// (x.to("cpu", memory_format=...) is the overload that has only keywords).
template <class V, class Op>
bool is_device_last(const std::vector<const Op*>& overloads, const Call<V>& call) {
  if (call.in_order || call.by_schema || call.keywords.empty() || call.positional() == 0) return false;
  const size_t last = call.positional() - 1;
  const V& value = call.values[last];
  return std::ranges::any_of(overloads, [&](const Op* op) {
    const auto& arguments = op->schema().arguments();
    if (arguments.size() <= last || arguments[last].kwarg_only) return false;
    const Type type = arguments[last].type.is(TypeKind::Optional) ? arguments[last].type.element() : arguments[last].type;
    return type.is(TypeKind::Device) && fit(value, type) == Fit::Exact;
  });
}

// The first of the overloads that the call fits best, but none that it fits worse than `least`; null where there is none. `Op` has a schema(), and
// `among(op)` says whether it counts.
template <class V, class Op, class Among>
const Op* choose(const std::vector<const Op*>& overloads, Call<V> call, ArgumentSources& sources, Fit least, const Among& among) {
  const Op* chosen = nullptr;
  ArgumentSources trial;
  Misfit why;
  auto look = [&] {
    auto best = static_cast<Fit>(static_cast<uint8_t>(least) - 1);
    for (const Op* op : overloads) {
      if (!among(*op)) continue;
      const Fit one = fit(op->schema(), call, trial, why);
      if (one <= best) continue;
      best = one, chosen = op;
      std::swap(sources, trial);
      if (best == Fit::Exact) break;
    }
  };
  look();
  if (!chosen && is_device_last(overloads, call)) call.device_last = true, look();
  return chosen;
}

// --- Messages: one text for a call that does not fit, wherever it stands.

// What a call gives, in words.
struct GivenCall {
  std::vector<std::string> values;
  std::vector<TypeKind> kinds;
  std::vector<std::string> keywords;  // of the last values
};
template <class V>
GivenCall describe_call(const Call<V>& call) {
  GivenCall given;
  for (const V& v : call.values) given.values.push_back(ReadValue<V>::describe(v)), given.kinds.push_back(ReadValue<V>::kind(v));
  given.keywords.assign(call.keywords.begin(), call.keywords.end());
  return given;
}

// A schema that a call was tried with, and why it does not fit.
struct Attempt {
  const FunctionSchema* schema;
  Misfit why;
};
// In PyTorch's manner: what was given, what is accepted; where one overload is near, which argument fails, and the way out.
std::string no_match_message(std::vector<Attempt> attempts, const GivenCall& given);

template <class V, class Op, class Among>
std::string no_match(const std::vector<const Op*>& overloads, Call<V> call, const Among& among) {
  std::vector<Attempt> attempts;
  ArgumentSources sources;
  auto attempt = [&](bool in_order) {
    call.in_order = in_order, attempts.clear();
    for (const Op* op : overloads)
      if (among(*op)) fit(op->schema(), call, sources, attempts.emplace_back(Attempt{&op->schema(), {}}).why);
  };
  // Where keyword-only arguments are taken by position, the call may still fail before one comes.
  const bool in_order = call.in_order;
  attempt(false);
  if (in_order && std::ranges::all_of(attempts, [](const Attempt& a) { return a.why.reason == Misfit::Reason::TooMany; })) attempt(true);
  return no_match_message(std::move(attempts), describe_call(call));
}

// "softmax(): argument 'dim' must be int, not str": of a value that is known only now.
std::string wrong_kind_message(const FunctionSchema& schema, size_t argument, std::string_view given, TypeKind kind);

// The word of messages for a kind of value: "int", "Tensor", "None".
std::string_view word_for(TypeKind kind);
// A list or tuple of these parts: "list of ints", "tuple of (int, str)".
std::string describe_parts(const std::vector<std::string>& parts, bool tuple);

// --- Types alone.

template <>
struct ReadValue<Type> {
  static TypeKind kind(const Type& t);
  static Fit as_number(const Type& t, TypeKind expected);
  static Fit as_device(const Type&) { return Fit::Unknown; }
  static Fit as_dict(const Type& t, Type expected);
  template <class F>
  static Fit worst_part(const Type& t, const F& fit) {
    Fit worst = Fit::Exact;
    for (const Type& part : t.elements()) worst = std::min(worst, fit(part));
    return worst;
  }
  static std::string describe(const Type& t);
  static constexpr Fit kUnknownAsTensor = Fit::Exact;  // what nothing is known of is a tensor most of the time
  static constexpr Fit kIntAsDevice = Fit::Never;
};

// --- Arguments of a graph.

template <>
struct ReadValue<ArgRef> {
  static TypeKind kind(const ArgRef& a);
  static Fit as_number(const ArgRef& a, TypeKind expected);
  static Fit as_device(const ArgRef& a);
  static Fit as_dict(const ArgRef& a, Type expected);
  template <class F>
  static Fit worst_part(const ArgRef& a, const F& fit) {
    if (a.is(ArgKind::Node)) return ReadValue<Type>::worst_part(type_of_node(a), fit);
    Fit worst = Fit::Exact;
    for (ArgRef part : a) worst = std::min(worst, fit(part));
    return worst;
  }
  static std::string describe(const ArgRef& a);
  static constexpr Fit kUnknownAsTensor = Fit::Exact;
  static constexpr Fit kIntAsDevice = Fit::Never;

 private:
  static Type type_of_node(const ArgRef& a);
};

// A node as a call.
class NodeCall {
 public:
  explicit NodeCall(const Node& node);
  Call<ArgRef> call() const { return {.values = values_, .keywords = keywords_, .in_order = in_order_, .codes = in_order_}; }
  // A number and a tensor, in this order: Python's operator may have an operator for it that takes the tensor first.
  bool is_reflected() const;
  void reflect() { std::swap(values_[0], values_[1]); }

 private:
  std::vector<ArgRef> values_;
  std::vector<std::string_view> keywords_;
  bool in_order_;
};
// A node as a call of this operator: 10 - x is rsub(x, 10).
NodeCall node_call(const Node& node, const FunctionSchema& schema);
// x.shape: the attribute that getattr(x, "shape") reads; "" for other nodes.
std::string_view attribute_read(const Node& node);

// The node's arguments in the places of the schema, spelled as it says, defaults filled in; absent where they have no places.
std::optional<Args> bound_args(const FunctionSchema& schema, const Node& node);
// Why the node's arguments do not fit the schema; "" where they do.
std::string misfit(const FunctionSchema& schema, const Node& node);
// A target such as "aten::mean" is the name of one overload, and of all overloads of the operator. If the node's arguments do not fit that one, the node gets the
// overload that they fit: "aten::mean" with a dim calls aten::mean.dim. Other nodes stay as they are.
void choose_overload(Node* node);
// The position in the schema of the node's k-th argument; -1 if the schema has none for it.
int position_in_schema(const FunctionSchema& schema, const Node& node, size_t k);

// A call of another graph: for each placeholder of `callee`, the argument of the call, else the placeholder's default. None if the arguments do not fit; `why`
// then says in words what is wrong.
std::optional<std::vector<ArgRef>> bound_to_graph(const Graph& callee, const Node& call, std::string& why);

}  // namespace monograph::ir
