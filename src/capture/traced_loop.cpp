// Builds the Loop for a loop of the traced program. The Loop node is created first. Then the capture runs the body, possibly several times, until the set of
// carried values and their types no longer change. Before each run the body is cleared, but its placeholders stay, so a value that is carried once stays carried.
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

bool is_uninitialized(const Node* n) { return n->target().name() == "prim::Uninitialized"; }

// Whether a size depends on the sizes of inputs only. The name of any other symbol begins with an underscore (Writer::sizes).
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
      counter_(writer_.graph.placeholder(region_->block(0), "i", ir::TypeKind::Int)) {}

IValue TracedLoop::index() const { return writer_.number(counter_, {}); }

void TracedLoop::clear_body() {
  ir::Graph& graph = writer_.graph;
  const ir::Block* body = region_->block(0);
  std::vector<ir::Guard> outer_guards;
  for (const ir::Guard& g : graph.guards())
    if (!g.value || !body->contains(g.value)) outer_guards.push_back(g);
  graph.clear_guards();
  for (ir::Guard& g : outer_guards) graph.add_guard(std::move(g));
  graph.set_output(region_->block(0), Args());
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

// Sets the node of a carried list before the loop. The type of an empty list's elements is that of the elements after an iteration, without sizes that the
// body computes. Returns why the list cannot be carried; "" where it can.
std::string TracedLoop::begin_list(Carried& c, ir::Type element_after) {
  std::string why;
  ir::Type element = element_type(writer_, c.initial, why);
  if (!why.empty()) return why;
  if (!element) {
    element = element_after;
    if (!element) return "the type of its elements is not known";
    if (element.is(ir::TypeKind::Tensor)) {
      ir::TensorType general = element.tensor();
      for (auto& size : *general.sizes)
        if (size && !is_input_size(*size)) size.reset();
      element = general;
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
  ir::Type element;  // of a list: the type of its elements after the iteration
  if (is_list_value(initial) && is_list_value(next)) element = element_type(writer_, next, why);
  if (!why.empty()) return {};
  graph.insert_before(region_);
  Writer::TensorNodes inner_nodes = writer_.known(), outer_nodes = known_;
  writer_.forget(outer_nodes);
  try {
    if (is_list_value(initial)) why = begin_list(c, element);
    else add_end(writer_, c.begin, initial), convert_end(writer_, c.begin, initial);
  } catch (const Error& e) {
    why = e.what();
  }
  known_ = writer_.known();
  writer_.forget(inner_nodes);
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
      if (k < count) convert_end(writer_, end, value);
    } catch (const Error& e) {
      return refuse(k, e.what());
    }
    ir::Type type = number_type(ir::type_of(end[0]));
    if (k < count) {
      const Carried& c = carried_[k];
      if (std::string why = joining_fails(c.initial, value); !why.empty()) return refuse(k, std::move(why));
      const ir::Type carried_type = c.placeholder->type(), joined = ir::join(carried_type, type);
      const bool list = is_list_value(value) && joined.is(ir::TypeKind::List);
      const ir::Type element = list ? joined.element() : joined;
      if (element.is(ir::TypeKind::Tensor) ? !element.tensor().sizes || !element.tensor().dtype : joined != carried_type)
        return refuse(k, concat("it is ", ir::to_string(carried_type), " before the loop and ", type ? ir::to_string(type) : "?",
                                " after an iteration"));
      if (joined != carried_type) widened = true, graph.set_type(c.placeholder, joined);
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

// --- The run of the Loop on the example's values.

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

std::optional<IValue> TracedLoop::example_value(const Node* node) const {
  for (const auto& [impl, known] : writer_.known())
    if (known.node == node) return IValue(known.tensor);
  if (node->op() == ir::Op::GetAttr) return writer_.attribute_value(node->target().name());
  return writer_.number_value(node);
}

// The constant from which a carried value starts as a copy; null for other nodes.
const Tensor* TracedLoop::copied_constant(const Node* node) const {
  for (const Carried& c : carried_)
    if (c.begin[0].node() == node && c.initial.is_tensor()) return &c.initial.as_tensor();
  return nullptr;
}

std::string TracedLoop::missing_value() const {
  for (const Node* n : outer_inputs())
    if (!is_uninitialized(n) && !copied_constant(n) && !example_value(n))
      return concat("its body uses %", n->name(), ", whose value in the example is not known");
  return {};
}

// The values whose memory a call in the body writes, directly or through views, as the schemas mark it.
std::unordered_set<const Node*> TracedLoop::marked_writes() const {
  ir::Block* body = region_->block(0);
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> to_visit;
  auto add = [&](const ir::ArgRef& a) {
    if (a.node() && seen.insert(a.node()).second) to_visit.push_back(a.node());
  };
  for (const Node* n : ir::NestedNodes(body)) {
    if (n->op() != ir::Op::CallFunction || !n->info()) continue;
    const auto& arguments = n->info()->schema().arguments();
    for (size_t k = 0; k < arguments.size() && k < n->positional_count(); ++k)
      if (arguments[k].writes()) add(n->arg(k));
  }
  while (!to_visit.empty()) {
    const Node* n = to_visit.back();
    to_visit.pop_back();
    if (!body->contains(n)) continue;
    if (n->is_projection()) n = n->projected();
    if (n->op() == ir::Op::Placeholder) n = n->block()->owner();
    if (n->block_count()) {  // any of its values may share the memory
      for (size_t k = 0; k < n->positional_count(); ++k) add(n->arg(k));
      for (size_t b = 0; b < n->block_count(); ++b)
        for (size_t k = 0; k < n->block(b)->output()->positional_count(); ++k) add(n->block(b)->output()->arg(k));
    } else if (n->op() == ir::Op::CallFunction && n->info()) {
      const ir::FunctionSchema& schema = n->info()->schema();
      const bool list = n->target().name().starts_with("prim::");  // makes a list, or takes an element of one
      for (size_t k = 0; k < n->positional_count(); ++k) {
        bool alias = list;
        for (size_t r = 0; !list && r < schema.returns().size() && k < schema.arguments().size(); ++r) alias |= schema.may_alias(r, k);
        if (alias) add(n->arg(k));
      }
    }
  }
  return seen;
}

// Reports the tensors that the run on the example may write, since this run is not recorded. torch.compile restores them if the capture fails later.
void TracedLoop::report_writes(const std::vector<std::pair<const Node*, Tensor>>& tensors) const {
  if (!writer_.before_write) return;
  bool writes = false;
  for (const Node* n : ir::NestedNodes(region_->block(0)))
    writes |= n->op() == ir::Op::CallFunction && n->info() && (n->info()->effects().writes & ir::Effects::Memory);
  if (!writes) return;
  const std::unordered_set<const Node*> marked = marked_writes();
  for (const auto& [node, tensor] : tensors)
    if (tensor.defined()) writer_.before_write(tensor, marked.contains(node));
}

// The guards on what the body computes, such as how many tensors split() gives. The body was captured on types alone, so they may not even hold for the example.
std::vector<ir::Guard> TracedLoop::guards_in_body() const {
  std::vector<ir::Guard> found;
  for (const ir::Guard& g : writer_.graph.guards())
    if (g.value && region_->block(0)->contains(g.value)) found.push_back(g);
  return found;
}

// The results of the Loop for the example's values. It is copied into a graph of its own, which the interpreter runs: writes to tensors happen, and autograd
// sees the operators.
std::vector<IValue> TracedLoop::run_example() const {
  ir::Graph alone("loop", writer_.graph.unit());
  alone.set_level(writer_.graph.level());
  ir::Graph::NodeMap map;
  std::vector<IValue> inputs;
  std::vector<std::pair<const Node*, Tensor>> tensors;
  for (Node* n : outer_inputs()) {
    std::optional<IValue> value = example_value(n);
    if (value && value->is_tensor()) tensors.emplace_back(n, value->as_tensor());
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
    if (n->op() == ir::Op::GetAttr) tensors.emplace_back(n, writer_.attribute_value(n->target().name())->to_tensor());
  report_writes(tensors);
  Node* loop = alone.copy(region_, map);
  for (const ir::Guard& g : guards_in_body()) {
    ir::Guard copy = g;
    copy.value = map.at(g.value);
    alone.add_guard(std::move(copy));
  }
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

bool TracedLoop::finish(std::vector<IValue>& values) {
  ir::Graph& graph = writer_.graph;
  ir::Block* body = region_->block(0);
  writer_.forget(known_);
  Args loop_args;
  loop_args.add(region_->arg(0)), loop_args.add(region_->arg(1));
  for (const Carried& c : carried_) loop_args.add(c.begin[0]);
  graph.insert_before(region_);
  const size_t count = carried_.size();
  for (size_t k = count; k < end_types_.size(); ++k) {
    const bool early = left_early_ && k + 1 == end_types_.size();
    graph.placeholder(body, early ? "left" : "exit", end_types_[k]);
    if (early) loop_args.add(false);
    else loop_args.add(uninitialized(writer_, end_types_[k]));
  }
  graph.set_args(region_, loop_args);
  graph.set_output(body, end_);
  graph.set_results(region_, end_types_);
  graph.set_insert_point(after_);
  std::vector<IValue> example(end_types_.size());
  if (!writer_.types_only) {  // even if nothing is carried: the body may write to tensors or print
    const bool may_fail = !guards_in_body().empty() && runs_twice(body);
    try {
      example = run_example();
    } catch (const Error&) {
      if (may_fail) return false;
      throw;
    }
  }
  auto value = [&](size_t k) -> IValue {
    if (!end_types_[k].is(ir::TypeKind::Tensor)) return example[k];
    if (example[k].is_tensor()) return example[k];
    return stand_in((k < count ? carried_[k].inside : exits_[k - count]).as_tensor());
  };
  values = region_values(writer_, region_, value, end_types_.size(), uses_);
  return true;
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
