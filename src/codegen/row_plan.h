// Divides a row program into loops over the row. A Reduce ends the loop that feeds it, so values are computed in phases.
#pragma once

#include <optional>
#include <vector>

#include "kernels/body.h"

namespace monograph {

struct RowPlan {
  struct Phase {
    std::vector<uint32_t> reduces;  // the Reduce instructions that this loop feeds
    std::vector<uint32_t> roots;    // the element values that it needs: operands of `reduces`, and values that are stored
    std::vector<bool> reads, writes;  // for each operand (results, then arguments): whether its elements are read or written
    size_t cost = 0;                // instructions for each element
    bool stores_outs = false;  // whether it stores the element results. Only the last phase does: arguments may be in the same memory
    bool stores_kept = false, loads_kept = false;  // whether it writes or reads the kept value
  };
  std::vector<Phase> phases;
  std::vector<bool> uniform;
  std::vector<int> level;  // for each instruction: the number of phases that must end before its value is known
  // An expensive value that two phases need. It is kept in the memory of result `kept_in`, which has the same dtype, and not computed twice.
  std::optional<uint32_t> kept;
  size_t kept_in = 0;

  // The uniform instructions that become known with this level.
  std::vector<uint32_t> uniforms_at(const Body& body, int level) const;
};

RowPlan plan_rows(const Body& body);

// For each instruction, whether the roots depend on it. The operands of `known` instructions are not followed.
std::vector<bool> backward_slice(const Body& body, const std::vector<uint32_t>& roots, const std::vector<bool>& known);

// Finds the instructions that only the rarely taken value of a rare Select (where_rare) needs. They belong to the context of that Select and run only if
// some lane takes the value.
inline constexpr uint32_t kNoContext = ~uint32_t{0};
struct RareContexts {
  std::vector<uint32_t> context;  // for each instruction: the rare Select that it belongs to, or kNoContext
  std::vector<bool> guards;  // for each instruction: whether it is a rare Select with a context
};
RareContexts rare_contexts(const Body& body, const std::vector<uint32_t>& roots, const std::vector<bool>& needed);

}  // namespace monograph
