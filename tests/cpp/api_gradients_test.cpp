// Forward and backward passes as graphs, and training steps as graphs, through the public C++ API: docs/how_to/train.md as a C++ program.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "monograph/monograph.h"

using namespace monograph;

namespace {

using Tensors = std::vector<Tensor>;

constexpr int64_t kBatches[] = {1, 3, 7};  // beside the 4 that is captured

// The words of the error of just this class that f ends with; "" where it ends otherwise.
template <class E, class F>
std::string said(F&& f) {
  try {
    f();
  } catch (const Exception& e) {
    if (typeid(e) == typeid(E)) return e.what();
  }
  return "";
}

void expect_near(const Tensor& found, const Tensor& expected) {
  ASSERT_EQ(found.defined(), expected.defined());
  if (!found.defined()) return;
  ASSERT_EQ(found.sizes(), expected.sizes());
  const std::vector<double> a = found.values(), b = expected.values();
  for (size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-5 * (1 + std::abs(b[k]))) << "element " << k;
}

// Both passes of a captured program at other batch sizes, beside eager autograd. `inputs` are made for a batch.
template <class F, class Inputs>
void compare_with_autograd(F program, Inputs inputs, How how = How::Trace) {
  const Differentiated d = capture(program, inputs(4), how).differentiate();
  for (int64_t batch : kBatches) {
    SCOPED_TRACE("batch " + std::to_string(batch));
    Tensors given = inputs(batch), leaves;
    for (const Tensor& t : given) leaves.push_back(t.clone().requires_grad_());
    const Tensor expected = program(leaves[0], leaves[1]);
    const Tensor tangent = randn(expected.sizes(), Generator(static_cast<uint64_t>(batch)));
    const Tensors gradients = autograd::grad({expected}, leaves, {tangent}, false, false, true);

    Saved saved;
    const Tensors results = d.run(given, saved);
    ASSERT_EQ(results.size(), 1u);
    expect_near(results[0], expected.detach());
    const Tensors found = d.gradients({tangent}, saved);
    ASSERT_EQ(found.size(), d.names.size());
    ASSERT_EQ(found.size(), gradients.size());
    for (size_t k = 0; k < found.size(); ++k) expect_near(found[k], gradients[k]);
  }
}

Tensors batch_and_weights(int64_t batch) { return {randn({batch, 3}, Generator(1)), randn({3}, Generator(2))}; }

TEST(Differentiated, HoldsForEveryBatchSize) {
  auto f = [](Tensor x, Tensor w) { return tanh(x * w).sum(1); };
  compare_with_autograd(f, batch_and_weights);
  EXPECT_EQ(capture(f, batch_and_weights(4)).differentiate().names.size(), 2u);
}

TEST(Differentiated, GoesThroughLayersLossesAndViews) {
  compare_with_autograd([](Tensor x, Tensor w) { return softmax(x.unsqueeze(1) * w, -1).reshape({-1, 3}).t().pow(2).mean(); },
                        batch_and_weights);
  compare_with_autograd([](Tensor x, Tensor w) { return mse_loss(sigmoid(x + w), relu(x)); }, batch_and_weights);
  compare_with_autograd([](Tensor x, Tensor w) { return log_softmax(x * w, 1).flatten(); }, batch_and_weights);
}

TEST(Differentiated, GoesThroughABranch) {
  auto f = [](Tensor x, Tensor w) {
    return cond(
        x.sum() > 0, [](const Tensors& v) { return Tensors{v[0] * v[1]}; }, [](const Tensors& v) { return Tensors{(v[0] - v[1]).exp()}; },
        {x, w})[0];
  };
  for (double shift : {-5.0, 5.0})
    compare_with_autograd(f, [shift](int64_t batch) { return Tensors{randn({batch, 3}, Generator(1)) + shift, randn({3}, Generator(2))}; });
}

// The loop keeps in lists what its backward pass reads.
TEST(Differentiated, GoesThroughALoop) {
  auto f = [](Tensor x, Tensor w) {
    return while_loop([](const Tensors& v) { return v[0] < 5; }, [&](const Tensors& v) { return Tensors{v[0] + 1, tanh(v[1] * w + x)}; },
                      {tensor(int64_t{0}), x})[1];
  };
  compare_with_autograd(f, batch_and_weights);
  const Differentiated d = capture(f, batch_and_weights(4)).differentiate();
  EXPECT_NE(d.forward.str().find("prim::Loop"), std::string::npos);
  EXPECT_NE(d.backward.str().find("prim::Loop"), std::string::npos);
}

TEST(Differentiated, OfALoadedGraphAndSavedAgain) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "api_gradients";
  std::filesystem::create_directories(folder);
  const Tensors inputs = batch_and_weights(4), other = batch_and_weights(7);
  capture([](Tensor x, Tensor w) { return tanh(x * w).sum(1); }, inputs).save(folder / "program.mgraph");
  Differentiated d = load_graph(folder / "program.mgraph").differentiate();
  Saved saved;
  const Tensor y = d.run(other, saved).at(0);
  const Tensors gradients = d.gradients({ones_like(y)}, saved);
  // Each pass is a graph like another.
  d.forward.save(folder / "forward.mgraph"), d.backward.save(folder / "backward.mgraph");
  EXPECT_EQ(load_graph(folder / "backward.mgraph").hash(), d.backward.hash());
  d.forward = load_graph(folder / "forward.mgraph"), d.backward = load_graph(folder / "backward.mgraph");
  Saved again;
  EXPECT_EQ(d.run(other, again).at(0).values(), y.values());
  const Tensors same = d.gradients({ones_like(y)}, again);
  ASSERT_EQ(same.size(), 2u);
  for (size_t k = 0; k < 2; ++k) EXPECT_EQ(same[k].values(), gradients[k].values());
}

TEST(Differentiated, ForwardPassesMayBeOpenAtOnce) {
  const Differentiated d = capture([](Tensor x, Tensor w) { return (x * x * w).sum(1); }, batch_and_weights(4)).differentiate();
  Saved first, second;
  const Tensor w = ones({3});
  const Tensor y = d.run({full({2, 3}, 1.0), w}, first).at(0);
  const Tensor z = d.run({full({5, 3}, 3.0), w}, second).at(0);
  EXPECT_EQ(d.gradients({ones_like(y)}, first)[0].values(), std::vector<double>(6, 2.0));
  EXPECT_EQ(d.gradients({ones_like(z)}, second)[0].values(), std::vector<double>(15, 6.0));
  EXPECT_EQ(d.gradients({ones_like(y)}, first)[1].values(), std::vector<double>(3, 2.0));  // a backward pass leaves what was saved
}

TEST(Differentiated, NoGradientIsAnUndefinedTensor) {
  const Differentiated d = capture([](Tensor x, Tensor w) { return x * 2 + w.detach(); }, batch_and_weights(4)).differentiate();
  Saved saved;
  const Tensor y = d.run(batch_and_weights(3), saved).at(0);
  const Tensors gradients = d.gradients({ones_like(y)}, saved);
  ASSERT_EQ(gradients.size(), 2u);
  EXPECT_EQ(gradients[0].values(), std::vector<double>(9, 2.0));
  EXPECT_FALSE(gradients[1].defined());
}

TEST(Differentiated, SaysWhatIsWrong) {
  const Differentiated d = capture([](Tensor x, Tensor w) { return x * w; }, batch_and_weights(4)).differentiate();
  Saved saved;
  EXPECT_NE(said<ValueError>([&] { d.gradients({ones({4, 3})}, saved); }).find("call run() before gradients()"), std::string::npos);
  d.run(batch_and_weights(4), saved);
  EXPECT_THROW(d.gradients({}, saved), Exception);
  EXPECT_THROW(d.gradients({ones({4, 3}), ones({4, 3})}, saved), Exception);
  EXPECT_NE(said<ValueError>([] { Graph().differentiate(); }).find("was not assigned"), std::string::npos);
  EXPECT_NE(said<ValueError>([] { capture([](Tensor x) { return x > 0; }, {ones({2})}).differentiate(); }).find("no floating-point tensor"),
            std::string::npos);
}

// A program that asks autograd itself: its gradient and the next weights are nodes of one graph.
TEST(TrainingStep, IsAGraphForEveryBatchSize) {
  auto step = [](Tensor x, Tensor weight) {
    Tensor w = weight.detach().requires_grad_();
    Tensor loss = tanh(x * w).pow(2).mean();
    return Tensors{loss.detach(), weight - autograd::grad({loss}, {w})[0] * 0.1};
  };
  const Graph g = capture(step, batch_and_weights(4));
  for (int64_t batch : kBatches) {
    SCOPED_TRACE("batch " + std::to_string(batch));
    const Tensors inputs = batch_and_weights(batch), found = g.run(inputs), expected = step(inputs[0], inputs[1]);
    ASSERT_EQ(found.size(), 2u);
    for (size_t k = 0; k < 2; ++k) expect_near(found[k], expected[k]);
  }
  // Training by the graph alone lowers the loss.
  Tensors state = batch_and_weights(4);
  const double before = g.run(state)[0].item<double>();
  for (int k = 0; k < 50; ++k) state[1] = g.run(state)[1];
  EXPECT_LT(g.run(state)[0].item<double>(), before);
}

}  // namespace
