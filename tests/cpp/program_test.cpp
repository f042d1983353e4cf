// Programs: fused groups against the interpreter, bit for bit and stride for stride; what may not be fused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "exec/interpreter.h"
#include "ir/text.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/pointwise.h"

namespace monograph {
namespace {

using ir::Args;
using ir::Graph;
using ir::Node;

const bool installed = [] {
  install_operators();
  return true;
}();

std::unique_ptr<Graph> graph_of(const std::string& text) { return ir::parse_graph(text); }

// Values with zeros of both signs, subnormals, infinities and a NaN among them.
Tensor sample(Dims sizes, DType t, uint64_t seed) {
  std::mt19937_64 random(seed);
  Tensor out = empty(sizes);
  const float edges[] = {0.0f, -0.0f, 1e-40f, 88.0f, -88.0f, HUGE_VALF, -HUGE_VALF, std::nanf("")};
  for (int64_t k = 0; k < out.numel(); ++k)
    out.data_as<float>()[k] = random() % 16 == 0 ? edges[random() % 8] : 8 * static_cast<float>(random() % 65536) / 65536 - 4;
  return t == DType::f32 ? out : "to"_op(out, t);
}
// The same values, every second element of a wider row.
Tensor spread(const Tensor& t) {
  if (t.dim() != 2) return t;
  Tensor wide = empty({t.size(0), 2 * t.size(1) + 1}, t.dtype());
  Tensor view = wide.as_strided(t.sizes(), Dims{2 * t.size(1) + 1, 2}, 1);
  copy_into(view, t);
  return view;
}
Tensor transposed(const Tensor& t) { return t.dim() == 2 ? Tensor("transpose"_op("contiguous"_op("transpose"_op(t, 0, 1)), 0, 1)) : t; }

void expect_equal(const IValue& got, const IValue& want, const std::string& what) {
  const Tensor &g = got.as_tensor(), &w = want.as_tensor();
  ASSERT_EQ(g.dtype(), w.dtype()) << what;
  ASSERT_EQ(g.sizes(), w.sizes()) << what;
  EXPECT_EQ(g.strides(), w.strides()) << what;
  Tensor a = contiguous(g), b = contiguous(w), nan_a = "isnan"_op(a), nan_b = "isnan"_op(b);
  auto size = static_cast<size_t>(element_size(a.dtype()));
  for (int64_t k = 0; k < a.numel(); ++k) {
    if (nan_a.data_as<bool>()[k] && nan_b.data_as<bool>()[k]) continue;
    ASSERT_EQ(std::memcmp(a.data() + static_cast<size_t>(k) * size, b.data() + static_cast<size_t>(k) * size, size), 0)
        << what << ", element " << k;
  }
}

// A random graph of pointwise operators over three tensors of dtype t and, at times, a row that is broadcast.
std::unique_ptr<Graph> random_chain(DType t, std::mt19937& random) {
  auto g = std::make_unique<Graph>();
  ir::TensorType known;
  known.dtype = t;
  ir::Type type = ir::Type(known);
  std::vector<Node*> values{g->placeholder("x", type), g->placeholder("y", type), g->placeholder("z", type)};
  const char* unary[] = {"aten::tanh", "aten::sigmoid", "aten::exp", "aten::neg", "aten::relu", "aten::silu", "aten::gelu", "aten::sin"};
  const char* binary[] = {"aten::mul.Tensor", "aten::div.Tensor", "aten::maximum"};
  auto any = [&] { return values[random() % values.size()]; };
  for (int k = 0, n = 3 + static_cast<int>(random() % 12); k < n; ++k) {
    Node* last = values.back();
    switch (random() % 6) {
      case 0:
      case 1: values.push_back(g->call(unary[random() % 8], Args(last))); break;
      case 2: values.push_back(g->call(binary[random() % 3], Args(last, any()))); break;
      case 3: values.push_back(g->call("aten::add.Tensor", Args(last, any()).kw("alpha", random() % 2 ? 1 : 3))); break;
      case 4: values.push_back(g->call("aten::mul.Tensor", Args(last, random() % 2 ? Args(0.7) : Args(3)))); break;
      default: values.push_back(g->call("aten::where.self", Args(g->call("aten::gt.Scalar", Args(any(), 0.5)), last, any())));
    }
  }
  g->set_output(Args(values.back(), any()));
  return g;
}

class Programs : public testing::TestWithParam<DType> {};

TEST_P(Programs, HaveTheBitsOfTheInterpreter) {
  std::mt19937 random(7);
  size_t kernels = 0;
  for (int round = 0; round < 25; ++round) {
    auto g = random_chain(GetParam(), random);
    exec::Executable plain = exec::plan(*g), built = exec::build(*g);
    auto report = built.report();
    EXPECT_EQ(report.why, "");
    EXPECT_EQ(report.fused + report.calls, plain.report().calls);
    kernels += report.kernels;
    for (int shapes = 0; shapes < 6; ++shapes) {
      const Dims sizes[] = {{}, {1}, {33}, {5, 37}, {5, 1}, {64, 64}};
      Dims full = sizes[shapes];
      auto one = [&](uint64_t seed) {
        Dims s = full;
        if (s.size() == 2 && random() % 4 == 0) s = random() % 2 ? Dims{s[1]} : Dims{s[0], 1};
        else if (random() % 6 == 0) s = Dims{};
        Tensor v = sample(s, GetParam(), seed);
        return random() % 3 == 0 ? spread(v) : random() % 3 == 0 ? transposed(v) : v;
      };
      std::vector<IValue> inputs{one(1), one(2), one(3)};
      auto want = plain(inputs), got = built(inputs);
      for (size_t k = 0; k < want.size(); ++k) {
        expect_equal(got[k], want[k], concat("round ", round, ", shapes ", shapes, ", result ", k, "\n", ir::to_text(*g)));
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(kernels, 20u);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, Programs, testing::Values(DType::f32, DType::f64, DType::bf16, DType::f16),
                         [](const auto& info) { return std::string(name(info.param)); });

constexpr const char* kSeven = R"(graph(%x : Float(...), %y : Float(...)):
  %a : Tensor = aten::mul.Tensor(%x, %y)
  %b : Tensor = aten::add.Tensor(%a, 1.0)
  %c : Tensor = aten::sigmoid(%b)
  %d : Tensor = aten::neg(%x)
  %e : Tensor = aten::exp(%d)
  %f : Tensor = aten::mul.Tensor(%c, %e)
  %g : Tensor = aten::tanh(%f)
  %h : Tensor = aten::sub.Tensor(%g, %y)
  return (%h)
)";

TEST(Program, MakesOneKernelOfAChain) {
  auto report = exec::build(*graph_of(kSeven)).report();
  EXPECT_EQ(report.kernels, 1u);
  EXPECT_EQ(report.fused, 8u);
  EXPECT_EQ(report.calls, 0u);
}

// relu reads %x before the write, neg after it: they are no group.
TEST(Program, MovesNothingPastAWrite) {
  auto g = graph_of(R"(graph(%x : Float(...), %y : Float(...)):
  %a : Tensor = aten::relu(%x)
  %w : Tensor = aten::add_.Tensor(%x, %y)
  %b : Tensor = aten::mul.Tensor(%a, %y)
  return (%b)
)");
  exec::Executable run = exec::build(*g);
  EXPECT_EQ(run.report().kernels, 0u);
  auto inputs = [] { return std::vector<IValue>{sample({9}, DType::f32, 1), sample({9}, DType::f32, 2)}; };
  expect_equal(run(inputs())[0], exec::plan(*g)(inputs())[0], "after a write");
}

TEST(Program, FusesInsideOfLoops) {
  auto g = graph_of(R"(graph(%x : Float(...)):
  %r : Float(...) = prim::Loop(3, True, %x)
    block0(%i : int, %v : Float(...)):
      %a : Tensor = aten::sigmoid(%v)
      %b : Tensor = aten::mul.Tensor(%a, %x)
      -> (True, %b)
  return (%r)
)");
  exec::Executable run = exec::build(*g);
  EXPECT_EQ(run.report().kernels, 1u);
  Tensor x = sample({40}, DType::f32, 5);
  expect_equal(run({x})[0], exec::plan(*g)({x})[0], "in a loop");
}

TEST(Program, SaysTheErrorsOfItsOperators) {
  auto g = graph_of(kSeven);
  auto error_of = [](const exec::Executable& run) {
    try {
      run({sample({3}, DType::f32, 1), sample({4}, DType::f32, 2)});
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(error_of(exec::build(*g)), error_of(exec::plan(*g)));
  EXPECT_NE(error_of(exec::build(*g)).find("must match the size"), std::string::npos);
}

}  // namespace
}  // namespace monograph
