// The types of a graph's calls, inferred once for equal calls: a network calls an operator many times with the same literals on arguments of the same types.
#pragma once

#include <array>
#include <unordered_map>

#include "core/dtype.h"
#include "ir/graph.h"

namespace monograph {

// For the nodes of one graph, which lives longer.
class InferMemo {
 public:
  // node.info()->infer(node)
  ir::Type infer(const ir::Node& node);
  // The type of a call that infer has seen, so its arguments fit the schema; null for one that is new.
  const ir::Type* find(const ir::Node& node) const;

 private:
  // All that the types depend on, for calls whose inputs are tensors: of other values more is known than their types.
  struct TypedCall {
    const ir::OpInfo* op = nullptr;
    const ir::Skeleton* skeleton = nullptr;
    size_t guards = 0;  // which say that sizes are equal
    DType default_dtype = DType::f32;
    std::array<ir::Type, 6> inputs{};
    bool operator==(const TypedCall&) const = default;
  };
  struct Hash {
    size_t operator()(const TypedCall& c) const;
  };
  static bool describe(const ir::Node& node, TypedCall& call);  // false where inputs are no tensors, or too many
  std::unordered_map<TypedCall, ir::Type, Hash> known_;
};

}  // namespace monograph
