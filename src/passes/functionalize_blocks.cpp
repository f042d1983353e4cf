// Turns writes inside an If or Loop into values. The block is copied into a separate graph, whose inputs are the values that it uses from outside.
// That graph is functionalized. If it has no writes left, it replaces the block.
#include <algorithm>
#include <unordered_set>

#include "passes/functionalize.h"

namespace monograph::passes {
namespace {

using ir::Args;
using ir::Block;
using ir::Graph;
using ir::Node;

bool writes(const Node* n) { return n->structure() == ir::Structure::None && (own_effects(*n).writes & ir::Effects::Memory) != 0; }

template <class Range>
bool any_writes(const Range& nodes) {
  for (const Node* n : nodes)
    if (writes(n)) return true;
  return false;
}

// What the block's nodes use: its own placeholders, then the values from outside, in the order of their uses.
std::vector<Node*> inputs_of(Block* block) {
  std::vector<Node*> inputs = block->placeholders();
  std::unordered_set<const Node*> seen(inputs.begin(), inputs.end());
  for (Node* n : ir::NestedNodes(block))
    for (size_t k = 0; k < n->input_count(); ++k)
      if (Node* v = n->input(k); !block->contains(v) && seen.insert(v).second) inputs.push_back(v);
  return inputs;
}

bool is_guarded(const Graph& graph, const Block* block) {
  return std::ranges::any_of(graph.guards(), [&](const ir::Guard& g) { return g.value && block->contains(g.value); });
}

bool functionalize_block(Graph& graph, Block* block) {
  if (!any_writes(ir::NestedNodes(block))) return true;
  if (is_guarded(graph, block)) return false;
  const std::vector<Node*> inputs = inputs_of(block);
  Graph alone(graph.name(), graph.unit());
  alone.set_level(graph.level());
  Graph::NodeMap map;
  for (Node* v : inputs) map[v] = alone.placeholder(v->name(), v->type());
  alone.insert_at_end(alone.root());
  alone.set_output(alone.copy_body(block, map));
  Functionalized functional = functionalize(alone);
  if (!functional.left.empty() || any_writes(ir::NestedNodes(*functional.graph))) return false;
  ir::infer_types(*functional.graph);

  Args nothing;
  for (size_t k = 0; k < block->output()->arg_count(); ++k) nothing.none();
  graph.set_output(block, nothing);
  std::vector<Node*> old;
  for (Node* n : *block)
    if (n->op() != ir::Op::Placeholder && n->op() != ir::Op::Output && !n->is_projection()) old.push_back(n);
  for (size_t k = old.size(); k-- > 0;) graph.erase(old[k]);
  const std::vector<Node*> given = functional.graph->placeholders();
  Graph::NodeMap back;
  for (size_t k = 0; k < inputs.size(); ++k) back[given[k]] = inputs[k];
  graph.insert_at_end(block);
  graph.set_output(block, graph.copy_body(functional.graph->root(), back));
  return true;
}

}  // namespace

bool functionalize_blocks(Graph& graph, Node* region) {
  const Graph::InsertPoint point = graph.insert_point();
  // Inner Ifs and Loops first: an outer block can become free of writes only after they have.
  std::vector<Node*> regions = {region};
  for (size_t k = 0; k < region->block_count(); ++k)
    for (Node* n : ir::NestedNodes(region->block(k)))
      if (n->block_count()) regions.push_back(n);
  bool all = true;
  for (size_t r = regions.size(); r-- > 0;) {
    all = true;
    for (size_t k = 0; k < regions[r]->block_count(); ++k) all &= functionalize_block(graph, regions[r]->block(k));
  }
  graph.set_insert_point(point);
  return all;
}

}  // namespace monograph::passes
