// Captures from sixteen threads at once: each thread has the graphs that one thread alone has. The thread sanitizer sees whether they share anything.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "capture/capture.h"
#include "capture/script/compiler.h"
#include "exec/interpreter.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "passes/canonical.h"

namespace monograph::capture {
namespace {

constexpr int kThreads = 16, kRounds = 5;

constexpr const char* kText = R"(
def forward(x):
    total = x * 0
    for k in range(x.size(0)):
        if bool(x.sum() > k):
            total = total + x * k
        else:
            total = total - x
    return total.softmax(0)
)";

Tensor ramp(std::initializer_list<int64_t> sizes) {
  Tensor t = empty(Dims(sizes));
  for (int64_t k = 0; k < t.numel(); ++k) t.data_as<float>()[k] = static_cast<float>(k) / 2;
  return t;
}

// A weight that all threads share.
struct Model {
  Tensor weight = ramp({3, 3});
};

Tensor straight(const Model& m, const Tensor& x) {
  Tensor y = "relu"_op("matmul"_op(x, m.weight));
  Tensor row = "select"_op(y, 0, 0);
  "mul_"_op(row, 2);
  return "mul"_op("softmax"_op(y, 1), "sym_size"_op(x, 0));
}

Tensor branch(const Model& m, const Tensor& x) {
  return cond(
      "gt"_op("sum"_op(x), 4), [&](const std::vector<Tensor>& v) { return std::vector<Tensor>{"add"_op(v[0], m.weight)}; },
      [](const std::vector<Tensor>& v) { return std::vector<Tensor>{"neg"_op(v[0])}; }, {x})[0];
}

Tensor loop(const Model& m, const Tensor& x) {
  return while_loop([](const std::vector<Tensor>& v) -> Tensor { return "lt"_op("sum"_op(v[0]), 100); },
                    [&](const std::vector<Tensor>& v) { return std::vector<Tensor>{"add"_op("mul"_op(v[0], 2), m.weight)}; }, {x})[0];
}

using Program = Tensor (*)(const Model&, const Tensor&);
constexpr Program kPrograms[] = {straight, branch, loop};

// The text and the hash of each graph, and the first element of what it computes.
std::vector<std::string> all_graphs(const Model& m) {
  std::vector<std::string> found;
  auto add = [&](const ir::Graph& g) {
    ir::verify(g);
    found.push_back(ir::to_text(g));
    found.push_back(passes::hash(g));
    found.push_back(std::to_string(exec::plan(g)({ramp({3, 3})})[0].to_tensor().data_as<float>()[0]));
  };
  for (Program p : kPrograms)
    for (How how : {How::Trace, How::Symbolic}) {
      CaptureOptions options;
      options.how = how;
      options.attribute = [&](const Tensor& t) { return t.is_same(m.weight) ? std::string("weight") : std::string(); };
      // The graph gets the weight as a constant where it is run: it is named for the text alone.
      Captured named = capture([&](const Tensor& x) { return p(m, x); }, options, ramp({3, 3}));
      found.push_back(ir::to_text(*named.graph));
      options.attribute = nullptr;
      add(*capture([&](const Tensor& x) { return p(m, x); }, options, ramp({3, 3})).graph);
    }
  add(*script::compile_text(kText, "model.py"));
  return found;
}

TEST(CaptureThreads, SixteenAtOnceMakeTheGraphsOfOneAlone) {
  const Model model;
  const std::vector<std::string> alone = all_graphs(model);
  ASSERT_EQ(alone.size(), 27);
  std::atomic<int> waiting = kThreads;
  std::vector<std::vector<std::vector<std::string>>> found(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      --waiting;
      while (waiting) std::this_thread::yield();
      for (int round = 0; round < kRounds; ++round) found[t].push_back(all_graphs(model));
    });
  for (std::thread& t : threads) t.join();
  for (const auto& rounds : found)
    for (const auto& graphs : rounds) EXPECT_EQ(graphs, alone);
}

}  // namespace
}  // namespace monograph::capture
