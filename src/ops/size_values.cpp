// The values of a graph's integer nodes, in terms of its inputs' sizes. Each record states the value of its own node (`.size_value(...)`). The nodes that it
// reads are computed first, on a stack, so a long chain needs no recursion; the graph keeps every value, so each is computed once.
#include "ops/size_values.h"

#include <unordered_set>

namespace monograph {

namespace {

struct KnownSize : ir::KnownValue {
  explicit KnownSize(SizeValue v) : value(std::move(v)) {}
  SizeValue value;
};

const Operator* sized_operator(const ir::Node& node) {
  const auto* op = node.op() == ir::Op::CallFunction ? dynamic_cast<const Operator*>(node.info()) : nullptr;
  return op && op->size_value ? op : nullptr;
}

// The value that the graph keeps for this node; null if it is not computed yet.
const SizeValue* kept_value(const ir::Node& node) {
  const ir::KnownValue* known = node.graph()->known_value(&node);
  return known ? &static_cast<const KnownSize*>(known)->value : nullptr;
}

// The value that the record states. If its rule raises, the value is unknown; the program may still compute it.
SizeValue stated_value(const Operator& op, const ir::Node& node) try {
  SizeCall call(op, node);
  return call.bound() ? op.size_value(call) : SizeValue();
} catch (const Error&) {
  return {};
}

void compute(const ir::Node& last) {
  std::vector<const ir::Node*> stack = {&last};
  std::unordered_set<const ir::Node*> entered;
  while (!stack.empty()) {
    const ir::Node& node = *stack.back();
    if (kept_value(node)) {
      stack.pop_back();
      continue;
    }
    const bool first_visit = entered.insert(&node).second;
    bool cycle = false;  // an unfinished edit may leave one; its nodes have no known value
    for (size_t k = 0; k < node.input_count(); ++k) {
      const ir::Node& n = *node.input(k);
      if (!sized_operator(n) || kept_value(n)) continue;
      if (entered.contains(&n)) cycle = true;
      else stack.push_back(&n);
    }
    if (first_visit && stack.back() != &node) continue;  // its inputs come first
    node.graph()->keep_value(&node, std::make_unique<KnownSize>(cycle ? SizeValue() : stated_value(*sized_operator(node), node)));
    stack.pop_back();
  }
}

SizeValue value_of(const ir::Node& node) {
  if (!sized_operator(node)) return {};
  if (!kept_value(node)) compute(node);
  return *kept_value(node);
}

Dim integer_of(ir::ArgRef arg) {
  switch (arg.kind()) {
    case ir::ArgKind::Int: return as_dim(arg.as_int());
    case ir::ArgKind::SymInt: return arg.as_symint();
    case ir::ArgKind::Bool: return SymInt(arg.as_bool());
    case ir::ArgKind::Node: {
      const ir::Node& n = *arg.as_node();
      const bool may_be_int =
          n.type().is(ir::TypeKind::Int) || n.type().is(ir::TypeKind::SymInt) || n.type().is(ir::TypeKind::Bool) || !n.type();
      return may_be_int ? value_of(n).integer : Dim();
    }
    default: return {};
  }
}

}  // namespace

SizeCall::SizeCall(const Operator& op, const ir::Node& node) : count_(op.schema().arguments().size()) {
  if (node.skeleton().names == 0 && node.arg_count() == count_) node_ = &node;
  else args_ = bound_args(op, node);
}

const std::vector<Dim>* SizeCall::sizes(size_t i) const {
  const ir::Node* x = arg(i).node();
  return x && x->type().is(ir::TypeKind::Tensor) && x->type().tensor().sizes ? &*x->type().tensor().sizes : nullptr;
}

Dim SizeCall::integer(size_t i) const { return integer_of(arg(i)); }

std::optional<std::vector<AbstractValue>> SizeCall::items(size_t i) const {
  const ir::Node* n = arg(i).node();
  return n ? value_of(*n).items : AbstractValue::of(arg(i)).items;
}

std::optional<int64_t> SizeCall::literal(size_t i) const {
  return arg(i).is(ir::ArgKind::Int) ? std::optional(arg(i).as_int()) : std::nullopt;
}

bool holds_sizes(ir::Type type) {
  if (type.is(ir::TypeKind::Optional) || type.is(ir::TypeKind::List)) return holds_sizes(type.element());
  return type.is(ir::TypeKind::SymInt) || type.is(ir::TypeKind::Int);
}

SizeValue size_value(ir::ArgRef arg) {
  const ir::Node* n = arg.node();
  if (n && n->type().is(ir::TypeKind::List)) return {.integer = {}, .items = value_of(*n).items};
  return {.integer = integer_of(arg), .items = {}};
}

std::optional<int64_t> guarded_size(const ir::Graph& graph, const Size& size) {
  if (!size.known()) return {};
  if (size.is_int()) return size.as_int();
  const SymInt wanted = *size.symint();
  for (const ir::Guard& g : graph.guards()) {
    if (!g.expected[0].is(ir::ArgKind::Int)) continue;
    const Dim known = g.value ? size_value(ir::Args(g.value)[0]).integer : Dim(g.size);
    if (known && *known == wanted) return g.expected[0].as_int();
  }
  return {};
}

}  // namespace monograph
