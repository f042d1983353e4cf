// A union-find over values: two are joined where a schema's alias marks let them share memory.
#include "passes/memory.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>

#include "core/interrupt.h"
#include "ir/bind.h"
#include "passes/dependences.h"

namespace monograph::passes {

using namespace ir;

namespace {

// t[]: what an operator on lists of anything makes of one holds what the list held, whatever marks its schema has (aten::slice.t has none).
bool is_generic_list(Type t) { return t.is(TypeKind::List) && t.element().is(TypeKind::Variable); }

}  // namespace

const Node* written_list(const Node* n) {
  if (n->structure() != Structure::None || n->is_projection() || !n->info() || n->info()->schema().is_vararg() || !n->arg_count())
    return nullptr;
  const std::vector<Argument>& arguments = n->info()->schema().arguments();
  return !arguments.empty() && arguments[0].writes() && is_generic_list(arguments[0].type) ? n->arg(0).node() : nullptr;
}

MemoryGroups::MemoryGroups(size_t ids) : parent_(ids), written_(ids), unknown_(ids) { std::iota(parent_.begin(), parent_.end(), 0); }

MemoryGroups MemoryGroups::of_lists(const Graph& graph) {
  MemoryGroups groups(graph.id_limit());
  for (const Node* n : NestedNodes(graph)) {
    const Node* list = written_list(n);
    if (list && n->info()->results() == 1 && n->info()->schema().result_aliases(0)) groups.join(n->id(), list->id());
  }
  for (const Node* n : NestedNodes(graph))
    if (const Node* list = written_list(n)) groups.written_[groups.group(list)] = true;
  return groups;
}

MemoryGroups::MemoryGroups(const Graph& graph) : MemoryGroups(graph.id_limit()) {
  std::unordered_map<std::string, uint32_t> attributes;
  for (const Node* n : NestedNodes(graph)) {
    interrupt_point();
    if (n->op() == Op::GetAttr) join(n->id(), attributes.try_emplace(n->target().name(), n->id()).first->second);
    if (n->structure() != Structure::None) add_structure(n);
    else if (n->op() != Op::Placeholder && n->op() != Op::Output && n->op() != Op::GetAttr && !n->is_projection()) add_call(n);
  }
  for (const Node* n : NestedNodes(graph)) {
    interrupt_point();
    if (n->op() == Op::Placeholder || n->op() == Op::Output || n->structure() != Structure::None || n->is_projection()) continue;
    Effects e = own_effects(*n);
    if (!(e.writes & Effects::Memory) && !e.user_code) continue;
    bool known = n->info() && !e.user_code;
    std::vector<uint32_t> first = known ? inputs_by_argument(n) : std::vector<uint32_t>{};
    for (size_t k = 0; k < n->input_count(); ++k) {
      if (known && !n->info()->schema().is_vararg()) {
        const auto argument = static_cast<size_t>(std::upper_bound(first.begin(), first.end(), k) - first.begin()) - 1;
        const int at = position_in_schema(n->info()->schema(), *n, argument);
        if (at >= 0 && !n->info()->schema().is_pure() && !n->info()->schema().arguments()[static_cast<size_t>(at)].writes()) continue;
      }
      written_[group(n->input(k))] = true;
      if (!known) unknown_[group(n->input(k))] = true;
    }
  }
}

uint32_t MemoryGroups::group(const Node* value) const {
  uint32_t root = value->id();
  while (parent_[root] != root) root = parent_[root] = parent_[parent_[root]];
  return root;
}

void MemoryGroups::join(uint32_t a, uint32_t b) {
  auto find = [&](uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  };
  a = find(a), b = find(b);
  parent_[std::max(a, b)] = std::min(a, b);
}

void MemoryGroups::add_call(const Node* n) {
  std::vector<const Node*> results(n->result_count(), n);
  if (n->multi()) {
    std::fill(results.begin(), results.end(), nullptr);
    for (const Node* p = n->next(); p && p->is_projection() && p->projected() == n; p = p->next()) results[p->projected_index()] = p;
  }
  const FunctionSchema* schema = n->info() ? &n->info()->schema() : nullptr;
  bool plain = schema && !schema->is_vararg() && !own_effects(*n).user_code;
  auto joins = [&](const Node* r, const Node* v) {
    if (r) join(r->id(), v->id());
  };
  if (!plain) {
    // Whatever it is given may be in whatever it answers, and in what else it is given.
    for (size_t k = 0; k < n->input_count(); ++k) {
      for (const Node* r : results) joins(r, n->input(k));
      if (!schema || own_effects(*n).writes) joins(n->input(0), n->input(k));
    }
    return;
  }
  size_t index = 0, input = 0;
  auto escapes = [](const Argument& a) {
    return a.alias && std::find(a.alias->after.begin(), a.alias->after.end(), "*") != a.alias->after.end();
  };
  for (auto it = n->args_begin(); it != n->args_end(); ++it, ++index) {
    const ArgItem* item = (*it).item();
    for (uint32_t i = 0; i < item->extent; ++i) {
      if (item[i].kind != ArgKind::Node) continue;
      const Node* v = n->input(input++);
      const int at = position_in_schema(*schema, *n, index);
      if (at < 0) continue;
      for (size_t r = 0; r < results.size() && r < schema->returns().size(); ++r)
        if (schema->may_alias(r, static_cast<size_t>(at)) ||
            (is_generic_list(schema->returns()[r].type) && is_generic_list(schema->arguments()[static_cast<size_t>(at)].type)))
          joins(results[r], v);
      if (escapes(schema->arguments()[static_cast<size_t>(at)]) && !schema->is_pure()) joins(n->input(0), v);
    }
  }
}

void MemoryGroups::add_structure(const Node* n) {
  std::vector<const Node*> results(n->result_count(), n);
  if (n->multi()) {
    std::fill(results.begin(), results.end(), nullptr);
    for (const Node* p = n->next(); p && p->is_projection() && p->projected() == n; p = p->next()) results[p->projected_index()] = p;
  }
  std::vector<Node*> slots = n->is_loop() ? n->block(0)->placeholders() : std::vector<Node*>{};
  auto add = [&](const Node* of, size_t head) {
    std::vector<uint32_t> first = inputs_by_argument(of);
    for (size_t k = head; k + 1 < first.size(); ++k)
      for (uint32_t i = first[k]; i < first[k + 1]; ++i) {
        if (k - head < results.size() && results[k - head]) join(results[k - head]->id(), of->input(i)->id());
        if (k - head + 1 < slots.size()) join(slots[k - head + 1]->id(), of->input(i)->id());
      }
  };
  if (n->is_loop()) add(n, 2);
  for (size_t k = 0; k < n->block_count(); ++k) add(n->block(k)->output(), n->is_loop());
}

}  // namespace monograph::passes
