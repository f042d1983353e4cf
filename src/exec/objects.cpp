// Objects of script classes that modules hold, as modules of a Unit, so that a file can hold them. An object is a module whose class is no module class:
//
//   class __torch__.Counter:              module m0 : __torch__.Net:
//     value "n" : int                       "counter" = m1
//                                         module m1 : __torch__.Counter:
//                                           "n" = 3
//
// An object that two attributes hold is one module. A list, tuple, dict or Enum member with objects in it has a class of the names below, of its length.
#include <algorithm>
#include <functional>
#include <map>

#include "core/error.h"
#include "exec/interpreter.h"
#include "ops/objects.h"

namespace monograph::exec {

namespace {

using ir::Attribute;

constexpr std::string_view kList = "builtins.list.", kTuple = "builtins.tuple.", kDict = "builtins.dict.", kEnum = "builtins.enum";

bool holds_object(const IValue& v) {
  if (v.is_object()) return true;
  if (v.is_list() || v.is_tuple()) return std::ranges::any_of(v.items(), holds_object);
  return v.is_dict() &&
         std::ranges::any_of(v.pairs(), [](const auto& pair) { return holds_object(pair.first) || holds_object(pair.second); });
}

class ObjectWriter {
 public:
  explicit ObjectWriter(const ir::Unit& from) : unit_(std::make_unique<ir::Unit>()) {
    auto copies = copy_modules(from, *unit_);
    for (const auto& f : from.functions()) unit_->add_function(f->clone());
    for (const auto& m : from.modules())
      if (const InstanceBox* box = instance_of(m->object)) modules_.emplace(box, copies[m.get()]);
    for (const auto& m : from.modules())
      if (const InstanceBox* box = instance_of(m->object))
        for (const auto& [name, value] : box->attributes)
          if (m->type().index_of(name) >= 0) put(*copies[m.get()], name, value);
  }
  std::unique_ptr<ir::Unit> take() {
    for (const auto& m : unit_->modules())
      for (size_t k = 0; k < m->values.size(); ++k) {
        const Attribute& a = m->type().attributes[k];
        const ir::Module::Value& v = m->values[k];
        MONOGRAPH_CHECK(a.kind != Attribute::Kind::Module || v.module || v.value.size() == 0 || v.value[0].is_none(), NotImplemented,
                        "the attribute ", a.name, " of ", m->type().name,
                        " holds an object here and another value there, which only an archive of torch.jit.save can hold");
      }
    return std::move(unit_);
  }

 private:
  ir::Class& class_of(const std::string& name) {
    ir::Class* known = unit_->find_class(name);
    return known ? *known : *unit_->add_class(name);
  }
  // The value of an attribute, which the class gets where it has none of this name.
  void put(ir::Module& m, const std::string& name, const IValue& value) {
    ir::Class& c = class_of(m.type().name);
    if (c.index_of(name) < 0) {
      c.attributes.emplace_back().name = name;
      for (const auto& other : unit_->modules())
        if (&other->type() == &c) other->values.resize(c.attributes.size());
    }
    const auto k = static_cast<size_t>(c.index_of(name));
    if (holds_object(value)) {
      c.attributes[k].kind = Attribute::Kind::Module;
      ir::Module* held = module_of(value);
      m.values[k].module = held, m.values[k].value = {};
    } else {
      m.values[k].value = {},
      m.values[k].module = m.values[k].module && m.values[k].module->type().is_module ? m.values[k].module : nullptr;
      add_literal(m.values[k].value, value);
    }
  }
  ir::Module* module_of(const IValue& value) {
    if (const InstanceBox* box = instance_of(value)) {
      if (const auto known = modules_.find(box); known != modules_.end()) return known->second;
      ir::Module* m = modules_[box] = unit_->add_module(&class_of(*box->class_name));
      for (const auto& [name, held] : box->attributes) put(*m, name, held);
      return m;
    }
    if (const EnumBox* member = member_of(value)) {
      ir::Module* m = unit_->add_module(&class_of(std::string(kEnum)));
      put(*m, "class", *member->class_name), put(*m, "member", member->member), put(*m, "value", member->value);
      return m;
    }
    MONOGRAPH_CHECK(!value.is_object(), NotImplemented, "a module holds a ", describe(value),
                    ", which only an archive of torch.jit.save can hold");
    // A class for each length: attributes of one class have one kind.
    const auto holder = [&](std::string_view kind, size_t n) {
      std::string name = concat(kind, n);
      for (int k = 0; unit_->find_class(name); ++k) name = concat(kind, n, ".", k);
      return unit_->add_module(&class_of(name));
    };
    if (value.is_dict()) {
      ir::Module* m = holder(kDict, value.pairs().size());
      for (size_t k = 0; k < value.pairs().size(); ++k)
        put(*m, concat("key", k), value.pairs()[k].first), put(*m, concat("value", k), value.pairs()[k].second);
      return m;
    }
    ir::Module* m = holder(value.is_list() ? kList : kTuple, value.items().size());
    for (size_t k = 0; k < value.items().size(); ++k) put(*m, std::to_string(k), value.items()[k]);
    return m;
  }

  std::unique_ptr<ir::Unit> unit_;
  std::map<const InstanceBox*, ir::Module*> modules_;
};

}  // namespace

std::unique_ptr<ir::Unit> with_objects(const ir::Unit& unit) {
  const bool any = std::ranges::any_of(unit.modules(), [](const auto& m) {
    const InstanceBox* box = instance_of(m->object);
    return box &&
           std::ranges::any_of(box->attributes, [&](const auto& a) { return m->type().index_of(a.first) >= 0 && holds_object(a.second); });
  });
  return any ? ObjectWriter(unit).take() : nullptr;
}

IValue value_of_object(const ir::Module& module, const std::function<IValue(const ir::Module&, size_t)>& attribute) {
  const std::string& name = module.type().name;
  const auto named = [&](std::string_view key) {
    const int k = module.type().index_of(key);
    MONOGRAPH_CHECK(k >= 0, File, "the file's ", name, " has no '", key, "'");
    return attribute(module, static_cast<size_t>(k));
  };
  if (name == kEnum)
    return IValue(Ref<ObjectBox>(new EnumBox(ir::intern(named("class").to_string()), named("member").to_string(), named("value"))));
  std::vector<IValue> items;
  if (name.starts_with(kList) || name.starts_with(kTuple) || name.starts_with(kDict))
    for (size_t k = 0; k < module.values.size(); ++k) items.push_back(attribute(module, k));
  if (name.starts_with(kList)) return IValue::list(std::move(items));
  if (name.starts_with(kTuple)) return IValue::tuple(std::move(items));
  if (name.starts_with(kDict)) {
    std::vector<std::pair<IValue, IValue>> pairs;
    for (size_t k = 0; k + 1 < items.size(); k += 2) pairs.emplace_back(items[k], items[k + 1]);
    return IValue::dict(std::move(pairs));
  }
  if (module.object.is_object()) return module.object;
  Ref<InstanceBox> box(new InstanceBox(ir::intern(name)));
  const_cast<ir::Module&>(module).object = IValue(Ref<ObjectBox>(box));  // before its attributes, which may lead back to it
  for (size_t k = 0; k < module.values.size(); ++k) box->attributes.emplace_back(module.type().attributes[k].name, attribute(module, k));
  return module.object;
}

}  // namespace monograph::exec
