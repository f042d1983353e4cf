// The tensors that a capture of torch.compile meets. A part of compile_capture.cpp.
#pragma once

#include <cstring>
#include <set>
#include <unordered_set>

#include "capture/bytecode/reads.h"
#include "capture/capture.h"
#include "capture/machine/made.h"
#include "compile_breaks.h"
#include "compile_changes.h"
#include "core/storage.h"
#include "module_tables.h"
#include "ops/dispatch.h"
#include "ops/record.h"
#include "places.h"
#include "symbolic.h"
#include "tensor.h"
#include "values.h"

#ifdef MONOGRAPH_MACHINE
namespace monograph::python::compiled {

using capture::bytecode::ReadSet;

// A run that ends inside of a handler leaves it without its last instruction.
struct SameHandledException {
  SameHandledException() : was(PyErr_GetHandledException()) {}
  ~SameHandledException() {
    PyErr_SetHandledException(was);
    Py_XDECREF(was);
  }
  SameHandledException(const SameHandledException&) = delete;
  PyObject* was;
};

// Whether the graph has a `raise` or `assert` of the program.
inline bool raises_an_error(const ir::Graph& graph) {
  for (const ir::Node* n : ir::NestedNodes(graph))
    if (n->target().name() == "prim::RaiseException") return true;
  return false;
}

// The tensors of a run: which are inputs, which were read, and what those held before they were written to.
class TensorsOfRun : public capture::bytecode::ObjectKinds {
 public:
  bool is_tensor(PyObject* o) override { return python::is_tensor(o); }
  PyObject* type_of_tensors() override { return reinterpret_cast<PyObject*>(g_tensor_type); }
  bool is_symbolic(PyObject* o) override { return python::is_symbolic(o); }
  bool lists_in_graph(PyObject* o) override { return python::is_tensor(o) && python::lists_in_graph(tensor_of(o)); }
  bool is_of_graph(PyObject* o) override { return python::is_tensor(o) && has_captured_values(tensor_of(o)); }
  const char* who_decides(PyObject* o) override { return python::is_tensor(o) ? who_decides_identity(tensor_of(o)) : ""; }
  bool requires_grad(PyObject* tensor) override { return tensor_of(tensor).requires_grad(); }
  bool is_chosen(PyObject* tensor) override { return who_decides_identity(tensor_of(tensor)) == kWayDecides; }
  PyObject* submodule(PyObject* module, PyObject* name) override { return plain_submodule(module, name); }
  bool has_attributes(PyObject* o) override {
    PyObject* fields = reinterpret_cast<TensorObject*>(o)->dict;
    return fields && PyDict_GET_SIZE(fields) > 0;
  }
  void asks_which(PyObject* o) override {
    if (inputs_.contains(impl_of(o))) asked.insert(o);
  }
  void asks_whether(PyObject* o) override {
    const capture::Session* s = capture::current_session();
    const bool made_here = inputs_.contains(impl_of(o)) || (s && s->writer.find(tensor_of(o)));
    if (!made_here && !read_.contains(impl_of(o))) others.emplace(o, Object(o));
  }
  // Inputs of which the program asks which tensors they are, and tensors in containers of which one may be it.
  std::unordered_set<PyObject*> asked;
  std::unordered_map<PyObject*, Object> others;
  void read_tensor(PyObject* o, const std::string& name) override {
    const TensorImpl* impl = impl_of(o);
    if (read_.contains(impl)) return;
    read_.emplace(impl, Read{Object(o), name, ""});
    order_.push_back(impl);
    watch(tensor_of(o)), states.add(tensor_of(o));
  }
  PyObject* made_tensor(PyObject* o) override {
    capture::Session* s = capture::current_session();
    const Tensor& t = tensor_of(o);
    if (!s || t->kind != TensorImpl::Kind::Dense || s->writer.find(t) || read_.contains(t.impl())) return nullptr;
    s->writer.note_made(t);
    if (Py_TYPE(o) != g_tensor_type || t.requires_grad() || s->writer.types_only) return nullptr;
    return guard([&] {
      static const Operator& clone = find_operator("aten::clone");
      IValue given[] = {t, {}}, copy;
      call(clone, given, &copy);
      return wrap(copy.as_tensor()).release().ptr();
    });
  }
  PyObject* plain(PyObject* o) override {
    return guard([&]() -> PyObject* {
      auto number = [](PyObject* part) -> nb::object {
        if (!python::is_symbolic(part)) return nb::borrow(part);
        const IValue& v = symbolic_of(part);
        const SymbolicValue* s = symbolic_value(v);
        if (!s || s->hint.is_int()) return python::to_python(demand_int(part));
        return python::to_python(capture::demand(v));
      };
      if (!PyTuple_Check(o)) return number(o).release().ptr();
      nb::object parts = check(PyTuple_New(PyTuple_GET_SIZE(o)));
      for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(o); ++k) PyTuple_SET_ITEM(parts.ptr(), k, number(PyTuple_GET_ITEM(o, k)).release().ptr());
      if (PyTuple_CheckExact(o)) return parts.release().ptr();
      return PyObject_CallOneArg(reinterpret_cast<PyObject*>(Py_TYPE(o)), parts.ptr());
    });
  }
  PyObject* of_same_type(PyObject* o) override {
    const PyTypeObject* type = type_of_number(o);
    if (type == &PyBool_Type) return Py_NewRef(Py_False);
    if (type == &PyLong_Type) return PyLong_FromLong(0);
    return type == &PyFloat_Type ? PyFloat_FromDouble(0) : nullptr;
  }
  std::string place() override { return caller_place_in_words(); }
  size_t guard_count() override {
    if (const capture::Session* s = capture::current_session()) guards_ = s->writer.graph.guards().size();
    return guards_;
  }

  void add_input(PyObject* o) {
    inputs_.insert(impl_of(o));
    watch(tensor_of(o)), states.add(tensor_of(o));
  }
  TensorStates states;
  // The path of a tensor that was read; "" of another one.
  std::string path_of(const Tensor& t) {
    const auto found = read_.find(t.impl());
    if (found == read_.end() || inputs_.contains(t.impl())) return "";
    Read& read = found->second;
    if (read.path.empty()) {
      std::string words = read.name;
      for (const std::string_view word : {"self.", "G['"})
        if (words.starts_with(word)) words = words.substr(word.size());
      for (const char c : words) read.path += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
      while (read.path.ends_with('_')) read.path.pop_back();
      if (read.path.empty() || std::isdigit(static_cast<unsigned char>(read.path[0]))) read.path = "p" + read.path;
      const std::string base = read.path;
      for (int k = 1; !paths_.insert(read.path).second; ++k) read.path = concat(base, "_", k);
      used_.push_back(t.impl());
    }
    return read.path;
  }
  struct Read {
    Object tensor;
    std::string name, path;
  };
  std::vector<const Read*> all() const {
    std::vector<const Read*> out;
    for (const TensorImpl* impl : order_) out.push_back(&read_.at(impl));
    return out;
  }
  // Which inputs must not be which of the tensors that were read, or that containers hold, since the program asks.
  void tell_apart(const std::vector<PyObject*>& inputs, std::vector<std::pair<size_t, Object>>& different) const {
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (!asked.contains(inputs[k])) continue;
      for (const Read* read : all())
        if (read->tensor.get() != inputs[k]) different.emplace_back(k, read->tensor);
      for (const auto& [o, other] : others)
        if (o != inputs[k]) different.emplace_back(k, other);
    }
  }
  std::vector<const Read*> used() const {
    std::vector<const Read*> out;
    for (const TensorImpl* impl : used_) out.push_back(&read_.at(impl));
    return out;
  }

  // graph_has_grad: gradients are on where the graph runs, though they may be off where the program writes.
  void before_write(const Tensor& t, bool sure, bool graph_has_grad) {
    Storage* storage = t->storage.get();
    if (!storage || !watched_.contains(storage)) return;
    if (VersionCounter* own = t->own_version.get()) counters_.try_emplace(own, t->own_version, own->value);
    if (saved_.contains(storage)) return;
    if (t.requires_grad() && !sure) return;  // the weight of a batch_norm, which writes to its statistics
    if (t.requires_grad() && (dispatch_state().grad_enabled || graph_has_grad))
      fail(ErrorKind::NotImplemented, "a tensor that requires grad and was made before the call is written in place");
    saved_.emplace(storage, Saved{t->storage, std::string(storage->data(), storage->bytes()), storage->version()});
  }
  // The counts of writes are put back too: the program may read them.
  void restore() {
    for (auto& [raw, saved] : saved_) {
      std::memcpy(saved.storage->data(), saved.bytes.data(), saved.bytes.size());
      saved.storage->note_put_back(saved.version);
    }
    for (auto& [raw, counter] : counters_) counter.first->value = counter.second;
  }

 private:
  void watch(const Tensor& t) {
    if (t->storage) watched_.insert(t->storage.get());
  }
  std::unordered_map<const TensorImpl*, Read> read_;
  std::vector<const TensorImpl*> order_, used_;
  std::set<const TensorImpl*> inputs_;
  std::set<std::string> paths_;
  std::set<Storage*> watched_;
  struct Saved {
    Ref<Storage> storage;
    std::string bytes;
    uint32_t version;
  };
  std::map<Storage*, Saved> saved_;
  std::map<VersionCounter*, std::pair<Ref<VersionCounter>, uint32_t>> counters_;  // those of `.data`, with their values
  size_t guards_ = 0;
};

}  // namespace monograph::python::compiled
#endif
