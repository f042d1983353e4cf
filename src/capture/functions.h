// Results of a torch.autograd.Function in a capture.
#pragma once

#include "autograd/custom.h"
#include "capture/writer.h"

namespace monograph::capture {

// Sets function_result_hook: a result becomes the node prim::function_result, whose gradient is what the function's backward computes. Where backward cannot be
// recorded, the node has the reason, and its gradient is an error.
void install_function_hooks();

}  // namespace monograph::capture
