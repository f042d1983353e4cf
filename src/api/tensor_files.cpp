// Files of tensors as libtorch writes them, and values as the bytes of a file of torch.save.
#include <fstream>
#include <istream>
#include <iterator>
#include <ostream>

#include "api/script_access.h"
#include "formats/archive.h"
#include "formats/open.h"
#include "formats/pickle/checkpoint.h"
#include "formats/pickle/values.h"
#include "formats/torchscript/pickler.h"
#include "monograph/nn_module.h"

MONOGRAPH_API_BEGIN

namespace {

using CoreValue = monograph::IValue;

// libtorch's archive of a list: a module without methods, whose tensors are named by their indices.
jit::Module list_module(const std::vector<Tensor>& tensors) {
  jit::Module out("Module");
  for (size_t k = 0; k < tensors.size(); ++k) {
    if (!tensors[k].defined()) throw ValueError("save: the tensor " + std::to_string(k) + " was not assigned yet");
    out.register_parameter(std::to_string(k), tensors[k], false);
  }
  return out;
}

std::vector<Tensor> tensors_of(const jit::Module& module) {
  std::vector<Tensor> out;
  for (std::string name = "0"; module.hasattr(name); name = std::to_string(out.size())) out.push_back(module.attr(name).toTensor());
  return out;
}

template <class Source>
std::vector<Tensor> tensors_in(Source& in, std::optional<Device> device) {
  const jit::Module module = jit::load(in, device);
  const std::vector<Tensor> out = tensors_of(module);
  if (out.empty())
    throw RuntimeError(
        "load: expected a file of save(tensor, file), but got an archive of another module. jit::load reads it; load_tensors reads a file "
        "of Python's torch.save");
  return out;
}

Tensor first(const std::vector<Tensor>& tensors) {
  if (tensors.size() != 1)
    throw RuntimeError("load: expected a file of one tensor, but it has " + std::to_string(tensors.size()) +
                       "; load it into a std::vector<Tensor>");
  return tensors[0];
}

// The value without the classes of pickle: an OrderedDict is a dict.
CoreValue plain(const CoreValue& v) {
  const auto items = [](const std::vector<CoreValue>& list) {
    std::vector<CoreValue> out;
    for (const CoreValue& item : list) out.push_back(plain(item));
    return out;
  };
  if (v.is_tuple()) return CoreValue::tuple(items(v.items()));
  if (v.is_list()) return CoreValue::list(items(v.items()));
  if (const auto* pairs = pickle::dict_items(v)) {
    std::vector<std::pair<CoreValue, CoreValue>> out;
    for (const auto& [key, held] : *pairs) out.emplace_back(plain(key), plain(held));
    return CoreValue::dict(std::move(out));
  }
  MONOGRAPH_CHECK(!v.is_object(), Runtime, "pickle_load: the file has an object of ", describe(v),
                  ", which is no value of a program. load_tensors reads its tensors");
  return v;
}

}  // namespace

void save(const Tensor& tensor, const std::string& path) { list_module({tensor}).save(path); }
void save(const Tensor& tensor, std::ostream& out) { list_module({tensor}).save(out); }
void save(const std::vector<Tensor>& tensors, const std::string& path) { list_module(tensors).save(path); }
void save(const std::vector<Tensor>& tensors, std::ostream& out) { list_module(tensors).save(out); }
void load(Tensor& tensor, const std::string& path, std::optional<Device> device) { tensor = first(tensors_in(path, device)); }
void load(Tensor& tensor, std::istream& in, std::optional<Device> device) { tensor = first(tensors_in(in, device)); }
void load(std::vector<Tensor>& tensors, const std::string& path, std::optional<Device> device) { tensors = tensors_in(path, device); }
void load(std::vector<Tensor>& tensors, std::istream& in, std::optional<Device> device) { tensors = tensors_in(in, device); }

namespace jit {

std::vector<char> pickle_save(const IValue& value) {
  return translated([&] {
    torchscript::StorageTable storages;
    torchscript::Pickler pickler(storages);
    pickler.value(IValue::Access::of(value), "pickle_save", [](const CoreValue&) { return false; });
    const std::string pickle = pickler.finish();
    std::vector<pickle::StorageRecord> records;
    for (const torchscript::StorageTable::Record& r : storages.records())
      records.push_back({std::to_string(records.size()), r.storage ? r.storage->data() : nullptr, r.bytes});
    std::vector<char> out;
    const auto put = [&](const void* data, size_t bytes) {
      out.insert(out.end(), static_cast<const char*>(data), static_cast<const char*>(data) + bytes);
    };
    pickle::save_checkpoint(put, "archive", pickle, records);
    return out;
  });
}

IValue pickle_load(const std::vector<char>& bytes) {
  return translated([&] {
    auto copy = std::make_shared<std::vector<std::byte>>(bytes.size());
    std::copy_n(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size(), copy->data());
    const std::span<const std::byte> content(*copy);
    const pickle::Checkpoint file = pickle::parse_checkpoint(content, copy, "the bytes of pickle_load", {});
    return IValue::Access::wrap(plain(file.content.value));
  });
}

}  // namespace jit

MONOGRAPH_API_END
