// Files of torch.save: PyTorch's zip archives, and the older files of pickles one behind another.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/archive.h"
#include "formats/pickle/unpickler.h"

namespace monograph::pickle {

struct LoadOptions {
  // Whether tensors lie in the file's own bytes, where these are aligned and in this machine's order; otherwise they are copied.
  bool in_place = false;
  std::string encoding = "utf-8";
  bool name_all = false;  // as in Options
  std::function<bool(const GlobalBox&)> also_allowed;
  // The device of a storage that the file places at `location` ("cpu", "cuda:0"): the CPU or meta. Null: always the CPU.
  std::function<Device(const std::string& location)> device_of;
  // What takes the place of a loaded storage. Null: the storage itself.
  std::function<Ref<StorageBox>(Ref<StorageBox>)> replace;
};

struct Checkpoint {
  Unpickled content;
  bool zip = false;  // or the older format
  size_t size = 0;  // of the older format, in bytes: another one may follow in the same file
};

Checkpoint load_checkpoint(const std::string& path, const LoadOptions& options);
// `owner` keeps the bytes as long as a tensor lies in them. `where` names them in errors.
Checkpoint parse_checkpoint(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& where,
                            const LoadOptions& options);
// One pickle of an archive that has several, as those of torch.jit.save: ROOT/NAME, whose storages are ROOT/FOLDER/KEY.
Unpickled unpickle_entry(const Archive& archive, const std::string& root, const std::string& name, const std::string& folder,
                         size_t file_bytes, std::shared_ptr<const void> owner, const std::string& where, const LoadOptions& options);
// The pickle of a checkpoint, as its bytes: of an archive or an older file.
std::string pickle_of(std::span<const std::byte> bytes, const std::string& where);
bool is_zip(std::span<const std::byte> bytes);

// The tensors in a value, by their path: "model.layer.weight" where dicts hold dicts. Keys that are no strings stand as they print. An error where
// a value has more than a million parts. A tensor that stands at two paths is listed twice.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};
std::vector<NamedTensor> named_tensors(const IValue& value);

// --- writing

struct StorageRecord {
  std::string key;
  const void* data = nullptr;
  size_t bytes = 0;
};
// Writes an archive as torch.save does, whole or not at all. `root` is the name of the folder in it.
void save_checkpoint(const std::string& path, std::string_view root, std::string_view pickle, std::span<const StorageRecord> storages);
// The same to somebody else's file.
void save_checkpoint(const std::function<void(const void*, size_t)>& write, std::string_view root, std::string_view pickle,
                     std::span<const StorageRecord> storages);

}  // namespace monograph::pickle
