// What a detector gives becomes boxes: thresholds, sorting, suppression of what overlaps.
#include <torch/script.h>
#include <torch/torch.h>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <tuple>
#include <vector>

using torch::indexing::None;
using torch::indexing::Slice;

enum Det { tl_x = 0, tl_y = 1, br_x = 2, br_y = 3, score = 4, class_idx = 5 };

struct Detection {
  float x1, y1, x2, y2, score;
  int class_id;
};

torch::Tensor xywh_to_xyxy(const torch::Tensor& x) {
  auto y = torch::zeros_like(x);
  y.select(1, Det::tl_x) = x.select(1, 0) - x.select(1, 2).div(2);
  y.select(1, Det::tl_y) = x.select(1, 1) - x.select(1, 3).div(2);
  y.select(1, Det::br_x) = x.select(1, 0) + x.select(1, 2) / 2;
  y.index_put_({Slice(), 3}, x.index({Slice(), 1}) + x.index({Slice(), 3}).div(2));
  return y;
}

torch::Tensor iou(const torch::Tensor& a, const torch::Tensor& b) {
  auto area_a = (a.select(1, 2) - a.select(1, 0)) * (a.select(1, 3) - a.select(1, 1));
  auto area_b = (b.select(1, 2) - b.select(1, 0)) * (b.select(1, 3) - b.select(1, 1));
  auto lt = torch::max(a.index({Slice(), None, Slice(None, 2)}), b.index({Slice(), Slice(None, 2)}));
  auto rb = torch::min(a.index({Slice(), None, Slice(2, 4)}), b.index({Slice(), Slice(2, 4)}));
  auto wh = (rb - lt).clamp(0);
  auto inter = wh.index({Slice(), Slice(), 0}) * wh.index({Slice(), Slice(), 1});
  return inter / (area_a.unsqueeze(1) + area_b - inter);
}

std::vector<int64_t> nms(const torch::Tensor& boxes, const torch::Tensor& scores, float threshold) {
  auto order = std::get<1>(scores.sort(0, /*descending=*/true));
  std::vector<int64_t> keep;
  while (order.numel() > 0) {
    int64_t i = order[0].item<int64_t>();
    keep.push_back(i);
    if (order.numel() == 1) break;
    auto rest = order.slice(0, 1);
    auto overlap = iou(boxes.index({i}).unsqueeze(0), boxes.index_select(0, rest)).squeeze(0);
    order = rest.index({overlap <= threshold});
  }
  return keep;
}

std::vector<std::vector<Detection>> post_process(const torch::Tensor& detections, float confidence, float iou_threshold) {
  constexpr int item_attr_size = 5;
  int batch_size = detections.size(0);
  auto num_classes = detections.size(2) - item_attr_size;
  auto conf_mask = detections.select(2, 4).ge(confidence).unsqueeze(2);
  std::vector<std::vector<Detection>> output;
  output.reserve(batch_size);
  for (int batch_i = 0; batch_i < batch_size; batch_i++) {
    auto det = torch::masked_select(detections[batch_i], conf_mask[batch_i]).view({-1, num_classes + item_attr_size});
    if (0 == det.size(0)) {
      output.emplace_back();
      continue;
    }
    det.slice(1, item_attr_size, item_attr_size + num_classes) *= det.select(1, 4).unsqueeze(1);
    torch::Tensor box = xywh_to_xyxy(det.slice(1, 0, 4));
    std::tuple<torch::Tensor, torch::Tensor> max_classes = torch::max(det.slice(1, item_attr_size, item_attr_size + num_classes), 1);
    auto max_conf_score = std::get<0>(max_classes);
    auto max_conf_index = std::get<1>(max_classes);
    max_conf_score = max_conf_score.to(torch::kFloat).unsqueeze(1);
    max_conf_index = max_conf_index.to(torch::kFloat).unsqueeze(1);
    det = torch::cat({box.slice(1, 0, 4), max_conf_score, max_conf_index}, 1);
    auto shifted = det.slice(1, 0, 4) + det.slice(1, 5, 6) * 4096;
    std::vector<Detection> found;
    const auto& det_a = det.accessor<float, 2>();
    for (int64_t k : nms(shifted, det.select(1, 4), iou_threshold))
      found.push_back({det_a[k][Det::tl_x], det_a[k][Det::tl_y], det_a[k][Det::br_x], det_a[k][Det::br_y], det_a[k][Det::score],
                       static_cast<int>(det_a[k][Det::class_idx])});
    output.push_back(found);
  }
  return output;
}

int main() {
  torch::NoGradGuard guard;
  torch::manual_seed(5);
  auto rows = torch::rand({2, 60, 8});
  rows.slice(2, 0, 2) *= 40;
  rows.slice(2, 2, 4) = rows.slice(2, 2, 4) * 20 + 8;
  rows[1].select(1, 4).fill_(0.1);
  for (const auto& image : post_process(rows, 0.4f, 0.5f)) {
    std::cout << image.size() << " boxes\n" << std::fixed << std::setprecision(3);
    for (size_t k = 0; k < std::min<size_t>(image.size(), 3); ++k)
      std::cout << image[k].x1 << " " << image[k].y1 << " " << image[k].x2 << " " << image[k].y2 << " " << image[k].score << " "
                << image[k].class_id << "\n";
  }
  auto flags = rows[0].select(1, 4) > 0.9;
  auto where = torch::nonzero(flags).squeeze(-1);
  std::cout << where << "\n"
            << flags.sum().item<int>() << " " << torch::any(flags).item<bool>() << " " << flags.all().item().toBool() << "\n";
  torch::Tensor ids = torch::arange(0, 10, torch::kLong).masked_fill_(torch::arange(10) > 6, -1);
  std::cout << ids << "\n" << torch::where(ids < 0, torch::zeros_like(ids), ids).unbind(0).size() << "\n";
  auto table = torch::empty({0, 6}, torch::kFloat32);
  std::cout << table.sizes() << " " << (table.numel() == 0) << " " << std::get<0>(torch::sort(ids, -1, true))[0].item<long>() << "\n";
  auto unique = std::get<0>(at::_unique2(ids, true, false, false));
  std::cout << unique.size(0) << " " << torch::argsort(ids)[0].item<int>() << " " << ids.gather(0, torch::tensor({3, 4})) << "\n";
}
