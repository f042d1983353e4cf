// Gradients through cond and while_loop in a trace.
//
// The example of a while_loop runs outside of the graph, and that of a cond runs only one arm. So the tape that autograd records there holds for the example
// only. Therefore the results get a backward node of their own. It differentiates the If or Loop to make nodes (passes/differentiate.h), and takes the
// example's gradients from the recorded tape.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "capture/writer.h"

namespace monograph::capture {

// Collects the tensors that the functions of one cond or while_loop use from outside. The writer reports each use to the innermost RegionUses.
class RegionUses {
 public:
  explicit RegionUses(Writer& writer);
  ~RegionUses();
  RegionUses(const RegionUses&) = delete;
  void add(const Tensor& t);
  const std::vector<Tensor>& tensors() const { return tensors_; }

 private:
  Writer& writer_;
  RegionUses* enclosing_;
  std::vector<Tensor> tensors_;
};

// The tensors that stand for the results of an If or Loop under trace. They have a backward node if a gradient may flow through them.
std::vector<Tensor> traced_results(Writer& writer, ir::Node* region, const std::vector<ir::Node*>& nodes,
                                   const std::vector<Tensor>& example, const RegionUses& uses);

// The values that the program gets for the results of an If or Loop. `example(k)` is the example's value of result k: a tensor, a number or a list.
std::vector<IValue> region_values(Writer& writer, ir::Node* region, const std::function<IValue(size_t)>& example, size_t count,
                                  const RegionUses& uses);

// Under a capture, the result of an If or Loop requires grad if it does so in one of its ways, and so does what is computed from it. These functions give
// what holds for the example.

// The bool of the graph that t.requires_grad is. Its hint holds for the example.
IValue asked_requires_grad(const Tensor& t);
// Whether t requires grad in every run as it does in this one. If not, what depends on it needs a guard.
bool requires_grad_in_every_run(const Tensor& t);
// At the end of a capture whose example is a call of the program: its results have the gradients of the example, and those that have none in it require none.
void end_gradients_as_example(std::span<const IValue> results);
// Raises an error if values decide whether a gradient of `inputs` is None, as behind a branch that uses an input in one way alone.
void check_which_are_none(std::span<const Tensor> roots, std::span<const Tensor> inputs);
// The leaves to which backward() of these roots gives a .grad in some runs alone.
std::vector<Tensor> leaves_without_gradient_elsewhere(std::span<const Tensor> roots);
// Behind that backward(). may_be_none() is true of their .grad from here on.
void note_gradients_that_may_be_none(std::span<const Tensor> leaves);
bool may_be_none(const Tensor& gradient);

}  // namespace monograph::capture
