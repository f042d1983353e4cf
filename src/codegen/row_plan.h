// Divides a row program into loops over the row. A Reduce ends the loop that feeds it, so values are computed in phases.
#pragma once

#include <optional>
#include <vector>

#include "kernels/body.h"

namespace monograph {

struct RowPlan {
  struct Phase {
    std::vector<uint32_t> reduces;  // the Reduce instructions that this loop feeds
    std::vector<uint32_t> roots;    // the element values that it needs: what those fold, what is stored
    std::vector<bool> reads, writes;  // of each operand (results, then arguments), element by element
    size_t cost = 0;                // instructions an element
    bool stores_outs = false;       // all element results are stored in the last phase: until then arguments may lie in the same memory
    bool stores_kept = false, loads_kept = false;
  };
  std::vector<Phase> phases;
  std::vector<bool> uniform;
  std::vector<int> level;         // the number of phases that come before an instruction's value
  // An expensive value of two phases is kept in the memory of the result kept_in, whose dtype it has, instead of being computed twice.
  std::optional<uint32_t> kept;
  size_t kept_in = 0;

  // The uniform instructions that become known with this level.
  std::vector<uint32_t> uniforms_at(const Body& body, int level) const;
};

RowPlan plan_rows(const Body& body);

// Which instructions the roots need, not looking behind those that are known.
std::vector<bool> backward_slice(const Body& body, const std::vector<uint32_t>& roots, const std::vector<bool>& known);

// Where rarely needed instructions go: those that only the seldom taken value of one rare Select needs belong to that Select's context.
inline constexpr uint32_t kNoContext = ~uint32_t{0};
struct RareContexts {
  std::vector<uint32_t> context;  // of each instruction: the rare Select that it waits for, or kNoContext
  std::vector<bool> guards;       // whether some instruction waits for this Select
};
RareContexts rare_contexts(const Body& body, const std::vector<uint32_t>& roots, const std::vector<bool>& needed);

}  // namespace monograph
