// ctc_loss: connectionist temporal classification. _ctc_loss and its gradient have kernels; ctc_loss decomposes into _ctc_loss and the reduction. The lengths
// of the sequences are lists of ints or tensors, so there are two overloads of each.
#include <algorithm>
#include <cmath>

#include "kernels/ctc.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/families/losses.h"
#include "ops/rule.h"

namespace monograph {
namespace {

constexpr const char* kNoClass = "expected targets below the number of classes, {limit}, and at least 0, but got {value}";
constexpr const char* kLongInput = "expected input_lengths from 0 to {limit}, but got {value}";
constexpr const char* kLongTarget = "expected target_lengths from 0 to {limit}, the targets there are, but got {value}";

// Whether the lengths are tensors, not lists of ints. log_probs is argument `at`.
bool lengths_are_tensors(const RuleCall& c, size_t at) { return c.op.schema().arguments()[at + 2].type.is(ir::TypeKind::Tensor); }

// Checks lengths that are a tensor, argument i, of a batch of this size. `converted`: the operator takes integers of each dtype, and any number of dims.
void check_lengths(const RuleCall& c, size_t i, Size batch, const char* name, bool converted) {
  const auto dtype = c.dtype(i);
  SizesRef lengths = c.sizes(i);
  c.check(!dtype || dtype == DType::i64 || (converted && is_integral(*dtype, false)), Runtime, name, " must be integral",
          converted ? "" : ", in int64", ", but got ", scalar_type(dtype));
  c.check(!lengths.ranked() || lengths.size() == 1 || converted, Runtime, "expected ", name, " of one dim, but got size ", lengths);
  c.check(!lengths.ranked() || element_count(lengths) == batch, Runtime, name, " must be of size batch_size ", batch, ", but got size ",
          lengths);
}

// Checks the arguments log_probs, targets, input_lengths, target_lengths, the first of which is argument `at`. `p` are the sizes of log_probs with a batch.
// Returns the length of the longest target; if the lengths are tensors, the largest length that the targets allow.
Size check_sequences(const RuleCall& c, SizesRef p, size_t at, size_t blank, bool converted = false) {
  SizesRef targets = c.sizes(at + 1);
  const auto t = c.dtype(at), u = c.dtype(at + 1);
  c.check(!t || *t == DType::f32 || *t == DType::f64, ErrorKind::NotImplemented, "not implemented for '", scalar_type(t),
          "'; compute the logarithms in float32");
  c.check(!u || *u == DType::i64 || *u == DType::i32, Runtime, "targets must be Long or Int, but got ", scalar_type(u));
  c.check(!p.ranked() || p.size() == 3, Runtime, "expected log_probs of 3 dims (times, batch, classes), but got ", p);
  c.check(!targets.ranked() || targets.size() == 1 || targets.size() == 2, Runtime, "targets should be 1 or 2 dimensional, but got ",
          targets);
  c.check(!p.ranked() || element_count(p) != 0, Runtime, "log_probs tensor must not be empty");
  const Size first = c.size(blank);
  if (p.ranked()) c.check(first >= 0 && first < p[2], Runtime, "blank must be in label range, but got ", first, " of ", p[2], " classes");
  if (lengths_are_tensors(c, at)) {
    check_lengths(c, at + 2, p[1], "input_lengths", converted), check_lengths(c, at + 3, p[1], "target_lengths", converted);
    c.check(targets.size() != 2 || targets[0] == p[1], Runtime, "expected a row of targets for each of ", p[1], " sequences, but got size ",
            targets);
    return targets.ranked() ? targets.back() : Size();
  }
  const Sizes times = c.ints(at + 2), labels = c.ints(at + 3);
  for (const bool input : {true, false}) {
    const Sizes& s = input ? times : labels;
    c.check(!s.ranked() || !p.ranked() || p[1] == static_cast<int64_t>(s.size()), Runtime, input ? "input" : "target",
            "_lengths must be of size batch_size ", p.ranked() ? p[1] : Size(), ", but got ", s.size());
  }
  Size most = 0, all = 0;
  for (size_t b = 0; labels.ranked() && b < labels.size(); ++b) {
    c.check(labels[b] >= 0, Runtime, "Expected target_lengths to have value at least 0, but got value ", labels[b]);
    most = max(most, labels[b]), all = all + labels[b];
  }
  for (size_t b = 0; times.ranked() && b < times.size(); ++b) {
    c.check(times[b] >= 0, Runtime, "Expected input_lengths to have value at least 0, but got value ", times[b]);
    c.check(!p.ranked() || times[b] <= p[0], Runtime, "Expected input_lengths to have value at most ", p.ranked() ? p[0] : Size(),
            ", but got value ", times[b]);
  }
  if (!labels.ranked() || !targets.ranked()) return labels.ranked() ? most : Size();
  if (targets.size() == 1)
    c.check(targets[0] == all, Runtime, "expected ", all, " targets, the sum of target_lengths, but got ", targets[0]);
  else
    c.check(targets[1] >= most && (!p.ranked() || targets[0] == p[1]), Runtime, "Expected tensor to have size at least ", most,
            " at dimension 1, but got size ", targets, " for targets");
  return most;
}

void ctc_rule(RuleCall& c) {
  const Size most = check_sequences(c, c.sizes(0), 0, 4);
  SizesRef p = c.sizes(0);
  const Size batch = p.ranked() ? p[1] : Size(), times = p.ranked() ? p[0] : Size();
  c.like(0, Sizes{batch});
  c.like(0, Sizes{batch, times, most * 2 + 1});
}

void ctc_backward_rule(RuleCall& c) {
  const Size most = check_sequences(c, c.sizes(1), 1, 7);
  c.contiguous(5), c.contiguous(6);
  SizesRef p = c.sizes(1), alpha = c.sizes(6);
  for (size_t i : {size_t{0}, size_t{5}}) {
    SizesRef each = c.sizes(i);
    c.check(!each.ranked() || !p.ranked() || (each.size() == 1 && each[0] == p[1]), Runtime, i ? "neg_log_likelihood" : "grad",
            " must have a number for each sequence, but got size ", each);
    c.check(!c.dtype(i) || !c.dtype(1) || *c.dtype(i) == *c.dtype(1), Runtime, "expected tensors of one dtype, but got ",
            scalar_type(c.dtype(i)), " and ", scalar_type(c.dtype(1)));
  }
  c.check(!c.dtype(6) || !c.dtype(1) || *c.dtype(6) == *c.dtype(1), Runtime, "expected log_alpha of the dtype of log_probs");
  c.check(!alpha.ranked() || !p.ranked() || (alpha.size() == 3 && alpha[0] == p[1] && alpha[1] == p[0] && alpha[2] == most * 2 + 1),
          Runtime, "expected log_alpha of the sizes that _ctc_loss gives, but got ", alpha);
  c.like(1, c.sizes(1));
  if (c.eager() && !c.meta()) c.scratch(ctc_scratch(c.sizes(1)[1].as_int(), most.as_int() * 2 + 1));
}

// The elements of a tensor of lengths.
Dims lengths_of(const Tensor& t) {
  const Tensor flat = "reshape"_op(t, Dims{-1});
  Dims out;
  for (int64_t i = 0; i < flat.size(0); ++i) out.push_back("item"_op("select"_op(flat, 0, i)).to_int());
  return out;
}

// The lengths of the targets, at least 1. reduction="mean" divides the loss of each sequence by them.
Tensor divisors_of(const IValue& labels, const Tensor& loss) {
  if (labels.is_tensor()) return "to"_op("clamp_min"_op(labels, 1), loss.dtype());
  std::vector<IValue> numbers;
  for (const int64_t n : labels.to_ints())
    numbers.push_back("scalar_tensor"_op(std::max<int64_t>(n, 1), loss.dtype(), IValue(), loss.device()));
  return "stack"_op(IValue::list(std::move(numbers)), 0);
}

// A tensor of lengths as a vector of int64.
Tensor vector_of(const IValue& lengths) { return "to"_op("reshape"_op(lengths, Dims{-1}), DType::i64); }

// The loss. The arguments are those of ctc_loss, with the lengths as `times` and `labels`: both are lists, or both are vectors of int64.
IValue loss_of(const IValue* a, const IValue& times, const IValue& labels) {
  const Tensor p = a[0].to_tensor();
  const bool batched = p.dim() == 3;
  Tensor loss = "_ctc_loss"_op(batched ? p : Tensor("unsqueeze"_op(p, 1)), a[1], times, labels, a[4], a[6])[0];
  if (a[6].to_bool()) loss = "where"_op("eq"_op(loss, HUGE_VAL), 0.0, loss);
  const int64_t reduction = a[5].to_int();
  if (reduction == kMean) {
    return "mean"_op("div"_op(loss, divisors_of(labels, loss)));
  }
  if (reduction == kSum) return "sum"_op(loss);
  return batched ? loss : Tensor("squeeze"_op(loss, 0));
}

void loss_rule(RuleCall& c) {
  SizesRef p = c.sizes(0);
  c.check(!p.ranked() || p.size() == 2 || p.size() == 3, Runtime, "expected log_probs of 2 or 3 dims, but got ", p);
  Sizes batched = p;
  if (p.size() == 2) batched.insert(1, 1);
  check_sequences(c, batched, 0, 4, true);
  reduced_result(c, 5, !p.ranked() ? SizesRef() : p.size() == 2 ? SizesRef(Sizes()) : SizesRef(Sizes{p[1]}), c.dtype(0));
}

}  // namespace

void sequence_losses(Registry& r) {
  constexpr const char* kListed =
      R"([[t(d, 6, 3, 5).log_softmax(2), index(4, 3, 3) + 1, [6, 5, 4], [3, 0, 2], 0, *r] for d in (f32, f64) for r in ((0,), (1,), (2,), (1, True))]
       + [[t(f32, 6, 3, 5).log_softmax(2), index(4, 6) + 1, [6, 6, 6], [3, 1, 2], 0, 0]]
       + [[t(f32, 6, 3, 5).log_softmax(2), at([1, 1, 2, 2, 2, 3]), [6, 6, 2], [2, 1, 3], 0, k, z] for k in (0, 2) for z in (False, True)]
       + [[t(f32, 6, 2, 5).log_softmax(2), index(4, 2, 3), [6, 4], [3, 2], 4, 0]]
       + [[t(f32, 6, 5).log_softmax(1), index(4, 3) + 1, [6], [3], 0, k] for k in (0, 1)]
       + [[t(f32, 6, 2, 5).log_softmax(2), index(4, 2, 3) + 1, n, m, b, 0] for n, m, b in (([7, 6], [3, 2], 0), ([6], [3, 2], 0), ([6, 6], [4, 2], 0), ([6, 6], [3, 2], 5), ([6, 6], [-1, 2], 0))])";
  constexpr const char* kOfTensors =
      R"([[t(f32, 6, 3, 5).log_softmax(2), index(4, 3, 3) + 1, at([6, 5, 4]).to(d), at([3, 0, 2]).to(d), 0, r] for d in (i64, i32) for r in (0, 1, 2)]
       + [[t(f32, 6, 2, 5).log_softmax(2), index(4, 2, 3) + 1, at([7, 6]), at([3, 2]), 0, 0]])";
  constexpr const char* kLog = "ONNX has no operator for it";
  struct Lengths {
    const char *loss, *backward, *doc;
  };
  const Lengths lengths[] = {
      {"_ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, bool zero_infinity=False) -> "
       "(Tensor, Tensor)",
       "_ctc_loss_backward(Tensor grad, Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, Tensor "
       "neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity=False) -> Tensor",
       "Minus the logarithm of the probability of each sequence of labels; the logarithms of the probabilities on the way there."},
      {"_ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, bool "
       "zero_infinity=False) -> (Tensor, Tensor)",
       "_ctc_loss_backward.Tensor(Tensor grad, Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, Tensor "
       "neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity=False) -> Tensor",
       "_ctc_loss with lengths in vectors of int64. Its second result has room for sequences as long as the targets."}};
  for (const Lengths& of : lengths) {
    r.op(of.loss)
        .rule(ctc_rule)
        .kernel(ctc_loss_kernel)
        .bad_data(Runtime, kNoClass, kLongInput, kLongTarget)
        .function_only()
        .gradient([](GradCall& c) {
          c.set(0, "_ctc_loss_backward"_op(c.grad(), c.value(0), c.value(1), c.value(2), c.value(3), c.result(0), c.result(1), c.value(4),
                                           c.value(5)));
        })
        .onnx(none(kLog))
        .doc(of.doc)
        .samples(none("ctc_loss has its results; what lies behind the end of a sequence on the way there is not set in PyTorch"));
    r.op(of.backward)
        .rule(ctc_backward_rule)
        .kernel(ctc_loss_backward_kernel)
        .bad_data(Runtime, kNoClass, kLongInput, kLongTarget)
        .function_only()
        .gradient(none("PyTorch has no second gradient of ctc_loss either"))
        .onnx(none("training only"))
        .doc("The gradient of _ctc_loss by log_probs.")
        .samples(none("ctc_loss's gradient: gradients_test has its results"));
  }
  r.op("ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, int reduction=Mean, "
       "bool "
       "zero_infinity=False) -> Tensor")
      .rule(loss_rule)
      .function_only()
      .decompose([](const IValue* a) -> IValue { return loss_of(a, a[2], a[3]); }, Reads::Nothing)
      .onnx(none(kLog))
      .autocast(Autocast::Float32)
      .doc(
          R"(Minus the logarithm of the probability of each target sequence, summed over all ways to place it in the input (connectionist temporal classification).

log_probs: The logarithms of the probabilities, of shape (steps, batch, classes), or (steps, classes) without a batch.
targets: The classes of the sequences, of shape (batch, longest target), or all sequences one after the other. None of them is blank.
input_lengths: How many steps each input has.
target_lengths: How many classes each target has.
blank: The class that stands for no class.
reduction: 0 returns the loss of each sequence, 1 the mean of the losses, each divided by the length of its target, 2 their sum.
zero_infinity: Whether an infinite loss, of a target that is too long for its input, counts as 0 and has the gradient 0.

>>> log_probs = torch.full((4, 1, 3), 1 / 3).log()
>>> torch.ctc_loss(log_probs, torch.tensor([[1, 2]]), [4], [2], reduction=1))")
      .samples(kListed);
  r.op("ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int reduction=Mean, "
       "bool "
       "zero_infinity=False) -> Tensor")
      .rule(loss_rule)
      .function_only()
      .decompose(
          [](const IValue* a) -> IValue {
            const Tensor p = a[0].to_tensor();
            if (p.is_meta())  // the sizes of the result do not depend on the lengths
              return "new_empty"_op(p, a[5].to_int() != kNone || p.dim() == 2 ? Sizes{} : Sizes{size_of(p, 1)});
            if (dispatch_state().top) return loss_of(a, vector_of(a[2]), vector_of(a[3]));  // the lengths differ from run to run
            return loss_of(a, lengths_of(a[2].to_tensor()), lengths_of(a[3].to_tensor()));
          },
          Reads::Symbols)
      .autocast(Autocast::Float32)
      .onnx(none(kLog))
      .doc("ctc_loss whose lengths are tensors.")
      .samples(kOfTensors);
}

}  // namespace monograph
