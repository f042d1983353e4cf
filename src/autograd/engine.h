// Reverse-mode differentiation on a tape: each recorded call leaves a GradNode, and backward() runs them from the last to the first.
// The rules are those of the operator records, written in public operators, so gradients can themselves be recorded.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "autograd/hooks.h"
#include "ops/record.h"

namespace monograph {

class GradNode;
struct SavedFact;

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
  // An operator that is made of others here and is one step in PyTorch gives the last step its name, which lives as long as the process. `shown` is what a
  // program sees of the step; null: the step itself.
  virtual void rename(const char* /*name*/, Ref<GradNode> /*shown*/) {}
  // While the rule runs with recording on, the saved results have this history instead of the node itself. A write into a view needs it: its result is then
  // a part of the base. An empty edge ends that.
  virtual void set_history_of_results(GradEdge) {}
  // Drops what was saved; a second backward is then an error.
  virtual void release_saved() {}

  // One edge for each tensor among the arguments; empty where the tensor needs no gradient.
  std::vector<GradEdge> next;
  uint32_t inputs = 1;  // how many gradients apply() takes: one for each result, or for each element of a list
  const uint64_t sequence;  // the number of the call; in backward, later calls run first
  // Calls f for each node that this one keeps alive, once for each reference.
  virtual void references(const std::function<void(const GradNode&)>& f) const;
  // Adds the Python objects that only this node keeps: what hooks gave for saved tensors.
  virtual void packed_objects(std::vector<void*>& /*objects*/) const {}

  // What a program sees: the edges and saved values that PyTorch's node has (grad_fn.next_functions, grad_fn._saved_self).
  virtual std::vector<GradEdge> shown_next() { return next; }
  virtual std::vector<const SavedFact*> shown_saved() { return {}; }
  virtual IValue saved_value(const SavedFact& /*fact*/) { return {}; }  // None where PyTorch saves nothing
  virtual void pack_value(const SavedFact& /*fact*/, const std::shared_ptr<const SavedTensorHooks>& /*hooks*/) {}
  // Why no hook can see the gradients of PyTorch's node; empty: one can.
  virtual std::string why_no_hooks() { return {}; }
  // The gradients of `next` in the order of shown_next(), and back.
  virtual std::vector<Tensor> as_shown(std::vector<Tensor> made) { return made; }
  virtual std::vector<Tensor> from_shown(std::vector<Tensor> shown) { return shown; }

  struct SlotHooks {
    uint32_t slot;
    std::shared_ptr<TensorHooks> hooks;
  };
  std::vector<SlotHooks> tensor_hooks;  // of the call's results
  struct Retained {
    uint32_t slot;
    std::shared_ptr<Tensor> gradient;  // after the hooks have run
  };
  std::vector<Retained> retained;
  // The Python object that the node owns: the context of an autograd.Function; null for other nodes.
  virtual void* context() const { return nullptr; }
  NodeHooks& hooks();  // made at first use
  const NodeHooks* find_hooks() const { return hooks_.get(); }
  void* python = nullptr;  // this node's Python object, not owned; the object clears the pointer when it dies

 private:
  std::unique_ptr<NodeHooks> hooks_;
};

// The autograd state of a tensor.
struct GradMeta : AutogradMeta {
  Ref<GradNode> grad_fn;  // null for leaves
  uint32_t slot = 0;  // the tensor is this result of grad_fn
  Tensor grad;
  GradNode* accumulator = nullptr;  // a leaf's AccumulateGrad node, not owned: the edges to it keep it alive
  std::shared_ptr<Tensor> retained;  // where backward stores the gradient of a tensor that is no leaf (retain_grad)
  uint64_t rebases = 0;  // a base: how many recorded writes, through itself or its views, have given it a new history
  uint64_t seen_rebases = 0;  // a view: the `rebases` of its base that its grad_fn accounts for
  // A view that one call returned in a list of views, or a view of such a view. In-place writes to its memory are an error.
  bool one_of_several = false;
  bool made_by_function = false;  // a view that an autograd.Function returned; in-place writes are an error here too
  bool frozen_view() const { return one_of_several || made_by_function; }
  uint32_t seen_version = 0;  // a view: the version of its storage when the view was made
  std::shared_ptr<TensorHooks> hooks;  // of the current version; for a non-leaf, grad_fn has them too
  std::shared_ptr<AccumulationHooks> after_accumulation;  // of a leaf
};
GradMeta& grad_meta(const Tensor& t);  // made at first use
const GradMeta* find_grad_meta(const Tensor& t);  // null where there is none

// torch.autograd.set_detect_anomaly. While enabled, `created` gets each new node, with the node whose backward step made it (null outside of backward), and
// `failed` gets a node whose step raised an error.
struct AnomalyMode {
  std::atomic<bool> enabled = false;
  std::atomic<bool> check_nan = true;  // a NaN among the gradients is a failure
  void (*created)(GradNode& node, const GradNode* by) = nullptr;
  void (*failed)(GradNode& node) = nullptr;
};
AnomalyMode& anomaly_mode();

// Makes calls with arguments that require grad record themselves; called once at start-up.
void install_autograd();
uint64_t node_count();  // of nodes that were made so far
bool backward_is_running();  // on this thread
int64_t backward_pass();  // the number of the innermost backward pass on this thread; -1 where none runs
bool backward_will_run(const GradNode& node);  // whether that pass runs the node
// Computes the gradients of a call whose operator has slopes (Operator::derived_gradient), by public operators. Its result has this dtype.
void recorded_slopes(GradCall& call, DType result_dtype);

// Whether a dispatch mode, such as a capture, sees the calls of the backward pass. Then the whole pass is made of operators.
bool observed();
// Whether the operator returns one list of tensors.
bool gives_list(const Operator& op);
// Whether a gradient on a graph goes through the operator's decomposition: it has no gradient rule itself, or one for a list, whose length a graph need not
// know.
bool parts_have_gradients(const Operator& op);

// For nodes that a program writes (autograd/custom.h).
// A gradient in the sizes and dtype of its argument: summed over the dims that were broadcast, and converted.
// `same_sizes`: the call did not broadcast, so the sizes are known to be equal at every run.
Tensor fit_gradient(Tensor g, const Tensor& argument, bool same_sizes = false);
// A meta tensor with the sizes, strides and dtype of t.
Tensor without_data(const Tensor& t);
// The same storage without history.
Tensor alias_without_history(const Tensor& t);
// Sets the history of t after an in-place write to it: result `slot` of the node, whose edge `self_slot` leads to the history before the write.
void set_written_history(const Tensor& t, const Ref<GradNode>& node, uint32_t slot, size_t self_slot);
// For captures: a copy of what an in-place operator is about to overwrite, with its history. Error (Runtime) where autograd forbids the write.
Tensor value_before_write(const Operator& op, const Tensor& self);

bool is_leaf(const Tensor& t);
Ref<GradNode> grad_fn(const Tensor& t);
// Error (Runtime) in PyTorch's words for integers and for non-leaves.
void set_requires_grad(const Tensor& t, bool requires_grad);
// For captures: called before each change.
extern void (*requires_grad_hook)(const Tensor& t, bool requires_grad);
// Makes t the result `slot` of a node (a custom Function's output).
void set_history(const Tensor& t, Ref<GradNode> node, uint32_t slot);
GradEdge gradient_edge(const Tensor& t);
// Gives t, which has no history, this edge. The node must outlive t.
void set_edge(const Tensor& t, const GradEdge& edge);
// Runs `hook` on the gradient of the present version of t whenever one is computed.
HookHandle add_hook(const Tensor& t, TensorHooks::Hook hook);
// Runs `hook` whenever .grad of the leaf t has been added to.
HookHandle add_accumulation_hook(const Tensor& t, AccumulationHooks::Hook hook);
// The leaf whose .grad this node adds to; null for other nodes.
const Tensor* leaf_of(const GradNode& node);
// Hooks that nothing else keeps alive, for Python's garbage collector.
struct OwnedHooks {
  std::vector<std::shared_ptr<const TensorHooks::Hook>> tensors;
  std::vector<std::shared_ptr<const AccumulationHooks::Hook>> accumulation;
  std::vector<std::shared_ptr<const NodeHooks::Before::Hook>> before;
  std::vector<std::shared_ptr<const NodeHooks::After::Hook>> after;
  std::vector<void*> contexts;  // of autograd.Functions, and what hooks gave for saved tensors
};
// The hooks of t, and of the nodes that only t keeps alive.
OwnedHooks owned_hooks(const Tensor& t);
// The hooks of a node to which there is one reference, and of the nodes that only it keeps alive.
OwnedHooks owned_hooks(const GradNode& node);
// Drops t's hooks and history: t is garbage.
void drop_history(const Tensor& t);
// Keeps .grad of a tensor that is no leaf.
void retain_grad(const Tensor& t);
bool retains_grad(const Tensor& t);  // whether retain_grad() was called, and the tensor is no leaf
// Turns t into a leaf without history.
void detach_in_place(const Tensor& t);

struct BackwardOptions {
  bool retain_graph = false;
  bool create_graph = false;
  // The gradient stops at each input: it does not flow on to the tensors from which the input was computed.
  bool stop_at_inputs = false;
};
// Accumulates into .grad of the leaves that `roots` depend on, or only of `inputs`, leaves or not, where given. An undefined gradient of a root of one
// element is 1.
void backward(std::span<const Tensor> roots, std::span<const Tensor> grads, BackwardOptions options, std::span<const Tensor> inputs = {});
// The gradients of `inputs`; undefined where a root does not depend on one (an error unless allow_unused).
std::vector<Tensor> gradients(std::span<const Tensor> roots, std::span<const Tensor> grads, std::span<const Tensor> inputs,
                              BackwardOptions options, bool allow_unused);

}  // namespace monograph
