// Goes from a node whose type is missing to its inputs, and infers the types on the way back: by the rule of the operator, by what a pass noted in `meta`, or
// by running a layer on the meta device.
#include "graph_types.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "capture/machine/machine.h"
#include "dtypes.h"
#include "ir/bind.h"
#include "ops/infer.h"
#include "tensor.h"

namespace monograph::python {
namespace {

using ir::Node;
using ir::Op;
using ir::Type;

// Whether its type follows from its inputs alone, so that it can be inferred again.
bool follows(const Node* n) {
  return !n->type_declared() && !n->block_count() && !n->multi() && !n->is_projection() &&
         (n->op() == Op::CallFunction || n->op() == Op::CallMethod || n->op() == Op::CallModule);
}

Type type_of_tensor(PyObject* value) {
  if (!value || !is_tensor(value)) return {};
  const Tensor& t = tensor_of(value);
  if (t->kind != TensorImpl::Kind::Dense) return {};
  ir::TensorType type;  // without the device, which for FakeTensorProp is meta
  type.dtype = t.dtype();
  type.sizes.emplace(t.sizes().begin(), t.sizes().end());
  return type;
}

// What ShapeProp noted: a dtype and sizes.
Type type_of_noted(PyObject* noted) {
  nb::object shape = nb::getattr(nb::handle(noted), "shape", nb::none()), dtype = nb::getattr(nb::handle(noted), "dtype", nb::none());
  DType known;
  if (!PyTuple_Check(shape.ptr()) || !to_dtype(dtype.ptr(), known)) return {};
  ir::TensorType type;
  type.dtype = known;
  type.sizes.emplace();
  for (nb::handle size : shape) {
    const long long n = PyLong_Check(size.ptr()) ? PyLong_AsLongLong(size.ptr()) : -1;
    type.sizes->push_back(n < 0 ? Dim() : Dim(SymInt(n)));
  }
  return type;
}

// What a pass noted about the value of a node.
Type type_in_meta(const Node* node) {
  auto* object = static_cast<NodeObject*>(node->object());
  if (!object || !object->meta) return {};
  if (Type t = type_of_tensor(PyDict_GetItemString(object->meta, "val"))) return t;
  PyObject* noted = PyDict_GetItemString(object->meta, "tensor_meta");
  return noted && noted != Py_None ? type_of_noted(noted) : Type();
}

// The tensor that a get_attr names, in the module of the graph.
Type type_of_attribute(GraphObject* graph, const Node* node) {
  nb::object at = nb::getattr(nb::handle(reinterpret_cast<PyObject*>(graph)), "owning_module", nb::none());
  std::string_view path = node->target().name();
  while (!at.is_none() && !path.empty()) {
    const size_t dot = path.find('.');
    const std::string name(path.substr(0, dot));
    at = nb::getattr(at, name.c_str(), nb::none());
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return type_of_tensor(at.ptr());
}

// What a layer of the library gives: as the graph of operators says that it is.
Type type_of_layer(GraphObject* graph, const Node* node) try {
  const nb::object lowered = nb::module_::import_("monograph.fx._lowering").attr("layer_alone")(wrap(const_cast<Node*>(node), graph));
  if (lowered.is_none()) return {};
  ir::Graph& alone = graph_of(lowered.ptr());
  std::vector<Node*> inputs;
  for (size_t k = 0; k < node->input_count(); ++k)
    if (std::find(inputs.begin(), inputs.end(), node->input(k)) == inputs.end()) inputs.push_back(node->input(k));
  const std::vector<Node*> placeholders = alone.placeholders();
  if (placeholders.size() != inputs.size()) return {};
  for (size_t k = 0; k < inputs.size(); ++k) alone.set_type(placeholders[k], inputs[k]->type());
  ir::infer_types(alone);
  const Node* output = alone.output();
  return output->arg_count() == 1 && output->arg(0).node() ? output->arg(0).node()->type() : Type();
} catch (nb::python_error& e) {
  e.restore();
  capture::machine::forget_error();
  return {};
}

// Of a call whose inputs are unknown nothing is: x + 1 may be a tensor or a number.
Type inferred(GraphObject* graph, const Node* node) try {
  for (size_t k = 0; k < node->input_count(); ++k)
    if (!node->input(k)->type()) return {};
  if (node->op() == Op::CallModule) return type_of_layer(graph, node);
  const ir::OpInfo* op = node->info() ? node->info() : resolve(*node);
  if (!misfit(*node).empty()) return {};
  Type type = op ? op->infer(*node) : Type();
  return type.is(ir::TypeKind::Any) ? Type() : type;
} catch (const Error&) {  // what cannot be right has no type; verify() and a run say why
  return {};
}

// Whether what the graph takes has types, as in a traced or scripted one. Then its calls have types too.
bool takes_types(const ir::Graph& graph) {
  for (const Node* n = graph.root()->first(); n && n->op() == Op::Placeholder; n = n->next())
    if (n->type() && !n->type().is(ir::TypeKind::Any)) return true;
  return false;
}

class Missing {
 public:
  explicit Missing(GraphObject* graph) : graph_(graph) {}
  // Types that rest on meta are taken away again. So are those of a graph whose inputs have none, or its text would tell what was asked.
  ~Missing() {
    if (!noted_ && (set_.empty() || takes_types(*graph_->graph))) return;
    for (Node* n : set_) graph_->graph->set_type(n, {});
  }

  Type of(Node* wanted) {
    std::vector<Node*> todo{wanted};
    while (!todo.empty()) {
      Node* n = todo.back();
      if (n->type() || unknown_.count(n)) {
        todo.pop_back();
        continue;
      }
      if (Type t = type_in_meta(n)) {
        noted_ = true, set(n, t);
      } else if (n->op() == Op::GetAttr) {
        set(n, type_of_attribute(graph_, n));
      } else if (!follows(n)) {
        unknown_.insert(n);
      } else if (!push_inputs(n, todo)) {
        set(n, inferred(graph_, n));
      }
    }
    return wanted->type();
  }

 private:
  // Whether an input's type is still to be found.
  bool push_inputs(Node* n, std::vector<Node*>& todo) {
    const size_t before = todo.size();
    for (size_t k = 0; k < n->input_count(); ++k)
      if (Node* input = n->input(k); !input->type() && !unknown_.count(input)) todo.push_back(input);
    return todo.size() > before;
  }

  void set(Node* n, Type t) {
    if (!t || n->multi()) unknown_.insert(n);
    else graph_->graph->set_type(n, t), set_.push_back(n);
  }

  GraphObject* graph_;
  std::unordered_set<Node*> unknown_;
  std::vector<Node*> set_;
  bool noted_ = false;
};

}  // namespace

Type type_of_node(GraphObject* graph, Node* node) {
  if (node->type()) return node->type();
  if (node->erased() || node->op() == Op::Output) return {};
  return Missing(graph).of(node);
}

void infer_missing_types(GraphObject* graph) {
  if (!takes_types(*graph->graph)) return;
  Missing missing(graph);
  for (Node* n : ir::NestedNodes(*graph->graph))
    if (!n->type() && follows(n)) missing.of(n);
}

void TypesFollow::done() {
  ir::choose_overload(node_);
  if (!follows(node_)) return;
  ir::Graph& g = *graph_->graph;
  if (!before_ && !takes_types(g)) return;
  g.set_type(node_, {});
  if (type_of_node(graph_, node_) == before_ || !before_) return;
  // What follows has the types of the old value. Those of an If or Loop stay until infer_types is asked for the whole graph.
  std::vector<Node*> todo{node_};
  while (!todo.empty()) {
    Node* n = todo.back();
    todo.pop_back();
    for (Node* user : n->users())
      if (user->type() && follows(user)) g.set_type(user, {}), todo.push_back(user);
  }
}

}  // namespace monograph::python
