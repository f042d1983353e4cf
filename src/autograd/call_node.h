// The node of a recorded operator call: it keeps the arguments and results, and runs the operator's gradient rule.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/engine.h"
#include "autograd/node_facts.h"

namespace monograph {

class OperatorBackward final : public GradNode {
 public:
  OperatorBackward(const Operator& op, GradCall::Saved saved) : op_(op), saved_(std::move(saved)) {}
  ~OperatorBackward() override {
    if (replay_ && replay_->origin == this) replay_->origin = nullptr;
  }

  // Which tensor each gradient belongs to: an argument, or an element of an argument that is a list. Entry k belongs to next[k].
  struct Slot {
    size_t argument, element;
  };
  std::vector<Slot> slots;
  DType result_dtype = DType::f32;  // of the first result
  bool requires_grad = false;  // some argument requires grad, perhaps only as a view of a tensor that does
  bool is_shown_only = false;  // it is one of PyTorch's steps, and does not run
  bool by_parts = false;  // an operator without a gradient rule: the step runs its decomposition again, and takes the gradient of that

  // Gives what PyTorch saves to the program's hooks, in PyTorch's order. The node keeps its sizes and dtypes. `args` and `results` are those of the call.
  void pack(const std::shared_ptr<const SavedTensorHooks>& hooks, const IValue* args, std::span<const IValue> results, bool writes_self);
  // Results are saved without their history, which is this node.
  void save_results(std::span<const IValue> values);

  std::vector<Tensor> apply(std::vector<Tensor> grads) override;
  std::string name() const override;
  // A program sees the step as `shown`, a step of the same call that is on the tape.
  void show(Ref<GradNode> shown) { shown_ = std::move(shown); }
  void rename(const char* name, Ref<GradNode> shown) override {
    if (shown || !name_ || std::string_view(name) != name_) shown_ = std::move(shown);
    name_ = name;
  }
  // Sizes and dtypes stay, so a rule that reads no elements can run again.
  void release_saved() override;
  void set_history_of_results(GradEdge edge) override { history_of_results_ = std::move(edge); }
  void references(const std::function<void(const GradNode&)>& f) const override;
  void packed_objects(std::vector<void*>& objects) const override;

  std::vector<GradEdge> shown_next() override;
  std::vector<const SavedFact*> shown_saved() override;
  IValue saved_value(const SavedFact& fact) override;
  void pack_value(const SavedFact& fact, const std::shared_ptr<const SavedTensorHooks>& hooks) override;
  std::string why_no_hooks() override;
  std::vector<Tensor> as_shown(std::vector<Tensor> made) override;
  std::vector<Tensor> from_shown(std::vector<Tensor> shown) override;
  // A meta tensor with the sizes and dtype of a result of the call.
  Tensor result_like(uint32_t slot) const;
  // Keeps of the arguments only what PyTorch's node keeps, and the sizes of the others: the node stands for a call that is recorded by its parts.
  void keep_what_is_shown(const NodeFacts& known);
  const Operator& op() const { return op_; }
  const std::vector<IValue>& args() const { return saved_.args; }

 private:
  // How the tensor that a hook got is made from an argument. linear gives the rows of its input, and its transposed weight, as PyTorch's addmm does.
  enum class Form : uint8_t { Same, Transposed, Rows };
  struct Packed {
    bool result;  // else an argument
    size_t index, element;
    Form form;
    std::shared_ptr<const SavedTensorHooks> hooks;
    std::shared_ptr<void> handle;  // what the program's pack hook returned
  };

  void link_results(const GradCall::Saved& saved);
  static void unlink_results(const GradCall::Saved& saved);
  void slopes(GradCall& call);
  Tensor fused_slope(GradCall& call, const PointwiseRule& rule, int k);
  void gradient_of_parts(GradCall& call, const GradCall::Saved& saved);

  bool reads(bool result, size_t i) const;
  void refuse_inference_tensors() const;  // where the gradient reads one, outside of inference mode
  void drop(bool result, size_t i);  // the elements, which nobody reads from here
  void pack_one(const Tensor& t, Packed place);
  void pack_elements(const IValue& value, bool result, size_t index, const std::shared_ptr<const SavedTensorHooks>& hooks);
  void pack_linear(const std::shared_ptr<const SavedTensorHooks>& hooks, const IValue* args);
  Tensor unpacked(const Packed& p) const;
  GradCall::Saved unpack() const;
  void link_argument(const Tensor& t, size_t argument, size_t element) const;
  const Packed* find_packed(bool result, size_t index, size_t element) const;

  const NodeFacts* facts() const;  // null where PyTorch's node has other arguments than this operator
  std::optional<size_t> argument(std::string_view name) const;
  GradEdge edge_of(size_t argument, size_t element) const;
  bool is_saved(const SavedFact& fact);
  bool leads_somewhere(const NodeFacts& known, size_t edge) const;
  bool is_linear() const { return op_.name() == "aten::linear"; }
  GradNode* replayed();  // linear by PyTorch's steps; null for other operators
  IValue saved_tensors(const SavedFact& fact);
  Tensor saved_element(bool result, size_t index, size_t element, const Tensor& kept, bool history);
  bool is_result(const SavedFact& fact) const;
  std::optional<IValue> other_value(std::string_view name) const;
  Tensor of_replay(const SavedFact& fact, const Tensor& t) const;
  std::vector<size_t> shown_order() const;

  GradEdge history_of_results_;
  std::vector<Packed> packed_;
  const char* name_ = nullptr;  // of the operator whose last step this is
  Ref<GradNode> shown_;  // the step that PyTorch has in its place
  // The steps of PyTorch that a call of linear stands for. They have arguments without elements.
  struct Replay {
    OperatorBackward* origin = nullptr;  // the node of the call; null when it is gone
    std::vector<Tensor> arguments;
  };
  std::shared_ptr<Replay> replay_;
  const Operator& op_;
  GradCall::Saved saved_;
};

// What PyTorch saves of a call that it records as one step, although it is made of others here: its name for the step is the operator's own, or one of a list.
// Null for other operators.
const NodeFacts* one_step_in_pytorch(const Operator& op, const IValue* args);
// Whether a second run of the operator gives the same results and changes nothing.
bool can_run_again(const Operator& op);
// A saved value with each tensor replaced by a meta tensor of its sizes and dtype.
IValue without_elements(const IValue& v);
bool differentiable(DType t);  // whether tensors of this dtype have gradients

}  // namespace monograph
