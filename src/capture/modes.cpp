// The two graphs become the arms of an If on the mode of the first module. Before the If, the modes of the other modules are checked against the first one's.
#include "capture/modes.h"

#include <algorithm>
#include <vector>

#include "capture/script/types.h"
#include "core/error.h"
#include "exec/interpreter.h"
#include "ir/builder.h"
#include "ops/record.h"

namespace monograph::capture {

using ir::Args;
using ir::Graph;
using ir::Node;
using ir::TypeKind;

namespace {

bool same_inputs(const Graph& a, const Graph& b) {
  const std::vector<Node*> inputs = a.placeholders(), others = b.placeholders();
  if (inputs.size() != others.size()) return false;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Node &x = *inputs[k], &y = *others[k];
    const bool same_type = ir::to_string(x.type()) == ir::to_string(y.type());
    if (x.target().name() != y.target().name() || !same_type || x.arg_count() || y.arg_count()) return false;
  }
  return true;
}

// The tensor at a path of the Unit; null if there is none.
ir::TensorRef tensor_at(const ir::Unit& unit, const std::string& path) {
  const ir::Module::Value* found = unit.root() ? unit.root()->value_at(path) : nullptr;
  if (!found) return nullptr;
  const Args& value = found->value;
  return value.size() == 1 && value[0].is(ir::ArgKind::Tensor) ? value[0].as_tensor().shared_from_this() : nullptr;
}

// Whether `unit` holds every attribute that the graph reads.
bool reads_only(const Graph& graph, const ir::Unit& unit) {
  const ir::Unit* own = graph.unit();
  for (const Node* n : ir::NestedNodes(graph)) {
    const std::string& name = n->target().name();
    if (n->op() == ir::Op::CallModule || n->op() == ir::Op::CallMethod) return false;
    if (n->op() == ir::Op::CallFunction && own && own->find_function(name)) return false;
    if (n->op() != ir::Op::GetAttr) continue;
    const ir::TensorRef here = own ? tensor_at(*own, name) : nullptr, there = tensor_at(unit, name);
    if (!here || !there || exec::tensor_of(here).impl() != exec::tensor_of(there).impl()) return false;
  }
  return true;
}

bool same_results(const Graph& a, const Graph& b) {
  const Node *x = a.output(), *y = b.output();
  if (!x || !y || x->arg_count() != y->arg_count()) return false;
  return x->arg_count() == 0 || script::widened(ir::type_of(x->arg(0))) == script::widened(ir::type_of(y->arg(0)));
}

std::string mode_of(const std::string& path) { return concat(path, path.empty() ? "" : ".", ir::kTraining); }

Node* mode_node(Graph& g, const std::string& path) {
  Node* n = g.create(ir::Op::GetAttr, g.target(mode_of(path)), {}, "training");
  g.set_type(n, TypeKind::Bool);
  return n;
}

// Appends a check that raises if the mode of the module does not match that of the first module.
void check_mode(Graph& g, Node* first, const std::string& path, bool equal) {
  Node* own = mode_node(g, path);
  ir::RegionBuilder regions(g);
  regions.begin_if(g.call(find_operator("aten::__xor__.bool"), Args(first, own)));
  if (!equal) regions.begin_else();
  const std::string message = concat("the graph was saved for two modes: each module as it was, or each in its other one. The module ",
                                     path, " is in one of them and the rest in the other. Call train() or eval() of the whole");
  g.call(find_operator("prim::RaiseException"), Args(message, "builtins.RuntimeError"));
  regions.end_if();
}

// Copies the body of a graph to the insertion point, and returns its result. Symbols of the other capture are renamed, so that they differ from ours.
Args arm(Graph& g, const Graph& from, Graph::NodeMap& map, bool own_symbols) {
  ir::Block* into = g.insert_point().block;
  const Args result = g.copy_body(from.root(), map);
  if (own_symbols) return result;
  for (Node* n : ir::NestedNodes(into))
    if (!n->multi() && n->type()) g.set_type(n, script::widened(n->type()));
  return result;
}

}  // namespace

std::unique_ptr<Graph> joined_modes(const Graph& now, const Graph& other, std::span<const std::string> paths) {
  const ir::Module* root = now.unit() ? now.unit()->root() : nullptr;
  if (!root || paths.empty() || !now.guards().empty() || !other.guards().empty()) return nullptr;
  if (!same_inputs(now, other) || !same_results(now, other) || !reads_only(now, *now.unit()) || !reads_only(other, *now.unit()))
    return nullptr;
  std::vector<bool> modes;
  for (const std::string& path : paths) {
    const ir::Module* module = root->holder(mode_of(path), ir::kTraining);
    if (!module) return nullptr;
    modes.push_back(module->training);
  }

  auto made = std::make_unique<Graph>(now.name(), now.unit());
  Graph& g = *made;
  g.set_dialect(now.dialect());
  g.set_level(now.level());
  Graph::NodeMap of_now, of_other;
  const std::vector<Node*> inputs = now.placeholders(), others = other.placeholders();
  for (size_t k = 0; k < inputs.size(); ++k)
    of_now[inputs[k]] = of_other[others[k]] = g.placeholder(inputs[k]->target().name(), inputs[k]->type());

  Node* training = mode_node(g, paths[0]);
  for (size_t k = 1; k < paths.size(); ++k) check_mode(g, training, paths[k], modes[k] == modes[0]);
  ir::RegionBuilder regions(g);
  const auto result = regions.slot("result");
  const bool has_result = now.output()->arg_count() > 0;
  for (const bool in_training : {true, false}) {
    if (in_training) regions.begin_if(training);
    else regions.begin_else();
    const bool is_now = in_training == modes[0];
    const Args value = arm(g, is_now ? now : other, is_now ? of_now : of_other, is_now);
    if (has_result) regions.set(result, value);
  }
  regions.end_if();
  g.set_output(has_result ? regions.get(result) : Args());
  std::vector<std::string> relied_on = now.relied_on();
  for (const std::string& line : other.relied_on())
    if (std::ranges::find(relied_on, line) == relied_on.end()) relied_on.push_back(line);
  g.set_relied_on(std::move(relied_on));
  return made;
}

}  // namespace monograph::capture
