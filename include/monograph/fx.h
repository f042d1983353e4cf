// Reading and changing graphs: torch.fx in C++, with its names.
//
//   #include <monograph/fx.h>
//   using namespace monograph;
//
//   fx::Graph graph = fx::symbolic_trace([](Tensor x) { return relu(x) + 1; });
//   for (const fx::Node& n : graph.nodes())
//     if (n.target() == "aten::relu") n.set_target("aten::gelu");
//   fx::replace_pattern(graph, [](Tensor x, Tensor y) { return x + y; }, [](Tensor x, Tensor y) { return y + x; });
//   graph.lint();
//   Tensor y = graph({ones({3})});
//
// A call that raises leaves the graph as it was. Threads may read and run one graph together; one that edits it must be alone.
// docs/how_to/passes.md tells how to write a pass.
#pragma once

#include <iosfwd>
#include <map>
#include <source_location>
#include <string>

#include "monograph/graph.h"

MONOGRAPH_API_BEGIN

namespace fx {

class Argument;
class Graph;
class Node;
using Arguments = std::vector<Argument>;
using Keywords = std::map<std::string, Argument>;

// The sizes, dtype and layout that a tensor had when ShapeProp ran the graph.
struct TensorMetadata {
  std::vector<int64_t> shape;
  Dtype dtype = kFloat32;
  bool requires_grad = false;
  std::vector<int64_t> stride;
  std::optional<MemoryFormat> memory_format;  // the first of contiguous, channels_last and channels_last_3d that the tensor has
};

// A handle to a node of a graph. Copies are the same node, and keep its graph alive. An erased node keeps its fields and has no users.
class Node {
 public:
  Node() = default;  // no node: every call raises ValueError
  explicit operator bool() const { return impl_ != nullptr; }
  bool operator==(const Node& other) const { return node_ == other.node_; }
  bool operator<(const Node& other) const;  // compares the order in which the nodes of a graph were created
  bool is_before(const Node& other) const;  // compares their present positions in the graph; ValueError for nodes of two graphs

  std::string name() const;
  std::string op() const;  // "placeholder", "get_attr", "call_function", "call_module", "call_method" or "output"
  // For a call, the full name of the operator if it is known ("aten::add.Tensor"), else the name in the program ("torch.add"). For a placeholder, the name of
  // the parameter; for a get_attr, the path of the attribute.
  std::string target() const;
  Arguments args() const;  // the positional arguments, as the program passes them
  Keywords kwargs() const;
  std::vector<Node> all_input_nodes() const;  // each once
  std::vector<Node> users() const;  // each once, in the order of their first use
  Node next() const;  // the next node of its block; a null Node after the last one
  Node prev() const;
  Graph graph() const;
  bool erased() const;
  std::string type() const;  // the type of its value: "Float(2, 3)"; "" if it is unknown
  std::string stack_trace() const;  // "model.py:12"; "" if the line is unknown
  std::string format_node() const;  // %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})

  // prim::If has two blocks, prim::Loop has one, other nodes have none.
  size_t block_count() const;
  // The nodes of a block in order, without the node that ends the block.
  std::vector<Node> block(size_t index) const;
  // Set by ShapeProp if the value is a tensor.
  const std::optional<TensorMetadata>& tensor_meta() const;

  // Editing. If an argument contains a node of another graph or an erased node, ValueError is raised and nothing changes. These functions do not check that a
  // node comes after the nodes that it uses; Graph::lint() does.
  void set_args(const Arguments& args) const;
  void set_kwargs(const Keywords& kwargs) const;
  void update_arg(size_t index, const Argument& value) const;
  void update_kwarg(const std::string& name, const Argument& value) const;
  void replace_input_with(const Node& old_input, const Node& new_input) const;
  // Replaces this node by `other` in the arguments of its users. Returns the users that changed. `other` itself may go on using this node.
  std::vector<Node> replace_all_uses_with(const Node& other) const;
  void set_target(const std::string& target) const;
  void set_name(const std::string& name) const;  // a name that is taken gets a number: "relu_1"
  void prepend(const Node& moved) const;  // moves another node before this one
  void append(const Node& moved) const;  // moves another node after this one

  struct Access;  // used inside of the library
 private:
  std::shared_ptr<void> impl_;
  void* node_ = nullptr;
};

// An argument of a node, as in torch.fx, or a value while Interpreter runs a graph: None, a number, a string, a tensor, a node, a dtype, a device, a memory
// format, or a list, tuple or dict of these.
class Argument {
 public:
  Argument();  // None
  Argument(std::nullopt_t);
  template <std::same_as<bool> T>
  Argument(T v) : Argument(Scalar(v)) {}
  template <Integral T>
  Argument(T v) : Argument(Scalar(v)) {}
  template <std::floating_point T>
  Argument(T v) : Argument(Scalar(v)) {}
  Argument(const Scalar& v);
  Argument(const char* v);
  Argument(const std::string& v);
  Argument(const Tensor& v);  // an undefined tensor becomes None
  Argument(const Node& v);
  Argument(Dtype v);
  Argument(Device v);
  Argument(MemoryFormat v);
  Argument(const std::vector<Argument>& list);
  Argument(const std::vector<int64_t>& list);
  static Argument tuple(const std::vector<Argument>& items);
  static Argument dict(const std::vector<std::pair<Argument, Argument>>& items);

  bool is_none() const;
  bool is_bool() const;
  bool is_int() const;
  bool is_float() const;
  bool is_str() const;
  bool is_tensor() const;
  bool is_node() const;
  bool is_list() const;
  bool is_tuple() const;
  bool is_dict() const;
  // Each raises TypeError for a value of another kind.
  bool to_bool() const;
  int64_t to_int() const;
  double to_double() const;  // from any real number
  std::string to_str() const;
  Dtype to_dtype() const;
  Tensor to_tensor() const;
  Node to_node() const;
  std::vector<Argument> items() const;  // the items of a list or tuple
  std::vector<std::pair<Argument, Argument>> dict_items() const;
  operator Tensor() const { return to_tensor(); }
  std::string str() const;  // as torch.fx prints it: "(%x, 1)"

  struct Access;  // used inside of the library
 private:
  std::shared_ptr<void> impl_;
};

// A graph that can be edited. An fx::Graph made from a graph is the same graph, not a copy.
class Graph : public api::Graph {
 public:
  Graph();  // an empty graph, to be built with placeholder(), call_function() and output()
  Graph(const api::Graph& graph);
  Graph copy() const;  // the copy has the same attributes, not copies of them

  std::vector<Node> nodes() const;  // in order; without the nodes in the blocks of an If or Loop
  std::vector<Node> all_nodes() const;  // the nodes of a block follow the If or Loop that they belong to
  std::vector<Node> find_nodes(const std::string& op, const std::string& target = "") const;  // in all blocks; "" is any target
  Node output_node() const;

  // Each function makes a node at the insertion point: before the output, unless an Inserting exists. The node's name is made from the target. Its line is that of
  // the call, or that of the node beside which it is inserted.
  // AttributeError for a target that names no operator (it suggests the nearest name) or no attribute; TypeError or RuntimeError for arguments that do not fit.
  Node placeholder(const std::string& name, const std::source_location& where = std::source_location::current());
  Node get_attr(const std::string& path, const std::source_location& where = std::source_location::current());
  Node call_function(const std::string& target, const Arguments& args = {}, const Keywords& kwargs = {},
                     const std::source_location& where = std::source_location::current());
  // Erases the output node that there was, and makes another.
  Node output(const Argument& value, const std::source_location& where = std::source_location::current());

  // While an object of this class exists, new nodes are made at its place.
  class Inserting {
   public:
    ~Inserting();
    Inserting(const Inserting&) = delete;

   private:
    friend class Graph;
    Inserting(const Graph& graph, const Node& node, bool after);
    std::shared_ptr<void> impl_;
  };
  [[nodiscard]] Inserting inserting_before(const Node& node) const { return {*this, node, false}; }
  [[nodiscard]] Inserting inserting_after(const Node& node) const { return {*this, node, true}; }

  void erase_node(const Node& node);  // RuntimeError if the node has users, ValueError if it is another graph's
  bool eliminate_dead_code();  // returns whether a node was erased
  // torch.fx's CSEPass. Calls of one operator with equal arguments are replaced by the first of them. Returns whether a call was replaced. A call is kept if it
  // writes to memory, draws random numbers, returns memory that is written, or if memory is written between the first call and it. Calls of the targets in
  // banned_ops ("aten::sin") are kept too.
  bool eliminate_common_subexpressions(const std::vector<std::string>& banned_ops = {});
  // Checks the graph. ValueError lists everything that is wrong, each with its node and line.
  void lint() const;

  // The tensor that a get_attr of this path reads. AttributeError if there is none.
  Tensor attribute(const std::string& path) const;
  // Sets the attribute at this path of the graph's module, or adds it.
  void set_attribute(const std::string& path, const Tensor& tensor);

  void print_tabular(std::ostream& out) const;
  void print_tabular() const;  // to std::cout
};

Graph trace_function(const TensorFunction& f, size_t inputs, const std::map<std::string, Tensor>& parameters,
                     const std::source_location& where);

// Captures a function that takes up to eight tensors. It runs once, on symbolic tensors, which have no sizes and values; asking for them raises RuntimeError.
// Each tensor in `parameters` becomes a get_attr node of its path; other tensors from outside become constants. `f` may also be a module: an object with an
// operator() that takes tensors, and with named_parameters(), which returns such a map; it is used if `parameters` is empty. The line of the nodes is that of the
// call of symbolic_trace.
template <class F>
Graph symbolic_trace(F f, const std::map<std::string, Tensor>& parameters = {},
                     const std::source_location& where = std::source_location::current()) {
  constexpr size_t n = detail::arity<F>();
  const auto apply = [&](const std::vector<Tensor>& x) { return detail::listed(detail::apply(f, x, std::make_index_sequence<n>())); };
  if constexpr (requires(std::map<std::string, Tensor> held) { held = f.named_parameters(); })
    if (parameters.empty()) return trace_function(apply, n, f.named_parameters(), where);
  return trace_function(apply, n, parameters, where);
}

// Runs a graph node by node. To change what a kind of node does, derive a class and override a method:
//
//   struct Doubled : fx::Interpreter {
//     using Interpreter::Interpreter;
//     fx::Argument call_function(const std::string& target, const fx::Arguments& args, const fx::Keywords& kwargs) override {
//       return Interpreter::call_function(target, args, kwargs).to_tensor() * 2;
//     }
//   };
//   Tensor y = Doubled(graph).run({x});
//
// call_method on a tensor runs the tensor method of this name in Python. call_module, and call_method on a module, run the graph of the module's method. An If
// runs one of its blocks, a Loop repeats its body. An error names the node that raised it, and its line. The graph must not change while it runs.
class Interpreter {
 public:
  // garbage_collect_values: whether a value is released after its last use.
  explicit Interpreter(const api::Graph& graph, bool garbage_collect_values = true);
  virtual ~Interpreter();
  Interpreter(const Interpreter&) = delete;

  Argument run(const Arguments& inputs);
  Graph graph() const;
  Argument value(const Node& node) const;  // RuntimeError if the node did not run yet, or its value was released

  // Runs a node: calls the method below for its kind, with its target and the values of its arguments.
  virtual Argument run_node(const Node& n);
  virtual Argument placeholder(const std::string& target, const Arguments& args, const Keywords& kwargs);
  virtual Argument get_attr(const std::string& target, const Arguments& args, const Keywords& kwargs);
  virtual Argument call_function(const std::string& target, const Arguments& args, const Keywords& kwargs);
  virtual Argument call_method(const std::string& target, const Arguments& args, const Keywords& kwargs);
  virtual Argument call_module(const std::string& target, const Arguments& args, const Keywords& kwargs);
  virtual Argument output(const std::string& target, const Arguments& args, const Keywords& kwargs);

  struct Core;  // used inside of the library
 protected:
  struct Transforming {};
  Interpreter(const api::Graph& graph, Transforming);
  std::unique_ptr<Core> core_;

 private:
  std::shared_ptr<void> graph_;
};

// Runs a graph on symbolic tensors and records a new graph. Without an override, the new graph computes the same. An override may make other calls:
//
//   struct Negated : fx::Transformer {
//     using Transformer::Transformer;
//     fx::Argument call_function(const std::string& target, const fx::Arguments& args, const fx::Keywords& kwargs) override {
//       return -Transformer::call_function(target, args, kwargs).to_tensor();
//     }
//   };
//   fx::Graph negated = Negated(graph).transform();
class Transformer : public Interpreter {
 public:
  explicit Transformer(const api::Graph& graph) : Interpreter(graph, Transforming()) {}
  // Returns the new graph. Its nodes have the lines of the old nodes, and it has the same attributes, not copies.
  Graph transform();
};

// Runs a graph on example inputs, and stores the sizes, dtype and layout of each node's value in Node::tensor_meta(). For a block that does not run on these
// inputs, the sizes are inferred; they stay unset if they depend on values.
class ShapeProp : public Interpreter {
 public:
  using Interpreter::Interpreter;
  Argument propagate(const Arguments& inputs);
  Argument run_node(const Node& n) override;
};

// A pattern or a replacement: a function over tensors, the text of a graph (docs/ir.md), or a graph.
class Pattern {
 public:
  Pattern(const api::Graph& graph) : graph_(graph) {}
  Pattern(const std::string& text);  // ValueError, with line and column, for a text that is not a graph
  Pattern(const char* text) : Pattern(std::string(text)) {}
  template <class F>
    requires(!std::is_convertible_v<F, std::string> && !std::is_base_of_v<api::Graph, F> && !std::is_same_v<F, Pattern>)
  Pattern(F f, const std::source_location& where = std::source_location::current()) : graph_(symbolic_trace(f, {}, where)) {}
  const Graph& graph() const { return graph_; }

 private:
  Graph graph_;
};

// A place in a graph where the pattern was found.
struct Match {
  Node anchor;  // the node of the pattern at which the search began
  std::map<Node, Argument> nodes_map;  // from each node of the pattern to the graph's node or value that matched it
};
struct ReplacedPatterns : Match {
  std::vector<Node> replacements;  // the new nodes
};
// Returns whether a match is to be replaced.
using MatchFilter = std::function<bool(const Match& match, const Graph& graph, const Graph& pattern)>;

// Replaces every match of the pattern, also in the blocks of branches and loops. Returns the matches.
//
// An input of the pattern matches any value, also a literal. Two inputs match two different values. A call in the pattern matches a call of the same overload.
// Nodes outside of a match may use only its results, not its inner values. If two matches share a node, the first is replaced. A match is not replaced if memory
// is written between its nodes. Pattern and replacement take the same inputs and return the same number of results.
//
// ValueError, with the node and its line, for a pattern that can match nothing (an input that nothing uses, a result that no node computes, a branch or loop)
// and for a replacement that does not fit the pattern. TypeError or RuntimeError if the new nodes cannot take the values of a match.
std::vector<Match> replace_pattern(const Graph& graph, const Pattern& pattern, const Pattern& replacement);

// The same for the matches that all filters accept. ignore_literals: a number in the pattern matches any number, and a node.
std::vector<ReplacedPatterns> replace_pattern_with_filters(const Graph& graph, const Pattern& pattern, const Pattern& replacement,
                                                           const std::vector<MatchFilter>& match_filters = {},
                                                           bool ignore_literals = false);

}  // namespace fx

MONOGRAPH_API_END

template <>
struct std::hash<monograph::api::fx::Node> {
  size_t operator()(const monograph::api::fx::Node& n) const noexcept { return std::hash<std::string>()(n.name()); }
};
