// Fuzzes the safetensors header. What is read must lie in the input, and comes back from what is written of it.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/error.h"
#include "formats/safetensors.h"

namespace {

using namespace monograph;

bool same(const NamedArray& a, const NamedArray& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.nbytes == b.nbytes && (a.nbytes == 0 || std::memcmp(a.data, b.data, a.nbytes) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Safetensors file;
  try {
    file = parse_safetensors(data, size, "input");
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::File) std::abort();
    return 0;
  }
  for (const NamedArray& array : file.arrays) {
    const auto* begin = static_cast<const uint8_t*>(array.data);
    if (begin < data || begin > data + size || array.nbytes > static_cast<size_t>(data + size - begin)) std::abort();
  }
  std::string written;
  for (std::span<const std::byte> piece : safetensors_pieces(file.arrays, file.metadata, "output").pieces)
    written.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  const Safetensors again = parse_safetensors(written.data(), written.size(), "output");
  if (again.arrays.size() != file.arrays.size() || again.metadata != file.metadata) std::abort();
  for (const NamedArray& array : file.arrays) {
    const NamedArray* found = again.find(array.name);
    if (found == nullptr || !same(array, *found)) std::abort();
  }
  return 0;
}
