// What monograph/_lists.py asks of lists that are values of a graph. Nothing here knows what Python's lists do.
#include "lists.h"

#include "capture/lists.h"
#include "ops/dispatch.h"
#include "values.h"

namespace monograph::python {
namespace {

PyTypeObject* g_carried_list = nullptr;

IValue list_of(nb::handle o) {
  IValue out;
  MONOGRAPH_CHECK(!to_ivalue(o.ptr(), out), Type, "a graph cannot hold a list of this");
  return out;
}

IValue length_of(const IValue& list) {
  IValue out;
  call(find_operator("aten::len.t"), &list, &out);
  return out;
}

nb::object joined(nb::handle a, nb::handle b) {
  capture::Session* s = capture::current_session();
  IValue lists[2];
  if (!s || to_ivalue(a.ptr(), lists[0]) || to_ivalue(b.ptr(), lists[1])) return nb::none();
  for (IValue& list : lists) {
    if (list.is_tuple()) list = IValue::list({list.items().begin(), list.items().end()});
    if (!capture::is_list_value(list)) return nb::none();
  }
  const std::optional<IValue> out = capture::joined_lists(s->writer, lists[0], lists[1]);
  return out ? to_python(*out) : nb::none();
}

// The slice of a list of the graph; None where its bounds are not ints.
nb::object sliced(nb::handle list, nb::handle slice) {
  auto* bounds = reinterpret_cast<PySliceObject*>(slice.ptr());
  IValue args[] = {list_of(list), {}, {}, int64_t{1}}, out;
  PyObject* given[] = {bounds->start, bounds->stop, bounds->step};
  for (size_t k = 0; k < 3; ++k)
    if (given[k] != Py_None && to_ivalue(given[k], args[k + 1])) return nb::none();
  call(find_operator("aten::slice.t"), args, &out);
  return to_python(out);
}

}  // namespace

bool is_carried_list(PyObject* o) { return Py_TYPE(o) == g_carried_list && g_carried_list; }
nb::object method_of_lists(PyObject* function) {
  if (!PyFunction_Check(function) || !g_carried_list) return {};
  PyObject* name = reinterpret_cast<PyFunctionObject*>(function)->func_name;
  if (PyDict_GetItemWithError(g_carried_list->tp_dict, name) != function) return {};
  return check(PyObject_GetAttr(reinterpret_cast<PyObject*>(&PyList_Type), name));
}
nb::object items_of_carried(PyObject* list) { return nb::handle(list).attr("_carried_items"); }

void init_lists(PyObject* module) {
  nb::handle m(module);
  m.attr("_set_carried_list") =
      nb::cpp_function([](nb::handle type) { g_carried_list = reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr()); });
  m.attr("_list_length") = nb::cpp_function([](nb::handle list) { return to_python(length_of(list_of(list))); });
  m.attr("_list_joined") = nb::cpp_function(joined);
  m.attr("_list_slice") = nb::cpp_function(sliced);
}

}  // namespace monograph::python
