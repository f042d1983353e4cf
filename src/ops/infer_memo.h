// Keeps the types that were inferred for the calls of a graph. A network calls an operator many times with the same literals and with arguments of the same
// types; their result types are inferred once.
#pragma once

#include <array>
#include <unordered_map>

#include "core/dtype.h"
#include "ir/graph.h"

namespace monograph {

// For the nodes of one graph, which must outlive it.
class InferMemo {
 public:
  // node.info()->infer(node)
  ir::Type infer(const ir::Node& node);
  // The type of a call that infer() has seen; null for any other call. A call that was seen fits its schema.
  const ir::Type* find(const ir::Node& node) const;

 private:
  // Everything that the result types depend on, for calls whose inputs are tensors. For other inputs they depend on more than the types.
  struct TypedCall {
    const ir::OpInfo* op = nullptr;
    const ir::Skeleton* skeleton = nullptr;
    size_t guards = 0;  // how many guards the graph has: a new one may say that two sizes are equal
    DType default_dtype = DType::f32;
    std::array<ir::Type, 6> inputs{};
    bool operator==(const TypedCall&) const = default;
  };
  struct Hash {
    size_t operator()(const TypedCall& c) const;
  };
  static bool describe(const ir::Node& node, TypedCall& call);  // false if an input is no tensor, or if there are too many
  std::unordered_map<TypedCall, ir::Type, Hash> known_;
};

}  // namespace monograph
