// Python's own functions.
#include <algorithm>
#include <array>

#include "capture/script/function_compiler.h"
#include "ops/registry.h"

namespace monograph::capture::script {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Node;
using ir::Type;
using ir::TypeKind;

bool FunctionCompiler::static_question_name(std::string_view word) {
  return word == "isinstance" || word == "hasattr" || word == "is_scripting" || word == "is_tracing" || word == "_is_tracing" ||
         word == "is_compiling" || word == "is_dynamo_compiling" || word == "is_exporting";
}

// min and max: of numbers, of one list, of tensors element by element.
// A flag as an int: TorchScript's max, min and abs of flags are ints.
ScriptValue FunctionCompiler::flag_as_int(const Expr& e, const ScriptValue& v) {
  return type_of(v).is(TypeKind::Bool) ? emit(e.range, "aten::Int", {v}) : v;
}

// max(x[0], 0): a tensor beside a number stands for the number in it, as in TorchScript.
ScriptValue FunctionCompiler::number_beside(const Expr& e, const ScriptValue& v, const ScriptValue& other) {
  return number_in(e.range, v, type_of(other));
}

ScriptValue FunctionCompiler::extremum(const Expr& e, const std::string& name, Given given) {
  if (given.positional.empty() || !given.named.empty()) unsupported(e.range, concat(name, "() of these arguments"));
  const std::string target = concat("prim::", name);
  if (given.positional.size() == 1) {
    const ScriptValue& v = given.positional[0];
    if (type_of(v).is(TypeKind::Tensor)) return emit(e.range, concat("torch.", name), {v});
    if (!known_length(v) || v.kind == ScriptValue::Kind::List) return emit(e.range, target, {v});
    given.positional = items_of(e.range, v);
  }
  ScriptValue result = given.positional[0];
  for (size_t k = 1; k < given.positional.size(); ++k) {
    const ScriptValue other = number_beside(e, given.positional[k], result);
    result = number_beside(e, result, other);
    if (type_of(result).is(TypeKind::Tensor) || type_of(other).is(TypeKind::Tensor))
      unsupported(e.range, concat(name, "() of tensors"), concat("use torch.", name, "imum"));
    result = emit(e.range, target, {flag_as_int(e, result), flag_as_int(e, other)});
  }
  return result;
}

ScriptValue FunctionCompiler::repeated(const Expr& e, const ScriptValue& v, size_t length) {
  const Type type = widened(type_of(v));
  if (type.is(TypeKind::List)) return v;
  if (type.is(TypeKind::Tuple) && !type.elements().empty()) return converted(e.range, v, Type::list(type.elements()[0]), "this tuple");
  if (!type.is(TypeKind::Int) && !type.is(TypeKind::Float))
    wrong(e.range, concat("a number or a list of numbers is wanted, but this value has type ", spelled(type)));
  ScriptValue list;
  list.kind = ScriptValue::Kind::List, list.type = Type::list(type), list.parts.assign(length, v);
  return list;
}

ScriptValue FunctionCompiler::builtin(const Expr& e, const std::string& name, Given given, Type expected) {
  const std::vector<ScriptValue>& args = given.positional;
  auto count = [&](size_t least, size_t most) {
    if (args.size() < least || args.size() > most || !given.named.empty())
      wrong(e.range, concat(name, "() does not take these arguments in a script"));
  };
  // What an object's class says of it.
  static constexpr std::pair<std::string_view, std::string_view> kSpecial[] = {
      {"len", "__len__"}, {"abs", "__abs__"}, {"int", "__int__"}, {"float", "__float__"}, {"repr", "__repr__"}, {"hash", "__hash__"}};
  for (const auto& [function, method] : kSpecial)
    if (name == function && args.size() == 1)
      if (std::optional<ScriptValue> result = special_method(e.range, method, {args[0]})) return *result;
  if (name == "repr") {
    count(1, 1);
    if (std::optional<ScriptValue> text = object_text(e.range, args[0])) return *text;
    return emit(e.range, "prim::repr", {args[0]});
  }
  if (name == "len") {
    count(1, 1);
    if (args[0].kind == ScriptValue::Kind::Class)
      return literal(Args(static_cast<int64_t>(enum_members(e.range, class_of(e.range, args[0].id)).size())));
    if (const auto n = known_length(args[0])) return literal(Args(static_cast<int64_t>(*n)));
    if (args[0].kind == ScriptValue::Kind::Record) return literal(Args(static_cast<int64_t>(record_items(e.range, args[0]).size())));
    if (args[0].kind == ScriptValue::Kind::Namespace)
      if (std::optional<ScriptValue> n = asked(e, args[0], "len")) return *n;
    return emit(e.range, "aten::len", {args[0]});
  }
  if (name == "range" || name == "enumerate" || name == "zip" || name == "reversed") return iterable(e, name, std::move(given));
  constexpr std::string_view kRepeated[] = {"_single", "_pair", "_triple",
                                            "_quadruple"};  // torch.nn.modules.utils: one number is a list of 1, 2, 3, 4
  if (const auto length = std::ranges::find(kRepeated, name); length != std::end(kRepeated)) {
    count(1, 1);
    return repeated(e, args[0], static_cast<size_t>(length - kRepeated) + 1);
  }
  if (name == "nothing") return literal(Args().none());  // warnings.warn: a graph has no warnings
  if (name == "is_autocast_enabled") return literal(Args(false));
  if (name == "super") return super_value(e);
  if (name == "signature" && args.size() == 1) return signature_value(e, args[0]);
  using Kind = ScriptValue::Kind;
  if (name == "getattr" && !args.empty() &&
      (args[0].kind == Kind::Module || args[0].kind == Kind::Namespace || args[0].kind == Kind::Graph))
    return static_attribute(e, given);
  if (name == "callable" && args.size() == 1 && given.named.empty() && args[0].kind != ScriptValue::Kind::Namespace &&
      !args[0].type.is(TypeKind::Class))
    return literal(
        Args(is_known_alone(args[0]) && args[0].kind != Kind::Tuple && args[0].kind != Kind::Keywords && args[0].kind != Kind::Record));
  if (name == "print") return print(e, given), literal(Args().none());
  if (name == "int" || name == "float" || name == "bool" || name == "complex") {
    count(1, name == "complex" ? 2 : 1);
    if (name == "bool") return bool_value(truth_of(*e.parts[1], args[0]));
    const TypeKind kind = name == "int" ? TypeKind::Int : name == "float" ? TypeKind::Float : TypeKind::Complex;
    if (args.size() == 1 && type_of(args[0]).is(kind)) return args[0];
    Args all;
    for (const ScriptValue& v : args) all.add(arg_of(e.range, v)[0]);
    return emit(e.range, name == "int" ? "aten::Int" : name == "float" ? "aten::Float" : "aten::Complex", all);
  }
  if (name == "str") {
    count(1, 1);
    return emit_str(e.range, args[0]);
  }
  if (name == "min" || name == "max") return extremum(e, name, std::move(given));
  if (name == "abs") {
    count(1, 1);
    return emit(e.range, "operator.abs", {flag_as_int(e, args[0])});
  }
  if (name == "round") {
    count(1, 2);
    const ScriptValue rounded = emit(e.range, "aten::round", args_of(e.range, given));
    // Without a number of digits Python's gives an int.
    return args.size() == 1 && (rounded.type.is(TypeKind::Float) || rounded.type.is(TypeKind::Number))
               ? emit(e.range, "aten::Int", {rounded})
               : rounded;
  }
  if (name == "pow") {
    count(2, 2);
    return operation(e.range, "**", false, args[0], args[1]);
  }
  if (name == "divmod") {
    count(2, 2);
    ScriptValue pair;
    pair.kind = ScriptValue::Kind::Tuple;
    pair.parts = {operation(e.range, "//", false, args[0], args[1]), operation(e.range, "%", false, args[0], args[1])};
    return pair;
  }
  if (name == "sum" && args.size() == 2 && given.named.empty()) return sum_with_start(e, args[0], args[1]);
  if (name == "sum" || name == "any" || name == "all" || name == "sorted") {
    std::optional<ScriptValue> reverse;
    if (name == "sorted" && given.named.size() == 1 && given.named[0].first == "reverse") {
      reverse = converted(e.range, given.named[0].second, TypeKind::Bool, "the argument 'reverse' of sorted()");
      given.named.clear();
    }
    count(1, 1);
    if (type_of(args[0]).is(TypeKind::Tensor)) {
      if (name == "sorted") unsupported(e.range, "sorted() of a tensor", "use torch.sort");
      return emit(e.range, concat("torch.", name), {args[0]});
    }
    ScriptValue list = args[0];
    const auto known_bool = [](const ScriptValue& v) {
      return v.kind == ScriptValue::Kind::Plain && v.arg.size() == 1 && v.arg[0].is(ArgKind::Bool);
    };
    if ((name == "all" || name == "any") && list.kind == ScriptValue::Kind::List && !list.parts.empty() &&
        std::ranges::all_of(list.parts, known_bool))
      return literal(Args(std::ranges::any_of(list.parts, [&](const ScriptValue& v) { return v.arg[0].as_bool() == (name == "any"); }) ==
                          (name == "any")));
    if (const bool parts = known_length(list) && !list.parts.empty();
        parts && name == "sum" && type_of(list.parts[0]).is(TypeKind::Tensor)) {
      ScriptValue total = literal(Args(0));
      for (const ScriptValue& part : list.parts) total = operation(e.range, "+", false, total, part);
      return total;
    }
    if (list.kind == ScriptValue::Kind::Iterable || type_of(list).is(TypeKind::Dict)) list = list_of(e, list);
    if (known_length(list) && list.kind != ScriptValue::Kind::List) {
      const std::vector<ScriptValue> items = items_of(e.range, list);
      ScriptValue made;
      made.kind = ScriptValue::Kind::List, made.parts = items;
      Type element;
      for (const ScriptValue& part : items) element = element ? join(element, widened(type_of(part))) : widened(type_of(part));
      if (!element || element.is(TypeKind::Union)) unsupported(e.range, concat(name, "() of a tuple whose parts have several types"));
      made.type = Type::list(element);
      list = made;
    }
    if (const Type type = type_of(list); name == "sum" && type.is(TypeKind::List) && type.element().is(TypeKind::Tensor))
      unsupported(e.range, "sum() of a list of tensors whose length is known only when the script runs", "use torch.stack(list).sum(0)");
    if (const Type type = type_of(list); name == "sorted" && type.is(TypeKind::List) && type.element().is(TypeKind::Class)) {
      const ScriptValue copy = emit(e.range, "aten::list", {list});
      sort_objects(e, copy, reverse.value_or(literal(Args(false))));
      return copy;
    }
    const ScriptValue result = emit(e.range, concat("aten::", name), {list});
    if (reverse) emit(e.range, "aten::sort", {result, *reverse});
    return result;
  }
  if (name == "ord" || name == "chr" || name == "hex" || name == "oct" || name == "bin") {
    count(1, 1);
    return emit(e.range, concat("aten::", name), {args[0]});
  }
  if (name == "list") {
    count(0, 1);
    if (args.empty()) {
      ScriptValue list;
      list.kind = ScriptValue::Kind::List, list.type = expected.is(TypeKind::List) ? expected : Type::list(TypeKind::Tensor);
      return list;
    }
    if (args[0].kind == ScriptValue::Kind::Iterable) return list_of(e, args[0]);
    if (const Type type = type_of(args[0]); type.is(TypeKind::List)) return emit(e.range, "aten::list", {args[0]});
    if (type_of(args[0]).is(TypeKind::Dict)) return emit(e.range, "aten::keys", {args[0]});
    if (known_length(args[0])) {
      ScriptValue list = args[0];
      list.kind = ScriptValue::Kind::List, list.parts = items_of(e.range, args[0]);
      if (std::ranges::any_of(list.parts, is_known_alone)) return tuple_of(list.parts);  // modules
      Type element;
      for (const ScriptValue& part : list.parts) element = element ? join(element, widened(type_of(part))) : widened(type_of(part));
      if (!element || element.is(TypeKind::Union)) unsupported(e.range, "list() of a tuple whose parts have several types");
      list.type = Type::list(element), list.arg = {};
      return list;
    }
    return list_of(e, args[0]);
  }
  if (name == "hash") {
    count(1, 1);
    return emit(e.range, "aten::hash", {args[0]});
  }
  if (name == "slice") {  // start, stop and step, as an index has them
    count(1, 3);
    ScriptValue v;
    v.kind = ScriptValue::Kind::Iterable, v.text = name;
    for (const ScriptValue& part : args)
      if (part.kind != ScriptValue::Kind::Plain)
        wrong(e.range, concat("the bounds of a slice are ints, but this value has type ", spelled(type_of(part))));
    const ScriptValue none = literal(Args().none());
    v.parts = {args.size() > 1 ? args[0] : none, args.size() > 1 ? args[1] : args[0], args.size() > 2 ? args[2] : none};
    return v;
  }
  if (name == "tuple") {
    count(1, 1);
    if (!known_length(args[0])) unsupported(e.range, "tuple() of a list of unknown length");
    ScriptValue tuple;
    tuple.kind = ScriptValue::Kind::Tuple, tuple.parts = items_of(e.range, args[0]);
    return tuple;
  }
  if (name == "as_tensor") return as_tensor(e, given);
  if (name == "fork" || name == "wait") return future(e, name, given);
  if (name == "map") return mapped(e, given);
  if (name == "hasattr" || name == "getattr") return known_attribute(e, name, given);
  if (name == "dict" && !given.named.empty() && args.empty()) {
    Args items;
    Type type;
    for (const auto& [key, v] : given.named) {
      const Type one = widened(type_of(v));
      type = type ? join(type, one) : one;
      items.add(key), items.add(arg_of(e.range, v)[0]);
    }
    if (!type || type.is(TypeKind::Union)) wrong(e.range, "the values of a dict have one type");
    locate(e.range);
    Node* n = graph_.call("prim::DictConstruct", items);
    graph_.set_type(n, expected.is(TypeKind::Dict) ? expected : Type::dict(TypeKind::Str, type));
    return node_value(n);
  }
  if (name == "dict") {
    count(0, 1);
    if (args.size() == 1 && type_of(args[0]).is(TypeKind::Dict)) return emit(e.range, "aten::copy", {args[0]});
    if (!args.empty()) return dict_of_pairs(e, args[0]);
    locate(e.range);
    Node* n = graph_.call("prim::DictConstruct");
    graph_.set_type(n, expected.is(TypeKind::Dict) ? expected : Type::dict(TypeKind::Str, TypeKind::Tensor));
    return node_value(n);
  }
  unsupported(e.range, concat(name, "()"));
}

namespace {

// Whether this value may be a list without items when the graph runs.
bool may_be_empty(ArgRef a) {
  if (const Node* n = a.node()) return n->type().is(TypeKind::List);
  if (!a.is(ArgKind::List)) return false;
  bool any = a.size() == 0;
  for (ArgRef part : a) any |= may_be_empty(part);
  return any;
}

}  // namespace

// The arguments of torch.tensor with the dtype that the type of its list says. A list without items says none when the graph runs, and would be a tensor of
// floats.
Args FunctionCompiler::with_list_dtype(Args args) {
  if (args.positional() != 1 || !may_be_empty(args[0])) return args;
  Type element = ir::type_of(args[0]);
  while (element.is(TypeKind::List)) element = element.element();
  if (!element.is(TypeKind::Int) && !element.is(TypeKind::Bool)) return args;
  Args out(args[0]);
  for (size_t k = 1; k < args.size(); ++k) {
    const std::string& name = args.names()[k - 1];
    if (name == "dtype" && !args[k].is_none()) return args;
    if (name != "dtype") out.name(name), out.add(args[k]);
  }
  return out.kw("dtype", element.is(TypeKind::Int) ? DType::i64 : DType::b1);
}

// A tensor in another dtype or on another device, or one made of numbers.
ScriptValue FunctionCompiler::as_tensor(const Expr& e, const Given& given) {
  static constexpr std::string_view kNames[] = {"data", "dtype", "device"};
  std::array<std::optional<ScriptValue>, 3> bound;
  for (size_t k = 0; k < given.positional.size() && k < bound.size(); ++k) bound[k] = given.positional[k];
  for (const auto& [name, v] : given.named) {
    const auto* at = std::ranges::find(kNames, name);
    if (at == std::end(kNames)) wrong(e.range, concat("as_tensor() got an unexpected keyword argument '", name, "'"));
    bound[static_cast<size_t>(at - kNames)] = v;
  }
  if (!bound[0]) wrong(e.range, "as_tensor() is missing the argument 'data'");
  const bool tensor = type_of(*bound[0]).is(TypeKind::Tensor);
  Args args = arg_of(e.range, *bound[0], true);
  for (size_t k = 1; k < bound.size(); ++k)
    if (bound[k] && !bound[k]->is_none()) args.kw(kNames[k], arg_of(e.range, *bound[k]));
  if (tensor && args.size() == 1) return *bound[0];
  const std::string surface = tensor ? "torch.Tensor.to" : "torch.tensor";
  if (!tensor) args = with_list_dtype(std::move(args));
  if (host_.serialized()) args = with_enumerations(e.range, concat("aten::", surface.substr(surface.rfind('.') + 1)), args);
  return emit(e.range, surface, args);
}

// torch.jit.fork and wait: the function runs where it is forked, and the Future is its result.
ScriptValue FunctionCompiler::future(const Expr& e, const std::string& name, const Given& given) {
  if (given.positional.empty()) wrong(e.range, concat(name, "() is missing its argument"));
  if (name == "wait") {
    const Type type = type_of(given.positional[0]);
    if (!type.is(TypeKind::Future)) wrong(e.range, concat("wait() takes what fork() gives, but this value has type ", spelled(type)));
    return typed_call(e.range, "prim::unchecked_cast", given.positional[0].arg, type.element());
  }
  Given rest = given;
  const ScriptValue f = rest.positional[0];
  rest.positional.erase(rest.positional.begin()), rest.ranges.erase(rest.ranges.begin());
  const ScriptValue value = call_value(e, f, std::move(rest), {});
  return typed_call(e.range, "prim::unchecked_cast", Args(node_of(e.range, value)), Type::future(widened(type_of(value))));
}

// sum(values, start): of numbers, and of lists, which are put behind each other.
ScriptValue FunctionCompiler::sum_with_start(const Expr& e, const ScriptValue& values, const ScriptValue& start) {
  const Type type = type_of(values);
  if (!type_of(start).is(TypeKind::List)) {
    Given alone;
    alone.positional = {values};
    return operation(e.range, "+", false, start, builtin(e, "sum", std::move(alone), {}));
  }
  if (!type.is(TypeKind::List) || !type.element().is(TypeKind::List))
    unsupported(e.range, concat("sum() of a value of type ", spelled(type), " that begins with a list"));
  ScriptValue made = converted(e.range, start, type.element(), "what sum() begins with");
  made = made.kind == ScriptValue::Kind::List ? made_list(e.range, made) : emit(e.range, "aten::list", {made});
  const IteratedValue lists = iterated_value(e.range, values);
  Node* counter = regions_.begin_loop(lists.count, Args(true), {});
  emit(e.range, "aten::extend", {made, lists.item(counter)});
  regions_.end_loop(Args(true));
  return made;
}

// math.prod of a tuple or list of numbers.
ScriptValue FunctionCompiler::product_of(const Expr& e, const ScriptValue& values) {
  if (known_length(values)) {
    ScriptValue product = literal(Args(int64_t{1}));
    for (const ScriptValue& item : items_of(e.range, values)) product = operation(e.range, "*", false, product, item);
    return product;
  }
  const Type type = type_of(values), number = type.is(TypeKind::List) ? type.element() : Type();
  if (!number || (!number.is(TypeKind::Int) && !number.is(TypeKind::Float)))
    wrong(e.range, concat("math.prod() takes a tuple or list of numbers, but this value has type ", spelled(type)));
  const IteratedValue items = iterated_value(e.range, values);
  const Slot slot = regions_.slot("product");
  regions_.declare(slot, number);
  regions_.set(slot, number.is(TypeKind::Int) ? Args(int64_t{1}) : Args(1.0));
  Node* counter = regions_.begin_loop(items.count, Args(true), std::span(&slot, 1));
  regions_.set(slot, operation(e.range, "*", false, literal(regions_.get(slot)), items.item(counter)).arg);
  regions_.end_loop(Args(true));
  return literal(regions_.get(slot));
}

// A list of what a for would go over.
ScriptValue FunctionCompiler::list_of(const Expr& e, const ScriptValue& over) {
  const IteratedValue values = iterated_value(e.range, over);
  locate(e.range);
  Node* made = graph_.call("prim::ListConstruct");
  Node* counter = regions_.begin_loop(values.count, Args(true), {});
  const ScriptValue item = values.item(counter);
  const Type type = type_of(item);
  graph_.set_type(made, Type::list(widened(type)));
  emit(e.range, "aten::append", {node_value(made), item});
  regions_.end_loop(Args(true));
  return node_value(made);
}

// A function of cmath. What it takes becomes a complex number, as in Python; results are those of C++, as TorchScript's are.
ScriptValue FunctionCompiler::complex_function(const Expr& e, const std::string& name, const Given& given) {
  const size_t n = given.positional.size();
  const auto number = [&](const ScriptValue& v, bool complex) {
    const Type type = type_of(v);
    if (type.is(TypeKind::Complex) && complex) return v;
    if (!type.is(TypeKind::Int) && !type.is(TypeKind::Float) && !type.is(TypeKind::Bool) && !type.is(TypeKind::Number))
      wrong(e.range, concat("cmath.", name, "() takes numbers, but got a value of type ", spelled(type)));
    if (!complex && type.is(TypeKind::Float)) return v;
    return emit(e.range, complex ? "aten::Complex" : "aten::Float", {v});
  };
  if (!given.named.empty()) wrong(e.range, concat("cmath.", name, "() takes no keyword arguments in a script"));
  if (name == "rect" && n == 2)
    return emit(e.range, "aten::polar", {number(given.positional[0], false), number(given.positional[1], false)});
  const std::string op = concat("aten::", name == "phase" ? "angle" : name);
  const OverloadSet* set = Registry::global().find_overloads(op);
  const auto of_one = [](const Operator* o) {
    return o->schema().arguments().size() == 1 && o->schema().arguments()[0].type.is(TypeKind::Complex);
  };
  if (!set || std::ranges::none_of(set->overloads, of_one)) unsupported(e.range, concat("cmath.", name, "()"));
  if (n == 2 && name == "log")  // to a base
    return operation(e.range, "/", false, emit(e.range, op, {number(given.positional[0], true)}),
                     emit(e.range, op, {number(given.positional[1], true)}));
  if (n != 1) wrong(e.range, concat("cmath.", name, "() does not take ", n, " arguments"));
  return emit(e.range, op, {number(given.positional[0], true)});
}

}  // namespace monograph::capture::script
