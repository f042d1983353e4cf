// The texts of graphs. docs/ir.md defines the first one; the others are for reading, or for other programs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ir/unit.h"

namespace monograph::ir {

// The text form: reads back to an identical graph, order, names, types, spans, scopes, literals by bits, symbols and guards.
std::string to_text(const Graph& graph);
std::string to_text(const Unit& unit);

// The same in PyTorch's spelling: literals as prim::Constant nodes, paths as prim::GetAttr chains. Reads back to a graph that means the same.
std::string to_torchscript(const Graph& graph);

// Code in TorchScript's words, what .code of a traced function shows: `linear = (_0).forward(x, )`, torch.relu(x).
std::string to_torchscript_code(const Graph& graph);

// What torch.fx prints as str(graph).
std::string to_fx_string(const Graph& graph);
// Its line of one node: torch.fx's Node.format_node().
std::string format_node(const Node& node);

// Python's keywords and builtins, and the names that generated code has at its head: no node may hide them.
bool is_python_name(std::string_view name);

// As repr() of Python writes a float: "100000.0", where the shortest text is "1e+05". Without the point as in a complex number: "100000".
void print_python_float(std::string& out, double value, bool point = true);

// How to_python writes a function.
struct PythonCode {
  std::string name = "forward";
  std::function<std::string(const Node*)> annotation;  // of an input, a result or a node, with or without the colon; "" where it has none
  const Unit* functions = nullptr;  // its functions are called with `self` first, as they are defined
};
// The forward function that torch.fx generates for the graph, character by character where the graph is flat. If and Loop become Python's own,
// guards become torch._assert. It runs, with `torch` as monograph or PyTorch, and `device`, `inf` and `nan` beside it.
std::string to_python(const Graph& graph);
// A constant of more elements is an attribute of the module in code: `self._tensor_constant0`.
inline constexpr int64_t kLargestCodeConstant = 1024;
std::string to_python(const Graph& graph, const PythonCode& options);
// A file of Python with all functions of a program, or with one of them. Each takes the module first, whose attributes it reads.
std::string to_python_file(const Unit& unit, const Graph* only = nullptr);

// The name under which generated code calls a function: "torch.relu" as it is, "operator.abs" as _operator_abs.
std::string python_function(std::string_view name);
// torch.fx's Graph.print_tabular: one row a node; blocks indented below their node.
std::string to_tabular(const Graph& graph);

// Graphviz; blocks as clusters.
std::string to_dot(const Graph& graph);

// One flat list of nodes and one of blocks; reads back to an identical graph.
std::string to_json(const Graph& graph);
std::unique_ptr<Graph> graph_from_json(std::string_view text);

struct ParseOptions {
  // Finds the constant with this content hash; without it, and where it answers null, the constant is there by hash only.
  std::function<TensorRef(std::string_view content_hash)> tensor;
  bool declares_symbols = false;  // one that the text does not declare is a size of any value, as in the short text of a trace
};

// Both spellings. Error (Value) with line, column and what was expected. Never imports, calls or resolves anything but operators of the registry.
std::unique_ptr<Graph> parse_graph(std::string_view text, const ParseOptions& options = {});
std::unique_ptr<Unit> parse_unit(std::string_view text, const ParseOptions& options = {});

}  // namespace monograph::ir
