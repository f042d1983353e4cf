// Fuzzes the container. Its checksums would refuse nearly every change of a fuzzer before the parser sees it, so the input is read twice: as it
// is, and as a list of parts from which an archive is made. What loads is printed, and its constants are read to the last byte.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.h"
#include "formats/mgraph.h"
#include "formats/open.h"
#include "ir/text.h"

#include "../cpp/zip_bytes.h"

namespace {

using namespace monograph;

void load(std::string_view bytes) {
  const auto in = std::as_bytes(std::span(bytes));
  detect_format(in);
  for (bool verify : {false, true}) {
    try {
      const auto unit = parse_mgraph(in, "input", nullptr, verify);
      ir::to_text(*unit);
      for (const auto& graph : unit->functions())
        for (const ir::TensorRef& tensor : graph->tensors()) ir::tensor_content_hash(tensor->dtype(), tensor->sizes(), tensor->bytes());
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::File) std::abort();
    }
  }
}

// The input cut at its zero bytes: text, weights. The first byte says which of them are deflated, and which lie about their sizes.
std::string archive_of(std::string_view input) {
  const uint8_t choice = input.empty() ? 0 : static_cast<uint8_t>(input[0]);
  input.remove_prefix(std::min<size_t>(input.size(), 1));
  const size_t cut = input.find("\0\0\0\0", 0, 4);
  test::ZipEntry text, weights;
  text.name = "unit.mg", weights.name = "weights.safetensors";
  text.content = input.substr(0, cut);
  if (cut != std::string_view::npos) weights.content = input.substr(cut + 4);
  text.deflate = choice & 1, weights.deflate = choice & 2, text.zip64 = choice & 4, weights.zip64 = choice & 8;
  if (choice & 16) weights.size = weights.content.size() + (choice >> 5);
  return test::zip_bytes({text, weights});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  load(input);
  load(archive_of(input));
  return 0;
}
