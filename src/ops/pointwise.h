// How pointwise operators run eagerly, and what they share with the other families.
#pragma once

#include "ops/kernel_families.h"
#include "ops/record.h"

namespace monograph {

// The evaluations of the three forms of a pointwise record.
void eval_pointwise(const Operator& op, const IValue* args, IValue* results);
void eval_pointwise_inplace(const Operator& op, const IValue* args, IValue* results);
void eval_pointwise_out(const Operator& op, const IValue* args, IValue* results);
// Whether an out= form computes in the dtype of the out= tensor, if the call states no dtype=. `elements` is the dtype of argument 0, if it is known.
bool computes_in_out_dtype(const Operator& op, std::optional<DType> elements, DType out);
// Error unless an out= tensor of dtype `out` takes results of dtype `result`.
void check_out_dtype(const Operator& op, DType result, DType out);
// The evaluation of the in-place or out= form of any other operator: calls the functional form and copies its results to the arguments that are written.
void eval_composite_form(const Operator& op, const IValue* args, IValue* results);
// That of the out= form of an operator that returns a list of tensors.
void eval_list_out(const Operator& op, const IValue* args, IValue* results);
// The same, but the functional form gets `functional_args`: values that an in-place form is about to overwrite may differ from the arguments.
void write_composite(const Operator& op, const IValue* args, const IValue* functional_args, IValue* results);
// The second half of it: writes the results of the functional form to the arguments that are written.
void write_computed(const Operator& op, const IValue* args, const IValue* computed, IValue* results);

// The dtype that this call computes in. Error if the operator does not support it.
DType pointwise_compute_dtype(const Operator& op, const IValue* args);
DType pointwise_compute_dtype(const Operator& op, DType promoted);  // from the promoted dtype of its operands

// The overload of `op` that takes a number in place of the second tensor and does not round it to a 16-bit dtype. Null if there is none.
const Operator* number_overload(const Operator& op);

// The type of the result on a graph; a call makes its result in the layout of its operands (eval_pointwise).
void pointwise_rule(RuleCall& call);

// PyTorch's broadcast of two sizes; Error in its words.
Dims broadcast_sizes(std::span<const int64_t> a, std::span<const int64_t> b, std::string_view op);

// A number converted as an element of dtype t is: for an integral dtype a float is truncated, and a complex number whose imaginary part is 0 becomes real.
// Error in PyTorch's words if t cannot hold the number.
IValue number_in(std::string_view op, const IValue& number, DType t);

// Copies between tensors; src broadcasts to the sizes of dst, and is converted if the dtypes differ. No autograd, and no version is counted.
void copy_into(const Tensor& dst, const Tensor& src);
// The elements of argument 0 in the result's dtype and layout.
KernelStatus convert_kernel(KernelCall& call);
// The elements of argument 1, broadcast, in the result's dtype and layout.
KernelStatus copy_kernel(KernelCall& call);
// Error if an argument overlaps the memory of `out` in another order or at another place: what is read would depend on what was written before. As in PyTorch,
// tensors with gaps are not checked.
void check_no_partial_overlap(std::string_view op, const Tensor& out, const Tensor& argument);
// The same, and an error too if both are the same tensor.
void check_no_overlap(std::string_view op, const Tensor& out, const Tensor& argument);
// Checks all arguments of an in-place or out= form that writes argument `place`. An operator with an index reads or writes in another order, so no other tensor
// may share memory with the written one; argument 0 may be the written tensor itself if the operator has an in-place form.
void check_overlaps(const Operator& form, const IValue* args, size_t place);
Tensor copy_tensor(const Tensor& src);  // a contiguous copy
Tensor convert_tensor(const Tensor& src, DType dtype);  // a copy in the same layout
Tensor contiguous(const Tensor& src);  // src itself if it is contiguous, else a contiguous copy

// Runs a pointwise kernel over values (tensors of dtype `compute`, numbers) broadcast to `sizes`; the result has dtype `compute`.
Tensor launch_body(const Kernel& kernel, std::span<const IValue> values, std::span<const int64_t> sizes, DType compute);

// The kernels that conversions use, for tools/kernelgen.
std::vector<KernelFamily::Member> conversion_members();

// Error if a result of this dtype cannot be written to `out`.
void check_destination(const Operator& op, const Tensor& out, DType result);
// Gives an out= argument (the last one, or the one at `place`) the sizes of the result. If its sizes change, it gets these strides too; error (Runtime) if an
// argument that is read is the same tensor.
void resize_output(const Operator& op, const IValue* args, std::span<const int64_t> sizes, std::span<const int64_t> strides);
void resize_output(const Operator& op, const IValue* args, size_t place, std::span<const int64_t> sizes, std::span<const int64_t> strides);

}  // namespace monograph
