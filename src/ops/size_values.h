// What a graph's ints and lists of ints are worth as sizes: `x.shape[0] * 2` is 2*s0. A record that computes such a number states how
// (`.size_value(...)`), and may ask the same of its arguments. A comparison that holds for all sizes is 1, one that fails for all of them is 0.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"
#include "ops/infer.h"

namespace monograph {

// Of an int its size, of a list its elements: absent where they are not known.
struct SizeValue {
  Dim integer;
  std::optional<std::vector<AbstractValue>> items;
};

// A call in a graph, as the functions of `.size_value(...)` see it. Arguments are counted as in the schema.
class SizeCall {
 public:
  SizeCall(const Operator& op, const ir::Node& node);
  bool bound() const { return node_ || args_; }  // false where the call does not fit the schema: nothing may be asked then

  const std::vector<Dim>* sizes(size_t i) const;  // of a tensor; null where its rank is not known
  Dim integer(size_t i) const;
  std::optional<std::vector<AbstractValue>> items(size_t i) const;
  bool none(size_t i) const { return arg(i).is_none(); }
  std::optional<int64_t> literal(size_t i) const;  // a number that stands in the graph

  // f of the ints that the arguments are: absent where one is not known, or the result is no size.
  template <class F>
  SizeValue of_integers(F f) const {
    const Dim a = integer(0), b = count_ > 1 ? integer(1) : a;
    if (!a || !b) return {};
    try {
      return {.integer = f(*a, *b), .items = {}};
    } catch (const Error&) {  // right as a number of the program, though no size is known from it
      return {};
    }
  }

 private:
  ir::ArgRef arg(size_t i) const { return node_ ? node_->arg(i) : (*args_)[i]; }
  const ir::Node* node_ = nullptr;
  std::optional<ir::Args> args_;
  size_t count_;
};

// SymInt, SymInt?, SymInt[]: what stands there is read as sizes.
bool holds_sizes(ir::Type type);

// What is known of an argument of a node. The graph keeps it with the node (Graph::known_value), however many integers lie behind it.
SizeValue size_value(ir::ArgRef arg);

// What a guard of the graph says of a size: its value at every run.
std::optional<int64_t> guarded_size(const ir::Graph& graph, const Size& size);

}  // namespace monograph
