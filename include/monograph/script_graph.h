// TorchScript's graph API in C++: Graph, Node, Value and Block as in torch::jit, for the graphs of this library. monograph/fx.h is another API for the same
// graphs.
//
//   jit::Graph graph = module.get_method("forward").graph();
//   for (jit::Node relu : graph.findAllNodes("aten::relu")) {       If and Loop bodies included
//     jit::Node made = graph.create("aten::gelu", {relu.input(0)});
//     made.insertBefore(relu);
//     relu.output().replaceAllUsesWith(made.output());
//     relu.destroy();
//   }
//
// Nodes and values are handles; node->kind() works as well as node.kind(). The library stores literals, lists and defaults inside of a call. This API shows
// each of them as a separate node, prim::Constant or prim::ListConstruct; replacing its value changes the argument of the call. Each use has its own constant
// node.
//
// A call with wrong arguments raises RuntimeError, and the graph stays as it was. An edit takes effect at the next call of the method, and is saved with its
// module.
#pragma once

#include <functional>

#include "monograph/graph.h"
#include "monograph/ivalue.h"

MONOGRAPH_API_BEGIN

namespace jit {

class Block;
class Graph;
class Node;
class Value;

// The name of an operator or of a part of a graph: "aten::relu".
struct Symbol : std::string {
  using std::string::string;
  Symbol(std::string name) : std::string(std::move(name)) {}
  static Symbol fromQualString(const std::string& name) { return name; }
  const char* toQualString() const { return c_str(); }
};

// The type of a value: "Tensor", "int[]"; "" if it is unknown. As in libtorch, type()->str() works too.
struct ValueType : std::string {
  using std::string::string;
  ValueType(std::string text) : std::string(std::move(text)) {}
  const ValueType* operator->() const { return this; }
  const std::string& str() const { return *this; }
  std::string annotation_str() const;  // "List[int]"
  // Of a tensor. RuntimeError for another type.
  std::optional<std::vector<std::optional<int64_t>>> sizes() const;  // nullopt if the number of dims is unknown
  std::optional<Dtype> scalarType() const;
  ValueType with_sizes(
      const std::vector<std::optional<int64_t>>& sizes) const;  // the same type with these sizes; nullopt for an unknown one
  ValueType with_dtype(Dtype dtype) const;
};

struct Use;

// An input or output of a node.
class Value {
 public:
  const Value* operator->() const { return this; }
  bool operator==(const Value& other) const { return node_ == other.node_ && path_ == other.path_; }
  Node node() const;  // the node that computes it
  size_t offset() const;  // its index in the outputs of that node
  std::string debugName() const;
  void setDebugName(const std::string& name) const;
  ValueType type() const;
  const Value& setType(const std::string& type) const;
  const Value& setTypeAs(const Value& other) const { return other.type().empty() ? *this : setType(other.type()); }
  bool isCompleteTensor() const;  // whether it is a tensor whose dtype and sizes are known as numbers
  std::vector<Use> uses() const;
  bool hasUses() const;
  void replaceAllUsesWith(const Value& other) const;
  void replaceAllUsesAfterNodeWith(const Node& node, const Value& other) const;  // only in nodes that come after this one

 private:
  friend struct ViewAccess;
  friend class Node;
  std::shared_ptr<void> graph_;
  void* node_ = nullptr;
  std::vector<uint32_t> path_;
};
// The value of a constant; nullopt if the value is not constant.
std::optional<IValue> toIValue(const Value& value);

class Node {
 public:
  const Node* operator->() const { return this; }
  bool operator==(const Node& other) const { return node_ == other.node_ && path_ == other.path_; }
  Symbol kind() const;
  std::vector<Value> inputs() const;  // in the order of the operator's schema, with literals and defaults
  std::vector<Value> outputs() const;
  Value input(size_t k) const;
  Value input() const;  // the only one; RuntimeError if there are several
  Value output(size_t k) const;
  Value output() const;  // the only one; RuntimeError if there are several
  Value inputsAt(size_t k) const { return input(k); }
  Value outputsAt(size_t k) const { return output(k); }
  std::string scopeName() const;
  std::string sourceRange() const;  // "model.py:12"; "" if the line is unknown
  std::vector<Block> blocks() const;
  Block owningBlock() const;
  Graph owningGraph() const;

  // Attributes: "value" of a prim::Constant, "name" of a prim::GetAttr.
  std::vector<std::string> attributeNames() const;
  bool hasAttribute(const std::string& name) const;
  IValue ival(const std::string& name) const;
  int64_t i(const std::string& name) const { return ival(name).isBool() ? ival(name).toBool() : ival(name).toInt(); }
  double f(const std::string& name) const { return ival(name).toDouble(); }
  std::string s(const std::string& name) const { return ival(name).toStringRef(); }
  Tensor t(const std::string& name) const { return ival(name).toTensor(); }
  std::vector<int64_t> is(const std::string& name) const { return ival(name).toIntVector(); }
  std::vector<double> fs(const std::string& name) const { return ival(name).toDoubleVector(); }
  std::vector<std::string> ss(const std::string& name) const { return ival(name).to<std::vector<std::string>>(); }
  std::vector<Tensor> ts(const std::string& name) const { return ival(name).toTensorVector(); }
  bool hasAttributes() const { return !attributeNames().empty(); }
  // A prim::Constant without a value is None. RuntimeError for an attribute that the node needs, and for one that it does not have.
  const Node& removeAttribute(const std::string& name) const;
  const Node& copyAttributes(const Node& other) const;
  // The input of this name in the operator's schema. RuntimeError if there is none.
  Value namedInput(const std::string& name) const;
  bool matches(const std::string& signature) const;  // whether it calls the operator with this schema: "aten::relu(Tensor self) -> Tensor"
  const Node& ival_(const std::string& name, const IValue& value) const;
  const Node& i_(const std::string& name, int64_t value) const { return ival_(name, value); }
  const Node& f_(const std::string& name, double value) const { return ival_(name, value); }
  const Node& s_(const std::string& name, const std::string& value) const { return ival_(name, value); }
  const Node& t_(const std::string& name, const Tensor& value) const { return ival_(name, value); }

  void replaceInput(size_t k, const Value& value) const;
  void replaceInputWith(const Value& old_value, const Value& value) const;
  void addInput(const Value& value) const;
  void insertInput(size_t k, const Value& value) const;  // only for a list, or for a node without a schema
  void removeInput(size_t k) const;  // an argument gets its default; a list loses the item
  void removeAllInputs() const;
  // Adds the next block of a prim::If or prim::Loop that create() made.
  Block addBlock() const;
  // Adds an output to a prim::If or prim::Loop.
  Value addOutput() const;
  // Removes an output that has no uses, and the values that the blocks return for it. For a Loop it also removes the carried value.
  void eraseOutput(size_t k) const;
  const Node& copyMetadata(const Node& other) const;  // copies the line and scope of the other node
  bool hasUses() const;
  // Replaces each output of this node by the same output of the other node in all uses.
  void replaceAllUsesWith(const Node& other) const;
  bool isBefore(const Node& other) const;
  bool isAfter(const Node& other) const { return other.isBefore(*this); }
  const Node& insertBefore(const Node& other) const { return moveBefore(other); }
  const Node& insertAfter(const Node& other) const { return moveAfter(other); }
  const Node& moveBefore(const Node& other) const;
  const Node& moveAfter(const Node& other) const;
  void destroy() const;

 private:
  friend struct ViewAccess;
  std::shared_ptr<void> graph_;
  void* node_ = nullptr;
  std::vector<uint32_t> path_;
};

// A use of a value.
struct Use {
  Node user;
  size_t offset;  // the index in the user's inputs
};

// The nodes of a graph, of one branch of an If, or of a Loop's body.
class Block {
 public:
  const Block* operator->() const { return this; }
  std::vector<Node> nodes() const;  // without param_node() and return_node()
  std::vector<Value> inputs() const;
  std::vector<Value> outputs() const;
  std::optional<Node> owningNode() const;
  Node param_node() const;  // its outputs are the inputs of the block
  Node return_node() const;  // its inputs are the outputs of the block
  std::vector<Node> findAllNodes(const std::string& kind, bool recurse = true) const;
  // Adds the next input of a Loop's body. The first is the number of the iteration, the others are the carried values.
  Value addInput() const;
  // Adds an output to the block; the first output of a Loop's body is the condition. Returns the number of outputs.
  size_t registerOutput(const Value& value) const;
  Node appendNode(const Node& node) const;  // moves it to the end
  Node prependNode(const Node& node) const;  // moves it before the others
  void eraseOutput(size_t k) const { return_node().removeInput(k); }

 private:
  friend struct ViewAccess;
  std::shared_ptr<void> graph_;
  void* block_ = nullptr;
};

// A jit::Graph made from a graph is the same graph, not a copy.
class Graph : public api::Graph {
 public:
  Graph(const api::Graph& graph) : api::Graph(graph) {}
  const Graph* operator->() const { return this; }
  Graph copy() const;  // the copy reads the same modules and tensors
  Block block() const;
  std::vector<Node> nodes() const { return block().nodes(); }
  std::vector<Value> inputs() const;  // the first is `self` if the graph reads modules
  std::vector<Value> outputs() const { return block().outputs(); }
  Node param_node() const { return block().param_node(); }
  Node return_node() const { return block().return_node(); }
  std::vector<Node> findAllNodes(const std::string& kind, bool recurse = true) const { return block().findAllNodes(kind, recurse); }
  std::optional<Node> findNode(const std::string& kind, bool recurse = true) const;

  // Makes a node of this kind at the insertion point, which is at first the end of the graph. insertBefore and insertAfter move it. The types of the inputs
  // choose the operator's overload. The inputs of a prim::If are its condition, those of a prim::Loop its count, its condition and the carried values; addBlock()
  // adds their blocks. `outputs` is used only for these two. AttributeError if there is no operator of this name.
  Node create(const std::string& kind, const std::vector<Value>& inputs = {}, size_t outputs = 1) const;
  Node insertNode(const Node& node) const;  // moves the node to the insertion point
  Node appendNode(const Node& node) const { return block().appendNode(node); }
  Node prependNode(const Node& node) const { return block().prependNode(node); }
  // Makes a copy of a node and its blocks at the insertion point. `map` returns the value that the copy uses in place of a value of the original.
  Node createClone(const Node& node, const std::function<Value(Value)>& map) const;
  // Makes a call of an operator at the insertion point: graph.insert("aten::mul", {x, 3}) takes constants too. Returns its value.
  Value insert(const std::string& kind, const std::vector<std::variant<Value, IValue>>& arguments) const;
  // Copies the nodes of another graph to the insertion point, with these values for its inputs. Returns its results there.
  std::vector<Value> insertGraph(const Graph& graph, const std::vector<Value>& values) const;
  Value insertConstant(const IValue& value) const;
  void setInsertPoint(const Node& node) const;  // before the node
  void setInsertPoint(const Block& block) const { setInsertPoint(block.return_node()); }  // at the end of the block
  Value addInput(const std::string& name = "input") const;
  void eraseInput(size_t k) const;
  void permuteInputs(const std::vector<size_t>& order) const;  // input k was input order[k]; `self` stays the first one
  size_t registerOutput(const Value& value) const;
  void eraseOutput(size_t k) const;
  void makeMultiOutputIntoTuple() const;  // a graph with several results then returns one tuple of them
  void lint() const;  // checks the graph; ValueError lists everything that is wrong
  std::string toString() const { return str(); }
};

// libtorch's name of graph.insertGraph(callee, values).
inline std::vector<Value> insertGraph(const Graph& graph, const Graph& callee, const std::vector<Value>& values) {
  return graph.insertGraph(callee, values);
}

// While an object of this class exists, graph.create() and insertConstant() make nodes before its node, or at the end of its block.
class WithInsertPoint {
 public:
  explicit WithInsertPoint(const Node& node);
  explicit WithInsertPoint(const Block& block) : WithInsertPoint(block.return_node()) {}
  ~WithInsertPoint();
  WithInsertPoint(const WithInsertPoint&) = delete;

 private:
  std::shared_ptr<void> graph_;
  void *block_, *before_;
};

}  // namespace jit

MONOGRAPH_API_END
