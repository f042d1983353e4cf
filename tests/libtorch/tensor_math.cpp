// Functions that take and make tensors, spelled torch:: and at::, with options, lists and references to arrays.
#include <ATen/ATen.h>
#include <torch/torch.h>

#include <array>
#include <iostream>
#include <vector>

torch::Tensor filled(at::IntArrayRef sizes, const at::TensorOptions& options, c10::optional<double> value = c10::nullopt) {
  return value.has_value() ? torch::full(sizes, *value, options) : torch::zeros(sizes, options);
}
int64_t product(torch::IntArrayRef sizes) {
  int64_t out = 1;
  for (auto s : sizes) out *= s;
  return out;
}
at::Tensor joined(at::TensorList tensors) {
  int64_t rows = 0;
  for (const auto& t : tensors) rows += t.size(0);
  std::cout << tensors.size() << " tensors, " << rows << " rows\n";
  return at::cat(tensors, 0);
}
template <typename scalar_t>
void double_in_place(scalar_t* data, int64_t n) {
  for (int64_t i = 0; i < n; i++) data[i] *= 2;
}
const char* name_of(at::ScalarType type) {
  switch (type) {
    case at::ScalarType::Float: return "float";
    case at::kLong: return "long";
    case torch::kUInt8: return "byte";
    default: return "other";
  }
}

int main() {
  torch::manual_seed(0);
  auto options = torch::TensorOptions().dtype(torch::kFloat32).layout(torch::kStrided).device(torch::kCPU).requires_grad(false);
  auto a = filled({2, 3}, options, 1.5), b = filled(a.sizes(), a.options());
  std::cout << a << b.sizes() << product(a.sizes()) << " " << product({4, 5}) << "\n";
  std::cout << joined({a, b}).sizes() << joined(std::vector<at::Tensor>{a, b, a}).sizes() << "\n";
  std::cout << torch::zeros(3) << torch::ones(2, torch::kInt) << torch::randn({2, 2}) << torch::rand(2) << "\n";
  std::cout << torch::randint(10, {4}) << torch::randint(/*low=*/3, /*high=*/5, {2, 2}) << torch::randperm(5) << "\n";
  std::cout << torch::eye(2) << torch::arange(4) << torch::arange(1, 7, 2) << torch::linspace(0, 1, 5) << torch::empty({2, 0}).sizes()
            << "\n";
  std::cout << at::softmax(a, 1)[0] << at::mm(a, a.t()) << at::stack({a, b}, 1).sizes() << at::where(a > 1, a, b)[0] << "\n";
  std::cout << (a + b * 2 - 1).sum() << (a / 2).mean() << (-a).abs().sqrt()[0][0].item<float>() << (2 - a)[0][0].item<float>() << "\n";
  a += 1;
  a *= b + 2;
  a -= b;
  a /= 2;
  std::cout << a << "\n" << (a == a).all().item<bool>() << (a != b).any().item<bool>() << ((a > 1) & (b < 1)).sum().item<int>() << "\n";
  std::array<int64_t, 2> shape{3, 2};
  std::vector<int64_t> sizes = a.sizes().vec();
  std::cout << a.view(shape).sizes() << a.reshape({-1}).sizes() << a.view(sizes).sizes() << (a.sizes() == b.sizes()) << a.sizes().size()
            << a.sizes()[1] << a.sizes().back() << a.sizes().equals({2, 3}) << "\n";
  std::cout << a.ndimension() << a.itemsize() << a.nbytes() << a.storage_offset() << a.is_sparse() << a.is_floating_point() << " "
            << a.strides() << "\n";
  double_in_place(a.data_ptr<float>(), a.numel());
  double_in_place(a.mutable_data_ptr<float>(), a.numel());
  std::cout << a.const_data_ptr<float>()[0] << " " << name_of(a.scalar_type()) << name_of(torch::kLong) << " "
            << (a.dtype() == torch::kFloat32) << (a.dtype() == at::kDouble) << " " << torch::elementSize(torch::kDouble) << " "
            << torch::toString(torch::kHalf) << " " << (torch::typeMetaToScalarType(a.dtype()) == torch::kFloat) << "\n";
  std::cout << a.transpose(0, 1).is_contiguous() << a.t().contiguous().is_contiguous() << a.device() << a.device().type() << a.is_cpu()
            << a.is_same(a) << "\n";
  auto c = a.to(torch::kDouble), d = a.to(at::device(at::kCPU).dtype(at::kLong)), e = a.toType(torch::kInt), f = a.to(c), g = a.type_as(d);
  std::cout << torch::toString(c.scalar_type()) << torch::toString(d.scalar_type()) << torch::toString(e.scalar_type())
            << torch::toString(f.scalar_type()) << torch::toString(g.scalar_type()) << "\n";
  auto parts = torch::chunk(torch::arange(6), 3), pieces = torch::split(torch::arange(7), 3),
       cut = torch::arange(6).split_with_sizes({1, 5});
  std::cout << parts.size() << pieces.back().sizes() << cut[1].sizes() << torch::unbind(torch::eye(3)).size() << "\n";
  std::cout << torch::einsum("ij,jk->ik", {torch::eye(2), torch::ones({2, 2})}) << torch::tensordot(a, a, {0, 1}, {0, 1}) << "\n";
  std::cout << torch::linalg_norm(torch::ones({4})) << torch::linalg_norm(torch::ones({9})) << torch::norm(torch::ones({16})).item<float>()
            << "\n";
  std::cout << torch::fft::fft(torch::ones({4})).sizes() << torch::special::expit(torch::zeros({1})) << at::relu(-torch::ones({1})) << "\n";
  auto t = torch::tensor({{1, 2}, {3, 4}}, torch::dtype(torch::kFloat64).requires_grad(true));
  auto u = torch::tensor(std::vector<int>{1, 2, 3}), v = torch::tensor({1.5f, 2.5f}), w = torch::tensor(7), s = torch::scalar_tensor(2.5);
  std::cout << t.requires_grad() << torch::toString(u.scalar_type()) << torch::toString(v.scalar_type()) << w.dim() << s << "\n";
  auto moved = std::move(u);
  torch::Tensor target = torch::empty_like(a);
  target.copy_(a);
  target.zero_();
  target.fill_(3);
  target.select(1, 0) = 9;
  target[1] = torch::tensor({7.0f, 8.0f, 9.0f});
  target.narrow(1, 1, 1).add_(100);
  std::cout << target << target.sum({0, 1}) << target.sum(0, /*keepdim=*/true).sizes() << target.max().item<float>() << target.std().sizes()
            << "\n";
  torch::Scalar number = target[0][0].item();
  std::cout << number.toFloat() << number.isFloatingPoint() << at::Scalar(3).toLong() << "\n";
  target.print();
  std::cout << torch::cat({torch::zeros(1), torch::ones(2)}).sizes() << torch::toString(a.new_zeros({2}).scalar_type())
            << a.new_empty(3).sizes() << a.expand({4, 2, 3}).sizes() << a.repeat({2, 1}).sizes()
            << a.unsqueeze(0).expand_as(torch::ones({5, 2, 3})).sizes() << "\n";
  std::cout << c10::ArrayRef<int64_t>(sizes).slice(1) << at::IntArrayRef({1, 2, 3}) << c10::makeArrayRef(sizes).front() << "\n";
  std::cout << torch::nn::functional::softmax(a, torch::nn::functional::SoftmaxFuncOptions(1)).sizes()
            << torch::bmm(torch::ones({1, 2, 3}), torch::ones({1, 3, 1})).squeeze() << torch::matmul(a, a.transpose(-2, -1)).trace()
            << torch::outer(a[0], a[0]).sizes() << torch::cumsum(a, 1).sizes() << "\n";
}
