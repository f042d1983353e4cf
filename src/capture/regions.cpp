// The gradient of an If or Loop in a trace. Its nodes are made by differentiating the If or Loop; its values are computed by autograd for the example. The
// backward pass continues with tensors that have both a node and a value.
#include "capture/regions.h"

#include <algorithm>
#include <map>
#include <set>

#include "autograd/engine.h"
#include "capture/capture.h"
#include "capture/types_only.h"
#include "passes/differentiate.h"
#include "passes/functionalize.h"

namespace monograph::capture {
namespace {

using ir::Node;

bool takes_gradients(const Tensor& t) { return t->kind == TensorImpl::Kind::Dense && is_floating(t.dtype()) && t.requires_grad(); }

// A new tensor with the same value and no history, bound to this node.
Tensor renamed(Writer& writer, const Tensor& t, Node* node) {
  Tensor handle;
  {
    Pause pause;
    handle = "detach"_op(t);
  }
  writer.name(handle, node);
  return handle;
}

// Which result of an If or Loop the node is.
size_t result_index(const Node* region, const Node* n) { return n == region ? 0 : n->projected_index(); }

// The backward node of an If or Loop.
class RegionBackward final : public GradNode {
 public:
  RegionBackward(Writer& writer, Node* region, const RegionUses& uses, bool of_program)
      : of_program(of_program), writer_(writer), capture_(writer.id), region_(region) {
    for (const Tensor& t : uses.tensors()) {
      used_.push_back({t, t.version()});
      Node* node = writer.find(t);
      const bool is_inner = node && within(region, node);
      if (is_inner || !takes_gradients(t)) continue;
      const std::string path = !node && writer.attribute ? writer.attribute(t) : "";
      if (!node && path.empty()) continue;
      inputs_.push_back({t, node, path});
      next.push_back(gradient_edge(t));
    }
  }

  // A branch or loop of Python, where eager gives None for what a run does not use. torch.cond and while_loop may give zeros.
  const bool of_program;

  bool any() const { return !inputs_.empty(); }

  // For each of the results, whether a gradient may flow through it.
  std::vector<bool> differentiable() {
    std::vector<Node*> nodes = input_nodes();
    std::vector<bool> out = passes::depends_on(region_, nodes);
    erase_unused(nodes);
    return out;
  }

  // The next result: its node, and its value in the example with the history that autograd recorded.
  void add_result(Node* node, const Tensor& example) {
    results_.push_back({node, example});
    inputs = static_cast<uint32_t>(results_.size());
  }
  void note_version(const Tensor& handle) { used_.push_back({handle, handle.version()}); }
  const Tensor& example_of(uint32_t slot) const { return results_.at(slot).example; }
  const Node* region() const { return region_; }
  // The edges to the inputs that have a gradient in some runs alone, where gradients come to these of the results.
  std::vector<GradEdge> uncertain(const std::vector<uint32_t>& slots) {
    std::vector<Node*> nodes = input_nodes();
    std::vector<GradEdge> out;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const std::span<Node* const> input(&nodes[i], 1);
      const auto sometimes = passes::depends_on(region_, input), always = passes::depends_on(region_, input, true);
      auto any = [&](const std::vector<bool>& depends) {
        return std::ranges::any_of(slots, [&](uint32_t slot) { return depends[result_index(region_, results_[slot].node)]; });
      };
      if (any(sometimes) && !any(always)) out.push_back(next[i]);
    }
    erase_unused(nodes);
    return out;
  }

  // From here on it is the history that autograd recorded for the example. An input that the example does not use gets no gradient then, and its hooks are not
  // called, as where the graph runs.
  void follow_example() {
    if (follows_) return;
    follows_ = true;
    next.clear(), used_.clear();
    for (const Result& r : results_) next.push_back(takes_gradients(r.example) ? gradient_edge(r.example) : GradEdge());
  }

  std::vector<Tensor> apply(std::vector<Tensor> grads) override {
    if (follows_) return grads;
    for (const auto& [t, version] : used_)
      MONOGRAPH_CHECK(t.version() == version, Runtime, "[", region_->target().name(),
                      "] one of the variables needed for gradient computation has been modified by an inplace operation: a tensor of size ",
                      to_string(t.sizes()), " that a cond or while_loop uses or returns is at version ", t.version(), "; expected version ",
                      version, " instead. Use the form without the underscore, or write into a clone()");
    std::vector<Tensor> values = example_gradients(grads);
    Session* s = current_session();
    if (!s || s->writer.id != capture_) return values;  // the capture has ended: no nodes are made
    MONOGRAPH_CHECK(!dispatch_state().grad_enabled, NotImplemented, "[", region_->target().name(),
                    "] a gradient of a gradient through cond or while_loop is not implemented in a trace; trace the function without "
                    "create_graph=True");
    std::vector<Node*> nodes = gradient_nodes(grads);
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!nodes[i]) {
        values[i] = Tensor();
        continue;
      }
      if (!values[i].defined()) {
        Pause pause;
        values[i] = "zeros_like"_op(inputs_[i].tensor);
      }
      values[i] = renamed(writer_, values[i], nodes[i]);
    }
    return values;
  }

  std::string name() const override { return region_->is_loop() ? "WhileLoopBackward0" : "CondBackward0"; }

 private:
  static bool within(const Node* region, const Node* n) {
    for (size_t k = 0; k < region->block_count(); ++k)
      if (region->block(k)->contains(n)) return true;
    return false;
  }

  // The gradients of the inputs for the example's values, computed by autograd. They stop at the inputs.
  std::vector<Tensor> example_gradients(const std::vector<Tensor>& grads) const {
    std::vector<Tensor> roots, root_grads, inputs;
    for (size_t k = 0; k < grads.size(); ++k)
      if (grads[k].defined() && takes_gradients(results_[k].example)) roots.push_back(results_[k].example), root_grads.push_back(grads[k]);
    for (const Input& in : inputs_) inputs.push_back(in.tensor);
    if (roots.empty()) return std::vector<Tensor>(inputs_.size());
    Pause pause;
    BackwardOptions options;
    options.retain_graph = options.stop_at_inputs = true;
    return gradients(roots, root_grads, inputs, options, true);
  }

  std::vector<Node*> input_nodes() const {
    ir::Graph& graph = writer_.graph;
    std::vector<Node*> nodes;
    for (const Input& in : inputs_) {
      if (in.node) {
        nodes.push_back(writer_.find(in.tensor));
        continue;
      }
      nodes.push_back(graph.create(ir::Op::GetAttr, graph.target(in.path), {}));
      std::vector<SymInt> sizes(in.tensor.sizes().begin(), in.tensor.sizes().end());
      graph.set_type(nodes.back(), ir::TensorType::of(in.tensor.dtype(), sizes));
    }
    return nodes;
  }
  void erase_unused(const std::vector<Node*>& nodes) const {
    for (size_t i = 0; i < nodes.size(); ++i)
      if (!inputs_[i].node && !nodes[i]->has_uses()) writer_.graph.erase(nodes[i]);
  }

  std::vector<Node*> gradient_nodes(const std::vector<Tensor>& grads) {
    ir::Graph& graph = writer_.graph;
    passes::GradientRequest request;
    request.nodes = {region_};
    request.renamed = [this](Node* old_node, Node* new_node) {
      writer_.rename(old_node, new_node);
      for (Result& r : results_)
        if (r.node == old_node) r.node = new_node;
    };
    for (size_t k = 0; k < grads.size(); ++k) {
      if (!grads[k].defined()) continue;
      ir::Args gradient;
      writer_.add(gradient, grads[k]);
      Node* node = gradient[0].node();
      if (!node) {
        ir::Args args;
        args.kw("value", gradient[0]);
        node = graph.call("prim::Constant", args);
        graph.set_type(node, ir::type_of(gradient[0]));
      }
      request.gradients.emplace_back(results_[k].node, node);
    }
    request.inputs = input_nodes();
    std::vector<Node*> nodes;
    {
      Pause pause;
      passes::functionalize_blocks(graph, region_);  // append_gradients raises an error for a write that is left
      nodes = passes::append_gradients(graph, request);
    }
    // Like other values of a backward pass, the gradients are detached in the graph.
    for (Node*& n : nodes) {
      if (!n) continue;
      const IValue gradient = writer_.symbolic(n);
      n = writer_.append(find_operator("aten::detach"), &gradient);
    }
    erase_unused(request.inputs);
    return nodes;
  }

  struct Used {
    Tensor tensor;
    uint32_t version;
  };
  struct Input {
    Tensor tensor;
    Node* node;  // null for an attribute
    std::string path;  // the path of the attribute
  };
  struct Result {
    Node* node;
    Tensor example;
  };
  bool follows_ = false;
  Writer& writer_;  // may be gone if the capture has ended
  uint64_t capture_;
  Node* region_;
  std::vector<Used> used_;
  std::vector<Input> inputs_;
  std::vector<Result> results_;
};

// Behind it the history is the example's alone: that of a list's element, which another way of a branch would take from elsewhere.
class ExampleBackward final : public GradNode {
 public:
  ExampleBackward(uint64_t capture, const Tensor& example) : capture_(capture) { next.push_back(gradient_edge(example)); }

  std::vector<Tensor> apply(std::vector<Tensor> grads) override {
    const Session* s = current_session();
    MONOGRAPH_CHECK(
        !s || s->writer.id != capture_, NotImplemented,
        "a captured function that computes a gradient itself cannot do so through a list of tensors that a branch or loop takes or gives; "
        "capture the function without the gradient, or stack the list");
    return grads;
  }

  std::string name() const override { return "AliasBackward0"; }

 private:
  uint64_t capture_;
};

Tensor with_history_of_example(Writer& writer, const Tensor& example) {
  if (!dispatch_state().grad_enabled || !takes_gradients(example)) return example;
  Pause pause;
  Tensor handle = "detach"_op(example);
  set_history(handle, make_ref<ExampleBackward>(writer.id, example), 0);
  return handle;
}

IValue elements_with_history(Writer& writer, const IValue& list) {
  if (!list.is_list()) return list;
  std::vector<IValue> items;
  for (const IValue& item : list.items())
    items.push_back(item.is_tensor() ? IValue(with_history_of_example(writer, item.as_tensor())) : item);
  return IValue::list(std::move(items));
}

// Whether an If or Loop takes lists of tensors from outside. Their elements may have nodes in no block around it, so its backward node could not continue with them.
bool takes_lists_of_tensors(Node* region) {
  auto is_such_list = [&](const Node* v) {
    const bool empty = v->target().name() == "prim::ListConstruct" && !v->input_count();
    return v->is_before(region) && v->type().is(ir::TypeKind::List) && v->type().element().is(ir::TypeKind::Tensor) && !empty;
  };
  auto takes = [&](const Node* n) {
    for (size_t k = 0; k < n->input_count(); ++k)
      if (is_such_list(n->input(k))) return true;
    return false;
  };
  if (takes(region)) return true;
  for (size_t k = 0; k < region->block_count(); ++k)
    for (Node* n : ir::NestedNodes(region->block(k)))
      if (takes(n)) return true;
  return false;
}

// Calls `next` once for each edge of the history; it gives the edges behind it.
void walk_edges(std::vector<GradEdge> edges, const std::function<std::vector<GradEdge>(const GradEdge&)>& next) {
  std::set<std::pair<const GradNode*, uint32_t>> seen;
  while (!edges.empty()) {
    const GradEdge edge = std::move(edges.back());
    edges.pop_back();
    if (!edge.node || !seen.emplace(edge.node.get(), edge.slot).second) continue;
    const std::vector<GradEdge> behind = next(edge);
    edges.insert(edges.end(), behind.begin(), behind.end());
  }
}

void walk_history(const Tensor& t, const std::function<std::vector<GradEdge>(const GradEdge&)>& next) {
  if (t->kind == TensorImpl::Kind::Dense && t.requires_grad()) walk_edges({gradient_edge(t)}, next);
}

std::vector<GradEdge> edges_of(std::span<const Tensor> roots) {
  std::vector<GradEdge> edges;
  for (const Tensor& root : roots)
    if (root->kind == TensorImpl::Kind::Dense && root.requires_grad()) edges.push_back(gradient_edge(root));
  return edges;
}

// The branches and loops of Python behind these tensors, with the edges to their inputs that have a gradient in some runs alone.
std::vector<std::pair<const Node*, GradEdge>> uncertain_edges(std::span<const Tensor> roots) {
  std::map<RegionBackward*, std::vector<uint32_t>> regions;  // which of their results are on the way
  walk_edges(edges_of(roots), [&](const GradEdge& edge) {
    if (auto* step = dynamic_cast<RegionBackward*>(edge.node.get()); step && step->of_program) regions[step].push_back(edge.slot);
    return edge.node->next;
  });
  std::vector<std::pair<const Node*, GradEdge>> found;
  for (const auto& [step, slots] : regions)
    for (const GradEdge& input : step->uncertain(slots)) found.emplace_back(step->region(), input);
  return found;
}

// In this capture: the tensors that are a leaf's .grad, where it is None in other runs. Only compared, as they may be gone.
thread_local std::set<const TensorImpl*> t_gradients;
thread_local uint64_t t_capture_of_gradients = 0;

// Whether the history of t ends at a leaf, where it goes through Ifs and Loops as the example does.
bool requires_grad_in_example(const Tensor& t) {
  bool found = false;
  walk_history(t, [&](const GradEdge& edge) -> std::vector<GradEdge> {
    const auto* region = dynamic_cast<const RegionBackward*>(edge.node.get());
    found = found || (!region && edge.node->next.empty());  // a leaf, or a node of the program
    if (found) return {};
    if (!region) return edge.node->next;
    const Tensor& example = region->example_of(edge.slot);
    return example.requires_grad() ? std::vector<GradEdge>{gradient_edge(example)} : std::vector<GradEdge>();
  });
  return found;
}

}  // namespace

RegionUses::RegionUses(Writer& writer) : writer_(writer), enclosing_(std::exchange(writer.region_uses, this)) {}
RegionUses::~RegionUses() { writer_.region_uses = enclosing_; }
void RegionUses::add(const Tensor& t) {
  for (RegionUses* uses = this; uses; uses = uses->enclosing_)
    if (std::ranges::none_of(uses->tensors_, [&](const Tensor& known) { return known.is_same(t); })) uses->tensors_.push_back(t);
}

static std::vector<Tensor> results_with_history(Writer& writer, Node* region, const std::vector<Node*>& nodes,
                                                const std::vector<Tensor>& example, const RegionUses& uses, bool of_program) {
  Tracer tracer(writer);
  auto index = [&](Node* n) {
    return n == region ? 0 : n->is_projection() && n->projected() == region ? static_cast<int64_t>(n->projected_index()) : -1;
  };
  auto step = make_ref<RegionBackward>(writer, region, uses, of_program);
  const bool of_lists = takes_lists_of_tensors(region);
  std::vector<bool> differentiable;  // empty: the results keep the history that the example has
  if (dispatch_state().grad_enabled && step->any() && !of_lists) differentiable = step->differentiable();
  std::vector<Tensor> out;
  for (size_t k = 0; k < nodes.size(); ++k) {
    const int64_t i = index(nodes[k]);
    if (differentiable.empty() || i < 0) {
      out.push_back(tracer.alias(of_lists ? with_history_of_example(writer, example[k]) : example[k], nodes[k]));
      if (!of_lists) writer.note_given_by_example(out.back(), example[k]);
      continue;
    }
    out.push_back(renamed(writer, example[k], nodes[k]));
    if (!differentiable[static_cast<size_t>(i)] || !is_floating(example[k].dtype())) continue;
    step->note_version(out.back());
    step->add_result(nodes[k], example[k]);
    set_history(out.back(), step, step->inputs - 1);
  }
  return out;
}

std::vector<Tensor> traced_results(Writer& writer, Node* region, const std::vector<Node*>& nodes, const std::vector<Tensor>& example,
                                   const RegionUses& uses) {
  return results_with_history(writer, region, nodes, example, uses, false);
}

std::vector<IValue> region_values(Writer& writer, Node* region, const std::function<IValue(size_t)>& example, size_t count,
                                  const RegionUses& uses) {
  std::vector<IValue> values(count);
  std::vector<Node*> nodes;
  std::vector<Tensor> tensors;
  std::vector<size_t> indices;  // the indices of the results that are tensors
  for (size_t k = 0; k < count; ++k) {
    Node* node = writer.graph.project(region, k);
    const IValue value = example(k);
    if (value.is_tensor()) {
      nodes.push_back(node), tensors.push_back(value.as_tensor()), indices.push_back(k);
    } else {
      const SymbolicValue* symbolic = symbolic_value(value);
      const auto size = symbolic_size(value);
      values[k] = writer.number(node, symbolic ? symbolic->hint
                                      : size   ? IValue(size->symint()->hint().value())
                                               : elements_with_history(writer, value));
    }
  }
  std::vector<Tensor> handles;
  if (writer.types_only) {
    for (size_t k = 0; k < nodes.size(); ++k) {
      handles.push_back(stand_in(tensors[k]));
      writer.name(handles[k], nodes[k]);
    }
  } else {
    handles = results_with_history(writer, region, nodes, tensors, uses, true);
  }
  for (size_t k = 0; k < indices.size(); ++k) values[indices[k]] = handles[k];
  return values;
}

IValue asked_requires_grad(const Tensor& t) {
  IValue asked;
  const IValue arg = t;
  call(find_operator("prim::requires_grad"), &arg, &asked);
  const SymbolicValue* number = symbolic_value(asked);
  Session* s = current_session();
  if (s && number && number->node && t.requires_grad() && !requires_grad_in_example(t)) return s->writer.number(number->node, false);
  return asked;
}

bool requires_grad_in_every_run(const Tensor& t) {
  const Session* s = current_session();
  const Node* node = s && t->kind == TensorImpl::Kind::Dense ? s->writer.find(t) : nullptr;
  if (!node || s->writer.types_only) return false;
  // torch.compile compares requires_grad of the inputs at each call, and what requires_grad_() has made requires grad in each run.
  if (s->writer.any_grad_mode && node->target().name() != "prim::with_grad") return false;
  bool of_region = false;
  walk_history(t, [&](const GradEdge& edge) {
    of_region = of_region || dynamic_cast<const RegionBackward*>(edge.node.get());
    return of_region ? std::vector<GradEdge>() : edge.node->next;
  });
  return !of_region;
}

void end_gradients_as_example(std::span<const IValue> results) {
  for (const IValue& v : results)
    if (v.is_tensor() && v.as_tensor().requires_grad() && !requires_grad_in_example(v.as_tensor())) detach_in_place(v.as_tensor());
  for (const IValue& v : results)
    if (v.is_tensor())
      walk_history(v.as_tensor(), [](const GradEdge& edge) {
        if (auto* region = dynamic_cast<RegionBackward*>(edge.node.get())) region->follow_example();
        return edge.node->next;
      });
}

// A value that a branch or loop gives is another one than those that its ways give: what was computed from these does not depend on it. `asked`: the nodes of the
// tensors whose gradients are asked for.
static void check_chosen(std::span<const Tensor> roots, const std::vector<const GradNode*>& asked) {
  std::set<const GradNode*> reached;
  walk_edges(edges_of(roots), [&](const GradEdge& edge) {
    reached.insert(edge.node.get());
    return edge.node->next;
  });
  // As an element of a list that a branch or loop gives, it is another name of the element that the example has put there.
  const auto behind = [](const GradNode* node) {
    while (node && node->next.size() == 1 && node->name() == "AliasBackward0") node = node->next[0].node.get();
    return node;
  };
  for (const GradNode* node : asked) {
    if (reached.contains(node)) continue;
    const auto* step = dynamic_cast<const RegionBackward*>(node);
    MONOGRAPH_CHECK(
        !(step && step->of_program) && (behind(node) == node || !reached.contains(behind(node))), NotImplemented,
        "[autograd.grad] the gradient of a tensor that a branch or loop chooses is asked for with allow_unused=True, and what is "
        "differentiated was computed before it was chosen. Ask for the gradients of all tensors that may be chosen, and choose among "
        "the gradients");
  }
}

void check_which_are_none(std::span<const Tensor> roots, std::span<const Tensor> inputs) {
  if (!current_session()) return;
  const std::vector<GradEdge> held = edges_of(inputs);  // nobody else holds the node of a leaf that is not used
  std::vector<const GradNode*> asked;
  for (const GradEdge& edge : held) asked.push_back(edge.node.get());
  check_chosen(roots, asked);
  for (const auto& [region, edge] : uncertain_edges(roots)) {
    bool found = false;
    walk_edges({edge}, [&](const GradEdge& e) {
      found = found || std::ranges::find(asked, e.node.get()) != asked.end();
      return found ? std::vector<GradEdge>() : e.node->next;
    });
    MONOGRAPH_CHECK(
        !found, NotImplemented, "[", region->target().name(),
        "] autograd.grad(..., allow_unused=True) gives None for an input without a gradient, and here values decide whether it has one. ",
        "Use the input on both sides of the branch, or add materialize_grads=True, which gives zeros");
  }
}

std::vector<Tensor> leaves_without_gradient_elsewhere(std::span<const Tensor> roots) {
  std::vector<Tensor> found;
  if (!current_session()) return found;
  for (const auto& [region, edge] : uncertain_edges(roots))
    walk_edges({edge}, [&](const GradEdge& e) {
      if (const Tensor* leaf = leaf_of(*e.node)) found.push_back(*leaf);
      return e.node->next;
    });
  return found;
}

void note_gradients_that_may_be_none(std::span<const Tensor> leaves) {
  const Session* s = current_session();
  if (!s || leaves.empty()) return;
  if (t_capture_of_gradients != s->writer.id) t_gradients.clear(), t_capture_of_gradients = s->writer.id;
  for (const Tensor& leaf : leaves)
    if (const GradMeta* meta = find_grad_meta(leaf); meta && meta->grad.defined()) t_gradients.insert(meta->grad.impl());
}

bool may_be_none(const Tensor& gradient) {
  const Session* s = current_session();
  return s && t_capture_of_gradients == s->writer.id && t_gradients.contains(gradient.impl());
}

}  // namespace monograph::capture
