// The values of a graph's ints and lists of ints in terms of symbolic sizes: `x.shape[0] * 2` is 2*s0. The record of an operator that computes such a number
// states its value (`.size_value(...)`), and reads the values of the arguments for that. A comparison that holds for all sizes has the value 1, one that fails
// for all sizes has the value 0.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"
#include "ops/infer.h"

namespace monograph {

// The value of an int (`integer`) or of a list (`items`). Absent if it is not known.
struct SizeValue {
  Dim integer;
  std::optional<std::vector<AbstractValue>> items;
};

// A call in a graph, for the functions of `.size_value(...)`. Arguments are numbered as in the schema.
class SizeCall {
 public:
  SizeCall(const Operator& op, const ir::Node& node);
  bool bound() const { return node_ || args_; }  // false if the call does not fit the schema; then no argument may be read

  const std::vector<Dim>* sizes(size_t i) const;  // of a tensor; null if its rank is not known
  Dim integer(size_t i) const;
  std::optional<std::vector<AbstractValue>> items(size_t i) const;
  bool none(size_t i) const { return arg(i).is_none(); }
  std::optional<int64_t> literal(size_t i) const;  // an int that is written in the graph

  // f of the first argument, or of the first two. Absent if one is not known, or if f raises an error, as on overflow.
  template <class F>
  SizeValue of_integers(F f) const {
    const Dim a = integer(0), b = count_ > 1 ? integer(1) : a;
    if (!a || !b) return {};
    try {
      return {.integer = f(*a, *b), .items = {}};
    } catch (const Error&) {  // the program may compute this number, but it is no valid size
      return {};
    }
  }

 private:
  ir::ArgRef arg(size_t i) const { return node_ ? node_->arg(i) : (*args_)[i]; }
  const ir::Node* node_ = nullptr;
  std::optional<ir::Args> args_;
  size_t count_;
};

// Whether arguments of this type are sizes: SymInt, SymInt?, SymInt[], and the same with int.
bool holds_sizes(ir::Type type);

// The value of an argument of a node. The graph keeps the values of its nodes (Graph::known_value), so a long chain of ints is computed once.
SizeValue size_value(ir::ArgRef arg);

// The number that a size is at every run, because a guard of the graph says so. Absent if no guard does.
std::optional<int64_t> guarded_size(const ir::Graph& graph, const Size& size);

}  // namespace monograph
