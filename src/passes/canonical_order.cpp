// The order of the canonical form, in three steps. Discovery numbers everything that the outputs and effects need. Orderer sorts the results of Ifs
// and Loops, and the nodes, by these numbers. Rewriter writes a new graph in that order.
#include "passes/canonical_order.h"

#include <algorithm>
#include <numeric>

#include "core/interrupt.h"
#include "ir/builder.h"
#include "passes/canonical_calls.h"
#include "passes/dependences.h"

namespace monograph::passes {

using namespace ir;

namespace {

// Numbers the nodes by a walk from the effects, then from the outputs, in pre-order, operands in argument order. Each result of an If or Loop is visited
// separately: the walk enters the blocks that compute it, and leaves them through the values that they use. So the numbers do not depend on the order of
// results, carried values or nodes. Dead values were removed before, so every value gets a number.
class Discovery {
 public:
  Discovery(const Graph& g, const Dependences& dependences)
      : dependences_(dependences), run_(g.id_limit(), kNone), region_(g.id_limit(), kNone), slot_(g.id_limit(), kNone) {
    for (Node* n : NestedNodes(g))
      if (n->structure() != Structure::None) add_region(n);
    stack_.reserve(g.node_count());
    need_end(g.root());
    for (size_t k = 0; k < g.output()->input_count(); ++k) need_value(g.output()->input(k));
    flush();
    while (!stack_.empty()) {
      interrupt_point();
      Item item = stack_.back();
      stack_.pop_back();
      item.result == kNone ? run(item.node) : result(item.node, item.result);
      flush();
    }
  }

  // The number of a node, and those of the results of an If or Loop.
  uint32_t operator[](const Node* n) const { return run_[n->id()]; }
  std::span<const uint32_t> results(const Node* n) const { return region(n).results; }

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  struct Item {
    Node* node;
    uint32_t result;  // kNone: the node runs
  };
  struct Region {
    std::vector<uint32_t> results;  // the numbers of the results
    std::vector<uint32_t> inputs;  // for each argument, its first input (inputs_by_argument)
    std::vector<std::vector<uint32_t>> ends;  // the same for the output of each block
  };
  const Region& region(const Node* n) const { return regions_[region_[n->id()]]; }

  void add_region(Node* n) {
    region_[n->id()] = static_cast<uint32_t>(regions_.size());
    Region r{std::vector<uint32_t>(n->result_count(), kNone), inputs_by_argument(n), {}};
    for (size_t k = 0; k < n->block_count(); ++k) r.ends.push_back(inputs_by_argument(n->block(k)->output()));
    regions_.push_back(std::move(r));
    if (!n->is_loop()) return;
    uint32_t slot = 0;
    for (Node* p : n->block(0)->placeholders()) {
      if (slot) slot_[p->id()] = slot - 1;
      ++slot;
    }
  }

  // Adds to `needed_`, in order. flush() puts these on the stack in reverse, so that the first is visited first.
  void need(Node* n, uint32_t result = kNone) { needed_.push_back({n, result}); }
  void need_value(Node* v) {
    Node* p = producer(v);
    if (p->op() == Op::Placeholder) {
      if (slot_[p->id()] != kNone) need(p->block()->owner(), slot_[p->id()]);
    } else if (p->structure() == Structure::None) {
      need(p);
    } else {
      need(p, v == p ? 0 : static_cast<uint32_t>(v->projected_index()));
    }
  }
  void need_argument(const Node* n, const std::vector<uint32_t>& first, size_t k) {
    for (uint32_t i = first[k]; i < first[k + 1]; ++i) need_value(n->input(i));
  }
  void need_end(const Block* b) {
    for (Node* w : dependences_.writers(b->output())) need(w);
  }
  void flush() {
    stack_.insert(stack_.end(), needed_.rbegin(), needed_.rend());
    needed_.clear();
  }

  void run(Node* n) {
    if (run_[n->id()] != kNone) return;
    run_[n->id()] = count_++;
    for (Node* w : dependences_.writers(n)) need(w);
    if (n->structure() == Structure::None) {
      for (size_t k = 0; k < n->input_count(); ++k) need_value(n->input(k));
      return;
    }
    const Region& r = region(n);
    need_argument(n, r.inputs, 0);
    if (n->is_loop()) need_argument(n, r.inputs, 1), need_argument(n->block(0)->output(), r.ends[0], 0);
    for (size_t k = 0; k < n->block_count(); ++k) need_end(n->block(k));
  }
  void result(Node* n, uint32_t k) {
    Region& r = regions_[region_[n->id()]];
    if (r.results[k] != kNone) return;
    r.results[k] = count_++;
    need(n);
    size_t head = n->is_loop();
    if (n->is_loop()) need_argument(n, r.inputs, k + 2);
    for (size_t b = 0; b < n->block_count(); ++b) need_argument(n->block(b)->output(), r.ends[b], k + head);
  }

  const Dependences& dependences_;
  std::vector<uint32_t> run_, region_, slot_;
  std::vector<Region> regions_;
  std::vector<Item> stack_, needed_;
  uint32_t count_ = 0;
};

class Orderer {
 public:
  explicit Orderer(const Graph& g) : dependences_(g, &effects_of), discovery_(g, dependences_), visited_(g.id_limit()) {}

  // The nodes of a block in order, without placeholders, projections and the output.
  std::vector<Node*> order(const Block* b) {
    struct Frame {
      Node* node;
      std::vector<Node*> before;
      size_t next = 0;
    };
    std::vector<Node*> result;
    std::vector<Frame> stack;
    stack.push_back({b->output(), before(b->output())});
    while (!stack.empty()) {
      interrupt_point();
      Frame& f = stack.back();
      if (f.next == f.before.size()) {
        if (f.node->op() != Op::Output) result.push_back(f.node);
        stack.pop_back();
        continue;
      }
      Node* n = f.before[f.next++];
      if (n->block() != b || n->op() == Op::Placeholder || visited_[n->id()]) continue;
      visited_[n->id()] = true;
      stack.push_back({n, before(n)});
    }
    return result;
  }

  // The order of the results of an If or Loop: for each new position, the old one.
  std::vector<size_t> results(const Node* n) const {
    std::span<const uint32_t> number = discovery_.results(n);
    std::vector<size_t> order(number.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t x, size_t y) { return number[x] < number[y]; });
    return order;
  }

 private:
  // All nodes that must come before a node in its block: those that write what it reads or writes, those that read what it writes, its operands, and the values
  // that its blocks use.
  std::vector<Node*> before(const Node* n) const {
    std::span<Node* const> writers = dependences_.writers(n), readers = dependences_.readers(n), captures = dependences_.captures(n);
    std::vector<Node*> nodes;
    nodes.reserve(writers.size() + readers.size() + captures.size() + n->input_count());
    auto add_sorted = [&](std::span<Node* const> unordered) {
      auto first = static_cast<ptrdiff_t>(nodes.size());
      nodes.insert(nodes.end(), unordered.begin(), unordered.end());
      std::sort(nodes.begin() + first, nodes.end(), [&](Node* x, Node* y) { return discovery_[x] < discovery_[y]; });
    };
    nodes.insert(nodes.end(), writers.begin(), writers.end());
    add_sorted(readers);
    add_operands(nodes, n);
    add_sorted(captures);
    return nodes;
  }
  // Adds the operands in argument order. Those that belong to results or carried values come in the order of these.
  void add_operands(std::vector<Node*>& nodes, const Node* n) const {
    const Node* owner = n->op() == Op::Output ? n->block()->owner() : n->is_loop() ? n : nullptr;
    if (!owner) {
      for (size_t k = 0; k < n->input_count(); ++k) nodes.push_back(producer(n->input(k)));
      return;
    }
    std::vector<uint32_t> first = inputs_by_argument(n);
    auto add = [&](size_t argument) {
      for (uint32_t i = first[argument]; i < first[argument + 1]; ++i) nodes.push_back(producer(n->input(i)));
    };
    size_t head = n == owner ? 2 : owner->is_loop() ? 1 : 0;
    for (size_t k = 0; k < head; ++k) add(k);
    for (size_t k : results(owner)) add(k + head);
  }

  Dependences dependences_;
  Discovery discovery_;
  std::vector<bool> visited_;
};

// Writes a new graph in that order.
class Rewriter {
 public:
  explicit Rewriter(const Graph& g) : from_(g), orderer_(g), to_(std::make_unique<Graph>()), map_(g.id_limit()) {}

  std::unique_ptr<Graph> run() {
    for (Node* p : from_.placeholders()) placeholder(to_->root(), p);
    enter(from_.root(), to_->root());
    while (!stack_.empty()) {
      interrupt_point();
      Frame& f = stack_.back();
      to_->set_insert_point({f.to, nullptr});
      if (f.next == f.nodes.size()) {
        finish(f.from, f.to);
        stack_.pop_back();
        continue;
      }
      node(f.nodes[f.next++]);
    }
    return std::move(to_);
  }

 private:
  struct Frame {
    const Block* from;
    Block* to;
    std::vector<Node*> nodes;
    size_t next = 0;
  };
  void enter(const Block* from, Block* to) { stack_.push_back({from, to, orderer_.order(from)}); }
  std::string next_name() { return concat("v", count_++); }

  void placeholder(Block* block, Node* p) {
    Args value;
    if (p->arg_count()) argument(value, p->arg(0));
    Node* c = to_->placeholder(block, next_name(), p->type_declared() ? renamed(p->type()) : Type(), value);
    if (p->type_declared()) to_->set_type(c, c->type(), true);
    map_[p->id()] = c;
  }

  // Symbols are numbered in the order of their first use, and keep their ranges.
  SymInt renamed(SymInt size) {
    return size.substitute([&](const Symbol& s) {
      auto [at, fresh] = symbols_.try_emplace(s.name);
      if (fresh) at->second = SymInt::symbol({concat("s", symbols_.size() - 1), s.lower, s.upper, std::nullopt});
      return at->second;
    });
  }
  Type renamed(Type t) {
    if (t.is(TypeKind::Tensor)) {
      TensorType tensor = t.tensor();
      for (auto* dims : {&tensor.sizes, &tensor.strides})
        if (*dims)
          for (auto& d : **dims)
            if (d) d = renamed(*d);
      return tensor;
    }
    std::vector<Type> parts;
    for (Type e : t.elements()) parts.push_back(renamed(e));
    switch (t.kind()) {
      case TypeKind::List: return Type::list(parts[0]);
      case TypeKind::Optional: return Type::optional(parts[0]);
      case TypeKind::Future: return Type::future(parts[0]);
      case TypeKind::Dict: return Type::dict(parts[0], parts[1]);
      case TypeKind::Tuple: return Type::tuple(parts);
      case TypeKind::Union: return Type::unite(parts);
      case TypeKind::NamedTuple: return Type::named_tuple(t.name(), parts, t.fields());
      default: return t;
    }
  }

  void argument(Args& args, ArgRef arg) {
    if (arg.is(ArgKind::Node)) return void(args.add(map_[arg.as_node()->id()]));
    if (arg.is(ArgKind::SymInt)) return void(args.add(renamed(arg.as_symint())));
    if (!has_parts(arg.kind()) || arg.is(ArgKind::Complex)) return void(args.add(arg));
    args.open(arg.kind());
    for (ArgRef part : arg) argument(args, part);
    args.close();
  }
  // All arguments. Those from `head` on belong to the results, and come in their order.
  Args arguments(const Node* n, size_t head, const std::vector<size_t>& order) {
    Args args;
    std::vector<ArgRef> old;
    for (auto it = n->args_begin(); it != n->args_end(); ++it) old.push_back(*it);
    for (size_t k = 0; k < old.size(); ++k) {
      if (k >= n->positional_count()) args.name(n->keyword(k - n->positional_count()));
      argument(args, k < head ? old[k] : old[head + order[k - head]]);
    }
    return args;
  }

  void node(Node* n) {
    std::vector<size_t> order;
    bool structured = n->structure() != Structure::None;
    if (structured) order = orderer_.results(n);
    size_t head = n->is_loop() ? 2 : n->arg_count();
    const std::string& target = n->target().overload ? *n->target().overload : n->target().name();
    Node* c = to_->create(n->op(), to_->target(target), arguments(n, head, order), next_name());
    map_[n->id()] = c;
    if (n->multi()) {
      std::vector<Type> types(n->result_count(), TypeKind::Any);
      to_->set_results(c, types);
    }
    if (n->type_declared()) to_->set_type(c, renamed(n->type()), true);
    if (structured && n->result_count() == 0) to_->set_type(c, TypeKind::None);
    if (n->multi()) results(n, c, order);
    for (size_t k = 0; k < n->block_count(); ++k) to_->add_block(c);
    for (size_t k = n->block_count(); k-- > 0;) {
      if (n->is_loop()) {
        std::vector<Node*> slots = n->block(0)->placeholders();
        placeholder(c->block(0), slots[0]);
        for (size_t at : order) placeholder(c->block(0), slots[at + 1]);
      }
      enter(n->block(k), c->block(k));
    }
  }
  void results(const Node* n, Node* c, const std::vector<size_t>& order) {
    for (size_t k = 0; k < n->result_count(); ++k) {
      Node* old = n->result(order.empty() ? k : order[k]);
      if (!old) continue;
      Node* p = to_->project(c, k);
      to_->set_name(p, next_name());
      map_[old->id()] = p;
    }
  }

  void finish(const Block* from, Block* to) {
    std::vector<size_t> order;
    const Node* owner = from->owner();
    if (owner) order = orderer_.results(owner);
    const Node* out = from->output();
    size_t head = owner ? (owner->is_loop() ? 1 : 0) : out->arg_count();
    to_->set_output(to, arguments(out, head, order));
  }

  const Graph& from_;
  Orderer orderer_;
  std::unique_ptr<Graph> to_;
  std::vector<Frame> stack_;
  std::vector<Node*> map_;  // by id
  std::unordered_map<std::string, SymInt> symbols_;
  size_t count_ = 0;
};

}  // namespace

std::unique_ptr<Graph> in_canonical_order(const Graph& graph) { return Rewriter(graph).run(); }

void put_in_canonical_order(Graph& graph) {
  std::vector<std::pair<Block*, std::vector<Node*>>> orders;
  {
    Orderer orderer(graph);
    orders.emplace_back(graph.root(), orderer.order(graph.root()));
    for (Node* n : NestedNodes(graph))
      for (size_t k = 0; k < n->block_count(); ++k) orders.emplace_back(n->block(k), orderer.order(n->block(k)));
  }
  for (auto& [block, nodes] : orders)
    for (Node* n : nodes) graph.move_to_end(n, block);
}

}  // namespace monograph::passes
