// Objects among the arguments of a call are known by what they hold. Here a run is watched for what depends on which objects they are: `a is b`, keys of a dict, and
// C functions that may look at an object as a whole.
#include "capture/bytecode/reads.h"

#ifdef MONOGRAPH_MACHINE
#include <algorithm>

#include "capture/machine/machine.h"

namespace monograph::capture::bytecode {
namespace {

bool has_no_identity(PyObject* o) {
  return o == Py_None || o == Py_Ellipsis || o == Py_NotImplemented || PyBool_Check(o) || Expected::compares_by_value(o);
}

// Whether the class has an __eq__ in Python, whose frame the machine runs.
bool compares_in_python(PyTypeObject* type) {
  static PyObject* const name = PyUnicode_InternFromString("__eq__");
  PyObject* found = _PyType_Lookup(type, name);
  return found && PyFunction_Check(found);
}

}  // namespace

void ReadSet::add_argument_object(PyObject* o, PyObject* fields) {
  argument_objects_.emplace(o, fields);
  argument_keys_.try_emplace(fields);
}

// The run asks which object this is, or C code may look at all of it. Of a list or tuple: which objects it holds.
void ReadSet::identify(PyObject* o, int depth) {
  constexpr int kDepth = 8;
  if (!o || depth > kDepth) return;
  if (const auto known = argument_objects_.find(o); known != argument_objects_.end()) {
    identified_arguments_.insert(o);
    argument_keys_.at(known->second).whole = true;
  } else if (PyTuple_Check(o) || PyList_Check(o)) {
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(o); ++k) identify(PySequence_Fast_GET_ITEM(o, k), depth + 1);
  } else if (PyDict_Check(o) && is_argument(o)) {
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) identify(value, depth + 1);
  }
}

// `a is b`, `a == b`, `a in b`, keys and texts.
void ReadSet::identify_operands(Registers& r, int opcode, int arg) {
  if (opcode == IS_OP || opcode == COMPARE_OP) {
    PyObject *left = r.peek(2), *right = r.peek(1);
    for (PyObject* o : {left, right})
      if (opcode == IS_OP && PyTuple_CheckExact(o) && PyTuple_GET_SIZE(o)) identified_arguments_.insert(o);
    if (has_no_identity(left) || has_no_identity(right)) return;
    for (auto [o, other] : {std::pair(left, right), std::pair(right, left)}) {
      const bool by_class = opcode == COMPARE_OP && argument_objects_.contains(o) && compares_in_python(Py_TYPE(o));
      if (opcode == IS_OP && is_argument(o) && !is_argument(other) && is_older(other)) identified_arguments_.insert(o);
      if (opcode == COMPARE_OP && !by_class) identify(o);
    }
    return;
  }
  const int operands = opcode == CONTAINS_OP                                                          ? 2
                       : opcode == BINARY_SUBSCR || opcode == STORE_SUBSCR || opcode == DELETE_SUBSCR ? 1
                       : opcode == SET_ADD || opcode == FORMAT_VALUE                                  ? 1
                       : opcode == BUILD_SET                                                          ? arg
                                                                                                      : 0;
  for (int k = 1; k <= operands; ++k) identify(r.peek(k));
  if (opcode == MAP_ADD) identify(r.peek(2));
  if (opcode == FORMAT_VALUE && (arg & 4)) identify(r.peek(2));
  for (int k = 1; opcode == BUILD_MAP && k <= arg; ++k) identify(r.peek(2 * k));
}

// `a is b` of inputs.
void ReadSet::note_same_inputs(Registers& r) {
  const machine::Unwatched unwatched;
  const ObjectKinds::Sameness same = values_.sameness(r.peek(2), r.peek(1));
  if (same == ObjectKinds::Sameness::Inputs && !(r.hook->forks && r.hook->forks->compares_inputs()))
    unseen.push_back({"same_input", "", "asks whether two inputs are the same tensor", values_.place()});
  if (same == ObjectKinds::Sameness::Outside && (is_older(r.peek(1)) || is_older(r.peek(2))))
    unseen.push_back({"same_input", "", "asks whether an input is a tensor from outside", values_.place()});
}

// A tensor of the call that the program tells from others: by `is`, by id(), as a key, or as an element that is looked for. A capture holds while it is none of those
// that the run has read, or that the container holds.
void ReadSet::note_asked_tensor(PyObject* o, PyObject* held_by) {
  if (!o || !values_.is_tensor(o)) return;
  values_.asks_which(o);
  if (!held_by || !(PyList_Check(held_by) || PyTuple_Check(held_by) || PyDict_Check(held_by) || PyAnySet_Check(held_by))) return;
  const machine::Unwatched unwatched;
  const Object keys = Object::taken(PySequence_List(held_by));
  if (!keys) return machine::forget_error();
  for (Py_ssize_t k = 0; k < PyList_GET_SIZE(keys.get()); ++k)
    if (PyObject* key = PyList_GET_ITEM(keys.get(), k); values_.is_tensor(key)) values_.asks_whether(key);
}

// The program asks which tensor this is, or whether it is a leaf, and a branch or loop may have decided that, or an operator has given back its argument or not: the
// tensor is then another object than all of them. Where the graph ends before the question, Python gets the tensor that was chosen, unless gradients go through it.
bool ReadSet::note_chosen(PyObject* o, const std::string& what) {
  if (!o || !values_.is_tensor(o)) {
    if (!o || !values_.is_proxy(o)) return true;
  }
  const std::string decides = values_.who_decides(o);
  if (decides.empty()) return true;
  if (abort_) return values_.requires_grad(o) ? stop_without_graph("tensor_state", what + decides) : stop("tensor_state", what + decides);
  const machine::Unwatched unwatched;
  unseen.push_back({"frozen", "", what + decides, values_.place()});
  return true;
}

// `y is x` of tensors.
bool ReadSet::note_test_of_joined(Registers& r) {
  PyObject *left = r.peek(2), *right = r.peek(1);
  const auto is_tensor = [&](PyObject* o) { return values_.is_tensor(o) || values_.is_proxy(o); };
  if (left == right || !is_tensor(left) || !is_tensor(right) || !is_program(r.frame->f_globals)) return true;
  const bool of_left = values_.who_decides(left)[0] != 0;
  return note_chosen(of_left ? left : right, "asks whether two values are the same tensor, which ");
}

// `x.is_leaf`. A tensor that does not require grad is a leaf, whether an operator has made it or given back its argument.
bool ReadSet::note_test_of_leaf(PyObject* o) {
  if (!values_.requires_grad(o) && !values_.is_chosen(o)) return true;
  return note_chosen(o, "asks whether a tensor is a leaf, which ");
}

// Tensors as keys of dicts and elements of sets.
bool ReadSet::note_chosen_keys(Registers& r, int opcode, int arg) {
  std::vector<PyObject*> keys;
  PyObject* held_by = nullptr;
  if (opcode == BUILD_SET || opcode == BUILD_MAP)
    for (int k = arg; k > 0; --k) keys.push_back(r.peek(opcode == BUILD_SET ? k : 2 * k));
  if (opcode == SET_ADD) keys.push_back(r.peek(1));
  if (opcode == MAP_ADD) keys.push_back(r.peek(2));
  if (opcode == BINARY_SUBSCR || opcode == STORE_SUBSCR) keys.push_back(r.peek(1)), held_by = r.peek(2);
  if (opcode == CONTAINS_OP) keys.push_back(r.peek(2)), held_by = r.peek(1);
  if (held_by && !PyDict_Check(held_by) && !PyAnySet_Check(held_by)) return true;
  const auto is_tensor = [&](PyObject* o) { return o && values_.is_tensor(o); };
  if (keys.empty() || !is_program(r.frame->f_globals) || std::ranges::none_of(keys, is_tensor)) return true;
  const machine::Unwatched unwatched;
  const Object held = held_by ? Object::taken(PySequence_List(held_by)) : Object();
  if (held_by && !held) return machine::forget_error(), true;
  for (Py_ssize_t k = 0; held && k < PyList_GET_SIZE(held.get()); ++k) keys.push_back(PyList_GET_ITEM(held.get(), k));
  return std::ranges::all_of(keys, [&](PyObject* o) { return !is_tensor(o) || note_chosen(o, "asks which tensor a key is, which "); });
}

// What C code may ask of its arguments: all but functions of which it is known that they do not.
void ReadSet::identify_given(PyObject* function, PyObject* const* args, Py_ssize_t count) {
  static constexpr std::string_view kNever[] = {
      "isinstance", "issubclass", "getattr",     "hasattr",          "setattr",  "delattr", "len", "iter",
      "next",       "vars",       "callable",    "append",           "extend",   "insert",  "sum", "zip",
      "any",        "all",        "__setattr__", "__getattribute__", "__init__", "__new__"};
  if (PyFunction_Check(function) || PyMethod_Check(function)) return;
  if (PyType_Check(function)) {
    auto* made = reinterpret_cast<PyTypeObject*>(function);
    if (machine::is_python_class(made) || made == &PyType_Type || made == &PyList_Type || made == &PyTuple_Type || made == &PyEnum_Type ||
        made == &PyZip_Type || made == &PyReversed_Type || made == &PySuper_Type)
      return;
  }
  if (std::string_view(Py_TYPE(function)->tp_name) == "operator.attrgetter") return;
  const Object name = Object::taken(PyObject_GetAttrString(function, "__name__"));
  if (!name) machine::forget_error();
  if (name && PyUnicode_Check(name.get()) && std::ranges::find(kNever, utf8(name.get())) != std::end(kNever)) return;
  for (Py_ssize_t k = 0; k < count; ++k) identify(args[k]);
}

}  // namespace monograph::capture::bytecode
#endif
