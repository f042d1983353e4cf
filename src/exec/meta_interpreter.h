// What the nodes of a block give that did not run: sizes and dtypes on the meta device, without values.
#pragma once

#include <functional>

#include "exec/node_interpreter.h"

namespace monograph::exec {

// Both arms of an If run, and one iteration of a Loop. What would need a value raises.
class MetaInterpreter : public NodeInterpreter {
 public:
  using Record = std::function<void(const ir::Node*, const IValue&)>;
  // `enclosing` runs the graph, and holds the values that the blocks read.
  MetaInterpreter(const NodeInterpreter& enclosing, Record record)
      : NodeInterpreter(enclosing.graph(), false), enclosing_(enclosing), record_(std::move(record)) {}
  // Runs one block of an If or Loop; false where its sizes depend on values, or where it raises on such inputs.
  bool run_block_of(const ir::Node* owner, size_t block);

  IValue run_node(const ir::Node* n) override;
  IValue call_function(const std::string& target, std::vector<IValue> args, Keywords kwargs) override;

 protected:
  std::vector<IValue> run_if(const ir::Node* n) override;
  std::vector<IValue> run_loop(const ir::Node* n) override;

 private:
  const NodeInterpreter& enclosing_;
  Record record_;
};

}  // namespace monograph::exec
