// Storages that a program makes smaller than their tensors need. The tensors keep their sizes, and are of use again when the storage has grown.
#pragma once

#include <atomic>

#include "core/tensor.h"

namespace monograph {

// Gives the storage this many bytes. What it gives up stays mapped, so that a stray read finds zeros or old values; the pages of a large part go back to the system.
// Error (Runtime) where somebody else holds its address.
void resize_by_program(Storage& storage, size_t bytes);

// Whether a program made any storage smaller. From then on calls ask whether the elements of their arguments are there.
extern std::atomic<bool> any_shrunk;
// Whether the storage holds all elements of the tensor.
bool holds_elements(const Tensor& t);

}  // namespace monograph
