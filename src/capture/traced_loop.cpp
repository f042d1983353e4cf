// The Loop is made where it begins. Its body is cleared before each run; placeholders stay, so that what is carried once is carried in each later run.
#include "capture/traced_loop.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "capture/capture.h"
#include "capture/fork.h"
#include "capture/lists.h"
#include "exec/interpreter.h"

namespace monograph::capture {
namespace {

using ir::Args;
using ir::Node;

ir::Type number_type(ir::Type t) { return t.is(ir::TypeKind::SymInt) ? ir::Type(ir::TypeKind::Int) : t; }

bool is_uninitialized(const Node* n) { return n->target().name() == "prim::Uninitialized"; }

// Whether sizes of the inputs alone tell it: an open size has a name that begins with an underscore (Writer::sizes).
bool is_input_size(const SymInt& size) {
  bool known = true;
  size.visit_symbols([&](const Symbol& s) { known &= !s.name.starts_with('_'); });
  return known;
}

Args argument(Writer& writer, const IValue& value) {
  Args a;
  writer.add(a, value);
  return a;
}

}  // namespace

TracedLoop::TracedLoop(Session& session, const IValue& condition, const IValue& count)
    : session_(session),
      writer_(session.writer),
      condition_(condition),
      count_(count),
      region_((writer_.locate(),
               writer_.graph.create_loop(count.is_none() ? Args(std::numeric_limits<int64_t>::max()) : argument(writer_, count),
                                         condition.is_none() ? Args(true) : argument(writer_, condition), {}))),
      after_(writer_.graph.insert_point()),
      uses_(writer_),
      known_(writer_.known()),
      raised_(writer_.raised),
      guards_(writer_.graph.guards().size()),
      counter_(writer_.graph.placeholder(region_->block(0), "i", ir::TypeKind::Int)) {}

IValue TracedLoop::index() const { return writer_.number(counter_, {}); }

void TracedLoop::clear_body() {
  ir::Graph& graph = writer_.graph;
  const ir::Block* body = region_->block(0);
  std::vector<ir::Guard> kept;
  for (const ir::Guard& g : graph.guards())
    if (!g.value || !body->contains(g.value)) kept.push_back(g);
  graph.clear_guards();
  for (ir::Guard& g : kept) graph.add_guard(std::move(g));
  Args nothing;
  graph.set_output(region_->block(0), nothing);
  std::vector<Node*> old;
  for (Node* n : *region_->block(0))
    if (n->op() != ir::Op::Placeholder && n->op() != ir::Op::Output && !n->is_projection()) old.push_back(n);
  for (size_t k = old.size(); k-- > 0;) graph.erase(old[k]);
}

void TracedLoop::begin_round() {
  clear_body();
  Writer::TensorNodes known = known_;
  writer_.forget(known);
  for (const Carried& c : carried_)
    if (c.inside.is_tensor()) writer_.name(c.inside.as_tensor(), c.placeholder);
  writer_.graph.insert_at_end(region_->block(0));
  types_.emplace(writer_);
}

void TracedLoop::end_round() {
  types_.reset();
  writer_.raised = raised_;
  writer_.graph.set_insert_point(after_);
}

// The node of a list as it is before the loop. Only a round tells what an empty one holds; a size that the body makes is not known there.
std::string TracedLoop::begin_list(Carried& c, ir::Type behind) {
  std::string why;
  ir::Type element = element_type(writer_, c.initial, why);
  if (!why.empty()) return why;
  if (!element) {
    element = behind;
    if (!element) return "the type of its elements is not known";
    if (element.is(ir::TypeKind::Tensor)) {
      ir::TensorType open = element.tensor();
      for (auto& size : *open.sizes)
        if (size && !is_input_size(*size)) size.reset();
      element = open;
    }
  }
  ir::Node* node = list_node(writer_, c.initial, element);
  c.begin.add(node);
  c.initial = writer_.number(node, writer_.types_only ? IValue() : list_hint(c.initial));
  return {};
}

std::optional<IValue> TracedLoop::carry(const IValue& initial, const IValue& next, std::string& why) {
  ir::Graph& graph = writer_.graph;
  Carried c;
  c.initial = initial;
  ir::Type element;  // of a list, as far as the round tells
  if (is_list_value(initial) && is_list_value(next)) element = element_type(writer_, next, why);
  if (!why.empty()) return {};
  graph.insert_before(region_);
  Writer::TensorNodes inside = writer_.known(), outside = known_;
  writer_.forget(outside);
  try {
    if (is_list_value(initial)) why = begin_list(c, element);
    else add_end(writer_, c.begin, initial);
  } catch (const Error& e) {
    why = e.what();
  }
  known_ = writer_.known();
  writer_.forget(inside);
  graph.set_insert_point(after_);
  if (!why.empty()) return {};
  ir::Type type = number_type(ir::type_of(c.begin[0]));
  if (initial.is_tensor()) {
    if (initial.as_tensor()->kind != TensorImpl::Kind::Dense || initial.as_tensor()->wrapped_number) why = "it is a number, not a tensor";
    else if (!type.is(ir::TypeKind::Tensor) || !type.tensor().sizes) why = "its number of dims depends on values";
  } else if (!type.is(ir::TypeKind::Int) && !type.is(ir::TypeKind::Float) && !type.is(ir::TypeKind::Bool) && !is_list_value(initial)) {
    why = concat("it is ", type ? ir::to_string(type) : "?");
  }
  if (!why.empty()) return {};
  c.placeholder = graph.placeholder(region_->block(0), "carried", type);
  if (initial.is_tensor()) c.inside = stand_in(initial.as_tensor());
  else c.inside = writer_.number(c.placeholder, {});
  carried_.push_back(std::move(c));
  return carried_.back().inside;
}

std::optional<TracedLoop::Refused> TracedLoop::settle(const Ends& ends, bool& widened) {
  ir::Graph& graph = writer_.graph;
  graph.insert_at_end(region_->block(0));
  end_ = {}, end_types_.clear(), exits_ = ends.exits, left_early_ = ends.early.has_value();
  widened = false;
  auto refuse = [&](size_t k, std::string why) {
    graph.set_insert_point(after_);
    return Refused{k, std::move(why)};
  };
  try {
    writer_.add(end_, ends.again);
  } catch (const Error& e) {
    return refuse(0, e.what());
  }
  const size_t count = carried_.size();
  for (size_t k = 0; k < count + exits_.size(); ++k) {
    const IValue& value = k < count ? ends.carried[k] : exits_[k - count];
    Args end;
    try {
      if (is_list_value(value)) add_list(end, value, k < count ? carried_[k].placeholder->type() : ir::Type());
      else add_end(writer_, end, value);
    } catch (const Error& e) {
      return refuse(k, e.what());
    }
    ir::Type type = number_type(ir::type_of(end[0]));
    if (k < count) {
      const Carried& c = carried_[k];
      if (std::string why = joining_fails(c.initial, value); !why.empty()) return refuse(k, std::move(why));
      const ir::Type before = c.placeholder->type(), joined = ir::join(before, type);
      const bool list = is_list_value(value) && joined.is(ir::TypeKind::List);
      const ir::Type kind = list ? joined.element() : joined;
      if (kind.is(ir::TypeKind::Tensor) ? !kind.tensor().sizes || !kind.tensor().dtype : joined != before)
        return refuse(k,
                      concat("it is ", ir::to_string(before), " before the loop and ", type ? ir::to_string(type) : "?", " after a round"));
      if (joined != before) widened = true, graph.set_type(c.placeholder, joined);
      type = joined;
    }
    if (value.is_tensor() && (!type.is(ir::TypeKind::Tensor) || !type.tensor().sizes))
      return refuse(k, "its number of dims depends on values");
    end_.add(end[0]), end_types_.push_back(type);
  }
  if (ends.early) writer_.add(end_, *ends.early), end_types_.emplace_back(ir::TypeKind::Bool);
  graph.set_insert_point(after_);
  if (!widened && !writer_.types_only)
    if (const std::string missing = missing_value(); !missing.empty()) return refuse(0, missing);
  return {};
}

void TracedLoop::add_list(Args& end, const IValue& list, ir::Type as) {
  std::string why;
  ir::Type element = element_type(writer_, list, why);
  if (as.is(ir::TypeKind::List)) element = join_elements(element, as.element(), why);
  MONOGRAPH_CHECK(why.empty() && element, NotImplemented, why.empty() ? "the type of its elements is not known" : why);
  end.add(list_node(writer_, list, element));
}

// --- The example.

std::vector<Node*> TracedLoop::outer_inputs() const {
  std::vector<Node*> inputs;
  std::unordered_set<const Node*> seen;
  auto add = [&](Node* v) {
    if (!region_->block(0)->contains(v) && seen.insert(v).second) inputs.push_back(v);
  };
  for (size_t k = 0; k < region_->input_count(); ++k) add(region_->input(k));
  for (const Carried& c : carried_)
    if (Node* n = c.begin[0].node()) add(n);
  for (Node* n : ir::NestedNodes(region_->block(0)))
    for (size_t k = 0; k < n->input_count(); ++k) add(n->input(k));
  for (size_t k = 0; k < end_.size(); ++k)
    if (Node* n = end_[k].node()) add(n);
  return inputs;
}

std::optional<IValue> TracedLoop::value_at_hand(const Node* node) const {
  for (const auto& [impl, known] : writer_.known())
    if (known.node == node) return IValue(known.tensor);
  if (node->op() == ir::Op::GetAttr) return writer_.attribute_value(node->target().name());
  return writer_.number_value(node);
}

// The constant of which a carried value begins as a copy.
const Tensor* TracedLoop::copied_constant(const Node* node) const {
  for (const Carried& c : carried_)
    if (c.begin[0].node() == node && c.initial.is_tensor()) return &c.initial.as_tensor();
  return nullptr;
}

std::string TracedLoop::missing_value() const {
  for (const Node* n : outer_inputs())
    if (!is_uninitialized(n) && !copied_constant(n) && !value_at_hand(n))
      return concat("its body uses %", n->name(), ", whose value in the example is not known");
  return {};
}

// Values from before the loop whose memory a call in the body writes, through views too: only those that the schema marks.
std::unordered_set<const Node*> TracedLoop::marked_writes() const {
  ir::Block* body = region_->block(0);
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> open;
  auto follow = [&](const ir::ArgRef& a) {
    if (a.node() && seen.insert(a.node()).second) open.push_back(a.node());
  };
  for (const Node* n : ir::NestedNodes(body)) {
    if (n->op() != ir::Op::CallFunction || !n->info()) continue;
    const auto& arguments = n->info()->schema().arguments();
    for (size_t k = 0; k < arguments.size() && k < n->positional_count(); ++k)
      if (arguments[k].writes()) follow(n->arg(k));
  }
  while (!open.empty()) {
    const Node* n = open.back();
    open.pop_back();
    if (!body->contains(n)) continue;
    if (n->is_projection()) n = n->projected();
    if (n->op() == ir::Op::Placeholder) n = n->block()->owner();
    if (n->block_count()) {  // any of its values may be the one
      for (size_t k = 0; k < n->positional_count(); ++k) follow(n->arg(k));
      for (size_t b = 0; b < n->block_count(); ++b)
        for (size_t k = 0; k < n->block(b)->output()->positional_count(); ++k) follow(n->block(b)->output()->arg(k));
    } else if (n->op() == ir::Op::CallFunction && n->info()) {
      const ir::FunctionSchema& schema = n->info()->schema();
      const bool any = n->target().name().starts_with("prim::");  // a list, or an element of one
      for (size_t k = 0; k < n->positional_count(); ++k) {
        bool alias = any;
        for (size_t r = 0; !any && r < schema.returns().size() && k < schema.arguments().size(); ++r) alias |= schema.may_alias(r, k);
        if (alias) follow(n->arg(k));
      }
    }
  }
  return seen;
}

// The example's run is not recorded, so what it may write to is told before it: torch.compile puts that back where the capture ends later.
void TracedLoop::tell_writes(const std::vector<std::pair<const Node*, Tensor>>& given) const {
  if (!writer_.before_write) return;
  bool writes = false;
  for (const Node* n : ir::NestedNodes(region_->block(0)))
    writes |= n->op() == ir::Op::CallFunction && n->info() && (n->info()->effects().writes & ir::Effects::Memory);
  if (!writes) return;
  const std::unordered_set<const Node*> marked = marked_writes();
  for (const auto& [node, tensor] : given)
    if (tensor.defined()) writer_.before_write(tensor, marked.contains(node));
}

// The results of the Loop for the example's values, by the interpreter of graphs. Writes to tensors happen, and autograd sees the operators.
std::vector<IValue> TracedLoop::run_example() const {
  ir::Graph alone("loop", writer_.graph.unit());
  alone.set_level(writer_.graph.level());
  ir::Graph::NodeMap map;
  std::vector<IValue> inputs;
  std::vector<std::pair<const Node*, Tensor>> given;
  for (Node* n : outer_inputs()) {
    std::optional<IValue> value = value_at_hand(n);
    if (value && value->is_tensor()) given.emplace_back(n, value->as_tensor());
    if (!value && is_uninitialized(n)) continue;
    if (!value) value = "clone"_op(*copied_constant(n));
    MONOGRAPH_ASSERT(value);
    map[n] = alone.placeholder(n->name(), n->type());
    inputs.push_back(*value);
  }
  alone.insert_at_end(alone.root());
  for (const Node* n : outer_inputs())
    if (!map.contains(n)) {
      map[n] = alone.call("prim::Uninitialized");
      alone.set_type(map[n], n->type());
    }
  for (const Node* n : ir::NestedNodes(region_->block(0)))
    if (n->op() == ir::Op::GetAttr) given.emplace_back(n, writer_.attribute_value(n->target().name())->to_tensor());
  tell_writes(given);
  Node* loop = alone.copy(region_, map);
  std::vector<std::pair<Node*, Tensor>> attributes;
  for (Node* n : ir::NestedNodes(alone))
    if (n->op() == ir::Op::GetAttr) attributes.emplace_back(n, writer_.attribute_value(n->target().name())->to_tensor());
  for (const auto& [node, tensor] : attributes) {
    alone.replace_all_uses(node, alone.placeholder(node->name(), node->type()));
    alone.erase(node);
    inputs.emplace_back(tensor);
  }
  Args results;
  for (size_t k = 0; k < end_types_.size(); ++k) results.add(alone.project(loop, k));
  alone.set_output(results);
  Pause pause;
  return exec::plan(alone)(std::move(inputs));
}

void TracedLoop::finish(std::vector<IValue>& values) {
  ir::Graph& graph = writer_.graph;
  ir::Block* body = region_->block(0);
  writer_.forget(known_);
  Args all;
  all.add(region_->arg(0)), all.add(region_->arg(1));
  for (const Carried& c : carried_) all.add(c.begin[0]);
  graph.insert_before(region_);
  const size_t count = carried_.size();
  for (size_t k = count; k < end_types_.size(); ++k) {
    const bool early = left_early_ && k + 1 == end_types_.size();
    graph.placeholder(body, early ? "left" : "exit", end_types_[k]);
    if (early) all.add(false);
    else all.add(uninitialized(writer_, end_types_[k]));
  }
  graph.set_args(region_, all);
  graph.set_output(body, end_);
  graph.set_results(region_, end_types_);
  graph.set_insert_point(after_);
  std::vector<IValue> example(end_types_.size());
  if (!writer_.types_only) example = run_example();  // though nothing is carried: it may write to tensors and print
  auto value = [&](size_t k) -> IValue {
    if (!end_types_[k].is(ir::TypeKind::Tensor)) return example[k];
    if (example[k].is_tensor()) return example[k];
    return stand_in((k < count ? carried_[k].inside : exits_[k - count]).as_tensor());
  };
  values = region_values(writer_, region_, value, end_types_.size(), uses_);
}

void TracedLoop::give_up() {
  types_.reset();
  clear_body();
  writer_.forget(known_);
  writer_.graph.erase(region_);
  writer_.graph.set_insert_point(after_);
  writer_.raised = raised_;
}

}  // namespace monograph::capture
