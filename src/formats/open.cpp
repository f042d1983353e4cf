// The first bytes decide the format; of a zip archive also the names of its entries. For a format that holds no program the error says how to get one.
#include "formats/open.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/error.h"
#include "formats/mgraph.h"
#include "formats/npy.h"
#include "formats/safetensors.h"
#include "formats/torchscript/archive.h"
#include "ir/text.h"
#include "ir/unit_json.h"
#include "ir/verify.h"

namespace monograph {
namespace {

using std::string_view_literals::operator""sv;

bool is_safetensors(std::string_view bytes) {
  uint64_t length = 0;
  if (bytes.size() < sizeof length + 2) return false;
  std::memcpy(&length, bytes.data(), sizeof length);
  return length <= kMaxSafetensorsHeader && bytes.substr(sizeof length).starts_with("{\"");
}

// Reads a protobuf varint; false where it does not end.
bool varint(std::string_view bytes, size_t& at, uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes[at++]);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// An ONNX ModelProto has no signature. Its fields are checked one after another, by number and wire type, until the field of the graph.
bool is_onnx(std::string_view bytes) {
  constexpr int kVarint = 0, kBytes = 2, kGraph = 7, kMost = 64;
  constexpr std::array<std::pair<int, int>, 12> kFields = {{{1, kVarint},
                                                            {2, kBytes},
                                                            {3, kBytes},
                                                            {4, kBytes},
                                                            {5, kVarint},
                                                            {6, kBytes},
                                                            {kGraph, kBytes},
                                                            {8, kBytes},
                                                            {14, kBytes},
                                                            {20, kBytes},
                                                            {25, kBytes},
                                                            {26, kBytes}}};
  size_t at = 0;
  for (int count = 0; count < kMost && at < bytes.size(); ++count) {
    uint64_t key = 0, value = 0;
    if (!varint(bytes, at, key) || key > 1000) return false;
    const std::pair<int, int> field{static_cast<int>(key >> 3), static_cast<int>(key & 7)};
    if (std::find(kFields.begin(), kFields.end(), field) == kFields.end() || !varint(bytes, at, value)) return false;
    if (field.first == 1 && value > 100) return false;  // no such version of the format
    if (field.first == kGraph) return count > 0 && value > 0;
    if (field.second == kBytes) {
      if (value > bytes.size() - at) return false;
      at += value;
    }
  }
  return false;
}

// Our text begins with one of five words, after comments and white space.
bool is_text(std::string_view text) {
  for (;;) {
    const size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return false;
    text.remove_prefix(begin);
    if (text[0] != '#') break;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  for (std::string_view word : {"monograph", "graph", "symbol", "class", "module"}) {
    if (text.starts_with(word) && (text.size() == word.size() || !ir::is_identifier(text.substr(word.size(), 1)))) return true;
  }
  return false;
}

bool is_json(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && text[begin] == '{';
}

// The first bytes as a message shows them.
std::string beginning(std::string_view bytes) {
  std::string out;
  for (char c : bytes.substr(0, 8)) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte >= 0x20 && byte < 0x7f) out += c;
    else out += "\\x", out += "0123456789abcdef"[byte >> 4], out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

// What the user can do with a file of this format, which is not read as a program.
std::string_view way_out(FileFormat format) {
  switch (format) {
    case FileFormat::Safetensors:
      return "load the weights into the model with monograph.safetensors.load_file, capture the model, and save the graph";
    case FileFormat::TorchCheckpoint:
      return "load it with monograph.load, put the weights into the model, capture the model, and save the graph";
    case FileFormat::TorchExport:
      return "capture the module that was exported, with Monograph; torch.export.load(FILE).module() gives it in PyTorch";
    case FileFormat::Pickle: return "load it with Python's pickle module";
    case FileFormat::Onnx: return "capture the model that it was exported from, with Monograph";
    case FileFormat::Numpy: return "pass the array to a graph: monograph run FILE --input x.npy";
    default: return "expected a .mgraph file, a TorchScript archive, the text form of a graph, or its JSON";
  }
}

// Runs `f` and puts the path before the message of its error.
template <class F>
auto with_path(const std::string& path, F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const Error& error) {
    fail(ErrorKind::File, path, ": ", error.what());
  }
}

}  // namespace

std::string_view to_string(FileFormat format) {
  switch (format) {
    case FileFormat::Mgraph: return "a .mgraph file";
    case FileFormat::Text: return "the text form of a graph";
    case FileFormat::Json: return "JSON";
    case FileFormat::Safetensors: return "safetensors weights";
    case FileFormat::TorchScript: return "a TorchScript archive";
    case FileFormat::TorchCheckpoint: return "a PyTorch checkpoint";
    case FileFormat::TorchExport: return "an archive of torch.export.save";
    case FileFormat::Pickle: return "a Python pickle";
    case FileFormat::Onnx: return "an ONNX model";
    case FileFormat::Numpy: return "a NumPy array or archive";
    case FileFormat::Zip: return "a zip archive that is not a .mgraph file";
    case FileFormat::Unknown: break;
  }
  return "an unknown format";
}

std::string another_format(FileFormat format) {
  std::string_view reader;
  switch (format) {
    case FileFormat::Unknown: return "";
    case FileFormat::Mgraph:
    case FileFormat::Text:
    case FileFormat::Json: reader = "; torch.load_graph reads it"; break;
    case FileFormat::Safetensors: reader = "; torch.safetensors.load_file reads it"; break;
    case FileFormat::TorchCheckpoint: reader = "; torch.load reads it"; break;
    case FileFormat::Numpy: reader = "; numpy.load reads it, and torch.from_numpy makes a tensor of an array"; break;
    default: break;
  }
  return concat("the file holds ", to_string(format), reader);
}

namespace {

// The format that the entries' names show. A damaged archive is a Zip here; open_unit says what is wrong with it.
FileFormat format_of_archive(std::span<const std::byte> bytes) {
  try {
    const Archive archive(bytes, "");
    if (is_mgraph(archive)) return FileFormat::Mgraph;
    size_t arrays = 0;
    bool objects = false;
    for (const ArchiveEntry& entry : archive.entries()) {
      const std::string_view name = entry.name, inside = name.substr(std::min(name.find('/') + 1, name.size()));
      if (inside == "constants.pkl" || inside.starts_with("code/")) return FileFormat::TorchScript;
      if (inside == "archive_format") return FileFormat::TorchExport;
      objects |= inside == "data.pkl";
      arrays += name.ends_with(".npy");
    }
    if (objects) return FileFormat::TorchCheckpoint;
    return arrays > 0 && arrays == archive.entries().size() ? FileFormat::Numpy : FileFormat::Zip;
  } catch (const Error&) {
    return FileFormat::Zip;
  }
}

}  // namespace

FileFormat detect_format(std::span<const std::byte> bytes) {
  const std::string_view text = as_text(bytes);
  // A file that torch.save of PyTorch before 1.6 wrote begins with a pickle of this number.
  constexpr std::string_view kTorchPickle = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv;
  if (is_zip(bytes)) return format_of_archive(bytes);
  if (text.starts_with(kTorchPickle)) return FileFormat::TorchCheckpoint;
  if (is_npy(bytes.data(), bytes.size())) return FileFormat::Numpy;
  if (text.size() > 2 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5) return FileFormat::Pickle;
  if (is_safetensors(text)) return FileFormat::Safetensors;
  if (is_json(text)) return FileFormat::Json;
  if (is_text(text)) return FileFormat::Text;
  return is_onnx(text) ? FileFormat::Onnx : FileFormat::Unknown;
}

FileFormat detect_format(const std::string& path) {
  const MappedFile file(path);
  return detect_format(std::span(file.data(), file.size()));
}

std::string RefusedFunction::why() const {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  }
}

std::unique_ptr<ir::Unit> open_unit(const std::string& path, bool verify, std::vector<RefusedFunction>* refused) {
  auto file = std::make_shared<MappedFile>(path);
  const std::span<const std::byte> bytes(file->data(), file->size());
  const FileFormat format = detect_format(bytes);
  if (format == FileFormat::Mgraph) return parse_mgraph(bytes, path, std::move(file), verify);
  if (format == FileFormat::TorchScript) {
    std::vector<RefusedFunction> all;
    std::unique_ptr<ir::Unit> unit = torchscript::open_program(bytes, std::move(file), path, all, refused == nullptr);
    for (const RefusedFunction& f : all)
      if (!refused && (f.name == "forward" || !unit->find_function("forward"))) std::rethrow_exception(f.error);
    if (refused) *refused = std::move(all);
    return unit;
  }
  if (format == FileFormat::Zip) Archive(bytes, path);  // throws if the archive is damaged
  if (format == FileFormat::Text) return with_path(path, [&] { return verified(ir::parse_unit(as_text(bytes))); });
  if (format == FileFormat::Json) return with_path(path, [&] { return verified(ir::unit_from_json(as_text(bytes))); });
  MONOGRAPH_CHECK(!bytes.empty(), File, path, ": the file is empty; ", way_out(format));
  MONOGRAPH_CHECK(format != FileFormat::Unknown, File, path, ": unknown format; the file begins with '", beginning(as_text(bytes)), "'; ",
                  way_out(format));
  fail(ErrorKind::File, path, ": the file holds ", to_string(format), ", which Monograph cannot read as a graph; ", way_out(format));
}

ir::Graph& main_graph(const ir::Unit& unit, std::string_view name) {
  const std::string_view wanted = name.empty() ? "forward" : name;
  if (ir::Graph* graph = unit.find_function(wanted)) return *graph;
  if (unit.root() != nullptr) {
    if (ir::Graph* graph = unit.find_function(concat(unit.root()->type().name, ".", wanted))) return *graph;
  }
  if (name.empty() && unit.functions().size() == 1) return *unit.functions()[0];
  std::string names;
  for (const auto& function : unit.functions()) names += concat(names.empty() ? "" : ", ", function->name());
  MONOGRAPH_CHECK(!names.empty(), Value, "the file has no function");
  fail(ErrorKind::Value, "the file has no function ", wanted, "; it has ", names);
}

}  // namespace monograph
