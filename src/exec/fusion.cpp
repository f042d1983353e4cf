// Finds groups of pointwise operators that can run as one kernel. A group starts at its last operator and grows towards the inputs. When it first runs,
// it is compiled for the dtypes of its operands. If the dtypes do not fit, its operators run one by one.
#include "exec/fusion.h"

#include <algorithm>

#include "core/calls.h"
#include "core/interrupt.h"
#include "exec/compiler.h"
#include "exec/interpreter.h"
#include "ops/dispatch.h"
#include "ops/fuse.h"
#include "ops/infer.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"

namespace monograph::exec {
namespace {

using ir::ArgKind;
using ir::ArgRef;
using ir::Node;

bool is_plain_literal(ArgRef a) {
  return a.is(ArgKind::None) || a.is(ArgKind::Bool) || a.is(ArgKind::Int) || a.is(ArgKind::Float) || a.is(ArgKind::Str);
}
bool is_number(ArgRef a) { return a.is(ArgKind::Bool) || a.is(ArgKind::Int) || a.is(ArgKind::Float); }

struct FusionCandidate {
  bool fits = false;  // the node may be a member of a group
  DType compute = DType::f32;  // the dtype that it computes in
  std::vector<const void*> operands;  // nodes and constants that it reads, each once
};

// Whether a node may be a member of a group: a pointwise operator without effects, whose operands have known dtypes and need no conversion.
FusionCandidate examine(const Node& n) {
  FusionCandidate c;
  if (n.op() != ir::Op::CallFunction || n.multi() || n.is_projection()) return c;
  const Operator* op = operator_of(n);
  if (!op || !op->pointwise || op->eval != eval_pointwise) return c;
  const ir::Effects& e = op->effects();
  if (!e.deterministic() || e.may_raise) return c;
  std::optional<ir::Args> args = bound_args(*op, n);
  if (!args) return c;
  std::vector<IValue> values(args->size());
  for (size_t i = 0; i < args->size(); ++i) {
    ArgRef a = (*args)[i];
    if (is_plain_literal(a)) values[i] = literal(a);
    else if (!a.node() && !a.is(ArgKind::Tensor)) return c;
  }
  const PointwiseRule& rule = op->pointwise->chosen(values.data());
  ResultType promoted;
  std::vector<DType> promoting;  // the dtypes of the tensors that take part in promotion
  for (int i = 0; i < rule.body.arity; ++i) {
    auto k = static_cast<size_t>(i);
    ArgRef a = (*args)[rule.position[k]];
    if (rule.is_scalar[k]) {
      if (!is_number(a)) return c;
      if (rule.promoting[k] && rule.fixed[k] < 0) promoted.add(values[rule.position[k]]);
      continue;
    }
    if (is_number(a)) {
      if (rule.fixed[k] >= 0) return c;
      promoted.add(number_dtype(values[rule.position[k]]), ResultType::Weight::Number);
      continue;
    }
    DType t;
    if (const Node* value = a.node()) {
      if (!value->type().is(ir::TypeKind::Tensor) || !value->type().tensor().dtype) return c;
      t = *value->type().tensor().dtype;
      if (std::find(c.operands.begin(), c.operands.end(), value) == c.operands.end()) c.operands.push_back(value);
    } else if (a.is(ArgKind::Tensor)) {
      t = a.as_tensor().dtype();
      c.operands.push_back(&a.as_tensor());
    } else {
      return c;
    }
    if (rule.fixed[k] >= 0) {
      if (t != static_cast<DType>(rule.fixed[k])) return c;
      continue;
    }
    promoted.add(t, ResultType::Weight::Tensor), promoting.push_back(t);
  }
  if (promoting.empty() || is_complex(promoted.get())) return c;
  DType compute = promoted.get();
  if (rule.promote == Promote::Float && !is_floating(compute)) return c;
  if (!rule.takes(compute) || (rule.refuses_bool && compute == DType::b1)) return c;
  // Eager execution would convert an operand of another dtype first. A float beside integers is left to it too.
  for (DType t : promoting)
    if (t != compute) return c;
  for (int i = 0; i < rule.body.arity; ++i) {
    auto k = static_cast<size_t>(i);
    ArgRef a = (*args)[rule.position[k]];
    if (a.is(ArgKind::Float) && !is_floating(compute)) return c;
  }
  c.fits = !rule.record(compute).raises(), c.compute = compute;
  return c;
}

// For each node, by id, how many nodes before it write memory. Nodes with different numbers cannot be in one group: a member may not move past a write.
std::vector<uint32_t> segments(const ir::Graph& graph) {
  std::vector<ir::Effects> effects = ir::all_effects(graph);
  std::vector<uint32_t> segment(graph.id_limit(), 0);
  uint32_t writes = 0;
  for (Node* n : ir::NestedNodes(graph)) {
    interrupt_point();
    const ir::Effects& e = effects[n->id()];
    if (e.writes || e.user_code) ++writes;
    segment[n->id()] = writes;
  }
  return segment;
}

constexpr int32_t kNoGroup = -1, kNoUser = -2;

// The group that all users of a node are in; kNoGroup where they are not in one group, kNoUser where there are none.
int32_t group_of_users(const Node& n, const std::vector<int32_t>& group, const std::vector<uint32_t>& segment) {
  int32_t common = kNoUser;
  for (const ir::Use* u = n.first_use(); u; u = u->next) {
    const bool together = u->user->block() == n.block() && segment[u->user->id()] == segment[n.id()];
    const int32_t g = together ? group[u->user->id()] : kNoGroup;
    common = common == kNoUser || common == g ? g : kNoGroup;
  }
  return common;
}

}  // namespace

FusionGroups::FusionGroups(const ir::Graph& graph) : group_(graph.id_limit(), kNoGroup) {
  std::vector<uint32_t> segment = segments(graph);
  std::vector<bool> guarded(graph.id_limit(), false);
  for (const ir::Guard& g : graph.guards())
    if (g.value) guarded[g.value->id()] = true;
  std::vector<Node*> nodes;
  for (Node* n : ir::NestedNodes(graph)) nodes.push_back(n);
  std::vector<std::vector<const void*>> reads;  // for each group, the values from outside that it reads
  // From the last node to the first: a node joins the group that all of its users are in, or starts one.
  for (size_t i = nodes.size(); i-- > 0;) {
    interrupt_point();
    Node* n = nodes[i];
    if (n->op() != ir::Op::CallFunction || guarded[n->id()]) continue;
    FusionCandidate c = examine(*n);
    if (!c.fits) continue;
    if (const int32_t joined = group_of_users(*n, group_, segment); joined >= 0) {
      Group& group = groups_[static_cast<size_t>(joined)];
      std::vector<const void*> joined_reads = reads[static_cast<size_t>(joined)];
      std::erase(joined_reads, n);
      for (const void* o : c.operands)
        if (std::find(joined_reads.begin(), joined_reads.end(), o) == joined_reads.end()) joined_reads.push_back(o);
      bool one_type = group.type == c.compute || group.type == DType::b1 || c.compute == DType::b1;
      if (one_type && joined_reads.size() <= kMaxFusedInputs && group.members.size() < kMaxFusedMembers) {
        if (group.type == DType::b1) group.type = c.compute;
        group.members.push_back(n), group_[n->id()] = joined;
        reads[static_cast<size_t>(joined)] = std::move(joined_reads);
        continue;
      }
    }
    group_[n->id()] = static_cast<int32_t>(groups_.size());
    groups_.push_back({{n}, c.compute});
    reads.push_back(std::move(c.operands));
  }
  for (Group& g : groups_) std::reverse(g.members.begin(), g.members.end());
}

const FusionGroups::Group* FusionGroups::find(const Node* n) const {
  if (n->id() >= group_.size() || group_[n->id()] < 0) return nullptr;
  const Group& g = groups_[static_cast<size_t>(group_[n->id()])];
  return g.members.size() > 1 ? &g : nullptr;
}

namespace {

// A number as a constant of dtype t. It is rounded as in eager execution, which stores a Scalar argument in dtype t, and converts the 0-d tensor that a
// number in place of a tensor becomes.
Num number(const IValue& v, DType t) {
  if (v.is_tensor()) {
    const Tensor& s = v.as_tensor();
    Num n = s.dtype() == DType::f64   ? lit(DType::f64, *s.data_as<double>())
            : s.dtype() == DType::i64 ? lit_int(DType::i64, *s.data_as<int64_t>())
                                      : lit_int(DType::b1, *s.data_as<bool>());
    return convert(n, t);
  }
  if (v.is_float()) return convert(lit(compute_type(t), v.to_double()), t);
  return is_floating(t) ? convert(lit(compute_type(t), v.to_double()), t) : lit_int(t, v.to_int());
}

// The dtype that a member computes in: that of its first tensor operand that takes part in promotion.
DType compute_type_of(const Fused::Member& m, const PointwiseRule& rule, const std::vector<DType>& inputs,
                      const std::vector<Fused::Member>& members) {
  for (int i = 0; i < rule.body.arity; ++i) {
    auto k = static_cast<size_t>(i);
    const Fused::Source& s = m.sources[rule.position[k]];
    if (rule.is_scalar[k] || rule.fixed[k] >= 0 || s.kind == Fused::Source::Kind::Literal) continue;
    return s.kind == Fused::Source::Kind::Input ? inputs[s.index] : members[s.index].result;
  }
  MONOGRAPH_ASSERT(false);
  return DType::f32;
}

// The body of a member. Where a number stands in place of the second tensor, it is that of the overload which eager execution then calls.
Body body_of(const Fused::Member& m, const PointwiseRule& rule, DType compute) {
  const bool has_number = rule.keeps_numbers && !rule.is_scalar[1] && m.sources[rule.position[1]].kind == Fused::Source::Kind::Literal;
  const Operator* op = has_number ? number_overload(*m.op) : nullptr;
  return op ? op->pointwise->chosen(m.literals.data()).record(compute) : rule.record(compute);
}

}  // namespace

bool compile(Fused& fused) {
  Recorder r;
  std::vector<Num> inputs, members;  // their values
  for (DType t : fused.inputs) inputs.push_back(convert(r.arg(t), t));
  for (Fused::Member& m : fused.members) {
    const PointwiseRule& rule = m.op->pointwise->chosen(m.literals.data());
    DType compute = compute_type_of(m, rule, fused.inputs, fused.members);
    m.result = rule.result_dtype(compute);
    Body body = body_of(m, rule, compute);
    std::vector<Num> args;
    for (int i = 0; i < rule.body.arity; ++i) {
      auto k = static_cast<size_t>(i);
      const Fused::Source& s = m.sources[rule.position[k]];
      args.push_back(s.kind == Fused::Source::Kind::Input    ? inputs[s.index]
                     : s.kind == Fused::Source::Kind::Member ? members[s.index]
                                                             : number(m.literals[rule.position[k]], body.args[k].dtype));
    }
    members.push_back(replay(body, args)[0]);
  }
  r.out(members.back(), fused.members.back().result);
  fused.body = expand(r.finish());
  fused.kernel = {&fused.body, KernelForm::Pointwise, compile_kernel(fused.body, KernelForm::Pointwise)};
  return fused.kernel.fn != nullptr && fused.body.args.size() == fused.inputs.size();
}

namespace {

// The strides that the result would have if the members ran one by one.
Dims fused_strides(const Fused& fused, std::span<const IValue> inputs, const Dims& sizes) {
  std::array<Dims, kMaxFusedInputs> input_strides;
  std::array<Dims, kMaxFusedMembers> member_strides;
  std::array<bool, kMaxFusedInputs> input_flat;  // whether it is one number, or contiguous in the result's sizes
  std::array<bool, kMaxFusedMembers> member_flat;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Tensor& t = inputs[k].as_tensor();
    input_strides[k] = broadcast_strides(t, sizes), input_flat[k] = t.dim() == 0 || (t->contiguous && t.sizes() == sizes);
  }
  for (size_t m = 0; m < fused.members.size(); ++m) {
    const Fused::Member& member = fused.members[m];
    const PointwiseRule& rule = member.op->pointwise->chosen(member.literals.data());
    std::array<Dims, 4> operands;
    size_t count = 0;
    bool flat = true;
    for (int i = 0; i < rule.body.arity; ++i) {
      const Fused::Source& s = member.sources[rule.position[static_cast<size_t>(i)]];
      if (s.kind == Fused::Source::Kind::Input) operands[count++] = input_strides[s.index], flat = flat && input_flat[s.index];
      if (s.kind == Fused::Source::Kind::Member) operands[count++] = member_strides[s.index], flat = flat && member_flat[s.index];
    }
    member_strides[m] = flat || rule.contiguous ? contiguous_strides(sizes) : result_strides(sizes, std::span(operands).first(count));
    member_flat[m] = member_strides[m] == contiguous_strides(sizes);
  }
  return member_strides[fused.members.size() - 1];
}

}  // namespace

Tensor run_fused(const Fused& fused, std::span<const IValue> inputs) {
  const DispatchState& state = dispatch_state();
  if (!fused.compiled || state.top) return {};
  size_t count = inputs.size();
  const Tensor* largest = nullptr;  // the input with the most dims, then the most elements: if the group can run, the result has its sizes
  for (size_t k = 0; k < count; ++k) {
    if (!inputs[k].is_tensor()) return {};
    const Tensor& t = inputs[k].as_tensor();
    if (!t.defined() || t->kind != TensorImpl::Kind::Dense || t.is_meta() || t.dtype() != fused.inputs[k]) return {};
    if (t.requires_grad() && state.grad_enabled) return {};
    if (!largest || t.dim() > largest->dim() || (t.dim() == largest->dim() && t.numel() > largest->numel())) largest = &t;
  }
  const Dims& sizes = largest->sizes();
  uint32_t full = 0;  // bit k: input k has the result's sizes
  bool flat = true;
  for (size_t k = 0; k < count; ++k) {
    const Tensor& t = inputs[k].as_tensor();
    bool same_sizes = t.sizes() == sizes;
    if (same_sizes) full |= uint32_t{1} << k;
    flat &= (same_sizes && t->contiguous) || t.dim() == 0;
    if (same_sizes || t.dim() == 0) continue;
    for (size_t d = 0, lead = sizes.size() - t.sizes().size(); d < t.sizes().size(); ++d)
      if (t.sizes()[d] != 1 && t.sizes()[d] != sizes[lead + d]) return {};
  }
  // Each member must compute in the result's sizes, as it would alone.
  for (const Fused::Member& m : fused.members)
    if (!(m.depends & full)) return {};
  if (product(sizes) == 0) return {};
  DType type = fused.members.back().result;
  if (flat) {
    Tensor out = empty(sizes, type);
    std::array<char*, kMaxFusedInputs + 1> pointers;
    std::array<int64_t, kMaxFusedInputs + 1> steps;
    pointers[0] = out.data(), steps[0] = element_size(type);
    for (size_t k = 0; k < count; ++k) {
      const Tensor& t = inputs[k].as_tensor();
      pointers[k + 1] = t.data(), steps[k + 1] = full >> k & 1 ? element_size(t.dtype()) : 0;
    }
    launch_flat(fused.kernel, pointers.data(), steps.data(), count + 1, out.numel());
    return out;
  }
  Tensor out = empty_strided(sizes, fused_strides(fused, inputs, sizes), type);
  std::array<monograph::Operand, kMaxFusedInputs + 1> operands;
  operands[0] = broadcast_operand(out, sizes);
  for (size_t k = 0; k < count; ++k) operands[k + 1] = broadcast_operand(inputs[k].as_tensor(), sizes);
  launch_pointwise(fused.kernel, std::span(operands.data(), count + 1), sizes);
  return out;
}

IValue run_unfused(const Fused& fused, std::span<const IValue> inputs) {
  std::vector<IValue> values(fused.members.size()), args;
  for (size_t m = 0; m < fused.members.size(); ++m) {
    const Fused::Member& member = fused.members[m];
    args = member.literals;
    for (size_t k = 0; k < args.size(); ++k) {
      const Fused::Source& s = member.sources[k];
      if (s.kind == Fused::Source::Kind::Input) args[k] = inputs[s.index];
      if (s.kind == Fused::Source::Kind::Member) args[k] = values[s.index];
    }
    try {
      monograph::call(*member.op, args.data(), &values[m]);
    } catch (Error& e) {
      locate_with_calls(e, member.span);
      throw;
    }
  }
  return std::move(values.back());
}

}  // namespace monograph::exec
