// Calls: of operators, methods, the user's functions, and Python's own.
#include <algorithm>
#include <cctype>

#include "capture/script/function_compiler.h"
#include "core/dtype.h"
#include "ir/bind.h"
#include "ir/python_methods.h"
#include "ops/infer.h"
#include "ops/registry.h"

namespace monograph::capture::script {

using ir::ArgKind;
using ir::Args;
using ir::Node;
using ir::Type;
using ir::TypeKind;

FunctionCompiler::Given FunctionCompiler::arguments(const Expr& e) {
  Given given;
  const size_t positional = e.parts.size() - 1 - e.names.size();
  for (size_t k = 0; k < positional; ++k) {
    const Expr& part = *e.parts[k + 1];
    // ", ".join(str(n) for n in sizes): the call takes all of it, so that a list is the same.
    if (part.kind == SyntaxKind::Generator && positional == 1 && e.names.empty()) {
      given.positional.push_back(comprehension(part, {})), given.ranges.push_back(part.range);
      continue;
    }
    if (part.kind != SyntaxKind::Starred) {
      given.positional.push_back(expression(part)), given.ranges.push_back(part.range);
      continue;
    }
    const ScriptValue items = expression(*part.parts[0]);
    if (!known_length(items)) {
      given.positional = {joined_list({e.parts.data() + 1, positional}, k, std::move(given.positional), items, TypeKind::Int)};
      given.ranges = {part.range}, given.sizes = true;
      break;
    }
    for (const ScriptValue& item : items_of(part.range, items)) given.positional.push_back(item), given.ranges.push_back(part.range);
  }
  const auto add = [&](const TextRange& at, const std::string& name, ScriptValue value) {
    for (const auto& [known, v] : given.named)
      if (known == name) wrong(at, concat("the keyword argument '", name, "' is given twice"));
    given.named.emplace_back(name, std::move(value));
  };
  for (size_t k = 0; k < e.names.size(); ++k) {
    const Expr& part = *e.parts[1 + positional + k];
    if (part.kind == SyntaxKind::DoubleStarred) {
      for (auto& [name, value] : keywords_of(*part.parts[0])) add(part.range, name, std::move(value));
    } else {
      add(part.range, e.names[k], expression(part));
    }
  }
  return given;
}

Args FunctionCompiler::args_of(const TextRange& at, const Given& given, const ScriptValue* first, bool inline_lists) {
  Args args;
  if (first) args.add(arg_of(at, *first, inline_lists)[0]);
  for (const ScriptValue& v : given.positional) args.add(arg_of(at, v, inline_lists)[0]);
  for (const auto& [name, v] : given.named) args.kw(name, arg_of(at, v, inline_lists));
  return args;
}

namespace {

// Whether Python calls it with sizes one by one: x.view(2, 3), torch.zeros(2, 3).
bool takes_sizes(const ScriptValue& function) {
  const bool method = function.kind == ScriptValue::Kind::Method && function.parts[0].type.is(TypeKind::Tensor);
  if (!method && (function.kind != ScriptValue::Kind::Operator || !function.text.starts_with("torch."))) return false;
  const OverloadSet* set = Registry::global().find_overloads(concat("aten::", function.text.substr(function.text.rfind('.') + 1)));
  const Args numbers(2, 3);
  const ir::ArgRef values[] = {numbers[0], numbers[1]};
  ir::Call<ir::ArgRef> call;
  call.values = values;
  return set && std::ranges::any_of(set->overloads, [&](const Operator* op) {
           const std::vector<ir::Argument>& formals = op->schema().arguments();
           const size_t first = method ? 1 : 0;
           return formals.size() > first && (!method || formals[0].type.is(TypeKind::Tensor)) && ir::gathers(formals, first, call, 0);
         });
}

// Whether there is a call in an expression that may do more than give a text: type(x), len(x) and "{}".format(x) do not.
bool has_call(const Expr& e) {
  if (e.kind == SyntaxKind::Call) {
    const Expr& callee = *e.parts[0];
    const bool of_text = callee.kind == SyntaxKind::Attribute && callee.text == "format" && callee.parts[0]->kind == SyntaxKind::String;
    if (!of_text && !(callee.kind == SyntaxKind::Name && (callee.text == "type" || callee.text == "len"))) return true;
  }
  return std::ranges::any_of(e.parts, [](const Expr* part) { return part && has_call(*part); });
}

}  // namespace

ScriptValue FunctionCompiler::call(const Expr& e, Type expected) {
  const Expr& callee = *e.parts[0];
  if (callee.kind == SyntaxKind::Name && !find_variable(callee.text)) {
    // These read their arguments as types or questions.
    if (static_question_name(callee.text)) {
      if (std::optional<ScriptCondition> c = static_question(e)) return bool_value(*c);
    }
  } else if (callee.kind == SyntaxKind::Attribute && static_question_name(callee.text)) {
    if (std::optional<ScriptCondition> c = static_question(e)) return bool_value(*c);
  }
  if (std::optional<ScriptValue> v = serialized_call(e)) return *v;
  if (callee.text == "annotate" && e.parts.size() == 3) {  // torch.jit.annotate(T, x)
    const Type type = annotation(*e.parts[1]);
    ScriptValue v = converted(e.range, expression(*e.parts[2], type), type, "this value");
    if (v.kind == ScriptValue::Kind::List || v.kind == ScriptValue::Kind::Plain) v.type = type;
    return v;
  }
  const ScriptValue function = expression(callee);
  if (function.kind == ScriptValue::Kind::Method && function.text == "tolist" && e.parts.size() == 1 &&
      type_of(function.parts[0]).is(TypeKind::Tensor))
    return elements_of(e.range, function.parts[0], expected);
  if (function.kind == ScriptValue::Kind::Method && function.text == "extend" && e.parts.size() == 2 && e.names.empty() &&
      e.parts[1]->kind == SyntaxKind::Generator && function.parts[0].kind == ScriptValue::Kind::Plain &&
      type_of(function.parts[0]).is(TypeKind::List))
    return extended(function.parts[0], *e.parts[1]);
  if (function.kind == ScriptValue::Kind::Builtin && (function.text == "any" || function.text == "all") && e.parts.size() == 2 &&
      e.names.empty() && e.parts[1]->kind == SyntaxKind::Generator)
    if (std::optional<ScriptValue> v = quantified(e, *e.parts[1], function.text == "any")) return *v;
  // The default of a getattr is read where the attribute is missing.
  if (function.kind == ScriptValue::Kind::Builtin && function.text == "getattr" && e.parts.size() == 4 && e.names.empty()) {
    Given known;
    known.positional = {expression(*e.parts[1]), expression(*e.parts[2])};
    const std::optional<std::string> name = attribute_name(known.positional);
    if (name) return has_attribute(known.positional[0], *name) ? static_attribute(e, known) : expression(*e.parts[3], expected);
  }
  if (function.kind == ScriptValue::Kind::Builtin && function.text == "log") {
    for (size_t k = 1; k < e.parts.size(); ++k)  // the line is not written, and what its arguments call runs
      if (has_call(*e.parts[k])) expression(*e.parts[k]);
    return literal(Args().none());
  }
  if (function.kind == ScriptValue::Kind::Operator && !host_.serialized() && may_be_missing(function.text))
    return lacking(e.range, function.text);
  const uint32_t asked = graph_.id_limit();
  Given given = arguments(e);
  if (given.sizes && !takes_sizes(function)) unsupported(given.ranges[0], "a starred list of unknown length");
  asked_ = asked;
  return call_value(e, function, std::move(given), expected);
}

// x.tolist(), of which only an annotation tells how deep the lists nest.
ScriptValue FunctionCompiler::elements_of(const TextRange& at, const ScriptValue& tensor, Type expected) {
  if (expected.is(TypeKind::Optional)) expected = expected.element();
  Type inner = expected;
  while (inner.is(TypeKind::List)) inner = inner.element();
  if (!inner.is(TypeKind::Int) && !inner.is(TypeKind::Float) && !inner.is(TypeKind::Bool) && !inner.is(TypeKind::Complex))
    wrong(at, "tolist() needs a type that says its dims and what it holds; annotate the variable: numbers: List[float] = x.tolist()");
  return typed_call(at, "prim::tolist", Args(arg_of(at, tensor)[0], to_string(expected)), expected);
}

// torch.einsum(equation, a, b) and torch.meshgrid(a, b): the operator takes one list of tensors, Python's function any number.
FunctionCompiler::Given FunctionCompiler::gathered_tensors(const std::string& surface, Given given) {
  const OverloadSet* set = Registry::global().find_overloads(concat("aten::", surface.substr(surface.rfind('.') + 1)));
  for (const Operator* op : set ? set->overloads : std::vector<const Operator*>()) {
    const std::vector<ir::Argument>& formals = op->schema().arguments();
    size_t at = 0;
    while (at < formals.size() && !(formals[at].type.is(TypeKind::List) && formals[at].type.element().is(TypeKind::Tensor))) ++at;
    if (at >= formals.size() || at >= given.positional.size()) continue;
    const auto first = given.positional.begin() + static_cast<ptrdiff_t>(at);
    if (!std::all_of(first, given.positional.end(), [&](const ScriptValue& v) { return type_of(v).is(TypeKind::Tensor); })) continue;
    // torch.atleast_1d(x) has an overload for one tensor.
    const auto takes_one = [&](const Operator* other) {
      return at < other->schema().arguments().size() && other->schema().arguments()[at].type.is(TypeKind::Tensor);
    };
    if (at + 1 == given.positional.size() && std::ranges::any_of(set->overloads, takes_one)) return given;
    ScriptValue list;
    list.kind = ScriptValue::Kind::List, list.type = Type::list(TypeKind::Tensor), list.parts.assign(first, given.positional.end());
    given.positional.erase(first, given.positional.end());
    given.positional.push_back(std::move(list));
    given.ranges.resize(std::min(given.ranges.size(), given.positional.size()));
    break;
  }
  return given;
}

// The calls of torch.norm, torch.tensordot and torch.nonzero whose arguments Python's function turns into those of the operator.
std::string FunctionCompiler::functional_arguments(const TextRange& at, const std::string& surface, Given& given) {
  const auto take = [&](size_t place, std::string_view name) -> std::optional<ScriptValue> {
    if (place < given.positional.size()) return given.positional[place];
    for (const auto& [known, v] : given.named)
      if (known == name) return v;
    return {};
  };
  const auto drop = [&](size_t place, std::string_view name) {
    if (place < given.positional.size()) given.positional.resize(place), given.ranges.resize(std::min(given.ranges.size(), place));
    std::erase_if(given.named, [&](const auto& n) { return n.first == name; });
  };
  const auto text = [](const std::optional<ScriptValue>& v) {
    return v && v->kind == ScriptValue::Kind::Plain && v->arg[0].is(ArgKind::Str) ? v->arg[0].as_str() : std::string();
  };
  if (surface == "torch.functional.norm") {
    const std::optional<ScriptValue> order = take(1, "p");
    if (const std::string name = text(order); !name.empty() && name != "fro")
      unsupported(at, concat("torch.norm with p=\"", name, "\""), concat("write torch.linalg.matrix_norm(x, \"", name, "\")"));
    const ScriptValue two = literal(Args(2.0));
    if (!text(order).empty() && given.positional.size() > 1) given.positional[1] = two;
    else if (!order || !text(order).empty())
      std::erase_if(given.named, [](const auto& n) { return n.first == "p"; }), given.named.emplace_back("p", two);
    return surface;
  }
  if (surface == "torch.functional.tensordot") {
    const ScriptValue dims = take(2, "dims").value_or(literal(Args(int64_t{2})));
    std::vector<ScriptValue> both;
    if (dims.kind == ScriptValue::Kind::Plain && dims.arg[0].is(ArgKind::Int)) {
      const int64_t n = dims.arg[0].as_int();
      for (const int64_t first : {-n, int64_t{0}}) {
        ScriptValue list;
        list.kind = ScriptValue::Kind::List, list.type = Type::list(TypeKind::Int);
        for (int64_t k = 0; k < std::min<int64_t>(n, 64); ++k) list.parts.push_back(literal(Args(first + k)));
        both.push_back(std::move(list));
      }
    } else if (known_length(dims) == 2) {
      both = items_of(at, dims);
      for (ScriptValue& list : both)
        if (type_of(list).is(TypeKind::Tuple)) list = converted(at, list, Type::list(TypeKind::Int), "the dims of tensordot()");
    }
    if (both.size() != 2 || !type_of(both[0]).is(TypeKind::List)) return surface;
    const std::optional<ScriptValue> out = take(3, "out");
    if (out && out->kind == ScriptValue::Kind::Plain && out->arg[0].is(ArgKind::None)) drop(3, "out");
    drop(2, "dims");
    given.named.emplace_back("dims_self", both[0]), given.named.emplace_back("dims_other", both[1]);
    return surface;
  }
  if (surface == "torch.functional.nonzero") {
    const std::optional<ScriptValue> as_tuple = take(SIZE_MAX, "as_tuple");
    if (!as_tuple || !as_tuple->arg[0].is(ArgKind::Bool)) return surface;
    drop(SIZE_MAX, "as_tuple");
    if (as_tuple->arg[0].as_bool()) return "aten::nonzero_numpy";
  }
  return surface;
}

ScriptValue FunctionCompiler::call_value(const Expr& e, const ScriptValue& callee, Given given, Type expected) {
  switch (callee.kind) {
    case ScriptValue::Kind::Operator: {
      if (callee.text.starts_with("torch.functional.")) {
        given = gathered_tensors(callee.text, std::move(given));
        if (const std::string surface = functional_arguments(e.range, callee.text, given); surface != callee.text)
          return emit(e.range, surface, args_of(e.range, given));
      }
      if (callee.text.starts_with("cmath.")) return complex_function(e, callee.text.substr(6), given);
      if (callee.text == "math.prod" && given.positional.size() == 1 && given.named.empty()) return product_of(e, given.positional[0]);
      if (callee.text == "math.log" && given.positional.size() == 2 && given.named.empty())  // to a base
        return operation(e.range, "/", false, emit(e.range, callee.text, {given.positional[0]}),
                         emit(e.range, callee.text, {given.positional[1]}));
      const bool spelled_out = callee.text.find("::") != std::string::npos;
      if (host_.serialized() || (spelled_out && may_be_printed())) return serialized_operator(e, callee.text, given);
      // torch.__and__(x, y) of tensors is what PyTorch prints for x & y.
      const bool is_symbol =
          callee.text.starts_with("torch.__") && !given.positional.empty() && type_of(given.positional[0]).is(TypeKind::Tensor);
      if ((callee.text == "torch.percentFormat" || is_symbol) && may_be_printed())
        return serialized_operator(e, concat("aten::", callee.text.substr(std::string_view("torch.").size())), given);
      // A function that has no form for numbers, lists and strs in Python's package has one in the graph's operators.
      const std::string word = callee.text.substr(callee.text.rfind('.') + 1), own = spelled_out ? "" : concat("aten::", word);
      Args args = args_of(e.range, given);
      if (callee.text == "torch.tensor" && !host_.keeps_calls()) args = with_list_dtype(std::move(args));
      if (!spelled_out && may_be_printed() && callee.text.size() == word.size() + 6 && callee.text.starts_with("torch.")) {
        if (std::optional<ScriptValue> v = number_operator(e, own, args)) return *v;
        args = with_enumerations(e.range, own, args);
      }
      if (!spelled_out && !callee.text.starts_with("operator.")) args = torchscript_numbers(e.range, own, args);
      return emit(e.range, callee.text, args, own);
    }
    case ScriptValue::Kind::Module: return call_module(e, callee, std::move(given));
    case ScriptValue::Kind::Chosen: return call_chosen(e, callee, "", given);
    case ScriptValue::Kind::Bound: return call_bound(e, callee, std::move(given));
    case ScriptValue::Kind::Graph: return call_graph(e, callee, given);
    case ScriptValue::Kind::Method: return call_method(e, callee.parts[0], callee.text, std::move(given));
    case ScriptValue::Kind::Builtin: return builtin(e, callee.text, std::move(given), expected);
    case ScriptValue::Kind::Function: return call_function(e, host_.function(callee.id), nullptr, given);
    case ScriptValue::Kind::Local: {
      // Its names are those of the function in which it stands, or of the copy of that one in which a branch is tried.
      FunctionFrame* outer = callee.kept ? callee.kept.get() : callee.home ? callee.home : frame_;
      if (!callee.kept)
        for (FunctionFrame* holder = frame_; holder; holder = holder->outer)
          if (holder->function.function == outer->function.function) outer = holder;
      HostFunction f = outer->function;
      f.function = callee.local;
      return call_function(e, f, outer, given);
    }
    case ScriptValue::Kind::RecordClass: return make_record(e, callee, given);
    case ScriptValue::Kind::Class: return construct(e, class_of(e.range, callee.id), std::move(given));
    case ScriptValue::Kind::BoundMethod:
      return call_bound(e.range, *host_.classes.at(callee.text), *callee.local, callee.parts.empty() ? nullptr : callee.parts.data(),
                        std::move(given));
    case ScriptValue::Kind::Plain:
      if (callee.type.is(TypeKind::Class)) {
        const ScriptClass& c = class_of(e.range, callee.type);
        if (const FunctionSyntax* f = c.method("__call__")) return call_bound(e.range, c, *f, &callee, std::move(given));
      }
      break;
    case ScriptValue::Kind::Type: return cast(e, callee.type, std::move(given), expected);
    case ScriptValue::Kind::Exception: unsupported(e.range, "an exception as a value");
    case ScriptValue::Kind::Namespace:  // a class of modules
      if (given.positional.empty() && given.named.empty())  // a function that keeps its result
        if (std::optional<ScriptValue> result = asked(e, callee, "call")) return *result;
      if (!callee.text.empty()) wrong(e.range, callee.text);
      // torch.ops.aten.relu(x): an operator whose overload the arguments choose.
      if (const HostValue name = host_.attribute(callee.id, "_qualified_op_name");
          name.kind == HostValue::Kind::Constant && name.constant[0].is(ArgKind::Str)) {
        ScriptValue packet;
        packet.kind = ScriptValue::Kind::Operator, packet.text = name.constant[0].as_str();
        return call_value(e, packet, std::move(given), expected);
      }
      break;
    case ScriptValue::Kind::Context:  // as a statement it switches what follows
      if (callee.text != "set_grad_enabled" || given.positional.size() != 1 || !given.named.empty()) break;
      return emit(e.range, "aten::set_grad_enabled",
                  {converted(e.range, given.positional[0], TypeKind::Bool, "the argument of set_grad_enabled()")});
    default: break;
  }
  wrong(e.range, concat("a value of type ", spelled(type_of(callee)), " cannot be called"));
}

namespace {

// What x.to() takes for a method that converts: the dtype of x.double(), the device of x.cpu(). Nothing for other methods.
std::optional<Args> conversion(const std::string& method) {
  if (method == "byte") return Args(DType::u8);
  if (method == "char") return Args(DType::i8);
  if (DType dtype; parse_dtype(method, dtype)) return Args(dtype);
  if (Device device; (method == "cpu" || method == "cuda") && parse_device(method, device)) return Args(device);
  return {};
}

}  // namespace

// Whether there are operators of this name, and none takes a tensor: values() of a dict.
static bool takes_no_tensor(const std::string& name) {
  const OverloadSet* set = Registry::global().find_overloads(name);
  return set && std::ranges::none_of(set->overloads, [](const Operator* op) {
           return std::ranges::any_of(op->schema().arguments(), [](const ir::Argument& a) { return a.type.is(TypeKind::Tensor); });
         });
}

// Where the schemas of an operator have the value whose method it is: behind the condition in x.where(condition, other), else first.
static size_t self_place(const std::string& name) {
  const OverloadSet* set = Registry::global().find_overloads(name);
  for (const Operator* op : set ? set->overloads : std::vector<const Operator*>())
    if (const int place = op->schema().index_of("self"); place >= 0) return static_cast<size_t>(place);
  return 0;
}

// torch.arange(n) in torch.arange(n).unsqueeze_(0): a tensor that no name leads to, so that a method may give it another shape by making a view.
bool FunctionCompiler::is_new_tensor(const Expr& e, const ScriptValue& receiver) const {
  if (e.kind != SyntaxKind::Call || e.parts[0]->kind != SyntaxKind::Attribute || e.parts[0]->parts[0]->kind != SyntaxKind::Call)
    return false;
  const Node* n = receiver.kind == ScriptValue::Kind::Plain ? receiver.arg[0].node() : nullptr;
  if (!n || n->is_projection() || !n->info()) return false;
  const ir::FunctionSchema& schema = n->info()->schema();
  return schema.returns().size() == 1 && !schema.result_aliases(0);
}

namespace {

// What a method gives of a str that is known while the function is compiled, so that the branches that it chooses are known, too.
std::optional<Args> known_text_method(const std::string& text, const std::string& method, const std::string& of) {
  if (method == "startswith") return Args(text.starts_with(of));
  if (method == "endswith") return Args(text.ends_with(of));
  if (method == "removeprefix") return Args(text.starts_with(of) ? text.substr(of.size()) : text);
  if (method == "removesuffix") return Args(!of.empty() && text.ends_with(of) ? text.substr(0, text.size() - of.size()) : text);
  return {};
}

}  // namespace

std::optional<ScriptValue> FunctionCompiler::known_text(const ScriptValue& self, const std::string& method, const Given& given) const {
  const auto is_text = [](const ScriptValue& v) {
    return v.kind == ScriptValue::Kind::Plain && v.arg.size() == 1 && v.arg[0].is(ArgKind::Str);
  };
  if (host_.keeps_calls() || !is_text(self) || given.positional.size() != 1 || !given.named.empty() || !is_text(given.positional[0]))
    return {};
  const std::optional<Args> result = known_text_method(self.arg[0].as_str(), method, given.positional[0].arg[0].as_str());
  return result ? std::optional(literal(*result)) : std::nullopt;
}

ScriptValue FunctionCompiler::call_method(const Expr& e, const ScriptValue& receiver, const std::string& method, Given given) {
  if (receiver.kind == ScriptValue::Kind::Module)
    if (std::optional<ScriptValue> listed = module_listing(e, receiver, method)) return *listed;
  if (receiver.kind == ScriptValue::Kind::Chosen) return call_chosen(e, receiver, method, given);
  if (receiver.kind == ScriptValue::Kind::Namespace) return mapping_method(e, receiver, method, given);
  if (receiver.kind == ScriptValue::Kind::Record) return record_method(e, receiver, method, given);
  if (receiver.kind == ScriptValue::Kind::Keywords) return keywords_method(e, receiver, method, given);
  ScriptValue self = receiver.kind == ScriptValue::Kind::List ? made_list(e.range, receiver) : receiver;
  const Type type = type_of(self);
  if (type.is(TypeKind::Tensor) && given.named.empty()) {
    if (const std::optional<Args> to = given.positional.empty() ? conversion(method) : std::nullopt)
      return emit(e.range, "torch.Tensor.to", {self, literal(*to)});
    if (method == "type" && given.positional.size() == 1 && type_of(given.positional[0]).is(TypeKind::DType))
      return emit(e.range, "torch.Tensor.to", {self, given.positional[0]});
  }
  // The operators of these names are those of ints and bools.
  for (const auto& [name, symbol] : {std::pair("__and__", "&"), std::pair("__or__", "|"), std::pair("__xor__", "^")})
    if (method == name && type.is(TypeKind::Tensor) && given.positional.size() == 1 && given.named.empty())
      return operation(e.range, symbol, false, self, given.positional[0]);
  if (type.is(TypeKind::Tensor) && method.ends_with('_')) {
    const std::string stem(method.substr(0, method.size() - 1));
    const OverloadSet* set = Registry::global().find_overloads(concat("aten::", method));
    if (set && is_new_tensor(e, self) &&
        std::ranges::all_of(set->overloads, [](const Operator* op) { return op->functional && op->reshapes; }))
      return call_method(e, receiver, stem, std::move(given));
    if (set && std::ranges::any_of(set->overloads, [](const Operator* op) { return op->changes_geometry; }))
      unsupported(e.range,
                  concat(method, "(), which gives a tensor other sizes or strides in place; ",
                         Registry::global().find_overloads(concat("aten::", stem)) ? concat("write x = x.", stem, "(...), or ") : "",
                         "make a new tensor: this call"));
  }
  // Python's class Tensor has getters of its own for some of what a graph's operators say of a tensor.
  if (type.is(TypeKind::Tensor)) {
    const std::string own = concat("aten::", method);
    if (may_be_missing(own) || (!in_trial_ && regions_.depth() > 0 && takes_no_tensor(own) && host_.is_pytorchs(method)))
      return lacking(e.range, own);
    if (const size_t place = self_place(own); place && given.positional.size() >= place) {
      given.positional.insert(given.positional.begin() + static_cast<ptrdiff_t>(place), self);
      return emit(e.range, own, args_of(e.range, given));
    }
    Args args = args_of(e.range, given, &self);
    if (method == "to") args = with_enumerations(e.range, own, args);
    return emit(e.range, concat("torch.Tensor.", method), args, own);
  }
  if (is_foreign(type)) return missing_operator(e, concat(type.name(), ".", method), given, &self);
  auto known = [&](std::span<const std::string_view> methods) {
    if (std::ranges::find(methods, method) != methods.end()) return;
    wrong(e.range, concat("a value of type ", spelled(type), " has no method '", method, "'"));
  };
  if (const std::optional<ScriptValue> text = known_text(self, method, given)) return *text;
  if ((method == "lower" || method == "upper") && self.kind == ScriptValue::Kind::Plain && self.arg[0].is(ArgKind::Str) &&
      given.positional.empty()) {  // a constant stays one
    std::string text = self.arg[0].as_str();
    for (char& c : text)
      c = static_cast<char>(method == "lower" ? std::tolower(static_cast<unsigned char>(c)) : std::toupper(static_cast<unsigned char>(c)));
    if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 128; })) return literal(Args(text));
  }
  if (type.is(TypeKind::Future) && method == "wait" && given.positional.empty() && given.named.empty()) {
    given.positional.push_back(self);
    return future(e, method, given);
  }
  if (type.is(TypeKind::NamedTuple) && method == "_replace") {
    std::vector<ScriptValue> items = items_of(e.range, self);
    const ScriptClass& c = class_of(e.range, type);
    for (size_t k = 0; k < items.size(); ++k)
      if (std::ranges::none_of(given.named, [&](const auto& n) { return n.first == type.fields()[k]; }))
        given.named.emplace_back(type.fields()[k], items[k]);
    return construct_tuple(e, c, given);
  }
  if (type.is(TypeKind::Str) && method == "format") return string_format(e, self, given);
  if (type.is(TypeKind::List)) {
    known(ir::kListMethods);
    if (method == "sort" && type.element().is(TypeKind::Class) && given.positional.empty() && given.named.size() < 2) {
      const bool named = !given.named.empty() && given.named[0].first == "reverse";
      if (!named && !given.named.empty()) unsupported(e.range, concat("sort() with ", given.named[0].first, "="));
      sort_objects(e, self, named ? given.named[0].second : literal(Args(false)));
      return literal(Args().none());
    }
    for (ScriptValue& v : given.positional)  // what goes into the list
      if (method == "append" || method == "insert" || method == "extend" || method == "remove" || method == "index" || method == "count") {
        const bool item = !(method == "insert" && &v == &given.positional[0]);
        if (item) v = converted(e.range, v, method == "extend" ? type : type.element(), "an element of this list");
      }
  } else if (type.is(TypeKind::Dict)) {
    known(ir::kDictMethods);
    if (method == "get" && given.positional.size() == 2 && given.positional[1].is_none()) given.positional.pop_back();
    if (method == "get" || method == "pop" || method == "setdefault")
      for (size_t k = 0; k < given.positional.size() && k < 2; ++k) {
        given.positional[k] =
            converted(e.range, given.positional[k], type.elements()[k], k ? "a value of this dict" : "a key of this dict");
      }
    if (method == "update" && given.positional.size() == 1)
      given.positional[0] = converted(e.range, given.positional[0], type, "the other dict");
  } else if (type.is(TypeKind::Str)) {
    known(ir::kStrMethods);
  } else {
    wrong(e.range, concat("a value of type ", spelled(type), " has no method '", method, "'",
                          type.is(TypeKind::Optional) ? "; check `is not None` first" : ""));
  }
  Args args = arg_of(e.range, self);
  for (const ScriptValue& v : given.positional) args.add(arg_of(e.range, v)[0]);
  for (const auto& [name, v] : given.named) args.kw(name, arg_of(e.range, v));
  // TorchScript's takes the first key, Python's the last.
  if (method == "popitem" && !host_.serialized()) return emit(e.range, "prim::pop_last", args);
  return emit(e.range, concat("aten::", method), args);
}

// --- Conversions.

ScriptValue FunctionCompiler::cast(const Expr& e, Type type, Given given, Type) {
  if (type.is(TypeKind::Device)) return emit(e.range, "prim::device", args_of(e.range, given));
  if (type.is(TypeKind::None) || given.positional.size() != 1)
    wrong(e.range, concat("a call of the type ", spelled(type), " is not supported in a script"));
  wrong(e.range, concat("a value of type ", spelled(type), " cannot be made by a call in a script"));
}

ScriptValue FunctionCompiler::emit_str(const TextRange& at, const ScriptValue& v) {
  const Type type = type_of(v);
  if (type.is(TypeKind::Str)) return v;
  if (std::optional<ScriptValue> text = object_text(at, v)) return *text;
  return emit(at, "aten::str", {v});
}

ScriptValue FunctionCompiler::string_format(const Expr& e, const ScriptValue& pattern, const Given& given) {
  if (pattern.kind != ScriptValue::Kind::Plain || !pattern.arg[0].is(ArgKind::Str))
    unsupported(e.range, "format of a str that is computed");
  if (host_.keeps_calls() && given.named.empty()) return kept_format(e.range, pattern.arg[0].as_str(), given.positional);
  const std::string& text = pattern.arg[0].as_str();
  ScriptValue all;
  bool any = false;
  auto add = [&](const ScriptValue& v) { all = any ? emit(e.range, "operator.add", {all, v}) : v, any = true; };
  std::string plain_text;
  size_t next = 0;
  for (size_t k = 0; k < text.size(); ++k) {
    if ((text[k] == '{' || text[k] == '}') && k + 1 < text.size() && text[k + 1] == text[k]) {
      plain_text += text[k++];
      continue;
    }
    if (text[k] != '{') {
      if (text[k] == '}') wrong(e.range, "the format has a single '}'");
      plain_text += text[k];
      continue;
    }
    const size_t end = text.find('}', k);
    if (end == std::string::npos) wrong(e.range, "a '{' of the format has no '}'");
    std::string field = text.substr(k + 1, end - k - 1), spec;
    if (const size_t mark = field.find_first_of(":!"); mark != std::string::npos) spec = field.substr(mark), field.resize(mark);
    if (field.find_first_of(".[") != std::string::npos) unsupported(e.range, concat("the format '{", field, "}'"));
    const ScriptValue* value = nullptr;
    if (field.empty()) {
      value = next < given.positional.size() ? &given.positional[next] : nullptr;
      ++next;
    } else if (std::ranges::all_of(field, [](char c) { return c >= '0' && c <= '9'; }) && field.size() < 4) {
      const auto place = static_cast<size_t>(std::stoi(field));
      value = place < given.positional.size() ? &given.positional[place] : nullptr;
    } else {
      for (const auto& [name, v] : given.named)
        if (name == field) value = &v;
    }
    if (!value) wrong(e.range, concat("the format has a field '{", field, "}' without a value"));
    if (!plain_text.empty()) add(literal(Args(plain_text))), plain_text.clear();
    add(formatted(e.range, *value, spec));
    k = end;
  }
  if (!plain_text.empty() || !any) add(literal(Args(plain_text)));
  return all;
}

void FunctionCompiler::print(const Expr& e, const Given& given) {
  for (const auto& [name, v] : given.named) unsupported(e.range, concat("print with ", name, "="));
  ScriptValue text = literal(Args(""));
  for (size_t k = 0; k < given.positional.size(); ++k) {
    const ScriptValue one = emit_str(e.range, given.positional[k]);
    text = k == 0 ? one : emit(e.range, "operator.add", {emit(e.range, "operator.add", {text, literal(Args(" "))}), one});
  }
  emit(e.range, "prim::Print", {text});
}

// --- What a for goes over.

ScriptValue FunctionCompiler::iterable(const Expr& e, const std::string& name, Given given) {
  ScriptValue v;
  v.kind = ScriptValue::Kind::Iterable, v.text = name, v.parts = std::move(given.positional);
  for (auto& [keyword, value] : given.named) {
    if (name != "enumerate" || keyword != "start" || v.parts.size() != 1) unsupported(e.range, concat(name, " with ", keyword, "="));
    v.parts.push_back(std::move(value));
  }
  const size_t n = v.parts.size();
  if (name == "range" ? n < 1 || n > 3 : name == "enumerate" ? n < 1 || n > 2 : name == "reversed" ? n != 1 : n < 1)
    wrong(e.range, concat(name, "() does not take ", n, n == 1 ? " argument" : " arguments"));
  if (name == "range")
    for (ScriptValue& part : v.parts) {
      if (type_of(part).is(TypeKind::Tensor)) part = emit(e.range, "aten::Int", {part});
      if (!type_of(part).is(TypeKind::Int)) wrong(e.range, concat("range() takes ints, but got a value of type ", spelled(type_of(part))));
    }
  return v;
}

IteratedValue FunctionCompiler::iterated_range(const TextRange& at, const ScriptValue& v) {
  IteratedValue it;
  if (v.parts.size() == 1) {
    it.count = v.parts[0].arg;
    it.item = [this](Node* counter) { return node_value(counter); };
    return it;
  }
  const ScriptValue start = v.parts[0], stop = v.parts[1], step = v.parts.size() == 3 ? v.parts[2] : literal(Args(1));
  it.count = emit(at, "aten::__range_length", {start, stop, step}).arg;
  it.item = [this, at, start, step](Node* counter) { return emit(at, "aten::__derive_index", {node_value(counter), start, step}); };
  return it;
}

IteratedValue FunctionCompiler::iterated_value(const TextRange& at, const ScriptValue& given) {
  ScriptValue v = present(at, given);
  if (v.kind == ScriptValue::Kind::List) v = made_list(at, v);
  IteratedValue it;
  if (v.kind == ScriptValue::Kind::Iterable && v.text == "range") return iterated_range(at, v);
  if (v.kind == ScriptValue::Kind::Iterable && v.text == "enumerate") {
    const IteratedValue inner = iterated_value(at, v.parts[0]);
    const std::optional<ScriptValue> start = v.parts.size() == 2 ? std::optional(v.parts[1]) : std::nullopt;
    it.count = inner.count;
    it.item = [this, at, inner, start](Node* counter) {
      ScriptValue pair;
      pair.kind = ScriptValue::Kind::Tuple;
      pair.parts.push_back(start ? emit(at, "operator.add", {node_value(counter), *start}) : node_value(counter));
      pair.parts.push_back(inner.item(counter));
      return pair;
    };
    return it;
  }
  if (v.kind == ScriptValue::Kind::Iterable && v.text == "zip") {
    std::vector<IteratedValue> all;
    for (const ScriptValue& part : v.parts) all.push_back(iterated_value(at, part));
    it.count = all[0].count;
    for (size_t k = 1; k < all.size(); ++k) it.count = emit(at, "prim::min", {literal(it.count), literal(all[k].count)}).arg;
    it.item = [all](Node* counter) {
      ScriptValue tuple;
      tuple.kind = ScriptValue::Kind::Tuple;
      for (const IteratedValue& one : all) tuple.parts.push_back(one.item(counter));
      return tuple;
    };
    return it;
  }
  if (v.kind == ScriptValue::Kind::Iterable && v.text == "reversed") {
    const IteratedValue inner = iterated_value(at, v.parts[0]);
    const ScriptValue last = emit(at, "operator.sub", {literal(inner.count), literal(Args(1))});
    it.count = inner.count;
    it.item = [this, at, inner, last](Node* counter) {
      const ScriptValue place = emit(at, "operator.sub", {last, node_value(counter)});
      return inner.item(node_of(at, place));
    };
    return it;
  }
  const Type type = type_of(v);
  if (type.is(TypeKind::Dict)) {
    v = emit(at, "aten::keys", {v});
  } else if (v.kind == ScriptValue::Kind::Class && class_of(at, v.id).host.kind == HostClass::Kind::Enum) {
    const ScriptClass& c = class_of(at, v.id);
    ScriptValue list;
    list.kind = ScriptValue::Kind::List, list.parts = enum_members(at, c), list.type = Type::list(c.type);
    v = made_list(at, list);
  } else if (type.is(TypeKind::Tuple) || type.is(TypeKind::NamedTuple)) {  // inside of a zip or enumerate: where all parts have one type
    ScriptValue list;
    list.kind = ScriptValue::Kind::List, list.parts = items_of(at, v);
    Type element;
    for (const ScriptValue& part : list.parts) element = element ? join(element, widened(type_of(part))) : widened(type_of(part));
    if (!element || element.is(TypeKind::Union)) unsupported(at, "an iteration over parts of several types here");
    list.type = Type::list(element);
    v = made_list(at, list);
  } else if (!type.is(TypeKind::List) && !type.is(TypeKind::Tensor) && !type.is(TypeKind::Str)) {
    wrong(at, concat("a value of type ", spelled(type), " cannot be iterated"));
  }
  it.count = emit(at, "aten::len", {v}).arg;
  it.item = [this, at, v](Node* counter) {
    if (v.type.is(TypeKind::Tensor)) return emit(at, "aten::select", Args(v.arg[0], 0, counter));
    return emit(at, "aten::__getitem__", {v, node_value(counter)});
  };
  return it;
}

}  // namespace monograph::capture::script
