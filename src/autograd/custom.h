// Nodes of the tape whose backward step a program writes: torch.autograd.Function.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "autograd/engine.h"

namespace monograph {

// The node of one call of such a function, with an edge for each tensor that the function got. Its results are added in their order.
class CustomBackward : public GradNode {
 public:
  explicit CustomBackward(std::span<const Tensor> tensors);
  // Takes the gradients of the results and returns one for each tensor that the function got; undefined where there is none.
  virtual std::vector<Tensor> backward(std::vector<Tensor> grads) = 0;

  std::vector<Tensor> apply(std::vector<Tensor> grads) final;
  // The next result is a tensor without a gradient.
  void add_result(const Tensor& t);
  // The next result is no tensor.
  void skip_result();
  // The next result is t, which gets this node as its history.
  void set_result(const Tensor& t);
  // The next result is t, which is input k, written in place.
  void set_written(const Tensor& t, size_t k);
  // A saved result with its history: result `slot` of this node.
  Tensor linked(const Tensor& saved, uint32_t slot);

  // A meta tensor with the sizes and dtype of a result; undefined for what is no tensor.
  Tensor result_like(uint32_t slot) const { return slot < results_like_.size() ? results_like_[slot] : Tensor(); }

  bool materialize = true;  // undefined gradients are passed to `backward` as zeros

 private:
  void check_size(const Tensor& g, size_t i) const;
  void check_parts(const Tensor& g, size_t i) const;
  std::vector<Tensor> inputs_like_, results_like_;  // meta tensors with the sizes and dtypes of inputs and results
};

// What a capture is told of a result of such a function.
struct FunctionResult {
  const Tensor& result;
  std::span<const Tensor> inputs;  // the tensors that the function got
  std::span<const Tensor> others;  // its results, where `result` is made of several
  uint64_t begin = 0;  // the capture's graph had as many nodes before forward ran
  // From the gradient of the result to those of the inputs, undefined where there is none; empty where `reason` says why there is no gradient.
  std::function<std::vector<Tensor>(const Tensor& gradient)> backward;
  // The inputs that need a gradient, as backward has seen it; nothing where it has not asked.
  std::function<std::optional<std::vector<int64_t>>()> needs;
  std::string reason;
};
// Returns why there is no gradient of the result; "" where there is one.
extern std::string (*function_result_hook)(const FunctionResult& result);

}  // namespace monograph
