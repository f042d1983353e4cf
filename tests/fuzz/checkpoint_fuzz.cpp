// Fuzzes files of torch.save, in both formats. An input is a file; or, behind the byte 'p', a pickle alone, in which the fuzzer need not keep an archive
// whole. What is read must be walked without a crash, and every tensor lies in its storage.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "formats/pickle/checkpoint.h"

namespace {

using namespace monograph;

// Every tensor's last element lies in its storage.
void check(const Tensor& t) {
  if (t.is_meta() || t.numel() == 0) return;
  int64_t last = t->offset;
  for (size_t k = 0; k < t.sizes().size(); ++k) last += (t.sizes()[k] - 1) * t.strides()[k];
  if (last < 0 || static_cast<uint64_t>(last + 1) * static_cast<uint64_t>(element_size(t.dtype())) > t->storage->bytes()) std::abort();
  volatile char touched = t.data()[0];
  (void)touched;
}

void walk(const IValue& value) {
  try {
    for (const pickle::NamedTensor& named : pickle::named_tensors(value)) check(named.tensor);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::File) std::abort();
  }
}

void read_file(std::span<const std::byte> bytes, bool name_all) {
  pickle::LoadOptions options;
  options.name_all = name_all;
  options.also_allowed = [](const pickle::GlobalBox& global) { return global.module == "allowed"; };
  try {
    const pickle::Checkpoint file = pickle::parse_checkpoint(bytes, nullptr, "input", options);
    if (file.size > bytes.size()) std::abort();
    walk(file.content.value);
  } catch (const Error&) {
  }
}

void read_pickle(std::span<const std::byte> bytes) {
  pickle::Options options;
  options.where = "input";
  options.also_allowed = [](const pickle::GlobalBox& global) { return global.module == "allowed"; };
  options.load_storage = [](const pickle::StorageBox& wanted, const IValue&) {
    auto box = make_ref<pickle::StorageBox>();
    box->type_name = wanted.type_name, box->dtype = wanted.dtype, box->known = wanted.known;
    box->bytes = 64;
    box->storage = make_ref<Storage>(64);
    return box;
  };
  try {
    const pickle::Unpickled made = pickle::unpickle(bytes, options);
    if (made.size > bytes.size()) std::abort();
    walk(made.value);
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  if (size > 0 && data[0] == 'p') {
    read_pickle(bytes.subspan(1));
  } else {
    read_file(bytes, false);
    read_file(bytes, true);
  }
  return 0;
}
