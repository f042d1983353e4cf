// The history of views: a write through a view gives its base a new history, and a write to a base gives its views new ones.
#pragma once

#include "autograd/engine.h"

namespace monograph {

// Brings a view's history up to date with writes to its base. Error (Runtime) in PyTorch's words where the view is one of several of one call.
void refresh_view(const Tensor& t);
// Error (Runtime) in PyTorch's words where autograd forbids that the operator writes to `self`.
void check_in_place(const Operator& op, const Tensor& self);

}  // namespace monograph
