// Names and forms of libtorch in monograph/torch.h that programs use: lists of sizes, switches, checks, schemas, files. tests/libtorch has whole programs.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "monograph/torch.h"
#include "test_files.h"

namespace {

template <class F>
std::string said(F&& f) {
  try {
    f();
  } catch (const c10::Error& e) {
    return e.what();
  }
  return "";
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

class LibtorchFiles : public monograph::test::FolderTest {};

int64_t product(at::IntArrayRef sizes) {
  int64_t out = 1;
  for (auto s : sizes) out *= s;
  return out;
}
int64_t rows(at::TensorList tensors) {
  int64_t out = 0;
  for (const auto& t : tensors) out += t.size(0);
  return out;
}

TEST(LibtorchNames, ListsOfSizesAreTakenInEachForm) {
  const std::vector<int64_t> sizes{2, 3};
  const std::array<int64_t, 2> array{3, 2};
  const torch::Tensor x = torch::arange(6).view(array);
  EXPECT_EQ(product(sizes) + product({2, 2}) + product(7) + product(x.sizes()), 6 + 4 + 7 + 6);
  EXPECT_EQ(torch::zeros(4).numel(), 4);
  EXPECT_EQ(torch::cat({torch::zeros(1), torch::ones(2)}).size(0), 3);
  EXPECT_EQ(rows({x, x}) + rows(std::vector<at::Tensor>{x}), 9);
  EXPECT_TRUE(x.sizes().equals({3, 2}));
  EXPECT_EQ(x.sizes().slice(1).front(), 2);
  EXPECT_TRUE(has(said([&] { x.sizes().slice(1, 2); }), "invalid slice"));
  std::ostringstream out;
  out << c10::ArrayRef<int64_t>(sizes) << at::IntArrayRef({1}) << c10::makeArrayRef(sizes).back();
  EXPECT_EQ(out.str(), "[2, 3][1]3");
}

TEST(LibtorchNames, VectorsBecomeTensorsOfPythonsDtypes) {
  EXPECT_EQ(torch::tensor(std::vector<int>{1, 2}).scalar_type(), torch::kLong);
  EXPECT_EQ(torch::tensor(std::vector<double>{1, 2}).scalar_type(), torch::kFloat);
  EXPECT_EQ(torch::tensor(std::vector<double>{1, 2}, torch::kDouble).scalar_type(), torch::kDouble);
  EXPECT_EQ(torch::tensor(std::vector<uint8_t>{1, 2}).scalar_type(), torch::kByte);
  EXPECT_EQ(torch::tensor({1.5f, 2.5f}).scalar_type(), torch::kFloat);
  EXPECT_EQ(torch::tensor({{1, 2}, {3, 4}}).size(1), 2);
  EXPECT_EQ(torch::tensor(7).dim(), 0);
  EXPECT_EQ(monograph::tensor(std::vector<double>{1, 2}).scalar_type(), torch::kDouble);
}

enum Column { Left = 0, Top = 1 };
TEST(LibtorchNames, PlainEnumsAreIndicesAndViewsAreWritten) {
  torch::Tensor x = torch::zeros({2, 2});
  x.select(1, Top) += 3;
  x[0] *= 2;
  x.select(1, Left) = torch::ones({2});
  x.index_put_({Left, Top}, 9);
  EXPECT_EQ(x.values(), (std::vector<double>{1, 9, 1, 3}));
}

TEST(LibtorchNames, MembersOfTensors) {
  torch::Tensor x = torch::ones({2, 3}).requires_grad_();
  (x * 2).sum().backward();
  x.mutable_grad().zero_();
  EXPECT_EQ(x.grad().sum().item<float>(), 0);
  x.mutable_grad() = torch::full({2, 3}, 4.0f);
  EXPECT_EQ(x.grad().sum().item<float>(), 24);
  x.mutable_grad() = torch::Tensor();
  EXPECT_FALSE(x.grad().defined());
  EXPECT_EQ(x.itemsize() + static_cast<size_t>(x.ndimension()), 6U);
  EXPECT_EQ(torch::arange(6).slice(0, 2).storage_offset(), 2);
  EXPECT_EQ(x.get_device(), -1);
  EXPECT_EQ(x.toString(), "CPUFloatType");
  EXPECT_STREQ(torch::toString(torch::kHalf), "Half");
  EXPECT_EQ(torch::elementSize(torch::kDouble), 8U);
  EXPECT_EQ(torch::linalg::norm(torch::ones({4})).item<float>(), 2);
  EXPECT_EQ(torch::special::expit(torch::zeros({1})).item<float>(), 0.5f);
  EXPECT_EQ((torch::arange(5) % 3).sum().item<int>(), 4);
}

TEST(LibtorchNames, SwitchesKeepTheirValuesAndDoNothing) {
  torch::jit::getProfilingMode() = false;
  EXPECT_FALSE(torch::jit::getProfilingMode());
  torch::jit::getProfilingMode() = true;
  torch::jit::setGraphExecutorOptimize(false);
  EXPECT_FALSE(torch::jit::getGraphExecutorOptimize());
  torch::jit::setGraphExecutorOptimize(true);
  const torch::jit::FusionStrategy strategy{{torch::jit::FusionBehavior::DYNAMIC, 10}};
  const auto before = torch::jit::setFusionStrategy(strategy);
  EXPECT_EQ(torch::jit::setFusionStrategy(before), strategy);
  at::globalContext().setAllowTF32CuBLAS(true);
  EXPECT_TRUE(at::globalContext().allowTF32CuBLAS());
  at::globalContext().setAllowTF32CuBLAS(false);
  EXPECT_FALSE(at::globalContext().setFlushDenormal(true));
}

TEST(LibtorchNames, ChecksRaise) {
  EXPECT_EQ(said([] { TORCH_CHECK(false, "it is ", 3); }), "it is 3");
  EXPECT_TRUE(has(said([] { TORCH_CHECK(1 > 2); }), "Expected 1 > 2 to be true"));
  EXPECT_TRUE(has(said([] { TORCH_CHECK_EQ(1 + 1, 3); }), "1 + 1 == 3 (2 vs. 3)"));
  EXPECT_THROW(TORCH_CHECK_VALUE(false, "no"), c10::ValueError);
  EXPECT_THROW(TORCH_CHECK_INDEX(false, "no"), c10::IndexError);
  EXPECT_THROW(C10_THROW_ERROR(TypeError, "no"), c10::TypeError);
  EXPECT_TRUE(has(said([] { TORCH_INTERNAL_ASSERT(false, "why"); }), "INTERNAL ASSERT FAILED"));
  EXPECT_TRUE(has(said([] { AT_ERROR("old ", 1); }), "old 1"));
}

TEST(LibtorchNames, ValuesLiveAsLongAsTheirTuple) {
  const torch::IValue v = std::make_tuple(torch::ones({2}), std::string("text"), std::make_tuple(1, 2));
  size_t tensors = 0;
  for (const auto& item : v.toTuple()->elements()) tensors += item.isTensor();  // the temporary tuple is gone in the loop
  const auto& inner = v.toTupleRef().elements()[2];
  EXPECT_EQ(tensors, 1U);
  EXPECT_EQ(inner.toTuple()->elements()[1].toInt(), 2);
  EXPECT_EQ(v.toTuple()->elements()[1].toStringView(), "text");
  EXPECT_FALSE(torch::IValue().toOptional<double>().has_value());
  c10::impl::GenericDict dict(c10::StringType::get(), c10::TensorType::get());
  dict.insert("a", torch::ones({2}));
  EXPECT_EQ((c10::impl::toTypedDict<std::string, at::Tensor>(dict).at("a").size(0)), 2);
}

TEST(LibtorchNames, ModulesListTheirContentsInTheOrderOfRegistration) {
  torch::jit::Module inner("Inner"), net("Net");
  inner.register_parameter("weight", torch::ones({2}), false);
  net.register_module("inner", inner);
  net.register_parameter("bias", torch::ones({2}), false);
  net.register_attribute("calls", c10::IntType::get(), 1);
  net.define("def forward(self, x, scale: float = 2.0):\n  return x * scale + self.bias\n");
  std::string names;
  for (const torch::jit::NameTensor& p : net.named_parameters()) names += p.name + ";";
  for (const auto& a : net.named_attributes(false)) names += a.name + ";";
  EXPECT_EQ(names, "inner.weight;bias;inner;bias;calls;");
  EXPECT_TRUE(net.attr("inner").isModule());
  EXPECT_TRUE(net.attr("inner").toModule() == net.submodule("inner"));
  EXPECT_TRUE(has(said([&] { net.attr("calls").toModule(); }), "Expected Module but got Int"));
  EXPECT_EQ(net.type()->name()->name(), "Net");
  const auto schema = net.get_method("forward").function().getSchema();
  EXPECT_EQ(schema.str(), "forward(__torch__.Net self, Tensor x, float scale=2.) -> Tensor");
  EXPECT_EQ(schema.argumentIndexWithName("scale"), 2);
  EXPECT_EQ(schema.arguments()[2].default_value()->toDouble(), 2);
  EXPECT_EQ(schema.returns()[0].type()->str(), "Tensor");
  EXPECT_EQ(net.get_method("forward").num_inputs(), 3U);
}

TEST(LibtorchNames, FunctionsOfATextAreFound) {
  const auto unit = torch::jit::compile("def f(x: List[int], n: int = 3) -> int:\n  return len(x) + n\n");
  torch::jit::Function& f = unit->get_function("f");
  EXPECT_EQ(f.getSchema().str(), "f(int[] x, int n=3) -> int");
  EXPECT_EQ(f.getSchema().arguments()[0].type()->str(), "List[int]");
  EXPECT_EQ(f.num_inputs(), 2U);
  EXPECT_EQ(unit->find_function("g"), nullptr);
  EXPECT_EQ(unit->get_functions().size(), 1U);
}

TEST(LibtorchNames, LayersWithSeveralResultsAndFirstValues) {
  torch::nn::LSTM lstm(torch::nn::LSTMOptions(3, 5).batch_first(true));
  auto [output, state] = lstm->forward(torch::ones({2, 4, 3}));
  EXPECT_EQ(output.sizes(), (std::vector<int64_t>{2, 4, 5}));
  EXPECT_EQ(std::get<1>(state).sizes(), (std::vector<int64_t>{1, 2, 5}));
  torch::nn::GRU gru(3, 5);
  EXPECT_EQ(std::get<0>(gru(torch::ones({4, 2, 3}))).size(2), 5);
  torch::nn::Sequential two(torch::nn::Linear(2, 3), torch::nn::ReLU());
  EXPECT_EQ(two->size(), 2U);
  torch::nn::Linear linear(4, 4);
  torch::nn::init::constant_(linear->weight, 0.5);
  EXPECT_EQ(linear->weight.sum().item<float>(), 8);
  torch::nn::init::kaiming_uniform_(linear->weight, 0.0, torch::kFanIn, torch::kReLU);
  EXPECT_LE(linear->weight.abs().max().item<float>(), std::sqrt(6.0 / 4));
  EXPECT_EQ(torch::nn::init::calculate_gain("relu"), std::sqrt(2.0));
  const int64_t right = 2;
  namespace F = torch::nn::functional;
  EXPECT_EQ(F::pad(torch::ones({1, 1, 2, 2}), F::PadFuncOptions({0, right, 1, 0}).mode(torch::kReplicate)).sizes(),
            (std::vector<int64_t>{1, 1, 3, 4}));
}

TEST_F(LibtorchFiles, TensorsInFilesAndBytes) {
  const torch::Tensor x = torch::arange(6, torch::kFloat).view({2, 3});
  torch::Tensor y;
  torch::save(x, (folder / "x.pt").string());
  torch::load(y, (folder / "x.pt").string());
  EXPECT_TRUE(torch::equal(x, y));
  std::stringstream stream;
  std::vector<torch::Tensor> several{x, x.to(torch::kLong)}, read;
  torch::save(several, stream);
  torch::load(read, stream);
  EXPECT_EQ(read.size(), 2U);
  EXPECT_EQ(read[1].scalar_type(), torch::kLong);
  torch::save(several, (folder / "list.pt").string());
  EXPECT_TRUE(has(said([&] { torch::load(y, (folder / "list.pt").string()); }), "expected a file of one tensor, but it has 2"));
  c10::Dict<std::string, at::Tensor> table;
  table.insert("a", x);
  const torch::IValue again = torch::pickle_load(torch::pickle_save(table));
  EXPECT_TRUE(torch::equal(again.toGenericDict().at("a").toTensor(), x));
  EXPECT_TRUE(torch::pickle_load(torch::jit::pickle_save(torch::IValue(2.5))).isDouble());
  EXPECT_NE(said([] { torch::pickle_load({'n', 'o'}); }), "");
}

}  // namespace
