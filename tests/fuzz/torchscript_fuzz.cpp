// Fuzzes archives of torch.jit.save: an input is a file; or, behind the byte 'c', the code of one that is otherwise whole. What is read is compiled: errors
// are of class Error (an InternalError is a find), and nothing crashes.
#include <cstdint>
#include <string>
#include <vector>

#include "formats/archive.h"
#include "formats/torchscript/archive.h"

namespace {

using namespace monograph;

void read(std::span<const std::byte> bytes) {
  try {
    const auto archive = torchscript::ScriptArchive::parse(bytes, nullptr, "input");
    archive->operators();
    for (const std::string& name : archive->extra_files()) archive->extra_file(name);
    for (size_t k = 0; k < archive->modules().size() && k < 8; ++k) {
      const torchscript::SourceClass* type = archive->modules()[k].type;
      for (size_t m = 0; type && m < type->methods.size() && m < 8; ++m) try {
          archive->method(static_cast<int>(k), type->methods[m].name);
        } catch (const Error&) {
        }
    }
  } catch (const Error&) {
  }
}

// A module of the class M without attributes.
std::vector<std::byte> archive_of(std::span<const std::byte> code) {
  using std::string_view_literals::operator""sv;
  std::vector<std::byte> out;
  ArchiveWriter writer([&](const void* data, size_t size) {
    const auto* from = static_cast<const std::byte*>(data);
    out.insert(out.end(), from, from + size);
  });
  auto add = [&](std::string_view name, std::span<const std::byte> content) { writer.add(name, std::span(&content, 1)); };
  add("a/data.pkl", std::as_bytes(std::span("\x80\x02"
                                            "c__torch__\nM\n)\x81}b."sv)));
  add("a/constants.pkl", std::as_bytes(std::span("\x80\x02)."sv)));
  add("a/code/__torch__.py", code);
  writer.commit();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  if (size > 0 && data[0] == 'c') read(archive_of(bytes.subspan(1)));
  else read(bytes);
  return 0;
}
