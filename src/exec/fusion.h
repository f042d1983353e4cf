// Fusion: pointwise operators one after another become one kernel. Private to src/exec.
//
// A group is a set of operators in one block that feed one last operator. Nothing outside the group uses the other operators' values. A group computes
// in one dtype, and bool. No node between its members writes memory. Values inside are rounded to their dtype, as memory would round them
// (ops/fuse.h), so the kernel has the bits of the operators one by one.
#pragma once

#include <memory>
#include <vector>

#include "exec/program.h"
#include "ir/graph.h"

namespace monograph::exec {

// The operator that a node calls; null where it calls none.
const Operator* operator_of(const ir::Node& node);

// The fusion groups of a graph whose types are inferred.
class FusionGroups {
 public:
  FusionGroups() = default;
  explicit FusionGroups(const ir::Graph& graph);
  struct Group {
    std::vector<const ir::Node*> members;  // in order; the last one's value is the group's
    DType type = DType::f32;  // the dtype that the group computes in
  };
  // The group of two or more operators that a node belongs to; null where there is none.
  const Group* find(const ir::Node* n) const;

 private:
  std::vector<int32_t> group_;  // by node id: an index into groups_, or negative
  std::vector<Group> groups_;
};

// A group as it runs.
struct Fused {
  // Where a member's argument comes from.
  struct Source {
    enum class Kind : uint8_t { Literal, Input, Member } kind = Kind::Literal;
    uint32_t index = 0;
  };
  struct Member {
    const Operator* op = nullptr;
    std::vector<IValue> literals;  // one for each argument of the schema; None where its source is an input or a member
    std::vector<Source> sources;
    DType result = DType::f32;
    uint32_t depends = 0;  // the inputs that it depends on, one bit for each
    Span span;
  };
  std::vector<Member> members;
  std::vector<DType> inputs;
  Body body;  // expanded
  Kernel kernel;
  bool compiled = false;  // where false, the members always run one by one
};
inline constexpr size_t kMaxFusedInputs = 12, kMaxFusedMembers = 32;

// Records and compiles the body; false where the machine has no code for it.
bool compile(Fused& fused);

// One launch, if the inputs fit: dense tensors of the recorded dtypes, without gradients or a capture, and no member of a smaller size than the
// result. Returns an undefined tensor otherwise; then call `run_unfused`.
Tensor run_fused(const Fused& fused, std::span<const IValue> inputs);
IValue run_unfused(const Fused& fused, std::span<const IValue> inputs);

}  // namespace monograph::exec
