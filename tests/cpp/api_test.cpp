// The public C++ API: what a traced program may ask of a tensor.
#include "monograph/monograph.h"

#include <gtest/gtest.h>

using namespace monograph;

namespace {

TEST(Api, SizesThatATraceAsksForAreGuards) {
  Tensor x = tensor({1., 2., 3., 4., 5., 6.}, {2, 3}), same = full({2, 3}, 1.0), wider = full({2, 4}, 1.0);
  Graph sized = capture([](Tensor t) { return t * static_cast<double>(t.sizes()[1]); }, {x});
  EXPECT_EQ(sized({same}).values()[0], 3.0);
  EXPECT_THROW(sized({wider}), Exception);
  Graph counted = capture([](Tensor t) { return t + static_cast<double>(t.numel()); }, {x});
  EXPECT_EQ(counted({same}).values()[0], 7.0);
  EXPECT_THROW(counted({wider}), Exception);
}

TEST(Api, ElementsOfATracedTensorAreRefused) {
  Tensor x = tensor({1., 2.}), constant = tensor({5., 6.});
  auto refused = [&](auto f) {
    try {
      capture(f, {x});
    } catch (const Exception& e) {
      return std::string(e.what()).find("the example's") != std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refused([](Tensor t) { return t * t.values()[0]; }));
  EXPECT_TRUE(refused([](Tensor t) { return t * static_cast<double>((t + 1.0).data<float>()[0]); }));
  EXPECT_EQ(capture([&](Tensor t) { return t * constant.values()[0]; }, {x})({x}).values()[1], 10.0);
}

}  // namespace
