// The implementation of Graph. Nodes, blocks and uses are allocated in an arena and linked in lists; skeletons (the arguments of a node without its inputs),
// strings and types are interned. order.cpp keeps the positions of nodes.
#include "ir/graph.h"

#include "core/interrupt.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace monograph::ir {

std::string default_name(Op op, std::string_view target);

std::string_view to_string(Op op) {
  constexpr std::string_view kNames[] = {"placeholder", "get_attr", "call_function", "call_module", "call_method", "output"};
  return kNames[static_cast<size_t>(op)];
}
std::string_view to_string(Level level) {
  constexpr std::string_view kNames[] = {"module", "operator", "core"};
  return kNames[static_cast<size_t>(level)];
}
std::string_view to_string(Dialect dialect) { return dialect == Dialect::Fx ? "fx" : "torchscript"; }

// --- Reading nodes.

ArgRef::Iterator Node::args_begin() const { return {skeleton_->item, use_count_ ? &uses_[0].value : nullptr, sizeof(Use)}; }
ArgRef::Iterator Node::args_end() const {
  return {skeleton_->item + skeleton_->items, use_count_ ? &uses_[0].value : nullptr, sizeof(Use)};
}
ArgRef Node::arg(size_t k) const {
  MONOGRAPH_ASSERT(k < arg_count());
  auto it = args_begin();
  while (k--) ++it;
  return *it;
}
std::optional<ArgRef> Node::kwarg(std::string_view keyword) const {
  for (size_t i = 0; i < skeleton_->names; ++i)
    if (this->keyword(i) == keyword) return arg(positional_count() + i);
  return std::nullopt;
}

Args Node::copy_args() const {
  Args args;
  size_t k = 0;
  for (auto it = args_begin(); it != args_end(); ++it, ++k) {
    if (k >= positional_count()) args.name(keyword(k - positional_count()));
    args.add(*it);
  }
  return args;
}

std::vector<Node*> Node::users() const {
  std::vector<Node*> result;
  if (has_one_use()) return {first_use_->user};
  std::unordered_set<const Node*> seen;
  for (const Use* u = first_use_; u; u = u->next)
    if (seen.insert(u->user).second) result.push_back(u->user);
  return result;
}

size_t Node::result_count() const {
  if (multi_) return type_ ? type_.elements().size() : 0;
  if (structure_ == Structure::None) return 1;
  if (const Node* out = block_count_ ? block(0)->output() : nullptr) return out->arg_count() - (is_loop() && out->arg_count() ? 1 : 0);
  return type_.is(TypeKind::None) ? 0 : 1;
}

Node* Node::result(size_t k) const {
  if (!multi_) return const_cast<Node*>(this);
  for (Node* n = next_; n && n->projection_ && n->projected() == this; n = n->next_)
    if (n->projected_index() == k) return n;
  return nullptr;
}

Type Node::result_type(size_t k) const {
  if (!multi_) return type_;
  return type_ && k < type_.elements().size() ? type_.elements()[k] : Type();
}

std::vector<Node*> Block::placeholders() const {
  std::vector<Node*> result;
  result.reserve(placeholder_count_);
  for (Node* n = first_; n && n->op() == Op::Placeholder; n = n->next()) result.push_back(n);
  return result;
}

NestedNodes::Iterator& NestedNodes::Iterator::operator++() {
  // The next node is the first one in the child blocks, else the next one in this block, else the one after the owner.
  for (size_t k = 0; k < node_->block_count(); ++k)
    if (Node* n = node_->block(k)->first()) return node_ = n, *this;
  Node* n = node_;
  for (;;) {
    if (n->next()) return node_ = n->next(), *this;
    const Block* b = n->block();
    for (;;) {
      if (b == top_ || !b->owner()) return node_ = nullptr, *this;
      Node* owner = b->owner();
      size_t k = b->index() + 1;
      while (k < owner->block_count() && owner->block(k)->empty()) ++k;
      if (k < owner->block_count()) return node_ = owner->block(k)->first(), *this;
      n = owner;
      break;
    }
  }
}
NestedNodes::Iterator NestedNodes::begin() const { return {block_->first(), block_}; }

// --- Construction and interning.

Graph::Graph(std::string_view name, Unit* unit) : name_(name), unit_(unit) {
  scope_ = string("");
  root_ = arena_.make<Block>();
  root_->graph_ = this;
  place_block(root_);
  point_ = {root_, nullptr};
}

Graph::~Graph() {
  if (!hooks_.destroyed) return;
  for (Node* n : NestedNodes(root_))
    if (n->object_) hooks_.destroyed(n);
}

const std::string* Graph::string(std::string_view text) { return strings_.intern(text); }

bool Graph::GlobalSame::operator()(const Global& a, const Global& b) const {
  if (a.name != b.name) return false;
  if (a.callable == b.callable) return true;
  return a.callable && b.callable && a.callable->equal(*b.callable);
}
const Global* Graph::global(std::string_view name, CallableRef callable) {
  thread_local Global key;  // reused, so that its text is not allocated each time
  key.name.assign(name), key.callable = std::move(callable);
  const auto interned = globals_.insert(key).first;
  key.callable.reset();
  return &*interned;
}

bool Graph::SkeletonSame::operator()(const Skeleton* a, const Skeleton* b) const {
  if (a->hash != b->hash || a->items != b->items || a->args != b->args || a->names != b->names) return false;
  for (uint32_t i = 0; i < a->items; ++i) {
    const ArgItem &x = a->item[i], &y = b->item[i];
    if (x.kind != y.kind || x.extent != y.extent || x.i != y.i)
      return false;  // strings, globals and tensors are interned: their address counts
  }
  return std::equal(a->name, a->name + a->names, b->name);
}

const Skeleton* Graph::skeleton(const Args& args) {
  MONOGRAPH_ASSERT(args.open_.empty() && !args.named_);
  thread_local std::vector<ArgItem> t_items;
  thread_local std::vector<const std::string*> t_names;
  std::vector<ArgItem>& items = t_items;  // found once
  std::vector<const std::string*>& names = t_names;
  items.assign(args.items_.begin(), args.items_.end());
  names.clear();
  for (const std::string& name : args.names_) names.push_back(&name);
  return intern_skeleton(items, names, static_cast<uint32_t>(args.count_));
}

// The interned skeleton with these items and names, which may point into another graph.
const Skeleton* Graph::intern_skeleton(std::vector<ArgItem>& items, std::span<const std::string* const> texts, uint32_t args) {
  thread_local std::vector<const std::string*> t_names;
  std::vector<const std::string*>& names = t_names;
  names.clear();
  uint64_t hash = args;
  uint32_t holes = 0;
  auto mix = [&](uint64_t v) { hash = (hash ^ (v + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2))) * 0xff51afd7ed558ccdu; };
  for (ArgItem& item : items) {
    if (item.kind == ArgKind::Str) item.s = string(*item.s);
    if (item.kind == ArgKind::Global) item.global = global(item.global->name, item.global->callable);
    if (item.kind == ArgKind::Tensor && tensor_set_.insert(item.tensor).second) tensors_.push_back(item.tensor->shared_from_this());
    if (item.kind == ArgKind::Node) item.i = item.hole, ++holes;  // clears the upper half of i, which is compared too
    mix(static_cast<uint64_t>(item.kind) << 32 | item.extent);
    mix(static_cast<uint64_t>(item.i));
  }
  for (const std::string* text : texts) {
    names.push_back(string(*text));
    mix(reinterpret_cast<uintptr_t>(names.back()));
  }
  Skeleton key{hash, static_cast<uint32_t>(items.size()), args, static_cast<uint32_t>(names.size()), holes, items.data(), names.data()};
  if (auto found = skeletons_.find(&key); found != skeletons_.end()) return *found;
  Skeleton* stored = arena_.make<Skeleton>();
  *stored = key;
  ArgItem* item = arena_.array<ArgItem>(items.size());
  std::copy(items.begin(), items.end(), item);
  auto* name = arena_.array<const std::string*>(names.size());
  std::copy(names.begin(), names.end(), name);
  stored->item = item, stored->name = name;
  return *skeletons_.insert(stored).first;
}

TensorRef Graph::tensor_ref(const TensorConstant& tensor) const { return tensor.shared_from_this(); }

void Graph::set_location(const Span& span, std::string_view scope) {
  span_ = span;
  scope_ = string(scope);
}

Target Graph::target(std::string_view surface, CallableRef callable) {
  Target t;
  t.surface = global(surface, std::move(callable));
  if (surface.find("::") != std::string_view::npos && operator_lookup().lookup) {
    t.op = operator_lookup().lookup(surface);
    if (t.op) t.overload = string(t.op->name());
  }
  return t;
}
Target Graph::resolved(std::string_view surface, std::string_view overload, CallableRef callable) {
  Target t;
  t.surface = global(surface, std::move(callable));
  t.overload = string(overload);
  if (operator_lookup().lookup) t.op = operator_lookup().lookup(overload);
  return t;
}

// --- Uses.

static void check_not_erased(const Node* node) {
  if (!node->erased()) return;
  const std::string place = to_string(node->span());
  fail(ErrorKind::Value, "%", node->name(), place.empty() ? "" : " (made at " + place + ")",
       " was erased from the graph. Use the node that took its place, or make a new one");
}

void Graph::check_usable(const Node* value) const {
  MONOGRAPH_CHECK(value->graph_ == this, Value, "%", value->name(), " belongs to another graph");
  check_not_erased(value);
}

void Graph::add_use(Use* use, Node* value) {
  check_usable(value);
  use->value = value;
  use->previous = value->last_use_;
  use->next = nullptr;
  (value->last_use_ ? value->last_use_->next : value->first_use_) = use;
  value->last_use_ = use;
}

void Graph::remove_use(Use* use) {
  Node* value = use->value;
  (use->previous ? use->previous->next : value->first_use_) = use->next;
  (use->next ? use->next->previous : value->last_use_) = use->previous;
}

void Graph::set_uses(Node* node, std::span<Node* const> values) {
  for (Node* v : values) check_usable(v);
  for (uint32_t i = 0; i < node->use_count_; ++i) remove_use(&node->uses_[i]);
  node->use_count_ = static_cast<uint32_t>(values.size());
  if (node->use_count_ > node->use_capacity_) {
    node->uses_ = arena_.array<Use>(values.size());
    node->use_capacity_ = node->use_count_;
  }
  for (uint32_t i = 0; i < node->use_count_; ++i) {
    node->uses_[i].user = node;
    node->uses_[i].index = i;
    add_use(&node->uses_[i], values[i]);
  }
}

void Graph::set_args(Node* node, const Args& args) {
  check_not_erased(node);
  const Skeleton* s = skeleton(args);
  set_uses(node, args.nodes_);
  node->skeleton_ = s;
  touch(node);
}

// A user whose inputs change becomes the last user of each of them, as in torch.fx: passes go through users in this order.
void Graph::become_last_user(Node* node) {
  for (uint32_t i = 0; i < node->use_count_; ++i) {
    remove_use(&node->uses_[i]);
    add_use(&node->uses_[i], node->uses_[i].value);
  }
}

void Graph::replace_input(Node* node, size_t k, Node* value) {
  MONOGRAPH_ASSERT(k < node->use_count_);
  check_usable(value);
  remove_use(&node->uses_[k]);
  add_use(&node->uses_[k], value);
  become_last_user(node);
  touch(node);
}

void Graph::replace_all_uses(Node* node, Node* by) {
  if (node == by) return;
  check_usable(by);
  for (Use* u = node->first_use_; u;) {
    Node* user = u->user;
    Use* next = u;
    while (next && next->user == user) next = next->next;  // the uses of one user stand together
    if (user != by) {  // the replacement may itself use the node
      while (u != next) {
        Use* following = u->next;
        remove_use(u);
        add_use(u, by);
        u = following;
      }
      become_last_user(user);
      touch(user);
    }
    u = next;
  }
  if (!node->guarded_) return;
  for (Guard& g : guards_)
    if (g.value == node) g.value = by;
  node->guarded_ = false, by->guarded_ = true;
}

// --- Position.

// The node before which a new node of this kind is inserted, so that placeholders stay first, the output stays last, and nothing comes between a node and
// its projections. Null: at the end of the block.
Node* Graph::position_for(Op op, bool projection, Block* block, Node* before) const {
  if (op == Op::Output) return nullptr;
  if (op == Op::Placeholder) {
    if (before && before->op_ == Op::Placeholder) return before;
    Node* n = before ? before->previous_ : block->last_;
    while (n && n->op_ != Op::Placeholder) {
      if (!block->placeholder_count_) return block->first_;
      n = n->previous_;
    }
    return n ? n->next_ : block->first_;
  }
  if (!before) return block->output();
  if (before->op_ == Op::Placeholder) before = position_before_placeholder(before);
  while (before && before->projection_ && !projection) before = before->next_;
  return before;
}

void Graph::link(Node* node, Block* block, Node* before) {
  node->block_ = block;
  node->next_ = before;
  node->previous_ = before ? before->previous_ : block->last_;
  (node->previous_ ? node->previous_->next_ : block->first_) = node;
  (before ? before->previous_ : block->last_) = node;
  if (node->op_ == Op::Placeholder) ++block->placeholder_count_;
  uint32_t blocks = node->block_count_;
  node->block_count_ = 0;
  place_node(node);
  node->block_count_ = blocks;
  if (blocks) place_blocks_again(node);
}

void Graph::unlink(Node* node) {
  Block* b = node->block_;
  (node->previous_ ? node->previous_->next_ : b->first_) = node->next_;
  (node->next_ ? node->next_->previous_ : b->last_) = node->previous_;
  if (node->op_ == Op::Placeholder) --b->placeholder_count_;
  if (point_.before == node) point_.before = node->next_;
  if (!placeholder_before_.empty()) forget_position(node);
}

void Graph::move(Node* node, Block* block, Node* before) {
  MONOGRAPH_CHECK(!node->projection_, Value, "%", node->name(), " cannot move by itself: it is a result of %", node->projected()->name(),
                  "; move that node");
  MONOGRAPH_CHECK(node->op_ != Op::Output, Value, "the output node cannot move: it is the last node of its block");
  if (node->op_ == Op::Placeholder) {  // placeholders come first: one that moves behind another node becomes the last placeholder
    MONOGRAPH_CHECK(block == node->block_ && block == root(), Value,
                    "a placeholder cannot move to another block, and those of a branch or loop cannot move at all");
    if (!before || before->op_ != Op::Placeholder)
      for (before = block->first_; before && before->op_ == Op::Placeholder;) before = before->next_;
    if (before == node || before == node->next_) return;
    unlink(node);
    link(node, block, before);
    return void(++version_);
  }
  for (size_t k = 0; k < node->block_count_; ++k)
    MONOGRAPH_CHECK(block != node->blocks_[k] && !node->blocks_[k]->contains(block), Value, "%", node->name(),
                    " cannot move into its own block");
  const Node* wanted = before;
  before = position_for(node->op_, false, block, before);
  while (before && before->projection_ && before->projected() == node) before = before->next_;
  if (before == node) return note_position(node, wanted);
  std::vector<Node*> tail;
  for (Node* n = node->next_; n && n->projection_ && n->projected() == node; n = n->next_) tail.push_back(n);
  unlink(node);
  for (Node* n : tail) unlink(n);
  link(node, block, before);
  for (Node* n : tail) link(n, block, before);
  note_position(node, wanted);
  ++version_;
}
void Graph::move_before(Node* node, Node* before) {
  if (node != before) move(node, before->block_, before);
}
void Graph::move_after(Node* node, Node* after) {
  if (node == after) return;
  Node* before = next_in_order(after);
  if (before == node) before = next_in_order(node);
  move(node, after->block_, before);
}
void Graph::move_to_end(Node* node, Block* block) { move(node, block, nullptr); }

void Graph::insert_after(Node* node) {
  Node* next = next_in_order(node);
  while (next && next->projection_) next = next->next_;
  point_ = {node->block_, next};
}

// --- Building.

Node* Graph::raw_node(Op op, const Target& target) {
  static const Skeleton kEmpty;
  Node* node = arena_.make<Node>();
  node->graph_ = this;
  node->op_ = op;
  node->target_ = target;
  node->skeleton_ = &kEmpty;
  node->span_ = span_;
  node->scope_ = scope_;
  node->id_ = next_id_++;
  if (op == Op::CallFunction) {
    if (target.name() == "prim::If") node->structure_ = Structure::If;
    if (target.name() == "prim::Loop") node->structure_ = Structure::Loop;
    if (target.op && target.op->results() > 1) node->multi_ = true;
  }
  return node;
}

Node* Graph::create(Op op, const Target& target, const Args& args, std::string_view name) {
  Block* block = point_.block;
  if (Node* former = op == Op::Output ? block->output() : nullptr) {
    if (block != root_) return set_output(block, args);
    // Another node takes its place: the caller may go on to erase the former one, as passes of torch.fx do.
    erase(former);
  }
  Node* node = raw_node(op, target);
  node->skeleton_ = skeleton(args);
  set_uses(node, args.nodes_);
  // The output nodes of child blocks have no name of their own.
  bool anonymous = op == Op::Output && block != root_;
  node->name_ = anonymous ? string("output") : name.empty() ? unique_name(default_name(op, target.name())) : unique_name(name);
  link(node, block, position_for(op, false, block, point_.before));
  note_position(node, point_.before);
  ++alive_, ++version_;
  if (node->multi_) set_type(node, node->info()->infer(*node));
  return node;
}

Node* Graph::placeholder(Block* block, std::string_view name, Type type, const Args& default_value) {
  InsertPoint saved = point_;
  point_ = {block, nullptr};
  Node* node = create(Op::Placeholder, target(name), default_value, default_name(Op::Placeholder, name));
  point_ = saved;
  node->type_ = type;
  return node;
}

Node* Graph::set_output(Block* block, const Args& results) {
  if (Node* old = block->output()) {
    set_args(old, results);
    return old;
  }
  InsertPoint saved = point_;
  point_ = {block, nullptr};
  Node* node = create(Op::Output, target("output"), results);
  point_ = saved;
  return node;
}

Block* Graph::add_block(Node* node) {
  Block* block = arena_.make<Block>();
  block->graph_ = this;
  block->owner_ = node;
  block->index_ = node->block_count_;
  // The array of blocks doubles its size when it is full; most nodes have one or two blocks.
  uint32_t n = node->block_count_;
  if ((n & (n - 1)) == 0) {
    Block** grown = arena_.array<Block*>(n ? 2 * n : 1);
    std::copy(node->blocks_, node->blocks_ + n, grown);
    node->blocks_ = grown;
  }
  node->blocks_[node->block_count_++] = block;
  place_block(block);
  touch(node);
  return block;
}

Node* Graph::create_if(Node* condition, std::string_view name) {
  Node* node = call("prim::If", Args(condition), name);
  add_block(node);
  add_block(node);
  return node;
}

Node* Graph::create_loop(const Args& count, const Args& condition, const Args& carried, std::string_view name) {
  Args args;
  args.add(count).add(condition);
  for (size_t k = 0; k < carried.size(); ++k) args.add(carried[k]);
  Node* node = call("prim::Loop", args, name);
  add_block(node);
  return node;
}

void Graph::set_results(Node* node, std::span<const Type> types) {
  MONOGRAPH_CHECK(!node->has_uses() || (types.size() > 1) == node->multi_, Value, "%", node->name(),
                  " is used, so its number of results cannot change to ", types.size());
  node->multi_ = types.size() > 1;
  bool known = std::all_of(types.begin(), types.end(), [](Type t) { return static_cast<bool>(t); });
  if (types.size() == 1) return set_type(node, types[0]);
  if (types.empty()) return set_type(node, TypeKind::None);
  // The tuple type also says how many results there are, so a result of unknown type is Any in it.
  std::vector<Type> parts(types.begin(), types.end());
  if (!known) std::replace(parts.begin(), parts.end(), Type(), Type(TypeKind::Any));
  set_type(node, Type::tuple(parts));
}

Node* Graph::project(Node* node, size_t k) {
  if (!node->multi_) {
    MONOGRAPH_CHECK(k == 0, Index, "%", node->name(), " has no result ", k);
    return node;
  }
  MONOGRAPH_CHECK(k < node->result_count(), Index, "%", node->name(), " has ", node->result_count(), " results, but no result ", k);
  // Results are usually projected in order, so the search begins at the newest projection.
  Node* after = node->last_use_ && node->last_use_->user->projection_ ? node->last_use_->user : node;
  if (after != node && after->projected_index() > k) after = node;
  for (Node* n = after == node ? node->next_ : after; n && n->projection_ && n->projected() == node && n->projected_index() <= k;
       n = n->next_) {
    if (n->projected_index() == k) return n;
    after = n;
  }
  Target getitem;
  getitem.surface = global("operator.getitem");
  Node* p = raw_node(Op::CallFunction, getitem);
  p->projection_ = true;
  p->span_ = node->span_, p->scope_ = node->scope_;
  Args args(node, static_cast<int64_t>(k));
  p->skeleton_ = skeleton(args);
  set_uses(p, args.nodes_);
  p->name_ = unique_name("getitem");
  p->type_ = node->result_type(k);
  link(p, node->block_, after->next_);
  ++alive_, ++version_;
  return p;
}

void Graph::set_type(Node* node, Type type, bool declared) {
  if (node->projection_) {
    Node* producer = node->projected();
    std::vector<Type> types(producer->type_.elements().begin(), producer->type_.elements().end());
    types[node->projected_index()] = type ? type : Type(TypeKind::Any);
    return set_type(producer, Type::tuple(types), producer->declared_);
  }
  if (node->multi_) {
    MONOGRAPH_CHECK(type.is(TypeKind::Tuple), Type, "%", node->name(), " has several results, so its type must be a tuple, not ",
                    to_string(type));
    for (Node* n = node->next_; n && n->projection_ && n->projected() == node; n = n->next_) {
      MONOGRAPH_CHECK(n->projected_index() < type.elements().size(), Type, "%", n->name(), " is result ", n->projected_index(), " of %",
                      node->name(), ", which has ", type.elements().size());
      n->type_ = type.elements()[n->projected_index()];
    }
  }
  if (node->type_ == type && node->declared_ == declared) return;
  node->type_ = type;
  node->declared_ = declared;
  touch_type(node);
}

void Graph::set_target(Node* node, Op op, const Target& target) {
  MONOGRAPH_CHECK((op == Op::Placeholder) == (node->op_ == Op::Placeholder) && (op == Op::Output) == (node->op_ == Op::Output), Value, "%",
                  node->name(), " is a ", to_string(node->op_), " node, which cannot become a ", to_string(op), " node");
  MONOGRAPH_CHECK(node->structure_ == Structure::None, Value, "the target of %", node->name(), " cannot change: it is a ",
                  node->target_.name());
  bool multi = target.op && target.op->results() > 1;
  MONOGRAPH_CHECK(multi == node->multi_ || !node->has_uses(), Value, "%", node->name(), " is used, so its target cannot become ",
                  target.name(), ", which has another number of results");
  node->op_ = op;
  node->target_ = target;
  if (multi && !node->multi_) {
    node->multi_ = true;
    node->type_ = target.op->infer(*node);
  } else if (!multi && node->multi_) {
    node->multi_ = false;
    node->type_ = {};
  }
  touch_type(node);
}

void Graph::set_name(Node* node, std::string_view name) {
  if (node->name() == name) return;
  node->name_ = unique_name(name);
  touch(node);
}

void Graph::derive(Node* to, const Node* from) {
  if (!to->projection_) to->span_ = from->span(), to->scope_ = string(from->scope());
  if (!to->type_ && !to->multi_ && !from->multi_) to->type_ = from->type_;
  if (from->declared_) to->declared_ = true, to->type_ = from->type_;
  strings_.remove_name(*to->name_);
  to->name_ = from->erased_ ? strings_.add_name(*from->name_) : unique_name(from->name());
  touch_type(to);
}

// --- Erasing.

// Removes a node's uses of its inputs and marks it as erased. Its fields and inputs stay readable.
void Graph::drop(Node* node) {
  for (uint32_t i = 0; i < node->use_count_; ++i) remove_use(&node->uses_[i]);
  node->erased_ = true;
  node->first_use_ = node->last_use_ = nullptr;
  --alive_;
  touch(node);
  if (hooks_.erased && node->object_) hooks_.erased(node);
}

void Graph::erase(Node* node) {
  if (node->erased_) return;
  while (node->next_ && node->next_->projection_ && node->next_->projected() == node && !node->next_->has_uses() && !node->next_->guarded_)
    erase(node->next_);
  MONOGRAPH_CHECK(!node->has_uses(), Value, "%", node->name(), " cannot be erased: %", node->first_use_->user->name(), " uses it");
  MONOGRAPH_CHECK(!node->guarded_, Value, "%", node->name(), " cannot be erased: a guard checks it");
  std::vector<Node*> nested;
  for (size_t k = 0; k < node->block_count_; ++k)
    for (Node* n : NestedNodes(node->blocks_[k])) {
      MONOGRAPH_CHECK(!n->guarded_, Value, "%", node->name(), " cannot be erased: a guard checks %", n->name(), " inside");
      nested.push_back(n);
    }
  for (const Block* b = point_.block; b && b->owner_; b = b->parent())
    if (b->owner_ == node) {
      point_ = {node->block_, node->next_};
      break;
    }
  for (auto it = nested.rbegin(); it != nested.rend(); ++it) drop(*it);
  drop(node);
  unlink(node);
}

size_t Graph::remove_dead(const std::vector<bool>& live, const DeadResults& results) {
  size_t count_before = alive_;
  std::vector<Node*> dead;
  for (Node* n : NestedNodes(root_)) {
    // The results and placeholders of an If or Loop that stays are erased by renumber_results below.
    bool later = (n->is_projection() && live[n->projected()->id_] && n->projected()->structure_ != Structure::None) ||
                 (n->op_ == Op::Placeholder && (!n->block_->owner_ || live[n->block_->owner_->id_]));
    if (!live[n->id_] && !later) dead.push_back(n);
  }
  // All uses by dead nodes are removed first; then the nodes can be erased in any order.
  for (Node* n : dead)
    for (uint32_t i = 0; i < n->use_count_; ++i) remove_use(&n->uses_[i]);
  for (const auto& [node, remove] : results) cut_results(node, remove);
  for (const auto& [node, remove] : results) renumber_results(node, remove);
  for (auto it = dead.rbegin(); it != dead.rend(); ++it) {
    Node* n = *it;
    MONOGRAPH_CHECK(!n->first_use_, Value, "%", n->name(), " is not dead: %", n->first_use_->user->name(), " uses it");
    MONOGRAPH_CHECK(!n->guarded_, Value, "%", n->name(), " is not dead: a guard checks it");
    n->erased_ = true;
    --alive_;
    touch(n);
    if (hooks_.erased && n->object_) hooks_.erased(n);
    unlink(n);
  }
  if (!dead.empty()) point_ = {root_, nullptr};
  ++version_;
  return count_before - alive_;
}

void Graph::remove_results(Node* node, const std::vector<bool>& remove) {
  MONOGRAPH_CHECK(node->is_if() || node->is_loop(), Value, "%", node->name(), " is neither If nor Loop");
  MONOGRAPH_CHECK(remove.size() == node->result_count(), Value, "%", node->name(), " has ", node->result_count(), " results, not ",
                  remove.size());
  for (size_t k = 0; k < remove.size(); ++k) {
    Node* r = node->result(k);
    MONOGRAPH_CHECK(!remove[k] || !r || !r->has_uses(), Value, "result ", k, " of %", node->name(), " is used");
  }
  cut_results(node, remove);
  renumber_results(node, remove);
}

// Removes the results from the outputs of the node's blocks, and from the initial values of a Loop.
void Graph::cut_results(Node* node, const std::vector<bool>& remove) {
  // `head`: how many arguments come before those of the results.
  auto remaining = [&](const Node* user, size_t head) {
    Args args;
    size_t k = 0;
    for (auto it = user->args_begin(); it != user->args_end(); ++it, ++k)
      if (k < head || !remove[k - head]) args.add(*it);
    return args;
  };
  for (size_t b = 0; b < node->block_count_; ++b)
    set_args(node->blocks_[b]->output(), remaining(node->blocks_[b]->output(), node->is_loop()));
  if (node->is_loop()) set_args(node, remaining(node, 2));
}

// Erases the projections and placeholders of removed results, which have no uses, and gives the others their new numbers.
void Graph::renumber_results(Node* node, const std::vector<bool>& remove) {
  std::vector<Type> types;
  for (size_t k = 0; k < remove.size(); ++k)
    if (!remove[k]) types.push_back(node->result_type(k));
  const size_t removed = remove.size();
  std::vector<size_t> new_index(remove.size());  // of each result; `removed` for those that go
  for (size_t k = 0, next = 0; k < remove.size(); ++k) new_index[k] = remove[k] ? removed : next++;
  if (node->is_loop()) {
    std::vector<Node*> slots = node->blocks_[0]->placeholders();
    for (size_t k = 0; k < remove.size(); ++k)
      if (remove[k]) erase(slots[k + 1]);
  }
  touch(node);
  if (!node->multi_) {
    node->type_ = types.empty() ? Type(TypeKind::None) : types[0];
    return;
  }
  std::vector<Node*> projections;
  for (Node* p = node->next_; p && p->projection_ && p->projected() == node; p = p->next_) projections.push_back(p);
  for (Node* p : projections) {
    size_t index = new_index[p->projected_index()];
    if (index == removed) {
      erase(p);
    } else if (types.size() > 1) {
      p->skeleton_ = skeleton(Args(node, static_cast<int64_t>(index)));
      touch(p);
    } else {
      // One result is left, which is the node itself: it replaces the projection.
      p->projection_ = false;
      remove_use(&p->uses_[0]);
      p->use_count_ = 0;
      replace_all_uses(p, node);
      std::swap(p->name_, node->name_);
      unlink(p);
      p->erased_ = true;
      --alive_;
      if (hooks_.erased && p->object_) hooks_.erased(p);
    }
  }
  node->multi_ = types.size() > 1;
  node->type_ = types.empty() ? Type(TypeKind::None) : node->multi_ ? Type::tuple(types) : types[0];
  touch_type(node);
}

// --- Known values.

const KnownValue* Graph::known_value(const Node* node) const {
  const std::lock_guard lock(values_mutex_);
  const auto found = known_values_.find(node);
  return found == known_values_.end() ? nullptr : found->second.get();
}

const KnownValue* Graph::keep_value(const Node* node, std::unique_ptr<const KnownValue> value) const {
  const std::lock_guard lock(values_mutex_);
  return known_values_.try_emplace(node, std::move(value)).first->second.get();
}

// Drops the known value of the node, and those of all nodes that were computed from it. If the node has no known value, nothing was computed from it, unless
// its type changed (`of_users`): users may have read the type, also through a projection.
void Graph::drop_values(Node* node, bool of_users) {
  std::vector<const Node*> todo;
  auto add_users = [&](const Node* n) {
    for (const Use* u = n->first_use_; u; u = u->next) todo.push_back(u->user);
  };
  if (known_values_.erase(node) || of_users) add_users(node);
  if (of_users && node->multi_)
    for (const Node* p = node->next_; p && p->projection_ && p->projected() == node; p = p->next_) add_users(p);
  while (!todo.empty()) {
    const Node* n = todo.back();
    todo.pop_back();
    if (known_values_.erase(n)) add_users(n);
  }
}

// --- Guards.

void Graph::add_guard(Guard guard) {
  MONOGRAPH_CHECK(guard.expected.size() == 1 && guard.expected.nodes().empty(), Value, "a guard compares with one literal");
  if (guard.value) guard.value->guarded_ = true;
  guards_.push_back(std::move(guard));
  ++version_;
}

void Graph::clear_guards() {
  for (Guard& g : guards_)
    if (g.value) g.value->guarded_ = false;
  guards_.clear();
  ++version_;
}

// --- Copying.

namespace {

// A block that is being copied.
struct CopyFrame {
  const Node* next;  // the next node to copy
  Block* into;
};

}  // namespace

static Args mapped_args(const Node* node, const Graph::NodeMap& map) {
  Args args;
  size_t k = 0;
  for (auto it = node->args_begin(); it != node->args_end(); ++it, ++k) {
    if (k >= node->positional_count()) args.name(node->keyword(k - node->positional_count()));
    args.add_mapped(*it, [&](Node* n) {
      auto found = map.find(n);
      return found != map.end() ? found->second : n;
    });
  }
  return args;
}

Node* Graph::copy(const Node* top, NodeMap& map) {
  InsertPoint saved = point_;
  Span span = span_;
  const std::string* scope = scope_;
  std::vector<CopyFrame> stack;
  auto copy_one = [&](const Node* n) {
    span_ = n->span(), scope_ = string(n->scope());
    if (n->projection_) {
      Node* p = project(map.at(n->projected()), n->projected_index());
      set_name(p, n->name());
      return map[n] = p;
    }
    Target t;
    t.surface = global(n->target_.surface->name, n->target_.surface->callable);
    t.op = n->target_.op;
    if (n->target_.overload) t.overload = string(*n->target_.overload);
    Node* c = create(n->op_, t, mapped_args(n, map), n->name());
    c->multi_ = n->multi_;  // its blocks, which would tell, are copied later
    c->type_ = n->type_;
    c->declared_ = n->declared_;
    return map[n] = c;
  };
  auto enter = [&](const Node* n, Node* c) {
    for (size_t k = n->block_count_; k-- > 0;) stack.push_back({n->blocks_[k]->first_, nullptr});
    size_t first = stack.size() - n->block_count_;
    for (size_t k = 0; k < n->block_count_; ++k) stack[first + (n->block_count_ - 1 - k)].into = add_block(c);
  };
  Node* result = copy_one(top);
  enter(top, result);
  while (!stack.empty()) {
    CopyFrame& f = stack.back();
    if (!f.next) {
      stack.pop_back();
      continue;
    }
    const Node* n = f.next;
    f.next = n->next_;
    point_ = {f.into, nullptr};
    Node* c = copy_one(n);
    if (n->block_count_) enter(n, c);
  }
  point_ = saved, span_ = span, scope_ = scope;
  return result;
}

Args Graph::copy_body(const Block* block, NodeMap& map) {
  for (Node* n : *block) {
    if (n->op() == Op::Placeholder) continue;
    if (n->op() == Op::Output) return mapped_args(n, map);
    copy(n, map);
  }
  return {};
}

namespace {

// From pointers into one graph to the same things in another, each translated once. An open hash table, since a copy looks up several pointers for each node.
class Translation {
 public:
  explicit Translation(size_t pointers) : slots_(std::bit_ceil(2 * pointers + 2)) {}
  template <class T, class F>
  const T* operator()(const T* from, F&& translate) {
    if (!from) return nullptr;
    Slot* slot = find(from);
    if (!slot->from) {
      const T* to = translate(*from);
      if (2 * ++known_ > slots_.size()) grow();
      *find(from) = {from, to};
      return to;
    }
    return static_cast<const T*>(slot->to);
  }

 private:
  struct Slot {
    const void* from = nullptr;
    const void* to = nullptr;
  };
  Slot* find(const void* from) {
    const uint64_t hash = (reinterpret_cast<uintptr_t>(from) >> 3) * 0x9e3779b97f4a7c15u;
    for (size_t k = hash >> 32;; ++k)
      if (Slot& s = slots_[k & (slots_.size() - 1)]; !s.from || s.from == from) return &s;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& s : old)
      if (s.from) *find(s.from) = s;
  }
  size_t known_ = 0;
  std::vector<Slot> slots_;  // a power of two of them, at most half full
};

}  // namespace

// Copies node by node. Names, positions and skeletons are taken over, not computed again.
std::unique_ptr<Graph> Graph::clone() const {
  auto result = std::make_unique<Graph>(name_, unit_);
  Graph& to = *result;
  to.level_ = level_;
  to.dialect_ = dialect_;
  to.strings_.reserve(strings_.size());
  to.globals_.reserve(globals_.size());
  Translation translated(globals_.size() + 64);
  auto text = [&](const std::string* t) { return translated(t, [&](const std::string& s) { return to.string(s); }); };
  auto surface = [&](const Global& g) { return to.global(g.name, g.callable); };
  std::vector<ArgItem> items;
  auto skeleton = [&](const Skeleton& s) {
    items.assign(s.item, s.item + s.items);
    return to.intern_skeleton(items, {s.name, s.names}, s.args);
  };
  std::vector<Node*> copies(next_id_), inputs;
  size_t copied_names = 0;
  const Block* from = nullptr;
  Block* into = nullptr;
  for (const Node* n : NestedNodes(root_)) {
    interrupt_point();
    if (n->block_ != from) {
      from = n->block_;
      into = from->owner_ ? copies[from->owner_->id_]->blocks_[from->index_] : to.root_;
    }
    Target target{translated(n->target_.surface, surface), text(n->target_.overload), n->target_.op};
    Node* c = copies[n->id_] = to.raw_node(n->op_, target);
    c->skeleton_ = translated(n->skeleton_, skeleton);
    bool is_new = false;
    c->name_ = n->op_ == Op::Output && from->owner_ ? text(n->name_) : to.strings_.add_name(*n->name_, &is_new);
    copied_names += is_new;
    c->scope_ = text(n->scope_);
    c->span_ = n->span_, c->type_ = n->type_, c->declared_ = n->declared_;
    c->multi_ = n->multi_, c->projection_ = n->projection_;
    inputs.clear();
    for (uint32_t i = 0; i < n->use_count_; ++i) {
      const Node* v = n->uses_[i].value;
      MONOGRAPH_CHECK(copies[v->id_], Value, "%", n->name(), " uses %", v->name(), ", which does not come before it");
      inputs.push_back(copies[v->id_]);
    }
    to.set_uses(c, inputs);
    to.link(c, into, nullptr);
    ++to.alive_;
    for (uint32_t k = 0; k < n->block_count_; ++k) to.add_block(c);
  }
  // The names of erased nodes stay reserved. Copying all names is slow (they are scattered in memory), so it is done only if there are erased nodes.
  size_t names = 0;
  strings_.for_each_name([&](const std::string&) { ++names; });
  if (names != copied_names) strings_.for_each_name([&](const std::string& name) { to.strings_.add_name(name); });
  to.name_counts_ = name_counts_;
  for (const Guard& g : guards_) {
    Guard copy = g;
    if (g.value) copy.value = copies[g.value->id_];
    to.add_guard(std::move(copy));
  }
  for (const auto& [node, before] : placeholder_before_) to.placeholder_before_[copies[node->id_]] = before ? copies[before->id_] : nullptr;
  to.relied_on_ = relied_on_;
  return result;
}

// --- Effects.

Effects own_effects(const Node& node) {
  switch (node.op()) {
    case Op::Placeholder:
    case Op::Output: return Effects::none();
    case Op::GetAttr: return {Effects::Memory, 0, false, false, false};
    case Op::CallFunction:
      if (node.structure() != Structure::None || node.is_projection()) return Effects::none();
      return node.info() ? node.info()->effects() : Effects::everything();
    default: return Effects::everything();
  }
}

std::vector<Effects> all_effects(const Graph& graph) {
  std::vector<Effects> effects(graph.id_limit());
  std::vector<Node*> order;
  for (Node* n : NestedNodes(graph)) {
    effects[n->id()] = own_effects(*n);
    order.push_back(n);
  }
  // Backwards, since the nodes in a node's blocks come after it.
  for (auto it = order.rbegin(); it != order.rend(); ++it)
    if (Node* owner = (*it)->block()->owner()) effects[owner->id()] = effects[owner->id()] | effects[(*it)->id()];
  return effects;
}

}  // namespace monograph::ir
