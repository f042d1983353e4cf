// Instances of classes, members of enumerations, and isinstance for values whose type is known only when the program runs.
#include "ops/objects.h"

#include <algorithm>

#include "core/error.h"

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

// Error if a list or dict has no items, unless any items would do: its element type cannot be told.
void check_items(size_t items, Type type) {
  const bool any = std::ranges::all_of(type.elements(), [](Type part) { return part.is(TypeKind::Any); });
  MONOGRAPH_CHECK(items || any, NotImplemented, "isinstance of an empty ", type.is(TypeKind::List) ? "list" : "dict", " and ",
                  to_string(type), ": the types of its items are not known when a graph runs; check len() first");
}

// Whether a value has a type. `asked`: a program calls isinstance, and gets an error if an empty list or dict does not tell its element type.
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

}  // namespace

bool is_value_of(const IValue& v, Type type) { return is_of(v, type, false); }
bool is_instance(const IValue& v, Type type) { return is_of(v, type, true); }

}  // namespace monograph
