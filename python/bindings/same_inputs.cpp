// `a is b` of inputs. A call of a graph may pass one tensor for two inputs, or a parameter for an input. So the graph has a node for the question.
#include "same_inputs.h"

#include "capture/capture.h"
#include "graph.h"
#include "symbolic.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {
namespace {

using Sameness = capture::bytecode::ObjectKinds::Sameness;

bool is_input(const capture::Writer& writer, const Tensor& t) {
  const ir::Node* node = writer.find(t);
  return node && input_of(node);
}

// A parameter or buffer, which a graph reads as it is at each run.
bool is_attribute(const capture::Writer& writer, const Tensor& t) {
  const ir::Node* node = t->kind == TensorImpl::Kind::Symbolic ? nullptr : writer.find(t);
  return node ? node->op() == ir::Op::GetAttr : t->kind != TensorImpl::Kind::Symbolic && writer.is_attribute(t);
}

Sameness sameness_of(const capture::Writer& writer, const Tensor& a, const Tensor& b) {
  const bool first = is_input(writer, a), second = is_input(writer, b);
  if (!first && !second) return Sameness::Program;
  const Tensor& other = first ? b : a;
  if ((first && second) || is_attribute(writer, other)) return Sameness::Inputs;
  return writer.find(other) ? Sameness::Program : Sameness::Outside;
}

const Tensor& of_example(const capture::Writer& writer, const Tensor& t) {
  const auto found = writer.repeated_inputs.find(t.impl());
  return found == writer.repeated_inputs.end() ? t : found->second.second;
}

}  // namespace

const ir::Node* input_of(const ir::Node* node) {
  while (node && node->op() != ir::Op::Placeholder) {
    const ir::Node* from = node->input_count() ? node->input(0) : nullptr;  // the list, tuple or dict of which it is a part
    const bool part =
        from && (from->type().is(ir::TypeKind::List) || from->type().is(ir::TypeKind::Tuple) || from->type().is(ir::TypeKind::Dict));
    node = part || node->is_projection() ? from : nullptr;
  }
  return node;
}

Sameness sameness(PyObject* a, PyObject* b) {
  if (is_tensor(a) && is_tensor(b)) {
    const capture::Session* s = capture::current_session();
    return s ? sameness_of(s->writer, tensor_of(a), tensor_of(b)) : Sameness::Program;
  }
  const auto is_value = [](PyObject* o) { return is_proxy(o) || is_tensor(o); };
  if (!is_value(a) || !is_value(b)) return Sameness::Program;
  static PyObject* const asked = nb::object(nb::module_::import_("monograph.fx._kept").attr("sameness")).release().ptr();
  return static_cast<Sameness>(nb::cast<int>(check(PyObject_CallFunctionObjArgs(asked, a, b, nullptr))));
}

PyObject* compare_inputs(PyObject* a, PyObject* b, bool negated) {
  capture::Session* s = capture::current_session();
  if (!s || !is_tensor(a) || !is_tensor(b) || sameness_of(s->writer, tensor_of(a), tensor_of(b)) != Sameness::Inputs) return nullptr;
  static const Operator &is = find_operator("aten::__is__"), &is_not = find_operator("aten::__isnot__");
  const IValue both[] = {tensor_of(a), tensor_of(b)};
  ir::Node* node = s->writer.append(negated ? is_not : is, both);
  IValue answer;
  if (!s->symbolic && !s->writer.types_only)
    answer = of_example(s->writer, tensor_of(a)).is_same(of_example(s->writer, tensor_of(b))) != negated;
  return to_python(s->writer.number(node, answer)).release().ptr();
}

void init_same_inputs(nb::handle m) {
  // Whether the node is a result of an If or Loop, or what a block of one gets.
  m.attr("_is_of_region") = nb::cpp_function([](nb::handle node) { return is_of_region(node_of(node.ptr())); });
  // _same_inputs(a, b, negated): of two symbolic tensors, or a symbolic tensor and a parameter.
  m.attr("_same_inputs") = nb::cpp_function([](nb::handle a, nb::handle b, bool negated) {
    PyObject* answer = a.is(b) ? nullptr : compare_inputs(a.ptr(), b.ptr(), negated);
    return answer ? nb::steal(answer) : nb::object(nb::bool_(a.is(b) != negated));
  });
}

}  // namespace monograph::python
