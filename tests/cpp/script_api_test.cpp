// torch.jit in C++: archives that PyTorch wrote (tests/data/torchscript), values, threads, files, and what a wrong call raises.
#include "monograph/script.h"

#include <gtest/gtest.h>

#include <sstream>
#include <thread>

#include "monograph/torch.h"
#include "test_files.h"

using namespace monograph;

namespace {

using Sizes = std::vector<int64_t>;
const std::string kFolder = "tests/data/torchscript/";

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
bool close(const Tensor& a, const Tensor& b) { return a.dtype() == b.dtype() && allclose(a, b, 1e-5, 1e-6); }

using Tables = std::map<std::string, Tensor>;
Tables expected() { return load_tensors(kFolder + "expected.pt"); }

TEST(ScriptApi, RunsEveryArchiveWithPyTorchsResults) {
  const Tables t = expected();
  int runs = 0;
  const auto one = [&](const std::string& name, const std::string& run) {
    jit::Module module = jit::load(kFolder + name + ".pt");
    module.eval();
    std::vector<IValue> inputs;
    for (int k = 0; t.contains("runs." + name + "." + run + ".0." + std::to_string(k)); ++k)
      inputs.emplace_back(t.at("runs." + name + "." + run + ".0." + std::to_string(k)));
    const IValue got = module.forward(inputs);
    const std::string result = "runs." + name + "." + run + ".1";
    ++runs;
    if (got.isTensor()) {
      EXPECT_TRUE(close(got.toTensor(), t.at(result))) << name;
      return;
    }
    const auto parts = got.toTuple()->elements();
    for (size_t k = 0; k < parts.size(); ++k)
      if (parts[k].isTensor()) {
        EXPECT_TRUE(close(parts[k].toTensor(), t.at(result + "." + std::to_string(k)))) << name << k;
      }
  };
  for (const char* name : {"cnn", "cnn_frozen", "dtypes", "encoder", "forked", "lstm", "methods", "mlp_traced", "newton", "tied"})
    one(name, "0");
  one("cnn", "1"), one("mlp_traced", "1");
  EXPECT_EQ(runs, 12);
}

TEST(ScriptApi, ContainersGoInAndCome) {
  const Tables t = expected();
  const jit::Module module = jit::load(kFolder + "containers.pt");
  const std::vector<Tensor> xs{t.at("runs.containers.1.0.0.0"), t.at("runs.containers.1.0.0.1")};
  Dict<std::string, int64_t> pick;
  pick.insert("b", 4), pick.insert("a", 1);
  const auto whole =
      module.forward({xs, pick}).to<std::tuple<std::tuple<Tensor, int64_t>, std::map<std::string, Tensor>, std::vector<int64_t>>>();
  EXPECT_EQ(std::get<1>(whole).size(), 4U);
  EXPECT_TRUE(close(std::get<1>(whole).at("first"), t.at("runs.containers.1.1.1.first")));
  EXPECT_EQ(std::get<2>(whole).size(), 2U);
}

TEST(ScriptApi, AModuleTellsWhatItHolds) {
  const jit::Module module = jit::load(kFolder + "cnn.pt");
  std::vector<std::string> names;
  for (const auto& [name, value] : module.named_parameters()) {
    names.push_back(name);
    EXPECT_TRUE(value.requires_grad());
  }
  EXPECT_EQ(names.size(), 8U);
  EXPECT_EQ(names[0], "features.0.weight");
  EXPECT_EQ(module.parameters(false).size(), 0U);
  EXPECT_EQ(module.named_buffers().size(), 3U);
  EXPECT_EQ(module.named_children().size(), 4U);
  EXPECT_EQ(module.named_modules()[0].name, "");
  EXPECT_EQ(module.submodule("features").submodule("0").attr("weight").toTensor().sizes(), (Sizes{4, 1, 3, 3}));
  EXPECT_TRUE(module.parameters()[0].is_same(module.submodule("features").submodule("0").attr("weight").toTensor()));
  EXPECT_TRUE(module.hasattr("drop"));
  EXPECT_EQ(module.attr("nothing", 3).toInt(), 3);
  EXPECT_TRUE(has(said([&] { module.attr("weigth"); }), "has no attribute 'weigth'"));
  EXPECT_TRUE(has(said([&] { module.get_method("froward"); }), "has forward"));
  EXPECT_EQ(module.get_methods().size(), 1U);
}

TEST(ScriptApi, TrainAndEvalChangeWhatRuns) {
  const jit::Module module = jit::load(kFolder + "cnn.pt");
  module.eval();
  EXPECT_FALSE(module.is_training());
  const Tensor x = ones({1, 1, 12, 12});
  const Tensor first = module.forward({x}).toTensor();
  EXPECT_TRUE(equal(first, module.forward({x}).toTensor()));
  module.train();
  EXPECT_TRUE(module.children()[0].is_training());
  manual_seed(1);
  EXPECT_FALSE(equal(first, module.forward({x}).toTensor()));  // dropout, and the statistics of this batch
  module.eval();
  EXPECT_FALSE(equal(first, module.forward({x}).toTensor()));  // the running statistics have moved
}

TEST(ScriptApi, ConvertsSetsAndCopies) {
  const jit::Module module = jit::load(kFolder + "cnn.pt");
  module.eval();
  const Tensor x = ones({1, 1, 12, 12});
  const Tensor before = module.forward({x}).toTensor();
  const jit::Module copy = module.clone();
  EXPECT_TRUE(equal(copy.forward({x}).toTensor(), before));
  module.to(kFloat64);
  EXPECT_EQ(module.forward({x.to(kFloat64)}).toTensor().dtype(), kFloat64);
  EXPECT_EQ(copy.parameters()[0].dtype(), kFloat32);
  {
    NoGradGuard no_grad;
    copy.parameters()[0].zero_();
  }
  EXPECT_FALSE(equal(copy.forward({x}).toTensor(), before));
  module.to(kFloat32);
  EXPECT_TRUE(close(module.forward({x}).toTensor(), before));
  // Another tensor for a parameter.
  const jit::Module layer = module.submodule("classifier");
  layer.setattr("bias", ones({10}) * 100);
  EXPECT_FALSE(close(module.forward({x}).toTensor(), before));
  EXPECT_TRUE(has(said([&] { layer.setattr("bias", "text"); }), "must be"));
  EXPECT_TRUE(has(said([&] { layer.setattr("baz", 1); }), "has no attribute 'baz'"));
}

// Programs for libtorch write these; each comes from a program that was not written for Monograph.
TEST(ScriptApi, KnowsTheNamesThatLibtorchsProgramsUse) {
  torch::DeviceType type = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  type = torch::kCPU;
  const torch::Device device(type), first = c10::Device(torch::kCUDA, 0), second("cuda:1"), third = "cpu";
  EXPECT_EQ(device, torch::kCPU);
  EXPECT_TRUE(first.is_cuda() && first.index() == 0 && second.index() == 1 && third.is_cpu());
  EXPECT_TRUE(first.type() == torch::kCUDA && first.type() != torch::kCPU && torch::kCUDA == first.type());
  switch (first.type()) {
    case torch::kCUDA: break;
    default: ADD_FAILURE() << first;
  }
  std::vector<unsigned char> pixels{0, 51, 102, 255};
  at::TensorOptions options(at::ScalarType::Byte);
  torch::Tensor image = torch::from_blob(pixels.data(), {1, 2, 2, 1}, options).to(device);
  image = image.permute({0, 3, 1, 2}).toType(torch::kFloat32).div(255).to("cpu").contiguous();
  image[0][0][0][1] = 0.5;
  EXPECT_EQ(static_cast<float*>(image.data_ptr())[1], 0.5F);
  EXPECT_EQ(image.const_data_ptr<float>()[3], 1.0F);
  EXPECT_FALSE(image.set_requires_grad(false).requires_grad());
  EXPECT_TRUE(torch::zeros({}, torch::kI32).scalar_type() == at::ScalarType::Int);
  EXPECT_TRUE(has(said([&] { image.cuda(); }), "cuda"));
  torch::set_num_interop_threads(1);
  const torch::optional<std::string> none = torch::nullopt;
  EXPECT_FALSE(none.has_value());
  EXPECT_EQ(std::string(TORCH_VERSION), "2.13.0");
  EXPECT_EQ(said([&] { TORCH_CHECK(image.dim() == 3, "image has ", image.dim(), " dims"); }), "image has 4 dims");
  EXPECT_EQ(said([&] { TORCH_CHECK(image.dim() == 3); }), "Expected image.dim() == 3 to be true, but got false.");
  EXPECT_EQ(said([&] { TORCH_CHECK(image.dim() == 4, "not raised"); }), "");
}

TEST(ScriptApi, ATiedParameterStaysTiedInACopy) {
  const jit::Module module = jit::load(kFolder + "tied.pt"), copy = module.clone();
  const auto shared = [](const jit::Module& m) {
    std::map<const void*, int> places;
    for (const Tensor& p : m.parameters()) ++places[p.data<float>()];
    return places.size() < m.parameters().size();
  };
  EXPECT_EQ(shared(module), shared(copy));
}

TEST(ScriptApi, ThreadsShareAModule) {
  const jit::Module module = jit::load(kFolder + "lstm.pt");
  const Tensor x = expected().at("runs.lstm.0.0.0"), alone = module.forward({x}).toTensor();
  std::vector<std::thread> threads;
  std::atomic<int> same = 0;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      InferenceMode guard;
      for (int k = 0; k < 8; ++k) same += equal(module.forward({x}).toTensor(), alone);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(same, 64);
}

class ScriptFiles : public test::FolderTest {};

TEST_F(ScriptFiles, WhatIsSavedIsLoaded) {
  const Tables t = expected();
  for (const char* name : {"cnn", "mlp_traced", "lstm"}) {
    const jit::Module module = jit::load(kFolder + name + ".pt");
    const std::string path = folder / (std::string(name) + ".pt");
    module.save(path, {{"notes.txt", "hello"}});
    jit::ExtraFilesMap extra{{"notes.txt", ""}, {"other.txt", "as it was"}};
    const jit::Module loaded = jit::load(path, kCPU, extra);
    EXPECT_EQ(extra["notes.txt"], "hello");
    EXPECT_EQ(extra["other.txt"], "as it was");
    loaded.eval(), module.eval();
    const Tensor x = t.at(std::string("runs.") + name + ".0.0.0");
    EXPECT_EQ(loaded.forward({x}).tagKind(), module.forward({x}).tagKind());
    std::stringstream stream;
    module.save(stream);
    const jit::Module again = jit::load(stream);
    EXPECT_EQ(again.named_parameters().size(), module.named_parameters().size());
  }
  EXPECT_TRUE(has(said([&] { jit::save(jit::load(kFolder + "cnn.pt").children()[0], folder / "part.pt"); }), "writes a whole program"));
}

TEST_F(ScriptFiles, ACapturedGraphBecomesAnArchive) {
  const Tensor w = randn({3, 4}, Generator(1));
  const Graph g = capture([&](Tensor x) { return softmax(x.mm(w), 1); }, {ones({2, 3})});
  jit::save(g, folder / "graph.pt");
  const Tensor x = randn({5, 3}, Generator(2));
  EXPECT_TRUE(equal(jit::load(folder / "graph.pt").forward({x}).toTensor(), g({x})));
  g.save(folder / "graph.mgraph");
  EXPECT_TRUE(equal(jit::load(folder / "graph.mgraph").forward({x}).toTensor(), g({x})));
}

TEST(ScriptApi, FreezeHoldsTheConstants) {
  const jit::Module module = jit::load(kFolder + "cnn.pt");
  EXPECT_TRUE(has(said([&] { module.train(), jit::freeze(module); }), "training mode"));
  module.eval();
  const Tensor x = ones({1, 1, 12, 12}), before = module.forward({x}).toTensor();
  const jit::Module frozen = jit::freeze(module);
  module.submodule("classifier").attr("weight").toTensor().set_data(zeros({10, 32}));
  EXPECT_TRUE(equal(frozen.forward({x}).toTensor(), before));
  EXPECT_EQ(frozen.named_parameters().size(), 0U);
  EXPECT_TRUE(has(said([&] { frozen.train(); }), "one mode"));
}

TEST_F(ScriptFiles, FreezeKeepsWhatMethodsAssign) {
  const jit::Module module = jit::load(kFolder + "methods.pt");
  module.eval();
  const jit::Module frozen = jit::freeze(module);
  const Tensor x = ones({2}), first = frozen.forward({x}).toTensor();
  EXPECT_TRUE(equal(module.forward({x}).toTensor(), first));  // each has a count of its own
}

TEST(ScriptApi, TextsCompile) {
  const auto unit = jit::compile(
      "def f(x, n: int = 2):\n  return x * n\n\n"
      "def g(xs: List[Tensor]) -> Dict[str, int]:\n  return {'n': len(xs)}\n\n"
      "def h(x):\n  y = x\n  while bool(y.sum() < 100):\n    y = f(y)\n  return y\n");
  EXPECT_EQ(unit->run_method("f", ones({2}), 3).toTensor().values(), (std::vector<double>{3, 3}));
  EXPECT_EQ(unit->run_method("f", ones({2})).toTensor().values(), (std::vector<double>{2, 2}));
  EXPECT_EQ(unit->get_function("f")({ones({1})}, {{"n", 5}}).toTensor().values(), (std::vector<double>{5}));
  EXPECT_EQ(unit->run_method("g", std::vector<Tensor>{ones({1}), ones({1})}).toGenericDict().size(), 1U);
  EXPECT_EQ(unit->run_method("h", ones({1})).toTensor().values(), (std::vector<double>{128}));
  const std::string words = said([] { jit::compile("def f(x):\n  return x + yy\n"); });
  EXPECT_TRUE(has(words, "yy")) << words;
  EXPECT_TRUE(has(words, "<--- HERE")) << words;
  EXPECT_TRUE(has(said([&] { unit->get_function("k"); }), "it defines f, g, h"));
  EXPECT_TRUE(has(said([&] { unit->get_function("f")({}, {{"n", 5}}); }), "without the argument 'x'"));
  EXPECT_TRUE(has(said([&] { unit->get_function("f")({ones({1})}, {{"m", 5}}); }), "it takes x, n"));
}

void gelu_for_relu(const jit::Graph& graph) {
  for (const jit::Node& relu : graph.findAllNodes("aten::relu")) {
    const jit::Node made = graph.create("aten::gelu", {relu.input(0)});
    made.insertBefore(relu);
    relu.output().replaceAllUsesWith(made.output());
    relu.destroy();
  }
}

TEST(ScriptApi, GraphsAreReadAndEdited) {
  const auto unit = jit::compile(
      "def f(x, n: int):\n  y = torch.relu(x + 1)\n  for i in range(n):\n    if i % 2 == 0:\n      y = torch.relu(y.view([2, -1]) * 0.5)\n "
      " return y\n");
  const jit::Graph graph = unit->get_function("f").graph();
  const jit::Node add = *graph.findNode("aten::add"), view = *graph.findNode("aten::view");
  EXPECT_EQ(add.kind(), "aten::add");
  EXPECT_EQ(add->inputs().size(), 3U);  // alpha among them
  EXPECT_EQ(jit::toIValue(add.input(1))->toInt(), 1);
  EXPECT_EQ(add.input(1).node().i("value"), 1);
  EXPECT_FALSE(jit::toIValue(add.input(0)).has_value());
  EXPECT_EQ(view.input(1).node().kind(), "prim::ListConstruct");
  EXPECT_EQ(jit::toIValue(view.input(1).node().input(1))->toInt(), -1);
  EXPECT_EQ(view.input(1).type(), "int[]");
  EXPECT_EQ(graph.inputs().size(), 2U);
  EXPECT_EQ(graph.findAllNodes("aten::relu").size(), 2U);
  EXPECT_EQ(graph.findAllNodes("aten::relu", false).size(), 1U);
  EXPECT_EQ(graph.findNode("prim::Loop")->blocks().at(0).inputs().size(), 2U);
  gelu_for_relu(graph);
  graph.lint();
  const Tensor x = randn({2, 3}, Generator(4));
  EXPECT_TRUE(equal(unit->run_method("f", x, 1).toTensor(), gelu(gelu(x + 1).view({2, -1}) * 0.5)));
  for (const jit::Node& c : graph.findAllNodes("prim::Constant"))
    if (jit::toIValue(c.output()).value_or(IValue()) == IValue(0.5)) c.f_("value", 0.25);
  EXPECT_TRUE(equal(unit->run_method("f", x, 1).toTensor(), gelu(gelu(x + 1).view({2, -1}) * 0.25)));
  {
    const jit::WithInsertPoint guard(add);
    add.replaceInput(1, graph.insertConstant(3.0));
  }
  EXPECT_TRUE(equal(unit->run_method("f", x, 0).toTensor(), gelu(x + 3.0)));
  const jit::Graph copy = graph.copy();
  copy.findNode("aten::add")->replaceInput(1, copy.findNode("aten::add")->input(0));
  EXPECT_TRUE(equal(unit->run_method("f", x, 0).toTensor(), gelu(x + 3.0)));
  EXPECT_TRUE(has(said([&] { graph.create("aten::rleu"); }), "no operator aten::rleu"));
  EXPECT_TRUE(has(said([&] { add.destroy(); }), "uses it"));
  EXPECT_TRUE(has(said([&] { add.removeInput(0); }), "needs its argument 'self'"));
}

TEST_F(ScriptFiles, AnEditIsSaved) {
  const jit::Module module = jit::load(kFolder + "cnn.pt");
  module.eval();
  const jit::Graph graph = module.get_method("forward").graph();
  gelu_for_relu(graph);
  const Tensor x = ones({1, 1, 12, 12}), edited = module.forward({x}).toTensor();
  EXPECT_FALSE(close(edited, jit::load(kFolder + "cnn.pt").clone().forward({x}).toTensor()));
  module.save(folder / "edited.pt");
  const jit::Module loaded = jit::load(folder / "edited.pt");
  EXPECT_TRUE(equal(loaded.forward({x}).toTensor(), edited));
  EXPECT_TRUE(loaded.get_method("forward").graph().findAllNodes("aten::relu").empty());
  EXPECT_TRUE(has(said([&] { module.train(); }), "was edited for evaluation"));
}

TEST(ScriptApi, ValuesOfEveryKind) {
  const Tensor x = ones({2});
  EXPECT_TRUE(IValue().isNone());
  EXPECT_TRUE(IValue(Tensor()).isNone());
  EXPECT_EQ(IValue(3).tagKind(), "Int");
  EXPECT_EQ(IValue(2.5F).toDouble(), 2.5);
  EXPECT_TRUE(IValue(true).isBool() && !IValue(true).isInt());
  EXPECT_EQ(IValue("a").toString()->string(), "a");
  EXPECT_TRUE(IValue(std::vector<int64_t>{1, 2}).isIntList());
  EXPECT_TRUE(IValue(std::vector<bool>{true}).isBoolList());
  EXPECT_EQ(IValue(std::vector<double>{1, 2}).toDoubleVector(), (std::vector<double>{1, 2}));
  EXPECT_EQ(IValue(std::vector<Tensor>{x}).toTensorVector().size(), 1U);
  EXPECT_EQ(IValue(std::make_tuple(x, 3)).toTuple()->elements()[1].toInt(), 3);
  EXPECT_EQ((IValue(std::map<std::string, Tensor>{{"a", x}}).to<Dict<std::string, Tensor>>().at("a").numel()), 2);
  EXPECT_EQ(IValue(std::optional<int>(3)).to<std::optional<int>>(), 3);
  EXPECT_FALSE(IValue(std::optional<int>()).to<std::optional<int>>().has_value());
  EXPECT_EQ(IValue(7).str(), "7");
  EXPECT_EQ(IValue(std::make_tuple(1, 2.0, std::string("a"))).str(), "(1, 2., a)");
  EXPECT_EQ(said([] { IValue(3).toTensor(); }), "Expected Tensor but got Int");
  EXPECT_EQ(said([] { IValue("a").toInt(); }), "Expected Int but got String");
  EXPECT_EQ(said([&] { IValue(std::vector<Tensor>{x}).toIntVector(); }), "Expected IntList but got GenericList");
  // Lists and dicts are shared, as Python's names share them.
  List<int64_t> list({1, 2});
  const IValue held = list;
  list.push_back(3);
  EXPECT_EQ(held.toIntVector(), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_TRUE(held == IValue(std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(said([&] { (void)list.get(7); }), "index 7 is out of range for a list of 3 values");
  Dict<std::string, int64_t> dict;
  dict.insert("a", 1), dict.insert("a", 2), dict.insert_or_assign("b", 3);
  EXPECT_EQ(dict.at("a"), 1);
  EXPECT_EQ(dict.erase("b"), 1U);
  EXPECT_EQ(said([&] { (void)dict.at("b"); }), "Argument passed to at() was not in the map.");
}

TEST(ScriptApi, IndexesAsPython) {
  using namespace monograph::indexing;
  const Tensor x = arange(24).view({2, 3, 4});
  EXPECT_EQ(x.index({1, 2, 3}).item<int64_t>(), 23);
  EXPECT_EQ(x.index({Slice(), 1}).sizes(), (Sizes{2, 4}));
  EXPECT_EQ(x.index({"...", Slice(None, None, 2)}).sizes(), (Sizes{2, 3, 2}));
  EXPECT_EQ(x.index({None, Ellipsis, 0}).sizes(), (Sizes{1, 2, 3}));
  EXPECT_EQ(x.index({true}).sizes(), (Sizes{1, 2, 3, 4}));
  EXPECT_EQ(x.index({x > 20}).numel(), 3);
  EXPECT_EQ(x.index({Slice(), tensor({0, 2})}).sizes(), (Sizes{2, 2, 4}));
  const Tensor y = x.clone();
  y.index_put_({0, Slice(), 1}, -1);
  y.index_put_({y > 20}, 0);
  y[1][0] = 7;
  EXPECT_EQ(y.sum().item<int64_t>(), x.sum().item<int64_t>() - (1 + 5 + 9 + 3) - (21 + 22 + 23) - (12 + 13 + 14 + 15) + 28);
  EXPECT_TRUE(has(said([&] { x.index({5}); }), "out of"));
  EXPECT_TRUE(has(said([&] { x.index({0, 0, 0, 0}); }), "too many indices"));
  EXPECT_TRUE(has(said([&] { x.index({Slice(0, 2, -1)}); }), "step must be greater than zero"));
  EXPECT_TRUE(has(said([&] { x.index({"a"}); }), "only text"));
  const auto a = y.accessor<int64_t, 3>();
  EXPECT_EQ(a[1][0][2], 7);
  a[1][0][2] = 8;
  EXPECT_EQ(y.index({1, 0, 2}).item<int64_t>(), 8);
  EXPECT_TRUE(has(said([&] { (void)y.accessor<int64_t, 2>(); }), "expected 2 dims but tensor has 3"));
}

TEST(ScriptApi, PrintsAsLibtorch) {
  const auto text = [](const Tensor& t) {
    std::ostringstream out;
    out << t;
    return out.str();
  };
  EXPECT_EQ(text(tensor({1.5, -2.0})), " 1.5000\n-2.0000\n[ CPUFloatType{2} ]");
  EXPECT_EQ(text(arange(6).view({2, 3})), " 0  1  2\n 3  4  5\n[ CPULongType{2,3} ]");
  EXPECT_EQ(text(tensor({1e-5, 1.0, 1e6})), " 1.0000e-05\n 1.0000e+00\n 1.0000e+06\n[ CPUFloatType{3} ]");
  EXPECT_EQ(text(tensor({1234567.0, 2000000.5})), "1000000 *\n 1.2346\n 2.0000\n[ CPUFloatType{2} ]");
  EXPECT_EQ(text(ones({2, 1, 2})), "(1,.,.) = \n 1  1\n\n(2,.,.) = \n 1  1\n[ CPUFloatType{2,1,2} ]");
  EXPECT_EQ(text(tensor(true)), "1\n[ CPUBoolType{} ]");
  EXPECT_EQ(text(zeros({0, 3})), "[ CPUFloatType{0,3} ]");
  EXPECT_EQ(text(Tensor()), "[ Tensor (undefined) ]");
  std::ostringstream out;
  out << 1.23456789 << " " << ones({2, 2}).sizes();
  EXPECT_EQ(out.str(), "1.23457 [2, 2]");
}

TEST(ScriptApi, BorrowsMemory) {
  float data[] = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(from_blob(data, {3, 2}, {1, 3}).values(), (std::vector<double>{1, 4, 2, 5, 3, 6}));
  bool given_back = false;
  {
    const Tensor t = from_blob(data, {2, 3}, [&](void* p) { given_back = p == data; });
    EXPECT_EQ(t.sum().item<float>(), 21);
    EXPECT_FALSE(given_back);
  }
  EXPECT_TRUE(given_back);
  EXPECT_EQ(from_blob(data, {6}, torch::TensorOptions().dtype(torch::kFloat)).dtype(), kFloat32);
  EXPECT_TRUE(has(said([&] { from_blob(data, {2}, torch::device(torch::kCUDA)); }), "cuda"));
  EXPECT_TRUE(has(said([&] { torch::jit::load(kFolder + "cnn.pt", torch::kCUDA); }), "no GPU"));
  EXPECT_TRUE(torch::Device("cuda:1").is_cuda());
  EXPECT_EQ(torch::Device("cpu").str(), "cpu");
  EXPECT_FALSE(torch::cuda::is_available());
}

TEST(ScriptApi, InferenceModeIsPythons) {
  const Tensor w = ones({2}, Options().requires_grad(true));
  {
    InferenceMode guard;
    EXPECT_TRUE(InferenceMode::is_enabled());
    EXPECT_FALSE((w * 2).requires_grad());
  }
  EXPECT_FALSE(InferenceMode::is_enabled());
  EXPECT_TRUE((w * 2).requires_grad());
}

TEST(ScriptApi, WrongCallsSayWhatIsWrong) {
  const jit::Module module = jit::load(kFolder + "cnn.pt");
  EXPECT_TRUE(has(said([&] { module.forward({}); }), "missing the input 'x'"));
  EXPECT_TRUE(has(said([&] { module.forward({"a"}); }), "must be a tensor"));
  EXPECT_TRUE(has(said([&] { module.forward({ones({1, 1, 9, 9}), 3}); }), "takes 1 input, but got 2"));
  EXPECT_TRUE(has(said([] { jit::load("/nonexistent.pt"); }), "/nonexistent.pt"));
  EXPECT_TRUE(has(said([] { jit::Module().forward({}); }), "was not assigned yet"));
}

}  // namespace
