// Steps of the tape that a program writes itself: torch.autograd.Function.
#pragma once

#include "autograd/engine.h"

namespace monograph {

// A step between the tensors that a function got and those that it gave.
class CustomBackward : public GradNode {
 public:
  explicit CustomBackward(std::span<const Tensor> tensors);
  // From the gradients of the results to one for each of the tensors, undefined where there is none.
  virtual std::vector<Tensor> backward(std::vector<Tensor> grads) = 0;

  std::vector<Tensor> apply(std::vector<Tensor> grads) final;
  // The next result. Where no gradient flows to it, it only counts.
  void add_result(const Tensor& t);
  // The next result, which is no tensor.
  void skip_result();
  // The next result, which requires grad by this node.
  void set_result(const Tensor& t);
  // The next result, which is input k and was written.
  void set_written(const Tensor& t, size_t k);
  // A saved result, as result `slot` of this node.
  Tensor linked(const Tensor& saved, uint32_t slot);

  bool materialize = true;  // `backward` gets zeros for gradients that are undefined

 private:
  void check_size(const Tensor& g, size_t i) const;
  std::vector<Tensor> tensors_, results_;  // sizes and dtypes
};

}  // namespace monograph
