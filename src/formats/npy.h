// NumPy's .npy files: one array, its dtype and shape in a short header, then its elements.
//
// Reading trusts nothing: the header is scanned as the literal that it is (never evaluated), every size is checked against the file before it
// is used, and arrays of Python objects are refused. Elements in this machine's byte order stay in the mapped file; writes to them never reach it.
#pragma once

#include <string>
#include <string_view>

#include "core/tensor.h"

namespace monograph {

// Longer headers are refused; those of plain arrays have about a hundred bytes.
inline constexpr size_t kMaxNpyHeader = 65536;

// Versions 1 to 3, either byte order, C or Fortran order (the strides tell). Errors are of ErrorKind::File and name the file and what is wrong.
Tensor load_npy(const std::string& path);
// The same over bytes in memory, copied; `where` names them in errors.
Tensor parse_npy(const void* data, size_t size, std::string_view where);
bool is_npy(const void* data, size_t size);

// Writes the file whole or not at all (AtomicFile), in version 1. Error (Type) for bfloat16, which NumPy does not have.
void save_npy(const std::string& path, const Tensor& tensor);

}  // namespace monograph
