// Elements of dtypes that are for storage only (core/dtype.h): their conversion to and from a dtype that operators compute in.
#pragma once

#include "kernels/call.h"

namespace monograph {

// The dtypes that a conversion passes through: elements of `from` are widened to `read`, converted to `written`, and narrowed to `to`. Both are dtypes that
// operators compute in. That of a storage-only dtype holds each of its elements: int32 for uint16, int64 for uint32, float32 for the 8-bit floats,
// complex64 for complex32. uint64 goes through int64, as bits, beside integers and bool, and through a float beside floats.
struct PassingDTypes {
  DType read, written;
};
PassingDTypes passing_dtypes(DType from, DType to);

// Writes n elements of `t`, `step` bytes apart, without gaps in the passing dtype.
void widen_elements(DType t, DType passing, const char* from, int64_t step, int64_t n, char* to);
// The reverse: floats round to nearest even, integers keep their low bits.
void narrow_elements(DType t, DType passing, const char* from, char* to, int64_t step, int64_t n);

// The dtype of as many bytes that operators compute in: what a kernel that only moves elements is told instead of `t`.
DType dtype_of_bits(DType t);

// The number as an element of the storage-only dtype `t`, written to `to`.
void write_element(DType t, const KernelArg& number, char* to);

}  // namespace monograph
