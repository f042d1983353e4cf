// Each function looks its ScriptRef up again: it binds the node's arguments to the schema, defaults included, and follows the path.
#include "passes/script_view.h"

#include <algorithm>

#include "core/error.h"
#include "ir/bind.h"
#include "ir/builder.h"
#include "ir/text.h"
#include "ops/infer.h"
#include "ops/registry.h"

namespace monograph::passes {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Node;
using ir::Op;
using ir::Type;
using ir::TypeKind;

namespace {

// A path that begins with at least this is a module on the way to a get_attr's attribute: kHolder is self, kHolder + 1 the first module.
constexpr uint32_t kHolder = 1U << 30;
// A path that begins with at least this (and less than kHolder) is an unused result, which has no projection.
constexpr uint32_t kResult = 1U << 29;
// A path that begins with this, on the output of a block, is the node of the block's inputs (prim::Param).
constexpr uint32_t kParam = 1U << 28;

bool is_param(const ScriptRef& r) { return r.is_inline() && r.path[0] == kParam; }
bool is_result(const ScriptRef& r) { return r.is_inline() && r.path[0] >= kResult && r.path[0] < kHolder; }
bool is_holder(const ScriptRef& r) { return r.is_inline() && r.path[0] >= kHolder; }
uint32_t depth_of(const ScriptRef& holder) { return holder.path[0] - kHolder; }

std::vector<std::string> parts_of(const Node& get_attr) {
  std::vector<std::string> parts(1);
  for (const char c : get_attr.target().name()) {
    if (c == '.') parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

bool is_constant(const Node& n) { return n.op() == Op::CallFunction && n.target().name() == "prim::Constant"; }
bool has_schema(const Node& n) { return n.info() && !n.block_count() && !n.info()->schema().is_vararg() && !is_constant(n); }

// The inputs of a node of the graph, one argument each. `bound`: whether they are ordered by a schema.
Args inputs_of(const Node& n, bool* bound = nullptr) {
  if (bound) *bound = false;
  if (n.op() == Op::Placeholder || n.op() == Op::GetAttr || is_constant(n)) return {};
  if (n.op() == Op::CallFunction && has_schema(n))
    if (std::optional<Args> args = ir::bound_args(n.info()->schema(), n)) {
      if (bound) *bound = true;
      return std::move(*args);
    }
  Args all;
  for (auto it = n.args_begin(); it != n.args_end(); ++it) all.add(*it);
  return all;
}

[[noreturn]] void stale(const ScriptRef& r) {
  fail(ErrorKind::Runtime, "this value stood among the inputs of %", r.node->name(), ", which has others now; ask for its inputs again");
}

// The literal that a path leads to.
Args literal_at(const ScriptRef& r) {
  MONOGRAPH_CHECK(!r.node->erased(), Runtime, "%", r.node->name(), " was destroyed");
  const Args all = inputs_of(*r.node);
  if (r.path[0] >= all.size()) stale(r);
  ArgRef at = all[r.path[0]];
  for (size_t k = 1; k < r.path.size(); ++k) {
    if (r.path[k] >= at.size()) stale(r);
    at = at[r.path[k]];
  }
  if (at.node()) stale(r);
  return Args().add(at);
}

ScriptRef below(const ScriptRef& parent, size_t k, ArgRef a) {
  if (Node* n = a.node()) return {n, {}};
  ScriptRef r = parent;
  r.path.push_back(static_cast<uint32_t>(k));
  return r;
}

Node* live(const ScriptRef& r) {
  MONOGRAPH_CHECK(r.node && !r.node->erased(), Runtime, "%", r.node ? r.node->name() : "?", " was destroyed");
  return r.node;
}

std::string_view construct_kind(ArgKind kind) {
  switch (kind) {
    case ArgKind::List: return "prim::ListConstruct";
    case ArgKind::Tuple: return "prim::TupleConstruct";
    case ArgKind::Dict: return "prim::DictConstruct";
    case ArgKind::Slice: return "prim::Slice";
    default: return "prim::Constant";
  }
}
bool is_construct(ArgRef a) { return construct_kind(a.kind()) != "prim::Constant"; }

// Whether the value is a list that comes from a default of the schema. TorchScript shows it as one constant.
bool is_default_list(const ScriptRef& r, ArgRef literal) {
  if (r.path.size() != 1 || !literal.is(ArgKind::List) || !has_schema(*r.node)) return false;
  const ir::NodeCall node_as_call = ir::node_call(*r.node, r.node->info()->schema());
  ir::Call<ArgRef> call = node_as_call.call();
  call.device_last = true;
  ir::ArgumentSources sources;
  if (ir::place(r.node->info()->schema(), call, sources)) return false;
  return sources.value[r.path[0]] == ir::ArgumentSources::kDefault;
}

bool same(ArgRef a, ArgRef b) {
  std::string x, y;
  ir::print_arg(x, a), ir::print_arg(y, b);
  return x == y;
}

// Appends the argument, with `by` in place of the part that the path leads to.
void add_replaced(Args& out, ArgRef a, std::span<const uint32_t> path, const Args& by) {
  if (path.empty()) return void(out.add(by[0]));
  MONOGRAPH_CHECK(a.is(ArgKind::List) || a.is(ArgKind::Tuple) || a.is(ArgKind::Dict) || a.is(ArgKind::Slice), Runtime,
                  "a constant has no inputs");
  out.open(a.kind());
  size_t k = 0;
  for (ArgRef part : a) {
    if (k++ == path[0]) add_replaced(out, part, path.subspan(1), by);
    else out.add(part);
  }
  out.close();
}

// Resolves the node's operator and infers its type again, after its arguments have changed.
void settle(Node* n) {
  ir::Graph& g = *n->graph();
  if (n->op() != Op::CallFunction) return;
  if (n->target().name() == "prim::ListConstruct") {
    const Type element = n->arg_count() ? ir::type_of(n->arg(0)) : Type(TypeKind::Tensor);
    g.set_type(n, Type::list(element ? element : Type(TypeKind::Tensor)));
    return;
  }
  if (n->target().name() == "prim::TupleConstruct") {
    std::vector<Type> parts;
    for (auto it = n->args_begin(); it != n->args_end(); ++it) parts.push_back(ir::type_of(*it));
    g.set_type(n, Type::tuple(parts));
    return;
  }
  const std::string surface = n->target().overload
                                  ? n->target().overload->substr(0, n->target().overload->find('.', n->target().overload->find("::") + 2))
                                  : n->target().name();
  if (n->block_count() || surface.find("::") == std::string::npos) return;
  g.set_target(n, g.target(surface));
  const ir::OpInfo* op = resolve(*n);
  if (!op) return;
  g.set_target(n, g.resolved(*op));
  try {
    if (op->schema().returns().size() > 1) return;
    if (const Type type = op->infer(*n)) g.set_type(n, type);
  } catch (const Error&) {
    // Inference runs again when types are asked for, and raises then.
  }
}

// The arguments for `inputs`, which are ordered by the schema: positional up to the first default, then by name. Defaults are left out.
Args written(const Node& n, const Args& inputs, size_t changed) {
  const auto& arguments = n.info()->schema().arguments();
  Args out;
  bool by_position = true;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool is_default = arguments[i].default_value && same(inputs[i], (*arguments[i].default_value)[0]);
    by_position = by_position && !arguments[i].kwarg_only && (i == changed || !is_default);
    if (is_default && i != changed) continue;
    if (by_position) out.add(inputs[i]);
    else out.name(arguments[i].name).add(inputs[i]);
  }
  return out;
}

void check_same_graph(const ScriptRef& user, const Args& value) {
  if (const Node* n = value[0].node())
    MONOGRAPH_CHECK(n->graph() == user.node->graph(), Runtime, "%", n->name(), " belongs to another graph than %", user.node->name());
}

// Replaces all inputs of a node of the graph by `inputs`.
void set_inputs(Node* n, const Args& inputs, bool bound, size_t changed) {
  ir::Graph& g = *n->graph();
  const Args before = n->copy_args();
  const ir::Target target = n->target();
  try {
    if (!bound) {
      g.set_args(n, inputs);
      if (!n->block_count() && n->op() == Op::CallFunction) settle(n);
      return;
    }
    const Args args = written(*n, inputs, changed);
    g.set_target(n, g.resolved(*n->info()));
    g.set_args(n, args);
    const std::string why = misfit(*n);
    MONOGRAPH_CHECK(why.empty(), Runtime, why);
    settle(n);
  } catch (const Error&) {
    g.set_target(n, target);
    g.set_args(n, before);
    throw;
  }
}

}  // namespace

// --- Nodes.

std::string script_kind(const ScriptRef& r) {
  if (is_param(r)) return "prim::Param";
  if (is_holder(r)) return depth_of(r) == 0 ? "prim::Param" : "prim::GetAttr";
  if (r.is_inline()) {
    const Args literal = literal_at(r);
    return std::string(is_default_list(r, literal[0]) ? "prim::Constant" : construct_kind(literal[0].kind()));
  }
  const Node& n = *r.node;
  switch (n.op()) {
    case Op::Placeholder: return "prim::Param";
    case Op::Output: return "prim::Return";
    case Op::GetAttr: return "prim::GetAttr";
    case Op::CallMethod:
    case Op::CallModule: return "prim::CallMethod";
    case Op::CallFunction: break;
  }
  const std::string& name = n.target().overload ? *n.target().overload : n.target().name();
  const size_t colons = name.find("::");
  return colons == std::string::npos ? name : name.substr(0, name.find('.', colons));
}

std::vector<ScriptRef> script_inputs(const ScriptRef& r) {
  std::vector<ScriptRef> out;
  if (is_param(r)) return out;
  if (!r.is_inline() && r.node->op() == Op::Output && r.node->block()->owner()) return script_block_outputs(r.node->block());
  if (is_holder(r)) {
    if (depth_of(r)) out.push_back({r.node, {r.path[0] - 1}});
    return out;
  }
  if (r.is_inline()) {
    const Args literal = literal_at(r);
    size_t k = 0;
    if (is_construct(literal[0]) && !is_default_list(r, literal[0]))
      for (ArgRef part : literal[0]) out.push_back(below(r, k, part)), ++k;
    return out;
  }
  if (r.node->op() == Op::GetAttr) return {{r.node, {kHolder + static_cast<uint32_t>(parts_of(*r.node).size()) - 1}}};
  const Args inputs = inputs_of(*r.node);
  for (size_t k = 0; k < inputs.size(); ++k) out.push_back(below(r, k, inputs[k]));
  return out;
}

std::vector<ScriptRef> script_outputs(const ScriptRef& r) {
  if (is_param(r)) {
    std::vector<ScriptRef> out;
    const ir::Block* block = r.node->block();
    if (!block->owner())
      if (std::optional<ScriptRef> self = script_self(*r.node->graph())) out.push_back(std::move(*self));
    for (Node* p : script_block_inputs(block)) out.push_back({p, {}});
    return out;
  }
  if (r.is_inline()) return {r};
  Node* n = live(r);
  if (n->op() == Op::Output) return {};
  if (!n->multi()) return script_result_count(n) ? std::vector<ScriptRef>{{n, {}}} : std::vector<ScriptRef>{};
  std::vector<ScriptRef> out;
  for (size_t k = 0; k < script_result_count(n); ++k) {
    if (Node* result = n->result(k)) out.push_back({result, {}});
    else out.push_back({n, {kResult + static_cast<uint32_t>(k)}});
  }
  return out;
}

namespace {

void add_with_inline(std::vector<ScriptRef>& out, const ScriptRef& r) {
  if (r.is_inline() || r.node->op() != Op::GetAttr)
    for (const ScriptRef& input : script_inputs(r))
      if (input.is_inline()) add_with_inline(out, input);
  if (!r.is_inline() && r.node->op() == Op::GetAttr)
    for (uint32_t depth = 1; depth < parts_of(*r.node).size(); ++depth) out.push_back({r.node, {kHolder + depth}});
  out.push_back(r);
}

}  // namespace

std::vector<ScriptRef> script_nodes(const ir::Block* block) {
  std::vector<ScriptRef> out;
  for (Node* n : *block) {
    if (n->op() == Op::Placeholder || n->is_projection() || script_is_mark(*n)) continue;
    add_with_inline(out, {n, {}});
    if (n->op() == Op::Output) out.pop_back();
  }
  return out;
}

std::vector<ScriptRef> find_all_nodes(const ir::Block* block, std::string_view kind, bool recurse) {
  std::vector<ScriptRef> out;
  std::vector<std::pair<std::vector<ScriptRef>, size_t>> todo;  // the nodes of the blocks that are open, and how many are seen
  todo.emplace_back(script_nodes(block), 0);
  while (!todo.empty()) {
    auto& [nodes, next] = todo.back();
    if (next == nodes.size()) {
      todo.pop_back();
      continue;
    }
    const ScriptRef r = nodes[next++];
    if (script_kind(r) == kind) out.push_back(r);
    if (!recurse || r.is_inline()) continue;
    for (size_t k = r.node->block_count(); k-- > 0;) todo.emplace_back(script_nodes(r.node->block(k)), 0);
  }
  return out;
}

ScriptRef script_param_node(const ir::Block* block) {
  MONOGRAPH_CHECK(block->output(), Runtime, "the block has no return yet");
  return {block->output(), {kParam}};
}

std::optional<ScriptRef> script_self(const ir::Graph& graph) {
  const std::vector<Node*> inputs = graph.placeholders();
  if (!inputs.empty() && inputs[0]->type().is(TypeKind::Class)) return {};  // a method of the hierarchy has its own
  for (Node* n : ir::NestedNodes(graph))
    if (n->op() == Op::GetAttr) return ScriptRef{n, {kHolder}};
  return {};
}

// --- Attributes.

namespace {

// The value of a constant as TorchScript stores it: dtypes, layouts and memory formats are ints.
Args stored(ArgRef a) {
  switch (a.kind()) {
    case ArgKind::DType: return Args(int64_t{info(a.as_dtype()).code});
    case ArgKind::Layout: return Args(int64_t{0});
    case ArgKind::MemoryFormat: return Args(static_cast<int64_t>(a.as_memory_format()));
    default: return Args().add(a);
  }
}

}  // namespace

std::optional<Args> script_attribute(const ScriptRef& r, std::string_view name) {
  const std::string kind = script_kind(r);
  if (kind == "prim::GetAttr" && name == "name") {
    const std::vector<std::string> parts = parts_of(*r.node);
    return Args(r.is_inline() ? parts[depth_of(r) - 1] : parts.back());
  }
  if (kind == "prim::CallMethod" && name == "name")
    return Args(r.node->op() == Op::CallModule ? std::string("forward") : r.node->target().name());
  if (kind != "prim::Constant" || name != "value") return {};
  if (r.is_inline()) {
    const Args literal = literal_at(r);
    if (literal[0].is_none()) return {};
    return stored(literal[0]);
  }
  if (r.node->arg_count() == 0 || r.node->arg(0).is_none()) return {};
  return stored(r.node->arg(0));
}

std::vector<std::string> script_attribute_names(const ScriptRef& r) {
  for (const char* name : {"value", "name"})
    if (script_attribute(r, name)) return {name};
  return {};
}

void set_script_attribute(const ScriptRef& r, std::string_view name, const Args& value) {
  const std::string kind = script_kind(r);
  if (kind == "prim::GetAttr" && name == "name" && value[0].is(ArgKind::Str)) {
    std::vector<std::string> parts = parts_of(*r.node);
    (r.is_inline() ? parts[depth_of(r) - 1] : parts.back()) = value[0].as_str();
    std::string path;
    for (const std::string& part : parts) path += concat(path.empty() ? "" : ".", part);
    r.node->graph()->set_target(r.node, r.node->graph()->target(path));
    return;
  }
  MONOGRAPH_CHECK(kind == "prim::Constant" && name == "value", Runtime, "a node of the kind ", kind, " has no attribute '", name,
                  "' that can be set; prim::Constant has 'value' and prim::GetAttr 'name'");
  if (!r.is_inline()) {
    r.node->graph()->set_args(r.node, Args().kw("value", value));
    r.node->graph()->set_type(r.node, ir::type_of(r.node->arg(0)));
    return;
  }
  ScriptRef user{r.node, {r.path.begin(), r.path.end() - 1}};
  (void)literal_at(r);
  bool bound = false;
  const Args inputs = inputs_of(*r.node, &bound);
  Args changed;
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (k == r.path[0]) add_replaced(changed, inputs[k], std::span(r.path).subspan(1), value);
    else changed.add(inputs[k]);
  }
  set_inputs(r.node, changed, bound, r.path[0]);
}

// --- Values.

ScriptRef script_node(const ScriptRef& value) {
  if (is_result(value)) return {value.node, {}};
  if (!value.is_inline() && value.node->is_projection()) return {value.node->projected(), {}};
  return value;
}
size_t script_offset(const ScriptRef& value) {
  if (is_result(value)) return value.path[0] - kResult;
  return !value.is_inline() && value.node->is_projection() ? value.node->projected_index() : 0;
}

namespace {

// The value itself, of a result that nobody used when it was asked for, and somebody does now.
ScriptRef settled(const ScriptRef& value) {
  if (!is_result(value) || value.node->erased()) return value;
  const size_t k = value.path[0] - kResult;
  if (!value.node->multi()) return k == 0 ? ScriptRef{value.node, {}} : value;
  Node* result = value.node->result(k);
  return result ? ScriptRef{result, {}} : value;
}

}  // namespace

void script_set_type(const ScriptRef& value, Type type) {
  MONOGRAPH_CHECK(is_result(value) || !value.is_inline(), Runtime, "a literal has the type that it has");
  ir::Graph& g = *live(value)->graph();
  const ScriptRef at = settled(value);
  if (!is_result(at)) return g.set_type(at.node, type, true);
  std::vector<Type> types;
  for (size_t k = 0; k < at.node->result_count(); ++k) types.push_back(k == script_offset(at) ? type : at.node->result_type(k));
  g.set_results(at.node, types);
}

void script_set_name(const ScriptRef& value, std::string_view name) {
  MONOGRAPH_CHECK(is_result(value) || !value.is_inline(), Runtime, "a literal among the inputs of %", value.node->name(),
                  " has no name of its own; insertConstant makes a node that has one");
  ir::Graph& g = *live(value)->graph();
  const ScriptRef at = settled(value);
  g.set_name(is_result(at) ? g.project(at.node, script_offset(at)) : at.node, name);
}

Type script_type(const ScriptRef& value) {
  if (is_holder(value)) return TypeKind::Any;
  if (is_result(value)) return value.node->result_type(script_offset(value));
  if (!value.is_inline()) return value.node->type();
  const Args literal = literal_at(value);
  const Type known = ir::type_of(stored(literal[0])[0]);
  const bool unclear = !known || (literal[0].is(ArgKind::List) && literal[0].size() == 0);
  if (!unclear || value.path.size() != 1 || !has_schema(*value.node)) return known ? known : Type(TypeKind::Any);
  const Type wanted = value.node->info()->schema().arguments()[value.path[0]].type;
  return wanted.is(TypeKind::Optional) ? wanted.element() : wanted;
}

namespace {

void add_uses(std::vector<ScriptUse>& out, const Node* value, const ScriptRef& user) {
  const std::vector<ScriptRef> inputs = script_inputs(user);
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (!inputs[k].is_inline() && inputs[k].node == value) out.push_back({user, k});
    else if (inputs[k].is_inline() && !is_holder(inputs[k])) add_uses(out, value, inputs[k]);
  }
}

}  // namespace

std::vector<ScriptUse> script_uses(const ScriptRef& given) {
  std::vector<ScriptUse> out;
  const ScriptRef value = settled(given);
  if (is_holder(value)) {
    const std::vector<std::string> parts = parts_of(*value.node);
    if (depth_of(value) + 1 < parts.size()) return {{{value.node, {value.path[0] + 1}}, 0}};
    return {{{value.node, {}}, 0}};
  }
  if (is_result(value)) return out;
  if (value.is_inline()) {
    (void)literal_at(value);
    return {{{value.node, {value.path.begin(), value.path.end() - 1}}, value.path.back()}};
  }
  for (Node* user : value.node->users()) add_uses(out, value.node, {user, {}});
  return out;
}

Args script_argument(const ScriptRef& value) {
  MONOGRAPH_CHECK(!is_holder(value), Runtime, "a module cannot be an argument of a node; set the attribute 'name' of its prim::GetAttr");
  if (is_result(value)) return Args(live(value)->graph()->project(value.node, script_offset(value)));
  if (value.is_inline()) return literal_at(value);
  MONOGRAPH_CHECK(!live(value)->multi(), Runtime, "%", value.node->name(), " has several results now; outputs() gives them");
  return Args(live(value));
}

void script_set_input(const ScriptRef& user, size_t index, const ScriptRef& value) {
  const std::vector<ScriptRef> inputs = script_inputs(user);
  MONOGRAPH_CHECK(index < inputs.size(), Runtime, script_kind(user), " has ", inputs.size(), " inputs, so there is no input ", index);
  MONOGRAPH_CHECK(!is_holder(user) && live(user)->op() != Op::GetAttr, Runtime,
                  "a prim::GetAttr takes its module; set its attribute 'name'");
  const Args by = script_argument(value);
  check_same_graph(user, by);
  std::vector<uint32_t> path = user.path;
  path.push_back(static_cast<uint32_t>(index));
  bool bound = false;
  const Args all = inputs_of(*user.node, &bound);
  Args changed;
  for (size_t k = 0; k < all.size(); ++k) {
    if (k == path[0]) add_replaced(changed, all[k], std::span(path).subspan(1), by);
    else changed.add(all[k]);
  }
  set_inputs(user.node, changed, bound, path[0]);
}

void script_replace_all_uses(const ScriptRef& given, const ScriptRef& by) {
  const ScriptRef value = settled(given);
  if (value == by) return;
  if (!value.is_inline() && !by.is_inline()) {
    MONOGRAPH_CHECK(live(value)->graph() == live(by)->graph(), Runtime, "%", by.node->name(), " belongs to another graph than %",
                    value.node->name());
    return value.node->graph()->replace_all_uses(value.node, by.node);
  }
  for (const ScriptUse& use : script_uses(value)) script_set_input(use.user, use.offset, by);
}

// --- Changes.

void script_add_input(const ScriptRef& user, const ScriptRef& value) {
  const Args by = script_argument(value);
  check_same_graph(user, by);
  if (user.is_inline()) {
    MONOGRAPH_CHECK(!is_holder(user), Runtime, "a prim::GetAttr takes its module alone");
    const Args literal = literal_at(user);
    MONOGRAPH_CHECK(is_construct(literal[0]), Runtime, "a constant has no inputs");
    Args longer;
    longer.open(literal[0].kind());
    for (ArgRef part : literal[0]) longer.add(part);
    longer.add(by[0]).close();
    bool bound = false;
    const Args all = inputs_of(*user.node, &bound);
    Args changed;
    for (size_t k = 0; k < all.size(); ++k) {
      if (k == user.path[0]) add_replaced(changed, all[k], std::span(user.path).subspan(1), longer);
      else changed.add(all[k]);
    }
    return set_inputs(user.node, changed, bound, user.path[0]);
  }
  Node* n = live(user);
  if (n->is_loop()) return script_add_carried(n, by);
  if (n->op() == Op::Output && n->block()->owner()) return void(script_register_output(n->block(), value));
  MONOGRAPH_CHECK(n->op() != Op::Placeholder && n->op() != Op::GetAttr && !is_constant(*n), Runtime, "a ", script_kind(user),
                  " takes no inputs");
  Args longer;
  for (size_t k = 0; k < n->positional_count(); ++k) longer.add(n->arg(k));
  MONOGRAPH_CHECK(n->positional_count() == n->arg_count(), Runtime, script_kind(user),
                  " has all of its inputs; replaceInput gives it another one");
  longer.add(by[0]);
  n->graph()->set_args(n, longer);
  settle(n);
}

void script_remove_input(const ScriptRef& user, size_t index) {
  const std::vector<ScriptRef> inputs = script_inputs(user);
  MONOGRAPH_CHECK(index < inputs.size(), Runtime, script_kind(user), " has ", inputs.size(), " inputs, so there is no input ", index);
  MONOGRAPH_CHECK(!is_holder(user) && live(user)->op() != Op::GetAttr, Runtime, "a prim::GetAttr takes its module alone");
  bool bound = false;
  const Args all = inputs_of(*user.node, &bound);
  if (!user.is_inline()) {
    if (bound) {
      const ir::Argument& argument = user.node->info()->schema().arguments()[index];
      MONOGRAPH_CHECK(argument.default_value, Runtime, script_kind(user), " needs its argument '", argument.name,
                      "'; replaceInput gives it another one");
      Args changed;
      for (size_t k = 0; k < all.size(); ++k) changed.add(k == index ? (*argument.default_value)[0] : all[k]);
      return set_inputs(user.node, changed, true, all.size());
    }
    Args shorter;
    for (size_t k = 0; k < all.size(); ++k)
      if (k != index) shorter.add(all[k]);
    return set_inputs(user.node, shorter, false, 0);
  }
  const Args literal = literal_at(user);
  Args shorter;
  shorter.open(literal[0].kind());
  size_t k = 0;
  for (ArgRef part : literal[0])
    if (k++ != index) shorter.add(part);
  shorter.close();
  Args changed;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i == user.path[0]) add_replaced(changed, all[i], std::span(user.path).subspan(1), shorter);
    else changed.add(all[i]);
  }
  set_inputs(user.node, changed, bound, user.path[0]);
}

void script_insert_input(const ScriptRef& user, size_t index, const ScriptRef& value) {
  const std::vector<ScriptRef> before = script_inputs(user);
  MONOGRAPH_CHECK(index <= before.size(), Runtime, script_kind(user), " has ", before.size(), " inputs, so there is no place ", index);
  MONOGRAPH_CHECK(user.is_inline() || !live(user)->block_count() || index == before.size(), Runtime, "a ", script_kind(user),
                  " takes more inputs at its end alone");
  bool bound = false;
  if (!user.is_inline()) (void)inputs_of(*live(user), &bound);
  MONOGRAPH_CHECK(!bound, Runtime, script_kind(user), " has all of its inputs; replaceInput gives it another one");
  script_add_input(user, value);
  // Each input behind it moves by one; the values are looked up before, since their places change.
  for (size_t k = before.size(); k > index; --k) script_set_input(user, k, script_inputs(user)[k - 1]);
  script_set_input(user, index, value);
}

Node* script_create_clone(ir::Graph& graph, const ScriptRef& node, const std::function<ScriptRef(const ScriptRef&)>& map) {
  MONOGRAPH_CHECK(!node.is_inline(), Runtime, "a literal is a part of the node that uses it; insertConstant makes a node of its value");
  const Node* from = live(node);
  ir::Graph::NodeMap made;
  const auto stand_in = [&](const Node* used) {
    if (made.contains(used) || from == used) return;
    for (const Node* outer = used; outer; outer = outer->block()->owner())
      if (outer->block()->owner() == from) return;  // in its own blocks
    const Args by = script_argument(map({const_cast<Node*>(used), {}}));
    Node* n = by[0].node();
    MONOGRAPH_CHECK(n, Runtime, "createClone: a literal cannot take the place of %", used->name(), "; insertConstant makes a node of it");
    MONOGRAPH_CHECK(n->graph() == &graph, Runtime, "%", n->name(), " belongs to another graph");
    made[used] = n;
  };
  for (size_t k = 0; k < from->input_count(); ++k) stand_in(from->input(k));
  for (size_t b = 0; b < from->block_count(); ++b)
    for (const Node* inner : ir::NestedNodes(from->block(b)))
      for (size_t k = 0; k < inner->input_count(); ++k)
        if (!inner->is_projection() || inner->projected() != from) stand_in(inner->input(k));
  return graph.copy(from, made);
}

void script_copy_metadata(const ScriptRef& to, const ScriptRef& from) {
  Node *node = live(to), *by = live(from);
  MONOGRAPH_CHECK(!to.is_inline(), Runtime, "a literal has the line of the node that uses it");
  node->graph()->set_span(node, by->span());
  node->graph()->set_scope(node, by->scope());
}

Node* script_create(ir::Graph& graph, std::string_view kind, const std::vector<ScriptRef>& inputs, size_t outputs) {
  MONOGRAPH_CHECK(kind.find("::") != std::string_view::npos, Runtime, "the kind of a node has a namespace: aten::", kind);
  const bool structure = kind.starts_with("prim::");
  MONOGRAPH_CHECK(structure || Registry::global().find_overloads(kind) || Registry::global().find(kind), Attribute, "there is no operator ",
                  kind);
  Args args;
  for (const ScriptRef& input : inputs) {
    args.add(script_argument(input)[0]);
    if (const Node* n = args[args.size() - 1].node())
      MONOGRAPH_CHECK(n->graph() == &graph, Runtime, "%", n->name(), " belongs to another graph");
  }
  if (kind == "prim::If" || kind == "prim::Loop") return script_create_structure(graph, kind, args, outputs);
  Node* made = graph.call(kind, args);
  settle(made);
  if (made->info() && !inputs.empty()) {
    const std::string why = misfit(*made);
    if (!why.empty()) {
      graph.erase(made);
      fail(ErrorKind::Runtime, why);
    }
  }
  return made;
}

Node* script_constant(ir::Graph& graph, const Args& value) {
  Node* n = graph.call("prim::Constant", Args().kw("value", value));
  graph.set_type(n, ir::type_of(n->arg(0)));
  return n;
}

void script_destroy(const ScriptRef& r) {
  if (!r.is_inline()) {
    try {
      live(r)->graph()->erase(r.node);
    } catch (const Error& e) {
      fail(ErrorKind::Runtime, e.what());  // it has users; the class is that of PyTorch's
    }
    return;
  }
  if (is_holder(r)) return;
  bool stands = true;
  try {
    (void)literal_at(r);
  } catch (const Error&) {
    stands = false;  // its user has another input now
  }
  MONOGRAPH_CHECK(!stands, Runtime, script_kind(r), " stands among the inputs of %", r.node->name(), "; replace it there first");
}

}  // namespace monograph::passes
