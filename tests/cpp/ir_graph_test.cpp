// Symbols, types, schemas, units, JSON, the parser, the verifier, inference, and edits of graphs: each by written cases and by random ones.
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "ir/text.h"
#include "ir/verify.h"
#include "ir_random.h"
#include "test_seed.h"

namespace monograph::ir {
namespace {

std::string read(const std::string& name) {
  std::ifstream file("tests/ir/" + name);  // tests run in the repository's root
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Symbols, EqualExpressionsAreOnePointer) {
  SymInt s = SymInt::symbol({"s", 0, 100, 8}), t = SymInt::symbol({"t", 1, 50, std::nullopt});
  EXPECT_EQ(s + t, t + s);
  EXPECT_EQ(s * (t + SymInt(2)), t * s + s + s);
  EXPECT_EQ(s + s - s * SymInt(2), SymInt(0));
  EXPECT_EQ(floordiv(s * SymInt(4) + SymInt(6), SymInt(2)), s * SymInt(2) + SymInt(3));
  EXPECT_EQ(floordiv(floordiv(s, SymInt(2)), SymInt(3)), floordiv(s, SymInt(6)));
  EXPECT_EQ(floordiv(s * t, t), s);
  EXPECT_EQ(mod(s * SymInt(6) + SymInt(7), SymInt(3)), SymInt(1));
  EXPECT_EQ(max(s, SymInt(-1)), s);
  EXPECT_EQ(max(max(s, t), s), max(t, s));
  EXPECT_EQ((s * SymInt(2) + SymInt(1)).bounds().upper, 201);
  EXPECT_EQ(*(s + SymInt(1)).hint(), 9);
  EXPECT_FALSE(t.hint());
  EXPECT_EQ(known_less(s, SymInt(101)), true);
  EXPECT_EQ(known_less(s, t), std::nullopt);
  EXPECT_THROW(SymInt(std::numeric_limits<int64_t>::max()) + SymInt(1), Error);
}

TEST(Symbols, RandomExpressionsKeepTheirValueAndReadBack) {
  uint64_t seed = monograph::test::base_seed();
  SCOPED_TRACE(concat("seed ", seed));
  std::mt19937_64 random(seed);
  Symbol declared[] = {{"a", -5, 20, std::nullopt}, {"b", 1, 9, std::nullopt}};
  for (int round = 0; round < 500; ++round) {
    int64_t values[] = {static_cast<int64_t>(random() % 26) - 5, 1 + static_cast<int64_t>(random() % 9)};
    auto value_of = [&](const Symbol& s) { return s.name == "a" ? values[0] : values[1]; };
    std::vector<std::pair<SymInt, int64_t>> pool{
        {SymInt::symbol(declared[0]), values[0]}, {SymInt::symbol(declared[1]), values[1]}, {3, 3}, {-2, -2}};
    for (int k = 0; k < 8; ++k) {
      auto [x, v] = pool[random() % pool.size()];
      auto [y, w] = pool[random() % pool.size()];
      auto down = [](int64_t p, int64_t q) { return p / q - (p % q != 0 && (p < 0) != (q < 0)); };
      if (std::abs(v) > 100000 || std::abs(w) > 100000) continue;
      switch (random() % 7) {
        case 0: pool.emplace_back(x + y, v + w); break;
        case 1: pool.emplace_back(x - y, v - w); break;
        case 2: pool.emplace_back(x * y, v * w); break;
        case 3: pool.emplace_back(max(x, y), std::max(v, w)); break;
        case 4: pool.emplace_back(min(x, y), std::min(v, w)); break;
        case 5:
          if (w != 0 && !(y == SymInt(0))) pool.emplace_back(floordiv(x, y), down(v, w));
          break;
        default:
          if (w != 0 && !(y == SymInt(0))) pool.emplace_back(mod(x, y), v - w * down(v, w));
      }
      auto [e, expected] = pool.back();
      std::string text = to_string(e);
      ASSERT_EQ(e.evaluate(value_of), expected) << text << " at " << values[0] << ", " << values[1];
      ASSERT_LE(e.bounds().lower, expected) << text;
      ASSERT_GE(e.bounds().upper, expected) << text;
      size_t at = 0;
      ASSERT_EQ(parse_symint(text, at, [&](std::string_view n) { return n == "a" ? &declared[0] : &declared[1]; }), e) << text;
    }
  }
}

TEST(Types, PrintAndReadBack) {
  for (const char* text : {"Tensor",
                           "Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)",
                           "Long()",
                           "Float(...)",
                           "Tensor(*, 3)",
                           "int[]",
                           "int?[]",
                           "int[]?",
                           "(int, Tensor)",
                           "(int,)",
                           "()",
                           "Dict(str, Tensor[])",
                           "Future(Tensor)",
                           "Union(int, str)",
                           "NamedTuple<__torch__.P>(x : int, y : Tensor?)",
                           "Enum<__torch__.Color>",
                           "__torch__.m.Net",
                           "Class<\"odd name\">",
                           "Opaque<\"x\">",
                           "Scalar",
                           "NoneType",
                           "Any",
                           "NoReturn",
                           "BFloat16(..., device=meta)"})
    EXPECT_EQ(to_string(parse_type(text)), text);
  EXPECT_EQ(parse_type("Optional[List[int]]"), parse_type("int[]?"));
  EXPECT_EQ(parse_type("Union(str, int, NoneType)"), parse_type("Union(int, str)?"));
  EXPECT_TRUE(is_subtype(parse_type("Float(2, 3)"), parse_type("Float(2, *)")));
  EXPECT_FALSE(is_subtype(parse_type("Float(2, *)"), parse_type("Float(2, 3)")));
  EXPECT_FALSE(is_subtype(parse_type("int[]"), parse_type("Scalar[]")));
  EXPECT_EQ(to_string(join(parse_type("Float(2, 3)"), parse_type("Float(4, 3)"))), "Float(*, 3)");
  EXPECT_EQ(to_string(join(TypeKind::Int, TypeKind::None)), "int?");
  EXPECT_EQ(to_string(join(TypeKind::Int, TypeKind::Str)), "Union(int, str)");
  EXPECT_THROW(parse_type("Dict(int)"), Error);
}

TEST(Schemas, ReadPrintAndTell) {
  std::istringstream lines(read("schemas.txt"));
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_EQ(to_string(FunctionSchema::parse(line)), line);
  EXPECT_GT(count, 100u);
  auto add = FunctionSchema::parse("aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)");
  EXPECT_FALSE(add.is_pure());
  EXPECT_TRUE(add.arguments()[3].out);
  EXPECT_TRUE(add.returns_argument(0, 3));
  EXPECT_FALSE(add.may_alias(0, 0));
  auto view = FunctionSchema::parse("aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)");
  EXPECT_TRUE(view.is_pure());
  EXPECT_TRUE(view.may_alias(0, 0));
  EXPECT_FALSE(view.returns_argument(0, 0));
  EXPECT_NE(message([] { FunctionSchema::parse("aten::f(Tensor) -> Tensor"); }).find("column 15"), std::string::npos);
}

TEST(Fx, CodeAndGraphReadAsInPyTorch) {
  auto g = parse_graph(read("fx.mgraph.txt"));
  EXPECT_EQ(to_python(*g), read("fx.code.txt"));
  EXPECT_EQ(to_fx_string(*g), read("fx.graph.txt"));
  EXPECT_TRUE(to_tabular(*g).starts_with("opcode         name        target"));
}

TEST(Fx, NamesAreMadeAsInPyTorch) {
  Graph g;
  Node* x = g.placeholder("input");
  EXPECT_EQ(x->name(), "input_1");
  EXPECT_EQ(g.call("torch.relu", Args(x))->name(), "relu");
  EXPECT_EQ(g.call("torch.relu", Args(x))->name(), "relu_1");
  EXPECT_EQ(g.call("torch.sum", Args(x))->name(), "sum_1");
  EXPECT_EQ(g.create(Op::CallModule, g.target("layers.0.fc1"), Args(x))->name(), "layers_0_fc1");
  EXPECT_EQ(g.create(Op::CallModule, g.target("l.0"), Args(x))->name(), "l_0");
  EXPECT_EQ(g.create(Op::CallModule, g.target("l.0"), Args(x))->name(), "l_1");
  EXPECT_EQ(g.create(Op::CallMethod, g.target("__getitem__"), Args(x, 0))->name(), "getitem");
}

TEST(Control, PythonOfIfAndLoop) {
  auto g = parse_graph(R"(graph(%x, %n):
  %c = torch.any(%x)
  %y(%a, %b) : (Any, Any) = prim::If(%c)
    block0():
      %r = torch.relu(%x)
      -> (%r, 1)
    block1():
      -> (%x, 2)
  %z = prim::Loop(%n, True, %a)
    block0(%i : int, %acc):
      %s = operator.add(%acc, %b)
      -> (True, %s)
  return (%z)
)");
  EXPECT_EQ(to_python(*g), R"(


def forward(self, x, n):
    c = torch.any(x)
    if c:
        r = torch.relu(x)
        a, b = r, 1
    else:
        a, b = x, 2
    acc = a
    for i in range(n):
        s = acc + b
        acc = s
    z = acc
    return z
    )");
}

TEST(Parser, ReadsTorchScript) {
  auto g = parse_graph(R"(graph(%self : __torch__.Net,
      %x.1 : Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)):
  %2 : int = prim::Constant[value=1]() # model.py:5:8
  %3 : int[] = prim::ListConstruct(%2, %2), scope: __module.fc # model.py:6:8
  %fc : __torch__.Linear = prim::GetAttr[name="fc"](%self)
  %c : Long() = prim::Constant[value={7}]()
  %5 : bool = aten::Bool(%x.1)
  %a : Tensor, %b : int = prim::If(%5) # model.py:7:4
    block0():
      -> (%x.1, %2)
    block1():
      %9 : Tensor = aten::relu(%x.1)
      -> (%9, %2)
   = prim::Print(%b)
  return (%a)
)");
  verify(*g);
  Node* a = g->output()->input(0);
  EXPECT_TRUE(a->is_projection());
  EXPECT_EQ(a->name(), "a");
  EXPECT_EQ(to_string(a->span()), "model.py:7");
  EXPECT_EQ(g->root()->first()->next()->next()->next()->scope(), "__module.fc");
  std::string difference;
  EXPECT_TRUE(identical(*g, *parse_graph(to_text(*g)), &difference)) << difference;
  // Our own printing of that style reads back as well.
  auto again = parse_graph(to_torchscript(*g));
  EXPECT_EQ(again->output()->arg_count(), 1u);
}

TEST(Parser, SpaceInAnnotationsMeansNothing) {
  for (std::string_view place : {"a.py:3:4", "\"a.py\":3:4", "a.py:3:4-5:6", ""})
    for (std::string_view comma : {",", ", ", " , ", " ", "\t,"})
      for (std::string_view scope : {"scope:a.b", "scope: a.b", "scope:  a.b", "scope:\"a.b\"", "scope:\t\"a.b\"  "}) {
        std::string note = concat("#", comma.starts_with("\t") ? "" : " ", place, place.empty() ? "" : comma, scope);
        auto g = parse_graph(concat("graph(%x : Tensor):\n  %y = aten::relu(%x) ", note, "\n  return (%y)\n"));
        const Node* y = g->root()->output()->arg(0).node();
        EXPECT_EQ(y->scope(), "a.b") << note;
        EXPECT_EQ(y->span().line, place.empty() ? 0u : 3u) << note;
        if (!place.empty()) EXPECT_EQ(*y->span().file, "a.py") << note;
      }
}

TEST(Parser, SaysWhatIsWrongAndWhere) {
  struct Case {
    const char *text, *message;
  };
  const Case cases[] = {
      {"graph(%x):\n  %y = f(%z)\n  return (%y)\n", "line 2, column 10: %z is not defined here"},
      {"graph(%x):\n  %x = f()\n", "line 2, column 11: the name %x is used twice"},
      {"graph(%x)\n", "line 2, column 1: expected ':'"},
      {"graph(%x):\n  %y = f(%x\n  return (%y)\n", "line 3, column 3: expected ')'"},
      {"graph(%x : Flaot):\n  return (%x)\n", "unknown type Flaot"},
      {"graph(%x):\n  %y = f(\"abc\n\")\n", "line 2, column 14: a text does not end on its line"},
      {"graph(%x):\n  %y = f(99999999999999999999)\n", "the number does not fit 64 bits"},
      {"graph(%x):\n  %y = prim::If(%x)\n    block1():\n", "line 3, column 11: expected block0"},
      {"graph(%x):\n  -> (%x)\n", "'->' ends a block; a graph ends with 'return'"},
      {"graph(%x : Float(s0)):\n  return (%x)\n", "the symbol s0 is not declared"},
      {"graph(%x):\n  return (%x)\nrest", "line 3, column 1: expected the end of the text after a graph"},
      {"grph(%x):\n", "line 1, column 1: expected 'graph'"},
      {"graph(%x):\n  %y = f(tensor(Float(2), [1.0]))\n", "expected ','"},
      {"graph(%x):\n  %y = f(relu)\n", "expected an argument, but got 'relu'"},
      {"graph(%c):\n  %y = prim::If(%c)\n    block0():\n      %in = f()\n      -> (%in)\n    block1():\n      -> (%in)\n",
       "line 7, column 11: %in is not defined here"},
  };
  for (const Case& c : cases)
    EXPECT_NE(message([&] { parse_graph(c.text); }).find(c.message), std::string::npos) << c.text << message([&] { parse_graph(c.text); });
  std::string brackets = "graph():\n  %y = f(" + std::string(100000, '[');
  EXPECT_NE(message([&] { parse_graph(brackets); }).find("nests deeper than 64"), std::string::npos);
}

TEST(Unit, ReadsBackIdentical) {
  const char* text = R"(monograph 1
graph __torch__.Linear.forward(%self,
      %x):
  return (%x)
class __torch__.Linear(Module):
  parameter "weight" : Float(2, 2)
  buffer "seen" : Tensor [persistent=False]
  value "scale" : float
  method "forward"
class __torch__.Net(Module):
  module "fc" : __torch__.Linear
  module "tied" : __torch__.Linear
module m0 : __torch__.Net:
  "fc" = m1
  "tied" = m1
module m1 : __torch__.Linear[training=False]:
  "weight" = tensor(Float(2, 2), [1.0, nan(0x7fc00001), -0.0, 3.5])
  "seen" = None
  "scale" = 2.5
root m0
)";
  auto u = parse_unit(text);
  EXPECT_EQ(to_text(*u), text);
  std::string difference;
  EXPECT_TRUE(identical(*u, *parse_unit(to_text(*u)), &difference)) << difference;
  int attribute = -1;
  EXPECT_EQ(u->root()->find("tied.weight", attribute), u->modules()[1].get());
}

// A value of a module stands outside of every graph: before the first one, where the fuzzer found a crash, and after the last one.
TEST(Unit, AValueOfAModuleNamesNoNode) {
  const std::string class_text = "class C(Module):\n  value \"v\" : int\n", graph_text = "graph f(%x):\n  return (%x)\n",
                    module_text = "module m0 : C:\n  \"v\" = [%x]\n";
  for (const std::string& text : {class_text + module_text, class_text + module_text + graph_text, graph_text + class_text + module_text})
    EXPECT_NE(message([&] { parse_unit(text); }).find("%x is not defined here"), std::string::npos) << text;
}

TEST(Json, RandomGraphsReadBackIdentical) {
  uint64_t base = monograph::test::base_seed();
  for (uint64_t k = 0; k < 100; ++k) {
    SCOPED_TRACE(concat("seed ", base + k));
    auto g = test::RandomGraph(base + k).make(10, 3);
    std::string json = to_json(*g), difference;
    std::unique_ptr<Graph> back;
    ASSERT_EQ(message([&] { back = graph_from_json(json); }), "") << json;
    ASSERT_TRUE(identical(*g, *back, &difference)) << difference << "\n" << json;
  }
}

TEST(Json, SaysWhatIsWrongInOurWords) {
  struct Case {
    const char *text, *message;
  };
  const Case cases[] = {
      {"{}", "an object lacks \"format\""},
      {"[]", "expected an object with \"format\", but got a list"},
      {"{\"format\": 2}", "expected format 1, but this JSON has format 2"},
      {"{\"format\": \"x\"}", "this JSON has format \"x\""},
      {"{\"format\": 1", "the text ends too early"},
      {"{\"format\": 1e999}", "it holds a number that nothing can hold"},
      {"{\"format\": 1, \"nodes\": 3}", "expected a list as \"nodes\", but got 3"},
      {"{\"format\": 1, \"nodes\": [], \"blocks\": [{}]}", "an object lacks \""},
      {"{\"format\": 1, \"nodes\": [{\"block\": -1}], \"blocks\": [{}]}", "expected a whole number, but got -1"},
      {"{\"format\": 1, \"nodes\": [{\"block\": 0}], \"blocks\": [{}], \"symbols\": \"\", \"name\": \"f\", \"level\": \"core\", "
       "\"dialect\": \"fx\"}",
       "an object lacks \"op\""},
  };
  for (const Case& c : cases) {
    const std::string found = message([&] { graph_from_json(c.text); });
    EXPECT_NE(found.find(c.message), std::string::npos) << c.text << found;
    EXPECT_EQ(found.find("json.exception"), std::string::npos) << found;
  }
}

TEST(Editing, OrderStaysRightUnderRandomMoves) {
  uint64_t seed = monograph::test::base_seed();
  SCOPED_TRACE(concat("seed ", seed));
  std::mt19937_64 random(seed);
  auto g = test::RandomGraph(seed).make(20, 3);
  // New nodes always at one place use up the labels there.
  Node* anchor = g->output();
  for (int k = 0; k < 5000; ++k) {
    g->set_insert_point({g->root(), anchor});
    anchor = g->call("f");
  }
  verify(*g);
  for (int k = 0; k < 2000; ++k) {
    std::vector<Node*> nodes;
    for (Node* n : NestedNodes(*g))
      if (n->op() == Op::CallFunction && !n->is_projection()) nodes.push_back(n);
    nodes.resize(std::min<size_t>(nodes.size(), 200));
    Node *n = nodes[random() % nodes.size()], *at = nodes[random() % nodes.size()];
    bool inside = false;
    for (size_t b = 0; b < n->block_count(); ++b) inside |= n->block(b)->contains(at);
    if (inside || n == at) continue;
    if (random() % 2) g->move_before(n, at);
    else g->move_after(n, at);
    if (k % 50) continue;
    // Uses may be out of order now; links, labels and projections may not.
    for (const Problem& p : problems(*g, 10000)) EXPECT_TRUE(p.message.starts_with("it uses %")) << p.message;
  }
}

TEST(Editing, UsesFollow) {
  Graph g;
  Node *x = g.placeholder("x"), *y = g.placeholder("y");
  Node* a = g.call("f", Args(x, list(x, 3), y).kw("k", x));
  Node* b = g.call("g", Args(x));
  g.set_output(Args(tuple(a, b)));
  EXPECT_EQ(x->users(), (std::vector<Node*>{a, b}));
  const Skeleton* before = &a->skeleton();
  g.replace_all_uses(x, y);
  EXPECT_EQ(&a->skeleton(), before);
  EXPECT_FALSE(x->has_uses());
  EXPECT_EQ(a->input(1), y);
  EXPECT_EQ(y->users(), (std::vector<Node*>{a, b}));
  EXPECT_NE(message([&] { g.erase(b); }).find("%output uses it"), std::string::npos);
  g.set_output(Args(a));
  g.erase(b);
  EXPECT_TRUE(b->erased());
  EXPECT_EQ(b->input(0), y);  // an erased node stays readable
  EXPECT_NE(message([&] { g.call("h", Args(b)); }).find("was erased"), std::string::npos);
  Node* c = g.call("f", Args(y, list(y, 3), y).kw("k", y));
  EXPECT_EQ(&c->skeleton(), before);  // interned
  for (Node* n : *g.root())  // erasing while going through
    if (n == c) g.erase(n);
  verify(g);
}

TEST(Verifier, Tells) {
  struct Case {
    const char *text, *message;
  };
  const Case cases[] = {
      {"graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x, %x)\n  return (%y)\n",
       "relu() takes 1 positional argument but 2 were given; the schema is relu(Tensor self) -> Tensor"},
      {"graph(%x : Tensor):\n  %y : Tensor = aten::add.Tensor(%x)\n  return (%y)\n",
       "add() is missing its argument 'other' (position 2); the schema is add.Tensor("},
      {"graph(%x : Tensor):\n  %y : Tensor = aten::add.Tensor(%x, \"a\")\n  return (%y)\n",
       "add(): argument 'other' (position 2) must be Tensor, not str; the schema is add.Tensor("},
      {"graph(%x : Tensor):\n  %y : int = aten::relu(%x)\n  return (%y)\n", "its type is int, and aten::relu gives Tensor"},
      {"graph(%x : Tensor):\n  %y : Tensor = prim::If(%x)\n    block0():\n      -> (%x)\n    block1():\n      -> (%x)\n  return (%y)\n",
       "its condition is Tensor, not bool"},
      {"graph(%c : bool):\n  %y : int = prim::If(%c)\n    block0():\n      -> (1)\n    block1():\n      -> ()\n  return (%y)\n",
       "block1 ends with 0 values, and 1 are expected"},
      {"graph(%c : bool):\n  %y : int = prim::Loop(3, %c, 1)\n    block0(%i : int):\n      -> (%c, 2)\n  return (%y)\n",
       "its block has 1 placeholders, and 2 are expected"},
      {"graph[level=core](%x):\n  %y = call_method[\"relu\"](%x)\n  return (%y)\n", "a call_method in a graph of level core"},
      {"graph(%x):\n  %y(%a, %b) : (Tensor, Tensor) = f(%x)\n  %z = g(%y)\n  return (%z)\n",
       "it uses %y, which has several results, instead of one of them"},
  };
  for (const Case& c : cases) {
    std::string found = message([&] { verify(*parse_graph(c.text)); });
    EXPECT_NE(found.find(c.message), std::string::npos) << c.text << found;
  }
}

TEST(Verifier, RefusesRecursion) {
  const char* methods = R"(class __torch__.Net(Module):
  method "f"
module m0 : __torch__.Net:
graph __torch__.Net.f(%self : __torch__.Net, %x : Tensor):
  %y = call_method["f"](%self, %x)
  return (%y)
)";
  struct Case {
    std::string text, message;
  };
  const Case cases[] = {
      {"graph f(%x):\n  %y = f(%x)\n  return (%y)\n", "the graph f is not valid:\n  %y (f): a function calls itself: f -> f; "},
      // Behind a condition too.
      {"graph f(%x, %c : bool):\n  %y = prim::If(%c)\n    block0():\n      %z = g(%x, %c)\n      -> (%z)\n    block1():\n      -> (%x)\n"
       "  return (%y)\ngraph g(%x, %c):\n  %y = f(%x, %c)\n  return (%y)\n",
       "a function calls itself: f -> g -> f; "},
      {methods, "a function calls itself: __torch__.Net.f -> __torch__.Net.f; "},
      // One function that two others call is no circle.
      {"graph f(%x):\n  %y = g(%x)\n  %z = h(%y)\n  return (%z)\ngraph g(%x):\n  %y = h(%x)\n  return (%y)\ngraph h(%x):\n  return (%x)\n",
       ""},
  };
  for (const Case& c : cases) {
    const std::string found = message([&] { verify(*parse_unit(c.text)); });
    EXPECT_NE(found.find(c.message), std::string::npos) << c.text << found;
    EXPECT_EQ(found.empty(), c.message.empty()) << found;
  }
  // Deep, and wide: every function calls all behind it.
  std::string deep;
  for (int k = 0; k < 20000; ++k) deep += concat("graph f", k, "(%x):\n  %y = f", k + 1, "(%x)\n  return (%y)\n");
  EXPECT_EQ(message([&] { verify(*parse_unit(deep)); }), "");
}

TEST(Inference, JoinsArmsAndLoops) {
  auto g = parse_graph(R"(graph(%x : Float(2, 3), %y : Float(4, 3), %c : bool, %n : int):
  %a = prim::If(%c)
    block0():
      %r = aten::relu(%x)
      -> (%r)
    block1():
      -> (%y)
  %l = prim::Loop(%n, True, %x)
    block0(%i, %s):
      %t = aten::add.Tensor(%s, 1)
      %u = prim::If(%c)
        block0():
          -> (%t)
        block1():
          -> (%y)
      -> (True, %u)
  return ((%a, %l))
)");
  infer_types(*g);
  verify(*g);
  std::map<std::string, std::string> types;
  for (Node* n : NestedNodes(*g)) types[n->name()] = to_string(n->type());
  EXPECT_EQ(types["a"], "Float(*, 3)");
  EXPECT_EQ(types["l"], "Float(*, 3)");
  EXPECT_EQ(types["t"], "Float(*, 3)");
  EXPECT_EQ(types["i"], "int");
}

TEST(Builder, ResultsAreWhatDiffers) {
  Graph g;
  Node *x = g.placeholder("x", TypeKind::Tensor), *c = g.placeholder("c", TypeKind::Bool);
  RegionBuilder b(g);
  auto y = b.slot("y", Args(x)), same = b.slot("same", Args(3)), late = b.slot("late");
  b.begin_if(c);
  b.set(y, Args(nullptr));
  b.set(late, Args(1));
  b.begin_else();
  b.set(same, Args(3));
  Node* n = b.end_if();
  EXPECT_EQ(to_string(n->type()), "Tensor?");
  EXPECT_EQ(b.get(y)[0].node(), n);
  EXPECT_EQ(b.get(same)[0].as_int(), 3);
  EXPECT_NE(message([&] { b.get(late); }).find("'late' may have no value here"), std::string::npos);
  g.set_output(b.get(y));
  verify(g);
}

TEST(Builder, AnAbandonedRegionLeavesTheGraphAsItWas) {
  Graph g;
  Node *x = g.placeholder("x", TypeKind::Tensor), *c = g.placeholder("c", TypeKind::Bool);
  RegionBuilder b(g);
  auto y = b.slot("y", Args(x)), late = b.slot("late");
  Node* before = g.call("aten::relu", Args(x));
  const std::string text = to_text(g);
  b.begin_if(c);
  b.set(y, Args(g.call("aten::neg", Args(x))));
  b.begin_else();
  b.set(y, Args(3));
  b.set(late, Args(4));
  RegionBuilder::Slot carried[] = {y};
  b.begin_loop(Args(5), Args(true), carried);
  b.set(y, Args(g.call("aten::neg", Args(b.node(y)))));
  EXPECT_EQ(b.depth(), 2u);
  b.abandon();
  EXPECT_EQ(b.get(y)[0].as_int(), 3);  // as in the arm, before the loop
  b.abandon();
  EXPECT_EQ(b.depth(), 0u);
  EXPECT_EQ(b.get(y)[0].node(), x);
  EXPECT_FALSE(b.defined(late));
  EXPECT_EQ(to_text(g), text);
  Node* after = g.call("aten::neg", Args(before));  // behind what was there, in the block of the region
  EXPECT_EQ(after->block(), g.root());
  EXPECT_TRUE(before->is_before(after));
  g.set_output(Args(after));
  verify(g);
}

}  // namespace
}  // namespace monograph::ir
