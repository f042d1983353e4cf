// Files: safetensors as dictionaries of tensors, programs as graphs.
#include "formats/safetensors.h"

#include "core/tensor.h"
#include "formats/mgraph.h"
#include "formats/open.h"
#include "graph.h"
#include "ops/pointwise.h"
#include "python.h"
#include "tensor.h"

namespace monograph::python {
namespace {

// A tensor over the mapped file, which lives as long as any of its tensors. An array that is not aligned for its dtype is copied.
Tensor tensor_over(const NamedArray& array, const std::shared_ptr<MappedFile>& file) {
  Dims sizes{std::span<const int64_t>(array.shape)};
  auto address = reinterpret_cast<uintptr_t>(array.data);
  if (address % static_cast<uintptr_t>(element_size(array.dtype)) != 0) {
    Tensor copy = empty(sizes, array.dtype);
    std::memcpy(copy.data(), array.data, array.nbytes);
    return copy;
  }
  auto* keep = new std::shared_ptr<MappedFile>(file);
  return from_blob(
      const_cast<void*>(array.data), sizes, contiguous_strides(sizes), array.dtype,
      [](void* k) { delete static_cast<std::shared_ptr<MappedFile>*>(k); }, keep);
}

PyObject* load(PyObject*, PyObject* path) {
  return guard([&]() -> PyObject* {
    nb::object name = check(PyOS_FSPath(path));
    Safetensors file = load_safetensors(std::string(text_of(name.ptr())));
    nb::object out = check(PyDict_New());
    for (const NamedArray& a : file.arrays)
      check(PyDict_SetItem(out.ptr(), to_python(a.name).ptr(), wrap(tensor_over(a, file.file)).ptr()));
    return out.release().ptr();
  });
}

PyObject* save(PyObject*, PyObject* args) {
  return guard([&]() -> PyObject* {
    PyObject *tensors = nullptr, *path = nullptr, *metadata = nullptr;
    if (!PyArg_ParseTuple(args, "O!O|O", &PyDict_Type, &tensors, &path, &metadata)) raise_set();
    nb::object name = check(PyOS_FSPath(path));
    std::vector<NamedArray> arrays;
    std::vector<Tensor> held;
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(tensors, &at, &key, &value);) {
      MONOGRAPH_CHECK(is_tensor(value), Type, "save_file expects a dict of tensors, but '", text_of(key), "' is a ", type_name(value));
      held.push_back(contiguous(tensor_of(value)));
      const Tensor& t = held.back();
      arrays.push_back({std::string(text_of(key)), t.dtype(), {t.sizes().begin(), t.sizes().end()}, t.data(), t.nbytes()});
    }
    std::map<std::string, std::string> texts;
    if (metadata && metadata != Py_None)
      for (Py_ssize_t at = 0; PyDict_Next(metadata, &at, &key, &value);) texts.emplace(text_of(key), text_of(value));
    save_safetensors(std::string(text_of(name.ptr())), arrays, texts);
    Py_RETURN_NONE;
  });
}

// _save_graph(graph, path)
PyObject* save_graph(PyObject*, PyObject* args) {
  return guard([&]() -> PyObject* {
    PyObject *graph = nullptr, *path = nullptr;
    if (!PyArg_ParseTuple(args, "O!O", &g_graph_base, &graph, &path)) raise_set();
    nb::object name = check(PyOS_FSPath(path));
    save_mgraph(graph_of(graph), std::string(text_of(name.ptr())));
    Py_RETURN_NONE;
  });
}

// _load_graph(path, function or None, verify): the graph, which keeps its Unit.
PyObject* load_graph(PyObject*, PyObject* args) {
  return guard([&]() -> PyObject* {
    PyObject *path = nullptr, *function = nullptr;
    int verify = 0;
    if (!PyArg_ParseTuple(args, "OOp", &path, &function, &verify)) raise_set();
    nb::object name = check(PyOS_FSPath(path));
    std::shared_ptr<ir::Unit> unit = open_unit(std::string(text_of(name.ptr())), verify != 0);
    ir::Graph& graph = main_graph(*unit, function == Py_None ? std::string_view() : text_of(function));
    return wrap(std::shared_ptr<ir::Graph>(std::move(unit), &graph)).release().ptr();
  });
}

PyMethodDef kFunctions[] = {{"_load_safetensors", load, METH_O, nullptr},
                            {"_save_safetensors", save, METH_VARARGS, nullptr},
                            {"_load_graph", load_graph, METH_VARARGS, nullptr},
                            {"_save_graph", save_graph, METH_VARARGS, nullptr},
                            {}};

}  // namespace

void init_formats(PyObject* module) { check(PyModule_AddFunctions(module, kFunctions)); }

}  // namespace monograph::python
