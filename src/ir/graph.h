// The graph: blocks of nodes in order, each node its own value.
//
//   graph(%x : Tensor):                                   Graph   owns everything below, in one arena
//     %y : Tensor = aten::add.Tensor(%x, 10)              Block   placeholders first, one output node last
//     %c : bool = aten::Bool.Tensor(%y)                   Node    op, target, arguments, type, name, span, scope, child blocks
//     %z : Tensor = prim::If(%c)                          Use     one input of one node
//       block0():
//         -> (%y)
//       block1():
//         %w : Tensor = aten::relu(%x)
//         -> (%w)
//     return (%z)
//
// A node has one result. If, Loop and calls of operators with several results are `multi` nodes: typed as a tuple, used only by their
// projections, which follow directly, ascending, at most one an index. prim::If and prim::Loop are the only names that this folder knows:
//
//   prim::If(cond)                        two blocks without placeholders; block 0 runs if cond is true; each ends with the results
//   prim::Loop(count, cond, carried…)     one block (i, carried…) that ends with (cond, carried…); runs while cond and i < count;
//                                         the results are the last carried values
//
// Nothing in this folder recurses over blocks or nodes. Pointers to nodes, blocks, names and skeletons stay valid as long as the graph,
// erased nodes included: they keep their fields and inputs, and have no users.
#pragma once

#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/error.h"
#include "ir/arena.h"
#include "ir/arg.h"
#include "ir/op.h"
#include "ir/strings.h"
#include "ir/type.h"

namespace monograph::ir {

class Block;
class Graph;
class Node;
class Unit;

enum class Op : uint8_t { Placeholder, GetAttr, CallFunction, CallModule, CallMethod, Output };
std::string_view to_string(Op op);  // "call_function", as torch.fx spells it

// Which nodes a graph may hold; a pass states what it takes and gives.
enum class Level : uint8_t {
  Module,    // everything, as captured: call_module, call_method, unresolved functions
  Operator,  // operators with schemas, typed
  Core,      // functional core operators
};
enum class Dialect : uint8_t { Fx, TorchScript };  // how str(graph) prints; nothing else
std::string_view to_string(Level level);
std::string_view to_string(Dialect dialect);

// What a node does: what the user wrote and, once types are known, the operator overload that it means. Printing uses the first, passes and
// hash the second. For get_attr, call_module and call_method the surface is the path or the method's name; for a placeholder the parameter.
struct Target {
  const Global* surface = nullptr;
  const std::string* overload = nullptr;  // the resolved overload's full name; it may be one that no registry knows
  const OpInfo* op = nullptr;  // its record, where the registry knows it
  const std::string& name() const { return surface->name; }
  bool operator==(const Target&) const = default;
};

struct Use {
  Node* value;  // what is used
  Node* user;
  Use* previous;  // among the uses of value, in the order in which they were made
  Use* next;
  uint32_t index;  // user->use(index) is this
};

enum class Structure : uint8_t { None, If, Loop };

class Node {
 public:
  Op op() const { return op_; }
  const Target& target() const { return target_; }
  // The resolved overload's record, or null.
  const OpInfo* info() const { return target_.op; }
  const std::string& name() const { return *name_; }
  Type type() const { return type_; }
  // Stated by the program rather than inferred; part of the canonical form.
  bool type_declared() const { return declared_; }
  // Where in the user's program; a projection's is that of its producer, and so is its scope.
  const Span& span() const { return projection_ ? projected()->span_ : span_; }
  // Where in the module hierarchy: "" or a text of the capture's, as "__module.encoder.0".
  const std::string& scope() const { return projection_ ? *projected()->scope_ : *scope_; }

  // Inputs: the nodes among the arguments, in order, with repetitions.
  size_t input_count() const { return use_count_; }
  Node* input(size_t k) const { return uses_[k].value; }
  const Use& use(size_t k) const { return uses_[k]; }

  // Arguments, keywords last.
  const Skeleton& skeleton() const { return *skeleton_; }
  size_t arg_count() const { return skeleton_->args; }
  size_t positional_count() const { return skeleton_->positional(); }
  ArgRef arg(size_t k) const;  // linear in k
  std::optional<ArgRef> kwarg(std::string_view keyword) const;
  const std::string& keyword(size_t k) const { return *skeleton_->name[k]; }  // the name of argument positional_count() + k
  ArgRef::Iterator args_begin() const;
  ArgRef::Iterator args_end() const;
  // A copy that can be changed and handed to Graph::set_args.
  Args copy_args() const;

  // Users.
  const Use* first_use() const { return first_use_; }
  bool has_uses() const { return first_use_ != nullptr; }
  bool has_one_use() const { return first_use_ && !first_use_->next; }
  // Each user once, in the order of its first use.
  std::vector<Node*> users() const;

  // Position.
  Graph* graph() const { return graph_; }
  Block* block() const { return block_; }  // the block that it was in, for an erased node
  bool erased() const { return erased_; }
  Node* next() const { return next_; }
  Node* previous() const { return previous_; }
  // In the graph's order, where a node comes before its child blocks: constant time.
  bool is_before(const Node* other) const { return order_ < other->order_; }
  // Whether its value may be used at `user`: it comes before, in the same block or one around it. Constant time.
  bool dominates(const Node* user) const;

  // Structure.
  size_t block_count() const { return block_count_; }
  Block* block(size_t k) const { return blocks_[k]; }
  Structure structure() const { return structure_; }
  bool is_if() const { return structure_ == Structure::If; }
  bool is_loop() const { return structure_ == Structure::Loop; }
  // Several results: typed as a tuple, used by its projections only.
  bool multi() const { return multi_; }
  bool is_projection() const { return projection_; }
  // Of a projection: which result, and of which node.
  size_t projected_index() const { return static_cast<size_t>(arg(1).as_int()); }
  Node* projected() const { return input(0); }
  // The number of results: 1 but for multi nodes and If and Loop without any (type None).
  size_t result_count() const;
  // The value of result k: the node itself, or its projection; null where that result is unused.
  Node* result(size_t k) const;
  Type result_type(size_t k) const;

  // Creation number in its graph: dense, never used again, for side tables.
  uint32_t id() const { return id_; }
  // Changes whenever its target, arguments, type or name do: what caches compare.
  uint32_t version() const { return version_; }
  // One object of the language around, owned by the hooks of Graph.
  void* object() const { return object_; }
  void set_object(void* object) { object_ = object; }

 private:
  friend class Block;
  friend class Graph;
  friend class TextParser;
  Graph* graph_ = nullptr;
  Block* block_ = nullptr;
  Node* previous_ = nullptr;
  Node* next_ = nullptr;
  uint64_t order_ = 0;
  Target target_;
  const Skeleton* skeleton_ = nullptr;
  Use* uses_ = nullptr;
  Use* first_use_ = nullptr;
  Use* last_use_ = nullptr;
  Block** blocks_ = nullptr;
  Type type_;
  const std::string* name_ = nullptr;
  const std::string* scope_ = nullptr;
  Span span_;
  void* object_ = nullptr;
  uint32_t use_count_ = 0, use_capacity_ = 0;
  uint32_t id_ = 0, version_ = 0, block_count_ = 0;
  Op op_ = Op::CallFunction;
  Structure structure_ = Structure::None;
  bool multi_ = false, projection_ = false, declared_ = false, erased_ = false, guarded_ = false;
};

// What is known of the value that a node computes, beside its type: src/ops keeps here what ints are worth as sizes.
struct KnownValue {
  virtual ~KnownValue() = default;
};

// Nodes of one block in order; stays right while nodes are erased, the current one included.
class NodeIterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = Node*;
  using difference_type = ptrdiff_t;
  using pointer = Node**;
  using reference = Node*;
  explicit NodeIterator(Node* node = nullptr) : node_(node) {}
  Node* operator*() const { return node_; }
  NodeIterator& operator++() {
    do node_ = node_->next();
    while (node_ && node_->erased());
    return *this;
  }
  bool operator==(const NodeIterator& o) const { return node_ == o.node_; }

 private:
  Node* node_;
};

class Block {
 public:
  Graph* graph() const { return graph_; }
  Node* owner() const { return owner_; }  // the node whose child it is; null at the root
  Block* parent() const { return owner_ ? owner_->block() : nullptr; }
  size_t index() const { return index_; }  // among its owner's blocks
  Node* first() const { return first_; }
  Node* last() const { return last_; }
  bool empty() const { return first_ == nullptr; }
  NodeIterator begin() const { return NodeIterator(first_); }
  NodeIterator end() const { return NodeIterator(); }
  // The placeholders, and the output node or null while the block is being built.
  std::vector<Node*> placeholders() const;
  size_t placeholder_count() const { return placeholder_count_; }
  Node* output() const { return last_ && last_->op() == Op::Output ? last_ : nullptr; }
  // Whether `node` lies in it, at any depth. Constant time.
  bool contains(const Node* node) const { return begin_ < node->order_ && node->order_ < end_; }
  bool contains(const Block* block) const { return begin_ <= block->begin_ && block->end_ <= end_; }

 private:
  friend class Graph;
  friend class TextParser;
  friend class Node;
  Graph* graph_ = nullptr;
  Node* owner_ = nullptr;
  Node* first_ = nullptr;
  Node* last_ = nullptr;
  uint64_t begin_ = 0, end_ = 0;  // labels in the graph's order, as nodes have
  uint32_t placeholder_count_ = 0, index_ = 0;
};

inline bool Node::dominates(const Node* user) const {
  return is_before(user) && block_->contains(user) && !(block_count_ && user->order_ < blocks_[block_count_ - 1]->end_);
}

// A fact that the capture relied on: the saved program checks it, and raises with the user's line where it fails.
struct Guard {
  Node* value = nullptr;  // a node's value, or, where null, a symbolic size
  SymInt size;
  Args expected;  // one literal: what it must equal
  std::string expression;  // as the user wrote it
  Span span;
};

// Told by the bindings: what keeps the objects of nodes in step.
struct ObjectHooks {
  void (*erased)(Node* node) = nullptr;  // its object may go
  void (*destroyed)(Node* node) = nullptr;  // its graph goes
};

class Graph {
 public:
  explicit Graph(std::string_view name = "forward", Unit* unit = nullptr);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  const std::string& name() const { return name_; }
  void set_name(std::string_view name) { name_ = name; }
  Unit* unit() const { return unit_; }
  void set_unit(Unit* unit) { unit_ = unit; }
  Level level() const { return level_; }
  void set_level(Level level) { level_ = level; }
  Dialect dialect() const { return dialect_; }
  void set_dialect(Dialect dialect) { dialect_ = dialect; }

  Block* root() const { return root_; }
  std::vector<Node*> placeholders() const { return root_->placeholders(); }
  Node* output() const { return root_->output(); }
  size_t node_count() const { return alive_; }  // in all blocks
  uint32_t id_limit() const { return next_id_; }  // ids are below it
  // Changes with every edit.
  uint64_t version() const { return version_; }

  // Where create() puts nodes: before `node`, or at the end of `block`, before its output if it has one.
  struct InsertPoint {
    Block* block = nullptr;
    Node* before = nullptr;
  };
  InsertPoint insert_point() const { return point_; }
  void set_insert_point(InsertPoint point) { point_ = point; }
  void insert_before(Node* node) { point_ = {node->block(), node}; }
  void insert_after(Node* node);  // behind its projections too
  void insert_at_end(Block* block) { point_ = {block, nullptr}; }

  // Where in the user's program the nodes made next come from.
  void set_location(const Span& span, std::string_view scope = {});
  void set_location_of(const Node* node) { span_ = node->span(), scope_ = string(node->scope()); }

  // Targets. A surface name with "::" names an overload by itself and is resolved where the registry knows it.
  Target target(std::string_view surface, CallableRef callable = nullptr);
  Target resolved(std::string_view surface, std::string_view overload, CallableRef callable = nullptr);
  Target resolved(const OpInfo& op) { return resolved(op.name(), op.name()); }

  // Building. An output of the graph erases the output node that there was.
  // A name is made unique as torch.fx does it ("add", "add_1"); an empty one is made from the target.
  Node* create(Op op, const Target& target, const Args& args, std::string_view name = {});
  Node* call(std::string_view target, const Args& args = {}, std::string_view name = {}) {
    return create(Op::CallFunction, this->target(target), args, name);
  }
  Node* call(const OpInfo& op, const Args& args = {}, std::string_view name = {}) {
    return create(Op::CallFunction, resolved(op), args, name);
  }
  Node* placeholder(Block* block, std::string_view name, Type type = {}, const Args& default_value = {});
  Node* placeholder(std::string_view name, Type type = {}) { return placeholder(root_, name, type); }
  // Ends the block with these results; replaces an output that it has.
  Node* set_output(Block* block, const Args& results);
  Node* set_output(const Args& results) { return set_output(root_, results); }
  // A child block at the end of the node's list.
  Block* add_block(Node* node);
  // prim::If and prim::Loop at the insertion point, with their empty blocks. Results are given by set_results once the blocks have ended.
  Node* create_if(Node* condition, std::string_view name = {});
  Node* create_loop(const Args& count, const Args& condition, const Args& carried, std::string_view name = {});
  // The types of an If's or Loop's, or another multi node's results: none, one or several.
  void set_results(Node* node, std::span<const Type> types);
  // The node for result k of a node; makes the projection that is missing.
  Node* project(Node* node, size_t k);
  // Takes away results of an If or Loop that nobody uses, in types and blocks, and renumbers the rest; of a Loop the carried values and placeholders too.
  void remove_results(Node* node, const std::vector<bool>& remove);

  // Editing. All of it is constant time per input or use touched.
  void set_args(Node* node, const Args& args);
  void replace_input(Node* node, size_t k, Node* value);
  void replace_all_uses(Node* node, Node* by);
  void set_target(Node* node, Op op, const Target& target);
  void set_target(Node* node, const Target& target) { set_target(node, node->op_, target); }
  void set_name(Node* node, std::string_view name);  // made unique
  void set_type(Node* node, Type type, bool declared = false);  // of a projection: of its producer's result
  void set_span(Node* node, const Span& span) { node->span_ = span; }
  void set_scope(Node* node, std::string_view scope) { node->scope_ = string(scope); }
  void move_before(Node* node, Node* before);  // with its blocks and projections
  void move_after(Node* node, Node* after);
  void move_to_end(Node* node, Block* block);  // before its output
  void erase(Node* node);  // with its blocks and unused projections; Error where it has users or a guard
  // Removes at once every node whose id is not marked, and results of If and Loop that only such nodes use; what stays must not depend on what
  // goes. Placeholders of the root and outputs of blocks that stay are to be marked. Returns the number of nodes that went. Linear.
  using DeadResults = std::vector<std::pair<Node*, std::vector<bool>>>;
  size_t remove_dead(const std::vector<bool>& live, const DeadResults& results);
  // Gives `to` the name, span, scope, type and object-independent marks of `from`, as a pass does for a node that takes another's place.
  void derive(Node* to, const Node* from);

  // Copies a node with its blocks to the insertion point; `map` holds what stands for nodes of the source and takes those that are copied.
  using NodeMap = std::unordered_map<const Node*, Node*>;
  Node* copy(const Node* node, NodeMap& map);
  // Copies what stands between the placeholders and the output of `block`, and answers the output's arguments as they read here.
  Args copy_body(const Block* block, NodeMap& map);
  std::unique_ptr<Graph> clone() const;

  // Guards.
  const std::vector<Guard>& guards() const { return guards_; }
  void add_guard(Guard guard);
  void clear_guards();

  // What the program read outside of its inputs when it was captured, a line for each number or text: "the global SCALE is 2.0". For readers: files keep it, and
  // nothing else looks at it.
  const std::vector<std::string>& relied_on() const { return relied_on_; }
  void set_relied_on(std::vector<std::string> lines) { relied_on_ = std::move(lines); }

  // What is known of a node's value, until an edit drops it: of the node, of the type of an input, or of a node whose known value it was computed from. So
  // whoever keeps a value has kept those of the inputs that it read. Threads may ask and keep while none edits; keep_value answers what the first one kept.
  const KnownValue* known_value(const Node* node) const;
  const KnownValue* keep_value(const Node* node, std::unique_ptr<const KnownValue> value) const;

  // Interning, for the life of the graph.
  const std::string* string(std::string_view text);
  const Global* global(std::string_view name, CallableRef callable = nullptr);
  // A name that no node has, by torch.fx's rule: illegal characters become "_", Python's words and used names get a number.
  const std::string* unique_name(std::string_view candidate);
  bool name_used(std::string_view name) const { return strings_.is_name(name); }

  void set_object_hooks(const ObjectHooks& hooks) { hooks_ = hooks; }
  // Tensor constants of the graph, those of erased nodes too.
  const std::vector<TensorRef>& tensors() const { return tensors_; }
  TensorRef tensor_ref(const TensorConstant& tensor) const;

 private:
  friend class TextParser;
  struct Place;  // a neighbour in the graph's order: a node, or a block's begin or end
  const Skeleton* skeleton(const Args& args);
  const Skeleton* intern_skeleton(std::vector<ArgItem>& items, std::span<const std::string* const> names, uint32_t args);
  void set_uses(Node* node, std::span<Node* const> values);
  void check_usable(const Node* value) const;  // raises for a node of another graph, and an erased one
  void add_use(Use* use, Node* value);
  void remove_use(Use* use);
  void become_last_user(Node* node);
  void link(Node* node, Block* block, Node* before);
  void unlink(Node* node);
  void move(Node* node, Block* block, Node* before);
  Node* position_for(Op op, bool projection, Block* block, Node* before) const;
  // between_placeholders.cpp
  Node* next_in_order(const Node* node) const;
  Node* position_before_placeholder(const Node* placeholder) const;
  void note_position(const Node* node, const Node* before);
  void forget_position(const Node* node);
  void put_in_order(const Place& at, uint64_t step);
  void place_node(Node* node);
  void place_block(Block* block);
  void place_blocks_again(Node* node);
  void drop(Node* node);
  void cut_results(Node* node, const std::vector<bool>& remove);
  void renumber_results(Node* node, const std::vector<bool>& remove);
  void touch(Node* node) {
    ++node->version_, ++version_;
    if (!known_values_.empty()) drop_values(node, false);
  }
  void touch_type(Node* node) {
    ++node->version_, ++version_;
    if (!known_values_.empty()) drop_values(node, true);
  }
  void drop_values(Node* node, bool of_users);
  Node* raw_node(Op op, const Target& target);
  const std::string* exact_name(std::string_view name);  // as written; Error where it is used

  struct SkeletonHash {
    size_t operator()(const Skeleton* s) const { return s->hash; }
  };
  struct SkeletonSame {
    bool operator()(const Skeleton* a, const Skeleton* b) const;
  };
  struct GlobalHash {
    size_t operator()(const Global& g) const { return std::hash<std::string>()(g.name); }
  };
  struct GlobalSame {
    bool operator()(const Global& a, const Global& b) const;
  };
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view t) const { return std::hash<std::string_view>()(t); }
  };

  std::string name_;
  Unit* unit_ = nullptr;
  Level level_ = Level::Module;
  Dialect dialect_ = Dialect::Fx;
  Arena arena_;
  Block* root_ = nullptr;
  InsertPoint point_;
  std::unordered_map<const Node*, const Node*> placeholder_before_;  // of nodes that were inserted between placeholders; null: before all
  Span span_;
  const std::string* scope_ = nullptr;
  uint32_t next_id_ = 0;
  size_t alive_ = 0;
  uint64_t version_ = 0;
  StringTable strings_;  // and the names of nodes
  std::unordered_set<Global, GlobalHash, GlobalSame> globals_;
  std::unordered_set<const Skeleton*, SkeletonHash, SkeletonSame> skeletons_;
  std::unordered_map<std::string, int64_t, TextHash, std::equal_to<>> name_counts_;  // the last number of a base name, if not 0
  std::vector<TensorRef> tensors_;
  std::unordered_set<const TensorConstant*> tensor_set_;
  std::vector<Guard> guards_;
  std::vector<std::string> relied_on_;
  mutable std::mutex values_mutex_;
  mutable std::unordered_map<const Node*, std::unique_ptr<const KnownValue>> known_values_;
  ObjectHooks hooks_;
};

// Every node of a graph or block and of the blocks below, in order, a node before its blocks. No stack, whatever the depth; not to be used while
// nodes are erased or moved.
class NestedNodes {
 public:
  explicit NestedNodes(const Graph& graph) : block_(graph.root()) {}
  explicit NestedNodes(Block* block) : block_(block) {}
  class Iterator {
   public:
    Iterator(Node* node, const Block* top) : node_(node), top_(top) {}
    Node* operator*() const { return node_; }
    Iterator& operator++();
    bool operator==(const Iterator& o) const { return node_ == o.node_; }

   private:
    Node* node_;
    const Block* top_;
  };
  Iterator begin() const;
  Iterator end() const { return {nullptr, block_}; }

 private:
  Block* block_;
};

// The effects of one node, its blocks not counted: a call that is not resolved may do everything, structure does nothing.
Effects own_effects(const Node& node);
// The effects of every node by id, those of If and Loop united over their blocks. Linear.
std::vector<Effects> all_effects(const Graph& graph);

// Whether two graphs are the same in everything that the text form holds; where not, `difference` tells the first. Linear.
bool identical(const Graph& a, const Graph& b, std::string* difference = nullptr);

// Infers the type of every node from its operator, from the placeholders down; of a Loop until its carried types no longer change.
// Declared types stay. Linear but for nested loops.
void infer_types(Graph& graph);

}  // namespace monograph::ir
