// A graph as TorchScript's graph API shows it: every argument of a call is a value, and every value comes from a node.
//
//   %y = aten::add.Tensor(%x, 10)        inputs(%y)      %x, the constant 10, the constant 1 (alpha, a default)
//   %z = aten::view(%y, [2, -1])         inputs(%z)      %y, a prim::ListConstruct of two constants
//   %w = get_attr "conv.weight"          inputs(%w)      prim::GetAttr[name="conv"] of self
//
// Literals, lists, defaults and paths are stored inside of nodes (ir/arg.h). Here they are shown as nodes, and identified by their position. Reading them
// creates nothing; replacing such a value writes the argument.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace monograph::passes {

// A node or a value. Without a path it is a node of the graph, or this node's value; results of a node with several are projections. With a path it is a
// literal or list among the inputs of `node`: the path has the index of the input, then indices into nested lists.
struct ScriptRef {
  ir::Node* node = nullptr;
  std::vector<uint32_t> path;
  bool is_inline() const { return !path.empty(); }
  bool operator==(const ScriptRef&) const = default;
};
struct ScriptUse {
  ScriptRef user;
  size_t offset;
};

// Nodes. Error (Runtime) for a stale ScriptRef: one whose input has changed since.
std::string script_kind(const ScriptRef& node);  // "aten::add", "prim::Constant", "prim::Param"
std::vector<ScriptRef> script_inputs(const ScriptRef& node);
std::vector<ScriptRef> script_outputs(const ScriptRef& node);  // unused ones included
// The nodes of a block in order, without its inputs and its return. A literal or list comes before the node that uses it.
std::vector<ScriptRef> script_nodes(const ir::Block* block);
// The nodes of this kind, each before the nodes of its blocks. recurse: also in the blocks of If and Loop.
std::vector<ScriptRef> find_all_nodes(const ir::Block* block, std::string_view kind, bool recurse);
// The value `self`, which TorchScript has as the first input of a graph that reads modules; nothing for other graphs.
std::optional<ScriptRef> script_self(const ir::Graph& graph);

// The node whose outputs are the inputs of a block, `self` among them: "prim::Param".
ScriptRef script_param_node(const ir::Block* block);

// Attributes: "value" of a constant, "name" of a GetAttr or CallMethod.
std::optional<ir::Args> script_attribute(const ScriptRef& node, std::string_view name);
std::vector<std::string> script_attribute_names(const ScriptRef& node);
void set_script_attribute(const ScriptRef& node, std::string_view name, const ir::Args& value);

// Values.
ScriptRef script_node(const ScriptRef& value);  // the node that computes it
size_t script_offset(const ScriptRef& value);  // its index among the node's outputs
ir::Type script_type(const ScriptRef& value);
void script_set_type(const ScriptRef& value, ir::Type type);  // sets a declared type
void script_set_name(const ScriptRef& value, std::string_view name);
std::vector<ScriptUse> script_uses(const ScriptRef& value);
// The value as an argument: a node, or a literal.
ir::Args script_argument(const ScriptRef& value);
void script_replace_all_uses(const ScriptRef& value, const ScriptRef& by);

// Changes. Error (Runtime) if an argument does not fit; the graph is then unchanged.
void script_set_input(const ScriptRef& user, size_t index, const ScriptRef& value);
void script_add_input(const ScriptRef& user, const ScriptRef& value);
void script_remove_input(const ScriptRef& user, size_t index);
// Inserts an input at this index. For a node without a schema, or a list.
void script_insert_input(const ScriptRef& user, size_t index, const ScriptRef& value);
// Makes a node of this kind at the insertion point: "aten::add" (the inputs choose the overload), "prim::ListConstruct". Error (Attribute) if no operator has
// this name. prim::If and prim::Loop get this number of outputs (script_blocks.cpp).
ir::Node* script_create(ir::Graph& graph, std::string_view kind, const std::vector<ScriptRef>& inputs, size_t outputs = 1);
// Copies a node with its blocks to the insertion point; `map` returns the value to use in place of each value that it uses from outside.
ir::Node* script_create_clone(ir::Graph& graph, const ScriptRef& node, const std::function<ScriptRef(const ScriptRef&)>& map);
// Makes a prim::Constant at the insertion point.
ir::Node* script_constant(ir::Graph& graph, const ir::Args& value);
// Puts the inputs of a graph into another order (script_inputs.cpp); order[k] is the old number of input k. `self` counts, and stays the first one.
void script_permute_inputs(ir::Graph& graph, const std::vector<size_t>& order);
// Copies the body of another graph to the insertion point, with these values for its inputs, and returns its results there.
std::vector<ScriptRef> script_insert_graph(ir::Graph& graph, const ir::Graph& from, const std::vector<ScriptRef>& values);
// Sets the line and scope of `to` to those of `from`.
void script_copy_metadata(const ScriptRef& to, const ScriptRef& from);

// If and Loop can be built part by part, as TorchScript's passes do. From the beginning they have all blocks, block inputs, results and block outputs, so that
// the graph is valid at any time. A part that was not added yet is an uninitialized value, and these functions do not show it.
ir::Node* script_create_structure(ir::Graph& graph, std::string_view kind, const ir::Args& inputs, size_t outputs);
bool script_is_mark(const ir::Node& node);  // it marks a part that was not added yet
std::vector<ir::Block*> script_blocks(const ir::Node* node);  // only those that were added
ir::Block* script_add_block(ir::Node* node);
std::vector<ir::Node*> script_block_inputs(const ir::Block* block);  // only those that were added
ir::Node* script_add_block_input(ir::Block* block);
// Adds an output to a block: a result of the If or Loop, or first the condition for a Loop's body. Returns the number of outputs.
size_t script_register_output(ir::Block* block, const ScriptRef& value);
std::vector<ScriptRef> script_block_outputs(const ir::Block* block);
size_t script_result_count(const ir::Node* node);  // only those that were added
ScriptRef script_add_output(ir::Node* node);
// Erases a result together with the block outputs for it; for a Loop, also the carried value.
void script_erase_output(ir::Node* node, size_t k);
void script_add_carried(ir::Node* loop, const ir::Args& value);

// Erases a node that nobody uses. A literal or list cannot be erased while a node has it as an input.
void script_destroy(const ScriptRef& node);

}  // namespace monograph::passes
