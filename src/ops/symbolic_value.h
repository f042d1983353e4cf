// A value other than a tensor that a graph will compute. While a program is captured, item(), sym_size, arithmetic on their results and operators that return
// lists return such values.
#pragma once

#include "core/ivalue.h"
#include "ir/type.h"

namespace monograph {

namespace ir {
class Node;
}

// Only src/capture makes these and reads their fields. It is no int: code that needs a number asks the capture, which guards the number or raises an error.
struct SymbolicValue : ObjectBox {
  SymbolicValue(ir::Node* n, IValue h) : node(n), hint(std::move(h)) {}
  ir::Node* node;  // null after the capture has ended, because its graph may be gone
  IValue hint;  // the value in the example; None if the capture runs nothing
};

// The type of the value. The node of item() is of any number, but the value has the kind of the tensor's dtype. Not after the capture has ended.
ir::Type type_of_value(const SymbolicValue& value);

inline SymbolicValue* symbolic_value(const IValue& v) { return v.is_object() ? dynamic_cast<SymbolicValue*>(v.object()) : nullptr; }

}  // namespace monograph
