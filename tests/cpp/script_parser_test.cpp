// Branches in the small script parser: the graph that cond gives under the other captures, and what is refused.
#include "capture/script/compiler.h"

#include <gtest/gtest.h>

#include "capture/capture.h"
#include "exec/interpreter.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "passes/canonical.h"

namespace monograph::capture {
namespace {

constexpr const char* kTour = "def forward(x):\n    if torch.sum(x) > 10:\n        return x\n    else:\n        return x + 10\n";

float first(const ir::Graph& graph, float x) {
  Tensor t = empty({1});
  t.data_as<float>()[0] = x;
  return exec::plan(graph)({t})[0].to_tensor().data_as<float>()[0];
}
std::string refusal(const char* text) {
  try {
    script::compile_text(text, "f.py");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(ScriptBranches, AreTheGraphOfCond) {
  auto script = script::compile_text(kTour, "tour.py");
  ir::verify(*script);
  EXPECT_EQ(first(*script, 20), 20);
  EXPECT_EQ(first(*script, 1), 11);
  auto tour = [](const Tensor& x) -> Tensor {
    return cond(
        "gt"_op("sum"_op(x), 10), [](const auto& a) { return a; }, [](const auto& a) { return std::vector<Tensor>{"add"_op(a[0], 10)}; },
        {x})[0];
  };
  for (How how : {How::Trace, How::Symbolic}) {
    CaptureOptions o;
    o.how = how;
    std::string difference;
    EXPECT_TRUE(passes::equal(*script, *capture(tour, o, Tensor("ones"_op(Dims{3}))).graph, &difference)) << difference;
  }
}

TEST(ScriptBranches, AssignmentsJoinAndEarlyReturnsTakeTheRest) {
  auto join = script::compile_text("def f(x):\n  y = x\n  if torch.sum(x) > 1:\n    y = x + 1\n  return y * 2\n");
  ir::verify(*join);
  EXPECT_EQ(first(*join, 3), 8);
  EXPECT_EQ(first(*join, 1), 2);
  auto early = script::compile_text("def f(x):\n  if torch.sum(x) > 1: return x\n  y = x + 2\n  return y\n");
  ir::verify(*early);
  EXPECT_EQ(first(*early, 3), 3);
  EXPECT_EQ(first(*early, 1), 3);
  auto nested = script::compile_text(
      "def f(x):\n  if torch.sum(x) > 1:\n    if torch.sum(x) > 5:\n      y = x\n    else:\n      y = -x\n  else:\n    y = x * 3\n  return "
      "y\n");
  ir::verify(*nested);
  EXPECT_EQ(first(*nested, 7), 7);
  EXPECT_EQ(first(*nested, 2), -2);
  EXPECT_EQ(first(*nested, 1), 3);
}

TEST(ScriptBranches, WhatIsNotDefinedOnEveryWayIsRefused) {
  EXPECT_NE(refusal("def f(x):\n  if torch.sum(x) > 1:\n    y = x\n  return y\n").find("'y' may have no value here"), std::string::npos);
  EXPECT_NE(refusal("def f(x):\n  if torch.sum(x) > 1:\n  return x\n").find("line 3"), std::string::npos);
}

TEST(ScriptBranches, WaysWithoutAReturnGiveNone) {
  for (const char* text :
       {"def f(x):\n  if torch.sum(x) > 1:\n    return x\n", "def f(x):\n  if torch.sum(x) <= 1:\n    y = x\n  else:\n    return x\n"}) {
    auto graph = script::compile_text(text);
    ir::verify(*graph);
    EXPECT_EQ(first(*graph, 2), 2);
    Tensor t = empty({1});
    t.data_as<float>()[0] = 0;
    EXPECT_TRUE(exec::plan(*graph)({t})[0].is_none());
  }
  auto nothing = script::compile_text("def f(x):\n  y = x\n");
  ir::verify(*nothing);
  EXPECT_TRUE(exec::plan(*nothing)({empty({1})})[0].is_none());
}

TEST(ScriptLoops, LeaveEarly) {
  auto graph = script::compile_text(
      "def f(x):\n  for i in range(5):\n    if torch.sum(x) > 10:\n      return x\n    if i == 3:\n      break\n    x = x * 2\n  return "
      "-x\n");
  ir::verify(*graph);
  EXPECT_EQ(first(*graph, 3), 12);
  EXPECT_EQ(first(*graph, 1), -8);
}

}  // namespace
}  // namespace monograph::capture
