// Reverse-mode differentiation on a tape: each recorded call leaves a GradNode, and backward() runs them from the last to the first.
// The rules are those of the operator records, written in public operators, so gradients can themselves be recorded.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ops/record.h"

namespace monograph {

class GradNode;

// Where a gradient flows: input `slot` of a node.
struct GradEdge {
  Ref<GradNode> node;
  uint32_t slot = 0;
};

// The backward step of one call.
class GradNode : public RefCounted {
 public:
  GradNode();
  ~GradNode() override;
  // From the gradients of the call's results (undefined ones are zero) to those of `next`, in order.
  virtual std::vector<Tensor> apply(std::vector<Tensor> grads) = 0;
  virtual std::string name() const = 0;  // "MulBackward0"
  // Drops what was saved; a second backward is then an error.
  virtual void release_saved() {}

  std::vector<GradEdge> next;
  uint32_t inputs = 1;  // gradients that apply takes
  const uint64_t sequence;  // of creation: later calls run first
  using Hook = std::function<void(std::vector<Tensor>& grads)>;
  std::vector<Hook> pre_hooks;
  std::vector<Hook> retain_hooks;  // keep a gradient as the hooks before have left it
};

// What autograd keeps for a tensor.
struct GradMeta : AutogradMeta {
  Ref<GradNode> grad_fn;              // null for leaves
  uint32_t slot = 0;                  // which result of it
  Tensor grad;
  GradNode* accumulator = nullptr;    // of a leaf; weak, the edges hold it
  std::shared_ptr<Tensor> retained;   // where backward leaves the gradient of a tensor that is no leaf (retain_grad)
  uint64_t rebases = 0;               // of a base: writes through it or its views that gradients know of
  uint64_t seen_rebases = 0;          // of a view: those of its base that its grad_fn knows
  using Hook = std::function<Tensor(const Tensor&)>;  // an undefined result leaves the gradient as it is
  std::shared_ptr<std::vector<Hook>> hooks;
};
GradMeta& grad_meta(const Tensor& t);             // made at first use
const GradMeta* find_grad_meta(const Tensor& t);  // null where there is none

// Makes calls with arguments that require grad record themselves; called once at start-up.
void install_autograd();
bool backward_is_running();  // on this thread

bool is_leaf(const Tensor& t);
Ref<GradNode> grad_fn(const Tensor& t);
// Error (Runtime) in PyTorch's words for integers and for non-leaves.
void set_requires_grad(const Tensor& t, bool requires_grad);
// For captures: is told of each change, before it.
extern void (*requires_grad_hook)(const Tensor& t, bool requires_grad);
// Makes t the result `slot` of a node (a custom Function's output).
void set_history(const Tensor& t, Ref<GradNode> node, uint32_t slot);
GradEdge gradient_edge(const Tensor& t);
// Runs `hook` on the gradient of t whenever one is computed; the place by which it can be taken away.
size_t add_hook(const Tensor& t, GradMeta::Hook hook);
void remove_hook(const Tensor& t, size_t place);
// Keeps .grad of a tensor that is no leaf.
void retain_grad(const Tensor& t);
// Turns t into a leaf without history.
void detach_in_place(const Tensor& t);

struct BackwardOptions {
  bool retain_graph = false;
  bool create_graph = false;
};
// Accumulates into .grad of the leaves that `roots` depend on, or only of `inputs`, leaves or not, where given. An undefined gradient of a root of one
// element is 1.
void backward(std::span<const Tensor> roots, std::span<const Tensor> grads, BackwardOptions options, std::span<const Tensor> inputs = {});
// The gradients of `inputs`; undefined where a root does not depend on one (an error unless allow_unused).
std::vector<Tensor> gradients(std::span<const Tensor> roots, std::span<const Tensor> grads, std::span<const Tensor> inputs,
                              BackwardOptions options, bool allow_unused);

}  // namespace monograph
