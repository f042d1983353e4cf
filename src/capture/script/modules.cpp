// Modules in a script: their attributes, their items, and calls of them. A module is known while the function is compiled, and is no value of the
// graph: what it computes stands in place, what it holds are get_attr nodes with the path from the root, and what it keeps beside tensors are constants,
// unless the program assigns it: then it is an attribute of the module as an object (exec/attributes.cpp).
#include <algorithm>

#include "capture/script/function_compiler.h"
#include "passes/memory.h"

namespace monograph::capture::script {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Node;
using ir::Type;
using ir::TypeKind;

ScriptValue FunctionCompiler::module_value(int64_t id) const {
  ScriptValue v;
  v.kind = ScriptValue::Kind::Module, v.id = id;
  return v;
}

const HostModule& FunctionCompiler::module_of(const ScriptValue& module) {
  auto found = modules_.find(module.id);
  if (found == modules_.end()) found = modules_.emplace(module.id, host_.module(module.id)).first;
  return found->second;
}

// The node that reads a parameter or buffer; one for each path where the whole function sees it.
ScriptValue FunctionCompiler::module_tensor(const TextRange& at, const HostValue& v) {
  if (auto known = attributes_.find(v.text); known != attributes_.end()) return node_value(known->second);
  locate(at);
  std::string name = v.text;
  std::ranges::replace(name, '.', '_');
  Node* n = graph_.create(ir::Op::GetAttr, graph_.target(v.text), {}, name);
  graph_.set_type(n, v.type ? v.type : Type(TypeKind::Tensor));
  if (regions_.depth() == 0) attributes_.emplace(v.text, n);
  return node_value(n);
}

ScriptValue FunctionCompiler::module_attribute(const Expr& e, const ScriptValue& module, const std::string& attribute) {
  const HostValue v = host_.attribute(module.id, attribute);
  if (v.kind == HostValue::Kind::Missing) wrong(e.range, concat(module_of(module).type, " has no attribute '", attribute, "'"));
  if (host_.keeps_calls()) return kept_attribute(e, module, attribute, v);
  if (v.kind == HostValue::Kind::State) return read_attribute(e.range, module_object(e.range, v.text), attribute, v.type);
  ScriptValue value = from_host(e, v);
  if (v.kind == HostValue::Kind::Container || v.kind == HostValue::Kind::Constant)
    note_container(value, {module.id, attribute, frame_->function.source, e.range});
  return value;
}

// A list or dict that a module holds; every read makes one of its own. Where the program writes to one, written_containers() finds it.
ScriptValue FunctionCompiler::container_from_host(const Expr& e, const HostValue& host) {
  Args args;
  Type key, item;
  const bool dict = !host.type || host.type.is(TypeKind::Dict);
  for (size_t k = 0; k < host.parts.size(); ++k) {
    const ScriptValue part = from_host(e, host.parts[k]);
    Type& type = dict && k % 2 == 0 ? key : item;
    type = type ? join(type, widened(type_of(part))) : widened(type_of(part));
    args.add(arg_of(e.range, part)[0]);
  }
  if (!key) key = TypeKind::Str;
  if (!item) item = TypeKind::Tensor;
  if (!host.type && (key.is(TypeKind::Union) || item.is(TypeKind::Union)))
    wrong(e.range, "the keys of a dict have one type, and its values have one type");
  locate(e.range);
  Node* n = graph_.call(dict ? "prim::DictConstruct" : "prim::ListConstruct", args);
  graph_.set_type(n, host.type ? host.type : Type::dict(key, item));
  return node_value(n);
}

// Notes which attribute a list or dict is, and the lists in it.
void FunctionCompiler::note_container(ScriptValue& v, const AttributeOf& attribute) {
  if (v.kind == ScriptValue::Kind::List) {
    containers_.push_back(attribute);
    v.id = static_cast<int64_t>(containers_.size());
    for (ScriptValue& part : v.parts) note_container(part, attribute);
  } else if (v.kind == ScriptValue::Kind::Plain && v.arg[0].is(ArgKind::Node)) {
    const ir::TypeKind kind = v.type ? v.type.kind() : TypeKind::Any;
    if (kind == TypeKind::Dict || kind == TypeKind::List) container_nodes_.emplace_back(v.arg[0].as_node(), attribute);
  }
}

// Lists and dicts of modules that the graph writes to are no constants.
void FunctionCompiler::check_written_containers() {
  if (container_nodes_.empty()) return;
  const passes::MemoryGroups groups(graph_);
  // A write to a tensor in a list leaves the list as it is.
  std::unordered_set<uint32_t> written;
  for (const Node* n : ir::NestedNodes(graph_)) {
    if (n->op() != ir::Op::CallFunction || !n->info() || !n->info()->effects().writes) continue;
    const std::vector<ir::Argument>& formals = n->info()->schema().arguments();
    for (size_t k = 0; k < n->positional_count() && k < formals.size(); ++k)
      if (const Node* given = n->arg(k).node(); given && formals[k].writes() && !formals[k].type.is(TypeKind::Tensor))
        written.insert(groups.group(given));
  }
  bool again = false;
  for (const auto& [node, attribute] : container_nodes_) {
    if (node->erased() || !written.contains(groups.group(node))) continue;
    if (attribute.module == kNoModule)
      raise_at(*attribute.source, attribute.at,
               concat("a write to '", attribute.name,
                      "', which is a global of Python and a constant of the script, is not supported in a script; pass it as an argument"));
    const std::string why = host_.assigned(attribute.module, attribute.name);
    if (!why.empty())
      raise_at(*attribute.source, attribute.at,
               concat("a write to the attribute '", attribute.name, "', which the module holds (", why, "), is not supported in a script"));
    again = true;
  }
  if (again) throw AttributeAssigned{};
}

// The module as an object, whose attributes the program reads and writes.
ScriptValue FunctionCompiler::module_object(const TextRange& at, const std::string& path) {
  HostValue whole;
  whole.text = path.empty() ? std::string(ir::kModuleObject) : concat(path, ".", ir::kModuleObject);
  whole.type = Type::named(TypeKind::Class, ir::kModuleObject);
  return module_tensor(at, whole);
}

// super(), and super(Class, self) of the class around.
ScriptValue FunctionCompiler::super_value(const Expr& e) {
  const FunctionSyntax& f = *frame_->function.function;
  const ScriptVariable* self = f.parameters.empty() ? nullptr : find_variable(f.parameters[0].name);
  if (!self || !self->fixed || (self->fixed->kind != ScriptValue::Kind::Module && self->fixed->kind != ScriptValue::Kind::Namespace))
    wrong(e.range, "super() is allowed only in a method of a module");
  return from_host(e, host_.super_of(self->fixed->id, frame_->function.scope));
}

// getattr(module, "name") with a name that is known while the function is compiled; a third argument stands for what is not there.
ScriptValue FunctionCompiler::static_attribute(const Expr& e, const Given& given) {
  const std::vector<ScriptValue>& args = given.positional;
  using Kind = ScriptValue::Kind;
  const bool holder = !args.empty() && (args[0].kind == Kind::Module || args[0].kind == Kind::Namespace || args[0].kind == Kind::Graph);
  if ((args.size() != 2 && args.size() != 3) || !holder || !args[1].arg.size() || !args[1].arg[0].is(ArgKind::Str))
    unsupported(e.range, "getattr() of anything but a module and a name that is known while the function is compiled");
  const std::string& name = args[1].arg[0].as_str();
  if (args.size() == 3 && host_.attribute(args[0].id, name).kind == HostValue::Kind::Missing) return args[2];
  return attribute_of(e, args[0], name);
}

// Whether a value is the tensor of this attribute, perhaps written in place.
bool FunctionCompiler::is_attribute(const ScriptValue& value, const HostValue& attribute) const {
  if (value.kind != ScriptValue::Kind::Plain || attribute.kind != HostValue::Kind::Tensor) return false;
  Node* n = value.arg[0].node();
  while (n && n->op() == ir::Op::CallFunction && n->info() && !n->multi() && n->input_count() > 0 &&
         n->info()->schema().returns().size() == 1 && n->info()->schema().returns_argument(0, 0))
    n = n->input(0);
  return n && n->op() == ir::Op::GetAttr && n->target().name() == attribute.text;
}

// What is assigned lives in the module from then on: every graph of the program reads it there.
void FunctionCompiler::assign_module_attribute(const Expr& target, const ScriptValue& base, const ScriptValue& value) {
  const HostValue known = host_.attribute(base.id, target.text);
  if (type_of(value).is(TypeKind::Tensor) && is_attribute(value, known)) return;  // it was written in place
  if (known.kind == HostValue::Kind::Refused) wrong(target.range, known.text);
  if (known.kind == HostValue::Kind::Property) {
    const HostValue setter = host_.attribute(base.id, concat(target.text, ".setter"));
    if (setter.kind != HostValue::Kind::Method) wrong(target.range, concat("the property '", target.text, "' has no setter"));
    Given given;
    given.positional = {value};
    call_value(target, from_host(target, setter), std::move(given), {});
    return;
  }
  if (known.kind != HostValue::Kind::State) {
    const std::string why = host_.assigned(base.id, target.text);
    if (!why.empty())
      unsupported(target.range, concat("the assignment of the attribute '", target.text, "' of ", module_of(base).type, " (", why, ")"));
    throw AttributeAssigned{};
  }
  const ScriptValue given =
      converted(target.range, value, known.type, concat("the attribute '", target.text, "' of ", module_of(base).type));
  write_attribute(target.range, module_object(target.range, known.text), target.text, given);
}

// The keys of a container of modules, beside its items.
std::vector<ScriptValue> FunctionCompiler::module_items(const TextRange& at, const ScriptValue& module) {
  const HostModule& m = module_of(module);
  if (m.kind == HostModule::Items::None) wrong(at, concat(m.type, " has no items; nn.ModuleList, ModuleDict and Sequential have some"));
  std::vector<ScriptValue> items;
  Expr e{};
  e.range = at;
  for (const auto& [key, item] : m.items) {
    if (m.kind == HostModule::Items::Dict) items.push_back(literal(Args(key)));
    else items.push_back(host_.keeps_calls() ? kept_attribute(e, module, key, item) : from_host(e, item));
  }
  return items;
}

// The items of a for that stands there once for each: those of a tuple and of modules, which have types of their own, also under enumerate, zip and
// reversed. Nothing for what a Loop goes over.
std::optional<UnrolledItems> FunctionCompiler::unrolled_items(const TextRange& at, const ScriptValue& over) {
  using Kind = ScriptValue::Kind;
  if (over.kind == Kind::Module || (known_length(over) && over.kind != Kind::List)) return written_items(items_of(at, over));
  if (over.kind != Kind::Iterable || (over.text != "enumerate" && over.text != "zip" && over.text != "reversed")) return {};
  auto holds_module = [&](const ScriptValue& v) {
    return v.kind == Kind::Module ||
           (v.kind == Kind::Tuple && std::ranges::any_of(v.parts, [&](const ScriptValue& p) { return !type_of(p); })) ||
           (v.kind == Kind::Iterable && unrolled_items(at, v));
  };
  if (std::ranges::none_of(over.parts, holds_module)) return {};
  if (over.text == "zip") return zipped_items(at, over);
  UnrolledItems items = *unrolled_items(at, over.parts[0]);
  const auto inner = items.item;
  if (over.text == "reversed") {
    if (!items.lengths.empty()) wrong(at, "reversed() takes no zip()");
    items.item = [inner, last = items.count - 1](size_t k) { return inner(last - k); };
    return items;
  }
  const std::optional<ScriptValue> start = over.parts.size() == 2 ? std::optional(over.parts[1]) : std::nullopt;
  items.item = [this, at, inner, start](size_t k) {
    const ScriptValue number = literal(Args(static_cast<int64_t>(k)));
    return tuple_of({start ? operation(at, "+", false, *start, number) : number, inner(k)});
  };
  return items;
}

UnrolledItems FunctionCompiler::written_items(std::vector<ScriptValue> values) {
  const size_t count = values.size();
  return {count, {}, [values = std::move(values)](size_t k) { return values[k]; }};
}

// Of zip: as many as the shortest of the parts that are known has, and no more than each of the lists.
UnrolledItems FunctionCompiler::zipped_items(const TextRange& at, const ScriptValue& zip) {
  UnrolledItems all;
  all.count = SIZE_MAX;
  std::vector<std::function<ScriptValue(size_t)>> rows;
  for (const ScriptValue& part : zip.parts) {
    std::optional<UnrolledItems> items = unrolled_items(at, part);
    if (!items && part.kind == ScriptValue::Kind::List) items = written_items(part.parts);
    if (items) {
      all.count = std::min(all.count, items->count);
      all.lengths.insert(all.lengths.end(), items->lengths.begin(), items->lengths.end());
      rows.push_back(items->item);
      continue;
    }
    const IteratedValue list = iterated_value(at, part);
    all.lengths.push_back(literal(list.count));
    rows.emplace_back([this, at, list](size_t k) { return list.item(node_of(at, literal(Args(static_cast<int64_t>(k))))); });
  }
  all.item = [this, rows](size_t k) {
    std::vector<ScriptValue> parts;
    for (const auto& row : rows) parts.push_back(row(k));
    return tuple_of(std::move(parts));
  };
  return all;
}

// Whether the lists that go along have an item at this place: a bool of the graph.
Node* FunctionCompiler::reaches(const TextRange& at, const UnrolledItems& items, size_t place) {
  ScriptValue all;
  for (size_t k = 0; k < items.lengths.size(); ++k) {
    const ScriptValue one = emit(at, "operator.lt", {literal(Args(static_cast<int64_t>(place))), items.lengths[k]});
    all = k ? emit(at, "operator.and_", {all, one}) : one;
  }
  return node_of(at, all);
}

// modules["key"]; an index of a list is that of its tuple of items.
ScriptValue FunctionCompiler::module_item(const TextRange& at, const ScriptValue& module, const ScriptValue& key) {
  const HostModule& m = module_of(module);
  if (key.kind != ScriptValue::Kind::Plain || !key.arg[0].is(ArgKind::Str)) return chosen_module(at, module, key);
  Expr e{};
  e.range = at;
  for (const auto& [name, item] : m.items)
    if (name == key.arg[0].as_str()) return host_.keeps_calls() ? kept_attribute(e, module, name, item) : from_host(e, item);
  wrong(at, concat(m.type, " has no item '", key.arg[0].as_str(), "'"));
}

// --- Calls.

// A method with its module in front of the arguments.
ScriptValue FunctionCompiler::call_bound(const Expr& e, const ScriptValue& bound, Given given) {
  given.positional.insert(given.positional.begin(), bound.parts[0]);
  given.ranges.insert(given.ranges.begin(), e.range);
  if (bound.parts[0].kind != ScriptValue::Kind::Module) return call_function(e, host_.function(bound.id), nullptr, given);
  const std::string outside = std::exchange(scope_, module_of(bound.parts[0]).path);
  const ScriptValue result = call_function(e, host_.function(bound.id), nullptr, given);
  scope_ = outside;
  return result;
}

// The call of a forward that was compiled by itself; nothing where the values do not have the types that it takes.
std::optional<ScriptValue> FunctionCompiler::call_compiled(const Expr& e, const ScriptValue& module, const Given& given) {
  const std::optional<MethodSignature> callee = host_.signature(module.id);
  if (!callee || given.positional.size() > callee->parameters.size()) return {};
  std::vector<std::optional<ScriptValue>> values(given.positional.begin(), given.positional.end());
  values.resize(callee->parameters.size());
  for (const auto& [name, v] : given.named) {
    const auto found = std::ranges::find(callee->parameters, name, &MethodSignature::Input::name);
    if (found == callee->parameters.end() || values[static_cast<size_t>(found - callee->parameters.begin())]) return {};
    values[static_cast<size_t>(found - callee->parameters.begin())] = v;
  }
  for (size_t k = 0; k < values.size(); ++k) {
    const MethodSignature::Input& p = callee->parameters[k];
    if (!values[k] && p.default_value.size() == 0) return {};
    if (!values[k]) values[k] = literal(p.default_value);
    const Type type = type_of(*values[k]);
    if (!type || !is_subtype(widened(type), p.type)) return {};
  }
  Args args = module_object(e.range, module_of(module).path).arg;
  for (const std::optional<ScriptValue>& v : values) args.add(arg_of(e.range, *v)[0]);
  locate(e.range);
  Node* n = graph_.create(ir::Op::CallMethod, graph_.target("forward"), args);
  graph_.set_type(n, callee->returns);
  return callee->returns.is(TypeKind::None) ? literal(Args().none()) : node_value(n);
}

// Its pre-hooks, forward and hooks, as Module.__call__ runs them.
ScriptValue FunctionCompiler::call_module(const Expr& e, const ScriptValue& module, Given given) {
  if (std::optional<ScriptValue> v = call_compiled(e, module, given)) return *v;
  const HostModule& m = module_of(module);
  const uint32_t begin = graph_.id_limit(), asked = std::min(asked_, begin);
  const std::string outside = std::exchange(scope_, m.path);
  for (const int64_t hook : m.pre_hooks) given.positional = hooked_inputs(e, module, hook, given.positional);
  given.ranges.assign(given.positional.size(), e.range);
  const std::vector<ScriptValue> inputs = given.positional;
  const ScriptValue forward = module_attribute(e, module, "forward");
  if (forward.kind != ScriptValue::Kind::Bound) wrong(e.range, concat("forward of ", m.type, " is not a method that a script can call"));
  const ScriptValue result = apply_hooks(e.range, module, inputs, call_value(e, forward, std::move(given), {}));
  scope_ = outside;
  if (regions_.depth() == 0 && !m.path.empty()) module_calls_.push_back({m.path, begin, graph_.id_limit(), asked, place_of(e.range)});
  return result;
}

ScriptValue FunctionCompiler::tuple_of(std::vector<ScriptValue> parts) const {
  ScriptValue tuple;
  tuple.kind = ScriptValue::Kind::Tuple, tuple.parts = std::move(parts);
  return tuple;
}

ScriptValue FunctionCompiler::apply_hooks(const TextRange& at, const ScriptValue& module, const std::vector<ScriptValue>& inputs,
                                          ScriptValue result) {
  Expr e{};
  e.range = at;
  for (const int64_t hook : module_of(module).hooks) {
    Given all;
    all.positional = {module, tuple_of(inputs), result};
    const ScriptValue other = call_function(e, host_.function(hook), nullptr, all);
    if (!other.is_none()) result = other;
  }
  return result;
}

// Of the method that is compiled: its variables get what the pre-hooks make of its inputs.
void FunctionCompiler::apply_pre_hooks(FunctionFrame& frame, const ScriptValue& module, std::vector<ScriptValue>& inputs) {
  const FunctionSyntax& f = *frame.function.function;
  Expr e{};
  e.range = f.range;
  for (const int64_t hook : module_of(module).pre_hooks) {
    const std::vector<ScriptValue> given = hooked_inputs(e, module, hook, inputs);
    if (given.size() > inputs.size()) wrong(f.range, concat("a pre-hook gives ", given.size(), " inputs to a forward of ", inputs.size()));
    for (size_t k = 0; k < given.size(); ++k) {
      const Parameter& p = f.parameters[k + 1];
      const ScriptVariable& v = frame.variables.at(p.name);
      inputs[k] = converted(p.range, given[k], v.type, concat("the argument '", p.name, "' of forward()"));
      regions_.set(v.slot, arg_of(p.range, inputs[k]));
    }
  }
}

// What a pre-hook makes of the inputs: None leaves them, a tuple are the new ones, one value is the only one.
std::vector<ScriptValue> FunctionCompiler::hooked_inputs(const Expr& e, const ScriptValue& module, int64_t hook,
                                                         const std::vector<ScriptValue>& inputs) {
  Given all;
  all.positional = {module, tuple_of(inputs)};
  const ScriptValue other = call_function(e, host_.function(hook), nullptr, all);
  if (other.is_none()) return inputs;
  if (known_length(other) && other.kind != ScriptValue::Kind::List) return items_of(e.range, other);
  return {other};
}

// self.items(), self.named_children(): what lists the parts of a module.
std::optional<ScriptValue> FunctionCompiler::module_listing(const Expr& e, const ScriptValue& module, const std::string& method) {
  const HostValue v = host_.listing(module.id, method);
  if (v.kind == HostValue::Kind::Missing) return {};
  ScriptValue listed = from_host(e, v);
  // A container without parts is an empty constant.
  listed.kind = ScriptValue::Kind::Tuple;
  return listed;
}

// A function that is marked as unused: the call raises, and has the type that it declares.
ScriptValue FunctionCompiler::call_unused(const Expr& e, const HostFunction& f) {
  const std::string& name = f.function->name;
  raise_exception(e.range, literal(Args(concat(name, "() is marked with torch.jit.unused, so that no script runs it"))), "RuntimeError");
  if (!f.function->returns) return literal(Args().none());
  FunctionFrame frame;
  frame.function = f, frame.name = name;
  FunctionFrame* caller = std::exchange(frame_, &frame);
  const Type type = annotation(*f.function->returns);
  frame_ = caller;
  locate(e.range);
  Node* n = graph_.call("prim::Uninitialized");
  graph_.set_type(n, type);
  return node_value(n);
}

MethodSignature signature_of(const ir::Graph& method) {
  MethodSignature out;
  for (const Node* p : method.placeholders()) {
    const std::string& name = p->target().name();
    out.parameters.push_back({name.empty() ? p->name() : name, p->type() ? widened(p->type()) : Type(TypeKind::Tensor),
                              p->arg_count() ? Args().add(p->arg(0)) : Args()});
  }
  const Node* end = method.output();
  out.returns = end && end->arg_count() == 1 ? widened(ir::type_of(end->arg(0))) : Type();
  return out;
}

}  // namespace monograph::capture::script
