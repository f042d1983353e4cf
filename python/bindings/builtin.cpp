// Calling operators from Python.
//
// A call converts its arguments to IValues, finds the overload and calls it. Which overload fits is remembered per pattern of argument kinds where
// kinds alone decide it, so that the common call (torch.add(a, b), x * 2) does no matching and builds nothing but its result.
#include "builtin.h"
#include "compile.h"
#include "handover.h"

#include <structmember.h>

#include <nanobind/stl/string_view.h>

#include <array>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "autograd/engine.h"
#include "capture/machine/machine.h"
#include "capture/writer.h"
#include "dtypes.h"
#include "ir/bind.h"
#include "ops/dispatch.h"
#include "ops/overloads.h"
#include "ops/pointwise.h"
#include "ops/registry.h"
#include "schema.h"
#include "symbolic.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {

PyTypeObject g_builtin_type = make_type("monograph._C.Builtin", 0);
PyTypeObject g_builtin_method_type = make_type("monograph._C.BuiltinMethod", 0);
PyTypeObject g_packet_type = make_type("monograph._ops.OpOverloadPacket", 0);
PyTypeObject g_overload_type = make_type("monograph._ops.OpOverload", 0);

namespace {

using ir::TypeKind;
using Tag = IValue::Tag;

constexpr size_t kInlineArgs = 24, kMaxResults = 8, kMaxPattern = 7, kPatterns = 4, kMaxPlaces = 10;
constexpr int64_t kLargeWork = 1 << 15;  // elements from which other Python threads may run meanwhile

// What an argument of the schema takes of a call's values.
struct PatternSource {
  uint8_t value = 0;  // an index
  bool by_default = false, gathers = false;  // gathers: this value and those behind it by position, as one list
  uint8_t repeated = 0;  // an int that stands so many times in a list
};

}  // namespace

// A call whose overload the kinds of its values and its keywords decide.
struct [[gnu::visibility("hidden")]] Pattern {
  uint64_t key = 0;  // four bits a value, and the number of those by position on top
  nb::object names;  // the tuple of its keywords
  const Operator* op = nullptr;
  bool as_given = false;  // the values are the first arguments of the schema, as they are
  std::vector<IValue> defaults = {};  // of the arguments that are not given
  std::array<PatternSource, kMaxPlaces> sources = {};
  bool fits(uint64_t call, PyObject* keywords) const {
    if (key != call) return false;
    if (names.ptr() == keywords) return true;
    if (!keywords || !names.ptr() || PyTuple_GET_SIZE(keywords) != PyTuple_GET_SIZE(names.ptr())) return false;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(keywords); ++k)  // the interpreter has one object a name
      if (PyTuple_GET_ITEM(keywords, k) != PyTuple_GET_ITEM(names.ptr(), k)) return false;
    return true;
  }
};

struct Builtin {
  PyObject_HEAD vectorcallfunc vectorcall;
  const OverloadSet* overloads;
  PyObject* name;  // "add"; of one overload "add.Tensor", "relu.default"
  PyObject* module;  // "monograph" or below; "monograph._ops.aten"
  std::array<Pattern, kPatterns>* patterns;
  uint32_t next_pattern;
  PyObject* enumerated;  // the argument with a default such as "Mean", of a function or method; null where there is none
  Py_ssize_t enumerated_place;
};

namespace {

std::unordered_map<const OverloadSet*, PyObject*> g_builtins, g_methods, g_packets, g_overloads;  // the one object a set
PyObject* g_torch_function = nullptr;  // "__torch_function__"
thread_local int t_torch_function_off = 0;
thread_local int64_t t_function_modes = 0;  // how many stand around; 0 while one of them answers a call and no other stands around it
PyObject* g_disabled_torch_function = nullptr;

// Values, made as they are pushed. Room for a few stands in the buffer itself.
class ValueBuffer {
 public:
  explicit ValueBuffer(size_t room = kInlineArgs) {
    if (room > kInlineArgs) [[unlikely]]
      values_ = std::allocator<IValue>().allocate(room_ = room);
  }
  ValueBuffer(const ValueBuffer&) = delete;
  ~ValueBuffer() {
    std::destroy_n(values_, size_);
    if (room_ > kInlineArgs) [[unlikely]]
      std::allocator<IValue>().deallocate(values_, room_);
  }
  IValue& push() { return *new (&values_[size_++]) IValue(); }
  void push(IValue v) { new (&values_[size_++]) IValue(std::move(v)); }
  IValue* data() { return values_; }
  size_t size() const { return size_; }

 private:
  alignas(IValue) std::byte inline_[sizeof(IValue) * kInlineArgs];
  IValue* values_ = reinterpret_cast<IValue*>(inline_);
  size_t size_ = 0, room_ = kInlineArgs;
};

PyObject* type_attribute(PyTypeObject* type, PyObject* name) { return _PyType_Lookup(type, name); }  // borrowed, cached by CPython

// The kind of a value that its tag tells, as a type: of a tensor not how many dims it has, of a list not what is in it.
ir::Type type_of(Tag tag) {
  if (tag == Tag::Ints) return ir::Type::list(TypeKind::Int);
  const auto kind = ir::kind_of(tag);
  return !kind || *kind == TypeKind::List || *kind == TypeKind::Dict ? ir::Type() : ir::Type(*kind);
}

// What the arguments take of the values; nothing where some value is converted otherwise than a PatternSource says.
bool plan(Pattern& p, const Operator& op, const ir::ArgumentSources& sources, std::span<const IValue> values, const Bound& bound) {
  const auto& arguments = op.schema().arguments();
  if (arguments.size() > kMaxPlaces) return false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    PatternSource& source = p.sources[i] = {};
    const int64_t value = sources.value[i];
    if (value == ir::ArgumentSources::kDefault) {
      source.by_default = true;
      p.defaults.push_back(bound[i]);
      continue;
    }
    source.gathers = value == ir::ArgumentSources::kGathered;
    source.value = static_cast<uint8_t>(source.gathers ? sources.gathered_begin : static_cast<size_t>(value));
    const Tag given = values[source.value].tag();
    if (bound[i].tag() == Tag::Ints && given == Tag::Int) {
      if (!source.gathers) source.repeated = static_cast<uint8_t>(bound[i].to_ints().size());
    } else if (bound[i].tag() != given || source.gathers) {
      return false;
    }
    p.as_given &= i == source.value && !source.gathers && !source.repeated;
  }
  return true;
}

// torch.ops: calls by the schema alone (ir::fit_by_schema).
bool is_by_schema(const Builtin* self) { return Py_TYPE(self) == &g_packet_type || Py_TYPE(self) == &g_overload_type; }

// The pattern of a call, where the tags and keywords alone decide its overload.
bool find_pattern(Pattern& p, const OverloadSet& overloads, std::span<const IValue> values, std::span<const std::string_view> keywords,
                  const Operator& op, const Bound& bound, bool by_schema = false) {
  std::array<ir::Type, kMaxPattern> types;
  for (size_t i = 0; i < values.size(); ++i)
    if (!(types[i] = type_of(values[i].tag()))) return false;
  const ir::Call<ir::Type> call{.values = {types.data(), values.size()}, .keywords = keywords, .by_schema = by_schema};
  ir::ArgumentSources sources;
  ir::Misfit why;
  for (const Operator* other : overloads.overloads) {
    if (!overloads.in_python(*other)) continue;
    const ir::Fit fit = ir::fit(other->schema(), call, sources, why);
    if (other == &op && fit != ir::Fit::Exact) return false;
    if (other == &op) break;
    if (fit >= ir::Fit::Unknown) return false;
  }
  p.op = &op, p.as_given = keywords.empty();
  return plan(p, op, sources, values, bound);
}

void remember(Builtin* self, uint64_t key, PyObject* names, std::span<const IValue> values, std::span<const std::string_view> keywords,
              const Operator& op, const Bound& bound) {
  Pattern p{.key = key, .names = nb::borrow(names)};
  if (find_pattern(p, *self->overloads, values, keywords, op, bound, is_by_schema(self)))
    (*self->patterns)[self->next_pattern++ % kPatterns] = std::move(p);
}

// As PyTorch prints named results.
PyObject* repr_of_result(PyObject* self) {
  return guard([&]() -> PyObject* {
    std::string_view name = Py_TYPE(self)->tp_name;
    std::string text = concat("torch", name.substr(name.find('.')), "(");
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
      auto item = check(PyObject_Repr(PyTuple_GET_ITEM(self, i)));
      text += concat(i ? ",\n" : "\n", Py_TYPE(self)->tp_members[i].name, "=", text_of(item.ptr()));
    }
    return to_python(std::string_view(text + ")")).release().ptr();
  });
}

// Whether an operator gives its results names. A program's own gives a plain tuple, as in PyTorch.
bool has_named_results(const Operator& op) {
  const auto& returns = op.schema().returns();
  return returns.size() > 1 && !returns[0].name.empty() && returns[0].name != "out" && op.name().starts_with("aten::");
}

// Named results: a named tuple type for each name of an operator, torch.return_types.NAME.
PyTypeObject* result_type(const Operator& op) {
  static std::unordered_map<std::string_view, PyTypeObject*> types;
  PyTypeObject*& type = types[op.base_name()];
  if (type) return type;
  auto* fields = new std::vector<PyStructSequence_Field>;
  for (const ir::Argument& r : op.schema().returns()) fields->push_back({r.name.c_str(), nullptr});
  fields->push_back({nullptr, nullptr});
  auto* name = new std::string(concat("monograph.return_types.", op.base_name()));
  auto* description = new PyStructSequence_Desc{name->c_str(), nullptr, fields->data(), static_cast<int>(op.schema().returns().size())};
  type = PyStructSequence_NewType(description);  // lives, like the operator, as long as the process
  if (!type) raise_set();
  type->tp_repr = repr_of_result;
  return type;
}

// The types of named results, by operator.
nb::object return_types() {
  nb::dict types;
  for (const Operator* op : Registry::global().all())
    if (has_named_results(*op)) types[to_python(op->base_name())] = nb::borrow(reinterpret_cast<PyObject*>(result_type(*op)));
  return types;
}

// `plain`: as torch.ops, with a list where the schema says so and without names of results.
nb::object wrap_results(const Operator& op, const IValue* results, bool plain) {
  const auto& returns = op.schema().returns();
  if (returns.size() == 1 && results[0].is_tensor()) return wrap(results[0].as_tensor());
  if (returns.size() == 1)
    return plain && returns[0].type.is(TypeKind::List) ? check(PySequence_List(to_python(results[0]).ptr())) : to_python(results[0]);
  if (returns.empty()) return nb::none();
  const bool named = !plain && has_named_results(op);
  auto tuple = check(named ? PyStructSequence_New(result_type(op)) : PyTuple_New(static_cast<Py_ssize_t>(returns.size())));
  for (size_t i = 0; i < returns.size(); ++i) {
    PyObject* item = to_python(results[i]).release().ptr();
    if (named) PyStructSequence_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(i), item);
    else PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), item);
  }
  return tuple;
}

class GilRelease {
 public:
  explicit GilRelease(bool on) : state_(on ? PyEval_SaveThread() : nullptr) {}
  ~GilRelease() {
    if (state_) PyEval_RestoreThread(state_);
  }
  GilRelease(const GilRelease&) = delete;

 private:
  PyThreadState* state_;
};

nb::object run_bound(const Operator& op, const IValue* args, bool plain) {
  int64_t elements = 0;
  for (size_t i = 0, n = op.schema().arguments().size(); i < n; ++i)
    if (args[i].is_tensor()) elements += args[i].as_tensor().numel();
  IValue results[kMaxResults];
  {
    GilRelease release(elements >= kLargeWork && !dispatch_state().top);  // a dispatch mode may ask Python where it is
    call(op, args, results);
  }
  return wrap_results(op, results, plain);
}

bool takes(const OverloadSet& overloads, std::string_view keyword) {
  for (const Operator* op : overloads.overloads)
    if (op->schema().index_of(keyword) >= 0) return true;
  return false;
}

// An object that no operator takes: it fits no argument, and the error says what it is.
IValue foreign(PyObject* o) { return Ref<ObjectBox>(new PyBox(o)); }

// A call of Python with its values converted. The first `n` of them are given by position.
struct ConvertedCall {
  ValueBuffer values;
  size_t n = 0;
  PyObject* names = nullptr;
  uint64_t key = 0;  // of its pattern; 0 where there is none
  PyObject* refused = nullptr;  // an object that no operator takes
  int64_t too_large = -1;  // the value that stands for an int of more than 64 bits
  double large = 0;  // that int
  bool unsigned_word = false;  // whether it is from 2^63 to 2^64 - 1
};

// Whether a Scalar of this call is read as a floating-point number: it has a floating tensor, and tensors of ints only as indices.
bool computes_in_floats(const Operator& op, const Bound& bound) {
  bool floats = false;
  for (size_t i = 0; i < bound.size(); ++i) {
    if (bound[i].tag() == IValue::Tag::Dtype) floats = is_floating(bound[i].to_dtype()) || is_complex(bound[i].to_dtype());
    if (!bound[i].is_tensor() || bound[i].as_tensor()->wrapped_number || op.schema().arguments()[i].name == "index") continue;
    const DType t = bound[i].as_tensor().dtype();
    if (!is_floating(t) && !is_complex(t) && t != DType::b1) return false;
    floats |= t != DType::b1;
  }
  return floats;
}

// Where an argument is a float, an int of any size is taken, and up to 2^64 - 1 where a Scalar is read as one. Else PyTorch's kind of error: it depends on the
// type of the argument.
void refuse_too_large(const ConvertedCall& call, const Operator& op, const ir::ArgumentSources& sources, bool by_schema, Bound& bound) {
  constexpr const char* kWords = "Overflow when unpacking long long: the number does not fit into 64 bits; a float is larger";
  const auto& arguments = op.schema().arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const int64_t source = sources.value[i];
    const bool gathered = source == ir::ArgumentSources::kGathered && call.too_large >= static_cast<int64_t>(sources.gathered_begin) &&
                          call.too_large < static_cast<int64_t>(sources.gathered_end);
    if (source != call.too_large && !gathered) continue;
    const ir::Type type = arguments[i].type.is(TypeKind::Optional) ? arguments[i].type.element() : arguments[i].type;
    if (type.is(TypeKind::Float)) return void(bound[i] = call.large);
    const bool scalar = type.is(TypeKind::Number), number = scalar || type.is(TypeKind::Tensor);
    if (number && call.unsigned_word && computes_in_floats(op, bound)) {
      bound[i] = scalar ? IValue(call.large) : IValue(wrapped_number(call.large));
      return;
    }
    if (number) fail(ErrorKind::Overflow, kWords);
    fail(by_schema ? ErrorKind::Runtime : gathered ? ErrorKind::Type : ErrorKind::Value, kWords);
  }
  fail(ErrorKind::Value, kWords);
}

// Python gives the out= of several results as one tuple, and the schema has an argument for each.
void spread_out(const OverloadSet& overloads, std::vector<Keyword>& keywords) {
  for (size_t k = 0; k < keywords.size(); ++k) {
    if (keywords[k].name != "out" || !(keywords[k].value.is_tuple() || keywords[k].value.is_list())) continue;
    const IValue given = keywords[k].value;
    for (const Operator* op : overloads.overloads) {
      const auto& arguments = op->schema().arguments();
      const size_t count = given.items().size();
      if (count < 2 || arguments.size() < count || std::ranges::count_if(arguments, &ir::Argument::out) != static_cast<int64_t>(count))
        continue;
      keywords.erase(keywords.begin() + static_cast<int64_t>(k));
      for (size_t i = 0; i < count; ++i) keywords.push_back({arguments[arguments.size() - count + i].name, given.items()[i]});
      return;
    }
  }
}

// PyTorch's Python functions take None for a list of ints whose default is []: avg_pool2d(x, 2, stride=None).
bool takes_none_for_default(const OverloadSet& overloads, size_t place, std::string_view keyword) {
  for (const Operator* op : overloads.overloads) {
    const auto& arguments = op->schema().arguments();
    if (!keyword.empty()) {
      const int named = op->schema().index_of(keyword);
      if (named < 0) continue;
      place = static_cast<size_t>(named);
    }
    if (place >= arguments.size() || !arguments[place].type.is(TypeKind::List) || !arguments[place].default_value) continue;
    const ir::ArgRef usual = (*arguments[place].default_value)[0];
    if (usual.is(ir::ArgKind::List) && usual.size() == 0) return true;
  }
  return false;
}

// Once for each name, as PyTorch: a weight stood before a tensor.
void warn_of_older_order(const Operator& op, std::span<const IValue> given) {
  size_t own = 0;
  bool weighs = false;
  for (const ir::Argument& a : op.schema().arguments()) {
    if (!a.kwarg_only) ++own;
    else if (a.type.is(ir::TypeKind::Number)) weighs = true;
  }
  static std::unordered_set<std::string_view> warned;
  if (!weighs || given.size() <= own || !warned.insert(op.base_name()).second) return;
  const std::string text = concat("This order of the arguments of ", op.base_name(),
                                  " is deprecated: pass its numbers by keyword, after the tensors: ", to_string(op.schema()));
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) < 0) raise_set();
}

// In a trace PyTorch's sizes are tensors, and torch.ceil(x.shape[0] / 2) takes one. Puts a tensor in place of each number that the graph computes, as PyTorch
// has it: of int64 or the default dtype. False where there is none, or no trace.
bool sizes_to_tensors(ConvertedCall& call) {
  if (!capture::current_session() || compiled::is_compiling()) return false;
  bool any = false;
  for (size_t k = 0; k < call.n; ++k) {
    IValue& v = call.values.data()[k];
    const SymbolicValue* number = symbolic_value(v);
    const auto type = number ? type_of_value(*number).kind() : ir::TypeKind::Any;
    const bool whole = type == ir::TypeKind::Int || type == ir::TypeKind::SymInt;
    if (!whole && type != ir::TypeKind::Float && type != ir::TypeKind::Number) continue;
    v = "scalar_tensor"_op(v, whole ? DType::i64 : default_dtype());
    any = true;
  }
  return any;
}

// The general way: the overload by the rules of ir/bind.h. `n` of the values are given by position.
nb::object call_slowly(Builtin* self, ConvertedCall& call) {
  auto& [values, n, names, key, refused, too_large, large, unsigned_word] = call;
  const bool by_schema = is_by_schema(self);
  std::vector<Keyword> keywords;
  bool requires_grad = false;
  for (size_t k = 0; k < values.size() && !by_schema; ++k) {
    const std::string_view name = k < n ? "" : text_of(PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(k - n)));
    if (values.data()[k].is_none() && takes_none_for_default(*self->overloads, k, name)) values.data()[k] = Dims(), key = 0;
  }
  for (size_t k = 0; n + k < values.size(); ++k) {
    const std::string_view name = text_of(PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(k)));
    IValue& value = values.data()[n + k];
    if (name == "out" && value.is_none() && !by_schema) key = 0;
    else if (name == "requires_grad" && !by_schema &&
             !takes(*self->overloads, name)) {  // Python's own, on every function that makes tensors
      MONOGRAPH_CHECK(value.is_bool() || value.is_none(), Type, text_of(self->name), "(): argument 'requires_grad' must be bool, not ",
                      describe(value));
      requires_grad = value.is_bool() && value.to_bool(), key = 0;
    } else {
      keywords.emplace_back(Keyword{name, value});
    }
  }
  if (const size_t given = keywords.size(); !by_schema && (spread_out(*self->overloads, keywords), keywords.size() != given)) key = 0;
  Bound bound;
  ir::ArgumentSources sources;
  auto fitting = [&]() -> const Operator& {
    return bind(*self->overloads, {values.data(), n}, keywords, bound, {.python = true, .by_schema = by_schema, .sources = &sources});
  };
  const Operator& op = [&]() -> const Operator& {
    try {
      return fitting();
    } catch (const Error&) {
      if (by_schema || refused || !sizes_to_tensors(call)) throw;
      key = 0;
      return fitting();
    }
  }();
  if (refused)
    fail(by_schema ? ErrorKind::Runtime : ErrorKind::Type, text_of(self->name), "(): an argument must not be ", type_name(refused));
  if (too_large >= 0) refuse_too_large(call, op, sources, by_schema, bound);
  warn_of_older_order(op, {values.data(), n});
  if (key) {
    std::vector<std::string_view> given;
    for (const Keyword& k : keywords) given.push_back(k.name);
    remember(self, key, names, {values.data(), values.size()}, given, op, bound);
  }
  nb::object result = run_bound(op, bound.data(), by_schema);
  if (requires_grad && is_tensor(result.ptr())) set_requires_grad(tensor_of(result.ptr()), true);
  return result;
}

// The arguments of the schema of a call of a known pattern, made of the call's values. They lie in `values` or `bound`.
const IValue* arrange(const Pattern& p, ValueBuffer& values, size_t n, ValueBuffer& bound) {
  const IValue* next_default = p.defaults.data();
  if (p.as_given) {
    for (const IValue& v : p.defaults) values.push(v);
    return values.data();
  }
  for (size_t i = 0, count = p.op->schema().arguments().size(); i < count; ++i) {
    const PatternSource source = p.sources[i];
    IValue* given = values.data() + source.value;
    if (source.by_default) bound.push(*next_default++);
    else if (source.repeated) bound.push(Dims(source.repeated, given->to_int()));
    else if (!source.gathers) bound.push(std::move(*given));
    else {
      Dims list;
      for (const IValue* end = values.data() + n; given < end; ++given) list.push_back(given->to_int());
      bound.push(std::move(list));
    }
  }
  return bound.data();
}

nb::object call_as(const Pattern& p, ConvertedCall& call, bool plain) {
  ValueBuffer bound;
  return run_bound(*p.op, arrange(p, call.values, call.n, bound), plain);
}

// A function that makes tensors of numbers alone.
bool makes_tensors(Builtin* self, PyObject* const* args, Py_ssize_t n) {
  if (Py_TYPE(self) == &g_builtin_method_type) return false;
  for (const ir::Argument& a : self->overloads->overloads[0]->schema().arguments())
    if (a.type.is(TypeKind::Tensor)) return false;
  for (Py_ssize_t i = 0; i < n; ++i)
    if (overrides_calls(args[i])) return false;
  return true;
}

nb::object call_builtin(Builtin* self, PyObject* const* args, Py_ssize_t n, PyObject* names);

// An int of more than 64 bits.
bool is_too_large(PyObject* o) {
  if (!PyLong_CheckExact(o)) return false;
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(o, &overflow);
  return overflow != 0;
}

// As torch.ops reads a value: any sequence is a list, and Python's float and int are no dtypes.
PyObject* by_schema_to_ivalue(PyObject* o, IValue& v) {
  if (PyType_Check(o)) return o;
  try {
    if (PyObject* unknown = to_ivalue(o, v);
        !unknown || overrides_calls(unknown) || unknown != o || !PySequence_Check(o) || PyDict_Check(o) || PyBytes_Check(o))
      return unknown;
  } catch (const Error& e) {
    fail(ErrorKind::Runtime, e.what());
  }
  auto items = nb::steal(PySequence_Tuple(o));
  if (!items.is_valid()) return PyErr_Clear(), o;
  return to_ivalue(items.ptr(), v) ? o : nullptr;
}

// The call with one more argument by keyword.
nb::object call_with(Builtin* self, PyObject* const* args, Py_ssize_t n, PyObject* names, PyObject* keyword, PyObject* value) {
  const Py_ssize_t given = names ? PyTuple_GET_SIZE(names) : 0;
  auto more = check(PyTuple_New(given + 1));
  for (Py_ssize_t k = 0; k < given; ++k) PyTuple_SET_ITEM(more.ptr(), k, Py_NewRef(PyTuple_GET_ITEM(names, k)));
  PyTuple_SET_ITEM(more.ptr(), given, Py_NewRef(keyword));
  std::vector<PyObject*> values(args, args + n + given);
  values.push_back(value);
  return call_builtin(self, values.data(), n, more.ptr());
}

// A call that makes tensors and names no device gets the default one, where that is not the CPU. Whatever records the call records the device.
// Not a valid object: the call stays as it is.
nb::object call_on_default_device(Builtin* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  const Py_ssize_t given = names ? PyTuple_GET_SIZE(names) : 0;
  if (!takes(*self->overloads, "device") || !makes_tensors(self, args, n + given)) return {};
  const nb::object device = to_python(default_device());
  for (Py_ssize_t k = 0; k < given; ++k) {
    const auto name = text_of(PyTuple_GET_ITEM(names, k));
    if (name == "out" || (name == "device" && args[n + k] != Py_None)) return {};
    if (name != "device") continue;
    std::vector<PyObject*> values(args, args + n + given);
    values[static_cast<size_t>(n + k)] = device.ptr();
    return call_builtin(self, values.data(), n, names);
  }
  return call_with(self, args, n, names, check(PyUnicode_InternFromString("device")).ptr(), device.ptr());
}

// Each argument has a place of its own in the schema, and each place that needs a value has one. A list that is written as single numbers,
// as in `x.view(2, 3)`, has not.
bool fills(const ir::FunctionSchema& schema, Py_ssize_t n, PyObject* names) {
  Py_ssize_t keywords = names ? PyTuple_GET_SIZE(names) : 0;
  Py_ssize_t place = 0;
  for (const ir::Argument& a : schema.arguments()) {
    if (place++ < n) {
      if (a.kwarg_only) return false;
      continue;
    }
    bool named = false;
    for (Py_ssize_t k = 0; !named && names && k < PyTuple_GET_SIZE(names); ++k) named = text_of(PyTuple_GET_ITEM(names, k)) == a.name;
    if (named) --keywords;
    else if (!a.default_value) return false;
  }
  return n <= place && keywords == 0;
}

// Raises for a call that no values would make right: too many arguments, an unknown keyword, or a required one missing. PyTorch's functions read a call before they
// hand it to a type that overrides calls, such as a Proxy.
void check_places(const Builtin* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  for (const Operator* op : self->overloads->overloads)
    if (self->overloads->in_python(*op) && fills(op->schema(), n, names)) return;
  std::vector<std::string_view> keywords;
  std::vector<PyObject*> given(args, args + n);
  for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); ++k) {
    const std::string_view name = text_of(PyTuple_GET_ITEM(names, k));
    PyObject* value = args[n + k];
    if (name == "requires_grad" || (name == "out" && (value == Py_None || PyTuple_Check(value) || PyList_Check(value))))
      continue;  // Python's own
    keywords.push_back(name), given.push_back(value);
  }
  const std::vector<ir::Type> unknown(given.size(), ir::Type(TypeKind::Any));
  const ir::Call<ir::Type> call{.values = unknown, .keywords = keywords};
  ir::ArgumentSources sources;
  std::vector<ir::Attempt> attempts;
  for (const Operator* op : self->overloads->overloads) {
    if (!self->overloads->in_python(*op)) continue;
    const ir::Misfit why = ir::place(op->schema(), call, sources);
    if (!why) return;
    attempts.push_back({&op->schema(), why});
  }
  ir::GivenCall words;
  words.keywords.assign(keywords.begin(), keywords.end());
  for (PyObject* o : given) words.values.emplace_back(type_name(o)), words.kinds.push_back(TypeKind::Any);
  fail(ErrorKind::Type, ir::no_match_message(std::move(attempts), words));
}

nb::object call_builtin(Builtin* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  if (in_function_mode()) [[unlikely]]
    return call_function_mode(reinterpret_cast<PyObject*>(self), args, n, names);
  if (has_default_device()) [[unlikely]]
    if (nb::object made = call_on_default_device(self, args, n, names); made.is_valid()) return made;
  // PyTorch's functions read the default of an enumerated argument as 0 (no reduction), though the schema, torch.ops and TorchScript take it as it says.
  // Whatever records the call records the number.
  if (self->enumerated && n <= self->enumerated_place && (!names || PySequence_Contains(names, self->enumerated) == 0)) [[unlikely]]
    return call_with(self, args, n, names, self->enumerated, check(PyLong_FromLong(0)).ptr());
  if (records_factories() && makes_tensors(self, args, n + (names ? PyTuple_GET_SIZE(names) : 0))) [[unlikely]] {
    if (Py_TYPE(self) == &g_builtin_type) check_places(self, args, n, names);
    return traced_factory(reinterpret_cast<PyObject*>(self), args, n, names);
  }
  const Py_ssize_t all = n + (names ? PyTuple_GET_SIZE(names) : 0);
  ConvertedCall call{
      .values = ValueBuffer(static_cast<size_t>(all)), .n = static_cast<size_t>(n), .names = names, .key = static_cast<uint64_t>(n) + 1};
  const bool by_schema = is_by_schema(self);
  for (Py_ssize_t i = 0; i < all; ++i) {
    IValue& v = call.values.push();
    if (is_too_large(args[i])) {
      call.too_large = i, call.large = PyLong_AsDouble(args[i]), v = int64_t{0};
      if (PyErr_Occurred()) raise_set();
      PyLong_AsUnsignedLongLong(args[i]);
      call.unsigned_word = !PyErr_Occurred();
      PyErr_Clear();
    } else if (PyObject* unknown = by_schema ? by_schema_to_ivalue(args[i], v) : to_ivalue(args[i], v)) {
      if (overrides_calls(unknown)) {
        if (Py_TYPE(self) == &g_builtin_type) check_places(self, args, n, names);
        return call_torch_function(reinterpret_cast<PyObject*>(self), args, n, names);
      }
      v = foreign(call.refused = unknown);
    }
    call.key = call.key << 4 | static_cast<uint64_t>(v.tag());
  }
  if (all > static_cast<Py_ssize_t>(kMaxPattern) || call.too_large >= 0) return call.key = 0, call_slowly(self, call);
  for (const Pattern& p : *self->patterns)
    if (p.fits(call.key, names)) return call_as(p, call, by_schema);
  return call_slowly(self, call);
}

PyObject* builtin_vectorcall(PyObject* self, PyObject* const* args, size_t n, PyObject* names) {
  return guard([&] { return call_builtin(reinterpret_cast<Builtin*>(self), args, PyVectorcall_NARGS(n), names).release().ptr(); });
}

nb::object make_builtin(PyTypeObject& type, const OverloadSet& overloads);

// Attributes ---------------------------------------------------------------------------------------------------------------------------

Builtin* of(PyObject* self) { return reinterpret_cast<Builtin*>(self); }

nb::object schemas(PyObject* self) {
  auto list = check(PyList_New(0));
  for (const Operator* op : of(self)->overloads->overloads) check(PyList_Append(list.ptr(), to_python(op->schema()).ptr()));
  return list;
}

// What the records say of each overload, beside its schema.
nb::object record_facts(PyObject* self) {
  const OverloadSet& overloads = *of(self)->overloads;
  auto list = check(PyList_New(0));
  for (const Operator* op : overloads.overloads) {
    const Operator& functional = op->functional ? *op->functional : *op;
    nb::dict facts;
    facts["doc"] = op->doc && *op->doc ? op->doc : functional.doc ? functional.doc : "";
    facts["other_name_of"] = to_python(op->alias_of ? op->alias_of->base_name() : std::string_view());
    facts["in_python"] = overloads.in_python(*op);
    facts["pointwise"] = functional.pointwise != nullptr;
    facts["reduces"] = functional.rows && functional.rows->reduces;
    facts["view"] = op->is_view;
    const Contraction& sum = functional.contraction;
    facts["contracts"] =
        sum.argument < 0 ? nb::object(nb::none()) : nb::object(nb::make_tuple(sum.terms == Contraction::Terms::LastDim, sum.argument));
    facts["no_gradient"] = functional.no_gradient && !functional.constant ? functional.no_gradient : "";
    check(PyList_Append(list.ptr(), facts.ptr()));
  }
  return list;
}

// help() and editors ask for these; the module that makes them is imported then.
nb::object ask_help(PyObject* self, const char* question) {
  const capture::machine::Unwatched unwatched;  // no act of a program that is captured
  return nb::module_::import_("monograph._help").attr(question)(nb::handle(self));
}

PyObject* builtin_repr(PyObject* self) {
  return Py_TYPE(self) == &g_builtin_type ? PyUnicode_FromFormat("<built-in function %U>", of(self)->name)
                                          : PyUnicode_FromFormat("<method '%U' of 'Tensor' objects>", of(self)->name);
}

// torch.ops: aten.add is a packet, aten.add.Tensor an overload.

PyObject* text_object(const std::string& text) { return to_python(std::string_view(text)).release().ptr(); }
std::string_view namespace_of(PyObject* self) {
  std::string_view name = of(self)->overloads->name;
  return name.substr(0, name.find("::"));
}
std::string_view overload_of(PyObject* self) {
  std::string_view name = of(self)->overloads->overloads[0]->schema().overload();
  return name.empty() ? "default" : name;
}
PyObject* operator_str(PyObject* self) {
  return guard([&] { return text_object(concat(namespace_of(self), ".", text_of(of(self)->name))); });
}
PyObject* packet_repr(PyObject* self) {
  return guard([&] { return text_object(concat("<OpOverloadPacket(op='", namespace_of(self), ".", text_of(of(self)->name), "')>")); });
}
PyObject* overload_repr(PyObject* self) {
  return guard([&] {
    std::string_view name = of(self)->overloads->overloads[0]->base_name();
    return text_object(concat("<OpOverload(op='", namespace_of(self), ".", name, "', overload='", overload_of(self), "')>"));
  });
}
nb::object packet_of(const OverloadSet& overloads) { return make_builtin(g_packet_type, overloads); }

PyObject* packet_getattr(PyObject* self, PyObject* name) {
  std::string_view wanted = text_of(name);
  for (const Operator* op : of(self)->overloads->overloads)
    if (op->schema().overload() == (wanted == "default" ? std::string_view() : wanted) && !wanted.empty())
      return guard([&] { return make_builtin(g_overload_type, single_overload(*op)).release().ptr(); });
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError) || wanted.starts_with('_')) return found;
  std::string known;
  for (const Operator* op : of(self)->overloads->overloads) {
    const std::string_view overload = op->schema().overload();
    known += concat(known.empty() ? "" : ", ", overload.empty() ? "default" : overload);
  }
  PyErr_Format(PyExc_AttributeError, "The underlying op of '%s.%U' has no overload name '%U'; it has %s",
               std::string(namespace_of(self)).c_str(), of(self)->name, name, known.c_str());
  return nullptr;
}
PyObject* packet_overloads(PyObject* self, PyObject*) {
  return guard([&] {
    auto list = check(PyList_New(0));
    for (const Operator* op : of(self)->overloads->overloads) {
      std::string_view name = op->schema().overload();
      check(PyList_Append(list.ptr(), to_python(name.empty() ? std::string_view("default") : name).ptr()));
    }
    return list.release().ptr();
  });
}
// Pickled by where torch.ops has it.
PyObject* operator_reduce(PyObject* self, PyObject*) {
  return guard([&] {
    nb::object find = nb::module_::import_("monograph._ops").attr("_find");
    return Py_BuildValue("N(NO)", find.release().ptr(), to_python(namespace_of(self)).release().ptr(), of(self)->name);
  });
}

#define MONOGRAPH_GET(expression) [](PyObject* s, void*) { return guard([&] { return nb::object(expression).release().ptr(); }); }
PyGetSetDef overload_getset[] = {
    {"_schema", MONOGRAPH_GET(to_python(of(s)->overloads->overloads[0]->schema())), nullptr, "Its schema.", nullptr},
    {"_overloadname", MONOGRAPH_GET(to_python(overload_of(s))), nullptr, nullptr, nullptr},
    {"_opname", MONOGRAPH_GET(to_python(of(s)->overloads->overloads[0]->base_name())), nullptr, nullptr, nullptr},
    {"namespace", MONOGRAPH_GET(to_python(namespace_of(s))), nullptr, "aten, or the namespace of your own operators.", nullptr},
    {"overloadpacket", MONOGRAPH_GET(packet_of(*Registry::global().find_overloads(of(s)->overloads->name))), nullptr,
     "The operator with all its overloads.", nullptr},
    {"_overloadpacket", MONOGRAPH_GET(packet_of(*Registry::global().find_overloads(of(s)->overloads->name))), nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
#undef MONOGRAPH_GET
PyMethodDef packet_methods[] = {{"overloads", packet_overloads, METH_NOARGS, "The names of its overloads."},
                                {"__reduce__", operator_reduce, METH_NOARGS, nullptr},
                                {nullptr, nullptr, 0, nullptr}};
PyMethodDef overload_methods[] = {
    {"name",
     [](PyObject* s, PyObject*) {
       return guard([&] { return to_python(std::string_view(of(s)->overloads->overloads[0]->name())).release().ptr(); });
     },
     METH_NOARGS, "aten::add.Tensor"},
    {"__reduce__", operator_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

// Pickled by where it is found.
PyObject* builtin_reduce(PyObject* self, PyObject*) {
  if (Py_TYPE(self) == &g_builtin_type) return Py_NewRef(of(self)->name);
  return Py_BuildValue("N(OO)", PyObject_GetAttrString(PyImport_ImportModule("builtins"), "getattr"), g_tensor_type, of(self)->name);
}

PyObject* method_get(PyObject* self, PyObject* object, PyObject*) {
  return object && object != Py_None ? PyMethod_New(self, object) : Py_NewRef(self);
}

// Unbound, as Python's own built-in functions are: as an attribute of a class it takes no self. inspect.isroutine() asks for a __get__.
PyObject* function_get(PyObject* self, PyObject*, PyObject*) { return Py_NewRef(self); }

PyGetSetDef builtin_getset[] = {
    {"__name__", [](PyObject* s, void*) { return Py_NewRef(of(s)->name); }, nullptr, nullptr, nullptr},
    {"__qualname__",
     [](PyObject* s, void*) {
       return Py_TYPE(s) != &g_builtin_method_type ? Py_NewRef(of(s)->name) : PyUnicode_FromFormat("Tensor.%U", of(s)->name);
     },
     nullptr, nullptr, nullptr},
    {"__module__", [](PyObject* s, void*) { return Py_NewRef(of(s)->module); }, nullptr, nullptr, nullptr},
    {"__doc__", [](PyObject* s, void*) { return guard([&] { return ask_help(s, "documentation").release().ptr(); }); }, nullptr, nullptr,
     nullptr},
    {"__signature__", [](PyObject* s, void*) { return guard([&] { return ask_help(s, "signature").release().ptr(); }); }, nullptr, nullptr,
     nullptr},
    {"_facts", [](PyObject* s, void*) { return guard([&] { return record_facts(s).release().ptr(); }); }, nullptr,
     "What the records say of its overloads, in the order of _schemas.", nullptr},
    {"_schemas", [](PyObject* s, void*) { return guard([&] { return schemas(s).release().ptr(); }); }, nullptr,
     "The schemas of its overloads.", nullptr},
    {"_qualified_op_name",
     [](PyObject* s, void*) { return guard([&] { return to_python(std::string_view(of(s)->overloads->name)).release().ptr(); }); }, nullptr,
     nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef builtin_methods[] = {{"__reduce__", builtin_reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

void builtin_dealloc(PyObject* self) {  // never for the registry's own: they are kept for ever
  Py_DECREF(of(self)->name);
  Py_DECREF(of(self)->module);
  Py_XDECREF(of(self)->enumerated);
  delete of(self)->patterns;
  Py_TYPE(self)->tp_free(self);
}

nb::object make_builtin(PyTypeObject& type, const OverloadSet& overloads) {
  const bool packet = &type == &g_packet_type, overload = &type == &g_overload_type;
  auto& made = packet ? g_packets : overload ? g_overloads : &type == &g_builtin_type ? g_builtins : g_methods;
  PyObject*& object = made[&overloads];
  if (!object) {
    auto fresh = check(type.tp_alloc(&type, 0));
    auto* self = of(fresh.ptr());
    const Operator& first = *overloads.overloads[0];
    std::string module = concat("monograph", first.python_module ? concat("._C.", first.python_module) : ""), name(first.base_name());
    if (packet || overload) module = concat("monograph._ops.", overloads.name.substr(0, overloads.name.find("::")));
    if (overload) name += concat(".", first.schema().overload().empty() ? "default" : first.schema().overload());
    self->vectorcall = builtin_vectorcall, self->overloads = &overloads;
    self->name = check(PyUnicode_InternFromString(name.c_str())).release().ptr();
    self->module = to_python(std::string_view(module)).release().ptr();
    self->patterns = new std::array<Pattern, kPatterns>;
    const auto& arguments = first.schema().arguments();
    for (size_t i = 0; i < arguments.size() && !packet && !overload; ++i)
      if (arguments[i].enumerated_default)
        self->enumerated = to_python(std::string_view(arguments[i].name)).release().ptr(),
        self->enumerated_place = static_cast<Py_ssize_t>(i);
    object = fresh.release().ptr();
  }
  return nb::borrow(object);
}

// The records and their other names.
template <class F>
void for_each_name(const F& f) {
  for (const auto& op : Registry::global().all()) f(op);
  for (const auto& op : Registry::global().aliases()) f(op);
}

// Names and modules of Python's functions: {module: {name: function}}.
nb::object functions() {
  nb::dict modules;
  for_each_name([&](const Operator* op) {
    if (!op->python_function || !op->name().starts_with("aten::")) return;
    nb::str module(op->python_module ? op->python_module : "");
    if (!modules.contains(module)) modules[module] = nb::dict();
    nb::object function = builtin_of(*Registry::global().find_overloads(op->schema().name()));
    nb::cast<nb::dict>(modules[module])[nb::handle(of(function.ptr())->name)] = function;
  });
  return modules;
}

}  // namespace

void add_operator_methods(PyTypeObject& tensor) {
  for_each_name([&](const Operator* op) {
    if (!op->python_method || !op->name().starts_with("aten::")) return;
    nb::object method = make_builtin(g_builtin_method_type, *Registry::global().find_overloads(op->schema().name()));
    PyObject* name = of(method.ptr())->name;
    if (!PyDict_Contains(tensor.tp_dict, name)) check(PyDict_SetItem(tensor.tp_dict, name, method.ptr()));
  });
  PyType_Modified(&tensor);
}

namespace {

void init_type(PyTypeObject& type, PyObject* module) {
  type.tp_basicsize = sizeof(Builtin);
  type.tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
  type.tp_vectorcall_offset = offsetof(Builtin, vectorcall);
  type.tp_call = PyVectorcall_Call, type.tp_dealloc = builtin_dealloc, type.tp_repr = builtin_repr;
  if (!type.tp_getset) type.tp_getset = builtin_getset;
  if (!type.tp_methods) type.tp_methods = builtin_methods;
  add_type(module, type);
}

void init_operator_types(PyObject* module) {
  for (PyTypeObject* type : {&g_packet_type, &g_overload_type}) type->tp_base = &g_builtin_type, type->tp_str = operator_str;
  static PyGetSetDef none[] = {{nullptr, nullptr, nullptr, nullptr, nullptr}};  // beside those of builtins
  g_packet_type.tp_getset = none, g_overload_type.tp_getset = overload_getset;
  g_packet_type.tp_methods = packet_methods, g_overload_type.tp_methods = overload_methods;
  g_packet_type.tp_getattro = packet_getattr;
  for (PyTypeObject* type : {&g_packet_type, &g_overload_type}) init_type(*type, module);
  g_packet_type.tp_repr = packet_repr, g_overload_type.tp_repr = overload_repr;
}

}  // namespace

bool overrides_calls(PyObject* o) {
  if (Py_TYPE(o) == g_tensor_type || (t_torch_function_off && PyObject_TypeCheck(o, &g_tensor_base))) return false;
  PyObject* found = type_attribute(Py_TYPE(o), g_torch_function);
  return found && found != g_disabled_torch_function;
}

Arguments gather(PyObject* const* args, Py_ssize_t n, PyObject* names) {
  Arguments a{check(PyTuple_New(n)), {}};
  for (Py_ssize_t i = 0; i < n; ++i) PyTuple_SET_ITEM(a.positional.ptr(), i, Py_NewRef(args[i]));
  for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); ++k)
    a.keywords[nb::handle(PyTuple_GET_ITEM(names, k))] = nb::handle(args[n + k]);
  return a;
}

bool in_function_mode() { return t_function_modes > 0; }

// The arguments whose types override calls, one a type, in order of appearance; those of lists and tuples too.
static std::vector<PyObject*> overriding(PyObject* const* args, Py_ssize_t all) {
  std::vector<PyObject*> found;
  constexpr int kDeepest = 4;  // of lists in lists; one may hold itself
  auto look = [&](auto& look, PyObject* o, int depth) -> void {
    const bool plain = PyTuple_CheckExact(o) || PyList_CheckExact(o);
    if (plain || ((PyTuple_Check(o) || PyList_Check(o)) && !overrides_calls(o))) {
      for (Py_ssize_t i = 0; depth < kDeepest && i < PySequence_Fast_GET_SIZE(o); ++i)
        look(look, PySequence_Fast_GET_ITEM(o, i), depth + 1);
      return;
    }
    if (!overrides_calls(o)) return;
    for (PyObject* f : found)
      if (Py_TYPE(f) == Py_TYPE(o)) return;
    found.push_back(o);
  };
  for (Py_ssize_t i = 0; i < all; ++i) look(look, args[i], 0);
  return found;
}
static nb::object types_of(const std::vector<PyObject*>& objects) {
  auto types = check(PyTuple_New(static_cast<Py_ssize_t>(objects.size())));
  for (size_t i = 0; i < objects.size(); ++i)
    PyTuple_SET_ITEM(types.ptr(), static_cast<Py_ssize_t>(i), Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(objects[i]))));
  return types;
}

nb::object call_function_mode(PyObject* function, PyObject* const* args, Py_ssize_t n, PyObject* names, KeywordDict keywords) {
  auto [positional, named] = gather(args, n, names);
  const nb::object types = types_of(overriding(args, n + (names ? PyTuple_GET_SIZE(names) : 0)));
  const nb::object given = names || keywords == KeywordDict::Always ? nb::object(named) : nb::none();
  return nb::module_::import_("monograph.overrides").attr("_call_in_mode")(nb::handle(function), types, positional, given);
}

nb::object call_torch_function(PyObject* function, PyObject* const* args, Py_ssize_t n, PyObject* names, KeywordDict keywords) {
  const std::vector<PyObject*> found = overriding(args, n + (names ? PyTuple_GET_SIZE(names) : 0));
  auto [positional, named] = gather(args, n, names);
  const nb::object types = types_of(found);
  for (PyObject* o : found) {
    auto handler = check(PyObject_GetAttr(o, g_torch_function));
    PyObject* arguments[] = {function, types.ptr(), positional.ptr(), named.ptr()};
    auto result = check(PyObject_Vectorcall(handler.ptr(), arguments, names || keywords == KeywordDict::Always ? 4 : 3, nullptr));
    if (result.ptr() != Py_NotImplemented) return result;
  }
  fail(ErrorKind::Type, "no implementation found for this function on types that implement __torch_function__");
}

nb::object call_overloads(PyObject* builtin, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  return call_builtin(of(builtin), args, n, names);
}
nb::object builtin_of(const OverloadSet& overloads) { return make_builtin(g_builtin_type, overloads); }
nb::object overload_object(const Operator& op) { return make_builtin(g_overload_type, single_overload(op)); }
bool is_builtin(PyObject* o) { return Py_TYPE(o) == &g_builtin_type; }
bool is_builtin_method(PyObject* o) { return Py_TYPE(o) == &g_builtin_method_type; }
const OverloadSet& overloads_of(PyObject* builtin) { return *of(builtin)->overloads; }

// A call at one place -------------------------------------------------------------------------------------------------------------------

OperatorCallSite::OperatorCallSite(const OverloadSet& overloads, std::vector<std::string> keywords)
    : overloads_(overloads), keywords_(std::move(keywords)) {}
OperatorCallSite::~OperatorCallSite() {
  for (auto& known : known_) delete known.load();
}

bool OperatorCallSite::takes(PyObject* builtin, const std::vector<std::string>& keywords, size_t positional) {
  const Builtin* self = of(builtin);
  const auto given = [&](std::string_view name) { return std::ranges::find(keywords, name) != keywords.end(); };
  if (given("out") || given("requires_grad") || positional + keywords.size() > kInlineArgs) return false;
  if (self->enumerated && positional <= static_cast<size_t>(self->enumerated_place) && !given(text_of(self->enumerated))) return false;
  return std::ranges::none_of(self->overloads->overloads, [](const Operator* op) { return has_named_results(*op); });
}

IValue OperatorCallSite::operator()(std::vector<IValue>& given) {
  const size_t n = given.size() - keywords_.size();
  uint64_t key = static_cast<uint64_t>(n) + 1;
  for (const IValue& v : given) key = key << 4 | static_cast<uint64_t>(v.tag());
  const bool short_call = given.size() <= kMaxPattern;
  IValue results[kMaxResults];
  const auto finish = [&](const Operator& op) -> IValue {
    const size_t count = op.schema().returns().size();
    if (count == 1) return std::move(results[0]);
    return count == 0 ? IValue() : IValue::tuple(std::vector<IValue>(results, results + count));
  };
  for (size_t k = 0; short_call && k < kKnown; ++k) {
    const Pattern* p = known_[k].load(std::memory_order_acquire);
    if (!p) break;
    if (p->key != key) continue;
    ValueBuffer values, bound;
    for (IValue& v : given) values.push(std::move(v));
    monograph::call(*p->op, arrange(*p, values, n, bound), results);
    return finish(*p->op);
  }
  std::vector<Keyword> keywords;
  std::vector<std::string_view> names;
  for (size_t k = 0; k < keywords_.size(); ++k) keywords.push_back({keywords_[k], given[n + k]}), names.push_back(keywords_[k]);
  Bound bound;
  const Operator& op = bind(overloads_, {given.data(), n}, keywords, bound, {.python = true});
  auto p = std::make_unique<Pattern>();
  p->key = key;
  if (short_call && find_pattern(*p, overloads_, given, names, op, bound))
    for (auto& known : known_)
      if (const Pattern* none = nullptr; known.compare_exchange_strong(none, p.get())) {
        (void)p.release();  // the place has it
        break;
      }
  monograph::call(op, bound.data(), results);
  return finish(op);
}

void init_builtins(PyObject* module) {
  g_torch_function = PyUnicode_InternFromString("__torch_function__");
  g_builtin_type.tp_descr_get = function_get;
  init_type(g_builtin_type, module);
  g_builtin_method_type.tp_flags |= Py_TPFLAGS_METHOD_DESCRIPTOR;
  g_builtin_method_type.tp_descr_get = method_get;
  init_type(g_builtin_method_type, module);
  init_operator_types(module);
  init_operators(module);

  nb::handle m(module);
  m.attr("_functions") = nb::cpp_function(functions);
  m.attr("_find_packet") = nb::cpp_function([](std::string_view name) { return packet_of(find_overloads(name)); });
  m.attr("_operator_names") = nb::cpp_function([](std::string_view space) {
    auto names = check(PySet_New(nullptr));
    for_each_name([&](const Operator* op) {
      if (op->name().starts_with(concat(space, "::"))) check(PySet_Add(names.ptr(), to_python(op->base_name()).ptr()));
    });
    return check(PySequence_List(names.ptr()));
  });
  m.attr("_return_types") = nb::cpp_function(return_types);
  m.attr("_find_overloads") = nb::cpp_function([](std::string_view name) { return builtin_of(find_overloads(name)); });
  m.attr("_set_disabled_torch_function") = nb::cpp_function([](nb::handle impl) { g_disabled_torch_function = impl.inc_ref().ptr(); });
  // Calls inside see tensors as plain ones: what a subclass's __torch_function__ uses to reach the operator itself.
  m.attr("_set_function_modes") = nb::cpp_function([](int64_t count) { return std::exchange(t_function_modes, count); });
  m.attr("_function_modes") = nb::cpp_function([] { return t_function_modes; });
  m.attr("_torch_function_off") = nb::cpp_function([](int change) { return t_torch_function_off += change; });
}

}  // namespace monograph::python
