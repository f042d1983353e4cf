// Runs a graph on symbolic tensors, and so writes a new graph: torch.fx.Transformer in C++. Without an override the new graph computes the same.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/writer.h"
#include "exec/node_interpreter.h"

namespace monograph::capture {

class Transformer : public exec::NodeInterpreter {
 public:
  explicit Transformer(const ir::Graph& graph) : NodeInterpreter(graph, false) {}
  // Returns the new graph, which refers to the Unit of the old one. Each new node has the line and scope of the old node that it was made for. Guards are kept.
  std::unique_ptr<ir::Graph> transform();

  IValue run_node(const ir::Node* n) override;
  IValue get_attr(const std::string& target, std::vector<IValue> args, Keywords kwargs) override;
  IValue call_function(const std::string& target, std::vector<IValue> args, Keywords kwargs) override;
  IValue call_method(const std::string& target, std::vector<IValue> args, Keywords kwargs) override;
  // The new graph calls the module as the old one does. The operators inside of the module are not visited.
  IValue call_module(const std::string& target, std::vector<IValue> args, Keywords kwargs) override;

 protected:
  std::vector<IValue> run_if(const ir::Node* n) override;
  std::vector<IValue> run_loop(const ir::Node* n) override;
  void check(const exec::PlannedGuard& guard, const ir::Node* n, const IValue& value) override;
  IValue size_value(SymInt size) override;

 private:
  IValue symbolic(ir::Node* n);
  IValue called(ir::Node* n);
  ir::Node* module_node(const ir::Module* module);
  ir::Node* node_of(const IValue& v);
  ir::Args written(const IValue& v);
  void written_call(const std::vector<IValue>& args, const Keywords& kwargs, ir::Args& given);
  Writer* writer_ = nullptr;
  ir::Node* self_node_ = nullptr;  // the input `self`, which is the module
  std::unordered_map<const ir::Module*, std::string> module_paths_;  // the paths of modules that the graph has read
};

}  // namespace monograph::capture
