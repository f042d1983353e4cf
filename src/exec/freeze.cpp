// Replaces each node that reads an attribute of a module by its value: a tensor by a constant, a number or text by a literal.
#include "exec/freeze.h"

#include "core/error.h"
#include "core/interrupt.h"
#include "exec/interpreter.h"
#include "ops/pointwise.h"

namespace monograph::exec {

std::unique_ptr<ir::Graph> frozen(const ir::Graph& graph, const ir::Unit& unit) {
  std::unique_ptr<ir::Graph> g = graph.clone();
  std::vector<ir::Node*> reads;
  for (ir::Node* n : ir::NestedNodes(*g))
    if (n->op() == ir::Op::GetAttr) reads.push_back(n);
  for (ir::Node* n : reads) {
    interrupt_point();
    const std::string& path = n->target().name();
    MONOGRAPH_CHECK(
        !unit.root() || !unit.root()->holder(path, ir::kModuleObject), NotImplemented,
        "jit.freeze: methods of this module assign attributes, so these cannot become constants. Use the module without jit.freeze");
    const IValue value = attribute_value(&unit, path);
    ir::Args copy;
    MONOGRAPH_CHECK(add_literal(copy, value.is_tensor() ? IValue(copy_tensor(value.as_tensor())) : value), NotImplemented,
                    "jit.freeze: ", path, " is a ", describe(value), ", which cannot become a constant");
    g->set_target(n, ir::Op::CallFunction, g->target("prim::Constant"));
    g->set_args(n, copy);
  }
  return g;
}

bool assigns_attributes(const ir::Graph& graph, const ir::Unit& unit) {
  for (const ir::Node* n : ir::NestedNodes(graph))
    if (n->op() == ir::Op::GetAttr && unit.root() && unit.root()->holder(n->target().name(), ir::kModuleObject)) return true;
  return false;
}

namespace {
bool is_mode(const ir::Node& n, const ir::Unit& unit) {
  return n.op() == ir::Op::GetAttr && unit.root() && unit.root()->holder(n.target().name(), ir::kTraining);
}
}  // namespace

bool reads_mode(const ir::Graph& graph, const ir::Unit& unit) {
  for (const ir::Node* n : ir::NestedNodes(graph))
    if (is_mode(*n, unit)) return true;
  return false;
}

bool set_mode(ir::Graph& graph, bool training) {
  if (!graph.unit() || !reads_mode(graph, *graph.unit())) return false;
  for (const auto& module : graph.unit()->modules()) module->training = training;
  const auto renew = [](ir::Graph& g) {  // a plan holds the mode: after an edit there is another one
    for (ir::Node* n : ir::NestedNodes(g))
      if (is_mode(*n, *g.unit())) g.set_target(n, n->target());
  };
  renew(graph);
  for (const auto& function : graph.unit()->functions())
    if (function.get() != &graph) renew(*function);
  return true;
}

}  // namespace monograph::exec
