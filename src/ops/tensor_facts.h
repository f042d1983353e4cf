// What programs ask of a tensor beside its elements (families/properties.cpp), where other layers take part in the answer.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/ivalue.h"
#include "ops/record.h"

namespace monograph {

// What a tensor says of its gradient. Autograd sets these.
struct GradientFacts {
  bool (*is_leaf)(const Tensor& t) = nullptr;
  bool (*retains_grad)(const Tensor& t) = nullptr;
  Tensor (*grad)(const Tensor& t) = nullptr;  // undefined where there is none
  void (*set_requires_grad)(const Tensor& t, bool requires_grad) = nullptr;
  void (*retain_grad)(const Tensor& t) = nullptr;
  void (*detach)(const Tensor& t) = nullptr;  // in place
  // backward() and gradients() of autograd/engine.h.
  void (*backward)(std::span<const Tensor> roots, std::span<const Tensor> grads, bool retain_graph, bool create_graph) = nullptr;
  std::vector<Tensor> (*gradients)(std::span<const Tensor> roots, std::span<const Tensor> grads, std::span<const Tensor> inputs,
                                   bool retain_graph, bool create_graph, bool allow_unused) = nullptr;
};
GradientFacts& gradient_facts();

// requires_grad_(self, requires_grad): writes what the tensor says of its gradient, and no elements.
void change_requires_grad(const Operator& op, const IValue* args, IValue* results);

// The result of an operator that gives the same for all tensors of Monograph, and something else for some of PyTorch's: x.is_sparse is False. None for
// other operators.
IValue same_for_all_tensors(const Operator& op);

// The place of a dim among a tensor's sizes. Error (Index) if it has no such dim; a tensor without dims has none, though reductions take its dim 0.
size_t place_of_dim(const Tensor& t, int64_t dim);

// torch.layout: PyTorch's number of the layout of this name, such as "sparse_coo". All tensors of Monograph are strided, which has the number 0; a program
// may compare with the others.
inline constexpr int kLayoutCount = 8;
std::string_view layout_name(int number);
std::optional<int> layout_number(std::string_view name);

}  // namespace monograph
