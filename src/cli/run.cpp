// `monograph run`: reads the inputs, checks them against the graph's types, runs the graph once, and prints or writes the results.
#include <unistd.h>

#include <chrono>

#include "cli/inputs.h"
#include "cli/terminal.h"
#include "cli/values.h"
#include "core/generator.h"
#include "core/threads/pool.h"
#include "exec/freeze.h"
#include "exec/interpreter.h"
#include "formats/npy.h"
#include "ops/dispatch.h"

namespace monograph::cli {
namespace {

struct RunOptions {
  std::string file, function, mode;
  InputOptions inputs;
  std::vector<std::string> outputs;
  int threads = 0;
  bool json = false;
};

void write_outputs(const std::vector<NamedValue>& values, const std::vector<std::string>& paths) {
  MONOGRAPH_CHECK(paths.size() <= values.size(), Value, "--output is given ", paths.size(), " times, but the graph gives ",
                  plural(static_cast<int64_t>(values.size()), "value"), "\n  give --output at most once for each value");
  for (size_t k = 0; k < paths.size(); ++k) {
    Tensor t = as_tensor(values[k].value);
    if (t.dtype() == DType::bf16) {  // NumPy has no bfloat16; float32 holds all of its values
      t = "to"_op(t, DType::f32);
      std::fprintf(stderr, "monograph: note: %s is bfloat16, which NumPy lacks; %s holds the same values as float32\n",
                   values[k].path.c_str(), paths[k].c_str());
    }
    save_npy(paths[k], t);
  }
}

int run(const RunOptions& o) {
  if (o.threads) set_num_threads(o.threads);
  const Model m = open_program(o.file);
  ir::Graph& graph = m.graph(o.function);
  if (!o.mode.empty() && !exec::set_mode(graph, o.mode == "train"))
    throw UsageError(
        concat("--mode ", o.mode, ": the graph reads the mode of no module, so it computes the same in training and in evaluation"),
        "leave --mode out; a file holds both modes if the module was saved, traced.save('model.mgraph')");
  ir::infer_types(graph);
  Binding binding(graph, o.inputs);
  const exec::Executable call = exec::plan(graph);
  std::vector<IValue> inputs = binding.make();
  default_generator().manual_seed(o.inputs.seed);
  const GradModeScope gradients(computes_gradients(*m.unit));
  const auto begin = std::chrono::steady_clock::now();
  std::vector<IValue> results;
  {
    const Progress progress("running");
    results = call(std::move(inputs));
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const std::vector<NamedValue> values = leaves(results);
  write_outputs(values, o.outputs);
  if (o.json) {
    Json all = Json::array();
    for (const NamedValue& v : values) all.push_back({{"name", v.path}, {"value", value_json(v.value)}});
    out(json_text(Json({{"outputs", all}, {"seconds", seconds}, {"threads", num_threads()}})) + "\n");
    return kDone;
  }
  for (size_t k = 0; k < values.size(); ++k) {
    const std::string written = k < o.outputs.size() ? concat(" -> ", printable(o.outputs[k])) : "";
    out(concat(styled(printable(values[k].path), TextStyle::Bold), ": ", shape_text(values[k].value), written, "\n"));
    if (written.empty()) out(concat("  ", value_text(values[k].value, 2), "\n"));
  }
  if (isatty(STDOUT_FILENO))
    out(styled(concat("ran in ", seconds_text(seconds), " on ", plural(num_threads(), "thread")), TextStyle::Dim) + "\n");
  return kDone;
}

Action prepare(CLI::App& app) {
  auto o = std::make_shared<RunOptions>();
  app.add_option("FILE", o->file, "A graph file.")->required();
  o->inputs.add_to(app);
  app.add_option("--output", o->outputs, "Write a result as .npy instead of printing it. May be repeated: results in order.")
      ->type_name("FILE.npy")
      ->allow_extra_args(false);
  app.add_option("--function", o->function, "The function to run (default: forward).")->type_name("NAME");
  app.add_option("--mode", o->mode, "Run the modules in training or in evaluation (default: the mode that they were saved in).")
      ->type_name("train|eval")
      ->check(CLI::IsMember({"train", "eval"}));
  app.add_option("--threads", o->threads, "Threads (default: the CPUs that the process may use).")
      ->type_name("N")
      ->check(number_in(1, kMaxThreads));
  app.add_flag("--json", o->json, "Print the results as JSON, on one line.");
  return [o] { return run(*o); };
}

constexpr Example kExamples[] = {
    {"monograph run tour.txt --input text:1,2,3:float32", "Runs it on three numbers, and prints the result."},
    {"monograph run tour.txt --input x=x.npy --output y.npy",
     "Runs it on an array, given by the input's name, and writes the result to a file."},
};

}  // namespace

const Verb kRun{
    "run",
    "FILE [--input SPEC…] [options]",
    "run a graph on arrays, numbers or random inputs",
    "Runs one function of a graph file. Inputs are checked against its types before anything runs. An error names the input and "
    "what was expected.",
    kExamples,
    prepare};

}  // namespace monograph::cli
