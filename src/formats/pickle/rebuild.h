// The functions and classes that a checkpoint may name, and what calling them makes. They are done in C++; no Python runs.
#pragma once

#include <string>
#include <string_view>

#include "formats/pickle/values.h"

namespace monograph::pickle {

// What a name on the allow-list stands for.
enum class Allowed : uint8_t {
  No,  // not on the allow-list
  Name,  // allowed as a value, but not to be called
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
  Unsupported,  // rebuilds a kind of tensor that Monograph does not have
};
// Looks up a name, such as "torch._utils._rebuild_tensor_v2", on the allow-list.
Allowed allowed(std::string_view full_name);

// Calls an allowed function or class. `args` is a tuple. `budget` is the number of bytes that calls may still copy; the call subtracts its own. Error
// (File or NotImplemented) says what does not fit; it does not name the file.
IValue call(Allowed function, const GlobalBox& name, const IValue& args, size_t& budget);
// The value of a name that is not called: a dtype for "torch.float32", else the name itself.
IValue value_of(Allowed k, const Ref<GlobalBox>& name);
// A tensor over a storage. Sizes, strides and offset count elements. Error (File) if it does not lie within the storage.
Tensor tensor_over(StorageBox& storage, DType dtype, const Dims& sizes, const Dims& strides, int64_t offset);
// Reads a persistent id, ("storage", type, key, location, number of elements), into a box without memory. Error (File) for any other value.
Ref<StorageBox> wanted_storage(const IValue& id);

// PyTorch's name for storages of a dtype, such as "FloatStorage".
std::string storage_name(DType dtype);
// Whether an archive of torch.jit.save may have this name as the type of a storage. It names a type for every dtype, which checkpoints do not.
bool is_script_storage(const GlobalBox& name);

}  // namespace monograph::pickle
