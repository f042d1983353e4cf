// Rules of operators on the nodes of a graph: what a decomposition or a gradient calls becomes nodes.
#pragma once

#include <optional>
#include <vector>

#include "ops/dispatch.h"
#include "ops/size_nodes.h"
#include "ops/size_values.h"
#include "ops/symbolic_value.h"

namespace monograph::passes {

// What a rule cannot have on this graph.
struct UnknownInGraph {};

// A node as the tensor that rules take. Its dtype is known; its sizes as numbers, as symbols, or not at all.
class NodeTensor : public TensorImpl {
 public:
  explicit NodeTensor(ir::Node* n);
  Sizes graph_sizes() const override;
  static bool has_sizes(const ir::TensorType& t);
  ir::Node* node;
};

// One whose every size can be read: one that the type does not tell is a symbol of its own, whose source is noted.
class SizedNodeTensor final : public NodeTensor {
 public:
  SizedNodeTensor(ir::Node* n, SizeSources& open) : NodeTensor(n), open_(open) {}
  Sizes graph_sizes() const override;

 private:
  SizeSources& open_;
};

// Takes the calls that a rule makes and appends them at the graph's insertion point.
class NodeCalls : public DispatchMode {
 public:
  explicit NodeCalls(ir::Graph& graph) : graph_(graph) {}
  void call(const Operator& op, const IValue* args, IValue* results) override;
  std::optional<int64_t> guarded(const Size& size) override { return guarded_size(graph_, size); }
  const std::vector<ir::Node*>& appended() const { return appended_; }
  // The value as an argument of other nodes.
  void put(ir::Args& out, const IValue& v);

 protected:
  // A node as a rule takes it. Throws UnknownInGraph where it cannot.
  virtual IValue of(ir::Node* n) = 0;
  // The node that stands for this one at the insertion point.
  virtual ir::Node* placed(ir::Node* n) { return n; }
  // Where symbols are read that no type of the graph tells.
  virtual const SizeSources* sources(SymInt) { return nullptr; }
  IValue value(ir::ArgRef a);
  IValue constant(ir::ArgRef tensor);  // as a node, which is appended
  ir::Node* append(const Operator& op, const IValue* values);

  ir::Graph& graph_;
  std::vector<ir::Node*> appended_;

 private:
  IValue sized(const IValue& v);  // with nodes in the places of symbolic sizes
};

}  // namespace monograph::passes
