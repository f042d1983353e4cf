// If and Loop of a symbolic capture whose values may be numbers, of conditions and counts that the graph computes.
//
// cond and while_loop (capture.h) take tensors. These two stand behind branches and loops that torch.fx has recorded, where a value may be a number, or may
// be absent in one of the ways.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "capture/writer.h"

namespace monograph::capture {

// `truth` is a bool that the graph computes. Both ways give as many values; None is a value that nobody reads behind that way.
using ValueBranch = std::function<std::vector<IValue>()>;
std::vector<IValue> branch_of_values(Session& session, const IValue& truth, const ValueBranch& then, const ValueBranch& otherwise);

// Runs `count` times at most, as long as `again` holds. A value that begins as None is set by the body and read behind the loop only. The body runs again
// if a value gets a wider type, so it must do the same each time.
struct RoundOfValues {
  IValue again;
  std::vector<IValue> values;
};
using ValueBody = std::function<RoundOfValues(const IValue& index, const std::vector<IValue>& values)>;
std::vector<IValue> loop_of_values(Session& session, const IValue& count, const IValue& again, const std::vector<IValue>& initial,
                                   const ValueBody& body);

}  // namespace monograph::capture
