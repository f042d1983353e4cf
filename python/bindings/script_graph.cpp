// TorchScript's graph API for fx/script_view.py: nodes and values that stand inside of others are (node, path), as passes/script_view.h names them.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "graph.h"
#include "ir/builder.h"
#include "ir/text.h"
#include "passes/script_view.h"
#include "python.h"

namespace monograph::python {
namespace {

using passes::ScriptRef;

GraphObject* graph_object(nb::handle graph) { return reinterpret_cast<GraphObject*>(graph.ptr()); }
GraphObject* owner(nb::handle node) {
  GraphObject* g = reinterpret_cast<NodeObject*>(node.ptr())->graph;
  MONOGRAPH_CHECK(g, Runtime, "the graph of this node is gone");
  return g;
}

ScriptRef ref_of(nb::handle node, nb::handle path) { return {node_of(node.ptr()), nb::cast<std::vector<uint32_t>>(path)}; }
ScriptRef ref_of(nb::handle pair) { return ref_of(pair[0], pair[1]); }
nb::object shown(const ScriptRef& r, GraphObject* g) {
  nb::list path;
  for (const uint32_t k : r.path) path.append(k);
  return nb::make_tuple(wrap(r.node, g), nb::tuple(path));
}
nb::list shown(const std::vector<ScriptRef>& refs, GraphObject* g) {
  nb::list out;
  for (const ScriptRef& r : refs) out.append(shown(r, g));
  return out;
}

// The block that a pair stands for: a node with the number of its block, or None for the root.
ir::Block* block_of(nb::handle graph, nb::handle node, size_t index) {
  if (node.is_none()) return graph_of(graph.ptr()).root();
  const ir::Node* n = node_of(node.ptr());
  MONOGRAPH_CHECK(index < n->block_count(), Index, "%", n->name(), " has ", n->block_count(), " blocks");
  return n->block(index);
}

ir::Args argument_of(nb::handle value, GraphObject* g) {
  ir::Args args;
  add_arg(args, value.ptr(), g);
  return args;
}

}  // namespace

void init_script_graph(PyObject* module) {
  nb::module_ m = nb::borrow<nb::module_>(module);
  m.def("_view_kind", [](nb::handle node, nb::handle path) { return passes::script_kind(ref_of(node, path)); });
  m.def("_view_inputs", [](nb::handle node, nb::handle path) { return shown(passes::script_inputs(ref_of(node, path)), owner(node)); });
  m.def("_view_outputs", [](nb::handle node, nb::handle path) { return shown(passes::script_outputs(ref_of(node, path)), owner(node)); });
  m.def("_view_uses", [](nb::handle node, nb::handle path) {
    nb::list out;
    for (const passes::ScriptUse& use : passes::script_uses(ref_of(node, path)))
      out.append(nb::make_tuple(shown(use.user, owner(node)), use.offset));
    return out;
  });
  m.def("_view_node", [](nb::handle node, nb::handle path) { return shown(passes::script_node(ref_of(node, path)), owner(node)); });
  m.def("_view_offset", [](nb::handle node, nb::handle path) { return passes::script_offset(ref_of(node, path)); });
  m.def("_view_attribute_names", [](nb::handle node, nb::handle path) { return passes::script_attribute_names(ref_of(node, path)); });
  // (value,), or () where the node has no attribute of this name.
  m.def("_view_attribute", [](nb::handle node, nb::handle path, const std::string& name) -> nb::tuple {
    const std::optional<ir::Args> value = passes::script_attribute(ref_of(node, path), name);
    if (!value) return nb::make_tuple();
    return nb::make_tuple(to_python((*value)[0], owner(node)));
  });
  m.def(
      "_view_set_attribute",
      [](nb::handle node, nb::handle path, const std::string& name, nb::object value) {
        passes::set_script_attribute(ref_of(node, path), name, argument_of(value, owner(node)));
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  m.def(
      "_view_nodes",
      [](nb::handle graph, nb::handle node, size_t index) {
        return shown(passes::script_nodes(block_of(graph, node, index)), graph_object(graph));
      },
      nb::arg(), nb::arg().none(), nb::arg());
  m.def(
      "_view_find",
      [](nb::handle graph, nb::handle node, size_t index, const std::string& kind, bool recurse) {
        return shown(passes::find_all_nodes(block_of(graph, node, index), kind, recurse), graph_object(graph));
      },
      nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
  // The value `self` of a graph that reads modules; None of another graph.
  m.def("_view_self", [](nb::handle graph) -> nb::object {
    const std::optional<ScriptRef> self = passes::script_self(graph_of(graph.ptr()));
    return self ? shown(*self, graph_object(graph)) : nb::object(nb::none());
  });
  m.def("_view_replace_all", [](nb::handle value, nb::handle by) { passes::script_replace_all_uses(ref_of(value), ref_of(by)); });
  m.def("_view_set_input", [](nb::handle user, size_t k, nb::handle value) { passes::script_set_input(ref_of(user), k, ref_of(value)); });
  m.def("_view_add_input", [](nb::handle user, nb::handle value) { passes::script_add_input(ref_of(user), ref_of(value)); });
  m.def("_view_insert_input",
        [](nb::handle user, size_t k, nb::handle value) { passes::script_insert_input(ref_of(user), k, ref_of(value)); });
  m.def("_view_copy_metadata", [](nb::handle to, nb::handle from) { passes::script_copy_metadata(ref_of(to), ref_of(from)); });
  m.def("_view_add_block", [](nb::handle node) { return passes::script_add_block(node_of(node.ptr()))->index(); });
  m.def("_view_add_output", [](nb::handle node) { return shown(passes::script_add_output(node_of(node.ptr())), owner(node)); });
  m.def("_view_erase_output", [](nb::handle node, size_t k) { passes::script_erase_output(node_of(node.ptr()), k); });
  m.def(
      "_view_add_block_input",
      [](nb::handle graph, nb::handle node, size_t index) {
        return wrap(passes::script_add_block_input(block_of(graph, node, index)), graph_object(graph));
      },
      nb::arg(), nb::arg().none(), nb::arg());
  m.def(
      "_view_register_output",
      [](nb::handle graph, nb::handle node, size_t index, nb::handle value) {
        return passes::script_register_output(block_of(graph, node, index), ref_of(value));
      },
      nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
  // _view_create_clone(graph, node, map): map answers a pair for a pair.
  m.def("_view_create_clone", [](nb::handle graph, nb::handle node, nb::callable map) {
    GraphObject* g = graph_object(graph);
    GraphObject* from = owner(node);
    ir::Node* made =
        passes::script_create_clone(*g->graph, {node_of(node.ptr()), {}}, [&](const ScriptRef& r) { return ref_of(map(shown(r, from))); });
    return wrap(made, g);
  });
  m.def("_view_permute_inputs",
        [](nb::handle graph, const std::vector<size_t>& order) { passes::script_permute_inputs(graph_of(graph.ptr()), order); });
  m.def("_view_insert_graph", [](nb::handle graph, nb::handle from, nb::list values) {
    std::vector<ScriptRef> refs;
    for (nb::handle pair : values) refs.push_back(ref_of(pair));
    GraphObject* g = graph_object(graph);
    return shown(passes::script_insert_graph(*g->graph, graph_of(from.ptr()), refs), g);
  });
  m.def("_view_remove_input", [](nb::handle user, size_t k) { passes::script_remove_input(ref_of(user), k); });
  m.def("_view_create", [](nb::handle graph, const std::string& kind, nb::list inputs, size_t outputs) {
    std::vector<ScriptRef> refs;
    for (nb::handle pair : inputs) refs.push_back(ref_of(pair));
    GraphObject* g = graph_object(graph);
    g->graph->set_location(caller_span(), g->scope);
    return wrap(passes::script_create(*g->graph, kind, refs, outputs), g);
  });
  m.def(
      "_view_constant",
      [](nb::handle graph, nb::object value) {
        GraphObject* g = graph_object(graph);
        return wrap(passes::script_constant(*g->graph, argument_of(value, g)), g);
      },
      nb::arg(), nb::arg().none());
  m.def("_view_destroy", [](nb::handle node, nb::handle path) { passes::script_destroy(ref_of(node, path)); });
  // _view_move(node, place, after): beside another node of its graph.
  m.def("_view_move", [](nb::handle node, nb::handle place, bool after) {
    ir::Node *moved = node_of(node.ptr()), *at = node_of(place.ptr());
    MONOGRAPH_CHECK(moved->graph() == at->graph(), Runtime, "%", moved->name(), " belongs to another graph than %", at->name());
    if (moved == at) return;
    if (after) moved->graph()->move_after(moved, at);
    else moved->graph()->move_before(moved, at);
  });
  m.def(
      "_view_move_to_end",
      [](nb::handle graph, nb::handle node, nb::handle place, size_t index) {
        graph_of(graph.ptr()).move_to_end(node_of(node.ptr()), block_of(graph, place, index));
      },
      nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
  m.def("_view_block_count", [](nb::handle node) { return passes::script_blocks(node_of(node.ptr())).size(); });
  // The placeholders of a block, and its output: None where it has none yet.
  m.def(
      "_view_block_ends",
      [](nb::handle graph, nb::handle node, size_t index) {
        const ir::Block* block = block_of(graph, node, index);
        nb::list inputs;
        for (ir::Node* p : passes::script_block_inputs(block)) inputs.append(wrap(p, graph_object(graph)));
        return nb::make_tuple(inputs, block->output() ? wrap(block->output(), graph_object(graph)) : nb::object(nb::none()));
      },
      nb::arg(), nb::arg().none(), nb::arg());
  // The node whose block a node stands in, and the number of that block; None in the root.
  m.def("_view_block_of", [](nb::handle node) -> nb::object {
    ir::Block* block = node_of(node.ptr())->block();
    if (!block->owner()) return nb::none();
    return nb::make_tuple(wrap(block->owner(), owner(node)), block->index());
  });
  m.def("_view_set_type", [](nb::handle value, const std::string& text) { passes::script_set_type(ref_of(value), ir::parse_type(text)); });
  m.def("_view_set_name", [](nb::handle value, const std::string& name) { passes::script_set_name(ref_of(value), name); });
  // A copy that reads the same modules.
  m.def("_view_copy", [](nb::handle graph) {
    const std::shared_ptr<ir::Graph>& from = graph_object(graph)->graph;
    std::shared_ptr<ir::Graph> made(from->clone().release(), [from](ir::Graph* g) { delete g; });
    made->set_unit(from->unit());
    made->set_dialect(from->dialect());
    return wrap(std::move(made));
  });
  m.def(
      "parse_ir",
      [](const std::string& text, bool) {
        std::unique_ptr<ir::Graph> made;
        try {
          made = ir::parse_graph(text, {.tensor = {}, .declares_symbols = true});
        } catch (const Error& e) {
          fail(ErrorKind::Runtime, e.what());  // PyTorch's class
        }
        made->set_dialect(ir::Dialect::TorchScript);
        made->set_level(ir::Level::Operator);
        return wrap(std::shared_ptr<ir::Graph>(std::move(made)));
      },
      nb::arg("input"), nb::arg("parse_tensor_constants") = false, "The graph of a text that str(graph) gave, here or in PyTorch.");
  m.def("_view_scope", [](nb::handle node) { return node_of(node.ptr())->scope(); });
}

}  // namespace monograph::python
