// An image as OpenCV holds it becomes the input of a network, and a result becomes an image.
#include <torch/script.h>
#include <torch/torch.h>

#include <cstring>
#include <iostream>
#include <vector>

namespace F = torch::nn::functional;
using namespace torch::indexing;

struct Image {
  int rows, cols, channels;
  std::vector<uint8_t> pixels;
  uint8_t* data() { return pixels.data(); }
};

Image made(int rows, int cols) {
  Image image{rows, cols, 3, {}};
  for (int i = 0; i < rows * cols * 3; ++i) image.pixels.push_back(static_cast<uint8_t>((i * 37 + i / 7) % 251));
  return image;
}

torch::Tensor to_input(Image& image, const torch::Device& device) {
  torch::Tensor t = torch::from_blob(image.data(), {1, image.rows, image.cols, 3}, torch::kByte);
  t = t.permute({0, 3, 1, 2}).to(torch::kFloat).div(255);
  t = t.index({Slice(), torch::tensor({2, 1, 0})});  // BGR to RGB
  t[0][0] = t[0][0].sub_(0.485).div_(0.229);
  t[0][1] = t[0][1].sub_(0.456).div_(0.224);
  t[0][2] = t[0][2].sub_(0.406).div_(0.225);
  return t.contiguous().to(device);
}

torch::Tensor letterbox(torch::Tensor x, int64_t size) {
  const int64_t h = x.size(2), w = x.size(3);
  const double scale = std::min(size / static_cast<double>(h), size / static_cast<double>(w));
  auto resized = F::interpolate(x, F::InterpolateFuncOptions()
                                       .size(std::vector<int64_t>({static_cast<int64_t>(h * scale), static_cast<int64_t>(w * scale)}))
                                       .mode(torch::kBilinear)
                                       .align_corners(false));
  const int64_t right = size - resized.size(3), below = size - resized.size(2);
  return F::pad(resized, F::PadFuncOptions({0, right, 0, below}).mode(torch::kConstant).value(0.5));
}

Image to_image(const torch::Tensor& x) {
  auto t = x.detach().squeeze(0).permute({1, 2, 0}).mul(255).add_(0.5).clamp_(0, 255).to(torch::kU8).to(torch::kCPU).contiguous();
  Image out{static_cast<int>(t.sizes()[0]), static_cast<int>(t.size(1)), static_cast<int>(t.size(-1)), {}};
  out.pixels.resize(t.numel());
  std::memcpy(static_cast<void*>(out.data()), t.data_ptr(), sizeof(torch::kU8) * t.numel());
  return out;
}

int main() {
  torch::NoGradGuard no_grad;
  Image image = made(10, 14);
  torch::Tensor x = to_input(image, torch::kCPU);
  std::cout << x.sizes() << " " << torch::toString(x.scalar_type()) << "\n" << x.index({0, Slice(None, 2), 0, Slice(0, 4)}) << "\n";
  torch::Tensor boxed = letterbox(x, 16);
  std::cout << boxed.sizes() << " " << boxed.index({0, 0, -1, -1}).item<float>() << "\n";

  auto crop = x.index({0, Ellipsis, Slice(2, 8), Slice(None, None, 2)});
  std::cout << crop.sizes() << crop.is_contiguous() << "\n";
  auto mask = torch::zeros({10, 14}, torch::kBool);
  mask.index_put_({Slice(3, 6), Slice(4, 9)}, true);
  std::cout << mask.sum().item<int64_t>() << " " << x.index({0, 0}).masked_select(mask).sizes() << "\n";
  x.index_put_({0, 1}, torch::zeros({10, 14}));
  x.index_put_({Slice(), 2, mask}, 7.5);
  x.index({0, 0}).fill_(1);
  std::cout << x.index({0, Slice(), 4, Slice(3, 6)}) << "\n";
  torch::Tensor alpha = torch::full({1, 1, 10, 14}, 0.25, x.options());
  auto four = torch::cat({x, alpha}, 1);
  std::cout << four.sizes() << " " << four.mean({2, 3}) << "\n";

  Image back = to_image(torch::sigmoid(x));
  std::cout << back.rows << "x" << back.cols << " " << int(back.pixels[0]) << " " << int(back.pixels[1]) << "\n";

  // rows of floats that somebody else owns, with a stride, and memory that is given away
  std::vector<float> buffer(4 * 6);
  for (size_t i = 0; i < buffer.size(); ++i) buffer[i] = static_cast<float>(i);
  auto strided = torch::from_blob(buffer.data(), {4, 3}, {6, 2}, torch::TensorOptions().dtype(torch::kFloat32));
  std::cout << strided << "\n";
  int freed = 0;
  {
    auto owned = torch::from_blob(
        new float[3]{1, 2, 3}, {3},
        [&freed](void* p) {
          delete[] static_cast<float*>(p);
          ++freed;
        },
        torch::kFloat);
    std::cout << owned.sum().item<float>() << "\n";
  }
  std::cout << freed << "\n";
  torch::Tensor table = strided.contiguous();
  auto rows = table.accessor<float, 2>();
  float sum = 0;
  for (int i = 0; i < rows.size(0); i++)
    for (int j = 0; j < rows.size(1); j++) sum += rows[i][j];
  rows[0][0] = 100;
  std::cout << sum << " " << table[0][0].item<float>() << "\n";
  auto mean = torch::tensor({0.485, 0.456, 0.406}).view({3, 1, 1}), std = torch::tensor({0.229, 0.224, 0.225}).view({3, 1, 1});
  auto normalized = torch::rand({3, 4, 4}).sub_(mean).div_(std);
  std::cout << normalized.sizes() << normalized.flip({2}).sizes() << normalized.unsqueeze_(0).sizes() << "\n";
  auto half = normalized.to(torch::kHalf);
  std::cout << torch::toString(half.scalar_type()) << " " << half.element_size() << " "
            << half.to(torch::kFloat32).sub(normalized).abs().max().lt(0.01).item<bool>() << "\n";
  std::cout << torch::upsample_bilinear2d(x, {20, 28}, false).sizes() << torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1).sizes() << "\n";
}
