// Fills a KernelCall from values and turns the kernel's status into an error.
#include "ops/kernel_call.h"

#include <array>
#include <vector>

namespace monograph {

KernelTensor kernel_tensor(const Tensor& t) {
  alignas(64) static char nothing[64];  // where a tensor without elements begins: null would say that there is no tensor
  char* data = t.data();
  return {data ? data : nothing, t.sizes().data(), t.strides().data(), static_cast<int32_t>(t.dim()), t.dtype()};
}

KernelStatus run_kernel(StructuredKernel kernel, KernelCall& call, std::initializer_list<IValue> args,
                        std::initializer_list<Tensor> results, int64_t scratch_bytes) {
  constexpr size_t kMaxArgs = 8, kMaxResults = 4;
  MONOGRAPH_ASSERT(args.size() <= kMaxArgs && results.size() <= kMaxResults);
  std::array<KernelArg, kMaxArgs> given;
  std::array<KernelTensor, kMaxResults> made;
  std::vector<KernelTensor> items;
  for (size_t i = 0; i < args.size(); ++i) {
    const IValue& v = args.begin()[i];
    KernelArg& a = given[i];
    using Kind = KernelArg::Kind;
    if (v.is_tensor()) a.kind = Kind::Tensor, a.tensor = kernel_tensor(v.as_tensor());
    else if (v.is_bool()) a.kind = Kind::Bool, a.boolean = v.to_bool();
    else if (v.is_int()) a.kind = Kind::Int, a.integer = v.to_int();
    else if (v.is_ints()) a.kind = Kind::Ints, a.ints = {v.to_ints().data(), v.to_ints().size()};
    else if (v.is_list()) {
      MONOGRAPH_ASSERT(items.empty());
      for (const IValue& item : v.items()) items.push_back(item.is_none() ? KernelTensor{} : kernel_tensor(item.as_tensor()));
      a.kind = Kind::Tensors, a.tensors = {items.data(), items.size()};
    }
  }
  for (size_t i = 0; i < results.size(); ++i) made[i] = kernel_tensor(results.begin()[i]);
  Tensor scratch;  // large blocks are kept between calls
  if (scratch_bytes > 0) scratch = empty({scratch_bytes}, DType::u8);
  call.args = given.data(), call.arg_count = args.size();
  call.results = made.data(), call.result_count = results.size();
  call.scratch = scratch.defined() ? scratch.data() : nullptr;
  return kernel(call);
}

}  // namespace monograph
