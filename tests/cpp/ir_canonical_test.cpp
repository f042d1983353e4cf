// The canonical form: texts that compute the same have one hash, and each single change of a text has another one.
#include <gtest/gtest.h>

#include <set>

#include "ir/text.h"
#include "ir/verify.h"
#include "ir_ops.h"
#include "passes/canonical.h"
#include "passes/dce.h"

namespace monograph::ir {
namespace {

std::string hash_of(std::string_view text) {
  auto g = parse_graph(text);
  verify(*g);
  auto c = passes::canonical(*g);
  verify(*c);
  return passes::hash(*g);
}

constexpr std::string_view kProgram = R"(graph(%x : Tensor, %n : int):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::tanh(%x)
  %c : bool = aten::Bool.Tensor(%a)
  %if(%p, %q) : (Tensor, Tensor) = prim::If(%c)
    block0():
      %t : Tensor = aten::add.Tensor(%a, %b, alpha=2)
      -> (%t, %a)
    block1():
      %u : Tensor = aten::mul.Tensor(%a, %b)
      -> (%u, %b)
  %loop(%r, %s) : (Tensor, Tensor) = prim::Loop(%n, True, %p, %q)
    block0(%i : int, %y : Tensor, %z : Tensor):
      %w : Tensor = aten::add.Tensor(%y, %z)
      %v : Tensor = aten::relu(%z)
      -> (True, %w, %v)
  %d : Tensor = aten::sub.Tensor(%r, %s)
  return (%d)
)";

// The same program in other words: names, order, order of results and carried values, a duplicate, dead code, a default written out.
constexpr std::string_view kSameProgram = R"text(graph g[dialect=torchscript](%in : Tensor, %count : int): # model.py:1:2
  %dead : Tensor = aten::mul.Tensor(%in, %in)
  %second : Tensor = aten::tanh(%in) # model.py:3:4, scope: somewhere
  %first : Tensor = aten::relu(self=%in)
  %again : Tensor = aten::relu(%in)
  %two : int = prim::Constant[value=2]()
  %cond : bool = aten::Bool.Tensor(%again)
  %y(%q, %unused, %p) : (Tensor, Tensor, Tensor) = prim::If(%cond)
    block0():
      %1 : Tensor = aten::add.Tensor(%again, %second, alpha=%two)
      -> (%first, %dead, %1)
    block1():
      %2 : Tensor = aten::mul.Tensor(%first, %second)
      -> (%second, %dead, %2)
  %z(%c2, %s, %r) : (Tensor, Tensor, Tensor) = prim::Loop(%count, True, %second, %q, %p)
    block0(%k : int, %constant : Tensor, %sz : Tensor, %sy : Tensor):
      %3 : Tensor = aten::relu(%sz)
      %4 : Tensor = aten::add.Tensor(%sy, %sz, alpha=1)
      -> (True, %constant, %3, %4)
  %5 : Tensor = aten::sub.Tensor(%r, %s)
  return (%5)
  guard %cond == True "relu(x)" # model.py:7:0
)text";

TEST(Canonical, EqualProgramsHaveOneHash) {
  EXPECT_EQ(hash_of(kProgram), hash_of(kSameProgram));
  std::string difference;
  EXPECT_TRUE(passes::equal(*parse_graph(kProgram), *parse_graph(kSameProgram), &difference))
      << difference << "\n"
      << to_text(*passes::canonical(*parse_graph(kProgram))) << to_text(*passes::canonical(*parse_graph(kSameProgram)));
}

TEST(Canonical, EverySingleEditChangesTheHash) {
  struct Edit {
    std::string_view from, to;
  };
  const Edit edits[] = {
      {"aten::relu(%x)", "aten::neg(%x)"},
      {"aten::tanh(%x)", "aten::relu(%x)"},
      {"alpha=2", "alpha=3"},
      {"alpha=2", "alpha=2.0"},
      {", alpha=2", ""},
      {"aten::mul.Tensor(%a, %b)", "aten::mul.Tensor(%b, %a)"},
      {"aten::mul.Tensor(%a, %b)", "aten::add.Tensor(%a, %b)"},
      {"-> (%t, %a)", "-> (%t, %b)"},
      {"-> (%u, %b)", "-> (%u, %a)"},
      {"-> (%u, %b)", "-> (%b, %u)"},
      {"aten::Bool.Tensor(%a)", "aten::Bool.Tensor(%b)"},
      {"prim::Loop(%n, True", "prim::Loop(7, True"},
      {"prim::Loop(%n, True", "prim::Loop(%n, %c"},
      {"-> (True, %w, %v)", "-> (False, %w, %v)"},
      {"-> (True, %w, %v)", "-> (True, %v, %w)"},
      {"-> (True, %w, %v)", "-> (True, %w, %w)"},
      {"%p, %q)\n    block0(%i", "%q, %p)\n    block0(%i"},
      {"aten::sub.Tensor(%r, %s)", "aten::sub.Tensor(%s, %r)"},
      {"aten::sub.Tensor(%r, %s)", "aten::sub.Tensor(%r, %q)"},
      {"return (%d)", "return (%r)"},
      {"return (%d)", "return ((%d,))"},
      {"%n : int)", "%n :! int)"},
      {"%x : Tensor, %n : int", "%n : int, %x : Tensor"},
      {"%v : Tensor = aten::relu(%z)", "%v : Tensor = aten::relu(%y)"},
  };
  std::set<std::string> hashes{hash_of(kProgram)};
  size_t count = 1;
  for (const Edit& e : edits) {
    std::string text(kProgram);
    size_t at = text.find(e.from);
    ASSERT_NE(at, std::string::npos) << e.from;
    text.replace(at, e.from.size(), e.to);
    EXPECT_TRUE(hashes.insert(hash_of(text)).second) << e.from << " -> " << e.to;
    ++count;
  }
  EXPECT_EQ(hashes.size(), count);
}

TEST(Canonical, EffectsKeepTheirOrder) {
  auto program = [](std::string_view body) { return hash_of(concat("graph(%x : Tensor):\n", body)); };
  // Two draws are two, and their order counts.
  EXPECT_NE(program("  %a : Tensor = aten::rand([2])\n  %b : Tensor = aten::rand([2])\n  return ((%a, %b))\n"),
            program("  %a : Tensor = aten::rand([2])\n  return ((%a, %a))\n"));
  EXPECT_NE(program("  %a : Tensor = aten::rand([2])\n  %b : Tensor = aten::rand([3])\n  return ((%a, %b))\n"),
            program("  %b : Tensor = aten::rand([3])\n  %a : Tensor = aten::rand([2])\n  return ((%a, %b))\n"));
  // A read does not move past a write, and is not the same before and after it.
  EXPECT_NE(program("  %a : Tensor = aten::relu(%x)\n  %w : Tensor = aten::add_.Tensor(%x, 1)\n  return (%a)\n"),
            program("  %w : Tensor = aten::add_.Tensor(%x, 1)\n  %a : Tensor = aten::relu(%x)\n  return (%a)\n"));
  EXPECT_NE(program("  %a : Tensor = aten::relu(%x)\n  %w : Tensor = aten::add_.Tensor(%x, 1)\n  %b : Tensor = aten::relu(%x)\n  return "
                    "((%a, %b))\n"),
            program("  %a : Tensor = aten::relu(%x)\n  %w : Tensor = aten::add_.Tensor(%x, 1)\n  return ((%a, %a))\n"));
  // What may raise stays behind the print before it; pure nodes do not care.
  EXPECT_NE(program("  %p = prim::Print(\"a\")\n  %i : Scalar = aten::item(%x)\n  return (%i)\n"),
            program("  %i : Scalar = aten::item(%x)\n  %p = prim::Print(\"a\")\n  return (%i)\n"));
  EXPECT_EQ(program("  %p = prim::Print(\"a\")\n  %i : Tensor = aten::relu(%x)\n  return (%i)\n"),
            program("  %i : Tensor = aten::relu(%x)\n  %p = prim::Print(\"a\")\n  return (%i)\n"));
  // Two that may raise commute; a dead one goes, an assert stays.
  EXPECT_EQ(program("  %i : Scalar = aten::item(%x)\n  %j : Tensor = aten::gather(%x, 0, %x)\n  return ((%i, %j))\n"),
            program("  %j : Tensor = aten::gather(%x, 0, %x)\n  %i : Scalar = aten::item(%x)\n  return ((%i, %j))\n"));
  EXPECT_EQ(program("  %i : Scalar = aten::item(%x)\n  return (%x)\n"), program("  return (%x)\n"));
  EXPECT_NE(program("  %i : NoneType = aten::_assert(True, \"no\")\n  return (%x)\n"), program("  return (%x)\n"));
}

TEST(Canonical, EqualTensorsAreOneConstant) {
  auto program = [](float second) {
    float values[] = {1, second};
    int64_t sizes[] = {1};
    auto constant = [&](int k) { return make_tensor_constant(DType::f32, sizes, std::as_bytes(std::span(values + k, 1))); };
    Graph g;
    Node* x = g.placeholder("x", TypeKind::Tensor);
    Node* a = g.call("aten::add.Tensor", Args(x, constant(0)));
    Node* b = g.call("aten::add.Tensor", Args(x, constant(1)));
    g.set_output(Args(tuple(a, b)));
    return passes::canonical(g)->node_count();
  };
  EXPECT_EQ(program(1), 3u);
  EXPECT_EQ(program(2), 4u);
}

// Fresh memory that is written is not the same twice.
TEST(Canonical, WrittenMemoryStaysApart) {
  EXPECT_NE(hash_of("graph(%x : Tensor):\n  %a : Tensor = aten::relu(%x)\n  %b : Tensor = aten::relu(%x)\n"
                    "  %w : Tensor = aten::add_.Tensor(%a, 1)\n  return (%b)\n"),
            hash_of("graph(%x : Tensor):\n  %a : Tensor = aten::relu(%x)\n  %w : Tensor = aten::add_.Tensor(%a, 1)\n  return (%a)\n"));
}

// Of equal nodes, those that are not written are one, whichever comes first.
TEST(Canonical, AWrittenNodeDoesNotHideThatOthersAreEqual) {
  auto program = [](const char* order) {
    std::string text = "graph(%x : Tensor):\n";
    for (const char* name = order; *name; ++name) text += concat("  %", std::string(1, *name), " : Tensor = aten::relu(%x)\n");
    return hash_of(text + "  %w : Tensor = aten::add_.Tensor(%a, 1)\n  return (%w, %b, %c)\n");
  };
  EXPECT_EQ(program("abc"), program("bac"));
  EXPECT_EQ(program("abc"), program("bca"));
}

TEST(Canonical, LoopsOfLiteralCountUnroll) {
  std::string loop = hash_of(R"(graph(%x : Tensor):
  %y : Tensor = prim::Loop(3, True, %x)
    block0(%i : int, %a : Tensor):
      %b : Tensor = aten::add.Tensor(%a, %i)
      -> (True, %b)
  return (%y)
)");
  std::string flat = hash_of(R"(graph(%x : Tensor):
  %a : Tensor = aten::add.Tensor(%x, 0)
  %b : Tensor = aten::add.Tensor(%a, 1)
  %c : Tensor = aten::add.Tensor(%b, 2)
  return (%c)
)");
  EXPECT_EQ(loop, flat);
}

TEST(Canonical, CallsOfTheUnitAreInlined) {
  auto unit = parse_unit(R"(monograph 1
graph f(%a : Tensor, %b = 2):
  %c : Tensor = aten::add.Tensor(%a, 1, alpha=%b)
  return (%c)
graph g(%x : Tensor):
  %y = f(%x)
  %z = f(%y, b=3)
  return (%z)
graph recursive(%x : Tensor):
  %y = recursive(%x)
  return (%y)
)");
  EXPECT_EQ(passes::hash(*unit->find_function("g")), hash_of(R"(graph(%x : Tensor):
  %c : Tensor = aten::add.Tensor(%x, 1, alpha=2)
  %d : Tensor = aten::add.Tensor(%c, 1, alpha=3)
  return (%d)
)"));
  EXPECT_NO_THROW(passes::hash(*unit->find_function("recursive")));
  EXPECT_NO_THROW(passes::hash(*unit));
}

TEST(Canonical, SymbolsAreNumbered) {
  auto program = [](std::string_view s, std::string_view range) {
    return hash_of(concat("symbol ", s, range, "\ngraph(%x :! Float(", s, ", 3)):\n  %y = f(%x, sym(", s, " + 1))\n  return (%y)\n"));
  };
  EXPECT_EQ(program("s0", ""), program("batch", " hint 8"));
  EXPECT_NE(program("s0", ""), program("s0", " in [2, 9]"));
}

TEST(DeadCode, GoesThroughArmsAndLoops) {
  auto g = parse_graph(R"(graph(%x : Tensor, %n : int):
  %c : bool = aten::Bool.Tensor(%x)
  %y(%p, %q) : (Tensor, Tensor) = prim::If(%c)
    block0():
      %t : Tensor = aten::relu(%x)
      %u : Tensor = aten::tanh(%x)
      -> (%t, %u)
    block1():
      -> (%x, %x)
  %l(%r, %s) : (Tensor, Tensor) = prim::Loop(%n, True, %p, %q)
    block0(%i : int, %a : Tensor, %b : Tensor):
      %d : Tensor = aten::relu(%a)
      %e : Tensor = aten::tanh(%b)
      -> (True, %d, %e)
  return (%r)
)");
  passes::eliminate_dead_code(*g);
  verify(*g);
  EXPECT_EQ(to_text(*g), R"(graph(%x : Tensor,
      %n : int):
  %c : bool = aten::Bool.Tensor(%x)
  %p : Tensor = prim::If(%c)
    block0():
      %t : Tensor = aten::relu(%x)
      -> (%t)
    block1():
      -> (%x)
  %r : Tensor = prim::Loop(%n, True, %p)
    block0(%i : int, %a : Tensor):
      %d : Tensor = aten::relu(%a)
      -> (True, %d)
  return (%r)
)");
}

}  // namespace
}  // namespace monograph::ir
