// A value that a graph computes and that is no tensor: what item(), sym_size, arithmetic on them, and operators that return lists give while a
// program is captured.
#pragma once

#include "core/ivalue.h"

namespace monograph {

namespace ir {
class Node;
}

// Made by src/capture, which alone looks inside. Not an int: who reads a number from it asks the capture, which guards it or refuses.
struct SymbolicValue : ObjectBox {
  SymbolicValue(ir::Node* n, IValue h) : node(n), hint(std::move(h)) {}
  ir::Node* node;  // null once the capture has ended: its graph may be gone
  IValue hint;  // the value in the example; None where nothing runs
};

inline SymbolicValue* symbolic_value(const IValue& v) { return v.is_object() ? dynamic_cast<SymbolicValue*>(v.object()) : nullptr; }

}  // namespace monograph
