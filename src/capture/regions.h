// Gradients of cond and while_loop in a trace.
//
// The example of a while_loop runs outside of the graph, that of a cond in one arm: what autograd noted there is the example's way, not the function's.
// So the results get a step of autograd of their own. Its backward pass makes nodes (passes/differentiate.h), and takes the example's values from
// what autograd noted.
#pragma once

#include <functional>
#include <vector>

#include "capture/writer.h"

namespace monograph::capture {

// Collects what the functions of one cond or while_loop use from outside of them; the innermost one of this thread is told.
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

// The handles that the results of an If or Loop have behind it under trace, with their step of autograd where a gradient may flow through them.
std::vector<Tensor> traced_results(Writer& writer, ir::Node* region, const std::vector<ir::Node*>& nodes,
                                   const std::vector<Tensor>& example, const RegionUses& uses);

// What the program gets for the results of an If or Loop. `example(k)` is the value of result k: a tensor, a number, or the value that a graph computed.
std::vector<IValue> region_values(Writer& writer, ir::Node* region, const std::function<IValue(size_t)>& example, size_t count,
                                  const RegionUses& uses);

}  // namespace monograph::capture
