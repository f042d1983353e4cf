// Reads and writes NumPy's .npy files: one array, with its dtype and shape in a short header before its elements.
//
// The reader trusts nothing in the file. The header is scanned, never evaluated. Every size is checked against the size of the file before it is
// used. Arrays of Python objects are refused. Elements in this machine's byte order stay in the mapped file; writes to them never reach the file.
#pragma once

#include <string>
#include <string_view>

#include "core/tensor.h"

namespace monograph {

// The longest header in bytes that is read. The header of a plain array has about a hundred.
inline constexpr size_t kMaxNpyHeader = 65536;

// Reads versions 1 to 3, either byte order, C or Fortran order (which decides the strides). Error (File) names the file and what is wrong.
Tensor load_npy(const std::string& path);
// The same for bytes in memory, which are copied; `where` names them in errors.
Tensor parse_npy(const void* data, size_t size, std::string_view where);
// Whether the bytes begin as a .npy file does.
bool is_npy(const void* data, size_t size);

// Writes the file whole or not at all (AtomicFile), in version 1. Error (Type) for bfloat16, which NumPy does not have, and for a meta tensor.
// Error (Value) for a shape of so many dims that the header cannot hold it. Error (File) if the file cannot be written.
void save_npy(const std::string& path, const Tensor& tensor);

}  // namespace monograph
