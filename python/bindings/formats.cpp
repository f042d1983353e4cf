// Files: safetensors as dictionaries of tensors, programs as graphs.
#include "formats/safetensors.h"

#include <set>

#include "checkpoints.h"
#include "core/tensor.h"
#include "exec/interpreter.h"
#include "formats/file.h"
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

// The text of a path: a str, bytes or os.PathLike.
nb::object path_of(PyObject* path) {
  PyObject* text = nullptr;
  if (!PyUnicode_FSDecoder(path, &text)) raise_set();
  return check(text);
}

PyObject* load(PyObject*, PyObject* path) {
  return guard([&]() -> PyObject* {
    nb::object name = path_of(path);
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
    nb::object name = path_of(path);
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

// _save_graph(graph, path, roots): the folders of the program's sources, from which the file names them; None: as they are.
PyObject* save_graph(PyObject*, PyObject* args) {
  return guard([&]() -> PyObject* {
    PyObject *graph = nullptr, *path = nullptr, *folders = nullptr;
    if (!PyArg_ParseTuple(args, "O!OO", &g_graph_base, &graph, &path, &folders)) raise_set();
    nb::object name = path_of(path);
    SourceRoots roots;
    if (folders != Py_None) {
      roots.emplace();
      for (nb::handle folder : nb::handle(folders)) roots->emplace_back(text_of(folder.ptr()));
    }
    save_mgraph(graph_of(graph), std::string(text_of(name.ptr())), roots);
    Py_RETURN_NONE;
  });
}

// _load_graph(path, function or None, verify): the graph, which keeps its Unit.
PyObject* load_graph(PyObject*, PyObject* args) {
  return guard([&]() -> PyObject* {
    PyObject *path = nullptr, *function = nullptr;
    int verify = 0;
    if (!PyArg_ParseTuple(args, "OOp", &path, &function, &verify)) raise_set();
    nb::object name = path_of(path);
    std::shared_ptr<ir::Unit> unit = open_unit(std::string(text_of(name.ptr())), verify != 0);
    ir::Graph& graph = main_graph(*unit, function == Py_None ? std::string_view() : text_of(function));
    return wrap(std::shared_ptr<ir::Graph>(std::move(unit), &graph)).release().ptr();
  });
}

// _write_text(path, text): the file appears whole or not at all.
PyObject* write_text(PyObject*, PyObject* args) {
  return guard([&]() -> PyObject* {
    PyObject *path = nullptr, *text = nullptr;
    if (!PyArg_ParseTuple(args, "OU", &path, &text)) raise_set();
    nb::object name = path_of(path);
    AtomicFile file{std::string(text_of(name.ptr()))};
    const std::string_view bytes = text_of(text);
    file.write(bytes.data(), bytes.size());
    file.commit();
    Py_RETURN_NONE;
  });
}

// _graph_attributes(graph): (path, kind, persistent, tensor) of each tensor of the modules that the graph came with, each module once.
PyObject* graph_attributes(PyObject*, PyObject* graph) {
  return guard([&]() -> PyObject* {
    nb::list list;
    const ir::Unit* unit = graph_of(graph).unit();
    std::set<const ir::Module*> seen;
    std::vector<std::pair<const ir::Module*, std::string>> todo;
    if (unit && unit->root()) todo.push_back({unit->root(), ""});
    while (!todo.empty()) {
      const auto [module, prefix] = todo.back();
      todo.pop_back();
      if (!seen.insert(module).second) continue;
      std::vector<std::pair<const ir::Module*, std::string>> inner;
      for (size_t k = 0; k < module->values.size(); ++k) {
        const ir::Attribute& a = module->type().attributes[k];
        const ir::Module::Value& v = module->values[k];
        const std::string path = prefix + a.name;
        if (v.module) inner.push_back({v.module, path + "."});
        else if (v.value.size() == 1 && v.value[0].is(ir::ArgKind::Tensor))
          list.append(nb::make_tuple(to_python(std::string_view(path)), to_python(ir::to_string(a.kind)), a.persistent,
                                     wrap(exec::tensor_of(v.value[0].as_tensor().shared_from_this()))));
      }
      todo.insert(todo.end(), inner.rbegin(), inner.rend());
    }
    return list.release().ptr();
  });
}

PyMethodDef kFunctions[] = {{"_load_safetensors", load, METH_O, nullptr},
                            {"_save_safetensors", save, METH_VARARGS, nullptr},
                            {"_load_graph", load_graph, METH_VARARGS, nullptr},
                            {"_save_graph", save_graph, METH_VARARGS, nullptr},
                            {"_write_text", write_text, METH_VARARGS, nullptr},
                            {"_graph_attributes", graph_attributes, METH_O, nullptr},
                            {}};

}  // namespace

void init_formats(PyObject* module) {
  check(PyModule_AddFunctions(module, kFunctions));
  init_checkpoints(module);
}

}  // namespace monograph::python
