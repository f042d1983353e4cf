// Reads a checkpoint with the unpickler, and gives it the storages: ZipStorages reads them from entries of the archive when the pickle refers to them;
// LegacyStorages allocates them, and fills them from the data that follows the pickles.
#include "formats/pickle/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <unordered_map>

#include "core/sha256.h"
#include "formats/archive.h"
#include "formats/file.h"
#include "formats/open.h"
#include "formats/pickle/memory.h"
#include "formats/pickle/rebuild.h"

namespace monograph::pickle {
namespace {

using std::string_view_literals::operator""sv;

// Files of PyTorch before 1.6 begin with pickles of these two numbers. The first has more than 64 bits; these are its bytes, the lowest first.
constexpr std::string_view kMagic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv;
constexpr int64_t kProtocol = 1001;
// The versions of PyTorch's archives that are read.
constexpr int kLeastVersion = 1, kMostVersion = 10;
constexpr size_t kMostNames = 1'000'000, kMostNameBytes = size_t{64} << 20;

Options options_of(const LoadOptions& options, const std::string& where, MemoryLimit& memory) {
  Options out;
  out.where = where;
  out.memory = &memory;
  out.encoding = options.encoding;
  out.name_all = options.name_all, out.name_unsupported = options.name_unsupported, out.checks_text = options.checks_text;
  out.also_allowed = options.also_allowed;
  return out;
}

void swap_bytes(char* data, size_t bytes, DType dtype) {
  const auto part = static_cast<size_t>(is_complex(dtype) ? element_size(dtype) / 2 : element_size(dtype));
  for (size_t at = 0; at + part <= bytes; at += part) std::reverse(data + at, data + at + part);
}

// The storages of one file by their keys. Each is loaded once.
class Storages {
 public:
  Storages(const LoadOptions& options, std::string where, MemoryLimit& memory)
      : options_(options), where_(std::move(where)), memory_(memory) {}
  virtual ~Storages() = default;

  Ref<StorageBox> operator()(const StorageBox& wanted, const IValue& view) {
    if (const auto found = loaded_.find(wanted.key); found != loaded_.end()) return found->second;
    MONOGRAPH_CHECK(view.is_none(), NotImplemented,
                    "a storage that is a view of another, as PyTorch before 0.4 wrote it; load the file in PyTorch and save it again");
    memory_.add_copied(kStorageBytes);
    auto box = make_ref<StorageBox>();
    box->type_name = wanted.type_name, box->dtype = wanted.dtype, box->known = wanted.known, box->untyped = wanted.untyped;
    box->bytes = wanted.bytes, box->elements = wanted.elements, box->key = wanted.key, box->location = wanted.location;
    if (options_.device_of) box->device = options_.device_of(wanted.location);
    if (box->known || options_.name_unsupported) fill(*box);  // what is not built may still be written
    if (options_.replace) box = options_.replace(box);
    loaded_.emplace(wanted.key, box);
    return box;
  }

  // Checks the storages that some tensor reads as bools: each byte must be 0 or 1.
  void check_bools() const {
    for (const auto& [key, box] : loaded_) {
      if (!box->holds_bools || !box->storage) continue;
      const auto* data = reinterpret_cast<const uint8_t*>(box->storage->data());
      if (std::any_of(data, data + box->storage->bytes(), [](uint8_t byte) { return byte > 1; }))
        throw UnpicklingError(concat(where_, ": the storage ", shown(key), ": a boolean in it is neither 0 nor 1; the file is damaged"));
    }
  }

 protected:
  // Sets box.storage, unless the box is on the meta device.
  virtual void fill(StorageBox& box) = 0;
  static constexpr size_t kStorageBytes = 512;  // what a storage takes beside its data: the box, entries of maps, Python's object
  const LoadOptions& options_;
  std::string where_;
  MemoryLimit& memory_;
  std::unordered_map<std::string, Ref<StorageBox>> loaded_;
};

// --- archives

class ZipStorages : public Storages {
 public:
  ZipStorages(const Archive& archive, std::string root, std::string folder, MemoryLimit& memory, std::shared_ptr<const void> owner,
              const LoadOptions& options, const std::string& where)
      : Storages(options, where, memory), archive_(archive), root_(std::move(root)), folder_(std::move(folder)), owner_(std::move(owner)) {
    if (const auto order = record("byteorder")) {
      big_endian_ = *order == "big";
      if (!big_endian_ && *order != "little") throw UnpicklingError(concat(where, ": Unknown endianness type: ", shown(*order)));
    }
  }

  // The text of a small entry, such as "version"; nullopt if it is missing or long.
  std::optional<std::string> record(std::string_view name) const {
    const ArchiveEntry* entry = archive_.find(concat(root_, "/", name));
    if (!entry || entry->size > 1000) return std::nullopt;
    const Archive::Content content = archive_.read(*entry, false);
    return std::string(as_text(content.bytes));
  }

 private:
  void fill(StorageBox& box) override {
    const ArchiveEntry* entry = archive_.find(concat(root_, "/", folder_, "/", box.key));
    MONOGRAPH_CHECK(entry, File, "the storage ", shown(box.key), " is missing in the archive; the file is damaged");
    if (!box.known) box.bytes = static_cast<int64_t>(entry->size);  // how many bytes an element has is not known
    MONOGRAPH_CHECK(entry->size >= static_cast<uint64_t>(box.bytes), File, "the storage ", shown(box.key), " should have ", box.bytes,
                    " bytes, but its entry in the archive has ", entry->size, "; the file is damaged");
    if (box.device.type == DeviceType::Meta) return;
    MONOGRAPH_CHECK(!big_endian_ || !box.untyped, NotImplemented,
                    "an untyped storage in a file of a big-endian machine; load the file there and save its tensors");
    MONOGRAPH_CHECK(entry->method == 0 || entry->size <= memory_.left(0), File,
                    "its storages would inflate to far more than the file; write it stored (zip -0), or set the environment variable ",
                    kMemoryVariable, " to the number of bytes that it may take");
    Archive::Content content = archive_.read(*entry, false);
    const auto bytes = static_cast<size_t>(box.bytes);
    auto* data = const_cast<std::byte*>(content.bytes.data());
    const size_t alignment = box.untyped ? 16 : static_cast<size_t>(element_size(box.dtype));
    const bool aligned = reinterpret_cast<uintptr_t>(data) % alignment == 0;
    if (options_.in_place && owner_ && entry->method == 0 && aligned && !big_endian_ && bytes > 0) {
      auto* keep = new std::shared_ptr<const void>(owner_);
      box.storage = make_ref<Storage>(data, bytes, [](void* k) { delete static_cast<std::shared_ptr<const void>*>(k); }, keep);
      return;
    }
    memory_.add_copied(bytes);
    box.storage = make_ref<Storage>(bytes);
    if (bytes > 0) std::memcpy(box.storage->data(), data, bytes);
    if (big_endian_) swap_bytes(box.storage->data(), bytes, box.dtype);
  }

  const Archive& archive_;
  std::string root_, folder_;
  std::shared_ptr<const void> owner_;
  bool big_endian_ = false;
};

// The folder of the archive's entries: the one that holds data.pkl.
std::string root_of(const Archive& archive, const std::string& where, std::span<const std::byte> bytes) {
  std::optional<std::string> root;
  for (const ArchiveEntry& entry : archive.entries()) {
    const size_t slash = entry.name.find('/');
    if (slash == std::string::npos) continue;
    const std::string_view inside = std::string_view(entry.name).substr(slash + 1);
    MONOGRAPH_CHECK(
        inside != "constants.pkl", Runtime, where,
        ": the file is a TorchScript archive (of torch.jit.save), not a checkpoint of torch.save. Cannot use ``weights_only=True`` "
        "with TorchScript archives passed to ``torch.load``; in PyTorch, save torch.jit.load(FILE).state_dict() with torch.save, and load "
        "that");
    if (inside == "data.pkl" && !root) root = entry.name.substr(0, slash);
  }
  if (root) return *root;
  const FileFormat format = detect_format(bytes);
  fail(ErrorKind::File, where, ": ",
       format == FileFormat::Zip ? "the file is a zip archive without an entry data.pkl" : another_format(format),
       ". It is not a checkpoint of torch.save");
}

Checkpoint parse_zip(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& where,
                     const LoadOptions& options) {
  const Archive archive(bytes, where);
  const std::string root = root_of(archive, where, bytes);
  MemoryLimit memory(concat(where, ": data.pkl"), bytes.size());
  ZipStorages storages(archive, root, "data", memory, std::move(owner), options, where);
  if (const auto text = storages.record("version")) {
    int version = 0;
    std::from_chars(text->data(), text->data() + text->size(), version);
    MONOGRAPH_CHECK(version >= kLeastVersion && version <= kMostVersion, File, where, ": an archive of version ", shown(*text),
                    "; Monograph reads versions ", kLeastVersion, " to ", kMostVersion);
  }
  Options machine = options_of(options, where, memory);
  machine.load_storage = std::ref(static_cast<Storages&>(storages));
  const Archive::Content pickle = archive.read(*archive.find(root + "/data.pkl"), false);
  if (pickle.owner) memory.add_copied(pickle.bytes.size());
  Checkpoint out;
  out.content = unpickle(pickle.bytes, machine);
  out.zip = true;
  out.size = bytes.size();
  storages.check_bools();
  return out;
}

// --- the older format: five pickles (magic number, protocol number, facts about the machine, the object, the storages' keys), then the storages' data

class LegacyStorages : public Storages {
 public:
  LegacyStorages(size_t most_bytes, const LoadOptions& options, const std::string& where, MemoryLimit& memory)
      : Storages(options, where, memory), left_(most_bytes) {}

  // Reads the data of a storage at the beginning of `bytes`. Returns the bytes that follow it.
  std::span<const std::byte> read(const std::string& key, std::span<const std::byte> bytes) {
    int64_t count = 0;
    if (bytes.size() < sizeof count) truncated(key);
    std::memcpy(&count, bytes.data(), sizeof count);
    bytes = bytes.subspan(sizeof count);
    const auto found = loaded_.find(key);
    if (found == loaded_.end()) throw UnpicklingError(concat(where_, ": nothing uses the storage ", shown(key), "; the file is damaged"));
    const StorageBox& box = *found->second;
    int64_t size = 0;
    const bool fits = count >= 0 && !__builtin_mul_overflow(count, element_size(box.dtype), &size) && size == box.bytes;
    if (!fits && box.known)
      throw UnpicklingError(concat(where_, ": the storage ", shown(key), " should have ", box.bytes / element_size(box.dtype),
                                   " elements, but ", count, " are in the file; the file is damaged"));
    if (static_cast<uint64_t>(size) > bytes.size()) truncated(key);
    if (size > 0 && box.storage) std::memcpy(box.storage->data(), bytes.data(), std::min(static_cast<size_t>(size), box.storage->bytes()));
    read_.insert_or_assign(key, true);
    return bytes.subspan(static_cast<size_t>(size));
  }
  void check_all_read() const {
    for (const auto& [key, box] : loaded_)
      if (!read_.contains(key)) truncated(key);
  }

 private:
  void fill(StorageBox& box) override {
    MONOGRAPH_CHECK(static_cast<uint64_t>(box.bytes) <= left_, File, "the storage ", shown(box.key), " of ", box.bytes,
                    " bytes does not lie in the file; the file is truncated or damaged");
    left_ -= static_cast<uint64_t>(box.bytes);
    memory_.add_copied(static_cast<size_t>(box.bytes));
    if (box.device.type != DeviceType::Meta) box.storage = make_ref<Storage>(static_cast<size_t>(box.bytes));
  }
  [[noreturn]] void truncated(const std::string& key) const {
    throw UnpicklingError(concat(where_, ": the data of the storage ", shown(key), " is missing; the file is truncated. Copy it again"));
  }

  uint64_t left_;  // how many bytes may still be allocated: no more than the file has
  std::map<std::string, bool> read_;  // the keys whose data was read
};

// Checks the first three pickles of an older file. Returns where the pickle of its object begins.
size_t object_begin(std::span<const std::byte> bytes, const std::string& where) {
  const std::string_view text = as_text(bytes);
  MONOGRAPH_CHECK(text.size() < 262 || text.substr(257, 5) != "ustar", NotImplemented, where,
                  ": a tar file, as PyTorch before 0.2 wrote it; load it in PyTorch with weights_only=False, and save it again");
  if (const FileFormat format = detect_format(bytes);
      format != FileFormat::Unknown && format != FileFormat::Pickle && format != FileFormat::TorchCheckpoint)
    throw UnpicklingError(concat(where, ": ", another_format(format), ". It is not a checkpoint of torch.save"));
  // The first byte of a pickle of an int, in protocol 2 and later, and in older protocols.
  constexpr std::string_view kProto = "\x80", kOldest = "L";
  if (!text.empty() && text.substr(0, 1) != kProto && text.substr(0, 1) != kOldest)
    throw UnpicklingError(concat(where, ": the file begins with ", shown(text.substr(0, 8)), ", so it is not a checkpoint of torch.save"));
  Options plain;
  plain.where = where;
  const Unpickled magic = unpickle(bytes, plain);
  const auto* number = as<BigIntBox>(magic.value);
  if (!number || number->bytes != kMagic)
    throw UnpicklingError(concat(where, ": Invalid magic number; the file is not a checkpoint of torch.save, or it is damaged"));
  const Unpickled protocol = unpickle(bytes.subspan(magic.size), plain);
  if (!protocol.value.is_int() || protocol.value.to_int() != kProtocol)
    throw UnpicklingError(concat(where, ": Invalid protocol version: expected ", kProtocol, ", but got ",
                                 protocol.value.is_int() ? concat(protocol.value.to_int()) : describe(protocol.value)));
  // The facts about the machine do not matter: the data is little-endian in every such file.
  return magic.size + protocol.size + unpickle(bytes.subspan(magic.size + protocol.size), plain).size;
}

Checkpoint parse_legacy(std::span<const std::byte> bytes, const std::string& where, const LoadOptions& options) {
  const size_t begin = object_begin(bytes, where);
  MemoryLimit memory(where, bytes.size());
  LegacyStorages storages(bytes.size() - begin, options, where, memory);
  Options machine = options_of(options, where, memory);
  machine.load_storage = std::ref(static_cast<Storages&>(storages));
  Checkpoint out;
  out.content = unpickle(bytes.subspan(begin), machine);
  std::span<const std::byte> rest = bytes.subspan(begin + out.content.size);
  Options plain;
  plain.where = where;
  plain.memory = &memory;
  plain.encoding = options.encoding == "bytes" ? "utf-8" : options.encoding;
  const Unpickled keys = unpickle(rest, plain);
  if (!keys.value.is_list())
    throw UnpicklingError(concat(where, ": expected a list of the storages' keys, but got ", describe(keys.value)));
  rest = rest.subspan(keys.size);
  for (const IValue& key : keys.value.items()) {
    if (!key.is_string() && !key.is_int()) throw UnpicklingError(concat(where, ": the key of a storage is a ", describe(key)));
    rest = storages.read(key.is_int() ? concat(key.to_int()) : key.to_string(), rest);
  }
  storages.check_all_read();
  storages.check_bools();
  out.size = bytes.size() - rest.size();
  return out;
}

// --- names

// Walks a value and collects its tensors. A container that holds itself is visited once.
class TensorCollector {
 public:
  std::vector<NamedTensor> out;

  void visit(const IValue& v, const std::string& path) {
    if (++steps_ > kMostNames) fail(ErrorKind::File, "a value with more than ", kMostNames, " parts, too many to name");
    if (v.is_tensor()) return add(path, v.as_tensor());
    if (auto* tensor = as<TensorWithState>(v)) return add(path, tensor->tensor);
    if (!is_container(v) || std::find(open_.begin(), open_.end(), identity(v)) != open_.end()) return;
    open_.push_back(identity(v));
    if (const auto* items = dict_items(v)) pairs(*items, path);
    else if (v.is_list() || v.is_tuple()) list(v.items(), path);
    else if (auto* object = as<NamedObject>(v)) {
      list(object->items, path);
      pairs(object->pairs, path);
      for (const IValue& state : object->states) visit(state, path);
    }
    open_.pop_back();
  }

 private:
  void add(const std::string& path, const Tensor& t) {
    bytes_ += path.size() + 2 * sizeof(NamedTensor);  // the list may have twice the room that it needs
    if (bytes_ > kMostNameBytes) fail(ErrorKind::File, "names of tensors that take more than ", kMostNameBytes, " bytes");
    out.push_back({path, t});
  }
  static std::string inside(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : concat(path, ".", name);
  }
  void pairs(const std::vector<std::pair<IValue, IValue>>& items, const std::string& path) {
    for (const auto& [key, value] : items)
      if (is_container(value) || value.is_tensor()) visit(value, inside(path, key_text(key)));
  }
  void list(const std::vector<IValue>& items, const std::string& path) {
    for (size_t k = 0; k < items.size(); ++k)
      if (is_container(items[k]) || items[k].is_tensor()) visit(items[k], inside(path, concat(k)));
  }
  static std::string key_text(const IValue& key) {
    if (key.is_string()) return key.to_string();
    if (auto* bytes = as<BytesBox>(key)) return bytes->value;
    if (key.is_int()) return concat(key.to_int());
    if (key.is_bool()) return key.to_bool() ? "True" : "False";
    return key.is_none() ? "None" : describe(key);
  }

  std::vector<const void*> open_;  // the containers that are being visited, by pickle::identity
  size_t steps_ = 0, bytes_ = 0;  // values visited, and bytes of names written
};

void write_archive(ArchiveWriter& writer, std::string_view root, std::string_view pickle, std::span<const StorageRecord> storages) {
  const auto add = [&](std::string_view name, std::string_view content) {
    const std::span<const std::byte> piece[] = {std::as_bytes(std::span(content))};
    writer.add(concat(root, "/", name), piece);
  };
  // There is no entry ".format_version". With it, PyTorch may compute where a storage lies from the layout of its own writer.
  add("data.pkl", pickle);
  add("byteorder", "little");
  for (const StorageRecord& s : storages) {
    const std::span<const std::byte> piece[] = {{static_cast<const std::byte*>(s.data), s.bytes}};
    writer.add(concat(root, "/data/", s.key), piece);
  }
  add("version", "3\n");
  // PyTorch's archives have an id of forty digits. This one is a hash of the names and checksums of the entries before it.
  Sha256 hash;
  for (const ArchiveEntry& entry : writer.entries()) hash.update(concat(entry.name, ":", entry.crc, "\n"));
  std::string digits;
  for (uint8_t byte : hash.finish()) digits += static_cast<char>('0' + byte % 10);
  add(".data/serialization_id", digits + std::string(40 - digits.size(), '0'));
  writer.commit();
}

}  // namespace

Unpickled unpickle_entry(const Archive& archive, const std::string& root, const std::string& name, const std::string& folder,
                         MemoryLimit& memory, std::shared_ptr<const void> owner, const std::string& where, const LoadOptions& options) {
  const std::string here = concat(where, ": ", name);
  const ArchiveEntry* entry = archive.find(concat(root, "/", name));
  MONOGRAPH_CHECK(entry, File, where, ": the archive has no entry ", shown(concat(root, "/", name)), "; it is damaged");
  memory.set_where(here);
  ZipStorages storages(archive, root, folder, memory, std::move(owner), options, here);
  Options machine = options_of(options, here, memory);
  machine.load_storage = std::ref(static_cast<Storages&>(storages));
  const Archive::Content pickle = archive.read(*entry, true);
  if (pickle.owner) memory.add_copied(pickle.bytes.size());
  Unpickled out = unpickle(pickle.bytes, machine);
  storages.check_bools();
  return out;
}

Checkpoint parse_checkpoint(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& where,
                            const LoadOptions& options) {
  MONOGRAPH_CHECK(!bytes.empty(), File, where, ": the file is empty; expected a checkpoint of torch.save");
  return is_zip(bytes) ? parse_zip(bytes, std::move(owner), where, options) : parse_legacy(bytes, where, options);
}

Checkpoint load_checkpoint(const std::string& path, const LoadOptions& options) {
  auto file = std::make_shared<MappedFile>(path);
  const std::span<const std::byte> bytes(file->data(), file->size());
  return parse_checkpoint(bytes, std::move(file), path, options);
}

std::string pickle_of(std::span<const std::byte> bytes, const std::string& where) {
  if (!is_zip(bytes)) return std::string(as_text(bytes.subspan(object_begin(bytes, where))));
  const Archive archive(bytes, where);
  const ArchiveEntry* entry = archive.find(root_of(archive, where, bytes) + "/data.pkl");
  const Archive::Content content = archive.read(*entry, false);
  return std::string(as_text(content.bytes));
}

std::vector<NamedTensor> named_tensors(const IValue& value) {
  TensorCollector collector;
  collector.visit(value, "");
  return std::move(collector.out);
}

void save_checkpoint(const std::string& path, std::string_view root, std::string_view pickle, std::span<const StorageRecord> storages) {
  ArchiveWriter writer(path);
  write_archive(writer, root, pickle, storages);
}

void save_checkpoint(const std::function<void(const void*, size_t)>& write, std::string_view root, std::string_view pickle,
                     std::span<const StorageRecord> storages) {
  ArchiveWriter writer(write);
  write_archive(writer, root, pickle, storages);
}

}  // namespace monograph::pickle
