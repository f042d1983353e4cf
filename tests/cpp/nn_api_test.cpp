// The layers of torch.nn in C++. tests/python/test_nn_cpp.py compares each with Python's: it writes a folder of cases, and runs the last test here.
#include "monograph/nn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "monograph/checkpoint.h"
#include "monograph/monograph.h"

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

TEST(NnApi, ALayerHasPyTorchsNamesAndComputes) {
  manual_seed(0);
  jit::Module linear = nn::Linear(4, 8);
  EXPECT_EQ(linear.named_parameters().size(), 2U);
  EXPECT_EQ(linear.named_parameters()[0].name, "weight");
  EXPECT_EQ(linear.named_parameters()[1].name, "bias");
  EXPECT_EQ(linear.attr("in_features").toInt(), 4);
  EXPECT_EQ(linear.type_name(), "__torch__.torch.nn.modules.linear.Linear");
  const Tensor x = ones({2, 4});
  const Tensor weight = linear.attr("weight").toTensor(), bias = linear.attr("bias").toTensor();
  EXPECT_TRUE(weight.requires_grad());
  EXPECT_TRUE(equal(linear.forward({x}).toTensor(), addmm(bias, x, weight.t())));
  EXPECT_TRUE(nn::Linear(4, 8, false).attr("bias").isNone());
}

TEST(NnApi, LayersStandInEachOther) {
  jit::Module conv = nn::Conv2d(3, 8, 3, nn::named("padding", 1));
  jit::Module net = nn::Sequential(conv, nn::BatchNorm2d(8), nn::ReLU(), nn::AdaptiveAvgPool2d(1), nn::Flatten(), nn::Linear(8, 2));
  EXPECT_EQ(net.named_parameters()[0].name, "0.weight");
  const Tensor x = ones({2, 3, 5, 5});
  net.eval();
  const Tensor before = net.forward({x}).toTensor();
  EXPECT_EQ(before.sizes(), (std::vector<int64_t>{2, 2}));
  // The parameters are the same tensors.
  {
    NoGradGuard no_grad;
    conv.attr("weight").toTensor().zero_();
  }
  EXPECT_FALSE(equal(net.forward({x}).toTensor(), before));
  // A training step of the batch norm writes its figures.
  net.train();
  net.forward({x});
  EXPECT_EQ(net.submodule("1").attr("num_batches_tracked").toTensor().item().toLong(), 1);
  // A copy has its own.
  jit::Module copy = net.clone();
  copy.forward({x});
  EXPECT_EQ(net.submodule("1").attr("num_batches_tracked").toTensor().item().toLong(), 1);
  EXPECT_EQ(copy.submodule("1").attr("num_batches_tracked").toTensor().item().toLong(), 2);
}

TEST(NnApi, ACaptureTakesTheParametersOfALayer) {
  for (const How how : {How::Trace, How::Symbolic}) {
    jit::Module net = nn::Sequential(nn::Linear(3, 4), nn::ReLU(), nn::Linear(4, 2));
    const Graph g = capture([&](Tensor x) { return net.forward({x}).toTensor(); }, {ones({2, 3})}, how);
    const Tensor x = arange(15).to(kFloat32).view({5, 3});
    EXPECT_TRUE(equal(g({x}), net.forward({x}).toTensor()));
    EXPECT_TRUE(has(g.str(), "get_attr[\"_param_constant3\"]")) << g.str();
    // The graph has the tensors themselves: a step of training shows, and a gradient reaches them.
    g({x}).sum().backward();
    EXPECT_EQ(net.submodule("0").attr("weight").toTensor().grad().sizes(), (std::vector<int64_t>{4, 3}));
    {
      NoGradGuard no_grad;
      net.submodule("2").attr("bias").toTensor().add_(1);
    }
    EXPECT_TRUE(equal(g({x}), net.forward({x}).toTensor()));
    const std::string file = testing::TempDir() + "parameters_of_a_layer.mgraph";
    g.save(file);
    EXPECT_TRUE(equal(load_graph(file)({x}), net.forward({x}).toTensor()));
  }
}

TEST(NnApi, ASavedModuleIsTheSameAgain) {
  jit::Module net = nn::layer("Sequential(Conv1d(2, 4, 3), BatchNorm1d(4), Dropout(0.5), GELU('tanh'))");
  std::stringstream file;
  net.save(file);
  jit::Module loaded = jit::load(file);
  const Tensor x = ones({3, 2, 7});
  for (const bool training : {false, true}) {
    net.train(training), loaded.train(training);
    manual_seed(3);
    const Tensor expected = net.forward({x}).toTensor();
    manual_seed(3);
    // The running figures of both have seen as much.
    EXPECT_TRUE(allclose(loaded.forward({x}).toTensor(), expected));
  }
}

TEST(NnApi, AWrongCallSaysWhatPythonSays) {
  EXPECT_TRUE(has(said([] { nn::Conv2d(3, 8, 3, nn::named("groups", 2)); }),
                  "in_channels must be divisible by groups, but got 3 channels and 2 groups"));
  EXPECT_TRUE(has(said([] { nn::Linear(3); }), "missing a required argument: 'out_features'"));
  EXPECT_TRUE(has(said([] { nn::Linear(3, 4, nn::named("biases", true)); }), "unexpected keyword argument 'biases'"));
  EXPECT_TRUE(has(said([] { nn::Dropout(1.5); }), "dropout probability has to be between 0 and 1, but got 1.5"));
  EXPECT_TRUE(has(said([] { nn::make("Lineal", {3, 4}); }), "no layer 'Lineal'"));
  EXPECT_TRUE(has(said([] { nn::layer("Linear(3, 4"); }), "<--- HERE"));
  EXPECT_TRUE(has(said([] { nn::layer("3 + 4"); }), "expected an expression that makes a module"));
  EXPECT_THROW(nn::Linear(3, 4).get_method("no_such"), AttributeError);
}

// FOLDER/cases.txt has a line for each case: the layer, "train" or "eval", and how many inputs it takes. Inputs K of case N are N.K in inputs.pt. Writes
// the elements of the result (or of its parts) into N.K.bin, "N" and what was raised into errors.txt, and the module into N.pt.
void write_tensors(const IValue& v, const std::string& name, int& found, const std::string& folder) {
  if (v.isTuple()) {
    const std::shared_ptr<ivalue::Tuple> tuple = v.toTuple();
    for (const IValue& part : tuple->elements()) write_tensors(part, name, found, folder);
  }
  if (!v.isTensor()) return;
  const Tensor t = v.toTensor().detach().contiguous();
  const void* bytes = t.dtype() == kFloat32 ? static_cast<const void*>(t.data<float>()) : t.data<int64_t>();
  std::ofstream file(folder + "/" + name + "." + std::to_string(found++) + ".bin", std::ios::binary);
  file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(t.nbytes()));
}

TEST(NnApi, RunsTheCasesOfAFolder) {
  const char* folder = std::getenv("MONOGRAPH_LAYER_CASES");
  if (!folder) GTEST_SKIP() << "tests/python/test_nn_cpp.py writes the cases";
  const std::string at = folder;
  std::ifstream cases(at + "/cases.txt");
  std::ofstream errors(at + "/errors.txt");
  const std::map<std::string, Tensor> inputs = load_tensors(at + "/inputs.pt");
  std::string line;
  for (int n = 0; std::getline(cases, line); ++n) {
    std::istringstream parts(line);
    std::string layer, mode, count;
    std::getline(parts, layer, '\t'), std::getline(parts, mode, '\t'), std::getline(parts, count, '\t');
    const std::string name = std::to_string(n);
    try {
      manual_seed(7);
      const bool file = layer.starts_with('@');  // an archive instead of a layer
      jit::Module module = file ? jit::load(layer.substr(1)) : nn::layer(layer);
      module.train(mode == "train");
      if (!file) module.save(at + "/" + name + ".pt");
      std::vector<IValue> given;
      for (int k = 0; k < std::stoi(count); ++k) given.emplace_back(inputs.at(name + "." + std::to_string(k)));
      manual_seed(5);
      int found = 0;
      write_tensors(module.forward(given), name, found, at);
    } catch (const Exception& e) {
      std::string what = e.what();
      std::ranges::replace(what, '\n', '|');
      errors << name << "\t" << layer << "\t" << what << "\n";
    }
  }
}

}  // namespace
