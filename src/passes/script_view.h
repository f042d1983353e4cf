// A graph as TorchScript's graph API shows it: every argument of a call is a value, and every value comes from a node.
//
//   %y = aten::add.Tensor(%x, 10)        inputs(%y)      %x, the constant 10, the constant 1 (alpha, a default)
//   %z = aten::view(%y, [2, -1])         inputs(%z)      %y, a prim::ListConstruct of two constants
//   %w = get_attr "conv.weight"          inputs(%w)      prim::GetAttr[name="conv"] of self
//
// Literals, lists, defaults and paths stand inside of nodes (ir/arg.h). Here they are nodes too, which are named by their place: nothing is made when they are
// looked at, and replacing such a value writes the argument.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace monograph::passes {

// A node or a value. Without a path it is a node of the graph, or the value that this node is: results of nodes with several are projections. With a path it is
// what stands among the inputs of `node`: the number of the input, then places in lists.
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

// Nodes. A stale place (what stood there is a node's value now, or gone) is an Error (Runtime).
std::string script_kind(const ScriptRef& node);  // "aten::add", "prim::Constant", "prim::Param"
std::vector<ScriptRef> script_inputs(const ScriptRef& node);
std::vector<ScriptRef> script_outputs(const ScriptRef& node);  // those too that nobody uses
// Nodes of a block in order, without its inputs and its return; those that stand inside of others before their users.
std::vector<ScriptRef> script_nodes(const ir::Block* block);
// Those of this kind, each before the nodes of its blocks. recurse: in the blocks of If and Loop too.
std::vector<ScriptRef> find_all_nodes(const ir::Block* block, std::string_view kind, bool recurse);
// Whether the graph reads modules, so that TorchScript gives it `self` as its first input; a node that does, as the place of `self`.
std::optional<ScriptRef> script_self(const ir::Graph& graph);

// The node whose outputs are the inputs of a block, `self` among them: "prim::Param".
ScriptRef script_param_node(const ir::Block* block);

// Attributes: "value" of a constant, "name" of a GetAttr or CallMethod.
std::optional<ir::Args> script_attribute(const ScriptRef& node, std::string_view name);
std::vector<std::string> script_attribute_names(const ScriptRef& node);
void set_script_attribute(const ScriptRef& node, std::string_view name, const ir::Args& value);

// Values.
ScriptRef script_node(const ScriptRef& value);  // the node that makes it
size_t script_offset(const ScriptRef& value);  // which of the node's outputs it is
ir::Type script_type(const ScriptRef& value);
void script_set_type(const ScriptRef& value, ir::Type type);  // declares it
void script_set_name(const ScriptRef& value, std::string_view name);
std::vector<ScriptUse> script_uses(const ScriptRef& value);
// The value as an argument: a node, or the literal that stands there.
ir::Args script_argument(const ScriptRef& value);
void script_replace_all_uses(const ScriptRef& value, const ScriptRef& by);

// Changes. Error (Runtime) where an argument does not fit; the graph stays as it was.
void script_set_input(const ScriptRef& user, size_t index, const ScriptRef& value);
void script_add_input(const ScriptRef& user, const ScriptRef& value);
void script_remove_input(const ScriptRef& user, size_t index);
// Of a node without a schema, or a list: one more input at this place.
void script_insert_input(const ScriptRef& user, size_t index, const ScriptRef& value);
// A node of this kind at the insertion point: "aten::add" (the inputs choose the overload), "prim::ListConstruct". Error (Attribute) where no operator has the name.
// prim::If and prim::Loop get this number of outputs (script_blocks.cpp).
ir::Node* script_create(ir::Graph& graph, std::string_view kind, const std::vector<ScriptRef>& inputs, size_t outputs = 1);
// A copy of a node with its blocks at the insertion point; `map` answers what stands for a value that it uses.
ir::Node* script_create_clone(ir::Graph& graph, const ScriptRef& node, const std::function<ScriptRef(const ScriptRef&)>& map);
// A prim::Constant at the insertion point.
ir::Node* script_constant(ir::Graph& graph, const ir::Args& value);
// The line and scope of another node.
void script_copy_metadata(const ScriptRef& to, const ScriptRef& from);

// If and Loop that are built part by part, as TorchScript's passes do it. They have all of their blocks, inputs of blocks, results and ends from the beginning, so
// that the graph is whole at any time; what nobody has added yet is an uninitialized value, and is not shown.
ir::Node* script_create_structure(ir::Graph& graph, std::string_view kind, const ir::Args& inputs, size_t outputs);
bool script_is_mark(const ir::Node& node);  // of something that nobody has added yet
std::vector<ir::Block*> script_blocks(const ir::Node* node);  // those that were added
ir::Block* script_add_block(ir::Node* node);
std::vector<ir::Node*> script_block_inputs(const ir::Block* block);  // those that were added
ir::Node* script_add_block_input(ir::Block* block);
// One more value at the end of a block: a result of the If or Loop; of a Loop's body the condition first. Returns how many there are.
size_t script_register_output(ir::Block* block, const ScriptRef& value);
std::vector<ScriptRef> script_block_outputs(const ir::Block* block);
size_t script_result_count(const ir::Node* node);  // those that were added
ScriptRef script_add_output(ir::Node* node);
// With what the blocks give for it; of a Loop the value that it carries too.
void script_erase_output(ir::Node* node, size_t k);
void script_add_carried(ir::Node* loop, const ir::Args& value);

// Erases a node that nobody uses. What stands inside of another node goes with its use.
void script_destroy(const ScriptRef& node);

}  // namespace monograph::passes
