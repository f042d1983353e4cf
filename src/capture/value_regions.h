// Makes an If or Loop in a symbolic capture. The values may be numbers; the condition or count is a value of the graph.
//
// cond and while_loop (capture.h) take tensors only. These two functions are for branches and loops recorded by torch.fx, where a value may be a number, or may
// be missing in one of the branches.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "capture/writer.h"

namespace monograph::capture {

// `truth` is a bool that the graph computes. Both branches return the same number of values; None stands for a value that nobody reads after that branch.
using ValueBranch = std::function<std::vector<IValue>()>;
std::vector<IValue> branch_of_values(Session& session, const IValue& truth, const ValueBranch& then, const ValueBranch& otherwise);

// Runs `count` times at most, as long as `again` holds. A value that begins as None is set by the body and read only after the loop. The body runs again if a
// value gets a wider type, so it must do the same each time.
struct RoundOfValues {
  IValue again;
  std::vector<IValue> values;
};
using ValueBody = std::function<RoundOfValues(const IValue& index, const std::vector<IValue>& values)>;
std::vector<IValue> loop_of_values(Session& session, const IValue& count, const IValue& again, const std::vector<IValue>& initial,
                                   const ValueBody& body);

}  // namespace monograph::capture
