// One training step as a graph: forward, loss, autograd's backward pass and the update of the parameters, captured once in C++, run ten times by
// the interpreter, and equal to the same step run eagerly bit for bit.
#include <gtest/gtest.h>

#include <cstring>

#include "autograd/engine.h"
#include "capture/capture.h"
#include "exec/interpreter.h"
#include "ir/text.h"
#include "ir/verify.h"

namespace monograph {
namespace {

Tensor numbers(std::initializer_list<int64_t> sizes, float scale, int seed, DType dtype = DType::f32) {
  Tensor t = empty(sizes);
  for (int64_t k = 0; k < t.numel(); ++k) t.data_as<float>()[k] = scale * std::sin(static_cast<float>(k * 7 + seed));
  return dtype == DType::f32 ? t : Tensor("to"_op(t, dtype));
}

// linear, silu, linear, where, softmax, and a loss over all of them.
struct TrainedModel {
  Tensor w1, b1, w2;
  explicit TrainedModel(DType dtype = DType::f32)
      : w1(numbers({8, 5}, 0.5f, 1, dtype)), b1(numbers({8}, 0.1f, 2, dtype)), w2(numbers({4, 8}, 0.5f, 3, dtype)) {
    for (Tensor* t : parameters()) set_requires_grad(*t, true);
  }
  std::vector<Tensor*> parameters() { return {&w1, &b1, &w2}; }

  Tensor loss(const Tensor& x, const Tensor& y) const {
    Tensor h = "silu"_op("linear"_op(x, w1, b1));
    h = "add"_op(h, "where"_op("gt"_op(h, 0.0), h, 0.5));
    Tensor p = "softmax"_op("linear"_op("view"_op(h, Dims{-1, 8}), w2, nullptr), -1);
    Tensor d = "sub"_op(p, y);
    return "mean"_op("mul"_op(d, d));
  }

  Tensor step(const Tensor& x, const Tensor& y) {
    Tensor l = loss(x, y);
    Tensor roots[] = {l};
    std::vector<Tensor> wanted;
    for (Tensor* t : parameters()) wanted.push_back(*t);
    std::vector<Tensor> grads = gradients(roots, {}, wanted, {}, false);
    GradModeScope off(false);
    for (size_t k = 0; k < grads.size(); ++k) "add_"_op(wanted[k], grads[k], -0.1);
    return l;
  }
};

std::string bits(const Tensor& t) { return {t.data(), static_cast<size_t>(t.nbytes())}; }

class TrainingStep : public testing::TestWithParam<DType> {
 protected:
  static void SetUpTestSuite() { install_autograd(); }
};

TEST_P(TrainingStep, IsAGraph) {
  DType dtype = GetParam();
  Tensor x = numbers({6, 5}, 1, 4, dtype), y = numbers({6, 4}, 0.25f, 5, dtype);
  TrainedModel eager(dtype), traced(dtype);

  ir::Unit unit;
  ir::Class* type = unit.add_class("Model");
  type->is_module = true;
  const char* names[] = {"w1", "b1", "w2"};
  for (const char* n : names) type->attributes.push_back({n, ir::Attribute::Kind::Parameter, ir::TypeKind::Tensor, true});
  ir::Module* module = unit.add_module(type);
  for (size_t k = 0; k < 3; ++k)
    module->values[k].value = ir::Args(ir::TensorRef(std::make_shared<exec::LiveTensor>(*traced.parameters()[k])));
  unit.set_root(module);

  capture::CaptureOptions options;
  options.unit = &unit;
  options.attribute = [&](const Tensor& t) -> std::string {
    for (size_t k = 0; k < 3; ++k)
      if (t.is_same(*traced.parameters()[k])) return names[k];
    return "";
  };
  // Capturing runs the step once.
  capture::Captured c = capture::capture([&](Tensor a, Tensor b) { return traced.step(a, b); }, options, x, y);
  std::string text = ir::to_text(*c.graph);
  ir::verify(*c.graph);
  EXPECT_EQ(text.find("tensor("), std::string::npos) << "a value of the example became a constant\n" << text;
  EXPECT_NE(text.find("aten::add_.Tensor"), std::string::npos) << text;
  EXPECT_EQ(bits(c.result.to_tensor()), bits(eager.step(x, y)));

  exec::Executable run = exec::plan(*c.graph);
  for (int k = 0; k < 10; ++k) {
    Tensor batch = "mul"_op(x, 1.0 + 0.1 * k);
    Tensor expected = eager.step(batch, y), got;
    {
      GradModeScope off(false);  // the graph has its own backward pass
      got = run({batch, y})[0].to_tensor();
    }
    ASSERT_EQ(bits(got), bits(expected)) << "the loss of step " << k << "\n" << text;
    for (size_t p = 0; p < 3; ++p)
      ASSERT_EQ(bits(*traced.parameters()[p]), bits(*eager.parameters()[p])) << names[p] << " after step " << k;
  }
  // The backward pass reads sizes as symbols: the graph holds for other batches too.
  EXPECT_TRUE(c.graph->guards().empty()) << text;
  for (int64_t n : {1, 3, 9}) {
    Tensor batch = numbers({n, 5}, 1, 4, dtype), targets = numbers({n, 4}, 0.25f, 5, dtype), expected = eager.step(batch, targets), got;
    {
      GradModeScope off(false);
      got = run({batch, targets})[0].to_tensor();
    }
    ASSERT_EQ(bits(got), bits(expected)) << "a batch of " << n;
    for (size_t p = 0; p < 3; ++p)
      ASSERT_EQ(bits(*traced.parameters()[p]), bits(*eager.parameters()[p])) << names[p] << " of a batch of " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Dtypes, TrainingStep, testing::Values(DType::f32, DType::f64, DType::bf16, DType::f16),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace monograph
