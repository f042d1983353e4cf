// The graph at 1,000 to 100,000 nodes and up to 10,000 nested blocks: the time per node should not grow.
#include <benchmark/benchmark.h>

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

}  // namespace

int main(int argc, char** argv) {
  register_all("flat", flat, 100000);
  register_all("nested", nested, 10000);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
