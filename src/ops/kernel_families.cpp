// Lists the bodies for which the build generates kernels: those of each record and of its gradient, for each dtype that the record takes.
#include "ops/kernel_families.h"

#include "ops/pointwise.h"
#include "ops/registry.h"
#include "ops/rnn_steps.h"
#include "ops/rows.h"

namespace monograph {
namespace {

using Member = KernelFamily::Member;

void pointwise_members(const Operator& op, const PointwiseRule& rule, std::vector<Member>& members) {
  for (const auto& variant : rule.variants) pointwise_members(op, *variant.second, members);
  for (int i = 0; i < kComputedDTypeCount; ++i) {
    auto t = static_cast<DType>(i);
    if (!rule.takes(t)) continue;
    if (rule.promote == Promote::Float && !is_floating(t) && !is_complex(t)) continue;
    members.push_back({concat(op.base_name(), "/", name(t)), expand(rule.record(t)), KernelForm::Pointwise});
    if (is_floating(t))
      for (int k = 0; k < rule.body.arity; ++k)
        if (rule.has_slope(k))
          members.push_back(
              {concat(op.base_name(), "_backward", k, "/", name(t)), expand(rule.record_backward(k, t)), KernelForm::Pointwise});
  }
}

// One kernel for each set of optional tensors that a call may give: none, the first, .., all (for norms: the weight without the bias, then both).
void row_members(const Operator& op, std::vector<Member>& members) {
  const RowRule& rule = *op.rows;
  for (int i = 0; i < kComputedDTypeCount; ++i) {
    auto t = static_cast<DType>(i);
    if (!contains(rule.dtypes, t)) continue;
    if (rule.result == RowRule::Result::Float && !is_floating(t) && !is_complex(t)) continue;
    if (rule.result == RowRule::Result::Sum && is_integral(t, true) && t != DType::i64) continue;
    DType result = row_result(rule, t);
    unsigned all = 1;
    for (size_t k = 1; k < rule.tensors.size(); ++k)
      if (rule.tensors[k] >= 0) all |= 1u << k;
    for (unsigned present = 1; present <= all; present = present << 1 | 1)
      for (KernelForm form : {KernelForm::Inner, KernelForm::Outer})
        members.push_back({concat(op.base_name(), "/", name(t), form == KernelForm::Inner ? "/inner/" : "/outer/", present),
                           expand(record_rows(rule, t, result, present)), form});
  }
}

}  // namespace

std::vector<KernelFamily> kernel_families() {
  std::vector<KernelFamily> families;
  for (const auto& op : Registry::global().all()) {
    if (op->functional) continue;
    if (families.empty() || families.back().name != op->family) families.push_back(KernelFamily{op->family, {}});
    if (op->pointwise) pointwise_members(*op, *op->pointwise, families.back().members);
    if (op->rows) row_members(*op, families.back().members);
  }
  families.push_back(KernelFamily{"conversion", conversion_members()});
  families.push_back(KernelFamily{"rnn_steps", rnn_step_members()});
  return families;
}

}  // namespace monograph
