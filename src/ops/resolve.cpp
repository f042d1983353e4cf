// From what a program wrote to the overload that it means, and to arguments in the places of the schema: the graph's half of binding, with the types
// of nodes where eager binding (binding.cpp) has values.
#include <algorithm>
#include <map>

#include "ir/builder.h"
#include "ir/graph.h"
#include "ir/operators.h"
#include "ops/infer.h"
#include "ops/overloads.h"
#include "ops/registry.h"

namespace monograph {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Node;
using ir::Type;
using ir::TypeKind;

namespace {

// How strictly an argument of unknown type is taken: first as a tensor only, then as anything.
enum class Unknown : uint8_t { Tensor, Anything };

bool is_unknown(Type t) { return !t || t.is(TypeKind::Any); }
bool is_int(Type t) { return t.is(TypeKind::Int) || t.is(TypeKind::SymInt); }
bool is_number(Type t) {
  return is_int(t) || t.is(TypeKind::Float) || t.is(TypeKind::Bool) || t.is(TypeKind::Complex) || t.is(TypeKind::Number);
}
bool is_scalar_tensor(Type t) { return t.is(TypeKind::Tensor) && t.tensor().sizes && t.tensor().sizes->empty(); }

bool takes(Type expected, Type given, Unknown mode) {
  if (expected.is(TypeKind::Any) || expected.is(TypeKind::Variable)) return true;
  if (is_unknown(given)) return mode == Unknown::Anything || expected.is(TypeKind::Tensor);
  switch (expected.kind()) {
    case TypeKind::Tensor: return given.is(TypeKind::Tensor);
    case TypeKind::Number:
    case TypeKind::Complex: return is_number(given) || is_scalar_tensor(given);
    case TypeKind::Int:
    case TypeKind::SymInt: return is_int(given) || given.is(TypeKind::Number) || is_scalar_tensor(given);
    case TypeKind::Float: return (is_number(given) && !given.is(TypeKind::Complex)) || is_scalar_tensor(given);
    case TypeKind::Device: return given.is(TypeKind::Device) || given.is(TypeKind::Str);
    case TypeKind::Dict:
      return given.is(TypeKind::Dict) && takes(expected.elements()[0], given.elements()[0], mode) &&
             takes(expected.elements()[1], given.elements()[1], mode);
    default: return ir::is_subtype(given, expected);
  }
}

bool takes(const ir::Argument& argument, ArgRef given, Unknown mode) {
  Type expected = argument.type, type = ir::type_of(given);
  if (expected.is(TypeKind::Optional)) {
    if (given.is_none() || type.is(TypeKind::None)) return true;
    expected = expected.element();
  }
  if (!expected.is(TypeKind::List)) return takes(expected, type, mode);
  Type element = expected.element();
  if (given.is(ArgKind::List) || given.is(ArgKind::Tuple)) {
    ir::Argument inner;
    inner.type = element;
    for (ArgRef part : given)
      if (!takes(inner, part, Unknown::Anything)) return false;
    return true;
  }
  if (type.is(TypeKind::List) || type.is(TypeKind::Tuple)) {
    for (Type t : type.elements())
      if (!takes(element, t, Unknown::Anything)) return false;
    return true;
  }
  if (argument.list_size > 0 && takes(element, type, mode)) return true;
  return is_unknown(type) && mode == Unknown::Anything;
}

// The arguments of a node by place: what the schema's argument i is given, or several that it gathers (x.view(2, 3)).
struct Places {
  std::vector<std::optional<ArgRef>> given;
  std::vector<ArgRef> gathered;
  size_t gatherer = SIZE_MAX;
};

// Whether the node's arguments have places in this schema.
bool place(const ir::FunctionSchema& schema, const std::vector<ArgRef>& args, const Node& node, Places& p) {
  const auto& arguments = schema.arguments();
  p = {};
  p.given.resize(arguments.size());
  size_t keywords = node.arg_count() - node.positional_count(), positional = args.size() - keywords, k = 0, used = 0;
  for (size_t i = 0; i < arguments.size() && k < positional; ++i) {
    // In the canonical form every argument stands in its place, those that only have a keyword too.
    if (arguments[i].kwarg_only && (keywords || positional != arguments.size())) break;
    bool last = i + 1 == arguments.size() || arguments[i + 1].kwarg_only || k + 1 < positional;
    Type t = ir::type_of(args[k]);
    const Type& wanted = arguments[i].type;
    bool list = wanted.is(TypeKind::List) && arguments[i].list_size < 0 && is_int(wanted.element());
    if (list && last && (is_int(t) || (is_unknown(t) && k + 1 < positional))) {
      p.gatherer = i;
      p.gathered.assign(args.begin() + static_cast<ptrdiff_t>(k), args.begin() + static_cast<ptrdiff_t>(positional));
      k = positional;
    } else {
      p.given[i] = args[k++];
    }
  }
  if (k < positional) return false;
  for (size_t n = 0; n < keywords; ++n) {
    int at = schema.index_of(node.keyword(n));
    if (at < 0 && node.keyword(n) == "input") at = schema.index_of("self");
    if (at < 0 || p.given[static_cast<size_t>(at)] || p.gatherer == static_cast<size_t>(at)) return false;
    p.given[static_cast<size_t>(at)] = args[positional + n], ++used;
  }
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!p.given[i] && p.gatherer != i && !arguments[i].default_value) return false;
  return used == keywords;
}

bool fits(const ir::FunctionSchema& schema, const Places& p, Unknown mode) {
  for (size_t i = 0; i < p.given.size(); ++i)
    if (p.given[i] && !takes(schema.arguments()[i], *p.given[i], mode)) return false;
  for (ArgRef a : p.gathered)
    if (!is_int(ir::type_of(a)) && !is_unknown(ir::type_of(a))) return false;
  return true;
}

// x.shape: the attribute that getattr(x, "shape") reads; "" for other nodes.
std::string_view attribute_read(const Node& node) {
  const std::string& name = node.target().name();
  if (node.op() != ir::Op::CallFunction || (name != "getattr" && name != "builtins.getattr") || node.arg_count() != 2 ||
      !node.arg(1).is(ArgKind::Str))
    return {};
  return node.arg(1).as_str();
}

// A node's arguments, without the name of an attribute that it reads.
std::vector<ArgRef> arguments_of(const Node& node) {
  std::vector<ArgRef> args;
  args.reserve(node.arg_count());
  for (auto it = node.args_begin(); it != node.args_end(); ++it) args.push_back(*it);
  if (!attribute_read(node).empty()) args.pop_back();
  return args;
}

// One argument as the schema spells it: lists where it says lists, a float where it says float.
void add_as(Args& out, const ir::Argument& argument, ArgRef given) {
  Type expected = argument.type.is(TypeKind::Optional) ? argument.type.element() : argument.type;
  if (expected.is(TypeKind::Float) && given.is(ArgKind::Int)) return void(out.add(static_cast<double>(given.as_int())));
  if (expected.is(TypeKind::Device) && given.is(ArgKind::Str)) {
    Device d;
    if (parse_device(given.as_str(), d)) return void(out.add(d));
  }
  if (expected.is(TypeKind::List) && !given.is_none()) {
    bool one = given.is(ArgKind::Int) || given.is(ArgKind::SymInt) || (given.node() && is_int(given.node()->type()));
    if (given.is(ArgKind::Tuple) || (one && argument.list_size > 0)) {
      out.open(ArgKind::List);
      if (one)
        for (int k = 0; k < argument.list_size; ++k) out.add(given);
      else
        for (ArgRef part : given) out.add(part);
      return void(out.close());
    }
  }
  out.add(given);
}

// --- Names.

struct Name {
  const OverloadSet* overloads = nullptr;
  const OverloadSet* others = nullptr;  // tried next: what numbers, lists or index expressions have under another name
  const OverloadSet* reflected = nullptr;  // with the arguments swapped, where a number stands on the left of Python's operator
};

// Modules whose functions are operators under their own names.
constexpr std::string_view kModules[] = {"torch.nn.functional.",
                                         "torch._C._nn.",
                                         "torch._C._VariableFunctions.",
                                         "torch._C._TensorBase.",
                                         "torch.functional.",
                                         "torch.Tensor.",
                                         "torch.special.",
                                         "torch.",
                                         "builtins.",
                                         "math."};

std::string_view without_prefix(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : std::string_view();
}

const OverloadSet* set_of(std::string_view base) {
  if (base.empty()) return nullptr;
  return Registry::global().find_overloads(base.find("::") == std::string_view::npos ? concat("aten::", base) : base);
}

Name named(const Node& node) {
  std::string_view name = node.target().name();
  if (node.op() == ir::Op::CallMethod) return {set_of(name)};
  if (node.op() != ir::Op::CallFunction) return {};
  if (name.find("::") != std::string_view::npos) return {Registry::global().find_overloads(name)};
  if (ir::OperatorUse use = ir::python_operator(name)) {
    const ir::PythonOperator& o = *use.row;
    if (use.inplace) return {set_of(concat(o.tensors, "_")), set_of(o.numbers.empty() ? o.tensors : o.numbers), set_of(o.reflected)};
    return {set_of(o.tensors), o.numbers == o.tensors ? nullptr : set_of(o.numbers), set_of(o.reflected)};
  }
  if (std::string_view spelled = without_prefix(name, "torch.ops."); !spelled.empty()) return {find_in_torch_ops(spelled)};
  if (std::string_view attribute = attribute_read(node); !attribute.empty())
    return {set_of(attribute == "shape" ? "size" : attribute == "ndim" ? "dim" : "")};
  for (std::string_view module : kModules)
    if (std::string_view base = without_prefix(name, module); !base.empty())
      if (base.find('.') == std::string_view::npos) return {set_of(base)};
  return {};
}

const Operator* choose(const OverloadSet& set, const std::vector<ArgRef>& args, const Node& node) {
  Places p;
  for (Unknown mode : {Unknown::Tensor, Unknown::Anything})
    for (const Operator* op : set.overloads)
      if (place(op->schema(), args, node, p) && fits(op->schema(), p, mode)) return op;
  return nullptr;
}

bool is_reflected(const Node& node, const std::vector<ArgRef>& args) {
  return args.size() == 2 && node.positional_count() == 2 && is_number(ir::type_of(args[0])) && !is_number(ir::type_of(args[1]));
}

}  // namespace

const ir::OpInfo* resolve(const Node& node) {
  Name name = named(node);
  std::vector<ArgRef> args = arguments_of(node);
  for (const OverloadSet* set : {name.overloads, name.others})
    if (const Operator* op = set ? choose(*set, args, node) : nullptr) return op;
  if (!name.reflected || !is_reflected(node, args)) return nullptr;
  std::swap(args[0], args[1]);
  return choose(*name.reflected, args, node);
}

static bool has_keyword(const Node& node, std::string_view name) {
  for (size_t k = 0; k + node.positional_count() < node.arg_count(); ++k)
    if (node.keyword(k) == name) return true;
  return false;
}

bool impure_by_name(const Node& node) {
  if (ir::OperatorUse use = node.op() == ir::Op::CallFunction ? ir::python_operator(node.target().name()) : ir::OperatorUse()) {
    if (use.row->form == ir::OperatorForm::SetItem) return true;
    return use.inplace && set_of(concat(use.row->tensors, "_"));
  }
  const OverloadSet* set = named(node).overloads;
  auto takes_out = [](const Operator* op) { return !op->schema().arguments().empty() && op->schema().arguments().back().out; };
  auto impure = [&](const Operator* op) { return !op->effects().droppable() && (!takes_out(op) || has_keyword(node, "out")); };
  return set && std::ranges::any_of(set->overloads, impure);
}

const OverloadSet* number_operator(std::string_view function) {
  ir::OperatorUse use = ir::find_python_operator(function);
  return use && !use.inplace ? set_of(use.row->numbers) : nullptr;
}

std::optional<Args> bound_args(const Operator& op, const Node& node) {
  const auto& arguments = op.schema().arguments();
  if (op.schema().is_vararg()) return {};
  std::vector<ArgRef> args = arguments_of(node);
  Places p;
  if (!place(op.schema(), args, node, p)) return {};
  // 10 - x: the operator takes its tensor first.
  if (is_reflected(node, args) && arguments[0].type.is(TypeKind::Tensor)) std::swap(p.given[0], p.given[1]);
  Args out;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (p.gatherer == i) {
      out.open(ArgKind::List);
      for (ArgRef a : p.gathered) out.add(a);
      out.close();
    } else {
      add_as(out, arguments[i], p.given[i] ? *p.given[i] : (*arguments[i].default_value)[0]);
    }
  }
  return out;
}

bool Operator::canonicalize(Node* node) const {
  bool changed = false;
  if (auto args = bound_args(*this, *node)) {
    const ir::Skeleton* before = &node->skeleton();
    std::vector<Node*> inputs;
    inputs.reserve(node->input_count());
    for (size_t k = 0; k < node->input_count(); ++k) inputs.push_back(node->input(k));
    node->graph()->set_args(node, *args);
    changed = before != &node->skeleton();  // skeletons are interned
    for (size_t k = 0; k < inputs.size() && !changed; ++k) changed = inputs[k] != node->input(k);
  }
  return (canonical_rule && canonical_rule(node)) || changed;
}

void install_operators() {
  ir::set_registry({[](std::string_view name) -> const ir::OpInfo* { return Registry::global().find(name); }, &resolve});
}

}  // namespace monograph
