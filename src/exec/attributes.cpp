// Attributes of modules as graphs read and write them. Parameters and buffers are constants of a plan, and get_attr gives the module's own tensor. Attributes
// that a graph assigns live in an object, one for each module, which all graphs of the program share. It is made from the module's values at first use.
#include <mutex>

#include "core/error.h"
#include "exec/interpreter.h"
#include "ops/objects.h"
#include "ops/pointwise.h"

namespace monograph::exec {

using ir::ArgKind;
using ir::Attribute;

bool add_literal(ir::Args& args, const IValue& v) {
  bool complete = true;
  auto items = [&](ArgKind kind, const std::vector<IValue>& parts) {
    args.open(kind);
    for (const IValue& part : parts) complete = add_literal(args, part) && complete;
    args.close();
  };
  switch (v.tag()) {
    case IValue::Tag::None: args.none(); break;
    case IValue::Tag::Bool: args.add(v.to_bool()); break;
    case IValue::Tag::Int: args.add(v.to_int()); break;
    case IValue::Tag::Float: args.add(v.to_double()); break;
    case IValue::Tag::Complex: args.add(v.to_complex()); break;
    case IValue::Tag::Dtype: args.add(v.to_dtype()); break;
    case IValue::Tag::Device: args.add(v.to_device()); break;
    case IValue::Tag::MemoryFormat: args.add(v.to_memory_format()); break;
    case IValue::Tag::Layout: args.layout(); break;
    case IValue::Tag::Str: args.add(v.to_string()); break;
    case IValue::Tag::Tensor: args.add(ir::TensorRef(std::make_shared<LiveTensor>(v.as_tensor()))); break;
    case IValue::Tag::Ints:
      args.open(ArgKind::List);
      for (int64_t k : v.to_ints()) args.add(k);
      args.close();
      break;
    case IValue::Tag::List: items(ArgKind::List, v.items()); break;
    case IValue::Tag::Tuple: items(ArgKind::Tuple, v.items()); break;
    case IValue::Tag::Dict:
      args.open(ArgKind::Dict);
      for (const auto& [key, value] : v.pairs()) complete = add_literal(args, key) && add_literal(args, value) && complete;
      args.close();
      break;
    case IValue::Tag::Object: args.none(), complete = false;
  }
  return complete;
}

namespace {

std::mutex g_objects_mutex;  // guards Module::object

// The value with each list of ints turned into a list of values, so that a program may append other values to it.
IValue with_lists(const IValue& v) {
  if (v.is_ints()) {
    std::vector<IValue> items(v.to_ints().begin(), v.to_ints().end());
    return IValue::list(std::move(items));
  }
  if (v.is_list() || v.is_tuple())
    for (IValue& item : v.items()) item = with_lists(item);
  if (v.is_dict())
    for (auto& [key, value] : v.pairs()) value = with_lists(value);
  return v;
}

// The first value of an attribute in a module's object. A buffer whose elements lie in a mapped file is copied, since the file must not be written.
IValue initial_value(const ir::ArgRef& a, Attribute::Kind kind) {
  const bool stored = a.is(ArgKind::Tensor) && dynamic_cast<const LiveTensor*>(&a.as_tensor()) == nullptr;
  const IValue v = literal(a);
  return stored && kind != Attribute::Kind::Parameter ? IValue(copy_tensor(v.as_tensor())) : with_lists(v);
}

// The first value of an attribute: of an object that the module holds, the object.
IValue first_value(const ir::Module& module, size_t k) {
  const Attribute& a = module.type().attributes[k];
  const ir::Module::Value& v = module.values[k];
  if (v.module) return value_of_object(*v.module, first_value);
  return v.value.size() == 1 ? initial_value(v.value[0], a.kind) : IValue();
}

}  // namespace

IValue object_of(const ir::Module& module) {
  const std::lock_guard lock(g_objects_mutex);
  if (module.object.is_object()) return module.object;
  Ref<InstanceBox> box(new InstanceBox(ir::intern(module.type().name)));
  for (size_t k = 0; k < module.values.size(); ++k) {
    const ir::Module::Value& v = module.values[k];
    const bool object =
        v.module ? !v.module->type().is_module : v.value.size() == 1 || module.type().attributes[k].kind == Attribute::Kind::Module;
    if (object) box->attributes.emplace_back(module.type().attributes[k].name, first_value(module, k));
  }
  return const_cast<ir::Module&>(module).object = IValue(Ref<ObjectBox>(box));
}

void note_objects(const ir::Unit& unit, bool objects) {
  const std::lock_guard lock(g_objects_mutex);
  for (const auto& module : unit.modules()) {
    InstanceBox* box = instance_of(module->object);
    if (!box) continue;
    for (const auto& [name, value] : box->attributes) {
      const int k = module->type().index_of(name);
      if (k < 0) continue;
      ir::Args current;
      const bool plain = add_literal(current, value);
      const InstanceBox* object = instance_of(value);
      const ir::Module* held = module->values[static_cast<size_t>(k)].module;  // the object that it was made with
      MONOGRAPH_CHECK(plain || objects || (object && held && instance_of(held->object) == object), NotImplemented, "the attribute ", name,
                      " of ", module->type().name, " holds a ", object ? object->kind_name() : describe(value),
                      ", which only an archive of torch.jit.save can hold");
      module->values[static_cast<size_t>(k)].value = plain ? std::move(current) : ir::Args();
    }
  }
}

IValue attribute_value(const ir::Module* root, const std::string& path) {
  MONOGRAPH_CHECK(root, Attribute, "the file holds no modules, so the attribute ", path,
                  " has no value. A text or JSON of one function leaves the modules out; use "
                  "the .mgraph file, which holds them");
  int index = -1;
  if (const ir::Module* holder = root->find(path, index); holder && index >= 0) {
    const ir::Module::Value& v = holder->values[static_cast<size_t>(index)];
    MONOGRAPH_CHECK(!v.module && v.value.size() == 1, Attribute, path, " is a module, not a value that a graph can read");
    return literal(v.value[0]);
  }
  if (const ir::Module* holder = root->holder(path, ir::kModuleObject)) return object_of(*holder);
  if (const ir::Module* holder = root->holder(path, ir::kTraining)) return holder->training;
  fail(ErrorKind::Attribute, "the module has no attribute ", path);
}

}  // namespace monograph::exec
