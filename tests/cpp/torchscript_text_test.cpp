// TorchScript's text of a graph reads back as the program that it was, though it shows neither keywords nor overloads.
#include <gtest/gtest.h>

#include <set>

#include "ir/text.h"
#include "ir/verify.h"
#include "ops/infer.h"
#include "ops/registry.h"
#include "passes/canonical.h"

#include "frozen_ops.h"

namespace monograph {
namespace {

using ir::Args;
using ir::Graph;
using ir::TypeKind;

// An argument of this type; false where none is to be had.
bool add_sample(Graph& g, Args& args, ir::Type type, DType dtype) {
  if (type.is(TypeKind::Optional)) type = type.element();
  switch (type.kind()) {
    case TypeKind::Tensor: {
      const SymInt sizes[] = {3, 3};
      args.add(g.placeholder("t", ir::TensorType::of(dtype, sizes)));
      return true;
    }
    case TypeKind::Int:
    case TypeKind::SymInt: args.add(1); return true;
    case TypeKind::Float: args.add(0.5); return true;
    case TypeKind::Number: dtype == DType::i64 ? args.add(2) : args.add(1.5); return true;
    case TypeKind::Bool: args.add(true); return true;
    case TypeKind::Str: args.add("mean"); return true;
    case TypeKind::List: args.open(ir::ArgKind::List); return add_sample(g, args, type.element(), dtype) && (args.close(), true);
    default: return false;
  }
}

// A call with every argument, or with those alone that have no default, and with its out= by name; null where this dtype is none of the operator's.
std::unique_ptr<Graph> graph_of(const Operator& op, bool all, DType dtype) {
  auto g = std::make_unique<Graph>();
  Args args;
  for (const ir::Argument& a : op.schema().arguments()) {
    // A dtype is written as its number, and read as one.
    bool is_dtype = a.type.is(TypeKind::Optional) && a.type.element().is(TypeKind::DType);
    if (a.default_value && (!all || is_dtype)) continue;
    if (a.kwarg_only) args.name(a.name);
    if (!add_sample(*g, args, a.type, dtype)) return nullptr;
  }
  ir::Node* n = g->call(op, args);
  g->set_type(n, TypeKind::Tensor);
  g->set_output(Args(n));
  try {
    ir::verify(*g);
  } catch (const Error&) {
    return nullptr;
  }
  return g;
}

// Calls of out= forms from the frozen cases of the operators that they are forms of: of those whose arguments above do not fit.
using OperatorGraphs = std::map<std::string, std::vector<std::unique_ptr<Graph>>>;
OperatorGraphs calls_of_cases(const std::set<std::string>& wanted) {
  OperatorGraphs calls;
  frozen::for_each_case([&](const Operator& op, const std::vector<IValue>& values, const frozen::Json&) {
    for (const Operator* form : find_overloads(op.base_name()).overloads) {
      const auto &more = form->schema().arguments(), &own = op.schema().arguments();
      if (!wanted.contains(form->name()) || more.size() != own.size() + 1 || calls[form->name()].size() >= 3) continue;
      if (!std::equal(own.begin(), own.end(), more.begin(),
                      [](const auto& a, const auto& b) { return a.name == b.name && a.type == b.type; }))
        continue;
      // A number in a tensor's place, or a tensor without dims, is read back as the overload for numbers, and a dtype as its number.
      bool otherwise = false;
      for (size_t k = 0; k < own.size(); ++k)
        otherwise |= values[k].is_tensor() ? values[k].as_tensor().dim() == 0
                                           : own[k].type.is(TypeKind::Tensor) || values[k].tag() == IValue::Tag::Dtype;
      if (otherwise) continue;
      std::vector<IValue> with_out = values, inputs;
      with_out.push_back(frozen::run_op(op, values));
      auto g = frozen::graph_of(*form, with_out, inputs);
      g->set_type(g->root()->output()->arg(0).node(), TypeKind::Tensor);
      calls[form->name()].push_back(std::move(g));
    }
  });
  return calls;
}

void expect_same_in_torchscript(const Graph& g) {
  const std::string text = ir::to_torchscript(g);
  std::string difference;
  const auto read = ir::parse_graph(text);
  EXPECT_NO_THROW(ir::verify(*read)) << text;
  EXPECT_TRUE(passes::equal(g, *read, &difference)) << difference << "\n" << text << ir::to_text(g);
}

TEST(TorchScriptText, OutFormsReadBack) {
  install_operators();
  size_t forms = 0;
  std::set<std::string> skipped;
  // Without tolerances their calls are those of the overloads for tensors, which stand before them.
  // A call of one tensor and a result for it looks as one of two tensors.
  // Where all arguments stand in order, unbiased=True looks as correction=1, which means the same.
  const std::set<std::string> as_of_two = {"aten::max.unary_out", "aten::min.unary_out", "aten::std.out", "aten::var.out"};
  const std::set<std::string> only_with_all = {"aten::linalg_pinv.atol_rtol_float_out", "aten::linalg_matrix_rank.atol_rtol_float_out"};
  for (const auto& op : Registry::global().all()) {
    if (op->schema().arguments().empty() || !op->schema().arguments().back().out) continue;
    if (op->results() > 1 || as_of_two.contains(op->original_name())) continue;  // graph_of makes graphs of one result
    bool taken = false;
    for (bool all : {false, true}) {
      if (!all && only_with_all.contains(op->original_name())) continue;
      std::unique_ptr<Graph> g = graph_of(*op, all, DType::f32);
      if (!g) g = graph_of(*op, all, DType::i64);
      if (!g) continue;  // a rule may refuse that all arguments have their defaults, or that none has
      ++forms, taken = true;
      expect_same_in_torchscript(*g);
    }
    if (!taken) skipped.insert(op->name());
  }
  for (const auto& [name, graphs] : calls_of_cases(skipped)) {
    for (const auto& g : graphs) expect_same_in_torchscript(*g);
    if (!graphs.empty()) skipped.erase(name), ++forms;
  }
  // Their calls differ from those of another overload by a tensor without dims, or by a dtype, alone; or their results are quantized.
  const std::set<std::string> ambiguous = {"aten::fill.Tensor_out",
                                           "aten::index_fill.int_Tensor_out",
                                           "aten::linspace.Scalar_Tensor_out",
                                           "aten::linspace.Tensor_Scalar_out",
                                           "aten::linspace.Tensor_Tensor_out",
                                           "aten::logspace.Scalar_Tensor_out",
                                           "aten::logspace.Tensor_Scalar_out",
                                           "aten::logspace.Tensor_Tensor_out",
                                           "aten::masked_fill.Tensor_out",
                                           "aten::norm.ScalarOpt_dtype_out",
                                           "aten::norm.dtype_out",
                                           "aten::quantize_per_tensor.out",
                                           "aten::quantize_per_tensor.tensor_qparams_out",
                                           "aten::randint_like.Tensor_out",
                                           "aten::randint_like.low_dtype_out",
                                           "aten::view_copy.dtype_out"};
  std::set<std::string> left;
  for (const std::string& name : skipped) {
    const Operator& op = find_operator(name);
    // A graph holds no generator, and what draws between two numbers alike has no case here.
    const bool draws = op.original_name() == "aten::randint.low_out" ||
                       std::ranges::any_of(op.schema().arguments(), [](const auto& a) { return a.name == "generator"; });
    if (!draws) left.insert(op.original_name());
  }
  EXPECT_EQ(left, ambiguous);
  EXPECT_GT(forms, 150u);
}

// The same for a keyword behind defaults.
TEST(TorchScriptText, KeywordsBehindDefaultsReadBack) {
  install_operators();
  auto g = ir::parse_graph("graph(%x : Float(2, 3)):\n  %y = aten::sum.dim_IntList(%x, [1], keepdim=True)\n  return (%y)\n");
  std::string text = ir::to_torchscript(*g), difference;
  EXPECT_TRUE(passes::equal(*g, *ir::parse_graph(text), &difference)) << difference << "\n" << text;
}

// Overloads of dicts, those that nothing but the names of their arguments tells from the one with the bare name, and None, which is a constant without a value.
TEST(TorchScriptText, OverloadsBesideABareNameReadBack) {
  install_operators();
  for (const char* call : {"aten::__getitem__.Dict_str(%d, \"a\")", "aten::mean.dim(%x, [1])", "aten::mean.dim(%x, [1], True)",
                           "aten::sum.dim_IntList(%x, [1])", "aten::slice.Tensor(%x, 1, None, 2)"}) {
    auto g = ir::parse_graph(concat("graph(%x : Float(2, 3), %d : Dict(str, Tensor)):\n  %y : Tensor = ", call, "\n  return (%y)\n"));
    std::string text = ir::to_torchscript(*g), difference;
    auto read = ir::parse_graph(text);
    EXPECT_NO_THROW(ir::verify(*read)) << text;
    EXPECT_TRUE(passes::equal(*g, *read, &difference)) << difference << "\n" << text;
  }
}

}  // namespace
}  // namespace monograph
