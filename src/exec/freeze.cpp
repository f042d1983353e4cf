#include "exec/freeze.h"

#include "core/error.h"
#include "exec/interpreter.h"
#include "ops/pointwise.h"

namespace monograph::exec {

std::unique_ptr<ir::Graph> frozen(const ir::Graph& graph, const ir::Unit& unit) {
  std::unique_ptr<ir::Graph> g = graph.clone();
  std::vector<ir::Node*> reads;
  for (ir::Node* n : ir::NestedNodes(*g))
    if (n->op() == ir::Op::GetAttr) reads.push_back(n);
  for (ir::Node* n : reads) {
    const std::string& path = n->target().name();
    MONOGRAPH_CHECK(!unit.root() || !unit.root()->holder(path, ir::kModuleObject), NotImplemented,
                    "jit.freeze: methods of this module assign attributes, which are no constants; run it as it is");
    const IValue value = attribute_value(&unit, path);
    ir::Args copy;
    MONOGRAPH_CHECK(add_literal(copy, value.is_tensor() ? IValue(copy_tensor(value.as_tensor())) : value), NotImplemented,
                    "jit.freeze: ", path, " is a ", describe(value), ", which is no constant");
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
