// nn::functional as libtorch's users call it: with options, and without. What each call gives is compared with operators that compute the same.
#include <gtest/gtest.h>

#include "monograph/torch.h"

namespace F = torch::nn::functional;
using torch::Tensor;

namespace {

Tensor grid(std::vector<int64_t> sizes) {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  return ((torch::arange(n) * 7).remainder(23).to(torch::kFloat) / 5 - 2).view(sizes);
}
bool same(const Tensor& a, const Tensor& b) { return a.sizes() == b.sizes() && torch::allclose(a, b, 1e-5, 1e-6); }
using Dims = std::vector<int64_t>;

TEST(NnFunctional, Activations) {
  const Tensor x = grid({3, 6});
  EXPECT_TRUE(same(F::relu(x), x.clamp_min(0)));
  EXPECT_TRUE(same(F::relu(x.clone(), F::ReLUFuncOptions().inplace(true)), x.clamp_min(0)));
  EXPECT_TRUE(same(F::relu6(x * 9), (x * 9).clamp(0, 6)));
  EXPECT_TRUE(same(F::elu(x, F::ELUFuncOptions().alpha(0.42)), torch::elu(x, 0.42)));
  EXPECT_TRUE(same(F::selu(x), torch::selu(x)));
  EXPECT_TRUE(same(F::celu(x, F::CELUFuncOptions().alpha(0.42)), torch::celu(x, 0.42)));
  EXPECT_TRUE(same(F::leaky_relu(x, F::LeakyReLUFuncOptions().negative_slope(0.42)), torch::leaky_relu(x, 0.42)));
  EXPECT_TRUE(same(F::hardtanh(x, F::HardtanhFuncOptions().min_val(-0.5).max_val(0.5)), x.clamp(-0.5, 0.5)));
  EXPECT_TRUE(same(F::hardshrink(x, F::HardshrinkFuncOptions(0.42)), torch::hardshrink(x, 0.42)));
  EXPECT_TRUE(same(F::softshrink(x, F::SoftshrinkFuncOptions(0.42)), torch::softshrink(x, 0.42)));
  EXPECT_TRUE(same(F::softplus(x, F::SoftplusFuncOptions().beta(0.5).threshold(3.0)), torch::softplus(x, 0.5, 3.0)));
  EXPECT_TRUE(same(F::threshold(x, F::ThresholdFuncOptions(0.5, 0.25)), torch::threshold(x, 0.5, 0.25)));
  EXPECT_TRUE(same(F::glu(x, F::GLUFuncOptions(1)), torch::glu(x, 1)));
  EXPECT_TRUE(same(F::gelu(x, F::GELUFuncOptions().approximate("tanh")), torch::gelu(x, "tanh")));
  EXPECT_TRUE(same(F::softmax(x, 1), torch::softmax(x, 1)));
  EXPECT_TRUE(same(F::softmax(x, F::SoftmaxFuncOptions(1)), torch::softmax(x, 1)));
  EXPECT_TRUE(same(F::softmin(x, F::SoftminFuncOptions(1)), torch::softmax(-x, 1)));
  EXPECT_TRUE(same(F::log_softmax(x, F::LogSoftmaxFuncOptions(1)), torch::log_softmax(x, 1)));
  EXPECT_EQ(F::softmax(x, F::SoftmaxFuncOptions(1).dtype(torch::kDouble)).dtype(), torch::kDouble);
  EXPECT_TRUE(same(F::softsign(x), x / (x.abs() + 1)));
  EXPECT_TRUE(same(F::tanhshrink(x), x - x.tanh()));
  EXPECT_TRUE(same(F::logsigmoid(x), torch::log_sigmoid(x)));
  EXPECT_TRUE(same(F::rrelu(x, F::RReLUFuncOptions().lower(0.25).upper(0.25)), torch::leaky_relu(x, 0.25)));
  EXPECT_TRUE(same(F::prelu(x, torch::full({1}, 0.25)), torch::leaky_relu(x, 0.25)));
  EXPECT_TRUE(same(F::gumbel_softmax(x, F::GumbelSoftmaxFuncOptions().hard(true).dim(1)).sum(1), torch::ones({3})));
}

TEST(NnFunctional, Pooling) {
  const Tensor x = grid({2, 3, 6, 6});
  EXPECT_TRUE(same(F::max_pool2d(x, F::MaxPool2dFuncOptions(3).stride(2)), torch::max_pool2d(x, 3, 2)));
  EXPECT_TRUE(same(F::max_pool2d(x, F::MaxPool2dFuncOptions({3, 2}).stride({2, 1})), torch::max_pool2d(x, {3, 2}, {2, 1})));
  EXPECT_TRUE(same(F::avg_pool2d(x, F::AvgPool2dFuncOptions(3).stride(2)), torch::avg_pool2d(x, 3, 2)));
  EXPECT_TRUE(same(F::max_pool1d(x[0], F::MaxPool1dFuncOptions(3).stride(2)), torch::max_pool1d(x[0], 3, 2)));
  EXPECT_TRUE(same(F::avg_pool1d(x[0], F::AvgPool1dFuncOptions(3).stride(2)), torch::avg_pool1d(x[0], 3, 2)));
  EXPECT_TRUE(same(F::adaptive_avg_pool2d(x, F::AdaptiveAvgPool2dFuncOptions(3)), torch::avg_pool2d(x, 2)));
  EXPECT_TRUE(same(F::adaptive_max_pool2d(x, F::AdaptiveMaxPool2dFuncOptions(3)), torch::max_pool2d(x, 2)));
  EXPECT_TRUE(same(F::adaptive_max_pool1d(x[0], F::AdaptiveMaxPool1dFuncOptions(3)), torch::max_pool1d(x[0], 2)));
  EXPECT_TRUE(same(F::adaptive_avg_pool3d(x, F::AdaptiveAvgPool3dFuncOptions({3, 3, 3})), F::avg_pool3d(x, {1, 2, 2})));
  const auto [values, places] = F::max_pool2d_with_indices(x, F::MaxPool2dFuncOptions(2));
  EXPECT_TRUE(same(values, torch::max_pool2d(x, 2)));
  EXPECT_EQ(F::max_unpool2d(values, places, F::MaxUnpool2dFuncOptions(2)).sizes(), x.sizes());
  EXPECT_TRUE(same(F::lp_pool2d(x.abs(), F::LPPool2dFuncOptions(1, {2, 2})), torch::avg_pool2d(x.abs(), 2) * 4));
  EXPECT_TRUE(same(F::lp_pool1d(x[0].abs(), F::LPPool1dFuncOptions(1, 2)), torch::avg_pool1d(x[0].abs(), 2) * 2));
  EXPECT_EQ(F::fractional_max_pool2d(x, F::FractionalMaxPool2dFuncOptions(2).output_size(3)).sizes(), (Dims{2, 3, 3, 3}));
}

TEST(NnFunctional, Losses) {
  const Tensor x = grid({4, 5}), y = grid({4, 5}).flip({0}), target = torch::tensor(std::vector<int64_t>{1, 0, 4, 2});
  EXPECT_TRUE(same(F::mse_loss(x, y), (x - y).pow(2).mean()));
  EXPECT_TRUE(same(F::mse_loss(x, y, F::MSELossFuncOptions().reduction(torch::kNone)), (x - y).pow(2)));
  EXPECT_TRUE(same(F::mse_loss(x, y, F::MSELossFuncOptions(torch::kNone).reduction(torch::kSum)), (x - y).pow(2).sum()));
  EXPECT_TRUE(same(F::l1_loss(x, y, F::L1LossFuncOptions(torch::kSum)), (x - y).abs().sum()));
  EXPECT_TRUE(same(F::smooth_l1_loss(x, y), torch::smooth_l1_loss(x, y)));
  EXPECT_TRUE(same(F::huber_loss(x, y, F::HuberLossFuncOptions().reduction(torch::kSum).delta(0.5)), torch::huber_loss(x, y, 2, 0.5)));
  EXPECT_TRUE(same(F::nll_loss(torch::log_softmax(x, 1), target), F::cross_entropy(x, target)));
  EXPECT_TRUE(same(F::nll_loss(torch::log_softmax(x, 1), target, F::NLLLossFuncOptions().ignore_index(-100).reduction(torch::kMean)),
                   F::cross_entropy(x, target, F::CrossEntropyFuncOptions().ignore_index(-100).reduction(torch::kMean))));
  EXPECT_EQ(F::cross_entropy(x, target, F::CrossEntropyFuncOptions().reduction(torch::kNone)).sizes(), (Dims{4}));
  EXPECT_TRUE(same(F::cross_entropy(x, target, F::CrossEntropyFuncOptions().weight(torch::ones({5})).label_smoothing(0.1)),
                   torch::cross_entropy_loss(x, target, {}, 1, -100, 0.1)));
  const Tensor p = x.sigmoid(), q = y.sigmoid();
  EXPECT_TRUE(
      same(F::binary_cross_entropy(p, q, F::BinaryCrossEntropyFuncOptions().weight(torch::ones({5}))), F::binary_cross_entropy(p, q)));
  EXPECT_TRUE(same(F::binary_cross_entropy_with_logits(x, q, F::BinaryCrossEntropyWithLogitsFuncOptions().pos_weight(torch::ones({5}))),
                   F::binary_cross_entropy(p, q)));
  EXPECT_TRUE(same(F::kl_div(p.log(), q, F::KLDivFuncOptions(torch::kBatchMean)), (q * (q.log() - p.log())).sum() / 4));
  const Tensor sign = torch::tensor(std::vector<double>{1, -1, 1, -1}).to(torch::kFloat);
  EXPECT_EQ(F::cosine_embedding_loss(x, y, sign, F::CosineEmbeddingLossFuncOptions().margin(0.5)).dim(), 0);
  EXPECT_EQ(
      F::margin_ranking_loss(x[0], y[0], torch::ones({5}), F::MarginRankingLossFuncOptions().margin(0.5).reduction(torch::kSum)).dim(), 0);
  EXPECT_EQ(F::hinge_embedding_loss(x, x.sign(), F::HingeEmbeddingLossFuncOptions().margin(2)).dim(), 0);
  EXPECT_EQ(F::multi_margin_loss(x, target, F::MultiMarginLossFuncOptions().p(2)).dim(), 0);
  EXPECT_EQ(F::multilabel_margin_loss(x, torch::zeros({4, 5}, torch::kLong)).dim(), 0);
  EXPECT_EQ(F::multilabel_soft_margin_loss(x, q, F::MultilabelSoftMarginLossFuncOptions().weight(torch::ones({5}))).dim(), 0);
  EXPECT_TRUE(same(F::soft_margin_loss(x, torch::ones({4, 5})), F::softplus(-x).mean()));
  EXPECT_EQ(F::triplet_margin_loss(x, y, y, F::TripletMarginLossFuncOptions().margin(1.0)).dim(), 0);
  EXPECT_TRUE(same(F::poisson_nll_loss(x, q, F::PoissonNLLLossFuncOptions().reduction(torch::kNone)), x.exp() - q * x));
  EXPECT_EQ(F::gaussian_nll_loss(x, y, torch::ones({4, 5})).dim(), 0);
  EXPECT_EQ(F::ctc_loss(torch::log_softmax(grid({6, 2, 5}), 2), torch::ones({2, 3}, torch::kLong), torch::full({2}, int64_t{6}),
                        torch::full({2}, int64_t{3}), F::CTCLossFuncOptions().reduction(torch::kSum))
                .dim(),
            0);
}

TEST(NnFunctional, LayersOfTensors) {
  const Tensor x = grid({2, 4, 6, 6}), w = grid({8, 4, 3, 3}), b = grid({8});
  EXPECT_TRUE(same(F::conv2d(x, w, F::Conv2dFuncOptions().bias(b).stride(2).padding(1)), torch::conv2d(x, w, b, 2, 1)));
  EXPECT_TRUE(same(F::conv2d(x, w, F::Conv2dFuncOptions().padding(torch::kSame)), torch::conv2d(x, w, {}, 1, 1)));
  EXPECT_TRUE(same(F::conv_transpose2d(x, grid({4, 8, 3, 3}), F::ConvTranspose2dFuncOptions().stride(2)),
                   torch::conv_transpose2d(x, grid({4, 8, 3, 3}), {}, 2)));
  EXPECT_TRUE(same(F::linear(grid({2, 4}), grid({3, 4}), grid({3})), torch::linear(grid({2, 4}), grid({3, 4}), grid({3}))));
  EXPECT_TRUE(same(F::layer_norm(x, F::LayerNormFuncOptions({6, 6}).eps(2e-5)), torch::layer_norm(x, {6, 6}, {}, {}, 2e-5)));
  EXPECT_TRUE(same(F::group_norm(x, F::GroupNormFuncOptions(2).eps(2e-5)), torch::group_norm(x, 2, {}, {}, 2e-5)));
  const Tensor mean = torch::zeros({4}), variance = torch::ones({4});
  EXPECT_TRUE(same(F::batch_norm(x, mean, variance, F::BatchNormFuncOptions().weight(torch::full({4}, 2.0)).training(false)),
                   torch::batch_norm(x, torch::full({4}, 2.0), {}, mean, variance, false, 0.1, 1e-5, false)));
  EXPECT_TRUE(same(F::batch_norm(x, mean, variance), x / std::sqrt(1.0 + 1e-5)));
  EXPECT_EQ(F::instance_norm(x, F::InstanceNormFuncOptions().eps(1e-5)).sizes(), x.sizes());
  EXPECT_EQ(F::local_response_norm(x, F::LocalResponseNormFuncOptions(2)).sizes(), x.sizes());
  EXPECT_TRUE(same(F::normalize(x, F::NormalizeFuncOptions().p(1).dim(-1)), x / x.abs().sum(-1, true).clamp_min(1e-12)));
  const Tensor table = grid({10, 3}), rows = torch::tensor(std::vector<int64_t>{1, 2, 5, 4});
  EXPECT_TRUE(same(F::embedding(rows, table), table.index_select(0, rows)));
  EXPECT_TRUE(same(F::embedding(rows, table, F::EmbeddingFuncOptions().padding_idx(0)), table.index_select(0, rows)));
  EXPECT_TRUE(same(F::embedding_bag(rows.view({2, 2}), table, F::EmbeddingBagFuncOptions().mode(torch::kSum)),
                   table.index_select(0, rows).view({2, 2, 3}).sum(1)));
  EXPECT_TRUE(same(F::bilinear(grid({2, 3}), grid({2, 4}), grid({5, 3, 4})), torch::bilinear(grid({2, 3}), grid({2, 4}), grid({5, 3, 4}))));
}

TEST(NnFunctional, ImagesAndSequences) {
  const Tensor x = grid({1, 1, 4, 4});
  EXPECT_EQ(F::interpolate(x, F::InterpolateFuncOptions().size(Dims{8, 8}).mode(torch::kNearest)).sizes(), (Dims{1, 1, 8, 8}));
  EXPECT_TRUE(same(
      F::interpolate(x, F::InterpolateFuncOptions().scale_factor(std::vector<double>{2, 2}).mode(torch::kBilinear).align_corners(true)),
      F::interpolate(x, F::InterpolateFuncOptions().size({8, 8}).mode(torch::kBilinear).align_corners(true))));
  EXPECT_EQ(F::interpolate(x, F::InterpolateFuncOptions().scale_factor({0.5, 0.5}).mode(torch::kArea)).sizes(), (Dims{1, 1, 2, 2}));
  EXPECT_TRUE(same(F::pad(x, F::PadFuncOptions({1, 2, 2, 0}).mode(torch::kReplicate)), torch::pad(x, {1, 2, 2, 0}, "replicate")));
  EXPECT_TRUE(same(F::pad(x, {1, 1}), torch::pad(x, {1, 1})));
  EXPECT_TRUE(same(F::pad(x, F::PadFuncOptions({1, 1}).value(5)), torch::pad(x, {1, 1}, "constant", 5)));
  const Tensor theta = torch::eye(2, 3).unsqueeze(0);
  const Tensor at = F::affine_grid(theta, Dims{1, 1, 4, 4}, true);
  EXPECT_TRUE(
      same(F::grid_sample(x, at, F::GridSampleFuncOptions().mode(torch::kBilinear).padding_mode(torch::kZeros).align_corners(true)), x));
  EXPECT_TRUE(same(F::fold(F::unfold(x, F::UnfoldFuncOptions({2, 2}).stride(2)), F::FoldFuncOptions({4, 4}, {2, 2}).stride(2)), x));
  EXPECT_TRUE(same(F::pixel_shuffle(grid({1, 4, 2, 2}), F::PixelShuffleFuncOptions(2)), torch::pixel_shuffle(grid({1, 4, 2, 2}), 2)));
  EXPECT_EQ(F::one_hot(torch::arange(3), 4).sizes(), (Dims{3, 4}));
  EXPECT_TRUE(same(F::cosine_similarity(grid({2, 3}), grid({2, 3}), F::CosineSimilarityFuncOptions().dim(1)), torch::ones({2})));
  EXPECT_EQ(F::pairwise_distance(grid({2, 3}), grid({2, 3}), F::PairwiseDistanceFuncOptions().p(1)).sizes(), (Dims{2}));
}

TEST(NnFunctional, Dropouts) {
  const Tensor x = torch::ones({1000});
  torch::manual_seed(1);
  const Tensor kept = F::dropout(x, F::DropoutFuncOptions().p(0.5));
  EXPECT_GT((kept == 0).sum().item<int64_t>(), 300);
  EXPECT_TRUE(same(F::dropout(x, F::DropoutFuncOptions().p(0.5).training(false)), x));
  EXPECT_TRUE(same(F::dropout(x, 0.5, false), x));
  EXPECT_GT((F::dropout(x) == 0).sum().item<int64_t>(), 300);
  EXPECT_TRUE(same(F::dropout2d(torch::ones({2, 3, 4, 4}), F::Dropout2dFuncOptions().p(0.5).training(false)), torch::ones({2, 3, 4, 4})));
  EXPECT_TRUE(same(F::alpha_dropout(x, F::AlphaDropoutFuncOptions().p(0.5).training(false)), x));
  EXPECT_TRUE(same(F::feature_alpha_dropout(torch::ones({2, 3, 4}), F::FeatureAlphaDropoutFuncOptions().p(0.5)), torch::ones({2, 3, 4})));
}

TEST(NnFunctional, GradientsGoThrough) {
  Tensor x = grid({2, 3}).requires_grad_();
  F::mse_loss(F::normalize(x), torch::zeros({2, 3}), F::MSELossFuncOptions().reduction(torch::kSum)).backward();
  EXPECT_TRUE(x.grad().defined());
  const torch::Graph g = torch::capture([](Tensor v) { return F::normalize(v, F::NormalizeFuncOptions().p(2).dim(0)); }, {grid({2, 3})});
  EXPECT_TRUE(same(g({grid({4, 3})}), F::normalize(grid({4, 3}), F::NormalizeFuncOptions().p(2).dim(0))));
}

TEST(NnFunctional, ErrorsAreThoseOfPython) {
  const auto said = [](const auto& f) -> std::string {
    try {
      f();
    } catch (const torch::Exception& e) {
      return e.what();
    }
    return "";
  };
  const Tensor x = grid({1, 1, 4, 4});
  EXPECT_NE(said([&] { F::interpolate(x, F::InterpolateFuncOptions().mode("bilinear")); }).find("size or scale_factor"), std::string::npos);
  EXPECT_NE(said([&] { F::max_pool2d(x, F::MaxPool2dFuncOptions(2).alpha(1)); }).find("unexpected keyword argument 'alpha'"),
            std::string::npos);
  EXPECT_NE(said([&] { F::call("no_such", {x}); }).find("has no function 'no_such'"), std::string::npos);
  EXPECT_NE(said([&] { F::mse_loss(x, x, F::MSELossFuncOptions().reduction("product")); }).find("product"), std::string::npos);
}

}  // namespace
