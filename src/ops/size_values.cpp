// Walks from an argument back through the nodes that compute it. Each record says what its own node does (`.size_value(...)`).
#include "ops/size_values.h"

namespace monograph {

namespace {

constexpr int kMaxNodes = 64;

Dim integer_of(ir::ArgRef arg, int& budget);

const Operator* operator_of(const ir::Node& node) {
  const auto* op = node.op() == ir::Op::CallFunction ? dynamic_cast<const Operator*>(node.info()) : nullptr;
  return op && op->size_value ? op : nullptr;
}

SizeValue value_of(const ir::Node& node, int& budget) {
  const Operator* op = operator_of(node);
  if (!op || --budget < 0) return {};
  SizeCall call(*op, node, budget);
  return call.bound() ? op->size_value(call) : SizeValue();
}

// A number beyond 2^62 is none that a size can have.
Dim number_of(int64_t value) try { return SymInt(value); } catch (const Error&) {
  return {};
}

Dim integer_of(ir::ArgRef arg, int& budget) {
  switch (arg.kind()) {
    case ir::ArgKind::Int: return number_of(arg.as_int());
    case ir::ArgKind::SymInt: return arg.as_symint();
    case ir::ArgKind::Bool: return SymInt(arg.as_bool());
    case ir::ArgKind::Node: {
      const ir::Node& n = *arg.as_node();
      const bool may_be_int = n.type().is(ir::TypeKind::Int) || n.type().is(ir::TypeKind::SymInt) || !n.type();
      return may_be_int ? value_of(n, budget).integer : Dim();
    }
    default: return {};
  }
}

}  // namespace

SizeCall::SizeCall(const Operator& op, const ir::Node& node, int& budget) : count_(op.schema().arguments().size()), budget_(budget) {
  if (node.skeleton().names == 0 && node.arg_count() == count_) node_ = &node;
  else args_ = bound_args(op, node);
}

const std::vector<Dim>* SizeCall::sizes(size_t i) const {
  const ir::Node* x = arg(i).node();
  return x && x->type().is(ir::TypeKind::Tensor) && x->type().tensor().sizes ? &*x->type().tensor().sizes : nullptr;
}

Dim SizeCall::integer(size_t i) const { return integer_of(arg(i), budget_); }

std::optional<std::vector<AbstractValue>> SizeCall::items(size_t i) const {
  const ir::Node* n = arg(i).node();
  return n ? value_of(*n, budget_).items : AbstractValue::of(arg(i)).items;
}

std::optional<int64_t> SizeCall::literal(size_t i) const {
  return arg(i).is(ir::ArgKind::Int) ? std::optional(arg(i).as_int()) : std::nullopt;
}

SizeValue size_value(ir::ArgRef arg) {
  int budget = kMaxNodes;
  const ir::Node* n = arg.node();
  if (n && n->type().is(ir::TypeKind::List)) return {.integer = {}, .items = value_of(*n, budget).items};
  return {.integer = integer_of(arg, budget), .items = {}};
}

}  // namespace monograph
