// Objects of programs: instances of classes, members of enumerations, and questions about the type of a value that is known only when the program runs.
#include "ops/objects.h"

#include <algorithm>
#include <unordered_map>

#include "ops/dispatch.h"
#include "ops/families/programs.h"
#include "ops/record.h"
#include "ops/torchscript_names.h"

namespace monograph {

IValue* InstanceBox::find(const std::string& attribute) {
  auto found = std::ranges::find(attributes, attribute, &std::pair<std::string, IValue>::first);
  return found == attributes.end() ? nullptr : &found->second;
}

InstanceBox* instance_of(const IValue& v) { return v.is_object() ? dynamic_cast<InstanceBox*>(v.object()) : nullptr; }
EnumBox* member_of(const IValue& v) { return v.is_object() ? dynamic_cast<EnumBox*>(v.object()) : nullptr; }

bool same_object(const IValue& a, const IValue& b) {
  const EnumBox *x = member_of(a), *y = member_of(b);
  return x && y ? x->same(*y) : a.is(b);
}

namespace {

using ir::Type;
using ir::TypeKind;

InstanceBox& instance(const Operator& op, const IValue& v) {
  InstanceBox* box = instance_of(v);
  MONOGRAPH_CHECK(box, Type, "[", op.name(), "] an object is needed, but this is a ", describe(v));
  return *box;
}
EnumBox& member(const Operator& op, const IValue& v) {
  EnumBox* box = member_of(v);
  MONOGRAPH_CHECK(box, Type, "[", op.name(), "] a member of an Enum is needed, but this is a ", describe(v));
  return *box;
}

// Of a list or dict without items: nobody can tell what it would hold.
void check_items(size_t items, Type type) {
  const bool any = std::ranges::all_of(type.elements(), [](Type part) { return part.is(TypeKind::Any); });
  MONOGRAPH_CHECK(items || any, NotImplemented, "isinstance of an empty ", type.is(TypeKind::List) ? "list" : "dict", " and ",
                  to_string(type), ": the types of its items are not known when a graph runs; check len() first");
}

// Whether a value is of a type.
// `asked`: by a program, which gets an error where an empty list or dict does not tell.
bool is_of(const IValue& v, Type type, bool asked) {
  const auto all = [asked](const std::vector<IValue>& items, Type element) {
    return std::ranges::all_of(items, [&](const IValue& item) { return is_of(item, element, asked); });
  };
  switch (type.kind()) {
    case TypeKind::Any: return true;
    case TypeKind::Tensor: return v.is_tensor();
    case TypeKind::Int: return v.is_int();
    case TypeKind::Float: return v.is_float();
    case TypeKind::Bool: return v.is_bool();
    case TypeKind::Complex: return v.is_complex();
    case TypeKind::Str: return v.is_string();
    case TypeKind::None: return v.is_none();
    case TypeKind::Device: return v.tag() == IValue::Tag::Device;
    case TypeKind::DType: return v.tag() == IValue::Tag::Dtype;
    case TypeKind::Optional: return v.is_none() || is_of(v, type.element(), asked);
    case TypeKind::Union: return std::ranges::any_of(type.elements(), [&](Type part) { return is_of(v, part, asked); });
    case TypeKind::List:
      if (asked && v.is_list()) check_items(v.items().size(), type);
      return v.is_ints() ? type.element().is(TypeKind::Int) || type.element().is(TypeKind::Any)
                         : v.is_list() && all(v.items(), type.element());
    case TypeKind::Dict:
      if (asked && v.is_dict()) check_items(v.pairs().size(), type);
      return v.is_dict() && std::ranges::all_of(v.pairs(), [&](const auto& pair) {
               return is_of(pair.first, type.elements()[0], asked) && is_of(pair.second, type.elements()[1], asked);
             });
    case TypeKind::Tuple:
    case TypeKind::NamedTuple: {
      if (!v.is_tuple() || v.items().size() != type.elements().size()) return false;
      for (size_t k = 0; k < v.items().size(); ++k)
        if (!is_of(v.items()[k], type.elements()[k], asked)) return false;
      return true;
    }
    case TypeKind::Class: return instance_of(v) && *instance_of(v)->class_name == type.name();
    case TypeKind::Enum: return member_of(v) && *member_of(v)->class_name == type.name();
    default: fail(ErrorKind::NotImplemented, "isinstance of the type ", to_string(type), " is not supported when a graph runs");
  }
}

// The texts of types are read once a thread.
Type type_of_text(const std::string& text) {
  thread_local std::unordered_map<std::string, Type> known;
  Type& type = known[text];
  if (!type) type = ir::parse_type(text);
  return type;
}

}  // namespace

bool is_value_of(const IValue& v, ir::Type type) { return is_of(v, type, false); }

void objects(Registry& r) {
  const ProgramOp op(r);
  ir::Effects reads, writes;
  reads.reads = ir::Effects::Memory;
  writes.reads = writes.writes = ir::Effects::Memory;
  // A fresh object each time: two calls are no common subexpression.
  op({"prim::CreateObject(str cls) -> t(*)"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = Ref<ObjectBox>(new InstanceBox(ir::intern(a[0].to_string()))); })
      .effects(reads)
      .doc("A new instance of a class, without attributes.");
  op({"prim::GetAttr(t(*) self, str name) -> s(*)"},
     [](const Operator& self, const IValue* a, IValue* out) {
       const IValue* found = instance(self, a[0]).find(a[1].to_string());
       MONOGRAPH_CHECK(found, Attribute, "[", self.name(), "] the ", describe(a[0]), " has no attribute '", a[1].to_string(), "' yet");
       out[0] = *found;
     })
      .effects(raising(reads))
      .doc("An attribute of an object.");
  op({"prim::SetAttr(t(*) self, str name, s(*) value) -> ()"},
     [](const Operator& self, const IValue* a, IValue*) {
       InstanceBox& box = instance(self, a[0]);
       if (IValue* found = box.find(a[1].to_string())) *found = a[2];
       else box.attributes.emplace_back(a[1].to_string(), a[2]);
     })
      .effects(writes)
      .doc("Sets an attribute of an object.");
  op({"prim::EnumMember(str cls, str name, t value) -> s"},
     [](const Operator&, const IValue* a, IValue* out) {
       out[0] = Ref<ObjectBox>(new EnumBox(ir::intern(a[0].to_string()), a[1].to_string(), a[2]));
     })
      .effects(ir::Effects::none())
      .doc("A member of an enumeration.");
  op({"prim::EnumName(t self) -> str"}, [](const Operator& self, const IValue* a, IValue* out) { out[0] = member(self, a[0]).member; })
      .effects(ir::Effects::none())
      .doc("The name of a member of an enumeration.");
  op({"prim::EnumValue(t self) -> s"}, [](const Operator& self, const IValue* a, IValue* out) { out[0] = member(self, a[0]).value; })
      .effects(ir::Effects::none())
      .doc("The value of a member of an enumeration.");
  op({"prim::isinstance(t x, str type) -> bool"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = is_of(a[0], type_of_text(a[1].to_string()), true); })
      .effects(reads)
      .doc("Whether a value is of this type, where that is known only when the program runs.");
  op({"prim::repr(t self) -> str"}, [](const Operator& self, const IValue* a, IValue* out) { out[0] = text_of_value(self, a[0], true); })
      .effects(raising(reads))
      .doc("Python's repr of a value.");
  no_torchscript("prim::repr", "PyTorch has no operator of this name");
  op({"prim::format(t self, str spec) -> str"},
     [](const Operator& self, const IValue* a, IValue* out) { out[0] = formatted_value(self, a[0], a[1].to_string()); })
      .effects(raising({}))
      .doc("Python's format of a number or str.");
  no_torchscript("prim::format", "PyTorch has no operator of this name");
  op({"prim::type(Device self) -> str"},
     [](const Operator&, const IValue* a, IValue* out) {
       const std::string device = to_string(a[0].to_device());
       out[0] = device.substr(0, device.find(':'));
     })
      .effects(ir::Effects::none())
      .doc("The kind of a device: \"cpu\".");
  op({"prim::index.Device(Device self) -> int?"},
     [](const Operator&, const IValue* a, IValue* out) {
       const std::string device = to_string(a[0].to_device());
       const size_t colon = device.find(':');
       if (colon == std::string::npos) out[0] = IValue();
       else out[0] = static_cast<int64_t>(std::stoll(device.substr(colon + 1)));
     })
      .effects(ir::Effects::none())
      .doc("The number of a device; None where it has none.");
  ir::Effects asks, switches;
  asks.reads = ir::Effects::Mode;
  switches.reads = switches.writes = ir::Effects::Mode;
  op({"is_grad_enabled() -> bool"}, [](const Operator&, const IValue*, IValue* out) { out[0] = dispatch_state().grad_enabled; })
      .effects(asks)
      .doc("Whether operators are recorded for gradients.");
  op({"set_grad_enabled(bool val) -> ()"},
     [](const Operator&, const IValue* a, IValue*) { dispatch_state().grad_enabled = a[0].to_bool(); })
      .effects(switches)
      .doc("Whether operators are recorded for gradients from here on, until the graph ends.");
}

}  // namespace monograph
