// Objects and tensors of archives that Monograph does not build, as Python sees them: an operator that a user defines may read what they are made of.
#include "not_built.h"

#include <nanobind/stl/string.h>

#include "formats/pickle/values.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {
namespace {

struct NotBuilt {
  IValue value;
  const pickle::NamedObject& object() const { return *pickle::as<pickle::NamedObject>(value); }
};

nb::object part_of(const IValue& v, int depth);

nb::tuple parts_of(const std::vector<IValue>& items, int depth) {
  nb::list out;
  for (const IValue& item : items) out.append(part_of(item, depth));
  return nb::tuple(out);
}

// A storage is the row of its elements: of a quantized tensor its integers.
nb::object storage_of(const pickle::StorageBox& box) {
  if (!box.storage) return nb::none();
  auto impl = make_ref<TensorImpl>();
  impl->storage = box.storage, impl->dtype = box.dtype;
  impl->sizes = {box.bytes / element_size(box.dtype)}, impl->strides = {1};
  impl->refresh();
  return wrap(Tensor(impl));
}

nb::object part_of(const IValue& v, int depth) {
  constexpr int kMostDepth = 64;
  MONOGRAPH_CHECK(depth < kMostDepth, Value, "the state of an object nests deeper than ", kMostDepth);
  if (const auto* items = pickle::dict_items(v)) {
    nb::dict out;
    for (const auto& [key, held] : *items) out[part_of(key, depth + 1)] = part_of(held, depth + 1);
    return out;
  }
  if (v.is_list() || v.is_tuple()) return parts_of(v.items(), depth + 1);
  if (const auto* box = pickle::as<pickle::StorageBox>(v)) return storage_of(*box);
  if (const auto* name = pickle::as<pickle::GlobalBox>(v)) return nb::str(name->full().c_str());
  if (const auto* tagged = pickle::as<pickle::NamedObject>(v); tagged && tagged->callable->module == "torch.jit._pickle")
    return tagged->args.is_tuple() && !tagged->args.items().empty() ? part_of(tagged->args.items()[0], depth + 1) : nb::none();
  return to_python(v);
}

}  // namespace

nb::object not_built_to_python(const IValue& v) { return pickle::as<pickle::NamedObject>(v) ? nb::cast(NotBuilt{v}) : nb::object(); }

bool not_built_to_ivalue(PyObject* o, IValue& out) {
  const NotBuilt* held = nullptr;
  if (!nb::try_cast(nb::handle(o), held, false) || !held) return false;
  out = held->value;
  return true;
}

void init_not_built(PyObject* module) {
  nb::module_ m = nb::borrow<nb::module_>(module);
  nb::class_<NotBuilt>(m, "NotBuilt",
                       "An object or tensor of a TorchScript archive that Monograph does not build: of a class of C++, quantized, sparse.")
      .def_prop_ro(
          "name", [](const NotBuilt& o) { return o.object().callable->full(); },
          "The class, or the function that rebuilds the tensor in PyTorch.")
      .def_prop_ro(
          "state",
          [](const NotBuilt& o) -> nb::object {
            const pickle::NamedObject& object = o.object();
            if (object.states.size() == 1) return part_of(object.states[0], 0);
            return object.args.is_tuple() ? nb::object(parts_of(object.args.items(), 0)) : nb::none();
          },
          "What the archive holds for it: the state of an object, the arguments of a tensor. A storage is the row of its elements.")
      .def("__repr__", [](const NotBuilt& o) { return "<" + o.object().kind_name() + ", which Monograph does not build>"; });
}

}  // namespace monograph::python
