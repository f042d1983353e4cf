// Archives of torch.jit.save for jit/_load.py: their modules as Python sees them, and their methods as graphs.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "exec/interpreter.h"
#include "formats/file.h"
#include "formats/torchscript/archive.h"
#include "formats/torchscript/save.h"
#include "graph.h"
#include "modules.h"
#include "not_built.h"
#include "objects.h"
#include "python.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {
namespace {

using torchscript::ModuleObject;
using torchscript::ScriptArchive;

// The plain values of an attribute; None where Python has no form of it.
nb::object value_of(const ScriptArchive& archive, const IValue& given) {
  const IValue& v = torchscript::untagged(given);
  if (archive.is_foreign(v)) return not_built_to_python(v);
  if (v.is_object()) return nb::none();
  if (v.is_list() || v.is_tuple()) {
    nb::list out;
    for (const IValue& item : v.items()) out.append(value_of(archive, item));
    if (v.is_list()) return out;
    return nb::tuple(out);
  }
  if (v.is_dict()) {
    nb::dict out;
    for (const auto& [key, value] : v.pairs()) out[value_of(archive, key)] = value_of(archive, value);
    return out;
  }
  return to_python(v);
}

// [(path, class, training, [(name, kind, value)])]: kind is "module", with its place; "parameter", "buffer" or "value".
nb::list modules_of(const ScriptArchive& archive) {
  nb::list out;
  for (const ModuleObject& m : archive.modules()) {
    nb::list attributes;
    for (const auto& [name, value] : m.attributes) {
      const int inner = archive.module_of(value);
      auto in = [&](const std::vector<std::string>& names) { return std::find(names.begin(), names.end(), name) != names.end(); };
      const char* kind = inner >= 0                         ? "module"
                         : archive.is_foreign(value)        ? "value"
                         : m.type && in(m.type->parameters) ? "parameter"
                         : m.type && in(m.type->buffers)    ? "buffer"
                                                            : "value";
      if (const auto* object = pickle::as<pickle::NamedObject>(value);
          object && object->args.is_tuple() && object->args.items().size() == 1)
        if (const std::string cls = object->callable->full(), member = archive.member_of(cls, object->args.items()[0]); !member.empty()) {
          attributes.append(nb::make_tuple(name, "member", nb::make_tuple(cls, member)));
          continue;
        }
      if (m.objects.contains(name) && !archive.is_foreign(value)) continue;
      nb::object shown = inner >= 0          ? nb::object(nb::int_(inner))
                         : value.is_tensor() ? nb::object(wrap(value.as_tensor()))
                                             : value_of(archive, value);
      attributes.append(nb::make_tuple(name, kind, shown));
    }
    nb::list methods;
    if (m.type)
      for (const auto& f : m.type->methods) methods.append(nb::make_tuple(f.name, f.text));
    out.append(nb::make_tuple(m.path, m.type_name, m.training, attributes, methods));
  }
  return out;
}

}  // namespace

void init_script_archive(PyObject* module) {
  nb::module_ m = nb::borrow<nb::module_>(module);
  nb::class_<ScriptArchive>(m, "_ScriptArchive")
      .def("modules", &modules_of)
      .def("operators", &ScriptArchive::operators)
      .def("set_training", &ScriptArchive::set_training)
      // The names of the attributes that only a run of __setstate__ gives, of each module.
      .def("unmade",
           [](const ScriptArchive& a) {
             std::vector<std::vector<std::string>> out;
             for (const ModuleObject& m : a.modules()) out.push_back(m.unmade);
             return out;
           })
      .def("settle", [](ScriptArchive& a) { return a.settle(); })
      .def("has_state", [](const ScriptArchive& a, int module) { return !a.modules().at(static_cast<size_t>(module)).state.is_none(); })
      .def("set_state", [](ScriptArchive& a, int module,
                           nb::handle state) { a.set_state(module, tree_to_ivalue(state.ptr(), "the state of a module")); })
      .def(
          "set_attribute",
          [](ScriptArchive& a, int module, const std::string& name, nb::handle value) {
            a.set_attribute(module, name, tree_to_ivalue(value.ptr(), concat("the attribute ", name)));
          },
          nb::arg("module"), nb::arg("name"), nb::arg("value").none())
      // The names of the methods that a call of a module runs before and after forward.
      .def("hooks",
           [](const ScriptArchive& a, int module) {
             const torchscript::SourceClass* type = a.modules().at(static_cast<size_t>(module)).type;
             return type ? std::pair(type->pre_hooks, type->hooks) : std::pair<std::vector<std::string>, std::vector<std::string>>();
           })
      // The object of a module's attributes, and the types of those that its code assigns; None where it assigns none.
      .def("assigned",
           [](const ScriptArchive& a, int module) -> nb::object {
             const ModuleObject& m = a.modules().at(static_cast<size_t>(module));
             if (m.assigned.empty()) return nb::none();
             nb::dict types;
             // Objects of the archive's classes live in its methods alone: this process has no class for them.
             for (const auto& [name, type] : m.assigned)
               if (!m.objects.contains(name)) types[name.c_str()] = to_string(type);
             if (types.size() == 0) return nb::none();
             return nb::make_tuple(wrap_module_object(exec::object_of(*m.made)), types);
           })
      // Every method of the root, in one program in which `self.training` is read when it runs, where it compiles so: (a graph of it, whether the mode is fixed).
      .def("program",
           [](const ScriptArchive& a, nb::dict edited) {
             std::map<std::string, const ir::Graph*> graphs;
             for (auto [name, graph] : edited) graphs.emplace(nb::cast<std::string>(name), &graph_of(nb::handle(graph).ptr()));
             auto [unit, one_mode] = a.program(graphs);
             ir::Graph* first = unit->functions()[0].get();
             return nb::make_tuple(wrap(std::shared_ptr<ir::Graph>(std::shared_ptr<ir::Unit>(std::move(unit)), first)), one_mode);
           })
      // (path or write, [(name, content)]): the archive with its own code.
      .def("write",
           [](const ScriptArchive& a, nb::object to, nb::list extra_files) {
             std::vector<std::pair<std::string, std::string>> extra;
             for (nb::handle pair : extra_files) {
               const auto content = nb::cast<nb::bytes>(pair[1]);
               extra.emplace_back(nb::cast<std::string>(pair[0]), std::string(content.c_str(), content.size()));
             }
             if (nb::isinstance<nb::str>(to)) {
               const auto path = nb::cast<std::string>(to);
               ArchiveWriter archive(path);
               return a.write(archive, torchscript::root_folder(path), extra);
             }
             ArchiveWriter archive([&](const void* data, size_t bytes) { to(nb::bytes(static_cast<const char*>(data), bytes)); });
             a.write(archive, "archive", extra);
           })
      // {name: value} of an Enum of the code.
      .def("members",
           [](const ScriptArchive& a, const std::string& cls) {
             nb::dict members;
             for (const auto& [name, value] : a.members(cls)) members[name.c_str()] = to_python(value);
             return members;
           })
      .def("extra_files", &ScriptArchive::extra_files)
      .def("extra_file",
           [](const ScriptArchive& a, const std::string& name) {
             const std::string content = a.extra_file(name);
             return nb::bytes(content.data(), content.size());
           })
      // Whether the graph was compiled when operators that it calls were missing; whether some of them are there now.
      .def("lacks", [](const ScriptArchive& a, nb::handle graph) { return a.lacks(graph_of(graph.ptr())); })
      .def("has_gained", [](const ScriptArchive& a, nb::handle graph) { return a.has_gained(graph_of(graph.ptr())); })
      .def("method", [](const std::shared_ptr<ScriptArchive>& archive, int module, const std::string& name) {
        return wrap(std::shared_ptr<ir::Graph>(archive, &archive->method(module, name)));
      });
  // _script_archive(path or bytes, device_of, notice): what torch.jit.save wrote. device_of(location) -> "cpu" or "meta", or None.
  m.attr("_script_archive") = nb::cpp_function(
      [](nb::object source, nb::object device_of, nb::object notice) {
        torchscript::ScriptLoadOptions options;
        if (!device_of.is_none())
          options.device_of = [device_of](const std::string& location) {
            Device device;
            const auto text = nb::cast<std::string>(device_of(location));
            MONOGRAPH_CHECK(parse_device(text, device), Runtime, "map_location: '", text, "' is not a device");
            return device;
          };
        options.notice = [notice](const std::string& message) { notice(message); };
        if (nb::isinstance<nb::bytes>(source)) {
          // Tensors lie in a copy: bytes of Python never change.
          const auto bytes = nb::borrow<nb::bytes>(source);
          auto copy = std::make_shared<std::vector<std::byte>>(static_cast<const std::byte*>(bytes.data()),
                                                               static_cast<const std::byte*>(bytes.data()) + bytes.size());
          const std::span<const std::byte> span(*copy);
          return ScriptArchive::parse(span, copy, "the archive", options);
        }
        return ScriptArchive::open(nb::cast<std::string>(source), options);
      },
      nb::arg("source"), nb::arg("device_of").none(), nb::arg("notice"));
}

}  // namespace monograph::python
