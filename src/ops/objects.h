// What the objects of programs are at run time: instances of classes, and members of enumerations. Both know their class by its name in the Unit.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/ivalue.h"
#include "ir/type.h"

namespace monograph {

// An instance. It is a value that several names may hold: what one writes the others see.
struct InstanceBox : ObjectBox {
  InstanceBox(const std::string* name, std::vector<std::pair<std::string, IValue>> values = {})
      : class_name(name), attributes(std::move(values)) {}
  std::string kind_name() const override { return class_name->substr(class_name->rfind('.') + 1); }
  IValue* find(const std::string& attribute);
  const std::string* class_name;  // interned
  std::vector<std::pair<std::string, IValue>> attributes;  // in the order in which they were set first
};

// A member of an enumeration. Two of the same class and name are the same member.
struct EnumBox : ObjectBox {
  EnumBox(const std::string* class_, std::string member_, IValue value_)
      : class_name(class_), member(std::move(member_)), value(std::move(value_)) {}
  std::string kind_name() const override { return class_name->substr(class_name->rfind('.') + 1); }
  bool same(const EnumBox& o) const { return class_name == o.class_name && member == o.member; }
  const std::string* class_name;  // interned
  std::string member;
  IValue value;
};

// The box of the value; null where it is anything else.
InstanceBox* instance_of(const IValue& v);
EnumBox* member_of(const IValue& v);
// Whether both are the same object, or the same member of an enumeration.
bool same_object(const IValue& a, const IValue& b);

// Whether a value is one of the type; an empty list is one of every list's.
bool is_value_of(const IValue& v, ir::Type type);
// What isinstance answers; an error for an empty list or dict, which does not tell what it would hold.
bool is_instance(const IValue& v, ir::Type type);

}  // namespace monograph
