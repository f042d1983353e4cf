// Gradients as graphs: every record's gradient, put into a graph that knows sizes as numbers, as symbols, or not at all, gives what autograd gives, on
// PyTorch's frozen cases. Control flow is tested from Python (tests/python/test_differentiate.py).
#include "passes/differentiate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <map>
#include <set>

#include "autograd/engine.h"
#include "exec/interpreter.h"
#include "frozen_ops.h"
#include "ir/text.h"
#include "ir/verify.h"

namespace monograph {
namespace {

enum class KnownSizes { Numbers, Symbols, Ranks };

// What the graph knows of the sizes of its inputs.
void set_sizes(ir::Graph& graph, KnownSizes known) {
  size_t k = 0;
  for (ir::Node* p : graph.placeholders()) {
    ir::TensorType t = p->type().tensor();
    for (size_t d = 0; d < t.sizes->size(); ++d) {
      Symbol s;
      s.name = concat("s", k, "_", d);
      auto& size = (*t.sizes)[d];
      if (known == KnownSizes::Symbols) size = SymInt::symbol(s);
      if (known == KnownSizes::Ranks) size.reset();
    }
    graph.set_type(p, t), ++k;
  }
  ir::infer_types(graph);
}

void collect(const IValue& v, std::vector<Tensor>& out) {
  if (v.is_tensor() && is_floating(v.as_tensor().dtype())) out.push_back(v.to_tensor());
  if (v.is_list() || v.is_tuple())
    for (const IValue& item : v.items()) collect(item, out);
}

struct Expected {
  std::vector<Tensor> results, tangents, gradients;  // by floating input
};

// By autograd. Nothing where it has no gradient.
std::optional<Expected> expected_of(const ir::Graph& graph, const std::vector<IValue>& inputs) try {
  Expected e;
  std::vector<IValue> given;
  std::vector<Tensor> wanted;
  for (const IValue& v : inputs) {
    Tensor t = "clone"_op(v);
    if (is_floating(t.dtype())) set_requires_grad(t, true), wanted.push_back(t);
    given.emplace_back(t);
  }
  for (const IValue& v : exec::plan(graph)(given)) collect(v, e.results);
  std::vector<Tensor> roots;
  for (const Tensor& y : e.results) {
    e.tangents.push_back("full_like"_op(y, 0.5 + static_cast<double>(e.tangents.size())));
    if (y.requires_grad()) roots.push_back(y);
  }
  if (roots.empty() || roots.size() != e.results.size()) return {};
  e.gradients = gradients(roots, e.tangents, wanted, {}, true);
  return e;
} catch (const Error&) {
  return {};
}

Tensor flat(const Tensor& t) { return "contiguous"_op("to"_op("detach"_op(t), DType::f64)); }

std::string difference(const Tensor& found, const Tensor& expected) {
  if (!found.defined() || !expected.defined()) {
    const Tensor& other = found.defined() ? found : expected;
    return !other.defined() || !first_number("any"_op("ne"_op(other, 0))).to_bool() ? "" : "one of both is zero";
  }
  if (found.dtype() != expected.dtype()) return concat("dtype ", name(found.dtype()), " instead of ", name(expected.dtype()));
  if (found.sizes() != expected.sizes()) return concat("sizes ", to_string(found.sizes()), " instead of ", to_string(expected.sizes()));
  const Tensor a = flat(found), b = flat(expected);
  for (int64_t k = 0; k < a.numel(); ++k) {
    const double x = a.data_as<double>()[k], y = b.data_as<double>()[k];
    if (std::isnan(x) && std::isnan(y)) continue;
    if (x != y && !(std::abs(x - y) <= 1e-5 * std::abs(y) + 1e-7)) return concat("element ", k, " is ", x, " instead of ", y);
  }
  return "";
}

std::string compare(const passes::Differentiated& d, const std::vector<IValue>& inputs, const Expected& e) {
  ir::verify(*d.forward), ir::verify(*d.backward);
  std::vector<IValue> out = exec::plan(*d.forward)(inputs)[0].items(), given;
  for (const Tensor& t : e.tangents) given.emplace_back(t);
  given.insert(given.end(), out.begin() + static_cast<ptrdiff_t>(d.results), out.end());
  const IValue found = exec::plan(*d.backward)(given)[0];
  for (size_t k = 0; k < e.gradients.size(); ++k) {
    const IValue& g = found.items()[k];
    if (std::string s = difference(g.is_tensor() ? g.to_tensor() : Tensor(), e.gradients[k]); !s.empty())
      return concat("gradient ", k, ": ", s);
  }
  return "";
}

// What a gradient cannot do without: rules that compute with a size as a number.
bool is_refusal(const Error& e) { return e.kind() == ErrorKind::NotImplemented; }

// Where the graph raises, or differs at the edge, for a reason.
const std::map<std::string, std::string> kOtherwise = {
    {"aten::conv2d", "a convolution of no elements is one of its own in eager only"},
    {"aten::tensordot", "a graph takes contracted sizes for equal: one element beside more is an error when it runs"},
    {"aten::prod", "a capture takes one way for any number of zeros: beside an infinity two zeros give NaN"},
    {"aten::prod.dim_int", "likewise, and every factor of a row of 16-bit numbers is rounded"},
};

class EveryRecord : public testing::TestWithParam<KnownSizes> {};

TEST_P(EveryRecord, HasTheGradientOfAutograd) {
  install_operators();
  install_autograd();
  std::map<std::string, std::string> failures;
  std::set<std::string> done, refused;
  size_t cases = 0;
  frozen::for_each_case([&](const Operator& op, const std::vector<IValue>& args, const frozen::Json&) {
    if (!op.schema().is_pure() || failures.contains(op.name()) || op.effects().reads) return;
    if (kOtherwise.contains(op.original_name()) || op.schema().returns()[0].type.is(ir::TypeKind::List)) return;
    std::vector<IValue> inputs;
    std::unique_ptr<ir::Graph> graph;
    try {
      graph = frozen::graph_of(op, args, inputs);
      set_sizes(*graph, GetParam());
    } catch (const Error&) {
      return;
    }
    const std::optional<Expected> expected = expected_of(*graph, inputs);
    if (!expected) return;
    passes::Differentiated d;
    try {
      d = passes::differentiate(*graph);
      if (std::string s = compare(d, inputs, *expected); !s.empty())
        failures[op.name()] = concat(s, "\n", ir::to_text(*graph), ir::to_text(*d.forward), ir::to_text(*d.backward));
      ++cases, done.insert(op.name());
    } catch (const Error& e) {
      if (is_refusal(e)) refused.insert(concat(op.name(), ": ", e.what()));
      else failures[op.name()] = concat(e.what(), "\n", ir::to_text(*graph), d.backward ? ir::to_text(*d.backward) : "");
    } catch (const std::exception& e) {
      failures[op.name()] = concat(e.what(), "\n", ir::to_text(*graph));
    }
  });
  for (const auto& [op, message] : failures) ADD_FAILURE() << op << ": " << message;
  for (const std::string& why : refused) std::cout << "refused: " << why << "\n";
  std::cout << cases << " cases of " << done.size() << " operators, " << refused.size() << " refusals\n";
  EXPECT_GE(done.size(), 100u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, EveryRecord, testing::Values(KnownSizes::Numbers, KnownSizes::Symbols, KnownSizes::Ranks));

}  // namespace
}  // namespace monograph
