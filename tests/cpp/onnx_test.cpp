// ONNX by the rules of the records: out, the text read back, and in again; each exported form is one whose meaning was checked against ONNX's
// reference implementation (tests/data/onnx/verified.txt, by tools/oracle/freeze_onnx.py).
#include "passes/onnx.h"

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>

#include "exec/interpreter.h"
#include "frozen_ops.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "ops/onnx_rule.h"
#include "passes/canonical.h"
#include "test_errors.h"

namespace monograph {
namespace {

using frozen::Json;
using test::error_of;

// The nodes alone, in one line: what does not depend on sizes and dtypes.
std::string form(const ir::Graph& g) {
  std::string out;
  for (ir::Node* n : *g.root()) {
    if (n->op() != ir::Op::CallFunction) continue;
    out += concat(out.empty() ? "%" : "; %", n->name(), " = ", n->target().name(), "(");
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k) {
      out += k ? ", " : "";
      if (k >= n->positional_count()) out += concat(n->keyword(k - n->positional_count()), "=");
      ir::print_arg(out, *it);
    }
    out += ")";
  }
  return out;
}

Json json_of(ir::ArgRef a) {
  if (a.node()) return {{"n", a.node()->name()}};
  switch (a.kind()) {
    case ir::ArgKind::None: return nullptr;
    case ir::ArgKind::Bool: return a.as_bool();
    case ir::ArgKind::Int: return a.as_int();
    case ir::ArgKind::Float:
      return {{"f", [&] {
                 std::string s;
                 ir::print_float(s, a.as_float());
                 return s;
               }()}};
    case ir::ArgKind::Str: return a.as_str();
    case ir::ArgKind::DType: return {{"d", name(a.as_dtype())}};
    default: {
      Json list = Json::array();
      for (ir::ArgRef part : a) list.push_back(json_of(part));
      return list;
    }
  }
}

// The graph as tools/oracle/freeze_onnx.py reads it, from the file that MONOGRAPH_ONNX_CASES names.
Json json_of(const ir::Graph& g, const Json& line) {
  Json nodes = Json::array(), inputs = Json::array();
  for (ir::Node* n : *g.root()) {
    if (n->op() == ir::Op::Placeholder) inputs.push_back(n->name());
    if (n->op() != ir::Op::CallFunction) continue;
    Json in = Json::array(), attributes = Json::object();
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k)
      if (k < n->positional_count()) in.push_back(json_of(*it));
      else attributes[n->keyword(k - n->positional_count())] = json_of(*it);
    nodes.push_back({{"name", n->name()}, {"op", n->target().name().substr(6)}, {"in", in}, {"at", attributes}});
  }
  Json out = Json::array();
  for (auto it = g.output()->args_begin(); it != g.output()->args_end(); ++it) out.push_back(json_of(*it));
  return {{"form", form(g)}, {"inputs", inputs}, {"nodes", nodes}, {"out", out}, {"a", line["a"]}, {"r", line["r"]}};
}

struct Exported {
  std::unique_ptr<ir::Graph> graph;
  passes::OnnxGraph onnx;
};

// The reference implementation has no bfloat16 arithmetic and no complex numbers.
bool verifiable(const std::vector<IValue>& inputs, const std::string& text) {
  auto has = [](DType t) { return t == DType::bf16 || is_complex(t); };
  for (const IValue& v : inputs)
    if (has(v.as_tensor().dtype())) return false;
  return text.find("torch.bfloat16") == std::string::npos && text.find("torch.complex") == std::string::npos;
}

// Beside integers PyTorch truncates floats and wraps negative numbers around; ONNX has no form for either.
bool odd_number(const std::vector<IValue>& args) {
  auto of = [](const IValue& v) {
    return v.is_tensor() ? v.as_tensor().dtype() : v.tag() == IValue::Tag::Dtype ? v.to_dtype() : DType::f32;
  };
  if (std::ranges::none_of(args, [&](const IValue& v) { return is_integral(of(v)); })) return false;
  const bool bytes = std::ranges::any_of(args, [&](const IValue& v) { return of(v) == DType::u8; });
  return std::ranges::any_of(
      args, [&](const IValue& v) { return v.is_float() || (bytes && v.is_int() && (v.to_int() < 0 || v.to_int() > 255)); });
}

std::set<std::string> verified() {
  std::set<std::string> forms;
  std::ifstream in("tests/data/onnx/verified.txt");
  for (std::string line; std::getline(in, line);) forms.insert(line);
  return forms;
}

TEST(Onnx, EveryRuleGoesOutAndIn) {
  install_operators();
  std::map<std::string, std::string> failures;
  std::set<std::string> done, wanted;
  for (const auto& op : Registry::global().all())
    if (!op->functional && onnx_rule(*op)) wanted.insert(op->name());
  const std::set<std::string> meanings = verified();
  const char* path = std::getenv("MONOGRAPH_ONNX_CASES");
  std::ofstream cases;
  if (path) cases.open(path);
  std::map<std::string, int> unverified;
  size_t count = 0;
  frozen::for_each_case([&](const Operator& op, const std::vector<IValue>& args, const Json& line) {
    if (!op.schema().is_pure() || !onnx_rule(op) || failures.contains(op.name())) return;
    std::vector<IValue> inputs;
    std::unique_ptr<ir::Graph> graph;
    try {
      graph = frozen::graph_of(op, args, inputs);
    } catch (const Error&) {
      return;  // refused here: counted in ops_test
    }
    ir::Node* call = graph->root()->last()->previous();
    while (call->is_projection()) call = call->previous();
    if (!passes::why_not_onnx(*call).empty()) return;
    try {
      passes::OnnxGraph onnx = passes::to_onnx(*graph);
      std::string text = ir::to_text(*onnx.graph), difference;
      ir::verify(*onnx.graph);
      if (!ir::identical(*ir::parse_graph(text), *onnx.graph, &difference)) failures[op.name()] = difference + "\n" + text;
      if (path) cases << json_of(*onnx.graph, line).dump() << "\n";
      if (!meanings.contains(form(*onnx.graph)) && !op.is_special(Special::ReferenceDiffers) && !odd_number(args) &&
          verifiable(inputs, form(*onnx.graph)))
        ++unverified[concat(op.name(), ": ", form(*onnx.graph))];
      ++count, done.insert(op.name());
      if (!onnx_rule(op)->both_ways) return;
      auto back = passes::from_onnx(onnx);
      ir::verify(*back);
      if (passes::equal(*graph, *back, &difference)) return;
      passes::OnnxGraph again = passes::to_onnx(*back);
      bool same_node = form(*again.graph) == form(*onnx.graph);
      bool converted = text.find("onnx::Cast(") != std::string::npos;  // a promotion that became visible
      bool shared = op.is_special(Special::ReadsBackOtherwise) || converted || op.copy != 0;  // a copy's nodes are read as the original's
      if (!same_node || !shared) failures[op.name()] = difference + "\n" + ir::to_text(*graph) + text + ir::to_text(*back);
    } catch (const std::exception& e) {
      failures[op.name()] = concat(e.what(), "\n", ir::to_text(*graph));
    }
  });
  for (const auto& [op, message] : failures) ADD_FAILURE() << op << ": " << message;
  for (const std::string& op : done) wanted.erase(op);
  for (const std::string& op : wanted) std::cout << "no frozen case exports " << op << "\n";
  if (!path)
    for (const auto& [text, n] : unverified) ADD_FAILURE() << "not checked against ONNX: " << text;
  std::cout << count << " cases of " << done.size() << " operators\n";
  EXPECT_GE(done.size(), 120u);
}

passes::OnnxGraph exported(const char* text, int opset = passes::kOnnxOpset) {
  install_operators();
  return passes::to_onnx(*ir::parse_graph(text), opset);
}

constexpr const char* kSix = R"(graph(%x : Float(2, 8), %w : Float(4, 8), %b : Float(4), %c : Bool(2, 4)):
  %l = aten::linear(%x, %w, %b)
  %s = aten::silu(%l)
  %a = aten::add.Tensor(%s, %l, alpha=0.5)
  %y = aten::softmax.int(%a, 1)
  %v = aten::view(%y, [2, 2, 2])
  %m = aten::view(%v, [2, 4])
  %o = aten::where.self(%c, %m, %a)
  return (%o)
)";

TEST(Onnx, TheSixTogether) {
  auto onnx = exported(kSix);
  auto g = ir::parse_graph(kSix);
  EXPECT_EQ(form(*onnx.graph),
            "%transpose = onnx::Transpose(%w, perm=[1, 0]); %mat_mul = onnx::MatMul(%x, %transpose); %l = onnx::Add(%mat_mul, %b); "
            "%sigmoid = onnx::Sigmoid(%l); %s = onnx::Mul(%l, %sigmoid); %mul = onnx::Mul(%l, 0.5); %a = onnx::Add(%s, %mul); "
            "%y = onnx::Softmax(%a, axis=1); %v = onnx::Reshape(%y, [2, 2, 2], allowzero=1); %m = onnx::Reshape(%v, [2, 4], allowzero=1); "
            "%o = onnx::Where(%c, %m, %a)");
  std::string difference;
  EXPECT_TRUE(passes::equal(*g, *passes::from_onnx(onnx), &difference)) << difference;
  EXPECT_EQ(passes::hash(*g), passes::hash(*passes::from_onnx(onnx)));
}

TEST(Onnx, TheOpsetChooses) {
  constexpr const char* kSilu = "graph(%x : Float(3)):\n  %y = aten::silu(%x)\n  return (%y)\n";
  EXPECT_EQ(form(*exported(kSilu, 24).graph), "%y = onnx::Swish(%x)");
  EXPECT_EQ(form(*exported(kSilu, 23).graph), "%sigmoid = onnx::Sigmoid(%x); %y = onnx::Mul(%x, %sigmoid)");
  // Before opset 20 gelu is what it is made of.
  std::string gelu = form(*exported("graph(%x : Float(3)):\n  %y = aten::gelu(%x)\n  return (%y)\n", 19).graph);
  EXPECT_EQ(gelu.find("Gelu"), std::string::npos) << gelu;
  EXPECT_NE(gelu.find("onnx::Mul"), std::string::npos) << gelu;
  for (int opset : {23, 24}) EXPECT_EQ(passes::hash(*passes::from_onnx(exported(kSilu, opset))), passes::hash(*ir::parse_graph(kSilu)));
}

TEST(Onnx, ForeignSpellingsAreRead) {
  install_operators();
  auto g = ir::parse_graph(R"(graph(%x : Float(3)):
  %s = onnx::Sigmoid(%x)
  %y = onnx::Mul(%s, %x)
  %z = onnx::Mul(%s, %y)
  return (%z)
)");
  // The sigmoid has another user: no silu.
  auto back = passes::from_onnx({std::move(g), 23});
  EXPECT_NE(ir::to_text(*back).find("aten::sigmoid"), std::string::npos) << ir::to_text(*back);
  auto swapped = passes::from_onnx(
      {ir::parse_graph("graph(%x : Float(3)):\n  %s = onnx::Sigmoid(%x)\n  %y = onnx::Mul(%s, %x)\n  return (%y)\n"), 23});
  EXPECT_NE(ir::to_text(*swapped).find("aten::silu(%x)"), std::string::npos) << ir::to_text(*swapped);
}

TEST(Onnx, WritesToPrivateTensorsAreValues) {
  auto onnx = exported(R"(graph(%x : Float(3), %y : Float(3)):
  %a = aten::relu(%x)
  %b = aten::add_.Tensor(%a, %y)
  %c = aten::mul.Tensor(%a, %b)
  return (%c)
)");
  EXPECT_EQ(form(*onnx.graph), "%a = onnx::Relu(%x); %b = onnx::Add(%a, %y); %c = onnx::Mul(%b, %b)");
}

TEST(Onnx, WhatHasNoCounterpartIsNamed) {
  EXPECT_SAYS(error_of([] { exported("graph(%x : Float(3)):\n  %y = aten::add_.Scalar(%x, 1)\n  return (%y)\n"); }),
              "memory others may see");
  EXPECT_SAYS(error_of([] { exported("graph(%x : Float(3)):\n  %y = aten::erfc(%x)\n  return (%y)\n"); }), "aten::erfc");
  EXPECT_SAYS(error_of([] { exported("graph(%x : Float(3)):\n  %y = mine::thing(%x)\n  return (%y)\n"); }), "mine::thing");
  EXPECT_SAYS(error_of([] { passes::from_onnx({ir::parse_graph("graph(%x : Float(3)):\n  %y = onnx::Foo(%x)\n  return (%y)\n"), 23}); }),
              "onnx::Foo");
}

}  // namespace
}  // namespace monograph
