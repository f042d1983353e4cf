// Graphs that are built and changed part by part through torch.jit's graph API, and methods that a text gives to a module.
#include <gtest/gtest.h>

#include "monograph/script.h"
#include "monograph/torch.h"
#include "test_files.h"

using namespace monograph;

namespace {

template <class F>
std::string said(F&& f) {
  try {
    f();
  } catch (const Exception& e) {
    return e.what();
  }
  return "";
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

struct ScriptGraph : testing::Test {
  std::shared_ptr<jit::CompilationUnit> unit = jit::compile("def f(x, y, c: bool, n: int):\n  return x + y\n");
  jit::Graph graph = unit->get_function("f").graph();
  Tensor run(bool c = true, int64_t n = 3) { return unit->run_method("f", full({2}, 5.0), full({2}, 2.0), c, n).toTensor(); }
};
class ScriptDefine : public test::FolderTest {};

// if c: z = x * y, w = x  else: z = x - y, w = y; the result is z + w.
TEST_F(ScriptGraph, AnIfIsBuilt) {
  const jit::Node add = *graph.findNode("aten::add");
  const jit::Value x = graph.inputs()[0], y = graph.inputs()[1], c = graph.inputs()[2];
  EXPECT_TRUE(graph.param_node().outputs() == graph.inputs());
  EXPECT_EQ(graph.param_node().kind(), "prim::Param");
  EXPECT_TRUE(graph.return_node().input(0) == add.output());
  jit::Node branch = graph.create("prim::If", {c}, 1).insertBefore(add);
  EXPECT_TRUE(branch.blocks().empty());
  graph.lint();
  const jit::Block yes = branch->addBlock(), no = branch->addBlock();
  EXPECT_EQ(branch.blocks().size(), 2U);
  {
    const jit::WithInsertPoint guard(yes);
    EXPECT_EQ(yes.registerOutput(graph.insertNode(graph.create("aten::mul", {x, y})).output()), 1U);
  }
  EXPECT_EQ(no.registerOutput(no.appendNode(graph.create("aten::sub", {x, y})).output()), 1U);
  graph.lint();
  EXPECT_EQ(branch.output().type(), "Tensor");
  add.output().replaceAllUsesWith(branch.output());
  add.destroy();
  EXPECT_EQ(run(true).values(), (std::vector<double>{10, 10}));
  EXPECT_EQ(run(false).values(), (std::vector<double>{3, 3}));
  // A second result: registered first and added then, as passes of libtorch do.
  yes.registerOutput(x), no.registerOutput(y);
  EXPECT_EQ(branch.outputs().size(), 1U);
  const jit::Value second = branch.addOutput();
  EXPECT_TRUE(branch.outputsAt(1) == second);
  const jit::Node sum = graph.create("aten::add", {branch.output(0), second});
  sum.insertAfter(branch);
  graph.return_node().replaceInput(0, sum.output());
  graph.lint();
  EXPECT_EQ(run(true).values(), (std::vector<double>{15, 15}));
  EXPECT_EQ(run(false).values(), (std::vector<double>{5, 5}));
  EXPECT_TRUE(has(said([&] { branch.eraseOutput(1); }), "is used"));
  graph.return_node().replaceInput(0, branch.output(0));
  sum.destroy();
  branch.eraseOutput(1);
  graph.lint();
  EXPECT_EQ(branch.outputs().size(), 1U);
  EXPECT_EQ(run(false).values(), (std::vector<double>{3, 3}));
  EXPECT_TRUE(has(said([&] { branch.addBlock(); }), "which has 2 blocks"));
  EXPECT_TRUE(has(said([&] { graph.create("prim::If", {}); }), "takes its condition"));
}

TEST_F(ScriptGraph, InputsArePermutedAndAnotherGraphIsInserted) {
  graph.permuteInputs({1, 0, 2, 3});
  EXPECT_EQ(graph.inputs()[0].debugName(), "y");
  EXPECT_TRUE(has(said([&] { graph.permuteInputs({0, 1, 2}); }), "each of the numbers 0 to 3 once"));
  graph.permuteInputs({1, 0, 2, 3});
  const auto other = jit::compile("def g(a, b: int):\n  return a * b\n");
  jit::Graph callee = other->get_function("g").graph();
  callee.registerOutput(callee.inputs()[0]);
  const jit::Node add = *graph.findNode("aten::add");
  graph.setInsertPoint(add);
  const std::vector<jit::Value> results = jit::insertGraph(graph, callee, {graph.inputs()[0], graph.inputs()[3]});
  ASSERT_EQ(results.size(), 2U);
  add.replaceInput(0, results[0]);
  graph.lint();
  EXPECT_EQ(run(true, 3).values(), (std::vector<double>{17, 17}));
  EXPECT_TRUE(has(said([&] { graph.insertGraph(callee, {graph.inputs()[0]}); }), "has 2 inputs, but got 1"));
  EXPECT_TRUE(has(said([&] { graph.insertGraph(graph, graph.inputs()); }), "insert a copy()"));
  graph.setInsertPoint(add);
  add.replaceInput(1, graph.insert("aten::mul", {graph.inputs()[1], IValue(10)}));
  EXPECT_EQ(run(true, 3).values(), (std::vector<double>{35, 35}));
  callee.makeMultiOutputIntoTuple();
  EXPECT_EQ(callee.outputs().size(), 1U);
  EXPECT_EQ(other->run_method("g", ones({2}), 4).toTuple()->elements()[0].toTensor().values(), (std::vector<double>{4, 4}));
}

TEST_F(ScriptGraph, AttributesAndTypes) {
  const jit::Node add = *graph.findNode("aten::add");
  EXPECT_TRUE(add.namedInput("other") == graph.inputs()[1]);
  EXPECT_TRUE(has(said([&] { add.namedInput("others"); }), "no input named 'others'"));
  EXPECT_TRUE(add.matches("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"));
  EXPECT_FALSE(add.matches("aten::relu(Tensor self) -> Tensor"));
  const jit::Value three = graph.insertConstant(3);
  EXPECT_TRUE(three.node().hasAttributes());
  three.node().removeAttribute("value");
  EXPECT_FALSE(three.node().hasAttributes());
  EXPECT_TRUE(jit::toIValue(three)->isNone());
  EXPECT_TRUE(has(said([&] { add.removeAttribute("value"); }), "is undefined"));
  const jit::Value x = graph.inputs()[0];
  EXPECT_FALSE(x.isCompleteTensor());
  x.setType(x.type().with_dtype(kFloat64).with_sizes({2, std::nullopt}));
  EXPECT_EQ(x.type()->str(), "Double(2, *)");
  EXPECT_EQ(*x.type().sizes(), (std::vector<std::optional<int64_t>>{2, std::nullopt}));
  EXPECT_EQ(x.type().scalarType(), kFloat64);
  x.setType(x.type().with_sizes({2, 3}));
  EXPECT_TRUE(x.isCompleteTensor());
  EXPECT_EQ(graph.inputs()[2].type()->annotation_str(), "bool");
  EXPECT_TRUE(has(said([&] { graph.inputs()[2].type().with_sizes({1}); }), "this is bool"));
}

// The node of an outer insertion point is destroyed inside of an inner one.
TEST_F(ScriptGraph, AnInsertionPointOutlivesItsNode) {
  const jit::Node add = *graph.findNode("aten::add");
  const jit::Value x = graph.inputs()[0], y = graph.inputs()[1];
  const jit::Node product = graph.create("aten::mul", {x, y});
  graph.setInsertPoint(product);
  {
    const jit::WithInsertPoint guard(add);
    product.destroy();
  }
  const jit::Node difference = graph.create("aten::sub", {x, y});
  EXPECT_TRUE(add.isBefore(difference));
  EXPECT_TRUE(difference.isBefore(graph.return_node()));
  graph.lint();
}

// for i in range(n): v = v * y + i; the result is v.
TEST_F(ScriptGraph, ALoopIsBuilt) {
  const jit::Node add = *graph.findNode("aten::add");
  const jit::Value x = graph.inputs()[0], y = graph.inputs()[1], n = graph.inputs()[3];
  const jit::WithInsertPoint guard(add);
  const jit::Value always = graph.insertConstant(true);
  const jit::Node loop = graph.insertNode(graph.create("prim::Loop", {n, always, x}));
  graph.lint();
  const jit::Block body = loop.addBlock();
  EXPECT_TRUE(body.inputs().empty());
  const jit::Value i = body.addInput(), carried = body.addInput();
  EXPECT_EQ(i.type(), "int");
  EXPECT_TRUE(body.param_node().outputs() == body.inputs());
  {
    const jit::WithInsertPoint inside(body);
    const jit::Value product = graph.create("aten::mul", {carried, y}).output();
    body.registerOutput(always);
    body.registerOutput(graph.create("aten::add", {product, i}).output());
  }
  add.output().replaceAllUsesWith(loop.output());
  graph.lint();
  EXPECT_EQ(run(true, 0).values(), (std::vector<double>{5, 5}));
  EXPECT_EQ(run(true, 2).values(), (std::vector<double>{21, 21}));
  // Another carried value, which counts.
  loop.addInput(y);
  const jit::Value count = body.addInput();
  const jit::Node more = graph.create("aten::add", {count, count});
  body.appendNode(more);
  body.registerOutput(more.output());
  graph.return_node().replaceInput(0, loop.addOutput());
  graph.lint();
  EXPECT_EQ(run(true, 3).values(), (std::vector<double>{16, 16}));
  EXPECT_TRUE(has(said([&] { body.addInput(); }), "addInput gives the loop another one"));
  EXPECT_TRUE(has(said([&] { body.registerOutput(y); }), "addInput gives the loop another one"));
  EXPECT_TRUE(has(said([&] { loop.eraseOutput(0); }), "as which the body has the value, is used by"));
  graph.return_node().replaceInput(0, loop.output(0));
  EXPECT_TRUE(has(said([&] { loop.eraseOutput(1); }), "is used by"));
  more.replaceInput(0, y), more.replaceInput(1, y);
  loop.eraseOutput(1);
  graph.lint();
  EXPECT_EQ(run(true, 2).values(), (std::vector<double>{21, 21}));
}

TEST_F(ScriptGraph, InputsOutputsAndPlaces) {
  const jit::Node add = *graph.findNode("aten::add");
  const jit::Value x = graph.inputs()[0], y = graph.inputs()[1];
  EXPECT_TRUE(add.inputsAt(0) == x && add.outputsAt(0) == add.output());
  const jit::Node list = graph.create("prim::ListConstruct", {x, y});
  list.insertInput(1, x);
  EXPECT_EQ(list.inputs().size(), 3U);
  EXPECT_TRUE(list.input(1) == x && list.input(2) == y);
  list.insertInput(3, y);
  EXPECT_TRUE(list.input(3) == y);
  EXPECT_TRUE(has(said([&] { list.insertInput(9, y); }), "no place 9"));
  EXPECT_TRUE(has(said([&] { add.insertInput(0, y); }), "has all of its inputs"));
  EXPECT_TRUE(add.isBefore(list) && list.isAfter(add) && !list.hasUses() && add.hasUses());
  list.moveBefore(add);
  EXPECT_TRUE(list.isBefore(add));
  list.moveAfter(add);
  EXPECT_TRUE(add.isBefore(list));
  list.copyMetadata(add);
  EXPECT_EQ(list.sourceRange(), add.sourceRange());
  EXPECT_FALSE(add.sourceRange().empty());
  EXPECT_EQ(graph.registerOutput(list.output()), 2U);
  graph.eraseOutput(1);
  EXPECT_EQ(graph.outputs().size(), 1U);
  const jit::Value more = graph.addInput("more");
  EXPECT_EQ(graph.inputs().size(), 5U);
  EXPECT_EQ(more.setType("float").type(), "float");
  graph.eraseInput(4);
  EXPECT_EQ(graph.inputs().size(), 4U);
  // A clone in the place of the node.
  const jit::Node clone = graph.createClone(add, [&](const jit::Value& v) { return v == x ? y : v; });
  clone.insertAfter(add);
  add.replaceAllUsesWith(clone);
  list.destroy(), add.destroy();
  graph.lint();
  EXPECT_EQ(run().values(), (std::vector<double>{4, 4}));
  graph.prependNode(graph.create("aten::relu", {y}));
  EXPECT_EQ(graph.nodes()[0].kind(), "aten::relu");
}

TEST_F(ScriptDefine, AModuleIsMadeFromItsParts) {
  jit::Module m("Adder");
  m.register_parameter("weight", full({2}, 10.0), false);
  m.register_buffer("seen", zeros({1}));
  m.register_attribute("calls", int64_t{0});
  m.register_attribute("names", IValue(std::vector<std::string>{"a"}), "List[str]");
  m.define(
      "def forward(self, x, n: int = 4):\n  self.calls += 1\n  if self.training:\n    return self.weight + x\n  return "
      "self.twice(self.weight + x) + n\n\n"
      "def twice(self, x):\n  return x * 2\n");
  EXPECT_EQ(m.type_name(), "__torch__.Adder");
  EXPECT_EQ(m.get_methods().size(), 2U);
  EXPECT_EQ(m.named_parameters().at(0).name, "weight");
  EXPECT_EQ(m.run_method("twice", ones({1})).toTensor().values(), (std::vector<double>{2}));
  EXPECT_TRUE(m.is_training());
  EXPECT_EQ(m.forward({ones({2})}).toTensor().values(), (std::vector<double>{11, 11}));
  EXPECT_EQ(m.attr("calls").toInt(), 1);
  m.define("def more(self, x):\n  return self.forward(x) + self.calls\n");
  EXPECT_EQ(m.run_method("more", ones({2})).toTensor().values(), (std::vector<double>{13, 13}));
  m.setattr("calls", int64_t{40});
  EXPECT_EQ(m.run_method("more", ones({2})).toTensor().values(), (std::vector<double>{52, 52}));
  const jit::Module copy = m.clone();
  EXPECT_EQ(copy.run_method("more", ones({2})).toTensor().values(), (std::vector<double>{53, 53}));
  EXPECT_EQ(m.attr("calls").toInt(), 41);
  m.save(folder / "adder.pt");
  const jit::Module loaded = jit::load(folder / "adder.pt");
  EXPECT_EQ(loaded.run_method("more", ones({2})).toTensor().values(), (std::vector<double>{53, 53}));
}

TEST_F(ScriptDefine, AttributesHaveTheTypesOfLibtorch) {
  torch::jit::Module m("Typed");
  m.register_attribute("calls", c10::IntType::get(), 0);
  m.register_attribute("names", c10::ListType::ofStrings(), IValue(std::vector<std::string>{"a"}));
  m.register_attribute("bias", torch::OptionalType::ofTensor(), IValue());
  m.register_attribute("weight", at::TensorType::get(), full({2}, 2.0), true);
  m.register_attribute("seen", c10::TensorType::get(), zeros({1}), false, true);
  m.define(
      "def forward(self, x):\n  self.calls += 1\n  self.names.append('b')\n  bias = self.bias\n  if bias is None:\n    bias = x * "
      "self.weight\n  self.bias "
      "= bias\n  return bias + len(self.names)\n");
  EXPECT_EQ(m.forward({ones({2})}).toTensor().values(), (std::vector<double>{4, 4}));
  EXPECT_EQ(m.forward({ones({2})}).toTensor().values(), (std::vector<double>{5, 5}));
  EXPECT_EQ(m.attr("calls").toInt(), 2);
  EXPECT_EQ(m.named_parameters().at(0).name, "weight");
  EXPECT_EQ(m.named_buffers().at(0).name, "seen");
  EXPECT_EQ(c10::DictType::create(c10::StringType::get(), c10::TupleType::create({c10::IntType::get(), c10::FloatType::get()}))->str(),
            "Dict[str, Tuple[int, float]]");
}

TEST_F(ScriptDefine, AModuleIsAPartOfAnother) {
  jit::Module scale("Scale");
  scale.register_parameter("weight", full({2}, 3.0), false);
  scale.register_attribute("calls", int64_t{0});
  scale.define("def forward(self, x):\n  self.calls += 1\n  if self.training:\n    return x\n  return x * self.weight\n");
  jit::Module whole("Whole");
  whole.register_module("scale", scale);
  whole.register_module("again", scale);
  whole.define("def forward(self, x):\n  return self.again.forward(self.scale.forward(x)) + self.scale.calls\n");
  EXPECT_EQ(whole.named_parameters().at(1).name, "again.weight");
  EXPECT_EQ(whole.forward({ones({2})}).toTensor().values(), (std::vector<double>{2, 2}));
  whole.eval();
  EXPECT_FALSE(whole.submodule("scale").is_training());
  EXPECT_EQ(whole.forward({ones({2})}).toTensor().values(), (std::vector<double>{11, 11}));
  {
    NoGradGuard no_grad;
    scale.attr("weight").toTensor().fill_(1);  // the tensor is one
  }
  EXPECT_EQ(whole.forward({ones({2})}).toTensor().values(), (std::vector<double>{4, 4}));
  EXPECT_EQ(whole.submodule("scale").run_method("forward", ones({2})).toTensor().values(), (std::vector<double>{1, 1}));
  EXPECT_EQ(whole.submodule("scale").attr("calls").toInt(), 4);
  EXPECT_EQ(whole.clone().forward({ones({2})}).toTensor().values(), (std::vector<double>{6, 6}));
  whole.save(folder / "whole.pt");
  EXPECT_EQ(jit::load(folder / "whole.pt").forward({ones({2})}).toTensor().values(), (std::vector<double>{6, 6}));
  EXPECT_TRUE(has(said([&] { whole.register_module("scale", scale); }), "already exists"));
  EXPECT_TRUE(has(said([&] { whole.register_module("self", whole); }), "part of itself"));
  EXPECT_TRUE(has(said([&] { whole.register_module("part", whole.submodule("scale")); }), "register the whole module"));
}

TEST_F(ScriptDefine, ALoadedModuleAndALayerAreParts) {
  const jit::Module net = jit::load("tests/data/torchscript/mlp_traced.pt");
  const jit::Module layer = nn::Sequential(nn::Linear(5, 5), nn::Dropout(0.5));
  jit::Module whole("Whole");
  whole.register_module("net", net);
  whole.register_module("layer", layer);
  whole.define("def forward(self, x):\n  y, rest = self.net.forward(self.layer.forward(x) * 2)\n  return y + self.net.b.bias.sum()\n");
  whole.eval();
  const Tensor x = ones({1, 5});
  const auto expected = [&] {
    return net.forward({layer.forward({x}).toTensor() * 2}).toTuple()->elements()[0].toTensor() +
           net.submodule("b").attr("bias").toTensor().sum();
  };
  EXPECT_TRUE(equal(whole.forward({x}).toTensor(), expected()));
  {
    NoGradGuard no_grad;
    net.submodule("b").attr("bias").toTensor().fill_(0.5);
  }
  EXPECT_TRUE(equal(whole.forward({x}).toTensor(), expected()));
  EXPECT_TRUE(equal(whole.submodule("layer").forward({x}).toTensor(), layer.forward({x}).toTensor()));
  whole.save(folder / "loaded_whole.pt");
  EXPECT_TRUE(equal(jit::load(folder / "loaded_whole.pt").forward({x}).toTensor(), expected()));
  EXPECT_TRUE(has(said([&] { whole.clone(); }), "save it and load the file"));
  EXPECT_TRUE(has(said([&] { net.register_module("more", layer); }), "make a jit::Module"));
}

TEST_F(ScriptDefine, ALoadedModuleGetsMethods) {
  const jit::Module m = jit::load("tests/data/torchscript/mlp_traced.pt");
  const Tensor x = ones({1, 5}), both = m.forward({x}).toTuple()->elements()[0].toTensor();
  m.define(
      "def scaled(self, x, by: float):\n  y, rest = self.forward(x)\n  return y * by + self.b.bias.sum() + self.b.forward(torch.zeros(1, "
      "7)).sum()\n");
  const Tensor bias = m.submodule("b").attr("bias").toTensor();
  EXPECT_TRUE(allclose(m.run_method("scaled", x, 2.0).toTensor(), both * 2 + bias.sum() + bias.sum()));
  m.save(folder / "more.pt");
  EXPECT_TRUE(equal(jit::load(folder / "more.pt").run_method("scaled", x, 2.0).toTensor(), m.run_method("scaled", x, 2.0).toTensor()));
  EXPECT_TRUE(has(said([&] { m.define("def forward(self, x):\n  return x\n"); }), "method 'forward' already defined"));
  const std::string words = said([&] { m.define("def bad(self, x):\n  return self.weights + x\n"); });
  EXPECT_TRUE(has(words, "weights") && has(words, "<--- HERE")) << words;
  EXPECT_FALSE(m.find_method("bad").has_value());
  EXPECT_TRUE(has(said([&] { m.define("def bad():\n  return 1\n"); }), "takes no self"));
  EXPECT_NE(said([&] { m.define("x = 1\n"); }), "");
  EXPECT_TRUE(has(said([&] { m.register_buffer("new", ones({1})); }), "make a jit::Module"));
}

}  // namespace
