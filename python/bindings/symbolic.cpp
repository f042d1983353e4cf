// SymInt, SymFloat, SymBool and lists of sizes: Python types whose slots record operators. What needs a plain number (`__index__`, `__bool__`, `__float__`)
// asks the capture for it.
#include "symbolic.h"

#include "builtin.h"
#include "capture/capture.h"
#include "capture/machine/machine.h"
#include "capture/regions.h"
#include "capture_refusal.h"
#include "compile.h"
#include "dtypes.h"
#include "number_slots.h"
#include "ops/call_observer.h"
#include "ops/infer.h"
#include "ops/registry.h"
#include "ops/size_values.h"
#include "ops/tensor_facts.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {

PyTypeObject g_symint_type = make_type("monograph.SymInt", 0);
PyTypeObject g_symtext_type = make_type("monograph._C.SymbolicText", 0);

namespace {

PyTypeObject g_symfloat_type = make_type("monograph.SymFloat", 0);
PyTypeObject g_symbool_type = make_type("monograph.SymBool", 0);
PyTypeObject g_symlist_type = make_type("monograph._C.SymbolicList", 0);
// Numbers that functions of NumPy have computed: numpy.float64 and numpy.int64 to the program. A graph has no such type, so these stay with the Python object.
PyTypeObject g_numpy_float_type = make_type("monograph._C.NumpyFloat", 0);
PyTypeObject g_numpy_int_type = make_type("monograph._C.NumpyInt", 0);

struct SymbolicObject {
  PyObject_HEAD IValue value;
};
SymbolicObject* of(PyObject* o) { return reinterpret_cast<SymbolicObject*>(o); }
SymbolicValue& box(PyObject* o) { return *symbolic_value(of(o)->value); }
// Outside of its capture a number is what it was in the example: a cache or an attribute may keep it.
const IValue* kept(PyObject* o) {
  const SymbolicValue& v = box(o);
  if (v.node) return nullptr;
  if (v.hint.is_none()) capture::check_running(v);
  return &v.hint;
}

PyTypeObject& type_for(const SymbolicValue& v) {
  const ir::Type type = type_of_value(v);
  if (v.hint.is_ints() || v.hint.is_list() || type.is(ir::TypeKind::List)) return g_symlist_type;
  if (v.hint.is_float() || type.is(ir::TypeKind::Float)) return g_symfloat_type;
  if (v.hint.is_string() || type.is(ir::TypeKind::Str)) return g_symtext_type;
  if (v.hint.is_bool() || type.is(ir::TypeKind::Bool)) return g_symbool_type;
  return g_symint_type;
}

void dealloc(PyObject* self) {
  of(self)->value.~IValue();
  Py_TYPE(self)->tp_free(self);
}

nb::object of_type(PyTypeObject& type, const IValue& value) {
  auto object = check(type.tp_alloc(&type, 0));
  new (&of(object.ptr())->value) IValue(value);
  return object;
}
// The number as one of NumPy's. A bool, and what is no number of the graph, is returned as it is.
nb::object as_numpy(nb::object number) {
  PyTypeObject* type = Py_TYPE(number.ptr());
  if (type == &g_symint_type) return of_type(g_numpy_int_type, of(number.ptr())->value);
  return type == &g_symfloat_type ? of_type(g_numpy_float_type, of(number.ptr())->value) : number;
}
// numpy.float64 or numpy.int64.
nb::object class_in_numpy(PyObject* number) {
  return nb::module_::import_("numpy").attr(Py_TYPE(number) == &g_numpy_float_type ? "float64" : "int64");
}

// With control_flow="freeze" the example's value goes into the graph, as in PyTorch: with PyTorch's warning.
void warn_of_freezing(const std::string& expression) {
  capture::Session* s = capture::current_session();
  if (!s || s->symbolic || s->control_flow != capture::ControlFlow::Freeze) return;
  Span span = caller_span();
  std::string text = concat("`", expression, "` takes a value from the example: the trace keeps it, and may be wrong for ",
                            "other inputs. control_flow=\"guard\" checks it on every run");
  nb::object category = nb::module_::import_("monograph.jit").attr("TracerWarning");
  check(PyErr_WarnExplicit(category.ptr(), text.c_str(), span.file ? span.file->c_str() : "?", static_cast<int>(span.line), nullptr,
                           nullptr));
}

// What the user's code asks of a number: `x.shape[0] > 2`. Where a call asks, what that compares: `x.shape[1] < x.shape[0] in min(x.shape)`.
std::string asked_expression(const IValue& value) {
  std::string expression = caller_expression();
  const SymbolicValue* number = symbolic_value(value);
  capture::Session* s = capture::current_session();
  if (!s || !number || !number->node || !caller_calls()) return expression;
  const std::string compared = s->writer.comparison(number->node);
  return compared.empty() ? expression : concat(compared, " in ", expression);
}

IValue demanded(PyObject* o) {
  if (const IValue* number = kept(o)) return *number;
  std::string expression = asked_expression(of(o)->value);
  warn_of_freezing(expression);
  return capture::demand(of(o)->value, expression);
}

// The same as Python has it.
nb::object plain_number(PyObject* o) {
  nb::object plain = to_python(demanded(o));
  return is_numpy_number(o) ? class_in_numpy(o)(plain) : plain;
}

// --- Arithmetic: operators of numbers, by the names of Python's module `operator`.

bool is_number(PyObject* o) { return is_symbolic(o) || PyLong_Check(o) || PyFloat_Check(o); }

bool is_flag(const IValue& v) {
  const SymbolicValue* symbolic = symbolic_value(v);
  return symbolic ? symbolic->hint.is_bool() || symbolic->node->type().is(ir::TypeKind::Bool) : v.is_bool();
}

// As in Python, True and False are 1 and 0 but for what operators of flags alone make of them.
void count_flags(const OverloadSet& set, std::span<IValue> values) {
  auto of_flags = [](const Operator* op) {
    return std::ranges::all_of(op->schema().arguments(), [](const ir::Argument& a) { return a.type.is(ir::TypeKind::Bool); });
  };
  if (std::ranges::all_of(values, is_flag) && std::ranges::any_of(set.overloads, of_flags)) return;
  for (IValue& v : values)
    if (is_flag(v)) v = v.is_bool() ? IValue(int64_t{v.to_bool()}) : IValue("Int"_op(v));
}

PyObject* apply(std::string_view function, PyObject* const* args, size_t n) {
  return guard([&]() -> PyObject* {
    std::vector<IValue> values(n);
    for (size_t i = 0; i < n; ++i) {
      if (!is_number(args[i])) return Py_NewRef(Py_NotImplemented);
      to_ivalue(args[i], values[i]);
    }
    const OverloadSet* set = number_operator(function);
    if (!set) return Py_NewRef(Py_NotImplemented);
    const bool recorded = std::ranges::any_of(values, [](const IValue& v) { return symbolic_value(v) || symbolic_size(v); });
    count_flags(*set, values);
    Bound bound;
    const Operator& op = bind(*set, values, {}, bound);
    IValue result;
    std::optional<capture::Pause> pause;
    if (!recorded) pause.emplace();  // of captures that have ended alone: no node of this one
    call(op, bound.data(), &result);
    const bool numpy = std::any_of(args, args + n, is_numpy_number);
    return (numpy ? as_numpy(to_python(result)) : to_python(result)).release().ptr();
  });
}
template <size_t K>
PyObject* binary(PyObject* a, PyObject* b) {
  PyObject* args[] = {a, b};
  return apply(kNumberSlots[K].name, args, 2);
}
PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) return Py_NewRef(Py_NotImplemented);
  PyObject* args[] = {a, b};
  // Python's int to a negative int is a float.
  if (!PyLong_Check(b) || is_symbolic(b) || PyObject_RichCompareBool(b, to_python(int64_t{0}).ptr(), Py_LT) != 1)
    return apply("pow", args, 2);
  return guard([&] {
    nb::object exponent = check(PyNumber_Float(b));
    args[1] = exponent.ptr();
    return apply("pow", args, 2);
  });
}
PyObject* compare(PyObject* a, PyObject* b, int op) {
  PyObject* args[] = {a, b};
  return apply(kComparisons[op], args, 2);
}

// Python has no operator for these: a quotient and its rest, and the bits turned round, of which -1 has all.
PyObject* divide(PyObject* a, PyObject* b) {
  PyObject* args[] = {a, b};
  auto quotient = nb::steal(apply("floordiv", args, 2));
  if (!quotient.is_valid() || quotient.ptr() == Py_NotImplemented) return quotient.release().ptr();
  auto rest = nb::steal(apply("mod", args, 2));
  return rest.is_valid() ? PyTuple_Pack(2, quotient.ptr(), rest.ptr()) : nullptr;
}
PyObject* invert(PyObject* a) {
  return guard([&] {
    nb::object all = to_python(int64_t{-1});
    PyObject* args[] = {a, all.ptr()};
    return apply("xor", args, 2);
  });
}

// --- round(), math.floor() and their like: an int is itself, a float gives an int.

enum class Rounding : uint8_t { Nearest, Down, Up, TowardZero };

nb::object rounded(const IValue& value, Rounding how) {
  auto run = [](const char* name, std::initializer_list<IValue> args) {
    IValue result;
    call(find_operator(name), args.begin(), &result);
    return result;
  };
  switch (how) {
    case Rounding::Nearest: return to_python(run("aten::Int.float", {run("aten::round.float", {value})}));
    case Rounding::Down: return to_python(run("aten::floor.float", {value}));
    case Rounding::Up: return to_python(run("aten::ceil.float", {value}));
    case Rounding::TowardZero: break;
  }
  return to_python(run("aten::Int.float", {value}));
}

template <Rounding How>
PyObject* round_method(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  constexpr std::string_view kNames[] = {"round()", "math.floor()", "math.ceil()", "math.trunc()"};
  return guard([&]() -> PyObject* {
    if (const IValue* number = kept(self)) {
      constexpr const char* kMethods[] = {"__round__", "__floor__", "__ceil__", "__trunc__"};
      nb::object method = check(PyObject_GetAttrString(to_python(*number).ptr(), kMethods[static_cast<size_t>(How)]));
      return PyObject_Vectorcall(method.ptr(), args, static_cast<size_t>(n), nullptr);
    }
    const SymbolicValue& v = box(self);
    const ir::Type type = v.node->type();
    const bool real = v.hint.is_none() ? type.is(ir::TypeKind::Float) : v.hint.is_float();
    const bool whole = v.hint.is_none() ? type.is(ir::TypeKind::Int) || type.is(ir::TypeKind::SymInt) : v.hint.is_int();
    auto refuse = [&](std::string_view why) {
      refuse_captured(ErrorKind::Type, concat(kNames[static_cast<size_t>(How)], " of %", v.node->name(), " under capture: ", why));
    };
    if (n > 0 && args[0] != Py_None && !(whole && PyLong_Check(args[0]) && to_int64(args[0]) >= 0))
      refuse("digits are not kept in a graph; write x * 10**n, round, and divide again");
    if (whole) return Py_NewRef(self);
    if (!real) refuse("whether it is an int or a float is not known. jit.trace knows it from the example");
    return rounded(of(self)->value, How).release().ptr();
  });
}

template <Rounding How>
constexpr PyMethodDef round_method_of(const char* name) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(round_method<How>)), METH_FASTCALL, nullptr};
}
// Where code runs on types alone, the text of a value is no program's.
void check_text() {
  const capture::Session* s = capture::current_session();
  MONOGRAPH_CHECK(!s || !s->writer.types_only, NotImplemented,
                  "str(), print() or an f-string needs the value of a number, which is not known in a branch or loop that the trace keeps");
}
// The text of a number is guarded: C code asks for it, and the program may look something up by it. What the capture machine sees, an f-string or print(),
// is a text of the graph. Without an example the text says that it is a number.
PyObject* number_text(PyObject* self) {
  return guard([&] {
    check_text();
    if (box(self).hint.is_none()) return PyObject_Repr(self);
    return PyObject_Str(plain_number(self).ptr());
  });
}
PyObject* format_method(PyObject* self, PyObject* spec) {
  return guard([&] {
    check_text();
    if (PyUnicode_GET_LENGTH(spec) == 0) return PyObject_Str(self);
    return PyObject_Format(plain_number(self).ptr(), spec);
  });
}
PyMethodDef number_methods[] = {{"__format__", format_method, METH_O, nullptr},     round_method_of<Rounding::Nearest>("__round__"),
                                round_method_of<Rounding::Down>("__floor__"),       round_method_of<Rounding::Up>("__ceil__"),
                                round_method_of<Rounding::TowardZero>("__trunc__"), {nullptr, nullptr, 0, nullptr}};

// numpy.sqrt(n), of an object that is no number of NumPy's, calls the method of that name: the function of a real number is a record.
const Operator* function_of_real(PyObject* name) {
  const char* utf8 = PyUnicode_AsUTF8(name);
  const Operator* found = utf8 ? Registry::global().find(concat("aten::", utf8, ".float")) : nullptr;
  if (!found) return nullptr;
  const ir::FunctionSchema& schema = found->schema();
  const bool real = schema.arguments().size() == 1 && schema.arguments()[0].type.is(ir::TypeKind::Float) && schema.returns().size() == 1 &&
                    schema.returns()[0].type.is(ir::TypeKind::Float);
  return real ? found : nullptr;
}
PyObject* number_class(PyObject* self, void*);
// What an int, float or bool has, and no method here records, is that of the number, guarded: n.bit_length().
PyObject* number_attribute(PyObject* self, PyObject* name) {
  PyObject* known = PyObject_GenericGetAttr(self, name);
  if (known || !PyErr_ExceptionMatches(PyExc_AttributeError)) return known;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  const Operator* function = function_of_real(name);
  const nb::object kind = nb::steal(number_class(self, nullptr));
  if (!function && !PyObject_HasAttr(kind.ptr(), name)) return PyErr_Restore(type, value, traceback), nullptr;
  Py_XDECREF(type), Py_XDECREF(value), Py_XDECREF(traceback);
  const std::string_view text = is_numpy_number(self) ? text_of(name) : "";
  if (text == "dtype") return guard([&] { return PyObject_GetAttr(class_in_numpy(self)(0).ptr(), name); });
  if (text == "item")
    return guard([&] { return nb::object(nb::cpp_function([v = symbolic_of(self)] { return to_python(v); })).release().ptr(); });
  if (!function) return guard([&] { return PyObject_GetAttr(plain_number(self).ptr(), name); });
  return guard([&] {
    return nb::object(nb::cpp_function([number = nb::borrow(self), function] {
             const IValue real = run_one("aten::Float.Scalar", symbolic_of(number.ptr()));
             IValue result;
             call(*function, &real, &result);
             return to_python(result);
           }))
        .release()
        .ptr();
  });
}

PyNumberMethods number{};

template <size_t... K>
void set_slots(std::index_sequence<K...>) {
  ((number_operator(kNumberSlots[K].name) ? void(number.*kNumberSlots[K].slot = binary<K>) : void()), ...);
}

void fill_number() {
  set_slots(std::make_index_sequence<kNumberSlotCount>());
  number.nb_power = power;
  number.nb_negative = [](PyObject* a) { return apply("neg", &a, 1); };
  number.nb_positive = [](PyObject* a) {
    return guard([&] {
      IValue v = symbolic_of(a);
      return is_flag(v) ? to_python(IValue("Int"_op(v))).release().ptr() : Py_NewRef(a);
    });
  };
  number.nb_absolute = [](PyObject* a) { return apply("abs", &a, 1); };
  number.nb_invert = invert, number.nb_divmod = divide;
  number.nb_bool = [](PyObject* a) { return guard([&] { return PyObject_IsTrue(to_python(demanded(a)).ptr()); }); };
  number.nb_int = [](PyObject* a) { return guard([&] { return PyNumber_Long(to_python(demanded(a)).ptr()); }); };
  number.nb_float = [](PyObject* a) { return guard([&] { return PyNumber_Float(to_python(demanded(a)).ptr()); }); };
}

PyObject* repr(PyObject* self) {
  return guard([&] {
    const SymbolicValue& v = box(self);
    std::string name = type_name(self);
    name = name.substr(name.rfind('.') + 1);
    if (v.hint.is_none()) return PyUnicode_FromFormat("%s(%%%s)", name.c_str(), v.node ? v.node->name().c_str() : "of an ended capture");
    if (Py_TYPE(self) == &g_symlist_type) return PyUnicode_FromFormat("%s(%R)", name.c_str(), to_python(v.hint).ptr());
    check_text();
    return PyObject_Repr(plain_number(self).ptr());
  });
}
PyObject* g_catches_type_error = nullptr;  // in Python: whether the caller goes on without its cache where a key cannot be hashed
// A number that a graph computes has no hash, as PyTorch's SymInt: a caller that is ready for this needs no guard. For any other the hash is the number's.
Py_hash_t hash(PyObject* self) {
  return guard([&]() -> Py_hash_t {
    if (!g_catches_type_error) {
      const capture::machine::Unwatched unwatched;
      nb::module_::import_("monograph.fx.proxy");  // which sets it
    }
    if (check(PyObject_CallNoArgs(g_catches_type_error)).ptr() == Py_True) {
      nb::object error = check(PyObject_CallFunction(PyExc_TypeError, "s", concat("unhashable type: '", type_name(self), "'").c_str()));
      error.attr("_is_refusal") = false;  // the program's handler is for it
      return PyErr_SetObject(PyExc_TypeError, error.ptr()), -1;
    }
    return PyObject_Hash(to_python(demanded(self)).ptr());
  });
}

// Code that asks a number for its class, such as functools.singledispatch, gets that of the number that it stands for, as from type().
PyObject* number_class(PyObject* self, void*) {
  if (is_numpy_number(self)) return guard([&] { return class_in_numpy(self).release().ptr(); });
  PyTypeObject* type = Py_TYPE(self) == &g_symint_type ? &PyLong_Type : Py_TYPE(self) == &g_symfloat_type ? &PyFloat_Type : &PyBool_Type;
  return Py_NewRef(reinterpret_cast<PyObject*>(type));
}
PyGetSetDef number_fields[] = {{"__class__", number_class, nullptr, nullptr, nullptr}, {}};

// --- Texts. Put together they are a text of the graph, and compared a bool of it. What else Python does with a str, it does with the example's, guarded.

nb::object text_of_self(PyObject* o) { return is_symbolic(o) ? to_python(demanded(o)) : nb::borrow(o); }
bool is_text(PyObject* o) { return Py_TYPE(o) == &g_symtext_type; }
bool is_any_text(PyObject* o) { return is_text(o) || PyUnicode_CheckExact(o); }

PyObject* two_texts(const char* name, PyObject* a, PyObject* b) {
  return guard([&]() -> PyObject* {
    if (!is_any_text(a) || !is_any_text(b)) return Py_NewRef(Py_NotImplemented);
    IValue given[2], result;
    to_ivalue(a, given[0]), to_ivalue(b, given[1]);
    std::optional<capture::Pause> pause;
    if (!capture::current_session()) {  // of a capture that has ended
      for (IValue& v : given)
        if (const SymbolicValue* s = symbolic_value(v)) v = IValue(s->hint);
      pause.emplace();
    }
    call(find_operator(name), given, &result);
    return to_python(result).release().ptr();
  });
}
PyObject* text_add(PyObject* a, PyObject* b) { return two_texts("aten::add.str", a, b); }
template <auto F>
PyObject* with_texts(PyObject* a, PyObject* b) {
  return guard([&] { return F(text_of_self(a).ptr(), text_of_self(b).ptr()); });
}
PyObject* text_compare(PyObject* a, PyObject* b, int op) {
  if (!is_any_text(b)) Py_RETURN_NOTIMPLEMENTED;
  if (op == Py_EQ || op == Py_NE) return two_texts(op == Py_EQ ? "aten::eq.str" : "aten::ne.str", a, b);
  return guard([&] { return PyObject_RichCompare(text_of_self(a).ptr(), text_of_self(b).ptr(), op); });
}
PyObject* text_str(PyObject* self) {
  return guard([&] { return plain_text(self).release().ptr(); });
}
PyObject* text_repr(PyObject* self) {
  return guard([&] { return PyObject_Repr(plain_text(self).ptr()); });
}
PyObject* text_format(PyObject* self, PyObject* spec) {
  return guard([&] { return PyObject_Format(plain_text(self).ptr(), spec); });
}
Py_hash_t text_hash(PyObject* self) {
  return guard([&]() -> Py_hash_t { return PyObject_Hash(plain_text(self).ptr()); });
}
PyObject* text_attribute(PyObject* self, PyObject* name) {
  PyObject* known = PyObject_GenericGetAttr(self, name);
  if (known || !PyErr_ExceptionMatches(PyExc_AttributeError)) return known;
  PyErr_Clear();
  return guard([&] { return PyObject_GetAttr(plain_text(self).ptr(), name); });
}
PyMethodDef text_methods[] = {{"__format__", text_format, METH_O, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyGetSetDef text_fields[] = {
    {"__class__", [](PyObject*, void*) { return Py_NewRef(reinterpret_cast<PyObject*>(&PyUnicode_Type)); }, nullptr, nullptr, nullptr}, {}};

void fill_text() {
  static PyNumberMethods operators{};
  static PySequenceMethods sequence{};
  static PyMappingMethods mapping{};
  operators.nb_add = text_add, operators.nb_remainder = with_texts<PyNumber_Remainder>,
  operators.nb_multiply = with_texts<PyNumber_Multiply>;
  operators.nb_bool = [](PyObject* a) { return guard([&] { return PyObject_IsTrue(plain_text(a).ptr()); }); };
  operators.nb_int = [](PyObject* a) { return guard([&] { return PyNumber_Long(plain_text(a).ptr()); }); };
  operators.nb_float = [](PyObject* a) { return guard([&] { return PyNumber_Float(plain_text(a).ptr()); }); };
  sequence.sq_contains = [](PyObject* a, PyObject* b) {
    return guard([&] { return PySequence_Contains(plain_text(a).ptr(), text_of_self(b).ptr()); });
  };
  mapping.mp_length = [](PyObject* a) { return guard([&]() -> Py_ssize_t { return PyObject_Size(plain_text(a).ptr()); }); };
  mapping.mp_subscript = [](PyObject* a, PyObject* key) { return guard([&] { return PyObject_GetItem(plain_text(a).ptr(), key); }); };
  PyTypeObject& t = g_symtext_type;
  t.tp_as_number = &operators, t.tp_as_sequence = &sequence, t.tp_as_mapping = &mapping;
  t.tp_str = text_str, t.tp_repr = text_repr, t.tp_hash = text_hash, t.tp_richcompare = text_compare, t.tp_getattro = text_attribute;
  t.tp_iter = [](PyObject* a) { return guard([&] { return PyObject_GetIter(plain_text(a).ptr()); }); };
  t.tp_methods = text_methods, t.tp_getset = text_fields;
}

// --- Lists.

Py_ssize_t list_length(PyObject* self) {
  return guard([&]() -> Py_ssize_t {
    kept(self);
    const IValue& hint = box(self).hint;
    if (!hint.is_none()) return static_cast<Py_ssize_t>(hint.is_ints() ? hint.to_ints().size() : hint.items().size());
    const ir::Node& node = *box(self).node;
    const auto* op = dynamic_cast<const Operator*>(node.info());
    if (const auto known = op ? infer_length(*op, node) : std::nullopt; known && known->is_int()) return known->as_int();
    refuse_captured(ErrorKind::Type, concat("the length of %", box(self).node->name(),
                                            " is not known under symbolic capture; index its elements, or trace with an example"));
  });
}
IValue cut_list(const IValue& list, PyObject* slice);
IValue join_lists(const IValue& a, const IValue& b);
bool as_list(PyObject* o, IValue& out);

bool holds_ints(PyObject* list) {
  if (const IValue* items = kept(list)) return items->is_ints();
  ir::Type type = box(list).node->type();
  return type.is(ir::TypeKind::List) && (type.element().is(ir::TypeKind::Int) || type.element().is(ir::TypeKind::SymInt));
}
PyObject* list_item(PyObject* self, PyObject* index) {
  return guard([&]() -> PyObject* {
    if (PySlice_Check(index) && holds_ints(self)) return to_python(cut_list(symbolic_of(self), index)).release().ptr();
    static const OverloadSet& getitem = *number_operator("getitem");
    IValue args[] = {symbolic_of(self), is_symbolic(index) ? symbolic_of(index) : IValue(to_int64(index))}, result;
    Bound bound;
    const Operator& op = bind(getitem, args, {}, bound);
    call(op, bound.data(), &result);
    return to_python(result).release().ptr();
  });
}
PyObject* list_item_at(PyObject* self, Py_ssize_t i) {
  Py_ssize_t n = list_length(self);
  if (n < 0) return nullptr;
  if (i >= n) return PyErr_SetString(PyExc_IndexError, "list index out of range"), nullptr;
  return list_item(self, to_python(static_cast<int64_t>(i)).ptr());
}
PyObject* g_list_iter = nullptr;  // in Python: how many elements the caller unpacks, from its code
PyObject* list_iter(PyObject* self) { return PyObject_CallOneArg(g_list_iter, self); }
// a + b, of which one is a list of sizes: as Python's tuples are put together.
PyObject* list_add(PyObject* a, PyObject* b) {
  return guard([&]() -> PyObject* {
    IValue left, right;
    for (PyObject* o : {a, b})
      if (!(is_symbolic(o) ? Py_TYPE(o) == &g_symlist_type && holds_ints(o) : PyTuple_Check(o))) return Py_NewRef(Py_NotImplemented);
    if (!as_list(a, left) || !as_list(b, right)) return Py_NewRef(Py_NotImplemented);
    return to_python(join_lists(left, right)).release().ptr();
  });
}
// x.shape == (2, 3), as tuples are compared; a list is never equal to one.
PyObject* list_compare(PyObject* a, PyObject* b, int op) {
  return guard([&]() -> PyObject* {
    const bool list = is_symbolic(b) && Py_TYPE(b) == &g_symlist_type;
    MONOGRAPH_CHECK(holds_ints(a) && (!list || holds_ints(b)), Type,
                    "lists that a graph computes are compared where they hold sizes alone; ", "compare their elements");
    std::array<IValue, 2> values;
    if (!(list || PyTuple_Check(b)) || !as_list(a, values[0]) || !as_list(b, values[1])) return Py_NewRef(Py_NotImplemented);
    Bound bound;
    const Operator& compared = bind(*number_operator(kComparisons[op]), values, {}, bound);
    IValue result;
    call(compared, bound.data(), &result);
    return to_python(result).release().ptr();
  });
}
PyNumberMethods list_number{};
PyMappingMethods list_mapping = {list_length, list_item, nullptr};
PySequenceMethods list_sequence{};

bool is_known(const capture::Session* s, const Tensor& t) {
  if (t->kind == TensorImpl::Kind::Symbolic) return true;
  return s && s->writer.find(t);
}

IValue run_one(const char* name, std::initializer_list<IValue> args) {
  IValue result;
  call(find_operator(name), args.begin(), &result);
  return result;
}

}  // namespace

IValue run_one(std::string_view name, const IValue& argument) {
  IValue result;
  call(find_operator(name), &argument, &result);
  return result;
}

bool is_symbolic(PyObject* o) { return Py_TYPE(o)->tp_dealloc == dealloc; }
const IValue& symbolic_of(PyObject* o) {
  const IValue* number = kept(o);
  return number ? *number : of(o)->value;
}

bool is_of_region(const ir::Node* node) {
  if (node->op() == ir::Op::Placeholder) return node->block() != node->graph()->root();
  const ir::Node* region = node->is_projection() ? node->projected() : node;
  return region->is_if() || region->is_loop();
}
const char* who_decides_identity(const Tensor& t) {
  const capture::Session* s = capture::current_session();
  const ir::Node* node = s ? s->writer.find(t) : nullptr;
  if (!node) return "";
  if (is_of_region(node)) return kWayDecides;
  // An element of a list of the graph, which branches and loops have filled.
  if (const ir::Node* list = !node->is_projection() && node->arg_count() ? node->arg(0).node() : nullptr;
      list && list->type().is(ir::TypeKind::List) && (list->op() != ir::Op::Placeholder || is_of_region(list)))
    return kWayDecides;
  const auto* op = dynamic_cast<const Operator*>((node->is_projection() ? node->projected() : node)->info());
  return op && op->returns_argument ? kOperatorDecides : "";
}

bool is_numpy_number(PyObject* o) { return Py_TYPE(o) == &g_numpy_float_type || Py_TYPE(o) == &g_numpy_int_type; }

PyTypeObject* type_of_number(PyObject* symbol) {
  if (is_numpy_number(symbol)) return Py_TYPE(symbol);
  const IValue& v = symbolic_of(symbol);
  if (symbolic_size(v)) return &PyLong_Type;
  const SymbolicValue* s = symbolic_value(v);
  if (!s) return nullptr;
  const ir::Type type = s->node ? type_of_value(*s) : ir::Type();
  if (s->hint.is_bool() || type.is(ir::TypeKind::Bool)) return &PyBool_Type;
  if (s->hint.is_int() || type.is(ir::TypeKind::Int) || type.is(ir::TypeKind::SymInt)) return &PyLong_Type;
  return s->hint.is_float() || type.is(ir::TypeKind::Float) ? &PyFloat_Type : nullptr;
}

nb::object wrap_symbolic(const IValue& value) {
  if (!symbolic_value(value)->node) return to_python(symbolic_value(value)->hint);
  return of_type(type_for(*symbolic_value(value)), value);
}

nb::object plain_text(PyObject* text) { return text_of_self(text); }

int64_t demand_int(PyObject* o) { return is_symbolic(o) ? demanded(o).to_int() : to_int64(o); }

void refuse_captured(ErrorKind kind, std::string message) {
  CaptureRefusal e(kind, std::move(message));
  capture::Session* s = capture::current_session();
  e.locate(s && s->writer.location ? s->writer.location() : caller_span());
  throw e;
}

void check_dim(std::string_view op, int64_t dim, const Tensor& t) try { place_of_dim(t, dim); } catch (Error& e) {
  e.note(concat("in ", op));
  throw;
}

bool is_captured(const Tensor& t) {
  if (t->kind == TensorImpl::Kind::Symbolic) return true;
  capture::Session* s = capture::current_session();
  return s && is_known(s, t);
}

bool is_own_data(const Tensor& t, const Tensor& value) {
  static const Operator& detach = find_operator("aten::detach");
  const capture::Session* s = capture::current_session();
  const ir::Node *of = s ? s->writer.find(t) : nullptr, *node = s ? s->writer.find(value) : nullptr;
  return of && node && node->info() == &detach && node->input(0) == of;
}

bool has_known_rank(const Tensor& t) {
  if (t->kind == TensorImpl::Kind::Symbolic) return known_rank(t).has_value();
  const ir::Node* node = capture::current_session()->writer.find(t);
  return node && node->type().is(ir::TypeKind::Tensor) && node->type().tensor().sizes;
}

bool has_captured_values(const Tensor& t) {
  if (is_captured(t)) return true;
  capture::Session* s = capture::current_session();
  return s && s->writer.may_change(t);
}

nb::object captured_sizes(const Tensor& t) {
  if (t->kind == TensorImpl::Kind::Symbolic) return to_python(run_one("aten::size", {t}));
  check_rank(t);
  auto size = check(g_size_type.tp_alloc(&g_size_type, t.dim()));
  for (int64_t d = 0; d < t.dim(); ++d) PyTuple_SET_ITEM(size.ptr(), d, to_python(run_one("aten::sym_size.int", {t, d})).release().ptr());
  return size;
}

nb::object captured_size(const Tensor& t, PyObject* dim) {
  int64_t d = demand_int(dim);
  if (t->kind == TensorImpl::Kind::Dense) check_dim("aten::size.int", d, t);
  return to_python(run_one("aten::sym_size.int", {t, d}));
}

nb::object captured_numel(const Tensor& t) { return to_python(run_one("aten::sym_numel", {t})); }
nb::object captured_number(const char* op, const Tensor& t) { return to_python(run_one(op, {t})); }
nb::object captured_rank(const Tensor& t) { return has_known_rank(t) ? to_python(*known_rank(t)) : captured_number("aten::dim", t); }
void check_rank(const Tensor& t) {
  if (is_captured(t) && !has_known_rank(t))
    capture::demand(run_one("aten::dim", {t}), concat("the number of dims in ", caller_expression()));
}
nb::object captured_stride(const Tensor& t, int64_t dim) {
  check_dim("aten::stride.int", dim, t);
  return to_python(run_one("aten::stride.int", {t, dim}));
}
nb::object captured_strides(const Tensor& t) {
  check_rank(t);
  auto strides = check(PyTuple_New(t.dim()));
  for (int64_t d = 0; d < t.dim(); ++d) PyTuple_SET_ITEM(strides.ptr(), d, captured_stride(t, d).release().ptr());
  return strides;
}
nb::object captured_is_contiguous(const Tensor& t, MemoryFormat format) {
  return to_python(run_one("aten::is_contiguous.memory_format", {t, format}));
}
nb::object captured_requires_grad(const Tensor& t) { return to_python(capture::asked_requires_grad(t)); }
Tensor shown_apart(const Tensor& t) {
  if (has_captured_values(t)) return "detach"_op(t);
  Tensor made = t.as_strided(t.sizes(), t.strides(), t->offset);
  if (capture::Session* s = capture::current_session()) s->writer.note_made(made);
  return made;
}
nb::object captured_item(const Tensor& t) { return to_python(run_one("aten::item", {t})); }
bool captured_truth(const Tensor& t) {
  std::string expression = caller_expression();
  warn_of_freezing(expression);
  return capture::truth(t, expression);
}

std::string symbolic_name(const Tensor& t) {
  if (t->kind != TensorImpl::Kind::Symbolic) return {};
  const ir::Node* node = capture::running_node(t);
  return node ? node->name() : "of another capture";
}

void check_not_symbolic(const Tensor& t, std::string_view what) {
  if (t->kind != TensorImpl::Kind::Symbolic) return;
  refuse_captured(ErrorKind::Runtime, concat(what, " of %", symbolic_name(t),
                                             " is unknown in a symbolic capture. Trace with an example (torch.jit.trace(f, x) or ",
                                             "torch.capture(f, x)), or leave it out of the function"));
}

std::optional<int64_t> known_rank(const Tensor& t) {
  if (t->kind != TensorImpl::Kind::Symbolic) return t.dim();
  const ir::Node* node = capture::running_node(t);
  const bool known = node && node->type().is(ir::TypeKind::Tensor) && node->type().tensor().sizes;
  return known ? std::optional(static_cast<int64_t>(node->type().tensor().sizes->size())) : std::nullopt;
}

DType dtype_of(const Tensor& t, std::string_view what) {
  const ir::Node* node = t->kind == TensorImpl::Kind::Symbolic ? capture::running_node(t) : nullptr;
  if (node && node->type().is(ir::TypeKind::Tensor) && node->type().tensor().dtype) return *node->type().tensor().dtype;
  check_not_symbolic(t, what);
  return t.dtype();
}

void assume_dims(const Tensor& t, int64_t dims) {
  capture::Session* s = capture::current_session();
  const ir::Node* node = t->kind == TensorImpl::Kind::Symbolic ? capture::running_node(t) : nullptr;
  if (!s || !node || !s->sizes_agree || s->assumed_dims.contains(node)) return;
  const IValue rank = run_one("aten::dim", {t});
  s->writer.guard(symbolic_value(rank)->node, dims, concat("the number of dims of %", node->name()));
  s->assumed_dims.emplace(node, dims);
}

void assume_rows(const Tensor& t, int64_t rows) {
  capture::Session* s = capture::current_session();
  const ir::Node* node = t->kind == TensorImpl::Kind::Symbolic ? capture::running_node(t) : nullptr;
  if (!s || !node) return;
  const IValue found = run_one("aten::sym_size.int", {t, int64_t{0}});
  s->writer.guard(symbolic_value(found)->node, rows, concat("the number of rows of %", node->name(), ", which is unpacked"));
}

nb::object assume_length(nb::handle list, int64_t length) {
  capture::Session* s = capture::current_session();
  if (!s || !s->sizes_agree || Py_TYPE(list.ptr()) != &g_symlist_type) return nb::borrow(list);
  const IValue value = of(list.ptr())->value;
  const IValue known = run_one("aten::len.t", {value});
  s->writer.guard(symbolic_value(known)->node, length, concat("len of %", symbolic_value(value)->node->name()));
  nb::list items;
  for (int64_t k = 0; k < length; ++k) items.append(to_python(run_one("aten::__getitem__.t", {value, k})));
  return items;
}

nb::object assumed_dims(const Tensor& t, std::string_view what) {
  capture::Session* s = capture::current_session();
  const ir::Node* node = capture::running_node(t);
  if (s && node) {
    auto found = s->assumed_dims.find(node);
    if (found != s->assumed_dims.end()) return to_python(found->second);
    if (const auto rank = known_rank(t)) return to_python(*rank);
  }
  check_not_symbolic(t, what);
  return {};
}

void check_not_captured(const Tensor& t, std::string_view method) {
  if (CallObserver* observer = CallObserver::current()) observer->read(t);
  // A graph of torch.compile has tensors from outside as they are at each run.
  if (!is_captured(t) && !(compiled::is_compiling() && has_captured_values(t))) return;
  refuse_captured(
      ErrorKind::Runtime,
      concat(method,
             "() needs the values of a tensor while the function is captured. What is computed from them would keep the values of the ",
             "example. Use functions of torch, or item() for a single number"));
}

namespace {

// The list that a torch.Size is made of: all sizes of one tensor, by sym_size, or all elements of one list, by getitem, with numbers among them where
// that list has them.
ir::Node* list_behind(PyObject* size, Dims& hint) {
  ir::Node* source = nullptr;
  const Operator *sym_size = &find_operator("aten::sym_size.int"), *getitem = &find_operator("aten::__getitem__.t");
  const ir::OpInfo* reads = nullptr;
  Py_ssize_t n = PyTuple_GET_SIZE(size);
  for (Py_ssize_t k = 0; k < n; ++k) {
    PyObject* item = PyTuple_GET_ITEM(size, k);
    if (PyLong_CheckExact(item)) {
      hint.push_back(to_int64(item));
      continue;
    }
    if (!is_symbolic(item) || !box(item).hint.is_int()) return nullptr;
    const ir::Node* node = box(item).node;
    if (!node) return nullptr;
    if ((node->info() != sym_size && node->info() != getitem) || !node->arg(1).is(ir::ArgKind::Int) || node->arg(1).as_int() != k)
      return nullptr;
    if (source && (node->input(0) != source || node->info() != reads)) return nullptr;
    source = node->input(0), reads = node->info();
    hint.push_back(box(item).hint.to_int());
  }
  capture::Session* s = capture::current_session();
  if (!s || !source) return nullptr;
  if (reads == sym_size) {
    ir::Type t = source->type();
    if (!t.is(ir::TypeKind::Tensor) || !t.tensor().sizes || t.tensor().sizes->size() != static_cast<size_t>(n)) return nullptr;
    source = s->writer.graph.call(find_operator("aten::size"), ir::Args(source));
    s->writer.graph.set_type(source, ir::Type::list(ir::TypeKind::Int));
  }
  ir::Args holder(source);
  AbstractValue whole = AbstractValue::of(holder[0]);
  bool all = whole.items && whole.items->size() == static_cast<size_t>(n);
  for (Py_ssize_t k = 0; all && k < n; ++k) {
    PyObject* item = PyTuple_GET_ITEM(size, k);
    const auto& known = (*whole.items)[static_cast<size_t>(k)].integer;
    all = is_symbolic(item) || (reads == getitem && known && known->is_int() && known->as_int() == to_int64(item));
  }
  return all ? source : nullptr;
}

// A torch.Size of the elements of `list`; those that Python knows as numbers stay numbers.
nb::object size_of(const IValue& list, PyObject* plain) {
  static const Operator& getitem = find_operator("aten::__getitem__.t");
  Py_ssize_t n = PyTuple_GET_SIZE(plain);
  auto size = check(g_size_type.tp_alloc(&g_size_type, n));
  for (Py_ssize_t k = 0; k < n; ++k) {
    nb::object item = nb::borrow(PyTuple_GET_ITEM(plain, k));
    if (is_symbolic(item.ptr())) {
      IValue args[] = {list, static_cast<int64_t>(k)}, element;
      call(getitem, args, &element);
      item = to_python(element);
    }
    PyTuple_SET_ITEM(size.ptr(), k, item.release().ptr());
  }
  return size;
}

// A sequence of numbers as a list of the graph, or one that stands inline.
bool as_list(PyObject* o, IValue& out) {
  if (to_ivalue(o, out)) return false;
  if (out.is_tuple()) out = IValue::list({out.items().begin(), out.items().end()});
  return out.is_ints() || out.is_list() || symbolic_value(out);
}

IValue cut_list(const IValue& list, PyObject* slice) {
  auto* s = reinterpret_cast<PySliceObject*>(slice);
  IValue args[] = {list, {}, {}, static_cast<int64_t>(1)}, out;
  PyObject* bounds[] = {s->start, s->stop, s->step};
  for (size_t k = 0; k < 3; ++k)
    if (bounds[k] != Py_None) MONOGRAPH_CHECK(!to_ivalue(bounds[k], args[k + 1]), Type, "slice indices must be integers or None");
  call(find_operator("aten::slice.t"), args, &out);
  return out;
}

IValue join_lists(const IValue& a, const IValue& b) {
  IValue args[] = {a, b}, out;
  call(find_operator("aten::add.t"), args, &out);
  return out;
}

}  // namespace

bool whole_size(PyObject* size, IValue& out) {
  Dims hint;
  ir::Node* list = list_behind(size, hint);
  if (list) out = Ref<ObjectBox>(new SymbolicValue(list, hint));
  return list;
}

nb::object captured_part(PyObject* size, PyObject* key, PyObject* plain) {
  static const Operator& getitem = find_operator("aten::__getitem__.t");
  bool negative = PyLong_Check(key) && is_symbolic(plain) && to_int64(key) < 0;
  IValue list, element;
  if ((!PySlice_Check(key) && !negative) || !capture::current_session() || !whole_size(size, list)) return {};
  if (!negative) return size_of(cut_list(list, key), plain);
  IValue args[] = {list, to_int64(key)};
  call(getitem, args, &element);
  return to_python(element);
}

nb::object captured_concat(PyObject* a, PyObject* b, PyObject* plain) {
  IValue left, right;
  if (!capture::current_session() ||
      (!(Py_TYPE(a) == &g_size_type && whole_size(a, left)) && !(Py_TYPE(b) == &g_size_type && whole_size(b, right))))
    return {};
  if (left.is_none() && !as_list(a, left)) return {};
  if (right.is_none() && !as_list(b, right)) return {};
  return size_of(join_lists(left, right), plain);
}

nb::object captured_compare(PyObject* a, PyObject* b, int op) {
  auto has_symbol = [](PyObject* tuple) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i)
      if (is_symbolic(PyTuple_GET_ITEM(tuple, i))) return true;
    return false;
  };
  if ((op != Py_EQ && op != Py_NE) || !capture::current_session() || PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b) ||
      !(has_symbol(a) || has_symbol(b)))
    return {};
  std::array<IValue, 2> values;
  if (!(Py_TYPE(a) == &g_size_type && whole_size(a, values[0])) && !as_list(a, values[0])) return {};
  if (!(Py_TYPE(b) == &g_size_type && whole_size(b, values[1])) && !as_list(b, values[1])) return {};
  IValue result;
  call(find_operator(op == Py_EQ ? "aten::eq.int_list" : "aten::ne.int_list"), values.data(), &result);
  const std::string expression = asked_expression(result);
  warn_of_freezing(expression);
  return to_python(capture::demand(result, expression));
}

namespace {
thread_local PyObject* t_factory_hook = nullptr;
}

bool records_factories() { return t_factory_hook != nullptr; }
void set_factory_hook(PyObject* hook) { Py_XDECREF(std::exchange(t_factory_hook, hook)); }

nb::object traced_factory(PyObject* function, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  auto [positional, keywords] = gather(args, n, names);
  return nb::handle(t_factory_hook)(nb::handle(function), positional, keywords);
}

void init_symbolic(PyObject* module) {
  nb::handle(module).attr("_set_list_iter") = nb::cpp_function([](nb::handle f) { g_list_iter = f.inc_ref().ptr(); });
  nb::handle(module).attr("_set_catches_type_error") = nb::cpp_function([](nb::handle f) { g_catches_type_error = f.inc_ref().ptr(); });
  nb::handle(module).attr("_check_text") = nb::cpp_function(check_text);
  nb::handle(module).attr("_hint") = nb::cpp_function([](nb::handle number) { return to_python(box(number.ptr()).hint); });
  // The same for what a dict has as a key: of a number of the graph that of the example.
  nb::handle(module).attr("_plain_key") = nb::cpp_function(
      [](nb::handle key) {
        const bool number =
            Py_TYPE(key.ptr()) == &g_symint_type || Py_TYPE(key.ptr()) == &g_symfloat_type || Py_TYPE(key.ptr()) == &g_symbool_type;
        return number && !box(key.ptr()).hint.is_none() ? to_python(box(key.ptr()).hint) : nb::borrow(key);
      },
      nb::arg("key").none());
  fill_number();
  fill_text();
  g_symtext_type.tp_basicsize = sizeof(SymbolicObject), g_symtext_type.tp_dealloc = dealloc, g_symtext_type.tp_free = PyObject_Free;
  nb::handle(module).attr("_as_numpy") = nb::cpp_function([](nb::handle number) { return as_numpy(nb::borrow(number)); });
  nb::handle(module).attr("_of_python") = nb::cpp_function(
      [](nb::handle number) { return is_numpy_number(number.ptr()) ? to_python(symbolic_of(number.ptr())) : nb::borrow(number); },
      nb::arg("number").none());
  for (PyTypeObject* type : {&g_symint_type, &g_symfloat_type, &g_symbool_type, &g_numpy_int_type, &g_numpy_float_type, &g_symlist_type}) {
    type->tp_basicsize = sizeof(SymbolicObject);
    type->tp_dealloc = dealloc, type->tp_repr = repr, type->tp_free = PyObject_Free;
    if (type == &g_symlist_type) {
      list_sequence.sq_length = list_length, list_sequence.sq_item = list_item_at;
      type->tp_iter = list_iter, type->tp_richcompare = list_compare, type->tp_hash = PyObject_HashNotImplemented;
      list_number.nb_add = list_add, type->tp_as_number = &list_number;
      type->tp_as_mapping = &list_mapping, type->tp_as_sequence = &list_sequence;
    } else {
      type->tp_str = number_text;
      type->tp_as_number = &number, type->tp_richcompare = compare, type->tp_hash = hash, type->tp_methods = number_methods,
      type->tp_getattro = number_attribute;
    }
  }
  g_symint_type.tp_doc = "An int that a captured function computes from the sizes of its inputs: the graph computes it at each run.";
  g_numpy_int_type.tp_doc = "An int64 of NumPy's that a captured function computes from its inputs.";
  g_numpy_float_type.tp_doc = "A float64 of NumPy's that a captured function computes from its inputs.";
  for (PyTypeObject* type : {&g_symint_type, &g_symfloat_type, &g_symbool_type, &g_numpy_int_type, &g_numpy_float_type})
    type->tp_getset = number_fields;
  g_symfloat_type.tp_doc = "A float that a captured function computes from its inputs: the graph computes it at each run.";
  g_symbool_type.tp_doc = "A bool that a captured function computes from its inputs. A branch on it is kept in the graph, or guarded.";
  // Only an int or bool is an index.
  static PyNumberMethods integer = number;
  integer.nb_index = number.nb_int;
  for (PyTypeObject* type : {&g_symint_type, &g_symbool_type, &g_numpy_int_type}) type->tp_as_number = &integer;
  for (PyTypeObject* type :
       {&g_symint_type, &g_symfloat_type, &g_symbool_type, &g_numpy_int_type, &g_numpy_float_type, &g_symlist_type, &g_symtext_type})
    add_type(module, *type);
}

}  // namespace monograph::python
