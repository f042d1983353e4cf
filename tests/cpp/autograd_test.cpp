// Gradients over the records themselves: every differentiable pointwise operator and row program against central differences in float64,
// once and twice; then what the tape promises about views, writes in place, hooks and depth.
#include "autograd/engine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ops/dispatch.h"
#include "ops/registry.h"

namespace monograph {
namespace {

class Autograd : public testing::Test {
 protected:
  static void SetUpTestSuite() { install_autograd(); }
};

// Away from kinks, ties and the ends of domains: in (0.2, 0.8), or beyond 1.
Tensor sample(const Operator& op, std::mt19937& random, std::initializer_list<int64_t> sizes = {2, 3}) {
  Tensor t = empty(sizes, DType::f64);
  std::uniform_real_distribution<double> number(0.2, 0.8);
  for (int64_t i = 0; i < t.numel(); ++i) t.data_as<double>()[i] = number(random) + (op.is_special(Special::BeginsAtOne) ? 1.0 : 0.0);
  return t;
}

// The arguments of a call made by the schema alone; false where a kind of argument is unknown here.
bool make_args(const Operator& op, std::mt19937& random, std::vector<IValue>& args) {
  for (const ir::Argument& a : op.schema().arguments()) {
    if (a.type.is(ir::TypeKind::Tensor)) {
      Tensor t = sample(op, random);
      if (a.name == "condition" || a.name == "mask") args.push_back("gt"_op(t, 0.5));
      else args.push_back(t);
    } else if (a.type.is(ir::TypeKind::Number) && !a.default_value) {
      args.push_back(0.6);
    } else if (a.name == "dim") {
      args.push_back(a.type.is(ir::TypeKind::Int)                                                    ? IValue(1)
                     : a.type.is(ir::TypeKind::Optional) && !a.type.element().is(ir::TypeKind::List) ? IValue(1)
                                                                                                     : IValue(Dims{1}));
    } else if (a.default_value) {
      const ir::ArgRef d = (*a.default_value)[0];
      switch (d.kind()) {
        case ir::ArgKind::None: args.emplace_back(); break;
        case ir::ArgKind::Bool: args.push_back(d.as_bool()); break;
        case ir::ArgKind::Int: args.push_back(d.as_int()); break;
        case ir::ArgKind::Float: args.push_back(d.as_float()); break;
        case ir::ArgKind::Str: args.push_back(d.as_str()); break;
        default: return false;
      }
    } else {
      return false;
    }
  }
  return true;
}

Tensor total(const Operator& op, const std::vector<IValue>& args) {
  std::vector<IValue> results(std::max<size_t>(op.schema().returns().size(), 1));
  call(op, args.data(), results.data());
  // Unequal weights, so that an error in one element cannot hide behind another.
  Tensor y = results[0].to_tensor(), weights = "reshape"_op("arange"_op(1, y.numel() + 1), y.sizes());
  return "sum"_op("mul"_op(y, weights));
}

double value(const Tensor& t) { return *t.data_as<double>(); }

// f's derivative along every element of x by central differences.
template <class F>
std::vector<double> differences(const Tensor& x, F&& f) {
  std::vector<double> out;
  GradModeScope off(false);
  for (int64_t i = 0; i < x.numel(); ++i) {
    double& place = x.data_as<double>()[i];
    const double old = place, step = 1e-6;
    place = old + step;
    const double high = f();
    place = old - step;
    const double low = f();
    place = old;
    out.push_back((high - low) / (2 * step));
  }
  return out;
}

void expect_near(const Operator& op, const char* what, const Tensor& got, const std::vector<double>& want) {
  ASSERT_EQ(got.numel(), static_cast<int64_t>(want.size())) << op.name();
  Tensor flat = "contiguous"_op(got);
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(flat.data_as<double>()[i], want[i], 2e-5 * std::max(1.0, std::abs(want[i])))
        << op.name() << ": " << what << ", element " << i;
}

bool differentiable(const Operator& op) {
  if (op.functional || op.no_gradient || !(op.gradient || op.derived_gradient) || !(op.pointwise || op.rows)) return false;
  return op.pointwise ? contains(op.pointwise->dtypes, DType::f64) : contains(op.rows->dtypes, DType::f64);
}

TEST_F(Autograd, EveryRecordAgainstCentralDifferences) {
  std::mt19937 random(7);
  int checked = 0, twice = 0;
  for (const auto& owned : Registry::global().all()) {
    const Operator& op = *owned;
    std::vector<IValue> args;
    if (!differentiable(op) || !make_args(op, random, args)) continue;
    for (size_t k = 0; k < args.size(); ++k) {
      if (!args[k].is_tensor() || args[k].as_tensor().dtype() != DType::f64) continue;
      Tensor x = args[k].to_tensor();
      set_requires_grad(x, true);
      Tensor y = total(op, args);
      std::vector<Tensor> g = gradients({&y, 1}, {}, {&x, 1}, {.create_graph = true}, true);
      EXPECT_TRUE(g[0].defined()) << op.name() << " by argument " << k;
      if (!g[0].defined()) continue;
      expect_near(op, "gradient", g[0], differences(x, [&] { return value(total(op, args)); }));
      ++checked;
      if (g[0]->requires_grad) {
        Tensor weights = "reshape"_op("arange"_op(1, x.numel() + 1), x.sizes()), s = "sum"_op("mul"_op(g[0], weights));
        std::vector<Tensor> gg = gradients({&s, 1}, {}, {&x, 1}, {}, true);
        auto first = [&] {
          GradModeScope on(true);
          Tensor z = total(op, args);
          std::vector<Tensor> d = gradients({&z, 1}, {}, {&x, 1}, {}, false);
          return value("sum"_op("mul"_op(d[0], weights)));
        };
        if (gg[0].defined()) expect_near(op, "second gradient", gg[0], differences(x, first)), ++twice;
      }
      set_requires_grad(x, false);
    }
  }
  EXPECT_GT(checked, 90);
  EXPECT_GT(twice, 40);
}

TEST_F(Autograd, FusedAndRecordedSlopesAgree) {
  std::mt19937 random(3);
  for (const auto& owned : Registry::global().all()) {
    const Operator& op = *owned;
    std::vector<IValue> args;
    if (!differentiable(op) || !op.derived_gradient || !make_args(op, random, args) || !args[0].is_tensor() ||
        args[0].as_tensor().dtype() != DType::f64)
      continue;
    Tensor x = args[0].to_tensor();
    set_requires_grad(x, true);
    Tensor y = total(op, args);
    std::vector<Tensor> recorded = gradients({&y, 1}, {}, {&x, 1}, {.retain_graph = true, .create_graph = true}, false);
    std::vector<Tensor> fused = gradients({&y, 1}, {}, {&x, 1}, {}, false);
    for (int64_t i = 0; i < x.numel(); ++i)
      EXPECT_NEAR(recorded[0].data_as<double>()[i], fused[0].data_as<double>()[i], 1e-12) << op.name();
  }
}

Tensor vector_of(std::initializer_list<double> values) {
  Tensor t = empty({static_cast<int64_t>(values.size())}, DType::f64);
  std::copy(values.begin(), values.end(), t.data_as<double>());
  return t;
}

std::vector<double> grad_values(const Tensor& t) {
  Tensor g = "contiguous"_op(grad_meta(t).grad);
  return {g.data_as<double>(), g.data_as<double>() + g.numel()};
}

TEST_F(Autograd, AWriteThroughAViewReachesItsBase) {
  Tensor x = vector_of({1, 2, 3});
  set_requires_grad(x, true);
  Tensor y = "mul"_op(x, 1.0), first = "select"_op(y, 0, 0);
  "mul_"_op(first, 5.0);
  Tensor sum = "sum"_op(y);
  backward({&sum, 1}, {}, {});
  EXPECT_EQ(grad_values(x), (std::vector<double>{5, 1, 1}));
}

TEST_F(Autograd, AViewFollowsAWriteToItsBase) {
  Tensor x = vector_of({1, 2, 3});
  set_requires_grad(x, true);
  Tensor y = "mul"_op(x, 1.0), tail = "slice"_op(y, 0, 1, 3);
  "mul_"_op(y, 4.0);
  Tensor sum = "sum"_op(tail);
  backward({&sum, 1}, {}, {});
  EXPECT_EQ(grad_values(x), (std::vector<double>{0, 4, 4}));
}

TEST_F(Autograd, AChangedValueThatIsNeededIsAnError) {
  Tensor x = vector_of({1, 2}), w = vector_of({3, 4});
  set_requires_grad(x, true);
  Tensor y = "mul"_op(x, w), sum = "sum"_op(y);
  "add_"_op(w, 1.0);
  try {
    backward({&sum, 1}, {}, {});
    FAIL() << "the gradient of x would be wrong";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("modified by an inplace operation"), std::string::npos) << e.what();
  }
}

TEST_F(Autograd, ALeafIsNotWritten) {
  Tensor x = vector_of({1, 2});
  set_requires_grad(x, true);
  EXPECT_THROW("add_"_op(x, 1.0), Error);
  EXPECT_THROW("mul_"_op("select"_op(x, 0, 0), 2.0), Error);
}

TEST_F(Autograd, ASecondBackwardNeedsTheGraphKept) {
  Tensor x = vector_of({2});
  set_requires_grad(x, true);
  Tensor y = "mul"_op(x, x), sum = "sum"_op(y);
  backward({&sum, 1}, {}, {.retain_graph = true});
  backward({&sum, 1}, {}, {});
  EXPECT_EQ(grad_values(x), (std::vector<double>{8}));
  EXPECT_THROW(backward({&sum, 1}, {}, {}), Error);
}

TEST_F(Autograd, ALongTapeNeedsNoStack) {
  Tensor x = vector_of({1});
  set_requires_grad(x, true);
  Tensor y = x;
  for (int i = 0; i < 50000; ++i) y = "add"_op(y, 1.0);
  Tensor sum = "sum"_op(y);
  backward({&sum, 1}, {}, {.retain_graph = true});
  EXPECT_EQ(grad_values(x), (std::vector<double>{1}));
}

}  // namespace
}  // namespace monograph
