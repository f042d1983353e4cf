// `monograph tour`: captures one function that branches on a value in every way, runs each graph on both sides of the branch, and prints the verdicts beside
// PyTorch's, which are stored in tour_pytorch.inc.
#include <unistd.h>

#include <filesystem>
#include <source_location>

#include "capture/capture.h"
#include "capture/script/compiler.h"
#include "cli/terminal.h"
#include "cli/values.h"
#include "cli/verb.h"
#include "exec/interpreter.h"
#include "formats/mgraph.h"
#include "formats/open.h"
#include "ir/text.h"
#include "passes/canonical.h"

namespace monograph::cli {
namespace {

using capture::How;

constexpr const char* kFunction =
    "def forward(x):\n"
    "    if torch.sum(x) > 10:\n"
    "        return x\n"
    "    else:\n"
    "        return x + 10\n";

constexpr const char* kPyTorch =
#include "cli/tour_pytorch.inc"
    ;

// The same function in C++: with an ordinary branch, and with cond.
uint32_t line_of_branch = 0;
Tensor plain(const Tensor& x) {
  line_of_branch = std::source_location::current().line() + 1;
  if (capture::truth("gt"_op("sum"_op(x), 10), "torch.sum(x) > 10")) return x;
  return "add"_op(x, 10);
}
Tensor with_cond(const Tensor& x) {
  auto keep = [](const std::vector<Tensor>& a) { return a; };
  auto add = [](const std::vector<Tensor>& a) { return std::vector<Tensor>{"add"_op(a[0], 10)}; };
  return capture::cond("gt"_op("sum"_op(x), 10), keep, add, {x})[0];
}

struct TourCell {
  const char* key;
  const char* title;
  std::unique_ptr<ir::Unit> unit;  // keeps the graph
  const ir::Graph* graph = nullptr;
  std::string word, words;  // the verdict: "right", "WRONG", "guards" or "raises"; the error's message
};

Tensor filled_with(float v) {
  Tensor t = empty({3});
  std::fill_n(t.data_as<float>(), 3, v);
  return t;
}
bool same(const Tensor& a, const Tensor& b) {
  return a.sizes() == b.sizes() && std::equal(a.data_as<float>(), a.data_as<float>() + a.numel(), b.data_as<float>());
}

// Runs the graph on both sides of the branch, and compares with the function itself.
void judge(TourCell& cell) {
  if (!cell.graph) return;
  const exec::Executable run = exec::plan(*cell.graph);
  cell.word = "right";
  for (float v : {20.0f, 1.0f}) {
    try {
      if (!same(run({filled_with(v)})[0].to_tensor(), plain(filled_with(v)))) cell.word = "WRONG";
    } catch (const Error& e) {
      if (cell.word != "WRONG") cell.word = "guards", cell.words = e.what();
    }
  }
}

template <class F>
TourCell capture_cell(const char* key, const char* title, How how, F&& f) {
  TourCell cell{key, title, std::make_unique<ir::Unit>(), nullptr, "", ""};
  capture::CaptureOptions o;
  o.how = how;
  o.location = [] {
    Span s;
    s.file = intern_file("src/cli/tour.cpp"), s.line = line_of_branch;
    return s;
  };
  try {
    cell.graph = cell.unit->add_function(capture::capture(f, o, filled_with(20)).graph);
  } catch (const Error& e) {
    cell.word = "raises", cell.words = e.what();
  }
  return cell;
}

TourCell saved_cell(const ir::Graph& graph) {
  TourCell cell{"saved", "saved, run", nullptr, nullptr, "", ""};
  std::error_code none;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(none);
  MONOGRAPH_CHECK(!none, File, "the tour saves a graph in a folder for temporary files, and there is none: ", none.message(),
                  "\n  set the environment variable TMPDIR to a folder that you can write to");
  const std::filesystem::path path = folder / concat("monograph_tour_", getpid(), ".mgraph");
  save_mgraph(graph, path);
  cell.unit = load_mgraph(path);
  std::filesystem::remove(path);
  cell.graph = &main_graph(*cell.unit);
  return cell;
}

// A copy of the graph that is short to read: with the operators' full names, and without source lines.
std::unique_ptr<ir::Graph> plain_graph(const ir::Graph& graph) {
  auto g = graph.clone();
  for (ir::Node* n : ir::NestedNodes(*g)) {
    if (n->info() && n->op() == ir::Op::CallFunction) g->set_target(n, g->resolved(*n->info()));
    g->set_span(n, {});
  }
  g->set_level(ir::Level::Module);
  return g;
}

std::vector<std::string> lines_of(std::string text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  auto blank = [](const std::string& l) { return l.find_first_not_of(' ') == std::string::npos; };
  while (!lines.empty() && blank(lines.front())) lines.erase(lines.begin());
  while (!lines.empty() && blank(lines.back())) lines.pop_back();
  return lines;
}

std::string call_text(const exec::Executable& run, float v) {
  const int n = static_cast<int>(v);
  return concat("  [", n, ", ", n, ", ", n, "] → ", value_text(run({filled_with(v)})[0], 0));
}

// Puts two lists of lines side by side. The first column has this width.
std::string beside(const std::vector<std::string>& left, const std::vector<std::string>& right, size_t width) {
  std::string text;
  for (size_t k = 0; k < std::max(left.size(), right.size()); ++k) {
    std::string line = fit(k < left.size() ? left[k] : "", width) + (k < right.size() ? right[k] : "");
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  return text;
}

// The part above the table, for a terminal of 80 columns: the function and its results beside the graph's code, then the graph beside the notes.
std::string upper_part(const ir::Graph& script, const std::string& notes) {
  auto heading = [](std::string_view text) { return styled(text, TextStyle::Bold); };
  std::vector<std::string> left{heading("A function that branches on a value")}, code{heading("the code of its graph")}, graph, right;
  for (const std::string& l : lines_of(kFunction)) left.push_back("  " + l);
  left.push_back(heading("the graph, run on both sides"));
  const exec::Executable run = exec::plan(script);
  for (float v : {20.0f, 1.0f}) left.push_back(call_text(run, v));
  for (const std::string& l : lines_of(ir::to_python(script))) code.push_back(l);
  for (const std::string& l : lines_of(ir::to_text(*plain_graph(script)))) graph.push_back("  " + l);
  for (const std::string& l : lines_of(wrap(notes, 28, 0))) right.push_back(styled(l, TextStyle::Dim));
  // The heading of the graph takes the last line beside the code.
  left.resize(std::max(left.size(), code.size() - 1));
  left.push_back(heading("its graph"));
  return beside(left, code, 37) + beside(graph, right, 51);
}

std::string coloured(const std::string& word) {
  return styled(word, word == "right"   ? TextStyle::Green
                      : word == "WRONG" ? TextStyle::Red
                      : word == "–"     ? TextStyle::Dim
                                        : TextStyle::Yellow);
}

std::string table_of(const std::vector<TourCell>& cells, const Json& pytorch, size_t equal, size_t graphs) {
  const std::string version = pytorch["version"];
  std::vector<std::string> header{""}, theirs{concat("PyTorch ", version.substr(0, version.rfind('.')))}, ours{"Monograph"};
  for (const TourCell& c : cells) {
    header.emplace_back(c.title);
    theirs.push_back(coloured(pytorch["cells"].value(c.key, "–")));
    ours.push_back(coloured(c.word));
  }
  TextTable table(header);
  table.row(theirs), table.row(ours);
  return table.to_string(static_cast<size_t>(terminal_width())) +
         concat(styled(equal == graphs ? concat("All ", graphs, " correct captures give the same graph")
                                       : concat(equal, " of the ", graphs, " correct captures give the same graph"),
                       TextStyle::Bold),
                ": canonical form and hash are equal.\n");
}

struct TourOptions {
  std::string save;
};

int tour(const TourOptions& o) {
  auto script = capture::script::compile_text(kFunction, "tour.py");
  std::vector<TourCell> cells;
  cells.push_back(capture_cell("trace", "trace", How::Trace, plain));
  cells.push_back({"script", "script", std::make_unique<ir::Unit>(), nullptr, "", ""});
  cells.back().graph = cells.back().unit->add_function(script->clone());
  cells.push_back(capture_cell("symbolic", "symbolic", How::Symbolic, plain));
  cells.push_back(capture_cell("trace_cond", "trace, cond", How::Trace, with_cond));
  cells.push_back(capture_cell("symbolic_cond", "symbolic, cond", How::Symbolic, with_cond));
  cells.push_back(saved_cell(*script));
  size_t equal = 0, graphs = 0;
  std::string guard;
  for (TourCell& c : cells) {
    judge(c);
    if (c.word == "guards") guard = c.words;
    if (c.word == "right") ++graphs, equal += passes::equal(*script, *c.graph);
  }
  std::string notes;
  if (!guard.empty()) {
    const size_t at = guard.rfind("\n  at ");
    notes = concat("guards: the trace checks the branch on each run. An input that takes the other one raises an error, at ",
                   at == std::string::npos ? "its line" : guard.substr(at + 6), " (the traced C++).\n\n");
  }
  notes += "Missing: running graphs from C.";
  out(upper_part(*script, notes) + "\n");
  out(table_of(cells, Json::parse(kPyTorch), equal, graphs));
  bool wrong = equal != graphs;
  for (const TourCell& c : cells) wrong = wrong || c.word == "WRONG";
  if (!o.save.empty()) {
    if (o.save.ends_with(".mgraph")) {
      save_mgraph(*script, o.save);
    } else {
      const std::string text = ir::to_text(*script);
      AtomicFile file(o.save);
      file.write(text.data(), text.size());
      file.commit();
    }
    out(concat("saved: ", printable(o.save), "; now try `monograph info ", printable(o.save), "`\n"));
  }
  return wrong ? kCheckFailed : kDone;
}

Action prepare(CLI::App& app) {
  auto o = std::make_shared<TourOptions>();
  app.add_option("--save", o->save, "Save the function's graph, so that you can try the other verbs: as .mgraph, or else as text.")
      ->type_name("FILE");
  return [o] { return tour(*o); };
}

constexpr Example kExamples[] = {
    {"monograph tour", "The function, its graph and code, both branches, and the table."},
    {"monograph tour --save tour.txt", "The same, and the graph in a file."},
};

}  // namespace

const Verb kTour{
    "tour",
    "[--save FILE]",
    "one screen: a function with a branch in every capture, beside PyTorch",
    "Captures a function with a branch on a value, in every way. Runs each graph on both sides of the branch, and compares the "
    "results with those of the function. Monograph's row is computed now; PyTorch's row was stored when PyTorch was run "
    "(tools/oracle/freeze_tour.py).",
    kExamples,
    prepare};

}  // namespace monograph::cli
