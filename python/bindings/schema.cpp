// FunctionSchema, Argument, AliasInfo and Type in Python, under the names that torch._C gives them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "dtypes.h"
#include "graph.h"
#include "graph_types.h"
#include "ir/schema.h"
#include "passes/script_view.h"
#include "python.h"
#include "schema.h"
#include "tensor.h"

namespace monograph::python {
namespace {

// Names of the kinds as TorchScript's Type.kind() has them.
std::string kind_of(ir::Type t) {
  switch (t.kind()) {
    using enum ir::TypeKind;
    case Any: return "AnyType";
    case Tensor: return "TensorType";
    case Int: return "IntType";
    case Float: return "FloatType";
    case Bool: return "BoolType";
    case Complex: return "ComplexType";
    case Str: return "StringType";
    case None: return "NoneType";
    case Number: return "NumberType";
    case SymInt: return "SymIntType";
    case SymFloat: return "SymFloatType";
    case SymBool: return "SymBoolType";
    case Device: return "DeviceObjType";
    case DType: return "ScalarTypeType";
    case Layout: return "LayoutType";
    case MemoryFormat: return "MemoryFormatType";
    case Generator: return "GeneratorType";
    case Storage: return "StorageType";
    case Stream: return "StreamObjType";
    case QScheme: return "QSchemeType";
    case Dimname: return "DimnameType";
    case NoReturn: return "NoReturnType";
    case List: return "ListType";
    case Optional: return "OptionalType";
    case Future: return "FutureType";
    case Dict: return "DictType";
    case Tuple: return "TupleType";
    case Union: return "UnionType";
    case NamedTuple: return "NamedTupleType";
    case Class: return "ClassType";
    case Enum: return "EnumType";
    case Function: return "FunctionType";
    case Variable: return "VarType";
    case Opaque: return "PyObjectType";
  }
  return "";
}

const ir::TensorType& tensor_type(ir::Type t, const char* method) {
  MONOGRAPH_CHECK(t.is(ir::TypeKind::Tensor), Attribute, method, "() is of tensor types, and this is ", to_string(t));
  return t.tensor();
}
// Those that are numbers; None at each symbol, and for a tensor of unknown rank.
nb::object numbers_of(const std::optional<std::vector<ir::TensorType::Dim>>& sizes) {
  if (!sizes) return nb::none();
  auto list = check(PyList_New(0));
  for (const auto& size : *sizes) check(PyList_Append(list.ptr(), (size && size->is_int() ? to_python(size->as_int()) : nb::none()).ptr()));
  return list;
}
nb::object sizes_of(ir::Type t) { return numbers_of(tensor_type(t, "sizes").sizes); }
nb::object strides_of(ir::Type t) { return numbers_of(tensor_type(t, "strides").strides); }
nb::object dim_of(ir::Type t) {
  const auto& sizes = tensor_type(t, "dim").sizes;
  return sizes ? to_python(static_cast<int64_t>(sizes->size())) : nb::none();
}
nb::object scalar_type_of(ir::Type t) {
  const auto& dtype = tensor_type(t, "scalarType").dtype;
  return dtype ? to_python(std::string_view(info(*dtype).scalar_type)) : nb::none();
}
nb::object dtype_of_type(ir::Type t) {
  const auto& dtype = tensor_type(t, "dtype").dtype;
  return dtype ? to_python(ir::Args(*dtype)[0], nullptr) : nb::none();
}
nb::object device_of_type(ir::Type t) {
  const auto& device = tensor_type(t, "device").device;
  return device ? to_python(ir::Args(*device)[0], nullptr) : nb::none();
}

nb::object symbolic_sizes_of(ir::Type t) {
  const auto& sizes = tensor_type(t, "symbolic_sizes").sizes;
  if (!sizes) return nb::none();
  auto list = check(PyList_New(0));
  std::vector<std::string> symbols;
  int64_t unknown = 0;
  for (const auto& size : *sizes) {
    int64_t shown = 0;
    if (size && size->is_int()) {
      shown = size->as_int();
    } else {
      const std::string name = size ? to_string(*size) : concat("?", unknown++);
      auto at = std::ranges::find(symbols, name);
      if (at == symbols.end()) at = symbols.insert(at, name);
      shown = -1 - (at - symbols.begin());
    }
    check(PyList_Append(list.ptr(), to_python(shown).ptr()));
  }
  return list;
}

ir::Type with_sizes(ir::Type t, const std::optional<std::vector<std::optional<int64_t>>>& sizes) {
  ir::TensorType made = tensor_type(t, "with_sizes");
  made.sizes.reset(), made.strides.reset();
  if (sizes) {
    made.sizes.emplace();
    for (const std::optional<int64_t>& size : *sizes)
      made.sizes->push_back(size ? ir::TensorType::Dim(monograph::SymInt(*size)) : ir::TensorType::Dim());
  }
  return ir::Type(std::move(made));
}
ir::Type with_dtype(ir::Type t, nb::handle dtype) {
  ir::TensorType made = tensor_type(t, "with_dtype");
  DType wanted;
  MONOGRAPH_CHECK(is_dtype(dtype.ptr()) && to_dtype(dtype.ptr(), wanted), Type, "with_dtype: expected a dtype");
  made.dtype = wanted;
  return ir::Type(std::move(made));
}
ir::Type with_device(ir::Type t, nb::handle device) {
  ir::TensorType made = tensor_type(t, "with_device");
  MONOGRAPH_CHECK(Py_TYPE(device.ptr()) == &g_device_type, Type, "with_device: expected a torch.device");
  made.device = to_device(device.ptr());
  return ir::Type(std::move(made));
}
ir::Type contiguous_type(ir::Type t) {
  ir::TensorType made = tensor_type(t, "contiguous");
  const bool known = made.sizes && std::ranges::all_of(*made.sizes, [](const auto& size) { return size && size->is_int(); });
  MONOGRAPH_CHECK(known, Runtime, "contiguous(): the sizes of ", to_string(t), " are not known");
  Dims sizes;
  for (const auto& size : *made.sizes) sizes.push_back(size->as_int());
  made.strides.emplace();
  for (const int64_t stride : contiguous_strides(sizes)) made.strides->push_back(SymInt(stride));
  return ir::Type(std::move(made));
}
nb::object undefined_of(ir::Type t) {
  const ir::TensorType& given = tensor_type(t, "undefined");
  return given.dtype || given.sizes || given.device ? nb::object(nb::bool_(false)) : nb::object(nb::none());
}

ir::Type element_of(ir::Type t) {
  MONOGRAPH_CHECK(t.is(ir::TypeKind::List) || t.is(ir::TypeKind::Optional) || t.is(ir::TypeKind::Future), Attribute,
                  "getElementType() is of lists, optionals and futures, and this is ", to_string(t));
  return t.element();
}

std::vector<ir::Type> elements_of(ir::Type t) { return {t.elements().begin(), t.elements().end()}; }

nb::object default_of(const ir::Argument& a) { return a.default_value ? to_python((*a.default_value)[0], nullptr) : nb::none(); }

nb::object names(const std::vector<std::string>& set) {
  auto out = check(PySet_New(nullptr));
  for (const std::string& name : set) check(PySet_Add(out.ptr(), to_python(std::string_view(name)).ptr()));
  return out;
}

// Of a list of views PyTorch says that it has a mark, and that nothing stands in it.
std::optional<ir::AliasMark> alias_of(const ir::Argument& a) {
  return a.element_alias && !a.alias ? std::optional(ir::AliasMark()) : a.alias;
}

std::string shown(const ir::Argument& a) { return concat(to_string(a.type), a.name.empty() ? "" : " ", a.name); }

// As an annotation of a program: "List[int]", where the schema has int[].
std::string annotation_of(ir::Type t) {
  std::string parts;
  for (ir::Type part : t.is(ir::TypeKind::Tensor) ? std::vector<ir::Type>() : elements_of(t))
    parts += (parts.empty() ? "" : ", ") + annotation_of(part);
  switch (t.kind()) {
    case ir::TypeKind::Tensor: return "Tensor";
    case ir::TypeKind::List: return concat("List[", parts, "]");
    case ir::TypeKind::Optional: return concat("Optional[", parts, "]");
    case ir::TypeKind::Future: return concat("Future[", parts, "]");
    case ir::TypeKind::Dict: return concat("Dict[", parts, "]");
    case ir::TypeKind::Tuple: return concat("Tuple[", parts.empty() ? "()" : parts, "]");
    case ir::TypeKind::Union: return concat("Union[", parts, "]");
    default: return to_string(t);
  }
}

// A tensor type has more to tell than its annotation.
std::string text_of_type(ir::Type t) { return t.is(ir::TypeKind::Tensor) ? to_string(t) : annotation_of(t); }

void add_types(nb::module_& m) {
  nb::class_<ir::Type>(m, "Type", "The type of a value: what is known of it before the graph runs.")
      .def("kind", kind_of, "TensorType, IntType, ListType, ...: the word of torch._C.Type.")
      .def(
          "str", [](ir::Type t) { return to_string(t); }, "As a graph prints it: \"int[]\".")
      .def_prop_ro("annotation_str", annotation_of, "As an annotation: \"List[int]\".")
      .def("sizes", sizes_of, "The sizes of a tensor type, None where one is not a number; None where the rank is unknown.")
      .def("varyingSizes", sizes_of, "As sizes().")
      .def("strides", strides_of, "The strides of a tensor type; None where they are not known.")
      .def("dim", dim_of, "How many dims a tensor type has; None where that is not known.")
      .def("scalarType", scalar_type_of, "\"Float\", \"Long\", ... of a tensor type; None where its dtype is not known.")
      .def("dtype", dtype_of_type, "The dtype of a tensor type; None where it is not known.")
      .def("device", device_of_type, "The device of a tensor type; None where it is not known.")
      .def(
          "requires_grad", [](ir::Type t) { return tensor_type(t, "requires_grad").requires_grad.value_or(true); },
          "Whether values of a tensor type may require grad.")
      .def("symbolic_sizes", symbolic_sizes_of, "The sizes; a negative number for one that is not known, equal numbers for equal sizes.")
      .def("with_sizes", with_sizes, nb::arg("sizes").none(),
           "The same tensor type with these sizes; a size of None is unknown, and None means any rank.")
      .def("with_dtype", with_dtype, nb::arg("dtype"), "The same tensor type with this dtype.")
      .def("with_device", with_device, nb::arg("device"), "The same tensor type with this device.")
      .def("contiguous", contiguous_type, "The same tensor type with the strides of a contiguous tensor.")
      .def("undefined", undefined_of, "False of a tensor type that has a dtype, sizes or a device; None where nothing is known.")
      .def(
          "is_interface_type", [](ir::Type) { return false; }, "Interfaces are resolved when a module is compiled, so no type is one.")
      .def("isSubtypeOf", &ir::is_subtype, "Whether every value of this type is one of the other.")
      .def(
          "containedTypes", [](ir::Type t) { return t.is(ir::TypeKind::Tensor) ? std::vector<ir::Type>() : elements_of(t); },
          "The types inside of it, such as that of a list's elements.")
      .def("getElementType", element_of, "The type of a list's elements; what an optional may hold.")
      .def("elements", elements_of, "The types of a tuple's elements, a dict's key and value, a union's alternatives.")
      .def("__str__", text_of_type)
      .def("__repr__", text_of_type)
      .def(
          "__eq__", [](ir::Type a, ir::Type b) { return a == b; }, nb::is_operator())
      .def("__hash__", [](ir::Type t) { return static_cast<Py_hash_t>(t.hash() >> 1); });
  m.def("_type_of", [](nb::handle node) {
    ir::Node* n = node_of(node.ptr());
    GraphObject* graph = reinterpret_cast<NodeObject*>(node.ptr())->graph;
    return to_python(graph ? type_of_node(graph, n) : n->type());
  });
  m.def("_type_of_tensor", [](nb::handle tensor) {
    const Tensor& t = tensor_of(tensor.ptr());
    ir::TensorType type = ir::TensorType::of(t.dtype(), std::vector<SymInt>(t.sizes().begin(), t.sizes().end()));
    type.device = t.device(), type.requires_grad = t.requires_grad();
    type.strides.emplace();
    for (const int64_t stride : t.strides()) type.strides->push_back(SymInt(stride));
    return ir::Type(std::move(type));
  });
  // Of a value that passes/script_view.h names.
  m.def("_view_type", [](nb::handle node, nb::handle path) {
    const passes::ScriptRef r{node_of(node.ptr()), nb::cast<std::vector<uint32_t>>(path)};
    GraphObject* graph = reinterpret_cast<NodeObject*>(node.ptr())->graph;
    return to_python(!r.is_inline() && graph ? type_of_node(graph, r.node) : passes::script_type(r));
  });
}

void add_arguments(nb::module_& m) {
  nb::class_<ir::AliasMark>(m, "AliasInfo", "The mark in Tensor(a!): which memory a value shows, and whether the call writes it.")
      .def_prop_ro("is_write", [](const ir::AliasMark& a) { return a.write; })
      .def_prop_ro("before_set", [](const ir::AliasMark& a) { return names(a.before); })
      .def_prop_ro("after_set", [](const ir::AliasMark& a) { return names(a.after); });
  nb::class_<ir::Argument>(m, "Argument", "An argument or a result of a schema.")
      .def_prop_ro("name", [](const ir::Argument& a) { return a.name; })
      .def_prop_ro("type", [](const ir::Argument& a) { return a.type; })
      .def_prop_ro(
          "N", [](const ir::Argument& a) { return a.list_size < 0 ? nb::none() : to_python(int64_t{a.list_size}); },
          "N of int[N]: one number stands for so many.")
      .def_prop_ro("default_value", default_of, "None too where there is none: has_default_value() tells.")
      .def("has_default_value", [](const ir::Argument& a) { return a.default_value.has_value(); })
      .def_prop_ro("real_type", [](const ir::Argument& a) { return a.type; })
      .def_prop_ro(
          "is_write", [](const ir::Argument& a) { return a.writes(); }, "Whether a call writes it.")
      .def_prop_ro("kwarg_only", [](const ir::Argument& a) { return a.kwarg_only; })
      .def_prop_ro(
          "is_out", [](const ir::Argument& a) { return a.out; }, "It is written, and it is the result.")
      .def_prop_ro("alias_info", alias_of, "None where the value shares no memory.")
      .def("__repr__", shown);
}

// PyTorch's unifyTypes, which makes no Union: a type and None are an Optional, and tuples agree part by part.
ir::Type unified(const std::vector<ir::Type>& types) {
  MONOGRAPH_CHECK(!types.empty(), Runtime, "Cannot get unified type from empty list");
  const auto has_union = [](auto&& self, ir::Type t) -> bool {
    return t.is(ir::TypeKind::Union) || std::ranges::any_of(t.elements(), [&](ir::Type part) { return self(self, part); });
  };
  ir::Type all = types[0];
  for (size_t k = 1; k < types.size(); ++k) {
    const ir::Type both = ir::join(all, types[k]);
    const bool new_union = both && both != all && both != types[k] && has_union(has_union, both);
    MONOGRAPH_CHECK(both && !new_union, Runtime, "Could not unify type list since element ", k, " of type ", to_string(types[k]),
                    " did not match the types before it (", to_string(all), ")");
    all = both;
  }
  return all;
}

void add_schema(nb::module_& m) {
  using S = ir::FunctionSchema;
  nb::class_<S>(m, "FunctionSchema", "What an operator takes, gives and writes.")
      .def_prop_ro(
          "name", [](const S& s) { return s.name(); }, "aten::add")
      .def_prop_ro(
          "overload_name", [](const S& s) { return s.overload(); }, "Tensor, or an empty text")
      .def_prop_ro("arguments", [](const S& s) { return s.arguments(); })
      .def_prop_ro("returns", [](const S& s) { return s.returns(); })
      .def_prop_ro("is_vararg", [](const S& s) { return s.is_vararg(); })
      .def_prop_ro("is_varret", [](const S& s) { return s.is_varret(); })
      .def_prop_ro(
          "_shown",
          [](const S& s) {
            nb::list shown;
            for (size_t i = 0; i < s.arguments().size(); ++i)
              for (size_t k = 0; k < s.returns().size(); ++k)
                if (s.may_alias(k, i)) {
                  shown.append(i);
                  break;
                }
            return shown;
          },
          "The places of the arguments that a result may be, or whose memory it may show.")
      .def_prop_ro(
          "is_mutable", [](const S& s) { return !s.is_pure(); }, "Whether it writes an argument.")
      .def("__str__", [](const S& s) { return to_string(s); })
      .def("__repr__", [](const S& s) { return to_string(s); })
      .def(
          "__eq__", [](const S& a, const S& b) { return to_string(a) == to_string(b); }, nb::is_operator())
      .def("__hash__", [](const S& s) { return static_cast<Py_hash_t>(std::hash<std::string>()(to_string(s)) >> 1); });
  m.def("_schema_of", [](nb::handle node) {
    const ir::OpInfo* info = node_of(node.ptr())->info();
    return info ? to_python(info->schema()) : nb::none();
  });
  m.def("_results_of", [](nb::handle object) {
    ir::Node* node = node_of(object.ptr());
    GraphObject* graph = reinterpret_cast<NodeObject*>(object.ptr())->graph;
    auto list = check(PyList_New(0));
    for (size_t k = 0; node->op() != ir::Op::Output && k < node->result_count(); ++k)
      if (ir::Node* value = node->result(k)) check(PyList_Append(list.ptr(), wrap(value, graph).ptr()));
    return list;
  });
  m.def(
      "parse_schema",
      [](const std::string& text) {
        try {
          return S::parse(text);
        } catch (const Error& e) {
          fail(ErrorKind::Runtime, e.what());  // PyTorch's class
        }
      },
      nb::arg("schema"), "Reads PyTorch's schema language.");
  m.def("_type_named", [](const std::string& text) { return ir::parse_type(text); });
  m.def("unify_type_list", unified, nb::arg("types"),
        "The type of a variable that holds values of these types; RuntimeError where a script has none.");
}

}  // namespace

nb::object to_python(const ir::FunctionSchema& schema) { return nb::cast(schema); }
nb::object to_python(ir::Type type) { return type ? nb::cast(type) : nb::none(); }

void init_schema(PyObject* module) {
  auto m = nb::borrow<nb::module_>(module);
  add_types(m);
  add_arguments(m);
  add_schema(m);
}

}  // namespace monograph::python
