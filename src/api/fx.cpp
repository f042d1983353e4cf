// Implements monograph/fx.h. Nodes are handles to nodes of ir::Graph. Pattern matching is in src/passes, Interpreter in src/exec, Transformer in src/capture.
#include <iostream>

#include "api/graph_access.h"
#include "capture/transformer.h"
#include "exec/meta_interpreter.h"
#include "ir/bind.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "monograph/fx.h"
#include "ops/infer.h"
#include "ops/registry.h"
#include "passes/cse.h"
#include "passes/dce.h"
#include "passes/subgraph_rewriter.h"

namespace monograph::api::fx {

using GraphAccess = api::Graph::Access;

// --- Nodes and arguments behind the public ones.

struct Node::Access {
  static Node wrap(const std::shared_ptr<void>& graph, ir::Node* node) {
    Node out;
    if (node) out.impl_ = graph, out.node_ = node;
    return out;
  }
  static ir::Node* of(const Node& n) {
    if (!n.impl_) throw ValueError("this Node was not assigned yet");
    return static_cast<ir::Node*>(n.node_);
  }
  static GraphAccess& graph(const Node& n) { return of(n), *static_cast<GraphAccess*>(n.impl_.get()); }
  static const std::shared_ptr<void>& shared(const Node& n) { return n.impl_; }
};

namespace {

// Arguments of nodes that are no values of operators: a node, or one of those in ArgBox.
struct NodeBox : ObjectBox {
  explicit NodeBox(Node n) : node(std::move(n)) {}
  std::string kind_name() const override { return "Node"; }
  Node node;
};
struct ArgBox : ObjectBox {  // a slice, an ellipsis, a symbolic size, or a global name of the program
  ArgBox(std::shared_ptr<void> graph, ir::Args one) : graph(std::move(graph)), arg(std::move(one)) {}
  std::string kind_name() const override { return "argument of a graph"; }
  std::shared_ptr<void> graph;
  ir::Args arg;
};

}  // namespace

struct Argument::Access {
  IValue value;
  static Argument wrap(IValue v) {
    Argument out;
    if (!v.is_none()) out.impl_ = std::make_shared<Access>(Access{std::move(v)});
    return out;
  }
  static const IValue& of(const Argument& a) {
    static const IValue none;
    return a.impl_ ? static_cast<const Access*>(a.impl_.get())->value : none;
  }
};

namespace {

template <class T>
const T* box(const IValue& v) {
  return v.is_object() ? dynamic_cast<const T*>(v.object()) : nullptr;
}

ir::Node* live(const Node& n) {
  ir::Node* node = Node::Access::of(n);
  MONOGRAPH_CHECK(!node->erased(), Value, "%", node->name(), " was erased from its graph");
  return node;
}

// Converts an argument that the graph stores to a value. Literals become plain values; other arguments become a NodeBox or an ArgBox.
IValue read(const std::shared_ptr<void>& graph, ir::ArgRef a) {
  using ir::ArgKind;
  switch (a.kind()) {
    case ArgKind::Node: return IValue(Ref<ObjectBox>(new NodeBox(Node::Access::wrap(graph, a.as_node()))));
    case ArgKind::Slice:
    case ArgKind::Ellipsis:
    case ArgKind::SymInt:
    case ArgKind::Global: return IValue(Ref<ObjectBox>(new ArgBox(graph, ir::Args().add(a))));
    case ArgKind::List:
    case ArgKind::Tuple: {
      std::vector<IValue> items;
      for (ir::ArgRef part : a) items.push_back(read(graph, part));
      return a.is(ArgKind::List) ? IValue::list(std::move(items)) : IValue::tuple(std::move(items));
    }
    case ArgKind::Dict: {
      std::vector<std::pair<IValue, IValue>> pairs;
      for (auto it = a.begin(); it != a.end(); ++it) {
        IValue key = read(graph, *it);
        pairs.emplace_back(std::move(key), read(graph, *++it));
      }
      return IValue::dict(std::move(pairs));
    }
    default: return exec::literal(a);
  }
}

// Converts a value to an argument. Messages name `user`, the node that gets the argument; it is null while the node is being made.
void write(ir::Args& out, const IValue& v, const ir::Graph& graph, const ir::Node* user) {
  const auto refuse = [&](const std::string& why) {
    Error e(ErrorKind::Value, user ? monograph::concat("%", user->name(), " cannot take this argument: ", why) : why);
    if (user) e.locate(user->span());
    throw e;
  };
  switch (v.tag()) {
    case IValue::Tag::None: return void(out.none());
    case IValue::Tag::Bool: return void(out.add(v.to_bool()));
    case IValue::Tag::Int: return void(out.add(v.to_int()));
    case IValue::Tag::Float: return void(out.add(v.to_double()));
    case IValue::Tag::Complex: return void(out.add(v.to_complex()));
    case IValue::Tag::Dtype: return void(out.add(v.to_dtype()));
    case IValue::Tag::Device: return void(out.add(v.to_device()));
    case IValue::Tag::MemoryFormat: return void(out.add(v.to_memory_format()));
    case IValue::Tag::Layout: return void(out.layout());
    case IValue::Tag::Str: return void(out.add(v.to_string()));
    case IValue::Tag::Tensor: {
      if (v.as_tensor()->kind != TensorImpl::Kind::Dense) refuse("a symbolic tensor belongs to its capture. Use the Node of this graph");
      // The graph gets a copy, so later writes to the user's tensor do not change it.
      GradModeScope no_grad(false);
      IValue args[] = {v, monograph::MemoryFormat::Contiguous}, copy;
      run(find_operator("aten::clone"), args, &copy);
      const monograph::Tensor& t = copy.as_tensor();
      if (t->quantizer) return void(out.add(ir::TensorRef(std::make_shared<exec::LiveTensor>(t))));  // bytes alone have no scale
      out.add(ir::make_tensor_constant(t.dtype(), t.sizes(), std::span(reinterpret_cast<const std::byte*>(t.data()), t.nbytes())));
      return;
    }
    case IValue::Tag::Ints:
      out.open(ir::ArgKind::List);
      for (int64_t k : v.to_ints()) out.add(k);
      return void(out.close());
    case IValue::Tag::List:
    case IValue::Tag::Tuple:
      out.open(v.is_list() ? ir::ArgKind::List : ir::ArgKind::Tuple);
      for (const IValue& item : v.items()) write(out, item, graph, user);
      return void(out.close());
    case IValue::Tag::Dict:
      out.open(ir::ArgKind::Dict);
      for (const auto& [key, item] : v.pairs()) write(out, key, graph, user), write(out, item, graph, user);
      return void(out.close());
    case IValue::Tag::Object: break;
  }
  if (const auto* arg = box<ArgBox>(v)) return void(out.add(arg->arg[0]));
  const auto* node = box<NodeBox>(v);
  if (!node) refuse(monograph::concat("a ", describe(v), " cannot be part of a graph"));
  ir::Node* given = Node::Access::of(node->node);
  if (given->erased()) refuse(monograph::concat("%", given->name(), " was erased"));
  if (given->graph() != &graph)
    refuse(monograph::concat("%", given->name(), " belongs to another graph ('", given->graph()->name(),
                             "'). Use a node of this graph, or make one here with call_function"));
  out.add(given);
}

// Raises for the name of an operator that does not exist. The message has the nearest name that does.
void check_target(const std::string& target, const ir::Graph& graph) {
  if (target.find("::") == std::string::npos || Registry::global().find(target)) return;
  if (!graph.unit() || !graph.unit()->find_function(target)) find_overloads(target);
}

// A replacement that is a text may call what does not exist, or with wrong arguments. (In a pattern, that may be a custom operator that this program lacks.)
void check_call(const ir::Node& n) {
  if (n.op() != ir::Op::CallFunction || n.block_count() || n.is_projection() || n.target().surface->callable) return;
  const std::string name(n.target().name());
  if (name.starts_with("prim::")) return;
  if (!n.info()) return check_target(name, *n.graph());
  if (std::string why = ir::misfit(n.info()->schema(), n); !why.empty()) fail(ErrorKind::Type, why);
}

ir::Args write(const Arguments& args, const Keywords& kwargs, const ir::Graph& graph, const ir::Node* user) {
  ir::Args out;
  for (const Argument& a : args) write(out, Argument::Access::of(a), graph, user);
  for (const auto& [name, a] : kwargs) out.name(name), write(out, Argument::Access::of(a), graph, user);
  return out;
}

std::string argument_text(const IValue& v) {
  const auto list = [](const std::vector<IValue>& items, const char* open, const char* close) {
    std::string out = open;
    for (size_t k = 0; k < items.size(); ++k) out += (k ? ", " : "") + argument_text(items[k]);
    return out + close;
  };
  if (const auto* node = box<NodeBox>(v)) return "%" + node->node.name();
  if (v.is_list()) return list(v.items(), "[", "]");
  if (v.is_tuple()) return list(v.items(), "(", v.items().size() == 1 ? ",)" : ")");
  if (v.is_dict()) {
    std::string out = "{";
    for (const auto& [key, item] : v.pairs()) out += (out.size() > 1 ? ", " : "") + argument_text(key) + ": " + argument_text(item);
    return out + "}";
  }
  if (v.is_tensor()) {
    const monograph::Tensor& t = v.as_tensor();
    if (t->kind != TensorImpl::Kind::Dense) return "symbolic tensor";
    return monograph::concat("tensor(", name(t.dtype()), monograph::to_string(t.sizes()), ")");
  }
  if (v.is_object() && !box<ArgBox>(v)) return describe(v);
  ir::Args one;
  if (const auto* arg = box<ArgBox>(v)) one.add(arg->arg[0]);
  else write(one, v, ir::Graph(), nullptr);
  std::string out;
  ir::print_arg(out, one[0]);
  return out;
}

void note_edit(const Node& n) {
  ir::choose_overload(Node::Access::of(n));
  Node::Access::graph(n).edited = true;
}

[[noreturn]] void mismatch(const Argument& a, const char* expected) {
  throw TypeError(monograph::concat("this Argument is ", describe(Argument::Access::of(a)), ", not ", expected));
}

}  // namespace

// --- Argument.

Argument::Argument() = default;
Argument::Argument(std::nullopt_t) {}
Argument::Argument(const Scalar& v) { *this = Access::wrap(value(v)); }
Argument::Argument(const char* v) : Argument(std::string(v)) {}
Argument::Argument(const std::string& v) { *this = Access::wrap(v); }
Argument::Argument(const Tensor& v) { *this = Access::wrap(value(v)); }
Argument::Argument(const Node& v) { *this = Access::wrap(Ref<ObjectBox>(new NodeBox(v))); }
Argument::Argument(Dtype v) { *this = Access::wrap(value(v)); }
Argument::Argument(Device v) { *this = Access::wrap(value(v)); }
Argument::Argument(MemoryFormat v) { *this = Access::wrap(value(v)); }
namespace {
std::vector<IValue> values_of(const std::vector<Argument>& list) {
  std::vector<IValue> items;
  for (const Argument& a : list) items.push_back(Argument::Access::of(a));
  return items;
}
}  // namespace
Argument::Argument(const std::vector<Argument>& list) { *this = Access::wrap(IValue::list(values_of(list))); }
Argument::Argument(const std::vector<int64_t>& list) { *this = Access::wrap(Dims(std::span<const int64_t>(list))); }
Argument Argument::tuple(const std::vector<Argument>& items) { return Access::wrap(IValue::tuple(values_of(items))); }
Argument Argument::dict(const std::vector<std::pair<Argument, Argument>>& items) {
  std::vector<std::pair<IValue, IValue>> pairs;
  for (const auto& [key, item] : items) pairs.emplace_back(Access::of(key), Access::of(item));
  return Access::wrap(IValue::dict(std::move(pairs)));
}
bool Argument::is_none() const { return Access::of(*this).is_none(); }
bool Argument::is_bool() const { return Access::of(*this).is_bool(); }
bool Argument::is_int() const { return Access::of(*this).is_int(); }
bool Argument::is_float() const { return Access::of(*this).is_float(); }
bool Argument::is_str() const { return Access::of(*this).is_string(); }
bool Argument::is_tensor() const { return Access::of(*this).is_tensor(); }
bool Argument::is_node() const { return box<NodeBox>(Access::of(*this)) != nullptr; }
bool Argument::is_list() const { return Access::of(*this).is_list() || Access::of(*this).is_ints(); }
bool Argument::is_tuple() const { return Access::of(*this).is_tuple(); }
bool Argument::is_dict() const { return Access::of(*this).is_dict(); }
bool Argument::to_bool() const { return is_bool() ? Access::of(*this).to_bool() : (mismatch(*this, "a bool"), false); }
int64_t Argument::to_int() const { return is_int() ? Access::of(*this).to_int() : (mismatch(*this, "an int"), 0); }
double Argument::to_double() const {
  if (!is_float() && !is_int() && !is_bool()) mismatch(*this, "a number");
  return Access::of(*this).to_double();
}
std::string Argument::to_str() const { return is_str() ? Access::of(*this).to_string() : (mismatch(*this, "a str"), ""); }
Dtype Argument::to_dtype() const {
  if (Access::of(*this).tag() != IValue::Tag::Dtype) mismatch(*this, "a dtype");
  return static_cast<Dtype>(Access::of(*this).to_dtype());
}
Tensor Argument::to_tensor() const {
  if (!is_tensor()) mismatch(*this, "a Tensor");
  return Tensor::Access::wrap(Access::of(*this).as_tensor());
}
Node Argument::to_node() const {
  if (!is_node()) mismatch(*this, "a Node");
  return box<NodeBox>(Access::of(*this))->node;
}
std::vector<Argument> Argument::items() const {
  const IValue& v = Access::of(*this);
  std::vector<Argument> out;
  if (v.is_ints()) {
    for (int64_t k : v.to_ints()) out.emplace_back(k);
    return out;
  }
  if (!v.is_list() && !v.is_tuple()) mismatch(*this, "a list or tuple");
  for (const IValue& item : v.items()) out.push_back(Access::wrap(item));
  return out;
}
std::vector<std::pair<Argument, Argument>> Argument::dict_items() const {
  if (!is_dict()) mismatch(*this, "a dict");
  std::vector<std::pair<Argument, Argument>> out;
  for (const auto& [key, item] : Access::of(*this).pairs()) out.emplace_back(Access::wrap(key), Access::wrap(item));
  return out;
}
std::string Argument::str() const {
  return translated([&] { return argument_text(Access::of(*this)); });
}

// --- Node.

bool Node::operator<(const Node& other) const {
  const auto key = [](const Node& n) {
    const auto* node = static_cast<const ir::Node*>(n.node_);
    return std::pair(n.impl_.get(), node ? node->id() : 0);
  };
  return key(*this) < key(other);
}
bool Node::is_before(const Node& other) const {
  const ir::Node *a = Access::of(*this), *b = Access::of(other);
  if (a->graph() != b->graph()) throw ValueError(monograph::concat("%", a->name(), " and %", b->name(), " are nodes of two graphs"));
  return a->is_before(b);
}
std::string Node::name() const { return Access::of(*this)->name(); }
std::string Node::op() const { return std::string(ir::to_string(Access::of(*this)->op())); }
std::string Node::target() const {
  const ir::Node* n = Access::of(*this);
  return n->target().overload ? *n->target().overload : n->target().name();
}
Arguments Node::args() const {
  return translated([&] {
    const ir::Node* n = Access::of(*this);
    Arguments out;
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end() && k < n->positional_count(); ++it, ++k)
      out.push_back(Argument::Access::wrap(read(impl_, *it)));
    return out;
  });
}
Keywords Node::kwargs() const {
  return translated([&] {
    const ir::Node* n = Access::of(*this);
    Keywords out;
    for (size_t k = n->positional_count(); k < n->arg_count(); ++k)
      out[n->keyword(k - n->positional_count())] = Argument::Access::wrap(read(impl_, n->arg(k)));
    return out;
  });
}
std::vector<Node> Node::all_input_nodes() const {
  const ir::Node* n = Access::of(*this);
  std::vector<Node> out;
  for (size_t k = 0; k < n->input_count(); ++k)
    if (Node used = Access::wrap(impl_, n->input(k)); std::find(out.begin(), out.end(), used) == out.end()) out.push_back(used);
  return out;
}
std::vector<Node> Node::users() const {
  std::vector<Node> out;
  for (ir::Node* user : Access::of(*this)->users()) out.push_back(Access::wrap(impl_, user));
  return out;
}
Node Node::next() const { return Access::wrap(impl_, Access::of(*this)->next()); }
Node Node::prev() const { return Access::wrap(impl_, Access::of(*this)->previous()); }
Graph Node::graph() const { return Access::of(*this), GraphAccess::wrap(impl_); }
bool Node::erased() const { return Access::of(*this)->erased(); }
std::string Node::type() const {
  return translated([&] {
    const ir::Node* n = Access::of(*this);
    if (!n->erased()) GraphAccess::typed(graph());
    return ir::to_string(n->type());
  });
}
std::string Node::stack_trace() const { return monograph::to_string(Access::of(*this)->span()); }
std::string Node::format_node() const {
  return translated([&] { return ir::format_node(*Access::of(*this)); });
}
size_t Node::block_count() const { return Access::of(*this)->block_count(); }
std::vector<Node> Node::block(size_t index) const {
  const ir::Node* n = Access::of(*this);
  if (index >= n->block_count())
    throw IndexError(monograph::concat("%", n->name(), " has ", n->block_count(), " blocks, so there is no block ", index));
  std::vector<Node> out;
  for (ir::Node* inside : *n->block(index))
    if (inside->op() != ir::Op::Output) out.push_back(Access::wrap(impl_, inside));
  return out;
}
const std::optional<TensorMetadata>& Node::tensor_meta() const {
  static const std::optional<TensorMetadata> nothing;
  const auto& noted = Access::graph(*this).noted;
  auto found = noted.find(Access::of(*this)->id());
  return found == noted.end() ? nothing : *static_cast<const std::optional<TensorMetadata>*>(found->second.get());
}

void Node::set_args(const Arguments& args) const {
  translated([&] {
    ir::Node* n = live(*this);
    n->graph()->set_args(n, write(args, kwargs(), *n->graph(), n));
    note_edit(*this);
  });
}
void Node::set_kwargs(const Keywords& given) const {
  translated([&] {
    ir::Node* n = live(*this);
    n->graph()->set_args(n, write(args(), given, *n->graph(), n));
    note_edit(*this);
  });
}
void Node::update_arg(size_t index, const Argument& argument) const {
  Arguments all = args();
  if (index >= all.size())
    throw IndexError(monograph::concat("%", name(), " has ", all.size(), " positional arguments, so argument ", index, " cannot be set"));
  all[index] = argument;
  set_args(all);
}
void Node::update_kwarg(const std::string& name, const Argument& argument) const {
  Keywords all = kwargs();
  all[name] = argument;
  set_kwargs(all);
}
void Node::replace_input_with(const Node& old_input, const Node& new_input) const {
  translated([&] {
    ir::Node *n = live(*this), *old = Access::of(old_input);
    ir::Args checked;
    write(checked, Argument::Access::of(Argument(new_input)), *n->graph(), n);
    for (size_t k = 0; k < n->input_count(); ++k)
      if (n->input(k) == old) n->graph()->replace_input(n, k, Access::of(new_input));
    note_edit(*this);
  });
}
std::vector<Node> Node::replace_all_uses_with(const Node& other) const {
  return translated([&] {
    ir::Node *n = live(*this), *by = live(other);
    if (by->graph() != n->graph()) {
      Error e(ErrorKind::Value,
              monograph::concat("%", n->name(), " cannot be replaced by %", by->name(), ", which belongs to another graph ('",
                                by->graph()->name(), "'). Use a node of this graph, or make one here with call_function"));
      e.locate(n->span());
      throw e;
    }
    MONOGRAPH_CHECK(!n->multi() && !by->multi(), Value, "%", n->name(), " and %", by->name(),
                    ": a call with several results is used through its operator.getitem nodes. Replace those");
    std::vector<Node> changed;
    for (ir::Node* user : n->users())
      if (user != by) changed.push_back(Access::wrap(impl_, user));
    n->graph()->replace_all_uses(n, by);
    note_edit(*this);
    return changed;
  });
}
void Node::set_target(const std::string& target) const {
  translated([&] {
    ir::Node* n = live(*this);
    MONOGRAPH_CHECK(n->op() != ir::Op::Output && !n->block_count() && !n->is_projection(), Value, "%", n->name(), " is ",
                    n->target().name(), ", whose target cannot change");
    if (n->op() == ir::Op::CallFunction) check_target(target, *n->graph());
    n->graph()->set_target(n, n->graph()->target(target));
    note_edit(*this);
  });
}
void Node::set_name(const std::string& name) const {
  translated([&] {
    ir::Node* n = live(*this);
    if (n->name() != name) n->graph()->set_name(n, name);
  });
}
namespace {
void move(const Node& here, const Node& moved, bool after) {
  translated([&] {
    ir::Node *to = live(here), *n = live(moved);
    MONOGRAPH_CHECK(to->graph() == n->graph(), Value, "%", n->name(), " belongs to another graph ('", n->graph()->name(),
                    "') and cannot be moved beside %", to->name());
    if (to == n) return;
    if (after) n->graph()->move_after(n, to);
    else n->graph()->move_before(n, to);
  });
}
}  // namespace
void Node::prepend(const Node& moved) const { move(*this, moved, false); }
void Node::append(const Node& moved) const { move(*this, moved, true); }

// --- Graph.

Graph::Graph() {
  start();
  auto unit = std::make_shared<ir::Unit>();
  ir::Graph* graph = unit->add_function("forward");
  static_cast<api::Graph&>(*this) = GraphAccess::wrap(std::move(unit), graph);
}
Graph::Graph(const api::Graph& graph) : api::Graph(graph) { GraphAccess::access(graph); }
namespace {
// A public Graph for `made`, which keeps the Unit of `graph`, because both name the same modules.
Graph in_same_unit(const api::Graph& graph, std::unique_ptr<ir::Graph> made) {
  const GraphAccess& access = GraphAccess::access(graph);
  const std::shared_ptr<ir::Unit>& unit = access.unit;
  ir::Graph* raw = made.release();
  const Graph out = GraphAccess::wrap(std::shared_ptr<ir::Unit>(unit.get(), [unit, raw](ir::Unit*) { delete raw; }), raw);
  GraphAccess::access(out).attribute_changes = access.attribute_changes;
  return out;
}
}  // namespace
Graph Graph::copy() const {
  return translated([&] { return in_same_unit(*this, GraphAccess::typed(*this).clone()); });
}
std::vector<Node> Graph::nodes() const {
  std::vector<Node> out;
  for (ir::Node* n : *GraphAccess::of(*this).root()) out.push_back(Node::Access::wrap(GraphAccess::shared(*this), n));
  return out;
}
std::vector<Node> Graph::all_nodes() const {
  std::vector<Node> out;
  for (ir::Node* n : ir::NestedNodes(GraphAccess::of(*this))) {
    if (n->op() == ir::Op::Output && n->block()->owner()) continue;  // torch.fx has no nodes for the ends of blocks
    out.push_back(Node::Access::wrap(GraphAccess::shared(*this), n));
  }
  return out;
}
std::vector<Node> Graph::find_nodes(const std::string& op, const std::string& target) const {
  std::vector<Node> out;
  for (Node& n : all_nodes())
    if (n.op() == op && (target.empty() || n.target() == target || Node::Access::of(n)->target().name() == target)) out.push_back(n);
  return out;
}
Node Graph::output_node() const {
  ir::Node* output = GraphAccess::of(*this).output();
  if (!output) throw ValueError("the graph has no output yet");
  return Node::Access::wrap(GraphAccess::shared(*this), output);
}

namespace {
Span span_of(const std::source_location& where) { return {intern_file(where.file_name()), where.line(), where.column()}; }

// A node that is inserted beside another one has the line of that one already.
ir::Node* located(ir::Node* made, const std::source_location& where) {
  if (!made->span().known()) made->graph()->set_span(made, span_of(where));
  return made;
}
}  // namespace

Node Graph::placeholder(const std::string& name, const std::source_location& where) {
  return translated(
      [&] { return Node::Access::wrap(GraphAccess::shared(*this), located(GraphAccess::of(*this).placeholder(name), where)); });
}
Node Graph::get_attr(const std::string& path, const std::source_location& where) {
  return translated([&] {
    const monograph::Tensor t = unwrap(attribute(path));
    ir::Graph& graph = GraphAccess::of(*this);
    ir::Node* n = located(graph.create(ir::Op::GetAttr, graph.target(path), {}), where);
    std::vector<SymInt> sizes(t.sizes().begin(), t.sizes().end());
    graph.set_type(n, ir::TensorType::of(t.dtype(), sizes));
    return Node::Access::wrap(GraphAccess::shared(*this), n);
  });
}
Node Graph::call_function(const std::string& target, const Arguments& args, const Keywords& kwargs, const std::source_location& where) {
  return translated([&] {
    ir::Graph& graph = GraphAccess::typed(*this);
    check_target(target, graph);
    ir::Node* n = located(graph.create(ir::Op::CallFunction, graph.target(target), write(args, kwargs, graph, nullptr)), where);
    try {
      if (!n->info() && ir::operator_lookup().resolve)  // "aten::add" by its arguments
        if (const ir::OpInfo* info = ir::operator_lookup().resolve(*n)) graph.set_target(n, graph.resolved(target, info->name()));
      ir::choose_overload(n);
      InferMemo& types = GraphAccess::access(*this).types;
      if (!n->info()) {
        if (std::string why = misfit(*n); !why.empty()) fail(ErrorKind::Type, why);
      } else if (const ir::Type* known = types.find(*n)) {
        graph.set_type(n, *known);
      } else {
        if (std::string why = ir::misfit(n->info()->schema(), *n); !why.empty()) fail(ErrorKind::Type, why);
        if (!n->multi()) graph.set_type(n, types.infer(*n));
      }
    } catch (Error& e) {
      e.locate(n->span());
      graph.erase(n);
      throw;
    }
    return Node::Access::wrap(GraphAccess::shared(*this), n);
  });
}
Node Graph::output(const Argument& result, const std::source_location& where) {
  return translated([&] {
    ir::Graph& graph = GraphAccess::of(*this);
    ir::Args args;
    write(args, Argument::Access::of(result), graph, graph.output());
    if (ir::Node* former = graph.output()) graph.erase(former);  // another node takes its place, so the caller may erase it too
    return Node::Access::wrap(GraphAccess::shared(*this), located(graph.set_output(args), where));
  });
}

namespace {
struct SavedPoint {
  std::shared_ptr<void> graph;
  ir::Graph* ir;
  ir::Graph::InsertPoint point;
};
}  // namespace
Graph::Inserting::Inserting(const Graph& graph, const Node& node, bool after) {
  translated([&] {
    ir::Graph& g = GraphAccess::of(graph);
    ir::Node* n = live(node);
    MONOGRAPH_CHECK(n->graph() == &g, Value, "%", n->name(), " belongs to another graph ('", n->graph()->name(),
                    "'), so nothing in this graph can be inserted beside it");
    impl_ = std::make_shared<SavedPoint>(SavedPoint{GraphAccess::shared(graph), &g, g.insert_point()});
    if (after) g.insert_after(n);
    else g.insert_before(n);
    g.set_location_of(n);
  });
}
Graph::Inserting::~Inserting() {
  const auto& saved = *static_cast<const SavedPoint*>(impl_.get());
  saved.ir->set_insert_point(saved.point.before && saved.point.before->erased() ? ir::Graph::InsertPoint{saved.point.block, nullptr}
                                                                                : saved.point);
  saved.ir->set_location({});
}

void Graph::erase_node(const Node& node) {
  translated([&] {
    ir::Node* n = Node::Access::of(node);
    MONOGRAPH_CHECK(n->graph() == &GraphAccess::of(*this), Value, "Attempting to remove %", n->name(),
                    " from the wrong graph: it belongs to '", n->graph()->name(), "'");
    std::string users;
    for (const ir::Node* user : n->users())
      if (!(user->is_projection() && !user->has_uses())) users += monograph::concat(users.empty() ? "%" : ", %", user->name());
    if (!users.empty()) {
      Error e(ErrorKind::Runtime, monograph::concat("Tried to erase Node ", n->name(), " but it is still used in the graph: ", users,
                                                    ". Erase these first, or give them another input with replace_all_uses_with"));
      e.locate(n->span());
      throw e;
    }
    n->graph()->erase(n);
  });
}
bool Graph::eliminate_dead_code() {
  return translated([&] { return passes::eliminate_dead_code(GraphAccess::of(*this)) > 0; });
}
bool Graph::eliminate_common_subexpressions(const std::vector<std::string>& banned_ops) {
  return translated([&] {
    const auto named = [&](const std::string& name) { return std::ranges::find(banned_ops, name) != banned_ops.end(); };
    const auto stays = [&](const ir::Node& n) { return named(n.target().name()) || (n.target().overload && named(*n.target().overload)); };
    std::function<bool(const ir::Node&)> kept;
    if (!banned_ops.empty()) kept = stays;
    return passes::eliminate_common_subexpressions(GraphAccess::of(*this), kept) > 0;
  });
}
namespace {
const ir::Module::Value& attribute_of(const ir::Unit* unit, const std::string& path) {
  const ir::Module::Value* found = unit && unit->root() ? unit->root()->value_at(path) : nullptr;
  MONOGRAPH_CHECK(found, Attribute, "the graph's module has no attribute '", path, "'. Give it one with set_attribute");
  MONOGRAPH_CHECK(!found->module && found->value.size() == 1 && found->value[0].is(ir::ArgKind::Tensor), Attribute, "'", path,
                  "' is not a tensor");
  return *found;
}
}  // namespace

void Graph::lint() const {
  translated([&] {
    ir::verify(GraphAccess::of(*this));
    GraphAccess::typed(*this);
    const ir::Unit* unit = GraphAccess::access(*this).unit.get();
    const ir::Module* root = unit ? unit->root() : nullptr;
    for (const ir::Node* n : ir::NestedNodes(GraphAccess::of(*this))) {
      if (n->op() != ir::Op::GetAttr) continue;
      const std::string& path = n->target().name();
      // The mode of a module, and the module itself, are no attributes.
      if (root && (root->holder(path, ir::kTraining) || root->holder(path, ir::kModuleObject))) continue;
      try {
        attribute_of(unit, path);
      } catch (Error& e) {
        Error named(e.kind(), monograph::concat("%", n->name(), ": ", e.what()));
        named.locate(n->span());
        throw named;
      }
    }
  });
}

namespace {
constexpr size_t kUsualAttributes = 5;  // as many as a batch norm has

ir::Class* new_class(ir::Unit& unit) {
  size_t k = unit.classes().size();
  ir::Class* made = unit.try_add_class(k == 0 ? std::string("__torch__.Module") : monograph::concat("__torch__.Module_", k));
  while (!made) made = unit.try_add_class(monograph::concat("__torch__.Module_", ++k));
  made->is_module = true;
  made->attributes.reserve(kUsualAttributes);
  return made;
}
// The value of a module's attribute. Adds the attribute if it is missing.
ir::Module::Value& place_of(ir::Unit& unit, ir::Module& module, const std::string& name, ir::Attribute::Kind kind) {
  if (const int at = module.type().index_of(name); at >= 0) return module.values[static_cast<size_t>(at)];
  size_t instances = unit.modules().size() == unit.classes().size() ? 1 : 0;  // each class has an instance, so each has only one
  if (!instances)
    for (const auto& m : unit.modules()) instances += &m->type() == &module.type();
  MONOGRAPH_CHECK(instances == 1, NotImplemented, "the class ", module.type().name, " has ", instances,
                  " instances, so one of them cannot get the attribute ", name);
  auto& type = const_cast<ir::Class&>(module.type());  // the Unit owns both
  type.attributes.push_back({name, kind, kind == ir::Attribute::Kind::Module ? ir::Type() : ir::TypeKind::Tensor, true});
  module.values.reserve(kUsualAttributes);
  return module.values.emplace_back();
}
// The module that holds the last name of a path. Adds the modules on the path that are missing.
ir::Module* holder_of(ir::Unit& unit, const std::string& path) {
  if (!unit.root()) unit.set_root(unit.add_module(new_class(unit)));
  ir::Module* at = unit.root();
  size_t begin = 0;
  for (size_t dot; (dot = path.find('.', begin)) != std::string::npos; begin = dot + 1) {
    const std::string name = path.substr(begin, dot - begin);
    ir::Module::Value& child = place_of(unit, *at, name, ir::Attribute::Kind::Module);
    MONOGRAPH_CHECK(child.value.size() == 0, Value, path.substr(0, dot), " is a tensor and has no attribute ", path.substr(dot + 1));
    if (!child.module) {
      ir::Class* c = new_class(unit);
      child.module = unit.add_module(c);
      const int index = at->type().index_of(name);
      const_cast<ir::Class&>(at->type()).attributes[static_cast<size_t>(index)].type = ir::Type::named(ir::TypeKind::Class, c->name);
    }
    at = child.module;
  }
  return at;
}
// The module of the attribute that was put last. The next attribute is often in the same module, which then need not be searched.
struct LastHolder {
  std::string prefix;
  ir::Module* module = nullptr;
};
void put_attribute(ir::Unit& unit, const std::string& path, const monograph::Tensor& tensor, LastHolder* last = nullptr) {
  const size_t begin = path.rfind('.') + 1;  // 0 if there is no dot
  ir::Module* at = last && last->module && path.compare(0, begin, last->prefix) == 0 ? last->module : holder_of(unit, path);
  if (last) last->prefix.assign(path, 0, begin), last->module = at;
  const std::string name = path.substr(begin);
  MONOGRAPH_CHECK(!name.empty(), Value, "the path '", path, "' names no attribute");
  ir::Module::Value& place =
      place_of(unit, *at, name, tensor.requires_grad() ? ir::Attribute::Kind::Parameter : ir::Attribute::Kind::Buffer);
  MONOGRAPH_CHECK(!place.module, Value, path, " is a module; a tensor cannot take its place");
  place.value = ir::Args(ir::TensorRef(std::make_shared<exec::LiveTensor>(tensor)));
}
}  // namespace

Tensor Graph::attribute(const std::string& path) const {
  return translated(
      [&] { return Tensor::Access::wrap(exec::literal(attribute_of(GraphAccess::access(*this).unit.get(), path).value[0]).to_tensor()); });
}
void Graph::set_attribute(const std::string& path, const Tensor& tensor) {
  translated([&] {
    GraphAccess& access = GraphAccess::access(*this);
    const monograph::Tensor& t = Tensor::Access::dense(tensor, "data");
    put_attribute(*access.unit, path, t);
    std::vector<SymInt> sizes(t.sizes().begin(), t.sizes().end());
    for (ir::Node* n : ir::NestedNodes(*access.graph))
      if (n->op() == ir::Op::GetAttr && n->target().name() == path) access.graph->set_type(n, ir::TensorType::of(t.dtype(), sizes));
    access.edited = true;
    ++*access.attribute_changes;
  });
}
void Graph::print_tabular(std::ostream& out) const { out << tabular() << "\n"; }
void Graph::print_tabular() const { print_tabular(std::cout); }

Graph trace_function(const TensorFunction& f, size_t inputs, const std::map<std::string, Tensor>& parameters,
                     const std::source_location& where) {
  return translated([&] {
    auto unit = std::make_shared<ir::Unit>();
    std::unordered_map<const TensorImpl*, const std::string*> paths;
    paths.reserve(parameters.size());
    LastHolder last;
    for (const auto& [path, tensor] : parameters) {
      put_attribute(*unit, path, Tensor::Access::dense(tensor, "data"), &last);
      paths.try_emplace(unwrap(tensor).impl(), &path);
    }
    capture::CaptureOptions options;
    options.how = capture::How::Symbolic;
    options.unit = unit.get();
    options.location = [span = span_of(where)] { return span; };
    options.attribute = [&](const monograph::Tensor& t) {
      auto found = paths.find(t.impl());
      return found == paths.end() ? std::string() : *found->second;
    };
    capture::Captured captured = capture::capture(
        [&](std::vector<IValue> x) -> IValue {
          std::vector<Tensor> arguments;
          for (const IValue& v : x) arguments.push_back(Tensor::Access::wrap(v.as_tensor()));
          std::vector<IValue> out;
          for (const Tensor& t : f(arguments)) out.emplace_back(unwrap(t));
          return out.size() == 1 ? out[0] : IValue::tuple(std::move(out));
        },
        std::vector<IValue>(inputs), options);
    ir::Graph* graph = unit->add_function(std::move(captured.graph));
    for (ir::Node* input : graph->placeholders()) located(input, where);
    return Graph(GraphAccess::wrap(std::move(unit), graph));
  });
}

// --- Interpreter.

// Runs the graph for the public Interpreter. For each node it calls the Interpreter's virtual methods, which a user may override. Their default versions call
// back: node_by_itself and by_itself do what exec::NodeInterpreter does.
struct Interpreter::Core {
  virtual ~Core() = default;
  virtual IValue run(std::vector<IValue> inputs) = 0;
  virtual IValue node_by_itself(const ir::Node* n) = 0;
  virtual IValue by_itself(ir::Op op, const std::string& target, std::vector<IValue> args, exec::NodeInterpreter::Keywords kwargs) = 0;
  virtual const IValue& value(const ir::Node* n) const = 0;
  virtual void locate(Error& e) = 0;
  // Infers the sizes of the nodes in a block of an If or Loop without running it, and passes each node's meta tensor to `record`.
  virtual void block_on_meta(const ir::Node* n, size_t block, const exec::MetaInterpreter::Record& record) = 0;
  virtual std::unique_ptr<ir::Graph> transform() { throw InternalError("only a Transformer writes a graph"); }
  // Runs f. Errors of the library are thrown as public errors that name the node which runs.
  template <class F>
  auto translated(F&& f) {
    return api::translated([&] {
      try {
        return f();
      } catch (Error& e) {
        locate(e);
        throw;
      }
    });
  }
};

namespace {

template <class Base>
struct Running final : Interpreter::Core, Base {
  template <class... A>
  Running(Interpreter& owner, std::shared_ptr<void> graph, const A&... a) : Base(a...), owner_(owner), graph_(std::move(graph)) {}
  using Lower = exec::NodeInterpreter::Keywords;
  using Values = std::vector<IValue>;

  IValue run(Values inputs) override { return Base::run(std::move(inputs)); }
  const IValue& value(const ir::Node* n) const override { return Base::value_of(n); }
  void locate(Error& e) override { Base::locate_error(e); }
  void block_on_meta(const ir::Node* n, size_t block, const exec::MetaInterpreter::Record& record) override {
    exec::MetaInterpreter(*this, record).run_block_of(n, block);
  }
  std::unique_ptr<ir::Graph> transform() override {
    if constexpr (std::is_same_v<Base, capture::Transformer>) return Base::transform();
    else return Interpreter::Core::transform();
  }

  // Calls of the public class's methods.
  IValue run_node(const ir::Node* n) override {
    return Argument::Access::of(owner_.run_node(Node::Access::wrap(graph_, const_cast<ir::Node*>(n))));
  }
  template <class Method>
  IValue up(Method method, const std::string& target, Values& args, Lower& kwargs) {
    Arguments given;
    for (IValue& v : args) given.push_back(Argument::Access::wrap(std::move(v)));
    Keywords named;
    for (auto& [name, v] : kwargs) named[name] = Argument::Access::wrap(std::move(v));
    return Argument::Access::of((owner_.*method)(target, given, named));
  }
  IValue placeholder(const std::string& target, Values args, Lower kwargs) override {
    return up(&Interpreter::placeholder, target, args, kwargs);
  }
  IValue get_attr(const std::string& target, Values args, Lower kwargs) override {
    return up(&Interpreter::get_attr, target, args, kwargs);
  }
  IValue call_function(const std::string& target, Values args, Lower kwargs) override {
    return up(&Interpreter::call_function, target, args, kwargs);
  }
  IValue call_method(const std::string& target, Values args, Lower kwargs) override {
    return up(&Interpreter::call_method, target, args, kwargs);
  }
  IValue call_module(const std::string& target, Values args, Lower kwargs) override {
    return up(&Interpreter::call_module, target, args, kwargs);
  }
  IValue output(const std::string& target, Values args, Lower kwargs) override { return up(&Interpreter::output, target, args, kwargs); }

  // The default versions of these methods.
  IValue node_by_itself(const ir::Node* n) override { return Base::run_node(n); }
  IValue by_itself(ir::Op op, const std::string& target, Values args, Lower kwargs) override {
    switch (op) {
      case ir::Op::Placeholder: return Base::placeholder(target, std::move(args), std::move(kwargs));
      case ir::Op::GetAttr: return Base::get_attr(target, std::move(args), std::move(kwargs));
      case ir::Op::CallFunction: return Base::call_function(target, std::move(args), std::move(kwargs));
      case ir::Op::CallMethod: return Base::call_method(target, std::move(args), std::move(kwargs));
      case ir::Op::CallModule: return Base::call_module(target, std::move(args), std::move(kwargs));
      case ir::Op::Output: return Base::output(target, std::move(args), std::move(kwargs));
    }
    return {};
  }

 private:
  Interpreter& owner_;
  std::shared_ptr<void> graph_;
};

}  // namespace

Interpreter::Interpreter(const api::Graph& graph, bool garbage_collect_values) : graph_(GraphAccess::shared(graph)) {
  core_ = api::translated([&]() -> std::unique_ptr<Core> {
    return std::make_unique<Running<exec::NodeInterpreter>>(*this, graph_, GraphAccess::of(graph), garbage_collect_values);
  });
}
Interpreter::Interpreter(const api::Graph& graph, Transforming) : graph_(GraphAccess::shared(graph)) {
  core_ = api::translated(
      [&]() -> std::unique_ptr<Core> { return std::make_unique<Running<capture::Transformer>>(*this, graph_, GraphAccess::of(graph)); });
}
Interpreter::~Interpreter() = default;

namespace {
exec::NodeInterpreter::Keywords lowered(const Keywords& kwargs) {
  exec::NodeInterpreter::Keywords out;
  for (const auto& [name, a] : kwargs) out.emplace_back(name, Argument::Access::of(a));
  return out;
}
}  // namespace

Argument Interpreter::run(const Arguments& inputs) {
  return core_->translated([&] { return Argument::Access::wrap(core_->run(values_of(inputs))); });
}
Graph Interpreter::graph() const { return GraphAccess::wrap(graph_); }
Argument Interpreter::value(const Node& node) const {
  return translated([&] { return Argument::Access::wrap(core_->value(Node::Access::of(node))); });
}
Argument Interpreter::run_node(const Node& n) {
  return core_->translated([&] { return Argument::Access::wrap(core_->node_by_itself(Node::Access::of(n))); });
}
#define MONOGRAPH_BY_ITSELF(method, kind) \
  Argument Interpreter::method(const std::string& target, const Arguments& args, const Keywords& kwargs) { \
    return core_->translated( \
        [&] { return Argument::Access::wrap(core_->by_itself(ir::Op::kind, target, values_of(args), lowered(kwargs))); }); \
  }
MONOGRAPH_BY_ITSELF(placeholder, Placeholder)
MONOGRAPH_BY_ITSELF(get_attr, GetAttr)
MONOGRAPH_BY_ITSELF(call_function, CallFunction)
MONOGRAPH_BY_ITSELF(call_method, CallMethod)
MONOGRAPH_BY_ITSELF(call_module, CallModule)
MONOGRAPH_BY_ITSELF(output, Output)
#undef MONOGRAPH_BY_ITSELF

Graph Transformer::transform() {
  return core_->translated([&] { return in_same_unit(graph(), core_->transform()); });
}

namespace {
// Stores the metadata of a node's value; nullopt if the value is not a tensor.
void note_metadata(GraphAccess& graph, const ir::Node* n, const IValue& v) {
  auto noted = std::make_shared<std::optional<TensorMetadata>>();
  if (v.is_tensor()) {
    const monograph::Tensor& t = v.as_tensor();
    TensorMetadata& meta = noted->emplace();
    meta.shape.assign(t.sizes().begin(), t.sizes().end()), meta.stride.assign(t.strides().begin(), t.strides().end());
    meta.dtype = static_cast<Dtype>(t.dtype()), meta.requires_grad = t.requires_grad();
    using Format = monograph::MemoryFormat;
    for (Format f : {Format::Contiguous, Format::ChannelsLast, Format::ChannelsLast3d})
      if (!meta.memory_format && t.is_contiguous(f)) meta.memory_format = static_cast<MemoryFormat>(f);
  }
  graph.noted[n->id()] = std::move(noted);
}
}  // namespace

Argument ShapeProp::propagate(const Arguments& inputs) {
  GraphAccess::access(graph()).noted.clear();
  return run(inputs);
}
Argument ShapeProp::run_node(const Node& n) {
  Argument result = Interpreter::run_node(n);
  return translated([&] {
    GraphAccess& access = Node::Access::graph(n);
    const ir::Node* node = Node::Access::of(n);
    note_metadata(access, node, Argument::Access::of(result));
    for (size_t k = 0; k < node->block_count(); ++k) {
      bool ran = true;
      for (const ir::Node* inside : *node->block(k))
        ran &= inside->op() == ir::Op::Placeholder || inside->op() == ir::Op::Output || access.noted.contains(inside->id());
      if (!ran) {
        core_->block_on_meta(node, k, [&](const ir::Node* inside, const IValue& v) { note_metadata(access, inside, v); });
        continue;
      }
      for (const ir::Node* slot : node->block(k)->placeholders()) note_metadata(access, slot, core_->value(slot));
    }
    return result;
  });
}

// --- Patterns.

Pattern::Pattern(const std::string& text)
    : graph_(translated([&] {
        auto unit = std::make_shared<ir::Unit>();
        ir::Graph* graph = unit->add_function(ir::parse_graph(text));
        return GraphAccess::wrap(std::move(unit), graph);
      })) {}

namespace {

void fill(Match& out, const passes::SubgraphMatch& match, const std::shared_ptr<void>& pattern, const std::shared_ptr<void>& graph) {
  out.anchor = Node::Access::wrap(pattern, const_cast<ir::Node*>(match.anchor));
  for (const auto& [p, found] : match.nodes_map)
    out.nodes_map[Node::Access::wrap(pattern, const_cast<ir::Node*>(p))] =
        found.node ? Argument(Node::Access::wrap(graph, found.node)) : Argument::Access::wrap(read(graph, found.literal[0]));
}

// The pattern without calls whose results it does not use, such as the other result of max. They need not match.
Graph without_dead_code(const Graph& pattern) {
  Graph copy = pattern.copy();
  passes::eliminate_dead_code(GraphAccess::of(copy));
  return copy;
}

}  // namespace

std::vector<ReplacedPatterns> replace_pattern_with_filters(const Graph& graph, const Pattern& pattern, const Pattern& replacement,
                                                           const std::vector<MatchFilter>& match_filters, bool ignore_literals) {
  return translated([&] {
    const Graph sought = without_dead_code(pattern.graph());
    const auto &of_pattern = GraphAccess::shared(sought), &of_graph = GraphAccess::shared(graph);
    for (const ir::Node* n : ir::NestedNodes(GraphAccess::of(replacement.graph()))) check_call(*n);
    passes::ReplaceOptions options;
    options.matching.ignore_literals = ignore_literals;
    if (!match_filters.empty())
      options.filter = [&](const passes::SubgraphMatch& found) {
        Match match;
        fill(match, found, of_pattern, of_graph);
        return std::all_of(match_filters.begin(), match_filters.end(), [&](const MatchFilter& f) { return f(match, graph, sought); });
      };
    std::vector<ReplacedPatterns> out;
    auto replaced =
        passes::replace_pattern(GraphAccess::typed(graph), GraphAccess::of(sought), GraphAccess::typed(replacement.graph()), options);
    GraphAccess::of(graph).set_location({});  // nodes that are made later have other lines than those that were replaced
    for (passes::Replacement& done : replaced) {
      ReplacedPatterns& place = out.emplace_back();
      fill(place, done.match, of_pattern, of_graph);
      for (ir::Node* n : done.made) place.replacements.push_back(Node::Access::wrap(of_graph, n));
    }
    return out;
  });
}
std::vector<Match> replace_pattern(const Graph& graph, const Pattern& pattern, const Pattern& replacement) {
  std::vector<Match> out;
  for (ReplacedPatterns& place : replace_pattern_with_filters(graph, pattern, replacement)) out.push_back(std::move(place));
  return out;
}

}  // namespace monograph::api::fx
