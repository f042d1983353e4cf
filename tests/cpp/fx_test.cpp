// torch.fx in C++: editing, finding and replacing, interpreting and transforming; bad input leaves the graph as it was.
#include "monograph/fx.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "monograph/monograph.h"
#include "monograph/script.h"

using namespace monograph;

namespace {

using Doubles = std::vector<double>;
using Names = std::vector<std::string>;

// The words of the error of just this class that f ends with; "" where it ends otherwise.
template <class E, class F>
std::string said(F&& f) {
  try {
    f();
  } catch (const Exception& e) {
    if (typeid(e) == typeid(E)) return e.what();
    ADD_FAILURE() << "another error: " << typeid(e).name() << " " << e.what();
  }
  return "";
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Names targets(const std::vector<fx::Node>& nodes) {
  Names out;
  for (const fx::Node& n : nodes)
    if (n.op() == "call_function") out.push_back(n.target());
  return out;
}
Names targets(const fx::Graph& graph) { return targets(graph.all_nodes()); }
fx::Node find(const fx::Graph& graph, const std::string& name) {
  for (fx::Node& n : graph.all_nodes())
    if (n.name() == name) return n;
  ADD_FAILURE() << "no node " << name << " in\n" << graph.str();
  return {};
}
Tensor sample() { return tensor({{-1., 0.5, 2.}, {3., -0.25, 1.}}); }

// --- Reading and editing.

TEST(Fx, NodesReadAsInTorchFx) {
  fx::Graph g = fx::symbolic_trace([](Tensor x, Tensor y) { return relu(x + y) * 2; });
  std::vector<fx::Node> nodes = g.nodes();
  ASSERT_EQ(nodes.size(), 6u);
  EXPECT_EQ(nodes[0].op(), "placeholder");
  EXPECT_EQ(nodes[0].target(), "x0");
  fx::Node add = nodes[2], relu_node = nodes[3];
  EXPECT_EQ(add.name(), "add");
  EXPECT_EQ(add.target(), "aten::add.Tensor");
  EXPECT_EQ(add.args().at(0).to_node(), nodes[0]);
  EXPECT_EQ(add.users(), std::vector<fx::Node>{relu_node});
  EXPECT_EQ(relu_node.all_input_nodes(), std::vector<fx::Node>{add});
  EXPECT_EQ(nodes[4].args().at(1).to_int(), 2);
  EXPECT_EQ(relu_node.prev(), add);
  EXPECT_EQ(relu_node.next(), nodes[4]);
  EXPECT_FALSE(nodes[5].next());
  EXPECT_EQ(nodes[5].op(), "output");
  EXPECT_TRUE(add.is_before(relu_node));
  EXPECT_TRUE(
      has(relu_node.format_node(), "[num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%add,), kwargs = {})"))
      << relu_node.format_node();
  EXPECT_EQ(g.find_nodes("call_function", "aten::relu"), std::vector<fx::Node>{relu_node});
}

TEST(Fx, EditsRun) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) { return relu(x) + 1; });
  Tensor x = sample();
  EXPECT_EQ(g({x}).values(), (relu(x) + 1).values());
  g.find_nodes("call_function", "aten::relu").at(0).set_target("aten::tanh");
  g.lint();
  EXPECT_EQ(g({x}).values(), (tanh(x) + 1).values());  // the plan of the first run is not kept
  fx::Node tanh_node = find(g, "relu");
  {
    auto here = g.inserting_after(tanh_node);
    fx::Node scaled = g.call_function("aten::mul", {tanh_node, 3});
    EXPECT_EQ(scaled.target(), "aten::mul.Scalar");
    EXPECT_EQ(tanh_node.replace_all_uses_with(scaled).size(), 1u);
    EXPECT_EQ(scaled.args().at(0).to_node(), tanh_node);  // the new node keeps its input
  }
  g.lint();
  EXPECT_EQ(g({x}).values(), (tanh(x) * 3 + 1).values());
  fx::Node add = g.find_nodes("call_function", "aten::add.Tensor").empty() ? g.find_nodes("call_function", "aten::add.Scalar").at(0)
                                                                           : g.find_nodes("call_function", "aten::add.Tensor").at(0);
  add.update_arg(1, 5);
  EXPECT_EQ(g({x}).values(), (tanh(x) * 3 + 5).values());
}

TEST(Fx, AGraphIsBuiltByHand) {
  fx::Graph g;
  fx::Node x = g.placeholder("x"), y = g.call_function("aten::relu", {x}), z = g.call_function("aten::add.Tensor", {y, x}, {{"alpha", 2}});
  g.output(fx::Argument::tuple({z, y}));
  g.lint();
  Tensor t = sample();
  std::vector<Tensor> out = g.run({t});
  EXPECT_EQ(out.at(0).values(), (relu(t) + t * 2).values());
  EXPECT_EQ(out.at(1).values(), relu(t).values());
}

TEST(Fx, ASecondOutputIsAnotherNode) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) { return relu(x) + 1; });
  fx::Node old = g.output_node(), add = old.prev(), made = g.output(fx::Argument::tuple({add.prev(), add}));
  EXPECT_TRUE(old.erased());
  EXPECT_EQ(g.output_node(), made);
  EXPECT_EQ(add.users(), std::vector<fx::Node>{made});
  g.erase_node(old);
  g.lint();
  EXPECT_EQ(g({sample()}).values(), relu(sample()).values());
}

struct Affine {
  Tensor weight = tensor({{1., 2., 3.}, {4., 5., 6.}}), bias = tensor({0.5, -0.5});
  Tensor operator()(const Tensor& x) const { return linear(x, weight, bias); }
  std::map<std::string, Tensor> named_parameters() const { return {{"layer.weight", weight}, {"layer.bias", bias}}; }
};

TEST(Fx, ModulesKeepTheirParametersAsAttributes) {
  Affine module;
  fx::Graph g = fx::symbolic_trace(module);
  EXPECT_EQ(g.find_nodes("get_attr").size(), 2u);
  EXPECT_EQ(g.attribute("layer.bias").values(), module.bias.values());
  EXPECT_EQ(g({sample()}).values(), module(sample()).values());
  fx::Graph copy = g.copy();
  EXPECT_EQ(copy({sample()}).values(), module(sample()).values());
  g.set_attribute("layer.bias", zeros({2}));
  EXPECT_EQ(copy({sample()}).values(), linear(sample(), module.weight).values());  // one module, two graphs
  EXPECT_EQ(g({sample()}).values(), linear(sample(), module.weight).values());
  g.lint();
  EXPECT_TRUE(has(said<AttributeError>([&] { g.attribute("layer.scale"); }), "no attribute 'layer.scale'"));
}

// --- Lists of tensors.

TEST(Fx, ListsOfTensors) {
  auto f = [](Tensor x) {
    std::vector<Tensor> parts = chunk(x, 3, -1);
    return stack({parts[2], parts[0]}).sum(0) + cat(split_with_sizes(x, {1, 2}, -1), -1).sum();
  };
  fx::Graph g = fx::symbolic_trace(f);
  g.lint();
  EXPECT_EQ(g({sample()}).values(), f(sample()).values());
  EXPECT_EQ(g.find_nodes("call_function", "aten::__getitem__.t").size(), 4u) << g.str();  // nobody uses parts[1]
  EXPECT_EQ(g.hash(), capture(f, {sample()}).hash()) << g.str();
  Tensor wide = ones({2, 6});
  EXPECT_NE(said<RuntimeError>([&] { g({wide}); }), "");  // of split_with_sizes
}

TEST(Fx, TheLengthOfAListIsChecked) {
  auto f = [](Tensor x) {
    std::vector<Tensor> parts = chunk(x, 3);
    return parts[0] - parts[2];
  };
  fx::Graph g = fx::symbolic_trace(f);
  EXPECT_EQ(g({ones({6})}).values(), f(ones({6})).values());
  const std::string words = said<RuntimeError>([&] { g({ones({4})}); });  // two pieces
  EXPECT_TRUE(has(words, "chunk")) << words;
  EXPECT_TRUE(has(words, "3")) << words;
}

TEST(Fx, UnpackSaysHowManyThereAre) {
  auto rows = [](Tensor x) { return unbind(x)[1]; };
  const std::string words = said<RuntimeError>([&] { fx::symbolic_trace(rows); });
  EXPECT_TRUE(has(words, "unbind")) << words;
  EXPECT_TRUE(has(words, "unpack<2>")) << words;
  auto f = [](Tensor x) {
    auto [first, second] = unpack<2>([&] { return unbind(x); });
    return first * 10 + second;
  };
  fx::Graph g = fx::symbolic_trace(f);
  g.lint();
  EXPECT_EQ(g({sample()}).values(), f(sample()).values());
  EXPECT_TRUE(has(said<RuntimeError>([&] { g({ones({3, 2})}); }), "unbind"));
  EXPECT_TRUE(has(said<ValueError>([&] { f(ones({3, 2})); }), "expected a list of 2 tensors, but got 3"));
  auto wrong = [](Tensor x) { return unpack<2>([&] { return split_with_sizes(x, {1, 1, 1}, -1); })[0]; };
  EXPECT_TRUE(has(said<ValueError>([&] { fx::symbolic_trace(wrong); }), "gives 3 tensors, but 2 are unpacked"));
  // What the list is cut from goes on being symbolic, and a second list has its own length.
  auto nested = [](Tensor x) {
    auto [a, b] = unpack<2>([&] { return split(x, 2, -1); });
    return cat({b, a}, -1) + tensor_split(x, 3, -1)[0];
  };
  Tensor x = randn({2, 3});
  EXPECT_EQ(fx::symbolic_trace(nested)({x}).values(), nested(x).values());
}

// --- Common subexpressions.

TEST(Fx, CallsThatAreThereTwiceBecomeOne) {
  Affine module;
  fx::Graph g =
      fx::symbolic_trace([&](Tensor x) { return sin(x) + sin(x) * 2 + module(x).sum() + module(x).sum(); }, module.named_parameters());
  const Tensor expected = g({sample()});
  EXPECT_TRUE(g.eliminate_common_subexpressions());
  EXPECT_FALSE(g.eliminate_common_subexpressions());
  g.lint();
  EXPECT_EQ(g.find_nodes("call_function", "aten::sin").size(), 1u);
  EXPECT_EQ(g.find_nodes("call_function", "aten::linear").size(), 1u);
  EXPECT_EQ(g.find_nodes("get_attr").size(), 2u);
  EXPECT_EQ(g({sample()}).values(), expected.values());
}

TEST(Fx, CallsThatMayDifferStay) {
  auto count = [](const fx::Graph& g, const char* target) { return g.find_nodes("call_function", target).size(); };
  fx::Graph banned = fx::symbolic_trace([](Tensor x) { return sin(x) + sin(x); });
  EXPECT_FALSE(banned.eliminate_common_subexpressions({"aten::sin"}));
  fx::Graph literals = fx::symbolic_trace([](Tensor x) { return (x + 1) * (x + 1.0) * (x + true) * sub(x, 0.0) * sub(x, -0.0); });
  EXPECT_FALSE(literals.eliminate_common_subexpressions()) << literals.str();
  fx::Graph drawn = fx::symbolic_trace([](Tensor x) { return rand_like(x) - rand_like(x); });
  EXPECT_FALSE(drawn.eliminate_common_subexpressions());
  fx::Graph written = fx::symbolic_trace([](Tensor x) {
    Tensor y = x * 2, z = x * 2, before = y.sum();
    y.add_(1);
    return y + z + before + y.sum();
  });
  const Tensor expected = written({sample()});
  written.eliminate_common_subexpressions();
  EXPECT_EQ(count(written, "aten::sum"), 2u) << written.str();
  EXPECT_EQ(count(written, "aten::mul.Scalar") + count(written, "aten::mul.Tensor"), 2u) << written.str();
  EXPECT_EQ(written({sample()}).values(), expected.values());
}

TEST(Fx, CommonCallsInBlocks) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) {
    Tensor outside = sin(x);
    auto then = [](const std::vector<Tensor>& a) { return std::vector<Tensor>{sin(a[0]) + cos(a[0])}; };
    auto otherwise = [](const std::vector<Tensor>& a) { return std::vector<Tensor>{sin(a[0]) - cos(a[0])}; };
    return outside + cond(x.sum() > 0, then, otherwise, {x})[0];
  });
  const Tensor up = g({sample()}), down = g({-sample()});
  EXPECT_TRUE(g.eliminate_common_subexpressions());
  g.lint();
  EXPECT_EQ(g.find_nodes("call_function", "aten::sin").size(), 1u) << g.str();
  EXPECT_EQ(g.find_nodes("call_function", "aten::cos").size(), 2u) << g.str();  // neither block sees the other's
  EXPECT_EQ(g({sample()}).values(), up.values());
  EXPECT_EQ(g({-sample()}).values(), down.values());
}

TEST(Fx, ResultsOfCommonCalls) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) {
    auto [values, places] = sort(x, -1);
    auto [again, places_again] = sort(x, -1);
    return values * again + places_again;
  });
  const Tensor expected = g({sample()});
  EXPECT_TRUE(g.eliminate_common_subexpressions());
  g.lint();
  EXPECT_EQ(g({sample()}).values(), expected.values());
  size_t sorts = 0;
  for (const std::string& t : targets(g)) sorts += t.starts_with("aten::sort");
  EXPECT_EQ(sorts, 1u) << g.str();
}

// --- Bad input.

TEST(Fx, AnotherGraphsNodesAreRefused) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) { return relu(x); }), other = fx::symbolic_trace([](Tensor x) { return tanh(x); });
  const std::string before = g.str();
  fx::Node relu_node = find(g, "relu"), alien = find(other, "tanh");
  const std::string words = said<ValueError>([&] { relu_node.set_args({alien}); });
  EXPECT_TRUE(has(words, "%relu")) << words;
  EXPECT_TRUE(has(words, "%tanh belongs to another graph")) << words;
  EXPECT_TRUE(has(words, "call_function")) << words;
  EXPECT_NE(said<ValueError>([&] { relu_node.replace_all_uses_with(alien); }), "");
  EXPECT_NE(said<ValueError>([&] { relu_node.replace_input_with(find(g, "x"), alien); }), "");
  EXPECT_NE(said<ValueError>([&] { g.erase_node(alien); }), "");
  EXPECT_NE(said<ValueError>([&] { relu_node.append(alien); }), "");
  EXPECT_NE(said<ValueError>([&] { g.call_function("aten::relu", {alien}); }), "");
  EXPECT_NE(said<ValueError>([&] { g.output(alien); }), "");
  EXPECT_EQ(g.str(), before);
  g.lint();
}

TEST(Fx, ErrorsNameTheLine) {
  fx::Pattern text("graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x)  # model.py:7:4-7:10\n  return (%y)\n");
  fx::Graph g = text.graph(), other = fx::symbolic_trace([](Tensor x) { return tanh(x); });
  EXPECT_TRUE(has(find(g, "y").stack_trace(), "model.py:7"));
  EXPECT_TRUE(has(said<ValueError>([&] { find(g, "y").set_args({find(other, "tanh")}); }), "model.py:7"));
  EXPECT_TRUE(has(said<RuntimeError>([&] { g.erase_node(find(g, "x")); }), "still used in the graph: %y"));
}

TEST(Fx, NewNodesHaveTheLineOfTheProgram) {
  const auto line = [](const fx::Node& n) {
    const std::string at = n.stack_trace(), file = "fx_test.cpp:";
    const size_t begin = at.find(file);
    return begin == std::string::npos ? 0u : static_cast<uint32_t>(std::stoul(at.substr(begin + file.size())));
  };
  fx::Graph g;
  const uint32_t here = std::source_location::current().line();
  fx::Node x = g.placeholder("x");
  fx::Node y = g.call_function("aten::relu", {x});
  fx::Node out = g.output(y);
  EXPECT_EQ(line(x), here + 1);
  EXPECT_EQ(line(y), here + 2);
  EXPECT_EQ(line(out), here + 3);
  {
    auto beside = g.inserting_after(y);
    EXPECT_EQ(line(g.call_function("aten::tanh", {y})), here + 2);  // the line of the node that it stands beside
  }
  g.set_attribute("w", sample());
  const uint32_t attribute = std::source_location::current().line() + 1;
  EXPECT_EQ(line(g.get_attr("w")), attribute);
  const uint32_t refused = std::source_location::current().line() + 1;
  const std::string words = said<TypeError>([&] { g.call_function("aten::softmax.int", {x, "one"}); });
  EXPECT_TRUE(has(words, "fx_test.cpp:" + std::to_string(refused))) << words;

  const uint32_t traced = std::source_location::current().line() + 1;
  fx::Graph of_function = fx::symbolic_trace([](Tensor a) { return relu(a); }), of_module = fx::symbolic_trace(Affine());
  EXPECT_EQ(line(find(of_function, "relu")), traced);
  EXPECT_EQ(line(find(of_module, "linear")), traced);
  EXPECT_EQ(line(of_function.placeholder("more")), traced + 3);  // not the line of the capture
  EXPECT_EQ(line(of_function.nodes().at(0)), traced);
  EXPECT_EQ(fx::replace_pattern(of_function, [](Tensor a) { return relu(a); }, [](Tensor a) { return tanh(a); }).size(), 1u);
  EXPECT_EQ(line(find(of_function, "tanh")), traced);
  EXPECT_EQ(line(of_function.placeholder("last")), traced + 7);
  find(of_module, "layer_bias").set_target("layer.bais");
  const std::string missing = said<AttributeError>([&] { of_module.lint(); });
  EXPECT_TRUE(has(missing, "%layer_bias: the graph's module has no attribute 'layer.bais'") &&
              has(missing, "fx_test.cpp:" + std::to_string(traced)))
      << missing;
  const char* two_inputs = "graph(%x : Tensor, %y : Tensor):\n  return (%x)\n";
  const uint32_t pattern = std::source_location::current().line() + 1;
  const std::string unused = said<ValueError>([&] { fx::replace_pattern(g, [](Tensor a, Tensor) { return relu(a); }, two_inputs); });
  EXPECT_TRUE(has(unused, "fx_test.cpp:" + std::to_string(pattern))) << unused;
}

TEST(Fx, ABareNameCallsTheOverloadThatItsArgumentsFit) {
  fx::Graph g;
  fx::Node x = g.placeholder("x");
  fx::Node whole = g.call_function("aten::mean", {x});
  EXPECT_EQ(whole.target(), "aten::mean");
  fx::Node rows = g.call_function("aten::mean", {x}, {{"dim", std::vector<int64_t>{1}}});
  EXPECT_EQ(rows.target(), "aten::mean.dim");
  whole.set_kwargs({{"dim", std::vector<int64_t>{1}}});
  EXPECT_EQ(whole.target(), "aten::mean.dim");
  whole.set_kwargs({});
  EXPECT_EQ(whole.target(), "aten::mean");
  EXPECT_NE(said<TypeError>([&] { g.call_function("aten::mean", {x}, {{"dims", 1}}); }), "");
  g.output(fx::Argument::tuple({whole, rows}));
  g.lint();
  std::vector<Tensor> out = g.run({sample()});
  EXPECT_EQ(out.at(0).values(), sample().mean().values());
  EXPECT_EQ(out.at(1).values(), sample().mean({1}).values());
}

TEST(Fx, LintFindsAUseBeforeItsDefinition) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) { return tanh(relu(x)); });
  find(g, "tanh").append(find(g, "relu"));
  const std::string words = said<ValueError>([&] { g.lint(); });
  EXPECT_TRUE(has(words, "relu")) << words;
  EXPECT_NE(said<RuntimeError>([&] { g({sample()}); }), "");
}

TEST(Fx, UnknownTargetsAreRefused) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) { return relu(x); });
  const std::string before = g.str();
  EXPECT_TRUE(has(said<AttributeError>([&] { find(g, "relu").set_target("aten::rellu"); }), "relu"));
  EXPECT_NE(said<AttributeError>([&] { g.call_function("aten::nothing_like_it", {find(g, "x")}); }), "");
  EXPECT_NE(said<TypeError>([&] { g.call_function("aten::softmax.int", {find(g, "x"), "one"}); }), "");
  EXPECT_EQ(g.str(), before);
}

// --- Patterns.

TEST(Fx, ReplacesAPatternOfTwoLambdas) {
  fx::Graph g = fx::symbolic_trace([](Tensor x, Tensor y) { return relu(x + y) + relu(y + x * 2); });
  std::vector<fx::Match> places =
      fx::replace_pattern(g, [](Tensor a, Tensor b) { return relu(a + b); }, [](Tensor a, Tensor b) { return tanh(a - b); });
  EXPECT_EQ(places.size(), 2u);
  g.lint();
  EXPECT_EQ(g.find_nodes("call_function", "aten::relu").size(), 0u);
  Tensor x = sample(), y = sample() * 0.5;
  EXPECT_EQ(g({x, y}).values(), (tanh(x - y) + tanh(y - x * 2)).values());
  EXPECT_EQ(places[0].nodes_map.size(), 4u);  // two inputs, two calls; the output stands for nothing
}

TEST(Fx, ReplacesAPatternOfTwoTexts) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) { return silu(x).neg(); });
  fx::replace_pattern(g, "graph(%a : Tensor):\n  %b : Tensor = aten::silu(%a)\n  return (%b)\n",
                      "graph(%a : Tensor):\n  %s : Tensor = aten::sigmoid(%a)\n  %b : Tensor = aten::mul.Tensor(%a, %s)\n  return (%b)\n");
  EXPECT_EQ(targets(g), (Names{"aten::sigmoid", "aten::mul.Tensor", "aten::neg"}));
  EXPECT_EQ(g({sample()}).values(), (sample() * sigmoid(sample())).neg().values());
}

TEST(Fx, AReplacementTextNamesOperatorsThatExist) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) { return relu(x).neg(); });
  const std::string before = g.str();
  const std::string pattern = "graph(%a : Tensor):\n  %b : Tensor = aten::relu(%a)\n  return (%b)\n";
  const std::string wrong = "graph(%a : Tensor):\n  %b : Tensor = aten::rellu(%a)\n  return (%b)\n";
  EXPECT_TRUE(
      has(said<AttributeError>([&] { fx::replace_pattern(g, pattern, wrong); }), "no operator aten::rellu; did you mean aten::relu?"));
  const std::string too_many = "graph(%a : Tensor):\n  %b : Tensor = aten::silu(%a, 3)\n  return (%b)\n";
  EXPECT_TRUE(
      has(said<TypeError>([&] { fx::replace_pattern(g, pattern, too_many); }), "silu() takes 1 positional argument but 2 were given"));
  EXPECT_EQ(g.str(), before);
  EXPECT_EQ(fx::replace_pattern(g, wrong, pattern).size(), 0u);
}

TEST(Fx, AnInterpreterNamesAValueThatIsUsedTooEarly) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) { return relu(x + 1).neg(); });
  find(g, "add").update_arg(0, find(g, "neg"));
  const std::string message = said<RuntimeError>([&] { fx::Interpreter(g).run({sample()}); });
  EXPECT_TRUE(has(message, "%neg is used before it is computed; graph.lint() says where"));
  EXPECT_TRUE(has(message, "While executing %add"));
}

TEST(Fx, APlaceThroughWhichAnotherNodeRunsIsNone) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) { return tanh(relu(x) + 1) + relu(x.neg()); });
  const auto pattern = [](Tensor a, Tensor b) { return std::vector{tanh(a), relu(b)}; };
  const auto replacement = [](Tensor a, Tensor b) { return std::vector{sigmoid(a), silu(b)}; };
  Tensor x = sample();
  EXPECT_EQ(fx::replace_pattern(g, pattern, replacement).size(), 1u);  // tanh with the second relu: the first gives its input
  g.lint();
  EXPECT_EQ(g({x}).values(), (sigmoid(relu(x) + 1) + silu(x.neg())).values());
}

TEST(Fx, WildcardsStandForLiteralsAndForDistinctNodes) {
  // y + 3: the second input of the pattern stands for the number.
  const fx::Pattern pattern("graph(%a : Tensor, %b : Tensor):\n  %c : Tensor = aten::mul.Tensor(%a, %b)\n  return (%c)\n");
  const fx::Pattern replacement("graph(%a : Tensor, %b : Tensor):\n  %c : Tensor = aten::sub.Tensor(%a, %b)\n  return (%c)\n");
  fx::Graph g = fx::Pattern("graph(%x : Tensor):\n  %y : Tensor = aten::mul.Tensor(%x, 3)\n  return (%y)\n").graph();
  EXPECT_EQ(fx::replace_pattern(g, pattern, replacement).size(), 1u);
  g.lint();
  EXPECT_EQ(g({sample()}).values(), (sample() - 3).values());
  EXPECT_EQ(g.find_nodes("call_function", "prim::Constant").size(), 0u);
  // x * x: two inputs of the pattern are two values.
  fx::Graph square = fx::symbolic_trace([](Tensor x) { return x * x; });
  EXPECT_EQ(fx::replace_pattern(square, pattern, replacement).size(), 0u);
}

TEST(Fx, LiteralsMustBeEqualUnlessIgnored) {
  const auto graph = [] { return fx::symbolic_trace([](Tensor x) { return softmax(x, 1) + softmax(x, 0); }); };
  const auto pattern = [](Tensor x) { return softmax(x, 1); };
  const auto replacement = [](Tensor x) { return log_softmax(x, 1); };
  fx::Graph strict = graph(), loose = graph();
  EXPECT_EQ(fx::replace_pattern(strict, pattern, replacement).size(), 1u);
  EXPECT_EQ(strict({sample()}).values(), (log_softmax(sample(), 1) + softmax(sample(), 0)).values());
  EXPECT_EQ(fx::replace_pattern_with_filters(loose, pattern, replacement, {}, true).size(), 2u);
  EXPECT_EQ(targets(loose), (Names{"aten::log_softmax.int", "aten::log_softmax.int", "aten::add.Tensor"}));
}

TEST(Fx, TwoSpellingsOfACallMatch) {
  fx::Graph g =
      fx::Pattern("graph(%x : Tensor):\n  %y : Tensor = aten::add.Tensor(%x, %x, alpha=1)\n  %z : Tensor = aten::relu(%y)\n  return (%z)\n")
          .graph();
  EXPECT_EQ(fx::replace_pattern(g, [](Tensor a) { return a + a; }, [](Tensor a) { return a * 2; }).size(), 1u);
  EXPECT_EQ(g({sample()}).values(), relu(sample() * 2).values());
}

TEST(Fx, OfOverlappingPlacesTheFirstCounts) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) { return relu(relu(relu(x))); });
  EXPECT_EQ(fx::replace_pattern(g, [](Tensor x) { return relu(relu(x)); }, [](Tensor x) { return tanh(x); }).size(), 1u);
  EXPECT_EQ(targets(g), (Names{"aten::tanh", "aten::relu"}));
}

TEST(Fx, NeighbouringPlacesAreReplacedTogether) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) { return relu(relu(relu(relu(x)))); });
  EXPECT_EQ(fx::replace_pattern(g, [](Tensor x) { return relu(relu(x)); }, [](Tensor x) { return tanh(x); }).size(), 2u);
  g.lint();
  EXPECT_EQ(targets(g), (Names{"aten::tanh", "aten::tanh"}));
  EXPECT_EQ(g({sample()}).values(), tanh(tanh(sample())).values());
}

TEST(Fx, WhatIsUsedFromOutsideIsNoPlace) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) {
    Tensor a = x + 1;
    return relu(a) + a;
  });
  const std::string before = g.str();
  EXPECT_EQ(fx::replace_pattern(g, [](Tensor x) { return relu(x + 1); }, [](Tensor x) { return tanh(x); }).size(), 0u);
  EXPECT_EQ(g.str(), before);
}

TEST(Fx, PatternsOfSeveralResults) {
  fx::Graph g = fx::symbolic_trace([](Tensor x, Tensor y) {
    Tensor a = relu(x), b = sigmoid(y);
    return std::vector{a + 1, b * a};
  });
  const auto pattern = [](Tensor x, Tensor y) { return std::vector{relu(x), sigmoid(y)}; };
  const auto replacement = [](Tensor x, Tensor y) { return std::vector{tanh(x), exp(y)}; };
  EXPECT_EQ(fx::replace_pattern(g, pattern, replacement).size(), 1u);
  g.lint();
  Tensor x = sample(), y = x * 0.5;
  std::vector<Tensor> out = g.run({x, y});
  EXPECT_EQ(out[0].values(), (tanh(x) + 1).values());
  EXPECT_EQ(out[1].values(), (exp(y) * tanh(x)).values());
}

TEST(Fx, CallsWithSeveralResults) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) { return std::get<0>(x.max(1)) + 1; });
  EXPECT_EQ(fx::replace_pattern(g, [](Tensor x) { return std::get<0>(x.max(1)); }, [](Tensor x) { return amax(x, {1}); }).size(), 1u);
  g.lint();
  EXPECT_EQ(g({sample()}).values(), (amax(sample(), {1}) + 1).values());
  EXPECT_EQ(fx::replace_pattern(g, [](Tensor x) { return amax(x, {1}); }, [](Tensor x) { return std::get<0>(x.max(1)); }).size(), 1u);
  g.lint();
  EXPECT_EQ(g({sample()}).values(), (amax(sample(), {1}) + 1).values());
}

TEST(Fx, ReplacesInBlocksOfIfAndLoop) {
  const auto f = [](Tensor x) {
    Tensor y = cond(
        x.sum() > 0, [](const auto& v) { return std::vector{relu(v[0]) + 1}; }, [](const auto& v) { return std::vector{relu(v[0]) - 1}; },
        {x})[0];
    return while_loop([](const auto& v) { return v[0].sum() < 100; }, [](const auto& v) { return std::vector{relu(v[0]) * 2 + 1}; },
                      {y})[0];
  };
  fx::Graph g = fx::symbolic_trace(f);
  EXPECT_EQ(g.find_nodes("call_function", "prim::If").size(), 1u);
  EXPECT_EQ(fx::replace_pattern(g, [](Tensor x) { return relu(x); }, [](Tensor x) { return clamp(x, 0); }).size(), 3u);
  g.lint();
  for (const Tensor& x : {sample(), -sample() - 1}) EXPECT_EQ(g({x}).values(), f(x).values());
  EXPECT_EQ(g.find_nodes("call_function", "aten::relu").size(), 0u);
}

TEST(Fx, AReplacementMayHoldABranch) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) { return relu(x) + 1; });
  const auto branch = [](Tensor x) {
    return cond(x.sum() > 0, [](const auto& v) { return std::vector{v[0] * 2}; }, [](const auto& v) { return std::vector{-v[0]}; }, {x})[0];
  };
  EXPECT_EQ(fx::replace_pattern(g, [](Tensor x) { return relu(x); }, branch).size(), 1u);
  g.lint();
  for (const Tensor& x : {sample(), -sample()}) EXPECT_EQ(g({x}).values(), (branch(x) + 1).values());
}

TEST(Fx, AWriteBetweenTheNodesIsNoPlace) {
  // relu reads x before the write; tanh reads its value after it: behind the write the replacement would see other elements.
  fx::Graph g = fx::symbolic_trace([](Tensor x) {
    Tensor y = x * 1, a = relu(y);
    y.add_(1);
    return tanh(a) + y;
  });
  const std::string before = g.str();
  EXPECT_EQ(fx::replace_pattern(g, [](Tensor x) { return tanh(relu(x)); }, [](Tensor x) { return sigmoid(x); }).size(), 0u);
  EXPECT_EQ(g.str(), before);
  // One node alone is replaced where it stands, not before its first user.
  EXPECT_EQ(fx::replace_pattern(g, [](Tensor x) { return relu(x); }, [](Tensor x) { return clamp(x, 0); }).size(), 1u);
  g.lint();
  EXPECT_EQ(g({sample()}).values(), (tanh(relu(sample())) + (sample() + 1)).values());
}

TEST(Fx, FiltersChoosePlaces) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) { return relu(x) + relu(x * 2); });
  const auto second = [](const fx::Match& m, const fx::Graph&, const fx::Graph& pattern) {
    return m.nodes_map.at(pattern.nodes().at(0)).to_node().op() != "placeholder";
  };
  std::vector<fx::ReplacedPatterns> done =
      fx::replace_pattern_with_filters(g, [](Tensor x) { return relu(x); }, [](Tensor x) { return tanh(x); }, {second});
  ASSERT_EQ(done.size(), 1u);
  ASSERT_EQ(done[0].replacements.size(), 1u);
  EXPECT_EQ(done[0].replacements[0].target(), "aten::tanh");
  EXPECT_EQ(g({sample()}).values(), (relu(sample()) + tanh(sample() * 2)).values());
}

TEST(Fx, PatternsThatCannotBeFoundAreRefused) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) { return relu(x); });
  const std::string before = g.str();
  const auto two = [](Tensor x, Tensor) { return relu(x); };
  EXPECT_TRUE(has(said<ValueError>([&] { fx::replace_pattern(g, two, two); }), "the pattern's input %x1 is not used"));
  const auto same = [](Tensor x) { return x; };
  EXPECT_NE(said<ValueError>([&] { fx::replace_pattern(g, same, same); }), "");
  const fx::Pattern unbound(
      "graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x)  # model.py:3:0-3:9\n  return ((%y, 2))  # model.py:4:0-4:9\n");
  std::string words = said<ValueError>([&] { fx::replace_pattern(g, unbound, unbound); });
  EXPECT_TRUE(has(words, "the pattern returns 2, which no node computes")) << words;
  EXPECT_TRUE(has(words, "model.py:4")) << words;
  const auto branch = [](Tensor x) {
    return cond(x.sum() > 0, [](const auto& v) { return std::vector{v[0] * 2}; }, [](const auto& v) { return std::vector{-v[0]}; }, {x})[0];
  };
  EXPECT_TRUE(has(said<ValueError>([&] { fx::replace_pattern(g, branch, branch); }), "prim::If"));
  EXPECT_EQ(g.str(), before);
}

TEST(Fx, ReplacementsThatDoNotFitAreRefused) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) { return relu(x).neg(); });
  const std::string before = g.str();
  const auto pattern = [](Tensor x) { return relu(x); };
  EXPECT_TRUE(has(said<ValueError>([&] { fx::replace_pattern(g, pattern, [](Tensor x, Tensor y) { return x + y; }); }),
                  "Placeholder count mismatch: 1 vs 2"));
  EXPECT_TRUE(has(said<ValueError>([&] { fx::replace_pattern(g, pattern, [](Tensor x) { return std::vector{x, x}; }); }),
                  "Returning nodes count mismatch: 1 vs 2"));
  const fx::Pattern missing(
      "graph(%x : Tensor):\n  %w : Tensor = get_attr[\"no.weight\"]()\n  %y : Tensor = aten::add.Tensor(%x, %w)\n  return (%y)\n");
  EXPECT_TRUE(has(said<ValueError>([&] { fx::replace_pattern(g, pattern, missing); }), "no.weight"));
  EXPECT_NE(said<ValueError>([] { fx::Pattern("graph(%x : Tensor):\n  %y = aten::relu(%z)\n  return (%y)\n"); }), "");
  EXPECT_EQ(g.str(), before);
}

TEST(Fx, ATypeThatCannotBeLeavesTheGraphAlone) {
  fx::Graph g =
      fx::Pattern("graph(%x : Float(2, 3)):\n  %a : Float(2, 3) = aten::relu(%x)\n  %b : Float(2, 3) = aten::relu(%a)\n  return (%b)\n")
          .graph();
  const std::string before = g.str();
  const auto wrong = [](Tensor x) { return x.mm(x); };
  std::string words = said<RuntimeError>([&] { fx::replace_pattern(g, [](Tensor x) { return relu(x); }, wrong); });
  EXPECT_TRUE(has(words, "aten::mm")) << words;
  EXPECT_TRUE(has(words, "The graph is unchanged")) << words;
  EXPECT_EQ(g.str(), before);
  // The new node is right, and its user cannot take its value.
  fx::Graph chain = fx::Pattern(
                        "graph(%x : Float(2, 3), %w : Float(3, 4)):\n  %a : Float(2, 3) = aten::relu(%x)\n  %b : Float(2, 4) = "
                        "aten::mm(%a, %w)\n  return (%b)\n")
                        .graph();
  const std::string chain_before = chain.str();
  EXPECT_NE(said<RuntimeError>([&] { fx::replace_pattern(chain, [](Tensor x) { return relu(x); }, [](Tensor x) { return x.t(); }); }), "");
  EXPECT_EQ(chain.str(), chain_before);
}

TEST(Fx, NewTypesReachTheUsers) {
  fx::Graph g =
      fx::Pattern("graph(%x : Float(2, 3)):\n  %a : Float(2, 3) = aten::relu(%x)\n  %b : Float(2, 3) = aten::neg(%a)\n  return (%b)\n")
          .graph();
  fx::replace_pattern(g, [](Tensor x) { return relu(x); }, [](Tensor x) { return x.t(); });
  g.lint();
  EXPECT_TRUE(has(find(g, "b").type(), "3, 2")) << find(g, "b").type();
}

// --- Interpreter and Transformer.

struct Recorder : fx::Interpreter {
  using Interpreter::Interpreter;
  Names seen;
  fx::Argument run_node(const fx::Node& n) override {
    seen.push_back(n.name());
    return Interpreter::run_node(n);
  }
};

TEST(Fx, AnInterpreterGivesWhatTheGraphGives) {
  const auto f = [](Tensor x) {
    auto [values, indices] = x.max(1);
    Tensor y = cond(
        x.sum() > 0, [](const auto& v) { return std::vector{relu(v[0]) + 1}; }, [](const auto& v) { return std::vector{v[0] - 1}; },
        {x})[0];
    Tensor z = while_loop([](const auto& v) { return v[0].sum() < 100; }, [](const auto& v) { return std::vector{v[0] * 2 + 10}; }, {y})[0];
    return std::vector{z, values + indices, add(x, z, 2), cat({x, z}, 1)};
  };
  fx::Graph g = fx::symbolic_trace(f);
  for (const Tensor& x : {sample(), -sample() - 1}) {
    std::vector<Tensor> expected = g.run({x});
    for (bool collect : {true, false}) {
      Recorder run(g, collect);
      std::vector<fx::Argument> out = run.run({x}).items();
      ASSERT_EQ(out.size(), expected.size());
      for (size_t k = 0; k < out.size(); ++k) EXPECT_EQ(out[k].to_tensor().values(), expected[k].values());
      EXPECT_GT(run.seen.size(), 8u);
      if (collect) EXPECT_NE(said<RuntimeError>([&] { run.value(g.nodes().at(0)); }), "");
      else EXPECT_EQ(run.value(g.nodes().at(0)).to_tensor().values(), x.values());
    }
  }
}

struct Doubled : fx::Interpreter {
  using Interpreter::Interpreter;
  fx::Argument call_function(const std::string& target, const fx::Arguments& args, const fx::Keywords& kwargs) override {
    return Interpreter::call_function(target == "aten::relu" ? "aten::neg" : target, args, kwargs).to_tensor() * 2;
  }
};

TEST(Fx, OverridesSeeTargetsAndValues) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) { return add(relu(x), x, 3); });
  EXPECT_EQ(Doubled(g).run({sample()}).to_tensor().values(), (add(-sample() * 2, sample(), 3) * 2).values());
}

TEST(Fx, MethodsOfTensorsRunInAnInterpreter) {
  const fx::Graph g = fx::Pattern(R"(graph(%x):
  %a = call_method["relu"](%x)
  %n = call_method["size"](%a, 0)
  %b = call_method["reshape"](%a, [%n, -1])
  %c = call_method["sum"](%b, dim=[1], keepdim=True)
  %d = call_method["view"](%c, 1, -1)
  return (%d)
)")
                          .graph();
  EXPECT_EQ(fx::Interpreter(g).run({sample()}).to_tensor().values(), relu(sample()).sum({1}, true).view({1, -1}).values());
  struct Methods : fx::Interpreter {
    using Interpreter::Interpreter;
    Names seen;
    fx::Argument call_method(const std::string& target, const fx::Arguments& args, const fx::Keywords& kwargs) override {
      seen.push_back(target);
      return Interpreter::call_method(target == "relu" ? "neg" : target, args, kwargs);
    }
  };
  Methods run(g);
  EXPECT_EQ(run.run({sample()}).to_tensor().values(), neg(sample()).sum({1}, true).view({1, -1}).values());
  EXPECT_EQ(run.seen, (Names{"relu", "size", "reshape", "sum", "view"}));
  const fx::Graph wrong = fx::Pattern("graph(%x):\n  %a = call_method[\"no_such\"](%x)\n  return (%a)\n").graph();
  EXPECT_TRUE(has(said<AttributeError>([&] { fx::Interpreter(wrong).run({sample()}); }), "has no method no_such"));
  EXPECT_TRUE(
      has(said<TypeError>([&] {
            fx::Interpreter(fx::Pattern("graph(%x):\n  %a = call_method[\"relu\"](%x, 3)\n  return (%a)\n").graph()).run({sample()});
          }),
          "relu"));
}

TEST(Fx, AnInterpretersErrorsNameTheNode) {
  fx::Graph g = fx::symbolic_trace([](Tensor x, Tensor y) { return relu(x.mm(y)); });
  std::string words = said<RuntimeError>([&] { fx::Interpreter(g).run({sample(), sample()}); });
  EXPECT_TRUE(has(words, "While executing %mm")) << words;
  EXPECT_EQ(words.find("While executing"), words.rfind("While executing")) << words;
  EXPECT_TRUE(has(said<RuntimeError>([&] { fx::Interpreter(g).run({sample()}); }), "Expected positional argument for parameter x1"));
  EXPECT_NE(said<TypeError>([&] { fx::Interpreter(g).run({sample(), sample(), sample()}); }), "");
}

TEST(Fx, AnInterpreterChecksGuards) {
  Graph traced = capture([](Tensor x) { return x.size(0) == 2 ? x + 1 : x; }, {sample()}, How::Trace);
  EXPECT_EQ(fx::Interpreter(traced).run({sample()}).to_tensor().values(), (sample() + 1).values());
  EXPECT_TRUE(has(said<RuntimeError>([&] { fx::Interpreter(traced).run({ones({3, 3})}); }), "captured where"));
}

struct Swapped : fx::Transformer {
  using Transformer::Transformer;
  fx::Argument call_function(const std::string& target, const fx::Arguments& args, const fx::Keywords& kwargs) override {
    if (target == "aten::relu") return tanh(args.at(0).to_tensor());
    return Transformer::call_function(target, args, kwargs);
  }
};

TEST(Fx, ATransformerWritesANewGraph) {
  const auto f = [](auto activation) {
    return [activation](Tensor x) {
      auto [values, indices] = x.max(1);
      Tensor y = cond(
          x.sum() > 0, [&](const auto& v) { return std::vector{activation(v[0]) + 1}; },
          [](const auto& v) { return std::vector{v[0] - 1}; }, {x})[0];
      Tensor z = while_loop([](const auto& v) { return v[0].sum() < 60; },
                            [&](const auto& v) { return std::vector{activation(v[0]) * 2 + 10}; }, {y})[0];
      return std::vector{z, values + indices};
    };
  };
  const auto with_relu = f([](const Tensor& t) { return relu(t); });
  const auto with_tanh = f([](const Tensor& t) { return tanh(t); });
  fx::Graph g = fx::symbolic_trace(with_relu), same = fx::Transformer(g).transform(), swapped = Swapped(g).transform();
  same.lint();
  swapped.lint();
  EXPECT_EQ(same.hash(), g.hash());
  EXPECT_EQ(swapped.hash(), fx::symbolic_trace(with_tanh).hash());
  EXPECT_EQ(g.find_nodes("call_function", "aten::tanh").size(), 0u);  // the old graph stays
  for (const Tensor& x : {sample(), -sample() - 1}) EXPECT_EQ(swapped.run({x}).at(0).values(), with_tanh(x).at(0).values());
}

TEST(Fx, ATransformerKeepsAttributesLinesAndGuards) {
  Affine module;
  fx::Graph g = fx::symbolic_trace(module), made = fx::Transformer(g).transform();
  made.lint();
  EXPECT_EQ(made({sample()}).values(), module(sample()).values());
  fx::Graph lines = fx::Pattern("graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x)  # model.py:7:4-7:10\n  return (%y)\n").graph();
  EXPECT_TRUE(has(find(fx::Transformer(lines).transform(), "relu").stack_trace(), "model.py:7"));
  Graph traced = capture([](Tensor x) { return x.size(0) == 2 ? x + 1 : x; }, {sample()}, How::Trace);
  fx::Graph again = fx::Transformer(traced).transform();
  EXPECT_EQ(again({sample()}).values(), (sample() + 1).values());
  EXPECT_TRUE(has(said<RuntimeError>([&] { again({ones({3, 3})}); }), "captured where"));
}

// What Python's captures write.
TEST(Fx, CallsThatPythonSpells) {
  fx::Graph g = fx::Pattern(
                    "graph(%x : Tensor):\n  %a : Tensor = operator.sub(10, %x)\n  %b : Tensor = torch.relu(%a)\n"
                    "  %c : Tensor = torch.add(%b, %x, alpha=2)\n  return (%c)\n")
                    .graph();
  const Doubles expected = add(relu(sample() * -1 + 10), sample(), 2).values();
  EXPECT_EQ(g({sample()}).values(), expected);
  EXPECT_EQ(fx::Interpreter(g).run({sample()}).to_tensor().values(), expected);
  fx::Graph again = fx::Transformer(g).transform();
  again.lint();
  EXPECT_EQ(again({sample()}).values(), expected);
  EXPECT_EQ(fx::replace_pattern(g, [](Tensor x) { return relu(x); }, [](Tensor x) { return tanh(x); }).size(), 1u);
  EXPECT_EQ(g({sample()}).values(), add(tanh(sample() * -1 + 10), sample(), 2).values());
}

TEST(Fx, ShapePropNotesWhatEachNodeGave) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) { return x.t().sum(1).to(kFloat64); });
  fx::ShapeProp(g).propagate({ones({2, 3})});
  const auto& t = find(g, "t").tensor_meta();
  ASSERT_TRUE(t);
  EXPECT_EQ(t->shape, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(t->stride, (std::vector<int64_t>{1, 3}));
  EXPECT_FALSE(t->memory_format);
  EXPECT_EQ(find(g, "sum_1").tensor_meta()->shape, (std::vector<int64_t>{3}));
  EXPECT_EQ(g.output_node().tensor_meta()->dtype, kFloat64);
  EXPECT_EQ(find(g, "x").tensor_meta()->memory_format, MemoryFormat::Contiguous);
}

TEST(Fx, ShapePropKnowsBlocksThatDidNotRun) {
  fx::Graph g = fx::symbolic_trace([](Tensor x) {
    Tensor y = cond(
        x.sum() > 0, [](const auto& v) { return std::vector{relu(v[0])}; }, [](const auto& v) { return std::vector{tanh(v[0].t()).t()}; },
        {x})[0];
    return while_loop([](const auto& v) { return v[0].sum() < 0; }, [](const auto& v) { return std::vector{exp(v[0]) * 2}; }, {y})[0];
  });
  fx::ShapeProp(g).propagate({ones({2, 3})});
  using Shape = std::vector<int64_t>;
  const std::map<std::string, Shape> expected{
      {"aten::relu", {2, 3}}, {"aten::tanh", {3, 2}}, {"aten::exp", {2, 3}}, {"prim::Loop", {2, 3}}, {"prim::If", {2, 3}}};
  for (const auto& [target, shape] : expected) {
    const auto& t = g.find_nodes("call_function", target).at(0).tensor_meta();
    ASSERT_TRUE(t) << target << "\n" << g.str();
    EXPECT_EQ(t->shape, shape) << target;
  }
}

TEST(Fx, ShapePropTakesABlockThatWouldRaise) {
  const jit::CompilationUnit unit("def f(x):\n  if x.dim() == 3:\n    y = x.sum(2)\n  else:\n    y = x.sum(1)\n  return y\n");
  fx::ShapeProp shapes(unit.get_function("f").graph());
  EXPECT_EQ(shapes.propagate({ones({2, 3})}).to_tensor().sizes(), (std::vector<int64_t>{2}));
}

TEST(Fx, PrintsTheTable) {
  std::ostringstream out;
  fx::symbolic_trace([](Tensor x) { return relu(x); }).print_tabular(out);
  EXPECT_TRUE(has(out.str(), "opcode")) << out.str();
  EXPECT_TRUE(has(out.str(), "call_function")) << out.str();
}

// Random chains, rewritten with rules that keep the result.
TEST(Fx, RandomRewritesKeepResults) {
  uint32_t seed = 12345;
  const auto draw = [&](uint32_t n) { return seed = seed * 1664525 + 1013904223, (seed >> 16) % n; };
  const fx::Pattern patterns[] = {[](Tensor x) { return relu(x); }, [](Tensor x, Tensor y) { return x + y; }, [](Tensor x) { return -x; },
                                  [](Tensor x, Tensor y) { return std::vector{relu(x), -y}; }};
  const fx::Pattern replacements[] = {[](Tensor x) { return relu(relu(x)); }, [](Tensor x, Tensor y) { return y + x; },
                                      [](Tensor x) { return -(-(-x)); }, [](Tensor x, Tensor y) { return std::vector{clamp(x, 0), -y}; }};
  size_t replaced = 0;
  for (int round = 0; round < 40; ++round) {
    fx::Graph g = fx::symbolic_trace([&](Tensor x) {
      std::vector<Tensor> values{x};
      for (int k = 0; k < 12; ++k) {
        const Tensor a = values[draw(static_cast<uint32_t>(values.size()))], b = values[draw(static_cast<uint32_t>(values.size()))];
        const uint32_t op = draw(3);
        values.push_back(op == 0 ? relu(a) : op == 1 ? a + b : -a);
      }
      return values.back();
    });
    const Doubles expected = g({sample()}).values();
    for (int step = 0; step < 6; ++step) {
      const uint32_t rule = draw(4);
      replaced += fx::replace_pattern(g, patterns[rule], replacements[rule]).size();
      g.lint();
      ASSERT_EQ(g({sample()}).values(), expected) << "round " << round << ", rule " << rule << "\n" << g.str();
      if (g.nodes().size() > 300) break;
    }
  }
  EXPECT_GT(replaced, 100u);
}

}  // namespace
