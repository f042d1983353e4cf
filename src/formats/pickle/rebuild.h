// The functions and classes that PyTorch's pickles name, as far as weights need them.
#pragma once

#include <string>
#include <string_view>

#include "formats/pickle/values.h"

namespace monograph::pickle {

enum class Known : uint8_t {
  No,  // not on the allow-list
  Name,  // allowed, and a name until something is done with it
  DTypeName,  // torch.float32; also dtypes that Monograph lacks
  StorageType,
  OrderedDict,
  Counter,
  Parameter,
  TensorClass,
  Size,
  Device,
  Layout,
  Encode,
  ByteArray,
  Set,
  Complex,
  Tensor1,  // torch._utils._rebuild_tensor
  Tensor2,
  Tensor3,
  RebuildParameter,
  RebuildParameterWithState,
  RebuildMeta,
  FromType,  // torch._tensor._rebuild_from_type_v2
  Unsupported,  // a rebuild function of tensors that Monograph does not have
};
Known known(std::string_view full_name);

// What a call of an allowed name makes. Error says what does not fit: the caller adds the file. `budget` bytes may be copied; less are left afterwards.
IValue call(Known function, const GlobalBox& name, const IValue& args, size_t& budget);
// The value of a name alone: a dtype, or the name.
IValue value_of(Known k, const Ref<GlobalBox>& name);
// A tensor of this layout over a storage; Error where it does not lie in it.
Tensor tensor_over(StorageBox& storage, DType dtype, const Dims& sizes, const Dims& strides, int64_t offset);
// The storage that a persistent id asks for: ("storage", type, key, location, number of elements).
Ref<StorageBox> wanted_storage(const IValue& id);

// "FloatStorage", as PyTorch names the storages of a dtype; "" where it has no name for them.
std::string_view storage_name(DType dtype);

}  // namespace monograph::pickle
