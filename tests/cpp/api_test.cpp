// The public C++ API: tensors of every dtype, the generated functions and methods, errors, autograd, and what a traced program may ask of a tensor.
#include "monograph/monograph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "monograph/torch.h"

using namespace monograph;

namespace {

using Doubles = std::vector<double>;
using Sizes = std::vector<int64_t>;

// The words of the error of just this class that f ends with; "" where it ends otherwise.
template <class E, class F>
std::string said(F&& f) {
  try {
    f();
  } catch (const Exception& e) {
    if (typeid(e) == typeid(E)) return e.what();
  }
  return "";
}

TEST(Api, FactoriesMakeEveryDtype) {
  const Dtype all[] = {kUInt8, kInt8, kInt16, kInt32, kInt64, kFloat16, kFloat32, kFloat64, kComplex64, kComplex128, kBool, kBFloat16};
  std::set<std::string_view> names;
  for (Dtype d : all) {
    for (const Tensor& t : {zeros({2, 3}, d), ones({2, 3}, d), full({2, 3}, 1, d), empty({2, 3}, d), tensor({{1, 0, 1}, {1, 1, 1}}, d)}) {
      EXPECT_EQ(t.dtype(), d);
      EXPECT_EQ(t.sizes(), (Sizes{2, 3}));
    }
    const bool complex = d == kComplex64 || d == kComplex128;
    if (!complex) EXPECT_EQ(ones({2}, d).values(), (Doubles{1, 1})) << d;
    else EXPECT_EQ((ones({2}, d) == 1).values(), (Doubles{1, 1})) << d;
    names.insert(to_string(d));
  }
  EXPECT_EQ(names.size(), std::size(all));
  EXPECT_EQ(to_string(kInt64), "int64");
  EXPECT_EQ(to_string(kBFloat16), "bfloat16");
  EXPECT_EQ(zeros({2}, Options().device(kMeta)).device(), kMeta);
  EXPECT_TRUE(rand({2}, Options().requires_grad(true)).requires_grad());
  EXPECT_EQ(arange(4).values(), (Doubles{0, 1, 2, 3}));
  EXPECT_EQ(arange(4).dtype(), kInt64);
  EXPECT_EQ(arange(1, 7, 2.5).values(), (Doubles{1, 3.5, 6}));
}

TEST(Api, ValuesChooseTheDtypeAsInPython) {
  EXPECT_EQ(tensor({1, 2}).dtype(), kInt64);
  EXPECT_EQ(tensor(std::vector<int32_t>{1, 2}).dtype(), kInt32);
  EXPECT_EQ(tensor(std::vector<double>{1, 2}).dtype(), kFloat64);
  EXPECT_EQ(tensor({1.0, 2.0}).dtype(), kFloat32);
  EXPECT_EQ(tensor({1.0, 2.0}, kFloat64).dtype(), kFloat64);
  EXPECT_EQ(tensor({true, false}).dtype(), kBool);
  EXPECT_EQ(tensor(3).dtype(), kInt64);
  EXPECT_EQ(tensor(3).sizes(), Sizes{});
  EXPECT_EQ(tensor(2.5).item<double>(), 2.5);
  EXPECT_EQ(tensor({std::complex<double>(1, 2)}).dtype(), kComplex64);
  EXPECT_EQ(tensor({{1, 2}, {3, 4}, {5, 6}}).sizes(), (Sizes{3, 2}));
  EXPECT_EQ(tensor({{true, false}, {false, false}}).sum().item<int>(), 1);
  EXPECT_EQ(tensor({1., 2., 3., 4.}, {2, 2})[1].values(), (Doubles{3, 4}));
  EXPECT_EQ(tensor(std::vector<float>{1, 2}).values(), (Doubles{1, 2}));
  EXPECT_EQ(said<ValueError>([] { tensor({1, 2, 3}, {2, 2}); }), "tensor: 3 values do not fill 4 elements of sizes [2, 2]");
  EXPECT_NE(said<ValueError>([] { tensor({{1, 2}, {3}}); }), "");
}

TEST(Api, NamedFunctionsAndMethodsAreTheRecords) {
  Tensor x = tensor({{1., 2., 3.}, {4., 5., 6.}});
  EXPECT_EQ(x.view({3, -1}).sizes(), (Sizes{3, 2}));
  EXPECT_EQ(x.sum().item<double>(), 21);
  EXPECT_EQ(x.sum(1).values(), (Doubles{6, 15}));
  EXPECT_EQ(x.sum({0, 1}, true).sizes(), (Sizes{1, 1}));
  EXPECT_EQ(softmax(x, 1).values(), Tensor("softmax"_op(x, 1)).values());
  EXPECT_EQ(x.softmax(-1, kFloat64).dtype(), kFloat64);
  auto [values, indices] = x.max(1);
  EXPECT_EQ(values.values(), (Doubles{3, 6}));
  EXPECT_EQ(indices.values(), (Doubles{2, 2}));
  EXPECT_EQ(cat({x, x}, 1).sizes(), (Sizes{2, 6}));
  EXPECT_EQ(x.split(1).size(), 2u);
  EXPECT_EQ(clamp(x, 2, 4).values(), (Doubles{2, 2, 3, 4, 4, 4}));
  EXPECT_EQ(x.clamp({}, 4).values(), (Doubles{1, 2, 3, 4, 4, 4}));
  EXPECT_EQ(x.clamp(zeros({3}), full({3}, 2)).values(), (Doubles{1, 2, 2, 2, 2, 2}));
  EXPECT_EQ(gelu(x, "tanh").values(), Tensor("gelu"_op(x, "tanh")).values());
  EXPECT_EQ(layer_norm(x, {3}).sizes(), x.sizes());  // absent tensors are None
  EXPECT_EQ(conv2d(ones({1, 1, 4, 4}), ones({1, 1, 2, 2}), {}, 2).sizes(), (Sizes{1, 1, 2, 2}));  // one number for int[2]
  EXPECT_EQ(max_pool2d(ones({1, 1, 4, 6}), {2, 3}).sizes(), (Sizes{1, 1, 2, 2}));
  EXPECT_EQ(x.index({tensor({1}), tensor({2})}).values(), (Doubles{6}));
  EXPECT_EQ(where(x > 3, x, 0).values(), (Doubles{0, 0, 0, 4, 5, 6}));
  Tensor out = empty({2, 3});
  add_out(out, x, x);
  EXPECT_EQ(out.values(), (x * 2).values());
  EXPECT_EQ(x.to(kInt64).dtype(), kInt64);
  EXPECT_EQ(x.to(Options().dtype(kFloat64)).dtype(), kFloat64);
  EXPECT_EQ(randn({3}, Generator(5)).values(), randn({3}, Generator(5)).values());
  manual_seed(3);
  Tensor first = rand({4});
  manual_seed(3);
  EXPECT_EQ(first.values(), rand({4}).values());
}

TEST(Api, AMaskBesideAnotherIndexTakesItsOwnDims) {
  const Tensor x = arange(24).reshape({2, 3, 4}), mask = x.select(2, 0).remainder(8) == 4;  // (0, 1) and (1, 0), (1, 2)
  EXPECT_EQ(mask.sizes(), (Sizes{2, 3}));
  EXPECT_EQ(x.index({mask, tensor({3, 2, 1})}).values(), (Doubles{7, 14, 21}));
  EXPECT_EQ(x.index({mask, 2}).values(), (Doubles{6, 14, 22}));
  const Tensor y = x.clone();
  y.index_put_({mask, tensor({3, 2, 1})}, tensor({-1, -2, -3}));
  EXPECT_EQ(y.index({mask, tensor({3, 2, 1})}).values(), (Doubles{-1, -2, -3}));
  EXPECT_EQ(y.sum().item<int64_t>(), 276 - 7 - 14 - 21 - 6);
}

TEST(Api, OperatorsTakeNumbersOnBothSides) {
  Tensor x = tensor({1., 2., 4.});
  EXPECT_EQ((1 - x).values(), (Doubles{0, -1, -3}));
  EXPECT_EQ((2 * x + 1).values(), (Doubles{3, 5, 9}));
  EXPECT_EQ((4 / x).values(), (Doubles{4, 2, 1}));
  EXPECT_EQ((-x).values(), (Doubles{-1, -2, -4}));
  EXPECT_EQ((x >= 2).dtype(), kBool);
  EXPECT_EQ((~(x == 2)).values(), (Doubles{1, 0, 1}));
  Tensor same = x;
  x += 1, x *= x;
  EXPECT_EQ(same.values(), (Doubles{4, 9, 25}));
  EXPECT_TRUE(same.is_same(x));
}

TEST(Api, ErrorsAreThoseOfPython) {
  Tensor x = ones({2, 3});
  EXPECT_EQ(said<IndexError>([&] { softmax(x, 5); }),
            "Dimension out of range (expected to be in range of [-2, 1], but got 5)\n  in aten::softmax.int");
  EXPECT_EQ(said<RuntimeError>([&] { x.view({4, 2}); }), "[aten::view] shape '[4, 2]' is invalid for input of size 6");
  EXPECT_EQ(said<RuntimeError>([&] { mm(x, x); }), "[aten::mm] mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)");
  EXPECT_EQ(said<RuntimeError>([&] { x.to(kInt64).requires_grad_(); }),
            "only Tensors of floating point dtype can require gradients, but this one is int64");
  EXPECT_EQ(said<RuntimeError>([&] { x.item(); }),
            "a Tensor with 6 elements cannot be converted to Scalar; take one element first, for example x[0]");
  EXPECT_NE(said<TypeError>([&] { softmax({}, 1); }).find("softmax(): argument 'self' (position 1) must be Tensor, not None"),
            std::string::npos);
  EXPECT_NE(said<OSError>([] { load_graph("/nowhere/file.mgraph"); }), "");
  EXPECT_NE(said<AttributeError>([&] { "sofmax"_op(x, 1); }).find("softmax"), std::string::npos);
  EXPECT_NE(said<TypeError>([&] { x.data<double>(); }).find("float32"), std::string::npos);
  EXPECT_NE(said<ValueError>([] { Tensor().sizes(); }), "");
}

TEST(Api, GradientsAndWrites) {
  Tensor w = tensor({1., 2.}).requires_grad_(), x = tensor({3., 5.});
  (w * x).sum().backward();
  EXPECT_EQ(w.grad().values(), (Doubles{3, 5}));
  {
    NoGradGuard no_grad;
    EXPECT_FALSE((w * x).requires_grad());
    w.sub_(w.grad(), 0.5);
  }
  EXPECT_TRUE(is_grad_enabled());
  EXPECT_EQ(w.values(), (Doubles{-0.5, -0.5}));
  w.set_grad({});
  EXPECT_FALSE(w.grad().defined());
  Tensor second = autograd::grad({autograd::grad({(w * w * w).sum()}, {w}, {}, false, true)[0].sum()}, {w})[0];
  EXPECT_EQ(second.values(), (Doubles{-3, -3}));
  // A write that autograd does not see as an operator counts too.
  Tensor y = exp(w);
  y.mutable_data<float>()[0] = 1;
  EXPECT_NE(said<RuntimeError>([&] { y.sum().backward(); }).find("modified by an inplace operation"), std::string::npos);
  EXPECT_NE(said<RuntimeError>([&] { w.set_grad(ones({3})); }), "");
}

TEST(Api, MemoryOfTheCallerIsShared) {
  static int released = 0;
  std::vector<float> memory{1, 2, 3, 4};
  {
    Tensor t = from_blob(memory.data(), {2, 2}, kFloat32, [](void*) { ++released; });
    t.add_(1);
  }
  EXPECT_EQ(memory, (std::vector<float>{2, 3, 4, 5}));
  EXPECT_EQ(released, 1);
}

TEST(Api, WhoLinksTheLibraryHasTheGeneratedKernels) {
  EXPECT_GT(generated_kernels(), 0u);
  EXPECT_TRUE(products_are_generated());
}

TEST(Api, LibtorchsSpelling) {
  torch::Tensor x = torch::rand({2, 3}, torch::dtype(torch::kDouble).requires_grad(true));
  EXPECT_EQ(x.scalar_type(), torch::kFloat64);
  x.mul(2).sum().backward();
  EXPECT_EQ(x.grad().data_ptr<double>()[0], 2.0);
  torch::NoGradGuard no_grad;
  EXPECT_THROW(torch::mm(x, x), c10::Error);
  EXPECT_EQ(at::ones({2}, at::kLong).dtype(), kInt64);
}

TEST(Api, AGraphRunsInManyThreads) {
  Graph g = capture([](Tensor t) { return softmax(t * 2, 1); }, {ones({2, 3})});
  std::vector<Tensor> answers(8);
  std::vector<std::thread> threads;
  for (size_t k = 0; k < answers.size(); ++k) threads.emplace_back([&, k] { answers[k] = g({full({3, 4}, static_cast<double>(k))}); });
  for (std::thread& t : threads) t.join();
  for (const Tensor& a : answers) EXPECT_EQ(a.values(), Doubles(12, 0.25));
}

TEST(Api, SizesThatATraceAsksForAreGuards) {
  Tensor x = tensor({1., 2., 3., 4., 5., 6.}, {2, 3}), same = full({2, 3}, 1.0), wider = full({2, 4}, 1.0);
  Graph sized = capture([](Tensor t) { return t * t.sizes()[1]; }, {x});
  EXPECT_EQ(sized({same}).values()[0], 3.0);
  EXPECT_THROW(sized({wider}), Exception);
  Graph one = capture([](Tensor t) { return t * t.size(-1); }, {x});
  EXPECT_THROW(one({wider}), Exception);
  Graph counted = capture([](Tensor t) { return t + t.numel(); }, {x});
  EXPECT_EQ(counted({same}).values()[0], 7.0);
  EXPECT_THROW(counted({wider}), Exception);
}

TEST(Api, WhatATraceAsksOfATensorsMemoryIsAGuard) {
  Tensor rows = ones({2, 3}), columns = ones({3, 2}).t(), wider = ones({4, 5}), grown = ones({2, 3}).requires_grad_();
  const auto holds = [&](auto f, const Tensor& example, const Tensor& same, const Tensor& other) {
    Graph g = capture([f](Tensor t) { return t * f(t); }, {example});
    EXPECT_EQ(g({same}).values(), (same * f(same)).values());
    EXPECT_THROW(g({other}), Exception);
  };
  holds([](const Tensor& t) { return t.stride(0); }, rows, full({2, 3}, 2.0), wider);
  holds([](const Tensor& t) { return t.strides()[0]; }, rows, full({2, 3}, 2.0), columns);
  holds([](const Tensor& t) { return t.is_contiguous() ? 2 : 3; }, rows, full({2, 3}, 2.0), columns);
  holds([](const Tensor& t) { return t.storage_offset() + 1; }, rows, full({2, 3}, 2.0), ones({3, 3}).narrow(0, 1, 2));
  holds([](const Tensor& t) { return static_cast<int64_t>(t.nbytes()); }, rows, full({2, 3}, 2.0), wider);
  holds([](const Tensor& t) { return t.requires_grad() ? 2 : 3; }, rows, full({2, 3}, 2.0), grown);
  holds([](const Tensor& t) { return t.is_leaf() ? 2 : 3; }, rows, full({2, 3}, 2.0), grown);
  EXPECT_THROW(capture([](Tensor t) { return t * (t.is_leaf() ? 2 : 3); }, {grown}), Exception);
}

TEST(Api, ElementsOfATracedTensorAreRefused) {
  Tensor x = tensor({1., 2.}), constant = tensor({5., 6.});
  auto refused = [&](auto f) { return said<RuntimeError>([&] { capture(f, {x}); }).find("those of the example") != std::string::npos; };
  EXPECT_TRUE(refused([](Tensor t) { return t * t.values()[0]; }));
  EXPECT_TRUE(refused([](Tensor t) { return t * (t + 1.0).data<float>()[0]; }));
  EXPECT_EQ(capture([&](Tensor t) { return t * constant.values()[0]; }, {x})({x}).values()[1], 10.0);
}

// Calls that a user of libtorch would make, and what each is told.
TEST(Api, WrongCallsSayWhatWasExpected) {
  Tensor x = ones({2, 3});
  const auto sum = [](Tensor a, Tensor b) { return a + b; };
  const auto one = [](Tensor a) { return a + 1; };
  EXPECT_EQ(said<TypeError>([&] { x.data<double>(); }),
            "data<T>: the tensor is float32, but T is float64; convert the tensor first, with to(dtype)");
  EXPECT_EQ(said<RuntimeError>([&] { x.t().data<float>(); }), "data: the tensor is not contiguous; use contiguous() first");
  EXPECT_EQ(said<ValueError>([] { Tensor().dim(); }), "this Tensor was not assigned yet");
  EXPECT_EQ(said<ValueError>([&] { Graph()({x}); }), "this Graph was not assigned yet");
  EXPECT_EQ(said<AttributeError>([&] { "sofmax"_op(x, 1); }), "there is no operator aten::sofmax; did you mean aten::softmax?");
  EXPECT_EQ(said<ValueError>([] { tensor({{1.0, 2.0}, {3.0}}); }), "tensor: expected rows of 2 values, but got one of 1");
  EXPECT_EQ(said<IndexError>([&] { x[7]; }), "[aten::select.int] index 7 is out of bounds for dimension 0 with size 2");
  EXPECT_EQ(said<RuntimeError>([&] { capture([](Tensor t) { return t.sum().item<float>() > 0 ? t : -t; }, {x}, How::Symbolic); }),
            "a symbolic tensor has no data: it is a node of the graph that is being captured; capture with How::Trace to look at example "
            "values, or use operators");
  EXPECT_EQ(said<TypeError>([&] { capture(sum, {x}); }), "capture: the function takes 2 tensors, but got 1");
  EXPECT_EQ(said<TypeError>([&] { capture(sum, {x, x})({x}); }), "forward() is missing the input 'x1' (number 2 of 2)");
  EXPECT_EQ(said<TypeError>([&] { capture(one, {x})({ones({2, 3}, kInt64)}); }),
            "Input 'x' must be a float32 tensor with 2 dimensions, but got an int64 tensor of size [2, 3]");
  EXPECT_EQ(
      said<RuntimeError>([&] { capture([](Tensor t) { return t.sum().item<float>() > 0 ? t : -t; }, {x})({-x}); }),
      "the graph was captured where `item() in C++` is 6.0, but here it is -6.0. Capture the function again with such an input, or write "
      "the branch with cond or while_loop");
  EXPECT_EQ(said<OSError>([&] { capture(one, {x}).save("/nowhere/x.mgraph"); }),
            "/nowhere/x.mgraph: cannot create a file in this folder: No such file or directory");
  EXPECT_EQ(said<ValueError>([] { capture([](Tensor t) { return t + 1; }, {ones({2}, kInt64)}).differentiate(); }),
            "differentiate: the graph forward returns no floating-point tensor, so it has no gradient");
}

// A number that is taken out of a trace is checked by every run.
TEST(Api, AnItemOfATracedTensorIsAGuard) {
  Tensor x = tensor({2., 3.});
  Graph g = capture([](Tensor t) { return t * t.select(0, 0).item<double>(); }, {x});
  EXPECT_EQ(g({x}).values(), (Doubles{4, 6}));
  EXPECT_THROW(g({tensor({5., 3.})}), Exception);
}

}  // namespace
