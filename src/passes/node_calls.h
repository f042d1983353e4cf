// Runs operators' rules (decompositions, gradients) on the nodes of a graph: each operator that a rule calls becomes a node.
#pragma once

#include <optional>
#include <vector>

#include "ops/dispatch.h"
#include "ops/size_nodes.h"
#include "ops/size_values.h"
#include "ops/symbolic_value.h"

namespace monograph::passes {

// Thrown where a rule needs something that the graph does not know, such as a dtype or a size.
struct UnknownInGraph {};

// The tensor that a rule gets for a node. Its dtype is known; its sizes are numbers, symbols, or not known.
class NodeTensor : public TensorImpl {
 public:
  explicit NodeTensor(ir::Node* n);
  Sizes graph_sizes() const override;
  static bool has_sizes(const ir::TensorType& t);
  ir::Node* node;
};

// A NodeTensor of which every size can be read. A size that the type does not tell becomes a new symbol, whose source is put into `open`.
class SizedNodeTensor final : public NodeTensor {
 public:
  SizedNodeTensor(ir::Node* n, SizeSources& open) : NodeTensor(n), open_(open) {}
  Sizes graph_sizes() const override;

 private:
  SizeSources& open_;
};

// A dispatch mode that appends each operator call of a rule at the graph's insertion point.
class NodeCalls : public DispatchMode {
 public:
  explicit NodeCalls(ir::Graph& graph) : graph_(graph) {}
  void call(const Operator& op, const IValue* args, IValue* results) override;
  std::optional<int64_t> guarded(const Size& size) override { return guarded_size(graph_, size); }
  const std::vector<ir::Node*>& appended() const { return appended_; }
  // Appends a value of a rule to the arguments of a node.
  void put(ir::Args& out, const IValue& v);

 protected:
  // The value that a rule gets for a node. Throws UnknownInGraph where the graph does not know enough of it.
  virtual IValue node_value(ir::Node* n) = 0;
  // The node that has this node's value at the insertion point.
  virtual ir::Node* placed(ir::Node* n) { return n; }
  // Where to read symbols that occur in no type of the graph.
  virtual const SizeSources* sources(SymInt) { return nullptr; }
  IValue value(ir::ArgRef a);
  IValue constant(ir::ArgRef tensor);  // appends a prim::Constant
  ir::Node* append(const Operator& op, const IValue* values);

  ir::Graph& graph_;
  std::vector<ir::Node*> appended_;

 private:
  IValue sized(const IValue& v);  // replaces symbolic sizes by nodes that compute them
};

}  // namespace monograph::passes
