// Writes a symbolic size into a graph as nodes. A symbol becomes aten::sym_size of the first tensor whose type has it, which is usually an input. Sums,
// products and quotients become operators on ints.
#include "ops/size_nodes.h"

#include <variant>

#include "ops/dispatch.h"

namespace monograph {
namespace {

using ir::Node;

class SizeWriter {
 public:
  SizeWriter(ir::Graph& graph, std::vector<Node*>* appended, const SizeSources* more_sources)
      : graph_(graph), appended_(appended), more_sources_(more_sources) {}

  Node* node(SymInt size) { return std::get<Node*>(operand(size)); }

 private:
  using NumberOrNode = std::variant<int64_t, Node*>;

  NumberOrNode operand(SymInt size) {
    const SymExpr* e = size.expr();
    if (!e) return size.as_int();
    switch (e->kind) {
      case SymExpr::Kind::Symbol: return read(size);
      case SymExpr::Kind::FloorDiv: return fold("aten::floordiv.int", e->operands);
      case SymExpr::Kind::Mod: return fold("aten::remainder.int", e->operands);
      case SymExpr::Kind::Max: return fold("prim::max.int", e->operands);
      case SymExpr::Kind::Min: return fold("prim::min.int", e->operands);
      case SymExpr::Kind::Sum: return sum(*e);
    }
    __builtin_unreachable();
  }

  NumberOrNode sum(const SymExpr& e) {
    NumberOrNode total = e.constant;
    for (const SymExpr::Term& term : e.terms) {
      NumberOrNode product = term.coefficient;
      for (const SymExpr* factor : term.factors) product = call("aten::mul.int", product, operand(SymInt::of(factor)));
      total = call("aten::add.int", total, product);
    }
    return total;
  }

  NumberOrNode fold(std::string_view op, const std::vector<SymInt>& operands) {
    NumberOrNode all = operand(operands[0]);
    for (size_t k = 1; k < operands.size(); ++k) all = call(op, all, operand(operands[k]));
    return all;
  }

  NumberOrNode call(std::string_view name, NumberOrNode a, NumberOrNode b) {
    const bool product = name == "aten::mul.int", sum = name == "aten::add.int";
    if (is(a, product ? 1 : 0) && (product || sum)) return b;
    ir::Args args;
    for (const NumberOrNode& x : {a, b}) std::visit([&](auto v) { args.add(v); }, x);
    return typed(graph_.create(ir::Op::CallFunction, graph_.resolved(find_operator(name)), args));
  }
  static bool is(const NumberOrNode& x, int64_t value) { return std::holds_alternative<int64_t>(x) && std::get<int64_t>(x) == value; }

  // A node that reads this symbol from the first tensor that has it and whose value is available at the insertion point.
  Node* read(SymInt symbol) {
    if (more_sources_)
      if (auto found = more_sources_->find(symbol.as_symbol()->name); found != more_sources_->end())
        return size_node(found->second.first, found->second.second);
    const ir::Graph::InsertPoint point = graph_.insert_point();
    for (Node* n : ir::NestedNodes(graph_)) {
      if (!n->type().is(ir::TypeKind::Tensor) || !n->type().tensor().sizes) continue;
      const auto& sizes = *n->type().tensor().sizes;
      for (size_t d = 0; d < sizes.size(); ++d) {
        if (sizes[d] != symbol) continue;
        const bool available = point.before ? n->dominates(point.before) : n->block()->contains(point.block);
        if (!available) break;
        return size_node(n, static_cast<int64_t>(d));
      }
    }
    fail(ErrorKind::Runtime, "the size ", to_string(symbol),
         " is needed here, but no tensor that the graph has computed so far has this size");
  }

  Node* size_node(Node* n, int64_t d) {
    static const Operator& sym_size = find_operator("aten::sym_size.int");
    return typed(graph_.create(ir::Op::CallFunction, graph_.resolved(sym_size), ir::Args(n, d)));
  }

  Node* typed(Node* n) {
    graph_.set_type(n, ir::TypeKind::Int);
    if (appended_) appended_->push_back(n);
    return n;
  }

  ir::Graph& graph_;
  std::vector<Node*>* appended_;
  const SizeSources* more_sources_;
};

}  // namespace

ir::Node* append_size(ir::Graph& graph, Size size, std::vector<Node*>* appended, const SizeSources* more_sources) {
  return SizeWriter(graph, appended, more_sources).node(*size.symint());
}

}  // namespace monograph
