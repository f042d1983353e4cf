// Saving collects the large constants by hash and writes the entries. Loading parses the text, takes its constants from the mapped file and verifies
// the whole Unit.
#include "formats/mgraph.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "core/quantizer.h"
#include "exec/interpreter.h"
#include "formats/safetensors.h"
#include "formats/sharing.h"
#include "ir/format.h"
#include "ir/source_names.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "ops/pointwise.h"
#include "passes/memory.h"

namespace monograph {
namespace {

constexpr std::string_view kText = "unit.mg", kSharing = "sharing.json", kWeights = "weights.safetensors";

// --- attributes that are written

// Adds the attributes whose memory a function writes or returns to its caller.
void add_written(AttributePlaces& places, const ir::Unit& unit, const ir::Graph& graph) {
  std::vector<const ir::Node*> reads;
  for (const ir::Node* node : ir::NestedNodes(graph))
    if (node->op() == ir::Op::GetAttr) reads.push_back(node);
  if (reads.empty() || graph.output() == nullptr || unit.root() == nullptr) return;
  const passes::MemoryGroups groups(graph);
  std::unordered_set<uint32_t> returned;
  for (size_t k = 0; k < graph.output()->input_count(); ++k) returned.insert(groups.group(graph.output()->input(k)));
  for (const ir::Node* node : reads) {
    int at = -1;
    const ir::Module* module = unit.root()->find(node->target().name(), at);
    if (module != nullptr && at >= 0 && (groups.written(node) || returned.contains(groups.group(node))))
      places.emplace(module, static_cast<size_t>(at));
  }
}
AttributePlaces written_attributes(const ir::Unit& unit) {
  AttributePlaces places;
  for (const auto& graph : unit.functions()) add_written(places, unit, *graph);
  return places;
}

// --- writing

// Collects the constants that the text names by their hash. Constants of equal contents are kept once.
class ConstantTable {
 public:
  explicit ConstantTable(const std::string& path) : path_(path) {}

  void add(const ir::Unit& unit) {
    for (const auto& graph : unit.functions()) add(*graph);
    for (const auto& module : unit.modules())
      for (const ir::Module::Value& value : module->values) add(value.value.items());
  }
  void add(const ir::Graph& graph) {
    for (const ir::Node* node : ir::NestedNodes(graph)) add(std::span(node->skeleton().item, node->skeleton().items));
    for (const ir::Guard& guard : graph.guards()) add(guard.expected.items());
  }

  std::vector<NamedArray> arrays() const {
    std::vector<NamedArray> out;
    for (const auto& [hash, tensor] : by_hash_) {
      check_not_quantized(tensor->dtype(), "an .mgraph file");
      const std::span<const std::byte> bytes = tensor->bytes();
      out.push_back({hash, tensor->dtype(), {tensor->sizes().begin(), tensor->sizes().end()}, bytes.data(), bytes.size()});
    }
    return out;
  }

 private:
  void add(std::span<const ir::ArgItem> items) {
    for (const ir::ArgItem& item : items) {
      if (item.kind != ir::ArgKind::Tensor || !seen_.insert(item.tensor).second) continue;
      const ir::TensorConstant& tensor = *item.tensor;
      MONOGRAPH_CHECK(!tensor.bytes().empty() || tensor.numel() == 0, Value, path_,
                      ": cannot save a graph without its weights: it was read from a text or JSON file. Load the .mgraph file instead (the "
                      "missing constant has the hash ",
                      tensor.content_hash(), ")");
      if (tensor.numel() > ir::kInlineElements) by_hash_.emplace(tensor.content_hash(), &tensor);
    }
  }

  const std::string& path_;
  std::unordered_set<const ir::TensorConstant*> seen_;
  std::map<std::string, const ir::TensorConstant*> by_hash_;
};

// `text` is the content of unit.mg, `sharing` that of sharing.json.
void write_file(const ConstantTable& constants, std::string_view text, std::string_view sharing, const std::string& path) {
  const std::vector<NamedArray> arrays = constants.arrays();
  const SafetensorsPieces weights = safetensors_pieces(arrays, {}, path);
  const std::span<const std::byte> text_bytes = std::as_bytes(std::span(text)), sharing_bytes = std::as_bytes(std::span(sharing));
  ArchiveWriter archive(path);
  archive.add(kText, {&text_bytes, 1});
  if (!sharing.empty()) archive.add(kSharing, {&sharing_bytes, 1});
  if (!arrays.empty()) archive.add(kWeights, weights.pieces);
  archive.commit();
}

// --- reading

// A constant whose bytes lie in memory that `owner` keeps.
class StoredConstant final : public ir::TensorConstant {
 public:
  StoredConstant(NamedArray array, std::shared_ptr<const void> owner) : array_(std::move(array)), owner_(std::move(owner)) {}
  DType dtype() const override { return array_.dtype; }
  std::span<const int64_t> sizes() const override { return array_.shape; }
  std::span<const std::byte> bytes() const override { return {static_cast<const std::byte*>(array_.data), array_.nbytes}; }
  const std::string& content_hash() const override { return array_.name; }

 private:
  NamedArray array_;
  std::shared_ptr<const void> owner_;
};

// Copies the array if it is not aligned for its dtype.
ir::TensorRef make_constant(NamedArray array, std::shared_ptr<const void> owner) {
  if (reinterpret_cast<uintptr_t>(array.data) % static_cast<uintptr_t>(element_size(array.dtype)) != 0) {
    const auto* data = static_cast<const std::byte*>(array.data);
    auto copy = std::make_shared<std::vector<std::byte>>(data, data + array.nbytes);
    array.data = copy->data();
    owner = std::move(copy);
  }
  return std::make_shared<StoredConstant>(std::move(array), std::move(owner));
}

using Constants = std::unordered_map<std::string_view, ir::TensorRef>;

Constants read_weights(const Archive& archive, std::string_view where, const std::shared_ptr<const void>& owner, bool verify) {
  Constants constants;
  const ArchiveEntry* entry = archive.find(kWeights);
  if (entry == nullptr) return constants;
  const Archive::Content content = archive.read(*entry, verify);
  Safetensors weights = parse_safetensors(content.bytes.data(), content.bytes.size(), concat(where, ": ", kWeights));
  for (NamedArray& array : weights.arrays) {
    const std::span<const std::byte> bytes(static_cast<const std::byte*>(array.data), array.nbytes);
    const bool altered = verify && ir::tensor_content_hash(array.dtype, array.shape, bytes) != array.name;
    MONOGRAPH_CHECK(!altered, File, where, ": the contents of the constant ", array.name,
                    " do not have its hash; the file has been altered");
    ir::TensorRef constant = make_constant(std::move(array), content.owner ? content.owner : owner);
    constants.emplace(constant->content_hash(), constant);
  }
  return constants;
}

// Gives each attribute that a function writes or returns its own storage. After loading, attributes of equal contents are one constant in the file's
// memory, which no program may write.
void separate_written(ir::Unit& unit) {
  if (unit.root() == nullptr) return;
  const AttributePlaces written = written_attributes(unit);
  if (written.empty()) return;
  for (const auto& module : unit.modules())
    for (size_t k = 0; k < module->values.size(); ++k) {
      ir::Args& value = module->values[k].value;
      if (!written.contains({module.get(), k}) || value.size() != 1 || !value[0].is(ir::ArgKind::Tensor)) continue;
      if (dynamic_cast<const exec::LiveTensor*>(&value[0].as_tensor()) != nullptr) continue;  // share_from_json made it
      Tensor own = copy_tensor(exec::tensor_of(value[0].as_tensor().shared_from_this()));
      value = ir::Args(ir::TensorRef(std::make_shared<exec::LiveTensor>(own)));
    }
}

// The name under which a source file is saved: "model.py" for /home/me/model.py, if /home/me is a root.
std::string source_name(const std::string& file, const std::vector<std::string>& roots) {
  if (!file.starts_with('/')) return file;
  size_t longest = 0;
  for (const std::string& root : roots) {
    const size_t n = root.ends_with('/') ? root.size() - 1 : root.size();
    if (n > longest && file.size() > n + 1 && file[n] == '/' && file.compare(0, n, root, 0, n) == 0) longest = n;
  }
  return file.substr(longest > 0 ? longest + 1 : file.rfind('/') + 1);
}
ir::SourceNames source_names(const SourceRoots& roots) {
  if (!roots) return {};
  return [list = *roots](const std::string& file) { return source_name(file, list); };
}

// load_mgraph refuses a program that is not valid, so none is saved.
template <class UnitOrGraph>
void check_valid(const UnitOrGraph& program, const std::string& path) {
  try {
    ir::verify(program);
  } catch (const Error& error) {
    fail(error.kind(), path, ": cannot save: ", error.what());
  }
}

}  // namespace

namespace {

void save_unit(const ir::Unit& unit, const std::string& path, const SourceRoots& roots) {
  check_valid(unit, path);
  ConstantTable constants(path);
  constants.add(unit);
  write_file(constants, ir::to_text(unit, source_names(roots)), sharing_to_json(unit, written_attributes(unit), path), path);
}

}  // namespace

void save_mgraph(const ir::Unit& unit, const std::string& path, const SourceRoots& roots) {
  exec::note_objects(unit, true);
  if (const std::unique_ptr<ir::Unit> copy = exec::with_objects(unit)) return save_unit(*copy, path, roots);
  save_unit(unit, path, roots);
}

void save_mgraph(const ir::Graph& graph, const std::string& path, const SourceRoots& roots) {
  const ir::SourceNames names = source_names(roots);
  const ir::Unit* unit = graph.unit();
  if (unit != nullptr && unit->find_function(graph.name()) == &graph) return save_mgraph(*unit, path, roots);
  check_valid(graph, path);
  ConstantTable constants(path);
  constants.add(graph);
  if (unit == nullptr) return write_file(constants, concat("monograph ", ir::kFormat, "\n", ir::to_text(graph, names)), "", path);
  // The graph refers to a Unit, but is none of its functions: it may be a copy of one. It is saved in place of the function of its name. A Unit's text
  // begins with the texts of its functions, so those are replaced.
  exec::note_objects(*unit, true);
  const std::unique_ptr<ir::Unit> copy = exec::with_objects(*unit);
  if (copy) unit = copy.get();
  check_valid(*unit, path);
  constants.add(*unit);
  std::string old_functions, functions;
  AttributePlaces written;
  for (const auto& function : unit->functions()) {
    const std::string text = ir::to_text(*function, names);
    old_functions += text;
    if (function->name() == graph.name()) continue;
    functions += text;
    add_written(written, *unit, *function);
  }
  add_written(written, *unit, graph);
  std::string text = ir::to_text(*unit, names);
  const size_t at = text.find('\n') + 1;  // behind the line with the number of the format
  MONOGRAPH_ASSERT(text.compare(at, old_functions.size(), old_functions) == 0);
  text.replace(at, old_functions.size(), functions + ir::to_text(graph, names));
  write_file(constants, text, sharing_to_json(*unit, written, path), path);
}

bool is_mgraph(const Archive& archive) { return archive.find(kText) != nullptr; }

std::unique_ptr<ir::Unit> parse_mgraph(std::span<const std::byte> bytes, std::string_view where, std::shared_ptr<const void> owner,
                                       bool verify) {
  const Archive archive(bytes, where);
  const ArchiveEntry* entry = archive.find(kText);
  MONOGRAPH_CHECK(entry != nullptr, File, where, ": the archive has no entry ", kText,
                  ", so it is not a .mgraph file; jit::load reads an archive of torch.jit.save");
  const Archive::Content content = archive.read(*entry, true);
  const Constants constants = read_weights(archive, where, owner, verify);
  ir::ParseOptions options;
  options.tensor = [&](std::string_view hash) {
    const auto found = constants.find(hash);
    MONOGRAPH_CHECK(found != constants.end(), File, "the constant ", hash, " is not among the container's weights");
    return found->second;
  };
  std::string_view part = kText;
  try {
    std::unique_ptr<ir::Unit> unit = verified(ir::parse_unit(as_text(content.bytes), options));
    part = kSharing;
    if (const ArchiveEntry* sharing = archive.find(kSharing)) {
      const Archive::Content sharing_content = archive.read(*sharing, true);
      share_from_json(*unit, as_text(sharing_content.bytes));
    }
    separate_written(*unit);
    return unit;
  } catch (const Error& error) {
    fail(ErrorKind::File, where, ": ", part, ": ", error.what());
  }
}

std::unique_ptr<ir::Unit> load_mgraph(const std::string& path, bool verify) {
  auto file = std::make_shared<MappedFile>(path);
  const std::span<const std::byte> bytes(file->data(), file->size());
  return parse_mgraph(bytes, path, std::move(file), verify);
}

}  // namespace monograph
