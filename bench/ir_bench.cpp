// The graph at 1,000 to 100,000 nodes and up to 10,000 nested blocks: the time per node should not grow.
//
//   ir_bench --scaling      how much longer four times the graph takes, beside plain linear work in the same run: the rows of bench/graphs.py
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>

#include "ir/builder.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "passes/canonical.h"
#include "passes/dce.h"

namespace {

using namespace monograph;
using namespace monograph::ir;

std::unique_ptr<Graph> flat(int64_t nodes) {
  auto g = std::make_unique<Graph>();
  Node* x = g->placeholder("x", TypeKind::Tensor);
  Target relu = g->target("torch.relu");
  for (int64_t k = 0; k < nodes; ++k) x = g->create(Op::CallFunction, relu, Args(x));
  g->set_output(Args(x));
  return g;
}

std::unique_ptr<Graph> nested(int64_t depth) {
  auto g = std::make_unique<Graph>();
  Node* x = g->placeholder("x", TypeKind::Tensor);
  Node* c = g->placeholder("c", TypeKind::Bool);
  RegionBuilder b(*g);
  auto y = b.slot("y", Args(x));
  for (int64_t k = 0; k < depth; ++k) {
    if (k % 2) b.begin_if(c);
    else b.begin_loop(Args(int64_t{1} << 40), Args(true), std::span(&y, 1));
    b.set(y, Args(g->call("torch.relu", Args(b.get(y)[0]))));
  }
  for (int64_t k = depth; k-- > 0;)
    if (k % 2) b.end_if();
    else b.end_loop(Args(true));
  g->set_output(b.get(y));
  return g;
}

using Make = std::unique_ptr<Graph> (*)(int64_t);

template <class F>
void measure(benchmark::State& state, Make make, F&& f) {
  auto g = make(state.range(0));
  for (auto _ : state) f(*g);
  state.counters["per_node"] = benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(g->node_count()),
                                                  benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void register_all(const char* name, Make make, int64_t most) {
  auto add = [&](const char* what, auto f) {
    benchmark::RegisterBenchmark((std::string(name) + "/" + what).c_str(), [=](benchmark::State& s) { measure(s, make, f); })
        ->RangeMultiplier(10)
        ->Range(most / 100, most)
        ->Unit(benchmark::kMillisecond);
  };
  benchmark::RegisterBenchmark((std::string(name) + "/build").c_str(),
                               [=](benchmark::State& s) {
                                 for (auto _ : s) benchmark::DoNotOptimize(make(s.range(0)));
                               })
      ->RangeMultiplier(10)
      ->Range(most / 100, most)
      ->Unit(benchmark::kMillisecond);
  add("verify", [](Graph& g) { verify(g); });
  add("print", [](Graph& g) { benchmark::DoNotOptimize(to_text(g)); });
  add("print and parse", [](Graph& g) { benchmark::DoNotOptimize(parse_graph(to_text(g))); });
  add("hash", [](Graph& g) { benchmark::DoNotOptimize(passes::hash(g)); });
  add("copy", [](Graph& g) { benchmark::DoNotOptimize(g.clone()); });
  add("copy and remove dead code", [](Graph& g) {
    auto copy = g.clone();
    copy->set_output(Args(copy->placeholders()[0]));
    passes::eliminate_dead_code(*copy);
  });
}

// --- Scaling.

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// What linear work costs on this machine once it leaves the caches: n records as large as a node, each linked to the one before and found again
// through a table at places that no order predicts. Its time grows by more than n does.
void linear_work(int64_t n) {
  struct Record {
    Record* previous;
    uint64_t number;
    char rest[240];
  };
  size_t size = 1;
  while (size < static_cast<size_t>(2 * n)) size *= 2;
  Arena arena;
  std::vector<Record*> table(size);
  Record* last = nullptr;
  auto place = [&](uint64_t k) { return (k * 0x9e3779b97f4a7c15u >> 20) & (size - 1); };
  for (uint64_t k = 0; k < static_cast<uint64_t>(n); ++k) {
    Record* r = arena.make<Record>();
    r->previous = last, r->number = k;
    table[place(k)] = last = r;
  }
  uint64_t sum = 0;
  for (uint64_t k = 0; k < static_cast<uint64_t>(n); ++k)
    if (Record* r = table[place(k)]) sum += r->number;
  for (Record* r = last; r; r = r->previous) sum += r->number;
  benchmark::DoNotOptimize(sum);
}

// The least processor time of several rounds at n and 4 n, in turn, memory being there already.
double growth(int64_t n, const std::function<std::function<void()>(int64_t)>& prepare) {
  std::function<void()> small = prepare(n), large = prepare(4 * n);
  double least[2] = {1e9, 1e9};
  large();
  for (int round = 0; round < 7; ++round)
    for (int k = 0; k < 2; ++k) {
      double begin = cpu_seconds();
      (k ? large : small)();
      least[k] = std::min(least[k], cpu_seconds() - begin);
    }
  return least[1] / least[0];
}

// Times of one size over another's, of each step and of linear work. `parse` includes the printing of what it reads.
int scaling() {
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  const double linear = std::max(4.0, growth(100000, [](int64_t n) { return [=] { linear_work(n); }; }));
  using Step = std::pair<const char*, void (*)(Graph&)>;
  const Step steps[] = {{"verify", [](Graph& g) { verify(g); }},
                        {"print", [](Graph& g) { benchmark::DoNotOptimize(to_text(g)); }},
                        {"parse", [](Graph& g) { benchmark::DoNotOptimize(parse_graph(to_text(g))); }},
                        {"hash", [](Graph& g) { benchmark::DoNotOptimize(passes::hash(g)); }},
                        {"copy", [](Graph& g) { benchmark::DoNotOptimize(g.clone()); }},
                        {"dead_code", [](Graph& g) {
                           auto copy = g.clone();
                           copy->set_output(Args(copy->placeholders()[0]));
                           passes::eliminate_dead_code(*copy);
                         }}};
  auto report = [&](const char* graph, const char* what, double ratio) {
    std::printf("row %s_%s: %.3f %.3f\n", graph, what, ratio, linear);
  };
  const std::tuple<const char*, Make, int64_t> graphs[] = {{"flat", flat, 100000}, {"nested", nested, 2500}};
  for (auto [name, make, n] : graphs) {
    report(name, "build", growth(n, [=](int64_t m) { return [=] { benchmark::DoNotOptimize(make(m)); }; }));
    for (auto [what, step] : steps)
      report(name, what, growth(n, [=](int64_t m) {
               std::shared_ptr<Graph> g = make(m);
               return [=] { step(*g); };
             }));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && !std::strcmp(argv[1], "--scaling")) return scaling();
  register_all("flat", flat, 100000);
  register_all("nested", nested, 10000);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
