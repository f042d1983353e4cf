// `monograph view`: writes a page of HTML that shows a graph, or a graph before and after a pass. passes/view.h makes the page.
#include <algorithm>
#include <optional>

#include "cli/model.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "formats/file.h"
#include "passes/view.h"

namespace monograph::cli {
namespace {

struct ViewOptions {
  std::string file, after, output, function;
};

// The functions of a program, `forward` first.
std::vector<ir::Graph*> functions_of(const Model& m, const std::string& only) {
  if (!only.empty()) return {&m.graph(only)};
  std::vector<ir::Graph*> all;
  for (const auto& g : m.unit->functions()) all.push_back(g.get());
  const auto main = std::find_if(all.begin(), all.end(), [](const ir::Graph* g) { return g->name() == "forward"; });
  if (main != all.end()) std::rotate(all.begin(), main, main + 1);
  return all;
}

passes::ViewedGraph viewed(ir::Graph& graph, const Model& m) {
  ir::infer_types(graph);
  return passes::viewed(graph, m.path);
}

// Pairs the functions of two programs by name. If each has only one, these are a pair whatever their names.
std::vector<passes::ViewedFunction> pairs(const Model& before, const Model& after, const std::string& only) {
  const std::vector<ir::Graph*> x = functions_of(before, only), y = functions_of(after, only);
  std::vector<passes::ViewedFunction> all;
  const bool single = x.size() == 1 && y.size() == 1;
  auto named = [](const std::vector<ir::Graph*>& list, const ir::Graph* g) {
    const auto at = std::find_if(list.begin(), list.end(), [&](const ir::Graph* other) { return other->name() == g->name(); });
    return at == list.end() ? nullptr : *at;
  };
  for (ir::Graph* g : y) {
    ir::Graph* old = single ? x[0] : named(x, g);
    passes::ViewedFunction& f = all.emplace_back();
    if (old) f.before = viewed(*old, before);
    f.after = viewed(*g, after);
  }
  for (ir::Graph* g : x)
    if (!single && !named(y, g)) all.emplace_back().before = viewed(*g, before);
  return all;
}

int view(const ViewOptions& o) {
  const Model m = open_program(o.file);
  std::optional<Model> after;
  std::vector<passes::ViewedFunction> functions;
  if (o.after.empty()) {
    for (ir::Graph* g : functions_of(m, o.function)) functions.emplace_back().after = viewed(*g, m);
  } else {
    after = open_program(o.after);
    functions = pairs(m, *after, o.function);
  }
  const std::string page = passes::view_page(o.after.empty() ? o.file : concat(o.file, " → ", o.after), functions);
  AtomicFile file(o.output);
  file.write(page.data(), page.size());
  file.commit();
  size_t nodes = 0;
  for (const passes::ViewedFunction& f : functions) nodes += (f.after.graph ? f.after : f.before).graph->node_count();
  out(concat(printable(o.output), ": ", plural(static_cast<int64_t>(functions.size()), "function"), ", ",
             plural(static_cast<int64_t>(nodes), "node"), ", ", bytes_text(page.size()), "\n"));
  return kDone;
}

Action prepare(CLI::App& app) {
  auto o = std::make_shared<ViewOptions>();
  app.add_option("FILE", o->file, "A graph file.")->required();
  app.add_option("AFTER", o->after, "The same graph after a pass: the page marks what was removed, added and changed.");
  app.add_option("-o,--output", o->output, "The page. It is written whole or not at all.")->type_name("PAGE.html")->required();
  app.add_option("--function", o->function, "Only this function.")->type_name("NAME");
  return [o] { return view(*o); };
}

constexpr Example kExamples[] = {
    {"monograph view tour.txt -o tour.html", "Open tour.html in a browser."},
    {"monograph view tour.txt tour.txt -o changes.html", "Two graphs side by side. Here they are equal, so nothing is marked."},
};

}  // namespace

const Verb kView{
    "view",
    "FILE [AFTER] -o PAGE.html [--function NAME]",
    "a graph, or the changes between two, as a page for the browser",
    "Writes one page of HTML that needs no network and no other file. Modules fold and unfold. Each node shows its type, source line, "
    "inputs and users. With two files, the page shows them side by side.",
    kExamples,
    prepare};

}  // namespace monograph::cli
