// Reverse-mode differentiation on a tape: each recorded call leaves a GradNode, and backward() runs them from the last to the first.
// The rules are those of the operator records, written in public operators, so gradients can themselves be recorded.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "ops/record.h"

namespace monograph {

class GradNode;

// The hooks of one version of a tensor, in the order of their registration. A write in place makes another version, which has hooks of its own.
class TensorHooks {
 public:
  // Undefined is no gradient: nothing flows to this tensor, but to another result of the same call. An undefined result leaves the gradient as it is.
  using Hook = std::function<Tensor(const Tensor&)>;
  uint64_t add(Hook hook);
  void remove(uint64_t id);
  // Runs those that are there at the start: a hook may add and remove some.
  void run(Tensor& gradient) const;
  std::vector<std::shared_ptr<const Hook>> all() const;

 private:
  struct Entry {
    uint64_t id;
    std::shared_ptr<const Hook> hook;
  };
  mutable std::mutex mutex_;  // backward() may run on another thread than registration
  uint64_t next_ = 0;
  std::vector<Entry> entries_;
};

// Where a gradient flows: input `slot` of a node.
struct GradEdge {
  Ref<GradNode> node;
  uint32_t slot = 0;
};

// The backward step of one call.
class GradNode : public RefCounted {
 public:
  GradNode();
  explicit GradNode(uint64_t sequence) : sequence(sequence) {}
  ~GradNode() override;
  // From the gradients of the call's results (undefined ones are zero) to those of `next`, in order.
  virtual std::vector<Tensor> apply(std::vector<Tensor> grads) = 0;
  virtual std::string name() const = 0;  // "MulBackward0"
  // Drops what was saved; a second backward is then an error.
  virtual void release_saved() {}

  std::vector<GradEdge> next;
  uint32_t inputs = 1;  // gradients that apply takes: one a result, or one an element of a list
  const uint64_t sequence;  // of creation: later calls run first
  // Calls f for each node that this one keeps alive, once for each reference.
  virtual void references(const std::function<void(const GradNode&)>& f) const;

  struct SlotHooks {
    uint32_t slot;
    std::shared_ptr<TensorHooks> hooks;
  };
  std::vector<SlotHooks> tensor_hooks;  // of the tensors that are this call's results
  struct Retained {
    uint32_t slot;
    std::shared_ptr<Tensor> gradient;  // as the hooks have left it
  };
  std::vector<Retained> retained;
  void* python = nullptr;  // the one Python object of this node, borrowed; cleared by it
};

// What autograd keeps for a tensor.
struct GradMeta : AutogradMeta {
  Ref<GradNode> grad_fn;  // null for leaves
  uint32_t slot = 0;  // which result of it
  Tensor grad;
  GradNode* accumulator = nullptr;  // of a leaf; weak, the edges hold it
  std::shared_ptr<Tensor> retained;  // where backward leaves the gradient of a tensor that is no leaf (retain_grad)
  uint64_t rebases = 0;  // of a base: writes through it or its views that gradients know of
  uint64_t seen_rebases = 0;  // of a view: those of its base that its grad_fn knows
  // Of a view: it is one of a list of views that one call gave, or a view of such a one. Nobody may write to what it shows.
  bool one_of_several = false;
  uint32_t seen_version = 0;  // of a view: that of its storage when it was made
  std::shared_ptr<TensorHooks> hooks;  // of the present version; for a non-leaf, grad_fn has them too
};
GradMeta& grad_meta(const Tensor& t);  // made at first use
const GradMeta* find_grad_meta(const Tensor& t);  // null where there is none

// Makes calls with arguments that require grad record themselves; called once at start-up.
void install_autograd();
bool backward_is_running();  // on this thread
// The gradients of a call whose operator has slopes (Operator::derived_gradient), in public operators; its result has this dtype.
void recorded_slopes(GradCall& call, DType result_dtype);

bool gives_list(const Operator& op);
// Whether a gradient on a graph goes through the operators that this one is made of: it has no gradient itself, or one of a list, whose length a graph
// need not know.
bool parts_have_gradients(const Operator& op);

bool is_leaf(const Tensor& t);
Ref<GradNode> grad_fn(const Tensor& t);
// Error (Runtime) in PyTorch's words for integers and for non-leaves.
void set_requires_grad(const Tensor& t, bool requires_grad);
// For captures: called before each change.
extern void (*requires_grad_hook)(const Tensor& t, bool requires_grad);
// Makes t the result `slot` of a node (a custom Function's output).
void set_history(const Tensor& t, Ref<GradNode> node, uint32_t slot);
GradEdge gradient_edge(const Tensor& t);
// A hook that can be removed. It keeps nothing alive.
struct HookHandle {
  std::weak_ptr<TensorHooks> hooks;
  uint64_t id;
  void remove() const;
};
// Runs `hook` on the gradient of the present version of t whenever one is computed.
HookHandle add_hook(const Tensor& t, TensorHooks::Hook hook);
// The hooks that only t keeps alive: its own, and those of the calls behind it to which nothing else leads. A garbage collector asks.
std::vector<std::shared_ptr<const TensorHooks::Hook>> owned_hooks(const Tensor& t);
// Drops t's hooks and history: t is garbage.
void drop_history(const Tensor& t);
// Keeps .grad of a tensor that is no leaf.
void retain_grad(const Tensor& t);
// Turns t into a leaf without history.
void detach_in_place(const Tensor& t);

struct BackwardOptions {
  bool retain_graph = false;
  bool create_graph = false;
  // The gradient of each input alone: what flows on from it, to what it was computed from, is left out.
  bool stop_at_inputs = false;
};
// Accumulates into .grad of the leaves that `roots` depend on, or only of `inputs`, leaves or not, where given. An undefined gradient of a root of one
// element is 1.
void backward(std::span<const Tensor> roots, std::span<const Tensor> grads, BackwardOptions options, std::span<const Tensor> inputs = {});
// The gradients of `inputs`; undefined where a root does not depend on one (an error unless allow_unused).
std::vector<Tensor> gradients(std::span<const Tensor> roots, std::span<const Tensor> grads, std::span<const Tensor> inputs,
                              BackwardOptions options, bool allow_unused);

}  // namespace monograph
