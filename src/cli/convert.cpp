// `monograph convert IN OUT`: reads a graph, weights or an array, and writes it in the format that OUT's suffix names.
#include <algorithm>
#include <filesystem>

#include "cli/inputs.h"
#include "cli/terminal.h"
#include "cli/values.h"
#include "formats/mgraph.h"
#include "formats/npy.h"
#include "ir/text.h"
#include "ir/unit_json.h"
#include "ops/dispatch.h"

namespace monograph::cli {
namespace {

struct ConvertOptions {
  std::string in, out, function, tensor;
};

void write_text(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text.data(), text.size());
  file.commit();
}

// The first part of its Unit that a function needs, in words: "the module's weight". "" if it needs none.
std::string needed_part(const ir::Unit& unit, const ir::Graph& graph) {
  for (const ir::Node* n : ir::NestedNodes(graph)) {
    const std::string& target = n->target().name();
    if (n->op() == ir::Op::GetAttr) return concat("the module's ", printable(target));
    if (n->op() == ir::Op::CallModule) return concat("the module ", printable(target));
    if (n->op() == ir::Op::CallFunction && unit.find_function(target) != nullptr) return concat("the function ", printable(target));
    if (n->type().is(ir::TypeKind::Class)) return concat("a module, %", printable(n->name()));
  }
  return "";
}

// Refuses to write a single function that needs other parts of its Unit, because it could not be read back.
void check_alone(const Model& m, const ir::Graph& graph, std::string_view way_out) {
  const std::string needs = needed_part(*m.unit, graph);
  MONOGRAPH_CHECK(needs.empty(), Value, m.path, ": ", printable(graph.name()), " needs ", needs,
                  ", which this form of one function cannot hold", "\n  ", way_out);
}

// Prints a note if the text that was written lacks the elements of large constants: it names them by hash only. `only`: the function that was written; null
// for the whole Unit.
void note_missing_elements(const ir::Unit& unit, const ir::Graph* only, const std::string& path) {
  size_t count = 0;
  const auto note = [&](std::span<const ir::ArgItem> items) {
    for (const ir::ArgItem& item : items) count += item.kind == ir::ArgKind::Tensor && item.tensor->numel() > ir::kInlineElements;
  };
  for (const auto& graph : unit.functions())
    if (only == nullptr || only == graph.get())
      for (const ir::Node* n : ir::NestedNodes(*graph)) note(std::span(n->skeleton().item, n->skeleton().items));
  if (only == nullptr)
    for (const auto& module : unit.modules())
      for (const ir::Module::Value& value : module->values) note(value.value.items());
  if (count == 0) return;
  std::fprintf(
      stderr,
      "monograph: note: %s has no elements for %s of more than %d elements, so it can be read but not run; a .mgraph file holds them\n",
      printable(path).c_str(), plural(static_cast<int64_t>(count), "tensor").c_str(), static_cast<int>(ir::kInlineElements));
}

// Writes the parameters and buffers by their paths. Constants of the functions have no names and are left out.
void save_weights(const ir::Unit& unit, const std::string& path) {
  const auto parameters = parameters_of(unit, true);
  std::vector<NamedArray> arrays;
  for (const ProgramTensor& p : parameters) {
    if (p.constant) continue;
    const auto bytes = p.tensor->bytes();
    MONOGRAPH_CHECK(bytes.size() == static_cast<size_t>(p.tensor->numel() * element_size(p.tensor->dtype())), Value, p.name,
                    " has no elements in this file, which holds the graph without its weights; convert the .mgraph file");
    arrays.push_back({p.name, p.tensor->dtype(), {p.tensor->sizes().begin(), p.tensor->sizes().end()}, bytes.data(), bytes.size()});
  }
  save_safetensors(path, arrays);
}

// Programs by the suffix of OUT.
void convert_program(const Model& m, const ConvertOptions& o, const std::string& suffix) {
  const ir::Unit& unit = *m.unit;
  const bool all = o.function.empty();
  if (suffix == ".mgraph") all ? save_mgraph(unit, o.out) : save_mgraph(m.graph(o.function), o.out);
  else if (suffix == ".txt" || suffix == ".mg") {
    const ir::Graph* only = all ? nullptr : &m.graph(o.function);
    if (only != nullptr) check_alone(m, *only, "leave out --function: the text then holds all functions and modules");
    write_text(o.out, only != nullptr ? ir::to_text(*only) : ir::to_text(unit));
    note_missing_elements(unit, only, o.out);
  } else if (suffix == ".dot") write_text(o.out, ir::to_dot(m.graph(o.function)));
  else if (suffix == ".json") {
    const ir::Graph* only = all && is_more_than_a_graph(unit) ? nullptr : &m.graph(o.function);
    if (only != nullptr) check_alone(m, *only, "leave out --function: the JSON then holds all functions and modules");
    write_text(o.out, only != nullptr ? ir::to_json(*only) : ir::to_json(unit));
    note_missing_elements(unit, only, o.out);
  } else if (suffix == ".py") {
    write_text(o.out, ir::to_python_file(unit, all ? nullptr : &m.graph(o.function)));
  } else if (suffix == ".safetensors") {
    if (!all) throw UsageError("convert: the weights belong to all functions", "leave out --function");
    save_weights(unit, o.out);
  } else {
    throw UsageError(suffix.empty() ? concat("convert: ", printable(o.out), " has no suffix, which chooses the format")
                                    : concat("convert: no format of graphs has the suffix '", printable(suffix), "'"),
                     "the suffixes are .mgraph, .txt, .mg, .json, .py and .dot, and .safetensors for the weights alone");
  }
}

Tensor tensor_of(const NamedArray& a, const std::shared_ptr<MappedFile>& file) {
  auto* keep = new std::shared_ptr<MappedFile>(file);
  return from_blob(
      const_cast<void*>(a.data), a.shape, contiguous_strides(a.shape), a.dtype,
      [](void* p) { delete static_cast<std::shared_ptr<MappedFile>*>(p); }, keep);
}

void convert_weights(const Model& m, const ConvertOptions& o, const std::string& suffix) {
  const Safetensors& w = *m.weights;
  if (suffix == ".safetensors") return save_safetensors(o.out, w.arrays, w.metadata);
  if (suffix == ".npy") {
    std::vector<std::string> names;
    for (const NamedArray& a : w.arrays) names.push_back(a.name);
    MONOGRAPH_CHECK(!o.tensor.empty() || names.size() == 1, Value, m.path, ": has ", plural(static_cast<int64_t>(names.size()), "tensor"),
                    ", and a .npy file holds one", "\n  choose it with --tensor NAME; `monograph info ", m.path, "` lists them");
    const NamedArray* a = o.tensor.empty() ? &w.arrays[0] : w.find(o.tensor);
    MONOGRAPH_CHECK(a, Key, m.path, ": has no tensor '", o.tensor, "'", did_you_mean(o.tensor, names), "\n  `monograph info ", m.path,
                    "` lists them");
    Tensor t = tensor_of(*a, w.file);
    const auto size = static_cast<uintptr_t>(element_size(real_type(a->dtype)));
    if (reinterpret_cast<uintptr_t>(a->data) % size != 0) {  // another writer may leave arrays unaligned
      Tensor copy = empty(a->shape, a->dtype);
      std::copy_n(static_cast<const char*>(a->data), a->nbytes, copy.data());
      t = copy;
    }
    return save_npy(o.out, t);
  }
  if (suffix == ".json" || suffix == ".txt") {
    std::string text;
    Json list = Json::array();
    for (const NamedArray& a : w.arrays) {
      list.push_back({{"name", a.name}, {"dtype", name(a.dtype)}, {"shape", a.shape}});
      text += concat(printable(a.name), ": ", shape_text(a.dtype, a.shape), "\n");
    }
    return write_text(o.out, suffix == ".txt" ? text : json_text(Json({{"metadata", w.metadata}, {"tensors", list}}), 1) + "\n");
  }
  throw UsageError(concat("convert: no format of weights has the suffix '", printable(suffix), "'"),
                   "the suffixes are .safetensors, .npy (--tensor NAME), and .json and .txt for a list of the tensors");
}

int convert(const ConvertOptions& o) {
  const std::string suffix = std::filesystem::path(o.out).extension();
  Model m = open_model(o.in);
  std::vector<Tensor> held;
  if (m.checkpoint) m.weights = weights_of(*m.checkpoint, held);
  if (!o.tensor.empty() && !m.weights) throw UsageError("convert: --tensor chooses from a file of weights", "a graph file has --function");
  if (m.unit) convert_program(m, o, suffix);
  else if (m.weights) convert_weights(m, o, suffix);
  else if (suffix == ".npy") save_npy(o.out, *m.array);
  else if (suffix == ".safetensors") {
    const Tensor dense = "contiguous"_op(*m.array);
    const NamedArray array{
        std::filesystem::path(o.in).stem(), dense.dtype(), {dense.sizes().begin(), dense.sizes().end()}, dense.data(), dense.nbytes()};
    save_safetensors(o.out, std::span(&array, 1));
  } else
    throw UsageError(concat("convert: no array format has the suffix '", printable(suffix), "'"), "the suffixes are .npy and .safetensors");
  out(concat(printable(o.out), ": ",
             to_string(detect_format(o.out)) == to_string(FileFormat::Unknown) ? "text" : to_string(detect_format(o.out)), ", ",
             bytes_text(std::filesystem::file_size(o.out)), "\n"));
  return kDone;
}

Action prepare(CLI::App& app) {
  auto o = std::make_shared<ConvertOptions>();
  app.add_option("IN", o->in, "A graph, weights or an array, in any format that can be read.")->required();
  app.add_option(
         "OUT", o->out,
         "Its suffix decides: .mgraph, .txt or .mg (text form), .json, .py, .dot, .safetensors for the weights of a graph; for weights "
         ".safetensors, .npy, and .txt or .json for a list.")
      ->required();
  app.add_option("--function", o->function, "Only this function.")->type_name("NAME");
  app.add_option("--tensor", o->tensor, "The tensor to write, from a file of weights to .npy.")->type_name("NAME");
  return [o] { return convert(*o); };
}

constexpr Example kExamples[] = {
    {"monograph convert tour.txt tour.mgraph", "A .mgraph file, with the weights."},
    {"monograph convert tour.mgraph tour.py", "The Python code of its functions."},
};

}  // namespace

const Verb kConvert{"convert",
                    "IN OUT [options]",
                    "write a graph or weights in another format, by OUT's suffix",
                    "Reads any known format, and writes the format that OUT's suffix names. OUT is written whole or not at all.",
                    kExamples,
                    prepare};

}  // namespace monograph::cli
