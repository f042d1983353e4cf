#include "passes/canonical_order.h"

#include <algorithm>
#include <numeric>

#include "ir/builder.h"
#include "ir/walk.h"

namespace monograph::passes {

using namespace ir;

namespace {

uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}
uint64_t mix(uint64_t h, std::string_view text) {
  for (unsigned char c : text) h = (h ^ c) * 0x100000001b3u;
  return mix(h, text.size());
}

// What orders nodes among each other: nodes with effects stay as they stand, and hold back those that must not pass them.
struct Constraints {
  std::vector<bool> chain;     // by id: has effects that can be observed
  std::vector<bool> held;      // by id: stays between the effects that it stands between
  explicit Constraints(const Graph& g) : chain(g.id_limit()), held(g.id_limit()) {
    std::vector<Effects> effects = all_effects(g);
    bool memory = false;
    for (Node* n : NestedNodes(g)) memory |= (effects[n->id()].writes & Effects::Memory) != 0;
    for (Node* n : NestedNodes(g)) {
      if (n->op() == Op::Placeholder || n->op() == Op::Output || n->is_projection()) continue;
      const Effects& e = effects[n->id()];
      chain[n->id()] = !e.droppable();
      // Where memory is written, every node that could read it counts as a reader.
      held[n->id()] = !chain[n->id()] && (e.may_raise || (e.reads & ~Effects::Memory) || memory);
    }
  }
};

// A hash of what each value is computed from, the same whatever the order of nodes, results and carried values. Values carried by a loop are
// known only once the loop has been seen: a second round refines what the first took from their beginnings.
class Contents {
 public:
  Contents(const Graph& g, const Constraints& constraints) : constraints_(constraints), hash_(g.id_limit()), region_(g.id_limit(), -1) {
    bool loops = false;
    for (Node* n : NestedNodes(g)) {
      loops |= n->is_loop();
      if (n->structure() == Structure::None) continue;
      region_[n->id()] = static_cast<int>(results_.size());
      results_.emplace_back(n->result_count());
      inside_.push_back(0);
      ends_.emplace_back();
    }
    for (int round = 0; round < (loops ? 3 : 1); ++round) {
      std::fill(inside_.begin(), inside_.end(), 0x1f);
      effects_ = 0;
      walk(g.root(), [&](Node* n) { visit(n, round); }, [&](Block* b) { leave(b); });
    }
  }
  uint64_t operator[](const Node* n) const { return hash_[n->id()]; }
  uint64_t result(const Node* n, size_t k) const { return results_[static_cast<size_t>(region_[n->id()])][k]; }

 private:
  uint64_t of(ArgRef arg) const {
    uint64_t h = mix(0xa46, static_cast<uint64_t>(arg.kind()) * 64 + arg.size());
    switch (arg.kind()) {
      case ArgKind::Node: return mix(h, hash_[arg.as_node()->id()]);
      case ArgKind::Str: return mix(h, arg.as_str());
      case ArgKind::Global: return mix(h, arg.as_global().name);
      case ArgKind::Tensor: return mix(h, arg.as_tensor().content_hash());
      case ArgKind::SymInt: return h;  // its symbols have no names here
      default: break;
    }
    if (!has_parts(arg.kind())) return mix(h, static_cast<uint64_t>(arg.item()->i));
    for (ArgRef part : arg) h = mix(h, of(part));
    return h;
  }

  void visit(Node* n, int round) {
    uint64_t h = mix(0x40de, static_cast<uint64_t>(n->op()));
    if (n->op() == Op::Placeholder) {
      hash_[n->id()] = placeholder(n, round);
      return;
    }
    if (n->is_projection()) {
      Node* p = n->projected();
      hash_[n->id()] = p->structure() != Structure::None ? result(p, n->projected_index()) : mix(hash_[p->id()], n->projected_index() + 1);
      return;
    }
    h = mix(h, n->target().overload ? *n->target().overload : n->target().name());
    for (size_t k = 0; k < n->skeleton().names; ++k) h = mix(h, n->keyword(k));
    if (n->structure() == Structure::None) {
      for (auto it = n->args_begin(); it != n->args_end(); ++it) h = mix(h, of(*it));
      // Equal effects are told apart by their order, equal readers by the effects before them.
      if (constraints_.chain[n->id()]) h = mix(h, ++effects_);
      if (constraints_.held[n->id()]) h = mix(h, effects_ + 0x5eed);
    }
    hash_[n->id()] = h;
    note(n);
  }
  uint64_t placeholder(Node* n, int round) {
    Node* owner = n->block()->owner();
    size_t index = 0;
    if (n->previous() && n->previous()->op() == Op::Placeholder) index = index_ + 1;
    index_ = index;
    if (!owner) return mix(0x1a, index);
    if (index == 0) return 0xc0;
    auto& ends = ends_[static_cast<size_t>(region_[owner->id()])];
    if (round > 0) return mix(0x510, ends[index - 1]);
    auto it = owner->args_begin();
    if (index == 1) initial_.clear();
    if (initial_.empty())
      for (; it != owner->args_end(); ++it) initial_.push_back(of(*it));
    return mix(0x510, initial_[index + 1]);
  }
  // What has effects inside a node is part of the node.
  void note(const Node* n) {
    const Node* owner = n->block()->owner();
    if (owner && constraints_.chain[n->id()]) {
      uint64_t& inside = inside_[static_cast<size_t>(region_[owner->id()])];
      inside = mix(mix(inside, n->block()->index()), hash_[n->id()]);
    }
  }
  void leave(Block* b) {
    Node* n = b->owner();
    if (!n || b->index() + 1 < n->block_count()) return;
    auto& results = results_[static_cast<size_t>(region_[n->id()])];
    auto& ends = ends_[static_cast<size_t>(region_[n->id()])];
    uint64_t h = mix(hash_[n->id()], inside_[static_cast<size_t>(region_[n->id()])]);
    std::vector<uint64_t> args;
    for (auto it = n->args_begin(); it != n->args_end(); ++it) args.push_back(of(*it));
    size_t head = n->is_loop() ? 2 : 1;
    for (size_t k = 0; k < head; ++k) h = mix(h, args[k]);
    std::vector<uint64_t> parts(results.size(), h);
    for (size_t k = 0; k < n->block_count(); ++k) {
      const Node* out = n->block(k)->output();
      size_t at = 0, skip = n->is_loop();
      for (auto it = out->args_begin(); it != out->args_end(); ++it, ++at) {
        if (at < skip) h = mix(h, of(*it));
        else parts[at - skip] = mix(parts[at - skip], of(*it));
      }
    }
    if (n->is_loop()) {
      ends = parts;
      for (size_t k = 0; k < parts.size(); ++k) ends[k] = mix(parts[k], args[k + 2]);
      parts = ends;
    }
    for (size_t k = 0; k < results.size(); ++k) results[k] = mix(parts[k], h);
    std::vector<uint64_t> sorted = results;
    std::sort(sorted.begin(), sorted.end());
    for (uint64_t r : sorted) h = mix(h, r);
    hash_[n->id()] = n->multi() || results.empty() ? h : results[0];
    note(n);
  }

  const Constraints& constraints_;
  std::vector<uint64_t> hash_;
  std::vector<int> region_;
  std::vector<std::vector<uint64_t>> results_, ends_;  // of each If and Loop
  std::vector<uint64_t> inside_, initial_;
  uint64_t effects_ = 0;
  size_t index_ = 0;
};

class Orderer {
 public:
  explicit Orderer(const Graph& g)
      : g_(g), constraints_(g), contents_(g, constraints_), captures_(g.id_limit()), rank_(g.id_limit(), kUnvisited) {
    collect_captures();
  }

  // The nodes of a block in order, placeholders, projections and the output left out.
  std::vector<Node*> order(const Block* b) {
    std::vector<std::vector<Node*>> segments(1);
    std::vector<Node*> chain;
    bool held = false;
    for (Node* n : *b) {
      if (constraints_.chain[n->id()]) chain.push_back(n), segments.emplace_back();
      else if (constraints_.held[n->id()]) segments.back().push_back(n), held = true;
    }
    std::vector<Node*> roots = chain;
    for (Node* n : ends(b)) roots.push_back(n);
    std::vector<Node*> result = depth_first(b, roots);
    if (!held) return result;
    // With the order that they have so, what is held goes between the effects around it.
    std::vector<Node*> again;
    for (size_t s = 0; s < segments.size(); ++s) {
      std::sort(segments[s].begin(), segments[s].end(), [&](Node* x, Node* y) { return rank_[x->id()] < rank_[y->id()]; });
      again.insert(again.end(), segments[s].begin(), segments[s].end());
      if (s < chain.size()) again.push_back(chain[s]);
    }
    for (Node* n : ends(b)) again.push_back(n);
    for (Node* n : result) rank_[n->id()] = kUnvisited;
    return depth_first(b, again);
  }

  // The results of an If or Loop in order: which old one stands at each new place.
  std::vector<size_t> results(const Node* n) const {
    std::vector<size_t> order(n->result_count());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) { return contents_.result(n, x) < contents_.result(n, y); });
    return order;
  }

 private:
  static constexpr uint32_t kUnvisited = 0xffffffff;

  static Node* producer(Node* n) { return n->is_projection() ? n->projected() : n; }

  // Per If and Loop, the values of its own block that are used inside, each once.
  void collect_captures() {
    std::unordered_set<uint64_t> seen;
    for (Node* n : NestedNodes(g_))
      for (size_t k = 0; k < n->input_count(); ++k) {
        Node* v = n->input(k);
        for (Node* at = n; at->block() != v->block();) {
          at = at->block()->owner();
          if (!seen.insert(uint64_t{at->id()} << 32 | v->id()).second) break;
          if (at->block() == v->block()) captures_[at->id()].push_back(v);
        }
      }
    for (auto& list : captures_) std::stable_sort(list.begin(), list.end(), [&](Node* x, Node* y) { return contents_[x] < contents_[y]; });
  }

  // What a block's output needs, results in their order.
  std::vector<Node*> ends(const Block* b) const {
    const Node* out = b->output();
    std::vector<std::vector<Node*>> parts;
    for (auto it = out->args_begin(); it != out->args_end(); ++it) nodes_of(*it, parts.emplace_back());
    std::vector<Node*> nodes;
    if (!b->owner()) {
      for (auto& part : parts) nodes.insert(nodes.end(), part.begin(), part.end());
      return nodes;
    }
    size_t head = b->owner()->is_loop();
    if (head) nodes = parts[0];
    for (size_t k : results(b->owner())) nodes.insert(nodes.end(), parts[k + head].begin(), parts[k + head].end());
    return nodes;
  }
  static void nodes_of(ArgRef arg, std::vector<Node*>& out) {
    if (Node* n = arg.node()) return out.push_back(n);
    for (ArgRef part : arg) nodes_of(part, out);
  }

  std::vector<Node*> depth_first(const Block* b, const std::vector<Node*>& roots) {
    struct Frame {
      Node* node;
      std::vector<Node*> operands;
      size_t next = 0;
    };
    std::vector<Node*> result;
    std::vector<Frame> stack;
    auto enter = [&](Node* n) {
      n = producer(n);
      if (n->block() != b || n->op() == Op::Placeholder || rank_[n->id()] != kUnvisited) return;
      rank_[n->id()] = kUnvisited - 1;
      std::vector<Node*> operands;
      for (size_t k = 0; k < n->input_count(); ++k) operands.push_back(n->input(k));
      operands.insert(operands.end(), captures_[n->id()].begin(), captures_[n->id()].end());
      stack.push_back({n, std::move(operands)});
    };
    for (Node* root : roots) {
      enter(root);
      while (!stack.empty()) {
        Frame& f = stack.back();
        if (f.next < f.operands.size()) {
          enter(f.operands[f.next++]);
          continue;
        }
        rank_[f.node->id()] = static_cast<uint32_t>(result.size());
        result.push_back(f.node);
        stack.pop_back();
      }
    }
    return result;
  }

  const Graph& g_;
  Constraints constraints_;
  Contents contents_;
  std::vector<std::vector<Node*>> captures_;
  std::vector<uint32_t> rank_;
};

// Writes the graph anew in that order.
class Rewriter {
 public:
  explicit Rewriter(const Graph& g) : from_(g), orderer_(g), to_(std::make_unique<Graph>()) {}

  std::unique_ptr<Graph> run() {
    for (Node* p : from_.placeholders()) placeholder(to_->root(), p);
    enter(from_.root(), to_->root());
    while (!stack_.empty()) {
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
    map_[p] = c;
  }

  // Symbols are numbered as they come, and keep their ranges.
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
    if (arg.is(ArgKind::Node)) return void(args.add(map_.at(arg.as_node())));
    if (arg.is(ArgKind::SymInt)) return void(args.add(renamed(arg.as_symint())));
    if (!has_parts(arg.kind()) || arg.is(ArgKind::Complex)) return void(args.add(arg));
    args.open(arg.kind());
    for (ArgRef part : arg) argument(args, part);
    args.close();
  }
  // All arguments, those from `head` on in the order of the results.
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
    map_[n] = c;
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
      map_[old] = p;
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
  std::unordered_map<const Node*, Node*> map_;
  std::unordered_map<std::string, SymInt> symbols_;
  size_t count_ = 0;
};

}  // namespace

std::unique_ptr<Graph> in_canonical_order(const Graph& graph) { return Rewriter(graph).run(); }

}  // namespace monograph::passes
