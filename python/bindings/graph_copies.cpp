// What pickles and copies of graphs need of C++ (fx/_pickle.py): a clone; the types and guards of a graph as plain values, and back; and an If or Loop made
// anew from what a pickle has of it.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <map>
#include <vector>

#include "graph.h"

namespace monograph::python {
namespace {

GraphObject* object_of(nb::handle graph) { return reinterpret_cast<GraphObject*>(graph.ptr()); }

// _clone(graph): a graph with the same nodes, blocks, types, guards and lines. What Python objects say of graph and nodes is not copied.
nb::object clone(nb::handle graph) {
  GraphObject* from = object_of(graph);
  // The clone keeps the Unit alive whose modules it names.
  std::shared_ptr<ir::Graph> made(from->graph->clone().release(), [keep = from->graph](ir::Graph* g) { delete g; });
  nb::object object = wrap(std::move(made));
  object_of(object)->callables = from->callables;
  return object;
}

// _graph_facts(graph) -> (symbols, types, guards): what is known of the graph beside its nodes. A symbol is (name, lower, upper, hint), a type (name of the node,
// text, declared), and a guard (name of its node or None, text of its size, expected value, expression).
nb::tuple facts_of(nb::handle graph) {
  GraphObject* g = object_of(graph);
  std::map<std::string, Symbol> symbols;
  nb::list types, guards, listed;
  const auto note = [&](const Symbol& s) { symbols.emplace(s.name, s); };
  for (const ir::Node* n : ir::NestedNodes(*g->graph)) {
    if (!n->type() || n->is_projection() || n->op() == ir::Op::Output) continue;
    n->type().visit_symbols(note);
    types.append(nb::make_tuple(n->name().c_str(), to_string(n->type()).c_str(), n->type_declared()));
  }
  for (const ir::Guard& guard : g->graph->guards()) {
    const nb::object value = guard.value ? to_python(std::string_view(guard.value->name())) : nb::none();
    guards.append(nb::make_tuple(value, to_string(guard.size).c_str(), to_python(guard.expected[0], g), guard.expression.c_str()));
  }
  for (const auto& [name, s] : symbols) {
    const nb::object hint = s.hint ? nb::object(nb::int_(*s.hint)) : nb::none();
    listed.append(nb::make_tuple(name.c_str(), s.lower, s.upper, hint));
  }
  return nb::make_tuple(listed, types, guards);
}

// _set_graph_facts(graph, nodes by name, symbols, types, guards): gives a graph what _graph_facts gave of another.
void set_facts(nb::handle graph, nb::dict nodes, nb::list symbols, nb::list types, nb::list guards) {
  GraphObject* g = object_of(graph);
  std::map<std::string, Symbol, std::less<>> known;
  for (nb::handle s : symbols) {
    Symbol made{nb::cast<std::string>(s[0]), nb::cast<int64_t>(s[1]), nb::cast<int64_t>(s[2]), {}};
    if (!s[3].is_none()) made.hint = nb::cast<int64_t>(s[3]);
    known.emplace(made.name, made);
  }
  const auto symbol = [&](std::string_view name) -> const Symbol* {
    const auto found = known.find(name);
    return &(found == known.end() ? known.emplace(std::string(name), Symbol{std::string(name)}).first : found)->second;
  };
  for (nb::handle t : types) {
    const auto text = nb::cast<std::string>(t[1]);
    size_t position = 0;
    g->graph->set_type(node_of(nb::object(nodes[nb::object(t[0])]).ptr()), ir::parse_type(text, position, symbol), nb::cast<bool>(t[2]));
  }
  for (nb::handle of : guards) {
    ir::Guard guard;
    const auto size = nb::cast<std::string>(of[1]);
    size_t position = 0;
    if (of[0].is_none()) guard.size = parse_symint(size, position, symbol);
    else guard.value = node_of(nb::object(nodes[nb::object(of[0])]).ptr());
    add_arg(guard.expected, nb::object(of[2]).ptr(), g);
    guard.expression = nb::cast<std::string>(of[3]);
    g->graph->add_guard(std::move(guard));
  }
}

// _make_region(graph, target, args, name, results, fills) -> node: an If or Loop at the insertion point. Each function of `fills` makes the nodes of one block and
// returns the arguments of its output. The types of the `results` results are set later.
nb::object make_region(nb::handle graph, const std::string& target, nb::handle args, const std::string& name, size_t results,
                       nb::list fills) {
  GraphObject* object = object_of(graph);
  ir::Graph& g = *object->graph;
  ir::Node* node = g.create(ir::Op::CallFunction, g.target(target), to_args(args.ptr(), nullptr, object), name);
  const ir::Graph::InsertPoint after = g.insert_point();
  for (nb::handle fill : fills) {
    ir::Block* block = g.add_block(node);
    g.insert_at_end(block);
    const nb::object ends(fill());
    g.set_output(block, to_args(ends.ptr(), nullptr, object));
  }
  g.set_insert_point(after);
  g.set_results(node, std::vector<ir::Type>(results));
  return wrap(node, object);
}

// _make_result(node, k, name) -> node: the one that stands for a result of a node with several.
nb::object make_result(nb::handle node, size_t k, const std::string& name) {
  ir::Node* of = node_of(node.ptr());
  ir::Node* made = of->graph()->project(of, k);
  of->graph()->set_name(made, name);
  return wrap(made, reinterpret_cast<NodeObject*>(node.ptr())->graph);
}

}  // namespace

void init_graph_copies(PyObject* module) {
  nb::handle m(module);
  m.attr("_clone") = nb::cpp_function(clone);
  m.attr("_graph_facts") = nb::cpp_function(facts_of);
  m.attr("_set_graph_facts") = nb::cpp_function(set_facts);
  m.attr("_make_region") = nb::cpp_function(make_region);
  m.attr("_make_result") = nb::cpp_function(make_result);
  // How many results a node has, and whether it is one of the results of another.
  m.attr("_result_count") = nb::cpp_function([](nb::handle node) { return node_of(node.ptr())->result_count(); });
  m.attr("_is_result") = nb::cpp_function([](nb::handle node) { return node_of(node.ptr())->is_projection(); });
}

}  // namespace monograph::python
