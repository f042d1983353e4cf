// An element that is a constant is cloned in the graph, as at the end of an arm or body (add_end), so that a write to it does not reach other runs.
#include "capture/lists.h"

#include <algorithm>
#include <ranges>

#include "capture/fork.h"

namespace monograph::capture {
namespace {

using ir::Node;
using ir::Type;
using ir::TypeKind;

const SymbolicValue* symbolic_list(const IValue& v) {
  const SymbolicValue* s = symbolic_value(v);
  return s && s->node && s->node->type().is(TypeKind::List) ? s : nullptr;
}

std::vector<IValue> items_of(const IValue& list) {
  if (!list.is_ints()) return {list.items().begin(), list.items().end()};
  std::vector<IValue> items;
  for (const int64_t k : list.to_ints()) items.emplace_back(k);
  return items;
}

Type type_of_item(const Writer& writer, const IValue& v) {
  if (symbolic_size(v)) return TypeKind::Int;
  if (const SymbolicValue* s = symbolic_value(v)) return s->node ? number_type(s->node->type()) : Type();
  if (v.is_bool()) return TypeKind::Bool;
  if (v.is_int()) return TypeKind::Int;
  if (v.is_float()) return TypeKind::Float;
  if (!v.is_tensor() || !v.as_tensor().defined()) return {};
  const Tensor& t = v.as_tensor();
  const bool symbolic = t->kind == TensorImpl::Kind::Symbolic;
  if ((t->kind != TensorImpl::Kind::Dense && !symbolic) || t->wrapped_number) return {};
  if (const Node* n = writer.find(t)) return n->type();
  std::vector<SymInt> sizes(t.sizes().begin(), t.sizes().end());
  return ir::TensorType::of(t.dtype(), sizes);
}

// Whether a list of the graph can hold values of this type. A symbolic capture does not know dtypes and sizes, so it accepts every tensor.
bool is_element(Type t) {
  const Session* s = current_session();
  if (t.is(TypeKind::Tensor)) return (s && s->symbolic) || (t.tensor().dtype && t.tensor().sizes);
  return t.is(TypeKind::Int) || t.is(TypeKind::Float) || t.is(TypeKind::Bool);
}

IValue hint_of(const IValue& v) {
  if (const auto size = symbolic_size(v)) {
    const auto hint = size->symint()->hint();
    return hint ? IValue(*hint) : IValue();
  }
  if (const SymbolicValue* s = symbolic_value(v)) return s->hint;
  return v;
}

}  // namespace

Type number_type(Type t) { return t.is(TypeKind::SymInt) ? Type(TypeKind::Int) : t; }

bool is_list_value(const IValue& v) { return v.is_list() || v.is_ints() || symbolic_list(v); }

Type join_elements(Type a, Type b, std::string& why) {
  if (!a || !b) return a ? a : b;
  const Type joined = a == b ? a : a.is(TypeKind::Tensor) && b.is(TypeKind::Tensor) ? ir::join(a, b) : Type();
  if (!joined || !is_element(joined)) why = concat("it holds ", ir::to_string(a), " and ", ir::to_string(b));
  return joined;
}

Type element_type(const Writer& writer, const IValue& list, std::string& why) {
  if (const SymbolicValue* s = symbolic_list(list)) return s->node->type().element();
  Type common;
  for (const IValue& item : items_of(list)) {
    const Type type = type_of_item(writer, item);
    if (!type || !is_element(type)) return why = "it is a list of what a graph cannot put into one list", Type();
    common = join_elements(common, type, why);
    if (!why.empty()) return {};
  }
  return common;
}

Node* list_node(Writer& writer, const IValue& list, Type element) {
  if (symbolic_list(list)) {
    ir::Args args;
    writer.add(args, list);
    return args[0].node();
  }
  ir::Args items;
  for (const IValue& item : items_of(list)) add_end(writer, items, item);
  writer.locate();
  Node* made = writer.graph.call("prim::ListConstruct", items);
  writer.graph.set_type(made, Type::list(element));
  return made;
}

IValue list_hint(const IValue& list) {
  if (const SymbolicValue* s = symbolic_list(list)) return s->hint;
  std::vector<IValue> hints;
  bool ints = true;
  for (const IValue& item : items_of(list)) {
    hints.push_back(hint_of(item));
    if (hints.back().is_none()) return {};
    ints &= hints.back().is_int();
  }
  if (!ints || hints.empty()) return IValue::list(std::move(hints));
  Dims dims;
  for (const IValue& hint : hints) dims.push_back(hint.to_int());
  return dims;
}

std::optional<IValue> joined_lists(Writer& writer, const IValue& a, const IValue& b) {
  std::string why;
  const Type first = element_type(writer, a, why), second = element_type(writer, b, why);
  const Type element = why.empty() ? join_elements(first, second, why) : Type();
  if (!why.empty() || !element) return {};
  IValue args[2];
  for (size_t k = 0; k < 2; ++k) {
    const IValue& list = k ? b : a;
    args[k] = symbolic_list(list) ? list : writer.number(list_node(writer, list, element), writer.types_only ? IValue() : list_hint(list));
  }
  IValue out;
  call(find_operator("aten::add.t"), args, &out);
  writer.graph.set_type(symbolic_value(out)->node, Type::list(element));
  return out;
}

bool takes_list_value(const Operator& op, const IValue* args) {
  return std::ranges::any_of(std::span(args, op.schema().arguments().size()), [](const IValue& v) { return symbolic_list(v) != nullptr; });
}

}  // namespace monograph::capture
