// `monograph info`: shows what a file holds. Each kind of content (program, weights, checkpoint, array) has a function for text and one for JSON.
#include <algorithm>
#include <map>
#include <set>

#include "cli/cost.h"
#include "cli/inputs.h"
#include "cli/terminal.h"
#include "cli/values.h"
#include "ir/builder.h"
#include "passes/canonical.h"

namespace monograph::cli {
namespace {

struct InfoOptions {
  std::string file, function;
  std::vector<std::string> dims;
  bool json = false, all = false;
};

constexpr size_t kShownRows = 12;

std::string type_text(ir::Type t) { return t ? ir::to_string(t) : "?"; }

std::vector<ir::Type> outputs_of(const ir::Graph& g) {
  std::vector<ir::Type> types;
  if (const ir::Node* o = g.output())
    for (auto it = o->args_begin(); !(it == o->args_end()); ++it) types.push_back(ir::type_of(*it));
  return types;
}

std::string op_name(const ir::Node& n) { return n.target().overload ? *n.target().overload : n.target().name(); }

// How often each operator is called, the most frequent first.
std::vector<std::pair<std::string, size_t>> count_operators(const ir::Graph& g) {
  std::map<std::string, size_t> counts;
  for (const ir::Node* n : ir::NestedNodes(g))
    if (n->op() != ir::Op::Placeholder && n->op() != ir::Op::Output && !n->is_projection())
      ++counts[n->op() == ir::Op::CallFunction ? op_name(*n) : std::string(ir::to_string(n->op()))];
  std::vector<std::pair<std::string, size_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.second > b.second; });
  return sorted;
}

std::string array_bytes(DType t, std::span<const int64_t> sizes) {
  return bytes_text(static_cast<uint64_t>(product(sizes) * element_size(t)));
}

// The values of symbolic sizes: those given with --dim, else those of the capture's example.
struct HintedSizes {
  DimValues dims;
  std::map<std::string, int64_t> used;  // the values that were asked for, by name
  std::optional<int64_t> operator()(const Symbol& s) {
    auto at = dims.find(s.name);
    const std::optional<int64_t> n = at != dims.end() ? std::optional(at->second) : s.hint;
    if (n) used[s.name] = *n;
    return n;
  }
};

// The paths of the modules whose mode the graph reads when it runs, and whether each is in training: ("", true) for a root in training.
std::map<std::string, bool> modes_of(const ir::Graph& g) {
  std::map<std::string, bool> modes;
  for (const ir::Node* n : ir::NestedNodes(g)) {
    if (n->op() != ir::Op::GetAttr || !g.unit() || !g.unit()->root()) continue;
    const std::string& path = n->target().name();
    const ir::Module* module = g.unit()->root()->holder(path, ir::kTraining);
    const size_t dot = path.rfind('.');  // "encoder.training" is the mode of encoder, and "training" that of the root
    if (module) modes[dot == std::string::npos ? std::string() : path.substr(0, dot)] = module->training;
  }
  return modes;
}

Json program_json(const Model& m, const InfoOptions& o) {
  Json functions = Json::array();
  for (const auto& g : m.unit->functions()) {
    if (!o.function.empty() && g.get() != &m.graph(o.function)) continue;
    Json f{{"name", g->name()}, {"level", ir::to_string(g->level())}, {"nodes", g->node_count()}};
    for (const ir::Node* p : g->placeholders())
      f["inputs"].push_back({{"name", p->target().name()}, {"type", type_text(p->type())}, {"optional", p->arg_count() > 0}});
    for (ir::Type t : outputs_of(*g)) f["outputs"].push_back(type_text(t));
    f["operators"] = Json::object();
    for (const auto& [name, n] : count_operators(*g)) f["operators"][name] = n;
    f["guards"] = Json::array();
    for (const ir::Guard& guard : g->guards()) f["guards"].push_back({{"expression", guard.expression}, {"at", to_string(guard.span)}});
    f["relied_on"] = g->relied_on();
    f["modes"] = Json::object();
    for (const auto& [path, training] : modes_of(*g)) f["modes"][path] = training ? "training" : "evaluation";
    HintedSizes sizes{parse_dims(o.dims), {}};
    const Cost c = estimate(*g, std::ref(sizes));
    f["cost"] = {{"operations", c.operations},
                 {"of_products", c.products},
                 {"bytes", c.bytes},
                 {"nodes_of_unknown_size", c.unknown},
                 {"sizes", sizes.used}};
    f["hash"] = passes::hash(*g);
    functions.push_back(std::move(f));
  }
  int64_t count = 0, bytes = 0;
  Json list = Json::array();
  for (const ProgramTensor& p : parameters_of(*m.unit)) {
    count += p.tensor->numel(), bytes += p.tensor->numel() * element_size(p.tensor->dtype());
    list.push_back({{"name", p.name},
                    {"dtype", name(p.tensor->dtype())},
                    {"shape", std::vector<int64_t>(p.tensor->sizes().begin(), p.tensor->sizes().end())}});
  }
  Json refusals = Json::array(), foreign = Json::array();
  for (const CannotRun& r : refusals_of(m)) refusals.push_back({{"function", r.function}, {"what", r.what}, {"at", r.at}, {"why", r.why}});
  for (const auto& [path, what] : foreign_values_of(*m.unit)) foreign.push_back({{"name", path}, {"what", what}});
  return {{"file", m.path},
          {"format", to_string(m.format)},
          {"file_bytes", m.bytes},
          {"functions", functions},
          {"cannot_run", refusals},
          {"not_built", foreign},
          {"parameters", {{"tensors", list.size()}, {"elements", count}, {"bytes", bytes}, {"list", list}}},
          {"hash", program_hash(*m.unit)}};
}

std::string label(std::string_view text) { return "  " + styled(fit(text, 12), TextStyle::Dim); }
std::string more(size_t left, std::string_view what) { return left ? concat(label(""), "… ", left, " more ", what, " (--all)\n") : ""; }

std::string guards_text(const ir::Graph& g, bool all) {
  std::string text;
  size_t k = 0;
  for (const ir::Guard& guard : g.guards()) {
    if (!all && k == kShownRows) return text + more(g.guards().size() - k, "guards");
    std::string expected;
    if (guard.expected.size()) ir::print_arg(expected, guard.expected[0]);
    text += concat(label(k++ ? "" : "guards"), printable(guard.expression), " is ", expected,
                   guard.span.known() ? styled(concat("  at ", to_string(guard.span)), TextStyle::Dim) : "", "\n");
  }
  return text;
}

std::string relied_on_text(const ir::Graph& g, bool all) {
  std::string text;
  const size_t count = g.relied_on().size(), shown = all ? count : std::min(count, kShownRows);
  for (size_t k = 0; k < shown; ++k) text += concat(label(k ? "" : "relied on"), printable(g.relied_on()[k]), "\n");
  return text + more(count - shown, "lines");
}

std::string modes_text(const ir::Graph& g, bool all) {
  std::string text;
  size_t k = 0;
  const std::map<std::string, bool> modes = modes_of(g);
  for (const auto& [path, training] : modes) {
    if (!all && k == kShownRows) return text + more(modes.size() - k, "modules");
    text += concat(label(k++ ? "" : "modes"), path.empty() ? "the whole module" : printable(path), ": ",
                   training ? "training" : "evaluation", "\n");
  }
  return text;
}

std::string cost_text(const ir::Graph& g, const DimValues& dims) {
  HintedSizes sizes{dims, {}};
  const Cost c = estimate(g, std::ref(sizes));
  if (c.operations == 0 && c.unknown) {
    return concat(label("cost"), "not known: ", plural(static_cast<int64_t>(c.unknown), "node"), " of unknown size",
                  dims.empty() && !size_names(g).empty() ? " (--dim NAME=N)" : "", "\n");
  }
  std::string at;
  for (const auto& [name, n] : sizes.used) at += concat(at.empty() ? " at " : ", ", name, "=", n);
  std::string text = concat(label("cost"), "about ", scaled(c.operations), "FLOP");
  if (c.products > 0) text += concat(" (", static_cast<int>(100 * c.products / std::max(1.0, c.operations) + 0.5), " % products)");
  text += concat(", ", scaled(c.bytes), "B moved", at);
  if (c.unknown) text += concat("; ", plural(static_cast<int64_t>(c.unknown), "node"), " of unknown size left out");
  if (c.loops) text += "; a loop's body counts once";
  return text + "\n";
}

std::string function_text(const ir::Graph& g, const InfoOptions& o, const DimValues& dims) {
  const auto width = static_cast<size_t>(terminal_width());
  std::string text = concat(
      "\n", styled(g.name(), TextStyle::Bold),
      styled(concat("  ", ir::to_string(g.level()), " level, ", plural(static_cast<int64_t>(g.node_count()), "node")), TextStyle::Dim),
      "\n");
  size_t k = 0;
  const auto placeholders = g.placeholders();
  for (const ir::Node* p : placeholders) {
    if (!o.all && k == kShownRows) {
      text += more(placeholders.size() - k, "inputs");
      break;
    }
    std::string hints;
    if (p->type())
      p->type().visit_symbols([&](const Symbol& s) {
        const std::string hint = s.hint ? concat(s.name, " was ", *s.hint) : "";
        if (!hint.empty() && hints.find(hint) == std::string::npos) hints += (hints.empty() ? "  " : ", ") + hint;
      });
    text += concat(label(k++ ? "" : "inputs"), p->target().name(), ": ", type_text(p->type()), p->arg_count() ? " (optional)" : "",
                   styled(hints, TextStyle::Dim), "\n");
  }
  if (placeholders.empty()) text += label("inputs") + "none\n";
  k = 0;
  for (ir::Type t : outputs_of(g)) text += concat(label(k++ ? "" : "outputs"), type_text(t), "\n");
  const auto counts = count_operators(g);
  std::string calls;
  for (k = 0; k < counts.size() && (o.all || k < 2 * kShownRows); ++k)
    calls += concat(k ? ", " : "", counts[k].second, "\u00a0×\u00a0", counts[k].first);
  if (k < counts.size()) calls += concat(", … ", counts.size() - k, " more (--all)");
  if (!calls.empty()) text += label("operators") + wrap(calls, width, 14) + "\n";
  text += modes_text(g, o.all) + guards_text(g, o.all) + relied_on_text(g, o.all) + cost_text(g, dims);
  return text + label("hash") + passes::hash(g) + "\n";
}

// What cannot run here, and what Monograph does not build: each with its place.
std::string refusals_text(const Model& model, bool all) {
  std::string text;
  const auto add = [&](std::string_view title, const std::vector<std::string>& lines) {
    const size_t shown = all ? lines.size() : std::min(lines.size(), kShownRows);
    for (size_t k = 0; k < shown; ++k) text += label(k ? "" : title) + lines[k] + "\n";
    text += more(lines.size() - shown, "lines");
  };
  std::vector<std::string> refusals, foreign;
  for (const CannotRun& r : refusals_of(model))
    refusals.push_back(concat(printable(r.what), r.at.empty() ? "" : styled(concat("  at ", printable(r.at)), TextStyle::Dim), "\n",
                              label(""), "  ", wrap(printable(r.why), static_cast<size_t>(terminal_width()), 16)));
  for (const auto& [path, what] : foreign_values_of(*model.unit)) foreign.push_back(concat(printable(path), ": ", printable(what)));
  add("not built", foreign), add("cannot run", refusals);
  return text.empty() ? text : "\n" + text;
}

std::string program_text(const Model& m, const InfoOptions& o) {
  const DimValues dims = parse_dims(o.dims);
  if (!dims.empty()) check_dims(m.graph(o.function), dims);
  const auto width = static_cast<size_t>(terminal_width());
  const auto& functions = m.unit->functions();
  std::string text = concat(styled(printable(m.path), TextStyle::Bold), ": ", to_string(m.format), ", ", bytes_text(m.bytes), ", ",
                            plural(static_cast<int64_t>(functions.size()), "function"), "\n");
  const auto parameters = parameters_of(*m.unit);
  int64_t count = 0, bytes = 0;
  for (const ProgramTensor& p : parameters) count += p.tensor->numel(), bytes += p.tensor->numel() * element_size(p.tensor->dtype());
  text += concat(label("parameters"),
                 parameters.empty() ? "none"
                                    : concat(with_commas(count), " in ", plural(static_cast<int64_t>(parameters.size()), "tensor"), ", ",
                                             bytes_text(static_cast<uint64_t>(bytes))),
                 "\n");
  size_t shown = 0;
  for (const auto& g : functions) {
    if (!o.function.empty() ? g.get() != &m.graph(o.function) : !o.all && shown == 4) continue;
    ++shown, text += function_text(*g, o, dims);
  }
  text += refusals_text(m, o.all);
  if (o.function.empty() && functions.size() > 1) text += concat("\n", label("hash of all"), program_hash(*m.unit), "\n");
  if (o.function.empty() && shown < functions.size())
    text += concat("\n… ", functions.size() - shown, " more functions (--all, or --function NAME)\n");
  if (o.all && !parameters.empty()) {
    TextTable table({"parameter", "dtype", "shape", "size"});
    for (const ProgramTensor& p : parameters)
      table.right(3).row({printable(p.name), std::string(name(p.tensor->dtype())), to_string(p.tensor->sizes()),
                          array_bytes(p.tensor->dtype(), p.tensor->sizes())});
    text += "\n" + table.to_string(width);
  }
  return text;
}

Json weights_json(const Model& m) {
  Json list = Json::array();
  for (const NamedArray& a : m.weights->arrays)
    list.push_back({{"name", a.name}, {"dtype", name(a.dtype)}, {"shape", a.shape}, {"bytes", a.nbytes}});
  return {{"file", m.path}, {"format", to_string(m.format)}, {"file_bytes", m.bytes}, {"metadata", m.weights->metadata}, {"tensors", list}};
}

std::string weights_text(const Model& m, bool all) {
  const auto width = static_cast<size_t>(terminal_width());
  int64_t count = 0;
  for (const NamedArray& a : m.weights->arrays) count += product(a.shape);
  std::string text = concat(styled(printable(m.path), TextStyle::Bold), ": safetensors, ", bytes_text(m.bytes), ", ",
                            plural(static_cast<int64_t>(m.weights->arrays.size()), "tensor"), ", ", with_commas(count), " elements\n");
  for (const auto& [key, value] : m.weights->metadata) text += concat(label(printable(key)), printable(value).substr(0, width), "\n");
  TextTable table({"tensor", "dtype", "shape", "size"});
  std::vector<const NamedArray*> sorted;
  for (const NamedArray& a : m.weights->arrays) sorted.push_back(&a);
  std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->name < b->name; });
  const size_t limit = all ? sorted.size() : std::min<size_t>(sorted.size(), 3 * kShownRows);
  for (size_t k = 0; k < limit; ++k)
    table.right(3).row(
        {printable(sorted[k]->name), std::string(name(sorted[k]->dtype)), to_string(sorted[k]->shape), bytes_text(sorted[k]->nbytes)});
  if (!table.empty()) text += table.to_string(width, 2);
  return text + (limit < sorted.size() ? concat("  … ", sorted.size() - limit, " more (--all)\n") : "");
}

// The classes and functions in a checkpoint by name, and how often each occurs.
std::map<std::string, size_t> other_objects(const IValue& value) {
  std::map<std::string, size_t> names;
  std::set<const void*> seen;
  std::vector<const IValue*> todo{&value};
  while (!todo.empty()) {
    const IValue& v = *todo.back();
    todo.pop_back();
    if (auto* global = pickle::as<pickle::GlobalBox>(v)) ++names[global->full()];
    if (!pickle::is_container(v) || !seen.insert(pickle::identity(v)).second) continue;
    if (auto* object = pickle::as<pickle::NamedObject>(v); object && !pickle::dict_items(v)) ++names[object->callable->full()];
    pickle::append_children(v, todo);
  }
  return names;
}

Json checkpoint_json(const Model& m) {
  Json list = Json::array();
  for (const pickle::NamedTensor& t : pickle::named_tensors(m.checkpoint->content.value))
    list.push_back({{"name", printable(t.name)},
                    {"dtype", name(t.tensor.dtype())},
                    {"shape", std::vector<int64_t>(t.tensor.sizes().begin(), t.tensor.sizes().end())},
                    {"bytes", t.tensor.nbytes()}});
  Json others = Json::object();
  for (const auto& [name, count] : other_objects(m.checkpoint->content.value)) others[printable(name)] = count;
  return {{"file", m.path},   {"format", to_string(m.format)}, {"archive", m.checkpoint->zip}, {"file_bytes", m.bytes}, {"tensors", list},
          {"objects", others}};
}

std::string checkpoint_text(const Model& m, bool all) {
  const auto width = static_cast<size_t>(terminal_width());
  const std::vector<pickle::NamedTensor> tensors = pickle::named_tensors(m.checkpoint->content.value);
  int64_t count = 0;
  for (const pickle::NamedTensor& t : tensors) count += t.tensor.numel();
  std::string text =
      concat(styled(printable(m.path), TextStyle::Bold), ": PyTorch checkpoint", m.checkpoint->zip ? "" : " (the format before 1.6)", ", ",
             bytes_text(m.bytes), ", ", plural(static_cast<int64_t>(tensors.size()), "tensor"), ", ", with_commas(count), " elements\n");
  TextTable table({"tensor", "dtype", "shape", "size"});
  const size_t limit = all ? tensors.size() : std::min<size_t>(tensors.size(), 3 * kShownRows);
  for (size_t k = 0; k < limit; ++k) {
    const Tensor& t = tensors[k].tensor;
    table.right(3).row({printable(tensors[k].name), std::string(name(t.dtype())), to_string(t.sizes()), array_bytes(t.dtype(), t.sizes())});
  }
  if (!table.empty()) text += table.to_string(width, 2);
  if (limit < tensors.size()) text += concat("  … ", tensors.size() - limit, " more (--all)\n");
  size_t k = 0;
  for (const auto& [name, times] : other_objects(m.checkpoint->content.value))
    text += concat(label(k++ ? "" : "objects"), times, "\u00a0×\u00a0", printable(name), "\n");
  return text;
}

int info(const InfoOptions& o) {
  const Model m = open_model(o.file, true);
  if (m.unit) {
    for (const auto& g : m.unit->functions()) ir::infer_types(*g);
    out(o.json ? json_text(program_json(m, o), 1) + "\n" : program_text(m, o));
  } else if (m.weights) {
    out(o.json ? json_text(weights_json(m), 1) + "\n" : weights_text(m, o.all));
  } else if (m.checkpoint) {
    out(o.json ? json_text(checkpoint_json(m), 1) + "\n" : checkpoint_text(m, o.all));
  } else if (o.json) {
    const Json array{{"file", m.path},
                     {"format", "npy"},
                     {"file_bytes", m.bytes},
                     {"dtype", name(m.array->dtype())},
                     {"shape", std::vector<int64_t>(m.array->sizes().begin(), m.array->sizes().end())}};
    out(json_text(array, 1) + "\n");
  } else {
    out(concat(styled(printable(m.path), TextStyle::Bold), ": NumPy array, ", bytes_text(m.bytes), ", ", shape_text(*m.array), "\n"));
  }
  return kDone;
}

Action prepare(CLI::App& app) {
  auto o = std::make_shared<InfoOptions>();
  app.add_option("FILE", o->file, "A graph, weights (safetensors, or a PyTorch checkpoint) or an array (.npy).")->required();
  app.add_option("--function", o->function, "Only this function of the file.")->type_name("NAME");
  app.add_option("--dim", o->dims, "A symbolic size, for the cost (default: the size of the example). May be repeated.")
      ->type_name("NAME=N")
      ->allow_extra_args(false);
  app.add_flag("--all", o->all, "Show every function, operator, guard and tensor.");
  app.add_flag("--json", o->json, "Print everything as JSON.");
  return [o] { return info(*o); };
}

constexpr Example kExamples[] = {
    {"monograph info tour.txt", "Inputs with their types, outputs, operators, guards, cost and hash of each function."},
    {"monograph info x.npy --json", "An array, as JSON for another program."},
};

}  // namespace

const Verb kInfo{
    "info",
    "FILE [options]",
    "what a file holds: inputs, outputs, parameters, operators, guards, cost, hash",
    "Shows what is in a file without running it: a graph as text, JSON or .mgraph, weights in safetensors, a PyTorch checkpoint, "
    "or a NumPy array. "
    "Equal graphs have equal hashes, whichever capture made them. FLOPs and bytes are estimates without fusion.",
    kExamples,
    prepare};

}  // namespace monograph::cli
