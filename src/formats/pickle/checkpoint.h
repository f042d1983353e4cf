// Reads and writes files of torch.save. PyTorch 1.6 and later write zip archives; older versions wrote several pickles one after another.
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
  // Whether tensors may use the file's bytes in place. Bytes that are not aligned, or not in this machine's byte order, are copied in any case.
  bool in_place = false;
  // These five are the ones of Options (unpickler.h).
  std::string encoding = "utf-8";
  bool name_all = false, name_unsupported = false, checks_text = false;
  std::function<bool(const GlobalBox&)> also_allowed;
  // Returns the device, CPU or meta, for a storage that the file places at `location` ("cpu", "cuda:0"). Null: always the CPU.
  std::function<Device(const std::string& location)> device_of;
  // Returns the storage to use in place of a loaded one. Null: the loaded one itself.
  std::function<Ref<StorageBox>(Ref<StorageBox>)> replace;
};

struct Checkpoint {
  Unpickled content;
  bool zip = false;  // whether it is a zip archive; else it is in the older format
  size_t size = 0;  // its size in bytes; in the older format another checkpoint may follow in the same file
};

// Reads a file of torch.save. Throws UnpicklingError for a damaged file or a name that is not allowed, Error (File) for a file that cannot be opened
// or a damaged archive, Error (NotImplemented) for what Monograph lacks, Error (Runtime) for an archive of torch.jit.save. Each names the file.
Checkpoint load_checkpoint(const std::string& path, const LoadOptions& options);
// The same for bytes in memory. `owner` keeps them as long as a tensor lies in them; `where` names them in errors.
Checkpoint parse_checkpoint(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& where,
                            const LoadOptions& options);
// Reads one pickle of an archive that has several, as torch.jit.save writes: the entry ROOT/NAME, whose storages are the entries ROOT/FOLDER/KEY. `memory`
// is the limit for the whole archive.
Unpickled unpickle_entry(const Archive& archive, const std::string& root, const std::string& name, const std::string& folder,
                         MemoryLimit& memory, std::shared_ptr<const void> owner, const std::string& where, const LoadOptions& options);
// The bytes of a checkpoint's pickle, in either format.
std::string pickle_of(std::span<const std::byte> bytes, const std::string& where);

// Lists the tensors in a value with their paths: "model.layer.weight" if dicts hold dicts. A key that is not a string is printed as Python prints it.
// A tensor at two paths is listed twice. Error (File) if the value has more than a million parts.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};
std::vector<NamedTensor> named_tensors(const IValue& value);

// --- writing

struct StorageRecord {
  std::string key;  // the name by which the pickle refers to it
  const void* data = nullptr;
  size_t bytes = 0;
};
// Writes an archive as torch.save does, whole or not at all (AtomicFile). `root` is the name of the folder in the archive. Error (File) if the file
// cannot be written.
void save_checkpoint(const std::string& path, std::string_view root, std::string_view pickle, std::span<const StorageRecord> storages);
// The same, but gives the bytes to `write` in order.
void save_checkpoint(const std::function<void(const void*, size_t)>& write, std::string_view root, std::string_view pickle,
                     std::span<const StorageRecord> storages);

}  // namespace monograph::pickle
