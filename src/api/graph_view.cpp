// Implements monograph/script_graph.h. Its handles refer to nodes and values of passes/script_view.h.
#include <algorithm>

#include "api/graph_access.h"
#include "api/script_access.h"
#include "exec/interpreter.h"
#include "ir/schema.h"
#include "ir/torchscript_code.h"
#include "ir/verify.h"
#include "monograph/script_graph.h"
#include "passes/script_view.h"

MONOGRAPH_API_BEGIN

namespace jit {

using passes::ScriptRef;
using GraphAccess = api::Graph::Access;

struct ViewAccess {
  template <class Handle>
  static Handle wrap(const std::shared_ptr<void>& graph, ScriptRef r) {
    Handle out;
    out.graph_ = graph, out.node_ = r.node, out.path_ = std::move(r.path);
    return out;
  }
  template <class Handle>
  static std::vector<Handle> wrap(const std::shared_ptr<void>& graph, const std::vector<ScriptRef>& refs) {
    std::vector<Handle> out;
    for (const ScriptRef& r : refs) out.push_back(wrap<Handle>(graph, r));
    return out;
  }
  static Block block(const std::shared_ptr<void>& graph, ir::Block* block) {
    Block out;
    out.graph_ = graph, out.block_ = block;
    return out;
  }
  template <class Handle>
  static ScriptRef of(const Handle& h) {
    if (!h.graph_) throw ValueError("this handle was not assigned yet");
    return {static_cast<ir::Node*>(h.node_), h.path_};
  }
  static ir::Block* of(const Block& b) {
    if (!b.graph_) throw ValueError("this jit::Block was not assigned yet");
    return static_cast<ir::Block*>(b.block_);
  }
  template <class Handle>
  static const std::shared_ptr<void>& graph(const Handle& h) {
    return h.graph_;
  }
};

namespace {

template <class Handle>
const std::shared_ptr<void>& graph_of(const Handle& h) {
  return ViewAccess::graph(h);
}
// Runs a function that edits the handle's graph.
template <class Handle, class F>
auto changing(const Handle& h, F&& f) {
  return translated([&] {
    static_cast<GraphAccess*>(graph_of(h).get())->edited = true;
    return f();
  });
}
ir::Node* plain(const Node& n, const char* what) {
  const ScriptRef r = ViewAccess::of(n);
  if (n.kind() == "prim::Param" && r.is_inline())
    throw RuntimeError(monograph::concat(what, ": the inputs of a block stay where they are"));
  if (r.is_inline())
    throw RuntimeError(monograph::concat(what, ": a literal is a part of the node that uses it, and moves with this node"));
  return r.node;
}
ir::Args literal(const IValue& v) {
  ir::Args args;
  MONOGRAPH_CHECK(exec::add_literal(args, IValue::Access::of(v)), Type, "a ", describe(IValue::Access::of(v)),
                  " cannot be a constant of a graph");
  return args;
}
template <class T>
T only(const std::vector<T>& list, const std::string& kind, const char* what) {
  if (list.size() != 1) throw RuntimeError(monograph::concat(kind, " has ", list.size(), " ", what));
  return list[0];
}
template <class T>
T at(const std::vector<T>& list, size_t k, const std::string& kind, const char* what) {
  if (k >= list.size())
    throw IndexError(monograph::concat(kind, " has ", list.size(), " ", what, ", so the index ", k, " is out of range"));
  return list[k];
}

}  // namespace

// --- Values.

Node Value::node() const {
  return translated([&] { return ViewAccess::wrap<Node>(graph_, passes::script_node(ViewAccess::of(*this))); });
}
size_t Value::offset() const { return passes::script_offset(ViewAccess::of(*this)); }
std::string Value::debugName() const {
  std::string name = ViewAccess::of(*this).node->name();
  for (const uint32_t k : path_) name += monograph::concat(".", k & 0xffff);
  return name;
}
void Value::setDebugName(const std::string& name) const {
  translated([&] { passes::script_set_name(ViewAccess::of(*this), name); });
}
ValueType Value::type() const {
  return translated([&] {
    if (path_.empty()) (void)GraphAccess::typed(GraphAccess::wrap(graph_));
    const ir::Type type = passes::script_type(ViewAccess::of(*this));
    return ValueType(type ? monograph::ir::to_string(type) : std::string());
  });
}
bool Value::isCompleteTensor() const {
  const ValueType shown = type();
  const ir::Type type = shown.empty() ? ir::Type() : passes::script_type(ViewAccess::of(*this));
  if (!type.is(ir::TypeKind::Tensor) || !type.tensor().dtype || !type.tensor().sizes) return false;
  return std::ranges::all_of(*type.tensor().sizes, [](const auto& size) { return size && size->is_int(); });
}
const Value& Value::setType(const std::string& type) const {
  changing(*this, [&] { passes::script_set_type(ViewAccess::of(*this), ir::parse_type(type)); });
  return *this;
}
std::vector<Use> Value::uses() const {
  return translated([&] {
    std::vector<Use> out;
    for (const passes::ScriptUse& use : passes::script_uses(ViewAccess::of(*this)))
      out.push_back({ViewAccess::wrap<Node>(graph_, use.user), use.offset});
    return out;
  });
}
bool Value::hasUses() const { return !uses().empty(); }
void Value::replaceAllUsesWith(const Value& other) const {
  changing(*this, [&] { passes::script_replace_all_uses(ViewAccess::of(*this), ViewAccess::of(other)); });
}
void Value::replaceAllUsesAfterNodeWith(const Node& node, const Value& other) const {
  for (const Use& use : uses())
    if (use.user.isAfter(node)) use.user.replaceInput(use.offset, other);
}

namespace {

ir::TensorType tensor_type(const ValueType& text, const char* method) {
  const ir::Type type = ir::parse_type(text);
  MONOGRAPH_CHECK(type.is(ir::TypeKind::Tensor), Runtime, method, " is of tensor types, and this is ", text.str());
  return type.tensor();
}

}  // namespace

std::string ValueType::annotation_str() const {
  return translated([&] { return empty() ? std::string() : ir::torchscript_type(ir::parse_type(*this)); });
}
std::optional<std::vector<std::optional<int64_t>>> ValueType::sizes() const {
  return translated([&] {
    std::optional<std::vector<std::optional<int64_t>>> out;
    if (const auto held = tensor_type(*this, "sizes()").sizes) {
      out.emplace();
      for (const auto& size : *held) out->push_back(size && size->is_int() ? std::optional<int64_t>(size->as_int()) : std::nullopt);
    }
    return out;
  });
}
std::optional<Dtype> ValueType::scalarType() const {
  return translated([&] {
    const auto held = tensor_type(*this, "scalarType()").dtype;
    return held ? std::optional<Dtype>(static_cast<Dtype>(*held)) : std::nullopt;
  });
}
ValueType ValueType::with_sizes(const std::vector<std::optional<int64_t>>& sizes) const {
  return translated([&] {
    ir::TensorType made = tensor_type(*this, "with_sizes()");
    made.strides.reset(), made.sizes.emplace();
    for (const std::optional<int64_t>& size : sizes)
      made.sizes->push_back(size ? ir::TensorType::Dim(SymInt(*size)) : ir::TensorType::Dim());
    return ValueType(ir::to_string(ir::Type(std::move(made))));
  });
}
ValueType ValueType::with_dtype(Dtype dtype) const {
  return translated([&] {
    ir::TensorType made = tensor_type(*this, "with_dtype()");
    made.dtype = inner(dtype);
    return ValueType(ir::to_string(ir::Type(std::move(made))));
  });
}

std::optional<IValue> toIValue(const Value& value) {
  const Node node = value.node();
  if (node.kind() != "prim::Constant") return {};
  return node.hasAttribute("value") ? node.ival("value") : IValue();
}

// --- Nodes.

Symbol Node::kind() const {
  return translated([&] { return Symbol(passes::script_kind(ViewAccess::of(*this))); });
}
std::vector<Value> Node::inputs() const {
  return translated([&] { return ViewAccess::wrap<Value>(graph_, passes::script_inputs(ViewAccess::of(*this))); });
}
std::vector<Value> Node::outputs() const {
  return translated([&] { return ViewAccess::wrap<Value>(graph_, passes::script_outputs(ViewAccess::of(*this))); });
}
Value Node::input(size_t k) const { return at(inputs(), k, kind(), "inputs"); }
Value Node::input() const { return only(inputs(), kind(), "inputs; inputs() gives them"); }
Value Node::output(size_t k) const { return at(outputs(), k, kind(), "outputs"); }
Value Node::output() const { return only(outputs(), kind(), "outputs; outputs() gives them"); }
std::string Node::scopeName() const { return ViewAccess::of(*this).node->scope(); }
std::string Node::sourceRange() const { return to_string(ViewAccess::of(*this).node->span()); }
std::vector<Block> Node::blocks() const {
  const ScriptRef r = ViewAccess::of(*this);
  std::vector<Block> out;
  if (r.is_inline()) return out;
  for (ir::Block* block : passes::script_blocks(r.node)) out.push_back(ViewAccess::block(graph_, block));
  return out;
}
Block Node::owningBlock() const { return ViewAccess::block(graph_, ViewAccess::of(*this).node->block()); }
Graph Node::owningGraph() const { return api::Graph::Access::wrap(graph_); }

std::vector<std::string> Node::attributeNames() const {
  return translated([&] { return passes::script_attribute_names(ViewAccess::of(*this)); });
}
bool Node::hasAttribute(const std::string& name) const {
  return translated([&] { return passes::script_attribute(ViewAccess::of(*this), name).has_value(); });
}
IValue Node::ival(const std::string& name) const {
  return translated([&] {
    const std::optional<ir::Args> value = passes::script_attribute(ViewAccess::of(*this), name);
    MONOGRAPH_CHECK(value, Runtime, "required keyword attribute '", name, "' is undefined: ", passes::script_kind(ViewAccess::of(*this)),
                    " has none of this name");
    return IValue::Access::wrap(exec::literal((*value)[0]));
  });
}
const Node& Node::ival_(const std::string& name, const IValue& value) const {
  changing(*this, [&] { passes::set_script_attribute(ViewAccess::of(*this), name, literal(value)); });
  return *this;
}
const Node& Node::removeAttribute(const std::string& name) const {
  (void)ival(name);
  if (kind() != "prim::Constant")
    throw RuntimeError(monograph::concat(kind(), " needs its attribute '", name, "'; ival_() sets another value"));
  return ival_(name, IValue());
}
const Node& Node::copyAttributes(const Node& other) const {
  for (const std::string& name : other.attributeNames()) ival_(name, other.ival(name));
  return *this;
}
Value Node::namedInput(const std::string& name) const {
  const ScriptRef r = ViewAccess::of(*this);
  const ir::OpInfo* info = r.is_inline() ? nullptr : r.node->info();
  const int at = info ? info->schema().index_of(name) : -1;
  if (at < 0) throw RuntimeError(monograph::concat(kind(), " has no input named '", name, "'"));
  return input(static_cast<size_t>(at));
}
bool Node::matches(const std::string& signature) const {
  return translated([&] {
    const ScriptRef r = ViewAccess::of(*this);
    const ir::OpInfo* info = r.is_inline() ? nullptr : r.node->info();
    return info && ir::to_string(info->schema()) == ir::to_string(ir::FunctionSchema::parse(signature));
  });
}
void Node::removeAllInputs() const {
  for (size_t k = inputs().size(); k-- > 0;) removeInput(k);
}
void Node::replaceInput(size_t k, const Value& value) const {
  changing(*this, [&] { passes::script_set_input(ViewAccess::of(*this), k, ViewAccess::of(value)); });
}
void Node::replaceInputWith(const Value& old_value, const Value& value) const {
  const std::vector<Value> all = inputs();
  for (size_t k = 0; k < all.size(); ++k)
    if (all[k] == old_value) replaceInput(k, value);
}
void Node::addInput(const Value& value) const {
  changing(*this, [&] { passes::script_add_input(ViewAccess::of(*this), ViewAccess::of(value)); });
}
void Node::insertInput(size_t k, const Value& value) const {
  changing(*this, [&] { passes::script_insert_input(ViewAccess::of(*this), k, ViewAccess::of(value)); });
}
Block Node::addBlock() const {
  return changing(*this, [&] { return ViewAccess::block(graph_, passes::script_add_block(plain(*this, "addBlock"))); });
}
Value Node::addOutput() const {
  return changing(*this, [&] { return ViewAccess::wrap<Value>(graph_, passes::script_add_output(plain(*this, "addOutput"))); });
}
void Node::eraseOutput(size_t k) const {
  changing(*this, [&] { passes::script_erase_output(plain(*this, "eraseOutput"), k); });
}
const Node& Node::copyMetadata(const Node& other) const {
  changing(*this, [&] { passes::script_copy_metadata(ViewAccess::of(*this), ViewAccess::of(other)); });
  return *this;
}
bool Node::hasUses() const {
  const std::vector<Value> all = outputs();
  return std::ranges::any_of(all, [](const Value& v) { return v.hasUses(); });
}
void Node::replaceAllUsesWith(const Node& other) const {
  const std::vector<Value> old = outputs(), by = other.outputs();
  if (old.size() != by.size())
    throw RuntimeError(monograph::concat(kind(), " has ", old.size(), " outputs, and ", other.kind(), " has ", by.size()));
  for (size_t k = 0; k < old.size(); ++k) old[k].replaceAllUsesWith(by[k]);
}
bool Node::isBefore(const Node& other) const { return ViewAccess::of(*this).node->is_before(ViewAccess::of(other).node); }
void Node::removeInput(size_t k) const {
  changing(*this, [&] { passes::script_remove_input(ViewAccess::of(*this), k); });
}
const Node& Node::moveBefore(const Node& other) const {
  ir::Node *moved = plain(*this, "moveBefore"), *place = ViewAccess::of(other).node;
  changing(*this, [&] {
    MONOGRAPH_CHECK(moved->graph() == place->graph(), Runtime, "%", moved->name(), " belongs to another graph than %", place->name());
    if (moved != place) moved->graph()->move_before(moved, place);
  });
  return *this;
}
const Node& Node::moveAfter(const Node& other) const {
  const ScriptRef place = ViewAccess::of(other);
  if (place.is_inline()) return moveBefore(other);  // a literal is a part of a node, so "after the literal" is before this node
  ir::Node* moved = plain(*this, "moveAfter");
  changing(*this, [&] {
    MONOGRAPH_CHECK(moved->graph() == place.node->graph(), Runtime, "%", moved->name(), " belongs to another graph than %",
                    place.node->name());
    if (moved != place.node) moved->graph()->move_after(moved, place.node);
  });
  return *this;
}
void Node::destroy() const {
  changing(*this, [&] { passes::script_destroy(ViewAccess::of(*this)); });
}

// --- Blocks.

std::vector<Node> Block::nodes() const {
  return translated([&] { return ViewAccess::wrap<Node>(graph_, passes::script_nodes(ViewAccess::of(*this))); });
}
std::vector<Value> Block::inputs() const {
  std::vector<Value> out;
  for (ir::Node* p : passes::script_block_inputs(ViewAccess::of(*this))) out.push_back(ViewAccess::wrap<Value>(graph_, ScriptRef{p, {}}));
  return out;
}
Node Block::param_node() const {
  return translated([&] { return ViewAccess::wrap<Node>(graph_, passes::script_param_node(ViewAccess::of(*this))); });
}
Value Block::addInput() const {
  return changing(*this,
                  [&] { return ViewAccess::wrap<Value>(graph_, ScriptRef{passes::script_add_block_input(ViewAccess::of(*this)), {}}); });
}
size_t Block::registerOutput(const Value& value) const {
  return changing(*this, [&] { return passes::script_register_output(ViewAccess::of(*this), ViewAccess::of(value)); });
}
Node Block::appendNode(const Node& node) const {
  return changing(*this, [&] {
    ir::Block* block = ViewAccess::of(*this);
    block->graph()->move_to_end(plain(node, "appendNode"), block);
    return node;
  });
}
Node Block::prependNode(const Node& node) const {
  const std::vector<Node> all = nodes();
  if (all.empty()) return appendNode(node);
  return all[0] == node ? node : node.moveBefore(all[0]);
}
Node Block::return_node() const {
  ir::Node* end = ViewAccess::of(*this)->output();
  if (!end) throw RuntimeError("the block has no return yet");
  return ViewAccess::wrap<Node>(graph_, ScriptRef{end, {}});
}
std::vector<Value> Block::outputs() const { return return_node().inputs(); }
std::optional<Node> Block::owningNode() const {
  ir::Node* owner = ViewAccess::of(*this)->owner();
  if (!owner) return {};
  return ViewAccess::wrap<Node>(graph_, ScriptRef{owner, {}});
}
std::vector<Node> Block::findAllNodes(const std::string& kind, bool recurse) const {
  return translated([&] { return ViewAccess::wrap<Node>(graph_, passes::find_all_nodes(ViewAccess::of(*this), kind, recurse)); });
}

// --- Graphs.

namespace {

ir::Graph& inner(const Graph& g) { return GraphAccess::of(g); }
const std::shared_ptr<void>& shared(const Graph& g) { return GraphAccess::shared(g); }
template <class F>
auto editing(const Graph& g, F&& f) {
  return translated([&] {
    GraphAccess::access(g).edited = true;
    return f();
  });
}

}  // namespace

Graph Graph::copy() const {
  return translated([&] {
    ir::Graph* made = inner(*this).clone().release();
    made->set_unit(inner(*this).unit());
    const std::shared_ptr<ir::Unit>& unit = GraphAccess::access(*this).unit;
    return Graph(GraphAccess::wrap(std::shared_ptr<ir::Unit>(unit.get(), [unit, made](ir::Unit*) { delete made; }), made));
  });
}
Block Graph::block() const { return ViewAccess::block(shared(*this), inner(*this).root()); }
std::vector<Value> Graph::inputs() const {
  return translated([&] {
    std::vector<Value> out = block().inputs();
    if (std::optional<ScriptRef> self = passes::script_self(inner(*this)))
      out.insert(out.begin(), ViewAccess::wrap<Value>(shared(*this), std::move(*self)));
    return out;
  });
}
std::optional<Node> Graph::findNode(const std::string& kind, bool recurse) const {
  const std::vector<Node> all = findAllNodes(kind, recurse);
  return all.empty() ? std::nullopt : std::optional<Node>(all[0]);
}
Node Graph::create(const std::string& kind, const std::vector<Value>& inputs, size_t outputs) const {
  return editing(*this, [&] {
    std::vector<ScriptRef> refs;
    for (const Value& v : inputs) refs.push_back(ViewAccess::of(v));
    return ViewAccess::wrap<Node>(shared(*this), ScriptRef{passes::script_create(inner(*this), kind, refs, outputs), {}});
  });
}
Node Graph::insertNode(const Node& node) const {
  return editing(*this, [&] {
    const ir::Graph::InsertPoint point = inner(*this).insert_point();
    ir::Node* n = plain(node, "insertNode");
    if (point.before == n) return node;
    if (point.before) inner(*this).move_before(n, point.before);
    else inner(*this).move_to_end(n, point.block ? point.block : inner(*this).root());
    return node;
  });
}
Node Graph::createClone(const Node& node, const std::function<Value(Value)>& map) const {
  return editing(*this, [&] {
    ir::Node* made = passes::script_create_clone(inner(*this), ViewAccess::of(node), [&](const ScriptRef& r) {
      return ViewAccess::of(map(ViewAccess::wrap<Value>(graph_of(node), r)));
    });
    return ViewAccess::wrap<Node>(shared(*this), ScriptRef{made, {}});
  });
}
Value Graph::insert(const std::string& kind, const std::vector<std::variant<Value, IValue>>& arguments) const {
  std::vector<Value> values;
  for (const auto& a : arguments)
    values.push_back(std::holds_alternative<Value>(a) ? std::get<Value>(a) : insertConstant(std::get<IValue>(a)));
  return create(kind, values).output();
}
std::vector<Value> Graph::insertGraph(const Graph& graph, const std::vector<Value>& values) const {
  return editing(*this, [&] {
    std::vector<ScriptRef> refs;
    for (const Value& v : values) refs.push_back(ViewAccess::of(v));
    return ViewAccess::wrap<Value>(shared(*this), passes::script_insert_graph(inner(*this), inner(graph), refs));
  });
}
void Graph::permuteInputs(const std::vector<size_t>& order) const {
  editing(*this, [&] { passes::script_permute_inputs(inner(*this), order); });
}
void Graph::makeMultiOutputIntoTuple() const {
  const std::vector<Value> values = outputs();
  if (values.size() == 1) return;
  const Node made = appendNode(create("prim::TupleConstruct", values));
  for (size_t k = values.size(); k-- > 0;) eraseOutput(k);
  registerOutput(made.output());
}
Value Graph::insertConstant(const IValue& value) const {
  return editing(
      *this, [&] { return ViewAccess::wrap<Value>(shared(*this), ScriptRef{passes::script_constant(inner(*this), literal(value)), {}}); });
}
void Graph::setInsertPoint(const Node& node) const { inner(*this).insert_before(ViewAccess::of(node).node); }
Value Graph::addInput(const std::string& name) const {
  return editing(
      *this, [&] { return ViewAccess::wrap<Value>(shared(*this), ScriptRef{inner(*this).placeholder(name, ir::TypeKind::Tensor), {}}); });
}
void Graph::eraseInput(size_t k) const {
  const Value value = at(inputs(), k, "the graph", "inputs");
  const ScriptRef r = ViewAccess::of(value);
  if (r.is_inline()) throw RuntimeError("self is an input as long as the graph reads modules");
  editing(*this, [&] { passes::script_destroy(r); });
}
size_t Graph::registerOutput(const Value& value) const { return block().registerOutput(value); }
void Graph::eraseOutput(size_t k) const { return_node().removeInput(k); }
void Graph::lint() const {
  translated([&] {
    ir::verify(inner(*this));
    GraphAccess::typed(*this);
  });
}

WithInsertPoint::WithInsertPoint(const Node& node) : graph_(graph_of(node)), block_(nullptr), before_(nullptr) {
  ir::Node* n = ViewAccess::of(node).node;
  const ir::Graph::InsertPoint saved = n->graph()->insert_point();
  block_ = saved.block, before_ = saved.before;
  n->graph()->insert_before(n);
}
WithInsertPoint::~WithInsertPoint() {
  auto* before = static_cast<ir::Node*>(before_);
  if (before && before->erased()) before = nullptr;  // then the insertion point is the end of the block
  static_cast<GraphAccess*>(graph_.get())->graph->set_insert_point({static_cast<ir::Block*>(block_), before});
}

}  // namespace jit

MONOGRAPH_API_END
