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
#include <string>

#include "monograph/graph.h"

MONOGRAPH_API_BEGIN

namespace fx {

class Argument;
class Graph;
class Node;
using Arguments = std::vector<Argument>;
using Keywords = std::map<std::string, Argument>;

// What sizes and layout a tensor had when ShapeProp ran the graph.
struct TensorMetadata {
  std::vector<int64_t> shape;
  Dtype dtype = kFloat32;
  bool requires_grad = false;
  std::vector<int64_t> stride;
  std::optional<MemoryFormat> memory_format;  // contiguous, channels_last or channels_last_3d: the first that it has
};

// A node of a graph. A handle: copies are the same node, and keep its graph alive. An erased node keeps its fields and has no users.
class Node {
 public:
  Node() = default;  // no node: every call raises ValueError
  explicit operator bool() const { return impl_ != nullptr; }
  bool operator==(const Node& other) const { return node_ == other.node_; }
  bool operator<(const Node& other) const;  // in the order in which the nodes of a graph were made
  bool is_before(const Node& other) const;  // where they stand now; ValueError for nodes of two graphs

  std::string name() const;
  std::string op() const;  // "placeholder", "get_attr", "call_function", "call_module", "call_method" or "output"
  // The full name of the operator where it is known ("aten::add.Tensor"), else what the program wrote ("torch.add"); of a placeholder its parameter, of a
  // get_attr its path.
  std::string target() const;
  Arguments args() const;  // by position, as they are written
  Keywords kwargs() const;
  std::vector<Node> all_input_nodes() const;  // each once
  std::vector<Node> users() const;  // each once, in the order of their first use
  Node next() const;  // in its block; no node behind the last one
  Node prev() const;
  Graph graph() const;
  bool erased() const;
  std::string type() const;  // what is known of its value: "Float(2, 3)"; "" where nothing is
  std::string stack_trace() const;  // "model.py:12"; "" where the line is not known
  std::string format_node() const;  // %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})

  // Of prim::If two blocks, of prim::Loop one, else none: their nodes in order, without the block's end.
  size_t block_count() const;
  std::vector<Node> block(size_t index) const;
  // What ShapeProp noted, where the value is a tensor.
  const std::optional<TensorMetadata>& tensor_meta() const;

  // Editing. ValueError, and no change, for a node of another graph or an erased one among the arguments. A node that is used before it is made is
  // found by Graph::lint().
  void set_args(const Arguments& args) const;
  void set_kwargs(const Keywords& kwargs) const;
  void update_arg(size_t index, const Argument& value) const;
  void update_kwarg(const std::string& name, const Argument& value) const;
  void replace_input_with(const Node& old_input, const Node& new_input) const;
  // Whoever uses this node uses the other one; gives the users that changed. The other node itself keeps using this one.
  std::vector<Node> replace_all_uses_with(const Node& other) const;
  void set_target(const std::string& target) const;
  void set_name(const std::string& name) const;  // made unique: "relu_1"
  void prepend(const Node& moved) const;  // moves a node before this one
  void append(const Node& moved) const;  // moves a node behind this one

  struct Access;  // used inside of the library
 private:
  std::shared_ptr<void> impl_;
  void* node_ = nullptr;
};

// An argument of a node, and a value while a graph runs: a number, a text, a tensor, a node, or a list, tuple or dict of such. torch.fx's Argument.
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
  Argument(const Tensor& v);  // an undefined one is None
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
  double to_double() const;  // of any real number
  std::string to_str() const;
  Dtype to_dtype() const;
  Tensor to_tensor() const;
  Node to_node() const;
  std::vector<Argument> items() const;  // of a list or tuple
  std::vector<std::pair<Argument, Argument>> dict_items() const;
  operator Tensor() const { return to_tensor(); }
  std::string str() const;  // as torch.fx prints it: "(%x, 1)"

  struct Access;  // used inside of the library
 private:
  std::shared_ptr<void> impl_;
};

// A graph that can be edited. It is the graph that it is made from, not a copy.
class Graph : public api::Graph {
 public:
  Graph();  // empty: placeholder(), call_function() and output() build it
  Graph(const api::Graph& graph);
  Graph copy() const;  // its attributes are those of this graph

  std::vector<Node> nodes() const;  // in order; nodes of branches and loops are in the blocks of their If or Loop
  std::vector<Node> all_nodes() const;  // those in blocks too, behind the node that holds them
  std::vector<Node> find_nodes(const std::string& op, const std::string& target = "") const;  // in all blocks; "": any target
  Node output_node() const;

  // Make a node at the insertion point: before the output, unless an Inserting lives. A name that is left out is made from the target.
  // AttributeError for a target that names no operator (with the nearest name) and no attribute; TypeError or RuntimeError for arguments that do not fit.
  Node placeholder(const std::string& name);
  Node get_attr(const std::string& path);
  Node call_function(const std::string& target, const Arguments& args = {}, const Keywords& kwargs = {});
  Node output(const Argument& value);  // replaces an output that is there

  // Nodes are made at this place while it lives.
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

  void erase_node(const Node& node);  // RuntimeError where it still has users, ValueError for another graph's
  bool eliminate_dead_code();  // whether something went
  // torch.fx's CSEPass: of calls of one operator with the same arguments the first stays, whether something went. A call stays if it writes to memory, draws
  // random numbers, gives memory that is written, or has a write between it and the first one; and if banned_ops names its target ("aten::sin").
  bool eliminate_common_subexpressions(const std::vector<std::string>& banned_ops = {});
  // ValueError with everything that is wrong: each node with its line.
  void lint() const;

  // The tensor that a get_attr of this path reads; AttributeError where there is none.
  Tensor attribute(const std::string& path) const;
  // Gives the graph's module an attribute, or another tensor for one that it has.
  void set_attribute(const std::string& path, const Tensor& tensor);

  void print_tabular(std::ostream& out) const;
  void print_tabular() const;  // to std::cout
};

Graph trace_function(const TensorFunction& f, size_t inputs, const std::map<std::string, Tensor>& parameters);

// The graph of a function over up to eight tensors. It runs once, on symbolic tensors: sizes and values are not known, and asking for them raises.
// `parameters` become get_attr nodes of these paths; other tensors from outside become constants. A module is a class with operator() over tensors, and
// named_parameters(), which gives such a map.
template <class F>
Graph symbolic_trace(F f, const std::map<std::string, Tensor>& parameters) {
  constexpr size_t n = detail::arity<F>();
  return trace_function([&](const std::vector<Tensor>& x) { return detail::listed(detail::apply(f, x, std::make_index_sequence<n>())); }, n,
                        parameters);
}
template <class F>
Graph symbolic_trace(F f) {
  if constexpr (requires { std::map<std::string, Tensor>(f.named_parameters()); }) return symbolic_trace(f, f.named_parameters());
  else return symbolic_trace(f, {});
}

// Runs a graph node by node. Derive a class, and override what a kind of node does:
//
//   struct Doubled : fx::Interpreter {
//     using Interpreter::Interpreter;
//     fx::Argument call_function(const std::string& target, const fx::Arguments& args, const fx::Keywords& kwargs) override {
//       return Interpreter::call_function(target, args, kwargs).to_tensor() * 2;
//     }
//   };
//   Tensor y = Doubled(graph).run({x});
//
// call_method of a tensor runs the method that Python has under this name; call_module, and call_method of a module, run the method's graph of the same
// program. An If or Loop runs the blocks that its values ask for. An error names the node that raised it, and its line. The graph must not change while it runs.
class Interpreter {
 public:
  // garbage_collect_values: a value is dropped after its last use.
  explicit Interpreter(const api::Graph& graph, bool garbage_collect_values = true);
  virtual ~Interpreter();
  Interpreter(const Interpreter&) = delete;

  Argument run(const Arguments& inputs);
  Graph graph() const;
  Argument value(const Node& node) const;  // RuntimeError where it did not run, or is needed no longer

  // The value of a node: calls the method of its kind with its target and the values of its arguments.
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

// Runs a graph on symbolic tensors, and so writes a new one. Without an override it computes the same. An override may make other calls:
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
  // New nodes have the line of the node that they were made for. Attributes are those of the old graph.
  Graph transform();
};

// Runs a graph on examples, and notes what each node gave: Node::tensor_meta(). An If or Loop runs as the example tells; the nodes of a block that did not
// run get their sizes without values, and none where the sizes depend on values.
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
  Pattern(const std::string& text);  // ValueError with line and column for a text that is no graph
  Pattern(const char* text) : Pattern(std::string(text)) {}
  template <class F>
    requires(!std::is_convertible_v<F, std::string> && !std::is_base_of_v<api::Graph, F> && !std::is_same_v<F, Pattern>)
  Pattern(F f) : graph_(symbolic_trace(f)) {}
  const Graph& graph() const { return graph_; }

 private:
  Graph graph_;
};

// A place where the pattern was.
struct Match {
  Node anchor;  // the node of the pattern that the search began with
  std::map<Node, Argument> nodes_map;  // what each node of the pattern stood for
};
struct ReplacedPatterns : Match {
  std::vector<Node> replacements;  // the nodes that were made
};
using MatchFilter = std::function<bool(const Match& match, const Graph& graph, const Graph& pattern)>;

// Puts the replacement wherever the pattern is found, in blocks of branches and loops too; gives the places.
//
// An input of the pattern stands for any value, a literal included; two inputs stand for two values. An operator of the pattern stands for a call of the
// same overload. What is found may be used from outside only through the results. Of places that share a node the first counts. A place is left as it is
// where memory is written between its nodes. Both graphs take the same inputs and give as many results.
//
// ValueError, with the node and its line, for a pattern that cannot be found (an input that nothing uses, a result that no node computes, a branch or
// loop) and a replacement that does not fit it; TypeError or RuntimeError where the new nodes cannot take the values at a place.
std::vector<Match> replace_pattern(const Graph& graph, const Pattern& pattern, const Pattern& replacement);

// replace_pattern for the places that all filters accept. ignore_literals: a number in the pattern stands for any other, and for a node.
std::vector<ReplacedPatterns> replace_pattern_with_filters(const Graph& graph, const Pattern& pattern, const Pattern& replacement,
                                                           const std::vector<MatchFilter>& match_filters = {},
                                                           bool ignore_literals = false);

}  // namespace fx

MONOGRAPH_API_END

template <>
struct std::hash<monograph::api::fx::Node> {
  size_t operator()(const monograph::api::fx::Node& n) const noexcept { return std::hash<std::string>()(n.name()); }
};
