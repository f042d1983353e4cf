// A call that is captured: the function runs once in the capture machine, as a trace, while what it reads and writes is noted. Its result is the program's.
// Where it cannot be captured, all that it wrote is put back, and the function runs as Python runs it.
#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <unordered_set>

#include "capture/bytecode/reads.h"
#include "capture/capture.h"
#include "capture/regions.h"
#include "compile_arguments.h"
#include "compile_breaks.h"
#include "compile_changes.h"
#include "compile_sizes.h"
#include "compile_tensors.h"
#include "core/generator.h"
#include "core/storage.h"
#include "effects.h"
#include "forks.h"
#include "graph.h"
#include "ir/unit.h"
#include "lists.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/record.h"
#include "ops/size_nodes.h"
#include "ops/size_values.h"
#include "symbolic.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python::compiled {
namespace {

thread_local int t_compiling = 0;
PyObject* g_tables_of_all = nullptr;

}  // namespace

void set_tables_of_all(PyObject* dicts) { Py_XSETREF(g_tables_of_all, Py_NewRef(dicts)); }
PyObject* tables_of_all() { return g_tables_of_all; }

bool is_capturing() { return t_compiling > 0 || capture::current_session() != nullptr || has_capture_hook(); }
bool is_compiling() { return t_compiling > 0; }

#ifdef MONOGRAPH_MACHINE
namespace {

using capture::bytecode::shown;

struct Refusal {
  std::string kind, detail, where;
  int64_t at = 0;  // the instruction that the graph can end before; 0 for none
  bool of_function = false;  // an error that the function itself may raise, too
};

PyObject* abort_type() {
  static PyObject* const type = PyErr_NewException("monograph._C._CaptureEnded", PyExc_BaseException, nullptr);
  return type;
}

// One capture of a call.
class CapturedCall {
 public:
  CapturedCall(PyObject* function, PyObject* const* args, Py_ssize_t positional, PyObject* keywords, const CompileOptions& options,
               FreshObjects& fresh)
      : function_(function),
        args_(args),
        positional_(positional),
        keywords_(keywords),
        options_(options),
        fresh_(fresh),
        reads_(tensors_, abort_type()) {
    entry_ = std::make_unique<CapturedEntry>();
    entry_->positional = positional, entry_->keywords = Object(keywords);
    PyObject* called = PyMethod_Check(function) ? PyMethod_GET_FUNCTION(function) : function;
    reads_.enters_objects = true;
    reads_.records_effects = !options.flat;
    reads_.points.active = PyFunction_Check(called) || is_rest(function);
    if (PyFunction_Check(called)) reads_.points.root = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(called));
    else if (is_rest(function)) reads_.points.root = break_of(function).standing.frames.front().code;
    reads_.points.handled = PyThreadState_Get()->exc_info->exc_value;
    reads_.began_with_grad = dispatch_state().grad_enabled;
  }

  // The graph is to end before this instruction, for a reason that an earlier run has found.
  void end_before(const Refusal& reason) {
    reason_ = reason;
    reads_.points.stop_at = reason.at, reads_.points.keeps_locals = reason.detail.starts_with("calls sys._getframe(");
  }
  // Null without an exception where the call cannot be captured so: all that it did is put back, and `refusal` says why.
  PyObject* run(std::unique_ptr<CapturedEntry>& entry, Refusal& refusal);
  bool takes_numbers() const { return !numbers_.empty(); }
  // Behind a run that was captured: the call's result. Where a backend has made a callable of the graph, that runs for this call too.
  PyObject* first_result(PyObject* of_capture, CapturedEntry& entry);
  // The call runs as Python runs it. The entry, for calls of which that is known.
  PyObject* run_plainly(std::unique_ptr<CapturedEntry>& entry, Refusal& refusal);

 private:
  // `held_by`: the list, tuple or dict that has it, under `key`; null for an argument itself.
  void flatten(PyObject* o, const std::string& name, int depth, PyObject* held_by = nullptr, PyObject* key = nullptr);
  bool flatten_own(PyObject* o, const std::string& name, int depth);
  void flatten_object(PyObject* o, ArgumentSpec a, int depth);
  size_t add_container(PyObject* o, const std::string& name);
  void read_roots();
  nb::object run_function();
  IValue results_of(PyObject* result);
  size_t recipe(PyObject* o, int depth);
  size_t add(ResultRecipe r) {
    entry_->recipes.push_back(std::move(r));
    return entry_->recipes.size() - 1;
  }
  size_t recipe_of_instance(PyObject* o, int depth);
  std::optional<size_t> recipe_of_dict_iterator(PyObject* o, int depth);
  std::optional<size_t> recipe_of_own(PyObject* o, int depth);
  nb::object values_at_break();
  void note_writes();
  void note_write(PyObject* object, PyObject* before);
  void refuse(std::string kind, std::string detail) { throw Refusal{std::move(kind), std::move(detail), "", 0}; }
  void install(ir::Unit& unit);
  void split_guards(const ir::Graph& graph);
  struct Changes {
    std::string by;  // an operator that writes to what the graph has not made; "" for none
    bool random = false;  // the default generator's stream goes on
  };
  Changes changes_of(const ir::Graph& graph);
  bool writes_to_leaf(const ir::Graph& graph, const ir::Node* n) const;
  void settle(PyObject*& result);
  void make_runner(nb::object graph);
  void add_numbers_outside(std::vector<IValue>& examples, std::vector<std::string>& names);
  void take_numbers_outside(ir::Graph& graph, size_t of_arguments);
  void drop_unread_inputs(ir::Graph& graph);
  PyObject* capture(std::unique_ptr<CapturedEntry>& entry);
  void put_back(bool caches = true);
  CapturedEntry::CallInputs call_inputs() const {
    CapturedEntry::CallInputs call;
    call.tensors = inputs_, call.numbers = numbers_, call.containers = containers_;
    call.fresh = &fresh_;
    return call;
  }

  PyObject* function_;
  PyObject* const* args_;
  Py_ssize_t positional_;
  PyObject* keywords_;
  const CompileOptions& options_;
  FreshObjects& fresh_;
  FreshObjects made_for_frames_;
  Refusal reason_;
  TensorsOfRun tensors_;
  ReadSet reads_;
  Writers writers_;
  std::unique_ptr<CapturedEntry> entry_;
  std::vector<PyObject*> inputs_, numbers_, containers_;
  std::vector<std::pair<size_t, size_t>> number_places_;  // which of args_ they are, and which of numbers_
  struct HeldNumber {
    Object container, key;  // a list or dict among the arguments
    size_t index;  // of numbers_
  };
  std::unordered_set<PyObject*> bare_tuples_;
  std::map<std::pair<PyObject*, Py_ssize_t>, size_t> numbers_in_tuples_;  // which of numbers_ stands at this place
  std::vector<Object> made_tuples_;
  PyObject* with_symbols(PyObject* tuple);
  std::vector<HeldNumber> held_numbers_;  // while the function runs, the container has the symbol in the place of the number
  std::vector<Object> held_values_;
  bool put_symbols();
  void take_symbols_back();
  std::vector<Object> symbols_;  // what the program gets for them
  std::unordered_map<PyObject*, size_t> container_at_, made_;
  std::vector<Object> keep_;  // objects whose addresses `made_` knows
  std::vector<IValue> outputs_, given_;  // given_: with what the example's way gave for the result of a branch
  bool other_objects_ = false;  // the two differ, or a CarriedList stands for a plain list
  bool symbolic_ = false;  // the result, or what was written, holds numbers of the graph
  bool function_raised_ = false;
  std::string of_operator_;  // the first error that an operator has raised
  bool runs_again_ = false;  // the backend's callable is to give the result of this call
  DispatchState state_ = dispatch_state();
  bool inference_ = inference_mode(), of_program_ = capture::grad_mode_of_program();
  std::vector<uint8_t> random_ = default_generator().get_state();
  uint64_t seed_ = default_generator().initial_seed();
};

// --- Before the run.

void CapturedCall::flatten(PyObject* o, const std::string& name, int depth, PyObject* held_by, PyObject* key) {
  constexpr int kDepth = 32;
  constexpr size_t kMost = 100'000;  // tuples may share their parts: such a tree has more of them than memory has room
  if (entry_->arguments.size() >= kMost) refuse("arguments", "an argument holds more than 100,000 values");
  ArgumentSpec a;
  a.name = name;
  if (is_rest(function_) && flatten_own(o, name, depth)) return;
  const bool object = depth <= kDepth && !reads_.is_older(o) && is_taken_apart(o);
  const bool container = object || container_at_.contains(o) || PyTuple_Check(o) || PyList_CheckExact(o) || PyDict_CheckExact(o) ||
                         (PyODict_CheckExact(o) && !PyErr_Occurred());
  if (python::is_tensor(o)) {
    a.kind = ArgumentSpec::Kind::Tensor;
    const auto known = std::ranges::find(inputs_, o);
    a.index = static_cast<size_t>(known - inputs_.begin());
    if (known == inputs_.end()) {
      inputs_.push_back(o);
      entry_->inputs.emplace_back(o, options_.static_sizes);
      tensors_.add_input(o);
    }
    entry_->arguments.push_back(std::move(a));
    return;
  }
  int overflow = 0;
  if (PyLong_CheckExact(o)) PyLong_AsLongLongAndOverflow(o, &overflow);
  const bool may_change = depth == 0 || (held_by && (!PyTuple_Check(held_by) || bare_tuples_.contains(held_by)));
  // A list or tuple whose number has changed: the others will, too.
  auto changes = [&](const std::string& number, PyObject* list) {
    return options_.changing_numbers->contains(number) ||
           (list && !PyDict_Check(list) && options_.changing_numbers->contains(concat(number.substr(0, number.rfind('[')), "[*]")));
  };
  if ((PyLong_CheckExact(o) || PyFloat_CheckExact(o)) && !overflow && may_change && changes(name, held_by)) {
    a.kind = PyFloat_CheckExact(o) ? ArgumentSpec::Kind::Float : ArgumentSpec::Kind::Int, a.index = numbers_.size();
    if (held_by && PyTuple_Check(held_by)) numbers_in_tuples_[{held_by, PyLong_AsSsize_t(key)}] = numbers_.size();
    else if (held_by) held_numbers_.push_back({Object(held_by), Object(key), numbers_.size()});
    numbers_.push_back(o);
    entry_->arguments.push_back(std::move(a));
    return;
  }
  // A tuple of constants is one, as long as none of its numbers has changed.
  const bool bare = PyTuple_CheckExact(o) && !container_at_.contains(o) && (depth == 0 || bare_tuples_.contains(held_by));
  const auto changing = bare ? options_.changing_numbers->lower_bound(concat(name, "[")) : options_.changing_numbers->end();
  const bool has_changed = changing != options_.changing_numbers->end() && changing->starts_with(concat(name, "["));
  if (!container || depth > kDepth || (Expected::compares_by_value(o) && !has_changed)) {
    a.kind = Expected::compares_by_value(o) ? ArgumentSpec::Kind::Value : ArgumentSpec::Kind::Same;
    a.expected = Expected(o);
    entry_->arguments.push_back(std::move(a));
    reads_.add_older(o, name);
    return;
  }
  if (const auto known = container_at_.find(o); known != container_at_.end() && !PyTuple_Check(o)) {
    a.kind = ArgumentSpec::Kind::Again, a.index = known->second;
    entry_->arguments.push_back(std::move(a));
    return;
  }
  // A tuple that is an argument, or stands in such a one, can be another one in the run. Where it stands elsewhere too, its numbers are compared.
  if (bare) bare_tuples_.insert(o);
  else bare_tuples_.erase(o);
  a.type = Object(reinterpret_cast<PyObject*>(Py_TYPE(o)));
  a.index = add_container(o, name);
  if (object) {
    flatten_object(o, std::move(a), depth);
  } else if (PyDict_Check(o)) {
    a.kind = ArgumentSpec::Kind::Dict, a.size = PyDict_GET_SIZE(o);
    PyObject *entry = nullptr, *value = nullptr;
    for (Py_ssize_t k = 0; PyDict_Next(o, &k, &entry, &value);) {
      if (!Expected::compares_by_value(entry))
        refuse("arguments", "an argument is a dict with a key of type " + std::string(Py_TYPE(entry)->tp_name));
      a.keys.emplace_back(entry);
    }
    entry_->arguments.push_back(a);
    for (Py_ssize_t k = 0; PyDict_Next(o, &k, &entry, &value);)
      flatten(value, capture::bytecode::item_name(name, entry), depth + 1, o, entry);
  } else {
    const bool tuple = PyTuple_Check(o);
    a.kind = tuple ? ArgumentSpec::Kind::Tuple : ArgumentSpec::Kind::List;
    a.size = PySequence_Fast_GET_SIZE(o);
    entry_->arguments.push_back(a);
    for (Py_ssize_t k = 0; k < a.size; ++k) {
      const Object index = Object::taken(PyLong_FromSsize_t(k));
      flatten(tuple ? PyTuple_GET_ITEM(o, k) : PyList_GET_ITEM(o, k), concat(name, "[", k, "]"), depth + 1, o, index.get());
    }
  }
}

void CapturedCall::flatten_object(PyObject* o, ArgumentSpec a, int depth) {
  using Kind = ArgumentSpec::Kind;
  if (PyAnySet_Check(o)) {
    a.kind = Kind::Set, a.keys = elements_of(o);
    return entry_->arguments.push_back(std::move(a));
  }
  if (const auto slots = slots_of_plain(o)) {
    a.kind = Kind::Slots;
    for (const Object& slot : *slots) (slot_of(o, slot.get()) ? a.keys : a.absent).push_back(slot);
    a.size = static_cast<Py_ssize_t>(a.keys.size());
    entry_->arguments.push_back(a);
    reads_.add_argument_object(o, o);
    for (const Object& slot : a.keys) flatten(slot_of(o, slot.get()).get(), concat(a.name, ".", text_of(slot.get())), depth + 1);
    return;
  }
  const Object fields = Object::taken(PyObject_GenericGetDict(o, nullptr));
  const std::string name = a.name;
  a.kind = Kind::Object;
  entry_->arguments.push_back(std::move(a));
  reads_.add_argument_object(o, fields.get());
  flatten(fields.get(), concat(name, ".__dict__"), depth + 1);
}

size_t CapturedCall::add_container(PyObject* o, const std::string& name) {
  containers_.push_back(o);
  reads_.add_argument(o, name);
  return container_at_.try_emplace(o, containers_.size() - 1).first->second;
}

// What the frames of a rest hold: what the call itself has made, and iterators.
bool CapturedCall::flatten_own(PyObject* o, const std::string& name, int depth) {
  using Kind = ArgumentSpec::Kind;
  const bool iterator = PyIter_Check(o) && !(Py_TYPE(o)->tp_flags & Py_TPFLAGS_HEAPTYPE), builtin = is_bound_builtin(o);
  if (!iterator && !builtin && !fresh_.contains(o)) return false;
  ArgumentSpec a;
  a.name = name;
  auto push = [&](Kind kind) {
    a.kind = kind;
    entry_->arguments.push_back(a);
  };
  if (const auto known = container_at_.find(o); known != container_at_.end()) {
    a.index = known->second;
    return push(Kind::Again), true;
  }
  a.type = Object(reinterpret_cast<PyObject*>(Py_TYPE(o)));
  auto part = [&](PyObject* value, std::string_view word) { flatten(value ? value : Py_None, concat(name, word), depth + 1); };
  if (iterator) {
    a.index = add_container(o, name);
    return push(Kind::Iterator), true;
  }
  if (PyCell_Check(o)) {
    a.index = add_container(o, name), a.size = PyCell_GET(o) ? 1 : 0;
    push(Kind::Cell);
    if (a.size) part(PyCell_GET(o), "");
  } else if (PyFunction_Check(o)) {
    PyObject* cells = PyFunction_GET_CLOSURE(o);
    a.index = add_container(o, name), a.size = cells ? PyTuple_GET_SIZE(cells) : 0;
    a.type = Object(PyFunction_GET_CODE(o)), a.expected = Expected(PyFunction_GET_GLOBALS(o));
    reads_.add_made_function(o);
    push(Kind::Function);
    for (Py_ssize_t k = 0; k < a.size; ++k) part(PyTuple_GET_ITEM(cells, k), concat(".__closure__[", k, "]"));
    part(PyFunction_GET_DEFAULTS(o), ".__defaults__");
    part(PyFunction_GET_KW_DEFAULTS(o), ".__kwdefaults__");
  } else if (builtin) {
    a.index = add_container(o, name), a.expected = Expected(o);
    push(Kind::Method);
    part(PyCFunction_GET_SELF(o), ".__self__");
  } else if (PyMethod_Check(o)) {
    a.index = add_container(o, name);
    push(Kind::Method);
    part(PyMethod_GET_FUNCTION(o), ".__func__");
    part(PyMethod_GET_SELF(o), ".__self__");
  } else if (!PyDict_Check(o)) {
    const Object fields = Object::taken(PyObject_GenericGetDict(o, nullptr));
    if (!fields) return capture::machine::forget_error(), false;
    a.index = add_container(o, name);
    push(Kind::Instance);
    part(fields.get(), ".__dict__");
  } else {
    return false;
  }
  return true;
}

void CapturedCall::read_roots() {
  PyObject* f = function_;
  PyObject* self = Py_IS_TYPE(f, &PyMethod_Type) ? PyMethod_GET_SELF(f) : nullptr;
  if (self) reads_.add_older(self, "self");
  if (!is_rest(f)) reads_.add_older(f, PyFunction_Check(f) ? "f" : "self");
  for (Py_ssize_t k = 0; g_tables_of_all && k < PyTuple_GET_SIZE(g_tables_of_all); ++k)
    reads_.guards.add_dict(PyTuple_GET_ITEM(g_tables_of_all, k), PyTuple_GET_ITEM(g_tables_of_all, k), "the hooks of all modules");
  const Py_ssize_t count = positional_ + (keywords_ ? PyTuple_GET_SIZE(keywords_) : 0);
  PyObject* names = options_.names.get();
  for (Py_ssize_t k = 0; k < count; ++k) {
    std::string name = concat("arg_", k);
    if (k >= positional_) name = std::string(text_of(PyTuple_GET_ITEM(keywords_, k - positional_)));
    else if (k < PyTuple_GET_SIZE(names)) name = std::string(text_of(PyTuple_GET_ITEM(names, k)));
    const size_t numbers = numbers_.size();
    if (!reads_.points.keeps_locals && !reads_argument(f, k, k < positional_ ? nullptr : PyTuple_GET_ITEM(keywords_, k - positional_))) {
      ArgumentSpec unread;
      unread.kind = ArgumentSpec::Kind::Unread, unread.name = name;
      entry_->arguments.push_back(std::move(unread));
      continue;
    }
    flatten(args_[k], name, 0);
    if (numbers_.size() > numbers && numbers_.back() == args_[k]) number_places_.emplace_back(static_cast<size_t>(k), numbers);
  }
  entry_->containers = containers_.size();
}

// --- The run.

static bool put_item(PyObject* container, PyObject* key, PyObject* value) {
  if (PyDict_Check(container)) return PyDict_SetItem(container, key, value) == 0;
  const Py_ssize_t k = PyLong_AsSsize_t(key);
  return k < PyList_GET_SIZE(container) && PyList_SetItem(container, k, Py_NewRef(value)) == 0;
}
static PyObject* item_of(PyObject* container, PyObject* key) {
  if (PyDict_Check(container)) return PyDict_GetItemWithError(container, key);
  const Py_ssize_t k = PyLong_AsSsize_t(key);
  return k < PyList_GET_SIZE(container) ? PyList_GET_ITEM(container, k) : nullptr;
}

bool CapturedCall::put_symbols() {
  for (const HeldNumber& held : held_numbers_) {
    held_values_.emplace_back(numbers_[held.index]);
    if (!put_item(held.container.get(), held.key.get(), symbols_[held.index].get())) return false;
  }
  return true;
}

// Where the program has left the symbol, the number stands again.
void CapturedCall::take_symbols_back() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  for (size_t k = 0; k < held_values_.size(); ++k) {
    const HeldNumber& held = held_numbers_[k];
    if (item_of(held.container.get(), held.key.get()) == symbols_[held.index].get())
      put_item(held.container.get(), held.key.get(), held_values_[k].get());
  }
  held_values_.clear();
  PyErr_Restore(type, value, traceback);
}

// A tuple like this one, with symbols in the place of numbers, which stands for the argument.
PyObject* CapturedCall::with_symbols(PyObject* tuple) {
  const Object made = Object::taken(PyTuple_New(PyTuple_GET_SIZE(tuple)));
  if (!made) raise_set();
  made_tuples_.push_back(made);
  bool changed = false;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(tuple); ++k) {
    PyObject* item = PyTuple_GET_ITEM(tuple, k);
    const auto number = numbers_in_tuples_.find({tuple, k});
    if (number != numbers_in_tuples_.end()) item = symbols_[number->second].get();
    else if (bare_tuples_.contains(item)) item = with_symbols(item);
    changed = changed || item != PyTuple_GET_ITEM(tuple, k);
    PyTuple_SET_ITEM(made.get(), k, Py_NewRef(item));
  }
  if (!changed) return tuple;
  const size_t index = container_at_.at(tuple);
  container_at_.emplace(made.get(), index);
  reads_.add_argument(made.get(), reads_.name_of(tuple));
  return made.get();
}

nb::object CapturedCall::run_function() {
  std::vector<PyObject*> args(args_, args_ + positional_ + (keywords_ ? PyTuple_GET_SIZE(keywords_) : 0));
  for (const auto& [place, number] : number_places_) args[place] = symbols_[number].get();
  for (PyObject*& arg : args)
    if (bare_tuples_.contains(arg) && !numbers_in_tuples_.empty()) arg = with_symbols(arg);
  if (!put_symbols()) raise_set();
  nb::object positional = check(PyTuple_New(positional_));
  for (Py_ssize_t k = 0; k < positional_; ++k) PyTuple_SET_ITEM(positional.ptr(), k, Py_NewRef(args[static_cast<size_t>(k)]));
  nb::object named = keywords_ ? check(PyDict_New()) : nb::object();
  for (Py_ssize_t k = 0; keywords_ && k < PyTuple_GET_SIZE(keywords_); ++k)
    check(PyDict_SetItem(named.ptr(), PyTuple_GET_ITEM(keywords_, k), args[static_cast<size_t>(positional_ + k)]));
  if (options_.flat) return check(capture::machine::run_watched(function_, positional.ptr(), named.ptr(), reads_));
  nb::object inner =
      nb::cpp_function([&] { return check(capture::machine::run_watched(function_, positional.ptr(), named.ptr(), reads_)); });
  return check(run_keeping(inner.ptr(), check(PyTuple_New(0)).ptr()));
}

// --- Behind the run: what is returned and written, as recipes.

size_t CapturedCall::recipe_of_instance(PyObject* o, int depth) {
  PyTypeObject* type = Py_TYPE(o);
  if (PyIter_Check(o)) refuse("result", concat("returns or keeps a new iterator of type ", type->tp_name));
  const bool mapping = PyDict_Check(o);
  const newfunc plain = mapping ? (PyODict_Check(o) ? PyODict_Type.tp_new : PyDict_Type.tp_new) : PyBaseObject_Type.tp_new;
  const Py_ssize_t base =
      mapping ? (PyODict_Check(o) ? PyODict_Type.tp_basicsize : PyDict_Type.tp_basicsize) : PyBaseObject_Type.tp_basicsize;
  const bool slots = has_slots(type) || type->tp_basicsize > base + static_cast<Py_ssize_t>(2 * sizeof(PyObject*)) ||
                     (type->tp_new != plain && (mapping || !reason_.at));
  if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE || PyODict_CheckExact(o)) || slots || PyList_Check(o) || PyAnySet_Check(o) ||
      PyType_Check(o) || PyModule_Check(o) ||
      !(mapping || type->tp_base == &PyBaseObject_Type || type->tp_new == PyBaseObject_Type.tp_new ||
        (reason_.at && capture::machine::is_python_class(type))))
    refuse("result", concat("returns or keeps a new object of type ", type->tp_name));
  ResultRecipe r;
  r.kind = mapping ? ResultRecipe::Kind::Mapping : ResultRecipe::Kind::Instance;
  r.value = Object(reinterpret_cast<PyObject*>(type));
  // The dict of the object may be held by the program too: then it is the same dict behind the run.
  Object fields = Object::taken(PyObject_GenericGetDict(o, nullptr));
  if (!fields) capture::machine::forget_error(), fields = Object::taken(PyDict_New());
  PyObject *key = nullptr, *value = nullptr;
  r.parts.push_back(recipe(fields.get(), depth + 1));
  if (mapping)
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) {
      if (!Expected::compares_by_value(key)) refuse("result", "returns a mapping with unusual keys");
      r.keys.emplace_back(key);
      r.parts.push_back(recipe(value, depth + 1));
    }
  return add(std::move(r));
}

// An iterator over a dict is made again from the dict, and goes on where it stands.
std::optional<size_t> CapturedCall::recipe_of_dict_iterator(PyObject* o, int depth) {
  PyTypeObject* const type = Py_TYPE(o);
  const char* view = type == &PyDictIterKey_Type     ? "keys"
                     : type == &PyDictIterValue_Type ? "values"
                     : type == &PyDictIterItem_Type  ? "items"
                                                     : nullptr;
  if (!view) return {};
  PyObject* dict = nullptr;
  type->tp_traverse(
      o,
      [](PyObject* part, void* found) {
        if (PyDict_Check(part)) *static_cast<PyObject**>(found) = part;
        return 0;
      },
      &dict);
  const Py_ssize_t left = PyObject_LengthHint(o, -1);
  if (!dict || left < 0 || left > PyDict_GET_SIZE(dict)) return capture::machine::forget_error(), std::nullopt;
  static PyObject* const resume = [] {
    PyObject* module = PyImport_ImportModule("monograph._dynamo.breaks");
    return module ? PyObject_GetAttrString(module, "dict_iterator") : nullptr;
  }();
  if (!resume) return capture::machine::forget_error(), std::nullopt;
  ResultRecipe r;
  r.kind = ResultRecipe::Kind::Iterator, r.value = Object(resume);
  for (const Object& part :
       {Object(dict), Object::taken(PyUnicode_FromString(view)), Object::taken(PyLong_FromSsize_t(PyDict_GET_SIZE(dict) - left))}) {
    keep_.push_back(part);
    r.parts.push_back(recipe(part.get(), depth + 1));
  }
  return add(std::move(r));
}

// Cells, functions, methods and iterators that the run has made: frames hold them at a break.
std::optional<size_t> CapturedCall::recipe_of_own(PyObject* o, int depth) {
  ResultRecipe r;
  auto part = [&](PyObject* value) { r.parts.push_back(recipe(value ? value : Py_None, depth + 1)); };
  if (PyCell_Check(o)) {
    r.kind = ResultRecipe::Kind::Cell;
    if (PyCell_GET(o)) part(PyCell_GET(o));
  } else if (PyMethod_Check(o)) {
    r.kind = ResultRecipe::Kind::Method;
    part(PyMethod_GET_FUNCTION(o));
    part(PyMethod_GET_SELF(o));
  } else if (PyCFunction_CheckExact(o) && PyCFunction_GET_SELF(o) && !PyModule_Check(PyCFunction_GET_SELF(o))) {  // items.append
    r.kind = ResultRecipe::Kind::Method, r.value = Object(o);
    part(PyCFunction_GET_SELF(o));
  } else if (PyFunction_Check(o)) {
    const auto* f = reinterpret_cast<PyFunctionObject*>(o);
    if (f->func_dict && PyDict_GET_SIZE(f->func_dict)) refuse("result", "keeps a new function with attributes");
    r.kind = ResultRecipe::Kind::Function, r.value = Object(o);
    for (Py_ssize_t k = 0; f->func_closure && k < PyTuple_GET_SIZE(f->func_closure); ++k) part(PyTuple_GET_ITEM(f->func_closure, k));
    part(f->func_defaults);
    part(f->func_kwdefaults);
  } else {
    if (const auto of_dict = recipe_of_dict_iterator(o, depth)) return of_dict;
    static constexpr std::string_view kKnown[] = {"range_iterator", "longrange_iterator",   "list_iterator", "tuple_iterator",
                                                  "enumerate",      "list_reverseiterator", "reversed",      "zip"};
    if (std::ranges::find(kKnown, std::string_view(Py_TYPE(o)->tp_name)) == std::end(kKnown)) return {};
    const Object state = Object::taken(PyObject_CallMethod(o, "__reduce__", nullptr));
    if (!state || !PyTuple_Check(state.get()) || PyTuple_GET_SIZE(state.get()) < 2) return capture::machine::forget_error(), std::nullopt;
    r.kind = ResultRecipe::Kind::Iterator, r.value = Object(PyTuple_GET_ITEM(state.get(), 0));
    PyObject* args = PyTuple_GET_ITEM(state.get(), 1);
    keep_.push_back(state);
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(args); ++k) part(PyTuple_GET_ITEM(args, k));
    if (PyTuple_GET_SIZE(state.get()) > 2 && PyTuple_GET_ITEM(state.get(), 2) != Py_None)
      r.state = Object(PyTuple_GET_ITEM(state.get(), 2));
  }
  return add(std::move(r));
}

size_t CapturedCall::recipe(PyObject* o, int depth) {
  constexpr int kDepth = 64;
  if (depth > kDepth) refuse("result", "returns a list or dict that holds itself, or nests very deep");
  if (const auto known = made_.find(o); known != made_.end()) return known->second;
  const auto remember = [&](size_t at) {
    made_[o] = at;
    keep_.emplace_back(o);
    return at;
  };
  ResultRecipe r;
  if (is_carried_list(o)) {  // list(items): a value of the graph, or a plain list
    r.kind = ResultRecipe::Kind::Iterator, r.value = Object(reinterpret_cast<PyObject*>(&PyList_Type)), other_objects_ = true;
    r.parts.push_back(recipe(items_of_carried(o).ptr(), depth + 1));
    return remember(add(std::move(r)));
  }
  if (is_numpy_number(o)) refuse("result", "returns a number of NumPy's");
  if (python::is_tensor(o) || python::is_symbolic(o)) {
    r.kind = ResultRecipe::Kind::Result, r.index = outputs_.size();
    if (python::is_tensor(o)) {
      const Tensor& t = tensor_of(o);
      const capture::Writer& w = capture::current_session()->writer;
      if (t->kind != TensorImpl::Kind::Dense || (!w.find(t) && !reads_.is_older(o)))
        refuse("result", "returns a tensor that no recorded operator has made");
      if (Py_TYPE(o) != g_tensor_type && !reads_.is_older(o) && std::ranges::find(inputs_, o) == inputs_.end())
        refuse("result", concat("returns a new tensor of the class ", Py_TYPE(o)->tp_name));
      outputs_.emplace_back(t);
    } else {
      outputs_.push_back(symbolic_of(o));
      symbolic_ = true;
    }
    return remember(add(std::move(r)));
  }
  if (const auto at = container_at_.find(o); at != container_at_.end()) {
    r.kind = ResultRecipe::Kind::Container, r.index = at->second;
    return remember(add(std::move(r)));
  }
  if (const nb::object method = method_of_lists(o);
      method.is_valid()) {  // z.append, where the graph ends before the call and z is a plain list
    r.kind = ResultRecipe::Kind::Constant, r.value = Object(method.ptr()), other_objects_ = true;
    return remember(add(std::move(r)));
  }
  r.kind = ResultRecipe::Kind::Constant, r.value = Object(o);
  reads_.note_kept(o);
  if (reads_.is_older(o) || Expected::compares_by_value(o) || o == Py_None || PyBool_Check(o) || o == Py_Ellipsis ||
      o == Py_NotImplemented || PyType_Check(o) || Py_IS_TYPE(o, &PyMethodDescr_Type) || Py_IS_TYPE(o, &PyWrapperDescr_Type) ||
      PyRange_Check(o) || PySlice_Check(o) || is_imported(o))
    return remember(add(std::move(r)));
  const std::string_view kind = Py_TYPE(o)->tp_name;
  r.value = Object(reinterpret_cast<PyObject*>(Py_TYPE(o)));
  if (PyTuple_Check(o) || PyList_CheckExact(o)) {
    r.kind = PyTuple_Check(o) ? ResultRecipe::Kind::Tuple : ResultRecipe::Kind::List;
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(o); ++k) r.parts.push_back(recipe(PySequence_Fast_GET_ITEM(o, k), depth + 1));
    return remember(add(std::move(r)));
  }
  if (PyDict_CheckExact(o)) {
    r.kind = ResultRecipe::Kind::Dict;
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) {
      if (!Expected::compares_by_value(key) && key != Py_None && !PyType_Check(key) && !reads_.is_older(key))
        refuse("result", concat("returns a dict with a key of type ", Py_TYPE(key)->tp_name));
      r.keys.emplace_back(key);
      r.parts.push_back(recipe(value, depth + 1));
    }
    return remember(add(std::move(r)));
  }
  if (PySet_CheckExact(o)) {
    r.kind = ResultRecipe::Kind::Set;
    for (nb::handle item : nb::iter(nb::handle(o))) r.parts.push_back(recipe(item.ptr(), depth + 1));
    return remember(add(std::move(r)));
  }
  if (!(Py_TYPE(o)->tp_flags & Py_TPFLAGS_HEAPTYPE) && kind.starts_with("monograph")) {  // a dtype, a device
    r.kind = ResultRecipe::Kind::Constant, r.value = Object(o);
    return remember(add(std::move(r)));
  }
  if (reason_.at)
    if (const auto own = recipe_of_own(o, depth)) return remember(*own);
  return remember(recipe_of_instance(o, depth));
}

void CapturedCall::note_write(PyObject* object, PyObject* before) {
  const size_t target = recipe(object, 0);
  auto put = [&](Write w) {
    w.target = target;
    entry_->writes.push_back(std::move(w));
  };
  auto values = [&](PyObject* sequence, Py_ssize_t from) {
    std::vector<size_t> out;
    for (Py_ssize_t k = from; k < PyList_GET_SIZE(sequence); ++k) out.push_back(recipe(PyList_GET_ITEM(sequence, k), 0));
    return out;
  };
  PyObject *key = nullptr, *value = nullptr;
  if (PyDict_Check(object)) {
    const auto was = [&] {
      PyObject* symbol = reads_.symbol_of(object, key);
      return symbol ? symbol : PyDict_GetItemWithError(before, key);
    };
    for (Py_ssize_t at = 0; PyDict_Next(object, &at, &key, &value);)
      if (was() != value) put({Write::Kind::SetItem, 0, Object(key), 0, {recipe(value, 0)}});
    for (Py_ssize_t at = 0; PyDict_Next(before, &at, &key, &value);)
      if (!PyDict_GetItemWithError(object, key)) put({Write::Kind::DeleteItem, 0, Object(key), 0, {}});
    for (const Object& set : reads_.set_keys(object)) {
      key = set.get(), value = PyDict_GetItemWithError(object, key);
      if (value != PyDict_GetItemWithError(before, key)) continue;
      if (value) put({Write::Kind::SetItem, 0, set, 0, {recipe(value, 0)}});
      else put({Write::Kind::DeleteItem, 0, set, 0, {}});
    }
    const std::vector<Object> moved = capture::bytecode::moved_keys(object, before);
    if (!moved.empty() && !reads_.is_argument(object)) reads_.guards.add_dict(object, before, reads_.name_of(object));
    for (const Object& k : moved)
      put({Write::Kind::DeleteItem, 0, k, 0, {}}),
          put({Write::Kind::SetItem, 0, k, 0, {recipe(PyDict_GetItemWithError(object, k.get()), 0)}});
  } else if (PyList_Check(object)) {
    const Py_ssize_t was = PyList_GET_SIZE(before), now = PyList_GET_SIZE(object);
    Py_ssize_t same = 0;
    while (same < std::min(was, now) && PyList_GET_ITEM(before, same) == PyList_GET_ITEM(object, same)) ++same;
    const std::string name = reads_.name_of(object);
    const std::vector<Object>& set = reads_.set_keys(object);
    if (!set.empty()) same = 0;
    if (!set.empty() && now != was && !reads_.is_argument(object)) reads_.guards.add_list(object, before, name);
    if (same == was && now == was) return;
    const auto is_set = [&](Py_ssize_t k) {
      return std::ranges::any_of(set, [&](const Object& key) {
        const Py_ssize_t at = PyLong_AsSsize_t(key.get());
        return k == (at < 0 ? at + now : at);
      });
    };
    if (same == was) return put({Write::Kind::Extend, 0, {}, 0, values(object, was)});
    if (now == was) {
      if (!reads_.is_argument(object)) reads_.guards.add_length(object, was, name);
      for (Py_ssize_t k = same; k < now; ++k)
        if (PyList_GET_ITEM(before, k) != PyList_GET_ITEM(object, k) || is_set(k))
          put({Write::Kind::SetElement, 0, {}, k, {recipe(PyList_GET_ITEM(object, k), 0)}});
      return;
    }
    if (!reads_.is_argument(object)) reads_.guards.add_list(object, before, name);
    put({Write::Kind::Replace, 0, {}, 0, values(object, 0)});
  } else if (PySet_Check(object)) {
    for (nb::handle item : nb::iter(nb::handle(object)))
      if (!PySet_Contains(before, item.ptr())) put({Write::Kind::Add, 0, {}, 0, {recipe(item.ptr(), 0)}});
    for (const Object& item : reads_.set_keys(object))
      if (PySet_Contains(before, item.get())) put({Write::Kind::Add, 0, {}, 0, {recipe(item.get(), 0)}});
    for (nb::handle item : nb::iter(nb::handle(before)))
      if (!PySet_Contains(object, item.ptr())) put({Write::Kind::Discard, 0, Object(item.ptr()), 0, {}});
  } else if (PyCell_Check(object)) {
    PyObject* now = PyCell_GET(object);
    PyObject* symbol = reads_.symbol_of(object, nullptr);
    PyObject* was = symbol ? symbol : PyTuple_GET_SIZE(before) ? PyTuple_GET_ITEM(before, 0) : nullptr;
    if (now == was && (symbol || reads_.set_keys(object).empty())) return;
    Write w{Write::Kind::SetCell, 0, {}, 0, {}};
    if (now) w.values.push_back(recipe(now, 0));
    put(std::move(w));
  }
}

void CapturedCall::note_writes() {
  for (const auto& e : reads_.written()) note_write(e.object, e.before);
}

IValue CapturedCall::results_of(PyObject* result) {
  entry_->result = recipe(result, 0);
  note_writes();
  for (const IValue& v : outputs_) {
    given_.push_back(v.is_tensor() ? IValue(capture::current_session()->writer.given_by_example(v.as_tensor())) : v);
    other_objects_ |= v.is_tensor() && !given_.back().is(v);
  }
  entry_->plain = entry_->writes.empty() && entry_->recipes[entry_->result].kind == ResultRecipe::Kind::Result;
  return IValue::tuple(outputs_);
}

// --- The graph.

// Gives the tensors that were read to the root of the unit.
void CapturedCall::install(ir::Unit& unit) {
  const auto used = tensors_.used();
  if (used.empty()) return;
  ir::Class* type = unit.add_class("__torch__.torch.nn.modules.module.Module");
  type->is_module = true;
  for (const auto* read : used) {
    const Tensor& t = tensor_of(read->tensor.get());
    ir::Attribute a;
    a.name = read->path, a.kind = t->is_parameter ? ir::Attribute::Kind::Parameter : ir::Attribute::Kind::Buffer;
    const std::vector<SymInt> sizes(t.sizes().begin(), t.sizes().end());
    a.type = ir::TensorType::of(t.dtype(), sizes);
    type->attributes.push_back(std::move(a));
  }
  unit.set_root(unit.add_module(type));
  size_t k = 0;
  unit.root()->values.resize(used.size());
  for (const auto* read : used) {
    ir::Module::Value& v = unit.root()->values[k++];
    v.value = {};
    v.value.add(ir::TensorRef(std::make_shared<exec::LiveTensor>(tensor_of(read->tensor.get()))));
    entry_->kept.push_back(read->tensor);
  }
}

// Whether the node stands in a way of a branch that raises.
bool in_raising_way(const ir::Node* node) {
  static const Operator& raise = find_operator("prim::RaiseException");
  for (const ir::Block* block = node->block(); block->owner(); block = block->owner()->block())
    for (const ir::Node* n : *block)
      if (n->info() == &raise) return true;
  return false;
}

// Guards on sizes are checked before the graph runs. The others make it one that may miss, or cannot be kept.
void CapturedCall::split_guards(const ir::Graph& graph) {
  auto sizes = std::make_unique<ir::Graph>("sizes");
  ir::Graph::NodeMap map;
  for (ir::Node* p : graph.placeholders()) map[p] = sizes->placeholder(p->name(), p->type());
  ir::Args values;
  values.open(ir::ArgKind::Tuple);
  std::string on_value, where, kind;
  int64_t guarded_at = 0;
  const Changes found = changes_of(graph);
  const bool changes = !found.by.empty();
  size_t guard = 0;
  for (const ir::Guard& g : graph.guards()) {
    const int64_t at = reads_.points.of_guard(guard++);
    ir::Node* node = nullptr;
    if (!g.value) {
      try {
        node = append_size(*sizes, g.size);
      } catch (const Error&) {
      }
    } else if (copy_sizes(*sizes, map, g.value)) {
      node = map[g.value];
    }
    if (!node) {
      // The text of an error: where the graph raises and has changed nothing, the function itself runs, and makes the text of this call.
      const bool of_error = g.value && !changes && in_raising_way(g.value);
      if (of_error || !on_value.empty()) continue;
      on_value = g.expression, where = monograph::to_string(g.span), guarded_at = at;
      kind = !g.value || reads_size(g.value) ? "size" : "data";
      continue;
    }
    values.add(node);
    entry_->size_expected.push_back(exec::literal(g.expected[0]));
    entry_->size_words.push_back(g.expression);
  }
  values.close();
  if (!entry_->size_expected.empty()) {
    sizes->set_output(values), entry_->size_check = std::make_shared<const exec::Executable>(exec::plan(*sizes));
  }
  // Nothing has changed when an error ends the graph: then the function itself runs, and raises or catches it.
  entry_->may_miss = !changes, entry_->random = found.random, entry_->may_catch = reads_.tries || reads_.suppresses;
  const bool raises = raises_an_error(graph), writes = !entry_->writes.empty();  // a recipe runs behind the graph, and not after an error
  if (changes && (reads_.tries || ((reads_.finishes || raises) && writes)))
    refuse("try", concat(raises ? "raises an error behind a write" : "may catch an error of an operator", ", and writes by ", found.by));
  if (on_value.empty()) return;
  if (options_.flat || changes || options_.report)
    throw Refusal{kind, concat("goes on in a way that depends on `", on_value, "`"), where, guarded_at};
}

// Whether a call in a way or a loop writes to a leaf that requires grad, which the program does under no_grad. Where the graph runs, gradients may be on.
bool CapturedCall::writes_to_leaf(const ir::Graph& graph, const ir::Node* n) const {
  const ir::FunctionSchema& schema = n->info()->schema();
  for (size_t k = 0; k < schema.arguments().size() && k < n->positional_count(); ++k) {
    if (!schema.arguments()[k].writes()) continue;
    const ir::Node* from = n->arg(k).node();
    while (from && from->op() == ir::Op::CallFunction && from->info() && from->info()->schema().returns().size() == 1 &&
           from->info()->schema().result_aliases(0) && from->positional_count() > 0)
      from = from->arg(0).node();
    if (!from || (from->op() != ir::Op::GetAttr && from->op() != ir::Op::Placeholder)) continue;
    for (const auto* read : tensors_.used())
      if (from->op() == ir::Op::GetAttr && from->target().name() == read->path && tensor_of(read->tensor.get()).requires_grad())
        return true;
    const std::vector<ir::Node*> placeholders = graph.placeholders();
    for (size_t i = 0; i < inputs_.size() && i < placeholders.size(); ++i)
      if (from == placeholders[i] && tensor_of(inputs_[i]).requires_grad()) return true;
  }
  return false;
}

// What running the graph leaves changed.
CapturedCall::Changes CapturedCall::changes_of(const ir::Graph& graph) {
  Changes found;
  std::vector<ir::Block*> blocks{graph.output()->block()};
  while (!blocks.empty()) {
    ir::Block* block = blocks.back();
    blocks.pop_back();
    for (ir::Node* n : *block) {
      for (size_t k = 0; k < n->block_count(); ++k) blocks.push_back(n->block(k));
      if (n->op() != ir::Op::CallFunction || n->is_if() || n->is_loop() || !n->info()) continue;
      const ir::Effects& effects = n->info()->effects();
      if (effects.writes == ir::Effects::Memory && !effects.user_code && writes_locally(n)) continue;
      if (is_for_evaluation(n)) continue;
      if (n->block()->owner() && (effects.writes & ir::Effects::Memory) && writes_to_leaf(graph, n))
        refuse("data", concat("writes to a tensor that requires grad by ", n->info()->name(), ", in a branch or loop on a value"));
      const int writes = effects.writes & ~ir::Effects::Random;
      if ((effects.writes | effects.reads) & ir::Effects::Random) found.random = true;
      if (writes || effects.user_code) found.by = n->info()->name();
    }
  }
  return found;
}

// The program's result holds plain numbers where the graph computes them, and the tensor that a branch has chosen where a result of the graph stands for it.
void CapturedCall::settle(PyObject*& result) {
  if (!symbolic_ && !entry_->broken && !other_objects_ && made_tuples_.empty()) return;
  std::vector<Object> plain;
  std::vector<PyObject*> borrowed;
  for (const IValue& v : given_) {
    nb::object o;
    if (v.is_tensor()) o = wrap(v.as_tensor());
    else if (auto size = symbolic_size(v)) o = python::to_python(size->symint()->hint().value());
    else if (const SymbolicValue* number = symbolic_value(v)) o = python::to_python(number->hint);
    else o = python::to_python(v);
    plain.push_back(Object::taken(o.release().ptr()));
    borrowed.push_back(plain.back().get());
  }
  if (!reads_.undo()) raise_set();
  const CapturedEntry::CallInputs call = call_inputs();
  PyObject* settled = entry_->finish(borrowed.data(), borrowed.size(), call, entry_->broken ? &made_for_frames_ : nullptr);
  if (!settled) raise_set();
  Py_SETREF(result, settled);
}

bool computes(const ir::Graph& graph) {
  for (const ir::Node* n : *graph.output()->block())
    if (n->op() == ir::Op::CallFunction) return true;
  return false;
}

// What the frames hold where the graph ends, as a tuple.
nb::object CapturedCall::values_at_break() {
  auto at = std::make_shared<Break>();
  at->standing = std::move(reads_.points.standing);
  entry_->broken = std::move(at);
  entry_->kind = reason_.kind, entry_->detail = reason_.detail, entry_->where = reason_.where;
  const auto& values = reads_.points.values;
  nb::object tuple = check(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t k = 0; k < values.size(); ++k) PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(k), Py_NewRef(values[k].get()));
  return tuple;
}

void CapturedCall::make_runner(nb::object graph) {
  std::vector<PyObject*> all = inputs_;
  all.insert(all.end(), numbers_.begin(), numbers_.end());
  nb::object inputs = check(PyTuple_New(static_cast<Py_ssize_t>(all.size())));
  for (size_t k = 0; k < all.size(); ++k) PyTuple_SET_ITEM(inputs.ptr(), static_cast<Py_ssize_t>(k), Py_NewRef(all[k]));
  nb::dict attributes;
  for (const auto* read : tensors_.used()) attributes[read->path.c_str()] = nb::handle(read->tensor.get());
  entry_->graph = Object(graph.ptr());
  const capture::Pause pause;
  const ir::Graph& g = graph_of(graph.ptr());
  if ((entry_->broken || is_rest(function_)) && !computes(g)) {  // nothing stands between two breaks
    entry_->graph = {};
    entry_->run = std::make_shared<const exec::Executable>(exec::plan(g));
    return;
  }
  // The backend may change the graph.
  auto original = entry_->may_catch && entry_->may_miss ? std::make_shared<const exec::Executable>(exec::plan(g)) : nullptr;
  nb::object made = nb::handle(options_.backend.get())(graph, inputs, attributes);
  if (made.is_none()) entry_->run = std::make_shared<const exec::Executable>(exec::build(g));
  else if (made.ptr() == Py_False) entry_->run = std::make_shared<const exec::Executable>(exec::plan(g));
  else entry_->callable = Object::taken(made.release().ptr()), entry_->original = std::move(original);
}

PyObject* CapturedCall::capture(std::unique_ptr<CapturedEntry>& entry) {
  read_roots();
  entry_->modes = Modes::now();
  auto unit = std::make_shared<ir::Unit>();
  capture::CaptureOptions options;
  options.how = capture::How::Trace;
  options.control_flow = options_.flat ? capture::ControlFlow::Guard : capture::ControlFlow::Keep;
  options.any_grad_mode = false;  // the modes of the entry are checked at each call
  options.unit = unit.get();
  options.location = [] { return caller_span(); };
  options.attribute = [&](const Tensor& t) { return tensors_.path_of(t); };
  options.before_write = [&](const Tensor& t, bool sure) { tensors_.before_write(t, sure, state_.grad_enabled); };
  bool frozen = false;
  options.frozen = [&](const Tensor& t) {
    frozen = frozen || (!t->wrapped_number && t->python);  // what Python never saw is no tensor of the program
  };
  std::vector<IValue> examples;
  for (const ArgumentSpec& a : entry_->arguments)
    if (a.kind == ArgumentSpec::Kind::Tensor && a.index == examples.size())
      examples.emplace_back(tensor_of(inputs_[a.index])), options.input_names.push_back(a.name);
  for (const ArgumentSpec& a : entry_->arguments)
    if (a.kind == ArgumentSpec::Kind::Int || a.kind == ArgumentSpec::Kind::Float) {
      PyObject* n = numbers_[a.index];
      examples.push_back(PyFloat_CheckExact(n) ? IValue(PyFloat_AS_DOUBLE(n)) : IValue(static_cast<int64_t>(PyLong_AsLongLong(n))));
      options.input_names.push_back(a.name);
    }
  const size_t of_arguments = numbers_.size();
  add_numbers_outside(examples, options.input_names);
  options.takes_numbers = true;
  nb::object result;
  const capture::machine::QuietFailure given_up;
  capture::Captured captured = capture::capture(
      [&](std::vector<IValue> given) {
        for (size_t k = inputs_.size(); k < given.size(); ++k)
          symbols_.push_back(Object::taken(python::to_python(given[k]).release().ptr()));
        for (size_t k = 0; k < reads_.numbers.size(); ++k) reads_.numbers[k].symbol = symbols_[of_arguments + k];
        try {
          result = run_function();
        } catch (...) {
          function_raised_ = true, of_operator_ = capture::current_session()->writer.raised;
          if (!reads_.points.taken()) throw;
          capture::machine::forget_error();
        }
        if (reads_.points.taken()) result = values_at_break();
        else if (reads_.ending) throw Refusal{reads_.kind, reads_.detail, reads_.where, reads_.stopped_at};
        else if (reason_.at) throw Refusal{reason_.kind, reason_.detail, reason_.where, 0};  // it went another way than before
        IValue results = results_of(result.ptr());
        capture::end_gradients_as_example(outputs_);
        return results;
      },
      std::move(examples), options);
  if (!options_.flat) entry_->raises = kept_raises();
  drop_unread_texts(*captured.graph);
  reads_.finish();
  if (auto read = writers_.read_by(reads_)) throw Refusal{"lasting", read->first, read->second, 0};
  for (const Object& made : made_tuples_)
    if (reads_.is_identified(made.get())) refuse("arguments", "asks which object a tuple is whose numbers change");
  if (frozen) refuse("tensor", "uses a tensor of which it is not known where the program has it from");
  Modes after = Modes::now();
  entry_->grad_after = after.grad;
  if (entry_->broken || is_rest(function_)) after.grad = entry_->modes.grad;  // of a `with` around the break
  if (!(after == entry_->modes)) refuse("mode", "leaves grad mode, autocast or the default dtype switched");
  if (default_generator().initial_seed() != seed_) refuse("lasting", "seeds the random generator");
  install(*unit);
  ir::Graph* graph = unit->add_function(std::move(captured.graph));
  take_numbers_outside(*graph, of_arguments);
  drop_unread_inputs(*graph);
  split_guards(*graph);
  const auto used = tensors_.all();
  for (const auto* read : used) {
    const auto input = std::ranges::find(inputs_, read->tensor.get());
    if (input != inputs_.end()) entry_->same.emplace_back(static_cast<size_t>(input - inputs_.begin()), read->tensor);
    else entry_->tensors.push_back({read->tensor, TensorSpec(read->tensor.get(), true), read->name});
  }
  tensors_.tell_apart(inputs_, entry_->different);
  entry_->guards = std::move(reads_.guards);
  const bool may_run_again = !runs_user_code(*graph) && tensors_.states.are_same();
  make_runner(wrap(std::shared_ptr<ir::Graph>(unit, graph)));
  PyObject* out = result.release().ptr();
  runs_again_ = entry_->callable && may_run_again && (options_.flat || entry_->may_miss);
  if (!runs_again_) settle(out);
  take_symbols_back();
  entry = std::move(entry_);
  return out;
}

// Numbers outside of the arguments that have had two values are inputs of the graph.
void CapturedCall::add_numbers_outside(std::vector<IValue>& examples, std::vector<std::string>& names) {
  for (const NumberPlace& place : *options_.changing_places) {
    PyObject* now = place.now();
    if (!now) continue;
    reads_.numbers.push_back({place, Object(now), {}});
    numbers_.push_back(now);
    examples.push_back(PyFloat_CheckExact(now) ? IValue(PyFloat_AS_DOUBLE(now)) : IValue(static_cast<int64_t>(PyLong_AsLongLong(now))));
    names.push_back(concat("number_", reads_.numbers.size() - 1));
  }
}

// Those that the program has not read are no inputs.
void CapturedCall::take_numbers_outside(ir::Graph& graph, size_t of_arguments) {
  const std::vector<ir::Node*> placeholders = graph.placeholders();
  std::vector<PyObject*> taken(numbers_.begin(), numbers_.begin() + static_cast<std::ptrdiff_t>(of_arguments));
  for (size_t k = 0; k < reads_.numbers.size(); ++k) {
    const ReadSet::NumberInput& n = reads_.numbers[k];
    if (n.used) {
      taken.push_back(n.value.get());
      entry_->numbers.push_back({n.place, Py_TYPE(n.value.get())});
    } else {
      graph.erase(placeholders.at(inputs_.size() + of_arguments + k));
    }
  }
  numbers_ = std::move(taken);
}

// Attributes of arguments that the program has not read are no inputs.
void CapturedCall::drop_unread_inputs(ir::Graph& graph) {
  keep_identities(*entry_, containers_, reads_, is_rest(function_));
  const std::vector<ir::Node*> placeholders = graph.placeholders();
  std::vector<bool> used;
  for (size_t k = 0; k < inputs_.size(); ++k) used.push_back(!placeholders.at(k)->users().empty());
  for (const size_t k : drop_unread(*entry_, containers_, reads_, used)) {
    graph.erase(placeholders[k]);
    inputs_.erase(inputs_.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

void CapturedCall::put_back(bool caches) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  reads_.undo();
  if (caches) reads_.empty_filled_caches();
  take_symbols_back();
  tensors_.restore();
  keep_.clear(), made_.clear(), made_for_frames_ = {}, reads_.points.values.clear();
  DispatchState& now = dispatch_state();
  now.grad_enabled = state_.grad_enabled, now.grad_mode_set_by_library = state_.grad_mode_set_by_library;
  now.autocast = state_.autocast;
  capture::set_grad_mode_of_program(of_program_);
  now.top = state_.top;
  if (inference_mode() != inference_) set_inference_mode(inference_);
  default_generator().set_state(random_);
  capture::machine::forget_error();
  PyErr_Restore(type, value, traceback);
}

PyObject* CapturedCall::run(std::unique_ptr<CapturedEntry>& entry, Refusal& refusal) {
  const capture::machine::MadeObjects made;
  const SameHandledException handled;
  ++t_compiling;
  HeldEffects effects;
  try {
    PyObject* result = capture(entry);
    --t_compiling;
    fresh_ = std::move(made_for_frames_);
    if (effects.end(true)) return result;
    Py_DECREF(result);
    return nullptr;
  } catch (Refusal& r) {
    refusal = std::move(r);
    capture::machine::forget_error();
  } catch (...) {
    set_error();
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) || PyErr_ExceptionMatches(PyExc_MemoryError) ||
        PyErr_ExceptionMatches(capture::machine::bytecode_error()) || is_failure_of_backend()) {
      put_back();
      --t_compiling;
      return nullptr;
    }
    if (reads_.ending && !reads_.points.taken())
      capture::machine::forget_error(), refusal = {reads_.kind, reads_.detail, reads_.where, reads_.stopped_at};
    else refusal = {"error", text_of_error(function_raised_, of_operator_), "", 0}, refusal.of_function = function_raised_;
  }
  put_back();
  --t_compiling;
  return nullptr;
}

PyObject* CapturedCall::first_result(PyObject* of_capture, CapturedEntry& entry) {
  if (!runs_again_) return of_capture;
  put_back(false);
  Py_DECREF(of_capture);
  bool missed = false;
  made_for_frames_.clear();
  PyObject* result = entry.execute(call_inputs(), missed, made_for_frames_);
  entry.calls = 0;
  fresh_ = std::move(made_for_frames_);
  return missed ? PyObject_Vectorcall(function_, args_, static_cast<size_t>(positional_), keywords_) : result;
}

PyObject* CapturedCall::run_plainly(std::unique_ptr<CapturedEntry>& entry, Refusal& refusal) {
  if (refusal.where.empty()) refusal.where = with_caller(place_of(function_));
  // What was read so far says for which calls this holds.
  if (entry_) {
    entry_->guards = std::move(reads_.guards);
    entry_->kind = refusal.kind, entry_->detail = refusal.detail, entry_->where = refusal.where;
    entry_->recipes.clear(), entry_->writes.clear();
    entry_->size_check = nullptr, entry_->broken = nullptr;
  }
  // The program's own exception is no reason to refuse the call: it comes to the caller as the function raises it.
  PyObject* result = nullptr;
  if (options_.report && refusal.of_function) {
    result = PyObject_Vectorcall(function_, args_, static_cast<size_t>(positional_), keywords_);
    if (!result) return nullptr;
    Py_DECREF(result);
  }
  if (options_.report) {
    const Object told = Object::taken(PyObject_CallFunction(options_.report.get(), "sssO", refusal.kind.c_str(), refusal.detail.c_str(),
                                                            refusal.where.c_str(), refusal.at > 1 ? Py_False : Py_True));
    if (!told) return nullptr;
  }
  tensors_.states = {};  // the program may swap tensors, which nobody else may hold then
  result = PyObject_Vectorcall(function_, args_, static_cast<size_t>(positional_), keywords_);
  if (result) entry = std::move(entry_);
  else capture::machine::place_recursion(refusal.where);
  return result;
}

// The function runs once. Where something cannot be recorded, it runs again to the instruction before, and the graph ends there; if that cannot be either, it
// runs plainly. Each such run begins with all as it was.
PyObject* capture_in_pieces(PyObject* function, PyObject* const* args, Py_ssize_t positional, PyObject* keywords,
                            const CompileOptions& options, std::unique_ptr<CapturedEntry>& entry, FreshObjects& fresh) {
  constexpr int kTries = 4;
  Refusal reason, first;
  for (int k = 0;; ++k) {
    CapturedCall call(function, args, positional, keywords, options, fresh);
    if (k > 0) call.end_before(reason);
    Refusal refusal;
    PyObject* result = call.run(entry, refusal);
    if (result || PyErr_Occurred()) return result ? call.first_result(result, *entry) : nullptr;
    if (k == 0 && call.takes_numbers()) {  // what cannot be recorded with a number of the graph may be with a plain one
      CompileOptions plain = options;
      plain.changing_numbers = std::make_shared<std::set<std::string>>();
      plain.changing_places = std::make_shared<std::vector<NumberPlace>>();
      CapturedCall again(function, args, positional, keywords, plain, fresh);
      Refusal other;
      result = again.run(entry, other);
      if (result || PyErr_Occurred()) return result ? again.first_result(result, *entry) : nullptr;
    }
    if (k == 0) first = refusal;
    else if (first.detail.find(", and no graph") == std::string::npos)
      first.detail += concat(", and no graph can end before it: the function ", refusal.detail);
    const bool earlier = refusal.at > 1 && (k == 0 || refusal.at < reason.at);
    if (options.report || !earlier || k + 1 == kTries) return call.run_plainly(entry, k == 0 ? refusal : first);
    reason = refusal;
  }
}

}  // namespace

PyObject* capture_call(PyObject* function, PyObject* const* args, Py_ssize_t positional, PyObject* keywords, const CompileOptions& options,
                       std::unique_ptr<CapturedEntry>& entry, FreshObjects& fresh) {
  return guard([&] { return capture_in_pieces(function, args, positional, keywords, options, entry, fresh); });
}
#else
PyObject* capture_call(PyObject* function, PyObject* const* args, Py_ssize_t positional, PyObject* keywords, const CompileOptions&,
                       std::unique_ptr<CapturedEntry>&, FreshObjects&) {
  return PyObject_Vectorcall(function, args, static_cast<size_t>(positional), keywords);
}
#endif

}  // namespace monograph::python::compiled
