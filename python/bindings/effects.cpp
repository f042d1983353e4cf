// Texts and effects of captured programs. What Python knows (formats, loggers, files) is asked of monograph/_effects.py, which makes the nodes by the
// functions below.
#include "effects.h"

#include "capture/bytecode/reads.h"

#include <nanobind/stl/string.h>

#include <ranges>

#include "autograd/autocast.h"
#include "capture/capture.h"
#include "capture/machine/machine.h"
#include "capture/writer.h"
#include "ops/dispatch.h"
#include "ops/program_values.h"
#include "places.h"
#include "symbolic.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {
namespace {

nb::object tuple_of(PyObject* const* items, size_t count) {
  nb::object tuple = check(PyTuple_New(static_cast<Py_ssize_t>(count)));
  for (size_t k = 0; k < count; ++k) PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(k), Py_NewRef(items[k]));
  return tuple;
}

void add_functions(std::unordered_set<PyObject*>& to, const char* name) {
  for (nb::handle function : nb::module_::import_("monograph._effects").attr(name)) to.insert(function.ptr());
}

capture::Session& session() {
  capture::Session* s = capture::current_session();
  MONOGRAPH_CHECK(s, Runtime, "a text of a graph is made outside of a capture");
  return *s;
}
bool runs_on_types(const capture::Session& s) { return s.symbolic || s.writer.types_only; }

std::vector<IValue> values_of(nb::tuple args) {
  std::vector<IValue> values(nb::len(args));
  for (size_t k = 0; k < values.size(); ++k)
    MONOGRAPH_CHECK(!to_ivalue(PyTuple_GET_ITEM(args.ptr(), static_cast<Py_ssize_t>(k)), values[k]), Type, "a graph cannot show this");
  return values;
}

std::vector<IValue> examples(const Operator& op, const std::vector<IValue>& values) {
  std::vector<IValue> plain;
  for (const IValue& v : values) plain.push_back(capture::example(op, v));
  return plain;
}

// What an operator of texts makes of these, as a value of the graph. Its own reads of tensors are none of the program's.
nb::object text_node(const std::string& name, nb::tuple args) {
  capture::Session& s = session();
  const Operator& op = find_operator(name);
  const std::vector<IValue> values = values_of(args);
  IValue hint;
  if (!runs_on_types(s)) {
    std::vector<IValue> plain = examples(op, values);
    const capture::Pause pause;
    call(op, plain.data(), &hint);
  }
  return to_python(s.writer.number(s.writer.append(op, values.data()), hint));
}

// The node of an effect; with control_flow="guard" it happens now alone. Its arguments in the example, or None where no example runs.
nb::object effect_node(const std::string& name, nb::tuple args) {
  capture::Session& s = session();
  const Operator& op = find_operator(name);
  const std::vector<IValue> values = values_of(args);
  if (s.symbolic || s.control_flow == capture::ControlFlow::Keep) s.writer.append(op, values.data());
  if (runs_on_types(s)) return nb::none();
  nb::object plain = check(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  Py_ssize_t k = 0;
  for (const IValue& v : examples(op, values)) PyTuple_SET_ITEM(plain.ptr(), k++, to_python(v).release().ptr());
  return plain;
}

bool is_of_running_graph(PyObject* o) {
  if (is_symbolic(o)) return true;
  return is_tensor(o) && has_captured_values(tensor_of(o));
}

nb::object python_effect(const char* name) { return nb::module_::import_("monograph._effects").attr(name); }

}  // namespace

TextRecorder::TextRecorder(nb::object texts) : texts_(std::move(texts)) {
  add_functions(texts_made_, "TEXTS"), add_functions(effects_, "EFFECTS");
}

int64_t TextRecorder::mode() {
  const DispatchState& state = dispatch_state();
  const AutocastState& cast = autocast_state();
  return state.grad_enabled | state.autocast << 1 | capture::grad_mode_of_program() << 2 | inference_mode() << 3 | cast.cache_enabled << 4 |
         static_cast<int64_t>(cast.dtype) << 8 | static_cast<int64_t>(cast.nesting) << 16;
}
void TextRecorder::restore_mode(int64_t mode) {
  DispatchState& state = dispatch_state();
  state.grad_enabled = (mode & 1) != 0, state.autocast = (mode & 2) != 0;
  capture::set_grad_mode_of_program((mode & 4) != 0);
  set_inference_mode((mode & 8) != 0);
  AutocastState& cast = autocast_state();
  cast.cache_enabled = (mode & 16) != 0, cast.dtype = static_cast<DType>(mode >> 8 & 0xff), cast.nesting = static_cast<int>(mode >> 16);
}

bool TextRecorder::is_shown(PyObject* o) {
  if (!o || PyUnicode_CheckExact(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o) || o == Py_None) return false;
  if (is_of_graph(o)) return true;
  if (PyDict_CheckExact(o)) {
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);)
      if (is_shown(key) || is_shown(value)) return true;
    return false;
  }
  if (!PyTuple_Check(o) && !PyList_CheckExact(o)) return false;
  if (Py_EnterRecursiveCall(" in a text")) return PyErr_Clear(), false;
  bool found = false;
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(o) && !found; ++k) found = is_shown(PySequence_Fast_GET_ITEM(o, k));
  Py_LeaveRecursiveCall();
  return found;
}

PyObject* TextRecorder::ask(const char* method, PyObject* const* args, size_t count) {
  const capture::machine::Unwatched unwatched;
  return guard([&]() -> PyObject* {
    nb::object result = check(PyObject_CallObject(nb::object(texts_.attr(method)).ptr(), tuple_of(args, count).ptr()));
    return result.ptr() == Py_NotImplemented ? nullptr : result.release().ptr();
  });
}

PyObject* TextRecorder::format(PyObject* value, char conversion, PyObject* spec) {
  return guard([&] {
    const nb::object how = to_python(std::string_view(&conversion, conversion ? 1 : 0)), empty = to_python(std::string_view());
    PyObject* args[] = {value, how.ptr(), spec ? spec : empty.ptr()};
    return ask("format", args, 3);
  });
}
PyObject* TextRecorder::put_together(PyObject* const* parts, size_t count) { return ask("put_together", parts, count); }
PyObject* TextRecorder::percent(PyObject* format, PyObject* values) {
  PyObject* args[] = {format, values};
  return ask("percent", args, 2);
}

PyObject* TextRecorder::folded(PyObject* function, PyObject* value, PyObject* source, PyObject* iterator, Py_ssize_t count,
                               PyObject* keywords) {
  const capture::machine::Unwatched unwatched;
  return guard([&]() -> PyObject* {
    const nb::object expression = source ? nb::object(nb::make_tuple(nb::handle(source), nb::handle(iterator))) : nb::object(nb::none());
    const nb::object names = keywords ? nb::borrow(keywords) : nb::object(nb::make_tuple());
    nb::object made =
        nb::module_::import_("monograph._folds").attr("fold")(nb::handle(function), nb::handle(value), expression, count, names);
    return made.is_none() ? nullptr : made.release().ptr();
  });
}
PyObject* TextRecorder::say(PyObject* function, PyObject* const* args, size_t count, PyObject* keywords) {
  if (!effects_.contains(function)) {
    bool any = false;
    for (size_t k = 0; k < count && !any; ++k) any = is_shown(args[k]);
    if (!any) return nullptr;
  }
  return guard([&] {
    const auto named = static_cast<size_t>(keywords ? PyTuple_GET_SIZE(keywords) : 0);
    nb::dict given;
    for (size_t k = 0; k < named; ++k)
      check(PyDict_SetItem(given.ptr(), PyTuple_GET_ITEM(keywords, static_cast<Py_ssize_t>(k)), args[count - named + k]));
    const nb::object positional = tuple_of(args, count - named);
    PyObject* all[] = {function, positional.ptr(), given.ptr()};
    return ask("call", all, 3);
  });
}

static thread_local std::vector<Writers::Written>* t_writers = nullptr;

Writers::Writers() : outer_(std::exchange(t_writers, &writers_)) {}
Writers::~Writers() { t_writers = outer_; }

#ifdef MONOGRAPH_MACHINE
std::optional<std::pair<std::string, std::string>> Writers::read_by(const capture::bytecode::ReadSet& reads) const {
  for (const auto& [object, key, place] : writers_) {
    const bool read = key.is_none() ? reads.is_older(object.ptr())
                                    : reads.guards.reads_item(object.ptr(), key.ptr()) || reads.symbol_of(object.ptr(), key.ptr());
    if (!read) continue;
    const std::string name = key.is_none() ? reads.name_of(object.ptr()) : concat("the global ", text_of(key.ptr()));
    return std::pair(concat("reads ", name, ", to which it also writes by warning or logging"), place);
  }
  return {};
}
#endif

HeldEffects::HeldEffects() : before_(python_effect("hold")()) {}
HeldEffects::~HeldEffects() {
  if (ended_) return;
  const nb::error_scope under_way;
  if (!end(false)) capture::machine::forget_error();
}
bool HeldEffects::end(bool say) {
  ended_ = true;
  return guard([&] { return python_effect("release")(before_, say), 1; }) == 1;
}

KnownStreams::KnownStreams() : before_(python_effect("begin")()) {}
KnownStreams::~KnownStreams() {
  const nb::error_scope under_way;
  if (guard([&] { return python_effect("end")(before_), 1; }) < 0) capture::machine::forget_error();
}

void drop_unread_texts(ir::Graph& graph) {
  std::vector<ir::Node*> texts;
  for (ir::Node* n : ir::NestedNodes(graph))
    if (n->op() == ir::Op::CallFunction && n->type().is(ir::TypeKind::Str) && n->info() && !n->info()->effects().writes) texts.push_back(n);
  for (ir::Node* n : std::views::reverse(texts))  // a text before those that it is made of
    if (!n->has_uses()) graph.erase(n);
}

void init_effects(PyObject* module) {
  nb::handle m(module);
  m.attr("_text_node") = nb::cpp_function(text_node);
  m.attr("_effect_node") = nb::cpp_function(effect_node);
  m.attr("_is_of_graph") = nb::cpp_function([](nb::handle o) { return is_of_running_graph(o.ptr()); }, nb::arg("o").none());
  // Whether a list of the graph is a torch.Size where the program runs.
  m.attr("_is_shape") = nb::cpp_function([](nb::handle list) {
    static const Operator &size = find_operator("aten::size"), &cut = find_operator("aten::slice.t"),
                          &joined = find_operator("aten::add.t");
    const SymbolicValue* value = is_symbolic(list.ptr()) ? symbolic_value(symbolic_of(list.ptr())) : nullptr;
    const ir::Node* node = value ? value->node : nullptr;
    while (node && (node->info() == &cut || node->info() == &joined) && node->arg(0).node()) node = node->arg(0).node();
    return node && node->info() == &size;
  });
  // The same list of the graph as another object of Python.
  m.attr("_another_list") = nb::cpp_function([](nb::handle list) { return wrap_symbolic(symbolic_of(list.ptr())); });
  m.attr("_note_writer") = nb::cpp_function(
      [](nb::handle o, nb::handle key) {
        if (t_writers) t_writers->push_back({nb::borrow(o), nb::borrow(key), caller_place_in_words()});
      },
      nb::arg("o"), nb::arg("key").none() = nb::none());
  m.attr("_is_in_block") = nb::cpp_function([] {
    const capture::Session* s = capture::current_session();
    return s && s->writer.graph.insert_point().block->owner() != nullptr;
  });
  m.attr("_plain_text") = nb::cpp_function([](nb::handle o) { return plain_text(o.ptr()); });
  print_line = [](const std::string& line) {
    nb::gil_scoped_acquire gil;
    python_effect("happens")("print", line);
  };
  write_text = [](const std::string& text, bool errors) {
    nb::gil_scoped_acquire gil;
    python_effect("happens")("write", text, errors);
  };
  warn_user = [](const std::string& message) {
    nb::gil_scoped_acquire gil;
    nb::module_::import_("warnings").attr("warn")(message, nb::arg("stacklevel") = 2);
  };
  warn_captured = [](const CapturedWarning& w) {
    nb::gil_scoped_acquire gil;
    python_effect("happens")("warn", w.message, w.category, w.module, w.file, w.line);
  };
  log_captured = [](const CapturedLog& l) {
    nb::gil_scoped_acquire gil;
    python_effect("happens")("message", l.logger, l.level, l.message, l.file, l.line, l.function);
  };
}

}  // namespace monograph::python
