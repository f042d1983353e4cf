// If and Loop in graphs that Python builds: the blocks are filled by functions that are called while the graph's insertion point is inside.
#include <limits>
#include <vector>

#include "graph.h"
#include "ir/builder.h"
#include "values.h"

namespace monograph::python {
namespace {

GraphObject* object_of(nb::handle graph) { return reinterpret_cast<GraphObject*>(graph.ptr()); }

ir::Args argument(PyObject* value, GraphObject* graph) {
  ir::Args a;
  add_arg(a, value, graph);
  return a;
}

// Puts everything back as it was where filling a block fails.
class Undo {
 public:
  explicit Undo(ir::Graph& graph) : graph_(graph), saved_(graph.insert_point()) {}
  ~Undo() {
    if (done) return;
    graph_.set_insert_point(saved_);
    if (made) graph_.erase(made);
  }
  Undo(const Undo&) = delete;
  ir::Node* made = nullptr;
  bool done = false;

 private:
  ir::Graph& graph_;
  ir::Graph::InsertPoint saved_;
};

nb::object values_of(ir::RegionBuilder& b, const std::vector<ir::RegionBuilder::Slot>& slots, GraphObject* g) {
  nb::list nodes;
  for (auto slot : slots) nodes.append(wrap(b.node(slot), g));
  return nodes;
}

// _build_if(graph, condition, then, otherwise) -> [node]: both functions make nodes and return as many arguments.
nb::object build_if(nb::handle graph, nb::handle condition, nb::handle then, nb::handle otherwise) {
  GraphObject* g = object_of(graph);
  Undo undo(*g->graph);
  ir::RegionBuilder b(*g->graph);
  std::vector<ir::RegionBuilder::Slot> slots;
  g->graph->set_location(caller_span(), g->scope);
  b.begin_if(node_of(condition.ptr()));
  undo.made = g->graph->insert_point().block->owner();
  for (int arm = 0; arm < 2; ++arm) {
    if (arm) b.begin_else();
    nb::list values{nb::object(arm ? otherwise() : then())};
    if (!arm)
      for (size_t k = 0; k < values.size(); ++k) slots.push_back(b.slot(concat("result_", k)));
    MONOGRAPH_CHECK(values.size() == slots.size(), Value, "cond: both functions must return the same number of tensors, but they return ",
                    slots.size(), " and ", values.size());
    for (size_t k = 0; k < slots.size(); ++k) b.set(slots[k], argument(nb::object(values[k]).ptr(), g));
  }
  b.end_if();
  undo.done = true;
  return values_of(b, slots, g);
}

// _build_loop(graph, condition, initial, body, count) -> [node]: body(nodes, counter) makes the nodes of one round and returns the condition of the next one
// and the values that it begins with. A count of None is no limit.
nb::object build_loop(nb::handle graph, nb::handle condition, nb::list initial, nb::handle body, nb::handle count) {
  GraphObject* g = object_of(graph);
  Undo undo(*g->graph);
  ir::RegionBuilder b(*g->graph);
  std::vector<ir::RegionBuilder::Slot> slots;
  for (size_t k = 0; k < initial.size(); ++k) slots.push_back(b.slot(concat("carried_", k), argument(nb::object(initial[k]).ptr(), g)));
  g->graph->set_location(caller_span(), g->scope);
  const ir::Args limit = count.is_none() ? ir::Args(std::numeric_limits<int64_t>::max()) : argument(count.ptr(), g);
  ir::Node* counter = b.begin_loop(limit, argument(condition.ptr(), g), slots);
  undo.made = g->graph->insert_point().block->owner();
  nb::list carried;
  for (auto slot : slots) carried.append(wrap(b.get(slot)[0].node(), g));
  nb::object returned(body(carried, wrap(counter, g)));
  nb::list next{nb::object(returned[1])};
  MONOGRAPH_CHECK(next.size() == slots.size(), Value, "while_loop: the body takes ", slots.size(), " tensors and returns ", next.size());
  for (size_t k = 0; k < slots.size(); ++k) b.set(slots[k], argument(nb::object(next[k]).ptr(), g));
  b.end_loop(argument(nb::object(returned[0]).ptr(), g));
  undo.done = true;
  return values_of(b, slots, g);
}

// _blocks(node) -> [(placeholders, nodes, results)] of an If or Loop; [] of another node.
nb::object blocks_of(nb::handle node) {
  nb::list blocks;
  ir::Node* n = node_of(node.ptr());
  GraphObject* g = reinterpret_cast<NodeObject*>(node.ptr())->graph;
  for (size_t k = 0; k < n->block_count(); ++k) {
    nb::list placeholders, nodes, results;
    for (ir::Node* m : *n->block(k)) {
      if (m->op() == ir::Op::Placeholder) placeholders.append(wrap(m, g));
      else if (m->op() != ir::Op::Output) nodes.append(wrap(m, g));
      else
        for (auto it = m->args_begin(); it != m->args_end(); ++it) results.append(to_python(*it, g));
    }
    blocks.append(nb::make_tuple(placeholders, nodes, results));
  }
  return blocks;
}

// _copy_with_blocks(graph, node, map): a copy of the node and of all in its blocks, at the insertion point; `map` knows the nodes of outside, and learns
// the new ones.
nb::object copy_with_blocks(nb::handle graph, nb::handle node, nb::dict map) {
  GraphObject *to = object_of(graph), *from = reinterpret_cast<NodeObject*>(node.ptr())->graph;
  ir::Graph::NodeMap nodes;
  for (auto [old, made] : map) nodes[node_of(old.ptr())] = node_of(made.ptr());
  ir::Node* copy = to->graph->copy(node_of(node.ptr()), nodes);
  for (auto [old, made] : nodes)
    if (nb::object key = wrap(const_cast<ir::Node*>(old), from); !map.contains(key)) map[key] = wrap(made, to);
  return wrap(copy, to);
}

}  // namespace

void init_regions(PyObject* module) {
  nb::handle m(module);
  m.attr("_build_if") = nb::cpp_function(build_if);
  m.attr("_build_loop") = nb::cpp_function(build_loop, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  m.attr("_blocks") = nb::cpp_function(blocks_of);
  // Whether a node of the graph, outside of blocks, is an If or a Loop.
  m.attr("_has_blocks") = nb::cpp_function([](nb::handle graph) {
    const ir::Node* n = graph_of(graph.ptr()).root()->first();
    while (n && !n->block_count()) n = n->next();
    return n != nullptr;
  });
  // Whether a copy of the node alone would not be one: an If, a Loop, or one of the results of such.
  m.attr("_has_structure") = nb::cpp_function([](nb::handle node) {
    ir::Node* n = node_of(node.ptr());
    return n->block_count() > 0 || n->is_projection();
  });
  m.attr("_copy_with_blocks") = nb::cpp_function(copy_with_blocks);
  // Whether a node that is made now may use this one: it is still there, and stands in the block of the insertion point, or in one around it.
  m.attr("_in_scope") = nb::cpp_function([](nb::handle node) {
    ir::Node* n = node_of(node.ptr());
    return !n->erased() && n->block()->contains(n->graph()->insert_point().block);
  });
}

}  // namespace monograph::python
