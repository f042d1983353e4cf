// The first gradients of every differentiable record by each of its floating tensors, against PyTorch's on the frozen cases in float32,
// float64 and complex numbers of them (tests/data/ops, or fresh samples from tests/python/test_oracle_ops.py). And their second gradients, against
// differences of the first ones.
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <map>

#include "autograd/engine.h"
#include "frozen_compare.h"
#include "frozen_ops.h"

namespace monograph {
namespace {

using frozen::Json;

// What flows back into a result; freeze_ops.py has the same numbers, all of them exact.
Tensor weights(const Tensor& y) {
  Tensor w = empty(y.sizes(), DType::c128);
  for (int64_t i = 0; i < w.numel(); ++i)
    w.data_as<std::complex<double>>()[i] = {(static_cast<double>(i * 7 % 11) - 5.5) / 4, (static_cast<double>(i * 5 % 13) - 6.5) / 4};
  return "to"_op(is_complex(y.dtype()) ? w : Tensor("real"_op(w)), y.dtype());
}

std::vector<Tensor> floating_tensors(const std::vector<IValue>& values) {
  std::vector<Tensor> out;
  auto add = [&](const IValue& v) {
    if (!v.is_tensor() || !v.as_tensor().defined()) return;
    if (is_floating(v.as_tensor().dtype()) || is_complex(v.as_tensor().dtype())) out.push_back(v.to_tensor());
  };
  for (const IValue& v : values) {
    add(v);
    if (v.is_list() || v.is_tuple())
      for (const IValue& item : v.items()) add(item);
  }
  return out;
}

// Gradients of `inputs`, which are among the arguments; an undefined one where there is none.
std::vector<Tensor> gradients_by(const Operator& op, const std::vector<IValue>& args, const std::vector<Tensor>& inputs,
                                 bool create_graph) {
  std::vector<Tensor> roots, incoming;
  for (const Tensor& t : inputs) set_requires_grad(t, true);
  IValue result = frozen::run_op(op, args);
  for (const Tensor& y : floating_tensors(result.is_tuple() || result.is_list() ? result.items() : std::vector<IValue>{result}))
    if (y->requires_grad && (roots.empty() || !op.is_special(Special::FirstResultAlone)))
      roots.push_back(y), incoming.push_back(weights(y));
  if (roots.empty()) return std::vector<Tensor>(inputs.size());
  return gradients(roots, incoming, inputs, {.create_graph = create_graph}, true);
}

// Gradients of the first `asked` tensors among the arguments; undefined ones as zeros.
std::vector<Tensor> our_gradients(const Operator& op, const std::vector<IValue>& args, size_t asked) {
  std::vector<Tensor> inputs = floating_tensors(args);
  inputs.resize(asked);
  std::vector<Tensor> out = gradients_by(op, args, inputs, false);
  for (size_t k = 0; k < out.size(); ++k)
    if (!out[k].defined()) out[k] = "zeros"_op(inputs[k].sizes(), inputs[k].dtype());
  return out;
}

// Where both libraries are far from each other, since a gradient is what is left of greater ones: whether ours is about as near as PyTorch's to
// what float64 gives.
bool as_exact(const Operator& op, const std::vector<IValue>& args, size_t asked, size_t k, const Tensor& got, const Tensor& want) {
  if (real_type(want.dtype()) != DType::f32) return false;
  std::vector<IValue> exactly;
  for (const IValue& v : args) exactly.push_back(frozen::in_double(v));
  return frozen::as_near(got, want, our_gradients(op, exactly, asked)[k]);
}

// PyTorch's rule overflows into a NaN where the gradient is tiny; the record's does not.
void forgive_overflow(const Tensor& got, const Tensor& want) {
  dispatch(want.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>)
      for (int64_t i = 0; i < want.numel(); ++i)
        if (T& w = want.data_as<T>()[i], x = contiguous(got).data_as<T>()[i]; std::isnan(w) && std::abs(x) < T(1e-30)) w = x;
  });
}

class Gradients : public testing::TestWithParam<frozen::Family> {
 protected:
  static void SetUpTestSuite() { install_autograd(); }
};

TEST_P(Gradients, EqualPyTorchs) {
  std::ifstream file(GetParam().file);
  ASSERT_TRUE(file) << "run in the repository's root";
  const Operator* op = nullptr;
  size_t cases = 0, failed = 0;
  std::map<std::string, int> shown;
  for (std::string text; std::getline(file, text);) {
    Json line = Json::parse(text);
    if (line.contains("op")) op = frozen::find(line["op"].get<std::string>(), GetParam().copy);
    if (!op || !line.contains("g") || op->no_gradient) continue;
    if (op->is_special(Special::TurnedVectors)) continue;  // its gradient is that of its vectors, with their signs: test_linalg.py
    ++cases;
    std::vector<IValue> args;
    std::string problem;
    if (!frozen::bind_case(*op, line["a"], args)) continue;  // ops_test says so
    try {
      const Json& expected = line["g"];
      auto asked = static_cast<size_t>(std::ranges::count_if(expected, [](const Json& g) { return !g.is_boolean(); }));
      std::vector<Tensor> got = our_gradients(*op, args, asked);
      double scale = 0, eps = 64 * 0x1p-53;
      for (const Tensor& t : floating_tensors(args))
        if (real_type(t.dtype()) == DType::f32) eps = 32 * 0x1p-24;
      for (const IValue& v : args) scale = std::max(scale, frozen::largest(v));
      if (op->is_special(Special::RoundsEachFactor)) eps *= std::max(1.0, static_cast<double>(args[0].as_tensor().numel()) / 16);
      if (op->is_special(Special::RoughGradient)) eps = std::max(eps, 1e-10);
      if (op->is_special(Special::Factorization)) eps *= 8;  // as ops_test says
      for (size_t k = 0; k < got.size() && problem.empty(); ++k) {
        Tensor want =
            expected[k].is_null() ? static_cast<Tensor>("zeros"_op(got[k].sizes(), got[k].dtype())) : frozen::read_tensor(expected[k]);
        if (op->is_special(Special::GradientOverflowIsNaN)) forgive_overflow(got[k], want);
        if (op->is_special(Special::Factorization))
          scale = std::max(scale, 16 * frozen::largest(want));  // it solves systems, several times
        problem = frozen::compare(got[k], want, eps, eps * scale);
        if (!problem.empty() && frozen::compare(got[k], want, frozen::kFar * eps, frozen::kFar * eps * scale).empty() &&
            as_exact(*op, args, asked, k, got[k], want))
          problem.clear();
        if (!problem.empty()) problem = concat("gradient ", k, ": ", problem);
      }
    } catch (const Error& e) {
      problem = concat("raises: ", e.what());
    }
    if (problem.empty()) continue;
    ++failed;
    if (shown[op->name()]++ < 3) ADD_FAILURE() << op->name() << ": " << problem << "\n    " << line["a"].dump().substr(0, 300);
  }
  EXPECT_EQ(failed, 0u) << "of " << cases << " cases";
  std::cout << cases << " gradients\n";
}

// --- Second gradients.

// A direction to move a tensor in. It goes with no symmetry of the elements.
Tensor direction(const Tensor& y) {
  Tensor d = empty(y.sizes(), DType::c128);
  for (int64_t i = 0; i < d.numel(); ++i)
    d.data_as<std::complex<double>>()[i] = {(static_cast<double>(i * 3 % 7) - 3.25) / 4, (static_cast<double>(i * 5 % 9) - 4.25) / 4};
  return "to"_op(is_complex(y.dtype()) ? d : Tensor("real"_op(d)), y.dtype());
}

// How much a step along `d` changes what has the gradient `g`.
Tensor along(const Tensor& g, const Tensor& d) {
  if (!is_complex(g.dtype())) return "sum"_op("mul"_op(g, d));
  return "sum"_op("mul"_op("view_as_real"_op(g), "view_as_real"_op(d)));
}

double number(const Tensor& t) { return static_cast<Tensor>("contiguous"_op(t)).data_as<double>()[0]; }

// The argument, where its floating tensors become leaves that lie `step` farther along their directions; the first `asked` of them.
IValue moved(const IValue& v, double step, size_t asked, std::vector<Tensor>& leaves) {
  if (v.is_list()) {
    std::vector<IValue> items;
    for (const IValue& item : v.items()) items.push_back(moved(item, step, asked, leaves));
    return IValue::list(std::move(items));
  }
  if (!v.is_tensor() || !v.as_tensor().defined() || leaves.size() == asked) return v;
  const Tensor& t = v.as_tensor();
  if (!is_floating(t.dtype()) && !is_complex(t.dtype())) return v;
  leaves.push_back("add"_op(t, "mul"_op(direction(t), step)));
  return leaves.back();
}

// The arguments, moved by `step`. `leaves` takes those that moved.
std::vector<IValue> moved(const std::vector<IValue>& args, double step, size_t asked, std::vector<Tensor>& leaves) {
  std::vector<IValue> values;
  leaves.clear();
  for (const IValue& v : args) values.push_back(moved(v, step, asked, leaves));
  return values;
}

// The results along their weights, as one number.
double value_at(const Operator& op, const std::vector<IValue>& args, double step, size_t asked) {
  std::vector<Tensor> leaves;
  const std::vector<IValue> values = moved(args, step, asked, leaves);
  for (const Tensor& t : leaves) set_requires_grad(t, true);
  const IValue result = frozen::run_op(op, values);
  double total = 0;
  bool first = true;
  for (const Tensor& y : floating_tensors(result.is_tuple() || result.is_list() ? result.items() : std::vector<IValue>{result}))
    if (y->requires_grad && (first || !op.is_special(Special::FirstResultAlone))) total += number(along(y, weights(y))), first = false;
  return total;
}

// The first gradients along their directions, as one number that has a gradient, where the arguments have moved by `step`.
Tensor first_gradients(const Operator& op, const std::vector<IValue>& args, double step, size_t asked, std::vector<Tensor>& leaves) {
  Tensor total;
  for (const Tensor& g : gradients_by(op, moved(args, step, asked, leaves), leaves, true))
    if (g.defined()) total = total.defined() ? Tensor("add"_op(total, along(g, direction(g)))) : along(g, direction(g));
  return total.defined() ? total : Tensor("zeros"_op(Dims(), DType::f64));
}

bool is_double(const std::vector<IValue>& args) {
  const std::vector<Tensor> tensors = floating_tensors(args);
  return !tensors.empty() && std::ranges::all_of(tensors, [](const Tensor& t) { return real_type(t.dtype()) == DType::f64; });
}

// The slope of f, by differences; NaN where it is not steady: at a corner, or where numbers overflow.
template <class F>
double slope_of(F&& f, double here) {
  const double step = 2e-5;
  const double far = (f(here + step) - f(here - step)) / (2 * step), near = (f(here + step / 2) - f(here - step / 2)) / step;
  return std::abs(far - near) < 1e-4 * std::max({1.0, std::abs(far), std::abs(f(here))}) ? far : NAN;
}

// "" where the second gradients are the slope of the first ones along their directions. Not compared where differences are not steady, and where first
// gradients are no slope along any direction: those of an operator that reads one triangle of a symmetric matrix are symmetric.
std::string second_difference(const Operator& op, const std::vector<IValue>& args, size_t asked, bool& compared) {
  const double here = 0.0137;  // samples have zeros and equal elements, where functions have corners
  std::vector<Tensor> leaves;
  double values = 0, firsts = 0;
  try {
    values = slope_of([&](double place) { return value_at(op, args, place, asked); }, here);
  } catch (const Error&) {
    return "";  // the moved arguments are wrong ones
  }
  firsts = slope_of(
      [&](double place) {
        std::vector<Tensor> others;
        return number(first_gradients(op, args, place, asked, others));
      },
      here);
  Tensor first = first_gradients(op, args, here, asked, leaves);
  double of_values = 0, of_inputs = 0, of_firsts = 0, largest = std::max({1.0, std::abs(firsts), std::abs(number(first))});
  std::vector<Tensor> inputs;
  const std::vector<Tensor> slopes = gradients_by(op, moved(args, here, asked, inputs), inputs, false);
  for (size_t k = 0; k < slopes.size(); ++k) {
    of_inputs += number(along(inputs[k], direction(inputs[k])));
    if (slopes[k].defined()) of_values += number(along(slopes[k], direction(inputs[k])));
  }
  if (!std::isfinite(of_inputs) || !std::isfinite(number(first)) || !std::isfinite(firsts) || !std::isfinite(values) ||
      std::abs(values - of_values) > 1e-3 * std::max(1.0, std::abs(values)))
    return "";
  if (first->requires_grad) {
    std::vector<Tensor> second = gradients({&first, 1}, {}, leaves, {}, true);
    for (size_t k = 0; k < second.size(); ++k) {
      if (!second[k].defined()) continue;
      const double part = number(along(second[k], direction(leaves[k])));
      of_firsts += part, largest = std::max(largest, std::abs(part));
    }
  }
  compared = true;
  if (std::abs(of_firsts - firsts) <= 1e-3 * largest) return "";
  return concat("the second gradient along a direction is ", of_firsts, ", and differences of the first ones give ", firsts);
}

TEST_P(Gradients, OfGradientsAreTheirSlopes) {
  std::ifstream file(GetParam().file);
  ASSERT_TRUE(file) << "run in the repository's root";
  const Operator* op = nullptr;
  std::map<std::string, size_t> tried;
  std::map<std::string, std::string> refused;
  size_t compared = 0;
  for (std::string text; std::getline(file, text);) {
    Json line = Json::parse(text);
    if (line.contains("op")) op = frozen::find(line["op"].get<std::string>(), GetParam().copy);
    if (!op || !line.contains("g") || op->no_gradient || op->is_special(Special::TurnedVectors)) continue;
    std::vector<IValue> args;
    if (!frozen::bind_case(*op, line["a"], args) || !is_double(args)) continue;
    const bool complex = std::ranges::any_of(floating_tensors(args), [](const Tensor& t) { return is_complex(t.dtype()); });
    if (++tried[concat(op->name(), complex)] > 8) continue;
    std::string problem;
    bool was_compared = false;
    try {
      auto asked = static_cast<size_t>(std::ranges::count_if(line["g"], [](const Json& g) { return !g.is_boolean(); }));
      problem = second_difference(*op, args, asked, was_compared);
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::NotImplemented) refused[op->name()] = e.what();
      else if (e.kind() != ErrorKind::LinearAlgebra) problem = concat("raises: ", e.what());
    }
    compared += was_compared;
    if (!problem.empty()) ADD_FAILURE() << op->name() << ": " << problem << "\n    " << line["a"].dump().substr(0, 300);
  }
  for (const auto& [name, reason] : refused) std::cout << name << " has no second gradient: " << reason << "\n";
  std::cout << compared << " second gradients\n";
}

INSTANTIATE_TEST_SUITE_P(Families, Gradients, testing::ValuesIn(frozen::families()), frozen::name_of);

}  // namespace
}  // namespace monograph
