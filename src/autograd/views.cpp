// What an in-place write does to the histories of a base and its views. A write through a view gives the base a CopySlices node, which passes the written part
// of the gradient to the node of the write. A view made before the write gets an AsStridedBackward node: its gradient is a part of the base's.
//
//   y = x * 2;  y[:, 0] = v      the gradient of y at [:, 0] goes to v, the rest to x * 2
//
// Both nodes find the part in memory, by the view's sizes, strides and offset. A capture must record operators that hold for other sizes too: there they call
// the operators that made the view again.
#include "autograd/views.h"

#include "ops/dispatch.h"
#include "ops/pointwise.h"

namespace monograph {
namespace {

RepeatViews repeat_views(const Tensor& base, const Tensor& view) {
  auto* hook = dispatch_hooks().repeat_views;
  return hook ? hook(base, view) : RepeatViews();
}

// Where a view lies in its base. The same part can be taken of any tensor with the base's layout. The view may have another dtype than the base, such as the
// real parts of a complex tensor.
class ViewGeometry {
 public:
  ViewGeometry(const Tensor& base, const Tensor& view)
      : base_(base.sizes()),
        base_strides_(base.strides()),
        sizes_(view.sizes()),
        strides_(view.strides()),
        base_dtype_(base.dtype()),
        dtype_(view.dtype()),
        offset_(view->offset - in_elements_of(view.dtype(), base.dtype(), base->offset)) {}
  Tensor whole() const { return empty_strided(base_, base_strides_, base_dtype_); }
  Tensor part(const Tensor& whole) const { return whole.as_strided(dtype_, sizes_, strides_, offset_); }
  Tensor zeros() const { return "zeros"_op(sizes_, dtype_); }
  // Whether the operator as_strided can take the part: it keeps the dtype.
  bool by_operators() const { return dtype_ == base_dtype_; }
  // The part, taken by as_strided, which autograd records.
  Tensor recorded_part(const Tensor& whole) const { return "as_strided"_op(whole, sizes_, strides_, offset_); }
  bool fills_base_in_order() const { return base_strides_ == contiguous_strides(base_) && by_operators(); }

 private:
  static int64_t in_elements_of(DType t, DType from, int64_t count) { return count * element_size(from) / element_size(t); }
  Dims base_, base_strides_, sizes_, strides_;
  DType base_dtype_, dtype_;
  int64_t offset_;
};

// How a node computes: by writing memory where nothing is recorded (Memory), by operators that autograd records for a second gradient (Operators), or by
// the view operators that the captured function called (Captured).
enum class GradientForm : uint8_t { Memory, Operators, Captured };

GradientForm form_of(const ViewGeometry& geometry, const RepeatViews& repeat) {
  if (!dispatch_state().grad_enabled && !observed()) return GradientForm::Memory;
  MONOGRAPH_CHECK(geometry.by_operators(), NotImplemented,
                  "a second or captured gradient through a write into a view of another dtype (view_as_real, view) is not implemented; "
                  "build the tensor with cat, stack or where instead");
  if (!observed()) return GradientForm::Operators;
  MONOGRAPH_CHECK(!dispatch_state().grad_enabled, NotImplemented,
                  "a captured gradient of a gradient through a write into a view is not implemented; build the tensor with cat, stack or "
                  "where instead");
  MONOGRAPH_CHECK(
      repeat && geometry.fills_base_in_order(), NotImplemented,
      "a captured gradient through a write into a view needs the view to be made in the captured function, of a tensor that is contiguous; "
      "build the tensor with cat, stack or where instead");
  return GradientForm::Captured;
}

// The node of a view whose base was written after the view was made: its gradient is placed into the base's, which is zero elsewhere.
class AsStridedBackward final : public GradNode {
 public:
  AsStridedBackward(const Tensor& base, const Tensor& view) : geometry_(base, view), repeat_(repeat_views(base, view)) {
    if (repeat_) base_ = alias_without_history(base);
  }
  AsStridedBackward(const ViewGeometry& geometry, GradEdge base) : geometry_(geometry) { next.push_back(std::move(base)); }
  std::vector<Tensor> apply(std::vector<Tensor> grads) override {
    if (!grads[0].defined()) return {Tensor()};
    const GradientForm how = form_of(geometry_, repeat_);
    Tensor whole = how == GradientForm::Captured ? Tensor("zeros"_op(sizes_of(base_), grads[0].dtype())) : geometry_.whole();
    if (how != GradientForm::Captured) copy_into(whole, "zeros"_op(Dims{}, whole.dtype()));
    Tensor part = how == GradientForm::Operators ? geometry_.recorded_part(whole) : geometry_.part(whole);
    MONOGRAPH_CHECK(!overlaps_itself(part), NotImplemented,
                    "the gradient of an expanded view of a tensor that was written is not implemented; clone() the view");
    if (how == GradientForm::Captured) repeat_(whole, part);
    if (how == GradientForm::Memory) copy_into(part, grads[0]);
    else "copy_"_op(part, grads[0]);
    return {whole};
  }
  std::string name() const override { return "AsStridedBackward0"; }

 private:
  ViewGeometry geometry_;
  RepeatViews repeat_;
  Tensor base_;  // for its sizes in a capture
};

// The node of a base that was written through a view: the node of the write gets the view's part of the gradient, the rest flows on as it is.
class CopySlices final : public GradNode {
 public:
  CopySlices(const Tensor& base, const Tensor& view, Ref<GradNode> step, size_t self_slot)
      : geometry_(base, view), repeat_(repeat_views(base, view)), step_(std::move(step)), self_slot_(self_slot) {}
  std::vector<Tensor> apply(std::vector<Tensor> grads) override {
    if (!grads[0].defined()) return std::vector<Tensor>(next.size());
    const GradientForm how = form_of(geometry_, repeat_);
    if (how == GradientForm::Memory) return in_memory(grads[0]);
    Tensor whole = how == GradientForm::Captured ? Tensor("clone"_op(grads[0], MemoryFormat::Contiguous)) : geometry_.whole();
    if (how == GradientForm::Operators) "copy_"_op(whole, grads[0]);
    Tensor part = how == GradientForm::Captured ? geometry_.part(whole) : geometry_.recorded_part(whole);
    if (how == GradientForm::Captured) repeat_(whole, part);
    std::vector<Tensor> written = take_step("clone"_op(part), how == GradientForm::Operators);
    if (const Tensor self = self_slot_ < written.size() ? written[self_slot_] : Tensor(); self.defined()) "copy_"_op(part, self);
    else "zero_"_op(part);
    return gradients(whole, written);
  }
  std::string name() const override { return "torch::autograd::CopySlices"; }
  void release_saved() override { step_->release_saved(); }
  void references(const std::function<void(const GradNode&)>& f) const override {
    GradNode::references(f);
    f(*step_);
  }

 private:
  std::vector<Tensor> in_memory(const Tensor& gradient) {
    Tensor whole = geometry_.whole();
    copy_into(whole, gradient);
    Tensor part = geometry_.part(whole);
    std::vector<Tensor> written = step_->apply({copy_tensor(part)});
    const Tensor& self = self_slot_ < written.size() ? written[self_slot_] : Tensor();
    copy_into(part, self.defined() ? self : geometry_.zeros());
    return gradients(whole, written);
  }
  // Runs the node of the write. Its saved result is the written view, so while the step is recorded, that result's history leads to this node.
  std::vector<Tensor> take_step(Tensor gradient, bool recorded) {
    struct Restore {
      GradNode& step;
      ~Restore() { step.set_history_of_results({}); }
    } restore{*step_};
    if (recorded) step_->set_history_of_results({make_ref<AsStridedBackward>(geometry_, GradEdge{Ref<GradNode>(this), 0}), 0});
    return step_->apply({std::move(gradient)});
  }
  // The gradients of this node's `next`: of the base, then of the other arguments of the write.
  std::vector<Tensor> gradients(const Tensor& base, const std::vector<Tensor>& written) const {
    std::vector<Tensor> out(next.size());
    out[0] = base;
    for (size_t i = 0, o = 1; i < written.size(); ++i)
      if (i != self_slot_) out[o++] = written[i];
    return out;
  }

  ViewGeometry geometry_;
  RepeatViews repeat_;
  Ref<GradNode> step_;
  size_t self_slot_;
};

// The views that one call returns share one node. Its history cannot be replaced for one of them, so a write to a view or to its base is an error.
enum class Written : uint8_t { View, Base };
[[noreturn]] void refuse_write_to_view(const GradMeta& view, Written written, std::string_view call = "") {
  std::string node = view.grad_fn ? view.grad_fn->name() : "a call";
  node = node.substr(0, node.rfind("Backward"));
  const char* subject = written == Written::Base ? "its base or another view of its base has been" : "is being";
  if (view.made_by_function)
    fail(ErrorKind::Runtime, call, "Output ", view.slot, " of ", node, " is a view and ", subject,
         " modified inplace. This view was created inside a custom Function (or because an input was returned as-is) and the autograd "
         "logic to handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
         "gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function.");
  fail(ErrorKind::Runtime, call, "Output ", view.slot, " of ", node, " is a view and ", subject,
       " modified inplace. This view is the output of a function that returns multiple views. Such functions do not allow the output "
       "views to be modified inplace. You should replace the inplace operation by an out-of-place one.");
}

}  // namespace

void refresh_view(const Tensor& t) {
  if (!t->base) return;
  const GradMeta* meta = find_grad_meta(t);
  if (meta && meta->frozen_view() && meta->seen_version != t.version()) refuse_write_to_view(*meta, Written::Base);
  Tensor base(t->base);
  const GradMeta* base_meta = find_grad_meta(base);
  if (!base_meta || base_meta->rebases == 0) return;
  if (meta && meta->seen_rebases == base_meta->rebases) return;
  MONOGRAPH_CHECK(!t->viewed_without_grad, Runtime,
                  "A view was created in no_grad mode and its base or another view of its base has been modified inplace with grad mode "
                  "enabled. Create the view with grad mode enabled, or take it again after the write");
  auto node = make_ref<AsStridedBackward>(base, t);
  node->next.push_back(gradient_edge(base));
  uint64_t rebases = base_meta->rebases;
  set_history(t, node, 0);
  grad_meta(t).seen_rebases = rebases;
}

namespace {

// A write through a view: the base gets a CopySlices node.
void rebase(const Tensor& self, const Ref<GradNode>& node, size_t self_slot) {
  Tensor base(self->base);
  auto slices = make_ref<CopySlices>(base, self, node, self_slot);
  slices->next.push_back(base->requires_grad ? gradient_edge(base) : GradEdge{});
  for (size_t i = 0; i < node->next.size(); ++i)
    if (i != self_slot) slices->next.push_back(node->next[i]);
  uint64_t rebases = grad_meta(base).rebases;
  set_history(base, slices, 0);
  grad_meta(base).rebases = rebases + 1;
  refresh_view(self);
}

}  // namespace

void set_written_history(const Tensor& self, const Ref<GradNode>& node, uint32_t slot, size_t self_slot) {
  if (self->base) return rebase(self, node, self_slot);
  uint64_t rebases = find_grad_meta(self) ? find_grad_meta(self)->rebases : 0;
  set_history(self, node, slot);
  grad_meta(self).rebases = rebases + 1;
}

void check_in_place(const Operator& op, const Tensor& self) {
  if (const GradMeta* meta = find_grad_meta(self); meta && meta->frozen_view())
    refuse_write_to_view(*meta, Written::View, concat("[", op.name(), "] "));
  MONOGRAPH_CHECK(!self->viewed_without_grad, Runtime, "[", op.name(),
                  "] A view was created in no_grad mode and is being modified inplace with grad mode enabled. Create the view with grad "
                  "mode enabled, write to it under torch.no_grad(), or write to a clone()");
  // The base of a leaf that requires grad may itself require none: x = y.view(2, 2).requires_grad_().
  MONOGRAPH_CHECK(
      !(self->base && self.requires_grad() && is_leaf(Tensor(self->base))), Runtime, "[", op.name(),
      "] a view of a leaf Variable that requires grad is being used in an in-place operation. Write to it under torch.no_grad(), "
      "or write to a clone()");
  MONOGRAPH_CHECK(
      !(self->requires_grad && is_leaf(self)), Runtime, "[", op.name(),
      "] a leaf Variable that requires grad is being used in an in-place operation. Write to it under torch.no_grad(), or write to "
      "a clone()");
}

}  // namespace monograph
