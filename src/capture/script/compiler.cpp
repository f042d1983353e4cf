// Nodes, names and functions: what all parts of the compiler share.
#include "capture/script/compiler.h"

#include <algorithm>

#include "capture/script/function_compiler.h"
#include "capture/script/parser.h"
#include "capture/writer.h"
#include "core/stack.h"
#include "ir/bind.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/registry.h"

namespace monograph::capture::script {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Node;
using ir::Type;
using ir::TypeKind;

FunctionCompiler::FunctionCompiler(Host& host, ir::Graph& graph, bool none_alone, bool lenient, bool bare)
    : host_(host), graph_(graph), regions_(graph), none_alone_(none_alone), lenient_(lenient), bare_(bare) {
  use_operators();
  graph_.set_level(ir::Level::Operator);
  graph_.insert_at_end(graph_.root());
}

// --- Errors and places.

void FunctionCompiler::wrong(const TextRange& at, std::string message) const {
  if (!missing_.empty()) message += concat("; but there is no operator ", missing_, ", and what it gives is not known");
  raise_at(source(), at, std::move(message));
}
void FunctionCompiler::unsupported(const TextRange& at, std::string what, std::string_view instead) const {
  raise_at(source(), at, concat(what, " is not supported in a script", instead.empty() ? "" : "; ", instead), ErrorKind::Runtime);
}
void FunctionCompiler::check_stack(const TextRange& at) const {
  if (stack_room() < kStackOfLevel)
    raise_at(source(), {at.begin, at.begin + 1},
             "the program nests deeper here than the stack of this thread allows; give a part a name or a function of its own");
}
void FunctionCompiler::locate(const TextRange& at) {
  graph_.set_location(place_of(at), scope_.empty() ? scope_ : concat("__module.", scope_));
}
ScriptValue FunctionCompiler::number_in(const TextRange& at, const ScriptValue& v, const Type& wanted) {
  if (!type_of(v).is(TypeKind::Tensor) || (!wanted.is(TypeKind::Int) && !wanted.is(TypeKind::Float))) return v;
  return emit(at, wanted.is(TypeKind::Int) ? "aten::IntImplicit" : "aten::FloatImplicit", {v});
}
Span FunctionCompiler::place_of(const TextRange& at) const {
  const Span span = source().span(at);
  return frame_->call ? below_call(span, frame_->call) : span;
}
// "relu", "Point.norm", "Block.forward of 'blocks.1'".
std::string FunctionCompiler::shown_name(const HostFunction& f, const ScriptValue* self) {
  const std::string& name = f.function->name;
  if (self && self->kind == ScriptValue::Kind::Module) {
    const HostModule& m = module_of(*self);
    return concat(m.type.substr(m.type.rfind('.') + 1), ".", name, m.path.empty() ? "" : concat(" of '", m.path, "'"));
  }
  if (!self || !self->type.is(TypeKind::Class)) return name;
  const auto c = host_.classes.find(self->type.name());
  return c != host_.classes.end() && c->second->method(name) == f.function ? concat(c->second->short_name(), ".", name) : name;
}

// --- Values.

ScriptValue FunctionCompiler::node_value(Node* n) const {
  ScriptValue v;
  v.arg = Args(n), v.type = n->type();
  return v;
}
ScriptValue FunctionCompiler::literal(const Args& arg) const {
  ScriptValue v;
  v.arg = arg, v.type = ir::type_of(arg[0]);
  return v;
}

Type FunctionCompiler::type_of(const ScriptValue& v) const {
  if (v.kind == ScriptValue::Kind::Record) return record_type(v);
  if (v.kind != ScriptValue::Kind::Tuple) return v.type;
  std::vector<Type> parts;
  for (const ScriptValue& part : v.parts) {
    parts.push_back(type_of(part));
    if (!parts.back()) return {};
  }
  return Type::tuple(parts);
}

ScriptValue FunctionCompiler::made_list(const TextRange& at, const ScriptValue& list) {
  Args args;
  for (const ScriptValue& part : list.parts) args.add(arg_of(at, part)[0]);
  locate(at);
  Node* n = graph_.call("prim::ListConstruct", args);
  graph_.set_type(n, list.type);
  if (list.id) container_nodes_.emplace_back(n, containers_[static_cast<size_t>(list.id) - 1]);
  return node_value(n);
}

Args FunctionCompiler::arg_of(const TextRange& at, const ScriptValue& v, bool inline_lists) {
  switch (v.kind) {
    case ScriptValue::Kind::Plain: return v.arg;
    case ScriptValue::Kind::Tuple: {
      Args tuple;
      tuple.open(ArgKind::Tuple);
      for (const ScriptValue& part : v.parts) tuple.add(arg_of(at, part)[0]);
      return tuple.close();
    }
    case ScriptValue::Kind::List: {
      if (!inline_lists) return made_list(at, v).arg;
      Args list;
      list.open(ArgKind::List);
      for (const ScriptValue& part : v.parts) list.add(arg_of(at, part, true)[0]);
      return list.close();
    }
    case ScriptValue::Kind::Record: {
      Args args;
      for (const ScriptValue& part : v.parts) args.add(arg_of(at, part)[0]);
      const Type type = record_type(v);
      if (!type) wrong(at, concat("a field of this ", v.text.substr(v.text.rfind('.') + 1), " has no type that a graph knows"));
      locate(at);
      Node* n = graph_.call("prim::TupleConstruct", args);
      graph_.set_type(n, type);
      return Args(n);
    }
    case ScriptValue::Kind::Namespace:
      wrong(at, v.text.empty() ? "a module cannot be a value in a graph; read one of its attributes" : v.text);
    case ScriptValue::Kind::Operator:
    case ScriptValue::Kind::Builtin:
    case ScriptValue::Kind::Function:
    case ScriptValue::Kind::Bound:
    case ScriptValue::Kind::Graph:
    case ScriptValue::Kind::BoundMethod:
    case ScriptValue::Kind::Local: wrong(at, "a function cannot be a value in a graph; call it");
    case ScriptValue::Kind::Module:
    case ScriptValue::Kind::Chosen:
      wrong(at, "an nn.Module cannot be a value in a graph; call it, read its attributes, or iterate over it in a for");
    case ScriptValue::Kind::Method:
      if (v.parts[0].kind == ScriptValue::Kind::Chosen)
        wrong(at, concat("a module that an index chooses when the script runs has methods alone, and '", v.text, "' is read here"));
      wrong(at, concat("a value of type ", spelled(type_of(v.parts[0])), " has no attribute '", v.text,
                       "' that a script can read; a method must be called"));
    case ScriptValue::Kind::Keywords: wrong(at, "the dict of keyword arguments cannot be a value in a graph; read its items by name");
    case ScriptValue::Kind::Context: wrong(at, concat("torch.", v.text, "() is allowed only after `with`"));
    case ScriptValue::Kind::Class:
    case ScriptValue::Kind::RecordClass:
    case ScriptValue::Kind::Type:
    case ScriptValue::Kind::Exception: wrong(at, "a class cannot be a value in a graph");
    case ScriptValue::Kind::Iterable:
      if (v.text == "slice") wrong(at, "slice(...) can only be an index");
      wrong(at, concat(v.text, "(...) can only be iterated by a for or a comprehension"));
  }
  return {};
}

Node* FunctionCompiler::node_of(const TextRange& at, const ScriptValue& v) {
  const Args arg = arg_of(at, v);
  if (Node* n = arg[0].node()) return n;
  locate(at);
  const bool tuple = arg[0].is(ArgKind::Tuple);
  Args parts;
  if (tuple)
    for (ArgRef part : arg[0]) parts.add(part);
  else parts.kw("value", arg);
  Node* n = graph_.call(tuple ? "prim::TupleConstruct" : "prim::Constant", parts);
  graph_.set_type(n, type_of(v));
  return n;
}

std::optional<size_t> FunctionCompiler::known_length(const ScriptValue& v) const {
  if (v.kind == ScriptValue::Kind::Tuple || v.kind == ScriptValue::Kind::List || v.kind == ScriptValue::Kind::Keywords)
    return v.parts.size();
  if (v.type.is(TypeKind::Tuple) || v.type.is(TypeKind::NamedTuple)) return v.type.elements().size();
  if (v.kind == ScriptValue::Kind::Module)
    if (auto m = modules_.find(v.id); m != modules_.end() && m->second.kind != HostModule::Items::None) return m->second.items.size();
  return {};
}

// The parts of a tuple, or of a list that was just written.
std::vector<ScriptValue> FunctionCompiler::items_of(const TextRange& at, const ScriptValue& v) {
  if (v.kind == ScriptValue::Kind::Tuple || v.kind == ScriptValue::Kind::List) return v.parts;
  if (v.kind == ScriptValue::Kind::Module) return module_items(at, v);
  if (v.kind == ScriptValue::Kind::Keywords) {
    std::vector<ScriptValue> keys;
    for (const std::string& key : v.names) keys.push_back(literal(Args(key)));
    return keys;
  }
  std::vector<ScriptValue> items;
  Node* whole = node_of(at, v);
  for (size_t k = 0; k < v.type.elements().size(); ++k) items.push_back(tuple_item(at, whole, v.type, k));
  return items;
}

ScriptValue FunctionCompiler::tuple_item(const TextRange& at, Node* whole, Type type, size_t k) {
  locate(at);
  Node* n = graph_.call("prim::TupleIndex", Args(whole, static_cast<int64_t>(k)));
  graph_.set_type(n, type.elements()[k]);
  return node_value(n);
}

// Item k of them, without the nodes that the others would need.
ScriptValue FunctionCompiler::item_of(const TextRange& at, const ScriptValue& v, size_t k) {
  if (v.kind == ScriptValue::Kind::Plain && k < v.type.elements().size()) return tuple_item(at, node_of(at, v), v.type, k);
  return items_of(at, v)[k];
}

ScriptValue FunctionCompiler::converted(const TextRange& at, const ScriptValue& given, Type to, std::string_view what) {
  ScriptValue v = to && to.is(TypeKind::Any) ? given : guessed_as(given, to);
  const Type from = type_of(v);
  if (v.kind == ScriptValue::Kind::List && v.parts.empty() && (to.is(TypeKind::Optional) ? to.element() : to).is(TypeKind::List)) {
    ScriptValue list = v;
    list.type = to.is(TypeKind::Optional) ? to.element() : to;
    return list;
  }
  if (!to || to.is(TypeKind::Any)) return v;
  if (!from) wrong(at, concat(what, " has type ", spelled(to), ", but the type of this value is unknown"));
  if (is_subtype(widened(from), to)) return v;
  if (from.is(TypeKind::Optional))
    if (const ScriptValue there = present(at, v); there.type != v.type) return converted(at, there, to, what);
  // Dtypes and layouts are ints in TorchScript.
  const Type wanted = to.is(TypeKind::Optional) ? to.element() : to;
  if ((from.is(TypeKind::DType) || from.is(TypeKind::Layout)) && wanted.is(TypeKind::Int)) return as_numbers(at, v);
  if (from.is(TypeKind::Int) && wanted.is(TypeKind::DType)) return literal(enumerated(at, v.arg[0], TypeKind::DType));
  // What item() gives becomes the number that is wanted, as in TorchScript.
  const Type number = to.is(TypeKind::Optional) ? to.element() : to;
  if (from.is(TypeKind::Number) && (number.is(TypeKind::Int) || number.is(TypeKind::Float)))
    return emit(at, number.is(TypeKind::Int) ? "aten::Int" : "aten::Float", {v});
  // A list that was just written takes the wider type of what it is for.
  if (v.kind == ScriptValue::Kind::List && to.is(TypeKind::List)) {
    ScriptValue list = v;
    list.type = to;
    for (ScriptValue& part : list.parts) part = converted(at, part, to.element(), what);
    return list;
  }
  if (v.kind == ScriptValue::Kind::Tuple && to.is(TypeKind::Tuple) && to.elements().size() == v.parts.size()) {
    ScriptValue tuple = v;
    for (size_t k = 0; k < v.parts.size(); ++k) tuple.parts[k] = converted(at, v.parts[k], to.elements()[k], what);
    return tuple;
  }
  // So does a tuple of such values, as in TorchScript.
  const Type list_type = to.is(TypeKind::Optional) ? to.element() : to;
  if (v.kind == ScriptValue::Kind::Tuple && list_type.is(TypeKind::List) &&
      std::ranges::all_of(from.elements(), [&](Type part) { return is_subtype(widened(part), list_type.element()); })) {
    ScriptValue list = v;
    list.kind = ScriptValue::Kind::List, list.type = list_type;
    return list;
  }
  if (v.kind == ScriptValue::Kind::Plain && from.is(TypeKind::Tuple) && list_type.is(TypeKind::List) &&
      std::ranges::all_of(from.elements(), [&](Type part) { return is_subtype(widened(part), list_type.element()); })) {
    ScriptValue list;
    list.kind = ScriptValue::Kind::List, list.type = list_type, list.parts = items_of(at, v);
    return list;
  }
  std::string remedy;
  if (to.is(TypeKind::Float) && from.is(TypeKind::Int)) remedy = "; write float(...), or 2.0 for 2";
  else if (to.is(TypeKind::Int) && (from.is(TypeKind::Float) || from.is(TypeKind::Bool))) remedy = "; write int(...)";
  else if (from.is(TypeKind::Optional) && is_subtype(widened(from.element()), to)) remedy = "; check `is not None` first";
  else if (from.is(TypeKind::Tensor) && (to.is(TypeKind::Int) || to.is(TypeKind::Float) || to.is(TypeKind::Bool)))
    remedy = concat("; write ", spelled(to), "(...)");
  wrong(at, concat(what, " has type ", spelled(to), ", but this value has type ", spelled(from), remedy));
}

// --- Nodes.

namespace {

// Whether an expression is a constant as it is written: a literal, or a name of math or torch.
bool is_constant_text(const Expr& e) {
  switch (e.kind) {
    case SyntaxKind::Number:
    case SyntaxKind::String:
    case SyntaxKind::True:
    case SyntaxKind::False:
    case SyntaxKind::None: return true;
    case SyntaxKind::Unary:
    case SyntaxKind::Tuple: return std::ranges::all_of(e.parts, [](const Expr* part) { return is_constant_text(*part); });
    case SyntaxKind::Attribute:
      return (e.parts[0]->kind == SyntaxKind::Name && (e.parts[0]->text == "math" || e.parts[0]->text == "torch")) ||
             is_constant_text(*e.parts[0]);
    default: return false;
  }
}

// Why an argument that may be None, or of several types, does not fit; "" where all do.
std::string optional_misfit(const Node& n, const ir::OpInfo& op) {
  const std::optional<Args> bound = ir::bound_args(op.schema(), n);
  if (!bound) return {};
  for (size_t k = 0; k < bound->size(); ++k) {
    const Type given = ir::type_of((*bound)[k]), expected = op.schema().arguments()[k].type;
    if (!given || (!given.is(TypeKind::Optional) && !given.is(TypeKind::Union) && !given.is(TypeKind::Any))) continue;
    if (expected.is(TypeKind::Optional) || expected.is(TypeKind::Any) || expected.is(TypeKind::Variable)) continue;
    if (is_subtype(widened(given), expected)) continue;  // a Union of int and float is a number
    return concat(op.schema().name().substr(op.schema().name().find("::") + 2), "(): argument '", op.schema().arguments()[k].name,
                  "' must be ", spelled(widened(expected)), ", but this value has type ", spelled(given),
                  given.is(TypeKind::Optional) ? "; check `is not None` first" : "; check its type with isinstance first");
  }
  return {};
}

// The overload that the call means. An argument that may be None fits to the first one as long as it is not known: another one may take None.
const ir::OpInfo* taking_none(const Node& n, const ir::OpInfo* op) {
  const std::string why = optional_misfit(n, *op);
  if (why.empty()) return op;
  const std::string& name = op->schema().name();
  if (const OverloadSet* set = Registry::global().find_overloads(name.substr(0, name.find('.', name.find("::")))))
    for (const Operator* other : set->overloads)
      if (ir::misfit(other->schema(), n).empty() && optional_misfit(n, *other).empty()) return other;
  fail(ErrorKind::Runtime, why);
}

}  // namespace

Type FunctionCompiler::result_type(const Node& n, const ir::OpInfo& op) {
  Type type;
  try {
    type = op.infer(n);
  } catch (const Error& e) {
    // Sizes that do not fit: an arm that never runs may have them. One that runs raises then.
    if (regions_.depth() == 0 || e.kind() == ErrorKind::Type) throw;
  }
  if (type && !has_variables(type)) return type;
  TypeVariables variables;
  if (const std::optional<Args> bound = ir::bound_args(op.schema(), n))
    for (size_t k = 0; k < bound->size(); ++k)
      if (!variables.match(op.schema().arguments()[k].type, ir::type_of((*bound)[k])))
        fail(ErrorKind::Runtime, op.schema().name().substr(op.schema().name().find("::") + 2), "(): argument '",
             op.schema().arguments()[k].name, "' has type ", spelled(ir::type_of((*bound)[k])),
             ", which does not fit to the other arguments");
  std::vector<Type> types;
  for (const ir::Argument& r : op.schema().returns()) types.push_back(variables.substitute(r.type));
  return types.empty() ? Type(TypeKind::None) : types.size() == 1 ? types[0] : Type::tuple(types);
}

namespace {

// What went wrong with a call that means no operator.
std::string no_operator(std::string_view surface, const Args& args, const Node& n) {
  if (std::string why = misfit(n); !why.empty()) return why;
  std::string types;
  for (size_t k = 0; k < args.size(); ++k) types += (k ? ", " : "") + spelled(ir::type_of(args[k]));
  if (surface.starts_with("operator.")) return concat("no operator takes these operands: ", surface.substr(9), "(", types, ")");
  std::string shown(surface.starts_with("aten::") ? surface.substr(6) : surface);
  if (shown.starts_with("torch.functional.")) shown = concat("torch.", shown.substr(17));
  const OverloadSet* overloads = Registry::global().find_overloads(concat("aten::", shown.substr(shown.rfind('.') + 1)));
  if (!overloads) return concat(shown, "(", types, ") is not an operator that a script can call");
  std::string schemas;
  for (const Operator* op : overloads->overloads)
    if (overloads->in_python(*op)) schemas += concat("\n  ", to_string(op->schema()));
  return concat(shown, "() cannot be called with (", types, "). Its operator is:", schemas);
}

// Whether keyword-only arguments have keywords. A call by the operator's own name may give them by position, a call of Python's function may not.
bool takes_by_keyword(const ir::OpInfo& op, const Node& n) {
  const ir::NodeCall node_as_call(n);
  ir::Call<ArgRef> call = node_as_call.call();
  call.in_order = false, call.device_last = true;
  ir::ArgumentSources sources;
  return !ir::place(op.schema(), call, sources);
}

}  // namespace

// Whether a use asks first whether it is None.
bool FunctionCompiler::checked_when_used(const Node* n) const {
  return present_reads_.contains(n) || (lenient_ && ir::attribute_read(*n).empty());
}

bool FunctionCompiler::is_used_as_present(const Node* n) const {
  if (!n || !n->type().is(TypeKind::Optional)) return false;
  if (lenient_ || present_reads_.contains(n) || !ir::attribute_read(*n).empty()) return true;
  // In an archive it is the call of an operator.
  const std::string_view name = host_.serialized() && n->info() && !n->is_projection() ? n->info()->schema().name() : std::string_view();
  return name.starts_with("prim::") && Registry::global().find_attribute(name.substr(std::string_view("prim::").size()));
}

// An attribute of a tensor that may be None, such as x.grad, is used as one that is there, as in TorchScript. Where it is None, what gets it raises. So is an
// attribute of which a condition said that it is not None; that is asked once more, because a call may have changed it.
ScriptValue FunctionCompiler::present(const TextRange& at, const ScriptValue& v) {
  Node* n = v.kind == ScriptValue::Kind::Plain ? v.arg[0].node() : nullptr;
  if (!is_used_as_present(n)) return v;
  if (checked_when_used(n)) {
    locate(at);
    regions_.begin_if(node_of(at, emit(at, "aten::__isnot__", {v, literal(Args().none())})));
    regions_.begin_else();
    const bool attribute = n->arg_count() == 2 && n->arg(1).is(ArgKind::Str);
    const std::string name = attribute ? n->arg(1).as_str() : n->name();
    const bool said = present_reads_.contains(n);
    raise_exception(
        at,
        literal(Args(concat(
            "'", name, said ? "' is None, although a condition said that it is not" : "' is None here, where the program needs a value"))),
        said ? "RuntimeError" : "TypeError");
    regions_.leave(ir::RegionBuilder::Leave::Forever);
    regions_.end_if();
  }
  locate(at);
  Node* cast = graph_.call("prim::unchecked_cast", v.arg);
  graph_.set_target(cast, graph_.resolved(cast->target().name(), cast->target().name()));
  graph_.set_type(cast, n->type().element());
  return node_value(cast);
}
Args FunctionCompiler::with_attributes(const TextRange& at, const Args& args) {
  const auto there = [&](Node* n) { return present(at, node_value(n)).arg[0].as_node(); };
  return each_argument(args, [&](Args& out, size_t k) { out.add_mapped(args[k], there); });
}

// In code that may never run, the call of an operator that Monograph lacks is no error of the compiler: it raises where it runs.
bool FunctionCompiler::may_be_missing(const std::string& name) const {
  return !in_trial_ && regions_.depth() > 0 && name.starts_with("aten::") && !Registry::global().find_overloads(name) &&
         host_.is_pytorchs(name.substr(6));
}

ScriptValue FunctionCompiler::lacking(const TextRange& at, const std::string& name) {
  raise_exception(at, literal(Args(concat("Monograph lacks the operator ", name, " of PyTorch"))), "NotImplementedError");
  return typed_call(at, "prim::Uninitialized", {}, TypeKind::Tensor);
}

ScriptValue FunctionCompiler::emit(const TextRange& at, std::string_view surface, const Args& args, std::string_view otherwise) {
  const bool asks = surface == "aten::__is__" || surface == "aten::__isnot__";
  const auto read = [&](const Node* n) { return is_used_as_present(n) && !checked_when_used(n); };
  if (!asks && std::ranges::any_of(args.nodes(), read)) return emit(at, surface, with_attributes(at, args), otherwise);
  locate(at);
  Node* n = graph_.call(surface, args);
  const ir::OpInfo* op = nullptr;
  Type type;
  try {
    op = resolve(*n);
    if (!op && !otherwise.empty()) {
      graph_.set_target(n, graph_.target(otherwise));
      op = resolve(*n);
      if (op && takes_by_keyword(*op, *n)) surface = otherwise;
      else op = nullptr, graph_.set_target(n, graph_.target(surface));
    }
    if (const std::optional<Args> named = op ? with_named_dtypes(at, op->schema(), args) : std::nullopt) {
      graph_.erase(n);
      return emit(at, surface, *named, otherwise);
    }
    // An operator may be found with the operands swapped, and not take them so.
    MONOGRAPH_CHECK(op && ir::misfit(op->schema(), *n).empty(), Runtime, no_operator(surface, args, *n));
    op = taking_none(*n, op);
    if (autocast_)
      if (const std::optional<Args> cast = autocast_args(at, *op, args)) {
        graph_.erase(n);
        const Kept<std::optional<DType>> region(autocast_);
        autocast_.reset();
        return emit(at, surface, *cast, otherwise);
      }
    graph_.set_target(n, graph_.resolved(surface, op->name()));
    type = result_type(*n, *op);
  } catch (const SourceError&) {
    graph_.erase(n);
    throw;
  } catch (const Error& e) {
    const std::string what = e.what();
    graph_.erase(n);
    // What takes no None gets what a condition said to be there.
    if (std::ranges::any_of(args.nodes(), [&](const Node* arg) { return is_used_as_present(arg); }))
      return emit(at, surface, with_attributes(at, args), otherwise);
    wrong(at, what);
  }
  if (op->results() == 0) return graph_.set_type(n, TypeKind::None), literal(Args().none());
  if (op->results() == 1) {
    if (!type) type = TypeKind::Any;
    if (type.is(TypeKind::SymInt)) type = TypeKind::Int;
    graph_.set_type(n, type);
    return node_value(n);
  }
  graph_.set_results(n, type.elements());
  ScriptValue tuple;
  tuple.kind = ScriptValue::Kind::Tuple;
  for (size_t k = 0; k < op->results(); ++k) tuple.parts.push_back(node_value(graph_.project(n, k)));
  return tuple;
}

ScriptValue FunctionCompiler::emit(const TextRange& at, std::string_view surface, std::initializer_list<ScriptValue> values) {
  Args args;
  for (const ScriptValue& v : values) args.add(arg_of(at, v, !surface.starts_with("aten::"))[0]);
  return emit(at, surface, args);
}

// --- Names.

ScriptVariable* FunctionCompiler::find_variable(const std::string& name) {
  for (FunctionFrame* f = frame_; f; f = f->outer)
    if (auto found = f->variables.find(name); found != f->variables.end()) return &found->second;
  return nullptr;
}

HostValue FunctionCompiler::look_up(const std::string& name) { return host_.name(frame_->function.scope, name); }

// What the name of a type means: `Point`, `shapes.Point`.
HostValue FunctionCompiler::named_type(const Expr& e) {
  if (e.kind == SyntaxKind::Name) return look_up(e.text);
  if (e.kind != SyntaxKind::Attribute || e.parts[0]->kind != SyntaxKind::Name) return {};
  const HostValue home = look_up(e.parts[0]->text);
  return home.kind == HostValue::Kind::Namespace ? host_.attribute(home.id, e.text) : home;
}

Type FunctionCompiler::annotation(const Expr& e) {
  return type_of_annotation(source(), e, [&](const Expr& named) -> Type {
    const HostValue v = named_type(named);
    if (v.kind == HostValue::Kind::Interface) return TypeKind::Any;
    if (v.kind == HostValue::Kind::Refused || (v.kind == HostValue::Kind::Namespace && !v.text.empty())) wrong(named.range, v.text);
    if (v.kind == HostValue::Kind::Class) return class_of(named.range, v.id).type;
    if (v.kind == HostValue::Kind::Builtin && v.text != named.text) {  // another name of one of Python's types: Message = str
      Expr word;
      word.kind = SyntaxKind::Name, word.text = v.text, word.range = named.range;
      return type_of_annotation(source(), word, [](const Expr&) { return Type(); });
    }
    return v.kind == HostValue::Kind::Type ? v.type : Type();
  });
}

// --- Functions.

namespace {

// A parameter's default as a placeholder has it; an error where it is no constant.
bool is_constant(ArgRef a) {
  if (a.is(ArgKind::Node)) return false;
  for (ArgRef part : a)
    if (!is_constant(part)) return false;
  return true;
}

bool holds_future(Type type) {
  if (!type) return false;
  if (type.is(TypeKind::Future)) return true;
  return std::ranges::any_of(type.elements(), holds_future);
}

// An If that gives and does nothing.
bool is_empty_if(const Node& n) {
  if (!n.is_if() || n.result_count() > 0) return false;
  for (size_t k = 0; k < n.block_count(); ++k)
    if (n.block(k)->first() != n.block(k)->output()) return false;
  return true;
}

// Removes results of If and Loop, and projections, that nobody uses: the compiler makes them before it knows. Whether there were any: what they used may be
// unused now.
// With `reads`, so do reads of attributes and branches without nodes, which PyTorch's code has not either.
bool remove_unused_once(ir::Graph& graph, bool reads) {
  bool changed = false;
  std::vector<Node*> nodes;
  for (Node* n : ir::NestedNodes(graph)) nodes.push_back(n);
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    Node* n = *it;
    if (n->erased()) continue;
    if (reads && (n->target().name() == "prim::GetAttr" || is_empty_if(*n)) && !n->has_uses()) {
      graph.erase(n);
      changed = true;
      continue;
    }
    if ((n->is_projection() || n->target().name() == "prim::unchecked_cast" || n->target().name() == "prim::EnumMember" ||
         n->target().name() == "prim::Uninitialized") &&
        !n->has_uses()) {
      graph.erase(n);
      changed = true;
      continue;
    }
    if (!n->is_if() || n->result_count() == 0) continue;
    std::vector<bool> unused;
    for (size_t k = 0; k < n->result_count(); ++k) unused.push_back(n->multi() ? !n->result(k) : !n->has_uses());
    if (std::ranges::find(unused, true) == unused.end()) continue;
    graph.remove_results(n, unused);
    changed = true;
  }
  return changed;
}

}  // namespace

namespace {

// Whether a list of numbers is wanted, and one number is given.
bool list_for_number(Type wanted, Type given) {
  if (wanted.is(TypeKind::Optional)) wanted = wanted.element();
  const bool number = given.is(TypeKind::Int) || given.is(TypeKind::Float);
  return number && wanted.is(TypeKind::List) && (wanted.element() == widened(given) || wanted.element().is(TypeKind::Float));
}

// Whether a function of the library takes it as its Python does, although the annotation says another type: a number for a list of numbers, an int for a
// float, and (None, 3) for sizes, whose None stands for the size of the input.
bool as_in_python(Type wanted, Type given) {
  if (list_for_number(wanted, given) || (wanted.is(TypeKind::Float) && given.is(TypeKind::Int))) return true;
  return wanted.is(TypeKind::List) && wanted.element().is(TypeKind::Int) && given.is(TypeKind::Tuple) &&
         std::ranges::any_of(given.elements(), [](Type part) { return part.is(TypeKind::None); });
}

}  // namespace

// One number for a BroadcastingListN is a list of N.
ScriptValue FunctionCompiler::broadcast_number(const ScriptValue& v, const Parameter& p, Type type) const {
  const size_t n = p.type ? broadcast_length(*p.type) : 0;
  if (!n || !list_for_number(type, type_of(v))) return v;
  ScriptValue list;
  list.kind = ScriptValue::Kind::List, list.type = type.is(TypeKind::Optional) ? type.element() : type;
  list.parts.assign(n, v);
  return list;
}

// The value, or this other one where it is None.
ScriptValue FunctionCompiler::with_stand_in(const Expr& e, const ScriptValue& value, const ScriptValue& other, const std::string& name) {
  if (value.is_none()) return other;
  const Type type = value.type.element();
  ScriptVariable chosen;
  chosen.slot = regions_.slot(name), chosen.type = type;
  regions_.declare(chosen.slot, type);
  locate(e.range);
  regions_.begin_if(node_of(e.range, emit(e.range, "aten::__isnot__", {value, literal(Args().none())})));
  Node* cast = graph_.call("prim::unchecked_cast", value.arg);
  graph_.set_target(cast, graph_.resolved(cast->target().name(), cast->target().name()));
  graph_.set_type(cast, type);
  regions_.set(chosen.slot, Args(cast));
  regions_.begin_else();
  regions_.set(chosen.slot, arg_of(e.range, converted(e.range, other, type, concat("what stands for '", name, "'"))));
  regions_.end_if();
  return load(e, chosen);
}

void FunctionCompiler::bind_parameters(FunctionFrame& frame, const Expr& e, const Given& given) {
  const FunctionSyntax& f = *frame.function.function;
  std::vector<std::pair<std::string, ScriptValue>> named = given.named;
  size_t next = 0;
  FunctionFrame* caller = frame_;
  for (const Parameter& p : f.parameters) {
    std::optional<ScriptValue> value;
    if (p.kind == Parameter::Kind::Args) {
      value.emplace().kind = ScriptValue::Kind::Tuple;
      value->parts.assign(given.positional.begin() + static_cast<ptrdiff_t>(std::min(next, given.positional.size())),
                          given.positional.end());
      next = given.positional.size();
    } else if (p.kind == Parameter::Kind::Kwargs) {
      // The keywords that no later parameter takes; there is none behind it.
      value.emplace().kind = ScriptValue::Kind::Keywords;
      for (auto& [keyword, v] : named) {
        if (v.kind == ScriptValue::Kind::List) v = made_list(e.range, v);
        value->names.push_back(keyword), value->parts.push_back(std::move(v));
      }
      named.clear();
    } else if (!p.keyword_only && next < given.positional.size()) {
      value = given.positional[next++];
    }
    auto keyword = std::ranges::find(named, p.name, &std::pair<std::string, ScriptValue>::first);
    if (keyword != named.end()) {
      if (value) wrong(e.range, concat(f.name, "() got multiple values for argument '", p.name, "'"));
      value = keyword->second;
      named.erase(keyword);
    }
    frame_ = &frame;
    const bool known = value && is_known_alone(*value);  // by itself: a layer that two modules share, in a trace; a function
    const bool open = lenient_ || !value || value->is_none();  // else what it says must be a type of a script
    Type type = !p.type || p.kind != Parameter::Kind::Plain || known ? Type() : open ? open_annotation(*p.type) : annotation(*p.type);
    if (type.is(TypeKind::Any) && frame.function.library) type = {};  // a layer leaves open what it takes, and the value says more
    if (!value && p.default_value) {
      // The host knows the function of the scope, and none in it.
      const HostValue held = frame.outer ? HostValue() : host_.default_of(frame.function.scope, p.name);
      if (frame.outer && !is_constant_text(*p.default_value))
        unsupported(p.default_value->range,
                    "a default that the function computes, which Python does once, where it defines the inner function,");
      value = held.kind == HostValue::Kind::Missing ? expression(*p.default_value, type) : from_host(*p.default_value, held);
      if (is_known_alone(*value)) type = {};
    }
    frame_ = caller;
    if (!value) wrong(e.range, concat(f.name, "() is missing the argument '", p.name, "'"));
    if (value->is_none() || type_of(*value).is(TypeKind::Optional))
      if (const HostValue other = frame.outer ? HostValue() : host_.default_of(frame.function.scope, concat(p.name, " of None"));
          other.kind != HostValue::Kind::Missing)
        value = with_stand_in(e, *value, from_host(e, other), p.name);
    if (type && frame.function.overloaded && !is_subtype(widened(type_of(*value)), type)) type = {};
    if (type) value = broadcast_number(*value, p, type);
    if (frame.function.library && as_in_python(type, type_of(*value))) type = {};
    // Python asks no annotation: what uses the value asks whether it is None.
    const bool written = value->kind == ScriptValue::Kind::List || value->kind == ScriptValue::Kind::Tuple;
    if (lenient_ && !frame.function.library && !written && !is_subtype(widened(type_of(*value)), type)) type = {};
    // A tensor stands for the number in it, as in TorchScript.
    value = number_in(e.range, *value, type);
    if (type) value = converted(e.range, *value, type, concat("the argument '", p.name, "' of ", f.name, "()"));
    const bool fixed = value->kind != ScriptValue::Kind::Plain && value->kind != ScriptValue::Kind::List;
    if (fixed && value->kind != ScriptValue::Kind::Tuple) type = {};
    ScriptVariable v;
    v.type = type ? type : widened(type_of(*value)), v.range = p.range;
    bool plain_parts = value->kind == ScriptValue::Kind::Tuple;
    if (plain_parts)
      for (const ScriptValue& part : value->parts) plain_parts = plain_parts && part.kind == ScriptValue::Kind::Plain;
    if (fixed && !plain_parts) {
      v.fixed = *value;
    } else {
      v.slot = regions_.slot(p.name), v.depth = regions_.depth();
      if (v.type) regions_.declare(v.slot, v.type);
      regions_.set(v.slot, arg_of(e.range, *value));
      if (!frame.function.library) regions_.name_nodes(v.slot);  // what the caller gave keeps its name
    }
    frame.variables.emplace(p.name, std::move(v));
  }
  if (next < given.positional.size())
    wrong(e.range, concat(f.name, "() takes ", f.parameters.size(), " arguments, but ", given.positional.size(), " were given"));
  if (!named.empty()) wrong(e.range, concat(f.name, "() got an unexpected keyword argument '", named[0].first, "'"));
}

// Compiles the body; the frame's parameters are bound. The value is what it returns.
ScriptValue FunctionCompiler::run_body(FunctionFrame& frame) {
  FunctionFrame* caller = std::exchange(frame_, &frame);
  const FunctionSyntax& f = *frame.function.function;
  frame.depth = regions_.depth();
  frame.result = regions_.slot("result"), frame.returned = regions_.slot("returned");
  regions_.keep(frame.result), regions_.keep(frame.returned, Args(false));
  regions_.declare(frame.returned, TypeKind::Bool);
  // What the library leaves open, the values say.
  const bool open = f.returns && frame.function.library && text_at(f.returns->range).find("Any") != std::string_view::npos;
  // Python asks no annotation.
  if (f.returns && !open && (!lenient_ || frame.function.library)) frame.declared = open_annotation(*f.returns);
  if (frame.declared) regions_.declare(frame.result, frame.declared);
  // The end of the body is a return of None.
  Stmt end{};
  end.kind = StmtKind::Return, end.range = f.range;
  std::vector<Stmt*> body = f.body;
  body.push_back(&end);
  const Flow flow = block(body);
  if (frame.fixed_result) {
    frame_ = caller;
    return *frame.fixed_result;
  }
  ScriptValue value = literal(Args().none());
  if (!frame.results.empty()) {
    Type type = frame.declared;
    for (Type t : frame.results) type = type ? (frame.declared ? type : join(type, t)) : t;
    regions_.declare(frame.result, type);
    frame_ = caller;
    const Args result = regions_.get(frame.result);
    if (result[0].is(ArgKind::Tuple)) {
      value.kind = ScriptValue::Kind::Tuple, value.arg = {};
      for (ArgRef part : result[0]) value.parts.push_back(literal(Args().add(part)));
    } else {
      value.arg = result, value.type = ir::type_of(result[0]);
      if (!value.type) value.type = type;
      if (const std::optional<ScriptValue> record = frame.call ? as_record(f.range, value) : std::nullopt) value = *record;
    }
  }
  frame_ = caller;
  // What always raises still gives a value of the type that it declares, as far as the code behind its call is concerned.
  if (flow == Flow::Raises && frame.results.empty() && frame.declared && !frame.declared.is(TypeKind::None)) {
    Node* n = graph_.call("prim::Uninitialized", {});
    graph_.set_type(n, frame.declared);
    return node_value(n);
  }
  return value;
}

// F.max_pool2d(x, 2, return_indices=True) calls F.max_pool2d_with_indices: what a pool returns depends on a flag that is written in the call.
std::optional<HostFunction> FunctionCompiler::with_indices(const HostFunction& f, const Given& given) {
  const std::vector<Parameter>& parameters = f.function->parameters;
  const auto flag = std::ranges::find(parameters, "return_indices", &Parameter::name);
  constexpr std::string_view kSuffix = "_with_indices";
  if (!f.library || flag == parameters.end() || f.function->name.ends_with(kSuffix)) return {};
  const auto place = static_cast<size_t>(flag - parameters.begin());
  const ScriptValue* value = place < given.positional.size() ? &given.positional[place] : nullptr;
  for (const auto& [name, v] : given.named)
    if (name == flag->name) value = &v;
  if (!value || value->kind != ScriptValue::Kind::Plain || !value->arg[0].is(ArgKind::Bool) || !value->arg[0].as_bool()) return {};
  const HostValue other = host_.name(f.scope, concat(f.function->name, kSuffix));
  return other.kind == HostValue::Kind::Function ? std::optional(host_.function(other.id)) : std::nullopt;
}

ScriptValue FunctionCompiler::call_function(const Expr& e, const HostFunction& f, FunctionFrame* outer, const Given& given) {
  constexpr size_t kMostCalls = 256;
  if (f.unused) return call_unused(e, f);
  if (const std::optional<HostFunction> other = with_indices(f, given)) return call_function(e, *other, outer, given);
  std::optional<int64_t> self;
  if (!given.positional.empty() &&
      (given.positional[0].kind == ScriptValue::Kind::Module || given.positional[0].kind == ScriptValue::Kind::Namespace))
    self = given.positional[0].id;
  for (const InlinedCall& call : chain_)
    if (call.function == f.function && call.self == self && call.home == outer)
      unsupported(e.range, concat("the recursive call of ", f.function->name, "()"));
  if (chain_.size() > kMostCalls) wrong(e.range, concat("calls nest deeper than ", kMostCalls, " levels"));
  if (host_.keeps_calls() && !outer)
    if (std::optional<ScriptValue> v = kept_call(e, f, given)) return *v;
  FunctionFrame frame;
  frame.function = f, frame.name = f.function->name, frame.outer = outer;
  const std::string& called_from = frame_->call ? frame_->call->function : frame_->shown.empty() ? frame_->name : frame_->shown;
  frame.call = intern_call({shown_name(f, given.positional.empty() ? nullptr : given.positional.data()), called_from, place_of(e.range)});
  chain_.push_back({f.function, self, outer});  // in front of its defaults, which may call it
  FunctionFrame* caller = frame_;
  // What is wrong in the function itself shows its own line, and then the line of the call.
  const auto called_here = [&](const Error& error) {
    frame_ = caller;
    return SourceError(error, concat("'", frame.call->function, "' is compiled because it is called from '", frame.call->caller, "':\n",
                                     source().highlight(e.range)));
  };
  try {
    bind_parameters(frame, e, given);
  } catch (const Error& error) {
    chain_.pop_back();
    if (frame_ == &frame) throw called_here(error);
    throw;
  } catch (...) {
    chain_.pop_back();
    throw;
  }
  try {
    ScriptValue v = run_body(frame);
    chain_.pop_back();
    return v;
  } catch (const Error& error) {
    throw called_here(error);
  }
}

// An input whose value is known while the function is compiled: that of its default. The graph raises for another one.
void FunctionCompiler::takes_alone(const Parameter& p, Node* n, const Args& value) {
  ScriptVariable v;
  v.type = n->type(), v.range = p.range, v.slot = variable_slot(p.name);
  regions_.declare(v.slot, v.type);
  regions_.set(v.slot, value);
  frame_->variables.emplace(p.name, std::move(v));
  if (value[0].is_none()) return;
  locate(p.range);
  const ScriptValue same = emit(p.range, "operator.eq", {node_value(n), literal(value)});
  regions_.begin_if(node_of(p.range, same));
  regions_.begin_else();
  raise_exception(p.range,
                  literal(Args(concat("the input '", p.name,
                                      "' was compiled for its default alone; trace the module, or give the parameter another default"))),
                  "ValueError");
  regions_.leave(ir::RegionBuilder::Leave::Forever);
  regions_.end_if();
}

// The type of an input of which its default alone tells one. None stands for a tensor that may be left out.
Type FunctionCompiler::open_type(const ScriptValue& default_value) {
  if (!default_value.is_none() || none_alone_) return widened(type_of(default_value));
  may_be_tensor_ = true;
  return Type::optional(TypeKind::Tensor);
}

void FunctionCompiler::compile(const HostFunction& function, const int64_t* self) {
  FunctionFrame frame;
  frame.function = function, frame.name = function.function->name, frame.shown = frame.name;
  frame_ = &frame;
  graph_.set_name(frame.name);
  std::vector<ScriptValue> inputs;
  std::optional<ScriptValue> module;
  if (self) module = module_value(*self), frame.shown = shown_name(function, &*module);
  for (const Parameter& p : function.function->parameters) {
    if (self && &p == &function.function->parameters[0]) {
      frame.variables[p.name].fixed = module;
      continue;
    }
    if (p.kind != Parameter::Kind::Plain) {  // no caller of the graph gives more than the other inputs
      ScriptValue& given = frame.variables[p.name].fixed.emplace();
      given.kind = p.kind == Parameter::Kind::Args ? ScriptValue::Kind::Tuple : ScriptValue::Kind::Keywords;
      if (p.kind == Parameter::Kind::Kwargs) given.text = p.name;
      continue;
    }
    // What takes None, and else what no script has, takes None alone.
    const bool may_be_none = p.default_value && p.default_value->kind == SyntaxKind::None;
    Type type = !p.type ? Type() : may_be_none ? open_annotation(*p.type) : annotation(*p.type);
    if (p.type && !type && may_be_none) type = TypeKind::None;
    Args default_value;
    if (p.default_value) {
      const HostValue known = host_.default_of(function.scope, p.name);
      ScriptValue v = known.kind == HostValue::Kind::Missing ? expression(*p.default_value, type) : from_host(*p.default_value, known);
      const bool is_member = type_of(v).is(TypeKind::Enum);
      if (type) v = converted(p.default_value->range, broadcast_number(v, p, type), type, concat("the parameter '", p.name, "'"));
      else type = open_type(v);
      default_value = arg_of(p.default_value->range, v, true);
      // The caller passes a member of an Enum.
      if (is_member) default_value = {};
      else if (!is_constant(default_value[0])) wrong(p.default_value->range, "the default of a parameter must be a constant");
    }
    // Layers leave open what they take; the input of a graph is a tensor.
    if (!type || (function.library && type.is(TypeKind::Any))) type = TypeKind::Tensor;
    locate(p.range);
    Type held = type.is(TypeKind::Optional) ? type.element() : type;
    has_defaults_ = has_defaults_ || (default_value.size() && !held.is(TypeKind::Tensor));
    const bool alone = bare_ && default_value.size() && !held.is(TypeKind::Tensor) && scalar_literal(default_value[0]);
    if (alone) type = widened(ir::type_of(default_value[0]));
    Node* n = graph_.placeholder(graph_.root(), p.name, type, default_value);
    if (alone) {
      takes_alone(p, n, default_value);
      inputs.push_back(literal(default_value));
      continue;
    }
    ScriptVariable v;
    v.type = type, v.range = p.range, v.slot = variable_slot(p.name);
    regions_.declare(v.slot, type);
    regions_.set(v.slot, Args(n));
    frame.variables.emplace(p.name, std::move(v));
    inputs.push_back(node_value(n));
  }
  const std::optional<int64_t> id = self ? std::optional(*self) : std::nullopt;
  chain_.push_back({function.function, id, nullptr});
  const bool hooked = self && frame.name == "forward";
  if (hooked) apply_pre_hooks(frame, *module, inputs);
  ScriptValue result = run_body(frame);
  frame_ = &frame;
  if (hooked) result = apply_hooks(function.function->range, *module, inputs, result);
  locate(function.function->range);
  if (holds_future(type_of(result))) unsupported(function.function->range, "a Future as a result", "return what torch.jit.wait() gives");
  if (!host_.keeps_calls()) result = as_numbers(function.function->range, result);
  graph_.set_output(arg_of(function.function->range, result));
  check_written_containers();
  while (remove_unused_once(graph_, host_.keeps_calls())) {
  }
}

// --- What the rest of the library calls.

namespace {

// Compiles into a new graph. An input without a type whose default is None takes a tensor or None. Where the function cannot be compiled so, it is compiled
// again, and the input takes None alone. A method of a module is then compiled once more, with what may be None as what is there: the graph asks where it is
// used, and raises where it is None.
std::unique_ptr<ir::Graph> compiled(Host& host, const HostFunction& function, const int64_t* self, std::vector<ModuleCall>* calls) {
  bool none_alone = false, lenient = false, bare = false;
  for (;;) {
    auto graph = std::make_unique<ir::Graph>(function.function->name);
    FunctionCompiler compiler(host, *graph, none_alone, lenient, bare);
    try {
      compiler.compile(function, self);
    } catch (const Error&) {
      if (!none_alone && !lenient && compiler.may_be_tensor()) none_alone = true;
      else if (!lenient && self && !host.serialized()) lenient = true, none_alone = false;
      else if (lenient && !bare && compiler.has_defaults()) bare = true;
      else throw;
      continue;
    }
    compiler.define_classes();
    if (calls) *calls = compiler.take_module_calls();
    return graph;
  }
}

}  // namespace

std::unique_ptr<ir::Graph> compile_function(Host& host, const HostFunction& function) { return compiled(host, function, nullptr, nullptr); }

std::unique_ptr<ir::Graph> compile_method(Host& host, const HostFunction& method, int64_t self, std::vector<ModuleCall>* calls) {
  // Each attempt ends, or finds one attribute more that is assigned.
  for (;;) {
    try {
      return compiled(host, method, &self, calls);
    } catch (const AttributeAssigned&) {
    }
  }
}

std::unique_ptr<ir::Graph> compile_text(std::string_view text, std::string_view file, std::string_view name) {
  auto source = std::make_shared<const SourceText>(std::string(text), file);
  std::shared_ptr<const Tree> tree = parse_functions(*source);
  MONOGRAPH_CHECK(!tree->functions.empty(), Value, "the text has no function");
  const FunctionSyntax* chosen = tree->functions[0];
  for (const FunctionSyntax* f : tree->functions)
    if (f->name == name) chosen = f;
  MONOGRAPH_CHECK(name.empty() || chosen->name == name, Value, "the text has no function '", name, "'");
  TextHost host(source, tree);
  return compile_function(host, {source, tree, chosen, 0});
}

}  // namespace monograph::capture::script
