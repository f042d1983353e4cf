// Makes differentiate()'s two graphs. First, the backward pass is appended to the graph (append_gradients). Then the graph is split in two: the values of the
// forward part that the backward part reads become further results of the first graph and inputs of the second.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "autograd/engine.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "passes/dce.h"
#include "passes/decompose.h"
#include "passes/differentiate.h"
#include "passes/functionalize.h"

namespace monograph::passes {
namespace {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Graph;
using ir::Node;
using ir::TypeKind;

bool is_floating_tensor(const Node* n) {
  return n->type().is(TypeKind::Tensor) && n->type().tensor().dtype && is_floating(*n->type().tensor().dtype);
}

void add_tensors(ArgRef a, std::vector<Node*>& out) {
  if (Node* n = a.node()) out.push_back(n);
  for (ArgRef part : a) add_tensors(part, out);
}

class GraphSplit {
 public:
  explicit GraphSplit(std::unique_ptr<Graph> graph) : graph_(std::move(graph)) {}

  Differentiated run() {
    find_inputs();
    append_backward();
    move_sizes();
    find_saved();
    copy_what_is_written();
    Differentiated out;
    out.gradients = names_;
    out.results = results();
    out.backward = backward();
    out.forward = forward();
    return out;
  }

 private:
  // Finds the floating-point inputs and attributes. Attributes that the program writes itself have no gradient.
  void find_inputs() {
    std::unordered_set<std::string> seen;
    for (Node* n : ir::NestedNodes(*graph_))
      if (n->info() && n->op() == ir::Op::CallFunction)
        for (size_t i = 0; i < n->info()->schema().arguments().size(); ++i)
          if (n->info()->schema().arguments()[i].writes() && n->arg_count() > i && n->arg(i).node() &&
              n->arg(i).node()->op() == ir::Op::GetAttr)
            seen.insert(n->arg(i).node()->target().name());
    for (Node* n : graph_->placeholders())
      if (is_floating_tensor(n)) inputs_.push_back(n), names_.push_back(n->target().name());
    std::vector<Node*> attributes;
    for (Node* n : ir::NestedNodes(*graph_))
      if (n->op() == ir::Op::GetAttr && is_floating_tensor(n) && seen.insert(n->target().name()).second) attributes.push_back(n);
    for (Node* n : attributes) {
      graph_->set_insert_point({graph_->root(), first_after_placeholders()});
      Node* own = graph_->create(ir::Op::GetAttr, graph_->target(n->target().name()), {});
      graph_->set_type(own, n->type());
      inputs_.push_back(own), names_.push_back(n->target().name());
    }
  }
  Node* first_after_placeholders() const {
    Node* n = graph_->root()->first();
    while (n && n->op() == ir::Op::Placeholder) n = n->next();
    return n;
  }

  void append_backward() {
    GradientRequest request;
    for (Node* n : *graph_->root())
      if (n->op() != ir::Op::Output) request.nodes.push_back(n);
    std::vector<Node*> results;
    add_tensors_of_output(results);
    for (Node* n : results) {
      if (!is_floating_tensor(n)) continue;
      ir::TensorType type;
      type.dtype = n->type().tensor().dtype, type.sizes = n->type().tensor().sizes;
      tangents_.push_back(graph_->placeholder(concat("grad_", n->name()), type));
      request.gradients.emplace_back(n, tangents_.back());
    }
    for (const Node* n : results)
      MONOGRAPH_CHECK(!n->type().is(TypeKind::Tensor) || n->type().tensor().dtype, NotImplemented, "differentiate: the dtype of %",
                      n->name(), ", a result of the graph ", graph_->name(),
                      ", is not known. Capture the graph with an example (torch.jit.trace(f, x)), or annotate the inputs");
    MONOGRAPH_CHECK(!tangents_.empty(), Value, "differentiate: the graph ", graph_->name(),
                    " returns no floating-point tensor, so it has no gradient");
    graph_->set_insert_point({graph_->root(), graph_->output()});
    border_ = graph_->call("prim::Uninitialized");
    graph_->set_insert_point({graph_->root(), graph_->output()});
    request.inputs = inputs_;
    gradients_ = append_gradients(*graph_, request);
    for (Node* n = border_->next(); n && n->op() != ir::Op::Output; n = n->next()) backward_nodes_.push_back(n);
  }
  void add_tensors_of_output(std::vector<Node*>& out) const {
    for (auto it = graph_->output()->args_begin(); it != graph_->output()->args_end(); ++it) add_tensors(*it, out);
  }

  bool is_forward(const Node* n) const { return n->is_before(border_) && !std::ranges::count(tangents_, n); }

  // A size of a forward value is read in the forward pass: a number is less to keep than a tensor.
  void move_sizes() {
    std::vector<Node*> stay;
    for (Node* n : backward_nodes_) {
      bool sizes = (n->type().is(TypeKind::Int) || n->type().is(TypeKind::SymInt)) && n->info() && own_effects(*n).droppable();
      for (size_t k = 0; sizes && k < n->input_count(); ++k) sizes = is_forward(n->input(k));
      if (sizes) graph_->move_before(n, border_);
      else stay.push_back(n);
    }
    backward_nodes_ = std::move(stay);
  }

  void find_saved() {
    std::unordered_set<Node*> seen;
    auto see = [&](Node* v) {
      if (!is_forward(v) || !seen.insert(v).second) return;
      if (v->op() == ir::Op::GetAttr || v->target().name() == "prim::Constant") recomputed_.push_back(v);
      else saved_.push_back(v);
    };
    auto look = [&](Node* n) {
      for (size_t k = 0; k < n->input_count(); ++k) see(n->input(k));
    };
    for (Node* n : backward_nodes_) {
      look(n);
      for (size_t k = 0; k < n->block_count(); ++k)
        for (Node* inner : ir::NestedNodes(n->block(k))) look(inner);
    }
    for (Node* g : gradients_)
      if (g) see(g);
  }

  // A write to an input or attribute comes last in the forward pass, so the backward pass is given a copy of what was there before.
  void copy_what_is_written() {
    std::unordered_set<const Node*> written;
    std::unordered_set<std::string> attributes;
    for (const Node* n : *graph_->root())
      for (size_t i = 0; n->info() && i < n->info()->schema().arguments().size() && i < n->arg_count(); ++i)
        if (const Node* to = n->info()->schema().arguments()[i].writes() ? n->arg(i).node() : nullptr) {
          written.insert(to);
          if (to->op() == ir::Op::GetAttr) attributes.insert(to->target().name());
        }
    auto shows_written = [&](const Node* v) {
      const Operator* op = nullptr;
      while ((op = dynamic_cast<const Operator*>(v->info())) && op->is_view && v->arg_count() && v->arg(0).node()) v = v->arg(0).node();
      return written.contains(v) || (v->op() == ir::Op::GetAttr && attributes.contains(v->target().name()));
    };
    for (std::vector<Node*>* list : {&saved_, &recomputed_})
      for (Node*& v : *list) {
        if (!v->type().is(TypeKind::Tensor) || !shows_written(v)) continue;
        graph_->insert_after(v);
        if (v->op() == ir::Op::Placeholder) graph_->set_insert_point({graph_->root(), first_after_placeholders()});
        copies_[v] = graph_->call(find_operator("aten::clone"), Args(v));
        graph_->set_type(copies_[v], v->type());
        if (list == &recomputed_) saved_.push_back(v);
      }
    std::erase_if(recomputed_, [&](Node* v) { return copies_.contains(v); });
  }
  // The copy of a saved value that is written later, else the value itself.
  Node* unwritten(Node* v) const {
    auto found = copies_.find(v);
    return found == copies_.end() ? v : found->second;
  }

  // The results; the items of a tuple one by one.
  Args results_of() const {
    Args out;
    for (auto it = graph_->output()->args_begin(); it != graph_->output()->args_end(); ++it) {
      if (!(*it).is(ArgKind::Tuple)) {
        out.add(*it);
        continue;
      }
      for (ArgRef part : *it) out.add(part);
    }
    return out;
  }
  size_t results() const { return results_of().size(); }

  std::unique_ptr<Graph> forward() {
    const Args results = results_of();
    Args out;
    out.open(ArgKind::Tuple);
    for (size_t k = 0; k < results.size(); ++k) out.add(results[k]);
    for (Node* v : saved_) out.add(unwritten(v));
    out.close();
    graph_->set_output(out);
    for (size_t k = backward_nodes_.size(); k-- > 0;)
      if (!backward_nodes_[k]->is_projection()) graph_->erase(backward_nodes_[k]);
    for (Node* t : tangents_) graph_->erase(t);
    graph_->erase(border_);
    eliminate_dead_code(*graph_);
    return std::move(graph_);
  }

  std::unique_ptr<Graph> backward() {
    auto back = std::make_unique<Graph>(graph_->name(), graph_->unit());
    back->set_level(graph_->level());
    back->set_dialect(graph_->dialect());
    Graph::NodeMap map;
    for (Node* t : tangents_) map[t] = back->placeholder(t->target().name(), t->type());
    for (Node* v : saved_) map[v] = back->placeholder(concat("saved_", v->name()), v->type());
    back->insert_at_end(back->root());
    for (Node* v : recomputed_) map[v] = back->copy(v, map);
    for (Node* n : backward_nodes_)
      if (n->is_projection()) map[n] = back->project(map.at(n->projected()), n->projected_index());
      else back->copy(n, map);
    Args out;
    out.open(ArgKind::Tuple);
    for (Node* g : gradients_)
      if (g) out.add(map.at(g));
      else out.none();
    out.close();
    back->set_output(out);
    return back;
  }

  std::unique_ptr<Graph> graph_;
  std::vector<Node*> inputs_, tangents_, gradients_, backward_nodes_, saved_, recomputed_;
  std::vector<std::string> names_;
  std::unordered_map<Node*, Node*> copies_;  // from a saved value that is written later to its copy
  Node* border_ = nullptr;  // a node between the forward part and the backward part
};

// Whether the dtype of a result is not known. Its record decides it by sizes that are not known either.
bool lacks_dtype(const Node& n) {
  auto lacks = [](ir::Type t) { return t.is(TypeKind::Tensor) && !t.tensor().dtype; };
  for (size_t k = 0; k < n.result_count(); ++k)
    if (lacks(n.result_type(k))) return true;
  return !n.multi() && lacks(n.type());
}

// batch_norm writes the running statistics, which its schema does not mark. The operators that it is made of say what they write.
bool writes_unmarked(const Node& n) {
  const auto* op = dynamic_cast<const Operator*>(n.info());
  return op && op->schema().is_pure() && (op->effects().writes & ir::Effects::Memory);
}

// Raises an error if the graph switches gradients on or off. Values that are computed while gradients are off have none, and only the run of the graph shows
// which ones these are.
void check_modes(const Graph& graph) {
  for (const Node* n : ir::NestedNodes(graph)) {
    if (!(ir::own_effects(*n).writes & ir::Effects::Mode) || !n->info()) continue;
    Error e(ErrorKind::NotImplemented,
            concat("differentiate: the graph ", graph.name(), " switches gradients off or on by ", n->target().name(),
                   ". Use torch.jit.trace, whose graph detaches what is computed under no_grad()"));
    e.locate(n->span());
    throw e;
  }
}

}  // namespace

Differentiated differentiate(const Graph& graph) {
  check_modes(graph);
  const std::unique_ptr<Graph> whole = graph.clone();
  decompose(*whole, writes_unmarked);
  Functionalized functional = functionalize(*whole);
  if (!functional.left.empty())
    fail(ErrorKind::NotImplemented, "differentiate: the graph ", graph.name(), " writes to %", functional.left[0].value,
         ", and the write cannot become a value: ", functional.left[0].reason);
  ir::infer_types(*functional.graph);
  auto made_of_others = [](const Node& n) {
    const auto* op = dynamic_cast<const Operator*>(n.info());
    return op && (parts_have_gradients(*op) || lacks_dtype(n));
  };
  decompose(*functional.graph, made_of_others);
  decompose(*functional.graph, made_of_others, UnknownSizes::ByExample);
  ir::infer_types(*functional.graph);
  return GraphSplit(std::move(functional.graph)).run();
}

}  // namespace monograph::passes
