// TorchScript's graph API in C++: what torch::jit::Graph, Node, Value and Block have, on the graphs of this library. monograph/fx.h is another face of the same
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
// Nodes and values are handles; libtorch's arrows work too (node->kind()). Literals, lists and defaults stand inside of nodes: here each is a node of its own,
// prim::Constant or prim::ListConstruct, and replacing such a value writes the argument. Constants are not pooled: each use has its own.
//
// A call that does not fit raises RuntimeError, and the graph stays as it was. An edit holds for the next call of the method, and is saved with its module.
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

struct Use;

// What a node takes or gives.
class Value {
 public:
  const Value* operator->() const { return this; }
  bool operator==(const Value& other) const { return node_ == other.node_ && path_ == other.path_; }
  Node node() const;  // that makes it
  size_t offset() const;  // which of the node's outputs it is
  std::string debugName() const;
  void setDebugName(const std::string& name) const;
  std::string type() const;  // "Tensor", "int[]"; "" where nothing is known
  const Value& setType(const std::string& type) const;  // declares it
  std::vector<Use> uses() const;
  bool hasUses() const;
  void replaceAllUsesWith(const Value& other) const;

 private:
  friend struct ViewAccess;
  friend class Node;
  std::shared_ptr<void> graph_;
  void* node_ = nullptr;
  std::vector<uint32_t> path_;
};
// What a constant is worth; nothing of another value.
std::optional<IValue> toIValue(const Value& value);

class Node {
 public:
  const Node* operator->() const { return this; }
  bool operator==(const Node& other) const { return node_ == other.node_ && path_ == other.path_; }
  Symbol kind() const;
  std::vector<Value> inputs() const;  // in the order of the operator's schema, literals and defaults among them
  std::vector<Value> outputs() const;
  Value input(size_t k) const;
  Value input() const;  // the only one
  Value output(size_t k) const;
  Value output() const;  // the only one
  Value inputsAt(size_t k) const { return input(k); }
  Value outputsAt(size_t k) const { return output(k); }
  std::string scopeName() const;
  std::string sourceRange() const;  // "model.py:12"; "" where the line is not known
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
  const Node& ival_(const std::string& name, const IValue& value) const;
  const Node& i_(const std::string& name, int64_t value) const { return ival_(name, value); }
  const Node& f_(const std::string& name, double value) const { return ival_(name, value); }
  const Node& s_(const std::string& name, const std::string& value) const { return ival_(name, value); }
  const Node& t_(const std::string& name, const Tensor& value) const { return ival_(name, value); }

  void replaceInput(size_t k, const Value& value) const;
  void replaceInputWith(const Value& old_value, const Value& value) const;
  void addInput(const Value& value) const;
  void insertInput(size_t k, const Value& value) const;  // of a list, or a node without a schema
  void removeInput(size_t k) const;  // an argument with a default gets it; a list loses the item
  // Of a prim::If or prim::Loop that create() made: its next block.
  Block addBlock() const;
  // One more output of a prim::If, or the next one of a prim::Loop.
  Value addOutput() const;
  // Takes an output that nobody uses away, with what the blocks give for it; of a Loop the value that it carries too.
  void eraseOutput(size_t k) const;
  const Node& copyMetadata(const Node& other) const;  // its line and scope
  bool hasUses() const;
  // Whoever uses an output uses the same output of the other node.
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

// One place where a value is used.
struct Use {
  Node user;
  size_t offset;
};

// The nodes of a graph, or of one side of an If, or of a Loop's body.
class Block {
 public:
  const Block* operator->() const { return this; }
  std::vector<Node> nodes() const;  // without inputs and return
  std::vector<Value> inputs() const;
  std::vector<Value> outputs() const;
  std::optional<Node> owningNode() const;
  Node param_node() const;  // whose outputs are the inputs of the block
  Node return_node() const;
  std::vector<Node> findAllNodes(const std::string& kind, bool recurse = true) const;
  // The next input of a Loop's body: the number of the round, then a value for each that the loop carries.
  Value addInput() const;
  // One more value that the block gives, of a Loop's body the condition first; returns how many there are.
  size_t registerOutput(const Value& value) const;
  Node appendNode(const Node& node) const;  // moves it to the end
  Node prependNode(const Node& node) const;  // moves it before the others
  void eraseOutput(size_t k) const { return_node().removeInput(k); }

 private:
  friend struct ViewAccess;
  std::shared_ptr<void> graph_;
  void* block_ = nullptr;
};

// It is the graph that it is made from, not a copy.
class Graph : public api::Graph {
 public:
  Graph(const api::Graph& graph) : api::Graph(graph) {}
  const Graph* operator->() const { return this; }
  Graph copy() const;  // what it reads of modules are the same tensors
  Block block() const;
  std::vector<Node> nodes() const { return block().nodes(); }
  std::vector<Value> inputs() const;  // `self` first, where the graph reads modules
  std::vector<Value> outputs() const { return block().outputs(); }
  Node param_node() const { return block().param_node(); }
  Node return_node() const { return block().return_node(); }
  std::vector<Node> findAllNodes(const std::string& kind, bool recurse = true) const { return block().findAllNodes(kind, recurse); }
  std::optional<Node> findNode(const std::string& kind, bool recurse = true) const;

  // A node of this kind: insertBefore or insertAfter puts it to its place, until which it stands at the insertion point, at first the end of the graph. The
  // inputs choose the operator's overload. AttributeError where no operator has the name. A prim::If takes its condition, and a prim::Loop its count, condition and
  // the values that it carries; addBlock() gives their blocks, and the number of outputs counts for them alone.
  Node create(const std::string& kind, const std::vector<Value>& inputs = {}, size_t outputs = 1) const;
  Node insertNode(const Node& node) const;  // moves it to the insertion point
  Node appendNode(const Node& node) const { return block().appendNode(node); }
  Node prependNode(const Node& node) const { return block().prependNode(node); }
  // A copy of a node with its blocks at the insertion point; `map` answers what stands for a value that it uses.
  Node createClone(const Node& node, const std::function<Value(Value)>& map) const;
  Value insertConstant(const IValue& value) const;
  void setInsertPoint(const Node& node) const;  // before it
  void setInsertPoint(const Block& block) const { setInsertPoint(block.return_node()); }  // at its end
  Value addInput(const std::string& name = "input") const;
  void eraseInput(size_t k) const;
  size_t registerOutput(const Value& value) const;
  void eraseOutput(size_t k) const;
  void lint() const;  // ValueError with everything that is wrong
  std::string toString() const { return str(); }
};

// graph.create() and insertConstant() make nodes before this one while it lives.
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
