// `monograph print`: prints a program in one of the forms that forms() lists.
#include "cli/model.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "ir/text.h"
#include "ir/unit_json.h"

namespace monograph::cli {
namespace {

struct PrintFormat {
  std::string name;
  std::string (*print)(const ir::Graph&);
};
// TorchScript's form cannot declare symbols. They are declared before the graph, as in our text form, so that the text can be read back.
std::string torchscript_with_symbols(const ir::Graph& graph) {
  const std::string text = ir::to_text(graph);
  return text.substr(0, text.starts_with("graph") ? 0 : text.find("\ngraph") + 1) + ir::to_torchscript(graph);
}

const std::vector<PrintFormat>& forms() {
  static const std::vector<PrintFormat> all = {{"text", ir::to_text},   {"tabular", ir::to_tabular},
                                               {"code", ir::to_python}, {"torchscript", torchscript_with_symbols},
                                               {"json", ir::to_json},   {"dot", ir::to_dot}};
  return all;
}

struct PrintOptions {
  std::string file, form = "text", function;
};

// Removes empty lines at the beginning and end, which torch.fx's code has.
std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of('\n'));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text + "\n";
}

// A function of an archive that does not compile: its text and why, as comments, which a reader of the text form passes over.
std::string refused_text(const RefusedFunction& f) {
  const std::string all = concat(f.name, " does not compile:\n", f.why(), "\nIts text in ", f.where, ":\n", trimmed(f.text));
  std::string text;
  for (size_t at = 0, end = 0; at < all.size(); at = end + 1) {
    end = std::min(all.find('\n', at), all.size());
    text += concat("# ", printable(all.substr(at, end - at)), "\n");
  }
  return text + "\n";
}

int print(const PrintOptions& o) {
  std::vector<std::string> names;
  const PrintFormat* form = nullptr;
  for (const PrintFormat& f : forms()) names.push_back(f.name), form = f.name == o.form ? &f : form;
  if (!form) {
    std::string all;
    for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
    throw UsageError(concat("unknown form '", printable(o.form), "'", did_you_mean(o.form, names)), concat("the forms are ", all));
  }
  // JSON and DOT have no comments, in which a function that does not compile could stand.
  const Model m = open_program(o.file, form->name != "json" && form->name != "dot");
  for (const RefusedFunction& f : m.refused) {
    if (o.function.empty() || f.name == o.function) out(refused_text(f));
    if (f.name == o.function) return kDone;
  }
  if (o.function.empty() && m.unit->functions().empty()) return kDone;
  if (o.function.empty() && form->name == "text") {
    out(trimmed(ir::to_text(*m.unit)));
    return kDone;
  }
  if (o.function.empty() && form->name == "json" && is_more_than_a_graph(*m.unit)) {
    out(trimmed(ir::to_json(*m.unit)));
    return kDone;
  }
  // JSON and DOT hold one graph in a document. The other forms show all functions, unless one is named.
  const bool single = !o.function.empty() || form->name == "json" || form->name == "dot";
  if (single) {
    out(trimmed(form->print(m.graph(o.function))));
    return kDone;
  }
  size_t k = 0;
  for (const auto& g : m.unit->functions()) {
    if (m.unit->functions().size() > 1) out(concat(k++ ? "\n" : "", styled(concat("# ", g->name()), TextStyle::Dim), "\n"));
    out(trimmed(form->print(*g)));
  }
  return kDone;
}

Action prepare(CLI::App& app) {
  auto o = std::make_shared<PrintOptions>();
  app.add_option("FILE", o->file, "A graph file.")->required();
  app.add_option("--form", o->form,
                 "text (reads back to the same graph; the default), tabular, code (Python as torch.fx writes it), torchscript, json, dot.")
      ->type_name("FORM");
  app.add_option("--function", o->function, "Only this function.")->type_name("NAME");
  return [o] { return print(*o); };
}

constexpr Example kExamples[] = {
    {"monograph print tour.txt --form code", "The Python code of the graph."},
    {"monograph print tour.txt --form dot > tour.dot", "Graphviz: `dot -Tsvg tour.dot` draws it."},
};

}  // namespace

const Verb kPrint{
    "print",
    "FILE [--form FORM] [--function NAME]",
    "a graph as text, table, Python code, TorchScript, JSON or Graphviz",
    "Prints a graph. The text form (docs/ir.md) reads back to an identical graph. The other forms are for people and other tools.",
    kExamples,
    prepare};

}  // namespace monograph::cli
