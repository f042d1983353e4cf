// An operator of a user, registered from outside of src/ops by one record, through every interpretation.
#include <gtest/gtest.h>

#include "autograd/engine.h"
#include "capture/capture.h"
#include "codegen/jit.h"
#include "exec/interpreter.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "ops/decomposition.h"
#include "ops/infer.h"
#include "ops/registry.h"
#include "ops/rule.h"
#include "passes/canonical.h"
#include "passes/decompose.h"
#include "passes/onnx.h"

namespace monograph {
namespace {

// The whole change: one row.
void register_mine() {
  Registry::global()
      .pointwise("mine::leaky(Tensor self, float slope=0.1) -> Tensor", [](Num x, Num slope) { return where(x > 0.0, x, x * slope); })
      .dtypes(kFloating)
      .inplace()
      .out()
      .gradient(derived)
      .onnx("LeakyRelu(self, alpha=slope)")
      .doc("self where it is positive, else slope times self.");
}

// One that is made of others, with a gradient of its own.
void register_cube() {
  Registry::global()
      .op("mine::cube(Tensor self) -> Tensor")
      .rule([](RuleCall& c) { c.like(0, c.sizes(0)); })
      .decompose([](const IValue* a) -> IValue { return "mul"_op("mul"_op(a[0], a[0]), a[0]); }, Reads::Nothing)
      .onnx(none("a test"))
      .doc("self to the power of 3.");
}

// One that reads a size as a number: its decomposition holds for that size only.
void register_by_count() {
  Registry::global()
      .op("mine::by_count(Tensor self) -> Tensor")
      .rule([](RuleCall& c) { c.like(0, c.sizes(0)); })
      .decompose([](const IValue* a) -> IValue { return "mul"_op("mul"_op(a[0], a[0].as_tensor().sizes()[0]), a[0]); })
      .onnx(none("a test"))
      .doc("self squared times its first size.");
}

class Mine : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    install_autograd();
    install_operators();
    register_mine();
    register_cube();
    register_by_count();
  }
};

Tensor of(std::initializer_list<float> values) {
  Tensor t = empty({static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.data_as<float>());
  return t;
}
std::vector<float> values(const IValue& v) {
  Tensor t = "contiguous"_op(v);
  return {t.data_as<float>(), t.data_as<float>() + t.numel()};
}
Tensor sample() { return of({-2, -0.0f, 0, 0.5f, 3, -HUGE_VALF, HUGE_VALF, 1e-40f}); }

TEST_F(Mine, RunsEagerlyInEveryForm) {
  Tensor x = of({-2, 0.5f});
  EXPECT_EQ(values("mine::leaky"_op(x)), (std::vector<float>{-0.2f, 0.5f}));
  EXPECT_EQ(values("mine::leaky"_op(x, 0.5)), (std::vector<float>{-1, 0.5f}));
  Tensor wide = "to"_op(x, DType::bf16);
  EXPECT_EQ(Tensor("mine::leaky"_op(wide, 0.5)).dtype(), DType::bf16);
  EXPECT_EQ(values("mine::leaky"_op("expand"_op("unsqueeze"_op(x, 0), Dims{2, 2}), 0.5)), (std::vector<float>{-1, 0.5f, -1, 0.5f}));
  "mine::leaky_"_op(x, 0.25);
  EXPECT_EQ(values(x), (std::vector<float>{-0.5f, 0.5f}));
  EXPECT_THROW("mine::leaky"_op("to"_op(x, DType::i64)), Error);
}

TEST_F(Mine, HasGradients) {
  Tensor x = of({-2, 0.5f}), w = of({3, 5});
  set_requires_grad(x, true);
  Tensor roots[] = {"sum"_op("mul"_op("mine::leaky"_op(x, 0.25), w))}, inputs[] = {x};
  EXPECT_EQ(values(gradients(roots, {}, inputs, {}, false)[0]), (std::vector<float>{0.75f, 5}));
  Tensor cubes[] = {"sum"_op("mine::cube"_op(x))};
  EXPECT_EQ(values(gradients(cubes, {}, inputs, {}, false)[0]), (std::vector<float>{12, 0.75f}));
}

TEST_F(Mine, ThatReadsASizeAsANumberHasGradientsInACaptureOfThatSizeOnly) {
  capture::CaptureOptions options;
  options.how = capture::How::Trace;
  capture::Captured c = capture::capture(
      [](Tensor given) -> Tensor {
        Tensor x = "detach"_op(given);
        set_requires_grad(x, true);
        Tensor roots[] = {"sum"_op("mine::by_count"_op(x))}, inputs[] = {x};
        return gradients(roots, {}, inputs, {}, false)[0];
      },
      options, of({-2, 0.5f}));
  const auto plan = exec::plan(*c.graph);
  EXPECT_EQ(values(plan({of({3, 4})})[0]), (std::vector<float>{12, 16}));
  EXPECT_THROW(plan({of({3, 4, 5})}), Error);  // eager has 6 * x here
}

constexpr const char* kText = R"(graph(%x : Float(*)):
  %y = mine::leaky(%x, 0.3)
  %z = mine::cube(%y)
  return (%z)
)";

TEST_F(Mine, IsCapturedInferredPrintedAndInterpreted) {
  auto f = [](Tensor x) -> Tensor { return "mine::cube"_op("mine::leaky"_op(x, 0.3)); };
  std::string expected_hash = passes::hash(*ir::parse_graph(kText));
  for (capture::How how : {capture::How::Trace, capture::How::Symbolic}) {
    capture::CaptureOptions o;
    o.how = how;
    capture::Captured c = capture::capture(f, o, sample());
    ir::verify(*c.graph);
    std::string text = ir::to_text(*c.graph), difference;
    EXPECT_NE(text.find("mine::leaky(%x, 0.3)"), std::string::npos) << text;
    EXPECT_TRUE(ir::identical(*ir::parse_graph(text), *c.graph, &difference)) << difference;
    EXPECT_EQ(passes::hash(*c.graph), expected_hash) << text;
    EXPECT_EQ(values(exec::plan(*c.graph)({sample()})[0]), values(f(sample())));
    EXPECT_TRUE(c.graph->output()->input(0)->type().is(ir::TypeKind::Tensor));
    EXPECT_EQ(c.graph->output()->input(0)->type().tensor().sizes->size(), 1u);
  }
}

TEST_F(Mine, ItsKernelHasTheBitsOfTheEvaluator) {
  const Operator& op = find_operator("mine::leaky");
  Jit jit;
  for (DType t : {DType::f32, DType::f64}) {
    Body body = expand(op.pointwise->record(t));
    KernelFn kernel = jit.compile(body, KernelForm::Pointwise);
    if (!kernel) GTEST_SKIP() << "no code for this instruction set";
    Tensor x = "to"_op(sample(), t), expected = "mine::leaky"_op(x, 0.3), got = empty(x.sizes(), t);
    double wide = 0.3;
    float narrow = 0.3f;
    char* operands[] = {got.data(), x.data(), t == DType::f32 ? reinterpret_cast<char*>(&narrow) : reinterpret_cast<char*>(&wide)};
    const int64_t size = element_size(t), inner[] = {size, size, 0}, outer[] = {0, 0, 0};
    kernel(operands, inner, x.numel(), outer, 1);
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), static_cast<size_t>(got.nbytes())), 0) << name(t);
  }
}

TEST_F(Mine, IsDecomposedAndExported) {
  EXPECT_EQ(decomposition(find_operator("mine::leaky")), Decomposition::Body);
  EXPECT_EQ(decomposition(find_operator("mine::cube")), Decomposition::Stated);
  auto g = ir::parse_graph(kText);
  ir::infer_types(*g);
  std::vector<float> expected = values(exec::plan(*g)({sample()})[0]);
  EXPECT_EQ(passes::decompose(*g), 2u);
  ir::verify(*g);
  EXPECT_EQ(ir::to_text(*g).find("mine::"), std::string::npos) << ir::to_text(*g);
  EXPECT_EQ(values(exec::plan(*g)({sample()})[0]), expected);
  // The one has an operator of ONNX, the other becomes those that it is made of.
  auto source = ir::parse_graph("graph(%x : Float(3)):\n  %y = mine::leaky(%x, 0.3)\n  %z = mine::cube(%y)\n  return (%z)\n");
  std::string onnx = ir::to_text(*passes::to_onnx(*source).graph);
  EXPECT_NE(onnx.find("onnx::LeakyRelu(%x, alpha=0.3)"), std::string::npos) << onnx;
  EXPECT_NE(onnx.find("onnx::Mul"), std::string::npos) << onnx;
}

TEST_F(Mine, IsNamedWhereItIsMissing) {
  auto g = ir::parse_graph("graph(%x : Float(3)):\n  %y = mine::lost(%x, 0.3)\n  return (%y)\n");
  EXPECT_NE(ir::to_text(*g).find("mine::lost"), std::string::npos);  // it prints and parses
  try {
    exec::plan(*g);
    FAIL() << "it runs";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("mine::lost"), std::string::npos) << e.what();
  }
  EXPECT_THROW(register_mine(), Error);  // a second record of one name
}

}  // namespace
}  // namespace monograph
