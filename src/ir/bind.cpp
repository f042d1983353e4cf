// The parts of binding that do not depend on how a value is read: conversions between kinds, keywords, nodes as calls, and the text of errors.
#include "ir/bind.h"

#include <map>
#include <optional>

#include "ir/builder.h"
#include "ir/graph.h"
#include "ir/operators.h"

namespace monograph::ir {

namespace {

// What a symbolic size or number is when the graph runs.
TypeKind plain(TypeKind k) {
  return k == TypeKind::SymInt ? TypeKind::Int : k == TypeKind::SymFloat ? TypeKind::Float : k == TypeKind::SymBool ? TypeKind::Bool : k;
}

}  // namespace

Fit fit_number(TypeKind given, TypeKind expected) {
  if (!is_number(given)) return Fit::Never;
  given = plain(given), expected = plain(expected);
  if (given == expected || expected == TypeKind::Number) return Fit::Exact;
  if (expected == TypeKind::Complex) return Fit::Unknown;  // an operator of such numbers, if there is one, goes first
  if (given == TypeKind::Number) return Fit::Unknown;
  return expected == TypeKind::Float && given != TypeKind::Complex ? Fit::Exact : Fit::Never;
}

Fit fit_scalar_tensor(DType dtype, TypeKind expected) {
  switch (plain(expected)) {
    case TypeKind::Int: return is_integral(dtype) ? Fit::Exact : Fit::Never;
    case TypeKind::Float: return is_complex(dtype) ? Fit::Never : Fit::Exact;
    case TypeKind::Bool: return Fit::Never;
    default: return Fit::Exact;
  }
}

int argument_named(const FunctionSchema& schema, std::string_view keyword) {
  if (const int at = schema.index_of(keyword); at >= 0) return at;
  // PyTorch's names in Python, and NumPy's.
  static constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
      {"input", "self"}, {"axis", "dim"}, {"keepdims", "keepdim"}, {"x", "self"}, {"a", "self"}, {"x1", "self"}, {"x2", "other"}};
  for (auto [name, meant] : kOtherNames)
    if (name == keyword) return schema.index_of(meant);
  return -1;
}

// --- Types.

TypeKind ReadValue<Type>::kind(const Type& t) {
  if (!t) return TypeKind::Any;
  switch (t.kind()) {
    // Whether it is None, or which of them it is, shows when it runs.
    case TypeKind::Optional:
    case TypeKind::Union:
    case TypeKind::Variable: return TypeKind::Any;
    case TypeKind::Tuple:
    case TypeKind::NamedTuple: return TypeKind::List;
    default: return t.kind();
  }
}

Fit ReadValue<Type>::as_number(const Type& t, TypeKind expected) {
  const TensorType& tensor = t.tensor();
  if (plain(expected) == TypeKind::Bool) return Fit::Never;
  if (!tensor.sizes) return Fit::Unknown;
  if (!tensor.sizes->empty()) return Fit::Never;
  return tensor.dtype ? fit_scalar_tensor(*tensor.dtype, expected) : Fit::Unknown;
}

Fit ReadValue<Type>::as_dict(const Type& t, Type expected) {
  return std::min(fit(t.elements()[0], expected.elements()[0]), fit(t.elements()[1], expected.elements()[1]));
}

std::string ReadValue<Type>::describe(const Type& t) {
  const TypeKind k = kind(t);
  if (k != TypeKind::List) return k == TypeKind::Any ? "a value of unknown type" : std::string(word_for(k));
  std::vector<std::string> parts;
  for (const Type& part : t.elements()) parts.push_back(describe(part));
  return describe_parts(parts, !t.is(TypeKind::List));
}

// --- Arguments of a graph.

Type ReadValue<ArgRef>::type_of_node(const ArgRef& a) { return a.as_node()->type(); }

TypeKind ReadValue<ArgRef>::kind(const ArgRef& a) {
  switch (a.kind()) {
    case ArgKind::None: return TypeKind::None;
    case ArgKind::Bool: return TypeKind::Bool;
    case ArgKind::Int:
    case ArgKind::SymInt: return TypeKind::Int;
    case ArgKind::Float: return TypeKind::Float;
    case ArgKind::Complex: return TypeKind::Complex;
    case ArgKind::Str: return TypeKind::Str;
    case ArgKind::DType: return TypeKind::DType;
    case ArgKind::Device: return TypeKind::Device;
    case ArgKind::Layout: return TypeKind::Layout;
    case ArgKind::MemoryFormat: return TypeKind::MemoryFormat;
    case ArgKind::Tensor: return TypeKind::Tensor;
    case ArgKind::List:
    case ArgKind::Tuple: return TypeKind::List;
    case ArgKind::Dict: return TypeKind::Dict;
    case ArgKind::Node: return ReadValue<Type>::kind(type_of_node(a));
    case ArgKind::Slice:
    case ArgKind::Ellipsis:
    case ArgKind::Global: break;
  }
  return TypeKind::Any;
}

Fit ReadValue<ArgRef>::as_number(const ArgRef& a, TypeKind expected) {
  if (a.is(ArgKind::Node)) return ReadValue<Type>::as_number(type_of_node(a), expected);
  return a.as_tensor().sizes().empty() ? fit_scalar_tensor(a.as_tensor().dtype(), expected) : Fit::Never;
}

Fit ReadValue<ArgRef>::as_device(const ArgRef& a) {
  Device device;
  return !a.is(ArgKind::Str) ? Fit::Unknown : parse_device(a.as_str(), device) ? Fit::Exact : Fit::Never;
}

Fit ReadValue<ArgRef>::as_dict(const ArgRef& a, Type expected) {
  if (a.is(ArgKind::Node)) return ReadValue<Type>::as_dict(type_of_node(a), expected);
  Fit worst = Fit::Exact;
  size_t k = 0;
  for (ArgRef part : a) worst = std::min(worst, fit(part, expected.elements()[k++ % 2]));
  return worst;
}

std::string ReadValue<ArgRef>::describe(const ArgRef& a) {
  if (a.is(ArgKind::Node)) return ReadValue<Type>::describe(type_of_node(a));
  if (a.is(ArgKind::List) || a.is(ArgKind::Tuple)) {
    std::vector<std::string> parts;
    for (ArgRef part : a) parts.push_back(describe(part));
    return describe_parts(parts, a.is(ArgKind::Tuple));
  }
  if (kind(a) != TypeKind::Any) return std::string(word_for(kind(a)));
  std::string text;
  print_arg(text, a);
  return text;
}

// --- Nodes.

std::string_view attribute_read(const Node& node) {
  const std::string& name = node.target().name();
  if (node.op() != Op::CallFunction || (name != "getattr" && name != "builtins.getattr") || node.arg_count() != 2 ||
      !node.arg(1).is(ArgKind::Str))
    return {};
  return node.arg(1).as_str();
}

NodeCall::NodeCall(const Node& node) {
  values_.reserve(node.arg_count());
  for (auto it = node.args_begin(); it != node.args_end(); ++it) values_.push_back(*it);
  if (!attribute_read(node).empty()) values_.pop_back();
  for (size_t k = node.positional_count(); k < node.arg_count(); ++k) keywords_.emplace_back(node.keyword(k - node.positional_count()));
  in_order_ = node.target().overload || node.target().name().find("::") != std::string::npos;
}

bool NodeCall::is_reflected() const {
  return values_.size() == 2 && keywords_.empty() && is_number(ReadValue<ArgRef>::kind(values_[0])) &&
         !is_number(ReadValue<ArgRef>::kind(values_[1]));
}

NodeCall node_call(const Node& node, const FunctionSchema& schema) {
  NodeCall c(node);
  const OperatorUse use = node.op() == Op::CallFunction ? python_operator(node.target().name()) : OperatorUse();
  if (use && !use.row->reflected.empty() && c.is_reflected() && schema.name() == concat("aten::", use.row->reflected) &&
      schema.arguments().size() >= 2 && schema.arguments()[0].type.is(TypeKind::Tensor))
    c.reflect();
  return c;
}

namespace {

// One argument as the schema spells it: lists where it says lists, a float where it says float.
void add_as(Args& out, const Argument& argument, ArgRef given) {
  const Type expected = argument.type.is(TypeKind::Optional) ? argument.type.element() : argument.type;
  if (expected.is(TypeKind::Float) && given.is(ArgKind::Int)) return void(out.add(static_cast<double>(given.as_int())));
  if (expected.is(TypeKind::Device) && given.is(ArgKind::Str)) {
    Device d;
    if (parse_device(given.as_str(), d)) return void(out.add(with_fallback(d)));
  }
  if (expected.is(TypeKind::List) && !given.is_none()) {
    const TypeKind kind = ReadValue<ArgRef>::kind(given);
    if (given.is(ArgKind::Tuple) || (argument.list_size > 0 && is_number(kind))) {
      out.open(ArgKind::List);
      if (given.is(ArgKind::Tuple))
        for (ArgRef part : given) out.add(part);
      else
        for (int k = 0; k < argument.list_size; ++k) out.add(given);
      return void(out.close());
    }
  }
  out.add(given);
}

}  // namespace

std::optional<Args> bound_args(const FunctionSchema& schema, const Node& node) {
  if (schema.is_vararg()) return {};
  const NodeCall node_as_call = node_call(node, schema);
  Call<ArgRef> call = node_as_call.call();
  call.device_last = true;  // of the overload that was chosen
  ArgumentSources sources;
  if (place(schema, call, sources)) return {};
  Args out;
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    const Argument& argument = schema.arguments()[i];
    const int64_t value = sources.value[i];
    if (value == ArgumentSources::kGathered) {
      out.open(ArgKind::List);
      for (size_t k = sources.gathered_begin; k < sources.gathered_end; ++k) out.add(call.values[k]);
      out.close();
    } else {
      add_as(out, argument, value == ArgumentSources::kDefault ? (*argument.default_value)[0] : call.values[static_cast<size_t>(value)]);
    }
  }
  return out;
}

int position_in_schema(const FunctionSchema& schema, const Node& node, size_t k) {
  if (k >= node.positional_count()) return schema.index_of(node.keyword(k - node.positional_count()));
  return k < schema.arguments().size() ? static_cast<int>(k) : -1;
}

std::optional<std::vector<ArgRef>> bound_to_graph(const Graph& callee, const Node& call, std::string& why) {
  const std::vector<Node*> parameters = callee.placeholders();
  std::vector<std::optional<ArgRef>> given(parameters.size());
  size_t k = 0;
  for (auto it = call.args_begin(); it != call.args_end(); ++it, ++k) {
    const std::string* keyword = k < call.positional_count() ? nullptr : &call.keyword(k - call.positional_count());
    size_t at = k;
    if (keyword)
      for (at = 0; at < parameters.size() && parameters[at]->target().name() != *keyword;) ++at;
    if (at >= parameters.size()) {
      why = keyword ? concat("the function has no argument ", *keyword)
                    : concat("the function takes ", parameters.size(), " arguments, but the call passes more");
      return {};
    }
    if (given[at]) {
      why = concat("the argument ", parameters[at]->target().name(), " is given twice");
      return {};
    }
    given[at] = *it;
  }
  std::vector<ArgRef> bound;
  for (size_t p = 0; p < parameters.size(); ++p) {
    if (!given[p] && !parameters[p]->arg_count()) {
      why = concat("the argument ", parameters[p]->target().name(), " is missing");
      return {};
    }
    bound.push_back(given[p] ? *given[p] : parameters[p]->arg(0));
  }
  return bound;
}

std::string misfit(const FunctionSchema& schema, const Node& node) {
  const NodeCall node_as_call = node_call(node, schema);
  Call<ArgRef> call = node_as_call.call();
  call.device_last = true;
  ArgumentSources sources;
  Attempt attempt{&schema, {}};
  if (fit(schema, call, sources, attempt.why) != Fit::Never) return {};
  return no_match_message({attempt}, describe_call(call));
}

void choose_overload(Node* node) {
  const OpInfo* op = node->op() == Op::CallFunction ? node->info() : nullptr;
  const Global* surface = op ? node->target().surface : nullptr;
  const size_t base = surface && !surface->callable ? surface->name.find("::") : std::string::npos;
  if (base == std::string::npos || surface->name.find('.', base) != std::string::npos) return;
  if (op->schema().is_vararg() || !operator_lookup().resolve || misfit(op->schema(), *node).empty()) return;
  const OpInfo* other = operator_lookup().resolve(*node);
  // The results of a node that is used keep their number.
  if (other && other != op && (!node->has_uses() || (other->results() > 1) == node->multi()))
    node->graph()->set_target(node, node->graph()->resolved(surface->name, other->name()));
}

// --- Messages.

std::string_view word_for(TypeKind kind) {
  switch (kind) {
    case TypeKind::None: return "None";
    case TypeKind::Number: return "number";
    case TypeKind::SymInt: return "int";
    case TypeKind::SymFloat: return "float";
    case TypeKind::SymBool: return "bool";
    case TypeKind::DType: return "dtype";
    case TypeKind::Device: return "device";
    case TypeKind::Layout: return "layout";
    case TypeKind::MemoryFormat: return "memory_format";
    case TypeKind::Tensor: return "Tensor";
    case TypeKind::Int: return "int";
    case TypeKind::Float: return "float";
    case TypeKind::Bool: return "bool";
    case TypeKind::Complex: return "complex";
    case TypeKind::Str: return "str";
    case TypeKind::Generator: return "Generator";
    case TypeKind::List: return "list";
    case TypeKind::Dict: return "dict";
    default: return "object";
  }
}

std::string describe_parts(const std::vector<std::string>& parts, bool tuple) {
  constexpr size_t kShown = 4;
  if (parts.empty()) return tuple ? "empty tuple" : "empty list";
  // Which of both the program wrote is not kept of ints.
  if (std::all_of(parts.begin(), parts.end(), [](const std::string& p) { return p == "int"; })) return "list of ints";
  std::string text = tuple ? "tuple of (" : "list of [";
  for (size_t k = 0; k < parts.size() && k < kShown; ++k) text += concat(k ? ", " : "", parts[k]);
  if (parts.size() > kShown) text += ", ...";
  return text + (tuple ? ")" : "]");
}

namespace {

std::string base_name(const FunctionSchema& s) { return s.name().substr(s.name().find("::") + 2); }
std::string signature(const FunctionSchema& s) {
  const std::string text = to_string(s);
  return text.substr(text.find("::") + 2);
}

size_t positional_count(const FunctionSchema& s) {
  return static_cast<size_t>(std::ranges::count_if(s.arguments(), [](const Argument& a) { return !a.kwarg_only; }));
}
std::string counted(size_t n, std::string_view what) { return concat(n, " ", what, n == 1 ? "" : "s"); }

// What an argument takes besides None: "int", "int or list of ints".
std::string kind_words(const Argument& a) {
  const Type type = a.type.is(TypeKind::Optional) ? a.type.element() : a.type;
  if (!type.is(TypeKind::List)) return std::string(word_for(type.kind()));
  const Type element = type.element();
  const bool may_be_none = element.is(TypeKind::Optional);
  const std::string text =
      concat("list of ", word_for((may_be_none ? element.element() : element).kind()), "s", may_be_none ? " or None" : "");
  return a.list_size > 0 ? concat(word_for(element.kind()), " or ", text) : text;
}
// What these arguments take, one of each overload.
std::string expected_words(const std::vector<const Argument*>& arguments) {
  std::vector<std::string> kinds;
  bool optional = false;
  for (const Argument* a : arguments) {
    optional |= a->type.is(TypeKind::Optional);
    if (std::string one = kind_words(*a); std::ranges::find(kinds, one) == kinds.end()) kinds.push_back(std::move(one));
  }
  if (optional) kinds.emplace_back("None");
  std::string text = kinds[0];
  for (size_t k = 1; k < kinds.size(); ++k) text += concat(" or ", kinds[k]);
  return text;
}

// What a user does about a value of this kind where that argument is expected; "" where there is nothing to say.
std::string_view way_out(const Argument& a, TypeKind given, std::string_view words) {
  const Type type = a.type.is(TypeKind::Optional) ? a.type.element() : a.type;
  if (type.is(TypeKind::Tensor)) {
    if (!a.out && words == "numpy.ndarray") return "make it a tensor with torch.from_numpy(...)";
    return !a.out && (is_number(given) || given == TypeKind::List) ? "make it a tensor with torch.tensor(...)" : "";
  }
  const bool list = type.is(TypeKind::List);
  if (list && type.element().is(TypeKind::Tensor)) return given == TypeKind::Tensor ? "put it in a list" : "";
  const TypeKind kind = plain(list && a.list_size > 0 ? type.element().kind() : type.kind());
  if (given == TypeKind::Tensor && is_number(kind)) return "item() gives the number of a tensor with one element";
  if (kind == TypeKind::DType && (given == TypeKind::Str || words == "type")) return "write the dtype itself, for example torch.float32";
  if (given == TypeKind::Str && kind == TypeKind::Device)
    return "this str names no device: write 'cpu', 'meta' or 'cuda', or one with a number, such as 'cuda:0'";
  if (given == TypeKind::Complex && kind == TypeKind::Float) return "take its .real";
  if (kind == TypeKind::Int && (given == TypeKind::Float || given == TypeKind::Bool)) return "convert it with int(...)";
  return kind == TypeKind::Bool && is_number(given) ? "convert it with bool(...)" : "";
}

// Where an argument stands, or would stand were it given without its keyword, which the canonical form leaves out.
std::string position_of(const Misfit& why, const Argument& a, const GivenCall& given) {
  if (a.kwarg_only) return {};
  const bool by_place = why.value + given.keywords.size() < given.values.size();
  return concat(" (position ", (by_place ? why.value : why.argument) + 1, ")");
}

std::string wrong_kind(const std::string& name, const Argument& a, const std::string& position, const std::string& expected,
                       std::string_view given, TypeKind kind) {
  std::string text = concat(name, "(): argument '", a.name, "'", position, " must be ", expected, ", not ", given);
  if (std::string_view way = way_out(a, kind, given); !way.empty()) text += concat("; ", way);
  return text;
}

// What a user may have meant by a keyword.
std::string_view nearest_argument(const FunctionSchema& s, std::string_view keyword) {
  std::vector<std::string_view> names;
  for (const Argument& a : s.arguments()) names.push_back(a.name);
  const std::string near = nearest(keyword, names.data(), names.size());
  for (std::string_view name : names)
    if (name == near) return name;
  return {};
}

// Why a call fails with these attempts, which fail alike.
std::string sentence(const std::vector<Attempt>& alike, const GivenCall& given) {
  const Attempt& attempt = alike[0];
  using Reason = Misfit::Reason;
  const FunctionSchema& s = *attempt.schema;
  const auto& arguments = s.arguments();
  const std::string name = base_name(s);
  const Misfit& why = attempt.why;
  switch (why.reason) {
    case Reason::None: return {};
    case Reason::TooMany: {
      const size_t takes = positional_count(s), got = given.values.size() - given.keywords.size();
      std::string text =
          concat(name, "() takes ", counted(takes, "positional argument"), " but ", got, got == 1 ? " was" : " were", " given");
      // x.reshape(2, 3.0): several ints in a row would be one list.
      if (takes && arguments[takes - 1].type.is(TypeKind::List) && is_number(plain(arguments[takes - 1].type.element().kind())))
        text += concat("; '", arguments[takes - 1].name, "' takes ints, one after another or in one list");
      return text;
    }
    case Reason::UnknownKeyword: {
      const std::string& keyword = given.keywords[why.value + given.keywords.size() - given.values.size()];
      std::string_view near;
      for (size_t k = 0; near.empty() && k < alike.size(); ++k) near = nearest_argument(*alike[k].schema, keyword);
      return concat(name, "() got an unexpected keyword argument '", keyword, "'",
                    near.empty() ? "" : concat("; did you mean '", near, "'?"));
    }
    case Reason::GivenTwice: return concat(name, "() got multiple values for argument '", arguments[why.argument].name, "'");
    case Reason::Missing: {
      const Argument& a = arguments[why.argument];
      const std::string place = a.kwarg_only ? "" : concat(" (position ", why.argument + 1, ")");
      return concat(name, "() is missing its ", a.kwarg_only ? "keyword " : "", "argument '", a.name, "'", place);
    }
    case Reason::WrongKind: {
      std::vector<const Argument*> arguments;
      for (const Attempt& a : alike) arguments.push_back(&a.schema->arguments()[a.why.argument]);
      return wrong_kind(name, *arguments[0], position_of(why, *arguments[0], given), expected_words(arguments), given.values[why.value],
                        given.kinds[why.value]);
    }
  }
  return {};
}

std::string listed(const GivenCall& given) {
  std::string text;
  for (size_t k = 0; k < given.values.size(); ++k) {
    const size_t positional = given.values.size() - given.keywords.size();
    text += concat(k ? ", " : "", k < positional ? "" : concat(given.keywords[k - positional], "="), given.values[k]);
  }
  return text;
}

bool has_out(const FunctionSchema& s) { return !s.arguments().empty() && s.arguments().back().out; }

// The attempts that say something: those with out= where the call gives it, the others where it does not.
void keep_relevant(std::vector<Attempt>& attempts, const GivenCall& given) {
  const bool out = std::ranges::find(given.keywords, "out") != given.keywords.end();
  auto relevant = [&](const Attempt& a) { return has_out(*a.schema) == out; };
  if (std::ranges::any_of(attempts, relevant)) std::erase_if(attempts, [&](const Attempt& a) { return !relevant(a); });
}

// The attempts that come nearest to the call, where they fail alike: those whose value of a wrong kind comes last, else all of them.
std::vector<Attempt> nearest_attempts(const std::vector<Attempt>& attempts) {
  auto is_kind = [](const Attempt& a) { return a.why.reason == Misfit::Reason::WrongKind; };
  auto name_of = [](const Attempt& a) { return a.schema->arguments()[a.why.argument].name; };
  std::vector<Attempt> near;
  std::ranges::copy_if(attempts, std::back_inserter(near), is_kind);
  if (near.empty()) {
    const Misfit& first = attempts[0].why;
    const bool keyword = first.reason == Misfit::Reason::UnknownKeyword || first.reason == Misfit::Reason::GivenTwice;
    auto alike = [&](const Attempt& a) { return a.why.reason == first.reason && a.why.value == first.value; };
    return keyword && std::ranges::all_of(attempts, alike) ? attempts : near;
  }
  const Attempt furthest = *std::ranges::max_element(near, {}, [](const Attempt& a) { return a.why.value; });
  std::erase_if(near, [&](const Attempt& a) { return a.why.value != furthest.why.value || name_of(a) != name_of(furthest); });
  return near;
}

// The second way out of x.to("gpu"), where one overload takes a dtype and another a device.
std::string_view or_a_device(const std::vector<Attempt>& attempts, const Misfit& near, const GivenCall& given) {
  auto expects = [&](TypeKind kind) {
    return std::ranges::any_of(attempts, [&](const Attempt& a) {
      const Type type = a.schema->arguments()[a.why.argument].type;
      return a.why.reason == Misfit::Reason::WrongKind && a.why.value == near.value &&
             (type.is(TypeKind::Optional) ? type.element() : type).is(kind);
    });
  };
  const bool text = near.reason == Misfit::Reason::WrongKind && given.kinds[near.value] == TypeKind::Str;
  return text && expects(TypeKind::DType) && expects(TypeKind::Device) ? ", or a device: 'cpu', 'meta' or 'cuda'" : "";
}

}  // namespace

std::string wrong_kind_message(const FunctionSchema& schema, size_t argument, std::string_view given, TypeKind kind) {
  const Argument& a = schema.arguments()[argument];
  return wrong_kind(base_name(schema), a, "", expected_words({&a}), given, kind);
}

std::string no_match_message(std::vector<Attempt> attempts, const GivenCall& given) {
  keep_relevant(attempts, given);
  if (attempts.size() == 1) return concat(sentence(attempts, given), "; the schema is ", signature(*attempts[0].schema));
  std::string text = concat(base_name(*attempts[0].schema), "() received an invalid combination of arguments - got (", listed(given),
                            "), but expected one of:");
  for (const Attempt& a : attempts) text += "\n * " + signature(*a.schema);
  if (const std::vector<Attempt> near = nearest_attempts(attempts); !near.empty())
    text += concat("\n", sentence(near, given), or_a_device(attempts, near[0].why, given));
  return text;
}

}  // namespace monograph::ir
