// torch.autocast on the CPU. In a region of it, a call casts its floating arguments as the record of its operator says. The casts are calls of `to`. They
// are made before autograd and before any capture sees the call, so gradients flow through them, and a trace records them.
#pragma once

#include "ops/dispatch.h"

namespace monograph {

// Of this thread. DispatchState::autocast says whether a region is on.
struct AutocastState {
  DType dtype = DType::bf16;
  bool cache_enabled = true;
  int nesting = 0;
};
AutocastState& autocast_state();

// Forgets the casts of weights that the regions of this thread keep.
void clear_autocast_cache();

// Sets the hook of dispatch.
void install_autocast();

}  // namespace monograph
