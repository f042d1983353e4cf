// TorchScript's names of operators are the schemas' own, without the overload: printed so, and resolved again from the types of the arguments.
#include <gtest/gtest.h>

#include "ir/text.h"
#include "ir/verify.h"
#include "ops/infer.h"
#include "passes/canonical.h"

namespace monograph {
namespace {

TEST(TorchScriptNames, TheSixGoOutAndIn) {
  install_operators();
  auto g = ir::parse_graph(R"(graph(%x : Float(2, 8), %w : Float(4, 8), %b : Float(4), %c : Bool(2, 4)):
  %l : Float(2, 4) = aten::linear(%x, %w, %b)
  %s : Float(2, 4) = aten::silu(%l)
  %a : Float(2, 4) = aten::add.Tensor(%s, %l, alpha=2)
  %n : Float(2, 4) = aten::add.Scalar(%a, 0.5)
  %i : Float(2, 4) = aten::add_.Tensor(%n, %a)
  %y : Float(2, 4) = aten::softmax.int(%i, 1)
  %v : Float(4, 2) = aten::view(%y, [4, 2])
  %m : Float(2, 4) = aten::view(%v, [2, 4])
  %r : Float(2, 4) = aten::where.self(%c, %m, %a)
  return (%r)
)");
  std::string text = ir::to_torchscript(*g);
  for (const char* call : {"aten::linear(%x, %w, %b)", "aten::silu(%l)", "aten::add(%s, %l, ", "aten::add_(%n, %a, ", "aten::softmax(%i, ",
                           "aten::view(%y, ", "aten::where(%c, %m, %a)"})
    EXPECT_NE(text.find(call), std::string::npos) << call << "\n" << text;
  EXPECT_EQ(text.find("aten::add.Tensor"), std::string::npos) << text;
  auto back = ir::parse_graph(text);
  std::string difference;
  EXPECT_TRUE(passes::equal(*g, *back, &difference)) << difference << "\n" << text << ir::to_text(*passes::canonical(*back));
}

}  // namespace
}  // namespace monograph
