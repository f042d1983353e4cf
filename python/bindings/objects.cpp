// Objects of scripts in Python: instances of the user's classes, members of Enums, NamedTuples. Each side gets a copy of what the other made, as in PyTorch.
#include "objects.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <unordered_map>

#include "capture/script/types.h"
#include "graph.h"
#include "ir/builder.h"
#include "ops/dispatch.h"
#include "ops/objects.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {

namespace {

// A class that some script uses. Lives as long as the process, since graphs name it.
struct KnownClass {
  PyObject* type = nullptr;
  const std::string* name = nullptr;
  std::vector<std::pair<std::string, ir::Type>> attributes;  // of objects
};
auto& by_name() {
  static auto* classes = new std::unordered_map<std::string, KnownClass>;
  return *classes;
}
auto& by_type() {
  static auto* classes = new std::unordered_map<PyObject*, KnownClass*>;
  return *classes;
}

// Objects may hold themselves.
struct ObjectDepth {
  ObjectDepth() {
    MONOGRAPH_CHECK(depth < ir::kMaxTypeDepth, Value, "objects nest deeper than ", ir::kMaxTypeDepth, " levels, or one holds itself");
    ++depth;
  }
  ~ObjectDepth() { --depth; }
  ObjectDepth(const ObjectDepth&) = delete;
  static inline thread_local int depth = 0;
};

const KnownClass& known_class(const std::string& name) {
  auto found = by_name().find(name);
  MONOGRAPH_CHECK(found != by_name().end(), Runtime, "the class ", name,
                  " is not known in this process; compile the function that uses it here, or let the graph return its attributes");
  return found->second;
}

bool holds_named_tuple(ir::Type type) {
  if (!type) return false;
  if (type.is(ir::TypeKind::NamedTuple)) return true;
  for (ir::Type part : type.elements())
    if (holds_named_tuple(part)) return true;
  return false;
}

bool is_any_tuple(ir::Type type) { return type.is(ir::TypeKind::Tuple) || type.is(ir::TypeKind::NamedTuple); }

// Whether a value that a graph returned may have this type.
bool may_be(nb::handle value, ir::Type type) {
  PyObject* o = value.ptr();
  switch (type.kind()) {
    case ir::TypeKind::None: return value.is_none();
    case ir::TypeKind::Tensor: return is_tensor(o);
    case ir::TypeKind::Bool: return PyBool_Check(o);
    case ir::TypeKind::Int: return PyLong_Check(o) && !PyBool_Check(o);
    case ir::TypeKind::Float: return PyFloat_Check(o);
    case ir::TypeKind::Str: return PyUnicode_Check(o);
    case ir::TypeKind::Optional: return value.is_none() || may_be(value, type.element());
    case ir::TypeKind::Union: return std::ranges::any_of(type.elements(), [&](ir::Type t) { return may_be(value, t); });
    case ir::TypeKind::Dict:
      if (!PyDict_Check(o)) return false;
      for (auto [key, item] : nb::borrow<nb::dict>(value))
        if (!may_be(item, type.elements()[1])) return false;
      return true;
    case ir::TypeKind::List:
    case ir::TypeKind::Tuple:
    case ir::TypeKind::NamedTuple: {
      const bool list = type.is(ir::TypeKind::List);
      if (list ? !PyList_Check(o) : !PyTuple_Check(o) || static_cast<size_t>(PyTuple_GET_SIZE(o)) != type.elements().size()) return false;
      size_t k = 0;
      for (nb::handle item : value)
        if (!may_be(item, list ? type.element() : type.elements()[k++])) return false;
      return true;
    }
    default: return true;
  }
}

// Whether a value may have both types.
bool overlap(ir::Type a, ir::Type b) {
  const auto open = [](ir::Type t) { return t.is(ir::TypeKind::Any) || t.is(ir::TypeKind::Optional) || t.is(ir::TypeKind::Union); };
  if (open(a) || open(b)) return true;
  if (!is_any_tuple(a) || !is_any_tuple(b)) return a.kind() == b.kind();
  return std::ranges::equal(a.elements(), b.elements(), overlap);
}

// Whether the type leaves open which NamedTuple a value is.
bool is_ambiguous(ir::Type type) {
  if (!type) return false;
  const auto parts = type.elements();
  const auto name = [](ir::Type t) { return t.is(ir::TypeKind::NamedTuple) ? t.name() : std::string(); };
  for (size_t k = 0; k < parts.size(); ++k) {
    if (is_ambiguous(parts[k])) return true;
    for (size_t other = 0; type.is(ir::TypeKind::Union) && other < k; ++other)
      if (is_any_tuple(parts[k]) && is_any_tuple(parts[other]) && name(parts[k]) != name(parts[other]) && overlap(parts[k], parts[other]))
        return true;
  }
  return false;
}

// A NamedTuple is made past a __new__ of the class's own, which may take other arguments.
nb::object made_tuple(nb::handle type, const nb::list& items) {
  if (PyType_Check(type.ptr()) && PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type.ptr()), &PyDict_Type))  // a record
    return type(*nb::tuple(items));
  return nb::hasattr(type, "_make") ? type.attr("_make")(items) : type(items);
}

// The value with NamedTuples where its type has them.
nb::object restored(nb::object value, ir::Type type) {
  if (!holds_named_tuple(type) || value.is_none()) return value;
  auto sequence = [&](auto&& type_at) {
    nb::list items;
    size_t k = 0;
    for (nb::handle item : value) items.append(restored(nb::borrow(item), type_at(k++)));
    return items;
  };
  switch (type.kind()) {
    case ir::TypeKind::Optional: return restored(value, type.element());
    case ir::TypeKind::List: return sequence([&](size_t) { return type.element(); });
    case ir::TypeKind::Tuple: return nb::tuple(sequence([&](size_t k) { return type.elements()[k]; }));
    case ir::TypeKind::NamedTuple: {
      nb::list items = sequence([&](size_t k) { return type.elements()[k]; });
      return made_tuple(known_class(type.name()).type, items);
    }
    case ir::TypeKind::Union:
      for (ir::Type alternative : type.elements())
        if (may_be(value, alternative)) return restored(value, alternative);
      return value;
    case ir::TypeKind::Dict: {
      nb::dict made;
      for (auto [key, item] : nb::borrow<nb::dict>(value)) made[key] = restored(nb::borrow(item), type.elements()[1]);
      return made;
    }
    default: return value;
  }
}

// Makes a node for each NamedTuple in the result of a graph, which has tuples there. A form is None, or (mangled name or "", names of the fields, parts), where
// the parts are a list of forms, or for a dict a dict of them.
class NamedResults {
 public:
  explicit NamedResults(ir::Graph& graph) : graph_(graph) {}

  // Why a type cannot say where the NamedTuples are; "" where it can.
  std::string run(nb::handle form) {
    const ir::Node* end = graph_.output();
    if (!end || end->arg_count() != 1) return "the graph has another result than the program";
    if (std::string why = misfit(end->arg(0), form); !why.empty()) return why;
    const ir::Args before = end->copy_args();
    graph_.set_insert_point({graph_.root(), graph_.output()});
    graph_.set_location_of(end);
    ir::Args result;
    add(result, end->arg(0), form);
    graph_.set_output(result);
    graph_.insert_at_end(graph_.root());
    const ir::Type type = ir::type_of(graph_.output()->arg(0));
    if (holds_named_tuple(type) && !is_ambiguous(type)) {
      for (ir::Node* n : replaced_) graph_.erase(n);
      return "";
    }
    graph_.set_output(before);
    for (auto it = made_.rbegin(); it != made_.rend(); ++it) graph_.erase(*it);
    return type ? "a list or dict of the result holds NamedTuples of several classes with parts of the same types"
                : "the result holds NamedTuples beside a value whose type is not known, such as an empty list";
  }

 private:
  static bool is_dict(const nb::tuple& form) { return nb::isinstance<nb::dict>(nb::object(form[2])); }
  static nb::handle part(const nb::tuple& form, nb::handle key) {
    nb::object parts = form[2];
    PyObject* found =
        is_dict(form) ? PyDict_GetItemWithError(parts.ptr(), key.ptr()) : PyList_GET_ITEM(parts.ptr(), PyLong_AsSsize_t(key.ptr()));
    return nb::handle(found);
  }
  // A list, tuple or dict in the result: a literal, or a node that makes one and that nothing else uses. A dict has keys and values in turn.
  struct Container {
    ir::ArgKind kind = ir::ArgKind::None;
    std::vector<ir::ArgRef> parts;
    ir::Node* node = nullptr;
  };
  static Container container(ir::ArgRef value) {
    Container out;
    if (ir::Node* n = value.node()) {
      const std::string& target = n->target().name();
      if (!n->has_one_use()) return out;
      out.kind = target == "prim::ListConstruct"    ? ir::ArgKind::List
                 : target == "prim::TupleConstruct" ? ir::ArgKind::Tuple
                 : target == "prim::DictConstruct"  ? ir::ArgKind::Dict
                                                    : ir::ArgKind::None;
      out.node = n;
      if (out.kind != ir::ArgKind::None)
        for (auto it = n->args_begin(); it != n->args_end(); ++it) out.parts.push_back(*it);
    } else {
      out.kind = value.kind();
      for (ir::ArgRef part : value) out.parts.push_back(part);
    }
    return out;
  }
  // Calls f with each part, its form (null where the form lacks it), and for a dict the key, else null.
  template <class F>
  static void each(const Container& c, const nb::tuple& form, F&& f) {
    const bool dict = is_dict(form);
    for (size_t k = dict; k < c.parts.size(); k += dict ? 2 : 1) {
      const ir::ArgRef* key = dict ? &c.parts[k - 1] : nullptr;
      if (!dict) f(c.parts[k], part(form, nb::int_(k)), key);
      else f(c.parts[k], key->is(ir::ArgKind::Str) ? part(form, nb::str(key->as_str().c_str())) : nb::handle(), key);
    }
  }
  static std::string misfit(ir::ArgRef value, nb::handle form) {
    if (form.is_none()) return "";
    const nb::tuple parts = nb::borrow<nb::tuple>(form);
    const auto name = nb::cast<std::string>(parts[0]);
    const Container c = container(value);
    const size_t count = nb::len(nb::object(parts[2]));
    const bool fits = is_dict(parts)
                          ? c.kind == ir::ArgKind::Dict && c.parts.size() == 2 * count
                          : (c.kind == ir::ArgKind::Tuple || (c.kind == ir::ArgKind::List && name.empty())) && c.parts.size() == count;
    if (!fits)
      return concat("a value that the graph computes as a whole is or holds ",
                    name.empty() ? "NamedTuples" : concat("the NamedTuple ", name));
    std::string why;
    each(c, parts, [&](ir::ArgRef p, nb::handle inner, const ir::ArgRef*) {
      if (why.empty()) why = inner.is_valid() ? misfit(p, inner) : "a dict that holds NamedTuples has keys that are no str";
    });
    return why;
  }

  void add(ir::Args& to, ir::ArgRef value, nb::handle form) {
    if (form.is_none()) return void(to.add(value));
    const nb::tuple parts = nb::borrow<nb::tuple>(form);
    const auto name = nb::cast<std::string>(parts[0]);
    const Container c = container(value);
    if (c.node) replaced_.push_back(c.node);
    ir::Args inside;
    ir::Args& into = name.empty() ? to : inside;
    if (name.empty()) to.open(c.kind);
    each(c, parts, [&](ir::ArgRef p, nb::handle inner, const ir::ArgRef* key) {
      if (key) into.add(*key);
      add(into, p, inner);
    });
    if (name.empty()) return void(to.close());
    std::vector<ir::Type> types;
    for (size_t k = 0; k < inside.size(); ++k) {
      const ir::Type t = capture::script::widened(ir::type_of(inside[k]));
      types.push_back(t ? t : ir::Type(ir::TypeKind::Any));
    }
    ir::Node* n = graph_.call("prim::TupleConstruct", inside);
    graph_.set_type(n, ir::Type::named_tuple(name, types, nb::cast<std::vector<std::string>>(parts[1])));
    made_.push_back(n);
    to.add(n);
  }

  std::vector<ir::Node*> replaced_;  // what made the lists, tuples and dicts before; from the outside in
  ir::Graph& graph_;
  std::vector<ir::Node*> made_;
};

}  // namespace

bool object_to_ivalue(PyObject* o, IValue& out, std::string_view what) {
  auto found = by_type().find(reinterpret_cast<PyObject*>(Py_TYPE(o)));
  if (found == by_type().end()) return false;
  const ObjectDepth nesting;
  const KnownClass& c = *found->second;
  nb::handle h(o);
  if (nb::hasattr(c.type, "__members__")) {
    out =
        Ref<ObjectBox>(new EnumBox(c.name, nb::cast<std::string>(h.attr("name")), tree_to_ivalue(nb::object(h.attr("value")).ptr(), what)));
    return true;
  }
  Ref<InstanceBox> box(new InstanceBox(c.name));
  for (const auto& [name, type] : c.attributes) {
    MONOGRAPH_CHECK(nb::hasattr(h, name.c_str()), Attribute, "the object of class ", type_name(o), " has no attribute '", name,
                    "', which its __init__ sets");
    IValue value = tree_to_ivalue(nb::object(h.attr(name.c_str())).ptr(), what), converted;
    ir::Argument place;
    place.name = name, place.type = type;
    const bool scalar = type.is(ir::TypeKind::Tensor) || type.is(ir::TypeKind::Int) || type.is(ir::TypeKind::Float) ||
                        type.is(ir::TypeKind::Bool) || type.is(ir::TypeKind::Str);
    if (scalar) {
      MONOGRAPH_CHECK(convertible(value, place, converted), Type, "the attribute '", name, "' of the object of class ", type_name(o),
                      " must be ", to_string(type), ", but it is a ", describe(value));
      value = std::move(converted);
    }
    box->attributes.emplace_back(name, std::move(value));
  }
  out = Ref<ObjectBox>(box.get());
  return true;
}

nb::object object_to_python(const IValue& v) {
  if (const EnumBox* member = member_of(v)) return nb::handle(known_class(*member->class_name).type)[member->member.c_str()];
  const InstanceBox* instance = instance_of(v);
  if (!instance) return {};
  const ObjectDepth nesting;
  const KnownClass& c = known_class(*instance->class_name);
  nb::object made = nb::handle(c.type).attr("__new__")(nb::handle(c.type));
  for (const auto& [name, type] : c.attributes)
    if (const IValue* value = const_cast<InstanceBox*>(instance)->find(name)) {
      // Past the setters, and a frozen dataclass's refusal.
      nb::object held = restored(tree_to_python(*value), type);
      check(PyObject_GenericSetAttr(made.ptr(), nb::str(name.c_str()).ptr(), held.ptr()));
    }
  return made;
}

void init_objects(PyObject* module) {
  nb::module_ m = nb::borrow<nb::module_>(module);
  // A class by its mangled name, with the attributes of its objects: [(name, type)].
  m.attr("_register_class") = nb::cpp_function([](const std::string& name, nb::handle type, nb::list attributes) {
    KnownClass& c = by_name()[name];
    if (!c.type) c.type = Py_NewRef(type.ptr());
    c.name = ir::intern(name);
    c.attributes.clear();
    for (nb::handle item : attributes) {
      nb::tuple pair = nb::cast<nb::tuple>(item);
      c.attributes.emplace_back(nb::cast<std::string>(pair[0]), ir::parse_type(nb::cast<std::string>(pair[1])));
    }
    by_type()[type.ptr()] = &c;
  });
  m.attr("_name_results") =
      nb::cpp_function([](nb::handle graph, nb::handle form) { return NamedResults(graph_of(graph.ptr())).run(form); }, nb::arg("graph"),
                       nb::arg("form").none());
  m.attr("_holds_named_tuple") = nb::cpp_function([](const std::string& type) { return holds_named_tuple(ir::parse_type(type)); });
  m.attr("_restored") = nb::cpp_function([](nb::object value, const std::string& type) { return restored(value, ir::parse_type(type)); });
}

}  // namespace monograph::python
