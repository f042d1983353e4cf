// What the IR asks an operator, without knowing any by name: its schema, its effects, its result types. src/ops fills the registry.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ir/schema.h"
#include "ir/type.h"

namespace monograph::ir {

class Node;

// What running a node does besides computing its result. The states are alias classes: two nodes may swap unless one writes what the other
// reads or writes.
struct Effects {
  enum State : uint8_t {
    Memory = 1,     // tensors, lists, dicts and objects that others may see
    Random = 2,     // a Generator's stream
    Console = 4,    // what was printed, logged, warned
    Mode = 8,       // grad mode, training flags, default dtype
  };
  uint8_t reads = 0, writes = 0;
  bool may_raise =
      false;  // on data: an index, an integer division, item(), an assert. Wrong shapes and dtypes do not count: they are checked anyway.
  bool raises = false;  // it is there to raise (assert, raise): never dropped
  bool user_code = false;  // runs code that we do not see

  static constexpr Effects none() { return {}; }
  static constexpr Effects everything() { return {15, 15, true, true, true}; }
  bool operator==(const Effects&) const = default;
  // A node with these effects may be dropped where nobody uses its result: it writes nothing, is not there to raise, runs no foreign code.
  bool droppable() const { return writes == 0 && !raises && !user_code; }
  // Two equal nodes with these effects have equal results: it neither reads nor writes.
  bool deterministic() const { return reads == 0 && droppable(); }
  bool commutes_with(const Effects& o) const {
    return !(writes & (o.reads | o.writes)) && !(reads & o.writes) && !((may_raise && o.writes) || (o.may_raise && writes));
  }
  Effects operator|(const Effects& o) const {
    return {static_cast<uint8_t>(reads | o.reads), static_cast<uint8_t>(writes | o.writes), may_raise || o.may_raise, raises || o.raises,
            user_code || o.user_code};
  }
};
std::string to_string(const Effects& effects);

// One operator overload. Immutable once registered, and alive as long as the process.
class OpInfo {
 public:
  // Where no effects are stated, an operator may do everything.
  explicit OpInfo(FunctionSchema schema, Effects effects = Effects::everything());
  virtual ~OpInfo() = default;

  const FunctionSchema& schema() const { return schema_; }
  const std::string& name() const { return schema_.full_name(); }
  // The stated effects and the memory part that the schema's alias marks give.
  const Effects& effects() const { return effects_; }
  // The number of values a call gives: the schema's returns.
  size_t results() const { return schema_.returns().size(); }

  // The type of the call's value from the types of its arguments: of several results a Tuple. Unknown where nothing can be said; the default
  // answers the schema's return types. Raises Error where the arguments cannot be right.
  virtual Type infer(const Node& node) const;

  // A step of canonical(): rewrites the node, in place or by others before it, into operators of the canonical set (an index expression into
  // select and slice, a size read into sym_size). True if something changed. Nodes it makes are visited too.
  virtual bool canonicalize(Node* node) const { return false; }

 protected:
  FunctionSchema schema_;
  Effects effects_;
};

// Where operators are found. One is current in a process; src/ops sets it when it is loaded, tests set their own.
struct OperatorLookup {
  // The overload of this full name ("aten::add.Tensor"); null where there is none.
  const OpInfo* (*lookup)(std::string_view full_name) = nullptr;
  // The overload that a node calls, from its surface target and the types of its arguments; null where it cannot be told.
  const OpInfo* (*resolve)(const Node& node) = nullptr;
  // Of a node whose name is an operator's and nothing else, why no overload takes its arguments; "" where one does, and for other names.
  std::string (*misfit)(const Node& node) = nullptr;
};
const OperatorLookup& operator_lookup();
// Returns the previous one.
OperatorLookup set_operator_lookup(OperatorLookup operator_lookup);

}  // namespace monograph::ir
