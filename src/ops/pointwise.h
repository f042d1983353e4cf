// How pointwise operators run eagerly, and what they share with the other families.
#pragma once

#include "ops/kernel_families.h"
#include "ops/record.h"

namespace monograph {

// EvalFns of the three forms of a pointwise record.
void eval_pointwise(const Operator& op, const IValue* args, IValue* results);
void eval_pointwise_inplace(const Operator& op, const IValue* args, IValue* results);
void eval_pointwise_out(const Operator& op, const IValue* args, IValue* results);
// The in-place or out= form of an operator that is made of others: its functional form, copied to where it is wanted.
// Error unless an out= tensor of this dtype takes a result of that.
// Whether an out= form of which the call states no dtype= computes in the dtype of out=; of elements of this dtype, where they are known.
bool dtype_is_outs(const Operator& op, std::optional<DType> elements, DType out);
void check_out_dtype(const Operator& op, DType result, DType out);
void eval_composite_form(const Operator& op, const IValue* args, IValue* results);
// The same, computed from `functional_args` where that differs from the arguments: from what an in-place form is about to overwrite.
void write_composite(const Operator& op, const IValue* args, const IValue* functional_args, IValue* results);
// Its second half: writes what the functional form has computed to where it is wanted.
void write_computed(const Operator& op, const IValue* args, const IValue* computed, IValue* results);

// The dtype that this call computes in; Error where the operator has none such.
DType pointwise_compute_dtype(const Operator& op, const IValue* args);
DType pointwise_compute_dtype(const Operator& op, DType promoted);  // from the promoted dtype of its operands

// The overload that takes a number where `op` takes a second tensor, and does not round it beside 16 bits; null where there is none.
const Operator* number_overload(const Operator& op);

// The type of the result on a graph; a call makes its result in the layout of its operands (eval_pointwise).
void pointwise_rule(RuleCall& call);

// PyTorch's broadcast of two sizes; Error in its words.
Dims broadcast_sizes(std::span<const int64_t> a, std::span<const int64_t> b, std::string_view op);

// A number as an element of dtype t is made of it: a float among integers is truncated, a complex number without an imaginary part is its real
// one. Error in PyTorch's words where t cannot hold it.
IValue number_in(std::string_view op, const IValue& number, DType t);

// Copies between tensors, converting where dtypes differ; dst may not be broadcast. Without autograd, without counting a write.
void copy_into(const Tensor& dst, const Tensor& src);
// The elements of argument 0 in the result's dtype and layout.
KernelStatus convert_kernel(KernelCall& call);
// The elements of argument 1, broadcast, in the result's dtype and layout.
KernelStatus copy_kernel(KernelCall& call);
// Refuses an argument that shows part of what `out` shows, in another order or place: what is read would depend on what was written before. As
// in PyTorch tensors with gaps are not judged.
void check_no_partial_overlap(std::string_view op, const Tensor& out, const Tensor& argument);
// The same, also where they are one tensor.
void check_no_overlap(std::string_view op, const Tensor& out, const Tensor& argument);
// Both for all arguments of an in-place or out= form whose argument `place` is written: of an operator with an index, which reads or writes in
// another order, no other tensor may share its memory. Argument 0 may be the written tensor itself where the operator has an in-place form.
void check_overlaps(const Operator& form, const IValue* args, size_t place);
Tensor copy_tensor(const Tensor& src);  // a contiguous copy
Tensor convert_tensor(const Tensor& src, DType dtype);  // a copy in the same layout
Tensor contiguous(const Tensor& src);  // src itself where it is contiguous

// Runs a pointwise kernel over values (tensors of dtype `compute`, numbers) broadcast to `sizes`; the result has dtype `compute`.
Tensor launch_body(const Kernel& kernel, std::span<const IValue> values, std::span<const int64_t> sizes, DType compute);

// The kernels that conversions use, for tools/kernelgen.
std::vector<KernelFamily::Member> conversion_members();

// Error where a result of this dtype cannot be written to `out`.
void check_destination(const Operator& op, const Tensor& out, DType result);
// Gives an out= argument of a call, the last or the one at `place`, the result's size and, where it had another size, its strides. Error (Runtime) where an argument that is read is
// the same tensor.
void resize_output(const Operator& op, const IValue* args, std::span<const int64_t> sizes, std::span<const int64_t> strides);
void resize_output(const Operator& op, const IValue* args, size_t place, std::span<const int64_t> sizes, std::span<const int64_t> strides);

}  // namespace monograph
