// `monograph tour`: captures one function that branches on a value in every way, runs each graph on both sides of the branch, and prints the verdicts beside
// PyTorch's, which are stored in tour_pytorch.inc. The text of the function is compiled here. The captures that run a function need Python: the package's
// module _tour makes them and hands over their graphs as files.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "capture/capture.h"
#include "capture/script/compiler.h"
#include "cli/python.h"
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

constexpr const char* kFunction =
    "def forward(x):\n"
    "    if torch.sum(x) > 10:\n"
    "        return x\n"
    "    else:\n"
    "        return x + 10\n";

constexpr const char* kPyTorch =
#include "cli/tour_pytorch.inc"
    ;

// The captures that run the function: the key of each in _tour.py and in tour_pytorch.inc, and the title of its column.
constexpr std::pair<const char*, const char*> kRunning[] = {{"trace", "trace"}, {"symbolic", "symbolic"}, {"compile", "compile, whole"}};

// What the function computes, without a capture.
Tensor plain(const Tensor& x) { return capture::truth("gt"_op("sum"_op(x), 10)) ? x : "add"_op(x, 10); }

struct TourCell {
  const char* key;
  const char* title;
  std::unique_ptr<ir::Unit> unit;  // keeps the graph
  const ir::Graph* graph = nullptr;
  std::string word;  // the verdict: "right", "WRONG", "guards", "raises", or "–" where there is no Python
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
    } catch (const Error&) {
      if (cell.word != "WRONG") cell.word = "guards";
    }
  }
}

// A new folder for temporary files, which is removed in the end.
class TourFolder {
 public:
  TourFolder() {
    std::error_code none;
    const std::filesystem::path all = std::filesystem::temp_directory_path(none);
    path_ = (all / "monograph_tour_XXXXXX").string();
    MONOGRAPH_CHECK(!none && mkdtemp(path_.data()), File, "the tour saves graphs in a folder for temporary files, and there is none: ",
                    none ? none.message() : std::strerror(errno),
                    "\n  set the environment variable TMPDIR to a folder that you can write to");
  }
  ~TourFolder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }
  TourFolder(const TourFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TourCell loaded_cell(const char* key, const char* title, const std::string& path) {
  TourCell cell{key, title, load_mgraph(path), nullptr, ""};
  cell.graph = &main_graph(*cell.unit);
  return cell;
}

// The cell of a capture that runs the function. Python has left its graph in the folder, or a note that it raised.
TourCell running_cell(const char* key, const char* title, const TourFolder& folder) {
  if (std::filesystem::exists(folder / concat(key, ".mgraph"))) return loaded_cell(key, title, folder / concat(key, ".mgraph"));
  return {key, title, nullptr, nullptr, std::filesystem::exists(folder / concat(key, ".raises")) ? "raises" : "–"};
}

// The cells of all captures: script second, as in PyTorch's row. The last one is the script's graph, saved and loaded.
std::vector<TourCell> tour_cells(const ir::Graph& script) {
  const TourFolder folder;
  std::ofstream(folder / "tour.py") << kFunction;
  run_python_module("monograph._tour", folder.path());
  std::vector<TourCell> cells;
  for (const auto& [key, title] : kRunning) cells.push_back(running_cell(key, title, folder));
  TourCell text{"script", "script", std::make_unique<ir::Unit>(), nullptr, ""};
  text.graph = text.unit->add_function(script.clone());
  cells.insert(cells.begin() + 1, std::move(text));
  save_mgraph(script, folder / "saved.mgraph");
  cells.push_back(loaded_cell("saved", "saved, run", folder / "saved.mgraph"));
  return cells;
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

// What stands beside the graph: what the table's words mean, and what is missing.
std::string notes_on(const std::vector<TourCell>& cells) {
  const bool python = std::ranges::none_of(cells, [](const TourCell& c) { return c.word == "–"; });
  return concat(
      python ? "WRONG: PyTorch's trace keeps only the side that its example takes, and says nothing."
             : "–: this capture runs the function in Python, and none was found that has the package monograph. Set MONOGRAPH_PYTHON.",
      "\n\nMissing: running graphs from C.");
}

struct TourOptions {
  std::string save;
};

int tour(const TourOptions& o) {
  auto script = capture::script::compile_text(kFunction, "tour.py");
  std::vector<TourCell> cells = tour_cells(*script);
  size_t equal = 0, graphs = 0;
  bool wrong = false;
  for (TourCell& c : cells) {
    judge(c);
    if (c.word == "right") ++graphs, equal += passes::equal(*script, *c.graph);
    wrong = wrong || c.word == "WRONG";
  }
  out(upper_part(*script, notes_on(cells)) + "\n");
  out(table_of(cells, Json::parse(kPyTorch), equal, graphs));
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
  return wrong || equal != graphs ? kCheckFailed : kDone;
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
    "(tools/oracle/freeze_tour.py). All captures but script need a Python that has the package monograph: the one that MONOGRAPH_PYTHON "
    "names, the one beside this command, or python3.",
    kExamples,
    prepare};

}  // namespace monograph::cli
