// Embeds a graph with branches or loops into the graph that is traced: copies its nodes, and runs it separately to get the example's values.
#include "capture/embed.h"

#include "autograd/engine.h"
#include "capture/capture.h"
#include "core/error.h"
#include "exec/interpreter.h"
#include "ir/walk.h"

namespace monograph::capture {
namespace {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Graph;
using ir::Node;

// The backward node of the results. It raises: the values that a gradient would need are inside of the embedded graph, and no nodes of the trace.
class EmbeddedBackward final : public GradNode {
 public:
  EmbeddedBackward(std::string of, std::span<const Tensor> used) : of_(std::move(of)) {
    for (const Tensor& t : used) next.push_back(gradient_edge(t));
  }
  std::vector<Tensor> apply(std::vector<Tensor> /*grads*/) override {
    fail(ErrorKind::NotImplemented, "a trace records no gradient through the scripted function ", of_,
         ", which has branches or loops; write them with cond or while_loop, or trace the forward pass alone");
  }
  std::string name() const override { return "ScriptedBackward0"; }

 private:
  std::string of_;
};

IValue example_of(const IValue& v) {
  if (const SymbolicValue* symbolic = symbolic_value(v)) return symbolic->hint;
  if (const auto size = symbolic_size(v)) return size->symint()->hint().value();
  if (!v.is_list() && !v.is_tuple()) return v;
  std::vector<IValue> items;
  for (const IValue& item : v.items()) items.push_back(example_of(item));
  return v.is_list() ? IValue::list(std::move(items)) : IValue::tuple(std::move(items));
}

class Embedding {
 public:
  Embedding(Writer& writer, const Graph& callee) : writer_(writer), tracer_(writer), callee_(callee) {}

  std::vector<IValue> run(const std::vector<IValue>& inputs) {
    MONOGRAPH_CHECK(!writer_.types_only, NotImplemented, "the scripted function ", callee_.name(),
                    " has branches or loops, and is called in a branch or loop of a trace; script the function around it");
    MONOGRAPH_CHECK(callee_.guards().empty(), NotImplemented, "the graph of ", callee_.name(),
                    " has both guards and branches or loops, so a trace cannot call it");
    writer_.locate();
    bind(inputs);
    for (const Node* n : *callee_.root()) copy(n);
    std::vector<IValue> given;
    for (const IValue& v : inputs) given.push_back(example_of(v));
    std::vector<IValue> results;
    {
      Pause pause;
      results = exec::plan(callee_)(std::move(given));
    }
    const Node* end = callee_.output();
    for (size_t k = 0; k < results.size() && end && k < end->arg_count(); ++k) results[k] = value_of(results[k], end->arg(k));
    return results;
  }

 private:
  void bind(const std::vector<IValue>& inputs) {
    size_t k = 0;
    for (const Node* p : callee_.placeholders()) {
      Args args;
      if (k < inputs.size()) writer_.add(args, inputs[k]);
      else if (p->arg_count()) args.add(p->arg(0));
      MONOGRAPH_CHECK(args.size() == 1, Type, callee_.name(), "() is missing the input '", p->name(), "'");
      map_[p] = as_node(args, p->type());
      if (k < inputs.size() && inputs[k].is_tensor()) used_.push_back(inputs[k].as_tensor());
      ++k;
    }
  }
  Node* as_node(const Args& args, ir::Type type) {
    if (Node* n = args[0].node()) return n;
    Args held;
    if (args[0].is(ArgKind::List) || args[0].is(ArgKind::Tuple)) {
      for (ArgRef part : args[0]) held.add(part);
      Node* n = writer_.graph.call(args[0].is(ArgKind::List) ? "prim::ListConstruct" : "prim::TupleConstruct", held);
      writer_.graph.set_type(n, type);
      return n;
    }
    Node* n = writer_.graph.call("prim::Constant", held.kw("value", args));
    writer_.graph.set_type(n, type);
    return n;
  }

  void copy(const Node* n) {
    if (n->op() == ir::Op::Placeholder || n->op() == ir::Op::Output) return;
    if (n->is_projection()) return void(map_[n] = writer_.graph.project(map_.at(n->projected()), n->projected_index()));
    if (n->op() == ir::Op::GetAttr) return void(map_[n] = attribute(n));
    // Attributes that its blocks read become nodes before it.
    std::vector<std::pair<const Node*, Node*>> read;
    for (size_t b = 0; b < n->block_count(); ++b)
      for (const Node* inner : ir::NestedNodes(n->block(b)))
        if (inner->op() == ir::Op::GetAttr) read.emplace_back(inner, attribute(inner));
    map_[n] = writer_.graph.copy(n, map_);
    for (const auto& [inner, node] : read) {
      Node* copied = map_.at(inner);
      writer_.graph.replace_all_uses(copied, node);
      writer_.graph.erase(copied);
    }
  }

  // An attribute of the scripted module becomes an attribute of the traced module, or a constant.
  Node* attribute(const Node* n) {
    const IValue value = exec::attribute_value(callee_.unit() ? callee_.unit()->root() : nullptr, n->target().name());
    MONOGRAPH_CHECK(!value.is_object(), NotImplemented, "the scripted module of ", callee_.name(),
                    " assigns attributes, and has branches or loops; a trace cannot take it in. Script the module around it");
    Args args;
    writer_.add(args, value);
    if (value.is_tensor()) used_.push_back(value.as_tensor());
    return as_node(args, n->type());
  }

  IValue value_of(const IValue& result, ArgRef from) {
    if (from.is(ArgKind::Node)) {
      IValue v = tracer_.value_of(without_history(result), map_.at(from.as_node()));
      return with_error(std::move(v), result);
    }
    if (!from.is(ArgKind::Tuple) && !from.is(ArgKind::List)) return result;
    std::vector<IValue> items;
    size_t k = 0;
    for (ArgRef part : from) items.push_back(value_of(result.items()[k++], part));
    return from.is(ArgKind::List) ? IValue::list(std::move(items)) : IValue::tuple(std::move(items));
  }
  static IValue without_history(const IValue& v) {
    if (!v.is_tensor() || !v.as_tensor().requires_grad()) return v;
    Pause pause;
    return IValue("detach"_op(v.as_tensor()));
  }
  IValue with_error(IValue v, const IValue& result) {
    if (!result.is_tensor() || !result.as_tensor().requires_grad() || !dispatch_state().grad_enabled) return v;
    std::vector<Tensor> tracked;
    for (const Tensor& t : used_)
      if (t.requires_grad()) tracked.push_back(t);
    auto step = make_ref<EmbeddedBackward>(callee_.name(), tracked);
    step->inputs = 1;
    set_history(v.as_tensor(), step, 0);
    return v;
  }

  Writer& writer_;
  Tracer tracer_;
  const Graph& callee_;
  Graph::NodeMap map_;
  std::vector<Tensor> used_;
};

}  // namespace

bool is_embedded(const Graph& callee) {
  const Session* s = current_session();
  if (!s || s->symbolic || !dispatch_state().top) return false;
  for (const Node* n : *callee.root())
    if (n->block_count()) return true;
  return false;
}

std::vector<IValue> embed(const Graph& callee, const std::vector<IValue>& inputs) {
  return Embedding(current_session()->writer, callee).run(inputs);
}

}  // namespace monograph::capture
