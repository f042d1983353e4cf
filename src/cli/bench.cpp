// `monograph bench`: measures the median time of a call. Several graphs take turns, so a change of the machine's speed affects all of them.
#include <algorithm>
#include <chrono>

#include "cli/inputs.h"
#include "cli/terminal.h"
#include "cli/values.h"
#include "core/generator.h"
#include "core/threads/pool.h"
#include "exec/interpreter.h"
#include "ops/dispatch.h"

namespace monograph::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct BenchOptions {
  std::vector<std::string> files;
  std::string function;
  InputOptions inputs;
  int threads = 0, runs = 0;
  double seconds = 1;
  bool json = false;
};

constexpr int kWarmUp = 3, kLeastRuns = 5, kMostRuns = 10000;

struct TimedModel {
  Model model;
  std::unique_ptr<Binding> binding;
  std::optional<exec::Executable> call;
  std::vector<double> times;

  // The seconds of one call. Each call gets new inputs; making them is not timed.
  double time() {
    std::vector<IValue> inputs = binding->make();
    const Clock::time_point begin = Clock::now();
    std::vector<IValue> results = (*call)(std::move(inputs));
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  double quantile(double q) const {
    std::vector<double> sorted = times;
    std::sort(sorted.begin(), sorted.end());
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<size_t>(at);
    const size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (sorted[high] - sorted[low]) * (at - static_cast<double>(low));
  }
};

void measure(std::vector<TimedModel>& all, const BenchOptions& o) {
  const Clock::time_point begin = Clock::now();
  const double budget = o.seconds * static_cast<double>(all.size());
  auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  Progress progress("measuring", 1000);
  for (int k = 0; k < kWarmUp; ++k)
    for (TimedModel& c : all) {
      c.time();
      progress.at(0);
    }
  const double warm = elapsed();
  for (int k = 0; o.runs ? k < o.runs : k < kLeastRuns || (elapsed() - warm < budget && k < kMostRuns); ++k) {
    for (TimedModel& c : all) c.times.push_back(c.time());
    progress.at(static_cast<size_t>(o.runs ? 1000.0 * k / o.runs
                                           : 1000 * std::max((elapsed() - warm) / budget, static_cast<double>(k) / kMostRuns)));
  }
}

int bench(const BenchOptions& o) {
  if (o.threads) set_num_threads(o.threads);
  bool gradients = false;
  std::vector<TimedModel> all;
  for (const std::string& file : o.files) {
    TimedModel c{open_program(file), nullptr, {}, {}};
    ir::Graph& graph = c.model.graph(o.function);
    ir::infer_types(graph);
    c.binding = std::make_unique<Binding>(graph, o.inputs, true);
    c.call = exec::plan(graph);
    gradients = gradients || computes_gradients(*c.model.unit);
    all.push_back(std::move(c));
  }
  default_generator().manual_seed(o.inputs.seed);
  {
    const GradModeScope mode(gradients);
    measure(all, o);
  }
  const double first = all[0].quantile(0.5);
  if (o.json) {
    Json rows = Json::array();
    for (const TimedModel& c : all)
      rows.push_back({{"file", c.model.path},
                      {"median", c.quantile(0.5)},
                      {"fastest", c.quantile(0)},
                      {"tenth", c.quantile(0.1)},
                      {"ninetieth", c.quantile(0.9)},
                      {"runs", c.times.size()},
                      {"ratio", c.quantile(0.5) / first},
                      {"inputs", c.binding->describe()}});
    out(json_text(Json({{"threads", num_threads()}, {"warm_up", kWarmUp}, {"results", rows}}), 1) + "\n");
    return kDone;
  }
  TextTable table(all.size() > 1 ? std::vector<std::string>{"file", "median", "10 to 90 %", "fastest", "ratio"}
                                 : std::vector<std::string>{"file", "median", "10 to 90 %", "fastest"});
  table.right(1).right(2).right(3);
  if (all.size() > 1) table.right(4);
  for (const TimedModel& c : all) {
    std::vector<std::string> row{printable(c.model.path), seconds_text(c.quantile(0.5)),
                                 concat(seconds_text(c.quantile(0.1)), " – ", seconds_text(c.quantile(0.9))), seconds_text(c.quantile(0))};
    if (all.size() > 1) {
      char ratio[32];
      std::snprintf(ratio, sizeof ratio, "%.2f", c.quantile(0.5) / first);
      row.emplace_back(ratio);
    }
    table.row(std::move(row));
  }
  out(table.to_string(static_cast<size_t>(terminal_width())));
  std::string inputs;
  for (const std::string& line : all[0].binding->describe()) inputs += (inputs.empty() ? "" : "; ") + line;
  out(wrap(concat(plural(static_cast<int64_t>(all[0].times.size()), "run"), all.size() > 1 ? " each, interleaved," : "", " after ", kWarmUp,
                  " of warm-up, fresh inputs each, ", plural(num_threads(), "thread"), inputs.empty() ? "" : "; " + inputs),
           static_cast<size_t>(terminal_width()), 0) +
      "\n");
  return kDone;
}

Action prepare(CLI::App& app) {
  auto o = std::make_shared<BenchOptions>();
  app.add_option("FILE", o->files, "One graph file, or several to compare: their runs take turns.")->required();
  o->inputs.add_to(app);
  app.add_option("--runs", o->runs, "Runs of each graph (default: as many as --seconds allows, at least 5).")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--seconds", o->seconds, "Time for the runs of each graph (default 1).")->type_name("S")->check(number_in(0.001, 3600));
  app.add_option("--function", o->function, "The function to run (default: forward).")->type_name("NAME");
  app.add_option("--threads", o->threads, "Threads (default: the CPUs that the process may use).")
      ->type_name("N")
      ->check(number_in(1, kMaxThreads));
  app.add_flag("--json", o->json, "Print the figures as JSON, in seconds.");
  return [o] { return bench(*o); };
}

constexpr Example kExamples[] = {
    {"monograph bench tour.txt --input random:1000:float32 --seconds 0.1", "The median time of a call."},
    {"monograph bench tour.txt tour.txt --input random:1000:float32 --runs 20 --threads 1",
     "Two graphs that take turns, with the ratio of their times."},
};

}  // namespace

const Verb kBench{"bench",
                  "FILE… [--input SPEC…] [options]",
                  "the median time of a call, on new inputs for each call",
                  "Measures the time of a call, for one or more graphs. After a warm-up the graphs take turns. Each call gets new inputs; "
                  "making them is not timed. An input that you leave out is random, if the graph knows its shape.",
                  kExamples,
                  prepare};

}  // namespace monograph::cli
