// torch.autograd.Function in a capture. Its results get the node prim::function_result, which holds what its backward computes as the text of a graph: backward
// runs once, on types alone, in a block that is taken out of the graph afterwards.
#include "capture/functions.h"

#include <algorithm>

#include "capture/script/types.h"
#include "capture/types_only.h"
#include "ir/text.h"

namespace monograph::capture {
namespace {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Graph;
using ir::Node;
using ir::TypeKind;

// What the node of a result has beside the result and the arguments of the function.
struct Recorded {
  std::string text;  // of the graph
  Args saved, numbers;  // what it reads of the graph around, each a list
  std::vector<int64_t> targets;  // to which argument each of its results is the gradient
};

// The block in which backward runs.
class BackwardBlock {
 public:
  BackwardBlock(Session& session, const FunctionResult& f, Node* value, uint32_t first)
      : session_(session), w_(session.writer), g_(w_.graph), f_(f), value_(value), first_(first), before_(g_.insert_point()) {
    for (const Tensor& t : f.inputs)
      if (Node* n = w_.find(t)) inputs_.push_back(n);
    for (const Tensor& t : f.others)
      if (Node* n = w_.find(t)) others_.push_back(n);
    guards_ = g_.guards().size();
    gradient_ = g_.call("prim::Uninitialized");
    g_.set_type(gradient_, value->type());
    Args held;
    condition_ = g_.call("prim::Constant", held.kw("value", true));
    g_.set_type(condition_, TypeKind::Bool);
    region_ = g_.create_if(condition_);
    g_.insert_at_end(region_->block(0));
  }
  ~BackwardBlock() { remove(); }
  BackwardBlock(const BackwardBlock&) = delete;

  Recorded record() {
    Recorded out;
    const std::vector<Tensor> gradients = run();
    Args results;
    for (size_t k = 0; k < gradients.size(); ++k) {
      if (!gradients[k].defined()) continue;
      w_.add(results, gradients[k]);
      out.targets.push_back(static_cast<int64_t>(k));
    }
    refuse_if(g_.guards().size() != guards_, "it needs a value that is known only when the graph runs");
    g_.set_output(region_->block(0), results);
    take_out(out);
    return out;
  }

 private:
  static void refuse_if(bool cannot, std::string_view why) { MONOGRAPH_CHECK(!cannot, NotImplemented, why); }

  std::vector<Tensor> run() {
    const bool grad_enabled = std::exchange(dispatch_state().grad_enabled, true);
    const std::string raised = w_.raised;
    if (!session_.symbolic) ++w_.types_only;
    auto leave = [&] {
      if (!session_.symbolic) --w_.types_only;
      dispatch_state().grad_enabled = grad_enabled;
      w_.raised = raised;
    };
    try {
      Tensor gradient = session_.symbolic ? w_.symbolic(gradient_) : stand_in(f_.result);
      if (!session_.symbolic) gradient->requires_grad = false, w_.name(gradient, gradient_);
      std::vector<Tensor> out = f_.backward(gradient);
      leave();
      return out;
    } catch (...) {
      leave();
      throw;
    }
  }

  // Makes the graph of the block. What the block reads from outside of it are inputs.
  void take_out(Recorded& out) {
    ir::Block* block = region_->block(0);
    hoist(block);
    Graph made("backward");
    made.set_level(ir::Level::Operator);
    Graph::NodeMap map;
    map[gradient_] = made.placeholder("grad", TypeKind::Tensor);
    out.saved.open(ArgKind::List), out.numbers.open(ArgKind::List);
    int saved = 0, numbers = 0;
    for (Node* n : ir::NestedNodes(block))
      for (size_t k = 0; k < n->input_count(); ++k) {
        Node* v = n->input(k);
        if (block->contains(v)) continue;
        // A result has the history of the function, which the node around it has not. Of one of several only sizes may be read.
        refuse_if(n->type().is(TypeKind::Tensor) && std::ranges::find(others_, v) != others_.end(),
                  concat("it reads the result %", v->name(), " from an attribute of ctx; use ctx.save_for_backward()"));
        if (map.contains(v)) continue;
        if (v == value_) {
          map[v] = made.placeholder("result", TypeKind::Tensor);
        } else if (v->type().is(TypeKind::Tensor)) {
          refuse_if(!may_be_saved(v),
                    concat("it reads %", v->name(),
                           ", which is no argument of the function, and which forward did not compute; pass it to apply()"));
          map[v] = made.placeholder(concat("saved_", saved++), TypeKind::Tensor);
          out.saved.add(v);
        } else {
          const bool number = v->type().is(TypeKind::Int) || v->type().is(TypeKind::Float) || v->type().is(TypeKind::Bool) ||
                              v->type().is(TypeKind::SymInt);
          refuse_if(!number, concat("it reads %", v->name(), ", which is a ", ir::to_string(v->type()), "; keep tensors or numbers"));
          map[v] = made.placeholder(concat("number_", numbers++), v->type());
          out.numbers.add(v);
        }
      }
    out.saved.close(), out.numbers.close();
    made.insert_at_end(made.root());
    made.set_output(made.copy_body(block, map));
    for (Node* n : ir::NestedNodes(made))
      if (!n->multi() && n->type()) made.set_type(n, script::widened(n->type()));  // its sizes are those of this graph
    out.text = ir::to_text(made);
  }

  // A tensor without a history that eager code would have too. What forward computed has none; an argument has its own.
  bool may_be_saved(const Node* v) const {
    if (v->id() >= first_ || std::ranges::find(inputs_, v) != inputs_.end()) return true;
    return v->op() == ir::Op::CallFunction && v->target().name() == "prim::Constant";
  }

  // Attributes and constants are read outside of the block: the text of a graph has neither.
  void hoist(ir::Block* block) {
    std::vector<Node*> nodes;
    for (Node* n : ir::NestedNodes(block)) nodes.push_back(n);
    for (Node* n : nodes) {
      if (n->op() == ir::Op::GetAttr) g_.move_before(n, region_), refuse_attribute(n);
      bool any = false;
      for (auto it = n->args_begin(); it != n->args_end(); ++it) any |= holds_tensor(*it);
      if (!any) continue;
      refuse_if(n->arg_count() != n->positional_count(), "it passes a constant tensor by keyword");
      Args args;
      for (auto it = n->args_begin(); it != n->args_end(); ++it) put(args, *it);
      if (n->op() == ir::Op::Output) g_.set_output(n->block(), args);
      else g_.set_args(n, args);
    }
  }
  void refuse_attribute(const Node* n) const {
    for (const auto& [impl, known] : w_.known())
      refuse_if(known.node == n && known.tensor.requires_grad(), concat("it reads ", n->target().name(), ", which requires grad"));
    const std::optional<IValue> value = w_.attribute_value(n->target().name());
    refuse_if(value && value->is_tensor() && value->as_tensor().requires_grad(),
              concat("it reads ", n->target().name(), ", which requires grad and is no argument of the function; pass it to apply()"));
  }
  static bool holds_tensor(ArgRef a) {
    if (a.is(ArgKind::Tensor)) return true;
    for (ArgRef part : a)
      if (holds_tensor(part)) return true;
    return false;
  }
  void put(Args& out, ArgRef a) {
    if (!holds_tensor(a)) return void(out.add(a));
    if (!a.is(ArgKind::Tensor)) {
      out.open(a.kind());
      for (ArgRef part : a) put(out, part);
      out.close();
      return;
    }
    const Graph::InsertPoint here = g_.insert_point();
    g_.insert_before(region_);
    Args value, held;
    value.add(a);
    Node* constant = g_.call("prim::Constant", held.kw("value", value[0]));
    g_.set_type(constant, ir::type_of(a));
    g_.set_insert_point(here);
    out.add(constant);
  }

  void remove() {
    if (!region_) return;
    w_.forget_within(region_);
    w_.rename(gradient_, value_);  // nobody asks for it any more
    if (g_.guards().size() != guards_) {
      const std::vector<ir::Guard> kept(g_.guards().begin(), g_.guards().begin() + static_cast<std::ptrdiff_t>(guards_));
      g_.clear_guards();
      for (const ir::Guard& guard : kept) g_.add_guard(guard);
    }
    g_.set_insert_point(before_);
    g_.erase(region_), g_.erase(condition_), g_.erase(gradient_);
    region_ = nullptr;
  }

  Session& session_;
  Writer& w_;
  Graph& g_;
  const FunctionResult& f_;
  Node* value_;
  uint32_t first_;  // forward has made the nodes with this id and the following ones
  Graph::InsertPoint before_;
  std::vector<Node*> inputs_, others_;
  size_t guards_ = 0;
  Node *gradient_ = nullptr, *condition_ = nullptr, *region_ = nullptr;
};

std::string function_result(const FunctionResult& f) {
  Session* s = current_session();
  if (!s) return {};
  const bool symbolic = f.result->kind == TensorImpl::Kind::Symbolic;
  Node* value = s->writer.find(f.result);
  if (!value) return {};
  Recorded recorded;
  recorded.saved.open(ArgKind::List).close(), recorded.numbers.open(ArgKind::List).close();
  std::string reason = f.reason;
  if (f.backward) {
    try {
      recorded = BackwardBlock(*s, f, value, static_cast<uint32_t>(f.begin)).record();
    } catch (const Error& e) {
      reason = concat("backward cannot be captured: ", e.what());
    }
  }
  Writer& w = s->writer;
  w.locate();
  Args args(value);
  args.open(ArgKind::List);
  for (const Tensor& t : f.inputs) w.add(args, t);
  args.close();
  args.add(recorded.saved).add(recorded.numbers);
  auto add_ints = [&](const std::vector<int64_t>& ints) {
    args.open(ArgKind::List);
    for (int64_t k : ints) args.add(k);
    args.close();
  };
  add_ints(recorded.targets);
  args.add(recorded.text).add(reason);
  if (const auto needs = f.needs ? f.needs() : std::nullopt) {
    args.add(true);
    add_ints(*needs);
  }
  Node* node = w.graph.call(find_operator("prim::function_result"), args);
  w.graph.set_type(node, find_operator("prim::function_result").infer(*node));
  if (symbolic) static_cast<SymbolicTensor*>(f.result.impl())->node = node;
  else w.name(f.result, node);
  return recorded.text.empty() ? reason : std::string();
}

}  // namespace

void install_function_hooks() { function_result_hook = function_result; }

}  // namespace monograph::capture
