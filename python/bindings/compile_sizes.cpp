// The part of a graph that computes numbers from sizes of inputs, copied into a graph of its own: it runs before the captured graph does.
#include "compile_sizes.h"

#include <algorithm>
#include <set>

#include "ops/infer.h"
#include "ops/record.h"
#include "ops/size_nodes.h"
#include "ops/size_values.h"

namespace monograph::python::compiled {
namespace {

constexpr int kDepth = 200;

// The numbers as a list in the graph; null where one is not known from sizes of inputs.
ir::Node* list_of(ir::Graph& to, std::span<const Dim> sizes) {
  if (!std::ranges::all_of(sizes, [](const Dim& d) { return d.has_value(); })) return nullptr;
  ir::Args list;
  list.open(ir::ArgKind::List);
  try {
    for (const Dim& d : sizes)
      if (d->is_int()) list.add(d->as_int());
      else list.add(append_size(to, *d));
  } catch (const Error&) {
    return nullptr;  // a symbol that no input has
  }
  list.close();
  ir::Node* made = to.call("aten::list.t", list);
  to.set_type(made, ir::Type::list(ir::TypeKind::Int));
  return made;
}

// x.shape, or a part of one, where each number is known from sizes of inputs.
bool copy_list_of_sizes(ir::Graph& to, ir::Graph::NodeMap& map, const ir::Node* node) {
  ir::Args one;
  one.add(const_cast<ir::Node*>(node));
  const std::optional<std::vector<AbstractValue>> items = size_value(one[0]).items;
  if (!items) return false;
  std::vector<Dim> sizes;
  for (const AbstractValue& v : *items) sizes.push_back(v.integer);
  ir::Node* list = list_of(to, sizes);
  if (!list) return false;
  to.set_type(list, node->type());
  map[node] = list;
  return true;
}

bool copy_shape(ir::Graph& to, ir::Graph::NodeMap& map, const ir::Node* node, int depth);

// Copies the node behind all that it reads. Of a tensor it may read what copy_shape() keeps.
bool copy_with_inputs(ir::Graph& to, ir::Graph::NodeMap& map, const ir::Node* node, bool of_shapes, int depth) {
  for (size_t k = 0; k < node->input_count(); ++k) {
    const bool tensor = node->input(k)->type().is(ir::TypeKind::Tensor);
    if (!(tensor ? of_shapes && copy_shape(to, map, node->input(k), depth + 1) : copy_sizes(to, map, node->input(k), depth + 1)))
      return false;
  }
  map[node] = to.copy(node, map);
  return true;
}

// A tensor of the node's sizes, of which nothing else is read: one element in all places, or a view of such a tensor where only the operator knows the number of
// dims, as squeeze() does.
bool copy_shape(ir::Graph& to, ir::Graph::NodeMap& map, const ir::Node* node, int depth) {
  if (map.contains(node)) return true;
  const auto* op = dynamic_cast<const Operator*>(node->info());
  if (depth > kDepth || node->op() != ir::Op::CallFunction || !op || node->block_count()) return false;
  if (const auto& sizes = node->type().tensor().sizes) {
    ir::Node* list = list_of(to, *sizes);
    if (!list) return false;
    ir::Args none;
    none.open(ir::ArgKind::List), none.close();
    ir::Args expanded(to.call("aten::zeros", none));
    expanded.add(list);
    map[node] = to.call("aten::expand", expanded);
    to.set_type(map[node], node->type());
    return true;
  }
  const ir::FunctionSchema& schema = op->schema();
  if (op->effects().writes || schema.returns().size() != 1 || !schema.result_aliases(0)) return false;
  return copy_with_inputs(to, map, node, true, depth);
}

bool holds_tensors(const ir::Node* node) {
  return node->type().is(ir::TypeKind::Tensor) || (node->type().is(ir::TypeKind::List) && node->type().element().is(ir::TypeKind::Tensor));
}

// The walk of decided_by_elements(). Of tensors, and lists of tensors, only the sizes are asked.
bool reaches_elements(const ir::Node* node, std::set<const ir::Node*>& seen) {
  if (node->op() == ir::Op::Placeholder || node->op() == ir::Op::GetAttr || !seen.insert(node).second) return false;
  const auto* op = dynamic_cast<const Operator*>(node->info());
  if (node->block_count() || seen.size() > kDepth * kDepth) return true;
  const bool number = !holds_tensors(node);
  if (op && !number && op->sized_by_elements()) return true;
  for (size_t k = 0; k < node->input_count(); ++k) {
    if (op && number && !op->reads_sizes_alone && node->input(k)->type().is(ir::TypeKind::Tensor)) return true;
    if (reaches_elements(node->input(k), seen)) return true;
  }
  return false;
}

}  // namespace

bool decided_by_elements(const ir::Node* node) {
  std::set<const ir::Node*> seen;
  return reaches_elements(node, seen);
}

bool reads_size(const ir::Node* node, int depth) {
  if (depth > kDepth || node->op() != ir::Op::CallFunction) return false;
  const std::string_view name = node->target().name();
  for (const std::string_view size : {"aten::sym_size", "aten::size", "aten::numel", "aten::sym_numel"})
    if (name.starts_with(size)) return true;
  for (size_t k = 0; k < node->input_count(); ++k)
    if (!node->input(k)->type().is(ir::TypeKind::Tensor) && reads_size(node->input(k), depth + 1)) return true;
  return false;
}

bool copy_sizes(ir::Graph& to, ir::Graph::NodeMap& map, const ir::Node* node, int depth) {
  if (map.contains(node)) return true;
  if (depth > kDepth || node->op() != ir::Op::CallFunction || !node->info() || node->block_count()) return false;
  ir::Args one;
  one.add(const_cast<ir::Node*>(node));
  Dim size = node->type().is(ir::TypeKind::Int) || node->type().is(ir::TypeKind::SymInt) ? size_value(one[0]).integer : Dim();
  // How many tensors a list has, where sizes say it.
  const ir::Node* list = node->input_count() == 1 && node->input(0)->type().is(ir::TypeKind::List) ? node->input(0) : nullptr;
  if (const auto* made = list && !size ? dynamic_cast<const Operator*>(list->info()) : nullptr) size = infer_length(*made, *list);
  if (size) {
    if (size->is_int()) {
      ir::Args number;
      number.add(size->as_int()), number.add(int64_t{0});
      map[node] = to.call("aten::add.int", number);
      to.set_type(map[node], ir::TypeKind::Int);
      return true;
    }
    try {
      map[node] = append_size(to, *size);
      return true;
    } catch (const Error&) {
      return false;  // a symbol that no input has
    }
  }
  if (node->type().is(ir::TypeKind::List) && copy_list_of_sizes(to, map, node)) return true;
  const auto* op = dynamic_cast<const Operator*>(node->info());
  return copy_with_inputs(to, map, node, op && op->reads_sizes_alone, depth);
}

}  // namespace monograph::python::compiled
