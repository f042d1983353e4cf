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

bool reads_mode(const ir::Graph& graph, const ir::Unit& unit) {
  for (const ir::Node* n : ir::NestedNodes(graph))
    if (n->op() == ir::Op::GetAttr && unit.root() && unit.root()->holder(n->target().name(), ir::kTraining)) return true;
  return false;
}

}  // namespace monograph::exec
