// Objects of scripts in Python: instances of the user's classes, members of Enums, NamedTuples. Each side gets a copy of what the other made, as in PyTorch.
#include "objects.h"

#include <nanobind/stl/string.h>

#include <unordered_map>

#include "graph.h"
#include "ops/dispatch.h"
#include "ops/objects.h"
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
      return nb::handle(known_class(type.name()).type)(*nb::tuple(items));
    }
    case ir::TypeKind::Dict: {
      nb::dict made;
      for (auto [key, item] : nb::borrow<nb::dict>(value)) made[key] = restored(nb::borrow(item), type.elements()[1]);
      return made;
    }
    default: return value;
  }
}

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
  m.attr("_holds_named_tuple") = nb::cpp_function([](const std::string& type) { return holds_named_tuple(ir::parse_type(type)); });
  m.attr("_restored") = nb::cpp_function([](nb::object value, const std::string& type) { return restored(value, ir::parse_type(type)); });
}

}  // namespace monograph::python
