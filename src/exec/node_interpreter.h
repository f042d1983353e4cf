// An interpreter to derive from: it runs a graph node by node, and each kind of node has a method.
//
//   struct Doubled : exec::NodeInterpreter {
//     using NodeInterpreter::NodeInterpreter;
//     IValue call_function(const std::string& target, std::vector<IValue> args, Keywords kwargs) override { … }
//   };
//   IValue y = Doubled(graph).run({x});
//
// The methods and their order are those of torch.fx.Interpreter. exec::plan(graph) gives the same results and is faster: it does not look at each node.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ivalue.h"
#include "exec/program.h"
#include "ir/graph.h"
#include "ir/unit.h"

namespace monograph::exec {

// Whether a call of this name is one of those that a graph is made of, such as prim::ListConstruct: it runs, and no operator has the name.
bool is_structural(std::string_view name);

class NodeInterpreter {
 public:
  using Keywords = std::vector<std::pair<std::string, IValue>>;
  explicit NodeInterpreter(const ir::Graph& graph, bool garbage_collect_values = true)
      : NodeInterpreter(graph, nullptr, garbage_collect_values) {}
  // self: whose attributes the graph reads, and its first input where it is the graph of a method; null: the root of the graph's Unit.
  NodeInterpreter(const ir::Graph& graph, const ir::Module* self, bool garbage_collect_values = true);
  virtual ~NodeInterpreter() = default;
  NodeInterpreter(const NodeInterpreter&) = delete;

  // What the graph returns: the value of its output's argument, of several a tuple. Placeholders take the inputs in order. Guards are checked.
  // An error names the node that raised it, and its line in the user's program.
  IValue run(std::vector<IValue> inputs);
  const ir::Graph& graph() const { return graph_; }
  // The value of a node that has run and is still needed; Error (Runtime) where there is none.
  const IValue& value_of(const ir::Node* n) const;

  // The value of a node: of an If or Loop that of its results (several: a tuple), of others what the method of its kind gives.
  virtual IValue run_node(const ir::Node* n);
  virtual IValue placeholder(const std::string& target, std::vector<IValue> args, Keywords kwargs);
  virtual IValue get_attr(const std::string& target, std::vector<IValue> args, Keywords kwargs);
  // `target` is the full name of an operator ("aten::add.Tensor"), or of a function of the graph's Unit.
  virtual IValue call_function(const std::string& target, std::vector<IValue> args, Keywords kwargs);
  // Of a tensor its method, as Python binds the arguments; of a module the method of its class.
  virtual IValue call_method(const std::string& target, std::vector<IValue> args, Keywords kwargs);
  // The method forward of the module of this path.
  virtual IValue call_module(const std::string& target, std::vector<IValue> args, Keywords kwargs);
  virtual IValue output(const std::string& target, std::vector<IValue> args, Keywords kwargs);

  // Adds to an error the node that runs, once.
  void locate_error(Error& e);

 protected:
  // The values of the results of an If or Loop.
  virtual std::vector<IValue> run_if(const ir::Node* n);
  virtual std::vector<IValue> run_loop(const ir::Node* n);
  virtual void check(const PlannedGuard& guard, const ir::Node* n, const IValue& value);
  virtual IValue size_value(SymInt size);
  // One arm, or one iteration: the values that the block returns.
  std::vector<IValue> run_block(const ir::Block* block, const std::vector<IValue>& carried);
  IValue value_of(ir::ArgRef a);
  std::vector<IValue> values_of(const ir::Node* n);
  const ir::Node* current() const { return current_; }
  // Forgets the run before.
  void begin(std::vector<IValue> inputs);
  void store(const ir::Node* n, IValue value);
  // A module as a value: what a get_attr of one gives, and the self of a method. Null of other values.
  static IValue module_value(const ir::Module* m);
  static const ir::Module* module_of(const IValue& v);
  const ir::Module* self() const { return self_; }
  bool takes_self() const;  // whether the first input of the graph is the module
  const ir::Module* child(const std::string& path) const;  // the module at this path; null where there is none
  bool has_value(const ir::Node* n) const { return n->id() < known_.size() && known_[n->id()]; }

 private:
  struct GivenArguments {
    std::vector<IValue> args;
    Keywords kwargs;
  };
  void run_located(const ir::Node* n);
  IValue method(const ir::Module* module, const std::string& name, std::vector<IValue> args, Keywords kwargs);
  GivenArguments arguments(const ir::Node* n);
  void bind_symbols();
  void check_guards(const ir::Node* n, const IValue& value);
  void find_last_uses();

  const ir::Graph& graph_;
  const ir::Module* self_;
  std::vector<IValue> env_;  // by node id
  std::vector<bool> known_;
  std::vector<IValue> inputs_;
  size_t next_input_ = 0, depth_ = 0, outer_depth_ = 0;
  const ir::Node* current_ = nullptr;
  bool named_ = false;  // the error that is on its way names its node
  std::vector<std::vector<const ir::Node*>> last_uses_;  // by id of a root node: the values that nothing behind it needs
  std::unordered_map<std::string, int64_t> symbols_;
  std::unordered_multimap<const ir::Node*, PlannedGuard> guards_;
};

}  // namespace monograph::exec
