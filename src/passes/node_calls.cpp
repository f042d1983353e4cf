// Runs operators' rules on nodes: nodes become the values that a rule takes (NodeTensor, SymbolicValue), and each call that the rule makes becomes a node.
#include "passes/node_calls.h"

#include <algorithm>

#include "ops/infer.h"

namespace monograph::passes {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Node;
using ir::TypeKind;

NodeTensor::NodeTensor(Node* n) : node(n) {
  kind = Kind::Symbolic;
  const ir::TensorType& t = n->type().tensor();
  if (!t.dtype) throw UnknownInGraph();
  monograph::TensorImpl::dtype = *t.dtype;
  if (!t.sizes) return;
  const bool numbers = has_sizes(t);
  for (const auto& d : *t.sizes) sizes.push_back(numbers ? d->as_int() : -1);  // -1 keeps the rank, and is never read as a size
  strides = contiguous_strides(sizes);
  if (numbers) refresh();
}

Sizes NodeTensor::graph_sizes() const {
  const ir::TensorType& t = node->type().tensor();
  if (!t.sizes) throw UnknownInGraph();
  Sizes out;
  for (const auto& d : *t.sizes) {
    if (!d) throw UnknownInGraph();
    out.push_back(d);
  }
  return out;
}

Sizes SizedNodeTensor::graph_sizes() const {
  const ir::TensorType& t = node->type().tensor();
  if (!t.sizes) throw UnknownInGraph();
  Sizes out;
  for (size_t d = 0; d < t.sizes->size(); ++d) {
    if ((*t.sizes)[d]) {
      out.push_back((*t.sizes)[d]);
      continue;
    }
    Symbol symbol;
    symbol.name = concat("_", node->name(), "_", d);
    open_.try_emplace(symbol.name, node, static_cast<int64_t>(d));
    out.push_back(SymInt::symbol(symbol));
  }
  return out;
}

bool NodeTensor::has_sizes(const ir::TensorType& t) {
  return t.sizes && std::all_of(t.sizes->begin(), t.sizes->end(), [](const auto& d) { return d && d->is_int(); });
}

void NodeCalls::call(const Operator& op, const IValue* args, IValue* results) {
  bool list = op.schema().returns().size() == 1 && op.schema().returns()[0].type.is(TypeKind::List);
  if (list) {  // a rule reads the elements of the list, so the operator is decomposed into those that compute them
    if (!op.decompose || op.decompose_reads == Reads::Strides) throw UnknownInGraph();
    DispatchModeScope again(*this);
    results[0] = op.decompose(args);
    return;
  }
  Node* n = append(op, args);
  for (size_t k = 0; k < op.results(); ++k) results[k] = node_value(n->multi() ? graph_.project(n, k) : n);
}

void NodeCalls::put(Args& out, const IValue& v) {
  if (auto* symbolic = symbolic_value(v)) return void(out.add(placed(symbolic->node)));
  if (symbolic_size(v)) throw UnknownInGraph();  // `sized` has replaced the symbolic sizes of a call by nodes
  switch (v.tag()) {
    case IValue::Tag::None: out.none(); return;
    case IValue::Tag::Bool: out.add(v.to_bool()); return;
    case IValue::Tag::Int: out.add(v.to_int()); return;
    case IValue::Tag::Float: out.add(v.to_double()); return;
    case IValue::Tag::Complex: out.add(v.to_complex()); return;
    case IValue::Tag::Dtype: out.add(v.to_dtype()); return;
    case IValue::Tag::Device: out.add(v.to_device()); return;
    case IValue::Tag::MemoryFormat: out.add(v.to_memory_format()); return;
    case IValue::Tag::Layout: out.layout(); return;
    case IValue::Tag::Str: out.add(v.to_string()); return;
    case IValue::Tag::Tensor:
      if (!v.as_tensor().defined()) return void(out.none());
      if (v.as_tensor()->kind != TensorImpl::Kind::Symbolic) throw UnknownInGraph();
      out.add(placed(static_cast<NodeTensor*>(v.as_tensor().impl())->node));
      return;
    case IValue::Tag::Ints:
      out.open(ArgKind::List);
      for (int64_t k : v.to_ints()) out.add(k);
      out.close();
      return;
    case IValue::Tag::List:
    case IValue::Tag::Tuple:
      out.open(v.is_list() ? ArgKind::List : ArgKind::Tuple);
      for (const IValue& item : v.items()) put(out, item);
      out.close();
      return;
    default: throw UnknownInGraph();
  }
}

IValue NodeCalls::value(ArgRef a) {
  if (a.is(ArgKind::Complex)) throw UnknownInGraph();  // rules take real numbers only
  if (std::optional<IValue> scalar = scalar_literal(a)) return std::move(*scalar);
  switch (a.kind()) {
    case ArgKind::Node: return node_value(a.as_node());
    case ArgKind::SymInt: return Size(a.as_symint());
    case ArgKind::Tensor: return constant(a);
    case ArgKind::List:
    case ArgKind::Tuple: {
      std::vector<IValue> items;
      bool ints = a.is(ArgKind::List);
      for (ArgRef part : a) items.push_back(value(part)), ints &= items.back().is_int();
      if (!ints) return a.is(ArgKind::List) ? IValue::list(std::move(items)) : IValue::tuple(std::move(items));
      Dims dims;
      for (const IValue& i : items) dims.push_back(i.to_int());
      return dims;
    }
    default: throw UnknownInGraph();
  }
}

IValue NodeCalls::constant(ArgRef a) {
  Args args;
  args.kw("value", a);
  std::vector<SymInt> sizes(a.as_tensor().sizes().begin(), a.as_tensor().sizes().end());
  Node* n = graph_.call("prim::Constant", args);
  appended_.push_back(n);
  graph_.set_type(n, ir::TensorType::of(a.as_tensor().dtype(), sizes));
  return node_value(n);
}

IValue NodeCalls::sized(const IValue& v) {
  if (auto size = symbolic_size(v))
    return Ref<ObjectBox>(new SymbolicValue(append_size(graph_, *size, &appended_, sources(*size->symint())), {}));
  if (!v.is_list() || std::ranges::none_of(v.items(), [](const IValue& item) { return symbolic_size(item).has_value(); })) return v;
  std::vector<IValue> items;
  for (const IValue& item : v.items()) items.push_back(sized(item));
  return IValue::list(std::move(items));
}

Node* NodeCalls::append(const Operator& op, const IValue* values) {
  Args args;
  const auto& formals = op.schema().arguments();
  for (size_t k = 0; k < formals.size(); ++k) {
    if (formals[k].kwarg_only) {
      if (formals[k].default_value && values[k].is_none()) continue;
      args.name(formals[k].name);
    }
    put(args, sized(values[k]));
  }
  Node* n = graph_.call(op, args);
  appended_.push_back(n);
  if (!n->multi()) graph_.set_type(n, op.infer(*n));
  return n;
}

}  // namespace monograph::passes
