// The machine knows Python's objects, the capture knows tensors and nodes: a recorder of forks stands between them.
#include "forks.h"

#include <map>
#include <memory>

#include "capture/capture.h"
#include "capture/fork.h"
#include "capture/machine/machine.h"
#include "capture/traced_loop.h"
#include "compile_sizes.h"
#include "dtypes.h"
#include "effects.h"
#include "lists.h"
#include "ops/dispatch.h"
#include "ops/size_values.h"
#include "same_inputs.h"
#include "symbolic.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {
namespace {

// Why branches and loops of the last capture on this thread could not be kept, in the order in which that was found.
thread_local std::vector<std::string> t_reasons;
thread_local std::vector<KeptRaise> t_raised;  // by the graph of the last capture

const KeptRaise* raise_of(const std::vector<KeptRaise>& kept, std::string_view name, std::string_view words) {
  const KeptRaise* found = nullptr;
  for (const KeptRaise& k : kept)
    if (k.name == name && (!found || words.find(concat("at ", k.file, ":", k.line)) != std::string_view::npos)) found = &k;
  return found;
}

class GraphForks : public TextRecorder {
 public:
  GraphForks() : TextRecorder(nb::module_::import_("monograph._effects").attr("GraphTexts")()) {}
  int begin(PyObject* condition) override {
    return guard([&] {
      capture::Session* s = session();
      if (!s) return kNone;
      const IValue truth = truth_of(condition);
      const SymbolicValue* symbolic = symbolic_value(truth);
      if (!symbolic || !symbolic->node || (symbolic->hint.is_none() && !s->writer.types_only)) return kNone;
      const Dim always = size_value(ir::Args(symbolic->node)[0]).integer;
      if (always && always->is_int()) return kNone;
      const capture::machine::Unwatched unwatched;  // who looks for the line opens its file
      forks_.push_back(std::make_unique<capture::Fork>(*s, truth, caller_expression()));
      return forks_.back()->taken() ? 1 : 0;
    });
  }

  bool asks_elements(PyObject* condition) override {
    return guard([&]() -> int {
             const capture::Session* s = session();
             const IValue truth = s ? truth_of(condition) : IValue();
             const SymbolicValue* symbolic = symbolic_value(truth);
             if (!symbolic || !symbolic->node) return 0;
             ir::Graph sizes("sizes");
             ir::Graph::NodeMap map;
             for (ir::Node* p : s->writer.graph.placeholders()) map[p] = sizes.placeholder(p->name(), p->type());
             return !compiled::copy_sizes(sizes, map, symbolic->node) && compiled::decided_by_elements(symbolic->node);
           }) == 1;
  }

  void begin_second() override { forks_.back()->begin_second(); }

  bool is_tensor(PyObject* o) override { return python::is_tensor(o); }
  bool is_leaf(PyObject* o) override {
    if (is_numpy_number(o)) return false;  // a way of a branch would give a plain number
    return python::is_tensor(o) || is_symbolic(o) || PyBool_Check(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o);
  }

  bool join(const std::vector<std::pair<PyObject*, PyObject*>>& leaves, std::vector<PyObject*>& values, size_t& failed,
            std::string& why) override {
    return guard([&]() -> int {
             std::vector<capture::Fork::Ends> ends(leaves.size());
             for (size_t k = 0; k < leaves.size(); ++k) {
               const auto& [first, second] = leaves[k];
               if ((first && to_ivalue(first, ends[k].first.emplace())) || (second && to_ivalue(second, ends[k].second.emplace()))) {
                 failed = k, why = "a graph cannot hold it";
                 return 0;
               }
             }
             std::vector<IValue> joined;
             if (auto refused = forks_.back()->join(ends, joined)) {
               failed = refused->index, why = refused->why;
               return 0;
             }
             forks_.pop_back();
             for (const IValue& v : joined) values.push_back(python_of(v));
             return 1;
           }) == 1;
  }

  int keep_beside_raise(bool second, PyObject* exception) override {
    const capture::machine::Unwatched unwatched;
    return guard([&]() -> int {
      const std::unique_ptr<capture::Fork> fork = std::move(forks_.back());
      forks_.pop_back();
      nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(exception)));
      const std::string name(text_of(nb::object(type.attr("__name__")).ptr()));
      const nb::object args = nb::handle(exception).attr("args");
      note_kept(exception, name, nb::len(args) > 0);
      IValue message = std::string();
      if (nb::len(args)) to_ivalue(nb::object(args[0]).ptr(), message);
      fork->keep_beside_raise(second, message, name);
      return 1;
    });
  }
  void at_raise(PyObject* exception, PyCodeObject* code, int line) override {
    constexpr size_t kMost = 1'000;
    if (places_.size() > kMost) places_.clear();
    places_[exception] = {shown_text(code->co_filename), shown_text(code->co_name), line};
  }
  bool innermost_fork_has_example() override { return forks_.back()->has_example(); }

  bool is_text(PyObject* o) override { return Py_TYPE(o) == &g_symtext_type; }
  PyObject* plain_text(PyObject* text) override {
    const capture::machine::Unwatched unwatched;
    return guard([&] { return python::plain_text(text).release().ptr(); });
  }

  bool cancel() override {
    const capture::machine::Unwatched unwatched;
    return guard([&]() -> int {
             if (!forks_.back()->cancel()) return 0;
             forks_.pop_back();
             return 1;
           }) == 1;
  }
  int give_up(const std::string& why) override {
    const capture::machine::Unwatched unwatched;
    t_reasons.push_back(why);
    return guard([&]() -> int {
      const std::unique_ptr<capture::Fork> fork = std::move(forks_.back());
      forks_.pop_back();
      fork->give_up();
      return fork->has_example();
    });
  }

  int begin_loop(PyObject* condition, bool stays_when, PyObject* iterator) override {
    return guard([&]() -> int {
      capture::Session* s = session();
      if (!s) return 0;
      IValue runs, count;
      if (iterator) {
        nb::object remaining = nb::handle(iterator).attr("remaining")();
        if (to_ivalue(remaining.ptr(), count)) return 0;
      } else {
        runs = truth_of(condition);
        const SymbolicValue* symbolic = symbolic_value(runs);
        if (!symbolic || !symbolic->node || (symbolic->hint.is_none() && !s->writer.types_only)) return 0;
        const Dim always = size_value(ir::Args(symbolic->node)[0]).integer;
        if (always && always->is_int()) return 0;
        if (!stays_when) runs = run_one("aten::__not__", runs);
      }
      loops_.push_back(std::make_unique<capture::TracedLoop>(*s, runs, count));
      return 1;
    });
  }
  void begin_round() override { loops_.back()->begin_round(); }
  void end_round() override { loops_.back()->end_round(); }
  PyObject* element(PyObject* iterator) override {
    return guard([&] { return nb::object(nb::handle(iterator).attr("element")(to_python(loops_.back()->index()))).release().ptr(); });
  }
  PyObject* carry(PyObject* initial, PyObject* next, std::string& why) override {
    return guard([&]() -> PyObject* {
      IValue value, later;
      if (to_ivalue(initial, value) || to_ivalue(next, later)) return why = "a graph cannot hold it", nullptr;
      const std::optional<IValue> inside = loops_.back()->carry(value, later, why);
      return inside ? python_of(*inside) : nullptr;
    });
  }
  int settle(const RoundEnds& given, size_t& failed, std::string& why) override {
    return guard([&]() -> int {
      capture::TracedLoop::Ends ends;
      failed = 0;
      for (const auto& [from, to] : {std::pair(&given.carried, &ends.carried), std::pair(&given.exits, &ends.exits)})
        for (PyObject* o : *from) {
          if (to_ivalue(o, to->emplace_back())) return why = "a graph cannot hold it", -1;
          ++failed;
        }
      to_ivalue(given.again, ends.again);
      if (given.early) to_ivalue(given.early, ends.early.emplace());
      bool widened = false;
      if (auto refused = loops_.back()->settle(ends, widened)) return failed = refused->index, why = refused->why, -1;
      return widened ? 0 : 1;
    });
  }
  bool finish_loop(std::vector<PyObject*>& values) override {
    const int done = guard([&] {
      std::vector<IValue> results;
      if (!loops_.back()->finish(results)) return 0;  // the example's run may raise too: then the loop is given up
      loops_.pop_back();
      for (const IValue& v : results) values.push_back(python_of(v));
      return 1;
    });
    if (done < 0) restore_class();
    if (done == 0) t_reasons.emplace_back("the example does not pass a guard of the loop's body");
    return done == 1;
  }
  void give_up_loop(const std::string& why) override {
    t_reasons.push_back(why);
    loops_.back()->give_up();
    loops_.pop_back();
  }
  PyObject* carried_list(PyObject* items) override {
    const capture::machine::Unwatched unwatched;
    return guard([&] { return PyObject_CallOneArg(carried_list_type_.ptr(), items); });
  }
  PyObject* counted(PyObject* range_iterator) override {
    const capture::machine::Unwatched unwatched;
    return guard([&] { return PyObject_CallOneArg(counted_.ptr(), range_iterator); });
  }
  // NumPy's functions: of numbers of the graph they are operators.
  bool takes(PyObject* function) override {
    const std::string_view kind = Py_TYPE(function)->tp_name;
    if (kind.starts_with("numpy.")) return true;
    if (PyType_Check(function)) return std::string_view(reinterpret_cast<PyTypeObject*>(function)->tp_name).starts_with("numpy.");
    PyObject* home = PyCFunction_Check(function) ? reinterpret_cast<PyCFunctionObject*>(function)->m_module : nullptr;
    return home && PyUnicode_Check(home) && text_of(home).starts_with("numpy");
  }
  bool is_symbolic_iterator(PyObject* o) override { return reinterpret_cast<PyObject*>(Py_TYPE(o)) == iterator_type_.ptr(); }
  PyObject* call(PyObject* function, PyObject* const* args, size_t count) override {
    const capture::machine::Unwatched unwatched;
    return guard([&]() -> PyObject* {
      const capture::Session* s = capture::current_session();
      const bool guards =
          s && !s->symbolic && s->control_flow == capture::ControlFlow::Guard;  // numbers of NumPy's keep their types there too
      if (!session() && !(guards && takes(function))) return nullptr;
      nb::object tuple = check(PyTuple_New(static_cast<Py_ssize_t>(count)));
      for (size_t k = 0; k < count; ++k) PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(k), Py_NewRef(args[k]));
      nb::object result = check(PyObject_CallFunctionObjArgs(call_.ptr(), function, tuple.ptr(), nullptr));
      return result.is(nb::handle(Py_NotImplemented)) ? nullptr : result.release().ptr();
    });
  }

  PyObject* is_same(PyObject* a, PyObject* b, bool negated) override {
    PyObject *symbol = is_symbolic(a) ? a : b, *other = symbol == a ? b : a;
    if (!is_symbolic(symbol)) return nullptr;
    const PyTypeObject *type = type_of_number(symbol), *of_other = is_symbolic(other) ? type_of_number(other) : Py_TYPE(other);
    if (type != of_other || (type != &PyBool_Type && !(type == &PyLong_Type && is_shared_int(other)))) return nullptr;
    const capture::machine::Unwatched unwatched;
    return PyObject_RichCompare(symbol, other, negated ? Py_NE : Py_EQ);
  }
  bool compares_inputs() override {
    const capture::Session* s = session();
    return s && s->writer.compares_inputs;
  }
  PyObject* are_one_input(PyObject* a, PyObject* b, bool negated) override {
    if (!compares_inputs()) return nullptr;
    const capture::machine::Unwatched unwatched;
    return guard([&] { return compare_inputs(a, b, negated); });
  }
  PyObject* truth(PyObject* value, bool negated) override {
    return guard([&]() -> PyObject* {
      if (!session()) return nullptr;
      const IValue truth = truth_of(value);
      if (!symbolic_value(truth)) return nullptr;
      return to_python(negated ? run_one("aten::__not__", truth) : truth).release().ptr();
    });
  }

 private:
  static constexpr int kNone = 2;
  // What an exception holds besides its text stays with it, as far as it is constants.
  void note_kept(PyObject* exception, const std::string& name, bool has_text) {
    KeptRaise kept;
    kept.name = name, kept.has_text = has_text;
    kept.type = nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(exception)));
    nb::dict members;
    if (PyObject* fields = reinterpret_cast<PyBaseExceptionObject*>(exception)->dict)
      for (const auto& [key, value] : nb::borrow<nb::dict>(fields))
        if (value.is_none() || PyBool_Check(value.ptr()) || PyLong_CheckExact(value.ptr()) || PyFloat_CheckExact(value.ptr()) ||
            PyUnicode_CheckExact(value.ptr()) || PyBytes_CheckExact(value.ptr()))
          members[key] = value;
    kept.members = std::move(members);
    if (const auto at = places_.find(exception); at != places_.end())
      kept.file = at->second.file, kept.function = at->second.function, kept.line = at->second.line;
    t_raised.push_back(std::move(kept));
  }
  static PyObject* python_of(const IValue& v) { return (v.is_tensor() ? wrap(v.as_tensor()) : to_python(v)).release().ptr(); }
  static capture::Session* session() {
    capture::Session* s = capture::current_session();
    return s && !s->symbolic && s->control_flow == capture::ControlFlow::Keep ? s : nullptr;
  }
  // The bool behind a condition if the graph computes it; None for another object.
  static IValue truth_of(PyObject* o) { return truth_in_graph(o); }
  // Whether Python has one object alone for this int.
  static bool is_shared_int(PyObject* o) {
    constexpr long kLeast = -5, kMost = 256;
    if (!PyLong_CheckExact(o)) return false;
    int overflow = 0;
    const long value = PyLong_AsLongAndOverflow(o, &overflow);
    return !overflow && value >= kLeast && value <= kMost;
  }

  bool records_effects() override { return session() != nullptr; }
  bool is_of_graph(PyObject* o) override {
    const capture::Session* s = capture::current_session();
    if (!s || s->symbolic || (s->control_flow != capture::ControlFlow::Keep && s->control_flow != capture::ControlFlow::Guard))
      return false;
    return is_symbolic(o) || (python::is_tensor(o) && has_captured_values(tensor_of(o)));
  }

  // What the example's run of a loop raises is an error of the graph, which knows the usual classes alone: the exception of the program itself.
  static void restore_class() {
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    const nb::object text = nb::steal(value ? PyObject_Str(value) : nullptr);
    if (text.is_valid() && type == PyExc_RuntimeError) {
      const std::string_view line = text_of(text.ptr()).substr(0, text_of(text.ptr()).find('\n'));
      if (const KeptRaise* known = raise_of(t_raised, line.substr(0, line.find(": ")), text_of(text.ptr()))) {
        const std::string message(line.size() > known->name.size() ? line.substr(known->name.size() + 2) : "");
        PyErr_SetString(known->type.ptr(), message.c_str());
        Py_XDECREF(type), Py_XDECREF(value), Py_XDECREF(traceback);
        return;
      }
    }
    capture::machine::forget_error();
    PyErr_Restore(type, value, traceback);
  }

  // Imported before the machine runs anything.
  nb::object iterator_type_ = nb::module_::import_("monograph._loops").attr("SymbolicIterator");
  nb::object call_ = nb::module_::import_("monograph._loops").attr("call");
  nb::object counted_ = nb::module_::import_("monograph._loops").attr("counted");
  nb::object carried_list_type_ = nb::module_::import_("monograph._lists").attr("CarriedList");
  std::vector<std::unique_ptr<capture::Fork>> forks_;
  struct RaisePlace {
    std::string file, function;
    int line = 0;
  };
  std::map<PyObject*, RaisePlace> places_;  // where the program has raised; the exceptions are only compared
  std::vector<std::unique_ptr<capture::TracedLoop>> loops_;
};

}  // namespace

// The exception that is set leaves the capture: its texts are those of the example.
static void make_message_plain() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (value && PyExceptionInstance_Check(value)) {
    PyObject*& args = reinterpret_cast<PyBaseExceptionObject*>(value)->args;
    for (Py_ssize_t k = 0; args && k < PyTuple_GET_SIZE(args); ++k)
      if (Py_TYPE(PyTuple_GET_ITEM(args, k)) == &g_symtext_type) {
        nb::object all = check(PySequence_List(args));
        for (Py_ssize_t i = k; i < PyList_GET_SIZE(all.ptr()); ++i) {
          PyObject* item = PyList_GET_ITEM(all.ptr(), i);
          if (Py_TYPE(item) != &g_symtext_type) continue;
          const SymbolicValue* text = symbolic_value(symbolic_of(item));
          if (text->hint.is_string()) PyList_SetItem(all.ptr(), i, to_python(text->hint).release().ptr());
        }
        Py_XSETREF(args, PySequence_Tuple(all.ptr()));
        break;
      }
  }
  PyErr_Restore(type, value, traceback);
}

const std::vector<KeptRaise>& kept_raises() { return t_raised; }

namespace {

// A new reference. An __init__ in Python has made the text already, so it is not called again.
PyObject* made_exception(const KeptRaise& kept, PyObject* text) {
  auto* type = reinterpret_cast<PyTypeObject*>(kept.type.ptr());
  const nb::object args = kept.has_text ? check(PyTuple_Pack(1, text)) : check(PyTuple_New(0));
  const nb::object init = nb::handle(kept.type).attr("__init__");
  PyObject* made =
      PyFunction_Check(init.ptr()) ? type->tp_new(type, args.ptr(), nullptr) : PyObject_CallObject(kept.type.ptr(), args.ptr());
  if (!made) return nullptr;
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(kept.members.ptr(), &at, &key, &value);)
    if (PyObject_SetAttr(made, key, value) != 0) capture::machine::forget_error();
  return made;
}

// To the traceback of the exception that is set.
void add_line(const KeptRaise& kept) {
  if (!kept.line) return;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  const nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyCode_NewEmpty(kept.file.c_str(), kept.function.c_str(), kept.line)));
  const nb::object globals = nb::steal(PyDict_New());
  const nb::object frame = code.is_valid() && globals.is_valid()
                               ? nb::steal(reinterpret_cast<PyObject*>(
                                     PyFrame_New(PyThreadState_Get(), reinterpret_cast<PyCodeObject*>(code.ptr()), globals.ptr(), nullptr)))
                               : nb::object();
  if (!frame.is_valid()) capture::machine::forget_error();
  PyErr_Restore(type, value, traceback);
  if (frame.is_valid()) PyTraceBack_Here(reinterpret_cast<PyFrameObject*>(frame.ptr()));
}

}  // namespace

void restore_raise(const std::vector<KeptRaise>& kept) {
  if (kept.empty() || !PyErr_Occurred()) return;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyObject* made = nullptr;
  const KeptRaise* found = nullptr;
  if (const nb::object parts = nb::steal(value ? PyObject_GetAttrString(value, "_raised") : nullptr); parts.is_valid()) {
    const nb::object words = nb::steal(PyObject_Str(value));
    if (words.is_valid()) found = raise_of(kept, text_of(PyTuple_GET_ITEM(parts.ptr(), 0)), text_of(words.ptr()));
    if (found) made = made_exception(*found, PyTuple_GET_ITEM(parts.ptr(), 1));
  }
  if (!made || !PyExceptionInstance_Check(made)) {
    capture::machine::forget_error();
    Py_XDECREF(made);
    return PyErr_Restore(type, value, traceback);
  }
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made)), made);
  Py_DECREF(made);
  Py_XDECREF(type), Py_XDECREF(value), Py_XDECREF(traceback);
  add_line(*found);
}

PyObject* run_keeping(PyObject* function, PyObject* args, capture::machine::Watcher* watcher) {
  return guard([&] {
    t_reasons.clear(), t_raised.clear();
    GraphForks recorder;
    const KnownStreams streams;
    PyObject* result = capture::machine::run_with_forks(function, args, recorder, watcher);
    if (!result) make_message_plain();
    return result;
  });
}

void init_forks(PyObject* module) {
  nb::handle m(module);
  init_lists(module);
  m.attr("_kept_failures") = nb::cpp_function([] {
    nb::list list;
    for (const std::string& why : t_reasons) list.append(to_python(std::string_view(why)));
    return list;
  });
  m.attr("_kept_raises") = nb::cpp_function([] {
    nb::dict classes;
    for (const KeptRaise& k : t_raised) classes[to_python(std::string_view(k.name))] = k.type;
    t_raised.clear();
    return classes;
  });
  m.attr("_is_captured") = nb::cpp_function([](nb::handle t) { return is_tensor(t.ptr()) && is_captured(tensor_of(t.ptr())); });
  // int() or float() of what a graph computes, as its node; NotImplemented for anything else.
  m.attr("_captured_number") = nb::cpp_function([](bool real, nb::handle o) -> nb::object {
    auto none = [] { return nb::borrow(Py_NotImplemented); };
    if (is_tensor(o.ptr())) {
      const Tensor& t = tensor_of(o.ptr());
      if (t.numel() != 1 || !has_captured_values(t) || is_complex(t.dtype())) return none();
      return to_python(run_one(real ? "aten::Float.Tensor" : "aten::Int.Tensor", t));
    }
    if (!is_symbolic(o.ptr())) return none();
    const IValue& v = symbolic_of(o.ptr());
    if (symbolic_size(v)) return real ? to_python(run_one("aten::Float.int", v)) : nb::borrow(o);
    const SymbolicValue* number = symbolic_value(v);
    if (!number || !number->node) return none();
    const ir::Type type = number->node->type();
    const bool flag = type.is(ir::TypeKind::Bool) || number->hint.is_bool(),
               floats = type.is(ir::TypeKind::Float) || number->hint.is_float();
    const bool whole = type.is(ir::TypeKind::Int) || type.is(ir::TypeKind::SymInt) || number->hint.is_int();
    if (flag) return to_python(run_one(real ? "aten::Float.bool" : "aten::Int.bool", v));
    if (floats) return real ? nb::borrow(o) : to_python(run_one("aten::Int.float", v));
    if (whole) return real ? to_python(run_one("aten::Float.int", v)) : nb::borrow(o);
    return none();
  });
  // The smaller, or larger, of two ints of which a graph computes one: a node of the graph.
  const auto extreme = [](const char* name) {
    return [name](nb::handle a, nb::handle b) {
      IValue given[2], out;
      to_ivalue(a.ptr(), given[0]), to_ivalue(b.ptr(), given[1]);
      call(find_operator(name), given, &out);
      return to_python(out);
    };
  };
  m.attr("_smaller") = nb::cpp_function(extreme("prim::min.int"));
  m.attr("_larger") = nb::cpp_function(extreme("prim::max.int"));
}

}  // namespace monograph::python
