// The objects of programs at run time: instances of classes and members of enumerations. Both hold the name of their class in the Unit.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/ivalue.h"
#include "ir/type.h"

namespace monograph {

// An instance of a class. Several values may refer to the same instance; all of them see a change of an attribute.
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

// The instance, or the member, that a value is; null for any other value.
InstanceBox* instance_of(const IValue& v);
EnumBox* member_of(const IValue& v);
// Whether both are the same object, or the same member of an enumeration.
bool same_object(const IValue& a, const IValue& b);

// Whether a value has this type. An empty list has the type of every list.
bool is_value_of(const IValue& v, ir::Type type);
// The result of isinstance(v, type). Error (NotImplemented) for an empty list or dict, whose items have no types.
bool is_instance(const IValue& v, ir::Type type);

}  // namespace monograph
