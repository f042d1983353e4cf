// Decomposition: every record's own definition in core operators gives the bits of its kernel, on PyTorch's frozen cases.
#include "passes/decompose.h"

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <regex>
#include <set>

#include "exec/interpreter.h"
#include "frozen_ops.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "ops/decomposition.h"
#include "ops/pointwise.h"

namespace monograph {
namespace {

// "" where both are the same bits, but for the sign and payload of a NaN.
std::string difference(const IValue& got, const IValue& want) {
  if (want.is_list() || want.is_tuple()) {
    if ((!got.is_list() && !got.is_tuple()) || got.items().size() != want.items().size()) return "another number of results";
    for (size_t k = 0; k < want.items().size(); ++k)
      if (std::string s = difference(got.items()[k], want.items()[k]); !s.empty()) return s;
    return "";
  }
  if (!want.is_tensor()) return got.is(want) ? "" : "another value";
  Tensor a = got.to_tensor(), b = want.to_tensor();
  if (a.dtype() != b.dtype()) return concat("dtype ", name(a.dtype()), " instead of ", name(b.dtype()));
  if (a.sizes() != b.sizes()) return concat("sizes ", to_string(a.sizes()), " instead of ", to_string(b.sizes()));
  a = contiguous(a), b = contiguous(b);
  int64_t size = element_size(a.dtype());
  Tensor nan_a, nan_b;
  if (is_floating(a.dtype())) nan_a = "isnan"_op(a), nan_b = "isnan"_op(b);
  for (int64_t k = 0; k < a.numel(); ++k) {
    if (nan_a.defined() && nan_a.data_as<bool>()[k] && nan_b.data_as<bool>()[k]) continue;
    if (std::memcmp(a.data() + k * size, b.data() + k * size, static_cast<size_t>(size)) != 0) return concat("element ", k, " differs");
  }
  return "";
}

bool has_zero_size(const std::vector<IValue>& inputs) {
  for (const IValue& v : inputs)
    if (v.is_tensor() && v.as_tensor().numel() == 0) return true;
  return false;
}

TEST(Decompose, EveryRecordHasTheBitsOfItsKernel) {
  install_operators();
  std::map<std::string, std::string> failures;
  std::set<std::string> done, inside, wanted;
  for (const auto& op : Registry::global().all()) {
    Decomposition kind = decomposition(*op);
    if (!op->functional && (kind == Decomposition::Body || kind == Decomposition::Rows)) wanted.insert(op->name());
  }
  size_t cases = 0;
  frozen::for_each_case([&](const Operator& op, const std::vector<IValue>& args, const frozen::Json&) {
    if (!op.schema().is_pure() || failures.contains(op.name()) || op.effects().reads || op.decompose_reads == Reads::Strides) return;
    Decomposition kind = decomposition(op);
    if (kind != Decomposition::Body && kind != Decomposition::Rows && kind != Decomposition::Stated) return;
    std::vector<IValue> inputs;
    std::unique_ptr<ir::Graph> graph;
    try {
      graph = frozen::graph_of(op, args, inputs);
      exec::plan (*graph)(inputs);
    } catch (const Error&) {
      return;  // what PyTorch computes and this operator does not: counted in ops_test
    }
    // The maximum of no elements is an error; a softmax of none is not.
    if (kind == Decomposition::Rows && has_zero_size(inputs)) return;
    auto before = graph->clone();
    std::string text = ir::to_text(*graph);
    try {
      if (kind == Decomposition::Stated && !done.contains(op.name())) {  // the parts that it is made of are then taken apart with it
        auto parts = graph->clone();
        passes::decompose(*parts, [&](const ir::Node& n) { return n.info()->name() == op.name(); });
        for (const ir::Node* n : ir::NestedNodes(*parts))
          if (n->info()) inside.insert(n->info()->name());
      }
      if (!passes::decompose(*graph)) return;
      ir::verify(*graph);
      IValue expected = exec::plan(*before)(inputs)[0];
      IValue got = exec::plan(*graph)(inputs)[0];
      if (std::string s = difference(got, expected); !s.empty()) failures[op.name()] = s + "\n" + text + ir::to_text(*graph);
      ++cases, done.insert(op.name());
    } catch (const std::exception& e) {
      failures[op.name()] = concat(e.what(), "\n", text, ir::to_text(*graph));
    }
  });
  for (const auto& [op, message] : failures) ADD_FAILURE() << op << ": " << message;
  done.merge(inside);
  for (const std::string& op : done) wanted.erase(op);
  // Copies of the families (cmake/Copies.cmake) are made of the originals.
  std::erase_if(wanted, [&](const std::string& op) { return done.contains(std::regex_replace(op, std::regex("_copy[0-9]+"), "")); });
  for (const std::string& op : wanted) ADD_FAILURE() << op << " is never decomposed";
  std::cout << cases << " cases of " << done.size() << " operators\n";
}

TEST(Decompose, TakesSiluSoftmaxAndLinearApart) {
  auto g = ir::parse_graph(R"(graph(%x : Float(*, 8), %w : Float(4, 8), %b : Float(4)):
  %l = aten::linear(%x, %w, %b)
  %s = aten::silu(%l)
  %y = aten::softmax.int(%s, -1)
  return (%y)
)");
  ir::infer_types(*g);
  EXPECT_EQ(passes::decompose(*g, [](const ir::Node& n) { return n.info()->name() == "aten::silu"; }), 1u);
  std::string text = ir::to_text(*g);
  EXPECT_NE(text.find("aten::linear"), std::string::npos) << text;
  EXPECT_EQ(text.find("aten::silu"), std::string::npos) << text;
  EXPECT_EQ(passes::decompose(*g) > 0, true);
  std::string names;
  for (ir::Node* n : *g->root())
    if (n->info()) names += std::string(n->info()->schema().name().substr(6)) + " ";
  EXPECT_EQ(names, "transpose mm add neg exp add div amax sub exp sum div ") << ir::to_text(*g);
  ir::verify(*g);
}

}  // namespace
}  // namespace monograph
